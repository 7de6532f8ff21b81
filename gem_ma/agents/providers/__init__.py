"""Agents behind the HTTP API of a model, one file for each provider, over one base.

The base holds what all of them need (retries, limits, secrets, costs); a provider's file holds the
form of its requests and answers. CONTRIBUTING.md says how one is added.
"""

from __future__ import annotations

import re

PROVIDERS = {  # what a spec string begins with: the file here, and the class in it
    "openai": ("openai", "OpenAIAgent"),
    "openai-responses": ("openai_responses", "OpenAIResponsesAgent"),
    "anthropic": ("anthropic", "AnthropicAgent"),
    "google": ("google", "GeminiAgent"),
}
MODEL_NAMES = {  # how names of models begin that one of them serves, for who forgets the provider
    "openai": re.compile(r"gpt-|chatgpt-|o\d(-|$)"),
    "anthropic": re.compile("claude-"),
    "google": re.compile("gemini-"),
}
