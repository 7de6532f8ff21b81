"""What a pointer and a keyboard do to widgets: pure functions, as a browser does it."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from gem_ma.envs.screen_actions import PIXELS_PER_NOTCH, ScreenAction
from gem_ma.scene import text_metrics
from gem_ma.scene.screen import (  # fmt: skip
    CLICKABLE_KINDS,
    FIELD_PADDING,
    FOCUSABLE_KINDS,
    SCROLLBAR_WIDTH,
    TEXT_KINDS,
    THUMB_WIDTH,
    Widget,
    compute_row_height,
    compute_text_shift,
    compute_thumb_x,
    find_shade,
    find_widget,
)

LONGEST = 400  # letters that a field takes
_PRESSED = {  # keys that are as good as a click
    *((kind, "Enter") for kind in ("button", "link", "tab")),
    *((kind, "Space") for kind in ("button", "tab")),
}
_PAGED = ("Up", "Down", "PageUp", "PageDown", "Home", "End")
_FLIPPED = {("check", "Space"), ("fold", "Space"), ("fold", "Enter")}
_WORDS = ("label", "title", "note", "line", "veil")  # a click there is nobody's
_WORD = re.compile(r"\w+|[^\w\s]")
_PART = re.compile(r"\w+|\s+|[^\w\s]")


class Event(NamedTuple):
    """What an app hears of: a click, a change, a drop, a key that nobody took."""

    kind: str  # click, double, right, change, drop, enter, key, hover
    id: str = ""
    value: Any = (
        None  # of a change: the new one; of a drop: what it was dropped on; of a key: which
    )
    at: tuple[int, int] = (0, 0)  # where, on the screen
    moved: tuple[int, int] = (0, 0)  # of a drop: by how much


NOTHING = Event("nothing")  # an action that was none of the app's business


class Ui(NamedTuple):
    """What a person has done to widgets that the app did not have to know of."""

    values: Mapping[str, Any] = {}
    focus: str = ""
    caret: int = 0
    anchor: int = 0
    open: str = ""  # the select whose options are shown, and the caret's is marked
    hover: str = ""
    pointer: tuple[int, int] | None = None
    clipboard: str = ""
    left: Mapping[str, tuple[int, int]] = {}

    def put(self, id: str, value: Any) -> Ui:
        return self._replace(values={**self.values, id: value})


# -- what is shown ---------------------------------------------------------------------------------


def shown(widgets: Sequence[Widget], ui: Ui) -> tuple[Widget, ...]:
    """Return widgets with what they hold now, scrolled, and with the options that are open."""
    values = ui.values
    page: list[Widget] = []
    scrolls: dict[str, tuple[int, tuple[int, int, int, int]]] = {}
    opened = None
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
            opened = one
        page.append(one)
    return (*page, *_options(opened, ui.caret)) if opened is not None else tuple(page)


def _fitting(widget: Widget, value: Any) -> Any:
    """Return a value as far as the widget, which may have changed since, can hold it."""
    if widget.kind in ("select", "list"):
        return min(value, len(widget.options) - 1)
    return value


def _options(select: Widget, marked: int) -> list[Widget]:
    each = compute_row_height(select)
    high = each * len(select.options)
    top = select.y + select.h if select.y + select.h + high <= 448 else max(1, select.y - high)
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
    """Return what is not behind a veil."""
    for place in range(len(page) - 1, -1, -1):
        if page[place].kind == "veil":
            return page[place + 1 :]
    return page


def find(page: Sequence[Widget], id: str) -> Widget | None:
    """Return the widget with an id."""
    return next((one for one in page if one.id == id), None)


# -- what is done ----------------------------------------------------------------------------------


def act(page: tuple[Widget, ...], ui: Ui, action: ScreenAction) -> tuple[Ui, list[Event]]:
    """Return what is shown after an action, and what the app hears of it."""
    if action.kind == "wait":
        return ui, [Event("wait")]
    if ui.focus and find(usable(page), ui.focus) is None:  # the keyboard went with it
        ui = ui._replace(focus="")
    if action.kind == "type":
        return _typed(page, ui, action.text)
    if action.kind == "key":
        return _key(page, ui, action.text)
    under = find_widget(page, *action.at)
    ui = ui._replace(pointer=action.at, hover=under.id if under is not None else "")
    if action.kind == "hover":
        return ui, [Event("hover", ui.hover, at=action.at)]
    if action.kind == "scroll":
        return _scrolled(page, ui, under, action.to[1]), []
    if action.kind == "drag":
        return _dragged(page, ui, under, action)
    return _chosen(page, ui, under) if ui.open else _pressed(page, ui, under, action)


def _pressed(
    page: tuple[Widget, ...], ui: Ui, under: Widget | None, action: ScreenAction
) -> tuple[Ui, list[Event]]:
    if under is None or under.disabled or under.kind not in CLICKABLE_KINDS:
        if under is not None and under.kind == "scroll" and action.kind != "right":
            return _on_bar(ui, under, action.at), []
        return ui._replace(focus=""), [_event(action, under)]
    if action.kind == "right":
        return ui._replace(focus=under.id if under.kind in FOCUSABLE_KINDS else ""), [
            _event(action, under)
        ]
    return _clicked(page, ui, under, action)


def _event(action: ScreenAction, widget: Widget | None) -> Event:
    kind = {"triple": "double"}.get(action.kind, action.kind)
    said = widget is not None and widget.kind not in _WORDS
    return Event(kind, widget.id if widget is not None and said else "", at=action.at)


def _clicked(
    page: Sequence[Widget], ui: Ui, one: Widget, action: ScreenAction
) -> tuple[Ui, list[Event]]:
    if one.kind in FOCUSABLE_KINDS:
        ui = focused(ui, one)
    elif one.kind != "item":  # a menu leaves the keyboard where it is
        ui = ui._replace(focus="")
    said = [_event(action, one)]
    if one.kind in TEXT_KINDS:
        return _caret(ui, one, action), said
    if one.kind == "check":
        flips = 1 if action.kind == "click" else 2
        return (ui, said) if flips == 2 else _changed(ui, one, not one.value)
    if one.kind == "radio":
        return _radio(page, ui, one)
    if one.kind == "select":
        return ui._replace(open=one.id, caret=one.value), said
    if one.kind in ("list", "shade"):
        return _changed(ui, one, _under(one, action.at))
    if one.kind == "slider":
        return (ui, said) if _on_thumb(one, action.at) else _slid(ui, one, action.at[0])
    if one.kind == "fold":
        return _changed(ui, one, not one.value)
    return ui, said


def _under(one: Widget, at: tuple[int, int]) -> Any:
    """Return what of a list or a colour picker lies at a point; what it has if there is nothing."""
    if one.kind == "shade":
        return one.value if one.options[0] == "mixed" else find_shade(one, *at)
    place = (at[1] - one.y) // compute_row_height(one)
    return place if place < len(one.options) else one.value


def _changed(ui: Ui, one: Widget, value: Any) -> tuple[Ui, list[Event]]:
    if value == one.value:
        return ui, [Event("click", one.id)]
    return ui.put(one.id, value), [Event("change", one.id, value)]


def _radio(page: Sequence[Widget], ui: Ui, one: Widget) -> tuple[Ui, list[Event]]:
    if one.value:
        return ui, [Event("click", one.id)]
    others = [other for other in page if other.kind == "radio" and other.group == one.group]
    values = {**ui.values, **{other.id: other.id == one.id for other in others}}
    return ui._replace(values=values), [Event("change", one.id, True)]


def _chosen(page: Sequence[Widget], ui: Ui, under: Widget | None) -> tuple[Ui, list[Event]]:
    """Take an option of the list that is open, or close it."""
    select = find(page, ui.open)
    ui = ui._replace(open="")
    if select is None or under is None or not under.id.startswith(f"{select.id}#"):
        return ui, []
    return _changed(ui, select, int(under.id.rpartition("#")[2]))


def focused(ui: Ui, one: Widget) -> Ui:
    """Give a widget the keyboard."""
    if ui.focus == one.id:
        return ui
    left = {**ui.left, ui.focus: (ui.caret, ui.anchor)} if ui.focus else ui.left
    caret, anchor = left.get(one.id, (0, 0)) if one.kind == "area" else (0, 0)
    return ui._replace(focus=one.id, caret=caret, anchor=anchor, left=left)


# -- scrolling, sliding, dragging ------------------------------------------------------------------


def _scrolled(page: Sequence[Widget], ui: Ui, under: Widget | None, by: int) -> Ui:
    if under is None:
        return ui
    scroll = under if under.kind == "scroll" else find(page, under.inside)
    return ui if scroll is None else _scroll_to(ui, scroll, scroll.value + by)


def _scroll_to(ui: Ui, scroll: Widget, offset: int) -> Ui:
    most = max(0, scroll.options[0] - scroll.h)
    return ui.put(scroll.id, max(0, min(offset, most)))


def bar(scroll: Widget) -> tuple[int, int]:
    """Return where the handle of a scroll bar begins, and how long it is."""
    content = max(scroll.options[0], scroll.h)
    long = max(20, scroll.h * scroll.h // content)
    most = content - scroll.h
    top = (scroll.h - long) * scroll.value // most if most else 0
    return scroll.y + top, long


def _on_bar(ui: Ui, scroll: Widget, at: tuple[int, int]) -> Ui:
    """Scroll by a page where the bar is clicked beside its handle."""
    ui = ui._replace(focus="")
    if at[0] < scroll.x + scroll.w - SCROLLBAR_WIDTH:
        return ui
    top, long = bar(scroll)
    if top <= at[1] < top + long:
        return ui
    page = max(scroll.h * 7 // 8, 1)
    return _scroll_to(ui, scroll, scroll.value + (page if at[1] >= top + long else -page))


def _on_thumb(one: Widget, at: tuple[int, int]) -> bool:
    left, top = compute_thumb_x(one) - THUMB_WIDTH // 2, one.y + (one.h - THUMB_WIDTH) // 2
    return left <= at[0] < left + THUMB_WIDTH and top <= at[1] < top + THUMB_WIDTH


def _slid(ui: Ui, one: Widget, x: int) -> tuple[Ui, list[Event]]:
    """Move the middle of a slider's thumb to x."""
    low, high, step = one.options
    share = (x - one.x - THUMB_WIDTH / 2) / (one.w - THUMB_WIDTH)
    value = low + math.floor(share * (high - low) / step + 0.5) * step
    return _changed(ui, one, max(low, min(high, value)))


