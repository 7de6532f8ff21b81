"""Programs that paint: what they paint, what is none, and what is paid."""

import pytest

from gem_ma import InvalidMove
from gem_ma.envs.visual.programs import draw_program


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
