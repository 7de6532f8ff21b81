"""Episodes as token ids, with a mask over exactly what a seat's model produced."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal, NamedTuple

from gem_ma.chat.conversation import Conversation, Step
from gem_ma.chat.messages import ChatMessage, Picture, list_pictures
from gem_ma.chat.model_calls import ModelCall, unpack_calls
from gem_ma.chat.reply import Reply
from gem_ma.chat.tokenization import (
    ChatTokenizer,
    ReplyHistory,
    TokenizedPrompt,
    find_reply_ids,
)
from gem_ma.game import SeatTool
from gem_ma.rollouts.episode import Episode
from gem_ma.validation.arguments import check_type
from gem_ma.validation.json_types import JSONMapping


class ReplySpan(NamedTuple):
    """Where a reply stands in a sample, and what it earned until the seat's next turn."""

    step: int  # which of the episode's steps
    start: int
    end: int
    reward: float
    share: float = 1.0  # of what the step is worth


@dataclass(slots=True)
class TokenSample:
    """One sequence for a trainer."""

    ids: list[int]
    mask: list[int]  # 1: a token that this seat's model produced
    logprobs: list[float]  # as it was drawn; nan where that is not known, or not produced
    rewards: list[float]  # each at the last token of the reply that earned it
    spans: list[ReplySpan]
    tensors: dict[str, Any]  # what the processor made of the pictures, for the model as it is
    token_features: dict[
        str, list[int]
    ]  # further inputs of the model with one number for each token
    pictures: list[Picture]
    seat: str
    agent: str
    env: str
    episode: str
    group: int
    # by place, what a produced token was drawn from where decoding was guided
    allowed_ids: dict[int, list[int]] = field(default_factory=dict)
    exact: bool = True  # all produced tokens are recorded ones, none was encoded from text
    notes: list[str] = field(default_factory=list)  # why it is cut, or not exact


def build_samples(
    episode: Episode,
    seat: str,
    processor: Any,
    *,
    per: Literal["conversation", "turn"] = "conversation",
    credit: Literal["all", "last", "even"] = "all",
    template: JSONMapping | None = None,
    history: ReplyHistory = "keep",
) -> list[TokenSample]:
    """Return a seat's replies in an episode as sequences of tokens; none if the episode failed.

    Args:
        processor: the tokenizer or processor of the model, or a ChatTokenizer to share between
            calls, which has a template and a history of its own.
        per: one sample for each conversation, as far as each prompt goes on from the one before
            with the reply (where a context or a server rewrites what was there, a new sample
            begins and its notes say so), or one for each turn.
        credit: which calls of a program learn from what its move is worth, as it may call its model
            several times before, in one conversation or in several: "all" do, only the "last" does,
            or all do by an "even" part.
        template: further arguments of the chat template, the same that the agent used.
        history: how earlier replies stand in a prompt (see `ChatTokenizer`), as the agent was told.
            With "keep" all turns of a chat are one sample, unless a context cuts it.
    """
    if per not in ("conversation", "turn"):
        raise ValueError(f"per={per!r}: expected 'conversation' or 'turn'")
    if credit not in ("all", "last", "even"):
        raise ValueError(f"credit={credit!r}: expected 'all', 'last' or 'even'")
    check_type(episode, Episode, "episode")
    if episode.failure is not None:
        return []
    tokens = (
        processor
        if isinstance(processor, ChatTokenizer)
        else ChatTokenizer(processor, template, history)
    )
    chat = episode.chat(seat)
    places = [place for place, step in enumerate(episode.steps) if step.agent == seat]
    own = set(episode.list_own_steps(seat))
    if any(getattr(episode.steps[place].reply, "calls", None) for place in own):
        return _build_call_samples(episode, seat, tokens, per, credit)
    samples: list[TokenSample] = []
    for index, place in enumerate(places):
        if place not in own:  # nobody's whom the rollout asked: a part of the prompt
            continue
        if _is_undrawn(episode.steps[place].reply):
            _credit_last_reply(samples, episode.steps[place])
        else:
            _add_turn(samples, episode, chat, tokens, index, place, per)
    return samples


