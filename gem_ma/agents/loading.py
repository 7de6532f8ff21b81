"""Agents from spec strings: "random", "hf:PATH", "openai:MODEL@URL", "FILE.py:NAME"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from typing import Any

from gem_ma.agents.function import FunctionAgent
from gem_ma.agents.providers import MODEL_NAMES, PROVIDERS
from gem_ma.chat.agent import Agent, AgentSource, check_agent_seat
from gem_ma.packs import PackTable, SpecEntry
from gem_ma.validation.arguments import check_type
from gem_ma.validation.endpoints import redact_secrets
from gem_ma.validation.spec_strings import (
    SpecFactory,
    SpecParser,
    parse_seat_specs,
    takes_one_argument,
)

_HUB_NAME = re.compile(r"\A~?/?[\w.-]+/[\w./-]+\Z")


def load_agent(spec: AgentSource) -> Agent:
    """Return the agent that a spec string names, a function wrapped as an agent, or an agent as is.

    A spec string is a name, an argument and options: "random", "search:depth=4",
    "hf:PATH?temperature=0&max_new_tokens=64", "openai:MODEL@http://127.0.0.1:8000/v1?retries=2".
    Options follow a question mark if there is an argument, and else a colon; & joins them. They are
    the arguments of the agent's class.

    "FILE.py:NAME" and "module:NAME" name code of your own, which is run. NAME is an agent, a
    function of a Turn, or a class of agents whose arguments are the options.

    Examples:
        >>> import gem_ma
        >>> from gem_ma.agents import load_agent
        >>> agent = load_agent("search:depth=2")
        >>> env = gem_ma.make("game:TicTacToe-v0")
        >>> env.reset(seed=0)
        >>> for move in ("0", "3", "1", "4"):
        ...     env.step(move)
        >>> agent.act([env.turn("x")])  # completes the row 0, 1, 2
        ['2']
    """
    if isinstance(spec, str):
        agent: Agent = AGENT_SPECS.make(spec)
        return agent
    if isinstance(spec, type):
        raise TypeError(f"expected an agent, got its class: pass {spec.__name__}()")
    if isinstance(spec, Agent):
        return spec
    if callable(spec):
        return FunctionAgent(spec)
    raise TypeError(
        f"expected an agent, a function from Turn to reply or a spec string, got {spec!r}"
    )


def load_seat_agents(specs: str | Sequence[str], seats: Sequence[str]) -> list[Agent]:
    """Return the agents of some seats, in order, from specs as `assign_agents` takes them."""
    names = assign_agents(specs, seats)
    agents = {name: load_agent(name) for name in names.values()}
    return [
        check_agent_seat(agents[names[seat]], seat, redact_secrets(names[seat])) for seat in seats
    ]


def assign_agents(specs: str | Sequence[str], seats: Sequence[str]) -> dict[str, str]:
    """Return the spec string of each seat.

    Args:
        specs: One spec string for all seats, or several separated by commas, one per seat.
            "SEAT=SPEC" is for that seat. Spec strings without a seat are for the other seats; the
            default for these is "random". May be a list of such texts.
    """
    check_type(specs, str | Sequence, "specs", "str")
    named: dict[str, str] = {}
    rest: list[str] = []
    for seat, spec in parse_seat_specs(specs, seats):
        if seat in named:
            raise ValueError(f"got two agents for {seat}; expected one")
        if seat:
            named[seat] = spec
        else:
            rest.append(spec)
    free = [seat for seat in seats if seat not in named]
    rest = rest or ["random"] * bool(named)
    if len(rest) == 1:
        rest *= len(free)
    if len(rest) != len(free):
        raise ValueError(
            f"got {len(rest)} agents for {', '.join(free) or 'no free seat'}; expected one for "
            "each, or one for all"
        )
    return named | dict(zip(free, rest, strict=True))


def _split_model_url(text: str) -> list[str]:
    """Return the model and, if the text has one, the URL."""
    model, at, url = text.partition("@")
    if at and "://" not in url:
        raise ValueError("expected a URL such as http://127.0.0.1:8000/v1")
    return [model, url] if at else [model]


def _find_agent_factory(found: Any) -> SpecFactory | None:
    """Return what makes an agent from a value in user code, or None."""
    if isinstance(found, type):
        return found if callable(getattr(found, "act", None)) else None
    if isinstance(found, Agent):
        return lambda: found
    return partial(FunctionAgent, found) if takes_one_argument(found) else None


AGENT_SPECS = SpecParser(
    "agent",
    "an agent, a class of agents or a function of a Turn",
    PackTable(
        "agents",
        {
            "random": SpecEntry("gem_ma.agents.random:RandomAgent"),
            "human": SpecEntry("gem_ma.agents.human:HumanAgent"),
            "search": SpecEntry("gem_ma.agents.search:SearchAgent"),
            "hf": SpecEntry("gem_ma.agents.hf:HFAgent", "PATH", like=_HUB_NAME),
            **{
                spec: SpecEntry(
                    f"gem_ma.agents.providers.{file}:{name}",
                    "MODEL@URL",
                    _split_model_url,
                    like=MODEL_NAMES.get(spec),
                )
                for spec, (file, name) in PROVIDERS.items()
            },
            "act": SpecEntry("gem_ma.agents.wrappers.prompting:ActAgent", "SPEC", spec=True),
            "react": SpecEntry("gem_ma.agents.wrappers.prompting:ReactAgent", "SPEC", spec=True),
            "few-shot": SpecEntry(
                "gem_ma.agents.wrappers.prompting:FewShotAgent", "SPEC", spec=True
            ),
            "program": SpecEntry("gem_ma.agents.programs.program:ProgramAgent", "COMMAND"),
        },
        SpecEntry,
    ),
    _find_agent_factory,
)
"""The parser of agents' spec strings. `str(AGENT_SPECS)` lists their forms, also those of packs."""
