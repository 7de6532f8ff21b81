"""Agents: whatever sits in a seat."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from typing import Any

from gem_ma.agents.function import FunctionAgent
from gem_ma.agents.human import HumanAgent
from gem_ma.agents.random import RandomAgent
from gem_ma.episode import Agent

__all__ = ["FunctionAgent", "HumanAgent", "RandomAgent", "load"]

_BY_NAME: dict[str, Callable[[], Agent]] = {"random": RandomAgent, "human": HumanAgent}


def load(spec: Any) -> Agent:
    """Return the agent that a spec string names; an agent stays itself, a function becomes one."""
    if isinstance(spec, str):
        if spec in _BY_NAME:
            return _BY_NAME[spec]()
        close = difflib.get_close_matches(spec, _BY_NAME, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(_BY_NAME)}"
        raise ValueError(f"no agent {spec!r}; {hint}")
    if isinstance(spec, type):
        raise TypeError(f"expected an agent, got its class: pass {spec.__name__}()")
    if isinstance(spec, Agent):
        return spec
    if callable(spec):
        return FunctionAgent(spec)
    raise TypeError(
        f"expected an agent, a function from Turn to reply or a spec string, got {spec!r}"
    )
