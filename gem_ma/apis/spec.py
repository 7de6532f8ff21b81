"""make_spec: what makes an environment again."""

from __future__ import annotations

import dataclasses
import inspect

from gem_ma.engine.config import EnvConfig
from gem_ma.engine.realtime import unwrap_realtime
from gem_ma.envs.registry import Spec
from gem_ma.game import Game


def make_spec(id: str, game: Game, config: EnvConfig, file: str) -> Spec:
    """Return what makes an environment again, if it was made with a game's class as it stands."""
    own = unwrap_realtime(game)
    made = type(own)
    positional, named = own.init_args
    kwargs = {**dict(zip(inspect.signature(made).parameters, positional, strict=False)), **named}
    for option in dataclasses.fields(config):
        value, name = getattr(config, option.name), option.name
        always = name in own.env_defaults  # said always, as the game would have it another way
        if (always or value != option.default) and name not in kwargs:
            kwargs[name] = value
    kwargs = {name: list(v) if isinstance(v, tuple) else v for name, v in kwargs.items()}
    return Spec(id, file or f"{made.__module__}:{made.__qualname__}", kwargs)
