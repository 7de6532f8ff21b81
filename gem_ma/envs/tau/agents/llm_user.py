"""A user of TAU-bench that a model plays, with the strategies of TAU-bench and a guard by rule."""

from __future__ import annotations

import re
from collections.abc import Generator
from dataclasses import replace
from typing import Any, Literal, get_args

from gem_ma.agents.wrappers.agent_wrapper import (
    AgentWrapper,
    copy_chat_before,
    replace_rules,
    select_fields,
    sum_usage,
)
from gem_ma.chat.reply import Reply
from gem_ma.chat.turn import Turn
from gem_ma.envs.tau.agents.users.traits import TRAITS, describe_persona, resolve_traits
from gem_ma.envs.tau.agents.users.user_faults import find_draft_faults

UserStrategy = Literal["plain", "react", "verify", "reflect", "guard"]

_CALL_SALT = 0x05E4  # separates the seeds of further calls from those of turns
_REACT_PROMPT = (
    "Every reply of yours has two parts. First think, in a line that begins with 'Thought:', about "
    "what the other side needs and what your task says of it; nobody else reads this. Then, after "
    "a line that says 'Message:', write what you send, and nothing below it."
)
_VERIFY_PROMPT = (
    "Stop for a moment: your last message is a draft, and was not sent. Check it against your "
    "task, strictly.\n"
    "- Each fact in it comes from your task or from what the assistant said.\n"
    "- It does not tell the whole task at once.\n"
    "- It is what the customer says, not what an assistant says or does.\n"
    "- It ends the conversation only if all that your task wants is done, or cannot be done.\n"
    "Answer with one line: 'ok', or 'bad: ' and what is wrong."
)
_REFLECT_PROMPT = (
    "Your draft was not sent. What is wrong with it: {why}\n"
    "Say in one sentence how this came about, and what you will do instead."
)
_REWRITE_PROMPT = (
    "Your draft was not sent. What is wrong with it: {why}\n"
    "Write another message in its place: the message alone, with no word about the draft."
)
_REFLECTED_REWRITE_PROMPT = (
    "Your draft was not sent. What is wrong with it: {why}\nWhat you thought about it: {thought}\n"
    "Write another message in its place: the message alone, with no word about the draft."
)
_MARKER = re.compile(r"^[^\w\n]*message[*_` ]*:[*_` \t]*", re.I | re.M)
_THOUGHT = re.compile(r"^[^\w\n]*thought[*_` ]*:.*(?:\n|\Z)", re.I | re.M)
_VERDICT = re.compile(r"^[^\w\n]*(?:ok[^\w\n]*$|(bad)\b[:.,*_` -]*(.*))", re.I | re.M)


