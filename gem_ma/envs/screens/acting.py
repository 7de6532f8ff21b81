"""Effects of an action on widgets, and of the pointer: pure functions, as in a browser."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from gem_ma.envs.screen_actions import ScreenAction
from gem_ma.envs.screens.keyboard import press_key, type_text
from gem_ma.envs.screens.ui import (
    Event,
    Ui,
    WidgetValue,
    find,
    focused,
    scroll_to,
    set_value,
    turn_on_radio,
    usable,
)
from gem_ma.scene import text_metrics
from gem_ma.scene.screen import (
    CHECKBOX_SIZE,
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

_WORDS = ("label", "title", "note", "line", "veil")  # clicks on these name no widget
_PART = re.compile(r"\w+|\s+|[^\w\s]")


def act(page: tuple[Widget, ...], ui: Ui, action: ScreenAction) -> tuple[Ui, list[Event]]:
    """Return the state of the widgets after an action, and the events for the app."""
    if action.kind == "wait":
        return ui, [Event("wait")]
    if ui.focus and find(usable(page), ui.focus) is None:  # the focused widget is gone
        ui = ui._replace(focus="")
    if action.kind == "type":
        return type_text(page, ui, action.text)
    if action.kind == "key":
        return press_key(page, ui, action.text)
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
        return _clicked_right(ui, under, action), [_event(action, under)]
    return _clicked(page, ui, under, action)


def _clicked_right(ui: Ui, one: Widget, action: ScreenAction) -> Ui:
    """Move the focus, and the caret unless it is on what is selected."""
    if one.kind == "item":  # a menu does not take the focus
        return ui
    x, y = action.at[0] - one.x, action.at[1] - one.y - (one.h - CHECKBOX_SIZE) // 2
    in_box = x < CHECKBOX_SIZE and 0 <= y < CHECKBOX_SIZE
    is_label = one.kind in ("check", "radio") and not in_box
    if one.kind not in FOCUSABLE_KINDS or is_label:
        return ui._replace(focus="")
    ui = focused(ui, one)
    if one.kind not in TEXT_KINDS:
        return ui
    at = _letter(one, ui, action.at)
    if min(ui.caret, ui.anchor) <= at <= max(ui.caret, ui.anchor):
        return ui
    return ui._replace(caret=at, anchor=at, typing="")


def _event(action: ScreenAction, widget: Widget | None) -> Event:
    kind = {"triple": "double"}.get(action.kind, action.kind)
    has_id = widget is not None and widget.kind not in _WORDS
    return Event(kind, widget.id if widget is not None and has_id else "", at=action.at)


def _clicked(
    page: Sequence[Widget], ui: Ui, one: Widget, action: ScreenAction
) -> tuple[Ui, list[Event]]:
    if one.kind in FOCUSABLE_KINDS:
        ui = focused(ui, one)
    elif one.kind != "item":  # a menu does not take the focus
        ui = ui._replace(focus="")
    events = [_event(action, one)]
    if one.kind in TEXT_KINDS:
        return _caret(ui, one, action), events
    if one.kind in ("check", "fold"):
        return (ui, events) if action.kind == "double" else set_value(ui, one, not one.value)
    if one.kind == "radio":
        return turn_on_radio(page, ui, one)
    if one.kind == "select":
        return ui._replace(open=one.id, caret=one.value), events
    if one.kind in ("list", "shade"):
        return set_value(ui, one, _under(one, action.at))
    if one.kind == "slider":
        return (ui, events) if _on_thumb(one, action.at) else slide_thumb(ui, one, action.at[0])
    return ui, events


def _under(one: Widget, at: tuple[int, int]) -> WidgetValue:
    """Return the option or shade at a point, or the current value if there is none."""
    if one.kind == "shade":
        return one.value if one.options[0] == "mixed" else find_shade(one, *at)
    place = (at[1] - one.y) // compute_row_height(one)
    return place if place < len(one.options) else one.value


def _chosen(page: Sequence[Widget], ui: Ui, under: Widget | None) -> tuple[Ui, list[Event]]:
    """Choose an option of the open list, or close the list."""
    select = find(page, ui.open)
    ui = ui._replace(open="")
    if select is None or under is None or not under.id.startswith(f"{select.id}#"):
        return ui, []
    return set_value(ui, select, int(under.id.rpartition("#")[2]))


def _scrolled(page: Sequence[Widget], ui: Ui, under: Widget | None, by: int) -> Ui:
    if under is None:
        return ui
    scroll = under if under.kind == "scroll" else find(page, under.inside)
    return ui if scroll is None else scroll_to(ui, scroll, scroll.value + by)


def bar(scroll: Widget) -> tuple[int, int]:
    """Return the start of a scroll bar's handle, and its length."""
    content = max(scroll.options[0], scroll.h)
    long = max(20, scroll.h * scroll.h // content)
    most = content - scroll.h
    top = (scroll.h - long) * scroll.value // most if most else 0
    return scroll.y + top, long


def _on_bar(ui: Ui, scroll: Widget, at: tuple[int, int]) -> Ui:
    """Scroll by a page after a click on the bar outside its handle."""
    ui = ui._replace(focus="")
    if at[0] < scroll.x + scroll.w - SCROLLBAR_WIDTH:
        return ui
    top, long = bar(scroll)
    if top <= at[1] < top + long:
        return ui
    page = max(scroll.h * 7 // 8, 1)
    return scroll_to(ui, scroll, scroll.value + (page if at[1] >= top + long else -page))


def _on_thumb(one: Widget, at: tuple[int, int]) -> bool:
    left, top = compute_thumb_x(one) - THUMB_WIDTH // 2, one.y + (one.h - THUMB_WIDTH) // 2
    return left <= at[0] < left + THUMB_WIDTH and top <= at[1] < top + THUMB_WIDTH


def slide_thumb(ui: Ui, one: Widget, x: int) -> tuple[Ui, list[Event]]:
    """Move the middle of a slider's thumb to x."""
    low, high, step = one.options
    share = (x - one.x - THUMB_WIDTH / 2) / (one.w - THUMB_WIDTH)
    value = low + math.floor(share * (high - low) / step + 0.5) * step
    return set_value(ui, one, max(low, min(high, value)))


def _dragged(
    page: Sequence[Widget], ui: Ui, under: Widget | None, action: ScreenAction
) -> tuple[Ui, list[Event]]:
    x, y = action.to
    ui = ui._replace(pointer=action.to, open="")
    if under is None or under.disabled:
        return ui._replace(focus=""), []
    if under.kind == "slider":
        offset = action.at[0] - compute_thumb_x(under) if _on_thumb(under, action.at) else 0
        return slide_thumb(focused(ui, under), under, x - offset)
    if under.kind == "shade":
        return set_value(ui._replace(focus=""), under, _under(under, action.to))
    if under.kind in TEXT_KINDS:
        ui = _caret(focused(ui, under), under, action)
        return ui._replace(caret=_letter(under, ui, action.to), typing=""), []
    if under.kind == "scroll" and action.at[0] >= under.x + under.w - SCROLLBAR_WIDTH:
        top, long = bar(under)
        if top <= action.at[1] < top + long and under.h > long:
            most = under.options[0] - under.h
            shift = (y - action.at[1]) * most // (under.h - long)
            return scroll_to(ui, under, under.value + shift), []
        return ui, []
    target = find_widget(tuple([one for one in page if one.id != under.id]), x, y)
    shift = x - action.at[0], y - action.at[1]
    on = "" if target is None else target.id
    return ui._replace(focus="", hover=on), [Event("drop", under.id, on, action.to, shift)]


def _letter(one: Widget, ui: Ui, at: tuple[int, int]) -> int:
    """Return the index of the letter of a field at a point."""
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
    visible_text = "•" * len(text) if one.kind == "password" else text
    return text_metrics.find_caret(
        visible_text, one.type, at[0] - one.x - FIELD_PADDING + compute_text_shift(one, caret)
    )


def _caret(ui: Ui, one: Widget, action: ScreenAction) -> Ui:
    caret = _letter(one, ui, action.at)
    text = str(one.value or "")
    ui = ui._replace(typing="")
    if action.kind == "triple":
        return ui._replace(anchor=0, caret=len(text))
    if action.kind == "double":
        if one.kind == "password":
            return ui._replace(anchor=0, caret=len(text))
        for part in _PART.finditer(text):
            if caret < part.end() or part.end() == len(text):
                return ui._replace(anchor=part.start(), caret=part.end())
    return ui._replace(anchor=caret, caret=caret)
