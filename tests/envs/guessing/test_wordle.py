"""Wordle: marks of repeated letters, a player by elimination, secrets."""

import re

import numpy as np
import pytest
from game_contract import compare_encoding, find_numbers

from gem_ma import Env, InvalidMove
from gem_ma.envs.guessing import words
from gem_ma.envs.guessing.wordle import State as Position
from gem_ma.envs.guessing.wordle import Wordle, marks
from gem_ma.testing import certify

EASY, HARD, RANDOM = (3, 15), (5, 25), (None, None)


def rng(seed=0):
    return np.random.default_rng(seed)


@pytest.mark.parametrize(
    ("word", "guess", "expected"),
    [
        ("crane", "crane", "+++++"),
        ("crane", "slimy", "-----"),
        ("abbey", "babes", "~~++-"),
        ("abbey", "kebab", "-~+~~"),
        ("abbey", "abbot", "+++--"),
        ("those", "geese", "---++"),  # one e in its place uses the only one up
        ("dread", "added", "~~-~+"),
        ("dread", "daddy", "+~~--"),
        ("level", "hello", "-+~~-"),
        ("robot", "floor", "--~+~"),
        ("eel", "lee", "~+~"),
        ("cat", "tat", "-++"),
    ],
)
def test_marks_by_hand(word, guess, expected):
    assert marks(word, guess) == expected


@pytest.mark.parametrize("count", [150, pytest.param(300, marks=pytest.mark.slow)])
def test_marks_follow_the_published_rule_on_all_pairs(count):
    """For each letter: as many marks as both words share, places first, then from the left."""
    common = words.common(5)[:count]
    for word in common:
        for guess in common:
            found = marks(word, guess)
            for letter in set(guess):
                places = [i for i, c in enumerate(guess) if c == letter]
                placed = [i for i in places if word[i] == letter]
                others = [i for i in places if i not in placed]
                more = min(word.count(letter), len(places)) - len(placed)
                assert [found[i] for i in placed] == ["+"] * len(placed)
                assert "".join(found[i] for i in others) == "~" * more + "-" * (len(others) - more)


@pytest.mark.parametrize(("length", "turns"), [EASY, (4, 20), HARD])
def test_elimination_finds_the_words_in_time(length, turns):
    env, won = Env(Wordle(length, turns), id="test:Wordle"), 0
    for seed in range(60):
        env.reset(seed=seed)
        possible = words.common(length)
        while env.to_act:
            env.step_seats({"player": possible[0]})
            guess, found = env.game_state.guesses[-1]
            possible = [w for w in possible if marks(w, guess) == found and w != guess]
        won += env.game_state.returns()["player"]
    assert won >= 59


def test_the_end():
    late = Position("cat", 1).guess("dog")
    assert late.to_act() == ()
    assert late.returns() == {"player": 0.0}
    won = Position("cat", 1).guess("cat")
    assert won.to_act() == ()
    assert won.returns() == {"player": 1.0}
    assert Position("cat", 1).guess(None).to_act() == ()


def test_what_is_no_guess():
    game, view = Wordle(*HARD), Position("?????", 25)
    for text in ("crane", "CRANE", " 'Crane'. ", "c-r-a-n-e"):
        assert game.read(text, view, "player") == "crane"
    for text in ("cran", "cranes", "", "cr4ne", "cran\u00e9"):
        with pytest.raises(InvalidMove, match="expected a word of 5 letters; got"):
            game.read(text, view, "player")
    for text in ("zzzzz", "qwert", "james"):
        with pytest.raises(InvalidMove, match="not in the list of English words"):
            game.read(text, view, "player")
    assert Wordle(5, 25, only_real_words=False).read("zzzzz", view, "player") == "zzzzz"


def test_a_seat_does_not_see_the_word_until_the_end():
    game, seen = Wordle(*HARD), set()
    for word in ("crane", "crate", "craze"):
        view = Position(word, 25).guess("brake").guess("grave").seen_by("player")
        seen.add((view, game.describe(view, "player"), game.picture(view, "player")))
        assert view.legal("player") == game.moves
        assert f"Word: {word}" in game.describe(Position(word, 25), None)
    assert len(seen) == 1
    assert game.describe(view, "player") == (
        "1. brake: b- r+ a+ k- e+\n2. grave: g- r+ a+ v- e+\nWord: 5 letters\nGuesses left: 23"
    )
    lost = Position("crane", 1).guess("brake").seen_by("player")
    assert "Word: crane" in game.describe(lost, "player")


def test_the_levels():
    for length, turns in (EASY, HARD):
        drawn = {Wordle(length, turns).start(rng(seed), {}) for seed in range(300)}
        assert {(len(s.word), s.left) for s in drawn} == {(length, turns)}
        assert len(drawn) > 150
    drawn = {Wordle(*RANDOM).start(rng(seed), {}) for seed in range(100)}
    assert {(len(s.word), s.left) for s in drawn} == {(3, 15), (4, 20), (5, 25)}


def test_what_makes_no_game():
    with pytest.raises(ValueError, match="expected 3 to 8 letters"):
        Wordle(9, 10)
    with pytest.raises(ValueError, match="max_turns=41"):
        Wordle(3, 41)
    with pytest.raises(ValueError, match="None for both"):
        Wordle(5, None)


@pytest.mark.parametrize("level", [EASY, RANDOM])
def test_the_pictures(level):
    env = Env(Wordle(*level), id="test:Wordle")
    assert certify(env, views=30, theme="mono").views >= 30


def test_beside_the_guesses_stands_what_is_known_of_each_letter():
    state = Position("crane", 40).guess("eager").guess("brake").seen_by("player")
    drawn = Wordle().picture(state, "player")
    assert drawn.rows[0][:6] == ("e~", "a~", "g-", "e-", "r~", " ")
    cells = [cell for row in drawn.rows for cell in row[6:] if cell != " "]
    known = {"a": "+", "b": "-", "e": "+", "g": "-", "k": "-", "r": "+"}
    assert cells == [letter + known.get(letter, "") for letter in "abcdefghijklmnopqrstuvwxyz"]
    for _ in range(38):
        state = Position("crane", state.left, state.guesses).guess("brake").seen_by("player")
    rows = Wordle().picture(state, "player").rows
    assert (len(rows), len(rows[0])) == (14, 20)


def read_numbers(text, longest, turns):
    """Return what a player reads of its guesses as numbers."""
    rows = np.zeros((turns + 1, longest * 29))
    for number, told in enumerate(re.findall(r"\d+\. \w+: (.*)", text)):
        for place, (letter, mark) in enumerate(told.split()):
            rows[number, place * 26 + ord(letter) - 97] = 1
            rows[number, longest * 26 + place * 3 + "+~-".index(mark)] = 1
    word = re.search(r"Word: (.*)", text)[1]
    length = int(word.split()[0]) if word.endswith("letters") and " " in word else len(word)
    rows[-1, : length * 26] = 1
    rows[-1, -1] = find_numbers(text.rpartition("left:")[2])[0] / turns
    return rows


def test_the_numbers_say_what_the_text_says():
    compare_encoding("game:Wordle-v0", lambda text, agent: read_numbers(text, 5, 20))
    compare_encoding(
        "game:Wordle-v0-random", lambda text, agent: read_numbers(text, 5, 25), seeds=9
    )


def test_the_random_level_lists_the_words_of_all_lengths():
    lengths = {len(word) for word in Wordle(None, None).moves}
    assert lengths == {3, 4, 5}
    assert set(words.common(4)) <= set(Wordle(None, None).moves)
