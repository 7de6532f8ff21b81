"""Screen and Widget: what desktops and web pages show, laid out and hit by games."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from gem_ma.scene import text_metrics

__all__ = [
    "CLICKABLE_KINDS",
    "FOCUSABLE_KINDS",
    "TEXT_KINDS",
    "Screen",
    "Widget",
    "find_widget",
]

# What can be given the keyboard; the rest is looked at, or clicked only.
TEXT_KINDS = frozenset({"field", "password", "area"})
FOCUSABLE_KINDS = TEXT_KINDS | {
    "button",
    "link",
    "check",
    "radio",
    "select",
    "list",
    "slider",
    "tab",
    "fold",
}
CLICKABLE_KINDS = FOCUSABLE_KINDS | {"item", "cell", "handle", "square", "shade"}
FIELD_PADDING = 6  # between the border of a field and what is typed in it
SCROLLBAR_WIDTH = 14  # how wide a scroll bar is
THUMB_WIDTH = 16  # how wide what is moved along a slider is
CHECKBOX_SIZE = 16  # the side of a check box


class Widget(NamedTuple):
    """One thing on a screen.

    Attributes:
        kind: label, title, note, box, image, line; button, link, field, password, area, check,
            radio, select, list, slider, tab, fold, item, cell, handle, square (its value: a Tile,
            and whether it is marked), shade (of a colour picker); scroll, veil, menu; tile (as a
            square); view (its value: a scene).
        x: the left side of its box, on the screen, in pixels.
        y: the top of its box.
        w: the width of its box.
        h: the height of its box.
        text: its label; of an area or a field what stands there while it is empty.
        value: what it holds: the text of a field, whether a box is checked, the place of what is
            selected (-1: nothing), the number of a slider, how far a scroll is scrolled, of a strip
            of hues the hue in degrees, of a square of shades saturation and brightness, 0 to 100.
        options: what can be selected, of a slider (lowest, highest, step), of a shade ("hue",),
            ("shade", hue), or ("mixed", hue), which only shows the colour.
        group: of a radio button those of which one is on; else the scroll that it lies in.
        tone: a colour out of `gem_ma.scene.COLORS`, or what it is like: "primary", "danger",
            "quiet"; a handle may be the "bar" of a window.
        type: the size of its letters.
    """

    id: str
    kind: str
    x: int
    y: int
    w: int
    h: int
    text: str = ""
    value: Any = None
    options: tuple[Any, ...] = ()
    group: str = ""
    tone: str = ""
    inside: str = ""  # the scroll that it lies in
    clip: tuple[int, int, int, int] | None = None  # what of the screen its scroll shows
    disabled: bool = False
    type: int = 14

    def holds(self, x: int, y: int) -> bool:
        """Return whether a point lies in it, where it can be seen."""
        if not (self.x <= x < self.x + self.w and self.y <= y < self.y + self.h):
            return False
        if self.clip is None:
            return True
        left, top, right, bottom = self.clip
        return left <= x < right and top <= y < bottom

    @property
    def seen(self) -> bool:
        """Whether its middle can be seen."""
        return self.holds(self.x + self.w // 2, self.y + self.h // 2)


class Screen(NamedTuple):
    """Widgets, the last ones on top, and what a person sees of who is at work there.

    Attributes:
        focus: the widget that has the keyboard.
        caret: where in its text the next letter goes.
        anchor: where its selection began; at the caret, nothing is selected.
        hover: what the pointer is over.
        pointer: where it is; None: it was not moved yet.
        refs: whether each widget that can be used has a numbered mark.
        look: "flat", or "old" with borders that stand out.
        pointed: what somebody else points at.
    """

    widgets: tuple[Widget, ...]
    width: int = 448
    height: int = 448
    focus: str = ""
    caret: int = 0
    anchor: int = 0
    hover: str = ""
    pointer: tuple[int, int] | None = None
    refs: bool = False
    look: str = "flat"
    pointed: tuple[int, int] | None = None


def find_widget(widgets: Sequence[Widget], x: int, y: int) -> Widget | None:
    """Return the topmost widget at a point."""
    return next((one for one in reversed(widgets) if one.holds(x, y)), None)


def compute_row_height(widget: Widget) -> int:
    """Return how high a line of a list is, or an option."""
    return text_metrics.LINE_HEIGHTS[widget.type] + 6


def compute_text_shift(widget: Widget, caret: int) -> int:
    """Return by how much the text of a field is shifted so that its caret can be seen."""
    room = widget.w - 2 * FIELD_PADDING
    value = str(widget.value or "")
    text = "•" * len(value) if widget.kind == "password" else value
    wide = text_metrics.measure_edges(text, widget.type)
    if wide[-1] <= room:
        return 0
    at = wide[min(caret, len(text))]
    return max(0, min(round(at - room * 0.5), round(wide[-1] - room)))


def compute_thumb_x(widget: Widget) -> int:
    """Return the x of the middle of a slider's thumb."""
    low, high, _ = widget.options
    share: float = (widget.value - low) / (high - low)
    return widget.x + THUMB_WIDTH // 2 + round(share * (widget.w - THUMB_WIDTH))


def find_shade_point(widget: Widget) -> tuple[int, int]:
    """Return where a shade lies in its strip, or its square."""
    if widget.options[0] == "hue":
        return widget.x + widget.value * (widget.w - 1) // 359, widget.y + widget.h // 2
    across, up = widget.value
    return widget.x + across * (widget.w - 1) // 100, widget.y + (100 - up) * (widget.h - 1) // 100


def find_shade(widget: Widget, x: int, y: int) -> int | tuple[int, int]:
    """Return the shade that lies at a place, or next to it."""
    across = max(0, min(x - widget.x, widget.w - 1))
    down = max(0, min(y - widget.y, widget.h - 1))
    if widget.options[0] == "hue":
        return round(across * 359 / (widget.w - 1))
    return round(across * 100 / (widget.w - 1)), 100 - round(down * 100 / (widget.h - 1))
