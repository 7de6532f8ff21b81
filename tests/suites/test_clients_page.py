"""Each client of docs/clients.md runs alone, with the releases that its `pip install` line names.

The Python blocks of a client are one script. A line `gem-ma serve` of its sh blocks runs beside it,
on a port of its own, and `"model"` is a tiny one with random weights; a chat server on the loopback
stands for OpenAI's. `bash .ci/run long` makes an environment for each client.
"""

import importlib.metadata
import importlib.util
import os
import re
import shlex
import subprocess
import sys
from datetime import date
from typing import NamedTuple

import pytest
from packaging.requirements import Requirement
from pages import PAGES, TOP, blocks, run
from stub_server import StubServer

PAGE = "docs/clients.md"
RELEASES = re.compile(r"^`pip install ([^`]+)`, seen (\d{4}-\d\d-\d\d)\.$", re.MULTILINE)
QUICK = {"langchain", "minari", "supersuit"}  # less than five seconds
ADDRESS = "127.0.0.1:8000"


class Client(NamedTuple):
    install: str  # what comes after `pip install`
    seen: str
    script: list[str]  # with empty lines for the rest of the page
    served: list[str]  # arguments of `gem-ma serve`


def read_page():
    """Return the clients of the page by name."""
    text = PAGES[PAGE].read_text()
    lines = {text.count("\n", 0, m.start()) + 1: m.groups() for m in RELEASES.finditer(text)}
    clients = {}
    for block in blocks(PAGE):
        if block.mark != "client":
            continue
        releases = lines[max(line for line in lines if line < block.line)]
        client = clients.setdefault(block.about, Client(*releases, [], []))
        if block.language == "sh":
            command = shlex.split(block.text)
            assert command[:2] == ["gem-ma", "serve"]
            client.served.extend(command[2:])
        else:
            client.script.extend([""] * (block.line - 1 - len(client.script)))
            client.script.extend(block.text.splitlines())
    return clients


CLIENTS = read_page()


def is_here(wanted):
    try:
        return wanted.specifier.contains(importlib.metadata.version(wanted.name), True)
    except importlib.metadata.PackageNotFoundError:
        return False


def missing(install):
    """Return what is not installed as the page says, or else what an extra that it names lacks."""
    wanted = [Requirement(each) for each in shlex.split(install)]
    absent = [one.name for one in wanted if not is_here(one)]
    if absent:
        return absent
    return [
        part.name
        for one in wanted
        for part in map(Requirement, importlib.metadata.requires(one.name) or [])
        if part.marker and any(part.marker.evaluate({"extra": extra}) for extra in one.extras)
        if not is_here(part)
    ]


def answer(body, attempt):
    """Play the lowest free cell of tic-tac-toe; in a game without cells say 5."""
    cells = re.findall(r"\b[0-8]\b", body["messages"][-1]["content"].split("\n\n")[-1])
    return cells[0] if len(body["messages"]) > 1 and cells else "5"


def serve(arguments, log):
    """Start `gem-ma serve` on a free port; return it and its address."""
    arguments[arguments.index("--port") + 1] = "0"
    command = [sys.executable, "-m", "gem_ma.cli", "serve", *arguments]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
    return server, server.stdout.readline().strip().rpartition("ws://")[2]


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=[] if n in QUICK else pytest.mark.slow) for n in CLIENTS],
)
def test_client(name, tmp_path):
    client = CLIENTS[name]
    if absent := missing(client.install):
        pytest.skip(f"pip install {client.install} (here: no {', '.join(absent)})")
    code = "\n".join(client.script)
    if '"model"' in code:
        import tiny_models

        tokenizer = tiny_models.tokenizer()
        tokenizer.save_pretrained(tmp_path / "model")
        tiny_models.llm(tokenizer).save_pretrained(tmp_path / "model")
    server = None
    with StubServer(answer) as chat, open(tmp_path / "serve.log", "w") as log:
        try:
            if client.served:
                server, address = serve(list(client.served), log)
                assert address, (tmp_path / "serve.log").read_text()
                code = code.replace(ADDRESS, address)
            (tmp_path / "page.py").write_text(code)
            run(
                [sys.executable, "page.py"],
                tmp_path,
                OPENAI_BASE_URL=chat.url,
                OPENAI_API_KEY="none",
                MINARI_DATASETS_PATH=str(tmp_path / "minari"),
                OMP_NUM_THREADS="1",
                PATH=os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"],
            )
        finally:
            if server is not None:
                server.terminate()
                server.communicate(timeout=30)


def test_every_client_has_its_releases_and_is_asked_for_by_ci():
    asked = re.findall(r"^ *client ([\w-]+)", (TOP / ".ci" / "run").read_text(), re.MULTILINE)
    assert asked == list(CLIENTS)
    for client in CLIENTS.values():
        date.fromisoformat(client.seen)
        for wanted in map(Requirement, shlex.split(client.install)):
            assert re.fullmatch(r"==[\d.]+", str(wanted.specifier)), wanted
        assert 10 <= len([line for line in client.script if line.strip()]) <= 30


def test_a_missing_release_or_extra_is_seen():
    here = importlib.metadata.version("pytest")
    assert missing(f"pytest=={here}") == []
    assert missing("pytest==0.1") == ["pytest"]
    assert missing("no-such-thing==1") == ["no-such-thing"]
    assert ("mkdocs" in missing("gem-ma[docs]")) == (importlib.util.find_spec("mkdocs") is None)


@pytest.mark.slow
def test_pettingzoos_own_tutorial_for_sb3_runs_as_it_is(tmp_path):
    pytest.importorskip("sb3_contrib", reason=f"pip install {CLIENTS['sb3-contrib'].install}")
    if (clone := os.environ.get("PETTINGZOO_TESTS")) is None:
        pytest.skip("set PETTINGZOO_TESTS to the folder of a clone of PettingZoo")
    code = """
import gem_ma
from sb3_connect_four_action_mask import eval_action_mask, train_action_mask
train_action_mask("gem_ma/game.ConnectFour-v0", steps=1, actions="discrete")
eval_action_mask("gem_ma/game.ConnectFour-v0", num_games=2, actions="discrete")
"""
    where = os.path.join(clone, "tutorials", "SB3", "connect_four")
    run([sys.executable, "-c", code], tmp_path, PYTHONPATH=where, OMP_NUM_THREADS="1")
