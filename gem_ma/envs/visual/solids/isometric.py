"""Cubes seen from above over a corner, and stacks of them.

Corners of cubes fall on a lattice of triangles: u counts half widths of a cube to the right, v half
edges down, and u + v is even. A triangle (u, v) lies between u and u + 1 around the height v; its
upright side is at u + 1 if u + v is even, and at u if it is odd.
"""

import itertools

from gem_ma.envs.visual.patterns.patterns import FULL
from gem_ma.envs.visual.question import LETTERS
from gem_ma.scene import Shapes

HALF = 3**0.5 / 2  # half the width of a cube, whose edges have the length 1
# The two triangles of each face, from the corner of a cube that is nearest to the eye.
FACES = {
    "top": ((-1, -1), (0, -1)),
    "left": ((-1, 0), (-1, 1)),
    "right": ((0, 0), (0, 1)),
}
COLORS = {"left": "blue", "right": "gray"}
GROUND = -1  # the height of the cubes whose tops are the ground


def find_faces(cells):
    """Return the cube and the face that are seen in each triangle of the lattice.

    Args:
        cells: the place of each cube: its row, which counts to the front left, its column, which
            counts to the front right, and its height.
    """
    seen = {}
    for cell in sorted(cells, key=sum):
        r, c, z = cell
        u, v = c - r, c + r - 2 * z
        for face, triangles in FACES.items():
            if z > GROUND or face == "top":
                for across, down in triangles:
                    seen[u + across, v + down] = cell, face
    return seen


def cubes(cells, box):
    """Return the areas and the lines that draw cubes in a box, as large as possible.

    Args:
        cells: as in `find_faces`; of cubes below the ground only the top is drawn, in gray lines.
        box: left, top, width and height, as shares of the picture.
    """
    seen = find_faces(cells)
    edges = _list_edges(seen)
    us, vs = ({end[i] for _, *ends in edges for end in ends} for i in (0, 1))
    left, top, wide, high = box
    edge = min(wide / (HALF * (max(us) - min(us))), 2 * high / (max(vs) - min(vs)))
    left += (wide - edge * HALF * (max(us) + min(us))) / 2
    top += (high - edge * (max(vs) + min(vs)) / 2) / 2
    places = {
        (u, v): (left + edge * HALF * u, top + edge * v / 2)
        for u in range(min(us), max(us) + 1)
        for v in range(min(vs), max(vs) + 1)
    }
    thick = min(0.007, 0.05 * edge)
    lines = [
        (color, *places[a], *places[b], 0.6 * thick if color else thick) for color, a, b in edges
    ]
    areas = [
        (color, tuple([places[corner] for corner in corners]))
        for color, corners in _list_strips(seen)
    ]
    return areas, lines


def _list_edges(seen):
    """Return the colour and the ends of lines between different faces: gray ones first."""
    edges = {}
    for (u, v), one in seen.items():
        if (u + v) % 2:
            upper, lower, upright = (u, v - 1, 1), (u, v + 1, -1), (u, v - 1, 2)
            beside = u - 1, v
        else:
            upper, lower, upright = (u, v, -1), (u, v, 1), (u + 1, v - 1, 2)
            beside = u + 1, v
        for key, edge in (((u, v - 1), upper), ((u, v + 1), lower), (beside, upright)):
            other = seen.get(key)
            if other != one:
                is_ground = one[0][2] == GROUND and (other is None or other[0][2] == GROUND)
                edges[edge] = "gray" if is_ground else ""
    ends: dict[tuple[str, int, int, int], tuple[int, int]] = {}  # of each line, and its start
    for (u, v, down), color in sorted(edges.items()):
        start = ends.pop((color, down, u, v), (u, v))
        ends[color, down, u + (down != 2), v + down] = start
    lines = [(color, start, (u, v)) for (color, _, u, v), start in ends.items()]
    return sorted(lines, key=lambda line: line[0] == "")


