"""How the actions of a phone are told and read: our own form, and AndroidWorld's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from gem_ma.envs.coordinates import Coordinates
from gem_ma.envs.screen_actions import (
    ACTION_CALL,
    ActionReader,
    ScreenAction,
    parse_action_json,
    parse_key,
    read_quoted,
)
from gem_ma.envs.screens.dialects import Dialect
from gem_ma.envs.screens.phones.apps import APPS
from gem_ma.envs.screens.phones.page import STATUS
from gem_ma.game import InvalidMove
from gem_ma.validation.json_types import JSONMapping

LONGEST_TEXT = 2000  # letters of a text to type or to answer
FAR = 0.4  # of the screen: how far a finger goes that scrolls

OWN_GESTURES = Dialect(
    "You use a phone, one action at a time: tap(x, y), double_tap(x, y), long_press(x, y), "
    'swipe(x1, y1, x2, y2), scroll(x, y, "down") or another direction, type("text") into the '
    'field that has been tapped, key("Enter"), key("Backspace"), back(), home(), '
    'open_app("Clock"), wait(). Say done() when the task is done; a question is answered with '
    'answer("text"). Either ends the task. A long press selects all of a field, and a swipe down '
    "from the top of the screen shows notifications. Coordinates are {}, from the top left. A "
    "widget's ref stands for its middle: tap(e3).",
    "expected tap(x, y), double_tap(x, y), long_press(x, y), swipe(x1, y1, x2, y2), "
    'scroll(x, y, "down"), type("text"), key("Enter"), back(), home(), open_app("Clock"), wait(), '
    'answer("text") or done()',
    "Some tasks cannot be done: then reply infeasible().",
)
ANDROID_WORLD = Dialect(
    "You use a phone, one action at a time, each a JSON object:\n"
    '{{"action_type": "click", "x": 100, "y": 200}}, and likewise double_tap and long_press\n'
    '{{"action_type": "input_text", "text": "words", "x": 100, "y": 200}}, which taps the field, '
    'types and presses Enter; with "clear_text": true in place of what the field holds\n'
    '{{"action_type": "keyboard_enter"}}\n'
    '{{"action_type": "scroll", "direction": "down"}}, or up, left, right\n'
    '{{"action_type": "swipe", "direction": "down"}}, the way of the finger, from x and y if they '
    "are given\n"
    '{{"action_type": "open_app", "app_name": "Clock"}}\n'
    '{{"action_type": "navigate_back"}}, {{"action_type": "navigate_home"}}, '
    '{{"action_type": "wait"}}\n'
    '{{"action_type": "answer", "text": "words"}}, which answers a question and ends the task\n'
    '{{"action_type": "status", "goal_status": "complete"}}, when the task is done\n'
    "A long press selects all of a field, and a swipe down from the top of the screen shows "
    "notifications. Coordinates are {}, from the top left. In place of x and y you can give an "
    'index: 3 is the widget [e3]. You may write what you think before "Action:".',
    'expected a JSON object such as {"action_type": "click", "x": 100, "y": 200}, with the '
    "action_type click, double_tap, long_press, input_text, keyboard_enter, scroll, swipe, "
    "open_app, navigate_back, navigate_home, wait, answer or status",
    "Some tasks cannot be done: then the goal_status is infeasible.",
)
PHONE_DIALECTS = MappingProxyType({"android-world": ANDROID_WORLD})

_TAPS = {
    "tap": "click", "click": "click", "double_tap": "double", "double_click": "double",
    "long_press": "long",
}  # fmt: skip
_PLAIN = {
    "back": "back", "navigate_back": "back", "home": "home", "navigate_home": "home",
    "wait": "wait", "done": "done",
}  # fmt: skip
# Where a finger goes, across and down; a scroll in a direction is a finger the other way.
_WAYS = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
_FARTHEST = 1e5  # the largest coordinate that is read
_KEYS = ("Enter", "Backspace")
Point = tuple[int, int]


class PhoneActionReader:
    """Parser of replies for one screen of a phone, in both forms.

    Args:
        middles: returns the centre of each ref in pixels.
        infeasible: whether a reply may say that the task cannot be done.
        expected: what is said of a reply that is no action.
    """

    def __init__(
        self,
        coordinates: Coordinates,
        middles: Callable[[], Mapping[str, Point]],
        infeasible: bool,
        expected: str,
    ):
        self.points = ActionReader(coordinates.read_point, middles)
        self.screen = coordinates.screen
        self.infeasible, self.expected = infeasible, expected

    def read(self, text: str) -> ScreenAction:
        """Return the action of a reply; raise InvalidMove if there is none."""
        text = text.rpartition("Action:")[2].strip().removeprefix("```json").strip("`").strip()
        if text.startswith("{"):
            return self._read_object(parse_action_json(text, self.expected))
        match = ACTION_CALL.fullmatch(text)
        if match is None:
            raise InvalidMove(self.expected)
        return self._read_call(match[1], match[2])

    def _read_call(self, name: str, inside: str) -> ScreenAction:
        texts = read_quoted(inside)
        if name in _PLAIN:
            return ScreenAction(_PLAIN[name])
        if name == "infeasible":
            return self._say_infeasible()
        if name in ("type", "answer", "open_app", "key"):
            return self._make_text_action(name, texts[0] if texts else inside)
        if name == "scroll":
            points = self.points.find_points(inside)
            return self._scroll(points[0] if points else None, texts[0] if texts else inside)
        points = self.points.find_points(inside)
        if name in _TAPS and len(points) == 1:
            return ScreenAction(_TAPS[name], points[0])
        if name in ("swipe", "drag") and len(points) == 2:
            return ScreenAction("drag", points[0], points[1])
        raise InvalidMove(self.expected)

    def _read_object(self, given: JSONMapping) -> ScreenAction:
        name, text = given.get("action_type"), given.get("text")
        if not isinstance(name, str):
            raise InvalidMove(self.expected)
        if name in _PLAIN:
            return ScreenAction(_PLAIN[name])
        if name == "keyboard_enter":
            return ScreenAction("key", text="Enter")
        if name == "status":
            is_done = given.get("goal_status") == "complete"
            return ScreenAction("done") if is_done else self._say_infeasible()
        if name in ("open_app", "answer"):
            return self._make_text_action(name, given.get("app_name", text))
        return self._read_place(name, given)

    def _read_place(self, name: str, given: JSONMapping) -> ScreenAction:
        """Return the action of an object that may name a place."""
        point = self._find_point(given)
        if name in _TAPS and point is not None:
            return ScreenAction(_TAPS[name], point)
        if name == "input_text":
            typed = self._make_text_action("type", given.get("text")).text + "\n"
            if point is None:
                return ScreenAction("type", text=typed)
            kind = "replace" if given.get("clear_text") else "input"
            return ScreenAction(kind, point, text=typed)
        if name in ("scroll", "swipe"):
            direction = str(given.get("direction"))[:9]
            return (self._scroll if name == "scroll" else self._swipe)(point, direction)
        raise InvalidMove(self.expected)

    def _say_infeasible(self) -> ScreenAction:
        """Say that the task cannot be done; where all can, that is a wrong answer."""
        return ScreenAction("infeasible" if self.infeasible else "answer", text="infeasible")

    def _make_text_action(self, name: str, text: object) -> ScreenAction:
        if not isinstance(text, str):
            raise InvalidMove(f"{name} needs a text")
        text = text[:LONGEST_TEXT]
        if name == "key":
            key = parse_key(text)
            if key not in _KEYS:
                raise InvalidMove(f"no key {text[:40]!r}; there are {', '.join(_KEYS)}")
            return ScreenAction("key", text=key)
        if name != "open_app":
            return ScreenAction(name, text=text)
        app = next((one for one in APPS if one.casefold() == text.strip().casefold()), None)
        if app is None:
            raise InvalidMove(f"no app {text[:40]!r}; there are {', '.join(APPS)}")
        return ScreenAction("open", text=app)

    def _find_point(self, given: JSONMapping) -> Point | None:
        index = given.get("index")
        if index is not None:
            return self.points.find_middle(f"e{str(index)[:9]}")
        x, y = given.get("x"), given.get("y")
        if x is None and y is None:
            return None
        if (
            isinstance(x, int | float)
            and isinstance(y, int | float)
            and abs(x) + abs(y) < _FARTHEST
        ):
            return self.points.place(x, y)
        raise InvalidMove("expected where: two numbers x and y, or an index")

    def _scroll(self, point: Point | None, direction: str) -> ScreenAction:
        word = next((one for one in _WAYS if one in direction), "")
        across, down = _WAYS.get(word, (0, 0))
        return self._move(point, (-across, -down))

    def _swipe(self, point: Point | None, direction: str) -> ScreenAction:
        way = _WAYS.get(direction, (0, 0))
        if point is None and direction == "down":
            point = self.screen[0] // 2, 0
        return self._move(point, way)

    def _move(self, point: Point | None, way: tuple[int, int]) -> ScreenAction:
        if way == (0, 0):
            raise InvalidMove(f"expected a direction: {', '.join(_WAYS)}")
        wide, high = self.screen
        x, y = (wide // 2, high // 2) if point is None else point
        to_x = min(max(x + round(way[0] * FAR * wide), 0), wide - 1)
        to_y = min(max(y + round(way[1] * FAR * high), STATUS), high - 1)
        return ScreenAction("drag", (x, y), (to_x, to_y))
