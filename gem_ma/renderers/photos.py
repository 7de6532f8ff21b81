"""Photos: a finished picture as if it were printed on a board, and photographed on a table."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gem_ma.renderers.cache import memoize
from gem_ma.renderers.themes import RGB, Split
from gem_ma.validation.arguments import check_pixels

Floats: TypeAlias = NDArray[np.float64]

# Light and dark tone of each wood. No table for training is of the wood of a held-out one.
_WOODS: dict[str, tuple[tuple[RGB, RGB], ...]] = {
    "train": (
        ((206, 164, 112), (158, 112, 66)),  # oak
        ((150, 104, 68), (88, 54, 32)),  # walnut
        ((222, 188, 138), (186, 144, 92)),  # pine
    ),
    "held-out": (
        ((178, 104, 66), (118, 58, 34)),  # cherry
        ((196, 182, 158), (146, 130, 106)),  # ash
        ((104, 82, 68), (54, 40, 32)),  # wenge
    ),
}
# Degrees of the camera to the right of the board, negative to the left. Those of held-out views are
# the same with the other sign, so neither split is harder and no direction is in both.
_DIRECTIONS = (-38.0, -22.0), (4.0, 20.0)
_TILTS = 20.0, 32.0  # degrees of the camera from the vertical
_DISTANCES = 3.6, 4.8  # of the camera, in halves of the board's longer side
_ROLLS = -2.0, 2.0  # degrees by which the camera is not level
_FALLOFFS = 0.16, 0.3  # share of the light that the far end of the photo lacks
_VIGNETTE = 0.05  # share of the light that the middles of the edges lack
_MARGIN = 0.03  # share of the photo that is left free beside the board
_THICKNESS = 0.035  # of the board, in halves of its longer side
_SIDE = 118, 92, 66  # the colour of the board's sides
_BRIGHTEST = 254  # sum of the weights of a pixel in full light, of 256
_LATTICE = 64  # points of a side of the random pattern of the wood, which repeats itself
_CHUNK = 1 << 15  # pixels that are computed at once, so that they stay in the processor's cache


@dataclass(frozen=True, slots=True)
class PhotoCamera:
    """A camera above a wooden table in a light, all sampled from a seed.

    Attributes:
        seed: Decides all of it, with the split.
        split: "train", or "held-out" for directions and woods that no camera for training has.
    """

    seed: int
    split: Split = "train"

    def __post_init__(self) -> None:
        if self.split not in _WOODS:
            raise ValueError(f"split={self.split!r}: expected 'train' or 'held-out'")

    def __str__(self) -> str:
        return str(self.seed) if self.split == "train" else f"{self.split}:{self.seed}"

    def take_photo(self, picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Return the photo of a picture (height x width x 3 bytes), of the same size."""
        check_pixels(picture, "picture")
        height, width, _ = picture.shape
        exposure = _prepare_exposure(self, (width, height))
        # The channels of a pixel are lanes of one number, so that each step computes all three.
        lanes = np.zeros((height + 2, width + 2, 4), "<u2")
        lanes[1:-1, 1:-1, :3] = picture
        pixels = lanes.view("<u8")[..., 0]
        pixels[0], pixels[-1] = pixels[1], pixels[-2]
        pixels[:, 0], pixels[:, -1] = pixels[:, 1], pixels[:, -2]
        flat = pixels.ravel()
        photo = exposure.table.copy()
        for start in range(0, len(photo), _CHUNK):
            chunk = slice(start, start + _CHUNK)
            corners = exposure.corners[chunk]
            total = np.full(len(corners), 0x008000800080, "<u8")  # a half, to round
            part = np.empty_like(total)
            for offset, weights in zip((0, 1, width + 2, width + 3), exposure.weights, strict=True):
                flat[offset:].take(corners, out=part, mode="clip")
                total += np.multiply(part, weights[chunk], out=part)
            photo[chunk] += total.view(np.uint8).reshape(-1, 8)[:, 1:6:2]  # the high bytes
        return photo.reshape(height, width, 3)

    def locate_points(self, points: ArrayLike, size: tuple[int, int]) -> Floats:
        """Return where points of a picture are in its photo, as rows of x and y.

        Args:
            points: x and y of each point, in pixels from the upper left corner.
            size: The width and the height of the picture.
        """
        from_middle = np.asarray(points, np.float64).reshape(-1, 2) - np.array(size) / 2
        projection = _sample_setup(self, size).projection
        return _project(projection, from_middle * 2 / max(size), _THICKNESS)


