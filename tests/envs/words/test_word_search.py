"""Word search: every word stands in its grid once, by a plain search of all cells and steps."""

import re

import numpy as np
import pytest
from game_contract import compare_encoding, find_numbers
from playable import unless

import gem_ma
from gem_ma import InvalidMove
from gem_ma.envs.words.word_search import State, WordSearch, all_lines
from gem_ma.testing import certify

STEPS = [(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1) if down or right]
EASY, HARD = (5, False, 20), (5, True, 20)
SMALL = State("CATXXOXXXXWXGODX", 4, ("CAT", "COW", "DOG"), 4)


def rng(seed=0):
    return np.random.default_rng(seed)


def places(state, word):
    """Return where a word stands, as the two ends and the step."""
    size, found = state.size, []
    for row in range(size):
        for col in range(size):
            for down, right in STEPS:
                cells = [(row + down * i, col + right * i) for i in range(len(word))]
                inside = all(0 <= r < size and 0 <= c < size for r, c in cells)
                if inside and all(
                    state.grid[r * size + c] == letter
                    for (r, c), letter in zip(cells, word, strict=True)
                ):
                    found.append((*cells[0], *cells[-1], (down, right)))
    return found


@pytest.mark.parametrize(
    ("level", "steps"), [(EASY, 2), (HARD, 8), unless(False, (8, True, 32), 8)]
)
@pytest.mark.parametrize("seeds", [25, pytest.param(60, marks=pytest.mark.slow)])
def test_every_word_is_found_once_and_a_solver_wins(level, steps, seeds):
    env, seen, grids = gem_ma.Env(WordSearch(*level)), set(), set()
    for seed in range(seeds):
        env.reset(seed=seed)
        state = env.game_state
        grids.add(state.grid)
        assert len(set(state.words)) == level[0]
        assert len(state.grid) == state.size**2
        for number, word in enumerate(state.words):
            ((row, col, last_row, last_col, step),) = places(state, word)
            seen.add(step)
            ends = f"{row} {col} {last_row} {last_col}"
            back = f"{last_row} {last_col} {row} {col}"
            assert ({ends, back} & set(env.game_state.legal("player"))) != set()
            env.step((ends, back)[number % 2])
        assert env.rewards["player"] == 1
        assert env.terminations["player"]
    assert len(seen) == steps
    assert len(grids) == seeds


def test_the_lines_of_a_grid_are_all_there_are():
    assert len(all_lines(4)) == 4 + 4 + 5 + 5
    for size in (4, 10, 12):
        for kind in (1, size, size + 1, size - 1):
            lines = [cells for cells in all_lines(size) if cells.step == kind]
            covered = [cell for cells in lines for cell in cells]
            assert len(covered) == len(set(covered)) >= size * size - 2


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("0 0 0", "not two cells"),
        ("0 0 0 0", "not in a row, column or diagonal"),
        ("0 0 1 2", "not in a row, column or diagonal"),
        ("0 0 0 4", "are 0 to 3"),
        ("-1 0 0 2", "are 0 to 3"),
        ("a b c d", "not a whole number"),
        ("", "not two cells"),
        ("0 2 0 0", "found already"),
    ],
)
def test_what_is_refused(text, reason):
    game = WordSearch()
    view = SMALL.take(game.read("0 0 0 2", SMALL, "player"))
    with pytest.raises(InvalidMove, match=reason):
        game.read(text, view, "player")
    assert "0 0 0 2" not in view.legal("player")


def test_hits_and_misses():
    game, state = WordSearch(), SMALL
    for text, heard in (
        ("(0, 0, 0, 2)", "You found CAT."),
        ("3 3 0 3", "XXXX is not a word that is left to find."),
        ("2 2 0 0", "You found COW."),  # from its last letter
        ("3 2 3 0", "You found DOG."),
    ):
        move = {"player": game.read(text, state, "player")}
        before, state = state, game.advance(state, move, rng())
        assert [message.text for message in game.tell(before, move, state)] == [heard]
    assert state.to_act() == ()
    assert state.returns() == {"player": 1.0}


def test_what_is_paid():
    hit = range(3)
    assert SMALL.take(hit).returns() == {"player": 0.0}
    state = SMALL._replace(partial=True, left=2).take(hit)
    assert state.returns() == {"player": 0.0}
    assert state.take(None).returns() == {"player": 1 / 3}
    assert state.take(None).to_act() == ()


def test_the_random_level():
    game = WordSearch(None, None, None)
    states = [game.start(rng(seed), {}) for seed in range(80)]
    assert {(len(s.words), s.size, s.left) for s in states} == {
        (n, size, 4 * n) for n in (3, 5, 8) for size in (10, 12)
    }
    for wrong in ({"num_words": 0}, {"num_words": 9}, {"max_turns": 0}):
        with pytest.raises(ValueError, match="expected"):
            WordSearch(**wrong)


def test_the_pictures():
    assert certify(gem_ma.Env(WordSearch(*HARD), id="game:WordSearch-v0-hard"), views=40).exact


def read_numbers(text, side, longest, count, turns):
    """Return what a player reads of the grid as numbers."""
    cells = np.zeros((27, side, side))
    for line in text.splitlines():
        row, *letters = line.split() or [""]
        if row.isdigit() and letters and not letters[0].isdigit():
            for column, letter in enumerate(letters):
                cells[ord(letter.upper()) - 65, int(row), column] = 1
                cells[26, int(row), column] = letter.islower()
    to_find, found = (re.search(rf"{name}: (.*)\.", text)[1] for name in ("To find", "Found"))
    found = found.split(", ")
    words = [word for word in (*to_find.split(", "), *found) if word.isupper()]
    rows = np.zeros((count, longest * 26 + 1))
    for row, word in zip(rows, sorted(words), strict=False):
        for place, letter in enumerate(word):
            row[place * 26 + ord(letter) - 65] = 1
        row[-1] = word in found
    left = find_numbers(text.rpartition("Turns left")[2])[0]
    return [*cells.ravel(), *rows.ravel(), left / turns]


def test_the_numbers_say_what_the_text_says():
    compare_encoding("game:WordSearch-v0", lambda text, agent: read_numbers(text, 10, 7, 5, 20))
    compare_encoding(
        "game:WordSearch-v0-random", lambda text, agent: read_numbers(text, 12, 9, 8, 32), seeds=4
    )


def test_the_numbers_of_words_that_were_found():
    game = WordSearch()
    state = game.start(np.random.default_rng(0), {})
    lines = [game.read(move, state, "player") for move in game.moves]
    for cells in lines:
        if state.spelled(cells):
            state = state.take(cells)
            expected = read_numbers(game.describe(state, "player"), 10, 7, 5, 20)
            np.testing.assert_allclose(game.encode(state, "player"), expected, atol=1e-6)
    assert not state.open()
