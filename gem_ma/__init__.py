"""Several language or vision-language models in one environment."""

from __future__ import annotations

from gem_ma import envs as envs  # registers the games, and imports none of them
from gem_ma.env import BaseEnv, Env, ResetNeeded, SeatError, Snapshot
from gem_ma.episode import Agent, Reply, Turn
from gem_ma.game import Game, InvalidMove, Message, State
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

__version__ = "0.1.0"

__all__ = [
    "Agent",
    "BaseEnv",
    "Env",
    "Game",
    "InvalidMove",
    "Message",
    "Reply",
    "ResetNeeded",
    "SeatError",
    "Snapshot",
    "Spec",
    "State",
    "Turn",
    "UnknownArgument",
    "UnknownEnv",
    "list_envs",
    "make",
    "make_gym",
    "make_parallel",
    "print_envs",
    "register",
    "spec",
]
