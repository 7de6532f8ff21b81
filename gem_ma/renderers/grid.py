"""Draw a Grid: tiles out of an atlas, put together by one gather of rows of pixels."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

from gem_ma.renderers import font
from gem_ma.renderers.figures import mask
from gem_ma.renderers.themes import RGB, Theme, blank
from gem_ma.scene import Grid, Tile

BANDS = 512  # drawn rows of cells that are kept for each kind of board
LEVELS = 8  # of coverage at the edge of a figure: few colours, small files


class BadScene(ValueError):
    """A scene that cannot be drawn."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Where things stand in a frame, in pixels."""

    cell: int
    left: int  # of the board
    top: int
    rows: int
    columns: int
    text: int  # height of a line of text


def layout(scene: Grid, size: tuple[int, int], unit: int) -> Layout:
    """Fit the board into a frame: cells and margins are multiples of `unit` wherever that fits.

    A vision model that cuts pictures into patches of that size then has whole cells in them.
    """
    columns, rows = _shape(scene)
    width, height = size
    text = font.HEIGHTS[1] if min(size) >= 200 else font.HEIGHTS[0]
    below = len(scene.status) * text + (4 if scene.status else 0)
    for step in (unit, 1):
        side = step if scene.lines else 0
        above = step if scene.columns else 0
        if step == 1:
            side = text * 2 if scene.lines else 0
            above = text if scene.columns else 0
        cell = min((width - side) // columns, (height - above - below) // rows) // step * step
        if cell >= max(step, 1):
            break
    if cell < 3:
        raise BadScene(
            f"{columns} x {rows} cells do not fit into {width} x {height} pixels; use a larger "
            "image_size"
        )
    spare = (width - side - columns * cell) // 2 // step * step
    return Layout(cell, side + spare, above, rows, columns, text)


def _shape(scene: Grid) -> tuple[int, int]:
    if not scene.rows or not scene.rows[0]:
        raise BadScene("a Grid needs at least one row and one column")
    columns = len(scene.rows[0])
    for row in scene.rows:
        if len(row) != columns:
            widths = sorted({len(row) for row in scene.rows})
            raise BadScene(f"the rows of a Grid have different lengths: {widths}")
    return columns, len(scene.rows)


def draw(
    scene: Grid,
    size: tuple[int, int],
    theme: Theme,
    unit: int = 28,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """Return a frame: a new one, or `out`."""
    look = _prepared(scene, size, theme, unit)
    place, bands = look.place, look.bands
    left, cell, width = place.left, place.cell, place.columns * place.cell
    frame = np.empty((size[1], size[0], 3), np.uint8) if out is None else out
    if size != (width, place.rows * cell):
        frame[...] = canvas(scene.columns, scene.lines, scene.status, size, theme, place)
    numbers = indices(scene) if scene.marks else None
    top, right = place.top, left + width
    for number, row in enumerate(scene.rows):
        key = row if numbers is None else numbers[number].tobytes()
        band = bands.get(key)
        if band is None:
            _shape(scene)
            chosen = _row(row, scene.tiles) if numbers is None else numbers[number]
            band = _draw_band(chosen, look, key)
        frame[top : top + cell, left:right] = band
        top += cell
    return frame


def _draw_band(numbers: Any, look: _Look, key: Any) -> np.ndarray:
    """Draw one row of cells, by one gather of rows of pixels, and keep it."""
    rows = np.ascontiguousarray(look.atlas[numbers].T).view(np.uint8)
    band = rows.reshape(look.place.cell, look.place.columns * look.place.cell, 3)
    if len(look.bands) >= BANDS:
        look.bands.clear()
    look.bands[key] = band
    return band


@dataclass(frozen=True, slots=True)
class _Look:
    """What frames of one kind of board share."""

    tiles: tuple[tuple[str, Tile], ...]
    theme: Theme
    place: Layout
    atlas: np.ndarray  # tile x row of pixels, each row copied as one value
    bands: dict[Any, np.ndarray]  # rows of cells, drawn


# By the identity of tiles and theme: to hash them would cost more than the frame.
_looks: dict[tuple[Any, ...], _Look] = {}


def _prepared(scene: Grid, size: tuple[int, int], theme: Theme, unit: int) -> _Look:
    shape = len(scene.rows), len(scene.rows[0]) if scene.rows else 0
    labels = bool(scene.columns), bool(scene.lines), len(scene.status)
    key = id(scene.tiles), id(theme), size, unit, shape, labels
    look = _looks.get(key)
    if look is None or look.tiles is not scene.tiles or look.theme is not theme:
        place = layout(scene, size, unit)
        look = _Look(scene.tiles, theme, place, _atlas(scene.tiles, place.cell, theme), {})
        if len(_looks) >= 64:
            _looks.clear()
        _looks[key] = look
    return look


def decode(frame: np.ndarray, scene: Grid, theme: Theme, unit: int = 28) -> tuple[str, ...]:
    """Read the rows of symbols back from a frame; of `scene` only shape, tiles and labels count.

    A cell that is no tile of the atlas, bit by bit, comes out as "?".
    """
    place = layout(scene, (frame.shape[1], frame.shape[0]), unit)
    tiles = tile_pictures(scene.tiles, place.cell, theme)
    symbols = [symbol for symbol, _ in scene.tiles]
    known = {tile.tobytes(): symbols[i // 2] for i, tile in enumerate(tiles)}
    rows = []
    for row in range(place.rows):
        top = place.top + row * place.cell
        line = frame[top : top + place.cell]
        cells = [place.left + column * place.cell for column in range(place.columns)]
        rows.append("".join(known.get(line[:, x : x + place.cell].tobytes(), "?") for x in cells))
    return tuple(rows)


@functools.lru_cache(maxsize=64)
def distance(tiles: tuple[tuple[str, Tile], ...], cell: int, theme: Theme) -> float:
    """Return how much the two most similar tiles differ, as mean levels a channel; 0 is equal."""
    drawn = tile_pictures(tiles, cell, theme)[::2].astype(np.int16).reshape(len(tiles), -1)
    nearest = [np.abs(drawn[:i] - drawn[i]).mean(1).min() for i in range(1, len(drawn))]
    return float(min(nearest, default=float("inf")))


def legend(scene: Grid, theme: Theme) -> str:
    """Say what the named tiles look like in this theme."""
    parts = [f"{tile.name}: {_look(tile, theme)}" for _, tile in scene.tiles if tile.name]
    return "; ".join(dict.fromkeys(parts))


def _look(tile: Tile, theme: Theme) -> str:
    ground = f" on {theme.called(tile.ground)}" if tile.ground else ""
    if tile.figure:
        return f"{theme.called(tile.color)} {theme.figure(tile.figure)}{ground}"
    if tile.text:
        return f"{tile.text!r}{ground}"
    called = ground.removeprefix(" on ")
    article = "an" if called[:1] in tuple("aeiou") else "a"
    return f"{article} {called} cell" if ground else "an empty cell"


def indices(scene: Grid) -> np.ndarray:
    """Return the number of each cell's tile: even, and one more where the cell is marked."""
    columns, rows = _shape(scene)
    found = np.array([_row(row, scene.tiles) for row in scene.rows])
    for row, column in scene.marks:
        if not (0 <= row < rows and 0 <= column < columns):
            raise BadScene(f"the marked cell {row, column} is not on the board")
        found[row, column] += 1
    return found


def _row(row: Any, tiles: tuple[tuple[str, Tile], ...]) -> list[int]:
    table = {symbol: 2 * i for i, (symbol, _) in enumerate(tiles)}
    try:
        return [table[symbol] for symbol in row]
    except KeyError as error:
        known = ", ".join(repr(symbol) for symbol in table)
        raise BadScene(f"no tile for the symbol {error}; there are tiles for {known}") from None


@functools.lru_cache(maxsize=64)
def _atlas(tiles: tuple[tuple[str, Tile], ...], cell: int, theme: Theme) -> np.ndarray:
    """Return every tile, plain and marked, as rows of pixels that are copied as one value each."""
    drawn = tile_pictures(tiles, cell, theme)
    return drawn.reshape(len(drawn), cell, cell * 3).view(f"V{cell * 3}")[..., 0]


@functools.lru_cache(maxsize=64)
def tile_pictures(tiles: tuple[tuple[str, Tile], ...], cell: int, theme: Theme) -> np.ndarray:
    """Return every tile, plain and marked in turn."""
    pictures = [_tile(tile, cell, theme, marked) for _, tile in tiles for marked in (False, True)]
    result = np.stack(pictures)
    result.setflags(write=False)
    return result


def _tile(tile: Tile, cell: int, theme: Theme, marked: bool) -> np.ndarray:
    ground = theme.color(tile.ground) if tile.ground else theme.cell
    picture = np.empty((cell, cell, 3), np.uint8)
    picture[:] = ground
    picture[0], picture[:, 0] = theme.line, theme.line  # the lines of the grid
    if tile.figure:
        side = max(1, round(cell * theme.size))
        coverage = mask(theme.figure(tile.figure), side)
        steps = (coverage.astype(np.uint16) * LEVELS + 127) // 255 * 255 // LEVELS
        x, y = (round((cell - side) / 2 + share * cell) for share in theme.shift)
        inside = picture[y : y + side, x : x + side]
        font.blend(inside, steps, theme.color(tile.color))
    if tile.text:
        _letters(picture, tile, cell, theme, ground)
    if marked:
        edge = max(1, cell // 14)
        for side_of in (picture[:edge], picture[-edge:], picture[:, :edge], picture[:, -edge:]):
            side_of[:] = theme.mark
    return picture


def _letters(picture: np.ndarray, tile: Tile, cell: int, theme: Theme, ground: RGB) -> None:
    under = theme.color(tile.color) if tile.figure else ground
    ink = readable(under) if tile.figure else theme.color(tile.color)
    if not tile.figure and abs(luma(ink) - luma(ground)) < 70:
        ink = readable(ground)
    fitting = [h for h in font.HEIGHTS if h < cell and font.width(h) * len(tile.text) < cell]
    height = fitting[-1] if fitting else font.HEIGHTS[0]
    x = (cell - font.width(height) * len(tile.text)) // 2
    font.paste(picture, max(x, 0), max((cell - height) // 2, 0), tile.text, height, ink)


def luma(color: RGB) -> float:
    """Return how bright a colour is, 0 to 255."""
    return 0.299 * color[0] + 0.587 * color[1] + 0.114 * color[2]


def readable(ground: RGB) -> RGB:
    """Return dark or bright, whichever stands out more from a ground."""
    red, green, blue = ((part / 255) ** 2.2 for part in ground)
    light = 0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05
    return (20, 20, 22) if light / 0.06 > 1.05 / light else (250, 250, 250)


@functools.lru_cache(maxsize=256)
def canvas(
    columns: tuple[str, ...],
    lines: tuple[str, ...],
    status: tuple[str, ...],
    size: tuple[int, int],
    theme: Theme,
    place: Layout,
) -> np.ndarray:
    """Draw what surrounds the board: labels and status."""
    ground = blank(size, theme.paper)
    cell, text = place.cell, place.text
    for i, label in enumerate(columns):
        x = place.left + i * cell + (cell - font.width(text) * len(label)) // 2
        font.paste(ground, x, max(place.top - text - 2, 0), label, text, theme.ink)
    for i, label in enumerate(lines):
        x = place.left - font.width(text) * len(label) - 4
        y = place.top + i * cell + (cell - text) // 2
        font.paste(ground, max(x, 0), y, label, text, theme.ink)
    y = place.top + place.rows * cell + 4
    wide = size[0] // font.width(text)
    for line in status:
        shown = font.shorten(line, wide)
        font.paste(
            ground,
            max((size[0] - font.width(text) * len(shown)) // 2, 0),
            y,
            shown,
            text,
            theme.ink,
        )
        y += text
    ground.setflags(write=False)
    return ground
