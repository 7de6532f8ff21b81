"""Specs of environments, from which gem_ma and Gymnasium can make them again."""

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
    """Return the Spec of an environment, which can remake it if its game's class is importable."""
    own = unwrap_realtime(game)
    game_class = type(own)
    positional, named = own.init_args
    kwargs = {
        **dict(zip(inspect.signature(game_class).parameters, positional, strict=False)),
        **named,
    }
    for option in dataclasses.fields(config):
        value, name = getattr(config, option.name), option.name
        always = name in own.env_defaults  # always stored, since the game has its own default
        if (always or value != option.default) and name not in kwargs:
            kwargs[name] = value
    return Spec(id, file or f"{game_class.__module__}:{game_class.__qualname__}", kwargs)


class JSONSpecHolder:
    """A class whose Gymnasium spec is equal after a round trip through `to_json`."""

    _gymnasium_spec: EnvSpec | None = None

    @property
    def spec(self) -> EnvSpec | None:
        """The spec of Gymnasium's `make`; None if something else made this."""
        return self._gymnasium_spec

    @spec.setter
    def spec(self, spec: EnvSpec | None) -> None:
        if spec is not None:
            spec = copy.copy(spec)
            spec.kwargs = replace_tuples(spec.kwargs)
        self._gymnasium_spec = spec
