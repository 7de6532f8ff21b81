"""Commands in seats: what ends them, their memory, and that nothing outlives them."""

import asyncio
import os
import re
import resource
import signal
import sys
import time

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
            "the program ended with exit status 1; its last lines:\nout of ideas",
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


@pytest.mark.skipif(not os.path.exists("/proc/self/environ"), reason="it takes Linux's /proc")
def test_a_child_that_clears_its_environment_is_found(tmp_path):
    """In a session of its own, with a child of its own, and deaf to signals."""
    pids = tmp_path / "pids"
    sleeper = "import os, signal, time\n"
    sleeper += "for one in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):\n"
    sleeper += "    signal.signal(one, signal.SIG_IGN)\n"
    sleeper += f"open({str(pids)!r}, 'a').write(f'{{os.getpid()}}\\n')\n"
    forker = f"{sleeper}os.fork()\nopen({str(pids)!r}, 'a').write(f'{{os.getpid()}}\\n')\n"
    forker += "time.sleep(600)"
    text = f"""
import subprocess, sys, time
code = {forker!r}
subprocess.Popen([sys.executable, "-S", "-c", code], env={{}}, start_new_session=True)
while True:
    try:
        if open({str(pids)!r}).read().count("\\n") == 3:
            break
    except FileNotFoundError:
        time.sleep(0.01)
for line in sys.stdin:
    print('{{"reply": "rock"}}', flush=True)
time.sleep(600)
"""
    agent = ProgramAgent(command(tmp_path, text), seconds=60, patience=0.2)
    players = {"left": agent, "right": "random"}
    (episode,) = gem_ma.rollout(GAME, players, 1, seed=0, rounds=1, progress=False)
    assert not episode.failure
    found = {int(line) for line in pids.read_text().split()}
    assert len(found) == 2
    assert not [pid for pid in found if os.path.exists(f"/proc/{pid}") and not dead(pid)]


FLOODS = {
    "no line": "while True: os.write(1, b'x' * 65536)",
    "lines": "while True: os.write(1, b'no reply\\n' * 8000)",
    "complaints": "while True: os.write(2, b'x' * 65536)",
    "complaints in lines": "while True: os.write(2, b'\\n' * 65536)",
    "braces": "os.write(1, b'{' * 2**20 + b'\\n'); time.sleep(600)",
    "depth": "os.write(1, b'{\"reply\": ' + b'[' * 2**20 + b'\\n'); time.sleep(600)",
}
WORDS = "no JSON|made no move of .* within|wrote a line of more than"


@pytest.mark.parametrize("flood", FLOODS)
def test_a_flood_costs_its_episode_and_holds_nobody_up(flood, tmp_path):
    """What else runs in the loop goes on, and no more is kept than what an error repeats."""
    gaps, before = [], resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    async def watch():
        while True:
            begun = time.monotonic()
            await asyncio.sleep(0.01)
            gaps.append(time.monotonic() - begun)

    async def play():
        watching = asyncio.create_task(watch())
        agent = ProgramAgent(
            command(tmp_path, f"import os, time\n{FLOODS[flood]}"), seconds=3.0, patience=0.2
        )
        players = {"left": agent, "right": "random"}
        found = [one async for one in gem_ma.arollout(GAME, players, 1, seed=0, progress=False)]
        watching.cancel()
        return found

    (episode,) = asyncio.run(play())
    assert re.search(WORDS, episode.failure.message)
    assert len(episode.failure.message) < 20_000
    assert max(gaps) < 2.5
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000  # KB


