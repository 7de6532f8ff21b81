"""Seats for programs from outside: by HTTP, by MCP, and what goes wrong there."""

import concurrent.futures
import datetime
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request

import pytest
from needed import needed
from stub_server import StubServer

import gem_ma
from gem_ma import SeatError

needed("aiohttp", install="'gem-ma[gateway]'")

GAME = "game:RockPaperScissors-v0"


def ask(url, body=None):
    """Return the JSON that a GET, or with a body a POST, is answered with."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.loads(answer.read())
    except urllib.error.HTTPError as error:
        with error:
            told = json.loads(error.read())["error"]["message"]
        raise LookupError(f"{error.code} {told}") from None


def outside(url, say="rock", last=False):
    """Play seats until there are no more, and return what each earned.

    Args:
        last: the gateway may be gone already when it is asked for one more.
    """
    earned = []
    while True:
        try:
            seat = ask(f"{url}/claim", {})
        except LookupError as error:
            if str(error) == "410 all episodes are over":
                return earned
            raise
        except OSError:
            if last and earned:
                return earned
            raise
        told = ask(seat["turn"])
        while told["type"] == "turn":
            assert {"text", "messages", "tools", "legal", "rules"} < told.keys()
            reply = say
            if say is None:
                body = {"model": "m", "messages": told["messages"]}
                ask(f"{seat['base_url']}/chat/completions", body)
            told = ask(seat["play"], {} if reply is None else {"reply": reply})
        earned.append(told["return"])


def test_programs_from_outside_play_by_http(tmp_path):
    out = tmp_path / "episodes.jsonl"
    with StubServer(lambda body, attempt: "\\boxed{paper}") as server:
        gate = gem_ma.gateway(
            GAME, server.url, episodes=4, rounds=2, seed=0, out=out, progress=False
        )
        with gate, concurrent.futures.ThreadPoolExecutor() as pool:
            loses = pool.submit(outside, gate.url, "rock")
            wins = pool.submit(outside, gate.url, None)
            episodes = gate.wait(60)
            assert sorted([*loses.result(), *wins.result()]) == sorted(
                value for episode in episodes for value in episode.returns.values()
            )
    assert len(episodes) == 4
    for episode in gem_ma.load_episodes(out):
        episode.replay()
        assert set(episode.agents.values()) == {f"ProgramAgent(outside, {server.url})"}
    assert server.requests


def test_an_agent_answers_the_calls_of_programs():
    """In the place of a model's server; each answer is a legal move, which the program plays."""
    gate = gem_ma.gateway(GAME, "random", seats=["left"], rounds=2, seed=0, progress=False)
    with gate, concurrent.futures.ThreadPoolExecutor() as pool:
        earned = pool.submit(outside, gate.url, None)
        (episode,) = gate.wait(60)
        assert earned.result() == [episode.returns["left"]]
    assert episode.agents["left"] == "ProgramAgent(outside, RandomAgent(seed=0))"
    assert not any(step.invalid for step in episode.steps)
    own = [step.reply for step in episode.steps if step.agent == "left"]
    assert [one.calls[0]["text"] for one in own] == own


def test_some_seats_are_for_programs():
    gate = gem_ma.gateway(
        GAME, seats=["right"], agents="random", episodes=2, rounds=1, progress=False
    )
    with gate:
        for _ in range(2):
            seat = gate.claim(20)
            assert seat.name == "right"
            assert seat.turn(20).seat == "right"
            assert seat.play("rock") is None
            assert seat.final_return in (-1.0, 0.0, 1.0)
        assert gate.claim(20) is None
    assert {episode.agents["left"] for episode in gate.wait(5)} == {"random"}


def test_what_is_wrong_is_refused():
    with gem_ma.gateway(GAME, episodes=1, rounds=1, progress=False) as gate:
        seat, other = gate.claim(20), gate.claim(20)
        place = seat.address.rpartition("/")[0]
        with pytest.raises(LookupError, match="404 no model is served here"):
            ask(f"{seat.address}/chat/completions", {"messages": []})
        with pytest.raises(LookupError, match="400 the request is no JSON object"):
            ask(f"{place}/play", ["rock"])
        seat._submit_reply("rock")
        with pytest.raises(LookupError, match=f"409 it is not {seat.name}'s turn"):
            ask(f"{place}/play", {"reply": "rock"})
        other.play("rock")
        gate.wait(20)
        with pytest.raises(LookupError, match="404 no seat has this address"):
            ask(f"{place}/play", {"reply": "rock"})
    with pytest.raises(SeatError, match="no seat 'middle'"):
        gem_ma.gateway(GAME, seats=["middle"])
    with pytest.raises(TypeError, match="argument 'round'; did you mean 'rounds'"):
        gem_ma.gateway(GAME, round=2)


def test_a_seat_is_taken_by_whoever_has_the_token(monkeypatch, caplog):
    """Any bytes may stand in a header."""
    monkeypatch.setenv("GEM_MA_TOKEN", "hush")
    with gem_ma.gateway(GAME, episodes=1, rounds=1, progress=False) as gate:
        port = int(gate.url.rpartition(":")[2])
        for header in (
            b"",
            b"Authorization: Bearer \xff\xed\xa0\x80",
            b"Authorization: Bearer hus",
        ):
            with socket.create_connection(("127.0.0.1", port), timeout=20) as line:
                line.sendall(b"POST /claim HTTP/1.1\r\nHost: a\r\n" + header + b"\r\n\r\n")
                assert line.recv(100).startswith(b"HTTP/1.1 40"), header
        request = urllib.request.Request(
            f"{gate.url}/claim", b"{}", {"Authorization": "Bearer hush"}
        )
        with urllib.request.urlopen(request, timeout=20) as answer:
            assert json.loads(answer.read())["seat"] in ("left", "right")
    assert not [one for one in caplog.records if one.levelname == "ERROR"], caplog.text


