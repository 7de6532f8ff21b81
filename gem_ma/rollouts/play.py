"""Play: one live episode of a run."""

from __future__ import annotations

import time
from collections.abc import Callable

from gem_ma.apis.aec import BaseEnv
from gem_ma.rollouts.episode import Episode, plain
from gem_ma.rollouts.players import Player, Waiting
from gem_ma.talk.conversation import Conversation


class Play:
    """One live episode."""

    __slots__ = (
        "asked",
        "chats",
        "env",
        "episode",
        "failed",
        "home",
        "owed",
        "players",
        "replies",
        "start",
    )

    def __init__(
        self,
        episode: Episode,
        env: BaseEnv,
        home: list[BaseEnv],
        players: dict[str, Player],
        chats: dict[str, Conversation],
    ):
        self.episode = episode
        self.env = env
        self.home = home  # where the environment goes back to
        self.players = players
        self.chats = chats
        self.asked: tuple[str, ...] = ()
        self.replies: dict[str, str] = {}
        self.owed: dict[str, float] = {}  # earned before a seat's first reply
        self.failed = False
        self.start = 0.0

    def begin(self) -> None:
        """Begin the episode."""
        self.start = time.perf_counter()
        self.env.reset(seed=self.episode.seed, options=self.episode.options or None)
        match = self.env.match
        self.asked = match.waiting
        self.episode.returns = dict.fromkeys(match.seats, 0.0)

    def advance(self, action: Callable[[], None]) -> list[Waiting]:
        """Begin or submit; return what every seat sees that is to act then."""
        action()
        env, chats = self.env, self.chats
        if not self.asked:
            self.end()
        return [Waiting(self, seat, env.turn(seat, chats[seat])) for seat in self.asked]

    def submit(self) -> None:
        """Hand in the replies and write down what became of them."""
        env, episode, chats, replies = self.env, self.episode, self.chats, self.replies
        match = env.match
        if len(self.asked) > 1:  # in whatever order they came
            replies = {seat: replies[seat] for seat in self.asked}
        self.replies = {}
        rewards = env.hand_in(replies)
        refused, moved = match.refused, match.moved
        for seat, reply in replies.items():
            step = chats[seat].steps[-1]
            step.reply = reply
            if seat in moved:
                move = moved[seat]
                step.move = move if move is None else str(move)
            if seat in refused:
                step.invalid = plain(refused[seat])
            if self.owed:
                step.reward += self.owed.pop(seat, 0.0)
            episode.steps.append(step)
        for seat, reward in rewards.items():
            if reward:
                episode.returns[seat] += reward
                if chats[seat].steps:
                    chats[seat].steps[-1].reward += reward
                else:
                    self.owed[seat] = self.owed.get(seat, 0.0) + reward
        self.asked = match.waiting

    def end(self) -> None:
        """Write down how the episode ended."""
        episode, match = self.episode, self.env.match
        episode.ended = "truncated" if match.truncated else "terminated"
        episode.report = plain(match.game.report(match.state))
