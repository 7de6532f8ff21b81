"""What a spectator sees of recorded episodes, which are replayed within limits."""

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

_REMOTE_NEEDS = ("hub", "network", "key:")  # environments with these needs are not replayed
_ENVS = 16  # environments kept for later episodes of the same spec
_MAX_PIXELS = 1 << 22  # of a picture that is drawn for an untrusted file
_MAX_SECONDS = 10.0  # for an episode with arguments that are not registered
_MAX_MEMORY = 2 << 30  # bytes for such an episode
_MAX_STRIKES = 3  # episodes over these limits, after which no other is tried
_START_TIMEOUT = 120.0  # seconds until the worker process is ready
_CHEAP_ARGUMENTS = frozenset(  # arguments of Env that hardly change the cost of an episode
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
    """The episode cannot be replayed here; the message says why."""


class SpectatorView(NamedTuple):
    """What a spectator sees at one moment, the pictures of the seats that act, and all returns.

    The reward of a recorded step includes all that its seat earned until it acted again. `earned`
    holds the returns at this moment.
    """

    pixels: np.ndarray
    text: str
    seats: Mapping[str, Picture]
    earned: Mapping[str, float]


class Spectator:
    """A player of recorded episodes that limits what they can import and how long they can run.

    Environments with their registered arguments are replayed in this process. Other arguments may
    ask for anything, so a worker process replays them. It is ended when it takes too long or too
    much memory.

    Args:
        trust: Replay all episodes in this process, without limits, and import the code that they
            name.
    """

    def __init__(self, trust: bool = False):
        self.trust = trust
        self._envs: dict[str, Any] = {}
        self._worker: WorkerProcess | None = None
        self._strikes = 0

    def replay_views(self, episode: Episode) -> Iterator[SpectatorView]:
        """Yield what a spectator sees before each step, and at the end.

        Raises:
            UnseenEpisode: The episode cannot be replayed here.
        """
        _check_episode(episode, self.trust)
        if self.trust or _is_usual(episode):
            return _play_views(episode, self.trust, self._envs)
        return self._play_limited(episode)

    def _play_limited(self, episode: Episode) -> Iterator[SpectatorView]:
        if self._strikes >= _MAX_STRIKES:
            raise UnseenEpisode(
                f"{_MAX_STRIKES} such episodes took too long or too much memory to replay; --trust "
                "sets no limit"
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
                f"the replay took more than {_MAX_SECONDS:g} s or {_MAX_MEMORY >> 30} GiB; "
                "--trust sets no limit"
            ) from None
        except GeneratorExit:  # the caller stopped, but the worker still sends views
            self.close()
            raise
        if view is not None:
            raise UnseenEpisode(view)

    def close(self) -> None:
        """End the worker process."""
        if self._worker is not None:
            self._worker.kill()
            self._worker = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _serve_views(connection: Connection) -> None:
    """Replay the episodes that arrive, in a process with little memory, and send their views."""
    with contextlib.suppress(ImportError):  # Windows has no such module
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
    """Return whether an environment has its registered arguments, except for cheap ones."""
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
    """Replay an episode; yield what a spectator sees before each step, and at the end."""
    _check_episode(episode, trust)
    yield from _play_views(episode, trust, {})


def _check_episode(episode: Episode, trust: bool) -> None:
    """Raise UnseenEpisode if an episode must not be replayed; no code that it names is imported."""
    if episode.wrappers:
        raise UnseenEpisode(f"the environment was wrapped by {' in '.join(episode.wrappers)}")
    spec = episode.spec
    if not trust:
        if reason := factory.find_distrust_reason(spec):
            raise UnseenEpisode(f"{reason}; --trust does so")
        size = spec.kwargs.get("image_size")
        if size not in (None, "own") and not (
            factory.is_numeric(size) and np.prod(size) <= _MAX_PIXELS
        ):
            raise UnseenEpisode(
                f"the pictures are too large, {clip_name(size)}; --trust draws them"
            )
    known = registry.find_registered(spec.id)
    outside = registry.find_rules_host(spec.id) in (("server",) if trust else ("library", "server"))
    if outside or any(need.startswith(_REMOTE_NEEDS) for need in (known.needs if known else ())):
        raise UnseenEpisode("the environment runs in another library or on a server")


def _play_views(episode: Episode, trust: bool, envs: dict[str, Any]) -> Iterator[SpectatorView]:
    """Replay an episode in a stored environment of the same spec, or in a new one."""
    try:
        key = json.dumps([episode.spec.id, episode.spec.entry_point, dict(episode.spec.kwargs)])
        env = envs.pop(key, None) or factory.make(episode.spec, trust=trust)
        yield from _replay_views(episode, env)
        if len(envs) < _ENVS:
            envs[key] = env
    except UnseenEpisode:
        raise
    except Exception as error:  # records of other releases can raise any error
        raise UnseenEpisode(f"the replay failed: {type(error).__name__}: {error}") from error


def _replay_views(episode: Episode, env: AECEnv) -> Iterator[SpectatorView]:
    if env.blocking:
        raise UnseenEpisode("the environment is slow, or runs outside this process")
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
        raise UnseenEpisode(f"the replay differs: {error}") from None
    if number == len(episode.steps) and not any(s.reply is None for s in episode.steps[-1:]):
        yield SpectatorView(env.picture().array, env.render(), {}, dict(session.returns))


def _find_difference(turn: Turn, step: Step) -> str:
    alts = [
        [one.alt for one in find_observation_pictures(o)]
        for o in (turn.observation, step.observation)
    ]
    if (turn.text, turn.results, alts[0]) != (step.text, step.results, alts[1]):
        return "the observation differs from the record"
    return ""


def group_steps(steps: Sequence[Step]) -> Iterator[list[Step]]:
    """Yield the steps that were taken together."""
    start = 0
    for end in range(1, len(steps) + 1):
        if end == len(steps) or steps[end].number != steps[start].number:
            yield list(steps[start:end])
            start = end


def combine_pictures(shown: tuple[Picture, ...]) -> Picture:
    """Return several pictures as one, side by side."""
    return shown[0] if len(shown) == 1 else Picture(join_pictures(shown))


def clip_name(value: object) -> str:
    return str(value)[:200]
