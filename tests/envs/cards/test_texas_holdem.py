"""Texas hold'em: random hands against OpenSpiel's, hands by another evaluator, what is secret."""

import itertools
import random
import re
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from game_contract import compare_encoding, find_numbers, one_hot, rotate

import gem_ma
from gem_ma import InvalidMove
from gem_ma.envs.cards.deck import DECK, RANKS
from gem_ma.envs.cards.texas_holdem import HANDS, State, TexasHoldem, value


def short(card):
    """Return a card as others write it."""
    return card.replace("10", "T")


def strength(cards):
    """Return how strong seven cards are, found without looking at five of them at a time."""
    ranks = sorted((RANKS.index(card[:-1]) for card in cards), reverse=True)
    counts = Counter(ranks)
    suits = Counter(card[-1] for card in cards)
    suit = next((s for s, n in suits.items() if n >= 5), None)
    suited = [RANKS.index(c[:-1]) for c in cards if c[-1] == suit]

    def straight(found):
        low = {-1} if 12 in found else set()
        return max((top for top in found if {*range(top - 4, top)} <= {*found} | low), default=None)

    if suited and straight(suited) is not None:
        return 8, straight(suited)
    by = sorted(counts, key=lambda rank: (counts[rank], rank), reverse=True)
    if counts[by[0]] == 4:
        return 7, by[0], max(r for r in ranks if r != by[0])
    pairs = [rank for rank in sorted(counts, reverse=True) if counts[rank] >= 2]
    if counts[by[0]] == 3 and len(pairs) > 1:
        return 6, by[0], max(r for r in pairs if r != by[0])
    if suited:
        return 5, *sorted(suited, reverse=True)[:5]
    if straight(ranks) is not None:
        return 4, straight(ranks)
    if counts[by[0]] == 3:
        return 3, by[0], *[r for r in ranks if r != by[0]][:2]
    if len(pairs) > 1:
        return 2, *pairs[:2], max(r for r in ranks if r not in pairs[:2])
    if pairs:
        return 1, pairs[0], *[r for r in ranks if r != pairs[0]][:3]
    return 0, *ranks[:5]


@pytest.mark.parametrize("hands", [150, pytest.param(20_000, marks=pytest.mark.slow)])
def test_the_value_of_seven_cards_is_found_in_another_way(hands):
    rng, seen = random.Random(0), Counter()
    for few in range(hands):
        deck = DECK if few % 3 else [c for c in DECK if c[-1] in "hs" or c[0] in "A5432"]
        cards = tuple(rng.sample(deck, 7))
        assert value(cards) == strength(cards), cards
        seen[value(cards)[0]] += 1
    assert len(seen) >= (7 if hands < 1000 else 9)


@pytest.mark.parametrize(
    ("cards", "name"),
    [
        ("As Ks Qs Js 10s 2d 2c", "straight flush"),
        ("5d 4d 3d 2d Ad Ac As", "straight flush"),
        ("9c 9d 9h 9s Ks Kd Kh", "four of a kind"),
        ("9c 9d 9h Ks Kd Kh 2s", "full house"),
        ("2c 9c Jc 3c Kc Kd Kh", "flush"),
        ("Ac 2d 3h 4s 5s Ad Ah", "straight"),
        ("9c 9d 9h Ks Jd 2h 3s", "three of a kind"),
        ("9c 9d 3h 3s Jd 2h 2s", "two pairs"),
        ("Qc Kd Ah 2s 3d 3h 9s", "pair"),
        ("Qc Kd Ah 2s 3d 4h 9s", "high card"),
    ],
)
def test_hands_by_name(cards, name):
    assert HANDS[value(tuple(cards.split()))[0]] == name


def others(players, stack):
    pyspiel = pytest.importorskip("pyspiel", reason="pip install 'gem-ma[oracles]'")
    return pyspiel.load_game(
        "universal_poker",
        {
            "betting": "nolimit",
            "bettingAbstraction": "fullgame",
            "numPlayers": players,
            "numRounds": 4,
            "blind": " ".join(["1", "2", *["0"] * (players - 2)]),
            "firstPlayer": "1 2 2 2" if players == 2 else "3 1 1 1",
            "numSuits": 4,
            "numRanks": 13,
            "numHoleCards": 2,
            "numBoardCards": "0 3 1 1",
            "stack": " ".join([str(stack)] * players),
        },
    )


