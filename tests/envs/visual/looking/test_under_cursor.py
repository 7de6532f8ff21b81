"""Figures whose numbers are seen under the cursor alone."""

import importlib
import re

import pytest

from gem_ma import Env
from gem_ma.envs import visual
from gem_ma.envs.visual.question import AGENT

TASKS = {name: place.partition(":") for name, place in visual.places()}
POINTS = (0, 2, 5, 8, 10)


def made(task, difficulty, seed, **options):
    module, _, name = TASKS[task]
    env = Env(getattr(importlib.import_module(module), name)(difficulty), **options)
    env.reset(seed=seed)
    return env


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
