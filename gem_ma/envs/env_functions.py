"""A game module's `env`, `parallel_env` and `raw_env`, as PettingZoo's modules have them."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import pettingzoo

from gem_ma.envs.registry import FACTORY_MODULE, find_module_id
from gem_ma.validation.entry_points import load_entry_point


class EnvFunction(Protocol):
    """A function that makes an environment behind PettingZoo's AEC API."""

    def __call__(self, *, max_cycles: int | None = None, **options: Any) -> pettingzoo.AECEnv: ...


class ParallelEnvFunction(Protocol):
    """A function that makes an environment behind PettingZoo's parallel API."""

    def __call__(
        self, *, max_cycles: int | None = None, **options: Any
    ) -> pettingzoo.ParallelEnv: ...


class EnvFunctions(NamedTuple):
    """The three functions of one game, in the order in which a module names them."""

    env: EnvFunction
    parallel_env: ParallelEnvFunction
    raw_env: EnvFunction


def make_env_functions(module: str) -> EnvFunctions:
    """Return the functions that make the environments of a module's first registered id.

    The id is looked up when one of them is called. An environment checks the order of calls and
    the actions itself, so that `raw_env`, which in PettingZoo lacks these wrappers, makes the same.

    Args:
        module: the `__name__` of the module or package that has the game.
    """

    def env(*, max_cycles: int | None = None, **options: Any) -> Any:
        """Make this game behind PettingZoo's AEC API; `options` are those of `gem_ma.make`."""
        make = load_entry_point(f"{FACTORY_MODULE}:make_for_pettingzoo")
        return make(find_module_id(module), max_cycles, **options)

    def parallel_env(*, max_cycles: int | None = None, **options: Any) -> Any:
        """Make this game behind PettingZoo's parallel API; `options` are those of `make`."""
        make = load_entry_point(f"{FACTORY_MODULE}:make_parallel_for_pettingzoo")
        return make(find_module_id(module), max_cycles, **options)

    for function in (env, parallel_env):  # another process finds them by these names
        function.__module__, function.__qualname__ = module, function.__name__
    return EnvFunctions(env, parallel_env, env)
