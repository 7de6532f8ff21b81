"""What servers of models answer to programs, and what programs that know no API send."""

import json
import sys
import urllib.error
import urllib.request

from stub_server import StubServer, response

import gem_ma
from gem_ma.agents import ProgramAgent
from gem_ma.chat import unpack_calls


def answers(*given):
    """Return a server that gives these answers, and then the last."""
    server = StubServer(None)
    server.answer = lambda body, attempt: given[min(len(server.requests), len(given)) - 1]
    return server


def events(*lines):
    """Answer with a stream of these lines."""

    async def write(writer):
        text = "".join(f"{one}\n\n" for one in lines).encode()
        writer.write(response(text, kind="text/event-stream"))
        await writer.drain()
        return True

    return write


def delta(**message):
    return "data: " + json.dumps({"choices": [{"index": 0, "delta": message}]})


def as_body(text):
    async def write(writer):
        writer.write(response(text.encode()))
        await writer.drain()
        return True

    return write


ODD = [None, True, -1, 1.5, "text", [], {}, [[]], [{}], [None], {"a": 1}, "\ud800", 10**200]


def make_odd(value, rng, depth=0):
    """Return a value in which some things have been put in the place of others."""
    if rng.random() < 0.1 or depth > 9:
        return rng.choice(ODD)
    if isinstance(value, dict):
        return {name: make_odd(one, rng, depth + 1) for name, one in value.items()}
    if isinstance(value, list):
        return [make_odd(one, rng, depth + 1) for one in value]
    return value


def post(url, content):
    """Return the status and the bytes of what is answered to these bytes."""
    request = urllib.request.Request(url, content, {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read()


def check_program(program, behind, count, out):
    """Let a program play x; the record has what it asked and what the agent said, and replays."""
    played = gem_ma.rollout(
        "game:TicTacToe-v0",
        {"x": ProgramAgent(program, behind), "o": "random"},
        count,
        seed=4,
        out=out,
        max_errors=0,
        progress=False,
    )
    assert len(played) == count
    for episode in gem_ma.load_episodes(out):
        assert not episode.failure
        episode.replay()
        own = [step for step in episode.steps if step.agent == "x"]
        for number, (step, calls) in enumerate(zip(own, unpack_calls(own), strict=True)):
            (call,) = calls
            assert call.text == step.reply
            roles = [one["role"] for one in call.messages]
            assert roles == ["system", *["user", "assistant"] * number, "user"]
            assert call.messages[-1]["content"] == step.text


def check_command(file):
    """Let a program in a file play, whose client finds address and key in its environment."""
    with answers("paper") as server:
        agent = ProgramAgent(f"{sys.executable} {file}", server.url)
        (episode,) = gem_ma.rollout(
            "game:RockPaperScissors-v0",
            {"left": agent, "right": "random"},
            rounds=1,
            seed=0,
            progress=False,
        )
        assert "of-mine" not in json.dumps(server.headers)
    assert not episode.failure, episode.failure
    assert [one.reply for one in episode.steps if one.agent == "left"] == ["paper"]
