"""Agents that play seats. Each has a file of its own, imported when its name is first used.

An agent keeps no state: it takes Turns and returns replies. Agents import `chat`,
`engine.action_parsing` and `validation`. They import no environment and no game: all that they know
of these is in the Turn.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from gem_ma.agents.function import FunctionAgent
from gem_ma.agents.loading import AGENT_SPECS, assign_agents, load_agent, load_seat_agents
from gem_ma.agents.providers import PROVIDERS
from gem_ma.agents.random import RandomAgent
from gem_ma.validation.entry_points import load_entry_point as load_entry

if TYPE_CHECKING:
    from gem_ma.agents.hf import HFAgent
    from gem_ma.agents.human import HumanAgent
    from gem_ma.agents.mixture import MixtureAgent
    from gem_ma.agents.programs.program import ProgramAgent
    from gem_ma.agents.providers.anthropic import AnthropicAgent as AnthropicAgent
    from gem_ma.agents.providers.google import GeminiAgent as GeminiAgent
    from gem_ma.agents.providers.openai import OpenAIAgent as OpenAIAgent
    from gem_ma.agents.providers.openai_responses import (
        OpenAIResponsesAgent as OpenAIResponsesAgent,
    )
    from gem_ma.agents.ray import RayAgent
    from gem_ma.agents.scripted import ScriptedAgent
    from gem_ma.agents.search import SearchAgent
    from gem_ma.agents.wrappers.cost_meter import CostMeter
    from gem_ma.agents.wrappers.prompting import ActAgent, FewShotAgent, ReactAgent

__all__ = [
    "AGENT_SPECS",
    "ActAgent",
    "CostMeter",
    "FewShotAgent",
    "FunctionAgent",
    "HFAgent",
    "HumanAgent",
    "MixtureAgent",
    "ProgramAgent",
    "RandomAgent",
    "RayAgent",
    "ReactAgent",
    "ScriptedAgent",
    "SearchAgent",
    "assign_agents",
    "load_agent",
    "load_seat_agents",
]
__all__ += [name for _, name in PROVIDERS.values()]

_FILES = {  # files of the agents whose file name differs from the class name
    "ActAgent": "wrappers.prompting",
    "CostMeter": "wrappers.cost_meter",
    "FewShotAgent": "wrappers.prompting",
    "ProgramAgent": "programs.program",
    "ReactAgent": "wrappers.prompting",
    **{name: f"providers.{file}" for file, name in PROVIDERS.values()},
}


def __getattr__(name: str) -> Any:
    """Import the file of an agent when its name is first used, since some imports are slow."""
    if name not in __all__:
        if name[:1].isupper():  # may be an agent of a pack
            for entry in AGENT_SPECS.known.values():
                if isinstance(entry.maker, str) and entry.maker.endswith(f":{name}"):
                    return load_entry(entry.maker)
        raise AttributeError(f"gem_ma.agents has no {name!r}; it has {', '.join(__all__)}")
    file = _FILES.get(name) or name.removesuffix("Agent").lower()
    return getattr(importlib.import_module(f"gem_ma.agents.{file}"), name)
