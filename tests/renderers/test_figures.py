"""Figures: whole, exact, and told apart."""

import numpy as np
import pytest

from gem_ma.renderers.figures import FIGURES, make_mask


def test_figures_have_no_pinholes():
    """What of the ground a figure encloses is meant, and no few pixels between its parts."""
    for name in FIGURES:
        ground = np.pad(make_mask(name, 60) < 128, 1, constant_values=True).astype(int)
        left, areas = {tuple(at) for at in np.argwhere(ground)}, []
        while left:
            rim, area = [left.pop()], 1
            while rim:
                y, x = rim.pop()
                near = {(y + i, x + j) for i in (-1, 0, 1) for j in (-1, 0, 1)} & left
                left -= near
                rim += near
                area += len(near)
            areas.append(area)
        assert min(areas) > 4, name


def test_masks_are_exact_and_cached():
    assert make_mask("disc", 20) is make_mask("disc", 20)
    assert make_mask("square", 8).max() == 255
    assert (make_mask("arrow", 21, 180) == make_mask("arrow", 21)[::-1, ::-1]).mean() > 0.95
    with pytest.raises(ValueError, match="size=0"):
        make_mask("disc", 0)
