"""The renderers of Panels (several scenes side by side) and of Pixels."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from PIL import Image

from gem_ma.renderers import font
from gem_ma.renderers.themes import Theme, make_frame
from gem_ma.scene import BadScene, FrameTooSmall, Panels, Pixels

_TITLES_HIGH = 14  # the least height of a frame, in lines of large titles
_WIDE = 1.5  # the least width of a frame with panels side by side, in heights


def draw(
    scene: Panels,
    size: tuple[int, int],
    theme: Theme,
    draw_scene: Callable[..., np.ndarray],
) -> np.ndarray:
    """Draw the scene as a new frame; `draw_scene` draws each inner scene into its part.

    Boards are as large as their panels allow: panels begin anywhere, so patches do not matter.
    """
    frame = make_frame(size, theme.paper)
    free_rows: dict[int, int] = {}  # above the scenes of a row of panels, which its titles pass
    parts = place_panels(scene, size)
    for part in parts:
        picture = draw_scene(part.scene, part.size, theme, 1)
        top = part.y + len(part.title) * part.text
        frame[top : top + picture.shape[0], part.x : part.x + picture.shape[1]] = picture
        free = _count_free_rows(picture, theme) if part.title else 0
        free_rows[part.y] = min(free_rows.get(part.y, free), free)
    for part in parts:
        y = part.y + max(0, free_rows[part.y] - max(1, part.text // 12))  # close to the scene
        font.draw_lines(frame, part.x + 2, y, part.title, part.text, theme.ink)
    return frame


def _count_free_rows(picture: np.ndarray, theme: Theme) -> int:
    """Return the number of rows above all that is drawn."""
    blank = bytes(theme.paper) * picture.shape[1]
    return next((i for i, row in enumerate(picture) if row.tobytes() != blank), 0)


@dataclass(frozen=True, slots=True)
class PanelPlacement:
    """The position of one scene of Panels, in pixels."""

    scene: object
    size: tuple[int, int]  # of the scene, without its title
    title: Sequence[str]  # lines
    text: int  # height of a line
    x: int
    y: int  # of the title


def place_panels(scene: Panels, size: tuple[int, int]) -> list[PanelPlacement]:
    """Compute the position of each scene of Panels."""
    if not scene.scenes or scene.columns < 0:
        raise BadScene("Panels needs at least one scene, and columns=0 or more")
    if not 0 <= scene.gap < 1:
        raise BadScene(f"gap={scene.gap}: expected a share of a panel, 0 or more and below 1")
    count = len(scene.scenes)
    columns = min(scene.columns, count) or (count if size[0] >= _WIDE * size[1] else 1)
    lefts, tops = _compute_borders(scene, columns, size)
    placements = []
    widths, heights = np.diff(lefts).tolist(), np.diff(tops).tolist()
    titles = [title for title, _ in scene.scenes if title]
    text = _choose_title_height(titles, (min(widths), min(heights)), size)
    for i, (title, inner) in enumerate(scene.scenes):
        width, height = widths[i % columns], heights[i // columns]
        free = max(2, round(scene.gap * width))
        lines = (
            font.wrap_lines([title], max(1, (width - 4) // font.measure_advance(text)))
            if title
            else []
        )
        room = width - free, height - len(lines) * text - free
        if room[1] < 1:
            raise FrameTooSmall(
                f"the title {title!r} does not fit into {width} x {height} pixels; use a larger "
                "image_size"
            )
        placements.append(
            PanelPlacement(inner, room, lines, text, lefts[i % columns], tops[i // columns])
        )
    return placements


def _choose_title_height(
    titles: Sequence[str], panel: tuple[int, int], size: tuple[int, int]
) -> int:
    """Return the height of letters: larger than in a picture of its own, if each title fits."""
    usual = min(font.list_caption_heights([title], panel, 4)[0] for title in titles or [""])
    longest = max(map(len, titles), default=0)
    fitting = [
        height
        for height in font.LETTER_HEIGHTS
        if height * _TITLES_HIGH <= min(size)
        and height <= font.CAPTION_SHARE * panel[1]
        and longest * font.measure_advance(height) <= panel[0] - 4
    ]
    return max([usual, *fitting])


def _compute_borders(
    scene: Panels, columns: int, size: tuple[int, int]
) -> tuple[list[int], list[int]]:
    """Return the x of the columns' borders and the y of the rows' borders."""
    rows = math.ceil(len(scene.scenes) / columns)
    lefts = [i * (size[0] // columns) for i in range(columns + 1)]
    tops = [i * (size[1] // rows) for i in range(rows + 1)]
    shares = scene.shares
    if not shares or (columns > 1 and not scene.columns):
        return lefts, tops
    if min(rows, columns) > 1 or len(shares) != len(scene.scenes):
        raise BadScene(f"shares={shares}: expected one for each panel of one row or one column")
    if min(shares) <= 0 or not math.isclose(sum(shares), 1):
        raise BadScene(f"shares={shares}: expected numbers above 0 with the sum 1")
    ends = [0.0, *itertools.accumulate(shares)]
    if columns > 1:
        return [round(end * size[0]) for end in ends], tops
    return lefts, [round(end * size[1]) for end in ends]


def compute_frame_size(title: str, size: tuple[int, int]) -> tuple[int, int]:
    """Return a frame size in which a scene with this title has `size` pixels below the title."""
    width, height = size[0] + 2, size[1] + 2
    while True:
        (part,) = place_panels(Panels(((title, None),), 1), (width, height))
        short = size[1] - part.size[1]
        if short <= 0:
            return width, height
        height += short


def draw_pixels(scene: Pixels, size: tuple[int, int], theme: Theme) -> np.ndarray:
    """Draw the whole picture centred in a new frame, enlarged by an integer factor or reduced."""
    count = scene.height * scene.width * 3
    if len(scene.data) != count or not count:
        raise BadScene(
            f"Pixels of {scene.height} x {scene.width} need {count} bytes, got {len(scene.data)}"
        )
    picture = np.frombuffer(scene.data, np.uint8).reshape(scene.height, scene.width, 3)
    times = min(size[0] // scene.width, size[1] // scene.height)
    if times >= 1:
        picture = picture.repeat(times, 0).repeat(times, 1)
    else:
        share = min(size[0] / scene.width, size[1] / scene.height)
        smaller = max(1, int(scene.width * share)), max(1, int(scene.height * share))
        picture = np.asarray(Image.fromarray(picture).resize(smaller, Image.Resampling.BOX))
    frame = make_frame(size, theme.paper)
    height, width = picture.shape[:2]
    top, left = (size[1] - height) // 2, (size[0] - width) // 2
    frame[top : top + height, left : left + width] = picture
    return frame
