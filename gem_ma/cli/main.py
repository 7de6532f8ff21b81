"""The entry point of gem-ma: the parser of all commands, and the reporting of errors."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

from gem_ma.cli import (
    check_commands,
    completion,
    data,
    env_commands,
    evaluation,
    new,
    play_commands,
    record_commands,
)
from gem_ma.cli.command_options import (
    CommandInterrupted,
    UsageError,
    format_error,
    suggest_word,
    translate_arguments,
)
from gem_ma.engine.match import SeatError
from gem_ma.envs.registry import MissingRequirement, UnknownEnv
from gem_ma.packs import list_packs
from gem_ma.rollouts.version import __version__
from gem_ma.validation.entry_points import add_current_folder

# In the order of the help; other groups follow.
COMMAND_GROUPS = ("play", "evaluate", "train", "serve", "author")
_NO_GROUP = "other"
# In the order of the help.
COMMAND_MODULES = (
    env_commands,
    play_commands,
    data,
    evaluation,
    record_commands,
    check_commands,
    new,
    completion,
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code: 2 for invalid input, 130 after an interrupt."""
    args = argparse.Namespace()
    if arguments is None:  # as a program, whose folder is that of the script
        add_current_folder()
    try:
        parser = make_parser()
        if "_ARGCOMPLETE" in os.environ:
            completion.complete_line(parser)
        args = parser.parse_args(arguments, args)
        code = int(args.run(args))
        sys.stdout.flush()  # here a closed pipe is still no error
        return code
    except BrokenPipeError:  # the reader, `head` for example, has stopped reading
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except _list_user_errors() as error:
        sys.stderr.write(f"gem-ma: {translate_arguments(format_error(error), args)}\n")
        return 2
    except (KeyboardInterrupt, EOFError) as error:
        sys.stderr.write(f"\ngem-ma: {error}\n" if isinstance(error, CommandInterrupted) else "\n")
        return 130


def _list_user_errors() -> tuple[type[Exception], ...]:
    """Return the exceptions that a command line, or the system it runs on, can cause.

    It is called only after an exception, because some of these classes take long to import.
    """
    from gymnasium.error import DependencyNotInstalled

    from gem_ma.agents.providers.errors import ServerError
    from gem_ma.renderers import BadScene, UnknownTheme

    errors = BadScene, DependencyNotInstalled, MissingRequirement, SeatError, ServerError
    return *errors, ImportError, OSError, UnknownEnv, UnknownTheme, UsageError


class _CommandParser(argparse.ArgumentParser):
    """A parser that reports errors like all other errors, with suggestions.

    Args:
        group: Heading of the command in the help of all commands.
    """

    def __init__(self, *args: Any, group: str = "", **kwargs: Any):
        super().__init__(*args, **kwargs)
        self.group = group

    def format_help(self) -> str:
        """Return the help, with the commands in their groups."""
        formatter = self._get_formatter()
        formatter.add_usage(self.usage, self._actions, self._mutually_exclusive_groups)
        formatter.add_text(self.description)
        for section in self._action_groups:
            for title, actions in _split_section(section):
                formatter.start_section(title)
                formatter.add_text(section.description)
                formatter.add_arguments(actions)
                formatter.end_section()
        formatter.add_text(self.epilog)
        return formatter.format_help()

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}; {self.prog} -h says more")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Report unknown arguments in the command that got them, and not in gem-ma."""
        arguments, rest = super().parse_known_args(args, namespace)
        if rest:
            hint = suggest_word(rest[0].partition("=")[0], self._option_string_actions)
            self.error(f"unrecognized arguments: {' '.join(rest)}{hint}")
        return arguments, rest

    def _check_value(self, action: argparse.Action, value: object) -> None:
        choices = [str(one) for one in action.choices or ()]
        if action.choices is not None and value not in action.choices:
            hint = suggest_word(str(value), choices) or f" (choose from {', '.join(choices)})"
            raise argparse.ArgumentError(action, f"invalid choice: {value!r}{hint}")


def _split_section(
    section: argparse._ArgumentGroup,
) -> Iterator[tuple[str | None, Sequence[argparse.Action]]]:
    """Yield a section of a help, split into one section for each group if it lists the commands."""
    for action in section._group_actions:
        if isinstance(action, argparse._SubParsersAction):
            parsers = action.choices
            if any(parser.group for parser in parsers.values()):
                groups: dict[str, list[argparse.Action]] = {group: [] for group in COMMAND_GROUPS}
                for line in action._get_subactions():
                    groups.setdefault(parsers[line.dest].group or _NO_GROUP, []).append(line)
                groups[_NO_GROUP] = groups.pop(_NO_GROUP, [])  # listed last
                yield from ((group, lines) for group, lines in groups.items() if lines)
                return
    yield section.title, section._group_actions


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of all commands, those of the core and of all packs."""
    parser: argparse.ArgumentParser = _CommandParser(
        prog="gem-ma",
        description="Several language or vision-language models in one environment.",
        epilog="example: gem-ma play game:ConnectFour-v0 --agents human,random; gem-ma COMMAND -h "
        "explains a command",
    )
    parser.add_argument("--version", action="version", version=f"gem-ma {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for group in COMMAND_MODULES:
        group.add_commands(commands)
    for one in list_packs():
        for module in one.pack.commands:
            importlib.import_module(module).add_commands(commands)
    for command in commands.choices.values():
        command.set_defaults(parser=command)  # errors use the options of this parser
    return parser
