"""Specs: what makes an environment again, here and in Gymnasium."""

from __future__ import annotations

import copy
import dataclasses
import inspect

from gymnasium.envs.registration import EnvSpec

from gem_ma.engine.config import EnvConfig
from gem_ma.engine.realtime import unwrap_realtime
from gem_ma.envs.registry import Spec
from gem_ma.game import Game
from gem_ma.validation.json_types import replace_tuples


def make_spec(id: str, game: Game, config: EnvConfig, file: str) -> Spec:
    """Return what makes an environment again, if it was made with a game's class as it stands."""
    own = unwrap_realtime(game)
    game_class = type(own)
    positional, named = own.init_args
    kwargs = {
        **dict(zip(inspect.signature(game_class).parameters, positional, strict=False)),
        **named,
    }
    for option in dataclasses.fields(config):
        value, name = getattr(config, option.name), option.name
        always = name in own.env_defaults  # said always, as the game would have it another way
        if (always or value != option.default) and name not in kwargs:
            kwargs[name] = value
    return Spec(id, file or f"{game_class.__module__}:{game_class.__qualname__}", kwargs)


class JSONSpecHolder:
    """What Gymnasium gives its Spec: `spec.to_json()` comes back equal."""

    _gymnasium_spec: EnvSpec | None = None

    @property
    def spec(self) -> EnvSpec | None:
        """What makes this again, if Gymnasium's `make` has made it."""
        return self._gymnasium_spec

    @spec.setter
    def spec(self, spec: EnvSpec | None) -> None:
        if spec is not None:
            spec = copy.copy(spec)
            spec.kwargs = replace_tuples(spec.kwargs)
        self._gymnasium_spec = spec
