"""All visual tasks: answers from their scenes, what is paid, and that nothing tells the answer."""

import importlib

import numpy as np
import pytest

from gem_ma import Env, InvalidMove
from gem_ma.envs import visual
from gem_ma.envs.visual.graded import Boxing, Pointing
from gem_ma.envs.visual.question import AGENT
from gem_ma.scene import COLORS

TASKS = {name: place.partition(":") for name, place in visual.places()}
# Those of test_visual.py, which looks at their scenes.
FIRST = (
    "BarChart LineChart Table GridWalk MazeExit MazeSteps Angles Clock Lengths Jigsaw Mirror "
    "Rotation CompareShapes CountShapes OddOneOut"
)
NEW = [name for name in TASKS if name not in FIRST.split()]
POINTS = (0, 2, 5, 8, 10)
every_task = pytest.mark.parametrize("task", TASKS)
new_tasks = pytest.mark.parametrize("task", NEW)


def made(task, difficulty, seed, **options):
    module, _, name = TASKS[task]
    env = Env(getattr(importlib.import_module(module), name)(difficulty), **options)
    env.reset(seed=seed)
    return env


def check(task):
    _, folder, file = TASKS[task][0].rsplit(".", 2)
    return getattr(importlib.import_module(f"check_{folder}"), file)


def agrees(env, seen):
    """Return whether what is seen in a scene is the answer, boxes to two percent."""
    state = env.game_state
    if isinstance(env.game, Boxing):
        return np.abs(np.array(seen) * 100 - [int(n) for n in state.answer.split(",")]).max() < 2
    if isinstance(env.game, Pointing):
        return env.game.grade(state.answer, seen) == 1
    return seen == state.answer


@pytest.mark.parametrize("seeds", [5, pytest.param(100, marks=pytest.mark.slow)])
@new_tasks
def test_every_answer_follows_from_the_picture(task, seeds):
    looked = check(task)
    for difficulty in POINTS:
        answers = set()
        for seed in range(seeds):
            env = made(task, difficulty, seed)
            state = env.game_state
            assert agrees(env, looked(env.scene(AGENT), state.question)), (difficulty, seed)
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
