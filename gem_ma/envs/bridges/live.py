"""Games over environments that cannot be copied: a state holds its moves and their results."""

from __future__ import annotations

import abc
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

import numpy as np

from gem_ma.game import Game, InvalidMove, Message, RefusedMove
from gem_ma.validation.json_types import JSONMapping

LiveT = TypeVar("LiveT")  # a bridge's environment in the middle of an episode
LiveStep: TypeAlias = tuple[Any, ...]
"""The arguments of one step, with which it is replayed."""


class Output(NamedTuple):
    """The results of a live environment at one moment, as plain values that never change."""

    to_act: tuple[str, ...]
    returns: Mapping[str, float]  # sums of rewards since the start
    seen: Mapping[str | None, Any]  # observations by seat; None is a spectator
    legal: Mapping[str, tuple[str, ...]] | None = None  # by seat, if moves can be listed
    out: tuple[str, ...] = ()
    news: tuple[Message, ...] = ()  # messages about the last moves
    report: Mapping[str, Any] = {}


class Line(Generic[LiveT]):
    """The steps of a game from one start, and the live environment after the last step."""

    __slots__ = ("__weakref__", "_live", "_lock", "options", "seed", "steps")

    def __init__(self, seed: int, options: JSONMapping, steps: list[LiveStep], live: LiveT | None):
        self.seed = seed
        self.options = options
        self.steps = steps
        self._live = live
        self._lock = threading.Lock()

    def take(self, count: int) -> LiveT | None:
        """Take out the live environment if it has made exactly `count` steps, else return None."""
        with self._lock:
            if count != len(self.steps):
                return None
            live, self._live = self._live, None
            return live

    def put(self, live: LiveT, *steps: LiveStep) -> None:
        """Put the live environment back, and add the steps that it has made."""
        with self._lock:
            self.steps.extend(steps)
            self._live = live

    def __del__(self) -> None:
        close = getattr(self._live, "close", None)
        if close is not None:
            close()

    def __repr__(self) -> str:
        return f"Line({self.seed}, {self.options})"

    def __reduce__(self) -> tuple[object, ...]:
        return Line, (self.seed, self.options, self.steps, None)


class Frame:
    """The picture of one moment of a Line, rendered when it is first read.

    The live environment renders it if it is still at that moment. Otherwise an environment that
    replays the same moves does.
    """

    __slots__ = ("_picture", "count", "line")

    def __init__(self, line: Line[Any], count: int):
        self.line = line
        self.count = count
        self._picture: object = None

    def picture(self, bridge: Bridge[Any]) -> object:
        """Return the result of `bridge.render` for the live environment at this moment."""
        if self._picture is None:
            line, live = bridge.stand(self.line, self.count)
            self._picture = bridge.render(live)
            line.put(live)
        return self._picture

    def __repr__(self) -> str:
        return f"Frame({self.count})"

    def __reduce__(self) -> tuple[object, ...]:
        return Frame, (self.line, self.count)


@dataclass(frozen=True, slots=True, eq=False)
class Played:
    """A state: its Line, the number of steps on it, and the environment's Output there."""

    output: Output
    line: Line[Any] | None = None  # None in a seat's view
    count: int = 0
    luck: tuple[object, ...] | None = (
        None  # state of the game's random generator, which only a fork can change
    )
    frame: Frame | None = None

    def to_act(self) -> tuple[str, ...]:
        return self.output.to_act

    def returns(self) -> Mapping[str, float]:
        return self.output.returns

    def out(self) -> tuple[str, ...]:
        return self.output.out

    @property
    def truncated(self) -> bool:
        return bool(self.output.report.get("truncated"))

    def seen_by(self, agent: str) -> Played:
        output, legal = self.output, self.output.legal
        views: dict[str | None, object] = {agent: output.seen.get(agent)}
        if legal is not None:
            legal = {agent: legal.get(agent, ())}
        output = Output(output.to_act, output.returns, views, legal, output.out)
        return type(self)(output, frame=self.frame)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Played):
            return NotImplemented
        return self.output == other.output and self._path() == other._path()

    def __hash__(self) -> int:
        return hash((self.count, self.output.to_act))

    def _path(self) -> object:
        line = self.line
        return line and (line.seed, line.options, line.steps[: self.count])


class Listed(Played):
    """A state of an environment whose legal moves can be listed."""

    __slots__ = ()

    def legal(self, agent: str) -> tuple[str, ...]:
        return (self.output.legal or {}).get(agent, ())


class Bridge(Game[Played], Generic[LiveT]):
    """A game that another library runs, with a live environment that caches the newest state.

    Any other state is reached by replaying its moves. `chance` is a number for every step, drawn
    from the game's own generator. A live environment has to draw its random numbers from `chance`
    if possible, so that a fork with a new seed gets other random results.
    """

    listed = False  # whether legal moves can be listed

    @abc.abstractmethod
    def open(self, seed: int, options: JSONMapping) -> tuple[LiveT, Output]:
        """Begin an episode; return the live environment and its first Output."""

    @abc.abstractmethod
    def play(self, live: LiveT, moves: Mapping[str, object], chance: int) -> Output:
        """Make moves in the live environment and return its Output.

        It may raise InvalidMove if only one seat acts.
        """

    def redraw(self, live: LiveT, chance: int) -> None:
        """Reseed a live environment that has a random generator of its own.

        It is called before the moves of a step whose chance was redrawn (by `fork(seed=...)`), and
        never in ordinary play.
        """

    def render(self, live: LiveT) -> object:
        """Return a rendering of a live environment as a Scene."""
        raise NotImplementedError

    def start(self, rng, options):
        seed = int(rng.integers(1 << 31))
        live, output = self.open(seed, options)
        line = Line(seed, dict(options), [], live)
        kind = Listed if self.listed else Played
        return kind(output, line, 0, self._luck(rng), Frame(line, 0))

    def advance(self, state, moves, rng):
        has_new_luck = self._luck(rng) != state.luck
        chance = int(rng.random() * (1 << 31))
        line, live = self.stand(state.line, state.count)
        step = dict(moves), chance, has_new_luck
        try:
            output = self._step(live, *step)
        except InvalidMove as error:  # its state may be wrong now, so it is dropped
            raise RefusedMove(str(error)) from error
        line.put(live, step)
        count = state.count + 1
        return type(state)(output, line, count, self._luck(rng), Frame(line, count))

    def stand(self, line: Line[LiveT], count: int) -> tuple[Line[LiveT], LiveT]:
        """Return a live environment after the first `count` steps of a line, with its line."""
        live = line.take(count)
        if live is None:
            line = Line(line.seed, line.options, line.steps[:count], None)
            live, _ = self.open(line.seed, line.options)
            for step in line.steps:
                self._step(live, *step)
        return line, live

    def _step(self, live: LiveT, moves: Mapping[str, object], chance: int, redrawn: bool) -> Output:
        if redrawn:
            self.redraw(live, chance)
        return self.play(live, moves, chance)

    def _luck(self, rng: np.random.Generator) -> tuple[object, ...] | None:
        """Return the state of a PCG64 generator, or None if `redraw` is not overridden."""
        if type(self).redraw is Bridge.redraw:
            return None
        return tuple(rng.bit_generator.state["state"].values())

    def tell(self, before, moves, after):
        return after.output.news

    def report(self, state):
        return dict(state.output.report)
