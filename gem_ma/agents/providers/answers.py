"""Validation of servers' answers against the types that a provider's file declares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from gem_ma.agents.providers.errors import BadAnswer

Answer = TypeVar("Answer")
_MAX_COUNT = 1 << 53


_schemas: dict[type, Any] = {}  # cached, because making one is slow


def parse_answer(kind: type[Answer], content: bytes, name: str) -> Answer:
    """Return the bytes of an answer as a value of a type; JSON is read as UTF-8.

    Args:
        kind: A dataclass or a pydantic model. Other fields of the answer are dropped.
        content: The bytes.
        name: The name of such an answer in errors, such as "chat completion".

    Raises:
        BadAnswer: The bytes are no such answer.
    """
    from pydantic import TypeAdapter, ValidationError

    if kind not in _schemas:
        _schemas[kind] = TypeAdapter(kind)
    try:
        answer: Answer = _schemas[kind].validate_json(content)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"])) or "the answer"
        raise BadAnswer(
            f"the answer is no valid {name}: {where}: {first['msg']}; it begins with "
            f"{content[:200]!r}"
        ) from None
    return answer


def select_counts(usage: Mapping[str, object] | None) -> dict[str, int]:
    """Return the integer counts in a server's token usage."""
    counts = {name: n for name, n in (usage or {}).items() if type(n) is int}
    return {name: n for name, n in counts.items() if 0 <= n <= _MAX_COUNT}


def count_usage(
    usage: Mapping[str, object] | None, prompt: Sequence[str], completion: Sequence[str]
) -> dict[str, int]:
    """Return the counts of token usage, with their sums as prompt_tokens and completion_tokens.

    Args:
        usage: A server's token usage.
        prompt: The names of the counts of tokens that were read.
        completion: The names of the counts of tokens that were written, including thoughts.
    """
    counts = select_counts(usage)
    sums = {"prompt_tokens": prompt, "completion_tokens": completion}
    return counts | {
        name: sum(counts.get(part, 0) for part in parts) for name, parts in sums.items()
    }
