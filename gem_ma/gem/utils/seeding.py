"""Seeds of Python's and numpy's global generators, and new generators."""

from __future__ import annotations

import random  # noqa: TID251 - environments for GEM draw from the global generators

import numpy as np
from gymnasium.utils.seeding import RNG, RandomNumberGenerator, np_random

__all__ = ["RNG", "RandomNumberGenerator", "np_random", "set_seed"]


def set_seed(seed: int | None = None) -> None:
    """Seed the global generators, which scripts for GEM use; gem_ma's environments do not."""
    random.seed(seed)
    np.random.seed(None if seed is None else seed % 2**32)  # noqa: NPY002, TID251
