"""Episodes as token ids, with a mask over exactly the tokens that a seat's model produced."""

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
    """The position of a reply in a sample, and its reward until the seat's next turn."""

    step: int  # index of the step in the episode
    start: int
    end: int
    reward: float
    share: float = 1.0  # factor on the value of the step, below 1 if several calls share it


@dataclass(slots=True)
class TokenSample:
    """One token sequence for a trainer."""

    ids: list[int]
    mask: list[int]  # 1: a token that this seat's model produced
    logprobs: list[float]  # when the token was drawn; nan if unknown or not produced
    rewards: list[float]  # each at the last token of the reply that earned it
    spans: list[ReplySpan]
    tensors: dict[str, Any]  # the processor's outputs for the pictures, as the model takes them
    token_features: dict[
        str, list[int]
    ]  # further inputs of the model with one number for each token
    pictures: list[Picture]
    seat: str
    agent: str
    env: str
    episode: str
    group: int
    # for guided decoding: the token ids that were allowed, by position of the produced token
    allowed_ids: dict[int, list[int]] = field(default_factory=dict)
    exact: bool = True  # the model read and drew exactly these tokens, none was encoded from text
    notes: list[str] = field(default_factory=list)  # why a new sample starts or is not exact


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
    """Return a seat's replies in an episode as token sequences; an empty list if it failed.

    Args:
        processor: the tokenizer or processor of the model, or a ChatTokenizer to share between
            calls, which has its own template and history.
        per: "conversation" makes one sample while each prompt extends the previous prompt and
            reply. Where a context or a server rewrites earlier turns, a new sample starts and its
            notes give the reason. "turn" makes one sample for each turn.
        credit: which model calls of a program get the value of its move, since a program may call
            its model several times for one move: "all" of them, only the "last", or an "even" share
            for each.
        template: further arguments of the chat template, the same as the agent's.
        history: how a prompt contains earlier replies (see `ChatTokenizer`), the same as the
            agent's. With "keep" all turns of a chat are one sample, unless a context cuts it.

    Examples:
        >>> import gem_ma
        >>> from gem_ma.training import build_samples, train_processor
        >>> episodes = gem_ma.rollout("game:TicTacToe-v0", "random", 2, seed=0)
        >>> tokenizer = train_processor(episodes, 300)  # or AutoTokenizer.from_pretrained(...)
        >>> (sample,) = build_samples(episodes[0], "x", tokenizer)
        >>> [tokenizer.decode(i) for i, m in zip(sample.ids, sample.mask) if m]
        ['1', '<|im_end|>', '5', '<|im_end|>', '2', '<|im_end|>', '0', '<|im_end|>']
    """
    if per not in ("conversation", "turn"):
        raise ValueError(f"per={per!r}: expected 'conversation' or 'turn'")
    if credit not in ("all", "last", "even"):
        raise ValueError(f"credit={credit!r}: expected 'all', 'last' or 'even'")
    check_type(episode, Episode, "episode")
    if episode.failure is not None:
        return []
    tokens = ChatTokenizer.wrap(processor, template, history)
    chat = episode.chat(seat)
    places = [place for place, step in enumerate(episode.steps) if step.agent == seat]
    own = set(episode.list_own_steps(seat))
    if any(getattr(episode.steps[place].reply, "calls", None) for place in own):
        return _build_call_samples(episode, seat, tokens, per, credit)
    samples: list[TokenSample] = []
    for index, place in enumerate(places):
        if place not in own:  # played before the rollout: part of the prompt
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
    """Add a turn to the last sample if its prompt extends that sample, else to a new sample."""
    step, messages = episode.steps[place], chat.build_messages(index)
    prompt, doubt = _build_step_prompt(step, tokens, messages, chat.tools)
    last = samples[-1] if samples and per == "conversation" else None
    if last is not None and prompt.ids[: len(last.ids)] == last.ids:
        _extend_prompt(last, prompt, messages)
    else:
        why = "" if last is None else _explain_new_start(prompt, chat, step)
        last = _start_sample(episode, chat.seat, prompt, messages)
        if why:
            last.notes.append(f"a new sample starts at step {place}: {why}")
        samples.append(last)
    if doubt:
        last.exact = False
        last.notes.append(f"step {place}: {doubt}")
    closing = partial(tokens.find_end_token, messages, chat.tools)
    _append_reply(last, tokens, step, place, closing)


def _explain_new_start(prompt: TokenizedPrompt, chat: Conversation, step: Step) -> str:
    """Return why a prompt does not extend the previous sample."""
    if prompt.note:
        return prompt.note
    if chat.context is not None:
        return f"the context {chat.context} cuts earlier turns"
    if getattr(step.reply, "prompt_ids", None):
        return "the server encodes earlier turns with other tokens"
    return "the chat template writes earlier turns in another way"


def _is_undrawn(reply: str | None) -> bool:
    """Return whether no model was called for a reply, as when the chat had no room for more."""
    ids = getattr(reply, "token_ids", None)
    return ids is not None and not ids and not reply


def _credit_last_reply(samples: list[TokenSample], step: Step) -> None:
    """Add the reward of a turn in which no token was drawn to the last turn with drawn tokens."""
    if not samples:
        return
    sample = samples[-1]
    span = sample.spans[-1]
    sample.spans[-1] = span._replace(reward=span.reward + step.reward)
    sample.rewards[span.end - 1] += step.reward


def _build_step_prompt(
    step: Step, tokens: ChatTokenizer, messages: Sequence[ChatMessage], tools: Sequence[SeatTool]
) -> tuple[TokenizedPrompt, str]:
    """Return the prompt of a step, and why it may differ from the model's, or an empty text."""
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
    """Return the model calls of a program as samples; a call extends the longest matching sample.

    Text from earlier turns is part of each prompt in which the program sent it again.
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
    """Return the prompt of a call, and why it may differ from the model's, or an empty text."""
    if call.prompt_ids is not None:
        return TokenizedPrompt(list(call.prompt_ids)), ""
    return tokens.build_prompt(
        call.messages, call.tools
    ), "the server gave no prompt_ids: the messages are encoded here"


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
    """Add the part of a prompt that follows the seat's last reply."""
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
    """Add the tokens, log-probabilities and reward of a reply to a sample."""
    reply = step.reply
    assert reply is not None  # each recorded step has a reply
    own = find_reply_ids(reply, tokens.tokenizer)
    ids = list(own) if own is not None else tokens.encode_reply(reply, closing())
    prompt_length = getattr(reply, "usage", {}).get("prompt_tokens")
    if own is None:
        sample.exact = False
        sample.notes.append(f"step {place} has no token ids: its text is encoded here")
    elif prompt_length is not None and prompt_length != len(sample.ids):
        sample.exact = False
        sample.notes.append(
            f"step {place}: the model read {prompt_length} tokens, and the prompt here has "
            f"{len(sample.ids)}; use the processor, template and history of the agent"
        )
    start = len(sample.ids)
    logprobs = getattr(reply, "logprobs", None) if own is not None else None
    if logprobs is None or len(logprobs) != len(ids):
        logprobs = [math.nan] * len(ids)
    allowed = getattr(reply, "allowed_ids", None) if own is not None else None
    if allowed is not None and len(allowed) != len(ids):
        sample.exact = False
        sample.notes.append(
            f"step {place}: {len(ids)} tokens, but allowed_ids has {len(allowed)} lists"
        )
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
