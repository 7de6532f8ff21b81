"""Conversion of tools and tool calls between OpenAI's form, which gem_ma uses, and others."""

from __future__ import annotations

import json

from gem_ma.validation.json_types import JSONMapping, JSONObject


def flatten_tool(tool: JSONMapping, schema: str = "parameters") -> JSONObject:
    """Return a tool in OpenAI's form as one object with name, description and schema.

    Args:
        tool: A tool schema as `make_tool_schemas` returns it.
        schema: The key of the arguments' schema in the result.
    """
    function = tool["function"]
    parameters = function.get("parameters") or {"type": "object", "properties": {}}
    described = {name: function[name] for name in ("name", "description") if name in function}
    return {**described, schema: parameters}


def make_tool_call(
    call_id: object, name: object, arguments: object, thought_signature: str | None = None
) -> JSONObject:
    """Return a tool call in OpenAI's form, as a Reply holds it.

    Args:
        call_id: The id that the call's result refers to, or None.
        name: The tool's name.
        arguments: The arguments, decoded or as JSON text; None: no arguments.
        thought_signature: Google's signature of a thought. It is put where Google's
            OpenAI-compatible servers put it.
    """
    text = arguments if isinstance(arguments, str) else json.dumps(arguments or {})
    function = {"name": str(name or ""), "arguments": text}
    call: JSONObject = {"id": str(call_id or ""), "type": "function", "function": function}
    if thought_signature:
        call["extra_content"] = {"google": {"thought_signature": thought_signature}}
    return call