class _Wood(NamedTuple):
    """The planks of a table."""

    light: RGB
    dark: RGB
    grain: float  # its direction, in radians
    plank: float  # the width of a plank
    shift: float  # of the planks, as a share of their width
    lattice: Floats


class _PhotoSetup(NamedTuple):
    """What a camera's seed decides for pictures of one size.

    The longer side of the board is 2 long. Its middle is at (0, 0) on the table, x is to the right
    and y down.
    """

    projection: Floats  # 3 x 4: from x, y, height above the table and 1 to pixels of the photo
    half: tuple[float, float]  # of the board's width and height
    light: float  # the direction from which it falls, in radians
    falloff: float  # how much darker the far end of the photo is
    wood: _Wood


def _sample_setup(camera: PhotoCamera, size: tuple[int, int]) -> _PhotoSetup:
    """Sample what a camera's seed decides, and fit the board into the photo."""
    held_out = camera.split == "held-out"
    rng = np.random.default_rng([abs(camera.seed), int(camera.seed < 0), int(held_out)])
    direction = rng.uniform(*_DIRECTIONS[int(rng.integers(len(_DIRECTIONS)))])
    turn = math.radians(-direction if held_out else direction)
    tilt, roll = (math.radians(rng.uniform(*limits)) for limits in (_TILTS, _ROLLS))
    half = size[0] / max(size), size[1] / max(size)
    projection = _aim_camera(turn, tilt, roll, rng.uniform(*_DISTANCES) * math.hypot(*half))

    corners = _list_corners(half)
    seen = np.concatenate([_project(projection, corners, z) for z in (0.0, _THICKNESS)])
    least, extent = seen.min(0), seen.max(0) - seen.min(0)
    scale = float((np.array(size) * (1 - 2 * _MARGIN) / extent).min())
    free = np.array(size) - scale * extent
    shift = free * rng.uniform(0.3, 0.7, 2) - scale * least
    fit = np.array([[scale, 0.0, shift[0]], [0.0, scale, shift[1]], [0.0, 0.0, 1.0]])

    light, falloff = rng.uniform(-math.pi, math.pi), rng.uniform(*_FALLOFFS)
    colors = _WOODS[camera.split][int(rng.integers(len(_WOODS[camera.split])))]
    grain = rng.uniform(-0.5, 0.5) + (math.pi / 2 if rng.random() < 0.3 else 0.0)
    wood = _Wood(
        *colors, grain, rng.uniform(0.5, 0.8), rng.random(), rng.random((_LATTICE, _LATTICE))
    )
    return _PhotoSetup(fit @ projection, half, light, falloff, wood)


def _aim_camera(turn: float, tilt: float, roll: float, away: float) -> Floats:
    """Return the projection of a camera that looks at the middle of the board."""
    back = np.array(
        [math.sin(tilt) * math.sin(turn), math.sin(tilt) * math.cos(turn), math.cos(tilt)]
    )
    level = np.array([back[2], 0.0, -back[0]])  # so that the middle column of the board is upright
    level /= math.sqrt(level @ level)
    under = np.cross(back, level)
    right = math.cos(roll) * level + math.sin(roll) * under
    down = math.cos(roll) * under - math.sin(roll) * level
    return np.array([[*right, 0.0], [*down, 0.0], [*(-back / away), 1.0]])


