"""The pages of the documentation, and the blocks of code in them."""

import importlib.util
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

TOP = Path(__file__).parents[2]
TEXTS = [*TOP.glob("*.md"), *TOP.glob("docs/**/*.md"), *TOP.glob("examples/**/*.md")]
PAGES = {p.relative_to(TOP).as_posix(): p for p in TEXTS}
BLOCK = re.compile(
    r"^(?:<!-- ([a-z ]+): ([^\n]+) -->\n)?```(python|sh|jsonl)(?: title=\"([^\n]+)\")?\n(.*?)^```$",
    re.DOTALL | re.MULTILINE,
)


class Block(NamedTuple):
    line: int  # where its text begins
    mark: str
    about: str
    language: str
    title: str
    text: str


def blocks(page):
    text = PAGES[page].read_text()
    for found in BLOCK.finditer(text):
        mark, about, language, title, code = (part or "" for part in found.groups())
        yield Block(text.count("\n", 0, found.start(5)) + 1, mark, about, language, title, code)


def pages_with(language):
    """Return the pages that have something of a language to run."""
    return [p for p in PAGES if any(b.language == language and not b.mark for b in blocks(p))]


def script(page, language):
    """Return what is to run of a page, with empty lines for the rest of it."""
    lines = []
    for block in blocks(page):
        if block.language == language and not block.mark and not block.title:
            lines += [""] * (block.line - 1 - len(lines))
            lines += block.text.splitlines()
    return "\n".join(lines)


def write_files(page, folder):
    for block in blocks(page):
        if block.title:
            (folder / block.title).write_text(block.text)


def is_installed(name):
    """Return whether a module can be found; of packages around it there may be other parts."""
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:
        return False


def skip_without(needed):
    """Skip a test without the modules or commands of `NAME and NAME from gem-ma[EXTRA] and ...`."""
    several = r"[\w.]+(?: and [\w.]+)* from gem-ma\[[\w-]+\]"
    assert re.fullmatch(rf"{several}(?: and {several})*", needed)
    for name, extra in [
        (name, part[1])
        for part in re.findall(r"([\w.]+(?: and [\w.]+)*) from (gem-ma\[[\w-]+\])", needed)
        for name in part[0].removeprefix("and ").split(" and ")
    ]:
        if not (is_installed(name) or shutil.which(name)):
            pytest.skip(f"{name} is missing: pip install '{extra}'")


def run(command, folder, stdin=None, **environment):
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", **environment}
    done = subprocess.run(
        command,
        cwd=folder,
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
