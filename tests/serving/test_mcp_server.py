"""Environments as MCP servers, played by the real client: the library `mcp` 2.3 of 2026-11."""

import asyncio
import base64
import inspect
import json
import os
import re
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request

import pytest
import warm
from commands import fault, parser
from needed import needed
from pages import TOP

from gem_ma.serving import mcp_episodes
from gem_ma.serving.mcp_episodes import EpisodeStore, ToolRequestError
from gem_ma.serving.mcp_server import make_episode_store, serve_mcp

pytest.importorskip("mcp.server.mcpserver", reason="pip install 'gem-ma[tools]'")
mcp = needed("mcp", install="'gem-ma[tools]'")
import gem_ma

TTT, HANDS = "game:TicTacToe-v0", "game:RockPaperScissors-v0"
SERVE = ["-m", "gem_ma.cli", "serve"]
PNG = b"\x89PNG\r\n\x1a\n"


class Served:
    """An MCP server over HTTP, in a process."""

    def __init__(self, *words, **env):
        self.process = subprocess.Popen(
            [*warm.python(), *SERVE, *words, "--mcp", "http", "--port", "0"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "GEM_MA_TOKEN": "", **env},
        )
        self.url = self.process.stdout.readline().split()[-1]
        self.port = int(re.search(r":(\d+)/mcp$", self.url)[1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.log = self.process.communicate(timeout=20)[1]

    def post(self, body, **headers):
        """Return the status of an answer, and what it says."""
        headers = {"Content-Type": "application/json", "Accept": "application/json", **headers}
        headers["Accept"] += ", text/event-stream"
        request = urllib.request.Request(self.url, body, headers)
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read()


async def play(target, mode="auto", picks=(), **begin):
    """Play an episode, with the first legal action where there is no pick; return all answers."""
    picks = iter(picks)
    async with mcp.Client(target, mode=mode) as client:
        tools = (await client.list_tools()).tools
        assert [one.name for one in tools] == ["reset", "act", "observe"]
        answers = [await client.call_tool("reset", begin)]
        while not (facts := answers[-1].structured_content)["done"]:
            pick = next(picks, facts["legal_actions"][0])
            answers.append(
                await client.call_tool("act", {"episode": facts["episode"], "reply": pick})
            )
            assert not answers[-1].is_error, answers[-1]
            assert len(answers) < 100
        return answers


def stdio(*words):
    command = mcp.StdioServerParameters(command=sys.executable, args=[*SERVE, *words])
    return mcp.stdio_client(command)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_client_starts_the_server_and_plays(mode):
    """By the protocol of 2026, which has no sessions, and by the one before, which has."""
    target = stdio(TTT, "--mcp", "stdio", "--seat", "x", "--observe", "both")
    first, *others = asyncio.run(play(target, mode, seed=3))
    picture, rules, facts = first.content
    assert base64.b64decode(picture.data).startswith(PNG)
    assert rules.text.startswith("You are playing Tic-tac-toe as x")
    assert json.loads(facts.text) == first.structured_content
    assert others
    for answer in others:
        assert answer.content[0].type == "image"
        assert "You are playing" not in answer.content[1].text
    facts = others[-1].structured_content
    assert facts["terminations"] == {"x": True}
    assert facts["truncations"] == {"x": False}
    assert facts["rewards"]["x"] in (-1.0, 0.0, 1.0)


@pytest.fixture(scope="module")
def served():
    with Served(HANDS, "--set", "rounds=2", "--max-sessions", "8") as server:
        yield server
    assert "Traceback" not in server.log


def test_a_client_plays_all_seats_over_http(served):
    first, *others = asyncio.run(play(served.url, picks=["rock", "paper", "rock", "scissors"]))
    assert first.structured_content["to_act"] == ["left", "right"]
    earned = [one.structured_content["rewards"] for one in others]
    assert sum(one["left"] for one in earned) == 0
    assert len(others) == 4
    assert [one.structured_content["seat"] for one in (first, *others)][:3] == [
        "left", "right", "left",
    ]  # fmt: skip
    assert "Rock-paper-scissors" in first.content[0].text
    assert "Rock-paper-scissors" in others[0].content[0].text  # the rules of the other seat
    assert "Rock-paper-scissors" not in others[1].content[0].text


def test_several_clients_play_at_once(served):
    """Each has an episode of its own, and a seed decides it for a client with a seat, too."""

    async def main():
        played = [
            play(served.url, mode, picks=["rock", "rock"], seed=5, seat="left")
            for mode in ("auto", "legacy") * 3
        ]
        return await asyncio.gather(*played)

    games = asyncio.run(main())
    names = {game[0].structured_content["episode"] for game in games}
    assert len(names) == 6
    texts = [[one.content[0].text for one in game] for game in games]
    assert all(one == texts[0] for one in texts)


def test_what_a_client_may_look_at(served):
    async def main():
        async with mcp.Client(served.url) as client:
            facts = (await client.call_tool("reset", {"seed": 1})).structured_content
            name = {"episode": facts["episode"]}
            seen = await client.call_tool("observe", {**name, "seat": "right"})
            again = await client.call_tool("observe", {**name, "seat": "right"})
            assert seen.content[1:] == again.content[1:]
            plain = await client.call_tool("observe", {**name, "picture": False})
            await client.call_tool("act", {**name, "reply": "lizard"})
            notice = await client.call_tool("observe", {**name, "seat": "left", "picture": False})
            return seen, plain, notice

    seen, plain, notice = asyncio.run(main())
    assert [one.type for one in seen.content] == ["image", "text", "text"]
    assert base64.b64decode(seen.content[0].data).startswith(PNG)
    assert "Rock-paper-scissors" in seen.content[1].text
    assert [one.type for one in plain.content] == ["text", "text"]
    assert "lizard" in notice.content[0].text


HOSTILE = (None, True, -1, 1 << 70, 1.5, "", "\x00\ud800", "x" * 5000, [], {}, ["a"], {"a": [1]})


def test_hostile_arguments_are_answered(caplog):
    """Any type in any argument: an error that says what is wrong, and no fault of ours."""
    store, wrong = make_store(HANDS, most=1, rounds=2), []
    right = {"episode": store.call("reset", {}).facts["episode"], "reply": "rock"}
    for name in ("seed", "seat", "episode", "reply", "picture", "more"):
        for value in HOSTILE:
            for tool in ("reset", "act", "observe"):
                given = {name: value} if tool == "reset" else {**right, name: value}
                try:
                    right["episode"] = store.call(tool, given).facts["episode"]
                except ToolRequestError as error:
                    wrong.append(str(error))
    assert len(wrong) > 100
    assert all(len(one) < 500 for one in wrong)
    assert not caplog.records


def test_what_is_wrong_is_said_to_the_client(served):
    async def main():
        async with mcp.Client(served.url) as client:
            calls = ("dance", {}), ("reset", {"seed": "1"}), ("act", {"reply": "\x00"})
            return [await client.call_tool(*one) for one in calls]

    told = asyncio.run(main())
    assert [one.is_error for one in told] == [True] * 3
    assert [one.content[0].text for one in told] == [
        "no tool 'dance'; the tools are reset, act, observe",
        "seed=\"'1'\": expected int or null",
        "act needs the episode; begin one with reset",
    ]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400),
        (b"[]", 400),
        (b"\xff\xfe", 400),
        (b'{"jsonrpc": "2.0", "id": NaN}', 400),
        (b"[" * 100_000, 400),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": []}', 400),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "no"}', 200),
    ],
)
def test_hostile_bodies_are_refused(served, body, status):
    got, told = served.post(body)
    assert got == status
    assert b"Traceback" not in told
    assert len(told) < 5000


