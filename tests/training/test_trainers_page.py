"""The table of trainers: every cell names a test that is there, every version one that is run."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

TOP = Path(__file__).parents[2]
PAGE = (TOP / "docs/trainers.md").read_text()
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.splitlines()
    if line.startswith("|") and not line.startswith("|--")
]
TESTS = dict(re.findall(r"^- (\w+): `(tests/\S+)`$", PAGE, re.MULTILINE))


@cache
def defined(path):
    return {n.name for n in ast.parse((TOP / path).read_text()).body if hasattr(n, "name")}


@pytest.mark.parametrize("row", ROWS[1:], ids=lambda row: row[0])
def test_each_cell_names_a_test_that_is_there(row):
    assert len(row) == len(ROWS[0])
    for cell in row[1:-1]:
        (key,) = re.findall(r"\((\w+)\)$", cell)
        path, _, name = TESTS[key].partition("::")
        assert name in defined(path), cell


def test_no_test_of_the_page_is_without_a_cell():
    used = {key for row in ROWS[1:] for cell in row for key in re.findall(r"\((\w+)\)$", cell)}
    assert used == set(TESTS)


@pytest.mark.parametrize("name", [row[0] for row in ROWS[1:]])
def test_versions_are_those_that_are_run(name):
    commands = (TOP / ".ci/run").read_text()
    version = re.search(r"\d[\w.]+", name)[0]
    package = name.split()[0].lower().replace("-", "[-_]")
    if package == "roll":  # no package: its commit stands in its test
        commands = (TOP / "examples/train/roll_game.py").read_text()
    names = {"tinker": "tinker-cookbook", "rl2": "rl-square", "oat": "oat-llm"}
    pinned = rf"{names.get(package, package)}\S*(==|, | \(){re.escape(version)}"
    assert re.search(pinned, commands, re.IGNORECASE)


def test_each_trainer_has_a_file_that_runs():
    linked = set(re.findall(r"\]\(\.\./(examples/\S+?\.py)\)", PAGE))
    assert len(linked) >= 9
    for path in linked:
        ast.parse((TOP / path).read_text())
