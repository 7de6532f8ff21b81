"""Crosswords: layouts read back from their grids, answers, and the words and clues themselves."""

import numpy as np
import pytest

import gem_ma
from gem_ma import InvalidMove
from gem_ma.envs.words import clues
from gem_ma.envs.words.crosswords import (
    BLOCKED,
    FREE,
    SIDE,
    Crosswords,
    Entry,
    State,
    _rows,
    layout,
)
from gem_ma.testing import certify

ENTRIES = (
    Entry(1, "across", 0, 0, 3, "Pet that purrs"),
    Entry(1, "down", 0, 0, 3, "Farm animal that gives milk"),
    Entry(2, "down", 0, 2, 3, "Thing that a child plays with"),
)
STATE = State(ENTRIES, ("CAT", "COW", "TOY"), (False,) * 3, 4)


def rng(seed=0):
    return np.random.default_rng(seed)


def runs(grid):
    """Return every run of two letters and more in a grid, as (number, direction, word)."""
    found = []
    for direction, lines in (("across", grid), ("down", list(zip(*grid, strict=True)))):
        for line in lines:
            text = " ".join("  " if cell == BLOCKED else cell for cell in line)
            for run in text.split("   "):
                cells = run.split()
                if len(cells) > 1:
                    word = "".join(cell[-1] for cell in cells)
                    found.append((int(cells[0][:-1] or 0), direction, word))
    return sorted(found)


def test_the_words_and_clues():
    both = clues.EASY + clues.HARD
    assert len(both) >= 400
    assert min(len(clues.EASY), len(clues.HARD)) >= 200
    for part in zip(*both, strict=True):
        assert len(set(part)) == len(part)  # no word and no clue twice
    for word, clue in both:
        assert word.isascii()
        assert word.isalpha()
        assert word.isupper()
        assert 3 <= len(word) <= 9
        assert word.lower() not in clue.lower()
        assert 3 <= len(clue) <= 44


@pytest.mark.parametrize("count", [1, 2, 3, 5])
@pytest.mark.parametrize("hardcore", [False, True])
def test_every_run_of_letters_is_an_entry_and_all_hang_together(count, hardcore):
    bank, shapes = (clues.EASY, clues.HARD)[hardcore], set()
    for seed in range(150):
        entries, words = layout(rng(seed), bank, count)
        grid = _rows(entries, words, (True,) * count)
        assert max(len(grid), len(grid[0])) <= SIDE
        expected = [(e.number, e.direction, w) for e, w in zip(entries, words, strict=True)]
        assert runs(grid) == sorted(expected)
        assert len(set(words)) == count
        for entry, word in zip(entries, words, strict=True):
            assert dict(bank)[word] == entry.clue
        joined, todo = set(), [0]
        while todo:
            first = todo.pop()
            joined.add(first)
            cells = set(entries[first].cells())
            todo += [i for i in range(count) if i not in joined and cells & {*entries[i].cells()}]
        assert len(joined) == count
        shapes.add(words)
    assert len(shapes) > 100


def test_a_solver_wins_through_the_env():
    for level in ((3, False, 30), (3, True, 40), (5, True, 5)):
        env = gem_ma.Env(Crosswords(*level))
        for seed in range(40):
            env.reset(seed=seed)
            state = env.game_state
            for entry, word in zip(state.entries, state.words, strict=True):
                env.step(f"It must be \\boxed{{{entry.number} {entry.direction} {word.lower()}}}")
            assert env.rewards["player"] == 1
            assert env.terminations["player"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("3 across CAT", "there is no '3 across'; there are 1 across, 1 down, 2 down"),
        ("1 up CAT", "is not a number, across or down, and a word"),
        ("CAT", "is not a number, across or down, and a word"),
        ("", "is not a number"),
        ("1 across LION", "1 across has 3 letters"),
        ("1 across C4T", "each A to Z"),
        ("1 down COW", "was found already: COW"),
        ("1 across DOG", "DOG does not fit the letters of 1 across: C.."),
    ],
)
def test_what_is_refused(text, reason):
    view = STATE.answer(1, "COW").seen_by("player")
    with pytest.raises(InvalidMove, match=reason):
        Crosswords().read(text, view, "player")


def test_answers():
    game, view = Crosswords(), STATE.seen_by("player")
    for text in ("1 across CAT", "1 A cat", "1 Across: cat.", "[1 across CAT]"):
        assert game.read(text, view, "player") == (0, "CAT")
    assert view.legal("player") == ("1 across EEE", "1 down EEE", "2 down EEE")
    move = {"player": (0, "CAR")}
    wrong = game.advance(STATE, move, rng())
    assert wrong == STATE._replace(left=3)
    assert game.tell(STATE, move, wrong)[0].text == "1 across CAR is wrong."
    right = STATE.answer(0, "CAT")
    assert game.describe(right.seen_by("player"), "player").splitlines() == [
        "1C  A 2T",
        " .  #  .",
        " .  #  .",
        "1 across (3): Pet that purrs: CAT",
        "1 down (3): Farm animal that gives milk: C..",
        "2 down (3): Thing that a child plays with: T..",
        "Turns left: 3.",
    ]
    assert right.answer(1, "COW").answer(2, "TOY").returns() == {"player": 1.0}


def test_what_is_paid():
    state = STATE.answer(0, "CAT")
    assert state._replace(left=0).returns() == {"player": 0.0}
    assert state._replace(left=0, partial=True).returns() == {"player": 1 / 3}
    assert state._replace(partial=True).returns() == {"player": 0.0}


def test_the_view_depends_on_no_hidden_word():
    game = Crosswords()
    for solved in ((False, False, False), (True, False, False)):
        state = STATE._replace(solved=solved)
        other = state._replace(words=("CAT", "CUB", "TEA"))
        views = [s.seen_by("player") for s in (state, other)]
        assert views[0] == views[1]
        assert game.picture(views[0], "player") == game.picture(views[1], "player")
        assert FREE in game.describe(views[0], "player")
        for move in ((1, "CUT"), (1, "CAN")):  # both wrong: what is heard is the same
            heard = [game.tell(s, {"player": move}, s.answer(*move)) for s in (state, other)]
            assert heard[0] == heard[1]


def test_the_random_level():
    game = Crosswords(None, None, None)
    states = [game.start(rng(seed), {}) for seed in range(60)]
    assert {(len(s.words), s.left) for s in states} == {(2, 20), (3, 30), (5, 50), (3, 40), (5, 60)}
    for wrong in ({"num_words": 0}, {"num_words": 6}, {"max_turns": 0}):
        with pytest.raises(ValueError, match="expected"):
            Crosswords(**wrong)


def test_the_pictures():
    env = gem_ma.Env(Crosswords(), id="game:Crosswords-v0")
    assert certify(env, views=8).exact
    frames = set()
    env.reset(seed=5)
    state = env.game_state
    for solved in np.ndindex(2, 2, 2):
        view = state._replace(solved=tuple(map(bool, solved))).seen_by("player")
        frames.add(env.observation_builder.render_image(view, "player").tobytes())
    assert len(frames) == 8
