"""JSON: what an object of JSON is for a type checker. Its values have any type."""

from collections.abc import Mapping
from typing import Any, TypeAlias

JSONObject: TypeAlias = dict[str, Any]
JSONMapping: TypeAlias = Mapping[str, Any]
"""A JSON object that is only read."""
