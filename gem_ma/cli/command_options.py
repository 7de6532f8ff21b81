"""Options, types of values and error messages that several groups of commands share."""

from __future__ import annotations

import argparse
import contextlib
import difflib
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from gem_ma.agents import AGENT_SPECS
from gem_ma.apis import factory
from gem_ma.engine.seeding import generate_seed
from gem_ma.envs.registry import MissingArgument
from gem_ma.rollouts.reporting.dashboards import DASHBOARD_NAMES, choose_dashboards
from gem_ma.tools import TOOL_SPECS
from gem_ma.validation.endpoints import redact_secrets
from gem_ma.validation.json_types import JSONObject

if TYPE_CHECKING:
    from gem_ma.apis.aec import AECEnv
    from gem_ma.apis.env import Env

__all__ = [
    "add_seed_option",
    "add_setting_option",
    "parse_count",
    "parse_finite_number",
    "parse_positive",
    "parse_seconds",
    "parse_seed",
]

AGENTS_HELP = (
    "the agents in the order of the seats, separated by commas; one agent without SEAT= plays all "
    "seats that are not named; SEAT=SPEC names the agent of one seat; may be repeated. SPEC is one "
    f"of {AGENT_SPECS}, with options such as search:depth=4 or hf:PATH?temperature=0 "
    "(default: random)"
)
MAX_IMAGE_SIDE = 8192  # pixels of a side
_SEED_LIMIT = 10**6  # of drawn seeds: short enough to type again
_ARGUMENT_PATTERN = re.compile(r"(?<![\w?&/.'\"-])(\w+)=(\.\.\.|True\b|'[^']*'|[^\s,;:()]*)")


SubcommandParsers: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
"""The subparsers of gem-ma, to which each group adds its commands."""


class UsageError(ValueError):
    """The arguments of a command do not fit together."""


class CommandInterrupted(KeyboardInterrupt):
    """A command was interrupted from the keyboard; the message says what is kept."""


def format_error(error: Exception | str) -> str:
    """Return an error message without line breaks and without secrets.

    For a file, it is the file's name and the message of the operating system.
    """
    if isinstance(error, OSError) and error.strerror and error.filename:
        return f"{error.filename}: {error.strerror}"
    return redact_secrets(" ".join(str(error).split()))


def translate_arguments(text: str, args: argparse.Namespace) -> str:
    """Return a message with arguments written as options: --max-errors 3 for max_errors=3.

    Arguments that --set sets keep their names, and so do the options of agents and tools.
    """
    parser: argparse.ArgumentParser | None = getattr(args, "parser", None)
    if parser is None:
        return text
    options = dict(list_options(parser))
    settings = dict(getattr(args, "settings", ()))
    for name in settings.keys() & options.keys():
        unknown = f"unexpected keyword argument {name!r};"
        if unknown in text:
            start = text.partition(unknown)[0] + unknown
            return f"{start} did you mean {options[name]} {settings[name]}, without --set?"
    setting_names = settings.keys()

    def replace_argument(found: re.Match[str]) -> str:
        name, value = found.groups()
        if name in setting_names:
            return found[0]
        if name not in options:
            return f"--set {found[0]}" if value == "..." and "settings" in options else found[0]
        value = value.strip("'")
        return options[name] if value in ("", "True", "...") else f"{options[name]} {value}"

    match = re.search(r"(?:agent|tool) '", text)
    head, rest = (text[: match.start()], text[match.start() :]) if match else (text, "")
    head = _ARGUMENT_PATTERN.sub(replace_argument, head)
    for name in options:
        if "_" in name and name not in setting_names:
            head = re.sub(rf"(?<![\w-]){name}\b", options[name], head)
    return head + rest


def list_options(parser: argparse.ArgumentParser) -> Iterator[tuple[str, str]]:
    """Yield the names of the library's arguments, each with its option in a command."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                yield from list_options(below)
        elif action.option_strings:
            yield action.dest, action.option_strings[-1]


@contextlib.contextmanager
def report_interrupt(say: Callable[[], str]) -> Iterator[None]:
    """If the command is interrupted from the keyboard, report what is kept and how to continue."""
    try:
        yield
    except KeyboardInterrupt:
        raise CommandInterrupted(f"stopped: {say()}") from None


def suggest_word(word: str, known: Iterable[str]) -> str:
    """Return a suggestion of a similar word, as the end of a sentence; "" if there is none."""
    near = difflib.get_close_matches(word, list(known), n=1)
    return f"; did you mean {near[0]}?" if near else ""


def format_count(count: int, what: str) -> str:
    """Return a count with its noun, in the plural if needed."""
    return f"{count} {what}{'' if count == 1 else 's'}"


def count_played_episodes(*files: Path) -> int:
    """Return how many episodes without a failure the files hold."""
    count = 0
    for file in files:
        with contextlib.suppress(OSError), file.open("rb") as lines:
            count += sum(b'"failure":null' in line.replace(b": ", b":") for line in lines)
    return count


def parse_positive(text: str) -> int:
    """Return a whole number from 1 on."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r}: expected a whole number from 1 on")
    return int(text)