def deal(theirs, cards):
    for card in cards:
        assert theirs.is_chance_node()
        known = {theirs.action_to_string(-1, a).split()[-1]: a for a in theirs.legal_actions()}
        theirs.apply_action(known[short(card)])


@pytest.mark.parametrize("games", [12, pytest.param(400, marks=pytest.mark.slow)])
@pytest.mark.parametrize("players", [2, 3, 6])
def test_random_games_agree_with_openspiel(players, games):
    ends = Counter()
    for seed in range(games):
        stack = (20, 100, 5)[seed % 3]
        theirs = others(players, stack).new_initial_state()
        rng, game = np.random.default_rng(seed), TexasHoldem(players, stack)
        ours = game.start(rng, {})
        deal(theirs, itertools.chain(*ours.cards))
        while ours.to_act():
            (seat,) = ours.to_act()
            number = game.agents.index(seat)
            assert theirs.current_player() == number
            before = ours.paid[number]
            legal = {
                move: 0 if move == "fold" else before + int(move[6:]) if "raise" in move else 1
                for move in ours.legal(seat)
            }
            assert sorted(legal.values()) == sorted(theirs.legal_actions())
            calm = [move for move in legal if "raise" not in move]
            moves = list(legal) if rng.random() < 0.3 else calm[-1:]
            move = moves[int(rng.integers(min(len(moves), 6)))]
            assert game.read(move.title(), ours.seen_by(seat), seat) == move
            board = len(ours.board)
            ours = game.advance(ours, {seat: move}, rng)
            theirs.apply_action(legal[move])
            deal(theirs, ours.board[board:])
        assert theirs.is_terminal()
        assert list(ours.returns().values()) == pytest.approx(theirs.returns())
        assert sum(ours.returns().values()) == pytest.approx(0)
        ends["fold" if len(ours.live()) == 1 else "shown"] += 1
        ends["folded"] += bool(ours.folded)
        ends["shared"] += len(ours.winners()) > 1
    assert ends["shown"]
    assert ends["folded"] or games < 100
    assert ends["fold"] or players > 2
    assert ends["shared"] or games < 100


def test_equal_hands_share_the_pot():
    state = State(
        ("player_0", "player_1"), 20, (("2c", "3c"), ("2d", "3d")), (4, 4), (), (2, 2),
        ("As", "Ah", "Kd", "Kc", "Qs"),
    )  # fmt: skip
    assert state.winners() == (0, 1)
    assert state.returns() == {"player_0": 0.0, "player_1": 0.0}


@pytest.mark.parametrize("players", [2, 4])
def test_nobody_sees_the_cards_of_others(players):
    env = gem_ma.make("game:TexasHoldem-v0", players=players)
    for seed in range(10):
        env.reset(seed=seed)
        state = env.match.state
        rest = [card for card in DECK if card not in itertools.chain(*state.cards)]
        random.Random(seed).shuffle(rest)
        hands = (state.cards[0], *zip(rest[: players - 1], rest[-players:], strict=False))
        other = replace(state, cards=hands[:players])
        assert other.seen_by("player_0") == state.seen_by("player_0")
        assert other.seen_by("player_1") != state.seen_by("player_1")
        assert env.game.describe(state.seen_by("player_0"), "player_0").count("? ?") == players - 1


