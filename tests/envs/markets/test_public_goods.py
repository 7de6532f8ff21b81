"""Public goods: earnings worked out exactly, seats that leave."""

from fractions import Fraction

import numpy as np
import pytest

import gem_ma
from gem_ma import InvalidMove
from gem_ma.envs.markets.public_goods import PublicGoods
from gem_ma.testing import certify, check_env

GAME = PublicGoods()


def test_a_round_by_hand():
    state = PublicGoods(4, 2, 2.0).start(None, {})
    state = state.give({"player_0": 10, "player_1": 10, "player_2": 0, "player_3": 4})
    # 24 tokens become 48, 12 for each.
    assert list(state.returns().values()) == [12.0, 12.0, 22.0, 18.0]
    assert (state.rounds, state.history) == (1, ((10, 10, 0, 4),))
    state = state.give(dict.fromkeys(state.agents, 10))
    assert list(state.returns().values()) == [32.0, 32.0, 42.0, 38.0]
    assert state.to_act() == ()


def test_random_games_against_exact_sums():
    rng = np.random.default_rng(0)
    for players, tokens in ((2, 10), (3, 7), (7, 100)):
        env = gem_ma.Env(PublicGoods(players, 12, 1.5, tokens), invalid="lose")
        env.reset(seed=0)
        earned, here = [Fraction(0)] * players, list(range(players))
        while env.to_act:
            gifts = {i: int(rng.integers(tokens + 1)) for i in here}
            leaver = here[0] if len(here) > 2 and rng.random() < 0.2 else None
            replies = {f"player_{i}": "?" if i == leaver else str(n) for i, n in gifts.items()}
            env.step_seats(replies)
            if leaver is not None:
                here.remove(leaver)
                gifts.pop(leaver)
            pot = Fraction(3, 2) * sum(gifts.values())
            for i, n in gifts.items():
                earned[i] += tokens - n + pot / len(here)
        ours = list(env.game_state.returns().values())
        assert ours == pytest.approx([float(e) for e in earned])
        assert len(env.game_state.history) == 12
        assert (len(here) < players) == (players > 2)


def test_giving_pays_the_group_and_costs_the_giver():
    start = GAME.start(None, {})
    totals, own = [], []
    for n in range(11):
        after = start.give({a: n if a == "player_0" else 5 for a in GAME.agents})
        totals.append(sum(after.earned))
        own.append(after.earned[0])
    assert totals == sorted(set(totals))
    assert own == sorted(set(own), reverse=True)


def test_who_leaves_keeps_its_tokens_and_the_others_go_on():
    env = gem_ma.Env(GAME, invalid="lose")
    env.reset(seed=0)
    for _ in GAME.agents:
        env.step("10")
    env.step("all of them")
    assert env.terminations == {a: a == "player_0" for a in GAME.agents}
    env.step(None)
    for text in ("1", "2", "3"):
        env.step(text)
    state = env.game_state
    assert state.history[-1] == (None, 1, 2, 3)
    assert state.earned == pytest.approx((16.0, 28.2, 27.2, 26.2))
    assert "Left the game: player_0." in env.observe("player_1")["text"]
    env.step_seats({"player_1": "x", "player_2": "10", "player_3": "y"})
    assert env.to_act == ()
    assert env.game_state.earned == state.earned


def test_a_seat_does_not_see_what_the_others_give_now():
    env = gem_ma.Env(PublicGoods(3), observe="both")
    seen = set()
    for text in GAME.moves:
        env.reset(seed=0)
        env.step(text)
        env.step("3")
        observed = env.observe("player_2")
        seen.add((observed["text"], observed["image"].tobytes(), str(env.info("player_2"))))
    assert len(seen) == 1


@pytest.mark.parametrize("text", ["-1", "11", "ten", "", "5.5", "1e1"])
def test_what_is_no_move(text):
    with pytest.raises(InvalidMove, match=r"is not between 0 and 10|is not a whole number"):
        GAME.read(text, GAME.start(None, {}), "player_0")


@pytest.mark.parametrize(
    "arguments", [{"players": 1}, {"rounds": 0}, {"tokens": 0}, {"multiplier": 0}]
)
def test_what_makes_no_game(arguments):
    with pytest.raises(ValueError, match="expected"):
        PublicGoods(**arguments)


def test_the_contract_and_the_pictures():
    check_env(gem_ma.Env(PublicGoods(2, 10)), seeds=1, processes=False)
    certify(gem_ma.Env(GAME), views=25)


@pytest.mark.slow
def test_the_pictures_of_many_seats():
    certify(gem_ma.Env(GAME), views=100)
    certify(gem_ma.Env(PublicGoods(10, 12, 3.0, 20)), views=50)