def _list_strips(seen):
    """Return the colour and the corners of what is seen of faces, in upright strips.

    Strips have few places, so that few must be drawn anew.
    """
    strips = []
    for face, color in COLORS.items():
        keys = sorted([key for key, one in seen.items() if one[1] == face])
        for n, (u, v) in enumerate(keys):
            odd = (u + v) % 2
            if not n or keys[n - 1] != (u, v - 1):
                upper = (u, v - odd), (u + 1, v - 1 + odd)
            if n + 1 == len(keys) or keys[n + 1] != (u, v + 1):
                corners = (*upper, (u + 1, v + 1 - odd), (u, v + odd))
                strips.append((color, tuple(dict.fromkeys(corners))))
    return strips


def join_areas(areas):
    """Return one area for all of a colour, which is drawn faster where places are seldom the same.

    It goes around each area, and from the first corner of the first to the next and back.
    """
    joined = []
    for color, group in itertools.groupby(areas, key=lambda area: area[0]):
        outlines = [corners for _, corners in group]
        start = outlines[0][0]
        joined.append((color, tuple([end for one in outlines for end in (*one, one[0], start)])))
    return joined


def stacks(heights):
    """Return the places of the cubes of stacks."""
    return [
        (r, c, z)
        for r, row in enumerate(heights)
        for c, high in enumerate(row)
        for z in range(high)
    ]


def pile(rng, size, high):
    """Sample stacks in a corner, none of them higher than one behind it: all can be seen."""
    heights = [[0] * size for _ in range(size)]
    for r in range(size):
        for c in range(size):
            most = min(
                [high, *([heights[r - 1][c]] if r else []), *([heights[r][c - 1]] if c else [])]
            )
            low = max(0, most - 2) if r + c else high - 1
            heights[r][c] = int(rng.integers(low, most + 1))
    return tuple(map(tuple, heights))


def words(heights):
    """Return the numbers of cubes of stacks, the front at the bottom."""
    rows = "\n".join([" ".join(map(str, row)) for row in heights])
    return f"cubes of each stack, the last line at the front:\n{rows}"


def words_with_options(heights, options):
    """Return the numbers of cubes, and the grids of cells among which to choose."""
    grids = [f"{name}:\n" + "\n".join(rows) for name, rows in zip(LETTERS, options, strict=False)]
    return "\n".join([words(heights), *grids])


def scene_with_options(heights, options):
    """Draw stacks on their ground above the grids of cells among which to choose."""
    ground = [(r, c, GROUND) for r, row in enumerate(heights) for c in range(len(row))]
    areas, lines = cubes([*ground, *stacks(heights)], (0.1, 0.03, 0.8, 0.54))
    low = max(y for line in lines for y in (line[2], line[4]))
    labels = [(name, "", x, low - 0.02, 0.06) for name, x in (("front", 0.2), ("right", 0.8))]
    grids = []  # first and apart from other lines: they are the same in many pictures
    rows, columns, room = len(options[0]), len(options[0][0]), 0.94 / len(options)
    side = min(0.86 * room / columns, 0.29 / rows)
    top = 0.82 - side * rows / 2
    for n, (name, option) in enumerate(zip(LETTERS, options, strict=False)):
        left = 0.03 + room * (n + 0.5) - side * columns / 2
        for c, column in enumerate(zip(*option, strict=True)):
            r = 0
            for cell, run in itertools.groupby(column):
                start, r = r, r + len(list(run))
                if cell == FULL:
                    x1, x2 = left + side * c, left + side * (c + 1)
                    y1, y2 = top + side * start, top + side * r
                    areas.append(("blue", ((x1, y1), (x2, y1), (x2, y2), (x1, y2))))
        right, bottom = left + side * columns, top + side * rows
        grids += [
            ("", left + side * c, top, left + side * c, bottom, 0.004) for c in range(columns + 1)
        ]
        grids += [("", left, top + side * r, right, top + side * r, 0.004) for r in range(rows + 1)]
        labels.append((name, "", left + side * columns / 2, top - 0.045, 0.06))
    return Shapes(areas=tuple(areas), lines=(*grids, *lines), labels=tuple(labels))
