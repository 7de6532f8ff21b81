"""EpisodePrefix: the moves of an episode before a rollout continues it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Self

from gem_ma.apis.aec import AECEnv
from gem_ma.apis.session import Session
from gem_ma.engine.action_parsing import SeatAction
from gem_ma.game import ResetOptions
from gem_ma.rollouts.replay import RecordedMove, ReplayableRecord, list_moves, replay_moves


class EpisodePrefix(NamedTuple):
    """The moves of an episode before a rollout continues it, and the position that they lead to."""

    seed: int
    options: ResetOptions
    moves: tuple[RecordedMove, ...] = ()
    led_to: tuple[object, ...] = ()

    @classmethod
    def from_env(cls, env: AECEnv) -> Self:
        """Return the moves that led an environment to its present position."""
        match, sight = env.match, env.observation_builder
        if not match.waiting_seats:
            raise match.make_reset_error("start='here'")

        def to_text(reply: SeatAction) -> str:
            if isinstance(reply, str):
                return reply
            (text,) = sight.format_replies([(match.game.moves or ())[int(reply)]])
            return text

        moves = [
            move if isinstance(move, int) else {seat: to_text(one) for seat, one in move.items()}
            for move in match.reply_history
        ]
        seed, options = match.reset_args
        return cls(
            seed,
            options,
            tuple(moves),
            (match.turns, match.waiting_seats, dict(match.total_returns)),
        )

    @classmethod
    def from_record(cls, record: ReplayableRecord, step: int) -> Self:
        """Return the moves that led to a step of an episode, by the step's index.

        Simultaneous steps stay together.
        """
        return cls(record.seed, dict(record.options), tuple(list_moves(record, step)))

    def list_replies(self) -> list[tuple[str, str]]:
        """Return the seat and the text of each reply."""
        return [pair for move in self.moves if isinstance(move, Mapping) for pair in move.items()]

    def play(self, session: Session) -> None:
        """Play the moves after a reset, so that all seats see them and they are recorded."""
        for _ in replay_moves(session, self.moves):
            pass
        match = session.env.match
        if self.led_to and (match.turns, match.waiting_seats, match.total_returns) != self.led_to:
            raise ValueError(
                "start='here': the recorded replies of this environment do not lead to its present "
                "position; play with step() of the outermost wrapper, not with submit() of an "
                "inner one"
            )
