"""The commands info, check, new and completion: their words, and what they print."""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gem_ma.apis import making
from gem_ma.cli import completion
from gem_ma.envs.registry import MissingArgument

if TYPE_CHECKING:
    from gem_ma.apis.env import Env
    from gem_ma.cli.about import About, Parameter


_MOST = 2000  # characters of what is wrong with an environment


class UsageError(ValueError):
    """The words of a command do not fit together."""


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


def add_info(commands: Any) -> None:
    """Add info to the commands of gem-ma."""
    info = commands.add_parser(
        "info",
        help="say what an environment is, and show its first turn",
        epilog="example: gem-ma info game:ConnectFour-v0 --picture board.png",
    )
    info.add_argument("id", help="an environment; see gem-ma list")
    info.add_argument("--picture", metavar="FILE.png", help="draw its first turn into a file")
    info.add_argument("--json", action="store_true", help="print JSON")
    info.set_defaults(run=_info)


def add_commands(commands: Any) -> None:
    """Add check, new and completion to the commands of gem-ma."""
    check = commands.add_parser(
        "check",
        help="check that an environment of yours keeps the contract",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=(
            "examples:\n"
            "  gem-ma check tug_of_war.py\n"
            "  gem-ma check my_games/cards.py:Rummy --seeds 10\n"
            "  gem-ma check game:ConnectFour-v0 --quick\n\n"
            "It exits with 0 if all holds, and with 1 if something does not."
        ),
    )
    check.add_argument(
        "what", metavar="ID|FILE.py[:NAME]", help="an id, or a game in a file, installed or not"
    )
    check.add_argument("--seeds", type=positive, help="episodes in each step (default: 3)")
    check.add_argument(
        "--max-turns",
        type=positive,
        default=1000,
        help="what a random episode may take, or it never ends (default: 1000)",
    )
    check.add_argument(
        "--quick", action="store_true", help="one seed, and no episode in another process"
    )
    check.add_argument(
        "--pictures",
        action="store_true",
        help="prove as well that two views that differ in words differ in their pictures",
    )
    add_settings(check)
    check.set_defaults(run=_check)

    from gem_ma.cli.new import PLAYERS

    new = commands.add_parser(
        "new",
        help="write a game and its test, to be made into your own",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=(
            "example: gem-ma new tug_of_war --players together --dir my_games\n\n"
            "writes tug_of_war.py and test_tug_of_war.py, which pass `gem-ma check` and pytest\n"
            "as they are."
        ),
    )
    new.add_argument("name", help="letters, digits and _, such as tug_of_war")
    new.add_argument("--dir", default=".", metavar="FOLDER", help="where to (default: here)")
    new.add_argument(
        "--players",
        choices=PLAYERS,
        default="two",
        help="one, two in turn, or two who move together (default: two)",
    )
    new.set_defaults(run=_new)

    complete = commands.add_parser(
        "completion",
        help="print what makes a shell complete commands, options and ids",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=(
            "examples:\n"
            "  echo 'eval \"$(gem-ma completion bash)\"' >> ~/.bashrc\n"
            "  echo 'eval \"$(gem-ma completion zsh)\"' >> ~/.zshrc    # after compinit\n"
            "  gem-ma completion fish > ~/.config/fish/completions/gem-ma.fish"
        ),
    )
    complete.add_argument("shell", choices=completion.SHELLS)
    complete.set_defaults(run=_completion)


# -- info ------------------------------------------------------------------------------------------


def _info(args: argparse.Namespace) -> int:
    from gem_ma.cli.about import about, picture
    from gem_ma.envs.registry import MissingNeed

    if args.picture and not args.picture.endswith(".png"):
        raise UsageError(f"--picture {args.picture}: expected a name that ends in .png")
    found = about(args.id)
    drawn = None
    if args.picture:
        drawn = picture(args.id)
        drawn.save(args.picture)
    if args.json:
        plain = dataclasses.asdict(found)
        for name in ("parameters", "tools"):
            plain[name] = [one._asdict() for one in plain[name]]
        plain["example"] = found.example and found.example._asdict()
        sys.stdout.write(json.dumps(plain, indent=1, default=str) + "\n")
        return 0
    if not sys.stdout.isatty():
        sys.stdout.write(_plain(found))
        return 0
    if drawn is None and not found.missing:
        with contextlib.suppress(MissingNeed):  # the words stand for it
            drawn = picture(args.id)
    _show(found, drawn)
    return 0


def _facts(found: About) -> list[tuple[str, str]]:
    """Return what there is to say, by heading, beside the example."""
    settings = ", ".join(f"{key}={value!r}" for key, value in found.settings.items())
    spaces = {kind: space for kind, space in found.observations.items() if kind != "both"}
    tools = (f"{one.name} ({', '.join(one.seats)}): {one.description}" for one in found.tools)
    rows = [
        ("not here", "\n".join(found.missing)),
        ("seats", _seats(found)),
        ("needs", ", ".join(found.needs)),
        ("game", found.entry_point),
        ("parameters", "\n".join(map(_parameter, found.parameters))),
        ("settings", settings),
        ("rewards", found.rewards),
        ("actions", "\n".join(filter(None, (found.action, found.reply)))),
        ("observations", "\n".join(f"{kind}: {space}" for kind, space in spaces.items())),
        ("tools", "\n".join(tools)),
        ("levels", "\n".join(_level(found, id) for id in found.levels)),
    ]
    return [row for row in rows if row[1]]


