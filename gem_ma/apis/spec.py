"""spec_of: what makes an environment again."""

from __future__ import annotations

import dataclasses
import inspect
from typing import TYPE_CHECKING, Any

from gem_ma.engine.realtime import unwrap_realtime
from gem_ma.envs.registry import Spec

if TYPE_CHECKING:
    from gem_ma.apis.env import Env


def spec_of(env: Env[Any]) -> Spec:
    """Return what makes an environment again, if it was made with a game's class as it stands."""
    own = unwrap_realtime(env.game)
    game = type(own)
    positional, named = own.init_args
    kwargs = {**dict(zip(inspect.signature(game).parameters, positional, strict=False)), **named}
    for option in dataclasses.fields(env.config):
        value, name = getattr(env.config, option.name), option.name
        always = name in own.env_defaults  # said always, as the game would have it another way
        if (always or value != option.default) and name not in kwargs:
            kwargs[name] = value
    kwargs = {name: list(v) if isinstance(v, tuple) else v for name, v in kwargs.items()}
    return Spec(env.id, env.file or f"{game.__module__}:{game.__qualname__}", kwargs)