def _dragged(
    page: Sequence[Widget], ui: Ui, under: Widget | None, action: ScreenAction
) -> tuple[Ui, list[Event]]:
    x, y = action.to
    ui = ui._replace(pointer=action.to, open="")
    if under is None or under.disabled:
        return ui._replace(focus=""), []
    if under.kind == "slider":
        held = action.at[0] - compute_thumb_x(under) if _on_thumb(under, action.at) else 0
        return _slid(focused(ui, under), under, x - held)
    if under.kind == "shade":
        return _changed(ui._replace(focus=""), under, _under(under, action.to))
    if under.kind in TEXT_KINDS:
        ui = _caret(focused(ui, under), under, action)
        return ui._replace(caret=_letter(under, ui, action.to)), []
    if under.kind == "scroll" and action.at[0] >= under.x + under.w - SCROLLBAR_WIDTH:
        top, long = bar(under)
        if top <= action.at[1] < top + long and under.h > long:
            most = under.options[0] - under.h
            moved = (y - action.at[1]) * most // (under.h - long)
            return _scroll_to(ui, under, under.value + moved), []
        return ui, []
    target = find_widget(tuple([one for one in page if one.id != under.id]), x, y)
    moved = x - action.at[0], y - action.at[1]
    on = "" if target is None else target.id
    return ui._replace(focus="", hover=on), [Event("drop", under.id, on, action.to, moved)]


