"""Functions that make environments from ids or Specs, behind every API."""

from __future__ import annotations

import contextlib
import importlib.machinery
import inspect
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeAlias

from gem_ma.apis.aec import AECEnv
from gem_ma.apis.env import Env
from gem_ma.chat.agent import SeatAgents
from gem_ma.engine.config import OPTIONS, EnvOptions
from gem_ma.envs.game_factory import make_argument_error, make_game
from gem_ma.envs.registry import (
    Spec,
    UnknownArgument,
    UntrustedSpec,
    find_registered,
    spec,
    suggest_names,
)
from gem_ma.game import T
from gem_ma.validation import entry_points
from gem_ma.validation.arguments import check_type

if TYPE_CHECKING:
    from gem_ma.apis.gymnasium_view import GymnasiumView
    from gem_ma.apis.parallel_view import ParallelView

EnvSource: TypeAlias = str | Spec | AECEnv
"""An environment, or the id or Spec of one."""


def make(id: str | Spec, *, trust: bool = False, **options: Any) -> Env:
    """Make an environment: a PettingZoo AECEnv with methods that return the other views.

    Args:
        id: An id or a Spec. The `options` override the arguments of a Spec.
        trust: Make a recorded environment even if it is not registered here. This runs its code.
        **options: Options of the environment, such as observe="image" (`EnvConfig` lists them), and
            settings of the game itself (`gem-ma info ID` lists them).

    Returns:
        The environment. Call `reset` to begin an episode.

    Raises:
        UnknownEnv: No game has this id.
        UnknownArgument: Neither the environment nor its game takes one of the options.
        UntrustedSpec: The Spec was read from a file, names code that is not registered here or
            an argument of the game that is no number, and `trust` is False.

    Examples:
        >>> import gem_ma
        >>> env = gem_ma.make("game:KuhnPoker-v0")
        >>> env.reset(seed=0)
        >>> env.turn("first").text
        'Cards: first Q, second ?. Betting: none yet.'
        >>> env.step("bet")
        >>> env.turn("second").legal
        ('fold', 'call')
    """
    check_type(id, str | Spec, "id", "an id or a Spec")
    env_spec = spec(id) if isinstance(id, str) else id
    if env_spec.recorded and not trust and (reason := find_distrust_reason(env_spec)):
        raise UntrustedSpec(f"{reason}; trust=True does so")
    game, others = make_game(env_spec, options, OPTIONS)
    env = Env(game, id=env_spec.id, **{**game.env_defaults, **others})
    if entry_points.split_file_entry(env_spec.entry_point)[0]:
        env.file = env_spec.entry_point
    return env


def resolve_env(
    function: Callable[..., object], env: str | Spec | T, kwargs: EnvOptions
) -> Env | T:
    """Return the environment for a function that passes its extra arguments on to `make`.

    Args:
        function: The calling function, for error messages.
        env: An id or a Spec to make, or an environment to return unchanged.
        kwargs: The arguments of `make`; only allowed with an id or a Spec.

    Raises:
        UnknownArgument: Neither `function` nor `make` takes one of `kwargs`.
        TypeError: There are `kwargs`, but `env` is made already.
    """
    if isinstance(env, str | Spec):
        with extend_argument_errors(function):
            return make(env, **kwargs)
    for key in kwargs:
        reason = "arguments of make need an id or a Spec, and this environment is made already"
        hint = (
            reason
            if key in OPTIONS
            else f"{suggest_names(key, _list_parameters(function), 'it takes')} ({reason})"
        )
        raise TypeError(f"{function.__name__} got an unexpected keyword argument {key!r}; {hint}")
    return env


@contextlib.contextmanager
def extend_argument_errors(function: Callable[..., object]) -> Iterator[None]:
    """Suggest also the arguments of `function` in errors for arguments unknown to `make`."""
    try:
        yield
    except UnknownArgument as error:
        id, key, value = error.argument
        known = [*_list_parameters(function), *error.known]
        raise make_argument_error(f"{function.__name__} of {id}", key, value, known) from None


def _list_parameters(function: Callable[..., object]) -> list[str]:
    stars = inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD
    own = inspect.signature(function).parameters.values()
    return [one.name for one in own if one.kind not in stars]


def make_parallel(id: str | Spec, **kwargs: Any) -> ParallelView:
    """Make an environment behind PettingZoo's parallel API.

    Args:
        id: An id or a Spec, as for `make`.
        **kwargs: Further arguments of `make`.

    Returns:
        The parallel view, which steps all seats at once.

    Raises:
        UnknownEnv: No game has this id.
        UnknownArgument: Neither the environment nor its game takes one of the arguments.

    Examples:
        >>> import gem_ma
        >>> env = gem_ma.make_parallel("game:RockPaperScissors-v0", rounds=1)
        >>> observations, infos = env.reset(seed=0)
        >>> actions = {"left": "rock", "right": "paper"}
        >>> observations, rewards, terminations, truncations, infos = env.step(actions)
        >>> rewards
        {'left': -1.0, 'right': 1.0}
    """
    with extend_argument_errors(make_parallel):
        return make(id, **kwargs).parallel()


