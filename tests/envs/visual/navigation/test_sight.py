"""What is seen from a cell, against rays that are cut with every wall of a house."""

import itertools
import math

import numpy as np
import pytest

from gem_ma.envs.visual.navigation import house as houses
from gem_ma.envs.visual.navigation.house import WAYS, House, Pose, Thing
from gem_ma.envs.visual.navigation.sight import look
from gem_ma.renderers import draw, parse_theme
from gem_ma.scene.first_person import BEHIND, DOOR_EDGE

THEME = parse_theme("light")


def sample(seed):
    """Return a house and a pose in it."""
    rng = np.random.default_rng(seed)
    if seed % 2:
        house = houses.build_maze(rng, 5, 3)
        house = houses.add_door(rng, house, 1, (0, 0))
    else:
        house = houses.build_rooms(rng, 2, 3)
    kinds = [(name, color) for name in houses.FIGURES for color in houses.THING_COLORS]
    house = houses.add_things(rng, house, [kinds[i] for i in rng.permutation(30)[:5]])
    free = [cell for cell in house.cells() if house.thing(cell) is None]
    return house, Pose(free[int(rng.integers(len(free)))], int(rng.integers(4)))


def turned(pose, cell):
    """Return a cell as (depth, across), as seen from a pose."""
    (down, right), (beside_down, beside_right) = WAYS[pose.facing], WAYS[(pose.facing + 1) % 4]
    rows, columns = cell[0] - pose.cell[0], cell[1] - pose.cell[1]
    return rows * down + columns * right, rows * beside_down + columns * beside_right


def segments(house, pose):
    """Yield each side of each cell that is not open: cell, side, symbol, and its solid parts.

    A part is two points (across, ahead), with the eye at (0, 0).
    """
    for cell in house.cells():
        depth, across = turned(pose, cell)
        for name, way in (("front", 0), ("right", 1), ("left", 3)):
            symbol = house.side(cell, (pose.facing + way) % 4)
            if symbol == ".":
                continue
            middle = depth + BEHIND
            if name == "front":
                ends = [(across - 0.5, middle + 0.5), (across + 0.5, middle + 0.5)]
            else:
                x = across + (0.5 if name == "right" else -0.5)
                ends = [(x, middle - 0.5), (x, middle + 0.5)]
            (x1, y1), (x2, y2) = ends
            gap = [
                (x1 + (x2 - x1) * share, y1 + (y2 - y1) * share)
                for share in (DOOR_EDGE, 1 - DOOR_EDGE)
            ]
            parts = [(ends[0], gap[0]), (gap[1], ends[1])] if symbol == "+" else [tuple(ends)]
            yield (depth, across, name), symbol, parts, tuple(ends)


def cut(slope, part):
    """Return how far ahead a ray meets a line, or None."""
    (x1, y1), (x2, y2) = part
    first, second = x1 - slope * y1, x2 - slope * y2
    if (first > 0) == (second > 0):
        return None
    share = first / (first - second)
    ahead = y1 + (y2 - y1) * share
    return ahead if ahead > 0 else None


def is_faced(key, slope):
    """Return whether a ray meets this side from within its cell."""
    _, across, name = key
    if name == "front":
        return True
    return (slope > 0 and across >= 0) if name == "right" else (slope < 0 and across <= 0)


def trace(house, pose, slope):
    """Return the sides that a ray meets, near ones first: key, symbol, distance, if it ends."""
    met = []
    for key, symbol, parts, whole in segments(house, pose):
        if is_faced(key, slope) and (ahead := cut(slope, whole)) is not None:
            ends = any(cut(slope, part) is not None for part in parts)
            met.append((ahead, key, symbol, ends))
    met.sort()
    last = next(i for i, one in enumerate(met) if one[3])
    return met[: last + 1]


def all_slopes(house, pose):
    """Return a slope between each two neighbouring ends of walls: all rays that can differ."""
    ends = {-1.0, 1.0}
    for _, _, parts, _ in segments(house, pose):
        ends |= {x / y for part in parts for x, y in part if y > 0 and abs(x) < y}
    ends = sorted(ends)
    return [(a + b) / 2 for a, b in itertools.pairwise(ends) if b - a > 1e-9]


@pytest.mark.parametrize("seed", range(8))
def test_walls_that_are_seen_are_those_that_rays_meet(seed):
    house, pose = sample(seed)
    met = {}
    for slope in all_slopes(house, pose):
        for _, key, symbol, _ in trace(house, pose, slope):
            met[key] = {"#": "wall", "+": "doorway", "E": "door"}[symbol]
    seen = look(house, pose)
    assert {(w.depth, w.across, w.side): w.kind for w in seen.walls} == met
    for wall in seen.walls:
        (cell,) = [c for c in house.cells() if turned(pose, c) == (wall.depth, wall.across)]
        assert wall.color == house.color(cell)
        assert (wall.door == "green") == (wall.kind == "door")


