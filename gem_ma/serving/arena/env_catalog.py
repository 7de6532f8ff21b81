"""The environments that an arena offers: those of its lobby, and others by a search."""

from __future__ import annotations

import functools
import logging
import re
from collections.abc import Iterable
from typing import NamedTuple

from gem_ma.apis import factory
from gem_ma.apis.aec import AECEnv
from gem_ma.envs import registry
from gem_ma.renderers import draw
from gem_ma.renderers.picture import Picture
from gem_ma.serving.arena.match_files import ArenaError, MatchInfo

MAX_SEARCH_RESULTS = 12  # environments in the result of a search
THUMBNAIL_SIZE = (252, 252)  # pixels of a picture in the lobby
_THUMBNAIL_TURNS = 9  # before it: a game that has begun shows more than an empty board
_LOG = logging.getLogger(__name__)


class OfferedEnv(NamedTuple):
    """An environment of the catalog, with what a browser shows of it."""

    id: str
    title: str
    seats: tuple[str, ...]
    about: str
    picture: bytes


class EnvCatalog:
    """The environments of the lobby, and all other available ones if `others` is true."""

    def __init__(self, envs: Iterable[str], others: bool):
        self.offered_envs = {one.id: one for one in map(_make_offered_env, envs)}
        self.others = others  # whether any other environment may be played
        self.searched_envs: dict[str, OfferedEnv] = {}  # other environments that were made

    def search_envs(self, words: str) -> tuple[list[str], int]:
        """Return ids outside the lobby that contain these words, and the number of all others."""
        terms = words.lower().split()
        ids = self.other_ids if terms else ()
        matching_ids = (id for id in ids if all(one in id.lower() for one in terms))
        return sorted(matching_ids, key=lambda one: (len(one), one))[:MAX_SEARCH_RESULTS], len(
            self.other_ids
        )

    @functools.cached_property
    def other_ids(self) -> frozenset[str]:
        """The ids outside the lobby that can be played with the installed packages."""
        ids = registry.list_envs() if self.others else ()
        return frozenset(one for one in ids if one not in self.offered_envs and _is_available(one))

    def find_env(self, id: object) -> OfferedEnv:
        """Return an offered environment by its id, or raise ArenaError."""
        if not isinstance(id, str) or (id not in self.offered_envs and id not in self.other_ids):
            raise ArenaError(f"no environment {str(id)[:60]!r} here; choose one in the lobby")
        env = self.offered_envs.get(id) or self.searched_envs.get(id)
        if env is None:
            try:
                env = self.searched_envs[id] = _make_offered_env(id)
            except Exception as error:  # noqa: BLE001 - of any library
                _LOG.exception("%s cannot be played", id)
                raise ArenaError(f"{id} cannot be played here: {type(error).__name__}") from None
        return env

    def list_seats(self, about: MatchInfo) -> tuple[str, ...]:
        """Return the seats of a match's environment."""
        offered_env = self.offered_envs.get(about.env) or self.searched_envs.get(about.env)
        if offered_env is not None and not about.arguments:
            return offered_env.seats
        try:
            return tuple(factory.make(about.env, **about.arguments).possible_agents)
        except (LookupError, ValueError, TypeError, ImportError) as error:
            raise ArenaError(f"{about.env} cannot be played here: {error}") from None


def _make_offered_env(id: str) -> OfferedEnv:
    spec = registry.spec(id)
    env = factory.make(spec)
    env.reset(seed=1)
    _play_at_random(env)
    scene = env.scene(env.possible_agents[0])
    picture = (
        env.picture(env.possible_agents[0])
        if scene is None
        else Picture(draw(scene, THUMBNAIL_SIZE))
    )
    return OfferedEnv(
        spec.id, _format_title(spec.id), tuple(env.possible_agents), spec.summary, picture.png
    )


def _play_at_random(env: AECEnv) -> None:
    """Play the first turns, where legal moves are listed and take no time."""
    for seat in env.possible_agents:
        env.action_space(seat).seed(1)
    for _ in range(_THUMBNAIL_TURNS):
        listed = all(map(env.match.list_legal_moves, env.to_act))
        if env.match.game.blocking or not env.to_act or not listed:
            return
        env.step_seats({seat: env.sample_random_action(seat) for seat in env.to_act})


def _is_available(id: str) -> bool:
    """Return whether an environment's requirements are installed and it needs no network."""
    spec = registry.spec(id)
    return not spec.list_missing() and not {"hub", "network"}.intersection(spec.needs)


def _format_title(id: str) -> str:
    """Return the title for an id: Connect Four for game:ConnectFour-v0."""
    name = re.sub(r"-v\d+", "", id.partition(":")[2] or id)
    words = re.sub(r"(?<=[a-z])(?=[A-Z])|[-_]", " ", name)
    return words[:1].upper() + words[1:]
