"""2048: lines worked out by hand, and whole games against a plain second implementation."""

import math
from collections import Counter

import numpy as np
import pytest

import gem_ma
from gem_ma import InvalidMove
from gem_ma.envs.puzzles.game_2048 import AGENT, MOVES, Game2048, State
from gem_ma.testing import certify, check_env

LEVELS = {
    "easy": (64, 50),
    "hard": (512, 50),
    "extreme": (2048, 100),
    "plain": (2048, 1000),
    "random": (None, None),
}


def make(level):
    return gem_ma.Env(Game2048(*LEVELS[level]), id=level)


def board(text):
    return tuple(tuple(int(n) for n in row.split()) for row in text.split("/"))


@pytest.mark.parametrize(
    ("line", "left", "right"),
    [
        ("2 2 2 2", "4 4 0 0", "0 0 4 4"),
        ("2 2 2 0", "4 2 0 0", "0 0 2 4"),
        ("4 2 2 0", "4 4 0 0", "0 0 4 4"),
        ("2 0 0 2", "4 0 0 0", "0 0 0 4"),
        ("2 4 8 16", "2 4 8 16", "2 4 8 16"),
        ("0 0 0 2", "2 0 0 0", "0 0 0 2"),
        ("8 4 4 8", "8 8 8 0", "0 8 8 8"),
    ],
)
def test_how_a_line_slides(line, left, right):
    rest = ((0,) * 4,) * 3
    state = State((*board(line), *rest), 64, 9, 2)
    assert state.slide("left")[0] == board(left)[0]
    assert state.slide("right")[0] == board(right)[0]
    upright = State(tuple(zip(*state.board, strict=True)), 64, 9, 2)
    assert [row[0] for row in upright.slide("up")] == list(board(left)[0])
    assert [row[0] for row in upright.slide("down")] == list(board(right)[0])


def slowly(cells, move):
    """Slide on an array, tile by tile from the side they go to: a second set of the rules."""
    step = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}[move]
    size, merged = len(cells), set()
    order = sorted(np.ndindex(size, size), key=lambda at: -(at[0] * step[0] + at[1] * step[1]))
    for at in order:
        while cells[at]:
            to = at[0] + step[0], at[1] + step[1]
            if not (0 <= to[0] < size and 0 <= to[1] < size):
                break
            if not cells[to]:
                cells[to], cells[at], at = cells[at], 0, to
                continue
            if cells[to] == cells[at] and to not in merged and at not in merged:
                cells[to], cells[at] = 2 * cells[at], 0
                merged.add(to)
            break
    return cells


def test_whole_games_against_the_second_implementation():
    rng, game, turns = np.random.default_rng(0), Game2048(), 0
    for _ in range(25):
        state = game.start(rng, {})
        while state.to_act():
            legal = []
            for move in MOVES:
                after = slowly(np.array(state.board), move)
                assert tuple(map(tuple, after.tolist())) == state.slide(move)
                if (after != state.board).any():
                    legal.append(move)
            assert state.legal(AGENT) == tuple(legal)
            move = legal[int(rng.integers(len(legal)))]
            slid, state = state.slide(move), state.play(move, rng)
            changed = np.array(state.board) - np.array(slid)
            assert Counter(changed[changed != 0].tolist()) in (Counter([2]), Counter([4]))
            turns += 1
        slides = [slowly(np.array(state.board), move) for move in MOVES]
        assert all((slid == state.board).all() for slid in slides)  # it ended as nothing can move
    assert turns > 2000


def test_new_tiles_fall_anywhere_and_one_in_ten_is_a_four():
    rng, values, cells = np.random.default_rng(1), Counter(), Counter()
    for _ in range(3000):
        start = np.array(Game2048().start(rng, {}).board)
        values.update(start[start > 0].tolist())
        cells.update(np.flatnonzero(start).tolist())
    assert sum(values.values()) == 6000
    assert 0.085 < values[4] / 6000 < 0.115
    assert min(cells.values()) > 300
    assert max(cells.values()) < 450


def test_each_doubling_pays_the_same_and_the_target_ends_it():
    env, earned = make("easy"), 0.0
    for seed in range(40):
        env.reset(seed=seed)
        first, total = env.game_state.largest(), 0.0
        while env.to_act:
            legal = env.game_state.legal(AGENT)
            rewards = env.step_seats({AGENT: next(m for m in MOVES[::-1] if m in legal)})
            total += rewards.get(AGENT, 0.0)
        state = env.game_state
        assert env.get_end_flags(AGENT) == (True, False)
        assert total == pytest.approx(math.log2(state.largest() / first) / math.log2(64 / first))
        assert (total == pytest.approx(1)) == (state.largest() == 64)
        earned = max(earned, total)
    assert earned == pytest.approx(1)
    assert State(board("32 32/0 2"), 64, 1, 2).slide("left") == board("64 0/2 0")


def test_the_end():
    rng = np.random.default_rng(0)
    full = State(board("2 4/4 2"), 64, 9, 2)
    assert full.legal(AGENT) == ()
    assert full.to_act() == ()
    assert State(board("2 4/4 8"), 8, 9, 2).to_act() == ()  # reached
    assert State(board("2 4/4 0"), 8, 1, 2).play("down", rng).to_act() == ()  # no turn left
    assert State(board("2 4/4 0"), 8, 1, 2).play(None, rng).to_act() == ()


def test_a_turn_has_to_move_something():
    game, view = Game2048(), State(board("2 0/4 0"), 64, 9, 2)
    assert view.legal(AGENT) == ("right",)
    assert game.read("Right!", view, AGENT) == "right"
    for text in ("left", "up", "down", "north", ""):
        with pytest.raises(InvalidMove, match="is not a legal move"):
            game.read(text, view, AGENT)


def test_the_levels():
    for level, expected in LEVELS.items():
        env, seen = make(level), set()
        for seed in range(30):
            env.reset(seed=seed)
            seen.add((env.game_state.target, env.game_state.left))
        assert seen == ({(16, 20), (32, 30), (64, 50)} if level == "random" else {expected})
    for arguments in (
        {"target_tile": 100},
        {"target_tile": 4},
        {"max_turns": 0},
        {"board_size": 1},
    ):
        with pytest.raises(ValueError, match="expected"):
            Game2048(**arguments)


def test_the_board_in_words_numbers_and_pictures():
    game, state = Game2048(board_size=2), State(board("1024 0/8 2"), 2048, 500, 2)
    assert game.describe(state, AGENT) == "1024    .\n   8    2\nTarget: 2048. Turns left: 500."
    assert game.encode(state, AGENT) == pytest.approx([10 / 11, 0, 3 / 11, 1 / 11, 1, 0.5])
    tiles = dict(game.picture(state, AGENT).tiles)
    assert (tiles["8"].text, tiles["1024"].text, tiles["1024"].name) == ("8", "1K", "1024")
    assert all(len(tile.text) <= 3 for _, tile in Game2048(65536).tiles)


@pytest.mark.parametrize("level", [pytest.param("easy", marks=pytest.mark.slow), "random"])
def test_the_contract(level):
    check_env(make(level), seeds=1, processes=False)
    certify(make(level), views=60)
