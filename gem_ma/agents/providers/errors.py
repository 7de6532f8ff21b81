"""What can go wrong between an agent and the server of its model."""

from __future__ import annotations


class ServerError(RuntimeError):
    """A server gave no usable reply, however often it was asked."""


class RequestCap(RuntimeError):
    """The agent has made as many requests, or used as many tokens, as it may."""


class BadAnswer(ValueError):
    """A server answered with something that is no reply."""
