"""Sheets of paper: rows of cells in columns, and lines between them."""

from typing import NamedTuple

from gem_ma.envs.visual import canvas
from gem_ma.scene import Shapes

LEFT, RIGHT, TOP, BOTTOM = 0.015, 0.985, 0.015, 0.985
INDENT = 0.02  # of lines to write on
ADVANCE = 0.5  # the width of a letter, as a share of its height
TEXT_WIDTH = 0.92  # of the picture, at most
GAP = 2  # letters between columns
MOST_LETTERS = 39  # of a row that is spread: more do not fit where letters cannot be smaller
MOST_LINED = 20  # rows: in a longer sheet, lines to write on would touch small letters
LEADING, MOST_LEADING = 1.05, 2.0  # height of a row by that of its letters, at least and at most


class Sheet(NamedTuple):
    """Rows of cells that are as wide as their columns, and the numbers of rows with a line above.

    A row of one cell is a title in the middle. In the rows of `lined`, the second cell is to be
    filled in.
    """

    rows: tuple[tuple[str, ...], ...]
    ruled: tuple[int, ...] = ()
    lined: tuple[int, ...] = ()


def columns(cells, widths):
    """Return cells as one row: a negative width puts its cell at the right of its column."""
    return tuple(
        [
            f"{cell:>{-wide}}" if wide < 0 else f"{cell:<{wide}}"
            for cell, wide in zip(cells, widths, strict=True)
        ]
    )


def pair(name, text, widths):
    """Return a row of a name and, at the right of all columns, a text."""
    return name, f"{text!s:>{_measure(widths) - GAP - len(name)}}"


def words(shown):
    """Return the text of a sheet, with a line where one is drawn."""
    wide = _find_width(shown.rows)
    lines = []
    for i, row in enumerate(shown.rows):
        lines += ["-" * wide] if i in shown.ruled else []
        if i in shown.lined and not row[1].strip():
            row = row[0], f"{'_' * 10:{len(row[1])}}", *row[2:]
        lines.append(_join(row, wide).rstrip())
    return "\n".join(lines)


def scene(shown):
    """Draw a sheet in the largest letters that fit, with its columns spread over the width."""
    many, wide = len(shown.rows), _find_width(shown.rows)
    gap = min(0.5, 5 / many)  # rows of free height at each line
    tall = many + gap * (len(shown.ruled) + 1)
    step = (BOTTOM - TOP) / tall
    high = min(step / LEADING, TEXT_WIDTH / (ADVANCE * wide))
    step = min(step, MOST_LEADING * high)
    gaps = max(map(len, shown.rows)) - 1
    spare = min(MOST_LETTERS, int(TEXT_WIDTH / (ADVANCE * high))) - wide
    wide += max(0, spare // gaps) * gaps
    top = y = 0.5 - step * tall / 2
    labels, lines = [], []
    for i, row in enumerate(shown.rows):
        if i in shown.ruled:
            y += step * gap / 2
            lines.append(("", LEFT, y, RIGHT, y, 0.004))
        elif i - 1 in shown.lined and many <= MOST_LINED:
            lines.append(("gray", LEFT + INDENT, y, RIGHT - INDENT, y, 0.002))
        y += step * (1 + gap) / 2 if i in (0, *shown.ruled) else step / 2
        labels.append((_join(row, wide), "", 0.5, y, high))
        y += step / 2
    corners = ((LEFT, top), (RIGHT, top), (RIGHT, 1 - top), (LEFT, 1 - top))
    return Shapes(lines=(*lines, *canvas.outline(corners)), labels=tuple(labels))


def _find_width(rows):
    """Return the width of the widest row, in letters."""
    return max(_measure(map(len, row)) for row in rows)


def _measure(widths):
    """Return the width of columns with gaps between them, in letters."""
    sizes = [abs(wide) for wide in widths]
    return sum(sizes) + GAP * (len(sizes) - 1)


def _join(row, wide):
    """Return the cells of a row with equal gaps, so that it is `wide` letters wide."""
    if len(row) == 1:
        return row[0].center(wide)
    between = (wide - sum(map(len, row))) // (len(row) - 1)
    return (" " * between).join(row).ljust(wide)
