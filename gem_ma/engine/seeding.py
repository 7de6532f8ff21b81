"""Seeds and random generators: every random choice is a pure function of a seed."""

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
    """Raise unless this is a valid seed or None."""
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
    """A seed sequence of zeros, for generators that are seeded later: it saves the mixing."""

    def generate_state(self, n_words: int, dtype: Any = np.uint32) -> np.ndarray:
        return np.zeros(n_words, dtype)

    def spawn(self, n_children: int) -> list[Self]:
        raise TypeError(
            "a spawned generator would not depend on the episode's seed; instead of spawn, use "
            "np.random.default_rng(int(rng.integers(1 << 63)))"
        )


_ZERO = _ZeroSeedSequence(0)


def make_rng() -> np.random.Generator:
    """Return an unseeded PCG64 generator, nine times faster than `PCG64(0)`."""
    return np.random.Generator(np.random.PCG64(_ZERO))


class RNGMemory(NamedTuple):
    """The memory of a generator: its state, and the unused half of its last draw."""

    state: memoryview
    rest: memoryview

    def __reduce__(self) -> tuple[type[None], tuple[()]]:
        return type(None), ()  # the address is not valid in another process


def map_rng_memory(rng: np.random.Generator) -> RNGMemory | None:
    """Return the memory of a PCG64 generator, or None if it does not have the expected layout.

    The address is from NumPy's ctypes interface. Writing to memory is faster than setting
    `bit_generator.state`, which takes longer than a whole turn of some games. The check draws a
    number, so seed the generator afterwards.
    """
    check_type(rng, np.random.Generator, "rng")
    generator = rng.bit_generator
    if not isinstance(generator, np.random.PCG64):
        return None
    try:
        address = generator.ctypes.state_address  # a pointer to the state, then the unused half
        inner = ctypes.c_void_p.from_address(address).value
        state = memoryview((ctypes.c_ubyte * 32).from_address(inner or 0)).cast("B")
        rest = memoryview((ctypes.c_ubyte * 8).from_address(address + 8)).cast("B")
    except (AttributeError, TypeError, ValueError):
        return None
    rng.integers(1 << 32, dtype=np.uint32)  # leaves half of a draw unused
    known: Any = generator.state
    numbers = known["state"]["state"], known["state"]["inc"]
    if state != b"".join(number.to_bytes(16, "little") for number in numbers):
        return None
    left = struct.pack("<II", known["has_uint32"], known["uinteger"])
    return RNGMemory(state, rest) if rest == left else None


def seed_rng(rng: np.random.Generator, seed: int, memory: RNGMemory | None = None) -> None:
    """Set a PCG64 generator to the state of a seed, five times faster than making a new one.

    Args:
        rng: The generator.
        seed: An int of at most 127 bits.
        memory: The memory of this generator, which is faster to write; None: set its `state`.
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
        raise TypeError(f"rng={rng!r}: expected a numpy.random.Generator")
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
    """Return the state of a PCG64 generator as text."""
    check_type(rng, np.random.Generator, "rng")
    state = rng.bit_generator.state
    inner = state["state"]
    return f"{inner['state']:x} {inner['inc']:x} {state['has_uint32']} {state['uinteger']}"


def unpack_chance(text: str, rng: np.random.Generator) -> None:
    """Set a PCG64 generator to a state that `pack_chance` returned."""
    check_type(text, str, "text")
    check_type(rng, np.random.Generator, "rng")
    state, increment, has_more, more = text.split()
    rng.bit_generator.state = {
        "bit_generator": "PCG64",
        "state": {"state": int(state, 16), "inc": int(increment, 16)},
        "has_uint32": int(has_more),
        "uinteger": int(more),
    }
