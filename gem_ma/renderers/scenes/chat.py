"""The renderer of Chat: one bubble per message, as on a phone."""

from __future__ import annotations

import numpy as np

from gem_ma.renderers import font
from gem_ma.renderers.cache import memoize
from gem_ma.renderers.contrast import choose_ink
from gem_ma.renderers.themes import RGB, Theme
from gem_ma.scene import Chat

_MIN_COLUMNS, _MIN_ROWS = 48, 24  # characters and lines that should fit into a picture
_MAX_CACHED_LENGTH = 8192  # longer texts are not cached: they would take megabytes
_MIN_LINES = 3  # a message that is cut shows at least this many lines
_SAMPLES_PER_PIXEL = 4  # per axis, for round corners


def draw(scene: Chat, size: tuple[int, int], theme: Theme) -> np.ndarray:
    """Draw the newest message at the bottom, with a note about earlier messages that do not fit."""
    flat = min(1.0, size[1] / size[0])  # a flat frame has fewer lines, so that they stay readable
    height = font.fit_height(_MIN_COLUMNS, round(_MIN_ROWS * (1 + flat) / 2), size)
    gap = height // 3
    image = _draw_background(
        scene.title[:_MAX_CACHED_LENGTH], size, height, theme.paper, theme.cell, theme.line
    ).copy()
    top = (_compute_bar_height(height) if scene.title else 0) + gap
    columns = max(1, (size[0] - 6 * gap) // font.measure_advance(height) * 7 // 8)
    around = height + 2 * (gap // 2) + gap  # of a message: its name, border and gap
    longest = max(1, (size[1] - gap - top - around - height) // height)
    colors = assign_speaker_colors(scene, theme)
    bottom, remaining = size[1] - gap, len(scene.turns)
    while remaining:
        speaker, text = scene.turns[remaining - 1]
        is_own = bool(scene.viewer) and speaker == scene.viewer
        style = (height, is_own, colors[speaker], theme.paper, theme.ink, theme.line)
        # Above every message except the first, leave room for the note about earlier messages.
        room = bottom - top - (height + gap if remaining > 1 or scene.earlier else 0)
        bubble = _draw_message(speaker, text, columns, longest, *style)
        whole = bubble.shape[0] <= room
        if not whole and remaining < len(scene.turns):
            most = (room - around) // height
            if most < _MIN_LINES:
                break
            bubble = _draw_message(speaker, text, columns, most, *style)
        _paste_bubble(image, bubble, bottom, is_own, gap)
        bottom -= bubble.shape[0]
        remaining -= 1
        if not whole:
            break
    hidden = scene.earlier + remaining
    if hidden:
        note = f"... {hidden} earlier message{'s' if hidden > 1 else ''}"
        font.draw_line(image, 2 * gap, max(0, bottom - gap - height), note, height, theme.ink)
    return image


def assign_speaker_colors(scene: Chat, theme: Theme) -> dict[str, RGB]:
    """Assign to each speaker the colour of its seat."""
    speakers = dict.fromkeys([*scene.seats, *(speaker for speaker, _ in scene.turns)])
    return {
        speaker: theme.seats[number % len(theme.seats)] for number, speaker in enumerate(speakers)
    }


def _compute_bar_height(height: int) -> int:
    return height + 2 * (height // 3)


@memoize
def _draw_background(
    title: str, size: tuple[int, int], height: int, paper: RGB, bar: RGB, line: RGB
) -> np.ndarray:
    image = _make_area(size[1], size[0], paper)
    if title:
        gap = height // 3
        image[: _compute_bar_height(height)] = bar
        image[_compute_bar_height(height) - 1 : _compute_bar_height(height)] = line
        label = font.truncate_line(
            title, max(1, (size[0] - 4 * gap) // font.measure_advance(height))
        )
        font.draw_line(image, 2 * gap, gap, label, height, choose_ink(bar))
    return image


def _paste_bubble(image: np.ndarray, bubble: np.ndarray, bottom: int, own: bool, gap: int) -> None:
    tall, wide = min(bubble.shape[0], max(bottom, 0)), min(bubble.shape[1], image.shape[1])
    x = max(0, image.shape[1] - 2 * gap - wide) if own else min(2 * gap, image.shape[1] - wide)
    image[bottom - tall : bottom, x : x + wide] = bubble[:tall, :wide]


def _draw_message(
    speaker: str,
    text: str,
    columns: int,
    most: int,
    height: int,
    own: bool,
    color: RGB,
    paper: RGB,
    ink: RGB,
    line: RGB,
) -> np.ndarray:
    make = _draw_cached_bubble if len(speaker) + len(text) <= _MAX_CACHED_LENGTH else _draw_bubble
    return make(speaker, text, columns, most, height, own, color, paper, ink, line)


def _draw_bubble(
    speaker: str,
    text: str,
    columns: int,
    most: int,
    height: int,
    own: bool,
    color: RGB,
    paper: RGB,
    ink: RGB,
    line: RGB,
) -> np.ndarray:
    """Draw a message of at most `most` lines: its speaker's name, the bubble, and a gap below."""
    lines = font.wrap_text(text, columns)
    if len(lines) > most:
        hidden_count = len(lines) - most + 1
        lines[most - 1 :] = [
            font.truncate_line(
                f"... {hidden_count} more line{'s' if hidden_count > 1 else ''}", columns
            )
        ]
    name = font.truncate_line(speaker, columns)
    gap, advance, pad = height // 3, font.measure_advance(height), height // 2
    letters = max(1, *map(len, lines))
    # No additional columns: the picture's border would cut them off.
    wide = max(letters * advance + 2 * pad, len(name) * advance + pad)
    tall = len(lines) * height + 2 * (gap // 2)
    image = _make_area(height + tall + gap, wide, paper)
    at = wide - len(name) * advance - pad // 2 if own else pad // 2
    if name:
        label = font.render_lines([name], len(name), 1, height, ink, paper)
        image[:height, at : at + label.shape[1]] = label
    broad = letters * advance + 2 * pad
    box = image[height : height + tall, wide - broad :] if own else image[height:-gap, :broad]
    box[:] = _make_area(tall, broad, color)
    # Speakers have many colours: render only this message's letters in them.
    words = font.render_lines(lines, letters, len(lines), height, choose_ink(color), color)
    box[gap // 2 : gap // 2 + words.shape[0], pad : pad + words.shape[1]] = words
    corner = _draw_corner(gap, color, paper)
    for area in (box, box[::-1], box[:, ::-1], box[::-1, ::-1]):
        area[:gap, :gap] = corner
    if sum(abs(a - b) for a, b in zip(color, paper, strict=True)) < 90:  # too similar
        box[0, gap:-gap] = box[-1, gap:-gap] = box[gap:-gap, 0] = box[gap:-gap, -1] = line
    return image


_draw_cached_bubble = memoize(_draw_bubble)


def _make_area(tall: int, wide: int, color: RGB) -> np.ndarray:
    image = np.empty((tall, wide, 3), np.uint8)
    image[:1] = color
    image[1:] = image[:1]  # copying rows is faster than copying pixels
    return image


@memoize
def _draw_corner(radius: int, color: RGB, paper: RGB) -> np.ndarray:
    """Draw the round top left corner of a bubble."""
    axis = radius - (np.arange(radius * _SAMPLES_PER_PIXEL) + 0.5) / _SAMPLES_PER_PIXEL
    outside = axis[:, None] ** 2 + axis**2 > radius * radius
    share = outside.reshape(radius, _SAMPLES_PER_PIXEL, radius, _SAMPLES_PER_PIXEL).mean((1, 3))
    corner = _make_area(radius, radius, color)
    font.blend_ink(corner, np.round(share * 255).astype(np.uint8), paper)
    return corner
