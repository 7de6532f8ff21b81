"""Boxes with figures: what is compared is drawn at one scale."""

import pytest

from gem_ma.envs.visual.matrices import boxes


@pytest.mark.parametrize("options", [2, 4, 6])
@pytest.mark.parametrize("many", [3, 5, 7])
def test_the_boxes_of_a_row_have_the_size_of_its_options(many, options):
    scene = boxes.scene(((boxes.Box("arrow"),) * many,), (boxes.Box("arrow"),) * options)
    assert len(scene.items) == many + options
    assert len({round(size, 6) for *_, size, _ in scene.items}) == 1
