"""The state of widgets that a user changes, and the events that an app receives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from gem_ma.envs import coordinates
from gem_ma.scene.screen import SCROLLBAR_WIDTH, Widget, compute_row_height

SIZE = coordinates.SIDE  # pixels of a side of the smallest screen
# A text, a number or an index, on or off, a shade.
WidgetValue: TypeAlias = str | int | tuple[int, int] | None


class Event(NamedTuple):
    """An event for an app: a click, a change, a drop, or a key that no widget handled."""

    # click, double, right, change, drop, enter, key, hover; of a phone also long, swipe, pull,
    # dismiss, back, home, open, answer, done
    kind: str
    id: str = ""
    # Change: the new value; drop: the id of the target; key: its name.
    value: WidgetValue = None

    @property
    def is_click(self) -> bool:
        """Whether it is a click, or the second one of a double click."""
        return self.kind in ("click", "double")

    at: tuple[int, int] = (0, 0)  # position on the screen
    moved: tuple[int, int] = (0, 0)  # distance of a drop


NOTHING = Event("nothing")  # an action that does not concern the app


class Edit(NamedTuple):
    """A change of a text that can be undone: the text, its caret and its anchor."""

    id: str
    before: tuple[str, int, int]
    after: tuple[str, int, int]


class Ui(NamedTuple):
    """The state of widgets that users change without the app: values, focus, caret, pointer."""

    values: Mapping[str, Any] = {}  # by widget id
    focus: str = ""
    caret: int = 0
    anchor: int = 0
    open: str = ""  # the select whose options are open; `caret` is the marked option
    hover: str = ""
    pointer: tuple[int, int] | None = None
    clipboard: str = ""
    left: Mapping[str, tuple[int, int]] = {}
    edits: tuple[Edit, ...] = ()  # which can be undone, in all texts; the newest last
    undone: tuple[Edit, ...] = ()  # which can be done again; the newest first
    # What has just been done to the text, which the next letter continues: typing or deleting.
    typing: str = ""

    def put(self, id: str, value: WidgetValue) -> Ui:
        return self._replace(values={**self.values, id: value})


def shown(widgets: Sequence[Widget], ui: Ui, high: int = SIZE) -> tuple[Widget, ...]:
    """Return the widgets with their values, scrolled, with open options, on a screen so high."""
    values = ui.values
    page: list[Widget] = []
    scrolls: dict[str, tuple[int, tuple[int, int, int, int]]] = {}
    open_widget = None
    for one in widgets:
        if one.id in values and one.kind != "scroll":
            one = one._replace(value=_fitting(one, values[one.id]))
        if one.kind == "scroll":
            most = max(0, one.options[0] - one.h)
            offset = min(values.get(one.id, one.value or 0), most)
            one = one._replace(value=offset)
            scrolls[one.id] = offset, (one.x, one.y, one.x + one.w - SCROLLBAR_WIDTH, one.y + one.h)
        elif one.inside:
            offset, clip = scrolls[one.inside]
            one = one._replace(y=one.y - offset, clip=clip)
        if one.id == ui.open and ui.open:
            open_widget = one
        page.append(one)
    if open_widget is None:
        return tuple(page)
    return (*page, *_options(open_widget, ui.caret, high))


def _fitting(widget: Widget, value: Any) -> WidgetValue:
    """Return a value limited to what the widget, which may have changed since, can hold."""
    if widget.kind in ("select", "list"):
        return min(value, len(widget.options) - 1)
    return value


def _options(select: Widget, marked: int, screen: int) -> list[Widget]:
    each = compute_row_height(select)
    high = each * len(select.options)
    top = select.y + select.h
    if top + high + 1 > screen:  # with the pixel of its border; then it opens upwards
        top = select.y - high
    if top < 1:  # there is room neither below nor above: it ends at the edge of the screen
        top = max(1, screen - 1 - high)
    box = Widget(f"{select.id}-options", "menu", select.x - 1, top - 1, select.w + 2, high + 2)
    items = [
        Widget(
            f"{select.id}#{n}",
            "item",
            select.x,
            top + each * n,
            select.w,
            each,
            str(text),
            type=select.type,
        )
        for n, text in enumerate(select.options)
    ]
    if 0 <= marked < len(items):
        items[marked] = items[marked]._replace(value=True)
    return [box, *items]


def usable(page: Sequence[Widget]) -> Sequence[Widget]:
    """Return the widgets in front of the last veil."""
    for place in range(len(page) - 1, -1, -1):
        if page[place].kind == "veil":
            return page[place + 1 :]
    return page


def find(page: Sequence[Widget], id: str) -> Widget | None:
    """Return the widget with an id, or None."""
    return next((one for one in page if one.id == id), None)


def set_value(ui: Ui, one: Widget, value: WidgetValue) -> tuple[Ui, list[Event]]:
    """Set a widget's value; if it is unchanged, the event is only a click."""
    if value == one.value:
        return ui, [Event("click", one.id)]
    return ui.put(one.id, value), [Event("change", one.id, value)]


def turn_on_radio(page: Sequence[Widget], ui: Ui, one: Widget) -> tuple[Ui, list[Event]]:
    """Turn a radio button on, and the others of its group off."""
    if one.value:
        return ui, [Event("click", one.id)]
    others = [other for other in page if other.kind == "radio" and other.group == one.group]
    values = {**ui.values, **{other.id: other.id == one.id for other in others}}
    return ui._replace(values=values), [Event("change", one.id, True)]


def focused(ui: Ui, one: Widget) -> Ui:
    """Move the keyboard focus to a widget."""
    if ui.focus == one.id:
        return ui
    left = dict(ui.left)  # what lost the keyboard last stands last
    if ui.focus:
        left.pop(ui.focus, None)
        left[ui.focus] = ui.caret, ui.anchor
    caret, anchor = left.get(one.id, (0, 0)) if one.kind == "area" else (0, 0)
    return ui._replace(focus=one.id, caret=caret, anchor=anchor, left=left, typing="")


def scroll_to(ui: Ui, scroll: Widget, offset: int) -> Ui:
    """Scroll to an offset in pixels, limited to the height of the content."""
    most = max(0, scroll.options[0] - scroll.h)
    return ui.put(scroll.id, max(0, min(offset, most)))
