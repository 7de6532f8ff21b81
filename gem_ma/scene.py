"""Scenes: pictures described, not drawn."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Terminal:
    """Text on a plain monospaced screen."""

    text: str
