"""Simple machines: cushions, towers and replies, by cases worked out by hand."""

import pytest

from gem_ma import InvalidMove
from gem_ma.envs.visual.physics.billiard_pocket import find_pocket
from gem_ma.envs.visual.physics.falling_blocks import find_margins
from gem_ma.envs.visual.physics.gears_turn import GearsTurn
from gem_ma.envs.visual.question import AGENT

CORNERS = [(0, 0), (6, 0), (0, 4), (6, 4)]


@pytest.mark.parametrize(
    ("at", "way", "pockets", "found"),
    [
        ((2, 2), (2, 1), CORNERS, ((6, 4), 0)),
        ((4, 2), (1, -2), [*CORNERS, (6, 2)], ((6, 2), 1)),  # up to 5, 0 and back down
        ((2, 2), (1, 1), [*CORNERS, (6, 2)], ((6, 2), 1)),
        ((1, 2), (1, 1), CORNERS, None),  # goes round, and meets no pocket
        ((2, 1), (4, -1), [*CORNERS, (4, 0)], None),  # passes it at half a square
        ((2, 1), (2, -1), [*CORNERS, (5, 0)], None),  # too, after the cushion beside it
    ],
)
def test_into_which_pocket_a_ball_falls(at, way, pockets, found):
    assert find_pocket((6, 4), at, way, pockets, 4) == found


@pytest.mark.parametrize(
    ("block", "above", "margins"),
    [
        ((0, 4), [(2, 6)], (2, 0)),  # its middle, 4, is just over the edge
        ((0, 4), [(3, 7)], (2, -1)),
        ((0, 4), [(2, 6), (0, 4)], (1, 1)),  # together they weigh on 3, over 2 to 4
    ],
)
def test_how_firmly_blocks_stand(block, above, margins):
    left, right, parts = find_margins(block, above)
    assert (left / parts, right / parts) == margins


@pytest.mark.parametrize(
    "said", ["3 counterclockwise", "3 turns anticlockwise", "3 turns, counter-clockwise."]
)
def test_a_way_is_read_in_any_spelling(said):
    env_view = type("View", (), {"choices": GearsTurn.moves})
    assert GearsTurn().read(said, env_view, AGENT) == "3 counterclockwise"


@pytest.mark.parametrize("said", ["3", "clockwise", "3 or 4 clockwise", "-3 clockwise"])
def test_what_is_no_turn_is_refused(said):
    with pytest.raises(InvalidMove):
        GearsTurn().read(said, type("View", (), {"choices": GearsTurn.moves}), AGENT)
