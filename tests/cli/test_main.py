"""The program itself: its help, its version, pipes that close, and interrupts."""

import argparse
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import packs
import pytest
import warm

import gem_ma
from gem_ma.cli import data
from gem_ma.cli import main as command_line
from gem_ma.cli.main import main
from gem_ma.packs import list_packs


def commands(parser):
    """Yield a parser and those below it."""
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                yield from commands(below)


COMMANDS = list(commands(command_line.make_parser()))


def test_help_says_what_the_defaults_are():
    said = 0
    for action in (action for command in COMMANDS for action in command._actions):
        default = re.search(r"\(default: ([\dx.]+)\)", action.help or "")
        if default and action.default is not None:  # which says to ask elsewhere
            assert str(action.default) in (default[1], f"{default[1]}.0"), action.dest
            said += 1
    assert said > (10 if packs.ABSENT else 20)


def test_help_lists_commands_in_their_groups(capsys):
    with pytest.raises(SystemExit):
        main(["--help"])
    text = capsys.readouterr().out
    sections = dict(re.findall(r"^(\w+):\n((?:  .*\n)+)", text, re.M))
    listed = {
        group: re.findall(r"^  (\w+)", lines, re.M)
        for group, lines in sections.items()
        if group != "options"
    }
    named = [name for names in listed.values() for name in names]
    (below,) = [a for a in COMMANDS[0]._actions if isinstance(a, argparse._SubParsersAction)]
    assert sorted(named) == sorted(below.choices)  # each once
    assert set(listed) <= {*command_line.COMMAND_GROUPS, "other"}
    if not packs.ABSENT:
        assert list(listed) == [*command_line.COMMAND_GROUPS, "other"]
    assert listed["other"] == ["completion"]
    assert listed["play"][:3] == ["list", "info", "play"]
    assert listed["author"] == ["check", "attack", "new"]


def test_a_command_without_a_group_and_one_of_another_are_listed_last():
    parser = command_line._CommandParser(prog="p")
    commands = parser.add_subparsers()
    commands.add_parser("a", help="first")
    commands.add_parser("b", group="farm", help="second")
    commands.add_parser("c", group="play", help="third")
    assert re.findall(r"^(\w+):\n  (\w+)", parser.format_help(), re.M)[:3] == [
        ("play", "c"), ("farm", "b"), ("other", "a"),
    ]  # fmt: skip


def test_a_command_takes_the_arguments_that_it_reads():
    taken = {}
    for command in COMMANDS:
        if run := command.get_default("run"):
            names = taken.setdefault(sys.modules[run.__module__].__file__, set())
            names |= {*command._defaults, *(action.dest for action in command._actions)}
    added = sum(len(one.pack.commands) for one in list_packs())
    none = not data.DOWNLOADS  # then there is no command data
    assert len(taken) == len(command_line.COMMAND_MODULES) + added - none
    for file, names in taken.items():
        assert set(re.findall(r"\bargs\.(\w+)", Path(file).read_text())) <= names, file


@pytest.mark.parametrize(
    ("command", "first"),
    [
        ("play game:LiarsDice-v0 --seed 0", "game:LiarsDice-v0, seed 0\n"),
        ("list --ids", f"{gem_ma.list_envs()[0]}\n"),
        ("list game:Conn --ids", "game:ConnectFour-v0\n"),
        ("info game:Nim-v0", "game:Nim-v0\n"),
    ],
)
def test_a_reader_that_closes_the_pipe_sees_no_traceback(command, first):
    command = f"set -o pipefail; {shlex.join(warm.python())} -m gem_ma.cli {command} | head -1"
    run = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert run.stdout == first
    assert run.stderr == ""


def test_an_interrupt_is_no_traceback():
    words = ["play", "game:Chess-v0", "--agents", "search:simulations=1000000"]
    command = [sys.executable, "-u", "-m", "gem_ma.cli", *words, "--seed", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        assert run.stdout.readline() == b"game:Chess-v0, seed 0\n"
        run.send_signal(signal.SIGINT)
        _, error = run.communicate(timeout=30)
    assert run.returncode == 130
    assert error.strip() == b""


def test_the_version(capsys):
    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out == f"gem-ma {gem_ma.__version__}\n"
