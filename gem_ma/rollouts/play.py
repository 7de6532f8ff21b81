"""Play: one live episode of a run."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Self

from gem_ma.apis.aec import BaseEnv
from gem_ma.rollouts.episode import Episode, plain
from gem_ma.rollouts.players import Player, Waiting
from gem_ma.talk.conversation import Conversation


class Past(NamedTuple):
    """What was played before a rollout goes on, and where that led to."""

    seed: int
    options: Mapping[str, Any]
    moves: tuple[Any, ...]  # replies by seat, all texts, and seeds of redrawn chance
    led_to: tuple[Any, ...] = ()

    @classmethod
    def of(cls, env: BaseEnv) -> Self:
        """Return how an environment came to where it is."""
        match, sight = env.match, env.sight
        if not match.waiting:
            raise match.needs_reset("start='here'")

        def said(reply: Any) -> str:
            if isinstance(reply, str):
                return reply
            moves, number = match.game.moves or (), int(reply)
            (text,) = sight.replies([moves[number] if 0 <= number < len(moves) else str(number)])
            return text

        moves = [
            move if isinstance(move, int) else {seat: said(reply) for seat, reply in move.items()}
            for move in match.past
        ]
        seed, options = match.origin
        return cls(seed, options, tuple(moves), (match.turns, match.waiting, dict(match.paid)))

    @classmethod
    def before(cls, episode: Episode, step: int) -> Self:
        """Return how an episode came to where its step with this number was taken.

        Steps that were taken together stay together.
        """
        steps, redrawn = episode.steps, dict(episode.redrawn)
        step = max(0, min(step, len(steps)))
        if step < len(steps):
            step = next(at for at, one in enumerate(steps) if one.number == steps[step].number)
        moves: list[Any] = []
        number = None
        for at, one in enumerate(steps[:step]):
            if one.number != number:
                if at in redrawn:
                    moves.append(redrawn[at])
                moves.append({})
                number = one.number
            moves[-1][one.agent] = one.reply
        return cls(episode.seed, dict(episode.options), tuple(moves))

    def replies(self) -> list[tuple[str, str]]:
        """Return who said what."""
        return [pair for move in self.moves if isinstance(move, dict) for pair in move.items()]

    def begin(self, episode: Episode) -> None:
        """Write down on a record what was before."""
        for move in self.moves:
            if isinstance(move, int):
                episode.redrawn.append((episode.begun, move))
            else:
                episode.begun += len(move)


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
        "past",
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
        past: Past,
    ):
        self.episode = episode
        self.env = env
        self.home = home  # where the environment goes back to
        self.players = players
        self.chats = chats
        self.past = past
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
        if self.past.moves:
            self._play_again()

    def _play_again(self) -> None:
        """Play what was played before, so that every seat saw it and the record holds it."""
        match, chats = self.env.match, self.chats
        for move in self.past.moves:
            if isinstance(move, int):
                match.redraw(move)
                continue
            for seat in move:
                self.env.turn(seat, chats[seat])
            self.replies = dict(move)
            self.submit()
        led_to = (match.turns, match.waiting, match.paid)
        if self.past.led_to and led_to != self.past.led_to:
            raise ValueError(
                "the replies that this environment has kept do not lead to where it is: hand them "
                "in by step() of the outermost wrapper, and not by submit() of one further in"
            )

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
            replies = {seat: replies[seat] for seat in self.asked if seat in replies}
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
