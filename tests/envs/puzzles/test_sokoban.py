"""Sokoban: rules by hand, a breadth-first search, and the way back of every room's generator."""

import numpy as np
import pytest

import gem_ma
from gem_ma import InvalidMove
from gem_ma.engine.seeding import seed_rng
from gem_ma.envs.puzzles.sokoban import AGENT, MOVES, Sokoban, State, room
from gem_ma.testing import certify, check_env

LEVELS = {
    "easy": ((6, 6), 2, 20),
    "plain": ((6, 6), 3, 100),
    "hard": ((8, 8), 4, 50),
    "random": (None, None, None),
}


def make(level):
    return gem_ma.Env(Sokoban(*LEVELS[level]), id=level)


def state(*rows, left=9):
    return State("".join(rows), len(rows[0]), left)


def shortest(start):
    """Return how few moves solve a room, by a second set of rules over coordinates."""
    rows = [start.board[i : i + start.width] for i in range(0, len(start.board), start.width)]
    cells = {(r, c): mark for r, row in enumerate(rows) for c, mark in enumerate(row)}
    walls, goals, boxes = (
        frozenset(at for at, mark in cells.items() if mark in marks) for marks in ("#", ".*+", "$*")
    )
    (player,) = (at for at, mark in cells.items() if mark in "@+")
    found, queue = {(player, boxes): 0}, [(player, boxes)]
    for position in queue:
        (row, col), boxes = position
        if boxes == goals:
            return found[position]
        for down, right in ((-1, 0), (1, 0), (0, -1), (0, 1)):
            to, beyond = (row + down, col + right), (row + 2 * down, col + 2 * right)
            after = boxes - {to} | {beyond} if to in boxes else boxes
            if to in walls or (to in boxes and (beyond in walls or beyond in boxes)):
                continue
            if (to, after) not in found:
                found[to, after] = found[position] + 1
                queue.append((to, after))
    return None


def test_walking_and_pushing():
    start = state("######", "#@$.-#", "######")
    pushed = start.walk("right")
    assert pushed.board == "#######-@*-#######"
    assert pushed.to_act() == ()
    assert pushed.returns() == {AGENT: 1.0}
    beyond = state("######", "#@*$-#", "######")
    assert beyond.legal(AGENT) == ()  # two boxes in a row
    off = state("#######", "#+*-$-#", "#######")
    assert off.legal(AGENT) == ("right",)
    assert off.walk("right").board[7:14] == "#.+$$-#"
    assert off.walk("right").walk("left").board[7:14] == "#+.$$-#"
    assert state("###", "#@#", "#$#", "#-#", "###").legal(AGENT) == ("down",)
    assert state("###", "#@#", "#$#", "###").legal(AGENT) == ()


def test_boxes_on_goals_pay_when_the_turns_run_out():
    start = state("#######", "#@*$.-#", "#######", left=1)
    assert start.returns() == {AGENT: 0.0}
    assert start.walk(None).returns() == {AGENT: 0.5}
    assert start.walk(None).to_act() == ()


@pytest.mark.parametrize("seeds", [100, pytest.param(300, marks=pytest.mark.slow)])
@pytest.mark.parametrize("level", LEVELS)
def test_every_room_can_be_solved_within_its_limit(level, seeds):
    env, rng, boards = make(level), np.random.default_rng(0), set()
    for seed in range(seeds):
        env.reset(seed=seed)
        start = env.game_state
        seed_rng(rng, seed)
        size, boxes, turns = env.game.levels[rng.integers(2) if level == "random" else 0]
        board, solution = room(rng, size, boxes, turns)
        assert (board, size[1], turns) == start
        assert start.board.count("$") == boxes  # none on a goal
        assert len(board) == size[0] * size[1]
        assert board.count(".") + board.count("+") == boxes
        assert min(turns, 12 * boxes) // 3 <= len(solution) <= turns
        boards.add(board)
        for move in solution:
            assert env.game_state.to_act()
            assert move in env.game_state.legal(AGENT)
            env.step_seats({AGENT: move})
        assert env.game_state.returns() == {AGENT: 1.0}
        assert not env.to_act
    assert len(boards) >= 0.98 * seeds


def test_easy_rooms_against_a_search():
    env, lengths = make("easy"), []
    for seed in range(100):
        env.reset(seed=seed)
        lengths.append(shortest(env.game_state))
    assert max(lengths) <= 20
    assert np.median(lengths) >= 8
    assert len(set(lengths)) > 8


@pytest.mark.parametrize("arguments", [((5, 5), 1, 6), ((5, 12), 6, 40), ((12, 6), 2, 500)])
def test_rooms_of_other_sizes(arguments):
    for seed in range(20):
        board, solution = room(np.random.default_rng(seed), *arguments)
        after = State(board, arguments[0][1], arguments[2])
        for move in solution:
            assert move in after.legal(AGENT)
            after = after.walk(move)
        assert after.returns() == {AGENT: 1.0}


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"dim_room": (4, 6)}, "dim_room=.* expected 5 to 12"),
        ({"dim_room": (6, 13)}, "expected 5 to 12"),
        ({"num_boxes": 0}, "num_boxes=0: expected 1 to 3"),
        ({"num_boxes": 4}, "num_boxes=4: expected 1 to 3"),
        ({"max_turns": 17}, "max_turns=17: expected at least 18 for 3 boxes"),
        ({"max_turns": 0}, "max_turns=0: expected 1 or more"),
    ],
)
def test_what_makes_no_room(arguments, reason):
    with pytest.raises(ValueError, match=reason):
        Sokoban(**arguments)
    assert Sokoban([6, 6]).levels == Sokoban((6, 6)).levels


def test_no_move():
    game, view = Sokoban(), state("#######", "#-@$.-#", "#######")
    assert game.read(" Right. ", view, AGENT) == "right"
    for text in ("up", "down", "push", ""):
        with pytest.raises(InvalidMove, match="is not a legal move"):
            game.read(text, view, AGENT)


def test_the_room_in_words_and_numbers():
    game = Sokoban((5, 5), 1, 10)
    view = state("#####", "#@$.#", "#####", left=5)
    assert game.describe(view, AGENT) == "#####\n#@$.#\n#####\nTurns left: 5."
    planes = game.encode(view, AGENT)
    assert planes.shape == (8, 5, 5)
    assert planes[:7].sum(0).tolist() == np.ones((5, 5)).tolist()
    assert planes[3].nonzero() == (1, 2)
    assert (planes[7] == 0.5).all()
    assert game.moves == MOVES


@pytest.mark.parametrize("level", [pytest.param("hard", marks=pytest.mark.slow), "random"])
def test_the_contract(level):
    check_env(make(level), seeds=1, processes=False)
    certify(make(level), views=100)
