"""Sheets of paper: rows of text in columns, and lines between them."""

from typing import NamedTuple

from gem_ma.scene import Shapes

LEFT, RIGHT, TOP, BOTTOM = 0.015, 0.985, 0.015, 0.985
ADVANCE = 0.55  # the width of a letter, as a share of its height, at most


class Sheet(NamedTuple):
    """Rows of text, all of the same width in letters, and the numbers of rows with a line above."""

    rows: tuple[str, ...]
    ruled: tuple[int, ...] = ()


def columns(cells, widths):
    """Return cells as one row: a negative width puts its cell at the right of its column."""
    texts = [
        f"{cell:>{-wide}}" if wide < 0 else f"{cell:<{wide}}"
        for cell, wide in zip(cells, widths, strict=True)
    ]
    return " ".join(texts)


def words(shown):
    """Return the text of a sheet, with a line where one is drawn."""
    wide = len(shown.rows[0])
    lines = []
    for i, row in enumerate(shown.rows):
        lines += ["-" * wide] if i in shown.ruled else []
        lines.append(row.rstrip())
    return "\n".join(lines)


def scene(shown):
    """Draw a sheet in the largest letters that fit; all rows are centred and equally wide."""
    many, wide = len(shown.rows), max(map(len, shown.rows))
    step = (BOTTOM - TOP - 0.01) / many
    high = min(0.86 * step, 0.955 / (ADVANCE * wide), 0.09)
    labels, lines = [], []
    for i, row in enumerate(shown.rows):
        y = TOP + 0.005 + step * (i + 0.5)
        if row.strip():
            labels.append((row.ljust(wide), "", 0.5, y, high))
        if i in shown.ruled:
            lines.append(("", LEFT, y - step / 2, RIGHT, y - step / 2, 0.004))
    corners = ((LEFT, TOP), (RIGHT, TOP), (RIGHT, BOTTOM), (LEFT, BOTTOM))
    ends = zip(corners, (*corners[1:], corners[0]), strict=True)
    lines += [("", *a, *b, 0.006) for a, b in ends]
    return Shapes(lines=tuple(lines), labels=tuple(labels))
