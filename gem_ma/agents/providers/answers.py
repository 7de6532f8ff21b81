"""Answers of servers: checked against what a provider's file says that they hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from gem_ma.agents.providers.errors import BadAnswer

Answer = TypeVar("Answer")
_MAX_COUNT = 1 << 53


_schemas: dict[type, Any] = {}  # which take long to make


def parse_answer(kind: type[Answer], content: bytes, name: str) -> Answer:
    """Return the bytes of an answer as a value of a kind. JSON is UTF-8, whatever headers say.

    Args:
        kind: A dataclass, or a model of pydantic; what an answer holds beside it is left out.
        content: The bytes.
        name: What such an answer is called in errors, such as "chat completion".

    Raises:
        BadAnswer: If they are none.
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
            f"no {name}: {where}: {first['msg']}; it begins with {content[:200]!r}"
        ) from None
    return answer


def select_counts(usage: Mapping[str, object] | None) -> dict[str, int]:
    """Return the counts among what a server says of tokens."""
    counts = {name: n for name, n in (usage or {}).items() if type(n) is int}
    return {name: n for name, n in counts.items() if 0 <= n <= _MAX_COUNT}


def count_usage(
    usage: Mapping[str, object] | None, prompt: Sequence[str], completion: Sequence[str]
) -> dict[str, int]:
    """Return the counts with their sums as prompt_tokens and completion_tokens.

    Args:
        usage: What a server says of tokens.
        prompt: The names there of all that was read.
        completion: The names of all that was written, also in thought.
    """
    counts = select_counts(usage)
    sums = {"prompt_tokens": prompt, "completion_tokens": completion}
    return counts | {
        name: sum(counts.get(part, 0) for part in parts) for name, parts in sums.items()
    }
