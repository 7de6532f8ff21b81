"""Agents: whatever sits in a seat; one file for each, loaded when its name is asked for.

An agent is stateless, one Turn in and one reply out. Agents import `talk`, the reading of actions
in `match` and `guards`; never an environment or a game, which they know by what a Turn holds.
"""

from __future__ import annotations

import difflib
import importlib
import inspect
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gem_ma.agents.function import FunctionAgent
from gem_ma.agents.random import RandomAgent
from gem_ma.guards.given import each, need
from gem_ma.guards.remote import without_secrets
from gem_ma.talk.asking import Agent

if TYPE_CHECKING:
    from gem_ma.agents.hf import HFAgent
    from gem_ma.agents.human import HumanAgent
    from gem_ma.agents.llm_user import LLMUser
    from gem_ma.agents.mixture import MixtureAgent
    from gem_ma.agents.openai import OpenAIAgent
    from gem_ma.agents.ray import RayAgent
    from gem_ma.agents.scripted import ScriptedAgent
    from gem_ma.agents.search import SearchAgent
    from gem_ma.agents.tau import InformedAssistant, OracleAssistant, RuleUser

__all__ = [
    "FunctionAgent",
    "HFAgent",
    "HumanAgent",
    "InformedAssistant",
    "LLMUser",
    "MixtureAgent",
    "OpenAIAgent",
    "OracleAssistant",
    "RandomAgent",
    "RayAgent",
    "RuleUser",
    "ScriptedAgent",
    "SearchAgent",
    "load",
    "load_all",
    "seated",
]

_BY_NAME = {  # what a spec string begins with -> a class, and its first argument in the spec
    "random": ("RandomAgent", ""),
    "human": ("HumanAgent", ""),
    "search": ("SearchAgent", ""),
    "hf": ("HFAgent", "PATH"),
    "openai": ("OpenAIAgent", "MODEL@URL"),
    "rule-user": ("RuleUser", ""),
    "llm-user": ("LLMUser", "SPEC"),
    "oracle-assistant": ("OracleAssistant", ""),
    "informed-assistant": ("InformedAssistant", ""),
}
_FILES = {  # of those whose file is not called as they are
    "InformedAssistant": "tau",
    "LLMUser": "llm_user",
    "OracleAssistant": "tau",
    "RuleUser": "tau",
}
SPECS = "random, human, search:depth=4, hf:PATH, openai:MODEL@http://127.0.0.1:8000/v1"


def __getattr__(name: str) -> Any:
    """Import an agent's file when it is first asked for: some take long."""
    if name not in __all__:
        raise AttributeError(f"gem_ma.agents has no {name!r}; it has {', '.join(__all__)}")
    file = _FILES.get(name) or name.removesuffix("Agent").lower()
    return getattr(importlib.import_module(f"gem_ma.agents.{file}"), name)


def load(spec: Any) -> Agent:
    """Return the agent that a spec string names; an agent stays itself, a function becomes one.

    A spec is a name, what it stands for, and options: "random", "search:depth=4",
    "hf:PATH?temperature=0&max_new_tokens=64", "openai:MODEL@http://127.0.0.1:8000/v1?retries=2".
    """
    if isinstance(spec, str):
        return _named(spec)
    if isinstance(spec, type):
        raise TypeError(f"expected an agent, got its class: pass {spec.__name__}()")
    if isinstance(spec, Agent):
        return spec
    if callable(spec):
        return FunctionAgent(spec)
    raise TypeError(
        f"expected an agent, a function from Turn to reply or a spec string, got {spec!r}"
    )


def load_all(specs: str | Sequence[str], seats: Sequence[str]) -> list[Agent]:
    """Return the agents of some seats, in order, as `seated` reads who they are."""
    names = seated(specs, seats)
    agents = {name: load(name) for name in names.values()}
    return [agents[names[seat]] for seat in seats]


def seated(specs: str | Sequence[str], seats: Sequence[str]) -> dict[str, str]:
    """Return which spec string is for which seat.

    specs: one for all seats, or one for each with commas between; with SEAT= before it, one is for
        that seat, and what has none is for the others, "random" if nothing is said. May be several
        such texts.
    """
    need(specs, str | Sequence, "specs", "str")
    texts = [specs] if isinstance(specs, str) else list(each(specs, str, "specs"))
    named: dict[str, str] = {}
    rest: list[str] = []
    for one in (part for text in texts for part in text.split(",")):
        seat, equals, spec = one.partition("=")
        if not equals or not (seat in seats or seat.isidentifier()):
            rest.append(one)
            continue
        if seat not in seats:
            raise ValueError(f"no seat {seat!r}; the seats are {', '.join(seats)}")
        if seat in named:
            raise ValueError(f"two agents for {seat}")
        named[seat] = spec
    free = [seat for seat in seats if seat not in named]
    rest = rest or ["random"] * bool(named)
    if len(rest) == 1:
        rest *= len(free)
    if len(rest) != len(free):
        raise ValueError(f"got {len(rest)} agents, but there are {len(free)}: {', '.join(free)}")
    return named | dict(zip(free, rest, strict=True))


def _named(spec: str) -> Agent:
    name, _, rest = spec.partition(":")
    shown = without_secrets(spec)
    if name not in _BY_NAME:
        close = difflib.get_close_matches(name, _BY_NAME, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"there are {SPECS}"
        raise ValueError(f"no agent {shown!r}; {hint}")
    kind, first = _BY_NAME[name]
    main, _, options = rest.partition("?") if first else ("", "", rest)
    if first and not main:
        raise ValueError(f"agent {shown!r}: expected {name}:{first}")
    given: list[Any] = [main] if first else []
    if name == "openai" and "@" in main:
        model, _, url = main.partition("@")
        if "://" not in url:
            raise ValueError(f"agent {shown!r}: expected a URL such as http://127.0.0.1:8000/v1")
        given = [model, url]
    cls = __getattr__(kind)
    takes = list(inspect.signature(cls).parameters)
    named = {}
    for option in filter(None, options.split("&")):
        key, _, value = option.partition("=")
        if key not in takes[len(given) :] or not value:
            got = "" if "@" in key else f", got {key!r}"  # a password may have a ? in it
            raise ValueError(
                f"agent {shown!r}: expected options such as a=1&b=2 out of "
                f"{', '.join(takes[len(given) :]) or 'none'}{got}"
            )
        named[key] = _value(value)
    try:
        agent: Agent = cls(*given, **named)
    except (TypeError, ValueError) as error:  # such as depth=x
        raise ValueError(f"agent {shown!r}: {error}") from None
    return agent


def _value(text: str) -> Any:
    """Return the number, truth value or text that an option says."""
    if text in ("true", "false"):
        return text == "true"
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            continue
    return text
