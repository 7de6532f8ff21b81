"""The command new: a game file and its test, to be changed into one's own game."""

from __future__ import annotations

import argparse
import importlib.util
import keyword
import re
import sys
from pathlib import Path
from typing import Any

from gem_ma.cli.common import UsageError

PLAYERS = ("one", "two", "together")  # together: two who move at the same time
_TEMPLATES = Path(__file__).parent / "templates"


class BadName(ValueError):
    """No game can be called like this; the message says what could be."""


def add_commands(commands: Any) -> None:
    """Add new to the commands of gem-ma."""
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


def _new(args: argparse.Namespace) -> int:
    try:
        game, test = write(args.name, Path(args.dir), args.players)
    except (BadName, FileExistsError) as error:
        raise UsageError(str(error)) from None
    sys.stdout.write(
        f"{game}\n{test}\n\nnow try:\n  gem-ma check {game}\n  python -m pytest {test}\n"
    )
    return 0


def write(name: str, folder: Path, players: str = "two") -> tuple[Path, Path]:
    """Write NAME.py and test_NAME.py into a folder, neither over another file; return both."""
    _check(name)
    folder.mkdir(parents=True, exist_ok=True)
    files = folder / f"{name}.py", folder / f"test_{name}.py"
    for file in files:
        if file.exists():
            raise FileExistsError(f"{file} is there already, and is not written over")
    kind = "".join(part.capitalize() for part in name.split("_"))
    title = name.replace("_", " ").capitalize()
    for file, template in zip(files, (players, f"test_{players}"), strict=True):
        text = (_TEMPLATES / f"{template}.py.txt").read_text(encoding="utf-8")
        text = text.replace("New game", title).replace("NewGame", kind).replace("new_game", name)
        with file.open("x", encoding="utf-8") as out:
            out.write(text)
    return files


def _check(name: str) -> None:
    if keyword.iskeyword(name):
        raise BadName(f"{name!r} is a word of Python itself; take another, such as {name}_game")
    if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", name):
        words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[^A-Za-z0-9]+", "_", name).strip("_").lower()
        example = words if re.fullmatch(r"[a-z]\w*", words) and words != name else "tug_of_war"
        raise BadName(f"{name!r}: expected a name of letters, digits and _, such as {example}")
    if importlib.util.find_spec(name) is not None:
        raise BadName(f"{name!r} is a Python module already, which a file of that name would hide")
