"""Effects of fingers on the widgets of a phone: pure functions, on top of those of a pointer."""

from __future__ import annotations

from gem_ma.envs.screen_actions import ScreenAction
from gem_ma.envs.screens.acting import act, slide_thumb
from gem_ma.envs.screens.keyboard import press_key, type_text
from gem_ma.envs.screens.phones.page import EDIT_MENU, KEYBOARD_ID, STATUS
from gem_ma.envs.screens.ui import Event, Ui, find, focused, scroll_to, usable
from gem_ma.scene.screen import FIELD_PADDING, TEXT_KINDS, Widget, find_widget
from gem_ma.scene.text_metrics import LINE_HEIGHTS, measure_width
from gem_ma.scene.touch_keyboard import (
    BACKSPACE,
    CAPITALS,
    ENTER,
    LETTERS,
    OTHER_LAYER,
    SHIFT,
    SYMBOLS,
    find_key,
)

Page = tuple[Widget, ...]
Effect = tuple[Ui, list[Event]]
PHONE_EVENTS = ("back", "home", "open", "done", "answer", "wait")
SHORTEST = 24  # pixels; what moves less is a tap
PULLED = 60  # pixels that a finger has to move down from the top to pull the notifications down


def touch(page: Page, ui: Ui, action: ScreenAction) -> Effect:
    """Return the state of the widgets after an action, and the events for the phone."""
    if ui.focus and find(usable(page), ui.focus) is None:
        ui = ui._replace(focus="", open="")
    match action.kind:
        case "back" if ui.focus:  # which puts the keyboard away
            return ui._replace(focus="", open=""), []
        case kind if kind in PHONE_EVENTS:
            return ui._replace(open=""), [Event(kind, value=action.text)]
        case "type":
            return type_text(page, ui._replace(open=""), action.text)
        case "key":
            return press_key(page, ui._replace(open=""), action.text)
        case "input" | "replace":
            return _write(page, ui, action)
        case "drag":
            return _swipe(page, ui, action)
    return _tap(page, ui, action)


def _write(page: Page, ui: Ui, action: ScreenAction) -> Effect:
    """Tap a field and type into it, in place of what it holds if the action says so."""
    ui, events = _tap(page, ui, action._replace(kind="click"))
    one = find(page, ui.focus)
    if one is None:
        return ui, events
    if action.kind == "replace":
        ui = ui._replace(anchor=0, caret=len(str(one.value or "")))
    ui, typed = type_text(page, ui, action.text)
    return ui, [*events, *typed]


def _tap(page: Page, ui: Ui, action: ScreenAction) -> Effect:
    under = find_widget(page, *action.at)
    if under is None:
        return ui._replace(focus="", open=""), []
    if under.id == KEYBOARD_ID:
        return _press(page, ui._replace(open=""), find_key(under, *action.at), under)
    if under.id.startswith(EDIT_MENU):
        return _edit(page, ui, under.id.removeprefix(EDIT_MENU))
    ui = ui._replace(open="")
    if under.kind == "veil":
        return ui._replace(focus=""), [Event("dismiss")]
    if action.kind == "long":
        if under.kind not in TEXT_KINDS:
            return ui, [Event("long", under.id)]
        ui = focused(ui, under)._replace(anchor=0, caret=len(str(under.value or "")))
        return ui._replace(open=f"{EDIT_MENU}{under.id}"), []
    if action.kind == "double" and under.kind in TEXT_KINDS and not _has_letter(under, action.at):
        action = action._replace(kind="click")  # beside the letters there is no word to select
    ui, events = act(page, ui, action)
    ui = ui._replace(hover="", pointer=None)
    one = find(page, ui.focus)
    if one is None or one.kind not in TEXT_KINDS:  # only texts have the focus of a phone
        ui = ui._replace(focus="")
    return ui, events


def _has_letter(one: Widget, at: tuple[int, int]) -> bool:
    """Return whether a line of a text goes as far as a point."""
    lines = str(one.value or "").split("\n")
    if one.kind == "password":
        lines = ["\u2022" * len(lines[0])]
    at_line = (at[1] - one.y - FIELD_PADDING) // LINE_HEIGHTS[one.type] if one.kind == "area" else 0
    if not 0 <= at_line < len(lines):
        return False
    return at[0] - one.x - FIELD_PADDING < measure_width(lines[at_line], one.type)


def _press(page: Page, ui: Ui, key: str, keyboard: Widget) -> Effect:
    """Press a key of the keyboard on the screen."""
    layer = keyboard.value or LETTERS
    if key == SHIFT:
        return ui.put(KEYBOARD_ID, LETTERS if layer == CAPITALS else CAPITALS), []
    if key == OTHER_LAYER:
        return ui.put(KEYBOARD_ID, LETTERS if layer == SYMBOLS else SYMBOLS), []
    if key in (BACKSPACE, ENTER):
        return press_key(page, ui, key.title())
    ui, events = type_text(page, ui, key)
    return (ui.put(KEYBOARD_ID, LETTERS) if layer == CAPITALS else ui), events


def _edit(page: Page, ui: Ui, name: str) -> Effect:
    """Cut, copy or paste what is selected in the field with the focus."""
    key = {"Cut": "ctrl+x", "Copy": "ctrl+c", "Paste": "ctrl+v"}[name]
    return press_key(page, ui._replace(open=""), key)


def _swipe(page: Page, ui: Ui, action: ScreenAction) -> Effect:
    ui = ui._replace(open="")
    (x1, y1), (x2, y2) = action.at, action.to
    across, down = x2 - x1, y2 - y1
    if max(abs(across), abs(down)) < SHORTEST:
        return _tap(page, ui, action._replace(kind="click"))
    if y1 <= STATUS + 10 and down >= PULLED:
        return ui._replace(focus=""), [Event("pull")]
    under = find_widget(page, x1, y1)
    if under is None or under.kind == "veil":
        return ui, [Event("swipe", "", _find_direction(across, down))]
    if under.kind == "slider" and not under.disabled:
        return slide_thumb(ui._replace(focus=""), under, x2)
    scroll = under if under.kind == "scroll" else find(page, under.inside or "-")
    if abs(down) > abs(across) and scroll is not None:
        return scroll_to(ui, scroll, scroll.value - down), []
    id = under.id if under.kind not in ("label", "pane") else ""
    return ui, [Event("swipe", id, _find_direction(across, down))]


def _find_direction(across: int, down: int) -> str:
    if abs(across) > abs(down):
        return "right" if across > 0 else "left"
    return "down" if down > 0 else "up"
