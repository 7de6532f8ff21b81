"""Agents for models behind HTTP APIs: one file for each provider, and a common base class.

The base class does what all providers need (retries, limits, secrets, costs). A provider's file
defines its requests and answers. CONTRIBUTING.md says how to add a provider.
"""

from __future__ import annotations

import re

PROVIDERS = {  # from the name in a spec string to the file here and the class in it
    "openai": ("openai", "OpenAIAgent"),
    "openai-responses": ("openai_responses", "OpenAIResponsesAgent"),
    "anthropic": ("anthropic", "AnthropicAgent"),
    "google": ("google", "GeminiAgent"),
}
MODEL_NAMES = {  # patterns of model names, to suggest a provider if a spec has none
    "openai": re.compile(r"gpt-|chatgpt-|o\d(-|$)"),
    "anthropic": re.compile("claude-"),
    "google": re.compile("gemini-"),
}
