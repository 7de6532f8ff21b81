"""Scenes: descriptions of pictures as frozen data, made from a seat's view and drawn later."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from gem_ma.scene.first_person import FirstPerson as FirstPerson  # servers find scenes here
from gem_ma.scene.phone import Phone as Phone

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
GROUNDS = (  # what a cell or a background is, where it has no colour of its own
    "light-square",
    "dark-square",
    "board",
    "felt",
    "water",
    "floor",
    "wall",
    "outside",
)
GridRow: TypeAlias = str | tuple[str, ...]
TableCell: TypeAlias = str | tuple[str, str] | tuple[str, str, float]
ShapeLabel: TypeAlias = tuple[str, str, float, float] | tuple[str, str, float, float, float]
SKIN = "skin"  # an extra colour for faces, nearly the same in all themes


class BadScene(ValueError):
    """A scene that cannot be drawn."""


class FrameTooSmall(BadScene):
    """A scene that does not fit into a frame, even with the smallest letters."""


@dataclass(frozen=True, slots=True)
class Tile:
    """The look of one symbol of a Grid: a figure in a colour, on a ground, with a few letters.

    Attributes:
        figure: One of `gem_ma.renderers.figures.FIGURES`, or "" for none.
        color: The colour of the figure and the text: a name from COLORS, shown as the theme says;
            or "" for that of text.
        ground: The colour of the cell: a name from COLORS, or what it is, from GROUNDS, which each
            theme shows in its way; or "" for the plain ground.
        text: At most three characters, drawn over the figure.
        name: Its name in a legend, for example "red's disc".
        parts: (figure, color) pairs, drawn over one another in this order instead of `figure`, for
            example a face. The text is then below them and may be a short word. A color may also
            be SKIN. An optional third text is the name of the color in a legend.
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
        rows: One symbol for each cell: a string for each row, or a tuple of longer symbols.
        tiles: The look of each symbol.
        marks: Highlighted cells (row, column), for example the last move.
        columns: Labels above the columns; empty: none.
        lines: Labels at the sides of the rows; empty: none.
        status: Lines of text below the board, for example the seat to move or the score.
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
        rows: As in a Grid; each symbol is one character.
        tiles: As in a Grid; a tile has only a figure, or nothing.
        columns: Labels above the columns.
        lines: Labels at the sides of the rows.
        status: Lines of text below the board.
        ground: The colour of the cells, as in a Tile.
        edges: Two colours, for the top and bottom edges and for the left and right ones; empty:
            none.
        turn: The symbol whose figure is shown before the status; "": none.
    """

    rows: tuple[str, ...]
    tiles: tuple[tuple[str, Tile], ...]
    columns: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    status: tuple[str, ...] = ()
    ground: str = "board"
    edges: tuple[str, ...] = ()
    turn: str = ""


@dataclass(frozen=True, slots=True)
class Cards:
    """Hands of cards or dice, one row for each holder.

    Attributes:
        rows: (label, items) pairs. An item is a card such as "K" or "10h" (suits s h d c), or a die
            such as `*3`. `?` is a hidden card, and `*?` a hidden die.
        status: Lines of text below the rows.
    """

    rows: tuple[tuple[str, tuple[str, ...]], ...]
    status: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Pegs:
    """Discs on pegs, from bottom to top; the number of a disc is its size, at least 1."""

    pegs: tuple[tuple[int, ...], ...]
    discs: int  # the number of discs on all pegs
    labels: tuple[str, ...] = ()
    status: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Terminal:
    """Text on a plain monospaced screen."""

    text: str


@dataclass(frozen=True, slots=True)
class RichText:
    """A text with boards, which are drawn in place.

    Attributes:
        text: All parts in words, for pictures in which boards would be too small.
        parts: Texts and Grids in their order.
    """

    text: str
    parts: tuple[str | Grid, ...]


@dataclass(frozen=True, slots=True)
class TextTable:
    """A table with lines between its cells, as large as the frame allows.

    Attributes:
        rows: The cells of each row. A cell is a text of one or more lines; or (text, color) with a
            ground from COLORS; or (text, color, share), which fills only that share of the cell,
            from the left.
        head: The names of the columns; empty: none.
        title: A line above the table.
        status: Lines below the table.
        card: Whether the table is a card: the title is in a bar, the rows fill the frame, and a
            share of colour is a bar beside the text. A card has no status.
    """

    rows: tuple[tuple[TableCell, ...], ...]
    head: tuple[str, ...] = ()
    title: str = ""
    status: tuple[str, ...] = ()
    card: bool = False


@dataclass(frozen=True, slots=True)
class WebPage:
    """A text page in a browser: a title, paragraphs, and links below them."""

    title: str
    lines: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    status: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Chat:
    """A transcript of messages.

    Attributes:
        turns: (speaker, text) of each message, in order.
        viewer: The speaker on the right-hand side.
        title: A line above the messages.
        seats: The speakers in the order of the game's seats, which gives each its colour, whoever
            speaks first. Further speakers follow in the order of their first messages.
        earlier: The number of messages before `turns`, where these are not all.
    """

    turns: tuple[tuple[str, str], ...]
    viewer: str = ""
    title: str = ""
    seats: tuple[str, ...] = ()
    earlier: int = 0


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart of non-negative values; `kind` is "bar", "line" or "pie" (one series only)."""

    kind: str
    labels: tuple[str, ...]
    series: tuple[tuple[str, tuple[float, ...]], ...]  # (name, a value for each label)
    title: str = ""


@dataclass(frozen=True, slots=True)
class Shapes:
    """Figures at any place of a unit square; (0, 0) is the top left corner.

    A color is a name from COLORS, or "" for the colour of text.

    Attributes:
        items: (figure, color, x, y, size, degrees) of each figure.
        lines: (color, x1, y1, x2, y2, width) of each line, drawn over the figures.
        labels: (text, color, x, y) of each label, drawn over everything; x and y are its centre. An
            optional fifth number is the height of the letters as a share of the square; without
            it, letters have their usual size.
        status: Lines of text below the square.
        ground: A colour of the whole background, as in a Tile, as wide as the picture.
        areas: (color, corners) of each polygon, each corner (x, y); drawn first, in this order.
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
    """An array or photo that is shown unchanged, with three bytes per pixel."""

    data: bytes
    height: int
    width: int


@dataclass(frozen=True, slots=True)
class Panels:
    """Several scenes in a grid of panels.

    Attributes:
        scenes: (title, scene) of each panel; a title may be "".
        columns: The number of panels in a row. 0: in a frame that is at least 1.5 times as wide as
            high, all panels are side by side, with one width; in others they are below each other.
        gap: The share of each panel that is left free at its right and bottom, so that adjacent
            scenes do not look like one.
        shares: The share of the frame that each panel has, where all are in one row or one column;
            empty: all have the same. With columns=0, the shares of the height. The sum is 1.
    """

    scenes: tuple[tuple[str, object], ...]
    columns: int = 2
    gap: float = 0.0
    shares: tuple[float, ...] = ()
