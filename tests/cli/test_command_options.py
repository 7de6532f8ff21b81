"""The words of errors, and values that several commands share."""

import argparse
import ast
import re

import packs
import pytest
import source

from gem_ma.cli import command_options
from gem_ma.cli import main as command_line
from gem_ma.cli.main import main

# What commands call, where an error names an argument of a function as `name=`.
LAYERS = "rollouts", "evaluation", "serving"
# Arguments that no command passes on: whoever reads of them has written Python.
OF_PYTHON = {  # again=SPEC names an agent
    *(
        "actor",
        "again",
        "anchor",
        "better",
        "format",
        "k",
        "look",
        "options",
        "prices",
        "resamples",
    ),
    *("score", "start"),
}


def args(command, **given):
    """Return what is known of a command when it raises."""
    parser = command_line.make_parser()
    (below,) = [a for a in parser._actions if isinstance(a, argparse._SubParsersAction)]
    return argparse.Namespace(parser=below.choices[command], **given)


@pytest.mark.parametrize(
    ("command", "library", "words"),
    [
        ("run", "resume=True needs the file to resume: pass out= too", "--resume needs"),
        (
            "run",
            "a.jsonl exists already: pass resume=True to continue it",
            "pass --resume to continue it",
        ),
        ("run", "3 failed (max_errors=2), each by x", "(--max-errors 2)"),
        ("run", "workers='many': expected a number", "--workers many: expected"),
        ("run", "step_timeout=1.0 needs workers", "--step-timeout 1.0 needs workers"),
        ("run", "agent 'hf:x?seed=1': seed=1 is no", "agent 'hf:x?seed=1': seed=1 is no"),
        ("run", "http://h/v1?seed=3 is no", "http://h/v1?seed=3 is no"),
        ("play", "math:Data needs data=...", "needs --set data=..."),
        ("play", "no reply; see timeout=...", "see --set timeout=..."),
        ("play", "observe='smell': expected text", "--observe smell: expected text"),
        ("watch", "image_size=(1, 2): too small", "--size"),
        ("eval", "tasks=0: expected 1 or more", "--tasks 0: expected 1 or more"),
        ("view", "not registered; trust=True does so", "--trust does so"),
        (
            "serve",
            "first_message=-1.0, idle=2: expected",
            "--first-message -1.0, --idle 2: expected",
        ),
        ("exploit", "samples=1: expected 2 or more", "--samples 1: expected 2 or more"),
    ],
)
def test_errors_speak_of_options(command, library, words):
    packs.skip_absent(f"gem-ma {command}")
    assert words in command_options.translate_arguments(library, args(command))


@pytest.mark.parametrize(
    ("setting", "hint"),
    [
        ("size=5", "it takes"),
        ("obserev=image", "did you mean 'observe'?"),
        ("the_observe=5", "did you mean 'observe'?"),
        ("max-turns=5", "did you mean max_turns=5?"),
        ("seed=5", "did you mean --seed 5, without --set?"),
        ("agents=random", "did you mean --agents random, without --set?"),
        ("5=5", "expected NAME=VALUE, such as rounds=5"),
    ],
)
def test_a_setting_that_nobody_takes_is_told_which_is_near(setting, hint, capsys):
    assert main(["play", "game:TicTacToe-v0", "--set", setting]) == 2
    assert hint in capsys.readouterr().err


def test_what_was_set_is_called_as_it_was_set():
    given = args("render", settings=[("image_size", 0)])
    assert (
        command_options.translate_arguments("image_size=0: expected", given)
        == "image_size=0: expected"
    )


def raised():
    """Yield the names that errors of the library give to arguments, and where."""
    for file in (path for layer in LAYERS for path in (source.ROOT / layer).rglob("*.py")):
        if "trainers" in file.parts or "vector" in file.parts:
            continue
        for node in ast.walk(source.parsed(file)):
            if isinstance(node, ast.Raise) and node.exc is not None:
                for part in ast.walk(node.exc):
                    if isinstance(part, ast.Constant) and isinstance(part.value, str):
                        for name in re.findall(r"(?<![\w?&.'])([a-z_]+)=", part.value):
                            yield name, f"{file.relative_to(source.ROOT)}:{node.lineno}"


@packs.needs("serving")
def test_an_argument_that_an_error_names_is_an_option():
    options = {
        name
        for command in ("run", "eval", "tournament", "exploit", "serve", "watch", "convert")
        for name, _ in command_options.list_options(args(command).parser)
    }
    unknown = {(name, place) for name, place in raised() if name not in options | OF_PYTHON}
    assert not unknown  # make it an option, or say above that it is none


def test_a_seed_is_drawn_that_can_be_typed(capsys):
    for command in ("play", "run"):
        assert main([command, "game:TicTacToe-v0"]) == 0
        seed = re.search(r"seed (\d+)\n", capsys.readouterr().out)[1]
        assert len(seed) <= 6
        assert main([command, "game:TicTacToe-v0", "--seed", seed]) == 0
    assert len({command_options.choose_seed(None) for _ in range(9)}) > 1
    assert command_options.choose_seed(0) == 0


@pytest.mark.parametrize("text", ["", "x", "9x", "x9", "0", "0x9", "9x9x9", "8193", "-5", "9 x 9"])
def test_no_size(text):
    with pytest.raises(argparse.ArgumentTypeError, match="such as 252 or 336x252"):
        command_options.parse_image_size(text)


def test_sizes():
    assert command_options.parse_image_size("252") == (252, 252)
    assert command_options.parse_image_size("336x252") == (336, 252)


def test_render_says_where_it_wrote(tmp_path, capsys):
    assert main(["render", "game:TicTacToe-v0", "--out", f"{tmp_path}/a.png"]) == 0
    assert capsys.readouterr().out == f"written to {tmp_path}/a.png\n"
