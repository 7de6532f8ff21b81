"""A screen in words: its widgets with refs, as an accessibility tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gem_ma.envs.coordinates import Coordinates
from gem_ma.envs.screens.ui import Ui, usable
from gem_ma.scene.screen import CLICKABLE_KINDS, Widget, count_certain_discs

_ROLES = {
    "field": "textbox", "password": "textbox (password)", "area": "textbox (lines)",
    "check": "checkbox", "select": "combobox", "list": "listbox", "fold": "section",
    "scroll": "scroll area", "item": "option", "cell": "cell", "handle": "piece", "label": "text",
    "bubble": "message", "shade": "colours", "title": "heading", "box": "area", "note": "note",
}  # fmt: skip
_ON = {"check": ("checked", "not checked"), "radio": ("on", "off"), "fold": ("open", "closed")}
_UNSEEN = ("line", "veil", "menu", "view", "tile", "pane", "icon")
_LAYERS = ("letters", "capitals", "signs")  # of the keyboard of a phone


def refs(page: Sequence[Widget]) -> dict[str, str]:
    """Return the ref of each usable widget, by widget id."""
    widgets = [one for one in page if one.kind in CLICKABLE_KINDS or one.kind == "scroll"]
    return {one.id: f"e{number}" for number, one in enumerate(widgets, 1)}


def described(page: Sequence[Widget], ui: Ui, coordinates: Coordinates, boxes: bool = False) -> str:
    """Return the screen in words, one line for each visible widget.

    Args:
        boxes: whether a line ends with the box of its widget, not with its middle.
    """

    def find_place(one: Widget) -> str:
        if boxes:
            box = coordinates.format_box(one.x, one.y, one.x + one.w, one.y + one.h)
            return f"in {box}"
        return f"at {coordinates.format_point(one.x + one.w // 2, one.y + one.h // 2)}"

    references = refs(page)
    usable_ids = {one.id for one in usable(page)}
    lines = []
    for one in page:
        if one.kind in _UNSEEN or one.id == "goal" or (one.inside and not one.seen):
            continue
        if one.id not in usable_ids and one.kind in CLICKABLE_KINDS:
            continue
        ref = f"[{references[one.id]}] " if one.id in references else ""
        lines.append(f"{'  ' if one.inside else ''}{ref}{_line(one, ui)} {find_place(one)}")
    return "\n".join(lines)


def _line(one: Widget, ui: Ui) -> str:
    role = _ROLES.get(one.kind, one.kind)
    text = f' "{one.text}"'.replace("\n", " ") if one.text else ""
    parts = [f"{role}{text}", *_state(one)]
    if one.tone and one.kind in ("box", "handle", "cell", "image"):
        parts.append(one.tone)
    if one.disabled:
        parts.append("disabled")
    if ui.focus == one.id:
        parts.append("focused")
        if one.kind in ("field", "area") and ui.caret != ui.anchor:
            low, high = sorted((ui.caret, ui.anchor))
            parts.append(f"selected {str(one.value or '')[low:high]!r}")
    return ", ".join(parts)


def _state(one: Widget) -> list[str]:
    value: Any = one.value
    match one.kind:
        case "field" | "area":
            return [f"holds {str(value or '')!r}"]
        case "password":
            many, certain = len(str(value or "")), count_certain_discs(one)
            more = many > certain
            return [f"holds {certain + 1 if more else many} letters{' or more' if more else ''}"]
        case "check" | "radio" | "fold":
            return [_ON[one.kind][not value]]
        case "select" | "list":
            option = one.options[value] if 0 <= value < len(one.options) else "nothing"
            return [f"{option!r} of {', '.join(map(str, one.options))}"]
        case "slider":
            low, high, _ = one.options
            return [f"{value} of {low} to {high}"]
        case "scroll":
            return [f"{value} of {max(0, one.options[0] - one.h)} pixels down"]
        case "shade":
            return [_shade(one)]
        case "row" | "status" | "keyboard":
            return _touch_state(one)
        case "tab" | "item" | "cell" | "photo":
            return ["selected"] if value is True else []
    return []


def _touch_state(one: Widget) -> list[str]:
    if one.kind == "row":
        subtitle, _, _, right = one.options
        return [*filter(None, (subtitle, right))]
    return [_LAYERS[one.value or 0] if one.kind == "keyboard" else f"battery {one.value} %"]


def _shade(one: Widget) -> str:
    kind, *hue = one.options
    if kind == "hue":
        return f"hue {one.value} of 0 to 359, from left to right"
    description = f"saturation {one.value[0]} and brightness {one.value[1]} of 0 to 100"
    return description + (", across and up" if kind == "shade" else f", hue {hue[0]}")
