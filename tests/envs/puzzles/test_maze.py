"""Maze: every maze is perfect and solved, what is out of sight stays hidden, and walls hold."""

import collections

import numpy as np
import pytest

from gem_ma import Env, InvalidMove
from gem_ma.envs.puzzles.maze import AGENT, STEPS, Maze, State
from gem_ma.testing import certify, check_env

TINY = State(("#####", "#.#.#", "#.#.#", "#..E#", "#####"), 8)


def rng(seed=0):
    return np.random.default_rng(seed)


def way_out(state):
    """Return the shortest list of moves, by breadth-first search through the game itself."""
    queue, seen = collections.deque([(state, ())]), {state.at}
    while queue:
        state, way = queue.popleft()
        if state.arrived():
            return way, seen
        for move in state.legal(AGENT):
            after = state.go(move)
            if after.at not in seen:
                seen.add(after.at)
                queue.append((after, (*way, move)))
    raise AssertionError("no way out")


@pytest.mark.parametrize("size", [2, 4, 6, 10])
def test_every_maze_is_perfect(size):
    mazes = set()
    for seed in range(50):
        state = Maze(size).start(rng(seed), {})
        mazes.add(state.maze)
        side = 2 * size + 1
        every = {(y, x) for y in range(side) for x in range(side)}
        free = {(y, x) for y, x in every if state.maze[y][x] != "#"}
        cells = {(y, x) for y in range(1, side, 2) for x in range(1, side, 2)}
        assert cells <= free
        gaps = free - cells
        assert all((y + x) % 2 and 0 < y < side - 1 and 0 < x < side - 1 for y, x in gaps)
        assert len(gaps) == len(cells) - 1  # as few as can join all cells, and they do:
        reached, frontier = {(1, 1)}, [(1, 1)]
        while frontier:
            y, x = frontier.pop()
            near = {(y + dy, x + dx) for dy, dx in STEPS.values()} & free - reached
            reached |= near
            frontier += near
        assert reached == free
        assert state.maze[-2][-2] == "E"
    assert len(mazes) >= {2: 2}.get(size, 49)


@pytest.mark.parametrize("arguments", [{}, {"size": 4}, {"size": 10}, {"size": 3, "sight": 1}])
def test_every_maze_is_left_within_the_limit(arguments):
    env = Env(Maze(**arguments), id="game:Maze-v0")
    for seed in range(50):
        env.reset(seed=seed)
        way, _ = way_out(env.game_state)
        for move in way:
            env.step(move)
        assert env.terminations[AGENT]
        assert env.rewards[AGENT] == 1.0


def test_a_hand_on_the_wall_is_enough():
    """Follow the wall on the right, which sees no further than the next wall."""
    around = ["up", "right", "down", "left"]
    for seed in range(50):
        state, facing = Maze(sight=1).start(rng(seed), {}), 1
        while state.to_act():
            legal = state.seen_by(AGENT).legal(AGENT)
            facing = next(
                way % 4 for way in range(facing + 1, facing - 3, -1) if around[way % 4] in legal
            )
            state = state.go(around[facing])
        assert state.arrived()


def test_a_wall_is_no_way():
    game = Maze(2)
    assert game.read(" Down. ", TINY, AGENT) == "down"
    with pytest.raises(InvalidMove, match="there is a wall to your right; you can go down"):
        game.read("right", TINY, AGENT)
    for text in ("east", "", "down down"):
        with pytest.raises(InvalidMove, match="is not a legal move"):
            game.read(text, TINY, AGENT)


def test_the_exit_and_the_limit_end_it():
    assert TINY.go("down").go("right").returns() == {AGENT: 1.0}
    assert TINY.go("down").go("right").to_act() == ()
    assert TINY._replace(left=1).go("down").to_act() == ()
    assert TINY._replace(left=1).go("down").returns() == {AGENT: 0.0}
    assert TINY.go(None) == TINY._replace(left=7)


def test_what_is_out_of_sight_is_told_in_no_way():
    game, said = Maze(2), set()
    for corner in ("#.#", ".E#", "###", "E.."):
        maze = (*TINY.maze[:3], "#." + corner, "##" + corner)
        view = State(maze, 8, sight=1).seen_by(AGENT)
        said.add((view, game.describe(view, AGENT), game.picture(view, AGENT), view.legal(AGENT)))
    assert len(said) == 1
    assert game.describe(view, AGENT) == "###\n#@#\n#.#\nYou are in row 1, column 1\nMoves left: 8"
    assert game.encode(view, AGENT).sum() == 9


def test_the_map_in_words():
    game = Maze(2)
    assert game.describe(TINY, AGENT) == "#####\n#@#.#\n#.#.#\n#..E#\n#####\nMoves left: 8"
    assert "#..*#" in game.describe(TINY.go("down").go("right"), AGENT)
    short = TINY._replace(sight=2)
    assert game.describe(short.seen_by(AGENT), AGENT).startswith(
        "?????\n?####\n?#@#.\n?#.#.\n?#..E"
    )
    assert game.describe(short, None).startswith("#####\n#@#.#\n#.#.#\n#..E#\n#####\nYou are")


@pytest.mark.parametrize("arguments", [{"size": 1}, {"sight": 0}, {"size": 4, "max_turns": 15}])
def test_what_makes_no_maze(arguments):
    with pytest.raises(ValueError, match="expected"):
        Maze(**arguments)


def test_the_contract():
    check_env(Env(Maze(2), id="game:Maze-v0"), seeds=1, processes=False)
    check_env(Env(Maze(3, sight=2), id="game:Maze-v0"), seeds=1, processes=False)
    assert certify(Env(Maze(3, sight=2), id="game:Maze-v0"), views=60).exact > 0
