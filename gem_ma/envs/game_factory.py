"""Factories of games: a Spec in, the Game for which it stands out."""

from __future__ import annotations

import inspect
from collections.abc import Collection, Mapping, Sequence

from gem_ma.envs.difficulty_levels import select_level
from gem_ma.envs.registry import (
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


def import_game_class(spec: Spec) -> type[Game]:
    """Import the class of a Spec's game."""
    game_class: object = load_entry_point(spec.entry_point)
    if not (isinstance(game_class, type) and issubclass(game_class, Game)):
        # The spec of a recorded episode may say anything.
        is_gem_env = all(hasattr(game_class, name) for name in ("reset", "step"))
        hint = "; gem_ma.gem.make makes what is written for GEM" if is_gem_env else ""
        raise TypeError(f"{spec.id}: {spec.entry_point} is no Game{hint}")
    return game_class


def make_game(
    spec: Spec, arguments: JSONMapping, beside: Collection[str] = ()
) -> tuple[Game, JSONObject]:
    """Make a Spec's game; return it, and those arguments that it does not take.

    Args:
        arguments: they override those of the spec; a difficulty stands for those on its dial.
        beside: which of them somebody else takes.
    """
    # Which file of its data is missing a game says itself; an argument may name others.
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
        # A game's own argument comes first: max_turns may be one of its rules.
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
    return game_class(**game_kwargs), other_kwargs


def make_argument_error(who: str, key: str, value: object, known: Sequence[str]) -> UnknownArgument:
    """Return the error for an argument that nobody takes; `known` are those that somebody does."""
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
        return f"arguments stand by themselves, such as {inside[:100]}"
    return hint
