"""Write a game file and its test, to be changed into one's own game."""

from __future__ import annotations

import importlib.util
import keyword
import re
from pathlib import Path

PLAYERS = ("one", "two", "together")  # together: two who move at the same time
_TEMPLATES = Path(__file__).parent / "templates"


class BadName(ValueError):
    """No game can be called like this; the message says what could be."""


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
    if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", name) or keyword.iskeyword(name):
        words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[^A-Za-z0-9]+", "_", name).strip("_").lower()
        example = words if re.fullmatch(r"[a-z]\w*", words) and words != name else "tug_of_war"
        raise BadName(f"{name!r}: expected a name of letters, digits and _, such as {example}")
    if importlib.util.find_spec(name) is not None:
        raise BadName(f"{name!r} is a Python module already, which a file of that name would hide")
