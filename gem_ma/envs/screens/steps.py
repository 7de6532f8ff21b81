"""Steps of a perfect user: a step of a task as one action of pointer or keyboard."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from gem_ma.envs.screens.families.family import Step
from gem_ma.envs.screens.ui import Ui, find
from gem_ma.scene import text_metrics
from gem_ma.scene.screen import (
    FIELD_PADDING,
    TEXT_KINDS,
    THUMB_WIDTH,
    Widget,
    compute_row_height,
    compute_thumb_x,
    find_shade_point,
)


def action(page: Sequence[Widget], ui: Ui, step: Step) -> str:
    """Return the next action towards a step, which may take several actions."""
    verb, id = step[0], step[1]
    value = step[2] if len(step) > 2 else None
    if verb in ("key", "type"):
        return f"{verb}({json.dumps(id, ensure_ascii=False)})"
    one = find(page, id)
    if one is None:
        raise LookupError(f"no widget {id!r} to {verb}")
    if ui.open and ui.open != one.id and verb != "option":
        return 'key("Escape")'
    if one.inside and not one.seen:
        return _scroll(page, one, one.y + one.h // 2)
    x, y = one.x + one.w // 2, one.y + one.h // 2
    if verb == "set":
        return _set(page, ui, one, value)
    if verb == "drag":
        return _drag(page, one, value)
    if verb == "mark":  # a word of its text
        text, word = str(one.value), str(value)
        if word not in text:
            raise LookupError(f"no {word!r} in {text!r} to mark")
        before = text_metrics.measure_width(text[: text.index(word)], one.type)
        middle = before + text_metrics.measure_width(word, one.type) / 2
        return f"double_click({one.x + FIELD_PADDING + round(middle)}, {y})"
    name = {"double": "double_click", "right": "right_click"}.get(verb, verb)
    return f"{name}({x}, {y})"


def _scroll(page: Sequence[Widget], one: Widget, y: int) -> str:
    """Return the action that scrolls what is at this height into the middle of its box."""
    scroll = find(page, one.inside)
    assert scroll is not None
    by = y - scroll.y - scroll.h // 2
    return f"scroll({scroll.x + 5}, {scroll.y + scroll.h // 2}, {by})"


def _drag(page: Sequence[Widget], one: Widget, to: Any) -> str:
    x, y = one.x + one.w // 2, one.y + one.h // 2
    if isinstance(to, str):
        other = find(page, to)
        if other is None:
            raise LookupError(f"no widget {to!r} to drag to")
        if other.inside and not other.seen:  # then both have to be in sight
            return _scroll(page, other, (y + other.y + other.h // 2) // 2)
        return f"drag({x}, {y}, {other.x + other.w // 2}, {other.y + other.h // 2})"
    return f"drag({x}, {y}, {x + to[0]}, {y + to[1]})"


def _set(page: Sequence[Widget], ui: Ui, one: Widget, value: Any) -> str:
    x, y = one.x + one.w // 2, one.y + one.h // 2
    if one.kind in TEXT_KINDS:
        text = str(one.value or "")
        if ui.focus != one.id:
            return f"click({x}, {one.y + 13})"
        if text and abs(ui.caret - ui.anchor) != len(text):
            return 'key("ctrl+a")'
        return f"type({json.dumps(value, ensure_ascii=False)})" if value else 'key("Delete")'
    if one.kind == "select":
        if ui.open != one.id:
            return f"click({x}, {y})"
        item = find(page, f"{one.id}#{value}")
        assert item is not None
        return f"click({item.x + 20}, {item.y + item.h // 2})"
    if one.kind == "list":
        y = one.y + compute_row_height(one) * value + compute_row_height(one) // 2
        # A high list can be partly beyond the box that scrolls it.
        return f"click({x}, {y})" if one.holds(x, y) else _scroll(page, one, y)
    if one.kind == "shade":
        x, y = find_shade_point(one._replace(value=value))
    if one.kind == "slider":
        return _slide(ui, one, value)
    return f"click({x}, {y})"


def _slide(ui: Ui, one: Widget, value: float) -> str:
    y, thumb_x = one.y + one.h // 2, compute_thumb_x(one)
    to = compute_thumb_x(one._replace(value=value))
    if ui.focus == one.id and abs(to - thumb_x) <= THUMB_WIDTH:
        return f'key("{"Right" if value > one.value else "Left"}")'
    return f"drag({thumb_x}, {y}, {to}, {y})"
