"""How pictures look: grounds that can be told apart, colours that are called by their names."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Iterator

import numpy as np

from gem_ma.renderers.color_names import SURVEY_COLORS, find_color_name
from gem_ma.renderers.contrast import compute_contrast
from gem_ma.renderers.scenes import chat
from gem_ma.renderers.themes import RGB, Theme
from gem_ma.scene import COLORS, Chat, Grid, HexGrid, Tile

MIN_GROUND_CONTRAST = 1.6  # of neighbouring cells that nothing but their grounds tells apart
MIN_FILLED_SHARE = 0.5  # of a frame, for boards


def find_closest_grounds(scene: Grid, theme: Theme) -> tuple[float, str, str]:
    """Return the lowest contrast of neighbouring bare cells with different grounds, and these.

    A cell is bare if it has neither a figure nor letters. Without such neighbours: inf.
    """
    tiles, pairs = dict(scene.tiles), set()
    rows = [tuple(row) for row in scene.rows]
    for row, below in itertools.zip_longest(rows, rows[1:], fillvalue=()):
        pairs |= {*itertools.pairwise(row), *zip(row, below, strict=False)}
    closest = math.inf, "", ""
    for symbols in pairs:
        one, other = (tiles[symbol] for symbol in symbols)
        if _is_bare(one) and _is_bare(other) and one.ground != other.ground:
            colors = [theme.color(t.ground) if t.ground else theme.cell for t in (one, other)]
            contrast = float(compute_contrast(*colors))
            closest = min(closest, (contrast, one.ground, other.ground))
    return closest


def _is_bare(tile: Tile) -> bool:
    return not (tile.figure or tile.text or tile.parts)


def find_misnamed_color(scene: object, theme: Theme) -> tuple[str, str] | None:
    """Return the name that a legend gives to a colour of a scene, and the name that people give.

    None if these agree, for all colours that a legend calls by a name of the survey.
    """
    for color in sorted({*_list_texts(scene)} & {*COLORS}):
        said = theme.describe_color(color)
        if said in SURVEY_COLORS and find_color_name(theme.color(color)) != said:
            return said, find_color_name(theme.color(color))
    return None


def _list_texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple):
        for part in value:
            yield from _list_texts(part)
    elif dataclasses.is_dataclass(value):
        for name in value.__dataclass_fields__:
            yield from _list_texts(getattr(value, name))


def measure_filled_share(frame: np.ndarray, theme: Theme) -> float:
    """Return the box around all that is not paper, as a share of the shorter side squared."""
    red, green, blue = (frame[..., i] != value for i, value in enumerate(theme.paper))
    drawn = red | green | blue  # faster than `any` over three values
    rows, columns = np.flatnonzero(drawn.any(1)), np.flatnonzero(drawn.any(0))
    if not len(rows):
        return 0.0
    box = (rows[-1] - rows[0] + 1) * (columns[-1] - columns[0] + 1)
    return float(box / min(frame.shape[:2]) ** 2)


def find_largest_share(scene: Grid | HexGrid) -> float:
    """Return the largest share of a square frame that a board of this shape can fill."""
    height, width = len(scene.rows), max(map(len, scene.rows), default=0)
    return min(height, width) / max(height, width, 1) or 1.0


class ChatHistory:
    """The chats that seats saw in an episode: what they may not change from frame to frame."""

    def __init__(self) -> None:
        self._colors: dict[str, RGB] = {}
        self._last: dict[str | None, Chat] = {}

    def find_fault(self, seat: str | None, scene: Chat, theme: Theme) -> str:
        """Note the chat that a seat sees; return what is wrong with it, "" if nothing is."""
        for speaker, color in chat.assign_speaker_colors(scene, theme).items():
            if self._colors.setdefault(speaker, color) != color:
                return f"{speaker!r} has another colour than before; give the Chat its seats"
        before = self._last.get(seat)
        self._last[seat] = scene
        for gone in range(1, len(before.turns) if before else 0):
            assert before is not None
            if scene.turns[: len(before.turns) - gone] == before.turns[gone:]:
                if scene.turns[: len(before.turns)] == before.turns:
                    return ""  # the same message several times: nothing has gone
                count = before.earlier + gone
                if scene.earlier == count:
                    return ""
                return f"{count} messages are no more in the Chat, and earlier={scene.earlier}"
        return ""
