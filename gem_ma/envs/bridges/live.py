"""Environments that cannot be frozen: a state is what was played and what came back."""

from __future__ import annotations

import abc
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from gem_ma.game import Game, InvalidMove, Refused


class Output(NamedTuple):
    """What a live environment shows at one moment: plain values that never change."""

    to_act: tuple[str, ...]
    returns: Mapping[str, float]  # all that was earned since the start
    seen: Mapping[str | None, Any]  # what each seat sees, None for a spectator
    legal: Mapping[str, tuple[str, ...]] | None = None  # by seat, where moves can be listed
    out: tuple[str, ...] = ()
    news: tuple[Any, ...] = ()  # messages about the last moves
    report: Mapping[str, Any] = {}


class Line:
    """One line of play from a start: its steps, and the live environment that stands at its end."""

    __slots__ = ("__weakref__", "_live", "_lock", "options", "seed", "steps")

    def __init__(self, seed: int, options: Mapping[str, Any], steps: list[Any], live: Any):
        self.seed = seed
        self.options = options
        self.steps = steps
        self._live = live
        self._lock = threading.Lock()

    def take(self, count: int) -> Any:
        """Hand over the live environment if it stands after so many steps, else None."""
        with self._lock:
            if count != len(self.steps):
                return None
            live, self._live = self._live, None
            return live

    def put(self, live: Any, step: Any) -> None:
        """Add a step, which the live environment has just made."""
        with self._lock:
            self.steps.append(step)
            self._live = live

    def __del__(self) -> None:
        close = getattr(self._live, "close", None)
        if close is not None:
            close()

    def __repr__(self) -> str:
        return f"Line({self.seed}, {self.options})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Line, (self.seed, self.options, self.steps, None)


@dataclass(frozen=True, slots=True, eq=False)
class Played:
    """A state: the line it lies on, how far along, and what the environment showed there."""

    output: Output
    line: Line | None = None  # None in what a seat sees
    count: int = 0

    def to_act(self) -> tuple[str, ...]:
        return self.output.to_act

    def returns(self) -> Mapping[str, float]:
        return self.output.returns

    def out(self) -> tuple[str, ...]:
        return self.output.out

    def seen_by(self, agent: str) -> Played:
        output, legal = self.output, self.output.legal
        seen = {agent: output.seen.get(agent)}
        if legal is not None:
            legal = {agent: legal.get(agent, ())}
        return type(self)(output._replace(seen=seen, legal=legal, news=(), report={}))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Played):
            return NotImplemented
        return self.output == other.output and self._path() == other._path()

    def __hash__(self) -> int:
        return hash((self.count, self.output.to_act))

    def _path(self) -> Any:
        line = self.line
        return line and (line.seed, line.options, line.steps[: self.count])


class Listed(Played):
    """A state of an environment whose legal moves can be listed."""

    __slots__ = ()

    def legal(self, agent: str) -> tuple[str, ...]:
        return (self.output.legal or {}).get(agent, ())


class Bridge(Game[Played]):
    """A game that another library plays: the live environment is only a cache of its newest state.

    Any other state is reached by playing its moves again. `chance` is a number for every step, from
    the game's own random numbers: what a live environment draws has to come from it where that can
    be arranged, so that a fork with a new seed sees other luck.
    """

    listed = False  # legal moves can be listed

    @abc.abstractmethod
    def open(self, seed: int, options: Mapping[str, Any]) -> tuple[Any, Output]:
        """Begin an episode; return the live environment and what it shows."""

    @abc.abstractmethod
    def play(self, live: Any, moves: Mapping[str, Any], chance: int) -> Output:
        """Make moves in the live environment and return what it shows then.

        Where one seat acts it may raise InvalidMove.
        """

    def start(self, rng, options):
        seed = int(rng.integers(1 << 31))
        live, output = self.open(seed, options)
        line = Line(seed, dict(options), [], live)
        return (Listed if self.listed else Played)(output, line)

    def advance(self, state, moves, rng):
        chance = int(rng.integers(1 << 31))
        line = state.line
        live = line.take(state.count)
        if live is None:
            line = Line(line.seed, line.options, line.steps[: state.count], None)
            live, _ = self.open(line.seed, line.options)
            for past, luck in line.steps:
                self.play(live, past, luck)
        moves = dict(moves)
        try:
            output = self.play(live, moves, chance)
        except InvalidMove as error:  # the live environment may be spoiled: it is built again
            raise Refused(str(error)) from error
        line.put(live, (moves, chance))
        return type(state)(output, line, state.count + 1)

    def tell(self, before, moves, after):
        return after.output.news

    def report(self, state):
        return dict(state.output.report)
