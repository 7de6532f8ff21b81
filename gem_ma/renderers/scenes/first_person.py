"""The renderer of FirstPerson: rays through a plan of cells, one for each column of pixels.

The eye is always at the same place of its cell and looks along an axis of the plan. So the sides of
cells that a ray passes are the same in every picture of a width, and are kept in a table.
"""

from __future__ import annotations

import numpy as np

from gem_ma.renderers import font
from gem_ma.renderers.cache import memoize
from gem_ma.renderers.scenes.shapes import draw_figure
from gem_ma.renderers.themes import RGB, Theme, make_frame
from gem_ma.scene import COLORS, BadScene, FrameTooSmall
from gem_ma.scene.first_person import BEHIND, DOOR_EDGE, SIGHT, FirstPerson, SeenThing, SeenWall

_WIDEST = 16 / 9  # proportions of the widest view; a wider frame has margins
_SMALLEST = 16  # pixels of a view across
_ROWS = SIGHT + 2  # of cells from that of the eye on, the dark ones included
_SPAN = 2 * _ROWS + 3  # cells across that rays can reach
_SIDES = ("front", "left", "right")
# Heights above the eye, in cells. The eye is at half the height of a wall.
_TOP, _LINTEL, _DOOR_TOP, _SKIRTING, _BOTTOM = 0.5, 0.32, 0.34, -0.43, -0.5
_TRIM = 0.045  # width of the frame of a doorway or door
_HANDLE = (0.02, -0.04), (0.7, 0.76)  # of a door: its heights, and where it is across
_SEAM = 0.01  # half width of the line between neighbouring walls
_FAR_BRIGHTNESS = 0.66  # of the most distant walls and floor
_SIDE_BRIGHTNESS = 0.9
_SEAM_BRIGHTNESS = 0.72
_TILE_BRIGHTNESS = 0.88  # of a dark floor tile


