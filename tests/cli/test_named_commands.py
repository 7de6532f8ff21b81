"""Every command that a sentence of the package names is one that there is."""

import argparse
import ast
import functools
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import packs
import pytest
import source

from gem_ma.cli import main as command_line
from gem_ma.cli.data import DOWNLOADS

# Where "gem-ma" is followed by a word that is none of its commands.
NO_COMMANDS = {
    ("apis/vector/backends.py", "vector"),  # what a process is called
    ("packs.py", "is"),  # "gem-ma is not installed"
    ("tools/search.py", "search"),  # the first line of a file
    ("tools/search.py", "vector"),
}
COMMAND = re.compile(r"\bgem-ma ([a-z][\w-]*)([^\n`;|&()]*)")
OPTION = re.compile(r"(?<=[\s(\[])--[a-z][\w-]*")
# Other programs, each with what prints the options of its part that is named.
PROGRAMS = {
    "docker": ["docker", "run", "--help"],
    "hf": ["hf", "download", "--help"],
    "inspect": ["inspect", "eval", "--help"],
    "pip": ["pip", "install", "--help"],
}


def read_strings(file):
    """Yield the strings of a file of Python, what is filled in as {}; of others, the lines."""
    if file.suffix != ".py":
        yield from file.read_text("utf-8").splitlines()
        return
    tree = source.parsed(file)
    parts = {
        part for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(
                part.value if isinstance(part, ast.Constant) else "{}" for part in node.values
            )
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in parts:
            yield node.value


@functools.cache
def read_package():
    """Return all strings of the package, each with its file."""
    return [
        (file.relative_to(source.ROOT).as_posix(), text)
        for file in sorted(source.ROOT.rglob("*"))
        if file.suffix in (".py", ".js", ".html", ".toml")
        for text in read_strings(file)
    ]


def find_options(parser):
    """Return the options of a command and of those below it."""
    options = set(parser._option_string_actions)
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            options |= {one for below in action.choices.values() for one in find_options(below)}
    return options


def find_commands():
    parser = command_line.make_parser()
    (below,) = [one for one in parser._actions if isinstance(one, argparse._SubParsersAction)]
    return below.choices


COMMANDS = find_commands()
# Whose strings are commands that agents type.
TYPED = ("envs/terminal/families/", "envs/terminal/problem.py", "envs/terminal/git_repository.py")
OWN_OPTIONS = {"--version"}.union(*map(find_options, COMMANDS.values()))


def find_wrong_commands(file, text):
    """Yield what a text says of gem-ma that there is not."""
    for name, rest in COMMAND.findall(text):
        if (file, name) in NO_COMMANDS:
            continue
        if name not in COMMANDS:
            yield f"{file}: there is no gem-ma {name}"
            continue
        for option in OPTION.findall(rest.partition("gem-ma ")[0]):
            if option not in find_options(COMMANDS[name]):
                yield f"{file}: gem-ma {name} has no {option}"
        what = re.match(r" ([a-z][\w-]+)", rest)
        if name == "data" and what and what[1] not in DOWNLOADS:
            yield f"{file}: gem-ma data has no {what[1]}"


whole = pytest.mark.skipif(
    bool(packs.ABSENT), reason="sentences name commands and options of packs: install them"
)


@whole
def test_every_command_of_ours_that_is_named_exists():
    assert [
        wrong for file, text in read_package() for wrong in find_wrong_commands(file, text)
    ] == []
    assert sum(len(COMMAND.findall(text)) for _, text in read_package()) > 60


def find_other_programs():
    """Yield the programs beside gem-ma that are given an option: the name, the option and where."""
    for file, text in read_package():
        for option in OPTION.finditer(text):
            if file.startswith(TYPED):  # not by us: agents type it in a sandbox
                continue
            if file.endswith(".py") and option[0] not in OWN_OPTIONS:
                names = re.findall(
                    rf"(?<![\w-])(?:{'|'.join(PROGRAMS)})(?![\w-])", text[: option.start()]
                )
                yield names[-1] if names else text[: option.start()], option[0], file


@whole
def test_every_option_of_another_program_is_one_that_it_has():
    named = set(find_other_programs())
    programs = {program for program, _, _ in named}
    assert programs == PROGRAMS.keys()
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    for program in sorted(PROGRAMS):
        if shutil.which(program, path=path) is None:  # whose options nobody can ask for here
            continue
        command = [shutil.which(program, path=path), *PROGRAMS[program][1:]]
        said = subprocess.run(
            command, capture_output=True, text=True, check=True, timeout=120
        ).stdout
        for _, option, file in (one for one in named if one[0] == program):
            assert re.search(rf"(?<![\w-]){option}(?![\w-])", said), f"{file}: {program} {option}"
