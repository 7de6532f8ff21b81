"""A sheet on which a task puts its widgets, below or beside each other."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypedDict, Unpack

from gem_ma.envs.screens.ui import SIZE
from gem_ma.scene import text_metrics
from gem_ma.scene.screen import CHECKBOX_SIZE, SCROLLBAR_WIDTH, Widget

EDGE = 14  # free pixels at the left and at the right
GAP = 8
TYPE = 14  # default letter size
ROW = 8  # pixels by which usable widgets are higher than a line of letters
_HIGH = {"label": 0, "link": 0, "check": 2, "radio": 2, "slider": 4, "fold": 4}  # exceptions
_ROOM = {
    "button": 28,
    "tab": 28,
    "check": CHECKBOX_SIZE + 8,
    "radio": CHECKBOX_SIZE + 8,
    "select": 40,
    "fold": 24,
}


class Area(NamedTuple):
    """A rectangle of the screen, in pixels."""

    x: int
    y: int
    w: int
    h: int


class PageStyle(NamedTuple):
    """How a page arranges what a task puts on it.

    Attributes:
        gap: pixels between two widgets, one below the other.
        stacked: whether names stand above their widgets, and not at their left.
        scale: from 0 to 1, how large cells of boards and keys are.
        window: from 0 to 1, where across and down the screen a window opens.
        spread: from 0 to 1, how much of the room that a page has to spare its parts take, across
            and down: the widths of columns, the heights of rows, and what is between them.
    """

    gap: int = GAP
    stacked: bool = False
    scale: float = 1.0
    window: tuple[float, float] = (0.5, 0.5)
    spread: tuple[float, float] = (1.0, 1.0)


PLAIN = PageStyle()


class WidgetStyle(TypedDict, total=False):
    """Options of the style of a widget."""

    group: str
    tone: str
    disabled: bool
    type: int


class WidgetContent(WidgetStyle, total=False):
    """The content and the style of a widget."""

    text: str
    value: object
    options: tuple[object, ...]


def make_strip(goal: str, type: int, wide: int = SIZE, least: int = 0) -> Widget | None:
    """Return the strip at the top of a screen with a text, so high at least; None for no text."""
    if not goal:
        return None
    lines = text_metrics.wrap_to_width(goal, type, wide - 2 * EDGE)
    high = max(least, text_metrics.LINE_HEIGHTS[type] * len(lines) + 10)
    return Widget("goal", "note", 0, 0, wide, high, "\n".join(lines), type=type)


class Sheet:
    """The widgets of a page in order, and the position of the next one.

    Args:
        goal: the goal of the task, shown in a strip at the top; "" shows none.
        type: the size of letters. Widths and heights passed to methods grow with it.
        area: the part of the screen for the page; None: all below the strip.
        screen: the width and the height of the screen.
        style: how the page arranges widgets.

    Attributes:
        low: where the page ends; what fills it goes down to there.
    """

    def __init__(
        self,
        goal: str = "",
        type: int = TYPE,
        area: Area | None = None,
        screen: tuple[int, int] = (SIZE, SIZE),
        style: PageStyle = PLAIN,
    ):
        self.type, self.line = type, text_metrics.LINE_HEIGHTS[type]
        self.screen, self.style = screen, style
        strip = make_strip(goal, type, screen[0])
        self.widgets: list[Widget] = [] if strip is None else [strip]
        self._strip = 0 if strip is None else strip.h
        self.area = area or Area(0, self._strip, screen[0], screen[1] - self._strip)
        self.x, self.w = self.area.x + EDGE, self.area.w - 2 * EDGE
        self.y = self.area.y + (GAP if strip or area else EDGE)
        self.low = self.area.y + self.area.h - EDGE
        self.inside = ""
        self._right, self._top, self._below = self.x, self.y, self.y
        self._tall = self.line + ROW  # height of the first widget of a row

    def grown(self, size: int) -> int:
        """Return a width or height scaled to the letter size."""
        return size * self.type // TYPE

    def choose_side(self, least: int, most: int) -> int:
        """Return the side of a cell between two sizes, which the style of the page says."""
        return max(least, round(least + (most - least) * self.style.scale))

    def put(
        self,
        kind: str,
        id: str,
        text: str = "",
        value: object = None,
        options: Sequence[object] = (),
        *,
        w: int | None = None,
        h: int | None = None,
        beside: bool = False,
        **more: Unpack[WidgetStyle],
    ) -> Widget:
        """Put a widget below or beside the last one; without `w`, it is as wide as its content."""
        if w is None:
            w = self._wide(kind, text, value, options, more.get("tone") == "bold")
        else:
            w = min(self.grown(w), self.w)
        if h is not None:
            h = self.grown(h)
        elif kind == "list":
            h = (self.line + 6) * len(options)
        else:
            h = 2 if kind == "line" else self.line + _HIGH.get(kind, ROW)
        return self._put(kind, id, text, value, options, w, h, beside, more)

    def _put(
        self,
        kind: str,
        id: str,
        text: str,
        value: object,
        options: Sequence[object],
        w: int,
        h: int,
        beside: bool,
        more: WidgetStyle,
    ) -> Widget:
        if beside and self._right + w <= self.x + self.w + 1:
            x, y = self._right, self._top + (self._tall - h) // 2
        else:
            x, y = self.x, self._below
            self._top, self._tall = y, h
        more.setdefault("type", self.type)
        one = Widget(id, kind, x, y, w, h, text, value, tuple(options), inside=self.inside, **more)
        self.widgets.append(one)
        self._right = x + w + GAP
        self._below = max(self._below, y + h + self.style.gap)
        self.y = self._below
        return one

    def at(
        self, kind: str, id: str, x: int, y: int, w: int, h: int, **more: Unpack[WidgetContent]
    ) -> Widget:
        """Put a widget at a given place."""
        more.setdefault("type", self.type)
        one = Widget(id, kind, x, y, w, h, inside=self.inside, **more)
        self.widgets.append(one)
        return one

    def window(
        self, w: int, h: int, title: str, at: tuple[float, float] | None = None, modal: bool = True
    ) -> None:
        """Open a window for the following widgets; a modal window blocks all widgets behind it.

        Args:
            at: where across and down the screen it stands, from 0 to 1; None: as the style says.
        """
        wide, tall = self.screen
        if modal:
            self.at("veil", "veil", 0, 0, wide, tall)
        w, h = min(self.grown(w), wide - 8), min(self.grown(h), tall - 8)
        across, down = at or self.style.window
        top = min(self.area.y + 4, tall - 4 - h)
        x, y = 4 + round(across * (wide - 8 - w)), top + round(down * (tall - 4 - h - top))
        name = f"window{sum(one.tone == 'window' for one in self.widgets)}"
        self.at("box", name, x, y, w, h, tone="window")
        self.at("title", f"{name}-title", x + 10, y + 5, w - 20, self.line + 8, text=title)
        self.move(x + 12, y + self.line + 24, w - 24)

    def page(self) -> tuple[Widget, ...]:
        """Return all widgets; if they are higher than the page, within a box that scrolls."""
        all, strip = self.widgets, sum(one.id == "goal" for one in self.widgets)
        ends = next((n for n, one in enumerate(all) if one.kind == "veil"), len(all))
        x, y, w, h = self.area
        low = max([one.y + one.h for one in all[strip:ends]], default=0)
        if low <= y + h or any(one.kind == "scroll" for one in all):
            return tuple(all)
        box = Widget("scroll-page", "scroll", x, y, w, h, "", 0, (low - y + GAP,))
        within = [one._replace(inside="scroll-page") for one in all[strip:ends]]
        return (*all[:strip], box, *within, *all[ends:])

    def skip(self, by: int = GAP) -> None:
        """Leave some room free."""
        self._below += by
        self.y = self._below

    def move(self, x: int, y: int, w: int | None = None) -> None:
        """Continue at another place."""
        self.x, self.y, self._below, self._right, self._top = x, y, y, x, y
        self.w = self.area.x + self.area.w - EDGE - x if w is None else w

    def label(self, text: str, *, beside: bool = False, **more: Unpack[WidgetStyle]) -> Widget:
        """Put text as one label for each of its lines."""
        lines = text_metrics.wrap_to_width(text, self.type, self.w, more.get("tone") == "bold")
        for line in lines[:-1]:
            self.put("label", f"label{len(self.widgets)}", line, **more)
        id = f"label{len(self.widgets)}"
        return self.put("label", id, lines[-1], beside=beside and len(lines) == 1, **more)

    def named(
        self,
        kind: str,
        id: str,
        name: str,
        value: object = None,
        options: Sequence[object] = (),
        *,
        room: int = 96,
        w: int = 240,
        **more: Unpack[WidgetStyle],
    ) -> Widget:
        """Put a name, at least `room` wide, and a widget at its right or below it."""
        if self.style.stacked:
            self.put("label", f"{id}-name", name)
            self._below += 2 - self.style.gap
            return self.put(kind, id, "", value, options, w=w, **more)
        wide = max(self.grown(room), round(text_metrics.measure_width(name, self.type)) + 8)
        label = self._put("label", f"{id}-name", name, None, (), wide, self.line, False, {})
        self.widgets[-1] = label._replace(y=label.y + ROW // 2)
        self._below, self._right, self._tall = label.y, self.x + wide, self.line + ROW
        left = (self.x + self.w - self._right) * TYPE // self.type
        return self.put(kind, id, "", value, options, w=min(w, left), beside=True, **more)

    @contextlib.contextmanager
    def scroll(self, id: str, h: int) -> Iterator[None]:
        """Put the following widgets into a box that scrolls."""
        place = len(self.widgets)
        box = self._put("scroll", id, "", 0, (), self.w, h, False, {})
        layout = self.x, self.w, self._below
        self.inside = id
        self.move(box.x + GAP, box.y + GAP, box.w - SCROLLBAR_WIDTH - 2 * GAP)
        yield
        high = self._below - box.y
        self.inside = ""
        self.widgets[place] = box._replace(options=(high,))
        self.move(layout[0], layout[2], layout[1])

    def fill(self, id: str, but: int = 0) -> contextlib.AbstractContextManager[None]:
        """Put the following widgets into a box that scrolls and fills the page but for a height."""
        return self.scroll(id, max(self.low - self.y - but, 3 * self.line))

    def _wide(
        self, kind: str, text: str, value: object, options: Sequence[object], bold: bool
    ) -> int:
        if kind in ("field", "password", "area", "title", "line", "note"):
            return min(self.w, 240) if kind in ("field", "password") else self.w
        if kind == "slider":
            return min(self.w, 200)
        longest = max([text, *map(str, options)] if kind in ("select", "list") else [text], key=len)
        wide = round(text_metrics.measure_width(longest, self.type, bold)) + 1 + _ROOM.get(kind, 0)
        return min(wide + (20 if kind == "list" else 0), self.w)
