"""All visual tasks: answers from their scenes, what is paid, and that nothing tells the answer."""

import importlib
import re

import numpy as np
import pytest

from gem_ma import Env, InvalidMove
from gem_ma.envs import visual
from gem_ma.envs.visual.graded import Boxing, Pointing
from gem_ma.envs.visual.looking import turn_cube, under_cursor, window
from gem_ma.envs.visual.programs import draw_program
from gem_ma.envs.visual.question import AGENT
from gem_ma.scene import COLORS, Grid

TASKS = {name: place.partition(":") for name, place in visual.places()}
# Those of test_visual.py, which looks at their scenes.
FIRST = (
    "BarChart LineChart Table GridWalk MazeExit MazeSteps Angles Clock Lengths Jigsaw Mirror "
    "Rotation CompareShapes CountShapes OddOneOut"
)
NEW = [name for name in TASKS if name not in FIRST.split()]
CHECKS = (
    *("alike", "boards", "charts", "comparing", "counting", "geometry", "lines", "matrices"),
    *("measures", "position", "tables"),
)
POINTS = (0, 2, 5, 8, 10)
every_task = pytest.mark.parametrize("task", TASKS)
new_tasks = pytest.mark.parametrize("task", NEW)


def made(task, difficulty, seed, **options):
    module, _, name = TASKS[task]
    env = Env(getattr(importlib.import_module(module), name)(difficulty), **options)
    env.reset(seed=seed)
    return env


def whole(state):
    """Return what is seen in parts as one scene, or from all places of need."""
    if isinstance(state.shown, under_cursor.Desk):
        shown = [state.shown.seen(at) for _, at in state.shown.things]
        return [under_cursor.UnderCursor().scene(one) for one in shown]
    return Grid(state.shown.rows, window.TILES)


def check(task):
    """Return the function that is named as the file of a task."""
    file = TASKS[task][0].rpartition(".")[2]
    found = [getattr(importlib.import_module(f"check_{one}"), file, None) for one in CHECKS]
    (looked,) = [one for one in found if one]
    return looked


def agrees(env, seen):
    """Return whether what is seen in a scene is the answer, boxes to two percent."""
    state = env.game_state
    if isinstance(env.game, Boxing):
        return np.abs(np.array(seen) * 100 - [int(n) for n in state.answer.split(",")]).max() < 2
    if isinstance(env.game, Pointing):
        return env.game.grade(state.answer, seen) == 1
    if task_of(env) == "DrawProgram":  # painted cell by cell, without a bound of statements
        size, _, program = state.answer.partition(": ")
        cells = {tuple(map(int, one.split()[1:3])) for one in seen.split("; ")}
        return cells == draw_program.run(draw_program.parsed(program), int(size))
    return seen == state.answer


def task_of(env):
    return type(env.game).__name__


@pytest.mark.parametrize("seeds", [5, pytest.param(100, marks=pytest.mark.slow)])
@new_tasks
def test_every_answer_follows_from_the_picture(task, seeds):
    looked = check(task)
    for difficulty in POINTS:
        answers = set()
        for seed in range(seeds):
            env = made(task, difficulty, seed)
            state = env.game_state
            scene = env.game.scene(state.shown) if state.at is None else whole(state)
            assert agrees(env, looked(scene, state.question)), (difficulty, seed)
            answers.add(state.answer)
        assert len(answers) > 1


@every_task
def test_what_is_right_pays_most(task):
    for difficulty in POINTS:
        env = made(task, difficulty, 3)
        state, game = env.game_state, env.game
        assert game.grade(state.answer, game.read(state.answer, state.seen_by(AGENT), AGENT)) == 1
        earned = [game.grade(state.answer, game.read(one, state, AGENT)) for one in state.choices]
        assert sum(one == 1 for one in earned) <= 2  # places near to it
        assert np.mean(earned) <= 0.5
        assert {*state.choices} <= {*game.moves}
        with pytest.raises(InvalidMove):
            game.read("I see a banana", state.seen_by(AGENT), AGENT)
        env.step(f"I looked. \\boxed{{{state.answer}}}")
        assert env.rewards[AGENT] == 1
        assert not env.to_act


