"""Calling a tool by name, with arguments that a model wrote."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from gem_ma.envs.tau.store import Desk

Tool = Callable[..., str]  # (desk, **arguments) -> what its caller reads


class ToolError(Exception):
    """What a tool refuses to do; the message follows "Error: " in its answer."""


def call(tools: Mapping[str, Tool], domain: str, desk: Desk, name: Any, arguments: Any) -> str:
    """Return a tool's answer; whatever goes wrong is an answer that begins with "Error: ".

    What the tool changed on the desk before it failed stays changed, as in the original.
    """
    tool = tools.get(name) if isinstance(name, str) else None
    if tool is None:
        return f"Error: unknown tool {name!r}; there are {', '.join(tools)}"
    if not isinstance(arguments, Mapping):
        return f"Error: the arguments of {name} are an object, and not {arguments!r:.100}"
    try:
        _bind(tool, domain, name, arguments)
        return tool(desk, **arguments)
    except RecursionError:
        return "Error: nested too deeply"
    except Exception as error:  # noqa: BLE001 - any type of argument may come, as in the original
        return f"Error: {error}"


def _bind(tool: Tool, domain: str, name: str, arguments: Mapping[str, Any]) -> None:
    """Refuse arguments that do not fit, in the words of the original's Python."""
    kind = "".join(part.capitalize() for part in name.split("_"))
    takes = list(inspect.signature(tool).parameters)[1:]
    if "data" in arguments:
        raise TypeError(
            f"tau_bench.envs.{domain}.tools.{name}.{kind}.invoke() got multiple values for "
            "keyword argument 'data'"
        )
    for key in arguments:
        if key not in takes:
            raise TypeError(f"{kind}.invoke() got an unexpected keyword argument {str(key)!r}")
    missing = [repr(key) for key in takes if key not in arguments]
    if missing:
        words = missing[0]
        if len(missing) == 2:
            words = " and ".join(missing)
        elif len(missing) > 2:
            words = f"{', '.join(missing[:-1])}, and {missing[-1]}"
        plural = "s" if len(missing) > 1 else ""
        raise TypeError(
            f"{kind}.invoke() missing {len(missing)} required positional argument{plural}: {words}"
        )
