"""What episodes hold, by name, so that a writer can say once what its format cannot hold."""

from __future__ import annotations

import itertools
import json
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator

from gem_ma.chat.reply import Reply
from gem_ma.rollouts.episode import Episode
from gem_ma.rollouts.formats.record_json import episode_to_json
from gem_ma.rollouts.formats.transcripts import list_parts


def _has_field(*names: str) -> Callable[[Episode], bool]:
    def find(episode: Episode) -> bool:
        replies = [step.reply for step in episode.steps if isinstance(step.reply, Reply)]
        return any(getattr(reply, name) for reply in replies for name in names)

    return find


def _has_surrogates(episode: Episode) -> bool:
    text = json.dumps(episode_to_json(episode))
    if "\\ud" not in text:
        return False
    try:
        json.dumps(json.loads(text), ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False


def _has_text_beside_calls(episode: Episode) -> bool:
    return any(
        getattr(step.reply, "tool_calls", None) and str(step.reply).strip()
        for step in episode.steps
    )


def _has_text_beside_results(episode: Episode) -> bool:
    """Return whether a seat once read results of tools together with something else."""
    for seat in episode.agents:
        read = [(one["role"], bool(list_parts(one))) for one in episode.messages(seat)]
        if any(a[0] == "tool" and b == ("user", True) for a, b in itertools.pairwise(read)):
            return True
    return False


_CONTENTS: dict[str, Callable[[Episode], bool]] = {
    "failed episodes": lambda episode: episode.failure is not None,
    "what an episode can be played again from": lambda _: True,
    "returns": lambda episode: bool(episode.returns),
    "rewards of turns": lambda episode: any(step.reward for step in episode.steps),
    "reports of games": lambda episode: bool(episode.report),
    "thoughts": _has_field("thinking_blocks"),
    "tokens, log-probabilities and usage": _has_field("token_ids", "logprobs", "usage"),
    "model calls of agent programs": _has_field("calls"),
    "refusals of invalid replies": lambda episode: any(step.invalid for step in episode.steps),
    "steps before the rollout": lambda episode: bool(episode.begun),
    "text beside tool calls": _has_text_beside_calls,
    "where results of tools end": _has_text_beside_results,
    "characters that are half of a surrogate pair": _has_surrogates,
}
CONTENTS = frozenset(_CONTENTS)
"""The names by which a format says what it cannot hold."""


def warn_of_losses(
    episodes: Iterable[Episode], format: str, lacks: Collection[str]
) -> Iterator[Episode]:
    """Yield episodes, and warn once, after the last, of what of them a format cannot hold."""
    counts: Counter[str] = Counter()
    total = 0
    for episode in episodes:
        counts.update([name for name in _CONTENTS if name in lacks and _CONTENTS[name](episode)])
        total += 1
        yield episode
    if counts:
        # Some things are in all episodes, others in a few.
        names = [
            name if n == total else f"{name} ({n} of {total} episodes)"
            for name, n in counts.items()
        ]
        warnings.warn(
            f"the format {format} cannot hold these, so they were left out: {'; '.join(names)}",
            UserWarning,
            stacklevel=2,
        )