def draw(scene: FirstPerson, size: tuple[int, int], theme: Theme) -> np.ndarray:
    """Draw the scene as a new frame: the view as wide as the frame, and the status below."""
    width, height = size
    text = font.list_caption_heights(scene.status, size, 8)[0]
    status = font.wrap_lines(scene.status, max(1, (width - 8) // font.measure_advance(text)))
    high = height - len(status) * text - (4 if status else 0)
    wide = min(width, round(high * _WIDEST))
    if min(wide, high) < _SMALLEST:
        raise FrameTooSmall(
            f"a view of rooms does not fit into {width} x {height} pixels; use a larger image_size"
        )
    view = _draw_view(scene, wide, high, theme)
    if (wide, high) == size:
        return view
    frame = make_frame(size, theme.paper)
    left = (width - wide) // 2
    frame[:high, left : left + wide] = view
    font.draw_lines(frame, 4, high + 2, status, text, theme.ink)
    return frame


def _draw_view(scene: FirstPerson, wide: int, high: int, theme: Theme) -> np.ndarray:
    frame = _draw_ground(wide, high, scene.odd, theme).copy()
    sides, (distances, places, brightness) = _list_sides(wide), _trace_rays(wide)
    numbers = np.zeros(len(_SIDES) * _ROWS * _SPAN + 1, np.intp)
    numbers[-1] = 1  # where rays end that meet nothing
    walls = [SeenWall(*wall) for wall in scene.walls]  # those from a server are plain tuples
    for number, side in enumerate(walls, 2):
        numbers[_number_side(side)] = number
    solid, framed, uppers, lowers, skirtings, doors = _color_walls(walls, theme)
    trim = np.array(_mix(theme.color("floor"), (0, 0, 0), 0.45))
    passed = numbers[sides]
    edge = np.minimum(places, 1 - places)
    is_framed = framed[passed]
    hit = (solid[passed] | (is_framed & (edge < DOOR_EDGE))).argmax(0)
    columns = np.arange(wide)
    wall, far, at_edge = passed[hit, columns], distances[hit, columns], edge[hit, columns]
    light = brightness[hit, columns] * np.where(at_edge < _SEAM, _SEAM_BRIGHTNESS, 1.0)
    wall_light = light[:, None]
    upper, lower, skirting = uppers[wall], lowers[wall], skirtings[wall]
    is_post = is_framed[hit, columns] & (at_edge > DOOR_EDGE - _TRIM)
    upper[is_post] = lower[is_post] = trim
    painter = _Painter(frame, wide / 2 / far)
    painter.paint(_TOP, 0.0, upper * wall_light, smooth="above")
    painter.paint(0.0, _BOTTOM, lower * wall_light, smooth="")
    painter.paint(_SKIRTING, _BOTTOM, skirting * wall_light)
    door = (doors[wall, 0] >= 0) & (at_edge > DOOR_EDGE - _TRIM)
    if door.any():
        painter.paint(_DOOR_TOP + _TRIM, _BOTTOM, trim * wall_light, where=door)
        panel = door & (at_edge > DOOR_EDGE)
        painter.paint(_DOOR_TOP, _BOTTOM, doors[wall] * wall_light, where=panel)
        (above, below), (first, last) = _HANDLE
        place = places[hit, columns]
        handle = panel & (place > first) & (place < last)
        painter.paint(above, below, trim * wall_light, where=handle)
    through = is_framed & (np.arange(len(sides))[:, None] < hit)
    if through.any():
        count = through.cumsum(0)
        for nth in range(count[-1].max(), 0, -1):  # lintels, the far ones first
            row = (count >= nth).argmax(0)
            painter = _Painter(frame, wide / 2 / distances[row, columns])
            light, over = brightness[row, columns, None], count[-1] >= nth
            upper = uppers[passed[row, columns]]
            painter.paint(_TOP, _LINTEL + _TRIM / 2, upper * light, smooth="above", where=over)
            painter.paint(_LINTEL + _TRIM, _LINTEL, trim * light, where=over)
    things = [SeenThing(*thing) for thing in scene.things]
    for thing in sorted(things, key=lambda one: -one.depth):
        _draw_thing(frame, thing, far, theme)
    return frame


class _Painter:
    """It paints bands between two heights on walls whose scale is known for each column."""

    def __init__(self, frame: np.ndarray, scale: np.ndarray) -> None:
        self.frame = frame  # high x wide x 3, contiguous
        self.scale = scale  # pixels in a cell

    def paint(
        self,
        above: float,
        below: float,
        shades: np.ndarray,
        *,
        smooth: str = "above below",
        where: np.ndarray | None = None,
    ) -> None:
        """Paint the columns `where` between two heights above the eye.

        Args:
            above: The upper end.
            below: The lower end.
            shades: A colour for each column.
            smooth: Which ends are blended with what is there: "above", "below" or both.
            where: The columns; None: all.
        """
        high, wide = self.frame.shape[:2]
        first, last = 0, wide
        if where is not None:
            found = np.flatnonzero(where)
            if not len(found):
                return
            first, last = int(found[0]), int(found[-1]) + 1
        scale, middle = self.scale[first:last], high // 2
        top = np.minimum(np.maximum(middle - above * scale, 0), high)
        bottom = np.minimum(np.maximum(middle - below * scale, 0), high)
        if where is not None:
            bottom = np.where(where[first:last], bottom, top)
        inks = shades[first:last].astype(np.uint8)
        start, end = np.ceil(top).astype(np.int16), np.floor(bottom).astype(np.int16)
        if "above" in smooth:
            self._blend_row(first, start - 1, np.minimum(start, bottom) - top, inks)
        if "below" in smooth:
            self._blend_row(first, end, np.where(end >= start, bottom - end, 0.0), inks)
        low, lowest = int(start.min()), int(end.max())
        if low >= lowest:
            return
        area = self.frame[low:lowest].reshape(lowest - low, -1)[:, 3 * first : 3 * last]
        rows = np.arange(low, lowest, dtype=np.int16)[:, None]
        inside = rows >= start.repeat(3)
        inside &= rows < end.repeat(3)
        change = area ^ inks.reshape(-1)  # where inside, area ^ change is the ink
        change *= inside
        area ^= change

    def _blend_row(
        self, first: int, rows: np.ndarray, shares: np.ndarray, inks: np.ndarray
    ) -> None:
        """Blend a pixel of each column with its ink, by the share of it that is covered."""
        high, wide = self.frame.shape[:2]
        pixels = self.frame.reshape(-1, 3)
        levels = (shares * 256).astype(np.int32)[:, None]  # 0 outside of the frame
        rows = np.minimum(np.maximum(rows, 0), high - 1).astype(np.intp)
        places = rows * wide + np.arange(first, first + len(rows))
        under = pixels.take(places, 0).astype(np.int32)
        under += (inks - under) * levels >> 8
        pixels[places] = under


def _draw_thing(frame: np.ndarray, thing: SeenThing, far: np.ndarray, theme: Theme) -> None:
    """Draw a figure in the columns in which no wall is before it."""
    high, wide = frame.shape[:2]
    distance = thing.depth + BEHIND
    if thing.color not in COLORS or thing.depth < 1:
        raise BadScene(f"{thing}: expected a colour of {', '.join(COLORS)}, and a depth from 1 on")
    scale = wide / 2 / distance
    side = max(3, round(thing.height * scale))
    left = round(wide / 2 + thing.across * scale - side / 2)
    top = round(high // 2 - _BOTTOM * scale) - side
    by = max(1, round(side / 40))
    free = np.zeros(wide + 2, np.int8)
    free[1:-1] = far > distance
    free[1 : max(1, left - by + 1)] = free[max(1, left + side + by + 1) :] = 0
    changes = np.flatnonzero(np.diff(free))
    for first, last in zip(changes[::2].tolist(), changes[1::2].tolist(), strict=True):
        part = frame[:, first:last]
        draw_figure(part, left - first, top, thing.figure, side, theme.color(thing.color), by)


def _color_walls(walls: list[SeenWall], theme: Theme) -> tuple[np.ndarray, ...]:
    """Return, for each number of a wall, whether it is solid, whether it is a doorway, and colours.

    The colours are those of the upper half, of the lower half, of the skirting and of a door.
    Number 0 is open, and number 1 is what rays meet that meet nothing.
    """
    kinds = ["", "dark", *[wall.kind for wall in walls]]
    dark = _mix(theme.paper, (0, 0, 0), 0.75)
    plain, skirting = theme.color("floor"), _mix(theme.color("floor"), (0, 0, 0), 0.45)
    no_door = (-1, -1, -1)
    colors = [(dark, dark, dark, no_door)] * 2
    for wall in walls:
        if wall.color not in COLORS or (wall.door and wall.door not in COLORS):
            raise BadScene(f"{wall}: expected colours of {', '.join(COLORS)}")
        door = theme.color(wall.door) if wall.door else no_door
        is_dark = wall.kind == "dark"
        colors.append(colors[0] if is_dark else (theme.color(wall.color), plain, skirting, door))
    solid = np.array([kind not in ("", "doorway") for kind in kinds])
    framed = np.array([kind == "doorway" for kind in kinds])
    return solid, framed, *np.array(colors).transpose(1, 0, 2)


def _number_side(wall: SeenWall) -> int:
    across = wall.across + _SPAN // 2
    if wall.side not in _SIDES or not (0 <= wall.depth < _ROWS and 0 <= across < _SPAN):
        raise BadScene(f"{wall}: expected a side of {_SIDES}, and a cell in sight")
    return (_SIDES.index(wall.side) * _ROWS + wall.depth) * _SPAN + across


def _sort_crossings(wide: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return the sides that the ray of each column crosses, from near to far.

    Returns:
        The numbers of the sides, the distances, the places on them (from 0 at the left end to 1, as
        seen by who faces them), and whether they are side walls, as arrays of crossing x column.
    """
    slope = (2 * np.arange(wide) + 1 - wide) / wide
    depth = np.arange(_ROWS)[:, None]
    ahead = np.broadcast_to(depth + BEHIND + 0.5, (_ROWS, wide))
    reach = slope * ahead
    across = np.floor(reach + 0.5)
    front = depth * _SPAN + across + _SPAN // 2
    beside = np.arange(_ROWS + 1)[:, None] + 0.5
    with np.errstate(divide="ignore"):
        distance = beside / abs(slope)
    along = distance - BEHIND + 0.5
    side_depth = np.floor(np.minimum(along, _ROWS))
    cell = np.sign(slope) * (beside - 0.5) + _SPAN // 2
    side = (np.where(slope < 0, 1, 2) * _ROWS + side_depth) * _SPAN + cell
    end = len(_SIDES) * _ROWS * _SPAN
    is_out = side_depth >= _ROWS
    side[is_out], distance[is_out] = end, ahead[-1, 0] + 1
    numbers = np.concatenate([front, side, np.full((1, wide), end)])
    distances = np.concatenate([ahead, distance, np.full((1, wide), ahead[-1, 0] + 1)])
    place = np.where(slope < 0, along - side_depth, 1 - (along - side_depth))
    places = np.concatenate([reach + 0.5 - across, place, np.full((1, wide), 0.5)])
    sideways = np.concatenate([ahead < 0, distance > 0, np.zeros((1, wide), bool)])
    order = distances.argsort(0, kind="stable")
    return (
        np.take_along_axis(numbers, order, 0).astype(np.intp),
        np.take_along_axis(distances, order, 0),
        np.take_along_axis(places, order, 0),
        np.take_along_axis(sideways, order, 0),
    )


@memoize
def _list_sides(wide: int) -> np.ndarray:
    return _sort_crossings(wide)[0]


@memoize
def _trace_rays(wide: int) -> np.ndarray:
    """Return the distance, the place and the brightness of each crossing."""
    _, distances, places, sideways = _sort_crossings(wide)
    light = _dim(distances) * np.where(sideways, _SIDE_BRIGHTNESS, 1.0)
    return np.stack([distances, places, light])


def _dim(distances: np.ndarray) -> np.ndarray:
    """Return the brightness of what is at these distances."""
    share = (distances / _ROWS).clip(0, 1)
    dimmed: np.ndarray = 1 - (1 - _FAR_BRIGHTNESS) * share
    return dimmed


@memoize
def _draw_ground(wide: int, high: int, odd: bool, theme: Theme) -> np.ndarray:
    """Return the floor with its tiles, and the ceiling, each as far as the horizon."""
    below = (np.arange(2 * high) + 0.5) / 2 - high // 2  # two samples a pixel, in both ways
    distance = 0.5 * wide / 2 / np.maximum(abs(below), 0.25)
    slope = (2 * np.arange(2 * wide) + 1 - 2 * wide) / (2 * wide)
    across = np.floor(slope * distance[:, None] + 0.5).astype(np.int32)
    depth = np.floor(distance - BEHIND + 0.5).astype(np.int32)[:, None]
    is_dark = ((across + depth + odd) % 2 == 1) & (below[:, None] > 0)
    fine = np.where(is_dark, _TILE_BRIGHTNESS, 1.0) * _dim(distance)[:, None]
    # Sums in this order are equal on every processor.
    shade = (fine[::2, ::2] + fine[1::2, ::2] + fine[::2, 1::2] + fine[1::2, 1::2]) / 4
    floor, ceiling = theme.color("board"), _mix(theme.paper, theme.ink, 0.12)
    colors = np.where((np.arange(high) >= high // 2)[:, None], floor, ceiling)
    ground: np.ndarray = (shade[:, :, None] * colors[:, None, :]).astype(np.uint8)
    return ground


def _mix(one: RGB, other: RGB, share: float) -> RGB:
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(one, other, strict=True))
    return red, green, blue
