"""The pages of the documentation, and the blocks of code in them."""

import os
import re
import subprocess
from pathlib import Path
from typing import NamedTuple

TOP = Path(__file__).parents[2]
PAGES = {p.relative_to(TOP).as_posix(): p for p in [TOP / "README.md", *TOP.glob("docs/**/*.md")]}
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


def run(command, folder, **environment):
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", **environment}
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, env=environment
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
