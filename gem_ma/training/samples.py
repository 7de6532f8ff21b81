"""Episodes as token ids, with a mask over exactly what a seat's model produced."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from gem_ma.guards.given import need
from gem_ma.rollouts.episode import Episode
from gem_ma.talk.conversation import Step
from gem_ma.talk.messages import Picture, pictures
from gem_ma.talk.tokens import Prompt, Tokens, own_ids


class Span(NamedTuple):
    """Where a reply stands in a sample, and what it earned until the seat's next turn."""

    step: int  # which of the episode's steps
    start: int
    end: int
    reward: float


@dataclass(slots=True)
class Sample:
    """One sequence for a trainer."""

    ids: list[int]
    mask: list[int]  # 1: a token that this seat's model produced
    logprobs: list[float]  # as it was drawn; nan where that is not known, or not produced
    rewards: list[float]  # each at the last token of the reply that earned it
    spans: list[Span]
    tensors: dict[str, Any]  # what the processor made of the pictures, for the model as it is
    marks: dict[str, list[int]]  # further inputs of the model with one number for each token
    pictures: list[Picture]
    seat: str
    agent: str
    env: str
    episode: str
    group: int
    exact: bool = True  # all produced tokens are recorded ones, none was encoded from text
    notes: list[str] = field(default_factory=list)  # why it is cut, or not exact


def samples(
    episode: Episode,
    seat: str,
    processor: Any,
    *,
    per: Literal["conversation", "turn"] = "conversation",
    template: Mapping[str, Any] | None = None,
) -> list[Sample]:
    """Return a seat's replies in an episode as sequences of tokens; none if the episode failed.

    processor: the tokenizer or processor of the model, or a Tokens to share between calls.
    per: one sample for each conversation, as far as each prompt goes on from the one before with
        the reply (where a template or a context rewrites what was there, a new sample begins and
        its notes say so), or one for each turn.
    template: further arguments of the chat template, the same that the agent used.
    """
    if per not in ("conversation", "turn"):
        raise ValueError(f"per={per!r}: expected 'conversation' or 'turn'")
    need(episode, Episode, "episode")
    if episode.failure is not None:
        return []
    tokens = processor if isinstance(processor, Tokens) else Tokens(processor, template)
    chat = episode.chat(seat)
    places = [place for place, step in enumerate(episode.steps) if step.agent == seat]
    own = set(episode.own(seat))
    found: list[Sample] = []
    for index, place in enumerate(places):
        if place not in own:  # nobody's whom the rollout asked: a part of the prompt
            continue
        messages = chat.messages(index)
        prompt = tokens.prompt(messages, chat.tools)
        step, why = episode.steps[place], prompt.note
        last = found[-1] if found and per == "conversation" else None
        if last is not None and prompt.ids[: len(last.ids)] != last.ids:
            why = why or (
                f"the context {chat.context} cuts what was there"
                if chat.context is not None
                else "the chat template writes earlier turns in another way"
            )
            last = None
        if last is None:
            last = _begin(episode, seat, prompt, messages)
            if why and per == "conversation" and found:
                last.notes.append(f"begins anew at step {place}: {why}")
            found.append(last)
        else:
            _go_on(last, prompt, messages)
        _produce(last, tokens, step, place, lambda: tokens.closing(messages, chat.tools))  # noqa: B023
    return found


def _begin(episode: Episode, seat: str, prompt: Prompt, messages: Any) -> Sample:
    length = len(prompt.ids)
    return Sample(
        ids=list(prompt.ids),
        mask=[0] * length,
        logprobs=[math.nan] * length,
        rewards=[0.0] * length,
        spans=[],
        tensors=dict(prompt.tensors),
        marks={name: list(value) for name, value in prompt.marks.items()},
        pictures=pictures(messages),
        seat=seat,
        agent=episode.agents[seat],
        env=episode.spec.id,
        episode=episode.id,
        group=episode.group,
    )


def _go_on(sample: Sample, prompt: Prompt, messages: Any) -> None:
    """Add what the seat saw after its last reply."""
    new = len(prompt.ids) - len(sample.ids)
    sample.ids = list(prompt.ids)
    sample.mask += [0] * new
    sample.logprobs += [math.nan] * new
    sample.rewards += [0.0] * new
    sample.tensors = dict(prompt.tensors)
    sample.marks = {name: list(value) for name, value in prompt.marks.items()}
    sample.pictures = pictures(messages)


def _produce(sample: Sample, tokens: Tokens, step: Step, place: int, closing: Any) -> None:
    """Add a reply."""
    reply = step.reply
    assert reply is not None  # a record has no step without
    own = own_ids(reply, tokens.tokenizer)
    ids = list(own) if own is not None else tokens.reply(reply, closing())
    given = getattr(reply, "usage", {}).get("prompt_tokens")
    if own is None:
        sample.exact = False
        sample.notes.append(f"step {place} came without token ids: its text is encoded")
    elif given is not None and given != len(sample.ids):
        sample.exact = False
        sample.notes.append(
            f"step {place}: its model was given {given} tokens, and the prompt here has "
            f"{len(sample.ids)}; are processor and template those of the agent?"
        )
    start = len(sample.ids)
    logprobs = getattr(reply, "logprobs", None) if own is not None else None
    if logprobs is None or len(logprobs) != len(ids):
        logprobs = [math.nan] * len(ids)
    sample.ids += ids
    sample.mask += [1] * len(ids)
    sample.logprobs += logprobs
    sample.rewards += [0.0] * len(ids)
    for value in sample.marks.values():
        value += [0] * len(ids)
    if ids:
        sample.rewards[-1] = step.reward
    sample.spans.append(Span(place, start, len(sample.ids), step.reward))
