"""A function becomes a tool: its schema, the check of arguments, what the seat reads."""

import asyncio
import copy
import enum
import pickle
import threading
from typing import Any, Literal, Optional

import pytest

from gem_ma.tools import Tool, ToolError
from gem_ma.tools.function import function_tool
from gem_ma.tools.loading import load_tools


class Unit(enum.Enum):
    CELSIUS = "c"
    FAHRENHEIT = "f"


class Side(enum.Enum):
    LEFT = -1.5
    RIGHT = 1.5


@function_tool
def weather(
    city: str,
    days: int = 1,
    unit: Unit = Unit.CELSIUS,
    parts: list[Literal["rain", "wind"]] | None = None,
) -> dict:
    """Forecast the weather.

    Works for every city.

    Args:
        city (str): where; a name
            as on the map
        days: how many

    Returns:
        city: the forecast.
    """
    return {"city": city, "days": days, "unit": unit.name, "parts": parts}


@function_tool(name="add", blocking=True)
async def plus(a: float, b: float):
    """Add two numbers.

    a: the first. b: is told here too
    b: the second
    """
    await asyncio.sleep(0)
    return a + b


def test_a_schema_in_openais_form_comes_from_signature_and_docstring():
    assert isinstance(weather, Tool)
    assert weather.schema == {
        "type": "function",
        "function": {
            "name": "weather",
            "description": "Forecast the weather.\n\nWorks for every city.",
            "parameters": {
                "type": "object",
                "properties": {
                    "city": {"type": "string", "description": "where; a name as on the map"},
                    "days": {"type": "integer", "default": 1, "description": "how many"},
                    "unit": {"enum": ["c", "f"], "default": "c"},
                    "parts": {
                        "anyOf": [
                            {"type": "array", "items": {"enum": ["rain", "wind"]}},
                            {"type": "null"},
                        ],
                        "default": None,
                    },
                },
                "required": ["city"],
                "additionalProperties": False,
            },
        },
    }
    told = plus.schema["function"]
    assert told["name"] == plus.name == "add"
    assert told["parameters"]["properties"]["b"] == {"type": "number", "description": "the second"}
    assert (plus.blocking, weather.blocking) == (True, False)


def test_what_a_function_returns_becomes_text():
    assert weather.call({"city": "Köln", "unit": "f", "parts": ["rain"]}, ()) == (
        '{"city": "Köln", "days": 1, "unit": "FAHRENHEIT", "parts": ["rain"]}'
    )

    def give(value: Any) -> Any:
        """Return what was given."""
        return value

    assert function_tool(give).call({"value": "as is"}, ()) == "as is"
    assert function_tool(give).call({"value": None}, ()) == "null"
    assert weather("Rome")["city"] == "Rome"


def test_a_coroutine_runs_to_its_end_inside_a_running_loop_too():
    assert plus.call({"a": 1, "b": "2.5"}, ()) == "3.5"

    async def main():
        return plus.call({"a": 1, "b": 1}, ())

    assert asyncio.run(main()) == "2.0"


@pytest.mark.parametrize(
    ("type_", "given", "read"),
    [
        (int, 3, 3),
        (int, " -3 ", -3),
        (int, 3.0, 3),
        (int, 10**400, 10**400),
        (float, 3, 3.0),
        (float, "1e3", 1000.0),
        (str, "3", "3"),
        (int | str, "3", "3"),
        (Optional[int], "3", 3),  # noqa: UP045 - the old spelling has another origin
        (int | None, None, None),
        (float | int, 3, 3),
        (list[int], ["1", 2], [1, 2]),
        (dict[str, list[float]], {"x": [1]}, {"x": [1.0]}),
        (dict, {"x": []}, {"x": []}),
        (Literal[1, "1"], "1", "1"),
        (Side, "LEFT", Side.LEFT),
        (Any, [None], [None]),
    ],
)
def test_values_that_are_of_the_type(type_, given, read):
    got = []

    def f(x):
        """Keep it."""
        got.append(x)

    f.__annotations__["x"] = type_
    function_tool(f).call({"x": given}, ())
    assert got == [read]
    assert type(got[0]) is type(read)


