"""Sudoku: puzzles are counted by brute force, and played to the end."""

import numpy as np
import pytest

import gem_ma
from gem_ma import InvalidMove
from gem_ma.envs.puzzles.sudoku import DIGITS, EMPTY, State, Sudoku, puzzle, solution, table
from gem_ma.testing import certify

LEVELS = {"easy": (10, 15, 4), "hard": (50, 50, 9), "medium": (40, 60, 9)}
# A puzzle whose solution was found with pencil and paper.
SMALL = "1..." + "..3." + ".4.." + "...2"
SMALL_SOLVED = "1324" + "4231" + "2413" + "3142"


def rng(seed=0):
    return np.random.default_rng(seed)


def count(board, scale, side):
    """Count the solutions by plain backtracking over the cell with the fewest digits."""
    best = None
    for cell, mark in enumerate(board):
        if mark == EMPTY:
            row, col = divmod(cell, scale)
            top, left = row // side * side, col // side * side
            used = {board[row * scale + i] for i in range(scale)}
            used |= {board[i * scale + col] for i in range(scale)}
            used |= {board[(top + i) * scale + left + j] for i in range(side) for j in range(side)}
            free = [d for d in DIGITS[:scale] if d not in used]
            if best is None or len(free) < len(best[1]):
                best = cell, free
    if best is None:
        return 1
    cell, free = best
    return sum(count(board[:cell] + d + board[cell + 1 :], scale, side) for d in free)


@pytest.mark.parametrize(("scale", "side", "clues", "seeds"), [(4, 2, 10, 200), (9, 3, 50, 25)])
def test_every_puzzle_has_exactly_one_solution(scale, side, clues, seeds):
    boards = set()
    for seed in range(seeds):
        board = puzzle(rng(seed), clues, table(scale))
        assert count(board, scale, side) == 1
        boards.add(board)
    assert len(boards) == seeds


def test_the_solver_on_a_puzzle_worked_by_hand():
    assert count(SMALL, 4, 2) == 1
    assert solution(SMALL, table(4)) == SMALL_SOLVED


@pytest.mark.parametrize("level", LEVELS)
def test_a_solver_wins_through_the_env(level):
    env = gem_ma.Env(Sudoku(*LEVELS[level]))
    empty = []
    for seed in range(30):
        env.reset(seed=seed)
        state = env.game_state
        scale = LEVELS[level][2]
        right = solution(state.given, table(scale))
        cells = [c for c, mark in enumerate(state.given) if mark == EMPTY]
        empty.append(len(cells))
        assert state.left >= len(cells)
        for cell in cells:
            text = f"{cell // scale + 1} {cell % scale + 1} {right[cell]}"
            assert text in env.game_state.legal("player")
            env.step(f"I write \\boxed{{{text}}}")
        assert env.terminations["player"]
        assert env.rewards["player"] == 1
    assert {"easy": 9, "hard": 46, "medium": 39}[level] <= np.mean(empty) <= LEVELS[level][0]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("1 1 2", "was given and stays 1"),
        ("1 2 1", "the row holds 1 already: row 1, column 1"),
        ("4 1 1", "the column holds 1 already: row 1, column 1"),
        ("2 2 1", "the box holds 1 already: row 1, column 1"),
        ("1 2 0", "is free already"),
        ("1 2 5", "are 1 to 4"),
        ("0 2 1", "are 1 to 4"),
        ("1 2", "not a row, a column and a digit"),
        ("", "not a row, a column and a digit"),
        ("a b c", "not a whole number"),
    ],
)
def test_what_is_refused(text, reason):
    with pytest.raises(InvalidMove, match=reason):
        Sudoku(scale=4).read(text, State(SMALL, SMALL, 9), "player")


def test_every_listed_move_is_read_and_no_other():
    game = Sudoku(scale=4)
    state = State(SMALL, SMALL, 9).write((1, "4"))
    legal = set()
    for text in game.moves:
        try:
            game.read(text, state, "player")
        except InvalidMove:
            continue
        legal.add(text)
    assert legal == set(state.legal("player"))
    assert {"1 2 0", "1 2 2"} <= legal  # clear it, or write over it
    assert game.read("[1, 2, 0].", state, "player") == (1, EMPTY)


def test_a_wrong_digit_costs_a_turn_and_can_be_mended():
    state = State(SMALL, SMALL, 3).write((1, "2"))
    assert state.to_act() == ("player",)
    assert state.write((1, EMPTY)).board == SMALL
    end = state.write((1, "3")).write(None)
    assert end.to_act() == ()
    assert end.returns() == {"player": 0.0}


def test_the_solved_share_is_paid_at_the_end_only():
    state = State(SMALL, SMALL, 3, partial=True).write((1, "3")).write((2, "4"))
    assert state.returns() == {"player": 0.0}
    assert state.write(None).returns() == {"player": 1 / 12}


def test_the_random_level():
    game = Sudoku(None, None, None)
    states = [game.start(rng(seed), {}) for seed in range(60)]
    assert {(len(s.board), s.left) for s in states} == {(16, 15), (81, 60), (81, 50)}
    planes = game.encode(states[0], "player")
    assert planes.shape == (10, 9, 9)


def test_words_and_arguments():
    text = Sudoku(scale=4).describe(State(SMALL, SMALL, 9).write((1, "2")), "player")
    assert text.splitlines()[2] == "1   1 +2 |  .  ."
    for wrong in ({"scale": 5}, {"clues": 0}, {"max_turns": 0}):
        with pytest.raises(ValueError, match="expected"):
            Sudoku(**wrong)


def test_the_pictures():
    assert certify(gem_ma.Env(Sudoku(10, 15, 4), id="game:Sudoku-v0"), views=60).exact
