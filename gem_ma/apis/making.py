"""Making environments by their ids or Specs, behind every API."""

from __future__ import annotations

import contextlib
import importlib.machinery
import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from gem_ma.apis.env import Env
from gem_ma.engine.config import OPTIONS
from gem_ma.envs.games import make_game, unknown
from gem_ma.envs.registry import Spec, UnknownArgument, Untrusted, instead, listed, spec
from gem_ma.guards import source
from gem_ma.guards.given import need

if TYPE_CHECKING:
    from gem_ma.apis.parallel import ParallelView
    from gem_ma.apis.seat import SeatView


def make(id: str | Spec, *, trust: bool = False, **options: Any) -> Env[Any]:
    """Make an environment: a PettingZoo AECEnv, from which the other views come.

    Args:
        id: An id or a Spec, whose arguments those given here override.
        trust: Make what a record names, though it is not registered here: it runs code.
        **options: Options of the environment, such as observe="image" (`EnvConfig` names all), and
            settings of the game itself (`gem-ma info ID` names them).
    """
    need(id, str | Spec, "id", "an id or a Spec")
    found = spec(id) if isinstance(id, str) else id
    if found.recorded and not trust and (reason := distrust(found)):
        raise Untrusted(f"{reason}; trust=True does so")
    game, others = make_game(found, options, OPTIONS)
    env = Env(game, id=found.id, **{**game.env_defaults, **others})
    if source.parts(found.entry_point)[0]:
        env.file = found.entry_point
    return env


def made_for(function: Callable[..., Any], env: Any, kwargs: Mapping[str, Any]) -> Any:
    """Return the environment of a function that leaves to `make` what it does not take itself.

    env: an id or a Spec; anything else was made already, and is returned.
    """
    if isinstance(env, str | Spec):
        with making_for(function):
            return make(env, **kwargs)
    for key in kwargs:
        made = "an argument of make goes with an id, and this environment is made already"
        hint = made if key in OPTIONS else f"{instead(key, _own(function), 'it takes')} ({made})"
        raise TypeError(f"{function.__name__} got an unexpected keyword argument {key!r}; {hint}")
    return env


@contextlib.contextmanager
def making_for(function: Callable[..., Any]) -> Iterator[None]:
    """Let the error for an argument that `make` does not know think of a function's own, too."""
    try:
        yield
    except UnknownArgument as error:
        id, key, value = error.argument
        known = [*_own(function), *error.known]
        raise unknown(f"{function.__name__} of {id}", key, value, known) from None


def _own(function: Callable[..., Any]) -> list[str]:
    stars = inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD
    own = inspect.signature(function).parameters.values()
    return [one.name for one in own if one.kind not in stars]


def make_parallel(id: str | Spec, **kwargs: Any) -> ParallelView:
    """Make an environment behind PettingZoo's parallel API; it takes what `make` takes."""
    with making_for(make_parallel):
        return make(id, **kwargs).parallel()


def make_gym(
    id: str | Spec, *, agent: str | None = None, others: Any = None, **kwargs: Any
) -> SeatView:
    """Make one seat of an environment behind Gymnasium's API; it takes what `make` takes.

    agent: the seat, which only an environment of one leaves open. others: who plays the others.
    """
    with making_for(make_gym):
        return make(id, **kwargs).gym(agent=agent, others=others)


def distrust(spec: Spec) -> str:
    """Say what to make a Spec out of a file would run or use that nobody registered, if anything.

    Its game, and whatever could name a file, a server or another game, are to be as registered.
    Numbers may differ, and so may what Env itself takes.
    """
    known = listed(spec.id)
    if known is None or known.entry_point != spec.entry_point:
        one = f"{spec.id[:200]!r}"
        what = f"no environment {one} is" if known is None else f"{one} is another environment"
        names = spec.entry_point, spec.id.partition(":")[2]
        files = list(dict.fromkeys(filter(None, map(_file, names)))) or [spec.entry_point[:200]]
        return f"{what} registered here, and making this one would run {' and '.join(files)}"
    for name, value in spec.kwargs.items():
        if name not in OPTIONS and value != known.kwargs.get(name) and not numbers(value):
            argument = f"{str(name)[:60]}={repr(value)[:200]}"
            return f"{spec.id} is not registered with {argument}, and making it would use that"
    return ""


def numbers(value: Any, most: int = 64) -> bool:
    """Return whether a value is a number, nothing, or a short list of such."""
    if isinstance(value, list | tuple):
        return len(value) <= most and all(numbers(one, 0) for one in value)
    return value is None or isinstance(value, int | float)


def _file(name: str) -> str:
    """Return the file that importing "module:name" would run, and import nothing to find it."""
    found: Any = None
    file, game = source.parts(name)
    if game:
        return file
    parts = name.rpartition(":")[0].split(".")
    for count in range(1, len(parts) + 1 if parts[0] else 0):
        path = found.submodule_search_locations if found else None
        found = importlib.machinery.PathFinder.find_spec(".".join(parts[:count]), path)
        if found is None:
            return ""
    return str(found.origin or "") if found else ""


# What the other registries call: `register` says these names to them.


def for_gymnasium(env_id: str, **kwargs: Any) -> SeatView:
    """Make an environment for Gymnasium's `make`."""
    return make_gym(env_id, **kwargs)


# Gymnasium looks here for the modes from which it makes others, such as "rgb_array_list".
for_gymnasium.metadata = {"render_modes": ["ansi", "rgb_array", "human"]}  # type: ignore[attr-defined]


def for_pettingzoo(env_id: str, max_cycles: int | None = None, **kwargs: Any) -> Env[Any]:
    """Make an environment for PettingZoo's `make` of turns."""
    return make(env_id, **_limited(kwargs, max_cycles))


def for_pettingzoo_parallel(
    env_id: str, max_cycles: int | None = None, **kwargs: Any
) -> ParallelView:
    """Make an environment for PettingZoo's `make` of simultaneous moves."""
    return make_parallel(env_id, **_limited(kwargs, max_cycles))


def _limited(kwargs: dict[str, Any], max_cycles: int | None) -> dict[str, Any]:
    """Translate PettingZoo's word for a turn limit."""
    return kwargs if max_cycles is None else dict(max_turns=max_cycles, **kwargs)
