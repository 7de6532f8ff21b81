"""The command new, which writes a new game with its test, or a new pack of games."""

from __future__ import annotations

import argparse
import importlib.util
import keyword
import re
import sys
from pathlib import Path

from gem_ma.cli.command_options import SubcommandParsers, UsageError

PLAYER_KINDS = ("one", "two", "together")  # together: two who move at the same time
_TEMPLATES = Path(__file__).parent / "templates"
_PACK = {  # the files of a pack, with their templates
    "pyproject.toml": "pack/pyproject.toml",
    "README.md": "pack/README.md",
    "new_pack/__init__.py": "pack/init.py",
    "new_pack/pack.py": "pack/pack.py",
    "new_pack/game.py": "",  # the template of a single game with this number of players
    "new_pack/agents.py": "pack/agents.py",
    "new_pack/commands.py": "pack/commands.py",
    "new_pack/suites/new_pack.toml": "pack/suite.toml",
    "tests/test_new_pack.py": "pack/test_pack.py",
}


class InvalidName(ValueError):
    """The name is not valid for a game; the message says what would be."""


def add_commands(commands: SubcommandParsers) -> None:
    """Add new to the commands of gem-ma."""
    new = commands.add_parser(
        "new",
        group="author",
        help="write a new game with its test, or a new pack, for you to change",
        usage="%(prog)s [-h] [--dir FOLDER] [--players {one,two,together}] [pack] NAME",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=(
            "example: gem-ma new tug_of_war --players together --dir my_games\n\n"
            "This writes tug_of_war.py and test_tug_of_war.py, which pass `gem-ma check` and\n"
            "pytest as they are. `gem-ma new pack card_tricks` writes a project card_tricks with\n"
            "a game, an agent, a suite and a command. Install the project to use them in gem-ma."
        ),
    )
    new.add_argument(
        "name",
        nargs="+",
        metavar="[pack] NAME",
        help="letters, digits and _, such as tug_of_war; after the word pack, the name of a pack",
    )
    new.add_argument(
        "--dir", default=".", metavar="FOLDER", help="folder to write to (default: here)"
    )
    new.add_argument(
        "--players",
        choices=PLAYER_KINDS,
        default="two",
        help="one, two in turn, or two who move together (default: two)",
    )
    new.set_defaults(run=_run_new)


def _run_new(args: argparse.Namespace) -> int:
    *kinds, name = args.name
    if kinds not in ([], ["pack"]):
        raise UsageError(f"{' '.join(args.name)}: expected NAME for a game, or pack NAME")
    try:
        if kinds:
            top = write_pack(name, Path(args.dir), args.players)
            sys.stdout.write(
                f"{top}\n\nnow try:\n  pip install -e {top}\n  gem-ma list {name}\n"
                f"  python -m pytest {top}\n"
            )
            return 0
        game, test = write_game(name, Path(args.dir), args.players)
    except (InvalidName, FileExistsError) as error:
        raise UsageError(str(error)) from None
    sys.stdout.write(
        f"{game}\n{test}\n\nnow try:\n  gem-ma check {game}\n  python -m pytest {test}\n"
    )
    return 0


def write_game(name: str, folder: Path, players: str = "two") -> tuple[Path, Path]:
    """Write NAME.py and test_NAME.py into a folder and return both; existing files are an error."""
    _check_name(name)
    folder.mkdir(parents=True, exist_ok=True)
    files = folder / f"{name}.py", folder / f"test_{name}.py"
    for file in files:
        if file.exists():
            raise FileExistsError(f"{file} exists already; choose another NAME or --dir")
    for file, template in zip(files, (players, f"test_{players}"), strict=True):
        text = _fill_template(f"{template}.py", name)
        with file.open("x", encoding="utf-8") as out:
            out.write(text)
    return files


def write_pack(name: str, folder: Path, players: str = "two") -> Path:
    """Write a project with a pack into FOLDER/NAME and return it; an existing one is an error."""
    _check_name(name)
    top = folder / name
    if top.exists():
        raise FileExistsError(f"{top} exists already; choose another NAME or --dir")
    for file, template in _PACK.items():
        path = top / file.replace("new_pack", name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_fill_template(template or f"{players}.py", name), encoding="utf-8")
    return top


def _fill_template(template: str, name: str) -> str:
    """Return the text of a template for a game or a pack with this name."""
    text = (_TEMPLATES / f"{template}.txt").read_text(encoding="utf-8")
    names = {
        "New game": name.replace("_", " ").capitalize(),
        "NewGame": "".join(part.capitalize() for part in name.split("_")),
        "new_game": name,
        "new_pack": name,
        "new-pack": name.replace("_", "-"),
    }
    for old, new in names.items():
        text = text.replace(old, new)
    return text


def _check_name(name: str) -> None:
    if keyword.iskeyword(name):
        raise InvalidName(
            f"{name!r} is a keyword of Python; choose another name, such as {name}_game"
        )
    if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", name):
        words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[^A-Za-z0-9]+", "_", name).strip("_").lower()
        example = words if re.fullmatch(r"[a-z]\w*", words) and words != name else "tug_of_war"
        raise InvalidName(f"{name!r}: expected a name of letters, digits and _, such as {example}")
    if importlib.util.find_spec(name) is not None:
        raise InvalidName(
            f"{name!r} is the name of a Python module, which the new file would hide; choose "
            f"another name, such as {name}_game"
        )
