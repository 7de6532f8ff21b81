"""Mastermind: pegs against the way a person puts them, every code found by elimination."""

import itertools
import re

import numpy as np
import pytest
from game_contract import compare_encoding, find_numbers

from gem_ma import Env, InvalidMove
from gem_ma.envs.guessing.mastermind import LEVELS, Mastermind, State, pegs
from gem_ma.testing import certify

EASY, HARD = (2, 6, 10), (4, 8, 30)


def pegs_by_hand(code, guess):
    """Cross out the pairs in place first, then any that are left."""
    code, guess, black, white = list(code), list(guess), 0, 0
    for i in range(len(code)):
        if code[i] == guess[i]:
            code[i] = guess[i] = None
            black += 1
    for digit in guess:
        if digit is not None and digit in code:
            code[code.index(digit)] = None
            white += 1
    return black, white


@pytest.mark.parametrize(
    ("code", "guess", "black", "white"),
    [
        ("1234", "1234", 4, 0),
        ("1234", "4321", 0, 4),
        ("1234", "1325", 1, 2),
        ("1234", "5678", 0, 0),
        ("1122", "1211", 1, 2),
        ("1112", "2221", 0, 2),
    ],
)
def test_pegs(code, guess, black, white):
    assert pegs(code, guess) == (black, white)


def test_pegs_of_all_pairs_with_repeats():
    codes = ["".join(code) for code in itertools.product("123", repeat=4)]
    for code, guess in itertools.product(codes, codes):
        assert pegs(code, guess) == pegs_by_hand(code, guess)


@pytest.mark.parametrize("level", [EASY, HARD, (3, 4, 20)])
@pytest.mark.parametrize("repeats", [False, True])
def test_elimination_finds_every_code_in_time(level, repeats):
    env = Env(Mastermind(*level, duplicate_numbers=repeats), id="test:Mastermind")
    for seed in range(20):
        env.reset(seed=seed)
        possible = list(env.game.moves)
        while env.to_act:
            env.step_seats({"player": possible[0]})
            guess, *marks = env.game_state.guesses[-1]
            codes = [code.replace(" ", "") for code in possible]
            possible = [" ".join(c) for c in codes if pegs(c, guess) == tuple(marks)]
        assert env.game_state.returns() == {"player": 1.0}


@pytest.mark.parametrize("repeats", [False, True])
def test_codes_are_drawn_evenly(repeats):
    game = Mastermind(2, 4, 10, duplicate_numbers=repeats)
    rng, drawn = np.random.default_rng(0), {}
    for _ in range(4000):
        code = game.start(rng, {}).code
        drawn[code] = drawn.get(code, 0) + 1
    assert sorted(map(" ".join, drawn)) == sorted(game.moves)
    assert min(drawn.values()) > 0.7 * 4000 / len(game.moves)


def test_the_random_level_draws_one_for_each_episode():
    game, levels = Mastermind(None, None, None), set()
    for seed in range(50):
        state = game.start(np.random.default_rng(seed), {})
        levels.add((len(state.code), state.digits, state.left))
    assert levels == set(LEVELS)


def test_a_seat_does_not_see_the_code_until_the_end():
    game = Mastermind(2, 3, 2)
    seen = set()
    for code in ("13", "23"):  # the guess 3 1 gets one white peg from 23 only
        view = State(3, False, 2, code).seen_by("player")
        seen.add((view, game.describe(view, "player"), game.picture(view, "player")))
    assert len(seen) == 1
    assert "Code: 2 3" in game.describe(State(3, False, 2, "23"), None)
    over = State(3, False, 1, "23").guess("13").seen_by("player")
    assert over.to_act() == ()
    assert over.returns() == {"player": 0.0}
    assert "Code: 2 3" in game.describe(over, "player")


def test_what_is_no_guess():
    game, view = Mastermind(*HARD), State(8, False, 30, "????")
    for text in ("1 2 3 4", "1234", " 1, 2, 3, 4. ", "(1-2-3-4)"):
        assert game.read(text, view, "player") == "1234"
    for text in (
        "1 2 3",
        "1 2 3 9",
        "0 1 2 3",
        "1 2 3 4 5",
        "a b c d",
        "",
        "\u0661\u0662\u0663\u0664",
    ):
        with pytest.raises(InvalidMove, match="expected 4 digits, each from 1 to 8"):
            game.read(text, view, "player")
    with pytest.raises(InvalidMove, match="repeats a digit"):
        game.read("1 1 2 3", view, "player")
    assert game.read("1 1 2 3", view._replace(repeats=True), "player") == "1123"


@pytest.mark.parametrize(
    "level", [(4, 3, 9), (0, 3, 9), (5, 9, 9), (2, 4, 0), (2, 4, 61), (1, 1, 5)]
)
def test_what_makes_no_game(level):
    with pytest.raises(ValueError, match="expected code_length 1 to 6"):
        Mastermind(*level)
    with pytest.raises(ValueError, match="None for all three"):
        Mastermind(None, 4, 9)


def test_the_pictures():
    env = Env(Mastermind(2, 4, 25), id="test:Mastermind")
    assert certify(env, views=150, theme="mono").views >= 150


def read_numbers(text, places, digits, turns):
    """Return what a player reads of its guesses as numbers."""
    rows = np.zeros((turns + 1, places * digits + 2))
    told = re.findall(r"\d+\. ([\d ]+): (\d+) black, (\d+) white", text)
    for number, (guess, black, white) in enumerate(told):
        guess = find_numbers(guess)
        for place, digit in enumerate(guess):
            rows[number, place * digits + digit - 1] = 1
        rows[number, -2:] = int(black) / len(guess), int(white) / len(guess)
    code, highest = re.search(r"Code: (.*), digits 1 to (\d+)", text).groups()
    for place in range(len(code.split())):
        for digit in range(int(highest)):
            rows[-1, place * digits + digit] = 1
    rows[-1, -1] = find_numbers(text.rpartition("left:")[2])[0] / turns
    return rows


def test_the_numbers_say_what_the_text_says():
    compare_encoding("game:Mastermind-v0", lambda text, agent: read_numbers(text, 4, 6, 20))
    compare_encoding(
        "game:Mastermind-v0-random", lambda text, agent: read_numbers(text, 4, 8, 30), seeds=9
    )


def test_the_random_level_lists_the_codes_of_all():
    game = Mastermind(None, None, None)
    for length, digits, turns in LEVELS:
        legal = State(digits, False, turns, "?" * length).legal("player")
        assert set(legal) <= set(game.moves)
    assert len(game.moves) == len(set(game.moves)) == 12 + 1680
