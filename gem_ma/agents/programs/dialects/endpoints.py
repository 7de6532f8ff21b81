"""The endpoints of dialects."""

from __future__ import annotations

from gem_ma.agents.programs.dialects.anthropic import AnthropicDialect
from gem_ma.agents.programs.dialects.dialect import Dialect
from gem_ma.agents.programs.dialects.google import GoogleDialect

DIALECT_ENDPOINTS = (
    "messages",
    "models/MODEL:generateContent",
    "models/MODEL:streamGenerateContent",
)


def find_dialect(endpoint: str) -> type[Dialect] | None:
    """Return the dialect of an endpoint, or None for OpenAI's."""
    if endpoint == "messages":
        return AnthropicDialect
    name, _, method = endpoint.rpartition(":")
    is_google = method in ("generateContent", "streamGenerateContent")
    return GoogleDialect if is_google and name.startswith("models/") else None