def parse_port(text: str) -> int:
    """Return a port number from 0 to 65535."""
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r}: expected a number from 0 to 65535")
    return int(text)


def parse_count(text: str) -> int:
    """Return a whole number from 0 on."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r}: expected a whole number from 0 on")
    return int(text)


def parse_seconds(text: str) -> float:
    """Return a number of seconds above 0."""
    seconds = parse_finite_number(text)
    if seconds <= 0:
        raise argparse.ArgumentTypeError(f"{text!r}: expected seconds, more than 0")
    return seconds


def parse_finite_number(text: str) -> float:
    """Return a number that is finite."""
    with contextlib.suppress(ValueError):
        if math.isfinite(number := float(text)):
            return number
    raise argparse.ArgumentTypeError(f"{text!r}: expected a finite number")


def parse_nonnegative(text: str) -> float:
    """Return a finite number, 0 or more."""
    if parse_finite_number(text) < 0:
        raise argparse.ArgumentTypeError(f"{text!r}: expected a number, 0 or more")
    return parse_finite_number(text)


def parse_share(text: str) -> float:
    """Return a number from 0 to 1."""
    if not 0 <= parse_finite_number(text) <= 1:
        raise argparse.ArgumentTypeError(f"{text!r}: expected a number from 0 to 1")
    return parse_finite_number(text)


def parse_positive_float(text: str) -> float:
    """Return a finite number above 0."""
    if parse_finite_number(text) <= 0:
        raise argparse.ArgumentTypeError(f"{text!r}: expected a number above 0")
    return parse_finite_number(text)


def parse_names(text: str) -> list[str]:
    """Return the names in a list that is separated by commas."""
    return text.split(",")


def parse_seed(text: str) -> int:
    """Return a seed: a whole number of up to 38 digits."""
    if not re.fullmatch(r"-?\d{1,38}", text):
        raise argparse.ArgumentTypeError(f"{text!r}: expected a whole number of at most 38 digits")
    return int(text)


def parse_image_size(text: str) -> tuple[int, int] | str:
    """Return the width and height of pictures: 252 means 252x252; or return "own"."""
    if text == "own":
        return text
    sides = [int(side) for side in text.split("x") if side.isdecimal()]
    if len(sides) != text.count("x") + 1 or not 1 <= len(sides) <= 2:
        sides = []
    if not sides or not all(1 <= side <= MAX_IMAGE_SIDE for side in sides):
        raise argparse.ArgumentTypeError(
            f"{text!r}: expected one or two numbers of pixels from 1 to {MAX_IMAGE_SIDE}, such as "
            "252 or 336x252, or own"
        )
    return sides[0], sides[-1]


def parse_name_or_number(text: str) -> str | int:
    """Return a name, or a number that draws one."""
    return int(text) if text.removeprefix("-").isdecimal() else text


def _parse_setting(text: str) -> tuple[str, Any]:
    """Return the name and the value of NAME=VALUE; the value is JSON, or else plain text."""
    name, equals, value = text.partition("=")
    if not equals or not name.isidentifier():
        near = name.replace("-", "_")
        hint = ", such as rounds=5"
        if equals and near.isidentifier():
            hint = f"; did you mean {near}={value}?"
        raise argparse.ArgumentTypeError(f"{text!r}: expected NAME=VALUE{hint}")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def add_setting_option(parser: argparse.ArgumentParser) -> None:
    """Add --set, the option that sets arguments of an environment."""
    parser.add_argument(
        "--set",
        dest="settings",
        action="append",
        default=[],
        type=_parse_setting,
        metavar="NAME=VALUE",
        help="an argument of the environment, as listed by gem-ma info; may be repeated",
    )


def add_picture_options(parser: argparse.ArgumentParser, *sizes: str) -> None:
    """Add the options for pictures; `sizes` are the names of the option for their size."""
    parser.add_argument(
        "--theme",
        type=parse_name_or_number,
        help="theme of pictures: light, dark, contrast, wood or mono; a whole number draws a theme "
        "for training, and held-out:NUMBER one for tests (default: light)",
    )
    parser.add_argument(
        "--noise",
        type=parse_name_or_number,
        help="noise in pictures: blur:1, downscale:2, jpeg:40 or hue:30, each with the strength "
        "that you choose, or several joined by +; a whole number draws a kind and its strength; "
        "photo:NUMBER shows boards as if photographed on a table, from a camera for training, and "
        "photo:held-out:NUMBER from one for tests (default: none)",
    )
    parser.add_argument(
        *(sizes or ("--image-size", "--size")),
        dest="image_size",
        type=parse_image_size,
        metavar="WIDTH[xHEIGHT]",
        help="size of pictures in pixels; own: photos and frames in their own size (default: that "
        "of the environment, mostly 252x252)",
    )
    parser.add_argument(
        "--panels",
        choices=("together", "apart"),
        help="show several boards in one picture, or each in its own (default: together)",
    )


def add_observation_options(parser: argparse.ArgumentParser, *sizes: str) -> None:
    """Add the options for observations: --observe, --theme, --noise, --size, --panels, --set."""
    parser.add_argument(
        "--observe",
        choices=("text", "image", "both"),
        help="what seats see: the position in words, as a picture, or as both (default: that of "
        "the environment, mostly text)",
    )
    add_picture_options(parser, *sizes)
    add_setting_option(parser)


def add_tool_option(parser: argparse.ArgumentParser) -> None:
    """Add --tools, the option that gives tools to seats."""
    parser.add_argument(
        "--tools",
        action="append",
        metavar="[SEAT=]SPEC",
        help="tools that all seats may call, or with SEAT= one seat, separated by commas; may be "
        f"repeated: {TOOL_SPECS}; with options such as python:seconds=2 (default: none)",
    )


def add_seed_option(
    parser: argparse.ArgumentParser, decides: str, default: int | None = None
) -> None:
    """Add --seed; without a default, a short seed is drawn and printed."""
    shown = "drawn" if default is None else default
    parser.add_argument(
        "--seed",
        type=parse_seed,
        default=default,
        help=f"a whole number that decides {decides} (default: {shown})",
    )


def add_limit_options(parser: argparse.ArgumentParser, unit: str, where: str = "") -> None:
    """Add --concurrency and --max-errors, for episodes or matches."""
    parser.add_argument(
        "--concurrency",
        type=parse_positive,
        default=64,
        help=f"{unit} played at once (default: 64)",
    )
    parser.add_argument(
        "--max-errors",
        type=parse_count,
        default=10,
        help=f"failed {unit} to tolerate{where} (default: 10)",
    )


def add_report_option(parser: argparse.ArgumentParser) -> None:
    """Add --report-to, the option that names dashboards."""
    parser.add_argument(
        "--report-to",
        type=_parse_dashboards,
        metavar="NAME,NAME",
        help=f"dashboards to show the run in: {', '.join(DASHBOARD_NAMES)}; all: those that are "
        "installed; wandb stays offline unless WANDB_MODE is set (default: none)",
    )


def _parse_dashboards(text: str) -> list[str]:
    try:
        return choose_dashboards(text.split(","))
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def choose_seed(given: int | None) -> int:
    """Return the seed, or draw a short one that a person can type again."""
    return generate_seed() % _SEED_LIMIT if given is None else given


def collect_env_arguments(args: argparse.Namespace) -> JSONObject:
    """Return the arguments of `make` that the options of a command set."""
    names = "observe", "theme", "noise", "image_size", "panels"
    values = {name: getattr(args, name, None) for name in names}
    arguments = {name: value for name, value in values.items() if value is not None}
    return {**arguments, **dict(getattr(args, "settings", ()))}


def make_env_from_args(id: str, args: argparse.Namespace) -> Env:
    """Make the environment of a command with the arguments of its options."""
    return make_command_env(id, **collect_env_arguments(args))


def wrap_with_tools(env: Env, tools: Sequence[str] | None) -> AECEnv:
    """Return the environment with the tools that --tools gives to seats."""
    if not tools:
        return env
    from gem_ma.tools.tool_env import ToolEnv

    try:
        return ToolEnv(env, tools)
    except (TypeError, ValueError) as error:
        raise UsageError(f"--tools {' '.join(tools)}: {error}") from None


def make_command_env(id: str, **arguments: Any) -> Env:
    """Make the environment of a command, or raise UsageError if its arguments are invalid."""
    try:
        return factory.make(id, **arguments)
    except (MissingArgument, ValueError) as error:
        raise UsageError(str(error)) from None
    except TypeError as error:
        if not arguments:  # then it is not an error of the user
            raise
        raise UsageError(str(error)) from None


def format_agents_option(given: Sequence[str]) -> str:
    """Return the option --agents as it was typed."""
    return f"--agents {' '.join(given)}"