def test_a_fold_shows_nothing_and_a_showdown_all_that_are_left():
    game, rng = TexasHoldem(3, 10), np.random.default_rng(0)
    state = game.start(rng, {})
    for move in ("raise 10", "fold"):
        state = game.advance(state, {state.to_act()[0]: move}, rng)
    assert state.out() == ("player_0",)
    before = state
    end = game.advance(state, {"player_1": "call"}, rng)
    assert len(end.board) == 5
    assert end.seen_by("player_1").cards == (None, *end.cards[1:])
    told = [str(message) for message in game.tell(before, {"player_1": "call"}, end)]
    assert told[:2] == ["player_1: call", f"Laid open: {' '.join(end.board)}."]
    assert told[2].startswith(f"player_1 shows {' '.join(end.cards[1])}: ")
    assert told[-1].endswith("the pot of 21.")
    folded = game.advance(before, {"player_1": "fold"}, rng)
    assert folded.board == ()
    assert folded.seen_by("player_2").cards[:2] == (None, None)
    assert folded.returns() == {"player_0": -1.0, "player_1": -2.0, "player_2": 3.0}
    assert str(game.tell(before, {"player_1": "fold"}, folded)[-1]) == (
        "player_2 wins the pot of 13."
    )


def test_who_leaves_folds_in_turn_or_not():
    game, rng = TexasHoldem(3), np.random.default_rng(0)
    state = game.start(rng, {})
    left = game.forfeit(state, "player_1", rng)
    assert left.to_act() == ("player_2",)
    assert left.out() == ("player_1",)
    assert game.forfeit(left, "player_1", rng) == left
    end = game.forfeit(left, "player_2", rng)
    assert end.to_act() == ()
    assert end.returns() == {"player_0": 2.0, "player_1": -2.0, "player_2": 0.0}


def test_what_is_refused_says_why():
    game = TexasHoldem(2, 50)
    view = game.start(np.random.default_rng(0), {}).seen_by("player_0")
    for text, move in (
        ("Bet 7", "raise 7"),
        ("raise to 7 chips", "raise 7"),
        ("All in!", "raise 50"),
        ("CALL", "call"),
    ):
        assert game.read(text, view, "player_0") == move
    after = game.advance(view, {"player_0": "call"}, None)
    for state, seat, text, why in (
        (view, "player_0", "raise 3", "from 4 to 50"),
        (view, "player_0", "check", "you owe chips"),
        (after, "player_1", "call", "you owe nothing"),
        (after, "player_1", "fold", "you owe nothing"),
        (view, "player_0", "", r"is not a legal move$"),
        (view, "player_0", "raise", "from 4 to 50"),
    ):
        with pytest.raises(InvalidMove, match=why):
            game.read(text, state, seat)
    full = game.advance(view, {"player_0": "raise 50"}, None)
    with pytest.raises(InvalidMove, match="all chips are in"):
        game.read("raise 60", full, "player_1")
    assert game.read("all-in", full, "player_1") == "call"


def test_the_hand_in_words():
    game = TexasHoldem(3, 50)
    view = game.start(np.random.default_rng(1), {}).seen_by("player_2")
    own = " ".join(view.cards[2])
    assert game.describe(view, "player_2") == (
        "Open cards: none\nplayer_0: ? ?, 49 chips, bet 1\nplayer_1: ? ?, 48 chips, bet 2\n"
        f"player_2 (you): {own}, 50 chips, bet 0\nPot 3, round: before the flop, to call: 2"
    )
    assert "player_2 begins the first round" in game.rules("player_0")
    assert "player_0 begins the first round, player_1 the others" in TexasHoldem().rules("player_0")


def read_numbers(text, agent):
    """Return what a player reads of the table as numbers, where all began with 100 chips."""
    seats = re.findall(r"player_\d(?: \(you\))?: (\S+ \S+), (folded|\d+ chips), bet (\d+)", text)
    own = int(agent[-1])
    board = re.search(r"Open cards: (.*)", text)[1].split()
    row = [card in seats[own][0].split() for card in DECK] + [card in board for card in DECK]
    row += one_hot(own, len(seats))
    for _, chips, bet in rotate(seats, own):
        folded = chips == "folded"
        row += [0 if folded else find_numbers(chips)[0] / 100, int(bet) / 100, folded]
    return [*row, find_numbers(text.partition("Pot ")[2])[0] / (100 * len(seats))]


def test_the_numbers_say_what_the_text_says():
    compare_encoding("game:TexasHoldem-v0", read_numbers, seeds=9)
    compare_encoding("game:TexasHoldem-v0", read_numbers, seeds=9, players=5)
