"""A space of Unicode texts that works with Gymnasium's tools and vector environments."""

from __future__ import annotations

import multiprocessing
import string
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.spaces import utils as space_utils
from gymnasium.vector.utils import shared_memory
from gymnasium.vector.utils import space_utils as vector_utils
from gymnasium.wrappers.utils import create_zero_array

_ALPHABET = string.ascii_letters + string.digits + " .,?!\n"
_CHARSET_FIELDS = {
    name: value
    for name, value in vars(spaces.Text(1, charset=_ALPHABET)).items()
    if name.startswith("_char")
}
_MAX_SAMPLE_LENGTH = 1_024  # characters of a sampled text, if no length is requested
_HEADER_SIZE = 4  # bytes for the length, before the text


class UnicodeText(spaces.Text):
    """The space of all texts of at most `max_length` bytes in UTF-8.

    `sample` draws from `examples` if there are any, under an optional mask or probabilities.
    """

    def __init__(
        self,
        max_length: int = 1 << 16,
        *,
        examples: Sequence[str] = (),
        seed: int | np.random.Generator | None = None,
    ):
        super().__init__(max_length, min_length=0, charset=_ALPHABET, seed=seed)
        for name, value in _CHARSET_FIELDS.items():  # several kB, shared by all spaces
            setattr(self, name, value)
        self.examples = tuple(examples)
        for example in self.examples:
            if not self.contains(example):
                raise ValueError(
                    f"examples: expected texts of at most {max_length} bytes, got {example!r}"
                )

    def contains(self, x: object) -> bool:
        if not isinstance(x, str):
            return False
        if x.isascii():
            return len(x) <= self.max_length
        try:
            return len(x.encode()) <= self.max_length
        except UnicodeEncodeError:  # a lone surrogate cannot be encoded
            return False

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        """Draw one of the examples, or a random text if there are none.

        Args:
            mask: A number for each example, 0 to exclude it. Or a mask of Gymnasium's Text (a
                length, and a mask of characters), which draws a random text.
            probability: The probability of each example. Or the same pair as in Gymnasium's Text,
                which draws a random text.

        Returns:
            The text. A random text without a requested length has between 0 and `max_length`
            characters, at most 1,024.
        """
        if mask is not None and probability is not None:
            raise ValueError("expected a mask or probabilities, got both")
        constraint = probability if mask is None else mask
        if _is_mask_of_text(constraint, self.examples):
            if constraint is None:
                constraint = None, None
            if isinstance(constraint, tuple) and len(constraint) == 2 and constraint[0] is None:
                longest = min(self.max_length, _MAX_SAMPLE_LENGTH)
                constraint = int(self.np_random.integers(longest + 1)), constraint[1]
            if probability is None:
                return super().sample(constraint)
            return super().sample(probability=constraint)
        examples = self.examples
        if probability is not None:
            return examples[self._sample_weighted(np.asarray(probability, np.float64))]
        if mask is None:
            return examples[int(self.np_random.random() * len(examples))]
        allowed = np.flatnonzero(mask).tolist()
        if len(mask) != len(examples) or not allowed:
            raise ValueError(
                f"expected a mask of {len(examples)} numbers, one of them at least not 0, "
                f"got {np.asarray(mask)!r}"
            )
        return examples[allowed[int(self.np_random.random() * len(allowed))]]

    def _sample_weighted(self, weights: np.ndarray) -> int:
        total = weights.sum()
        if weights.shape != (len(self.examples),) or not (
            (weights >= 0).all() and np.isclose(total, 1)
        ):
            raise ValueError(
                f"expected {len(self.examples)} probabilities that add up to 1, got {weights!r}"
            )
        return int(self.np_random.choice(len(weights), p=weights / total))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, UnicodeText)
            and self.max_length == other.max_length
            and self.examples == other.examples
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"UnicodeText({self.max_length}, {len(self.examples)} examples)"


def _is_mask_of_text(given: object, examples: Sequence[str]) -> bool:
    """Return whether a mask or probabilities apply to characters, not to examples."""
    if not examples:
        return True
    is_pair = isinstance(given, tuple) and len(given) == 2
    return is_pair and isinstance(given[1], np.ndarray | None)  # type: ignore[index]


