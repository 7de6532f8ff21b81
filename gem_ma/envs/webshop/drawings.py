"""Drawings of products: polygons on a unit square, in the product's own colour."""

from __future__ import annotations

from gem_ma.scene import Shapes

_Corners = tuple[tuple[float, float], ...]
_MAIN = ""  # stands for the product's colour
_OTHER = {"black": "gray"}  # for parts that are black otherwise, by the product's colour


def _box(left: float, top: float, right: float, bottom: float) -> _Corners:
    return (left, top), (right, top), (right, bottom), (left, bottom)


_PARTS: dict[str, tuple[tuple[str, _Corners], ...]] = {
    "shirt": (
        (_MAIN, ((0.32, 0.16), (0.42, 0.22), (0.58, 0.22), (0.68, 0.16), (0.94, 0.34), (0.82, 0.52),
                 (0.72, 0.46), (0.72, 0.86), (0.28, 0.86), (0.28, 0.46), (0.18, 0.52),
                 (0.06, 0.34))),
        ("black", ((0.42, 0.22), (0.58, 0.22), (0.5, 0.32))),
    ),
    "shoe": (
        (_MAIN, ((0.08, 0.3), (0.36, 0.3), (0.56, 0.5), (0.86, 0.56), (0.94, 0.7), (0.08, 0.7))),
        ("black", _box(0.08, 0.7, 0.94, 0.8)),
        ("white", ((0.4, 0.42), (0.46, 0.38), (0.54, 0.46), (0.48, 0.5))),
    ),
    "bag": (
        ("black", ((0.34, 0.28), (0.34, 0.1), (0.66, 0.1), (0.66, 0.28), (0.58, 0.28), (0.58, 0.18),
                   (0.42, 0.18), (0.42, 0.28))),
        (_MAIN, ((0.24, 0.26), (0.76, 0.26), (0.86, 0.9), (0.14, 0.9))),
        ("white", _box(0.32, 0.52, 0.68, 0.56)),
    ),
    "jar": (
        ("gray", _box(0.24, 0.22, 0.76, 0.38)),
        (_MAIN, _box(0.18, 0.38, 0.82, 0.84)),
        ("white", _box(0.3, 0.52, 0.7, 0.7)),
    ),
    "bottle": (
        ("gray", _box(0.42, 0.08, 0.58, 0.22)),
        (_MAIN, ((0.42, 0.22), (0.58, 0.22), (0.7, 0.36), (0.7, 0.92), (0.3, 0.92), (0.3, 0.36))),
        ("white", _box(0.36, 0.5, 0.64, 0.74)),
    ),
    "box": (
        (_MAIN, _box(0.2, 0.26, 0.8, 0.9)),
        ("gray", ((0.2, 0.26), (0.32, 0.14), (0.92, 0.14), (0.8, 0.26))),
        ("black", ((0.8, 0.26), (0.92, 0.14), (0.92, 0.78), (0.8, 0.9))),
        ("white", _box(0.3, 0.44, 0.7, 0.66)),
    ),
    "lamp": (
        (_MAIN, ((0.36, 0.12), (0.64, 0.12), (0.82, 0.48), (0.18, 0.48))),
        ("black", _box(0.47, 0.48, 0.53, 0.82)),
        ("black", _box(0.3, 0.82, 0.7, 0.9)),
    ),
    "chair": (
        (_MAIN, _box(0.26, 0.1, 0.36, 0.92)),
        (_MAIN, _box(0.26, 0.5, 0.78, 0.6)),
        (_MAIN, _box(0.68, 0.6, 0.78, 0.92)),
        ("black", _box(0.36, 0.16, 0.42, 0.46)),
    ),
    "table": (
        (_MAIN, _box(0.06, 0.34, 0.94, 0.46)),
        ("black", _box(0.14, 0.46, 0.22, 0.84)),
        ("black", _box(0.78, 0.46, 0.86, 0.84)),
    ),
    "rug": (
        (_MAIN, ((0.24, 0.26), (0.96, 0.26), (0.76, 0.76), (0.04, 0.76))),
        ("white", ((0.32, 0.36), (0.82, 0.36), (0.68, 0.66), (0.18, 0.66))),
        (_MAIN, ((0.38, 0.42), (0.72, 0.42), (0.62, 0.6), (0.28, 0.6))),
    ),
    "headphones": (
        ("black", ((0.14, 0.56), (0.2, 0.28), (0.38, 0.12), (0.62, 0.12), (0.8, 0.28), (0.86, 0.56),
                   (0.76, 0.56), (0.71, 0.34), (0.57, 0.22), (0.43, 0.22), (0.29, 0.34),
                   (0.24, 0.56))),
        (_MAIN, _box(0.1, 0.54, 0.3, 0.88)),
        (_MAIN, _box(0.7, 0.54, 0.9, 0.88)),
    ),
    "keyboard": (
        (_MAIN, _box(0.04, 0.28, 0.96, 0.74)),
        *(("white", _box(x, y, x + 0.11, y + 0.1))
          for y in (0.34, 0.47) for x in (0.1, 0.24, 0.38, 0.52, 0.66, 0.8)),
        ("white", _box(0.24, 0.6, 0.77, 0.68)),
    ),
    "camera": (
        (_MAIN, _box(0.1, 0.24, 0.74, 0.58)),
        ("black", ((0.74, 0.34), (0.92, 0.24), (0.92, 0.58), (0.74, 0.48))),
        ("black", _box(0.36, 0.58, 0.44, 0.8)),
        ("gray", _box(0.22, 0.8, 0.58, 0.88)),
    ),
    "phone": (
        (_MAIN, _box(0.28, 0.08, 0.72, 0.92)),
        ("white", _box(0.34, 0.18, 0.66, 0.7)),
        ("green", _box(0.38, 0.5, 0.62, 0.66)),
    ),
}  # fmt: skip


def draw_product(figure: str, color: str) -> Shapes:
    """Return the drawing of a product; without a known figure, that of a box."""
    parts = _PARTS.get(figure, _PARTS["box"])
    areas, lines = [], []
    for part, corners in parts:
        shown = color if part == _MAIN else _OTHER.get(part, part) if part == color else part
        areas.append((shown, corners))
        if part == _MAIN and color == "white":  # which is hardly seen on paper
            edges = zip(corners, (*corners[1:], corners[0]), strict=True)
            lines += [("gray", *start, *end, 0.02) for start, end in edges]
    return Shapes(areas=tuple(areas), lines=tuple(lines))
