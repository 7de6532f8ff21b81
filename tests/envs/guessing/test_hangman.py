"""Hangman: positions by hand, a player by elimination, secrets."""

import numpy as np
import pytest

from gem_ma import Env, InvalidMove
from gem_ma.envs.guessing import words
from gem_ma.envs.guessing.hangman import LEVELS, Hangman, State
from gem_ma.testing import certify


def rng(seed=0):
    return np.random.default_rng(seed)


def after(state, *guesses):
    for guess in guesses:
        state = state.guess(guess)
    return state


def test_positions_by_hand():
    state = after(State("letter", 20), "e", "x", "t")
    assert (state.pattern(), state.left) == ("_ette_", 17)
    assert state.returns() == {"player": 0.0}
    won = after(state, "l", "r")  # the last letter wins: nobody has to say the word
    assert won.to_act() == ()
    assert won.returns() == {"player": 1.0}
    at_once = after(state, "better", "letter")
    assert at_once.to_act() == ()
    assert at_once.pattern() == "letter"
    assert at_once.returns() == {"player": 1.0}
    late = after(State("cat", 2), "a", "o")
    assert late.to_act() == ()
    assert late.returns() == {"player": 0.0}
    assert after(State("cat", 1), None).to_act() == ()


def test_what_is_said():
    game = Hangman(6, 20)
    view = after(State("letter", 20), "e", "x", "better").seen_by("player")
    assert game.describe(view, "player") == (
        "Word: _ e _ _ e _\nTried and not in the word: x.\nGuesses left: 17.\nTried: better"
    )
    assert "The word is letter." in game.describe(State("letter", 20), None)
    lost = after(State("letter", 1), "z").seen_by("player")
    assert "The word is letter." in game.describe(lost, "player")


def test_what_is_no_guess():
    game, view = Hangman(3, 10), State("_a_", 7, "ax", ("bad",))
    for text, guess in (("C", "c"), (" c. ", "c"), ("'cat'", "cat"), ("c-a-t", "cat")):
        assert game.read(text, view, "player") == guess
    for text in ("", "ab", "cats", "\u00e9", "1", "c4t"):
        with pytest.raises(InvalidMove, match="a word of 3 letters; got"):
            game.read(text, view, "player")
    for text in ("a", "X", "bad"):
        with pytest.raises(InvalidMove, match="was tried already"):
            game.read(text, view, "player")


@pytest.mark.parametrize("seeds", [40, pytest.param(100, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("length", "turns", "least"), [(3, 10, 0.7), (7, 20, 0.98)])
def test_a_player_who_knows_the_words_wins(length, turns, least, seeds):
    env, won = Env(Hangman(length, turns), id="test:Hangman"), 0
    for seed in range(seeds):
        env.reset(seed=seed)
        while env.to_act:
            view = env.game_state.seen_by("player")
            seen = view.pattern()
            fits = [
                w
                for w in words.common(length)
                if w not in view.tried
                and all(
                    a == b if b != "_" else a not in view.letters
                    for a, b in zip(w, seen, strict=True)
                )
            ]
            counts = {c: sum(c in w for w in fits) for c in view.legal("player")}
            best = min(counts, key=lambda c: abs(counts[c] - len(fits) / 2))
            env.step_seats({"player": fits[0] if len(fits) < 3 else best})
        won += env.game_state.returns()["player"]
    assert won >= least * seeds


def test_a_seat_sees_only_the_letters_it_found():
    game, seen = Hangman(5, 20), set()
    for word in ("crane", "brace", "grade"):
        view = after(State(word, 20), "a", "r", "s", "stray", "frame")
        view = view.seen_by("player")
        words_, picture = game.describe(view, "player"), game.picture(view, "player")
        numbers = game.encode(view, "player").tobytes()
        seen.add((view, words_, picture, numbers, view.legal("player")))
    assert len(seen) == 1


def test_the_levels():
    for length, turns in LEVELS:
        drawn = {Hangman(length, turns).start(rng(seed), {}) for seed in range(300)}
        assert {(len(s.word), s.left) for s in drawn} == {(length, turns)}
        assert len(drawn) > 150
    drawn = {Hangman(None, None).start(rng(seed), {}) for seed in range(100)}
    assert {(len(s.word), s.left) for s in drawn} == set(LEVELS)


def test_what_makes_no_game():
    with pytest.raises(ValueError, match="expected 3 to 8 letters"):
        Hangman(2, 10)
    with pytest.raises(ValueError, match="max_turns=0"):
        Hangman(3, 0)
    with pytest.raises(ValueError, match="None for both"):
        Hangman(None, 10)


def test_the_view_in_numbers():
    game = Hangman(3, 10)
    numbers = game.encode(after(State("cat", 10), "a", "z").seen_by("player"), "player")
    assert np.argwhere(numbers[:3]).tolist() == [[1, 0]]
    assert np.flatnonzero(numbers[3]).tolist() == [0, 25]
    assert numbers[4].sum() == 3


@pytest.mark.parametrize("level", [(7, 20), (None, None)])
def test_the_pictures(level):
    env = Env(Hangman(*level), id="test:Hangman")
    assert certify(env, views=30, theme="mono").views >= 30


def test_the_gallows_fill_as_guesses_are_lost():
    game = Hangman(5, 12)

    def drawn(state):
        scene = game.picture(state.seen_by("player"), "player")
        return [item[0] for item in scene.items].count("ring") + len(scene.lines) - 10, scene

    state, grown = game.start(rng(0), {})._replace(word="crane"), []
    for letter in "cxyzwvutsqp":
        state = state.guess(letter)
        grown.append(drawn(state)[0])
    assert grown == [0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]
    squares = [item[1] for item in drawn(state)[1].items if item[0] == "square"]
    assert sorted(squares) == ["black"] * 10 + ["yellow"]
    big = [label[0] for label in drawn(state)[1].labels if label[4] > 0.1]
    assert big == ["c"]
    assert drawn(state.guess(None))[0] == 6  # lost: all of him
    assert drawn(state.guess("crane"))[0] == 5
