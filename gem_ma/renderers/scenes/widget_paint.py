"""Painting tools for widgets of a Screen: theme colours, areas, borders, lines of text."""

from __future__ import annotations

import functools

import numpy as np

from gem_ma.renderers import font, proportional_font
from gem_ma.renderers.contrast import MIN_CONTRAST, compute_contrast
from gem_ma.renderers.figures import make_mask
from gem_ma.renderers.themes import RGB, Theme
from gem_ma.scene import COLORS, text_metrics
from gem_ma.scene.screen import Widget

PANES = ("desk", "pane", "bar", "side")  # tones of boxes that are parts of a program's window


def find_ground(one: Widget, theme: Theme) -> RGB:
    """Return the background colour that a widget gives to the widgets on it."""
    return _find_kind_ground(one.kind, one.tone, theme)


@functools.lru_cache(maxsize=1024)
def _find_kind_ground(kind: str, tone: str, theme: Theme) -> RGB:
    if tone in COLORS:
        return theme.color(tone)
    if kind == "box" and tone in PANES:
        return _mix_pane_color(tone, theme)
    if kind == "note":
        return mix_colors(theme.paper, theme.color("yellow"), 0.25)
    if kind in ("scroll", "menu"):
        return choose_field_color(theme)
    return theme.cell if kind == "handle" else theme.paper


def _mix_pane_color(tone: str, theme: Theme) -> RGB:
    if tone == "desk":
        return mix_colors(mix_colors(theme.paper, theme.color("blue"), 0.3), theme.ink, 0.12)
    if tone == "bar":
        return mix_bar_color(theme)
    return mix_colors(theme.paper, theme.cell, 0.6) if tone == "side" else theme.paper


def compute_bar_height(one: Widget) -> int:
    """Return the height of a window's title bar in pixels."""
    return text_metrics.LINE_HEIGHTS[one.type] + 16


def mix_bar_color(theme: Theme) -> RGB:
    """Return the colour of a window's title bar."""
    return mix_colors(theme.cell, theme.color("blue"), 0.25)


def mix_colors(one: RGB, other: RGB, share: float) -> RGB:
    a, b, c = (round(x * (1 - share) + y * share) for x, y in zip(one, other, strict=True))
    return a, b, c


def is_light(theme: Theme) -> bool:
    """Return whether a theme has a light background."""
    return sum(theme.paper) > 600


def choose_field_color(theme: Theme) -> RGB:
    """Return the background of text fields: white on light themes, else darker than the paper."""
    return (255, 255, 255) if is_light(theme) else mix_colors(theme.paper, (0, 0, 0), 0.35)


@functools.lru_cache(maxsize=1024)
def choose_widget_ink(ground: RGB, theme: Theme) -> RGB:
    """Return a text colour that is readable on a background."""
    options = (theme.ink, (255, 255, 255), (0, 0, 0))
    best = max(options, key=lambda ink: compute_contrast(ink, ground))
    return theme.ink if compute_contrast(theme.ink, ground) >= 4.5 else best


@functools.lru_cache(maxsize=1024)
def choose_border_color(theme: Theme) -> RGB:
    """Return the border colour: the theme's lines, or a stronger colour if they are faint."""
    faint = compute_contrast(theme.line, theme.paper) < 1.5
    return mix_colors(theme.paper, theme.ink, 0.4) if faint else theme.line


@functools.lru_cache(maxsize=1024)
def choose_accent(ground: RGB, theme: Theme, least: float = MIN_CONTRAST) -> RGB:
    """Return a blue for links and the keyboard focus that contrasts with a background."""
    color = theme.color("blue")
    while compute_contrast(color, ground) < least:
        color = mix_colors(color, choose_widget_ink(ground, theme), 0.25)
    return color


@functools.lru_cache(maxsize=4096)
def _make_color_row(color: RGB, wide: int) -> np.ndarray:
    """Return a row of one colour; copying it is much faster than filling an area."""
    row = np.empty((wide, 3), np.uint8)
    row[:] = color
    return row


def make_area(wide: int, high: int, color: RGB) -> np.ndarray:
    """Return a new area of one colour."""
    area = np.empty((high, wide, 3), np.uint8)
    fill_area(area, color)
    return area


def fill_area(area: np.ndarray, color: RGB) -> None:
    wide = area.shape[1]
    area[:] = _make_color_row(color, -(-wide // 512) * 512)[:wide]


@functools.lru_cache(maxsize=1024)
def _make_cached_shades(ink: RGB, ground: RGB) -> np.ndarray:
    return font.make_shades(ink, ground)


def draw_widget_text(
    area: np.ndarray,
    x: int,
    text: str,
    ink: RGB,
    size: int,
    bold: bool = False,
    y: int | None = None,
    on: RGB | None = None,
) -> None:
    """Blend a line of text into an area; without `y`, it is vertically centred.

    Args:
        on: the single colour of the pixels below the text, for a faster path; None if they vary.
    """
    if not text:
        return
    coverage = proportional_font.render_line_coverage(text, size, bold)
    y = (area.shape[0] - coverage.shape[0]) // 2 if y is None else y
    x -= 1
    if x < 0:
        coverage, x = coverage[:, -x:], 0
    if y < 0:
        coverage, y = coverage[-y:], 0
    region = area[y : y + coverage.shape[0], x : x + coverage.shape[1]]
    coverage = coverage[: region.shape[0], : region.shape[1]]
    if on is None:
        font.blend_ink(region, coverage, ink)
    else:
        region[:] = _make_cached_shades(ink, on).take(coverage, 0)


def draw_border(area: np.ndarray, color: RGB, by: int = 1) -> None:
    for side in (area[:by], area[-by:], area[:, :by], area[:, -by:]):
        side[:] = color


def draw_bevel(area: np.ndarray, theme: Theme, sunk: bool = False) -> None:
    """Draw the three-dimensional border of old desktops."""
    face = area[area.shape[0] // 2, 2].copy()
    a, b, c = (int(part) for part in face)
    dark = mix_colors((a, b, c), (0, 0, 0), 0.5)
    first, last = (dark, mix_colors((a, b, c), (0, 0, 0), 0.2)) if sunk else ((255, 255, 255), dark)
    area[:2], area[:, :2] = first, first
    area[-2:], area[:, -2:] = last, last


def clear_corners(area: np.ndarray, ground: RGB) -> None:
    """Remove the corner pixels of a widget."""
    for y in (0, -1):
        for x in (0, -1):
            area[y, x] = ground


def round_corners(area: np.ndarray, radius: int, ground: RGB) -> None:
    """Cut the corners of an area off, so that the ground is seen there."""
    for part, mask in find_corners(area, radius):
        font.blend_ink(part, 255 - mask, ground)


def find_corners(area: np.ndarray, radius: int) -> tuple[tuple[np.ndarray, np.ndarray], ...]:
    """Return the four corners of an area, each with the quarter of a disc that rounds it."""
    disc = make_mask("disc", 2 * radius)
    return (
        (area[:radius, :radius], disc[:radius, :radius]),
        (area[:radius, -radius:], disc[:radius, radius:]),
        (area[-radius:, :radius], disc[radius:, :radius]),
        (area[-radius:, -radius:], disc[radius:, radius:]),
    )