# -- the caret -------------------------------------------------------------------------------------


def _letter(one: Widget, ui: Ui, at: tuple[int, int]) -> int:
    """Return before which letter of a field a point lies."""
    text = str(one.value or "")
    if one.kind == "area":
        lines = text.split("\n")
        at_line = max(0, (at[1] - one.y - FIELD_PADDING) // text_metrics.LINE_HEIGHTS[one.type])
        if at_line >= len(lines):
            return len(text)
        before = sum(len(line) + 1 for line in lines[:at_line])
        return before + text_metrics.find_caret(
            lines[at_line], one.type, at[0] - one.x - FIELD_PADDING
        )
    caret = ui.caret if ui.focus == one.id else 0
    drawn = "•" * len(text) if one.kind == "password" else text
    return text_metrics.find_caret(
        drawn, one.type, at[0] - one.x - FIELD_PADDING + compute_text_shift(one, caret)
    )


def _caret(ui: Ui, one: Widget, action: ScreenAction) -> Ui:
    caret = _letter(one, ui, action.at)
    text = str(one.value or "")
    if action.kind == "triple":
        return ui._replace(anchor=0, caret=len(text))
    if action.kind == "double":
        if one.kind == "password":
            return ui._replace(anchor=0, caret=len(text))
        for part in _PART.finditer(text):
            if caret < part.end() or part.end() == len(text):
                return ui._replace(anchor=part.start(), caret=part.end())
    return ui._replace(anchor=caret, caret=caret)


# -- the keyboard ----------------------------------------------------------------------------------


def _typed(page: tuple[Widget, ...], ui: Ui, text: str) -> tuple[Ui, list[Event]]:
    """Type letters, one after the other; a line break is Enter, and a tab is Tab."""
    said: list[Event] = []
    widget = find(page, ui.focus)
    for part in re.findall(r"[^\n\t]+|\n|\t", text):
        if part in "\n\t" and not (part == "\n" and widget is not None and widget.kind == "area"):
            ui, more = _key(page, ui, "Enter" if part == "\n" else "Tab")
            widget = find(page, ui.focus)
            if widget is not None and widget.id in ui.values:
                widget = widget._replace(value=ui.values[widget.id])
            page = tuple([widget if widget and one.id == widget.id else one for one in page])
        elif widget is None or widget.disabled or widget.kind not in TEXT_KINDS:
            ui, more = _struck(page, ui, part)
        else:
            ui, more = _write(ui, widget, part)
            widget = widget._replace(value=ui.values.get(widget.id, widget.value))
            page = tuple([widget if one.id == widget.id else one for one in page])
        said += more
    return ui, said


def _struck(page: tuple[Widget, ...], ui: Ui, text: str) -> tuple[Ui, list[Event]]:
    """Strike keys where nothing is typed into: a space may press, and letters may choose."""
    said: list[Event] = []
    for letter in text:
        one = find(page, ui.focus)
        if one is not None and one.id in ui.values:
            one = one._replace(value=ui.values[one.id])
            page = tuple([one if other.id == one.id else other for other in page])
        if one is not None and one.kind in ("select", "list"):
            return _type_ahead(ui, one, text)
        ui, more = _key(page, ui, "Space" if letter == " " else letter)
        said += more
    return ui, said


def _write(ui: Ui, one: Widget, text: str) -> tuple[Ui, list[Event]]:
    """Put a text in place of what is selected."""
    old = str(one.value or "")
    caret, anchor = min(ui.caret, len(old)), min(ui.anchor, len(old))
    low, high = min(caret, anchor), max(caret, anchor)
    new = (old[:low] + text + old[high:])[:LONGEST]
    at = min(low + len(text), len(new))
    ui = ui._replace(caret=at, anchor=at)
    if new == old:
        return ui, []
    return ui.put(one.id, new), [Event("change", one.id, new)]


def _type_ahead(ui: Ui, one: Widget, text: str) -> tuple[Ui, list[Event]]:
    """Choose what begins with the letters, as far as something does."""
    for long in range(len(text), 0, -1):
        for number, option in enumerate(one.options):
            if str(option).lower().startswith(text[:long].lower()):
                return (ui._replace(caret=number), []) if ui.open else _changed(ui, one, number)
    return ui, []


def _key(page: Sequence[Widget], ui: Ui, key: str) -> tuple[Ui, list[Event]]:
    name = key.rpartition("+")[2] or "+"
    ctrl, shift = "ctrl+" in key, "shift+" in key
    one = find(page, ui.focus)
    if name in ("Escape", "Tab") and ui.open:
        return ui._replace(open=""), []
    if name == "Tab":
        return _tabbed(page, ui, -1 if shift else 1), []
    if one is None or one.disabled:
        return ui, [Event("key", "", key)]
    if one.kind in TEXT_KINDS:
        return _field_key(page, ui, one, name, ctrl, shift)
    if (one.kind, name) in _PRESSED:
        return ui, [Event("click", one.id)]
    if (one.kind, name) in _FLIPPED:
        return _changed(ui, one, not one.value)
    chosen = _choice_key(page, ui, one, name, ctrl, shift)
    if chosen is not None:
        return chosen
    if not (ctrl or shift) and (name in _PAGED or (name == "Space" and one.kind == "link")):
        return _paged(page, ui, one, name), []
    return ui, [Event("enter" if name == "Enter" else "key", one.id, key)]


def _choice_key(
    page: Sequence[Widget], ui: Ui, one: Widget, name: str, ctrl: bool, shift: bool
) -> tuple[Ui, list[Event]] | None:
    """Return what a key does to a widget with several values, or None."""
    if one.kind == "radio" and not ctrl:
        return _radio_key(page, ui, one, name)
    if (one.kind == "list" and not ctrl) or (one.kind == "select" and not (ctrl or shift)):
        return _select_key(ui, one, name)
    return _slider_key(ui, one, name) if one.kind == "slider" else None


def _field_key(
    page: Sequence[Widget], ui: Ui, one: Widget, name: str, ctrl: bool, shift: bool
) -> tuple[Ui, list[Event]]:
    if one.kind != "area" and name in ("PageUp", "PageDown"):
        return _paged(page, ui, one, name), []
    before = ui
    ui, said = _edited(ui, one, name, ctrl, shift)
    moved = ui._replace(clipboard=before.clipboard) != before and not (ctrl and name == "a")
    return (_into_view(page, ui, one) if moved else ui), said


def _paged(page: Sequence[Widget], ui: Ui, one: Widget, name: str) -> Ui:
    """Scroll what the widget with the keyboard lies in."""
    scroll = find(page, one.inside)
    if scroll is None:
        return ui
    now = ui.values.get(scroll.id, scroll.value)
    far = scroll.h * 7 // 8
    by = {
        "Up": -PIXELS_PER_NOTCH,
        "Down": PIXELS_PER_NOTCH,
        "PageUp": -far,
        "PageDown": far,
        "Space": far,
    }.get(name)
    edge = 0 if name == "Home" else scroll.options[0]
    return _scroll_to(ui, scroll, edge if by is None else now + by)


def _tabbed(page: Sequence[Widget], ui: Ui, step: int) -> Ui:
    """Give the keyboard to the next widget; of radio buttons, to the one that is on."""
    found = [one for one in usable(page) if one.kind in FOCUSABLE_KINDS and not one.disabled]
    entries: dict[str, str] = {}  # the radio button of each group that is come to
    for one in found if step < 0 else reversed(found):
        if one.kind == "radio":
            entries[one.group] = one.id
    entries |= {one.group: one.id for one in found if one.kind == "radio" and one.value}
    mine = find(found, ui.focus)
    if mine is not None and mine.kind == "radio":
        entries[mine.group] = mine.id
    stops = [one for one in found if one.kind != "radio" or entries[one.group] == one.id]
    if not stops:
        return ui
    ids = [one.id for one in stops]
    at = ids.index(ui.focus) + step if ui.focus in ids else (0 if step > 0 else -1)
    if not -len(ids) <= at < len(ids) or (at == -1 and ui.focus in ids):
        return ui._replace(focus="", open="")
    one = stops[at]
    ui = focused(ui._replace(open=""), one)
    if one.kind in ("field", "password"):
        ui = ui._replace(caret=len(str(one.value or "")))
    return _into_view(page, ui, one)


def _into_view(page: Sequence[Widget], ui: Ui, one: Widget) -> Ui:
    """Scroll to what has got the keyboard."""
    scroll = find(page, one.inside)
    if scroll is None or (one.y >= scroll.y and one.y + one.h <= scroll.y + scroll.h):
        return ui
    over, under = one.y - scroll.y, one.y + one.h - scroll.y - scroll.h
    if over < 0 < over + one.h or under > 0 > under - one.h:  # a part of it can be seen
        return _scroll_to(ui, scroll, scroll.value + (over if over < 0 else under))
    middle = one.y + one.h // 2 - scroll.y - scroll.h // 2
    return _scroll_to(ui, scroll, scroll.value + middle)


def _edited(ui: Ui, one: Widget, name: str, ctrl: bool, shift: bool) -> tuple[Ui, list[Event]]:
    text = str(one.value or "")
    if one.kind == "password":
        text = "x" * len(text)  # nothing tells where its words begin
    caret, anchor = min(ui.caret, len(text)), min(ui.anchor, len(text))
    low, high = min(caret, anchor), max(caret, anchor)
    if ctrl and name.lower() in ("a", "c", "x", "v"):
        return _clip(ui._replace(caret=caret, anchor=anchor), one, name.lower(), text[low:high])
    if name in ("Backspace", "Delete"):
        if low == high:
            if name == "Backspace":
                low = _word_left(text, low) if ctrl else max(0, low - 1)
            else:
                high = _word_right(text, high) if ctrl else min(len(text), high + 1)
        return _write(ui._replace(caret=low, anchor=high), one, "")
    moved = _moved(text, caret, anchor, name, ctrl, shift, one.type * (one.kind == "area"))
    if moved is not None:
        return ui._replace(caret=moved, anchor=anchor if shift else moved), []
    if name == "Enter":
        return _write(ui, one, "\n") if one.kind == "area" else (ui, [Event("enter", one.id)])
    if name == "Space":
        return _write(ui, one, " ")
    if len(name) == 1 and not ctrl:
        return _write(ui, one, name)
    return ui, [Event("key", one.id, f"{'ctrl+' if ctrl else ''}{name}")]


def _moved(
    text: str, caret: int, anchor: int, name: str, ctrl: bool, shift: bool, size: int
) -> int | None:
    """Return where a key moves the caret to, or None.

    size: that of the letters, where there are several lines; else 0.
    """
    if name in ("Left", "Right"):
        if caret != anchor and not shift and not ctrl:
            return min(caret, anchor) if name == "Left" else max(caret, anchor)
        if name == "Left":
            return _word_left(text, caret) if ctrl else max(0, caret - 1)
        return _word_right(text, caret) if ctrl else min(len(text), caret + 1)
    start = text.rfind("\n", 0, caret) + 1
    end = text.find("\n", caret)
    end = len(text) if end < 0 else end
    if name in ("Home", "End"):
        whole = {"Home": 0, "End": len(text)} if ctrl else {"Home": start, "End": end}
        return whole[name]
    if name not in ("Up", "Down"):
        return None
    if size:
        if name == "Up":
            return _line_up(text, start, caret, size)
        return _line_down(text, start, end, caret, size)
    return 0 if name == "Up" else len(text)


def _line_up(text: str, start: int, caret: int, size: int) -> int:
    if not start:
        return 0
    first = text.rfind("\n", 0, start - 1) + 1
    x = text_metrics.measure_width(text[start:caret], size)
    return first + text_metrics.find_caret(text[first : start - 1], size, x)


def _line_down(text: str, start: int, end: int, caret: int, size: int) -> int:
    if end == len(text):
        return len(text)
    last = text.find("\n", end + 1)
    x = text_metrics.measure_width(text[start:caret], size)
    return (
        end + 1 + text_metrics.find_caret(text[end + 1 : len(text) if last < 0 else last], size, x)
    )


def _word_left(text: str, at: int) -> int:
    if at and text[at - 1] == "\n":
        return at - 1
    starts = [word.start() for word in _WORD.finditer(text) if word.start() < at]
    return starts[-1] if starts else 0


def _word_right(text: str, at: int) -> int:
    if text[at : at + 1] == "\n":
        return at + 1
    ends = [word.end() for word in _WORD.finditer(text) if word.end() > at]
    return ends[0] if ends else len(text)


def _clip(ui: Ui, one: Widget, name: str, chosen: str) -> tuple[Ui, list[Event]]:
    if name == "a":
        return ui._replace(anchor=0, caret=len(str(one.value or ""))), []
    if name == "v":
        pasted = ui.clipboard if one.kind == "area" else ui.clipboard.replace("\n", "")
        return _write(ui, one, pasted) if ui.clipboard else (ui, [])
    if not chosen or one.kind == "password":
        return ui, []
    ui = ui._replace(clipboard=chosen)
    return _write(ui, one, "") if name == "x" else (ui, [])


def _radio_key(page: Sequence[Widget], ui: Ui, one: Widget, name: str) -> tuple[Ui, list[Event]]:
    if name == "Space":
        return _radio(page, ui, one)
    step = {"Down": 1, "Right": 1, "Up": -1, "Left": -1}.get(name)
    if step is None:
        return ui, [Event("enter" if name == "Enter" else "key", one.id, name)]
    group = [two for two in page if two.kind == "radio" and two.group == one.group]
    group = [two for two in group if not two.disabled]
    other = group[(group.index(one) + step) % len(group)]
    return _radio(page, focused(ui, other), other)


def _select_key(ui: Ui, one: Widget, name: str) -> tuple[Ui, list[Event]]:
    last, at = len(one.options) - 1, ui.caret if ui.open else one.value
    beside = one.kind == "select" and not ui.open
    to = {
        "Down": min(at + 1, last),
        "Right": min(at + 1, last) if beside else at,
        "Up": max(at - 1, 0),
        "Left": max(at - 1, 0) if beside else at,
        "Home": 0,
        "End": last,
        "PageUp": max(at - 3, 0) if beside else 0,
        "PageDown": min(at + 3, last) if beside else last,
    }.get(name)
    if to is not None:
        return (ui._replace(caret=to), []) if ui.open else _changed(ui, one, to)
    if name in ("Enter", "Space") and one.kind == "select":
        if ui.open:
            return _changed(ui._replace(open=""), one, ui.caret)
        return ui._replace(open=one.id, caret=one.value), []
    return ui, [Event("key", one.id, name)]


def _slider_key(ui: Ui, one: Widget, name: str) -> tuple[Ui, list[Event]]:
    low, high, step = one.options
    far = max(step, round((high - low) / 10 / step) * step)
    by = {"Right": step, "Up": step, "Left": -step, "Down": -step}.get(name)
    by = {"PageUp": far, "PageDown": -far}.get(name, by)
    if by is None and name not in ("Home", "End"):
        return ui, [Event("key", one.id, name)]
    value = low if name == "Home" else high if name == "End" else one.value + (by or 0)
    return _changed(ui, one, max(low, min(high, value)))
