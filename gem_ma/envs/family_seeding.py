"""Seeds of families of tasks: one seed gives each family of a kind chances of its own."""

from __future__ import annotations

import zlib

import numpy as np


def seed_by_name(rng: np.random.Generator, name: str) -> None:
    """Move a generator to the part of its stream that belongs to a family of tasks.

    Without it, families that draw alike would have the same words at the same seed.
    """
    rng.bit_generator.advance(1 + (zlib.crc32(name.encode()) << 16))  # type: ignore[attr-defined]
