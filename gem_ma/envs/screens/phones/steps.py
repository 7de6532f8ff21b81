"""Steps of a perfect user of a phone: a step of a task as one gesture."""

from __future__ import annotations

import json
from collections.abc import Sequence

from gem_ma.envs.screens.families.family import Step
from gem_ma.envs.screens.phones.page import EDIT_MENU, SCROLL
from gem_ma.envs.screens.ui import Ui, find
from gem_ma.scene.screen import TEXT_KINDS, Widget, compute_thumb_x, find_widget

_TAPS = {"click": "tap", "long": "long_press", "double": "double_tap"}
_WIDE = 200  # pixels of a swipe across


def make_gesture(page: Sequence[Widget], ui: Ui, step: Step) -> str:
    """Return the next action towards a step, which may take several actions.

    The verbs of a step are click, long, double, set (a field, a slider), slide (across a widget:
    left or right), flick (across the screen), copy and paste (a field), key, answer, back, home,
    done and pull (the notifications down).
    """
    verb, id = step[0], step[1]
    value = step[2] if len(step) > 2 else None
    if verb in ("back", "home", "done"):
        return f"{verb}()"
    if verb in ("key", "answer"):
        return f"{verb}({json.dumps(id, ensure_ascii=False)})"
    if verb in ("pull", "flick"):
        wide, high = page[0].w, page[0].h  # of the ground
        return _slide(wide // 2, high // 2, value) if value else _pull(wide // 2, high // 2)
    one = find(page, id)
    if one is None:
        raise LookupError(f"no widget {id!r} to {verb}")
    if one.inside and find_widget(page, one.x + one.w // 2, one.y + one.h // 2) is not one:
        return _scroll(page, one)  # it is out of sight, or something lies over it
    return _touch(page, ui, verb, one, value)


def _pull(x: int, y: int) -> str:
    return f"swipe({x}, 4, {x}, {y})"


def _touch(page: Sequence[Widget], ui: Ui, verb: str, one: Widget, value: object) -> str:
    """Return the next action of a step on a widget that is in sight."""
    x, y = one.x + one.w // 2, one.y + one.h // 2
    if verb == "slide":
        return _slide(x, y, value)
    if verb in ("copy", "paste"):
        if ui.open != f"{EDIT_MENU}{one.id}":
            return f"long_press({x}, {y})"
        button = find(page, f"{EDIT_MENU}{verb.title()}")
        assert button is not None
        return f"tap({button.x + button.w // 2}, {button.y + button.h // 2})"
    if verb != "set":
        return f"{_TAPS[verb]}({x}, {y})"
    if one.kind in TEXT_KINDS:
        return _write(ui, one, str(value))
    to = compute_thumb_x(one._replace(value=value))
    return f"swipe({compute_thumb_x(one)}, {y}, {to}, {y})"


def _write(ui: Ui, one: Widget, value: str) -> str:
    text = str(one.value or "")
    x, y = one.x + one.w // 2, one.y + min(one.h // 2, 24)
    if ui.focus != one.id:
        return f"long_press({x}, {y})" if text else f"tap({x}, {y})"
    if text and abs(ui.caret - ui.anchor) != len(text):
        return f"long_press({x}, {y})"
    return f"type({json.dumps(value, ensure_ascii=False)})" if value else 'key("Backspace")'


def _slide(x: int, y: int, way: object) -> str:
    by = _WIDE if way == "right" else -_WIDE
    return f"swipe({x - by // 2}, {y}, {x + by // 2}, {y})"


def _scroll(page: Sequence[Widget], one: Widget) -> str:
    """Return the swipe that brings a widget into the middle of its list."""
    scroll = find(page, one.inside)
    assert scroll is not None, f"ids of lists begin with {SCROLL}"
    middle, half = scroll.y + scroll.h // 2, scroll.h // 2 - 8
    by = max(-2 * half, min(2 * half, one.y + one.h // 2 - middle))
    by = by if abs(by) >= 30 else (30 if by > 0 else -30)
    # Beside what lies in the list, so that no finger begins on a slider.
    return f"swipe({scroll.x + 4}, {middle + by // 2}, {scroll.x + 4}, {middle - by + by // 2})"
