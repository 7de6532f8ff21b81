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
    suggest_names,
)
from gem_ma.game import Game
from gem_ma.validation.entry_points import load_entry_point
from gem_ma.validation.json_types import JSONMapping, JSONObject


def import_game_class(spec: Spec) -> type[Game]:
    """Import the class of a Spec's game."""
    found: object = load_entry_point(spec.entry_point)
    if not (isinstance(found, type) and issubclass(found, Game)):
        # The spec of a recorded episode may say anything.
        theirs = all(hasattr(found, name) for name in ("reset", "step"))
        hint = "; gem_ma.gem.make makes what is written for GEM" if theirs else ""
        raise TypeError(f"{spec.id}: {spec.entry_point} is no Game{hint}")
    return found


def make_game(
    spec: Spec, arguments: JSONMapping, beside: Collection[str] = ()
) -> tuple[Game, JSONObject]:
    """Make a Spec's game; return it, and those arguments that it does not take.

    Args:
        arguments: they override those of the spec; a difficulty stands for those on its dial.
        beside: which of them somebody else takes.
    """
    if missing := spec.list_missing():
        raise MissingRequirement(f"{spec.id} cannot be made here: {'; '.join(missing)}")
    found = import_game_class(spec)
    parameters = list(inspect.signature(found.__init__).parameters.values())[1:]
    takes = [one.name for one in parameters]
    own, others = {}, {}
    arguments = dict(arguments)
    turned: JSONMapping = {}
    if spec.dial and "difficulty" in arguments:
        turned = select_level(spec.dial, arguments.pop("difficulty"))
    for key, value in {**spec.kwargs, **turned, **arguments}.items():
        if key in takes:  # a game's own argument comes first: max_turns may be one of its rules
            own[key] = value
        elif key in beside:
            others[key] = value
        else:
            dial = ["difficulty"] if spec.dial else []
            raise make_argument_error(spec.id, key, value, [*takes, *dial, *beside])
    for one in parameters:
        if one.default is one.empty and one.name not in own:
            raise MissingArgument(f"{spec.id} needs {one.name}=...")
    return found(**own), others


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
        inside = ", ".join(f"{name}={one!r}" for name, one in value.items()) or "observe='image'"
        return f"arguments stand by themselves, such as {inside[:100]}"
    return hint
