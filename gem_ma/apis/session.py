"""Session: an episode in progress, played turn by turn."""

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
    """An episode in progress: the seats that are due, their replies, and the steps so far.

    Every player of episodes is a loop over a session:

        session = Session(env)
        session.reset(seed=0)
        while session.due:
            session.step({seat: choose_reply(session.turn(seat)) for seat in session.due})

    Attributes:
        env: The environment, with its wrappers.
        conversations: From seat to its conversation. Seats without one are not recorded.
        due: The seats that are to reply now; empty when the episode is over.
        steps: The steps of all recorded seats, in the order of play.
        returns: The sum of each seat's rewards since the reset.
    """

    __slots__ = ("conversations", "due", "env", "pending", "returns", "steps", "unassigned")

    def __init__(self, env: BaseEnv, conversations: Mapping[str, Conversation] | None = None):
        self.env = env
        if conversations is None:
            conversations = {seat: Conversation(seat) for seat in env.match.seats}
        self.conversations = conversations
        self.due: tuple[str, ...] = ()
        self.pending: dict[str, str] = {}  # replies taken while other seats are still due
        self.steps: list[Step] = []
        self.returns: dict[str, float] = {}
        self.unassigned: dict[str, float] = {}  # rewards earned before a seat's first step

    def reset(self, seed: int | None = None, options: ResetOptions | None = None) -> None:
        """Begin an episode."""
        self.env.reset(seed=seed, options=options)
        match = self.env.match
        self.due = match.waiting_seats
        self.returns.update(dict.fromkeys(match.seats, 0.0))

    def turn(self, seat: str) -> Turn:
        """Return the turn of a due seat, and add it to the seat's conversation."""
        return self.env.turn(seat, self.conversations[seat])

    def reply(self, seat: str, reply: str, seconds: float = 0.0) -> bool:
        """Store the reply of one due seat; return whether all due seats have replied.

        Args:
            seat: The seat that replies.
            reply: The reply. `step` submits it together with those of the other seats.
            seconds: The time that the reply took, in seconds.
        """
        self.conversations[seat].steps[-1].seconds = seconds
        clock = self.env.match.clock
        if clock and clock.unit == "seconds" and getattr(reply, "latency", None) is None:
            # The record keeps the latency, so that it can be replayed.
            reply = with_latency(reply, seconds)
        self.pending[seat] = reply
        return len(self.pending) == len(self.due)

    def step(self, replies: Mapping[str, Any] | None = None) -> Mapping[str, float]:
        """Submit replies of due seats, record their results, and return the rewards.

        Args:
            replies: From seat to reply; None: the replies stored by `reply`.

        Returns:
            The reward of each seat; a missing seat earned 0.
        """
        if replies is None:
            replies, self.pending = self.pending, {}
        if len(replies) > 1:  # in the order of the seats
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
        """Add rewards to the last step of their seats."""
        for seat, reward in rewards.items():
            if reward:
                self.returns[seat] += reward
                conversation = self.conversations.get(seat)
                if conversation is not None and conversation.steps:
                    conversation.steps[-1].reward += reward
                else:
                    self.unassigned[seat] = self.unassigned.get(seat, 0.0) + reward

    def ask(self, agents: Mapping[str, Agent], seats: Collection[str]) -> dict[str, str]:
        """Return the replies of some due seats; each agent is called once for all its seats."""
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
        """Return a copy of this session over `env`, an environment in the same position."""
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
    """Return a value as it is after a round trip through JSON; other types become text."""
    if value is None or isinstance(value, str | int | float | bool):
        return value
    if isinstance(value, Mapping):
        return {str(key): to_json_value(one) for key, one in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [to_json_value(one) for one in value]
    if hasattr(value, "tolist"):  # of NumPy
        return value.tolist()
    return str(value)
