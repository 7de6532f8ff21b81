"""Colonel Blotto: every pair of moves beside OpenSpiel's, replies, rounds."""

import itertools
import math

import pytest

import gem_ma
from gem_ma import InvalidMove
from gem_ma.envs.markets.colonel_blotto import ColonelBlotto, State
from gem_ma.testing import certify, check_env

GAME = ColonelBlotto()
VIEW = GAME.start(None, {})


def test_every_spread_is_listed_once():
    for fields, troops in itertools.product((2, 3, 5), (1, 4, 10)):
        spreads = ColonelBlotto(fields, troops).moves
        assert len(spreads) == len(set(spreads)) == math.comb(troops + fields - 1, fields - 1)
        for text in spreads:
            sent = [int(n) for n in text.split(",")]
            assert (len(sent), sum(sent), min(sent) >= 0) == (fields, troops, True)


@pytest.mark.parametrize("text", ["3,3,4", "3, 3, 4", "3 3 4", "[3,3,4]", "(3, 3, 4).", "+3,03,4"])
def test_what_is_read(text):
    assert GAME.read(text, VIEW, "left") == (3, 3, 4)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("3,3", "not 3 numbers"),
        ("3,3,3,1", "not 3 numbers"),
        ("", "not 3 numbers"),
        ("3,3,5", "these are 11 troops, and you have 10"),
        ("3,3,3", "these are 9 troops"),
        ("-1,5,6", "-1 troops cannot be sent"),
        ("3,3,four", "'four' is not a whole number"),
        ("3,3,4.0", "not a whole number"),
        ("1 " * 500_000, "not 3 numbers"),
    ],
)
def test_what_is_no_move(text, reason):
    with pytest.raises(InvalidMove, match=reason):
        GAME.read(text, VIEW, "left")


def test_who_has_won_more_rounds_wins_in_the_end():
    state = State(3, 10, 3).play((4, 4, 2), (3, 3, 4))
    assert state.score == (1, 0)
    assert state.returns() == {"left": 0.0, "right": 0.0}
    state = state.play((10, 0, 0), (0, 5, 5)).play((5, 5, 0), (5, 5, 0))
    assert (state.score, state.to_act()) == ((1, 1), ())
    assert state.returns() == {"left": 0.0, "right": 0.0}
    won = State(3, 10, 1).play((4, 4, 2), (3, 3, 4))
    assert won.returns() == {"left": 1.0, "right": -1.0}


def test_a_lost_turn_loses_the_round_unless_both_lost_it():
    state = State(3, 10, 3).play(None, (10, 0, 0)).play(None, None)
    assert (state.score, state.rounds) == ((0, 1), 1)
    assert "2. left sent nothing; right sent nothing: a draw" in GAME.describe(state, None)
    assert GAME.picture(state, None) != GAME.picture(state.play(None, None), None)


def test_the_second_of_two_does_not_see_what_the_first_sent():
    env = gem_ma.Env(GAME, observe="both")
    seen = set()
    for text in GAME.moves:
        env.reset(seed=0)
        env.step(text)
        observed = env.observe("right")
        seen.add((observed["text"], observed["image"].tobytes(), str(env.info("right"))))
    assert len(seen) == 1


def test_a_forfeit_loses():
    env = gem_ma.Env(GAME, invalid="lose")
    env.reset(seed=0)
    env.step("?")
    assert env.rewards == {"left": -1.0, "right": 1.0}


@pytest.mark.parametrize(
    "arguments", [{"fields": 1}, {"troops": 0}, {"rounds": 0}, {"fields": 10, "troops": 100}]
)
def test_what_makes_no_game(arguments):
    with pytest.raises(ValueError, match="expected"):
        ColonelBlotto(**arguments)


def test_the_contract_and_the_pictures():
    check_env(gem_ma.Env(ColonelBlotto(2, 6, 3)), seeds=1, processes=False)
    certify(gem_ma.Env(GAME), views=10)


@pytest.mark.slow
def test_many_pictures():
    certify(gem_ma.Env(GAME), views=100)


def test_all_pairs_of_moves_agree_with_openspiel():
    pyspiel = pytest.importorskip("pyspiel", reason="pip install 'gem-ma[oracles]'")
    for fields, troops in ((3, 10), (4, 5)):
        game = ColonelBlotto(fields, troops, 1)
        start = game.start(None, {})
        root = pyspiel.load_game(f"blotto(coins={troops},fields={fields})").new_initial_state()
        theirs = {root.action_to_string(0, a).strip("[]"): a for a in root.legal_actions(0)}
        assert sorted(theirs) == sorted(game.moves)
        for pair in itertools.product(theirs, repeat=2):
            state = root.clone()
            state.apply_actions([theirs[text] for text in pair])
            sent = [game.read(text, start, "left") for text in pair]
            ours = game.advance(start, dict(zip(game.agents, sent, strict=True)), None)
            assert list(ours.returns().values()) == state.returns()
