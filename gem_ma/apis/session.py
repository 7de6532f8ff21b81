"""Session: one episode under way, driven turn by turn."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Self

from gem_ma.apis.base_env import BaseEnv
from gem_ma.chat.agent import Agent, ask_agent
from gem_ma.chat.conversation import Conversation, Step
from gem_ma.chat.reply import with_latency
from gem_ma.chat.turn import Turn
from gem_ma.game import ResetOptions


class Session:
    """One episode under way: which seats are due, what they reply, and the steps of it so far.

    Everything that plays is a loop over it:

        session = Session(env)
        session.reset(seed=0)
        while session.due:
            session.step({seat: choose_reply(session.turn(seat)) for seat in session.due})

    Attributes:
        env: The environment, with its wrappers.
        conversations: By seat what it was asked and replied; a seat that is not in it is not
            recorded.
        due: The seats that are to reply now; none when the episode is over.
        steps: The steps of all recorded seats, in the order in which they were taken.
        returns: What each seat has earned since the reset.
    """

    __slots__ = ("conversations", "due", "env", "pending", "returns", "steps", "unassigned")

    def __init__(self, env: BaseEnv, conversations: Mapping[str, Conversation] | None = None):
        self.env = env
        if conversations is None:
            conversations = {seat: Conversation(seat) for seat in env.match.seats}
        self.conversations = conversations
        self.due: tuple[str, ...] = ()
        self.pending: dict[str, str] = {}  # replies that wait for those of other seats
        self.steps: list[Step] = []
        self.returns: dict[str, float] = {}
        self.unassigned: dict[str, float] = {}  # earned before a seat's first step

    def reset(self, seed: int | None = None, options: ResetOptions | None = None) -> None:
        """Begin an episode."""
        self.env.reset(seed=seed, options=options)
        match = self.env.match
        self.due = match.waiting_seats
        self.returns.update(dict.fromkeys(match.seats, 0.0))

    def turn(self, seat: str) -> Turn:
        """Return what a due seat is asked; its conversation waits for the reply from then on."""
        return self.env.turn(seat, self.conversations[seat])

    def reply(self, seat: str, reply: str, seconds: float = 0.0) -> bool:
        """Take the reply of one due seat; return whether all due seats have replied.

        Args:
            seat: Who replies.
            reply: Its reply, which `step` hands in with those of the others.
            seconds: How long the reply took.
        """
        self.conversations[seat].steps[-1].seconds = seconds
        clock = self.env.match.clock
        if clock and clock.unit == "seconds" and getattr(reply, "latency", None) is None:
            # The record keeps the latency, so that it can be replayed.
            reply = with_latency(reply, seconds)
        self.pending[seat] = reply
        return len(self.pending) == len(self.due)

    def step(self, replies: Mapping[str, Any] | None = None) -> Mapping[str, float]:
        """Hand in replies of due seats, write down what they led to, and return the rewards.

        Args:
            replies: By seat; None: those that `reply` took.

        Returns:
            What each seat earned; a seat that is not named earned nothing.
        """
        if replies is None:
            replies, self.pending = self.pending, {}
        if len(replies) > 1:  # in whatever order they came
            replies = {seat: replies[seat] for seat in self.due if seat in replies}
        rewards = self.env.step_seats(replies)
        match, conversations = self.env.match, self.conversations
        refused, moved = match.invalid_replies, match.last_moves
        for seat, reply in replies.items():
            if seat not in conversations:
                continue
            step = conversations[seat].steps[-1]
            step.reply = reply
            if seat in moved:
                move = moved[seat]
                step.move = move if move is None else str(move)
            if seat in refused:
                step.invalid = to_json_value(refused[seat])
            if self.unassigned:
                step.reward += self.unassigned.pop(seat, 0.0)
            self.steps.append(step)
        if rewards:
            self._assign_rewards(rewards)
        self.due = match.waiting_seats
        return rewards

    def _assign_rewards(self, rewards: Mapping[str, float]) -> None:
        """Write rewards down at the last step of their seats."""
        for seat, reward in rewards.items():
            if reward:
                self.returns[seat] += reward
                conversation = self.conversations.get(seat)
                if conversation is not None and conversation.steps:
                    conversation.steps[-1].reward += reward
                else:
                    self.unassigned[seat] = self.unassigned.get(seat, 0.0) + reward

    def ask(self, agents: Mapping[str, Agent], seats: Collection[str]) -> dict[str, str]:
        """Return the replies of some due seats, each agent asked once for all its seats."""
        batches: dict[int, tuple[Agent, list[str]]] = {}
        for seat in seats:
            agent = agents[seat]
            batches.setdefault(id(agent), (agent, []))[1].append(seat)
        replies: dict[str, str] = {}
        for agent, agent_seats in batches.values():
            turns = [self.turn(seat) for seat in agent_seats]
            replies.update(zip(agent_seats, ask_agent(agent, turns), strict=True))
        return replies

    def copy(self, env: BaseEnv) -> Self:
        """Return this session over another environment, which stands where this one's does."""
        chats = {seat: chat.copy() for seat, chat in self.conversations.items()}
        other = type(self)(env, chats)
        other.due, other.pending = self.due, dict(self.pending)
        own = {id(old): new for seat in chats for old, new in self._pair_steps(seat, chats[seat])}
        other.steps = [own[id(step)] for step in self.steps]
        other.returns, other.unassigned = dict(self.returns), dict(self.unassigned)
        return other

    def _pair_steps(self, seat: str, chat: Conversation) -> zip[tuple[Step, Step]]:
        return zip(self.conversations[seat].steps, chat.steps, strict=True)


def to_json_value(value: object) -> Any:
    """Return a value as JSON brings it back; what JSON does not know becomes text."""
    if value is None or isinstance(value, str | int | float | bool):
        return value
    if isinstance(value, Mapping):
        return {str(key): to_json_value(one) for key, one in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [to_json_value(one) for one in value]
    if hasattr(value, "tolist"):  # numpy's
        return value.tolist()
    return str(value)
