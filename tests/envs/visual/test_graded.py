"""Answers that are paid by how near they are: points and boxes."""

import importlib

import pytest

from gem_ma import Env, InvalidMove
from gem_ma.envs import visual
from gem_ma.envs.visual.question import AGENT

TASKS = {name: place.partition(":") for name, place in visual.places()}


def made(task, difficulty, seed, **options):
    module, _, name = TASKS[task]
    env = Env(getattr(importlib.import_module(module), name)(difficulty), **options)
    env.reset(seed=seed)
    return env


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
