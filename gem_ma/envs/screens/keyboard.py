"""Effects of the keyboard on widgets: pure functions, as in a browser."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from gem_ma.envs.screen_actions import PIXELS_PER_NOTCH
from gem_ma.envs.screens.ui import (
    Edit,
    Event,
    Ui,
    find,
    focused,
    scroll_to,
    set_value,
    turn_on_radio,
    usable,
)
from gem_ma.scene import text_metrics
from gem_ma.scene.screen import FOCUSABLE_KINDS, TEXT_KINDS, Widget

LONGEST = 400  # largest number of letters in a field
EDITS = 20  # largest number of changes that can be undone
_PRESSED = {  # keys that click a widget
    *((kind, "Enter") for kind in ("button", "link", "tab")),
    *((kind, "Space") for kind in ("button", "tab")),
}
_PAGED = ("Up", "Down", "PageUp", "PageDown", "Home", "End")
# Keys that undo, and do again.
_UNDONE = {("z", False): False, ("y", False): True, ("z", True): True}
_FLIPPED = {("check", "Space"), ("fold", "Space"), ("fold", "Enter")}
# Letters that are typed in one go: those of a keyboard, and then one that it has not.
_TYPED = re.compile(r"[\x20-\x7e]*[^\x00-\x7f]|[^\n\t\x80-\U0010ffff]+|\n|\t")
_WORD = re.compile(r"(?:\w[\u0300-\u036f\u200d]*)+|[^\w\s][\u0300-\u036f]*")


def type_text(page: tuple[Widget, ...], ui: Ui, text: str) -> tuple[Ui, list[Event]]:
    """Type text letter by letter; a line break is Enter, and a tab is Tab."""
    events: list[Event] = []
    widget = find(page, ui.focus)
    for part in _TYPED.findall(text):
        if part in "\n\t" and not (part == "\n" and widget is not None and widget.kind == "area"):
            ui, more = press_key(page, ui, "Enter" if part == "\n" else "Tab")
            widget = find(page, ui.focus)
            if widget is not None and widget.id in ui.values:
                widget = widget._replace(value=ui.values[widget.id])
            page = tuple([widget if widget and one.id == widget.id else one for one in page])
        elif widget is None or widget.disabled or widget.kind not in TEXT_KINDS:
            ui, more = _struck(page, ui, part)
        else:
            ui, more = _write(ui, widget, part, "type")
            if not part[-1].isascii():  # it is undone without what follows
                ui = ui._replace(typing="")
            ui = scroll_into_view(page, ui, widget)
            widget = widget._replace(value=ui.values.get(widget.id, widget.value))
            page = tuple([widget if one.id == widget.id else one for one in page])
        events += more
    return ui, events


def _struck(page: tuple[Widget, ...], ui: Ui, text: str) -> tuple[Ui, list[Event]]:
    """Press keys while no text field has the focus: letters choose options, Space presses."""
    events: list[Event] = []
    for letter in text:
        one = find(page, ui.focus)
        if one is not None and one.id in ui.values:
            one = one._replace(value=ui.values[one.id])
            page = tuple([one if other.id == one.id else other for other in page])
        if one is not None and one.kind in ("select", "list"):
            return _type_ahead(ui, one, text)
        ui, more = press_key(page, ui, "Space" if letter == " " else letter)
        events += more
    return ui, events


def _write(ui: Ui, one: Widget, text: str, typing: str = "") -> tuple[Ui, list[Event]]:
    """Replace the selected text.

    Args:
        typing: "type" or "delete", if the change continues one of this kind before it.
    """
    old = str(one.value or "")
    caret, anchor = min(ui.caret, len(old)), min(ui.anchor, len(old))
    return _rewrite(ui, one, text, (caret, anchor), (caret, anchor), typing)


def _rewrite(
    ui: Ui, one: Widget, text: str, part: tuple[int, int], marks: tuple[int, int], typing: str
) -> tuple[Ui, list[Event]]:
    """Replace a part of a text, where the caret and the anchor were at `marks`."""
    old = str(one.value or "")
    low, high = min(part), max(part)
    new = (old[:low] + text + old[high:])[:LONGEST]
    at = min(low + len(text), len(new))
    while at < len(new) and _is_joined(new, at):
        at += 1
    ui = ui._replace(caret=at, anchor=at)
    if new == old:
        return ui, []
    edit = Edit(one.id, (old, *marks), (new, at, at))
    edits = ui.edits
    # Letters continue what was typed or deleted before them; deleting continues only deleting.
    if edits and edits[-1].id == one.id and typing and ui.typing in ("delete", typing):
        edit = edit._replace(before=edits[-1].before)
        edits = edits[:-1]
    edits = (*edits, edit)[-EDITS:]
    kind = ui.typing if typing == "type" and ui.typing == "delete" else typing
    ui = ui._replace(edits=edits, undone=(), typing=kind)
    return ui.put(one.id, new), [Event("change", one.id, new)]


def _is_joined(text: str, at: int) -> bool:
    """Return whether no caret stands here: between a letter and a mark upon it."""
    if not 0 < at < len(text):
        return False
    return "\u200d" in (text[at], text[at - 1]) or unicodedata.combining(text[at]) > 0


def _undo(page: Sequence[Widget], ui: Ui, is_again: bool) -> tuple[Ui, list[Event]]:
    """Undo the last change of a text, whichever has the focus, or do it again."""
    edits = ui.undone if is_again else ui.edits[::-1]
    if not edits:
        return ui, []
    edit, rest = edits[0], edits[1:]
    if is_again:
        ui = ui._replace(edits=(*ui.edits, edit), undone=rest, typing="")
    else:
        ui = ui._replace(edits=ui.edits[:-1], undone=(edit, *ui.undone), typing="")
    now, (text, caret, anchor) = (
        (edit.before, edit.after) if is_again else (edit.after, edit.before)
    )
    one = find(usable(page), edit.id)
    if one is None or str(one.value or "") != now[0]:  # it is gone, or somebody else changed it
        return ui, []
    at = find(page, ui.focus)
    stays = at is not None and at.kind not in TEXT_KINDS and _find_last_text(page, ui) == one.id
    if not stays or caret != anchor:  # a browser moves the focus where it marks a part
        ui = focused(ui, one)._replace(caret=caret, anchor=anchor)
    return ui.put(one.id, text), [Event("change", one.id, text)]


def _find_last_text(page: Sequence[Widget], ui: Ui) -> str:
    """Return the text that lost the keyboard last, or an empty string."""
    texts = {one.id for one in page if one.kind in TEXT_KINDS}
    return next((id for id in reversed([*ui.left]) if id in texts), "")


def _type_ahead(ui: Ui, one: Widget, text: str) -> tuple[Ui, list[Event]]:
    """Choose the first option that begins with the text, or with the longest matching prefix."""
    for long in range(len(text), 0, -1):
        for number, option in enumerate(one.options):
            if str(option).lower().startswith(text[:long].lower()):
                return (ui._replace(caret=number), []) if ui.open else set_value(ui, one, number)
    return ui, []


def press_key(page: Sequence[Widget], ui: Ui, key: str) -> tuple[Ui, list[Event]]:
    """Press a key, with ctrl+ or shift+ before its name."""
    name = key.rpartition("+")[2] or "+"
    ctrl, shift = "ctrl+" in key, "shift+" in key
    one = find(page, ui.focus)
    if name in ("Escape", "Tab") and ui.open:
        return ui._replace(open=""), []
    if name == "Tab":
        return _tabbed(page, ui, -1 if shift else 1), []
    if ctrl and (name.lower(), shift) in _UNDONE:
        ui, events = _undo(page, ui, _UNDONE[name.lower(), shift])
        return ui, events or [Event("key", ui.focus, key)]
    if one is None or one.disabled:
        return ui, [Event("key", "", key)]
    if one.kind in TEXT_KINDS:
        return _field_key(page, ui, one, name, ctrl, shift)
    if (one.kind, name) in _PRESSED:
        return ui, [Event("click", one.id)]
    if (one.kind, name) in _FLIPPED and not (ctrl and name == "Enter"):
        return set_value(ui, one, not one.value)
    result = _choice_key(page, ui, one, name, ctrl, shift)
    if result is not None:
        return result
    scrolls = name in _PAGED or (name == "Space" and one.kind == "link")
    if scrolls and not shift and (not ctrl or name in ("Home", "End")):
        return _paged(page, ui, one, name), []
    return ui, [Event("enter" if name == "Enter" else "key", one.id, key)]


def _choice_key(
    page: Sequence[Widget], ui: Ui, one: Widget, name: str, ctrl: bool, shift: bool
) -> tuple[Ui, list[Event]] | None:
    """Return the effect of a key on a widget with several values, or None."""
    if one.kind == "radio" and not ctrl:
        return _radio_key(page, ui, one, name)
    if (one.kind == "list" and (not ctrl or name in _PAGED)) or (
        one.kind == "select" and not (ctrl or shift)
    ):
        return _select_key(ui, one, name)
    return _slider_key(ui, one, name) if one.kind == "slider" else None


def _field_key(
    page: Sequence[Widget], ui: Ui, one: Widget, name: str, ctrl: bool, shift: bool
) -> tuple[Ui, list[Event]]:
    if one.kind != "area" and name in ("PageUp", "PageDown"):
        return _paged(page, ui, one, name), []
    before = ui
    ui, events = _edited(ui, one, name, ctrl, shift)
    # as in a browser: scroll to the caret, except after selecting all or cutting
    has_moved = ui._replace(clipboard=before.clipboard) != before and not (
        ctrl and name in ("a", "x")
    )
    return (scroll_into_view(page, ui, one) if has_moved else ui), events


def _paged(page: Sequence[Widget], ui: Ui, one: Widget, name: str) -> Ui:
    """Scroll the box that contains the widget with the focus."""
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
    return scroll_to(ui, scroll, edge if by is None else now + by)


def _tabbed(page: Sequence[Widget], ui: Ui, step: int) -> Ui:
    """Move the focus to the next widget; of a radio group, only the chosen button counts."""
    widgets = [one for one in usable(page) if one.kind in FOCUSABLE_KINDS and not one.disabled]
    entries: dict[str, str] = {}  # the radio button of each group that gets the focus
    for one in widgets if step < 0 else reversed(widgets):
        if one.kind == "radio":
            entries[one.group] = one.id
    entries |= {one.group: one.id for one in widgets if one.kind == "radio" and one.value}
    current_widget = find(widgets, ui.focus)
    if current_widget is not None and current_widget.kind == "radio":
        entries[current_widget.group] = current_widget.id
    stops = [one for one in widgets if one.kind != "radio" or entries[one.group] == one.id]
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
    return scroll_into_view(page, ui, one)


def scroll_into_view(page: Sequence[Widget], ui: Ui, one: Widget) -> Ui:
    """Scroll a widget that got the focus into view."""
    scroll = find(page, one.inside)
    if scroll is None or (one.y >= scroll.y and one.y + one.h <= scroll.y + scroll.h):
        return ui
    over, under = one.y - scroll.y, one.y + one.h - scroll.y - scroll.h
    if over < 0 < over + one.h or under > 0 > under - one.h:  # partly visible
        return scroll_to(ui, scroll, scroll.value + (over if over < 0 else under))
    middle = one.y + one.h // 2 - scroll.y - scroll.h // 2
    return scroll_to(ui, scroll, scroll.value + middle)


def _edited(ui: Ui, one: Widget, name: str, ctrl: bool, shift: bool) -> tuple[Ui, list[Event]]:
    text = str(one.value or "")
    if one.kind == "password":
        text = "x" * len(text)  # hides where words begin
    caret, anchor = min(ui.caret, len(text)), min(ui.anchor, len(text))
    low, high = min(caret, anchor), max(caret, anchor)
    if (name, ctrl, shift) == ("Delete", False, True):
        ctrl, shift, name = True, False, "x"
    if ctrl and name.lower() in ("v" if shift else "acxv"):
        return _clip(ui._replace(caret=caret, anchor=anchor), one, name.lower(), text[low:high])
    if name in ("Backspace", "Delete"):
        part = (low, high) if low < high else _find_deleted(text, low, name, ctrl, shift)
        return _rewrite(ui, one, "", part, (caret, anchor), "" if ctrl else "delete")
    new_caret = _moved(text, caret, anchor, name, ctrl, shift, one.type * (one.kind == "area"))
    if new_caret is not None:
        return ui._replace(caret=new_caret, anchor=anchor if shift else new_caret, typing=""), []
    if name == "Enter" and one.kind != "area":
        return ui, [Event("enter", one.id)]
    if name == "Enter" and not ctrl:
        return _write(ui, one, "\n", "type")
    if name == "Space" and not ctrl:
        return _write(ui, one, " ", "type")
    if len(name) == 1 and not ctrl:
        return _write(ui, one, name, "type")
    return ui, [Event("key", one.id, f"{'ctrl+' if ctrl else ''}{name}")]


def _find_deleted(text: str, at: int, name: str, ctrl: bool, shift: bool) -> tuple[int, int]:
    """Return the part that a key deletes where nothing is selected."""
    if name == "Delete":
        if ctrl:
            return at, at if shift else _word_right(text, at)
        return at, _letter_right(text, at)
    if ctrl and shift:
        return text.rfind("\n", 0, at) + 1, at
    return _word_left(text, at) if ctrl else max(0, at - 1), at


def _letter_left(text: str, at: int) -> int:
    at = max(0, at - 1)
    while _is_joined(text, at):
        at -= 1
    return at


def _letter_right(text: str, at: int) -> int:
    at = min(len(text), at + 1)
    while _is_joined(text, at):
        at += 1
    return at


def _moved(
    text: str, caret: int, anchor: int, name: str, ctrl: bool, shift: bool, size: int
) -> int | None:
    """Return the new position of the caret after a key, or None.

    Args:
        size: the letter size in a field of several lines; 0 for a single line.
    """
    if name in ("Left", "Right"):
        if caret != anchor and not shift and not ctrl:
            return min(caret, anchor) if name == "Left" else max(caret, anchor)
        if name == "Left":
            return _word_left(text, caret) if ctrl else _letter_left(text, caret)
        return _word_right(text, caret) if ctrl else _letter_right(text, caret)
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
        text = ui.clipboard if one.kind == "area" else ui.clipboard.replace("\n", "")
        return _write(ui, one, text) if ui.clipboard else (ui, [])
    if not chosen or one.kind == "password":
        return ui, []
    ui = ui._replace(clipboard=chosen)
    return _write(ui, one, "") if name == "x" else (ui, [])


def _radio_key(page: Sequence[Widget], ui: Ui, one: Widget, name: str) -> tuple[Ui, list[Event]]:
    if name == "Space":
        return turn_on_radio(page, ui, one)
    step = {"Down": 1, "Right": 1, "Up": -1, "Left": -1}.get(name)
    if step is None:
        return ui, [Event("enter" if name == "Enter" else "key", one.id, name)]
    group = [two for two in page if two.kind == "radio" and two.group == one.group]
    group = [two for two in group if not two.disabled]
    other = group[(group.index(one) + step) % len(group)]
    return turn_on_radio(page, focused(ui, other), other)


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
        return (ui._replace(caret=to), []) if ui.open else set_value(ui, one, to)
    if name in ("Enter", "Space") and one.kind == "select":
        if ui.open:
            return set_value(ui._replace(open=""), one, ui.caret)
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
    return set_value(ui, one, max(low, min(high, value)))
