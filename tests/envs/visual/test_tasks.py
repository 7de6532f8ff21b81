"""All visual tasks: answers from their scenes, what is paid, and that nothing tells the answer."""

import importlib

import numpy as np
import pytest

from gem_ma import Env, InvalidMove
from gem_ma.envs import visual
from gem_ma.envs.visual.graded import Boxing, Pointing
from gem_ma.envs.visual.looking import under_cursor, window
from gem_ma.envs.visual.programs import draw_program
from gem_ma.envs.visual.question import AGENT
from gem_ma.scene import COLORS, Grid

TASKS = {name: place.partition(":") for name, place in visual.places()}
# Those of test_visual.py, which looks at their scenes.
FIRST = (
    "BarChart LineChart Table GridWalk MazeExit MazeSteps Angles Clock Lengths Jigsaw Mirror "
    "Rotation CompareShapes CountShapes OddOneOut"
)
# Those of grounding and drawing, whose tests look at their pixels.
BY_PIXELS = "BoxEach CopyFigure PointEach PointToPart ScreenBox ScreenPoint"
NEW = [name for name in TASKS if name not in f"{FIRST} {BY_PIXELS}".split()]
CHECKS = (
    *("alike", "boards", "charts", "comparing", "counting", "geometry", "lines", "matrices"),
    *("measures", "moments", "position", "tables"),
)
# Those of later tasks stand in the folder of their kind.
CHECKS = (
    *(f"check_{one}" for one in CHECKS),
    "diagrams.check_diagrams",
    *("notation.check_notation", "physics.check_physics", "reading.check_handwriting"),
)
# Cubes behind others are not in a scene: its answer follows from the words, and
# solids/test_isometric.py compares these with the cubes.
SOLIDS = ("BlockViews", "CrossSection", "TurnedBlocks")
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
    found = [getattr(importlib.import_module(one), file, None) for one in CHECKS]
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
            scene = env.game.words(state.shown) if task in SOLIDS else scene
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
        # Places near to it; a widget of a screen may be wide.
        assert sum(one == 1 for one in earned) <= (6 if task == "ScreenPoint" else 2)
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