def _list_corners(half: tuple[float, float]) -> Floats:
    x, y = half
    return np.array([(-x, -y), (x, -y), (x, y), (-x, y)])


def _slice_projection(projection: Floats, height: float) -> Floats:
    """Return the matrix of 3 x 3 from places at a height above the table to the photo."""
    return np.column_stack([projection[:, :2], projection[:, 2] * height + projection[:, 3]])


def _project(projection: Floats, places: Floats, height: float) -> Floats:
    """Return where places at a height above the table are in the photo."""
    seen = np.column_stack([places, np.ones(len(places))]) @ _slice_projection(projection, height).T
    return seen[:, :2] / seen[:, 2:]


class _PhotoExposure(NamedTuple):
    """How each pixel of a photo is made of four pixels of the picture, and of the table."""

    corners: NDArray[np.intp]  # the first of the four, in a picture with an edge around it
    weights: NDArray[np.uint8]  # 4 x pixels: of each of the four, times the light
    table: NDArray[np.uint8]  # pixels x 3, black where the board is

    @property
    def nbytes(self) -> int:
        return self.corners.nbytes + self.weights.nbytes + self.table.nbytes


@memoize
def _prepare_exposure(camera: PhotoCamera, size: tuple[int, int]) -> _PhotoExposure:
    """Compute all that the photos of a camera and a size share."""
    setup, many = _sample_setup(camera, size), size[0] * size[1]
    exposure = _PhotoExposure(
        np.empty(many, np.intp), np.empty((4, many), np.uint8), np.empty((many, 3), np.uint8)
    )
    for start in range(0, many, _CHUNK):
        chunk = slice(start, min(start + _CHUNK, many))
        part = _expose_pixels(np.arange(chunk.start, chunk.stop), setup, size)
        exposure.corners[chunk], exposure.weights[:, chunk], exposure.table[chunk] = part
    return exposure


