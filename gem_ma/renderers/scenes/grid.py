"""The renderer of Grid: cached tiles, joined to one cached band for each row."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gem_ma.renderers import font
from gem_ma.renderers.cache import RENDER_CACHE, memoize
from gem_ma.renderers.contrast import (
    BRIGHT_INK,
    CLEAR_CONTRAST,
    DARK_INK,
    MIN_CONTRAST,
    choose_ink,
    choose_outline,
    compute_contrast,
    compute_edge_contrast,
    dilate_mask,
    make_outline,
)
from gem_ma.renderers.figures import make_mask
from gem_ma.renderers.scenes.shapes import draw_figure
from gem_ma.renderers.themes import RGB, Theme, make_frame
from gem_ma.scene import BadScene, FrameTooSmall, Grid, GridRow, HexGrid, Tile

FIGURE_LEVELS = 8  # coverage levels at the edge of a figure: few colours keep files small
PART_LEVELS = 2  # coverage levels where many parts overlap: a file has a palette of 256 colours
_GAP = 4  # pixels between the board and the status below
_MIN_CELL = 3  # least cell size in pixels
_CRAMPED_CELL = 7  # below this cell size in pixels, figures begin to look alike
_READABLE_CELL = 12  # below this cell size in pixels, the status text becomes smaller
# least drawn share of the squared shorter side: 0.55 is required, and letters have margins
_MIN_COVERED_SHARE = 0.6
# Alignment shrinks cells to no less than these shares of the largest that fit; the second is that
# of cells of two patches and more, to which it matters less. It shrinks no board that fills little
# of the frame, such as a tall one.
_NEAR_SHARE, _NEAR_LARGE_SHARE = 0.64, 0.85


@dataclass(frozen=True, slots=True)
class GridLayout:
    """The layout of a board in a frame, in pixels."""

    cell: int
    left: int  # of the board
    top: int
    rows: int
    columns: int
    text: int  # height of a line of text

    @property
    def is_cramped(self) -> bool:
        """Whether cells are too small to distinguish figures and letters."""
        return self.cell < _CRAMPED_CELL


def compute_grid_layout(scene: Grid, size: tuple[int, int], unit: int) -> GridLayout:
    """Compute the layout of a board in a frame, aligned to multiples of `unit` where worthwhile.

    A vision model that cuts pictures into patches of that size then has whole cells in its patches.
    If alignment would make the board too small, cells and margins are multiples of half a unit, or
    are not aligned at all.
    """
    columns, rows = _check_shape(scene)
    wide = max(map(len, scene.lines), default=0)
    status = scene.status
    heights = font.list_heights(size)
    plain = _READABLE_CELL
    if any(tile.parts for _, tile in scene.tiles):  # details of parts justify smaller text
        lines = font.wrap_lines(status, size[0] // font.measure_advance(heights[-1]))
        most = _fit_layout(
            columns, rows, wide, bool(scene.columns), len(lines), heights[-1], size, unit
        )
        plain = math.ceil(most.cell * 0.9) if most else 0
    for text in heights:
        lines = font.wrap_lines(status, size[0] // font.measure_advance(text))
        if text * len(lines) > font.CAPTION_SHARE * size[1] and text != heights[-1]:
            continue
        layout = _fit_layout(columns, rows, wide, bool(scene.columns), len(lines), text, size, unit)
        if layout is not None and (layout.cell >= plain or not lines or text == heights[-1]):
            return layout
    raise FrameTooSmall(
        f"{columns} x {rows} cells{' and the text below' if status else ''} do not fit into "
        f"{size[0]} x {size[1]} pixels; use a larger image_size"
    )


@functools.lru_cache(maxsize=1024)
def _fit_layout(
    columns: int,
    rows: int,
    wide: int,
    labelled: bool,
    lines: int,
    text: int,
    size: tuple[int, int],
    unit: int,
) -> GridLayout | None:
    """Return the layout for these numbers of cells and status lines, or None if it does not fit."""
    width, height = size
    advance = font.measure_advance(text)
    below = lines * text + (_GAP if lines else 0)
    best = None
    for step in (1, unit // 2, unit):
        if step < 1:
            continue
        beside = wide * advance + _GAP if wide else 0
        over = text + 2 if labelled else 0
        side, above = -(-beside // step) * step, -(-over // step) * step
        cell = min((width - side) // columns, (height - above - below) // rows) // step * step
        if cell < _MIN_CELL:
            continue
        across, down = side + columns * cell, above + rows * cell + below
        drawn_area = (across - side + beside) * (down - above + over)
        full = drawn_area >= _MIN_COVERED_SHARE * min(size) ** 2
        if best is None:
            largest, best_full = cell, full
            near = (_NEAR_LARGE_SHARE if cell >= 2 * unit else _NEAR_SHARE) if full else 1.0
        elif full < best_full or cell < near * largest:
            continue
        left = (width - across) // 2 // step * step + side
        top = (height - down) // 2 // step * step + above
        best = GridLayout(cell, left, top, rows, columns, text)
    return best


def _check_shape(scene: Grid) -> tuple[int, int]:
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
    """Draw the board into a new frame, or into `out`."""
    style = prepare_style(scene, size, theme, unit)
    layout = style.layout
    left, cell, width = layout.left, layout.cell, layout.columns * layout.cell
    frame = np.empty((size[1], size[0], 3), np.uint8) if out is None else out
    if size != (width, layout.rows * cell):
        frame[...] = draw_canvas(scene.columns, scene.lines, size, theme, layout)
    marks = find_marked_columns(scene.marks, layout.rows, layout.columns)
    top, right = layout.top, left + width
    for number, row in enumerate(scene.rows):
        key: Hashable = style.style_id, row, marks.get(number)
        band = RENDER_CACHE.get(key)
        if band is None:
            _check_shape(scene)
            tile_numbers = index_row(row, scene.tiles, marks.get(number, ()))
            band = RENDER_CACHE.put(key, _draw_band(tile_numbers, style))
        frame[top : top + cell, left:right] = band
        top += cell
    if right == size[0]:  # else the lines that close the grid are beside its cells
        frame[layout.top : top, -1] = theme.line
    if top == size[1]:
        frame[-1, left:right] = theme.line
    for x, y, line in place_status(scene.status, size, layout):
        words = font.render_line(line, layout.text, theme.ink, theme.paper)
        frame[y : y + layout.text, x : x + words.shape[1]] = words
    return frame


def place_status(
    status: tuple[str, ...], size: tuple[int, int], place: GridLayout
) -> list[tuple[int, int, str]]:
    """Return x, y and text of each line below the board."""
    if not status:
        return []
    advance = font.measure_advance(place.text)
    y = place.top + place.rows * place.cell + _GAP
    placements = []
    for line in font.wrap_lines(status, size[0] // advance):
        if line:
            placements.append(((size[0] - advance * len(line)) // 2, y, line))
        y += place.text
    return placements


def _draw_band(numbers: Sequence[int], look: GridStyle) -> np.ndarray:
    """Draw one row of cells."""
    return np.concatenate([render_tile(look, number) for number in numbers], 1)


def draw_tile(one: Tile, cell: int, theme: Theme, marked: bool = False) -> np.ndarray:
    """Draw one tile as it appears on a board with this cell size."""
    return (
        _mark_cell(_draw_tile(one, cell, theme)[0], theme)
        if marked
        else _draw_tile(one, cell, theme)[0]
    )


def _mark_cell(picture: np.ndarray, theme: Theme) -> np.ndarray:
    """Draw the frame of a marked cell, in place."""
    wide = max(1, round(len(picture) / 12))
    ground = tuple(picture[-1, -1].tolist())
    ink = theme.mark if compute_contrast(theme.mark, ground) >= MIN_CONTRAST else choose_ink(ground)
    for side in (picture[:wide], picture[-wide:], picture[:, :wide], picture[:, -wide:]):
        side[:] = ink
    return picture


@dataclass(frozen=True, slots=True, eq=False)
class GridStyle:
    """The parts that frames of one kind of board share; `style_id` is in their cache keys."""

    style_id: int
    tiles: tuple[tuple[str, Tile], ...]
    theme: Theme
    layout: GridLayout
    nbytes: int = 256


def render_tile(look: GridStyle, number: int) -> np.ndarray:
    """Return the picture of a tile by number; even numbers are plain tiles, odd ones marked."""
    key = look.style_id, number
    picture: np.ndarray | None = RENDER_CACHE.get(key)
    if picture is None:
        if number % 2:
            picture = _mark_cell(render_tile(look, number - 1).copy(), look.theme)
        else:
            picture, _ = _draw_tile(look.tiles[number // 2][1], look.layout.cell, look.theme)
        RENDER_CACHE.put(key, picture)
    return picture


_style_ids = itertools.count()


def prepare_style(scene: Grid, size: tuple[int, int], theme: Theme, unit: int) -> GridStyle:
    """Return the style that all frames of a board share, for any position and status."""
    layout = compute_grid_layout(scene, size, unit)
    # Keyed by the identity of tiles and theme: hashing them would cost more than the frame.
    key = id(scene.tiles), id(theme), layout
    style: GridStyle | None = RENDER_CACHE.get(key)
    if style is None or style.tiles is not scene.tiles or style.theme is not theme:
        style = _find_equal_style(scene.tiles, theme, layout)
        RENDER_CACHE.put(key, style)
    return style


def _find_equal_style(
    tiles: tuple[tuple[str, Tile], ...], theme: Theme, place: GridLayout
) -> GridStyle:
    """Return the style of equal tiles, such as those of a scene from another process."""
    key = tiles, id(theme), place
    style: GridStyle | None = RENDER_CACHE.get(key)
    if style is None or style.theme is not theme:
        style = GridStyle(next(_style_ids), tiles, theme, place)
        RENDER_CACHE.put(key, style)
    return style


def decode_frame(frame: np.ndarray, scene: Grid, theme: Theme, unit: int = 28) -> tuple[str, ...]:
    """Read the rows of symbols back from a frame; the symbols in `scene` itself are ignored.

    A cell that does not equal a tile bit by bit is read as "?".
    """
    style = prepare_style(scene, (frame.shape[1], frame.shape[0]), theme, unit)
    layout = style.layout
    cell, numbers = layout.cell, range(2 * len(scene.tiles))

    @functools.cache
    def list_symbols(height: int, width: int) -> dict[bytes, str]:
        """Return the symbol of each picture of a tile, cut to this size."""
        pictures = [render_tile(style, number)[:height, :width].tobytes() for number in numbers]
        return {pictures[number]: scene.tiles[number // 2][0] for number in reversed(numbers)}

    rows = []
    for row in range(layout.rows):
        top = layout.top + row * cell
        line = frame[top : min(top + cell, len(frame) - 1)]  # the last row may be the closing line
        parts = [line[:, x : min(x + cell, frame.shape[1] - 1)] for x in
                 range(layout.left, layout.left + layout.columns * cell, cell)]  # fmt: skip
        rows.append("".join(list_symbols(*p.shape[:2]).get(p.tobytes(), "?") for p in parts))
    return tuple(rows)


@memoize
def compute_tile_distance(
    tiles: tuple[tuple[str, Tile], ...], cell: int, theme: Theme
) -> np.float64:
    """Return the mean difference of the two most similar tiles, in levels per channel."""
    pictures = np.stack([_draw_tile(one, cell, theme)[0] for _, one in tiles])
    pixels = pictures.astype(np.int16).reshape(len(tiles), -1)
    nearest = [np.abs(pixels[:i] - pixels[i]).mean(1).min() for i in range(1, len(pixels))]
    return np.float64(min(nearest, default=float("inf")))


@memoize
def compute_tile_contrast(
    tiles: tuple[tuple[str, Tile], ...], cell: int, theme: Theme
) -> np.float64:
    """Return the lowest contrast of all figures and letters with their surroundings, 1 to 21."""
    contrasts = [float("inf")]
    for _, one in tiles:
        _, shapes = _draw_tile(one, cell, theme)
        contrasts += [
            compute_edge_contrast(*shape, _compute_outline_width(cell) + 1) for shape in shapes
        ]
    return np.float64(min(contrasts))


def make_grid_legend(scene: Grid | HexGrid, theme: Theme) -> str:
    """Describe how the named tiles look in this theme."""
    texts: dict[str, set[str]] = {}  # a name that covers several texts is described without text
    for _, tile in scene.tiles:
        texts.setdefault(tile.name, set()).add(tile.text)
    parts = []
    for name, letters in texts.items():
        for _, tile in scene.tiles:
            if name and tile.name == name:
                example = tile if len(letters) == 1 else replace(tile, text="")
                parts.append(f"{name}: {_describe_tile(example, theme)}")
    for _, tile in scene.tiles:
        parts += [
            f"{part_name}: {theme.describe_color(color)}"
            for _, color, *name in tile.parts
            for part_name in name
        ]
    return "; ".join(dict.fromkeys(parts))


def _describe_tile(tile: Tile, theme: Theme) -> str:
    ground = f" on {theme.describe_color(tile.ground)}" if tile.ground else ""
    if tile.figure:
        color = f"{theme.describe_color(tile.color)} " if tile.color else ""
        return f"{color}{theme.figure(tile.figure)}{ground}"
    if tile.text:
        return f"{tile.text!r}{ground}"
    color_name = ground.removeprefix(" on ")
    article = "an" if color_name[:1] in tuple("aeiou") else "a"
    return f"{article} {color_name} cell" if ground else "an empty cell"


@functools.lru_cache(1024)  # the same few squares, in every frame
def find_marked_columns(
    marks: tuple[tuple[int, int], ...], rows: int, columns: int
) -> dict[int, tuple[int, ...]]:
    """Return the marked columns of each row that has any."""
    marked: dict[int, list[int]] = {}
    for row, column in marks:
        if not (0 <= row < rows and 0 <= column < columns):
            raise BadScene(
                f"the marked cell {row, column} is not on the board, of {rows} rows and {columns} "
                "columns"
            )
        marked.setdefault(row, []).append(column)
    return {row: tuple(sorted(set(found))) for row, found in marked.items()}


def index_row(
    row: GridRow, tiles: tuple[tuple[str, Tile], ...], marks: tuple[int, ...] = ()
) -> list[int]:
    """Return the tile number of each cell of a row: even if it is plain, one more if marked."""
    table = {symbol: 2 * i for i, (symbol, _) in enumerate(tiles)}
    try:
        numbers = [table[symbol] for symbol in row]
    except KeyError as error:
        symbols = ", ".join(repr(symbol) for symbol in table)
        raise BadScene(f"no tile for the symbol {error}; there are tiles for {symbols}") from None
    for column in marks:
        numbers[column] += 1
    return numbers


def _draw_tile(
    tile: Tile, cell: int, theme: Theme
) -> tuple[np.ndarray, list[tuple[np.ndarray, np.ndarray]]]:
    """Draw a tile; return its picture, and per figure or text a picture with its pixel mask."""
    ground = theme.color(tile.ground) if tile.ground else theme.cell
    picture = np.empty((cell, cell, 3), np.uint8)
    picture[:] = ground
    picture[0], picture[:, 0] = theme.line, theme.line  # the lines of the grid
    shapes, middle = [], (cell / 2, cell / 2)
    if tile.parts:
        return picture, _draw_parts(picture, tile, cell, theme)
    if tile.figure:
        side = max(1, round(cell * theme.size))
        coverage = make_mask(theme.figure(tile.figure), side)
        steps = (coverage.astype(np.uint16) * FIGURE_LEVELS + 127) // 255 * 255 // FIGURE_LEVELS
        # room for an outline
        least, most = 1 + _compute_outline_width(cell), cell - side - _compute_outline_width(cell)
        x, y = (
            max(min(round((cell - side) / 2 + share * cell), most), min(least, (cell - side) // 2))
            for share in theme.shift
        )
        color = theme.color(tile.color) if tile.color else choose_ink(ground)
        shape = np.zeros((cell, cell), bool)
        shape[y : y + side, x : x + side] = coverage > 127
        candidates: list[tuple[float, np.ndarray]] = []
        clear = compute_contrast(color, ground) >= CLEAR_CONTRAST
        # outline colours to try; None draws no outline
        for ink in (None, choose_outline(color, ground), DARK_INK, BRIGHT_INK)[not clear :]:
            candidate = picture.copy()
            if ink is not None:
                _draw_outline(candidate, steps, x, y, cell, ink)
            font.blend_ink(candidate[y : y + side, x : x + side], steps, color)
            candidates.append(
                (
                    compute_edge_contrast(candidate, shape, _compute_outline_width(cell) + 1),
                    candidate,
                )
            )
            if candidates[-1][0] >= MIN_CONTRAST:  # else thin parts or grid lines blur it
                break
        picture = max(candidates, key=lambda one: one[0])[1]
        shapes.append((picture.copy(), shape))
        middle = x + side / 2, y + side / 2
    if tile.text:
        shapes.append((picture, _draw_letters(picture, tile, cell, theme, middle)))
    return picture, shapes


def _draw_parts(
    picture: np.ndarray, tile: Tile, cell: int, theme: Theme
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Draw a tile's parts over one another and its word below; return pictures with pixel masks."""
    edge = max(1, round(cell / 12))  # room for the frame of a marked cell
    room = cell - 2 * edge
    small = [h for h in font.LETTER_HEIGHTS if h < cell / 3 or h == font.LETTER_HEIGHTS[0]]
    heights = [h for h in small if font.measure_advance(h) * len(tile.text) <= room]
    text = max(heights, default=room) if tile.text else 0
    width, side = max(1, cell // 60), room - text + (edge if text else 0)
    if side < text:
        raise FrameTooSmall(
            f"{tile.text!r} does not fit into a cell of {cell} pixels; use a larger image_size"
        )
    x, y, shapes = (cell - side + 1) // 2, edge, []
    for figure, color, *_ in tile.parts:
        draw_figure(picture, x, y, figure, side, theme.color(color), width, levels=PART_LEVELS)
        shape = np.zeros((cell, cell), bool)
        shape[y : y + side, x : x + side] = make_mask(figure, side) > 127
        shapes.append((picture.copy(), shape))
    if text:
        ground = theme.color(tile.ground) if tile.ground else theme.cell
        ink = theme.color(tile.color) if tile.color else choose_ink(ground)
        ink = ink if compute_contrast(ink, ground) >= MIN_CONTRAST else choose_ink(ground)
        coverage = font.render_coverage(tile.text, text)
        steps = (coverage.astype(np.uint16) * PART_LEVELS + 127) // 255 * 255 // PART_LEVELS
        x, y = (cell - coverage.shape[1] + 1) // 2, cell - edge - text
        picture[y:, 1:] = ground
        font.blend_ink(picture[y : y + text, x : x + coverage.shape[1]], steps, ink)
        shape = np.zeros((cell, cell), bool)
        shape[y : y + text, x : x + coverage.shape[1]] = coverage > 127
        shapes.append((picture, shape))
    return shapes


def _compute_outline_width(cell: int) -> int:
    return max(1, round(cell / 20))


def _draw_outline(
    picture: np.ndarray, coverage: np.ndarray, x: int, y: int, cell: int, ink: RGB
) -> None:
    """Draw an outline in `ink` around a shape that will be drawn at x, y."""
    width = _compute_outline_width(cell)
    soft = (coverage.astype(np.uint16) * FIGURE_LEVELS + 127) // 255 * 255 // FIGURE_LEVELS
    around = make_outline(soft, width)
    left, top = max(0, width - x), max(0, width - y)
    inside = picture[max(0, y - width) : y + coverage.shape[0] + width, max(0, x - width) :]
    tall, wide = min(inside.shape[0], around.shape[0] - top), around.shape[1] - left
    wide = min(inside.shape[1], wide)
    font.blend_ink(inside[:tall, :wide], around[top : top + tall, left : left + wide], ink)


def _draw_letters(
    picture: np.ndarray, tile: Tile, cell: int, theme: Theme, middle: tuple[float, float]
) -> np.ndarray:
    """Draw a tile's letters in an ink that contrasts with everything under and around them."""
    heights = [
        h
        for h in font.LETTER_HEIGHTS
        if h < cell and font.measure_advance(h) * len(tile.text) < cell
    ]
    height = heights[-1] if heights else font.LETTER_HEIGHTS[0]
    coverage = font.render_coverage(tile.text, height)[:cell, :cell]
    coverage = np.minimum(coverage.astype(np.uint16) * 3 // 2, 255)  # thin strokes become opaque
    tall, wide = coverage.shape
    x = max(0, min(round(middle[0] - wide / 2), cell - wide))
    y = max(0, min(round(middle[1] - tall / 2), cell - tall))
    inside = picture[y : y + tall, x : x + wide]
    shape = np.zeros((cell, cell), bool)
    shape[y : y + tall, x : x + wide] = coverage > 127
    width = _compute_outline_width(cell)
    under = picture[dilate_mask(shape.astype(np.uint8), width)[width:-width, width:-width] > 0]

    def compute_worst_contrast(ink: RGB) -> float:
        return float(compute_contrast(ink, under).min(initial=21))

    own = [] if tile.figure or not tile.color else [theme.color(tile.color)]
    inks = [*own, DARK_INK, BRIGHT_INK]
    ink = next(
        (ink for ink in inks[:-2] if compute_worst_contrast(ink) >= MIN_CONTRAST), None
    ) or max(inks[-2:], key=compute_worst_contrast)
    if compute_worst_contrast(ink) < CLEAR_CONTRAST:
        _draw_outline(picture, coverage, x, y, cell, choose_ink(ink))
    font.blend_ink(inside, coverage, ink)
    return shape


@memoize
def draw_canvas(
    columns: tuple[str, ...],
    lines: tuple[str, ...],
    size: tuple[int, int],
    theme: Theme,
    place: GridLayout,
) -> np.ndarray:
    """Draw the surroundings of the board: its labels, and the lines at its right and bottom.

    The other lines of a grid are at the top and left of each cell.
    """
    ground = make_frame(size, theme.paper)
    right, bottom = (
        place.left + place.columns * place.cell,
        place.top + place.rows * place.cell,
    )
    ground[place.top : bottom + 1, right : right + 1] = theme.line
    ground[bottom : bottom + 1, place.left : right + 1] = theme.line
    for x, y, label, text in place_labels(columns, lines, place):
        font.draw_line(ground, x, y, label, text, theme.ink)
    return ground


def place_labels(
    columns: tuple[str, ...], lines: tuple[str, ...], place: GridLayout
) -> list[tuple[int, int, str, int]]:
    """Return x, y, text and letter height of each label."""
    cell = place.cell
    longest = max(map(len, columns), default=1)
    small = [
        h
        for h in font.LETTER_HEIGHTS
        if h <= place.text and font.measure_advance(h) * longest <= cell
    ]
    text = small[-1] if small else font.LETTER_HEIGHTS[0]
    placements = []
    for i, label in enumerate(columns):
        x = place.left + i * cell + (cell - font.measure_advance(text) * len(label)) // 2
        placements.append((x, max(place.top - text - 2, 0), label, text))
    text = place.text
    for i, label in enumerate(lines):
        x = place.left - font.measure_advance(text) * len(label) - _GAP
        placements.append((max(x, 0), place.top + i * cell + (cell - text) // 2, label, text))
    return placements
