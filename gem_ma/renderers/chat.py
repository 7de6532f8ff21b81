"""Draw a Chat: a bubble for each message, the newest at the bottom, as on a phone."""

from __future__ import annotations

import functools

import numpy as np

from gem_ma.renderers import font
from gem_ma.renderers.grid import readable
from gem_ma.renderers.themes import RGB, Theme
from gem_ma.scene import Chat

ORDER = ("blue", "green", "orange", "purple", "red", "yellow", "brown", "gray", "black", "white")
PAD = 4  # pixels around a text in its bubble


def draw(scene: Chat, size: tuple[int, int], theme: Theme) -> np.ndarray:
    """Return a new frame; what does not fit is counted at the top, or in the bubble that is cut."""
    width, height = size
    text = next(h for h in reversed(font.HEIGHTS) if h == font.HEIGHTS[0] or width >= 34 * h)
    frame = np.empty((height, width, 3), np.uint8)
    frame[:] = theme.paper
    top = 2
    if scene.title:
        frame[: text + 6] = theme.cell
        frame[text + 6] = theme.line
        title = font.shorten(scene.title, (width - 8) // font.width(text))
        font.paste(frame, PAD, 3, title, text, theme.ink)
        top = text + 9
    colors: dict[str, RGB] = {}
    for speaker, _ in scene.turns:
        if speaker not in colors:
            colors[speaker] = theme.color(ORDER[len(colors) % len(ORDER)])
    columns = max(4, (width * 4 // 5 - 2 * PAD) // font.width(text))
    bottom, shown = height - 3, 0
    for speaker, words in reversed(scene.turns):
        left = len(scene.turns) - shown
        room = bottom - top - (text + 2 if left > 1 else 0)
        bubble = _bubble(speaker, words, columns, text, colors[speaker], theme.ink, theme.paper)
        if bubble.shape[0] > room:
            if shown:
                break
            most = max(1, (room - text - 2 * PAD) // text)
            bubble = _cut(speaker, words, columns, text, colors[speaker], theme, most)[
                : max(room, 0)
            ]
        x = width - bubble.shape[1] - 3 if speaker == scene.viewer else 3
        x = max(x, 0)
        frame[bottom - bubble.shape[0] : bottom, x : x + bubble.shape[1]] = bubble[:, : width - x]
        bottom -= bubble.shape[0] + 3
        shown += 1
    earlier = len(scene.turns) - shown
    if earlier:
        line = f"... {earlier} earlier message{'s' if earlier > 1 else ''}"
        font.paste(frame, PAD, max(bottom - text, top), line, text, theme.ink)
    return frame


@functools.lru_cache(maxsize=1024)
def _bubble(
    speaker: str, words: str, columns: int, text: int, color: RGB, ink: RGB, paper: RGB
) -> np.ndarray:
    """Draw the speaker's name and the whole message in a bubble, unless that is far too long."""
    return _draw(speaker, font.wrap(words, columns)[:1000], columns, text, color, ink, paper)


def _cut(
    speaker: str, words: str, columns: int, text: int, color: RGB, theme: Theme, most: int
) -> np.ndarray:
    lines = font.wrap(words, columns)
    rest = len(lines) - most + 1
    shown = [*lines[: most - 1], font.shorten(f"... {rest} more lines", columns)]
    return _draw(speaker, shown, columns, text, color, theme.ink, theme.paper)


def _draw(
    speaker: str, lines: list[str], columns: int, text: int, color: RGB, ink: RGB, paper: RGB
) -> np.ndarray:
    name = font.shorten(font.wrap(speaker, columns)[0], columns)
    widest = max(len(name), *map(len, lines))
    width, height = widest * font.width(text) + 2 * PAD, (len(lines) + 1) * text + 2 * PAD
    bubble = np.empty((height, width, 3), np.uint8)
    bubble[:text] = paper
    bubble[text:] = color
    for corner in ((text, 0), (text, -1), (-1, 0), (-1, -1)):
        bubble[corner] = paper
    font.paste(bubble, PAD, 0, name, text, ink)
    screen = font.screen(lines, widest, len(lines), text, readable(color), color)
    bubble[text + PAD : text + PAD + screen.shape[0], PAD : PAD + screen.shape[1]] = screen
    bubble.setflags(write=False)
    return bubble
