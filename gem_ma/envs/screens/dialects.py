"""Dialects of computer use: the actions of a model as a tool or as a grammar of text.

`gem_ma.envs.screen_actions` parses replies in all dialects, in whichever the rules are.
"""

from types import MappingProxyType
from typing import NamedTuple

from gem_ma.envs.screen_actions import EXPECTED_ACTIONS
from gem_ma.validation.json_types import JSONMapping, JSONObject


class Dialect(NamedTuple):
    """A way to use a computer that models were trained on.

    Attributes:
        how: the part of the rules about actions; {} is replaced by the unit of coordinates.
        expected: what a notice asks for after a reply that is no action.
        infeasible: the part of the rules about the action that says that a task cannot be done.
        tool: the schema of its tool, in OpenAI's form.
        infeasible_tool: the same with that action.
    """

    how: str
    expected: str
    infeasible: str
    tool: JSONMapping | None = None
    infeasible_tool: JSONMapping | None = None


_BY_TOOL = (
    "You use a computer, one action at a time, each a call of the tool {name}. You are shown the "
    "screen after each. Coordinates are {{}}, from the top left."
)
_INFEASIBLE = "Some tasks cannot be done: then {}."
_TEXT = {"type": "string", "description": "What is typed."}


def _make_dialect(
    name: str,
    action: str,
    known: tuple[str, ...],
    others: JSONObject,
    infeasible: str = "infeasible",
    status: JSONMapping = MappingProxyType({}),
) -> Dialect:
    """Return a dialect whose tool has an argument `action` that names the action, and others.

    Args:
        infeasible: the action that says that a task cannot be done.
        status: the further argument of that action, if it has one.
    """
    how = f"use the action {infeasible}{', with the status failure' if status else ''}"
    return Dialect(
        _BY_TOOL.format(name=name),
        f"expected a call of the tool {name}, with one of the actions {', '.join(known)} and where "
        "it is done",
        _INFEASIBLE.format(how),
        _make_tool(name, action, known, others),
        _make_tool(name, action, (*known, infeasible), {**others, **status}),
    )


def _make_tool(name: str, action: str, known: tuple[str, ...], others: JSONObject) -> JSONObject:
    parameters = {
        "type": "object",
        "properties": {
            action: {"type": "string", "enum": list(known), "description": "What is done."},
            **others,
        },
        "required": [action],
    }
    function = {
        "name": name,
        "description": "Use the mouse or the keyboard of the computer.",
        "parameters": parameters,
    }
    return {"type": "function", "function": function}


def _point(words: str) -> JSONObject:
    number = {"type": "number"}
    return {"type": "array", "items": number, "minItems": 2, "maxItems": 2, "description": words}


_POINTS = {
    "coordinate": _point("Where, as [x, y]; of a drag, where it ends."),
    "start_coordinate": _point("Where a drag begins, as [x, y]."),
}
_XY = {"x": {"type": "number"}, "y": {"type": "number"}}

OWN_DIALECT = Dialect(
    "You use a computer, one action at a time: click(x, y), double_click(x, y), "
    'right_click(x, y), drag(x1, y1, x2, y2), scroll(x, y, dy), type("text"), '
    'key("Enter") or another key, with ctrl+ or shift+ before it, hover(x, y), wait(). '
    "Coordinates are {}, from the top left. A widget's ref stands for its middle: click(e3).",
    EXPECTED_ACTIONS,
    _INFEASIBLE.format("reply infeasible()"),
)
DIALECTS = MappingProxyType({
    "anthropic": _make_dialect(
        "computer",
        "action",
        (
            "left_click", "double_click", "triple_click", "right_click", "left_click_drag",
            "mouse_move", "scroll", "type", "key", "wait",
        ),
        {
            **_POINTS,
            "text": {
                "type": "string",
                "description": "What is typed, or the key: Return, ctrl+a.",
            },
            "scroll_direction": {"type": "string", "enum": ["up", "down"]},
            "scroll_amount": {"type": "integer", "description": "Notches of the wheel."},
        },
    ),
    "openai": _make_dialect(
        "computer",
        "type",
        ("click", "double_click", "drag", "move", "scroll", "type", "keypress", "wait"),
        {
            "x": {**_XY["x"], "description": "Where, across."},
            "y": {**_XY["y"], "description": "Where, down."},
            "button": {"type": "string", "enum": ["left", "right"]},
            "path": {
                "type": "array",
                "items": {"type": "object", "properties": _XY, "required": ["x", "y"]},
                "description": "The points of a drag, the first and the last at least.",
            },
            "scroll_y": {"type": "integer", "description": "Pixels; down is more than 0."},
            "text": _TEXT,
            "keys": {
                "type": "array",
                "items": {"type": "string"},
                "description": "Keys that are pressed together, such as CTRL and A.",
            },
        },
    ),
    "qwen": _make_dialect(
        "computer_use",
        "action",
        (
            "left_click", "double_click", "triple_click", "right_click", "left_click_drag",
            "mouse_move", "scroll", "type", "key", "wait",
        ),
        {
            **_POINTS,
            "text": _TEXT,
            "keys": {
                "type": "array",
                "items": {"type": "string"},
                "description": "Keys that are pressed together, such as ctrl and a.",
            },
            "pixels": {"type": "integer", "description": "Of a scroll; up is more than 0."},
        },
        "terminate",
        {"status": {"type": "string", "enum": ["failure"], "description": "Of terminate."}},
    ),
    "ui-tars": Dialect(
        "You use a computer, one action at a time. You are shown the screen after each. Write what "
        'you think after "Thought:", and then one of these actions:\n'
        "Action: click(start_box='(x,y)')\n"
        "Action: left_double(start_box='(x,y)')\n"
        "Action: right_single(start_box='(x,y)')\n"
        "Action: hover(start_box='(x,y)')\n"
        "Action: drag(start_box='(x,y)', end_box='(x,y)')\n"
        "Action: scroll(start_box='(x,y)', direction='down')\n"
        "Action: type(content='words')\n"
        "Action: hotkey(key='ctrl a')\n"
        "Action: wait()\n"
        "Coordinates are {}, from the top left.",
        "expected one of the actions of the rules, such as Action: click(start_box='(x,y)')",
        _INFEASIBLE.format("write Action: call_user()"),
    ),
})  # fmt: skip