def _expose_pixels(
    numbers: NDArray[np.intp], setup: _PhotoSetup, size: tuple[int, int]
) -> tuple[NDArray[np.intp], Floats, Floats]:
    """Return the entries of some pixels of an exposure."""
    width, height = size
    seen = np.stack([numbers % width + 0.5, numbers // width + 0.5, np.ones(len(numbers))])
    top, table = (
        np.linalg.inv(_slice_projection(setup.projection, above)) @ seen
        for above in (_THICKNESS, 0.0)
    )
    column = np.clip(top[0] / top[2] * max(size) / 2 + width / 2 + 0.5, 0, width)
    row = np.clip(top[1] / top[2] * max(size) / 2 + height / 2 + 0.5, 0, height)
    first_column, first_row = column.astype(np.intp), row.astype(np.intp)
    u, v = column - first_column, row - first_row

    corners = _list_corners(setup.half)
    edge, foot = (_project(setup.projection, corners, above) for above in (_THICKNESS, 0.0))
    on_board = _cover_pixels(edge, seen)
    on_box = _cover_pixels(_find_hull(np.concatenate([edge, foot])), seen)
    on_side = np.maximum(on_box - on_board, 0.0)

    across, down = seen[0] / width * 2 - 1, seen[1] / height * 2 - 1
    toward = across * math.cos(setup.light) + down * math.sin(setup.light)
    light = 1 - setup.falloff * (0.5 - 0.35 * toward) - _VIGNETTE * (across**2 + down**2)
    shares = np.stack([(1 - u) * (1 - v), u * (1 - v), (1 - u) * v, u * v])
    table = table[:2] / table[2]
    wood = _paint_wood(table, setup.wood) * _cast_shadow(table, setup)[:, None]
    bare = (1 - on_board - on_side)[:, None] * wood + on_side[:, None] * np.array(_SIDE)
    return (
        first_row * (width + 2) + first_column,
        np.rint(_BRIGHTEST * light * on_board * shares),
        np.floor(light[:, None] * bare),
    )


def _find_hull(points: Floats) -> Floats:
    """Return the corners of the convex hull of points, in their order around it."""
    ordered = sorted(map(tuple, points.tolist()))
    half_hulls = []
    for way in (ordered, ordered[::-1]):
        hull: list[tuple[float, ...]] = []
        for point in way:
            while len(hull) > 1 and _turn(hull[-2], hull[-1], point) <= 0:
                hull.pop()
            hull.append(point)
        half_hulls += hull[:-1]
    return np.array(half_hulls)


def _turn(a: tuple[float, ...], b: tuple[float, ...], c: tuple[float, ...]) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _cover_pixels(corners: Floats, seen: Floats) -> Floats:
    """Return the share of each pixel that a convex polygon covers, its corners clockwise."""
    share = np.ones(seen.shape[1])
    for (ax, ay), (bx, by) in zip(corners, np.roll(corners, -1, 0), strict=True):
        inside = (bx - ax) * (seen[1] - ay) - (by - ay) * (seen[0] - ax)
        share = np.minimum(share, inside / math.hypot(bx - ax, by - ay) + 0.5)
    return np.clip(share, 0.0, 1.0)


def _cast_shadow(places: Floats, setup: _PhotoSetup) -> Floats:
    """Return the share of the light that the board leaves to places of the table."""
    left = np.ones(places.shape[1])
    # A dark line where the board stands, and a wide soft shadow away from the light.
    for reach, soft in ((0.0, 0.05), (0.07, 0.2)):
        away = reach * math.cos(setup.light), reach * math.sin(setup.light)
        beyond = [
            np.maximum(np.abs(place + shift) - half, 0.0)
            for place, shift, half in zip(places, away, setup.half, strict=True)
        ]
        distance = np.sqrt(beyond[0] ** 2 + beyond[1] ** 2)
        left *= 1 - 0.45 * _ease(np.clip(1 - distance / soft, 0.0, 1.0))
    return left


def _ease(value: Floats) -> Floats:
    return value * value * (3 - 2 * value)


def _paint_wood(places: Floats, wood: _Wood) -> Floats:
    """Return the colours of places of the table, as rows of red, green and blue."""
    right, down = math.cos(wood.grain), math.sin(wood.grain)
    across = places[1] * right - places[0] * down
    position = across / wood.plank + wood.shift
    plank = np.floor(position).astype(np.intp)
    own = wood.lattice[plank % _LATTICE, 0]
    along = places[0] * right + places[1] * down + 40 * own  # cut from another place of the tree
    rings = _sample_pattern(wood.lattice, along * 0.35, across * 2.6 + plank * 5)
    rings = np.abs(np.modf(rings * 5)[0] * 2 - 1)
    streaks = _sample_pattern(wood.lattice, along * 1.4, across * 17 + plank * 7)
    fibres = _sample_pattern(wood.lattice, along * 3, across * 46 + plank * 3)
    tone = 0.34 * own + 0.24 * rings + 0.26 * streaks + 0.16 * fibres
    light, dark = np.array(wood.light, np.float64), np.array(wood.dark, np.float64)
    to_gap = np.abs(position - np.rint(position)) * wood.plank
    shade = 1 - 0.55 * np.clip(1 - to_gap / 0.008, 0.0, 1.0)
    colors: Floats = (light + (dark - light) * tone[:, None]) * shade[:, None]
    return colors


def _sample_pattern(lattice: Floats, x: Floats, y: Floats) -> Floats:
    """Return a smooth random pattern between the values of a lattice, which repeats itself."""
    column, row = np.floor(x).astype(np.intp), np.floor(y).astype(np.intp)
    u, v = _ease(x - column), _ease(y - row)
    (a, b), (c, d) = (
        [lattice[(row + down) % _LATTICE, (column + right) % _LATTICE] for right in (0, 1)]
        for down in (0, 1)
    )
    above, below = a + (b - a) * u, c + (d - c) * u
    return above + (below - above) * v
