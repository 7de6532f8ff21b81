"""Calls of tools by name, with arguments that a model wrote."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping

from gem_ma.envs.tau.store import Desk
from gem_ma.validation.json_types import JSONMapping

Tool = Callable[..., str]  # (desk, **arguments) -> answer
_DEPTH = 50  # levels of nested arguments; no tool needs more than three
_BITS = 4096  # of whole numbers, because answers may print them


class ToolError(Exception):
    """A refusal by a tool; its message follows "Error: " in the answer."""


def call(
    tools: Mapping[str, Tool], domain: str, desk: Desk, name: object, arguments: object
) -> str:
    """Return a tool's answer; any failure becomes an answer that begins with "Error: ".

    Changes that the tool made before it failed are kept, as in the original.
    """
    tool = tools.get(name) if isinstance(name, str) else None
    if not isinstance(name, str) or tool is None:
        label = repr(name)[:60] if isinstance(name, str) else f"a {type(name).__name__}"
        return f"Error: unknown tool {label}; there are {', '.join(tools)}"
    if not isinstance(arguments, Mapping):
        return f"Error: the arguments of {name} are an object, and not a {type(arguments).__name__}"
    if not sane(arguments):
        return f"Error: the arguments of {name} are nested too deeply, or a number is too large"
    try:
        _bind(tool, domain, name, arguments)
        return tool(desk, **arguments)
    except Exception as error:  # noqa: BLE001 - any type of argument may come, as in the original
        return f"Error: {error}"


def sane(value: object, depth: int = _DEPTH) -> bool:
    """Return whether a value has at most `depth` levels, and no whole number above `_BITS` bits."""
    if isinstance(value, dict | list):
        inner = value.values() if isinstance(value, dict) else value
        return depth > 0 and all(sane(one, depth - 1) for one in inner)
    return not isinstance(value, int) or value.bit_length() <= _BITS


@functools.cache
def _takes(tool: Tool) -> tuple[str, ...]:
    return tuple(inspect.signature(tool).parameters)[1:]


def _bind(tool: Tool, domain: str, name: str, arguments: JSONMapping) -> None:
    """Raise TypeError with the original's message if the arguments do not fit the tool."""
    takes = _takes(tool)
    if len(arguments) == len(takes) and all(key in arguments for key in takes):
        return
    kind = "".join(part.capitalize() for part in name.split("_"))
    if "data" in arguments:
        raise TypeError(
            f"tau_bench.envs.{domain}.tools.{name}.{kind}.invoke() got multiple values for "
            "keyword argument 'data'"
        )
    for key in arguments:
        if key not in takes:
            raise TypeError(f"{kind}.invoke() got an unexpected keyword argument '{key}'")
    missing = [repr(key) for key in takes if key not in arguments]
    words = missing[0]
    if len(missing) == 2:
        words = " and ".join(missing)
    elif len(missing) > 2:
        words = f"{', '.join(missing[:-1])}, and {missing[-1]}"
    plural = "s" if len(missing) > 1 else ""
    raise TypeError(
        f"{kind}.invoke() missing {len(missing)} required positional argument{plural}: {words}"
    )
