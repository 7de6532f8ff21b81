"""Rooms in perspective: scenes made by hand, their pixels, and what cannot be drawn."""

import numpy as np
import pytest

from gem_ma.renderers import BadScene, draw, make_legend, parse_theme
from gem_ma.scene.first_person import BEHIND, FirstPerson, SeenThing, SeenWall
from gem_ma.scene.serialization import encode_scene

LIGHT = parse_theme("light")
CORRIDOR = FirstPerson(
    (
        *(
            SeenWall(depth, 0, side, "wall", "red")
            for depth in (0, 1)
            for side in ("left", "right")
        ),
        SeenWall(1, 0, "front", "wall", "blue"),
    )
)


def shade(pixel):
    """Return whether a pixel is reddish, bluish, greenish or grey."""
    pixel = np.asarray(pixel, int)
    names = ("red", "green", "blue")
    return "grey" if np.ptp(pixel) < 40 else names[int(pixel.argmax())]


def test_a_corridor_by_hand():
    size = 200
    frame = draw(CORRIDOR, (size, size), LIGHT)
    scale = size / 2 / (1 + BEHIND + 0.5)  # pixels in a cell at the wall ahead
    for column in range(size):
        is_front = abs(column + 0.5 - size / 2) < scale / 2
        if abs(abs(column + 0.5 - size / 2) - scale / 2) > 2:  # not at the corner
            assert shade(frame[size // 2 - 3, column]) == ("blue" if is_front else "red")
    column = size // 2
    assert shade(frame[size // 2 - round(scale / 2) + 2, column]) == "blue"
    assert shade(frame[size // 2 - round(scale / 2) - 2, column]) == "grey"
    mirrored = frame[: size // 2 - 1, ::-1].astype(int) - frame[: size // 2 - 1]
    assert abs(mirrored).max() < 12  # up to the rounding at seams
    assert (frame == draw(CORRIDOR, (size, size), LIGHT)).all()


def find_box(frame, other):
    rows, columns = np.nonzero((frame != other).any(2))
    return rows.min(), rows.max() + 1, columns.min(), columns.max() + 1


@pytest.mark.parametrize("across", [-1, 0, 1])
def test_a_thing_stands_on_the_floor_at_its_place(across):
    size, depth, height = 240, 2, 0.4
    walls = tuple(SeenWall(3, side, "front", "wall") for side in range(-4, 5))
    empty = draw(FirstPerson(walls), (size, size), LIGHT)
    thing = SeenThing("square", "green", depth, across, height)
    frame = draw(FirstPerson(walls, (thing,)), (size, size), LIGHT)
    top, bottom, left, right = find_box(frame, empty)
    scale = size / 2 / (depth + BEHIND)
    assert bottom == pytest.approx(size / 2 + scale / 2, abs=3)
    assert bottom - top == pytest.approx(height * scale, abs=5)
    assert (left + right) / 2 == pytest.approx(size / 2 + across * scale, abs=2)
    assert shade(frame[(top + bottom) // 2, (left + right) // 2]) == "green"


def test_a_wall_hides_the_part_of_a_thing_behind_it():
    walls = (
        SeenWall(1, 0, "front", "wall", "red"),
        *(SeenWall(3, across, "front", "wall") for across in (1, 2, 3)),
    )
    size, thing = 240, SeenThing("square", "green", 3, 1, 0.8)
    empty = draw(FirstPerson(walls), (size, size), LIGHT)
    frame = draw(FirstPerson(walls, (thing,)), (size, size), LIGHT)
    _, _, left, right = find_box(frame, empty)
    edge = size / 2 + size / 4 / (1 + BEHIND + 0.5)  # of the wall
    middle = size / 2 + size / 2 / (3 + BEHIND)
    assert left == pytest.approx(edge, abs=1)
    assert (right - middle) > (middle - left) + 3
    hidden = SeenThing("square", "green", 3, 0, 0.4)
    assert (draw(FirstPerson(walls, (hidden,)), (size, size), LIGHT) == empty).all()


def test_doors_and_doorways_differ_from_walls():
    frames = []
    for kind, door in (("wall", ""), ("door", "green"), ("doorway", ""), ("dark", "")):
        front = SeenWall(1, 0, "front", kind, "blue", door)
        behind = SeenWall(4, 0, "front", "wall", "yellow")
        scene = FirstPerson((*CORRIDOR.walls[:4], front, behind))
        frames.append(draw(scene, (200, 200), LIGHT))
    middle = [shade(frame[95, 100]) for frame in frames]
    assert middle == ["blue", "green", "red", "grey"]  # yellow has the most of red
    lintel = [shade(frame[78, 100]) for frame in frames]
    assert lintel == ["blue", "blue", "blue", "grey"]


@pytest.mark.parametrize("size", [(252, 252), (84, 84), (400, 200), (200, 400), (1000, 200)])
@pytest.mark.parametrize("theme", ["dark", "mono", 3])
def test_every_size_and_theme(size, theme):
    scene = FirstPerson(CORRIDOR.walls, (SeenThing("key", "yellow", 1, 0),), ("Replies left: 4",))
    frame = draw(scene, size, parse_theme(theme))
    assert frame.shape == (size[1], size[0], 3)
    plain = draw(CORRIDOR, size, parse_theme(theme))
    assert (frame != plain).any()


def test_an_open_end_is_dark():
    frame = draw(FirstPerson(()), (100, 100), LIGHT)
    assert shade(frame[50, 50]) == "grey"
    assert frame[49, 50].max() < 90


@pytest.mark.parametrize(
    "scene",
    [
        FirstPerson((SeenWall(0, 0, "behind", "wall"),)),
        FirstPerson((SeenWall(99, 0, "front", "wall"),)),
        FirstPerson((SeenWall(0, 99, "left", "wall"),)),
        FirstPerson((SeenWall(0, 0, "left", "wall", "pink"),)),
        FirstPerson((SeenWall(0, 0, "left", "door", "red", "pink"),)),
        FirstPerson((), (SeenThing("key", "pink", 1, 0),)),
        FirstPerson((), (SeenThing("key", "red", 0, 0),)),
    ],
)
def test_scenes_that_cannot_be_drawn(scene):
    with pytest.raises(BadScene):
        draw(scene, (100, 100), LIGHT)


def test_a_legend_names_the_colours_that_a_theme_changes():
    assert make_legend(CORRIDOR, LIGHT) == ""
    legend = make_legend(CORRIDOR, parse_theme("mono"))
    assert "red is shown as dark gray" in legend
    assert "black is" not in legend


def test_a_server_can_send_it():
    value = encode_scene(CORRIDOR)
    assert value["scene"] == "FirstPerson"
    plain = FirstPerson(tuple(map(tuple, CORRIDOR.walls)))
    assert (draw(plain, (90, 90), LIGHT) == draw(CORRIDOR, (90, 90), LIGHT)).all()
