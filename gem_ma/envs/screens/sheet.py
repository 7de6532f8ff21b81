"""A sheet on which a task puts its widgets, below or beside each other."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import TypedDict, Unpack

from gem_ma.scene import text_metrics
from gem_ma.scene.screen import CHECKBOX_SIZE, SCROLLBAR_WIDTH, Widget

SIZE = 448
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


class Sheet:
    """The widgets of a page in order, and the position of the next one.

    Args:
        goal: the goal of the task, shown in a strip at the top; "" shows none.
        type: the size of letters. Widths and heights passed to methods grow with it.
    """

    def __init__(self, goal: str = "", type: int = TYPE):
        self.type, self.line = type, text_metrics.LINE_HEIGHTS[type]
        self.widgets: list[Widget] = []
        self.x, self.y = EDGE, EDGE
        self.w = SIZE - 2 * EDGE
        self.inside = ""
        self._right, self._top, self._below = EDGE, EDGE, EDGE
        self._tall = self.line + ROW  # height of the first widget of a row
        if goal:
            lines = text_metrics.wrap_to_width(goal, type, SIZE - 2 * EDGE)
            high = self.line * len(lines) + 10
            self.at("note", "goal", 0, 0, SIZE, high, text="\n".join(lines))
            self.y = self._below = self._top = high + GAP

    def grown(self, size: int) -> int:
        """Return a width or height scaled to the letter size."""
        return size * self.type // TYPE

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
        self._below = max(self._below, y + h + GAP)
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

    def window(self, x: int, y: int, w: int, h: int, title: str, modal: bool = True) -> None:
        """Open a window for the following widgets; a modal window blocks all widgets behind it."""
        if modal:
            self.at("veil", "veil", 0, 0, SIZE, SIZE)
        w, h = min(self.grown(w), SIZE - 8), min(self.grown(h), SIZE - 8)
        x, y = min(x, SIZE - 4 - w), min(y, SIZE - 4 - h)
        name = f"window{sum(one.tone == 'window' for one in self.widgets)}"
        self.at("box", name, x, y, w, h, tone="window")
        self.at("title", f"{name}-title", x + 10, y + 5, w - 20, self.line + 8, text=title)
        self.move(x + 12, y + self.line + 24, w - 24)

    def page(self) -> tuple[Widget, ...]:
        """Return all widgets; if they are higher than the screen, within a box that scrolls."""
        all, strip = self.widgets, sum(one.id == "goal" for one in self.widgets)
        ends = next((n for n, one in enumerate(all) if one.kind == "veil"), len(all))
        low = max([one.y + one.h for one in all[strip:ends]], default=0)
        if low <= SIZE or any(one.kind == "scroll" for one in all):
            return tuple(all)
        top = all[0].h if strip else 0
        box = Widget("scroll-page", "scroll", 0, top, SIZE, SIZE - top, "", 0, (low - top + GAP,))
        within = [one._replace(inside="scroll-page") for one in all[strip:ends]]
        return (*all[:strip], box, *within, *all[ends:])

    def skip(self, by: int = GAP) -> None:
        """Leave some room free."""
        self._below += by
        self.y = self._below

    def move(self, x: int, y: int, w: int | None = None) -> None:
        """Continue at another place."""
        self.x, self.y, self._below, self._right, self._top = x, y, y, x, y
        self.w = SIZE - EDGE - x if w is None else w

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
        """Put a name, at least `room` wide, and a widget at its right."""
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
