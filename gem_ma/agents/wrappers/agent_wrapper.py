"""The base class of agent wrappers, and functions for turns and replies that they share."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from dataclasses import replace
from typing import Any, Self

from gem_ma.chat.agent import (
    Agent,
    ask_agent,
    check_agent_replies,
    get_traits,
    notify_episode_end,
    notify_rollout_end,
)
from gem_ma.chat.conversation import Conversation
from gem_ma.chat.reply import Reply
from gem_ma.chat.turn import Turn
from gem_ma.validation.arguments import check_each
from gem_ma.validation.json_types import JSONObject


class AgentWrapper:
    """An agent that makes its reply from one or several replies of the agent inside.

    Subclasses override `run_calls`. The wrapper is a coroutine if the agent inside is one, and
    blocks if that agent blocks.
    """

    def __init__(self, agent: Any):
        from gem_ma.agents.loading import load_agent

        self.agent: Agent = load_agent(agent)
        self._is_async = inspect.iscoroutinefunction(self.agent.act)

    def run_calls(self, turn: Turn) -> Generator[Turn, str, str]:
        """Yield turns for the agent inside, receive its replies, and return one reply."""
        return (yield turn)

    @property
    def blocking(self) -> bool:
        """Whether the agent inside blocks."""
        return get_traits(self.agent).blocking

    def on_episode_end(self, episode: object) -> None:
        """Pass the end of an episode on to the agent inside."""
        notify_episode_end(self.agent, episode)

    def on_rollout_end(self) -> None:
        """Pass the end of a rollout on to the agent inside."""
        notify_rollout_end(self.agent)

    @property
    def act(self) -> Callable[[list[Turn]], Any]:
        """Return the method that replies: a coroutine function if the agent inside has one."""
        return self._act_async if self._is_async else self._act

    def _act(self, turns: list[Turn]) -> list[str]:
        works = [_CallSequence(self.run_calls(turn)) for turn in check_each(turns, Turn, "turns")]
        while wave := [work for work in works if work.turn]:
            requests = [work.turn for work in wave if work.turn]
            self._pass_answers(wave, ask_agent(self.agent, requests))
        return [work.reply for work in works]

    async def _act_async(self, turns: list[Turn]) -> list[str]:
        works = [_CallSequence(self.run_calls(turn)) for turn in check_each(turns, Turn, "turns")]
        while wave := [work for work in works if work.turn]:
            requests = [work.turn for work in wave if work.turn]
            answer: Any = self.agent.act(requests)
            self._pass_answers(wave, check_agent_replies(self.agent, requests, await answer))
        return [work.reply for work in works]

    def _pass_answers(self, wave: list[_CallSequence], answers: list[Any]) -> None:
        for work, answer in zip(wave, answers, strict=True):
            if not isinstance(answer, str):
                kind = type(answer).__name__
                raise TypeError(f"{self.agent!r} replied with a {kind}; expected a str")
            work.send_answer(answer)

    async def __aenter__(self) -> Self:
        if hasattr(self.agent, "__aenter__"):
            await self.agent.__aenter__()
        return self

    async def __aexit__(self, *error: object) -> None:
        if hasattr(self.agent, "__aexit__"):
            await self.agent.__aexit__(*error)


class _CallSequence:
    """The state of `run_calls` for one turn: the next turn for the agent inside, or the reply."""

    def __init__(self, calls: Generator[Turn, str, str]):
        self.calls = calls
        self.turn: Turn | None = next(calls)
        self.reply = ""

    def send_answer(self, answer: str) -> None:
        """Resume with the agent's answer."""
        try:
            self.turn = self.calls.send(answer)
        except StopIteration as end:
            self.turn, self.reply = None, end.value


def copy_chat_before(turn: Turn) -> Conversation:
    """Return a copy of the chat before a turn. The copy may be changed."""
    old = turn.chat
    if old is None:
        return Conversation(turn.seat)
    chat = Conversation(turn.seat, episode=old.episode, context=old.context, salt=old.salt)
    chat.steps = old.steps[: turn.index]
    return chat


def replace_rules(turn: Turn, rules: str) -> Turn:
    """Return a copy of the turn with other rules."""
    chat = copy_chat_before(turn)
    new_turn = replace(turn, rules=rules, chat=chat, index=len(chat.steps))
    chat.add_turn(new_turn, turn.number)
    return new_turn


def select_fields(reply: str, *names: str) -> JSONObject:
    """Return some fields of a reply, without those that the model did not report."""
    fields = reply.fields() if isinstance(reply, Reply) else {}
    return {name: value for name, value in fields.items() if name in names}


def sum_usage(calls: Sequence[str], reply: Reply) -> Reply:
    """Return the reply with the usage, latency and cost of all calls added up."""
    usage: Counter[str] = Counter()
    for call in calls:
        usage.update(getattr(call, "usage", {}))
    reply.usage = dict(usage)
    reply.latency, reply.cost = (_sum_known(calls, name) for name in ("latency", "cost"))
    reply.cached = True if all(getattr(call, "cached", None) for call in calls) else None
    return reply


def _sum_known(calls: Sequence[str], name: str) -> float | None:
    """Return the sum of an attribute over the calls that have it, or None if none has it."""
    known = [value for call in calls if (value := getattr(call, name, None)) is not None]
    return sum(known) if known else None