def test_a_body_that_is_too_long_is_not_read(served):
    head = f"POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Length: {(1 << 20) + 1}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", served.port), timeout=10) as line:
        line.sendall(head.encode())
        assert line.recv(100).startswith(b"HTTP/1.1 413")


def test_half_a_character_becomes_a_question_mark(served):
    def call(name, arguments):
        call = {"name": name, "arguments": arguments}
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
        status, told = served.post(json.dumps(body).encode())
        return status, json.loads(told)

    _, begun = call("reset", {})
    name = begun["result"]["structuredContent"]["episode"]
    status, told = call("act", {"episode": name, "reply": "\ud800 \\ud800"})
    assert status in (200, 400)
    if status == 200:
        assert "\ud800" not in json.dumps(told, ensure_ascii=False)


def test_who_may_come_in():
    ping = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode()
    with Served(TTT, GEM_MA_TOKEN="hush") as server:
        assert server.post(ping)[0] == 401
        assert server.post(ping, Authorization="Bearer hus")[0] == 401
        assert server.post(ping, Authorization="Bearer hush")[0] == 200


def test_a_web_page_may_not(served):
    status, told = served.post(b"{}", Origin="http://elsewhere")
    assert status == 403
    assert b"a browser's page has to have a token" in told
    request = urllib.request.Request(served.url.replace("/mcp", "/ws"))
    with pytest.raises(urllib.error.HTTPError, match="404") as found:
        urllib.request.urlopen(request, timeout=20)
    assert b"the MCP server is at /mcp" in found.value.read()
    found.value.close()


def test_slow_requests_are_ended():
    """Of their head, of their body, and of the next one: each holds a connection for so long."""
    whole = (
        b"POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
        b"Accept: application/json, text/event-stream\r\nContent-Length: 2\r\n\r\n{}"
    )
    with Served(TTT, "--first-message", "0.3") as server:
        for part in (b"", b"POST /mcp HTTP/1.1\r\nHost", whole[:-1], whole):
            with socket.create_connection(("127.0.0.1", server.port), timeout=10) as line:
                line.sendall(part)
                began = time.monotonic()
                while line.recv(4096):
                    pass
                assert time.monotonic() - began < 4