class LLMUser(AgentWrapper):
    """Play the user's seat with any agent, which may think first or check its drafts.

    Usage and latency are sums over all calls. A reply has token ids and logprobs if the
    agent wrote it in answer to exactly the recorded chat.

    Args:
        agent: an agent, a function of a Turn, or a spec string.
        strategy: "plain" calls the agent once. With "react" the agent thinks first, and the
            assistant does not see its thoughts. With "verify" it checks each draft and rewrites a
            bad one. With "reflect" it also comments on a bad draft before it rewrites it. With
            "guard" rules check each draft, and the agent rewrites one that is a fault of the user:
            it invents a fact, stops too early, talks like the assistant, or says that the user did
            what it did not. Faults that belong to a trait of the user pass.
        tries: maximum number of rewrites of a bad draft. The last draft is sent unchecked.
        kind: kind of user that the agent is told to be, with traits from 0 to 1 that the other
            arguments override; see `gem_ma.envs.tau.agents.users.traits`. "plain" adds no prompt.
    """

    seats = ("user",)

    def __init__(
        self,
        agent: Any,
        strategy: UserStrategy = "plain",
        tries: int = 2,
        kind: str = "plain",
        talkative: float | None = None,
        forgetful: float | None = None,
        mistaken: float | None = None,
        impatient: float | None = None,
        vague: float | None = None,
        chaotic: float | None = None,
        suspicious: float | None = None,
        polite: float | None = None,
        off_topic: float | None = None,
        typos: float | None = None,
        overclaiming: float | None = None,
        partial: float | None = None,
        evasive: float | None = None,
        questioning: float | None = None,
        reluctant: float | None = None,
        returning: float | None = None,
        fickle: float | None = None,
        misleading: float | None = None,
        irritable: float | None = None,
        terse: float | None = None,
        leaving: float | None = None,
    ):
        traits = {name: value for name, value in locals().items() if name in TRAITS}
        if strategy not in get_args(UserStrategy):
            raise ValueError(
                f"strategy={strategy!r}: expected {', '.join(map(repr, get_args(UserStrategy)))}"
            )
        if tries < 1:
            raise ValueError(f"tries={tries}: expected 1 or more")
        super().__init__(agent)
        self.strategy = strategy
        self.tries = tries
        self.traits = resolve_traits(kind, traits)
        self.persona = describe_persona(self.traits)

    def run_calls(self, turn: Turn) -> Generator[Turn, str, str]:
        """Yield the turns that the agent answers, and return the user's message."""
        if self.persona:
            turn = replace_rules(turn, f"{turn.rules}\n\n{self.persona}")
        if self.strategy == "plain":
            answer = yield turn
            return self._drop_token_ids(answer) if self.persona else answer
        if self.strategy == "react":
            answer = yield replace_rules(turn, f"{_REACT_PROMPT}\n\n{turn.rules}")
            return sum_usage(
                [answer], Reply(_extract_message(answer), **select_fields(answer, "finish_reason"))
            )
        first = draft = yield turn
        calls = [first]
        for _ in range(self.tries):
            if self.strategy == "guard":
                faults = find_draft_faults(turn, draft, self.traits)
                why = f"it {', and it '.join(faults)}." if faults else None
            else:
                calls.append((yield _continue_turn(turn, draft, _VERIFY_PROMPT, len(calls))))
                why = _find_objection(calls[-1])
            if why is None:
                break
            request = _REWRITE_PROMPT.format(why=why)
            if self.strategy == "reflect":
                thought = yield _continue_turn(
                    turn, draft, _REFLECT_PROMPT.format(why=why), len(calls)
                )
                calls.append(thought)
                request = _REFLECTED_REWRITE_PROMPT.format(why=why, thought=thought.strip())
            draft = yield _continue_turn(turn, draft, request, len(calls))
            calls.append(draft)
        if draft is not first or self.persona:
            draft = self._drop_token_ids(draft)
        return sum_usage(calls, Reply(draft, **select_fields(draft, *Reply.__slots__)))

    @staticmethod
    def _drop_token_ids(reply: str) -> Reply:
        """Return a reply to another chat than the recorded one, without data about its tokens."""
        names = "finish_reason", "tool_calls", "usage", "latency"
        return Reply(reply, **select_fields(reply, *names))

    def __repr__(self) -> str:
        traits = "".join(f", {name}={value}" for name, value in self.traits.items())
        return f"LLMUser({self.agent!r}, strategy={self.strategy!r}, tries={self.tries}{traits})"


def _continue_turn(turn: Turn, draft: str, text: str, number: int) -> Turn:
    """Return a further turn, in which the agent has sent the draft and reads a text about it."""
    chat = copy_chat_before(turn)
    chat.add_turn(turn, turn.number)
    chat.steps[-1].reply = draft
    new_turn = replace(
        turn,
        observation={"text": text},
        text=text,
        results=(),
        seed_numbers=(turn.seed, _CALL_SALT, number),
        first=False,
        chat=chat,
        index=len(chat.steps),
    )
    chat.add_turn(new_turn, turn.number)
    return new_turn


def _extract_message(answer: str) -> str:
    """Return the text after the last message marker, without thoughts."""
    *_, message = _MARKER.split(answer)
    return _THOUGHT.sub("", message).strip()


def _find_objection(answer: str) -> str | None:
    """Return the objection of the last verdict in an answer, or None if there is none."""
    verdicts = _VERDICT.findall(answer)
    if not verdicts or not verdicts[-1][0]:
        return None
    return verdicts[-1][1].strip() or "it does not keep to your task."
