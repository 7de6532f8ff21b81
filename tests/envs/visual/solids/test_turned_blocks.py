"""Questions about turned figures of cubes."""

import numpy as np
import packs

packs.need("visual")

from gem_ma.envs.visual.question import LETTERS
from gem_ma.envs.visual.solids.turned_blocks import TurnedBlocks


def is_bent(cells):
    return sum(len(set(places)) > 1 for places in zip(*cells, strict=True)) > 1


def test_of_three_cubes_no_figure_is_the_right_one_more_often():
    rng, task = np.random.default_rng(5), TurnedBlocks()
    right = 0
    for _ in range(300):
        question = task.draw(rng, 3, 2)
        _, options = question.shown
        (bent,) = [letter for letter, one in zip(LETTERS, options, strict=False) if is_bent(one)]
        right += question.answer == bent
    assert 120 <= right <= 180
