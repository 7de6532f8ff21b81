"""Scenes: pictures described, not drawn. Plain frozen data, made from a masked view."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

__all__ = [
    "COLORS",
    "SKIN",
    "BadScene",
    "Cards",
    "Chart",
    "Chat",
    "FrameTooSmall",
    "Grid",
    "HexGrid",
    "Panels",
    "Pegs",
    "Pixels",
    "RichText",
    "Shapes",
    "Terminal",
    "TextTable",
    "Tile",
    "WebPage",
]

COLORS = ["red", "orange", "yellow", "green", "blue", "purple", "brown", "black", "gray", "white"]
GridRow: TypeAlias = str | tuple[str, ...]
TableCell: TypeAlias = str | tuple[str, str] | tuple[str, str, float]
ShapeLabel: TypeAlias = tuple[str, str, float, float] | tuple[str, str, float, float, float]
SKIN = "skin"  # one colour more, of faces, which looks nearly the same in all themes


class BadScene(ValueError):
    """A scene that cannot be drawn."""


class FrameTooSmall(BadScene):
    """A scene that has no room in a frame at full scale, with the smallest letters."""


@dataclass(frozen=True, slots=True)
class Tile:
    """What one symbol of a Grid looks like: a figure in a colour, on a ground, with a few letters.

    Attributes:
        figure: one of `gem_ma.renderers.figures.FIGURES`, or "" for none.
        color: that of the figure and the text, a name out of COLORS; a theme says how it looks.
        ground: that of the cell, a name out of COLORS; "" is the plain ground.
        text: at most three characters, drawn over the figure.
        name: what a legend calls it, "red's disc" for example.
        parts: (figure, color), drawn over one another in this order instead of one figure, a face
            for example; the text stands below them and may be a short word. A color may be SKIN
            too; a third text is what a legend calls this color.
    """

    figure: str = ""
    color: str = "black"
    ground: str = ""
    text: str = ""
    name: str = ""
    parts: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Grid:
    """A board of square cells.

    Attributes:
        rows: one symbol for each cell: a string for each row, or a tuple of longer symbols.
        tiles: what each symbol looks like.
        marks: the cells (row, column) that stand out, the last move for example.
        columns: labels above the columns, or nothing.
        lines: labels beside the rows, or nothing.
        status: lines of text below the board: whose turn it is, the score, what is left.
    """

    rows: tuple[GridRow, ...]
    tiles: tuple[tuple[str, Tile], ...]
    marks: tuple[tuple[int, int], ...] = ()
    columns: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    status: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class HexGrid:
    """A rhombus of hexagons: each row begins half a cell further right than the one above it.

    Attributes:
        rows: as those of a Grid; a symbol is one character.
        tiles: as those of a Grid; a tile has a figure or nothing.
        columns: labels above the columns, as those of a Grid.
        lines: labels beside the rows, as those of a Grid.
        status: as that of a Grid.
        ground: the colour of the cells.
        edges: the colours along the top and the bottom, and along the left and the right; or
            nothing.
        turn: the symbol whose figure stands before the status, or "".
    """

    rows: tuple[str, ...]
    tiles: tuple[tuple[str, Tile], ...]
    columns: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    status: tuple[str, ...] = ()
    ground: str = "orange"
    edges: tuple[str, ...] = ()
    turn: str = ""


@dataclass(frozen=True, slots=True)
class Cards:
    """Hands of cards or dice, one row for each holder.

    Attributes:
        rows: (label, items): an item is a card such as "K" or "10h" (suits s h d c), a die such as
            "*3"; "?" is a card and "*?" a die that is hidden.
        status: lines of text below.
    """

    rows: tuple[tuple[str, tuple[str, ...]], ...]
    status: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Pegs:
    """Discs on pegs, the lowest first; a disc's number is its size, 1 the smallest."""

    pegs: tuple[tuple[int, ...], ...]
    discs: int  # how many there are in all
    labels: tuple[str, ...] = ()
    status: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Terminal:
    """Text on a plain monospaced screen."""

    text: str


@dataclass(frozen=True, slots=True)
class RichText:
    """A text in which some parts are boards: words as they are, boards drawn where they stand.

    Attributes:
        text: all of it in words, for a picture in which boards would be too small.
        parts: words and Grids in their order.
    """

    text: str
    parts: tuple[str | Grid, ...]


@dataclass(frozen=True, slots=True)
class TextTable:
    """A table with lines between its cells, as large as the frame allows.

    Attributes:
        rows: the cells of each row: a text of one or more lines, or (text, color) for a ground of
            that colour out of COLORS, or (text, color, share) for as much of it, from the left.
        head: the names of the columns, or nothing.
        title: a line above.
        status: lines below.
    """

    rows: tuple[tuple[TableCell, ...], ...]
    head: tuple[str, ...] = ()
    title: str = ""
    status: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WebPage:
    """A page of text as a browser shows it: a title, paragraphs, and links below them."""

    title: str
    lines: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    status: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Chat:
    """A transcript: (speaker, text) in order; `viewer` is the speaker on the right-hand side."""

    turns: tuple[tuple[str, str], ...]
    viewer: str = ""
    title: str = ""


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart of values that are 0 or more: "bar", "line" or "pie" (of one series)."""

    kind: str
    labels: tuple[str, ...]
    series: tuple[tuple[str, tuple[float, ...]], ...]  # a name, and a value for each label
    title: str = ""


@dataclass(frozen=True, slots=True)
class Shapes:
    """Figures anywhere on a unit square: (figure, color, x, y, size, degrees), (0, 0) top left.

    A color is a name out of COLORS, or "" for the colour of text.

    Attributes:
        lines: (color, x1, y1, x2, y2, width), drawn over the figures.
        labels: (text, color, x, y), over all; x and y are the middle. A fifth number says how high
            the letters are, as a share of the square; else they are as in other pictures.
        status: lines below.
        ground: a color behind all of it, as wide as the picture; "" is the plain one.
        areas: (color, corners) of polygons, each corner (x, y); drawn first, in this order.
    """

    items: tuple[tuple[str, str, float, float, float, float], ...] = ()
    title: str = ""
    lines: tuple[tuple[str, float, float, float, float, float], ...] = ()
    labels: tuple[ShapeLabel, ...] = ()
    status: tuple[str, ...] = ()
    ground: str = ""
    areas: tuple[tuple[str, tuple[tuple[float, float], ...]], ...] = ()


@dataclass(frozen=True, slots=True)
class Pixels:
    """An array or photo as it is: its bytes, height and width, three bytes a pixel."""

    data: bytes
    height: int
    width: int


@dataclass(frozen=True, slots=True)
class Panels:
    """Several scenes beside each other, each with a title (or "").

    Attributes:
        gap: the share of each panel that is left free at its right and below, for scenes that would
            look like one where they touch.
    """

    scenes: tuple[tuple[str, object], ...]
    columns: int = 2
    gap: float = 0.0
