"""Numbers from numbers: every random choice is a pure function of a seed."""

from __future__ import annotations

import ctypes
import hashlib
import secrets
import struct
from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np

from gem_ma.validation.arguments import check_type

_MASK = (1 << 64) - 1
_NOTHING_LEFT = bytes(8)


def generate_seed() -> int:
    """Return a seed from the operating system."""
    return secrets.randbits(63)


def check_seed(seed: object) -> None:
    """Raise unless this is a seed, or None."""
    if seed is None:
        return
    if type(seed) is not int:
        if not isinstance(seed, (int, np.integer)) or isinstance(seed, bool):
            raise TypeError(f"seed={seed!r}: expected an int or None")
        seed = int(seed)
    if seed.bit_length() > 127:
        raise ValueError(f"seed={seed!r}: expected an int of at most 127 bits")


def derive_seed(*numbers: int) -> int:
    """Return 63 well-mixed bits that depend on every number (splitmix64, chained)."""
    z = 0
    for number in numbers:
        z = (z + (number & _MASK) + 0x9E3779B97F4A7C15) & _MASK
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
        z ^= z >> 31
    return z >> 1


def pick_option(options: Sequence[str], *numbers: int) -> str:
    """Return one of the options, chosen by the numbers alone."""
    return options[derive_seed(*numbers) % len(options)]


class _ZeroSeedSequence(np.random.SeedSequence):
    """What a generator begins with that is seeded before anybody draws; it mixes nothing."""

    def generate_state(self, n_words: int, dtype: Any = np.uint32) -> np.ndarray:
        return np.zeros(n_words, dtype)

    def spawn(self, n_children: int) -> list[Self]:
        raise TypeError(
            "what is spawned would not follow from the episode's seed; draw one instead: "
            "np.random.default_rng(int(rng.integers(1 << 63)))"
        )


_ZERO = _ZeroSeedSequence(0)


def make_rng() -> np.random.Generator:
    """Return a PCG64 generator that has yet to be seeded, nine times faster than `PCG64(0)`."""
    return np.random.Generator(np.random.PCG64(_ZERO))


class RNGMemory(NamedTuple):
    """The memory of a generator: its state, and what is left of its last draw."""

    state: memoryview
    rest: memoryview

    def __reduce__(self) -> tuple[type[None], tuple[()]]:
        return type(None), ()  # in another process it lies elsewhere


def map_rng_memory(rng: np.random.Generator) -> RNGMemory | None:
    """Return the memory of a new PCG64 generator, or None where it is not what is expected.

    NumPy's interface for ctypes says where it is. To set `bit_generator.state` takes longer than a
    whole turn of some games.
    """
    check_type(rng, np.random.Generator, "rng")
    generator = rng.bit_generator
    if not isinstance(generator, np.random.PCG64):
        return None
    try:
        address = generator.ctypes.state_address  # of a pointer to the state, and what is left
        inner = ctypes.c_void_p.from_address(address).value
        state = memoryview((ctypes.c_ubyte * 32).from_address(inner or 0)).cast("B")
        rest = memoryview((ctypes.c_ubyte * 8).from_address(address + 8)).cast("B")
    except (AttributeError, TypeError, ValueError):
        return None
    rng.integers(1 << 32, dtype=np.uint32)  # half of a draw is left
    known: Any = generator.state
    numbers = known["state"]["state"], known["state"]["inc"]
    if state != b"".join(number.to_bytes(16, "little") for number in numbers):
        return None
    left = struct.pack("<II", known["has_uint32"], known["uinteger"])
    return RNGMemory(state, rest) if rest == left else None


def seed_rng(rng: np.random.Generator, seed: int, memory: RNGMemory | None = None) -> None:
    """Put a PCG64 generator into the state that `seed` names, five times faster than a new one.

    Args:
        rng: The generator.
        seed: The seed.
        memory: The memory of this generator, which is quicker to write.
    """
    try:
        number = seed.to_bytes(16, "little", signed=True)
    except (AttributeError, OverflowError):
        raise ValueError(f"seed={seed!r}: expected an int of at most 127 bits") from None
    key = hashlib.blake2b(number, digest_size=32).digest()
    if memory is not None:
        state, rest = memory
        state[:] = key
        state[16] |= 1  # the increment of PCG64 is odd
        rest[:] = _NOTHING_LEFT
        return
    if not isinstance(rng, np.random.Generator):
        raise TypeError(f"rng={rng!r}: expected numpy's Generator")
    rng.bit_generator.state = {
        "bit_generator": "PCG64",
        "state": {
            "state": int.from_bytes(key[:16], "little"),
            "inc": int.from_bytes(key[16:], "little") | 1,
        },
        "has_uint32": 0,
        "uinteger": 0,
    }


def pack_chance(rng: np.random.Generator) -> str:
    """Return where a generator stands."""
    check_type(rng, np.random.Generator, "rng")
    state = rng.bit_generator.state
    inner = state["state"]
    return f"{inner['state']:x} {inner['inc']:x} {state['has_uint32']} {state['uinteger']}"


def unpack_chance(text: str, rng: np.random.Generator) -> None:
    """Put a PCG64 generator where another one stood."""
    check_type(text, str, "text")
    check_type(rng, np.random.Generator, "rng")
    state, increment, has_more, more = text.split()
    rng.bit_generator.state = {
        "bit_generator": "PCG64",
        "state": {"state": int(state, 16), "inc": int(increment, 16)},
        "has_uint32": int(has_more),
        "uinteger": int(more),
    }
