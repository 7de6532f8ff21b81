"""What several groups of commands share: an error, kinds of numbers, and --set."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gem_ma.agents import SPECS
from gem_ma.apis import making
from gem_ma.envs.registry import MissingArgument
from gem_ma.guards.remote import without_secrets

if TYPE_CHECKING:
    from gem_ma.apis.env import Env

WHO = (
    "who sits in the seats, in order with commas between, or one for all, or SEAT=SPEC for one; "
    f"may be repeated: {SPECS} (default: random)"
)


class UsageError(ValueError):
    """The words of a command do not fit together."""


def in_one_line(error: Exception) -> str:
    """Return what is wrong, without line breaks and without keys."""
    return without_secrets(" ".join(str(error).split()))


def positive(text: str) -> int:
    """Return a number of the command line that counts something, from 1 on."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r}: expected a whole number from 1 on")
    return int(text)


def count(text: str) -> int:
    """Return a number of the command line that counts something, from 0 on."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r}: expected a whole number from 0 on")
    return int(text)


def add_settings(parser: argparse.ArgumentParser) -> None:
    """Add the option that sets arguments of an environment."""
    parser.add_argument(
        "--set",
        dest="settings",
        action="append",
        default=[],
        type=_setting,
        metavar="NAME=VALUE",
        help="an argument of the environment, which gem-ma info names; may be repeated",
    )


def _setting(text: str) -> tuple[str, Any]:
    """Return a name and what is set: JSON, or else the words as they are."""
    name, equals, value = text.partition("=")
    if not equals or not name.isidentifier():
        raise argparse.ArgumentTypeError(f"{text!r}: expected NAME=VALUE, such as rounds=5")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def make(id: str, settings: Sequence[tuple[str, Any]], **arguments: Any) -> Env[Any]:
    """Make the environment of a command, or say what is wrong with what was set for it."""
    try:
        return making.make(id, **arguments, **dict(settings))
    except MissingArgument as error:
        raise UsageError(f"{error}; see --set") from None
    except ValueError as error:
        raise UsageError(str(error)) from None
    except TypeError as error:
        if not settings:  # which may be of any type
            raise
        raise UsageError(str(error)) from None
