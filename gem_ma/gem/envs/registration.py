"""GEM's `register`, `make`, `make_vec` and `print_envs`."""

from __future__ import annotations

import functools
import importlib.util
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gem_ma.apis import factory
from gem_ma.apis.aec import AECEnv
from gem_ma.chat.agent import SeatAgents
from gem_ma.envs import registry
from gem_ma.game import Game
from gem_ma.gem.core import EnvLike
from gem_ma.gem.single_seat_env import SingleSeatEnv
from gem_ma.gem.vector import VectorEnv
from gem_ma.validation import entry_points
from gem_ma.validation.arguments import check_type
from gem_ma.validation.json_types import JSONMapping
from gem_ma.wrappers import TimeLimit


@dataclass
class EnvSpec:
    """An id that a script has registered, what it stands for, and its arguments."""

    id: str
    entry_point: Callable[..., object] | str
    kwargs: JSONMapping = field(default_factory=dict)


ENV_REGISTRY: dict[str, EnvSpec] = {}  # what scripts have registered, beside all of ours


def register(
    env_id: str,
    entry_point: Callable[..., object] | str,
    *,
    needs: Iterable[str] = (),
    levels: Mapping[str, JSONMapping] | None = None,
    **kwargs: Any,
) -> None:
    """Give an id to an environment written for GEM, or to a Game, which `gem_ma.make` makes, too.

    Args:
        entry_point: "module:class", or what makes one. A name that begins with "gem." is what
            `gem_ma.gem` has in its place.
        needs: as in `gem_ma.register`.
        levels: as in `gem_ma.register`.
    """
    check_type(env_id, str, "env_id")
    if env_id in ENV_REGISTRY:
        raise ValueError(f"{env_id!r} is registered already, for {ENV_REGISTRY[env_id]}")
    if isinstance(entry_point, str):
        entry_point = _resolve_entry_point(entry_point)
        registry.register(env_id, entry_point, needs=needs, levels=levels, **kwargs)
    elif not callable(entry_point):
        raise TypeError(f"entry_point={entry_point!r}: expected 'module:class', or a class")
    for level, more in {"": {}, **(levels or {})}.items():
        one = f"{env_id}-{level}" if level else env_id
        ENV_REGISTRY[one] = EnvSpec(one, entry_point, {**kwargs, **more})


def _resolve_entry_point(entry_point: str) -> str:
    module, colon, name = entry_point.partition(":")
    if not module.startswith("gem."):
        return entry_point
    try:
        spec = importlib.util.find_spec(f"gem_ma.{module}")
    except ModuleNotFoundError:
        spec = None
    return entry_point if spec is None else f"gem_ma.{module}{colon}{name}"


def make(
    env_id: str,
    *,
    seed: int | None = None,
    agent: str | None = None,
    others: SeatAgents | None = None,
    **kwargs: Any,
) -> Any:
    """Make an environment with `reset`, `step` and `sample_random_action` as GEM's have them.

    It is a Seat, or what a script has registered. `dataset` are the rows of a task over data;
    `use_mp` says nothing here, where answers are graded in the sandbox.

    Args:
        seed: of the first episode, which leads to all others, and of the dataset, where there is
            one.
    """
    check_type(env_id, str, "env_id")
    env_spec = ENV_REGISTRY.get(env_id)
    if env_spec is not None and not _is_game(env_spec):
        return _make_registered(env_spec, {**kwargs, **({} if seed is None else {"seed": seed})})
    kwargs.pop("use_mp", None)
    if (rows := kwargs.pop("dataset", None)) is not None:
        kwargs["data"] = rows
    try:
        env = _make_env(env_id, **kwargs, **({} if seed is None else {"seed": seed}))
    except registry.UnknownArgument:  # the game has no use for a seed, or something else is wrong
        with factory.extend_argument_errors(make):
            env = _make_env(env_id, **kwargs)
    again = functools.partial(make, env_id, **{"agent": agent, "others": others, **kwargs})
    if seed is not None:
        again = functools.partial(again, seed=seed)
    return SingleSeatEnv(env, agent=agent, others=others, seed=seed, again=again)


def _is_game(own: EnvSpec) -> bool:
    entry_point = own.entry_point
    if isinstance(entry_point, str):
        entry_point = entry_points.load_entry_point(entry_point)
    return isinstance(entry_point, type) and issubclass(entry_point, Game)


def _make_registered(own: EnvSpec, kwargs: JSONMapping) -> Any:
    entry_point = own.entry_point
    if isinstance(entry_point, str):
        entry_point = entry_points.load_entry_point(entry_point)
    env: Any = entry_point(**{**own.kwargs, **kwargs})
    env.env_id, env.entry_point = own.id, own.entry_point
    return env


def _make_env(env_id: str, **kwargs: Any) -> AECEnv:
    try:
        return factory.make(env_id, **kwargs)
    except ValueError as error:
        # A game refuses a limit within which it cannot be won; in GEM, the episode just ends there.
        if "max_turns" not in kwargs or "max_turns" not in str(error):
            raise
        limit = kwargs.pop("max_turns")
        return TimeLimit(factory.make(env_id, **kwargs), limit)


def print_envs() -> None:
    """Print all ids with what they stand for."""
    for env_id in registry.list_envs():
        spec = registry.spec(env_id)
        sys.stdout.write(f"  - {env_id}: {spec.entry_point} {dict(spec.kwargs)}\n")
    for env_spec in ENV_REGISTRY.values():
        if not isinstance(env_spec.entry_point, str):
            sys.stdout.write(f"  - {env_spec.id}: {env_spec.entry_point} {dict(env_spec.kwargs)}\n")


def make_vec(
    env_ids: str | Sequence[str],
    wrappers: Sequence[Callable[..., EnvLike]] | None = None,
    vec_kwargs: Sequence[JSONMapping] | None = None,
    async_mode: bool = False,
    seed: int = 0,
    **kwargs: Any,
) -> VectorEnv:
    """Make one environment for each id, stepped together and reset as they end.

    Args:
        async_mode: step each in a thread of its own, which helps those that wait for something.
        seed: of the first environment, counted up for the others, unless `vec_kwargs` has one for
            it.
    """
    ids = [env_ids] if isinstance(env_ids, str) else list(env_ids)
    env_kwargs = list(vec_kwargs) if vec_kwargs is not None else [{}] * len(ids)
    if len(env_kwargs) != len(ids):
        raise ValueError(f"got {len(ids)} ids and {len(env_kwargs)} vec_kwargs; expected as many")
    envs: list[EnvLike] = []
    for number, (env_id, arguments) in enumerate(zip(ids, env_kwargs, strict=True)):
        env: EnvLike = make(env_id, **{"seed": seed + number, **kwargs, **arguments})
        for wrapper in wrappers or ():
            env = wrapper(env)
        envs.append(env)
    return VectorEnv(envs, async_mode)
