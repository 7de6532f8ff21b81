"""Parsing of replies into screen actions, in our grammar and those of computer-use models."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from gem_ma.game import InvalidMove
from gem_ma.validation.json_types import JSONMapping

PIXELS_PER_NOTCH = 40  # how far one notch scrolls a page


class ScreenAction(NamedTuple):
    """One action with mouse or keyboard: its kind, its place and its text."""

    # click, double, triple, right, drag, scroll, type, key, hover, wait, infeasible; on a phone
    # also long, input, replace, back, home, open, answer, done
    kind: str
    at: tuple[int, int] = (0, 0)
    to: tuple[int, int] = (0, 0)  # the end of a drag; for a scroll, the distance in pixels
    text: str = ""  # the text to type or to answer, the key, or the name of an app


KEY_NAMES = {
    "enter": "Enter", "return": "Enter", "kp_enter": "Enter", "tab": "Tab", "escape": "Escape",
    "esc": "Escape", "backspace": "Backspace", "delete": "Delete", "del": "Delete",
    "left": "Left", "right": "Right", "up": "Up", "down": "Down", "arrowleft": "Left",
    "arrowright": "Right", "arrowup": "Up", "arrowdown": "Down", "home": "Home", "end": "End",
    "pageup": "PageUp", "page_up": "PageUp", "prior": "PageUp", "pagedown": "PageDown",
    "page_down": "PageDown", "next": "PageDown", "space": "Space", " ": "Space",
}  # fmt: skip
_MODIFIERS = {"ctrl": "ctrl", "control": "ctrl", "cmd": "ctrl", "shift": "shift", "alt": "alt"}
ACTION_CALL = re.compile(r"([a-z_]{2,24}) ?\((.{0,2000})\)", re.DOTALL)
_TAGS = re.compile(r"</?tool_call>|```(?:json)?")
_PAIR = re.compile(r"(-?\d{1,5}(?:\.\d{1,4})?)[ ,]{1,4}(-?\d{1,5}(?:\.\d{1,4})?)")
_REF = re.compile(r"e\d{1,4}")
_NAMED_ARGUMENT = re.compile(
    r"([a-z_]{2,16}) ?= ?(?:'((?:[^'\\]|\\.){0,1500})'|\"((?:[^\"\\]|\\.){0,1500})\")"
)
_QUOTED_ARGUMENT = re.compile(r"'((?:[^'\\]|\\.){0,1500})'|\"((?:[^\"\\]|\\.){0,1500})\"")
_POINTER_KINDS = {
    "click": "click", "left_click": "click", "double_click": "double", "left_double": "double",
    "triple_click": "triple", "right_click": "right", "right_single": "right", "hover": "hover",
    "mouse_move": "hover", "move": "hover", "middle_click": "click",
}  # fmt: skip
# Names of the action that says that a task cannot be done: ours, and UI-TARS's.
INFEASIBLE_ACTIONS = ("infeasible", "call_user")
WAIT_ACTIONS = ("wait", "screenshot", "cursor_position", "finished", "terminate", "call_user")
EXPECTED_ACTIONS = (  # what a notice asks for, unless a dialect says so in its own form
    "expected click(x, y), double_click(x, y), right_click(x, y), drag(x1, y1, x2, y2), "
    'scroll(x, y, dy), type("text"), key("ctrl+a"), hover(x, y) or wait(); a ref such as e3 in '
    "place of x, y"
)
PointScaler = Callable[[float, float], tuple[int, int]]


class ActionReader:
    """Parser of replies for one screen.

    Args:
        place: converts coordinates as the reply states them into pixels.
        middles: returns the centre of each ref in pixels; called when a reply names a ref.
        infeasible: whether a reply may say that the task cannot be done.
        expected: what is said of a reply that is no action: the form of those that are.
    """

    def __init__(
        self,
        place: PointScaler,
        middles: Callable[[], Mapping[str, tuple[int, int]]],
        infeasible: bool = False,
        expected: str = EXPECTED_ACTIONS,
    ):
        self.place = place
        self.middles = middles
        self.infeasible = infeasible
        self.expected = expected

    def read(self, text: str) -> ScreenAction:
        """Return the action of a reply; raise InvalidMove if there is none."""
        text = _TAGS.sub("", text).strip()
        if text.startswith(("{", "[")):
            return self._parse_call(parse_action_json(text, self.expected))
        text = text.rpartition("Action:")[2].strip()
        match = ACTION_CALL.fullmatch(text)
        if match is None:
            raise InvalidMove(self.expected)
        return self._parse_words(match[1], match[2])

    def _parse_words(self, name: str, inside: str) -> ScreenAction:
        named_arguments = {
            key: _unescape(one or two) for key, one, two in _NAMED_ARGUMENT.findall(inside)
        }
        quoted_arguments = read_quoted(inside)
        if self._is_infeasible(name, named_arguments.get("status")):
            return ScreenAction("infeasible")
        if name in WAIT_ACTIONS:
            return ScreenAction("wait")
        if name == "type":
            content = named_arguments.get(
                "content", quoted_arguments[0] if quoted_arguments else inside
            )
            return ScreenAction("type", text=content)
        if name in ("key", "hotkey", "press"):
            return ScreenAction(
                "key",
                text=parse_key(
                    named_arguments.get("key", quoted_arguments[0] if quoted_arguments else inside)
                ),
            )
        points = self.find_points(inside)
        if name in _POINTER_KINDS and len(points) == 1:
            return ScreenAction(_POINTER_KINDS[name], points[0])
        if name in ("drag", "left_click_drag") and len(points) == 2:
            return ScreenAction("drag", points[0], points[1])
        if name == "scroll" and points:
            return ScreenAction(
                "scroll", points[0], (0, self._parse_scroll(inside, named_arguments))
            )
        raise InvalidMove(self.expected)

    def _is_infeasible(self, name: str, status: object) -> bool:
        """Return whether an action says that the task cannot be done; Qwen's has a status."""
        says_so = name in INFEASIBLE_ACTIONS or (name == "terminate" and status == "failure")
        return self.infeasible and says_so

    def find_points(self, inside: str) -> list[tuple[int, int]]:
        """Return the points that the arguments of an action name, as places or as refs."""
        points = []
        for match in re.finditer(rf"{_REF.pattern}(?!\w)|{_PAIR.pattern}", inside):
            if match[1] is None:
                points.append(self.find_middle(match[0]))
            else:
                points.append(self.place(float(match[1]), float(match[2])))
        return points

    def find_middle(self, ref: str) -> tuple[int, int]:
        """Return the middle of the widget with a ref, or raise InvalidMove."""
        middles = self.middles()
        if ref not in middles:
            raise InvalidMove(f"there is no {ref}; there are {', '.join(middles)}")
        return middles[ref]

    def _parse_scroll(self, inside: str, named: Mapping[str, str]) -> int:
        direction = named.get("direction", "")
        for word, sign in (("up", -1), ("down", 1)):
            if direction == word or (not direction and re.search(rf"\b{word}\b", inside)):
                return sign * 5 * PIXELS_PER_NOTCH
        rest = re.sub(rf"{_REF.pattern}(?!\w)|{_PAIR.pattern}", "", inside, count=1)
        numbers = re.findall(r"-?\d{1,5}", rest)
        if not numbers:
            raise InvalidMove("scroll(x, y, dy) needs to know by how many pixels")
        return int(numbers[-1])

    def _parse_call(self, found: object) -> ScreenAction:
        if isinstance(found, list) and len(found) == 1:
            found = found[0]
        if not isinstance(found, dict):
            raise InvalidMove("one call at a time")
        arguments = found.get("arguments", found.get("input", found.get("action", found)))
        if isinstance(arguments, str):
            arguments = found
        if not isinstance(arguments, dict):
            raise InvalidMove("the arguments of a call are an object")
        name = arguments.get("action", arguments.get("type", found.get("name")))
        if not isinstance(name, str):
            raise InvalidMove(f"which action? {self.expected}")
        return self._make_action(name, arguments)

    def _make_action(self, name: str, given: JSONMapping) -> ScreenAction:
        if self._is_infeasible(name, given.get("status")):
            return ScreenAction("infeasible")
        if name in (*WAIT_ACTIONS, "answer"):
            return ScreenAction("wait")
        if name == "type":
            text = given.get("text", given.get("content"))
            if not isinstance(text, str):
                raise InvalidMove("type needs a text")
            return ScreenAction("type", text=text[:2000])
        if name in ("key", "keypress", "hotkey", "hold_key"):
            keys = given.get("keys", given.get("text", given.get("key")))
            if isinstance(keys, list) and all(isinstance(key, str) for key in keys):
                keys = "+".join(keys)
            if not isinstance(keys, str):
                raise InvalidMove("key needs the name of a key")
            return ScreenAction("key", text=parse_key(keys))
        return self._make_pointer_action(name, given)

    def _make_pointer_action(self, name: str, given: JSONMapping) -> ScreenAction:
        if name in ("drag", "left_click_drag"):
            start, end = self._parse_path(given)
            return ScreenAction("drag", start, end)
        if name == "scroll":
            return ScreenAction("scroll", self._parse_point(given), (0, _compute_scroll(given)))
        kind = _POINTER_KINDS.get(name)
        if kind is None:
            raise InvalidMove(f"no action {name!r}; {self.expected}")
        if kind == "click" and given.get("button") == "right":
            kind = "right"
        return ScreenAction(kind, self._parse_point(given))

    def _parse_point(self, given: JSONMapping, *names: str) -> tuple[int, int]:
        if "ref" in given:
            return self.find_middle(str(given["ref"]))
        for name in names or ("coordinate", "point", "position"):
            if name in given:
                return self._scale_point(given[name])
        return self._scale_point(given)

    def _scale_point(self, found: object) -> tuple[int, int]:
        if isinstance(found, dict):
            found = [found.get("x"), found.get("y")]
        if isinstance(found, Sequence) and len(found) == 2:
            x, y = found
            if type(x) in (int, float) and type(y) in (int, float) and -1e5 < x < 1e5 > y > -1e5:
                return self.place(x, y)
        raise InvalidMove("expected where: two numbers")

    def _parse_path(self, given: JSONMapping) -> tuple[tuple[int, int], tuple[int, int]]:
        path = given.get("path")
        if isinstance(path, list) and len(path) >= 2:
            return self._scale_point(path[0]), self._scale_point(path[-1])
        return self._parse_point(given, "start_coordinate", "from"), self._parse_point(
            given, "coordinate", "to"
        )


