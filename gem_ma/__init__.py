"""Several language or vision-language models in one environment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gem_ma import envs as envs  # registers the games, and imports none of them
from gem_ma.env import BaseEnv, Env, ResetNeeded, SeatError, Snapshot
from gem_ma.episode import Agent, Episode, Reply, Step, Turn
from gem_ma.game import Game, InvalidMove, Message, Refused, State
from gem_ma.later import later
from gem_ma.registry import (
    Spec,
    UnknownArgument,
    UnknownEnv,
    list_envs,
    make,
    make_gym,
    make_parallel,
    print_envs,
    register,
    spec,
)

if TYPE_CHECKING:
    from gem_ma.context import Context
    from gem_ma.records import load_episodes, save_episodes, to_dataset
    from gem_ma.rollouts import arollout, rollout
    from gem_ma.vector import make_vec

__version__ = "0.1.0"

__getattr__ = later(
    __name__,
    {
        "Context": "context",
        "arollout": "rollouts",
        "make_vec": "vector",
        "load_episodes": "records",
        "rollout": "rollouts",
        "save_episodes": "records",
        "to_dataset": "records",
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
