"""GEM's own API, so that scripts for GEM only change their imports: `from gem_ma import gem`.

All names that GEM's examples import are here. `make` returns a `SingleSeatEnv`, and `make_vec` a
`VectorEnv`. The package imports the environments, their APIs and the tools; no other package
imports it.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gem_ma.gem.core import Env
    from gem_ma.gem.envs.registration import make, make_vec, print_envs, register
    from gem_ma.gem.single_seat_env import SingleSeatEnv
    from gem_ma.gem.vector.vector_env import VectorEnv

__all__ = ["Env", "SingleSeatEnv", "VectorEnv", "make", "make_vec", "print_envs", "register"]

_FILES = {"Env": "core", "SingleSeatEnv": "single_seat_env", "VectorEnv": "vector.vector_env"}
_MODULES = ("core", "envs", "single_seat_env", "tools", "utils", "vector", "wrappers")


def __getattr__(name: str) -> object:
    """Import a name, or a folder of this package, when it is first used."""
    if name in _MODULES:
        return importlib.import_module(f"gem_ma.gem.{name}")
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    file = _FILES.get(name, "envs.registration")
    value: object = getattr(importlib.import_module(f"gem_ma.gem.{file}"), name)
    globals()[name] = value
    return value