class _SharedTexts(tuple):  # type: ignore[type-arg]
    """The texts of n environments, decoded from shared memory at each access.

    Gymnasium reads shared memory once, when it makes the vector environment, and deep-copies the
    object at every step. So this object decodes at each access, and its copy is a plain tuple.
    """

    _rows: np.ndarray

    def __new__(cls, rows: np.ndarray) -> _SharedTexts:
        self = super().__new__(cls, (None,) * len(rows))
        self._rows = rows
        return self

    def __iter__(self) -> Iterator[str]:
        return (_decode_text(row) for row in self._rows)

    def __getitem__(self, index: Any) -> Any:
        return tuple(self)[index]

    def __eq__(self, other: object) -> bool:
        return tuple(self) == (tuple(other) if isinstance(other, tuple) else other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(tuple(self))

    def __deepcopy__(self, memo: dict[int, object]) -> tuple[str, ...]:
        return tuple(self)

    def __reduce__(self) -> tuple[object, ...]:
        return tuple, (list(self),)


def _count_row_bytes(space: UnicodeText) -> int:
    return _HEADER_SIZE + space.max_length


def _encode_text(text: str, row: np.ndarray) -> np.ndarray:
    data = text.encode()
    row[:_HEADER_SIZE] = np.frombuffer(len(data).to_bytes(_HEADER_SIZE, "little"), np.uint8)
    row[_HEADER_SIZE : _HEADER_SIZE + len(data)] = np.frombuffer(data, np.uint8)
    return row


def _decode_text(row: np.ndarray) -> str:
    row = np.asarray(row, np.uint8)
    length = int.from_bytes(row[:_HEADER_SIZE].tobytes(), "little")
    return row[_HEADER_SIZE : _HEADER_SIZE + length].tobytes().decode()


def _view_rows(space: UnicodeText, memory: Any) -> np.ndarray:
    return np.frombuffer(memory.get_obj(), np.uint8).reshape(-1, _count_row_bytes(space))


# Gymnasium's functions that dispatch on the type of a space; those for Text do not fit this class.
# They are registered in this module, so that a spawned worker has them when it unpickles a space.


def _register_function(dispatcher: Callable[..., object], function: Callable[..., object]) -> None:
    dispatcher.register(UnicodeText)(function)  # type: ignore[attr-defined]


def _write_text(space: UnicodeText, index: int, value: str, memory: Any) -> None:
    _encode_text(value, _view_rows(space, memory)[index])


_register_function(space_utils.flatdim, _count_row_bytes)
_register_function(
    space_utils.flatten_space, lambda s: spaces.Box(0, 255, (_count_row_bytes(s),), np.uint8)
)
_register_function(
    space_utils.flatten, lambda s, x: _encode_text(x, np.zeros(_count_row_bytes(s), np.uint8))
)
_register_function(space_utils.unflatten, lambda s, x: _decode_text(x))
if hasattr(space_utils, "_flat_dtype"):
    _register_function(space_utils._flat_dtype, lambda s: np.dtype(np.uint8))
_register_function(
    space_utils.is_space_dtype_shape_equiv,
    lambda a, b: isinstance(b, UnicodeText) and a.max_length == b.max_length,
)
_register_function(vector_utils.create_empty_array, lambda s, n=1, fn=np.zeros: ("",) * n)
_register_function(vector_utils.batch_differing_spaces, vector_utils._batch_spaces_undefined)
_register_function(
    shared_memory.create_shared_memory,
    lambda s, n=1, ctx=multiprocessing: ctx.Array("B", n * _count_row_bytes(s)),
)
_register_function(
    shared_memory.read_from_shared_memory,
    lambda s, memory, n=1: _SharedTexts(_view_rows(s, memory)),
)
_register_function(shared_memory.write_to_shared_memory, _write_text)
_register_function(create_zero_array, lambda s: "")

try:  # needs array-api-compat; unregistered, a text would become the repr of a generator
    from gymnasium.wrappers.array_conversion import array_conversion
except ImportError:
    pass
else:
    array_conversion.register(str)(lambda value, xp, device=None: value)
