"""Screen and Widget: the contents of desktops and web pages, laid out by games."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from gem_ma.scene import text_metrics

__all__ = [
    "Screen",
    "Widget",
    "find_widget",
]

# Kinds that can have the keyboard focus; the others can only be clicked or read.
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
TOUCH_KINDS = frozenset({"row", "app", "photo", "bubble"})  # which only a phone has
CLICKABLE_KINDS = FOCUSABLE_KINDS | {"item", "cell", "handle", "square", "shade"} | TOUCH_KINDS
FIELD_PADDING = 6  # pixels between the border of a field and its text
SCROLLBAR_WIDTH = 14  # pixels
THUMB_WIDTH = 16  # pixels of the handle of a slider
CHECKBOX_SIZE = 16  # pixels of the side of a check box


class Widget(NamedTuple):
    """One widget on a screen.

    Attributes:
        kind: label, title, note, box, image, line; button, link, field, password, area, check,
            radio, select, list, slider, tab, fold, item, cell, handle, square (its value: a Tile,
            and whether it is marked), shade (of a colour picker); scroll, veil, menu; tile (with
            the value of a square); view (its value: a scene). On a phone also: pane, status, icon,
            row, app, photo, bubble, keyboard (its value: a layer of keys).
        x: The left side of its box on the screen, in pixels.
        y: The top of its box.
        w: The width of its box.
        h: The height of its box.
        text: Its label. For a field or an area: the placeholder while it is empty.
        value: Its content: the text of a field, whether a box is checked, the index of the
            selection (-1: none), the number of a slider, the offset of a scroll, the hue of a strip
            of hues in degrees, or saturation and brightness (0 to 100) of a square of shades.
        options: The choices of a selection; (lowest, highest, step) of a slider. For a shade:
            ("hue",), ("shade", hue), or ("mixed", hue), which only shows the colour. On a phone:
            the icon of a button or tab; of a row its subtitle, icon, tone of the icon, and text at
            the right; the radius of a pane; kind and number of a photo; the icon, tone, side and
            radius of an app.
        group: The name of the group of a radio button; for other kinds the scroll that contains it.
        tone: A colour from `gem_ma.scene.COLORS`, or a style: "primary", "danger", "quiet". A
            handle may be the "bar" of a window; a box the "desk", or a "pane", "bar" or "side" of
            a program's window, on which an item may be "bare". On a phone also "wall" on the
            wallpaper, which has the colour of its group, and "seat0" to "seat7".
        type: The size of its letters in pixels.
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
    inside: str = ""  # the scroll that contains it
    clip: tuple[int, int, int, int] | None = None  # the visible area of its scroll, on the screen
    disabled: bool = False
    type: int = 14

    def holds(self, x: int, y: int) -> bool:
        """Return whether a point lies in the visible part of the widget."""
        if not (self.x <= x < self.x + self.w and self.y <= y < self.y + self.h):
            return False
        if self.clip is None:
            return True
        left, top, right, bottom = self.clip
        return left <= x < right and top <= y < bottom

    @property
    def seen(self) -> bool:
        """Whether its centre is visible."""
        return self.holds(self.x + self.w // 2, self.y + self.h // 2)


class Screen(NamedTuple):
    """Widgets, with the keyboard focus and the pointers of the users.

    Attributes:
        widgets: The widgets; later ones are on top.
        width: The width of the screen in pixels.
        height: The height of the screen in pixels.
        focus: The id of the widget with the keyboard focus.
        caret: The position of the next letter in the focused text.
        anchor: The position at which the selection began; equal to `caret`: nothing is selected.
        hover: The id of the widget under the pointer.
        pointer: The position of the pointer; None: it has not been moved yet.
        refs: Whether each usable widget has a numbered mark.
        look: "flat", "old" with raised borders, or "phone".
        pointed: The point that another user points at; None: none.
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
    """Return the height of a line of a list or of an option, in pixels."""
    return text_metrics.LINE_HEIGHTS[widget.type] + 6


def compute_text_shift(widget: Widget, caret: int) -> int:
    """Return the shift of a field's text that keeps its caret visible, in pixels."""
    room = widget.w - 2 * FIELD_PADDING
    value = str(widget.value or "")
    text = "•" * len(value) if widget.kind == "password" else value
    wide = text_metrics.measure_edges(text, widget.type)
    if wide[-1] <= room:
        return 0
    at = wide[min(caret, len(text))]
    return max(0, min(round(at - room * 0.5), round(wide[-1] - room)))


def count_certain_discs(widget: Widget) -> int:
    """Return up to how many letters of a password can be counted by its discs.

    It is one less than fit: a full field looks the same, however many letters are beside it.
    """
    room = widget.w - 2 * FIELD_PADDING
    return max(0, int(room / text_metrics.measure_width("•", widget.type)) - 1)


def compute_thumb_x(widget: Widget) -> int:
    """Return the x of the centre of a slider's thumb."""
    low, high, _ = widget.options
    share: float = (widget.value - low) / (high - low)
    return widget.x + THUMB_WIDTH // 2 + round(share * (widget.w - THUMB_WIDTH))


def find_shade_point(widget: Widget) -> tuple[int, int]:
    """Return the point of a shade's value in its strip or square."""
    if widget.options[0] == "hue":
        return widget.x + widget.value * (widget.w - 1) // 359, widget.y + widget.h // 2
    across, up = widget.value
    return widget.x + across * (widget.w - 1) // 100, widget.y + (100 - up) * (widget.h - 1) // 100


def find_shade(widget: Widget, x: int, y: int) -> int | tuple[int, int]:
    """Return the value of a shade at the point of its strip or square nearest to (x, y)."""
    across = max(0, min(x - widget.x, widget.w - 1))
    down = max(0, min(y - widget.y, widget.h - 1))
    if widget.options[0] == "hue":
        return round(across * 359 / (widget.w - 1))
    return round(across * 100 / (widget.w - 1)), 100 - round(down * 100 / (widget.h - 1))
