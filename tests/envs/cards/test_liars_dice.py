"""Liar's dice: bids, challenges, elimination, secrets."""

import numpy as np
import pytest

import gem_ma
from gem_ma import InvalidMove
from gem_ma.envs.cards.liars_dice import LiarsDice, State

AGENTS = ("player_0", "player_1", "player_2")


def state(counts=(1, 1, 1), turn=0, bid=None, bidder=None, dice=((1,), (2,), (2,))):
    return State(AGENTS, dice, counts, turn, bid, bidder)


def rng():
    return np.random.default_rng(0)


def test_a_bid_must_be_higher():
    game, view = LiarsDice(dice=1), state(bid=(2, 5), bidder=2)
    legal = view.legal("player_0")
    assert legal == ("2x6", "3x1", "3x2", "3x3", "3x4", "3x5", "3x6", "liar")
    for text in ("2x5", "1x6", "4x1", "2x7", "x", "two fives", ""):
        with pytest.raises(InvalidMove):
            game.read(text, view, "player_0")
    assert game.read(" 3 X 1 ", view, "player_0") == (3, 1)
    assert "liar" not in state().legal("player_0")


@pytest.mark.parametrize(
    ("bid", "loser"),
    [((2, 2), 0), ((1, 2), 0), ((3, 2), 2), ((1, 6), 2), ((1, 1), 0)],
)
def test_a_challenge_costs_whoever_was_wrong(bid, loser):
    before = state(counts=(2, 2, 2), turn=0, bid=bid, bidder=2)
    after = LiarsDice(dice=2).advance(before, {"player_0": "liar"}, rng())
    assert after.counts == tuple(2 - (i == loser) for i in range(3))
    assert after.turn == loser
    assert after.bid is None
    assert [len(hand) for hand in after.dice] == list(after.counts)


def test_who_has_no_dice_is_out_and_the_next_begins():
    before = state(turn=0, bid=(3, 2), bidder=2)
    after = LiarsDice(dice=1).advance(before, {"player_0": "liar"}, rng())
    assert after.out() == ("player_2",)
    assert after.turn == 0
    assert after.returns() == {"player_0": 0.0, "player_1": 0.0, "player_2": -0.5}
    end = after.take(0, 1, rng())
    assert end.to_act() == ()
    assert end.returns() == {"player_0": -0.5, "player_1": 1.0, "player_2": -0.5}


def test_a_forfeit_gives_up_all_dice():
    game = LiarsDice(dice=3)
    before = game.start(rng(), {})
    for agent in AGENTS:
        after = game.forfeit(before, agent, rng())
        assert after.out() == (agent,)
        assert sum(after.counts) == 6
        assert after.to_act() != ()


def test_a_lost_turn_passes_the_bid_on():
    after = LiarsDice().advance(state(bid=(1, 3), bidder=2), {"player_0": None}, rng())
    assert (after.turn, after.bid, after.bidder) == (1, (1, 3), 2)
    after = LiarsDice().advance(state(turn=1, bid=(3, 6), bidder=2), {"player_1": None}, rng())
    assert (after.turn, after.bid) == (2, None)  # nobody doubts oneself: the bidder begins anew


def test_a_seat_sees_only_its_own_dice():
    game = LiarsDice(dice=1)
    for seat, agent in enumerate(AGENTS):
        seen = set()
        for other in range(1, 7):
            dice = tuple((4,) if i == seat else (other,) for i in range(3))
            view = state(bid=(1, 3), bidder=2, dice=dice).seen_by(agent)
            numbers = game.encode(view, agent).tobytes()
            seen.add((view, game.describe(view, agent), numbers, view.legal(agent)))
        assert len(seen) == 1


def test_everybody_hears_what_a_challenge_showed():
    env = gem_ma.make("game:LiarsDice-v0")
    env.reset(seed=0)
    for action in ("9x6", "liar"):
        env.step(action)
    for agent in AGENTS:
        text = env.observe(agent)["text"]
        assert "The bid was 9x6, and there are" in text
        assert "loses a die. All roll again." in text


@pytest.mark.parametrize("arguments", [{"players": 1}, {"dice": 0}])
def test_what_makes_no_game(arguments):
    with pytest.raises(ValueError, match="expected players at least 2, dice at least 1"):
        gem_ma.make("game:LiarsDice-v0", **arguments)


def test_two_players_are_zero_sum():
    env = gem_ma.make("game:LiarsDice-v0", players=2, invalid="lose")
    env.reset(seed=0)
    loser = env.agent_selection
    env.step("?")
    assert env.rewards[loser] == -1.0
    assert sum(env.rewards.values()) == 0


def test_the_levels_of_a_table():
    game = LiarsDice()
    start = game.start(rng(), {})
    assert (game.agents, start.counts) == (AGENTS, (3, 3, 3))
    assert (start.bid, start.bidder) == (None, None)
    assert game.moves == (*(f"{n}x{face}" for n in range(1, 10) for face in range(1, 7)), "liar")
    assert LiarsDice(2, 1).moves[-2:] == ("2x6", "liar")


def test_what_a_player_reads():
    game, view = LiarsDice(dice=2), state((2, 2, 0), 1, (2, 5), 0, ((1, 4), (2, 6), ()))
    text = game.describe(view.seen_by("player_1"), "player_1")
    assert text == (
        "player_0: ? ?\nplayer_1: 2 6\nplayer_2: out\nBid: 2x5 by player_0. To act: player_1."
    )
    drawn = game.picture(view.seen_by("player_1"), "player_1")
    assert dict(drawn.rows) == {
        "player_0": ("*?", "*?"),
        "player_1": ("*2", "*6"),
        "player_2, out": (),
    }
    assert drawn.status == ("Bid: 2x5 by player_0", "To act: player_1")
    assert game.status(state()) == ("Bid: no bid yet", "To act: player_0")
    for quantity in ("3 dice each", "with 3 players"):
        assert quantity in LiarsDice().rules("player_0")


def test_what_is_told_of_a_move():
    game = LiarsDice(dice=1)
    before = state(bid=(2, 2), bidder=2)
    for move, told in (
        ((3, 4), [(None, "player_0", "3x4")]),
        (None, [(None, "game", "player_0 lost its turn.")]),
        (
            "liar",
            [
                (None, "player_0", "liar"),
                (
                    None,
                    "game",
                    "The bid was 2x2, and there are 2 such dice: player_0 loses a die. All roll "
                    "again.",
                ),
            ],
        ),
    ):
        after = game.advance(before, {"player_0": move}, rng())
        assert [tuple(m) for m in game.tell(before, {"player_0": move}, after)] == told
