"""Commands in seats: what ends them, their memory, and that nothing outlives them."""

import os
import signal
import sys

import pytest
from needed import needed
from stub_server import StubServer

import gem_ma
from gem_ma.agents import ProgramAgent

needed("aiohttp", install="'gem-ma[gateway]'")

GAME = "game:RockPaperScissors-v0"


def rock(body, number):
    return "\\boxed{rock}"


COMMAND = """
import json, os, sys, urllib.request
for line in sys.stdin:
    told = json.loads(line)
    if told["type"] == "over":
        break
    print("not JSON, and passed over", flush=True)
    body = json.dumps({"model": "m", "messages": told["messages"]}).encode()
    url = os.environ["OPENAI_BASE_URL"] + "/chat/completions"
    asked = urllib.request.Request(url, body, {"Content-Type": "application/json"})
    said = json.loads(urllib.request.urlopen(asked).read())
    print(json.dumps({"reply": said["choices"][0]["message"]["content"]}), flush=True)
"""


def command(tmp_path, text=COMMAND, name="agent.py"):
    path = tmp_path / name
    path.write_text(text)
    return f"{sys.executable} -S {path}"


def only_failure(program, server, seconds=20.0, **settings):
    agent = ProgramAgent(program, server.url, seconds=seconds, patience=0.5, **settings)
    (episode,) = gem_ma.rollout(GAME, agent, 1, seed=0, rounds=2, progress=False)
    assert episode.failure is not None
    return episode.failure


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "raise SystemExit('out of ideas')",
            "ended with exit status 1; it said last:\nout of ideas",
        ),
        ("import os; os.kill(os.getpid(), 9)", "signal SIGKILL"),
        ("print('{\"a\": 1}', flush=True); input(); input()", 'expected {"reply": ...}'),
        ("print('{a', flush=True); input(); input()", "a line that is no JSON"),
    ],
)
def test_a_command_that_does_not_play(text, words, tmp_path):
    with StubServer(rock) as server:
        failure = only_failure(command(tmp_path, text), server)
    assert words in failure.message


def test_a_command_that_is_not_there():
    with StubServer(rock) as server:
        assert "FileNotFoundError" in only_failure("no-such-program --fast", server).message


@pytest.mark.skipif(not os.path.exists("/proc/self/environ"), reason="it takes Linux's /proc")
def test_nothing_that_a_command_began_outlives_it(tmp_path):
    """A program begins others, in sessions of their own, and none is left, however it ends."""
    pids = tmp_path / "pids"
    text = f"""
import os, subprocess, sys, time
for _ in range(3):
    child = subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(600)"],
                             start_new_session=True)
    with open({str(pids)!r}, "a") as file:
        file.write(f"{{child.pid}}\\n")
input()
{{}}
"""
    for end in (
        "raise SystemExit(3)",
        "time.sleep(600)",
        'print(\'{"reply": "rock"}\', flush=True)',
    ):
        pids.unlink(missing_ok=True)
        with StubServer(rock) as server:
            agent = ProgramAgent(
                command(tmp_path, text.replace("END", end)), server.url, seconds=2, patience=0.2
            )
            gem_ma.rollout(
                GAME, {"left": agent, "right": "random"}, 1, seed=0, rounds=1, progress=False
            )
        found = [int(line) for line in pids.read_text().split()]
        assert len(found) == 3
        assert not [pid for pid in found if os.path.exists(f"/proc/{pid}") and not dead(pid)]


def dead(pid):
    with open(f"/proc/{pid}/stat") as file:
        return file.read().rpartition(")")[2].split()[0] in "ZX"


@pytest.mark.skipif(sys.platform != "linux", reason="the limit is one of Linux")
def test_memory_is_limited(tmp_path):
    text = "import sys\nsys.stdin.readline()\nx = bytearray(10**9)\n" + COMMAND
    with StubServer(rock) as server:
        agent = command(tmp_path, text)
        failure = only_failure(agent, server, memory=400 * 2**20)
    assert "MemoryError" in failure.message


def test_signals_have_names():
    from gem_ma.agents.programs.command_process import _format_exit

    assert _format_exit(-signal.SIGTERM) == "signal SIGTERM"
    assert _format_exit(-200) == "signal 200"