@every_task
def test_the_answer_is_told_in_no_way(task):
    for difficulty in POINTS:
        env = made(task, difficulty, difficulty)
        state, seen = env.game_state, []
        for answer in (state.answer, next(c for c in state.choices if c != state.answer)):
            view = state._replace(answer=answer).seen_by(AGENT)
            words = env.game.describe(view, AGENT), env.game.brief(view, AGENT)
            seen.append((*words, env.game.picture(view, AGENT), view.legal(AGENT)))
        assert seen[0] == seen[1]
        words = f"{env.rules(AGENT)} {env.observe(AGENT)['text']}".lower().split()
        assert not {word.strip(".,:;?") for word in words} & set(COLORS)


@pytest.mark.parametrize("task", ["FindStar", "CountByCrops"])
def test_what_is_outside_of_the_window_is_not_seen(task):
    env = made(task, 8, 1, observe="both")
    state = env.game_state
    view = state.seen_by(AGENT)
    row, column = state.at
    assert view.shown.rows == tuple(
        [r[column : column + 3] for r in state.shown.rows[row : row + 3]]
    )
    other = [list("." * len(state.shown.rows)) for _ in state.shown.rows]
    for r in range(row, row + 3):
        other[r][column : column + 3] = state.shown.rows[r][column : column + 3]
    changed = state._replace(shown=window.Board(tuple(map("".join, other)))).seen_by(AGENT)
    assert changed == view
    seen = set()
    for look in ("left", "up", "right", "down") if task == "FindStar" else ("show A1", "show H8"):
        env.step(look)
        assert env.to_act
        seen.add(env.game_state.at)
    assert len(seen) > 1
    assert (0, 0) in seen or task == "FindStar"


def figures_of(scene, wanted):
    """Return how many of a figure the picture of a cube shows at its top, its left and right."""
    size = round((len(scene.items) / 3) ** 0.5)
    faces = [scene.items[i : i + size * size] for i in range(0, len(scene.items), size * size)]
    for face, side in zip(faces, ("top", "left", "right"), strict=True):  # they lie where they must
        x, y = (np.mean([item[i] for item in face]) for i in (2, 3))
        assert {"top": abs(x - 0.5) < 0.01 and y < 0.5, "left": x < 0.5, "right": x > 0.5}[side]
    return [sum(item[0] == wanted for item in face) for face in faces]


@pytest.mark.parametrize("difficulty", POINTS)
def test_who_turns_a_cube_sees_each_face_once(difficulty):
    for seed in range(10):
        env = made("TurnCube", difficulty, seed)
        kind = env.game_state.question.split(" figures")[0].split()[-1]
        start, seen = env.game_state.at, 0
        for _ in range(4):  # once around: each side comes to the left
            scene = env.game.picture(env.game_state, AGENT)
            seen += figures_of(scene, kind)[1]
            env.step("left")
        assert env.game_state.at == start
        seen += figures_of(env.game.picture(env.game_state, AGENT), kind)[0]
        env.step("up")
        env.step("up")  # what was below is at the top now
        seen += figures_of(env.game.picture(env.game_state, AGENT), kind)[0]
        env.step(str(seen))
        assert env.rewards[AGENT] == 1


@pytest.mark.parametrize(("one", "other"), [("left", "right"), ("up", "down")])
def test_a_cube_turns_back(one, other):
    env = made("TurnCube", 8, 2)
    before = env.game.describe(env.game_state, AGENT)
    parts = env.game_state.seen_by(AGENT).shown
    env.step(one)
    turned = env.game_state.seen_by(AGENT).shown
    assert turned != parts
    assert (turned.left == parts.right) if one == "left" else (turned.right != parts.right)
    env.step(other)
    assert env.game_state.seen_by(AGENT).shown == parts
    assert env.game.describe(env.game_state, AGENT) == before


def test_faces_that_are_not_seen_are_in_no_view():
    env = made("TurnCube", 8, 1)
    state = env.game_state
    view = state.seen_by(AGENT)
    spun = turn_cube.TURNS["left"](*turn_cube.TURNS["left"](*state.at))
    behind = turn_cube.TURNS["up"](*turn_cube.TURNS["up"](*spun))
    rows = list(state.shown.rows)
    for out in behind:  # the three ways that are not seen
        axis = next(i for i, one in enumerate(out) if one)
        if out not in state.at:
            face = 2 * axis + (sum(out) < 0)
            rows[3 * face : 3 * face + 3] = ["ddd"] * 3
    changed = state._replace(shown=turn_cube.Cube(tuple(rows)))
    assert changed.shown != state.shown
    assert changed.seen_by(AGENT) == view


