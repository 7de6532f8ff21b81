"""The renderer of HexGrid: a cached board of empty hexagons, with figures drawn on it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gem_ma.renderers import font
from gem_ma.renderers.cache import RENDER_CACHE, memoize
from gem_ma.renderers.contrast import (
    CLEAR_CONTRAST,
    choose_ink,
    choose_outline,
    compute_contrast,
    make_outline,
)
from gem_ma.renderers.figures import make_mask
from gem_ma.renderers.themes import Theme, make_frame
from gem_ma.scene import BadScene, FrameTooSmall, HexGrid, Tile

_GAP = 4  # pixels between the board and the status below
_LABEL_GAP = 3  # pixels between a label and the edge
_MIN_HALF_CELL = 3  # least half width of a cell in pixels
_ROW_SHARE = 0.866  # distance of rows as a share of a cell's width
_LABEL_HEIGHT = 9  # pixels that a row number needs so that it does not touch the next
_SAMPLES_PER_PIXEL = 8  # per axis
_STONE_SHARE = 0.8  # of a cell's width


@dataclass(frozen=True, slots=True)
class HexLayout:
    """The layout of a board in a frame, in whole pixels."""

    half_width: int  # half a cell's width; each row is shifted right by it
    row_spacing: int  # distance of rows
    edge_width: int  # width of the coloured edges
    x: int  # centre of the first cell
    y: int
    text: int  # height of a line of text
    alternate_labels: bool  # whether every second row has its label at the right
    status_top: int  # y of the first status line


def compute_hex_layout(scene: HexGrid, size: tuple[int, int]) -> HexLayout:
    """Compute the layout in which the board is as large as the frame allows."""
    rows, columns = len(scene.rows), len(scene.rows[0]) if scene.rows else 0
    if not columns or len({len(row) for row in scene.rows}) > 1:
        lengths = sorted({len(row) for row in scene.rows})
        raise BadScene(f"a HexGrid needs rows of one length of at least 1, got lengths {lengths}")
    for text in font.list_caption_heights(scene.status, size):
        status = len(_wrap_status(scene, size, text))
        above = text if scene.columns else 0
        for half in range(max(size) // 2, _MIN_HALF_CELL - 1, -1):
            apart, band = round(2 * half * _ROW_SHARE), max(3, half * 2 // 3)
            both = apart < _LABEL_HEIGHT * text / font.LETTER_HEIGHTS[0]
            left, right = 0, (rows - 1) * half
            for row, label in enumerate(scene.lines):
                long = font.measure_advance(text) * len(label) + _LABEL_GAP
                if both and row % 2:
                    right = max(right, row * half + long)
                else:
                    left = max(left, long - row * half)
            if scene.columns and 2 * half <= font.measure_advance(font.LETTER_HEIGHTS[0]):
                break
            broad = left + 2 * band + 2 * half * columns + right
            edge = round(apart * 2 / 3)
            high = (rows - 1) * apart + 2 * edge + 2 * band + above + status * text
            high += _GAP if status else 0
            if broad <= size[0] - 2 * _compute_line_width(half) and high <= size[
                1
            ] - 2 * _compute_line_width(half):
                x = (size[0] - broad) // 2 + left + band + half
                y = (size[1] - high) // 2 + above + band + edge
                under = y + (rows - 1) * apart + edge + band + (_GAP if status else 0)
                return HexLayout(half, apart, band, x, y, text, both, under)
    raise FrameTooSmall(
        f"{columns} x {rows} hexagons do not fit into {size[0]} x {size[1]} pixels; use a larger "
        "image_size"
    )


def _compute_line_width(half: int) -> int:
    """Return the width of the lines between cells and around the edges."""
    return max(1, half // 8)


def _wrap_status(scene: HexGrid, size: tuple[int, int], text: int) -> list[str]:
    """Wrap the status lines, with room for the figure of the seat to move before the first."""
    columns = size[0] // font.measure_advance(text) - (4 if scene.turn else 0)
    return list(font.wrap_lines(scene.status, max(1, columns)))


def draw(scene: HexGrid, size: tuple[int, int], theme: Theme) -> np.ndarray:
    """Draw the scene as a new frame."""
    board = _load_board(scene, size, theme)
    layout = board.layout
    frame = board.empty_frame.copy()
    pixels = frame.reshape(-1).view("V3")
    cells = np.frombuffer("".join(scene.rows).encode("utf-32-le"), "<u4")
    if len(cells) != len(board.cell_centers):
        long = sorted({symbol for row in scene.rows for symbol in row if len(symbol) != 1})
        raise BadScene(f"each symbol of a HexGrid must be one character, got {long}")
    remaining = len(cells)
    for symbol, (offsets, colors) in board.stones.items():
        here = board.cell_centers[cells == ord(symbol)]
        remaining -= len(here)
        if len(here) and len(offsets):
            pixels[here[:, None] + offsets] = colors
    if remaining:
        unknown = sorted({symbol for row in scene.rows for symbol in row} - board.stones.keys())
        symbols = ", ".join(map(repr, board.stones))
        raise BadScene(f"no tile for the symbols {unknown}; there are tiles for {symbols}")
    y = layout.status_top
    for number, line in enumerate(_wrap_status(scene, size, layout.text)):
        words = font.render_line(line, layout.text, theme.ink, theme.paper)
        has_token = bool(scene.turn) and not number
        x = max((size[0] - words.shape[1]) // 2, has_token * (layout.text + _GAP))
        frame[y : y + layout.text, x : x + words.shape[1]] = words
        if has_token:
            token = _draw_token(_find_tile(scene, scene.turn), layout.text, theme)
            frame[y : y + layout.text, x - layout.text - _GAP : x - _GAP] = token
        y += layout.text
    return frame


class _HexBoard:
    """The parts that all positions of a board share."""

    def __init__(self, scene: HexGrid, size: tuple[int, int], theme: Theme):
        self.tiles, self.theme = scene.tiles, theme  # kept alive: the cache key contains their ids
        self.layout = compute_hex_layout(scene, size)
        self.empty_frame = _draw_empty_board(scene, size, theme, self.layout)
        rows, columns = np.indices((len(scene.rows), len(scene.rows[0])))
        layout = self.layout
        y = layout.y + rows * layout.row_spacing
        x = layout.x + (2 * columns + rows) * layout.half_width
        self.cell_centers = (y * size[0] + x).reshape(-1)
        self.stones = {
            symbol: _make_stone(tile, layout.half_width, size[0], theme)
            for symbol, tile in scene.tiles
        }
        self.nbytes = self.empty_frame.nbytes + self.cell_centers.nbytes
        self.nbytes += sum(a.nbytes + b.nbytes for a, b in self.stones.values())


def _load_board(scene: HexGrid, size: tuple[int, int], theme: Theme) -> _HexBoard:
    shape = len(scene.rows), len(scene.rows[0]) if scene.rows else 0
    # Keyed by the identity of tiles and theme: hashing them would cost more than the stones.
    style_key = id(scene.tiles), id(theme), scene.edges, scene.ground
    words = scene.columns, scene.lines, tuple(map(len, scene.status)), scene.turn != ""
    key = "hexes", size, shape, style_key, words
    board: _HexBoard | None = RENDER_CACHE.get(key)
    if board is None or board.tiles is not scene.tiles or board.theme is not theme:
        board = RENDER_CACHE.put(key, _HexBoard(scene, size, theme))
    return board


def _draw_empty_board(
    scene: HexGrid, size: tuple[int, int], theme: Theme, place: HexLayout
) -> np.ndarray:
    """Draw the cells, the edges around them and the labels."""
    frame = make_frame(size, theme.paper)
    half, apart, band = place.half_width, place.row_spacing, place.edge_width
    rows, columns = len(scene.rows), len(scene.rows[0])
    thin = _compute_line_width(half)

    def draw_hexagon(
        row: int, column: int, shift: tuple[int, int], by: float, color: object
    ) -> None:
        coverage = _cover_hexagon(half, apart, by)
        y = place.y + row * apart + shift[1] - coverage.shape[0] // 2
        x = place.x + (2 * column + row) * half + shift[0] - coverage.shape[1] // 2
        font.blend_ink(frame[y : y + coverage.shape[0], x : x + coverage.shape[1]], coverage, color)  # type: ignore[arg-type]

    if scene.edges:
        across = round(band * _ROW_SHARE), -round(band / 2)  # offset of the right edge
        first, second = map(theme.color, scene.edges)
        border = [(0, c, (0, -band), first) for c in range(columns)]
        border += [(rows - 1, c, (0, band), first) for c in range(columns)]
        border += [(r, 0, (-across[0], -across[1]), second) for r in range(rows)]
        border += [(r, columns - 1, across, second) for r in range(rows)]
        for row, column, shift, _ in border:  # outlines first, below all edge cells
            draw_hexagon(row, column, shift, thin, theme.ink)
        for row, column, shift, color in border:
            draw_hexagon(row, column, shift, 0, color)
    for by, ink in ((thin, theme.color("black")), (-thin / 2, theme.color(scene.ground))):
        for row in range(rows):
            for column in range(columns):
                draw_hexagon(row, column, (0, 0), by, ink)
    _draw_labels(frame, scene, place, theme)
    return frame


def _draw_labels(frame: np.ndarray, scene: HexGrid, place: HexLayout, theme: Theme) -> None:
    half, apart, band = place.half_width, place.row_spacing, place.edge_width
    text = place.text
    longest = max(map(len, scene.columns), default=1)
    small = max(
        h
        for h in font.LETTER_HEIGHTS
        if font.measure_advance(h) * longest <= 2 * half and h <= text
    )
    top = place.y - round(apart * 2 / 3) - band - small
    for column, label in enumerate(scene.columns):
        x = place.x + (2 * column) * half - font.measure_advance(small) * len(label) // 2
        font.draw_line(frame, x, top, label, small, theme.ink)
    for row, label in enumerate(scene.lines):
        long, x = font.measure_advance(text) * len(label), place.x + row * half
        if place.alternate_labels and row % 2:
            x += (2 * len(scene.rows[0]) - 1) * half + band + _LABEL_GAP
        else:
            x -= half + band + _LABEL_GAP + long
        font.draw_line(frame, x, place.y + row * apart - text // 2, label, text, theme.ink)


@memoize
def _cover_hexagon(half: int, apart: int, by: float) -> np.ndarray:
    """Return the coverage of a hexagon that extends `by` pixels beyond its cell."""
    out = max(0, int(by) + 1)
    wide, high = half + out, round(apart * 2 / 3) + out
    x = abs((np.arange(2 * wide * _SAMPLES_PER_PIXEL) + 0.5) / _SAMPLES_PER_PIXEL - wide)[None, :]
    y = abs((np.arange(2 * high * _SAMPLES_PER_PIXEL) + 0.5) / _SAMPLES_PER_PIXEL - high)[:, None]
    slope = apart / 3 / half
    inside = (x <= half + by) & (x * slope + y <= apart * 2 / 3 + by * (1 + slope * slope) ** 0.5)
    shares = inside.reshape(2 * high, _SAMPLES_PER_PIXEL, 2 * wide, _SAMPLES_PER_PIXEL).mean((1, 3))
    coverage: np.ndarray = np.round(shares * 255).astype(np.uint8)
    return coverage


def _make_stone(tile: Tile, half: int, width: int, theme: Theme) -> tuple[np.ndarray, np.ndarray]:
    """Return the pixel offsets of a figure from a cell's centre, and the colour of each pixel."""
    if not tile.figure:
        return np.zeros(0, np.intp), np.zeros(0, "V3")
    patch, shape = _draw_figure(tile, max(1, round(2 * half * _STONE_SHARE)), theme)
    y, x = np.nonzero(shape)
    middle = patch.shape[0] // 2
    offsets = (y - middle) * width + x - middle
    return offsets, np.ascontiguousarray(patch[y, x]).view("V3")[:, 0]


