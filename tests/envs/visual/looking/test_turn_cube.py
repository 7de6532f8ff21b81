"""A cube that is turned: each face is seen once, and none that is behind."""

import importlib

import numpy as np
import pytest

from gem_ma import Env
from gem_ma.envs import visual
from gem_ma.envs.visual.looking import turn_cube
from gem_ma.envs.visual.question import AGENT

TASKS = {name: place.partition(":") for name, place in visual.places()}
POINTS = (0, 2, 5, 8, 10)


def made(task, difficulty, seed, **options):
    module, _, name = TASKS[task]
    env = Env(getattr(importlib.import_module(module), name)(difficulty), **options)
    env.reset(seed=seed)
    return env


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