@pytest.mark.parametrize(
    ("type_", "given", "wanted"),
    [
        (int, True, "got true; expected an integer"),
        (int, "3.0", 'got "3.0"; expected an integer'),
        (int, "1_000", "expected an integer"),
        (int, "\u0663", "expected an integer"),
        (int, 3.5, "got 3.5; expected an integer"),
        (int, "9" * 5000, "expected an integer"),
        (float, "nan", "expected a number"),
        (float, float("inf"), "expected a number"),
        (float, "1e999", "expected a number"),
        (float, 10**400, "expected a number"),
        (str, 3, "got 3; expected a string"),
        (bool, "true", "expected true or false"),
        (bool, 1, "expected true or false"),
        (list[int], "[1]", "expected an array, each item an integer"),
        (list[int], [1, "x"], "expected an array, each item an integer"),
        (dict[str, int], {"a": None}, "expected an object, each value an integer"),
        (Literal["a", 1], True, 'got true; expected one of "a", 1'),
        (Unit, "CELSIUS", 'expected one of "c", "f"'),
        (Side, -1.5, 'expected one of "LEFT", "RIGHT"'),
        (int | None, "", "expected an integer or null"),
    ],
)
def test_values_that_are_not(type_, given, wanted):
    def f(x):
        """Do nothing."""
        raise AssertionError("called")

    f.__annotations__["x"] = type_
    with pytest.raises(ToolError) as error:
        function_tool(f).call({"x": given}, ())
    assert wanted in str(error.value)
    assert len(str(error.value)) < 200


def test_every_wrong_argument_is_named_at_once():
    with pytest.raises(ToolError) as error:
        weather.call({"town": "Rome", "days": "two"}, ())
    assert str(error.value).splitlines() == [
        "unknown argument 'town'; known: city, days, unit, parts",
        "argument 'city' is missing; expected a string",
        "argument 'days': got \"two\"; expected an integer",
    ]
    with pytest.raises(ToolError, match="expected an object"):
        weather.call(["Rome"], ())


def test_value_errors_are_the_seats_and_others_are_ours():
    def f(kind: str):
        """Raise an error of a kind."""
        raise {"value": ValueError("no such day"), "key": KeyError("x"), "tool": ToolError("t")}[
            kind
        ]

    tool = function_tool(f)
    with pytest.raises(ToolError, match="no such day"):
        tool.call({"kind": "value"}, ())
    with pytest.raises(ToolError, match="t"):
        tool.call({"kind": "tool"}, ())
    with pytest.raises(KeyError):
        tool.call({"kind": "key"}, ())

    def g():
        """Return what JSON has no word for."""
        return {1}

    with pytest.raises(TypeError, match="set is not JSON serializable"):
        function_tool(g).call({}, ())


def test_functions_that_have_no_schema_are_refused_when_they_are_wrapped():
    def many(*words: str): ...

    def odd(x: set[int]): ...

    def keys(x: dict[int, str]): ...

    def default(x: Any = object()): ...  # noqa: B008 - a default that JSON cannot tell

    for function, message in [
        (many, r"\*words.*passed by name"),
        (odd, "argument 'x': set.*expected str, int"),
        (keys, "must have keys of type str"),
        (default, "defaults must be JSON values"),
    ]:
        with pytest.raises(TypeError, match=message):
            function_tool(function)


@pytest.mark.parametrize("make", [function_tool, load_tools])
def test_a_function_that_does_not_say_what_it_does_is_refused(make):
    def bare(x: int) -> int:
        return x

    def arguments_only(x: int) -> int:
        return x

    def blank(x: int) -> int:
        return x

    arguments_only.__doc__, blank.__doc__ = "Args:\n    x: what is returned.\n", " "
    for function in (bare, arguments_only, blank, lambda: 1):
        with pytest.raises(TypeError, match="no docstring that says what it does") as error:
            make(function)
        assert str(error.value).startswith(function.__name__)


def test_tools_are_pickled_copied_and_called_from_threads():
    named = function_tool(pure, name="other", blocking=True)
    again = pickle.loads(pickle.dumps([weather, named]))
    assert again[0] is weather
    assert copy.deepcopy(weather) is weather
    assert (again[1].name, again[1].blocking) == ("other", True)
    assert again[1].schema == named.schema
    results = []
    threads = [
        threading.Thread(target=lambda i=i: results.append(plus.call({"a": i, "b": 0}, ())))
        for i in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == [f"{i}.0" for i in range(8)]


def pure(x: int = 0) -> int:
    """Return it."""
    return x


def test_a_method_is_a_tool_of_its_object():
    class Counter:
        count = 0

        def increase(self, by: int = 1) -> int:
            """Count on."""
            self.count += by
            return self.count

    counter = Counter()
    tool = function_tool(counter.increase)
    assert list(tool.schema["function"]["parameters"]["properties"]) == ["by"]
    assert (tool.call({"by": 2}, ()), tool.call({}, ()), counter.count) == ("2", "3", 3)