def make_gym(
    id: str | Spec, *, agent: str | None = None, others: SeatAgents | None = None, **kwargs: Any
) -> GymnasiumView:
    """Make an environment behind Gymnasium's API for one of its seats.

    Args:
        id: An id or a Spec, as for `make`.
        agent: The name of the seat; None: the only seat of the environment.
        others: The agents of the other seats: one agent or spec string for all of them, or a
            mapping from seat to agent.
        **kwargs: Further arguments of `make`.

    Returns:
        The view of this seat. Its `step` also plays the turns of the other seats.

    Raises:
        UnknownEnv: No game has this id.
        UnknownArgument: Neither the environment nor its game takes one of the arguments.

    Examples:
        >>> import gem_ma
        >>> env = gem_ma.make_gym("game:KuhnPoker-v0", agent="first", others="random")
        >>> observation, info = env.reset(seed=0)
        >>> info["legal_actions"]
        ['check', 'bet']
        >>> observation, reward, terminated, truncated, info = env.step("bet")
        >>> reward, terminated
        (-2.0, True)
    """
    with extend_argument_errors(make_gym):
        return make(id, **kwargs).gym(agent=agent, others=others)


def find_distrust_reason(spec: Spec) -> str:
    """Return why a recorded Spec needs trust: the unregistered code or value; "" if it does not.

    The entry point must be the registered one, and so must every argument that could name a file,
    a server or another game. Numbers and the options of Env may differ.
    """
    known = find_registered(spec.id)
    if known is None or known.entry_point != spec.entry_point:
        one = f"{spec.id[:200]!r}"
        what = f"no environment {one} is" if known is None else f"{one} with another entry point is"
        names = spec.entry_point, spec.id.partition(":")[2]
        files = list(dict.fromkeys(filter(None, map(_find_file, names)))) or [
            spec.entry_point[:200]
        ]
        return f"{what} registered here, and making this one would run {' and '.join(files)}"
    for name, value in spec.kwargs.items():
        if name not in OPTIONS and value != known.kwargs.get(name) and not is_numeric(value):
            argument = f"{str(name)[:60]}={repr(value)[:200]}"
            return f"{spec.id} is not registered with {argument}, and making it would use that"
    return ""


def is_numeric(value: object, most: int = 64) -> bool:
    """Return whether a value is a number, None, or a list of at most `most` of these."""
    if isinstance(value, list | tuple):
        return len(value) <= most and all(is_numeric(one, 0) for one in value)
    return value is None or isinstance(value, int | float)


def _find_file(name: str) -> str:
    """Return the file that importing "module:name" would run, without importing anything."""
    module_spec: importlib.machinery.ModuleSpec | None = None
    file, game = entry_points.split_file_entry(name)
    if game:
        return file
    parts = name.rpartition(":")[0].split(".")
    for count in range(1, len(parts) + 1 if parts[0] else 0):
        path = module_spec.submodule_search_locations if module_spec else None
        module_spec = importlib.machinery.PathFinder.find_spec(".".join(parts[:count]), path)
        if module_spec is None:
            return ""
    return str(module_spec.origin or "") if module_spec else ""


# The entry points that `register` gives to the registries of Gymnasium and PettingZoo.


def make_for_gymnasium(env_id: str, **kwargs: Any) -> GymnasiumView:
    """Make an environment for Gymnasium's `make`."""
    return make_gym(env_id, **kwargs)


# Gymnasium reads these modes to derive others, such as "rgb_array_list".
make_for_gymnasium.metadata = {"render_modes": ["ansi", "rgb_array", "human"]}  # type: ignore[attr-defined]


def make_for_pettingzoo(env_id: str, max_cycles: int | None = None, **kwargs: Any) -> Env:
    """Make an environment for PettingZoo's `make` of AEC environments."""
    return make(env_id, **_translate_max_cycles(kwargs, max_cycles))


def make_parallel_for_pettingzoo(
    env_id: str, max_cycles: int | None = None, **kwargs: Any
) -> ParallelView:
    """Make an environment for PettingZoo's `make` of parallel environments."""
    return make_parallel(env_id, **_translate_max_cycles(kwargs, max_cycles))


def _translate_max_cycles(kwargs: EnvOptions, max_cycles: int | None) -> EnvOptions:
    """Return the arguments with PettingZoo's `max_cycles` as `max_turns`."""
    return kwargs if max_cycles is None else dict(max_turns=max_cycles, **kwargs)
