"""Guess the number."""

import numpy as np
import pytest

import gem_ma
from gem_ma import InvalidMove
from gem_ma.envs.guessing.guess_the_number import CORRECT, HIGHER, LOWER, GuessTheNumber, State
from gem_ma.renderers import draw


def test_hints_lead_to_the_number():
    state = State(1, 10, 4, 7).guess(5).guess(9).guess(7)
    assert [hint for _, hint in state.guesses] == [HIGHER, LOWER, CORRECT]
    assert state.to_act() == ()
    assert state.returns() == {"player": 1.0}


def test_the_last_guess_that_fails_ends_the_game():
    state = State(1, 10, 1, 7).guess(6)
    assert state.to_act() == ()
    assert state.returns() == {"player": 0.0}
    assert State(1, 10, 1, 7).guess(None).to_act() == ()


def test_halving_always_finds_one_of_fifteen_in_four():
    for secret in range(1, 16):
        state, low, high = State(1, 15, 4, secret), 1, 15
        while state.to_act():
            middle = (low + high) // 2
            state = state.guess(middle)
            low, high = (middle + 1, high) if middle < secret else (low, middle - 1)
        assert state.found


@pytest.mark.parametrize(
    ("id", "low", "high", "turns"),
    [
        ("game:GuessTheNumber-v0-easy", 1, 10, 4),
        ("game:GuessTheNumber-v0-hard", 1, 50, 7),
        ("game:GuessTheNumber-v0", 1, 20, 20),
    ],
)
def test_the_levels(id, low, high, turns):
    env, secrets = gem_ma.make(id), set()
    for seed in range(1000):
        env.reset(seed=seed)
        state = env.game_state
        assert (state.low, state.high, state.left) == (low, high, turns)
        secrets.add(state.secret)
    assert secrets == set(range(low, high + 1))


def test_the_random_level_draws_a_new_one_for_each_episode():
    env = gem_ma.make("game:GuessTheNumber-v0-random")
    levels = set()
    for seed in range(300):
        env.reset(seed=seed)
        state = env.game_state
        assert 1 <= state.low <= 10
        assert 5 <= state.high - state.low <= 50
        assert state.low <= state.secret <= state.high
        assert str(state.high) in env.game.moves
        levels.add((state.low, state.high, state.left))
    assert len(levels) > 100


def test_what_is_outside_the_range_is_no_move():
    game = GuessTheNumber(1, 10, 4)
    view = State(1, 10, 4, None)
    for text in ("0", "11", "-1"):
        with pytest.raises(InvalidMove, match="is not between 1 and 10"):
            game.read(text, view, "player")
    with pytest.raises(ValueError, match="above"):
        GuessTheNumber(5, 4)
    with pytest.raises(ValueError, match="max_turns=0"):
        GuessTheNumber(max_turns=0)


def test_the_numbers_still_possible():
    game = GuessTheNumber(1, 10, 4)
    row = game.encode(State(1, 10, 4, 7).guess(5).guess(9), "player")
    assert np.flatnonzero(row[:-1]).tolist() == [5, 6, 7]
    assert row[-1] == 0.5


def test_every_guess_shows_and_the_oldest_go_first():
    game = GuessTheNumber(1, 500, 200)
    for many in (5, 17, 40, 80):
        guesses = tuple((4 * i + 3, HIGHER if i < 60 else LOWER) for i in range(many))
        view = State(1, 500, 200 - many, None, guesses)
        whole = draw(game.picture(view, "player"), (252, 252))
        for i in (0, many // 2, many - 1):
            other = (*guesses[:i], (guesses[i][0] + 1, guesses[i][1]), *guesses[i + 1 :])
            changed = draw(game.picture(view._replace(guesses=other), "player"), (252, 252))
            assert (changed != whole).any()
    view = view._replace(guesses=guesses * 2)
    assert "earlier guesses" in game.picture(view, "player").status[0]
    assert "Hidden" not in str(game.picture(view, "player").status)
