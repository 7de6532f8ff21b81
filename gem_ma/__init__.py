"""Environments in which several language or vision-language models act."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gem_ma import envs as envs  # registers the games without importing them
from gem_ma.apis.aec import AECEnv
from gem_ma.apis.base_env import BaseEnv, Snapshot
from gem_ma.apis.env import Env
from gem_ma.apis.factory import make, make_gym, make_parallel
from gem_ma.chat.agent import Agent
from gem_ma.chat.conversation import Step
from gem_ma.chat.reply import Reply
from gem_ma.chat.turn import Turn
from gem_ma.engine.config import EnvConfig
from gem_ma.engine.match import ResetNeeded, SeatError
from gem_ma.envs.registry import (
    Spec,
    UnknownArgument,
    UnknownEnv,
    list_envs,
    print_envs,
    register,
    spec,
)
from gem_ma.game import Game, InvalidMove, Message, RefusedMove, State
from gem_ma.packs import Pack as Pack
from gem_ma.packs import list_packs, load_own_packs
from gem_ma.rollouts.episode import Episode
from gem_ma.rollouts.version import __version__ as __version__
from gem_ma.validation.entry_points import load_entry_point
from gem_ma.validation.lazy_imports import lazy_getattr

if TYPE_CHECKING:
    from gem_ma.apis.async_seats import AsyncSeat, SeatOutcome
    from gem_ma.apis.gymnasium_view import GymnasiumView
    from gem_ma.apis.parallel_view import ParallelView
    from gem_ma.apis.vector.factory import make_vec
    from gem_ma.apis.vector.game_vector import GameVector, TurnBatch
    from gem_ma.apis.vector.seat_vector import SeatVector
    from gem_ma.apis.workers import StepTimeout, WorkerDied, WorkerError
    from gem_ma.chat.context import Context
    from gem_ma.chat.tracing import enable_tracing
    from gem_ma.rollouts.formats.dataset import to_dataset
    from gem_ma.rollouts.records import load_episodes, save_episodes
    from gem_ma.rollouts.rollout import arollout, rollout

_LATER = {
    "AsyncSeat": "apis.async_seats",
    "Context": "chat.context",
    "GameVector": "apis.vector.game_vector",
    "GymnasiumView": "apis.gymnasium_view",
    "ParallelView": "apis.parallel_view",
    "SeatOutcome": "apis.async_seats",
    "SeatVector": "apis.vector.seat_vector",
    "StepTimeout": "apis.workers",
    "TurnBatch": "apis.vector.game_vector",
    "WorkerDied": "apis.workers",
    "WorkerError": "apis.workers",
    "arollout": "rollouts.rollout",
    "enable_tracing": "chat.tracing",
    "make_vec": "apis.vector.factory",
    "load_episodes": "rollouts.records",
    "rollout": "rollouts.rollout",
    "save_episodes": "rollouts.records",
    "to_dataset": "rollouts.formats.dataset",
}
_later = lazy_getattr(__name__, _LATER)

__all__ = [
    "AECEnv",
    "Agent",
    "AsyncSeat",
    "BaseEnv",
    "Context",
    "Env",
    "EnvConfig",
    "Episode",
    "Game",
    "GameVector",
    "GymnasiumView",
    "InvalidMove",
    "Message",
    "Pack",
    "ParallelView",
    "RefusedMove",
    "Reply",
    "ResetNeeded",
    "SeatError",
    "SeatOutcome",
    "SeatVector",
    "Snapshot",
    "Spec",
    "State",
    "Step",
    "StepTimeout",
    "Turn",
    "TurnBatch",
    "UnknownArgument",
    "UnknownEnv",
    "WorkerDied",
    "WorkerError",
    "arollout",
    "enable_tracing",
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


def __getattr__(name: str) -> object:
    for one in () if name.startswith("_") or name in _LATER else list_packs():
        if name in one.pack.exports:
            return load_entry_point(one.pack.exports[name])
    return _later(name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__", "agents", "envs"])


load_own_packs()
