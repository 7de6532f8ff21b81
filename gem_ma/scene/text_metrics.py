"""Metrics of the proportional font: widths of texts, without drawing them."""

from __future__ import annotations

import functools

__all__ = [
    "measure_edges",
    "measure_width",
    "truncate_to_width",
    "wrap_to_width",
]

# The characters of the font, and their advances in 2048ths of the type size, as printed by
# scripts/build_font.py.
CHARACTER_CODES = (
    *range(0x20, 0x7F),
    *range(0xA0, 0x100),
    *(0x2026, 0x2013, 0x2022, 0x2190, 0x2192),
)
_REGULAR_ADVANCES = (
    "651 821 942 1716 1303 1946 1597 563 799 799 1024 1716 651 739 651 690 1303 1303 1303 "
    "1303 1303 1303 1303 1303 1303 1303 690 690 1716 1716 1716 1087 2048 1401 1405 1430 "
    "1577 1294 1178 1587 1540 604 604 1343 1141 1767 1532 1612 1235 1612 1423 1300 1251 "
    "1499 1401 2025 1403 1251 1403 799 690 799 1716 1024 1024 1255 1300 1126 1300 1260 721 "
    "1300 1298 569 569 1186 569 1995 1298 1253 1300 1300 842 1067 803 1298 1212 1675 1212 "
    "1212 1075 1303 690 1303 1716 651 821 1303 1303 1303 1303 690 1024 1024 2048 965 1253 "
    "1716 739 2048 1024 1024 1716 821 821 1024 1303 1303 651 1024 821 965 1253 1985 1985 "
    "1985 1087 1401 1401 1401 1401 1401 1401 1995 1430 1294 1294 1294 1294 604 604 604 604 "
    "1587 1532 1612 1612 1612 1612 1612 1716 1612 1499 1499 1499 1499 1251 1239 1290 1255 "
    "1255 1255 1255 1255 1255 2011 1126 1260 1260 1260 1260 569 569 569 569 1253 1298 1253 "
    "1253 1253 1253 1253 1716 1253 1298 1298 1298 1298 1212 1300 1212 2048 1024 1208 1716 "
    "1716 "
)
_BOLD_ADVANCES = (
    "713 934 1067 1716 1425 2052 1786 627 936 936 1071 1716 778 850 778 748 1425 1425 1425 "
    "1425 1425 1425 1425 1425 1425 1425 819 819 1716 1716 1716 1188 2048 1585 1561 1503 "
    "1700 1399 1399 1681 1714 762 762 1587 1305 2038 1714 1741 1501 1741 1577 1475 1397 "
    "1663 1585 2259 1579 1483 1485 936 748 936 1716 1024 1024 1382 1466 1214 1466 1389 891 "
    "1466 1458 702 702 1362 702 2134 1458 1407 1466 1466 1010 1219 979 1458 1335 1892 1321 "
    "1335 1192 1458 748 1458 1716 713 934 1425 1425 1303 1425 748 1024 1024 2048 1155 1323 "
    "1716 850 2048 1024 1024 1716 897 897 1024 1507 1303 778 1024 897 1155 1323 2120 2120 "
    "2120 1188 1585 1585 1585 1585 1585 1585 2222 1503 1399 1399 1399 1399 762 762 762 762 "
    "1716 1714 1741 1741 1741 1741 1741 1716 1741 1663 1663 1663 1663 1483 1511 1473 1382 "
    "1382 1382 1382 1382 1382 2146 1214 1389 1389 1389 1389 702 702 702 702 1407 1458 1407 "
    "1407 1407 1407 1407 1716 1407 1458 1458 1458 1458 1335 1466 1335 2048 1024 1309 1716 "
    "1716 "
)
_MISSING_ADVANCE = 1233  # the advance of characters that the font lacks
LINE_HEIGHTS = {12: 16, 14: 18, 16: 21, 18: 24, 24: 32, 48: 60}  # by type size, in pixels


@functools.cache
def _load_advances(bold: bool) -> dict[str, int]:
    wide = (_BOLD_ADVANCES if bold else _REGULAR_ADVANCES).split()
    return dict(zip(map(chr, CHARACTER_CODES), map(int, wide), strict=True))


def measure_letter(letter: str, size: int, bold: bool = False) -> float:
    """Return the width of a letter in pixels."""
    return _load_advances(bold).get(letter, _MISSING_ADVANCE) * size / 2048


@functools.lru_cache(maxsize=4096)
def measure_edges(text: str, size: int, bold: bool = False) -> tuple[float, ...]:
    """Return the x at which each letter begins and the last one ends, in pixels."""
    advances, x, edges = _load_advances(bold), 0, [0.0]
    for letter in text:
        x += advances.get(letter, _MISSING_ADVANCE)
        edges.append(x * size / 2048)
    return tuple(edges)


def measure_width(text: str, size: int, bold: bool = False) -> float:
    """Return the width of a line in pixels."""
    return measure_edges(text, size, bold)[-1]


def find_caret(text: str, size: int, x: float) -> int:
    """Return the index of the letter before which a caret at x belongs."""
    edges = measure_edges(text, size)
    for number in range(len(text)):
        if x < (edges[number] + edges[number + 1]) / 2:
            return number
    return len(text)


def truncate_to_width(text: str, size: int, most: float, bold: bool = False) -> str:
    """Return a line cut to at most `most` pixels, with an ellipsis if it was too wide."""
    if measure_width(text, size, bold) <= most:
        return text
    room = most - measure_letter("…", size, bold)
    edges = measure_edges(text, size, bold)
    count = sum(edge <= room for edge in edges) - 1
    return f"{text[: max(count, 0)].rstrip()}…"


@functools.lru_cache(maxsize=2048)
def wrap_to_width(text: str, size: int, most: float, bold: bool = False) -> tuple[str, ...]:
    """Break a text between words into lines of at most `most` pixels; longer words stay whole."""
    lines: list[str] = []
    for part in text.split("\n"):
        line = ""
        for word in part.split(" "):
            longer = f"{line} {word}" if line else word
            if line and measure_width(longer, size, bold) > most:
                lines.append(line)
                longer = word
            line = longer
        lines.append(line)
    return tuple(lines)