def _add_turn(
    samples: list[TokenSample],
    episode: Episode,
    chat: Conversation,
    tokens: ChatTokenizer,
    index: int,
    place: int,
    per: str,
) -> None:
    """Add what a seat saw and said in a step: to the last sample, if it goes on from there."""
    step, messages = episode.steps[place], chat.build_messages(index)
    prompt, doubt = _build_step_prompt(step, tokens, messages, chat.tools)
    last = samples[-1] if samples and per == "conversation" else None
    if last is not None and prompt.ids[: len(last.ids)] == last.ids:
        _extend_prompt(last, prompt, messages)
    else:
        why = "" if last is None else _explain_new_start(prompt, chat, step)
        last = _start_sample(episode, chat.seat, prompt, messages)
        if why:
            last.notes.append(f"begins anew at step {place}: {why}")
        samples.append(last)
    if doubt:
        last.exact = False
        last.notes.append(f"step {place}: {doubt}")
    closing = partial(tokens.find_end_token, messages, chat.tools)
    _append_reply(last, tokens, step, place, closing)


def _explain_new_start(prompt: TokenizedPrompt, chat: Conversation, step: Step) -> str:
    """Return why a prompt does not go on from the one before."""
    if prompt.note:
        return prompt.note
    if chat.context is not None:
        return f"the context {chat.context} cuts what was there"
    if getattr(step.reply, "prompt_ids", None):
        return "its server writes earlier turns in other tokens"
    return "earlier turns are written in another way"


def _is_undrawn(reply: str | None) -> bool:
    """Return whether a model was not asked for a reply, as where a chat had no room for one."""
    ids = getattr(reply, "token_ids", None)
    return ids is not None and not ids and not reply


def _credit_last_reply(samples: list[TokenSample], step: Step) -> None:
    """Add what came of a turn in which nothing was drawn to the last one in which something was."""
    if not samples:
        return
    sample = samples[-1]
    span = sample.spans[-1]
    sample.spans[-1] = span._replace(reward=span.reward + step.reward)
    sample.rewards[span.end - 1] += step.reward


def _build_step_prompt(
    step: Step, tokens: ChatTokenizer, messages: Sequence[ChatMessage], tools: Sequence[SeatTool]
) -> tuple[TokenizedPrompt, str]:
    """Return the prompt of a step, and why it is not what the model was given, if it may not be."""
    given = getattr(step.reply, "prompt_ids", None)
    if given is None or find_reply_ids(step.reply or "", tokens.tokenizer) is None:
        return tokens.build_prompt(messages, tools), ""
    if not given:
        note = "its server told no ids of the prompt: the messages are encoded"
        return tokens.build_prompt(messages, tools), note
    if not list_pictures(messages):
        return TokenizedPrompt(list(given)), ""
    prompt = tokens.build_prompt(messages, tools)
    same = prompt.ids == list(given)
    return (
        prompt,
        "" if same else "its server was given other tokens, with other places of pictures",
    )


def _build_call_samples(
    episode: Episode, seat: str, tokens: ChatTokenizer, per: str, credit: str
) -> list[TokenSample]:
    """Return the calls of a program as samples: each goes on from the longest that it begins with.

    What it wrote in earlier turns is part of a prompt as often as it was sent again.
    """
    places = [place for place, step in enumerate(episode.steps) if step.agent == seat]
    own = set(episode.list_own_steps(seat))
    found: list[TokenSample] = []
    for place, calls in zip(places, unpack_calls(episode.steps[i] for i in places), strict=True):
        step = episode.steps[place]
        for number, call in enumerate(calls, 1):
            last = number == len(calls)
            if place not in own or (credit == "last" and not last):
                continue
            share = 1 / len(calls) if credit == "even" else 1.0
            prompt, note = _build_call_prompt(call, tokens)
            before = [one for one in found if prompt.ids[: len(one.ids)] == one.ids]
            if before and per == "conversation":
                sample = max(before, key=lambda one: len(one.ids))
                _extend_prompt(sample, prompt, call.messages)
            else:
                sample = _start_sample(episode, seat, prompt, call.messages)
                found.append(sample)
            if note:
                sample.exact = False
                sample.notes.append(f"step {place}, call {number}: {note}")
            reply = Reply(
                call.text,
                prompt_ids=call.prompt_ids,
                token_ids=call.token_ids,
                logprobs=call.logprobs,
            )
            reply.tool_calls = call.tool_calls
            what = replace(step, reply=reply, reward=step.reward * share)
            closing = partial(tokens.find_end_token, call.messages, call.tools)
            _append_reply(sample, tokens, what, place, closing, share)
    return found


