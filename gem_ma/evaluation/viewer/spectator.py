"""What a spectator sees of recorded episodes, which are played again for it, within limits."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from multiprocessing.connection import Connection
from typing import Any, NamedTuple, Self

import numpy as np

from gem_ma.apis import factory
from gem_ma.apis.aec import AECEnv
from gem_ma.apis.session import Session
from gem_ma.apis.workers import StepTimeout, WorkerDied, WorkerProcess
from gem_ma.chat.conversation import Step
from gem_ma.chat.messages import find_observation_pictures
from gem_ma.chat.turn import Turn
from gem_ma.envs import registry
from gem_ma.renderers.picture import Picture, join_pictures
from gem_ma.rollouts.episode import Episode
from gem_ma.rollouts.replay import ReplayError, replay

_REMOTE_NEEDS = ("hub", "network", "key:")  # needs of environments that are not played again
_ENVS = 16  # environments that are kept for the next episode like theirs
_MAX_PIXELS = 1 << 22  # of a picture that is drawn for a file that nobody vouches for
_MAX_SECONDS = 10.0  # for an episode with arguments that are not registered
_MAX_MEMORY = 2 << 30  # bytes, likewise
_MAX_STRIKES = 3  # episodes that went over these limits, before no other is tried
_START_TIMEOUT = 120.0  # seconds until the process for them is there
_CHEAP_ARGUMENTS = frozenset(  # arguments of Env that change what an episode costs by little
    (
        "actions",
        "format",
        "invalid",
        "max_invalid",
        "max_turns",
        "observe",
        "penalty",
        "theme",
        "noise",
        "panels",
    )
)


class UnseenEpisode(RuntimeError):
    """An episode cannot be played again here; the message says why."""


class SpectatorView(NamedTuple):
    """What a spectator sees at one moment, the pictures of the seats that act, and what all have.

    A step has all that its seat earned until it acted again; `earned` says when it did.
    """

    pixels: np.ndarray
    text: str
    seats: Mapping[str, Picture]
    earned: Mapping[str, float]


class Spectator:
    """Plays recorded episodes again, and lets none of them run, or hold up, what it should not.

    Environments as they are registered are played here. Other arguments, which may ask for
    anything, are played in a process that is ended when it takes too long or too much memory.

    Args:
        trust: play all of them here, without limits, and import what they name.
    """

    def __init__(self, trust: bool = False):
        self.trust = trust
        self._envs: dict[str, Any] = {}
        self._worker: WorkerProcess | None = None
        self._strikes = 0

    def replay_views(self, episode: Episode) -> Iterator[SpectatorView]:
        """Yield what a spectator sees before each moment, and at the end.

        Raises:
            UnseenEpisode: It cannot be played again here.
        """
        _check_episode(episode, self.trust)
        if self.trust or _is_usual(episode):
            return _play_views(episode, self.trust, self._envs)
        return self._play_limited(episode)

    def _play_limited(self, episode: Episode) -> Iterator[SpectatorView]:
        if self._strikes >= _MAX_STRIKES:
            raise UnseenEpisode(
                f"{_MAX_STRIKES} like it took too long or too much memory; --trust plays it"
            )
        try:
            if self._worker is None:
                self._worker = WorkerProcess(_serve_views, patience=_MAX_SECONDS)
                self._worker.recv(_START_TIMEOUT)
            end = time.monotonic() + _MAX_SECONDS
            self._worker.send(episode)
            while isinstance(
                view := self._worker.recv(max(end - time.monotonic(), 0)), SpectatorView
            ):
                yield view
        except (StepTimeout, WorkerDied):
            self._strikes += 1
            self.close()
            raise UnseenEpisode(
                f"playing it again took more than {_MAX_SECONDS:g} s or {_MAX_MEMORY >> 30} GiB; "
                f"--trust "
                "sets no limit"
            ) from None
        except GeneratorExit:  # who asked needs no more, while more is on its way
            self.close()
            raise
        if view is not None:
            raise UnseenEpisode(view)

    def close(self) -> None:
        """End the process for episodes with limits."""
        if self._worker is not None:
            self._worker.kill()
            self._worker = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _serve_views(connection: Connection) -> None:
    """Play the episodes that come, in a process with little memory, and send what is seen."""
    with contextlib.suppress(ImportError):  # Windows
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (_MAX_MEMORY, _MAX_MEMORY))
    connection.send(None)
    while True:
        episode = connection.recv()
        try:
            for view in spectate(episode):
                seats = {seat: Picture(one.array, one.alt) for seat, one in view.seats.items()}
                connection.send(view._replace(seats=seats))
        except UnseenEpisode as error:
            connection.send(str(error))
        else:
            connection.send(None)


def _is_usual(episode: Episode) -> bool:
    """Return whether an environment is as it is registered, but for what costs little."""
    spec, known = episode.spec, registry.find_registered(episode.spec.id)
    return (
        known is not None
        and all(
            value == known.kwargs.get(name) or name in _CHEAP_ARGUMENTS
            for name, value in spec.kwargs.items()
        )
        and all(map(factory.is_numeric, episode.options.values()))
    )


def spectate(episode: Episode, *, trust: bool = False) -> Iterator[SpectatorView]:
    """Play an episode again; yield what a spectator sees before each moment, and at the end."""
    _check_episode(episode, trust)
    yield from _play_views(episode, trust, {})


def _check_episode(episode: Episode, trust: bool) -> None:
    """Refuse an episode that is not to be played again; nothing that it names is imported."""
    if episode.wrappers:
        raise UnseenEpisode(f"it was played in {' in '.join(episode.wrappers)}")
    spec = episode.spec
    if not trust:
        if reason := factory.find_distrust_reason(spec):
            raise UnseenEpisode(f"{reason}; --trust does so")
        size = spec.kwargs.get("image_size")
        if size not in (None, "own") and not (
            factory.is_numeric(size) and np.prod(size) <= _MAX_PIXELS
        ):
            raise UnseenEpisode(
                f"its pictures are too large, {clip_name(size)}; --trust draws them"
            )
    known = registry.find_registered(spec.id)
    outside = registry.find_rules_host(spec.id) in (("server",) if trust else ("library", "server"))
    if outside or any(need.startswith(_REMOTE_NEEDS) for need in (known.needs if known else ())):
        raise UnseenEpisode("its environment lives elsewhere")


def _play_views(episode: Episode, trust: bool, envs: dict[str, Any]) -> Iterator[SpectatorView]:
    """Play an episode in an environment that was made for one like it, if there is any."""
    try:
        key = json.dumps([episode.spec.id, episode.spec.entry_point, dict(episode.spec.kwargs)])
        env = envs.pop(key, None) or factory.make(episode.spec, trust=trust)
        yield from _replay_views(episode, env)
        if len(envs) < _ENVS:
            envs[key] = env
    except UnseenEpisode:
        raise
    except Exception as error:  # records of another release fail in any way
        raise UnseenEpisode(f"playing it again failed: {type(error).__name__}: {error}") from error


def _replay_views(episode: Episode, env: AECEnv) -> Iterator[SpectatorView]:
    if env.blocking:
        raise UnseenEpisode("its environment is slow or lives elsewhere")
    env.render_mode = "ansi"
    number, session = 0, Session(env)
    try:
        for move in replay(session, episode, _find_difference):
            pictures = {}
            for seat, turn in move.turns.items():
                if seat_pictures := find_observation_pictures(turn.observation):
                    pictures[seat] = combine_pictures(seat_pictures)
            yield SpectatorView(env.picture().array, env.render(), pictures, dict(session.returns))
            number = move.number + len(move.steps)
    except ReplayError as error:
        raise UnseenEpisode(f"played again, {error}") from None
    if number == len(episode.steps) and not any(s.reply is None for s in episode.steps[-1:]):
        yield SpectatorView(env.picture().array, env.render(), {}, dict(session.returns))


def _find_difference(turn: Turn, step: Step) -> str:
    alts = [
        [one.alt for one in find_observation_pictures(o)]
        for o in (turn.observation, step.observation)
    ]
    if (turn.text, turn.results, alts[0]) != (step.text, step.results, alts[1]):
        return f"it sees something else at {step.number}"
    return ""


def group_steps(steps: Sequence[Step]) -> Iterator[list[Step]]:
    """Yield the steps that were taken together."""
    start = 0
    for end in range(1, len(steps) + 1):
        if end == len(steps) or steps[end].number != steps[start].number:
            yield list(steps[start:end])
            start = end


def combine_pictures(shown: tuple[Picture, ...]) -> Picture:
    """Return one picture of several, side by side."""
    return shown[0] if len(shown) == 1 else Picture(join_pictures(shown))


def clip_name(value: object) -> str:
    return str(value)[:200]
