"""spec_of: what makes an environment again."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from gem_ma.envs.registry import Spec
from gem_ma.match.clock import untimed

if TYPE_CHECKING:
    from gem_ma.apis.env import Env


def spec_of(env: Env[Any]) -> Spec:
    """Return what makes an environment again, if it was made with a game's class as it stands."""
    own = untimed(env.game)
    game, sight, terms = type(own), env.sight, env.match.terms
    positional, named = own.made_with
    kwargs = {**dict(zip(inspect.signature(game).parameters, positional, strict=False)), **named}
    given = {
        "observe": sight.observe,
        "actions": "discrete" if sight.discrete else "text",
        "format": terms.format,
        "invalid": terms.invalid,
        "max_invalid": terms.max_invalid,
        "penalty": terms.penalty,
        "max_turns": terms.max_turns,
        "legal": terms.legal,
        "clock": str(env.match.clock) if env.match.clock else None,
        "render_mode": env.render_mode,
        "image_size": "own" if sight.own else sight.image_size,
        "image_unit": sight.image_unit,
        "theme": sight.theme,
        "noise": sight.noise,
        "panels": sight.panels,
        "text_length": sight.text_length,
        "prompt": sight.prompt,
    }
    defaults = inspect.signature(type(env)).parameters
    for name, value in given.items():
        always = name in own.env_defaults  # said always, as the game would have it another way
        if (always or value != defaults[name].default) and name not in kwargs:
            kwargs[name] = value
    kwargs = {name: list(v) if isinstance(v, tuple) else v for name, v in kwargs.items()}
    return Spec(env.id, env.file or f"{game.__module__}:{game.__qualname__}", kwargs)
