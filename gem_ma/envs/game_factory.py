"""Factory of games: it makes the Game that a Spec describes."""

from __future__ import annotations

import functools
import inspect
import math
import types
import typing
from collections.abc import Collection, Mapping, Sequence
from numbers import Integral, Real

from gem_ma.envs.difficulty_levels import select_level
from gem_ma.envs.registry import (
    BadArgument,
    MissingArgument,
    MissingRequirement,
    Spec,
    UnknownArgument,
    find_remedy,
    suggest_names,
)
from gem_ma.game import Game
from gem_ma.validation.entry_points import load_entry_point
from gem_ma.validation.json_types import JSONMapping, JSONObject

# What the types of an annotation are called in errors.
_TYPE_NAMES = {bool: "True or False", int: "a whole number", float: "a number", str: "a text"}
_TYPE_NAMES[types.NoneType] = "None"


def import_game_class(spec: Spec) -> type[Game]:
    """Import the game class of a Spec; raise TypeError if it is not a Game."""
    game_class: object = load_entry_point(spec.entry_point)
    if not (isinstance(game_class, type) and issubclass(game_class, Game)):
        # The Spec of a recorded episode can name any object.
        is_gem_env = all(hasattr(game_class, name) for name in ("reset", "step"))
        hint = "; gem_ma.gem.make makes environments that are written for GEM" if is_gem_env else ""
        raise TypeError(f"{spec.id}: {spec.entry_point} is not a subclass of gem_ma.Game{hint}")
    return game_class


def make_game(
    spec: Spec, arguments: JSONMapping, beside: Collection[str] = ()
) -> tuple[Game, JSONObject]:
    """Make the game of a Spec; return it, and the arguments that the game does not take.

    Args:
        spec: which game class to import, with its default arguments.
        arguments: values that override those of the spec. If the spec has a difficulty scale,
            `difficulty` is replaced by the arguments at that difficulty.
        beside: names of arguments that are returned for the caller instead of being rejected.
    """
    # The game itself reports a missing data file, because an argument can name another file.
    needs = [need for need in spec.needs if not need.startswith("data:")]
    if missing := list(filter(None, map(find_remedy, needs))):
        raise MissingRequirement(f"{spec.id} cannot be made here: {'; '.join(missing)}")
    game_class = import_game_class(spec)
    parameters = list(inspect.signature(game_class.__init__).parameters.values())[1:]
    parameter_names = [parameter.name for parameter in parameters]
    game_kwargs, other_kwargs = {}, {}
    arguments = dict(arguments)
    level_arguments: JSONMapping = {}
    if spec.dial and "difficulty" in arguments:
        level_arguments = select_level(spec.dial, arguments.pop("difficulty"))
    for key, value in {**spec.kwargs, **level_arguments, **arguments}.items():
        # Arguments of the game take precedence: max_turns may be a rule of the game.
        if key in parameter_names:
            game_kwargs[key] = value
        elif key in beside:
            other_kwargs[key] = value
        else:
            dial = ["difficulty"] if spec.dial else []
            raise make_argument_error(spec.id, key, value, [*parameter_names, *dial, *beside])
    for parameter in parameters:
        if parameter.default is parameter.empty and parameter.name not in game_kwargs:
            raise MissingArgument(f"{spec.id} needs {parameter.name}=...")
    given = {key: value for key, value in game_kwargs.items() if key in arguments}
    _check_arguments(spec, game_class, given)
    try:
        return game_class(**game_kwargs), other_kwargs
    except (TypeError, AttributeError) as error:  # an argument of another type than expected
        if not given or any(name in str(error) for name in given):
            raise
        values = ", ".join(f"{name}={repr(value)[:80]}" for name, value in given.items())
        raise BadArgument(f"{spec.id} cannot be made with {values}: {error}") from error


def _check_arguments(spec: Spec, game_class: type[Game], given: JSONMapping) -> None:
    """Raise BadArgument unless the arguments have the types with which they are annotated."""
    expected = _list_simple_types(game_class)
    for key, value in given.items():
        kinds = expected.get(key, ())
        if kinds and not any(_has_type(value, kind) for kind in kinds):
            names = " or ".join(_TYPE_NAMES[kind] for kind in kinds)
            raise BadArgument(
                f"{spec.id}: {key}={repr(value)[:80]}: expected {names}, got {type(value).__name__}"
            )


def _has_type(value: object, kind: type) -> bool:
    """Return whether a value can be used where a simple type is expected."""
    if isinstance(value, bool):
        return kind is bool
    if kind is bool:
        return isinstance(value, Integral) and value in (0, 1)
    if kind in (int, float):
        return isinstance(value, Integral if kind is int else Real) and math.isfinite(value)
    return isinstance(value, kind)


@functools.lru_cache(maxsize=256)
def _list_simple_types(game_class: type[Game]) -> dict[str, tuple[type, ...]]:
    """Return the types of the arguments of a game that are annotated with simple types alone."""
    try:
        hints = typing.get_type_hints(game_class.__init__)
    except (NameError, TypeError):  # an annotation that only a type checker can read
        return {}
    simple = {}
    for key, hint in hints.items():
        union = typing.get_origin(hint) in (typing.Union, types.UnionType)
        kinds = typing.get_args(hint) if union else (hint,)
        if all(kind in _TYPE_NAMES for kind in kinds):
            simple[key] = kinds
    return simple


def make_argument_error(who: str, key: str, value: object, known: Sequence[str]) -> UnknownArgument:
    """Return the error for an unknown argument; `known` are the names that are accepted."""
    error = UnknownArgument(
        f"{who} got an unexpected keyword argument {key!r}; {_suggest_argument(key, value, known)}"
    )
    error.argument, error.known = (who, key, value), tuple(known)
    return error


def _suggest_argument(key: str, value: object, known: Sequence[str]) -> str:
    seat = ["agent", "others"]
    if key in seat:
        return "it belongs to make_gym() and Env.gym()"
    hint = suggest_names(key, [*known, *seat], "it takes")
    if isinstance(value, Mapping) and not hint.startswith("did"):
        inside = (
            ", ".join(f"{name}={argument!r}" for name, argument in value.items())
            or "observe='image'"
        )
        return f"pass the arguments directly, such as {inside[:100]}"
    return hint