def _seats(found: About) -> str:
    how = {"": "", "alone": "", "both": "in turn, and sometimes at the same time"}
    words = how.get(found.order, found.order)
    return ", ".join(found.seats) + (f" ({words})" if words else "")


def _parameter(one: Parameter) -> str:
    default = "" if one.required else f"={one.default!r}"
    return f"{one.name}{default}" + (f": {one.meaning}" if one.meaning else "")


def _level(found: About, id: str) -> str:
    """Return another level, and what it sets otherwise than this one."""
    own = {one.name: one.default for one in found.parameters} | dict(found.settings)
    name = id.partition(":")[2]  # which other libraries' games are given as an argument
    differs = ", ".join(
        f"{key}={value!r}"
        for key, value in found.levels[id].items()
        if value not in (own.get(key), name)
    )
    return f"{id}  {differs}".rstrip()


def _first_turn(found: About) -> Iterator[tuple[str, str]]:
    if found.example is not None:
        seat, rules, text, reply = found.example
        yield f"rules for {seat}", rules
        yield f"first turn of {seat}, seed 0", text
        if reply is not None:
            yield "a legal reply", reply


def _plain(found: About) -> str:
    from gem_ma.evaluation.watch import visible

    parts = [f"{found.id}\n{found.summary}\n"]
    for heading, text in (*_facts(found), *_first_turn(found)):
        parts.append(f"{heading}:\n" + "".join(f"  {line}\n" for line in text.splitlines()))
    return visible("\n".join(parts))


def _show(found: About, drawn: Any) -> None:
    """Print it on a terminal, its picture as half blocks."""
    import numpy as np
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from gem_ma.evaluation.watch import cells, fit, visible

    console = Console()
    console.print(Text(found.id, "bold"), Text(visible(found.summary)), "", sep="\n")
    table = Table.grid(padding=(0, 2))
    for heading, text in _facts(found):
        table.add_row(Text(heading, "bold"), Text(visible(text)))
    console.print(table)
    for heading, text in _first_turn(found):
        console.print("", Text(heading, "bold"), Text(visible(text)), sep="\n")
    if drawn is not None and console.color_system is not None:
        pixels = np.asarray(drawn)
        console.print("", cells(pixels, *fit(pixels, console.width, console.height // 2)))


# -- check -----------------------------------------------------------------------------------------


def _check(args: argparse.Namespace) -> int:
    from gem_ma.cli.check import HOLDS, BadRequest, Fault, check, opened

    seeds = args.seeds or (1 if args.quick else 3)
    wrong: Fault | None = None
    try:
        with _status() as say, opened(args.what, make, args.settings) as env:
            held = check(
                env,
                seeds=seeds,
                max_turns=args.max_turns,
                processes=not args.quick,
                pictures=args.pictures,
                on_step=lambda step, done: say(HOLDS[step] + (f" ({done + 1})" if done else "")),
            )
    except BadRequest as error:
        raise UsageError(str(error)) from None
    except Fault as error:
        wrong, held = error, error.held
    write = sys.stdout.write
    write("".join(f"ok  {HOLDS[step]}\n" for step in held))
    if wrong is None:
        write(f"{args.what} keeps the contract, tried with {seeds} seed{'s' * (seeds > 1)}\n")
        return 0
    if wrong.step:
        write(f"NO  {HOLDS[wrong.step]}\n")
    sys.stdout.flush()
    words = " ".join(str(wrong).split())
    sys.stderr.write(f"gem-ma: {words if len(words) < _MOST else words[:_MOST] + ' ...'}\n")
    return 1


@contextlib.contextmanager
def _status() -> Iterator[Callable[[str], None]]:
    """Give what says on a terminal what is being done; elsewhere it says nothing."""
    from rich.console import Console
    from rich.text import Text

    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda text: None
        return
    with console.status("") as status:
        yield lambda text: status.update(Text(text))


# -- new and completion ----------------------------------------------------------------------------


def _new(args: argparse.Namespace) -> int:
    from gem_ma.cli.new import BadName, write

    try:
        game, test = write(args.name, Path(args.dir), args.players)
    except (BadName, FileExistsError) as error:
        raise UsageError(str(error)) from None
    sys.stdout.write(
        f"{game}\n{test}\n\nnow try:\n  gem-ma check {game}\n  python -m pytest {test}\n"
    )
    return 0


def _completion(args: argparse.Namespace) -> int:
    sys.stdout.write(completion.script(args.shell))
    return 0