def make_store(id=TTT, seat=None, most=2, idle=60.0, **make):
    return EpisodeStore(gem_ma.make(id, **make), seat, "random", most, idle)


def test_episodes_make_room_when_they_are_over_or_idle(monkeypatch):
    store = make_store(HANDS, rounds=1)
    one, two = (store.call("reset", {}).facts["episode"] for _ in range(2))
    with pytest.raises(ToolRequestError, match="plays 2 episodes at the same time"):
        store.call("reset", {})
    assert store.call("reset", {"episode": one}).facts["episode"] == one
    for _ in range(2):
        facts = store.call("act", {"episode": one, "reply": "rock"}).facts
    assert facts["done"]
    with pytest.raises(ToolRequestError, match="act: the episode is over"):
        store.call("act", {"episode": one, "reply": "rock"})
    store.call("reset", {})
    with pytest.raises(ToolRequestError, match=f"no episode '{one}', or it has ended"):
        store.call("act", {"episode": one, "reply": "rock"})
    later = time.monotonic() + 61
    monkeypatch.setattr(mcp_episodes.time, "monotonic", lambda: later)
    store.call("reset", {})
    with pytest.raises(ToolRequestError, match=f"no episode '{two}'"):
        store.call("observe", {"episode": two})


def test_an_episode_is_busy_with_one_call_at_a_time():
    began, go = threading.Event(), threading.Event()

    def slow(turn):
        began.set()
        assert go.wait(20)
        return turn.legal[0]

    store = EpisodeStore(gem_ma.make(TTT), "x", slow, 2, 60.0)
    name = store.call("reset", {}).facts["episode"]
    worker = threading.Thread(target=store.call, args=("act", {"episode": name, "reply": "4"}))
    worker.start()
    assert began.wait(20)
    with pytest.raises(ToolRequestError, match="busy with another call"):
        store.call("act", {"episode": name, "reply": "5"})
    go.set()
    worker.join()
    assert not store.call("act", {"episode": name, "reply": "5"}).facts["done"]


def test_faults_of_the_server_are_in_its_log_only(caplog):
    def fails(turn):
        raise LookupError("a secret of ours")

    store = EpisodeStore(gem_ma.make(TTT), "x", fails, 2, 60.0)
    name = store.call("reset", {}).facts["episode"]
    with pytest.raises(ToolRequestError, match="the server failed") as found:
        store.call("act", {"episode": name, "reply": "4"})
    assert "secret" not in str(found.value)
    assert "a secret of ours" in caplog.text


def test_seats_that_a_client_has_not():
    bound = make_store(seat="x")
    assert "seat" not in bound.list_tools()[0]["inputSchema"]["properties"]
    with pytest.raises(ToolRequestError, match="reset takes no 'seat'; it takes seed, episode"):
        bound.call("reset", {"seat": "o"})
    free = make_store()
    name = free.call("reset", {"seat": "o"}).facts["episode"]
    with pytest.raises(ToolRequestError, match="no seat 'x'; yours: o"):
        free.call("observe", {"episode": name, "seat": "x"})
    with pytest.raises(ToolRequestError, match="no seat 'z'; the seats are x, o"):
        free.call("reset", {"seat": "z"})
    name = free.call("reset", {}).facts["episode"]
    with pytest.raises(ToolRequestError, match="o is not to act now"):
        free.call("act", {"episode": name, "reply": "4", "seat": "o"})


def test_the_tools_of_an_environment_are_told():
    import packs

    packs.need("tau")
    store = make_store("tau:shop", seat="assistant")
    store.others = "random"
    answer = store.call("reset", {"seed": 1})
    names = [one["function"]["name"] for one in answer.facts["tools"]]
    call = {"name": names[0], "arguments": {}}
    store.call("act", {"episode": answer.facts["episode"], "reply": json.dumps(call)})


def test_the_settings_of_the_docs_are_read():
    """By the parser of gem-ma, and with seats and agents that the id has."""
    page = (TOP / "docs/bridges.md").read_text()
    (block,) = re.findall(r"```json\n(.*?mcpServers.*?)```", page, re.S)
    (entry,) = json.loads(block)["mcpServers"].values()
    assert fault([entry["command"], *entry["args"]]) == ""
    args = entry["args"]
    seat, others = (args[args.index(option) + 1] for option in ("--seat", "--others"))
    assert make_episode_store(args[1], seat, others, 1, 1.0, {}).seat == seat


def test_numbers_are_replies():
    store = make_store(seat="x")
    name = store.call("reset", {}).facts["episode"]
    facts = store.call("act", {"episode": name, "reply": 4}).facts
    assert "4" not in facts["legal_actions"]
    assert "invalid" not in facts


def test_the_function_has_the_defaults_of_the_command():
    options = vars(parser().parse_args(["serve", TTT]))
    defaults = {name: one.default for name, one in inspect.signature(serve_mcp).parameters.items()}
    shared = {"host", "port", "max_sessions", "max_message", "first_message", "idle", "others"}
    assert {name: defaults[name] for name in shared} == {name: options[name] for name in shared}
