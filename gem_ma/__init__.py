"""Several language or vision-language models in one environment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gem_ma import envs as envs  # registers the games, and imports none of them
from gem_ma.apis.env import BaseEnv, Env, ResetNeeded, SeatError, Snapshot
from gem_ma.apis.making import make, make_gym, make_parallel
from gem_ma.envs.registry import (
    Spec,
    UnknownArgument,
    UnknownEnv,
    list_envs,
    print_envs,
    register,
    spec,
)
from gem_ma.game import Game, InvalidMove, Message, Refused, State
from gem_ma.guards.later import later
from gem_ma.rollouts.episode import Episode
from gem_ma.talk.episode import Agent, Reply, Step, Turn

if TYPE_CHECKING:
    from gem_ma.apis.vector import make_vec
    from gem_ma.rollouts.records import load_episodes, save_episodes, to_dataset
    from gem_ma.rollouts.run import arollout, rollout
    from gem_ma.talk.context import Context

__version__ = "0.1.0"

__getattr__ = later(
    __name__,
    {
        "Context": "talk.context",
        "arollout": "rollouts.run",
        "make_vec": "apis.vector",
        "load_episodes": "rollouts.records",
        "rollout": "rollouts.run",
        "save_episodes": "rollouts.records",
        "to_dataset": "rollouts.records",
    },
)

__all__ = [
    "Agent",
    "BaseEnv",
    "Context",
    "Env",
    "Episode",
    "Game",
    "InvalidMove",
    "Message",
    "Refused",
    "Reply",
    "ResetNeeded",
    "SeatError",
    "Snapshot",
    "Spec",
    "State",
    "Step",
    "Turn",
    "UnknownArgument",
    "UnknownEnv",
    "arollout",
    "list_envs",
    "load_episodes",
    "make",
    "make_gym",
    "make_parallel",
    "make_vec",
    "print_envs",
    "register",
    "rollout",
    "save_episodes",
    "spec",
    "to_dataset",
]