def _build_call_prompt(call: ModelCall, tokens: ChatTokenizer) -> tuple[TokenizedPrompt, str]:
    """Return the prompt of a call, and why it is not what the model was given, if it may not be."""
    if call.prompt_ids is not None:
        return TokenizedPrompt(list(call.prompt_ids)), ""
    return tokens.build_prompt(
        call.messages, call.tools
    ), "its server gave no ids: its messages are encoded"


def _start_sample(
    episode: Episode, seat: str, prompt: TokenizedPrompt, messages: Any
) -> TokenSample:
    length = len(prompt.ids)
    return TokenSample(
        ids=list(prompt.ids),
        mask=[0] * length,
        logprobs=[math.nan] * length,
        rewards=[0.0] * length,
        spans=[],
        tensors=dict(prompt.tensors),
        token_features={name: list(value) for name, value in prompt.token_features.items()},
        pictures=list_pictures(messages),
        seat=seat,
        agent=episode.agents[seat],
        env=episode.spec.id,
        episode=episode.id,
        group=episode.group,
    )


def _extend_prompt(sample: TokenSample, prompt: TokenizedPrompt, messages: Any) -> None:
    """Add what the seat saw after its last reply."""
    new = len(prompt.ids) - len(sample.ids)
    sample.ids = list(prompt.ids)
    sample.mask += [0] * new
    sample.logprobs += [math.nan] * new
    sample.rewards += [0.0] * new
    sample.tensors = dict(prompt.tensors)
    sample.token_features = {name: list(value) for name, value in prompt.token_features.items()}
    sample.pictures = list_pictures(messages)


def _append_reply(
    sample: TokenSample,
    tokens: ChatTokenizer,
    step: Step,
    place: int,
    closing: Any,
    share: float = 1.0,
) -> None:
    """Add a reply."""
    reply = step.reply
    assert reply is not None  # a record has no step without
    own = find_reply_ids(reply, tokens.tokenizer)
    ids = list(own) if own is not None else tokens.encode_reply(reply, closing())
    prompt_length = getattr(reply, "usage", {}).get("prompt_tokens")
    if own is None:
        sample.exact = False
        sample.notes.append(f"step {place} came without token ids: its text is encoded")
    elif prompt_length is not None and prompt_length != len(sample.ids):
        sample.exact = False
        sample.notes.append(
            f"step {place}: its model was given {prompt_length} tokens, and the prompt here has "
            f"{len(sample.ids)}; are processor, template and history those of the agent?"
        )
    start = len(sample.ids)
    logprobs = getattr(reply, "logprobs", None) if own is not None else None
    if logprobs is None or len(logprobs) != len(ids):
        logprobs = [math.nan] * len(ids)
    allowed = getattr(reply, "allowed_ids", None) if own is not None else None
    if allowed is not None and len(allowed) != len(ids):
        sample.exact = False
        sample.notes.append(f"step {place}: {len(ids)} tokens, drawn from {len(allowed)} sets")
    elif allowed is not None:
        sample.allowed_ids.update(enumerate(map(list, allowed), start))
    sample.ids += ids
    sample.mask += [1] * len(ids)
    sample.logprobs += logprobs
    sample.rewards += [0.0] * len(ids)
    for value in sample.token_features.values():
        value += [0] * len(ids)
    if ids:
        sample.rewards[-1] = step.reward
    sample.spans.append(ReplySpan(place, start, len(sample.ids), step.reward, share))