LINES = [
    '{"reply"',
    "{}",
    '{"reply": NaN}',
    '{"reply": 7}',
    '{"reply": [1]}',
    '{"reply": {"content": 5}}',
    '{"reply": {"content": "a", "tool_calls": "b"}}',
    '{"reply": {"content": "a", "tool_calls": {"b": 1}}}',
    '{"reply": {"tool_calls": [5]}}',
    '{"reply": {"tool_calls": [{"function": 7}]}}',
    '{"reply": {"tool_calls": [[]]}}',
    '{"reply": null}',
    '{"reply": 1e999}',
    '{"reply": ' + "9" * 5000 + "}",
    '{"reply": "rock"} {"reply": "rock"}',
    '{"reply": "rock"',
    "{'reply': 'rock'}",
    '{"reply": true}',
    "{\xff}",
]
PLAYED = [
    '{"reply": ""}',
    '{"reply": "\\ud800"}',
    '{"reply": "\\u0000\\u001b[2J"}',
    '{"reply": "' + "x" * 100_000 + '"}',
    '{"reply": {}}',
    '{"reply": {"content": "rock", "tool_calls": []}}',
    '{"reply": {"content": null, "tool_calls": [{"function": {}}, {"function": {"name": 5}}]}}',
    '{"reply": {"tool_calls": [{"function": {"name": ["a"], "arguments": {"a": "\\ud800"}}}]}}',
    '{"reply": "rock", "reply": "paper", "more": [1, 2]}',
]
SPEAK = """
import sys
lines = open(sys.argv[1], "rb").read().split(b"\\n")
for said, line in zip(sys.stdin, lines):
    sys.stdout.buffer.write(b"a banner\\n\\n\\xff\\xfe\\n" + line + b"\\n")
    sys.stdout.buffer.flush()
sys.stdin.read()
"""


@pytest.mark.parametrize("number", range(len(LINES)))
def test_a_malformed_line_is_named(number, tmp_path):
    (tmp_path / "lines").write_bytes(LINES[number].encode("latin-1"))
    agent = ProgramAgent(f"{command(tmp_path, SPEAK)} {tmp_path / 'lines'}", patience=0.2)
    players = {"left": agent, "right": "random"}
    (episode,) = gem_ma.rollout(GAME, players, 1, seed=0, rounds=1, progress=False)
    assert episode.failure.kind == "ProgramFailed"
    assert re.search(
        r"no JSON|expected \{|expected a text|made no model call", episode.failure.message
    ), episode.failure


def test_lines_that_are_replies_are_played(tmp_path):
    """Whatever is in them: what is no move of the game is an invalid reply, and can be recorded."""
    (tmp_path / "lines").write_bytes("\n".join(PLAYED).encode())
    agent = ProgramAgent(f"{command(tmp_path, SPEAK)} {tmp_path / 'lines'}", patience=0.2)
    players = {"left": agent, "right": "random"}
    settings = {"rounds": len(PLAYED), "invalid": "random", "out": tmp_path / "out.jsonl"}
    (episode,) = gem_ma.rollout(GAME, players, 1, seed=0, progress=False, **settings)
    assert not episode.failure
    assert len([step for step in episode.steps if step.agent == "left"]) == len(PLAYED)
    (again,) = gem_ma.load_episodes(tmp_path / "out.jsonl")
    again.replay()


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


def test_a_command_is_not_given_the_key(tmp_path, monkeypatch):
    monkeypatch.setenv("KEY_OF_MINE", "sk-secret-of-mine")
    text = """
import json, os, sys
sys.stdin.readline()
found = [name for name, value in os.environ.items() if "secret-of-mine" in value]
print(json.dumps({"reply": f"found {found} {os.environ['OPENAI_API_KEY']}"}), flush=True)
sys.stdin.readline()
"""
    agent = ProgramAgent(command(tmp_path, text), key="KEY_OF_MINE", patience=0.5)
    players = {"left": agent, "right": "random"}
    (episode,) = gem_ma.rollout(GAME, players, 1, seed=0, rounds=1, progress=False)
    assert "found [] none" in [step.reply for step in episode.steps if step.agent == "left"]


def test_signals_have_names():
    from gem_ma.agents.programs.command_process import _format_exit

    assert _format_exit(-signal.SIGTERM) == "signal SIGTERM"
    assert _format_exit(-200) == "signal 200"
