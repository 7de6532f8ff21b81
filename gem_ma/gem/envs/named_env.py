"""NamedEnv: an environment of ours by the class that GEM has for it."""

from __future__ import annotations

import functools
from typing import Any

from gem_ma.gem.envs.env_factory import make_env
from gem_ma.gem.single_seat_env import SingleSeatEnv


class NamedEnv(SingleSeatEnv):
    """The seat of an id; a subclass has the constructor of one of GEM's classes, and its defaults.

    Args:
        **arguments: of that constructor, by its names.
    """

    def __init__(self, env_id: str, *, seed: int | None = None, **arguments: Any):
        env = make_env(env_id, arguments, seed, type(self).__init__)
        named = arguments if seed is None else {**arguments, "seed": seed}
        super().__init__(env, seed=seed, again=functools.partial(type(self), **named))