def parse_action_json(text: str, expected: str) -> Any:
    """Return the value of a reply in JSON, or raise InvalidMove with what is expected."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise InvalidMove(f"that is no JSON; {expected}") from None


def read_quoted(inside: str) -> list[str]:
    """Return the texts in quotation marks among the arguments of an action."""
    return [_unescape(one or two) for one, two in _QUOTED_ARGUMENT.findall(inside)]


def parse_key(text: str) -> str:
    """Return the canonical name of a key, such as "ctrl+a" or "Enter"."""
    parts = re.split(r"[+ ]", text.strip()[:40]) if len(text.strip()) > 1 else [text.strip() or " "]
    modifiers = sorted(
        {_MODIFIERS[part.lower()] for part in parts[:-1] if part.lower() in _MODIFIERS}
    )
    last = KEY_NAMES.get(parts[-1].lower(), parts[-1])
    if (len(last) > 1 and last not in KEY_NAMES.values()) or not last:
        raise InvalidMove(
            f"no key {text!r}; a letter, or one of {', '.join(sorted(set(KEY_NAMES.values())))}"
        )
    if any(part.lower() not in _MODIFIERS for part in parts[:-1]):
        raise InvalidMove(f"no key {text!r}; one key, with ctrl+ or shift+ before it")
    return "+".join([*modifiers, last])


def _compute_scroll(given: JSONMapping) -> int:
    """Return the distance in pixels that a call scrolls; positive is down."""
    direction, amount = (
        given.get("scroll_direction", given.get("direction")),
        given.get("scroll_amount"),
    )
    if direction in ("up", "down"):
        notches = amount if type(amount) is int else 5
        return max(
            -9999, min(9999, notches * PIXELS_PER_NOTCH * (1 if direction == "down" else -1))
        )
    for name, sign in (("scroll_y", 1), ("dy", 1), ("pixels", -1)):
        if type(given.get(name)) in (int, float):
            return max(-9999, min(9999, int(sign * given[name])))
    raise InvalidMove("scroll needs a direction, or by how much")


def _unescape(text: str) -> str:
    return text.replace("\\n", "\n").replace("\\'", "'").replace('\\"', '"').replace("\\\\", "\\")
