"""GEM's `register`, `make`, `make_vec` and `print_envs`."""

from __future__ import annotations

import functools
import importlib.util
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gem_ma.chat.agent import SeatAgents
from gem_ma.envs import registry
from gem_ma.game import Game
from gem_ma.gem.core import EnvLike
from gem_ma.gem.envs.env_factory import make_env
from gem_ma.gem.single_seat_env import SingleSeatEnv
from gem_ma.gem.vector.async_vector_env import AsyncVectorEnv
from gem_ma.gem.vector.sync_vector_env import SyncVectorEnv
from gem_ma.gem.vector.vector_env import VectorEnv
from gem_ma.validation import entry_points
from gem_ma.validation.arguments import check_type
from gem_ma.validation.json_types import JSONMapping


@dataclass
class EnvSpec:
    """An id that a script has registered, with its entry point and arguments."""

    id: str
    entry_point: Callable[..., object] | str
    kwargs: JSONMapping = field(default_factory=dict)


ENV_REGISTRY: dict[str, EnvSpec] = {}  # ids that scripts have registered, in addition to gem_ma's


def register(
    env_id: str,
    entry_point: Callable[..., object] | str,
    *,
    needs: Iterable[str] = (),
    levels: Mapping[str, JSONMapping] | None = None,
    **kwargs: Any,
) -> None:
    """Register an environment written for GEM, or a Game, which `gem_ma.make` makes, too.

    Args:
        env_id: the new id.
        entry_point: "module:class", or a class or function that makes the environment. A module
            "gem.x" becomes "gem_ma.gem.x" if that exists.
        needs: as in `gem_ma.register`.
        levels: as in `gem_ma.register`.
        **kwargs: default arguments of the environment.
    """
    check_type(env_id, str, "env_id")
    if env_id in ENV_REGISTRY:
        raise ValueError(
            f"{env_id!r} is registered already, for {ENV_REGISTRY[env_id]}; choose another id"
        )
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
    """Make an environment with GEM's `reset`, `step` and `sample_random_action`.

    It is a SingleSeatEnv, or an instance of a class that a script has registered.

    Args:
        env_id: the id of the environment.
        seed: the seed of the first episode, from which the seeds of later ones follow (None: a
            random one), and of a dataset that takes one (None: its default).
        agent: the seat, as SingleSeatEnv takes it.
        others: the agents of the other seats, as SingleSeatEnv takes them.
        **kwargs: arguments of `gem_ma.make`, or GEM's names for them, such as `dataset_name`,
            `question_key` and `hardcore`. GEM's arguments of grading (`use_mp`, `max_workers`,
            `sandbox_type`) have no effect, since the sandbox grades.
    """
    check_type(env_id, str, "env_id")
    env_spec = ENV_REGISTRY.get(env_id)
    if env_spec is not None and not _is_game(env_spec):
        return _make_registered(env_spec, {**kwargs, **({} if seed is None else {"seed": seed})})
    env = make_env(env_id, kwargs, seed, make)
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


def print_envs() -> None:
    """Print all ids with their entry points and arguments."""
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
    """Make one environment for each id, stepped together and reset when they end.

    Args:
        env_ids: one id or several.
        wrappers: wrappers of each environment, from the inside out; None: none.
        vec_kwargs: arguments of each environment alone; None: none.
        async_mode: whether each environment steps in its own thread, which helps if it waits.
        seed: the seed of the first environment; the others count up from it, unless `vec_kwargs`
            has a seed.
        **kwargs: arguments of all environments.
    """
    ids = [env_ids] if isinstance(env_ids, str) else list(env_ids)
    env_kwargs = list(vec_kwargs) if vec_kwargs is not None else [{}] * len(ids)
    if len(env_kwargs) != len(ids):
        raise ValueError(
            f"got {len(ids)} ids and {len(env_kwargs)} vec_kwargs; expected one for each id"
        )
    made = [
        functools.partial(_make_wrapped, env_id, wrappers or (), seed=seed + number, **kwargs)
        for number, env_id in enumerate(ids)
    ]
    env_fns = [functools.partial(one, **own) for one, own in zip(made, env_kwargs, strict=True)]
    return AsyncVectorEnv(ids, env_fns) if async_mode else SyncVectorEnv(ids, env_fns)


def _make_wrapped(
    env_id: str, wrappers: Sequence[Callable[..., EnvLike]], **arguments: Any
) -> EnvLike:
    env: EnvLike = make(env_id, **arguments)
    for wrapper in wrappers:
        env = wrapper(env)
    return env