@pytest.mark.parametrize("difficulty", POINTS)
def test_who_moves_the_cursor_onto_each_figure_knows(difficulty):
    env = made("UnderCursor", difficulty, 4)
    state = env.game_state
    kind = state.question.partition(" figure")[0].split()[-1]
    numbers = []
    for name, place in state.shown.things:
        if name == kind:
            for at, wanted, back, on in zip(
                env.game_state.at, place, ("left", "up"), ("right", "down"), strict=True
            ):
                if at != wanted:
                    env.step(f"{on if wanted > at else back} {abs(wanted - at)}")
            seen = env.game_state.seen_by(AGENT)
            assert seen.shown.at == place
            numbers.append(seen.shown.number)
            assert f"number {numbers[-1]}." in env.observe(AGENT)["text"]
    assert not re.search(r"number \d", env.game.describe(state.seen_by(AGENT), AGENT))
    env.step(str(max(numbers)))
    assert env.rewards[AGENT] == 1


@pytest.mark.parametrize(
    ("program", "size", "cells"),
    [
        ("box 0 0 1 1", 3, {(0, 0), (1, 0), (0, 1), (1, 1)}),
        ("box 0 0 9 9; clear 1 0 9 9", 2, {(0, 0), (0, 1)}),
        ("line 0 0 2 2", 3, {(0, 0), (1, 1), (2, 2)}),
        ("line 0 0 3 1", 4, {(0, 0), (1, 0), (2, 1), (3, 1)}),
        ("disc 1 1 1", 3, {(1, 0), (0, 1), (1, 1), (2, 1), (1, 2)}),
        ("box 0 0 0 0\nmirror", 3, {(0, 0), (2, 0)}),
    ],
)
def test_what_a_program_paints(program, size, cells):
    assert draw_program.run(draw_program.parsed(program), size) == cells


@pytest.mark.parametrize(
    "program",
    [
        "",
        "box 1 2 3",
        "box 1 2 3 4 5",
        "draw 1",
        "box -1 0 1 1",
        "box 100 1 1 1",
        "mirror;" * 25,
        "x" * 3000,
    ],
)
def test_what_is_no_program_is_refused(program):
    with pytest.raises(InvalidMove):
        draw_program.parsed(program)


def test_a_program_earns_what_it_shares():
    grade = draw_program.DrawProgram().grade
    assert grade("4: box 0 0 1 3", "box 0 0 1 3") == 1
    assert grade("4: box 0 0 1 3", "box 0 0 3 3") == 0  # painting everything
    assert grade("4: box 0 0 1 3", "box 0 0 1 1") == 0  # 4 of 8, as all would share
    assert grade("4: box 0 0 1 3", "box 0 0 1 2") == 0.5  # 6 of 8


@pytest.mark.parametrize(
    ("said", "earned"),
    [("40, 60", 1), ("(43, 60)", 1), ("x: 40, y: 69", 0.5), ("40 75", 0), ("[0, 0]", 0)],
)
def test_points_are_paid_by_distance(said, earned):
    game = made("Midpoint", 2, 0).game
    assert game.grade("40, 60", game.read(said, None, AGENT)) == earned


@pytest.mark.parametrize(
    ("said", "earned"),
    [("10, 10, 50, 50", 1), ("left 10 top 10 right 50 bottom 40", 0.75), ("10 10 20 20", 0)],
)
def test_boxes_are_paid_by_overlap(said, earned):
    game = made("BoxAround", 2, 0).game
    assert game.grade("10, 10, 50, 50", game.read(said, None, AGENT)) == earned


@pytest.mark.parametrize("said", ["40", "40, 60, 80", "y 40, x 60", "40, 101", "-4, 5", "4.5, 5"])
def test_what_is_no_point_is_refused(said):
    with pytest.raises(InvalidMove, match="such as 40, 65"):
        made("Midpoint", 2, 0).game.read(said, None, AGENT)
