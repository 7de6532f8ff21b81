"""Tools and their calls between OpenAI's form, in which they are passed around, and others."""

from __future__ import annotations

import json

from gem_ma.validation.json_types import JSONMapping, JSONObject


def flatten_tool(tool: JSONMapping, schema: str = "parameters") -> JSONObject:
    """Return a tool in OpenAI's form as name, description and schema beside each other.

    Args:
        tool: What `make_tool_schemas` gives.
        schema: How the schema of the arguments is called there.
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
        call_id: What its result names, or None.
        name: Of the tool.
        arguments: Decoded, or a text of JSON; None for none.
        thought_signature: Google's; it stands where their OpenAI-compatible servers have it.
    """
    text = arguments if isinstance(arguments, str) else json.dumps(arguments or {})
    function = {"name": str(name or ""), "arguments": text}
    call: JSONObject = {"id": str(call_id or ""), "type": "function", "function": function}
    if thought_signature:
        call["extra_content"] = {"google": {"thought_signature": thought_signature}}
    return call
