"""Fifteen puzzle: a breadth-first search over all small boards, and the shuffles' own solutions."""

import collections
import itertools

import numpy as np
import pytest

import gem_ma
from gem_ma import InvalidMove
from gem_ma.engine.seeding import seed_rng
from gem_ma.envs.puzzles.fifteen_puzzle import (
    AGENT,
    BACK,
    FifteenPuzzle,
    State,
    drawn,
    is_solvable,
    shuffled,
)
from gem_ma.testing import certify, check_env

LEVELS = {"easy": (2, 10), "plain": (3, 50), "hard": (4, 50), "random": (None, None)}


def make(level):
    return gem_ma.Env(FifteenPuzzle(*LEVELS[level]), id=level)


def distances(size):
    """Return how many moves each board that can be solved is away from the ordered one."""
    start = State((*range(1, size * size), 0), size, 0)
    found, queue = {start.board: 0}, [start]
    for state in queue:
        for move in state.legal(AGENT):
            after = state.slide(move)
            if after.board not in found:
                found[after.board] = found[state.board] + 1
                queue.append(after)
    return found


def test_a_tile_slides_as_it_is_told():
    state = State((1, 2, 3, 4, 0, 5, 6, 7, 8), 3, 9)
    assert state.slide("up").board == (1, 2, 3, 4, 7, 5, 6, 0, 8)
    assert state.slide("down").board == (1, 0, 3, 4, 2, 5, 6, 7, 8)
    assert state.slide("left").board == (1, 2, 3, 4, 5, 0, 6, 7, 8)
    assert state.slide("right").board == (1, 2, 3, 0, 4, 5, 6, 7, 8)
    assert State((0, 1, 2, 3), 2, 9).legal(AGENT) == ("up", "left")
    assert State((3, 2, 1, 0), 2, 9).legal(AGENT) == ("down", "right")


@pytest.mark.parametrize(
    ("size", "boards", "longest"),
    [(2, 12, 6), pytest.param(3, 181_440, 31, marks=pytest.mark.slow)],
)
def test_how_many_boards_can_be_solved_and_how_fast(size, boards, longest):
    # Half of all arrangements; the longest shortest solutions are known: 6 and 31 moves.
    found = distances(size)
    assert len(found) == boards
    assert max(found.values()) == longest


def test_every_small_board_comes_up_and_can_be_solved_in_time():
    known, env, seen = distances(2), make("easy"), set()
    for seed in range(300):
        env.reset(seed=seed)
        state = env.game_state
        assert state.left == 10
        seen.add(state.board)
    assert len(seen) == 11  # all but the ordered one
    assert max(known[board] for board in seen) == 6


@pytest.mark.parametrize("level", LEVELS)
def test_the_shuffle_can_be_undone_within_the_limit(level):
    env, rng, boards = make(level), np.random.default_rng(0), set()
    for seed in range(100):
        env.reset(seed=seed)
        size, turns = env.game_state.size, env.game_state.left
        assert (size, turns) in (*env.game.levels, LEVELS[level])
        seed_rng(rng, seed)
        if level == "random":
            rng.integers(3)
        board, solution = shuffled(rng, size, turns)
        assert board == env.game_state.board
        assert len(solution) <= turns
        boards.add(board)
        for move in solution:
            if env.to_act:  # the shuffle may have come by the ordered board again
                env.step_seats({AGENT: move})
        assert not env.to_act
        assert env.game_state.returns() == {AGENT: 1.0}
    assert len(boards) > (5 if level == "easy" else 60)


@pytest.mark.parametrize("size", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_which_boards_can_be_solved(size):
    known = distances(size)
    for board in itertools.permutations(range(size * size)):
        assert is_solvable(board, size) == (board in known)


def test_on_four_rows_half_of_the_boards_can_be_solved():
    for seed in range(50):
        board, _ = shuffled(np.random.default_rng(seed), 4, 99)
        assert is_solvable(board, 4)
        swap = {1: 2, 2: 1}
        assert not is_solvable(tuple(swap.get(tile, tile) for tile in board), 4)
    assert not is_solvable((*range(1, 14), 15, 14, 0), 4)  # which Loyd offered 1,000 dollars for


def test_any_board_that_can_be_solved_is_drawn_and_each_as_often():
    env = gem_ma.make("game:FifteenPuzzle-v0", num_rows=2, init_algo="pure_random")
    counts = collections.Counter()
    for seed in range(1100):
        env.reset(seed=seed)
        counts[env.game_state.board] += 1
    assert counts.keys() == distances(2).keys() - {(1, 2, 3, 0)}
    assert sum((n - 100) ** 2 / 100 for n in counts.values()) < 29.6  # chi-square, 10, 0.001
    for size in (3, 4, 5):
        board = drawn(np.random.default_rng(size), size)
        assert is_solvable(board, size)
        assert sorted(board) == list(range(size * size))


@pytest.mark.parametrize(("size", "count"), [(2, 1), (2, 12), (2, 24), (3, 1), (3, 7), (4, 100)])
def test_a_shuffle_of_so_many_moves(size, count):
    around = size == 2 and count % 12 == 0  # moves on two rows lead back to the ordered board
    for seed in range(20):
        board, solution = shuffled(np.random.default_rng(seed), size, 5, count)
        assert len(solution) == count + around
        state = State(board, size, len(solution))
        for move, after in itertools.zip_longest(solution, solution[1:]):
            assert BACK[move] != after  # no move takes back the one before
            state = state.slide(move)
        assert state.solved()
    env = gem_ma.make("game:FifteenPuzzle-v0", num_rows=size, max_turns=5, mc_rand_moves=count)
    env.reset(seed=3)
    assert not env.game_state.solved()


def test_what_is_in_place_pays_when_the_turns_run_out():
    state = State((1, 2, 3, 4, 0, 5, 6, 7, 8), 3, 1)
    assert state.returns() == {AGENT: 0.0}
    assert state.slide("left").returns() == {AGENT: 5 / 8}
    assert state.slide(None).returns() == {AGENT: 4 / 8}
    assert state.slide("left").to_act() == ()


def test_no_move():
    game, view = FifteenPuzzle(2, 5), State((0, 1, 2, 3), 2, 5)
    assert game.read("UP", view, AGENT) == "up"
    assert game.read(" Left. ", view, AGENT) == "left"
    for text in ("down", "right", "1", ""):
        with pytest.raises(InvalidMove, match="is not a legal move"):
            game.read(text, view, AGENT)
    for arguments in (
        *({"num_rows": 1}, {"num_rows": 9}, {"max_turns": 0}),
        *({"init_algo": "none"}, {"mc_rand_moves": 0}, {"mc_rand_moves": 10**9}),
    ):
        with pytest.raises(ValueError, match="expected"):
            FifteenPuzzle(**arguments)


def test_the_board_in_words_and_numbers():
    game = FifteenPuzzle(4, 50)
    state = State((*range(1, 16), 0), 4, 50).slide("right")
    assert game.describe(state, AGENT).splitlines()[-2:] == ["13 14  _ 15", "Turns left: 49."]
    numbers = game.encode(state, AGENT)
    assert numbers[13:] == pytest.approx([14 / 15, 0, 1, 49 / 50])
    assert FifteenPuzzle(None, None).encode(State((1, 2, 0, 3), 2, 10), AGENT).shape == (17,)


@pytest.mark.parametrize("level", [pytest.param("hard", marks=pytest.mark.slow), "random"])
def test_the_contract(level):
    check_env(make(level), seeds=1, processes=False)
    certify(make(level), views=100)
