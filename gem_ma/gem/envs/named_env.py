"""NamedEnv: the base of the classes that GEM has for environments."""

from __future__ import annotations

import functools
from typing import Any

from gem_ma.gem.envs.env_factory import make_env
from gem_ma.gem.single_seat_env import SingleSeatEnv


class NamedEnv(SingleSeatEnv):
    """The seat of an id; a subclass has the constructor and defaults of one of GEM's classes.

    Args:
        env_id: the id of the environment.
        seed: the seed of the first episode (None: a random one), and of a dataset that takes one
            (None: its default).
        **arguments: arguments of GEM's constructor, by GEM's names.
    """

    def __init__(self, env_id: str, *, seed: int | None = None, **arguments: Any):
        env = make_env(env_id, arguments, seed, type(self).__init__)
        named = arguments if seed is None else {**arguments, "seed": seed}
        super().__init__(env, seed=seed, again=functools.partial(type(self), **named))