@pytest.mark.parametrize("seed", range(40))
def test_things_that_are_seen_are_those_that_nothing_hides(seed):
    house, pose = sample(seed)
    expected = set()
    places = {thing: turned(pose, thing.cell) for thing in house.things}
    for thing, (depth, across) in places.items():
        if depth < 1 or abs(across) > depth + BEHIND:
            continue
        slope = across / (depth + BEHIND) + 1e-9  # not exactly along a wall
        hidden = trace(house, pose, slope)[-1][0] < depth + BEHIND
        for near, beside in places.values():
            x = slope * (near + BEHIND)  # where the ray passes the other thing
            hidden |= 0 < near < depth and math.dist((x,), (beside,)) < 0.2
        if not hidden:
            expected.add((thing.name, thing.color, depth, across))
    assert set(look(house, pose).things) == expected


@pytest.mark.parametrize("seed", range(8))
def test_what_no_ray_meets_is_in_no_view(seed):
    house, pose = sample(seed)
    seen = look(house, pose)
    passed, rows = set(), [list(row) for row in house.rows]
    cells = {turned(pose, cell): cell for cell in house.cells()}
    for slope in all_slopes(house, pose):
        distance = trace(house, pose, slope)[-1][0]
        for ahead in np.linspace(0.01, distance + 0.01, 400):  # every side that a ray passes
            depth, across = round(ahead - BEHIND), round(slope * ahead)
            if (depth, across) in cells:
                row, column = cells[depth, across]
                passed |= {(2 * row + 1 + down, 2 * column + 1 + right) for down, right in WAYS}
                passed.add((2 * row + 1, 2 * column + 1))
    changed = 0
    for row, column in itertools.product(range(1, len(rows) - 1), range(1, len(rows) - 1)):
        if (row + column) % 2 and (row, column) not in passed:
            rows[row][column] = "." if rows[row][column] != "." else "#"
            changed += 1
    visible = {(depth, across) for *_, depth, across in seen.things}
    things = [one for one in house.things if turned(pose, one.cell) in visible]
    hidden = [
        Thing("hat", "red", cell)
        for cell in house.cells()
        if (2 * cell[0] + 1, 2 * cell[1] + 1) not in passed and cell != pose.cell
    ]
    other = House(tuple(map("".join, rows)), house.colors, (*things, *hidden))
    assert changed > 3
    assert hidden
    assert look(other, pose) == seen
    assert look(other, pose).words() == seen.words()


@pytest.mark.parametrize("seed", range(4))
def test_columns_of_a_picture_show_what_their_rays_meet(seed):
    house, pose = sample(seed)
    size, half = 252, 126
    frame = draw(look(house._replace(things=()), pose).scene(), (size, size), THEME).astype(int)
    house = house._replace(things=())
    checked = 0
    for column in range(3, size, 7):
        slope = (column + 0.5 - half) / half
        *passed, (distance, (depth, across, _), symbol, _) = trace(house, pose, slope)
        scale = half / distance
        if passed or symbol != "#":
            continue  # a lintel, a post or a door
        (cell,) = [c for c in house.cells() if turned(pose, c) == (depth, across)]
        color = np.array(THEME.color(house.color(cell)))
        top = half - 0.5 * scale
        if top > 2:
            above, below = frame[math.floor(top) - 1, column], frame[math.ceil(top) + 1, column]
            assert np.ptp(above) < 8, "the ceiling is grey"
            light = below.sum() / color.sum()
            assert 0.4 < light <= 1
            assert abs(below - color * light).max() < 4
            checked += 1
        lower = frame[half + 1, column]
        assert np.ptp(lower) < 12, "the lower half of a wall is pale"
    assert checked > 2


HALL = House(
    ("#######", "#a.a.a#", "#.#####", "#a+b.bE", "#######"),
    ("blue", "yellow"),
    (Thing("key", "red", (1, 1)),),
)


def test_the_words_of_a_view_made_by_hand():
    seen = look(HALL, Pose((1, 0), 1))
    assert seen.words() == (
        "Ahead: doorway, then 2 cells, then green door.\n"
        "On the left, from your own cell on: open, yellow wall, yellow wall.\n"
        "On the right: blue wall, yellow wall, yellow wall.\n"
        "In view: red key 1 ahead."
    )
    seen = look(HALL._replace(things=()), Pose((1, 2), 3))
    assert seen.words().startswith("Ahead: 1 cell, then doorway, then 1 cell, then blue wall.")
    north = look(HALL, Pose((0, 0), 0))
    assert north.words() == (
        "Ahead: blue wall.\nOn the left, from your own cell on: blue wall.\n"
        "On the right: open.\nIn view: nothing else."
    )


def test_what_is_far_is_dark():
    wide = House(("#" * 21, "#" + "a." * 9 + "a#", "#" * 21), ("red",))
    seen = look(wide, Pose((0, 0), 1))
    assert [wall.kind for wall in seen.walls if wall.side == "front"] == ["dark"]
    assert seen.words().startswith("Ahead: 7 cells, then darkness.")
    assert look(wide, Pose((0, 2), 1)).words().startswith("Ahead: 7 cells, then red wall.")
