"""The renderer of Phone: a rounded frame, a status bar with signs, and switches."""

from __future__ import annotations

import numpy as np

from gem_ma.renderers import font
from gem_ma.renderers.cache import memoize
from gem_ma.renderers.figures import make_mask
from gem_ma.renderers.scenes.widget_paint import draw_border, mix_colors, round_corners
from gem_ma.renderers.themes import RGB, Theme, make_frame
from gem_ma.scene import BadScene, FrameTooSmall
from gem_ma.scene.phone import Phone

_WIDEST = 0.62  # the greatest width of a phone, in heights
_BARS = 4
_LOW_CHARGE = 20  # percent
_GAP = 3  # letters between the label and the value of a row
_PLANE = (
    ".....#.....",
    "....###....",
    "....###....",
    "....###....",
    "..#######..",
    "###########",
    "#...###...#",
    "....###....",
    "....###....",
    "...#####...",
    "..#..#..#..",
)


def draw(scene: Phone, size: tuple[int, int], theme: Theme) -> np.ndarray:
    """Draw the phone as high as the frame, in the largest letters that fit."""
    _check(scene)
    rim = max(2, min(size) // 40)
    high = size[1] - 2
    wide = min(size[0] - 2, round(high * _WIDEST))
    text = _choose_text(scene, (wide - 2 * rim, high - 2 * rim))
    frame = make_frame(size, theme.paper)
    left = (size[0] - wide) // 2
    body = frame[1 : 1 + high, left : left + wide]
    body[:] = theme.ink
    round_corners(body, 3 * rim, theme.paper)
    screen = body[rim : high - rim, rim : wide - rim]
    screen[:] = theme.paper
    round_corners(screen, 2 * rim, theme.ink)
    top = _draw_status_bar(screen, scene, text, theme)
    count = len(scene.rows)
    room = screen.shape[0] - top - rim
    for number, (label, value) in enumerate(scene.rows):
        y, end = top + room * number // count, top + room * (number + 1) // count
        row = screen[y:end]
        row[:1] = theme.line
        _draw_row(row[1:], label, value, text, theme)
    return frame


def _check(scene: Phone) -> None:
    if not scene.rows:
        raise BadScene("a Phone needs at least one row")
    for name, value, most in (("signal", scene.signal, _BARS), ("battery", scene.battery, 100)):
        if value is not None and not 0 <= value <= most:
            raise BadScene(f"{name}={value}: expected 0 to {most}, or None")


def _choose_text(scene: Phone, room: tuple[int, int]) -> int:
    """Return the largest height of letters at which all rows and the status bar fit."""
    longest = max(
        len(label) + (len(value) if isinstance(value, str) else _GAP) for label, value in scene.rows
    )
    icons = max(map(len, [" ".join(scene.icons), "airplane 100%"]))
    for text in reversed(font.LETTER_HEIGHTS):
        across = (room[0] - text) // font.measure_advance(text)
        lines = len(scene.rows) + 3
        if max(longest + 1, icons) <= across and lines * (text + 2) <= room[1]:
            return text
    raise FrameTooSmall(
        f"a phone with {len(scene.rows)} rows does not fit into {room[0]} x {room[1]} pixels; use "
        "a larger image_size"
    )


def _draw_status_bar(screen: np.ndarray, scene: Phone, text: int, theme: Theme) -> int:
    """Draw signal, network, battery and other signs; return the y below them."""
    pad, advance = text // 2, font.measure_advance(text)
    top = max(2, text // 4)
    bar = screen[: 2 * text + 2 * top]
    bar[:] = theme.cell
    words, x = scene.network, pad
    if scene.airplane:
        x += _draw_plane(bar, x, top, text, theme.ink) + 2
        words = "airplane"
    elif scene.signal is not None:
        x = _draw_signal(bar, x, top, scene.signal, text, theme)
        words = scene.network if scene.signal else "no signal"
    font.draw_line(bar, x, top, words, text, theme.ink)
    charge = "?" if scene.battery is None else f"{scene.battery}%"
    wide, end = 2 * advance, bar.shape[1] - pad
    font.draw_line(bar, end - wide - 3 - len(charge) * advance, top, charge, text, theme.ink)
    _draw_battery(bar[top + text // 4 : top + text - text // 6, end - wide : end], scene, theme)
    font.draw_line(bar, pad, top + text, " ".join(scene.icons), text, theme.ink)
    return 2 * text + 2 * top


def _draw_plane(bar: np.ndarray, x: int, y: int, text: int, ink: RGB) -> int:
    """Draw the sign of airplane mode; return its width."""
    side = len(_PLANE)
    filled = np.array([[spot == "#" for spot in row] for row in _PLANE])
    at = np.arange(text) * side // text
    bar[y : y + text, x : x + text][filled[at][:, at]] = ink
    return text


def _draw_signal(bar: np.ndarray, x: int, y: int, signal: int, text: int, theme: Theme) -> int:
    """Draw the bars of a signal; return the x behind them."""
    wide, bottom = text // 5, y + text - text // 6
    for number in range(_BARS):
        high = text * 3 // 4 * (number + 1) // _BARS
        ink = theme.ink if number < signal else theme.line
        bar[bottom - high : bottom, x : x + wide] = ink
        x += wide + 1 + wide // 4
    return x + wide


def _draw_battery(area: np.ndarray, scene: Phone, theme: Theme) -> None:
    body, knob = area[:, :-2], area[:, -2:]
    draw_border(body, theme.ink)
    third = max(1, area.shape[0] // 3)
    knob[third : area.shape[0] - third] = theme.ink
    if scene.battery is not None:
        inside = body[2:-2, 2:-2]
        color = theme.color("green" if scene.battery > _LOW_CHARGE else "red")
        inside[:, : max(1, inside.shape[1] * scene.battery // 100)] = color


def _draw_row(
    row: np.ndarray, label: str, value: str | bool | None, text: int, theme: Theme
) -> None:
    """Draw the label of a setting, and its text or its switch."""
    pad, advance = text // 2, font.measure_advance(text)
    y = (row.shape[0] - text) // 2
    dim = mix_colors(theme.ink, theme.paper, 0.35)
    _paste_line(row, pad, y, label, text, theme.ink if value is not None else dim, theme.paper)
    end = row.shape[1] - pad
    if isinstance(value, bool):
        high = max(8, text * 3 // 4) // 2 * 2
        wide = min(_GAP * advance, 2 * high)
        top = (row.shape[0] - high) // 2
        row[top : top + high, end - wide : end] = _draw_switch((wide, high), value, theme)
    else:
        words = "?" if value is None else value
        ink = dim if value is None else theme.ink
        _paste_line(row, end - len(words) * advance, y, words, text, ink, theme.paper)


def _paste_line(
    row: np.ndarray, x: int, y: int, words: str, text: int, ink: RGB, paper: RGB
) -> None:
    """Paste a line of text, which is cached: a phone has the same words in most frames."""
    if words:
        picture = font.render_line(words, text, ink, paper)
        row[y : y + text, x : x + picture.shape[1]] = picture


@memoize
def _draw_switch(size: tuple[int, int], is_on: bool, theme: Theme) -> np.ndarray:
    """Draw a switch: coloured with its knob at the right if it is on."""
    wide, high = size
    area = make_frame(size, theme.color("green") if is_on else theme.line)
    round_corners(area, high // 2, theme.paper)
    knob = area[1:-1, wide - high + 1 : wide - 1] if is_on else area[1:-1, 1 : high - 1]
    font.blend_ink(knob, make_mask("disc", high - 2), (255, 255, 255))
    return area