def test_what_comes_in_by_mcp_is_answered(caplog):
    """Messages of any shape: an error of the protocol, and never one of ours."""
    values = (
        None,
        0,
        "text",
        [],
        {},
        [1],
        {"name": 1},
        "\ud800",
        {"arguments": [], "name": "play"},
    )
    values += ({"name": "play", "arguments": {"reply": 5}}, {"name": ["look"]}, {"name": "\ud800"})
    with gem_ma.gateway(GAME, episodes=1, rounds=1, progress=False) as gate:
        place = gate.claim(20).address.rpartition("/")[0]
        for method in ("tools/call", "initialize", "tools/list", "ping", "no", 5, None, ["ping"]):
            for params in values:
                for number in (1, "a", ["\ud800"]):
                    message = {"id": number, "method": method, "params": params}
                    told = ask(f"{place}/mcp", message)
                    assert ("result" in told) != ("error" in told)
        for message in ([], [{"id": 1}], "text", None):
            if message is not None:
                with pytest.raises(LookupError, match="400 the request is no JSON object"):
                    ask(f"{place}/mcp", message)
    assert not [one for one in caplog.records if one.levelname == "ERROR"], caplog.text


def test_a_program_is_told_how_mcp_is_spoken_here():
    """The version is what the client names, or one of the protocol's, which are dates."""
    with gem_ma.gateway(GAME, seats=["left"], rounds=1, episodes=1, progress=False) as gate:
        place = gate.claim(20).address.rpartition("/")[0]

        def request(method, **params):
            body = {"id": 1, "method": method, "params": params}
            return ask(f"{place}/mcp", body)["result"]

        answer = request("initialize", protocolVersion="2024-11-05")
        assert answer["protocolVersion"] == "2024-11-05"
        datetime.date.fromisoformat(request("initialize")["protocolVersion"])
        for tool, more in zip(request("tools/list")["tools"], ({}, {"reply": "rock"}), strict=True):
            assert "turn" in tool["description"]
            assert set(tool["inputSchema"]["properties"]) == more.keys()
            assert all(one["description"] for one in tool["inputSchema"]["properties"].values())
            answer = request("tools/call", name=tool["name"], arguments=more)
            assert not answer["isError"], answer
        gate.wait(20)


def test_a_program_that_went_away_is_named():
    with gem_ma.gateway(GAME, episodes=1, seconds=0.3, progress=False) as gate:
        gate.claim(20)
        (episode,) = gate.wait(20)
    assert "ProgramAgent(outside, no model) made no move of" in episode.failure.message


def test_a_seat_that_waited_in_vain_is_given_to_nobody():
    gate = gem_ma.gateway(GAME, episodes=2, seconds=3.0, concurrency=1, rounds=1, progress=False)
    with gate:
        time.sleep(3.6)  # the first episode has failed by now
        seats = [gate.claim(20), gate.claim(20)]
        for seat in seats:
            threading.Thread(target=seat.play, args=("rock",)).start()
        first, second = gate.wait(20)
    assert first.failure
    assert not second.failure


def test_a_client_of_mcp_plays():
    """The real library's client plays whole episodes with two tools."""
    pytest.importorskip("mcp", reason="pip install 'gem-ma[tools]'")
    from gem_ma.tools.mcp import MCPServer

    with gem_ma.gateway(GAME, seats=["left"], rounds=2, episodes=1, progress=False) as gate:
        place = gate.claim(20).address.rpartition("/")[0]
        with MCPServer(f"{place}/mcp", timeout=20) as server:
            look, play = server.list_tools()
            assert (look.name, play.name) == ("look", "play")
            seen = look.call({})
            assert "Rock-paper-scissors" in seen
            assert "Rounds left: 2" in seen
            assert "Rounds left: 1" in play.call({"reply": "rock"})
            assert "The episode is over. You earned" in play.call({"reply": "rock"})
        (episode,) = gate.wait(20)
    assert not episode.failure


def test_a_killed_gateway_goes_on(tmp_path):
    """Kill -9 of the whole, while programs play: no episode is lost, and none is there twice."""
    out, served = tmp_path / "episodes.jsonl", threading.Event()

    def start(*more):
        line = f"gateway {GAME} --episodes 30 --seed 3 --set rounds=1 --out {out}".split()
        command = [sys.executable, "-m", "gem_ma.cli", *line, *more]
        return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)

    def play(url):
        try:
            outside(url)
        except (OSError, LookupError):
            served.set()

    gate = start()
    url = gate.stdout.readline().split()[-1]
    programs = [threading.Thread(target=play, args=(url,)) for _ in range(3)]
    for program in programs:
        program.start()
    while not out.exists() or out.read_bytes().count(b"\n") < 5:
        time.sleep(0.01)
    os.kill(gate.pid, signal.SIGKILL)
    gate.wait()
    gate.stdout.close()
    for program in programs:
        program.join()
    before = out.read_bytes().count(b"\n")
    assert 5 <= before < 30
    assert served.is_set()
    gate = start("--resume")
    url = gate.stdout.readline().split()[-1]
    with concurrent.futures.ThreadPoolExecutor() as pool:
        both = [pool.submit(outside, url, last=True) for _ in range(2)]
        assert sum(len(one.result()) for one in both) == 2 * (30 - before)
    assert gate.wait(20) == 0
    gate.stdout.close()
    ids = [episode.id for episode in gem_ma.load_episodes(out)]
    assert sorted(ids) == sorted(f"3-{i}" for i in range(30))
