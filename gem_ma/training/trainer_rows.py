"""Episodes as rows for any trainer: the tokens that a seat's model read and drew, with rewards."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, Literal, NamedTuple, TypeAlias

from gem_ma.chat.tokenization import ChatTokenizer, ReplyHistory
from gem_ma.rollouts.episode import Episode
from gem_ma.training.token_samples import build_samples
from gem_ma.validation.arguments import check_each, check_type
from gem_ma.validation.json_types import JSONMapping

TrainerRow: TypeAlias = Mapping[str, Any]
"""A sample of a seat with its columns, as `build_rows` describes them."""


def build_rows(
    episodes: Iterable[Episode],
    processor: Any,
    *,
    train: Collection[str] | None = None,
    texts: bool = False,
    per: Literal["conversation", "turn"] = "conversation",
    template: JSONMapping | None = None,
    history: ReplyHistory = "keep",
) -> Iterator[dict[str, Any]]:
    """Yield one dict for each sample of each seat.

    A row is identified by the seat (`agent`), `env`, `group`, `episode`, `policy` (the name of the
    agent in the seat) and `part` (the number of the sample of the seat). `trainable` is a bool. The
    columns of tokens are `ids`, the `mask` over the tokens that the policy produced, and their
    `logprobs` (nan elsewhere). For each turn, `spans` has a pair (start, end), and `rewards` has
    the reward until the seat's next turn. A row also has `pictures`, `exact`, and `notes` with the
    reasons why it is not exact.

    Args:
        train: the seats whose rows are trainable; None: all.
        texts: also yield seats whose replies have no token ids; their text is encoded.
        processor: as of `build_samples`.
        per: as of `build_samples`.
        template: as of `build_samples`.
        history: as of `build_samples`.
    """
    tokens = ChatTokenizer.wrap(processor, template, history)
    seats: dict[str, None] = {}
    for episode in check_each(episodes, Episode, "episodes"):
        seats |= dict.fromkeys(episode.agents)
        for seat, policy in episode.agents.items():
            if not texts and not _has_ids(episode, seat):
                continue
            for part, sample in enumerate(build_samples(episode, seat, tokens, per=per)):
                yield {
                    "agent": seat,
                    "env": sample.env,
                    "group": sample.group,
                    "episode": sample.episode,
                    "policy": policy,
                    "trainable": train is None or seat in train,
                    "part": part,
                    "rewards": [span.reward for span in sample.spans],
                    "spans": [(span.start, span.end) for span in sample.spans],
                    "ids": sample.ids,
                    "logprobs": sample.logprobs,
                    "mask": sample.mask,
                    "pictures": sample.pictures,
                    "exact": sample.exact,
                    "notes": sample.notes,
                }
    if strangers := set(train or ()) - seats.keys():
        raise ValueError(
            f"train: no episode has a seat {', '.join(sorted(strangers))}; the seats are "
            f"{', '.join(seats)}"
        )


_REQUIRED_COLUMNS = ("ids", "mask", "logprobs", "spans", "rewards")


class PromptCompletion(NamedTuple):
    """A row for trainers that take one prompt and one completion."""

    prompt: list[int]
    completion: list[int]  # all tokens from the first reply on, later observations included
    mask: list[int]  # over the completion: 1 for tokens that the policy produced
    logprobs: list[float]  # of the completion; 0 for tokens that the policy did not produce
    reward: float  # sum over all turns


def split_prompt_completion(row: TrainerRow) -> PromptCompletion:
    """Split a row before its first reply into a prompt and a completion."""
    check_type(row, Mapping, "row")
    if missing := [name for name in _REQUIRED_COLUMNS if not row.get(name)]:
        raise ValueError(f"row: expected a row of `rows`, got one without {', '.join(missing)}")
    start = row["spans"][0][0]
    mask = row["mask"][start:]
    logprobs = [
        value if own else 0.0 for own, value in zip(mask, row["logprobs"][start:], strict=True)
    ]
    if any(math.isnan(value) for value in logprobs):
        raise ValueError(
            f"{row['policy']} in seat {row['agent']} gave no log-probabilities for all its tokens; "
            "expected replies with token_ids and logprobs, as HFAgent gives them"
        )
    return PromptCompletion(
        row["ids"][:start], row["ids"][start:], mask, logprobs, sum(row["rewards"])
    )


def _has_ids(episode: Episode, seat: str) -> bool:
    return any(
        getattr(step.reply, "token_ids", None) for step in episode.steps if step.agent == seat
    )