def _draw_figure(tile: Tile, side: int, theme: Theme) -> tuple[np.ndarray, np.ndarray]:
    """Draw a figure on its background; return the square and the mask of figure and outline."""
    ground = theme.color(tile.ground) if tile.ground else theme.paper
    color = theme.color(tile.color) if tile.color else choose_ink(ground)
    width = max(1, side // 20)
    coverage = make_mask(theme.figure(tile.figure), side - side % 2)
    around = make_outline(coverage, width)
    patch = make_frame(around.shape[::-1], ground)
    shape = np.pad(coverage, width) > 0
    if compute_contrast(color, ground) < CLEAR_CONTRAST:
        font.blend_ink(patch, around, choose_outline(color, ground))
        shape |= around > 0
    font.blend_ink(patch[width:-width, width:-width], coverage, color)
    return patch, shape


def _draw_token(tile: Tile, side: int, theme: Theme) -> np.ndarray:
    """Draw a figure at the height of a line of text, on paper."""
    picture = make_frame((side, side), theme.paper)
    on_paper = Tile(tile.figure, tile.color)
    patch, _ = _draw_figure(on_paper, max(2, side - 4), theme)
    top = (side - patch.shape[0]) // 2
    picture[top : top + patch.shape[0], top : top + patch.shape[1]] = patch
    return picture


def _find_tile(scene: HexGrid, symbol: str) -> Tile:
    tile = dict(scene.tiles).get(symbol)
    if tile is None:
        symbols = ", ".join(repr(known) for known, _ in scene.tiles)
        raise BadScene(f"no tile for the symbol {symbol!r}; there are tiles for {symbols}")
    return tile
