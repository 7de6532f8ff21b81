"""Errors between an agent and the server of its model."""

from __future__ import annotations


class ServerError(RuntimeError):
    """Raised if a server gave no usable reply after all retries."""


class RequestCap(RuntimeError):
    """Raised if the agent has reached its limit of requests or tokens."""


class BadAnswer(ValueError):
    """Raised if the answer of a server is no valid reply."""
