"""Every option of every command, with a right value and a wrong one; none can be forgotten."""

import argparse
import json
import shlex
import threading
import time

import pytest
from lines import LOST, RIGHT, WRONG

import gem_ma
from gem_ma import Reply
from gem_ma.cli import main as command_line
from gem_ma.cli.main import main

# A provider that replies without a server.
COUNTED = """
import gem_ma


class Counted(gem_ma.agents.OpenAIAgent):
    async def act(self, turns):
        return [gem_ma.Reply(turn.legal[0], usage={"prompt_tokens": 9}) for turn in turns]
"""
SUITE = '[[entry]]\nid = "game:TicTacToe-v0"\ntasks = 1\n'
NEEDS = {  # of a command: the extra whose packages it runs with, and their modules
    "train": ("hf,lora", "torch", "transformers", "peft"),
    "serve": ("openenv", "uvicorn", "fastapi", "openenv"),
    "run and eval with costs": ("openai", "openai"),
    "serve --mcp": ("tools", "mcp.server.mcpserver", "uvicorn"),
    "gateway": ("gateway", "aiohttp"),
    "arena": ("arena", "openskill", "starlette", "uvicorn", "websockets"),
    "plot": ("plots", "matplotlib"),
    "convert": ("datasets", "datasets"),
    "completion": ("completion", "argcomplete"),
}


def commands(parser, words=()):
    """Yield the words that call each command, and its parser."""
    below = [one for one in parser._actions if isinstance(one, argparse._SubParsersAction)]
    if not below:
        yield words, parser
    for action in below:
        for word, command in action.choices.items():
            yield from commands(command, (*words, word))


COMMANDS = dict(commands(command_line.make_parser()))
LINES = {
    "right": [shlex.split(line) for lines in RIGHT.values() for line in lines],
    "wrong": [
        shlex.split(line)
        for line, words in WRONG
        if words and (line.endswith(words) or "--key" in line)  # a key is not said again
    ],
}


def of(command, kind):
    """Return what follows the words of a command in its lines of a kind."""
    size = len(command)
    return [line[size:] for line in LINES[kind] if tuple(line[:size]) == command]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_option_has_a_right_and_a_wrong_value(command):
    right = {word.partition("=")[0] for line in of(command, "right") for word in line}
    wrong = {line[-2] for line in of(command, "wrong") if len(line) > 1}
    for action in COMMANDS[command]._actions:
        if not action.option_strings or action.dest == "help":
            continue
        for option in action.option_strings:
            assert option in right | LOST, (
                f"tests/support/lines.py has no line with a right {option}"
            )
        if action.nargs != 0:  # a flag takes no value, which the test below tries
            assert wrong & set(action.option_strings), f"no line ends in a wrong {option}"


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_argument_has_a_wrong_value(command):
    places = [one for one in COMMANDS[command]._actions if not one.option_strings]
    lines = [shlex.split(line) for line, _ in WRONG]
    named = [line for line in lines if tuple(line[: len(command)]) == command]
    assert not places or any(len(line) > len(command) for line in named)
    assert of(command, "right")


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_flag_takes_no_value(command, capsys):
    for action in COMMANDS[command]._actions:
        if action.option_strings and action.nargs == 0:
            for option in action.option_strings:
                if option.startswith("--"):
                    assert main([*command, f"{option}=nonsense"]) == 2
                    error = capsys.readouterr().err
                    assert "'nonsense'" in error
                    assert error.count("\n") == 1


def join_new_threads(before):
    """Wait for what a command has left: a gateway's episodes fail if nobody comes, and say so."""
    for thread in set(threading.enumerate()) - before:
        while thread.ident is None:  # it is just being started
            time.sleep(0.01)
        thread.join(2)


# peft 0.21 asks transformers 5.23 for what it calls by another name now.
@pytest.mark.filterwarnings("ignore:`is_gradient_checkpointing` is deprecated:FutureWarning")
@pytest.mark.parametrize("command", RIGHT)
def test_right_values(command, tmp_path, monkeypatch, capsys, request):
    extra, *modules = NEEDS.get(command, ("",))
    for module in modules:
        pytest.importorskip(module, reason=f"pip install 'gem-ma[{extra}]'")
    if command == "tournament":
        monkeypatch.setattr("gem_ma.evaluation.ratings.fit_plackett_luce", lambda matches: {})
    monkeypatch.chdir(tmp_path)
    (tmp_path / "small.toml").write_text(SUITE)
    (tmp_path / "counted.py").write_text(COUNTED)
    rows = [{"step": step, "return/x": step / 2} for step in range(4)]
    (tmp_path / "history.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    if command == "plot":
        spoken = Reply("0", usage={"prompt_tokens": 5, "completion_tokens": 2})
        gem_ma.rollout("game:TicTacToe-v0", lambda turn: spoken, 2, out="worded.jsonl")
    if command == "train":  # a model this small gains nothing from several
        import torch

        threads = torch.get_num_threads()
        request.addfinalizer(lambda: torch.set_num_threads(threads))
        torch.set_num_threads(1)
        # it has learnt from two episodes, and says anything
        monkeypatch.setattr("gem_ma.training.commands.MAX_LOST_SHARE", 1.0)
    if command in ("serve", "serve --mcp", "arena"):  # up to where it waits for clients
        monkeypatch.setattr("uvicorn.Server.run", lambda self, sockets: None)
    if command == "gateway":  # as if programs had come
        monkeypatch.setattr("gem_ma.serving.gateway.GatewayRun.wait", lambda self: [])
    if command == "data":  # which has to be TAU-bench's own
        fetched = "gem_ma.envs.tau.fetch.fetch"
        monkeypatch.setattr(fetched, lambda source, into, say: say(f"{source} {into}"))
    before = set(threading.enumerate())
    for line in RIGHT[command]:
        assert main(shlex.split(line)) == 0, capsys.readouterr().err
    join_new_threads(before)
