"""What holds of an agent behind any provider's API: its file of tests calls these."""

import gzip
import json
import logging
import pickle
import time

import pytest
from stub_server import StubServer, body, cut, raw, slow, status

import gem_ma
from gem_ma import rollout
from gem_ma.agents.providers.errors import RequestCap, ServerError

SAME_TIME = "game:RockPaperScissors-v0"
KEY = "sk-a-secret-that-nobody-may-read"
WORD = "pass-word-that-nobody-may-read"


def make_turn(env_id=SAME_TIME, **kwargs):
    env = gem_ma.make(env_id, **kwargs)
    env.reset(seed=0)
    return env.turn(env.agent_selection)


def ask(agent, turn=None):
    return gem_ma.chat.agent.ask_agent(agent, [turn or make_turn()])[0]


def serve(*answers):
    """Return a server that gives these answers, values of JSON or faults, and then the last."""
    made = [one if callable(one) else body(json.dumps(one)) for one in answers]
    server = StubServer(None)
    server.answer = lambda message, attempt: made[min(len(server.requests), len(made)) - 1]
    return server


MALFORMED = (body("{"), body("[]"), body("null"), body("<html>"), raw(b"{}", "X: y"))


def check_retries(make_agent, answer):
    """Faults that pass are tried again, as soon as the server says.

    Args:
        make_agent: of a URL and options.
        answer: what the server says, as a value of JSON: rock.
    """
    packed = raw(gzip.compress(json.dumps(answer).encode()), "Content-Encoding: gzip")
    statuses = [status(code, "Retry-After: 0") for code in (408, 409, 429, 500, 529)]
    for faults in (statuses, [cut, MALFORMED[0], raw(b"{}", "Content-Encoding: zstd")]):
        with serve(*faults, packed) as server:
            agent = make_agent(server.url, timeout=5.0)
            reply = ask(agent)
            assert reply == "rock"
            assert len(server.requests) == agent.requests == len(faults) + 1
            assert reply.latency > 0
            counts = {name: reply.usage[name] for name in ("prompt_tokens", "completion_tokens")}
            assert agent.usage == counts  # of the last alone
    with serve(status(429, "Retry-After: 1"), answer) as server:
        ask(make_agent(server.url))
        assert server.times[1] - server.times[0] >= 1.0


def check_failures(make_agent, answer):
    """What cannot pass is not tried again; answers have a largest size and a last moment."""
    for fault in MALFORMED:
        with serve(fault) as server, pytest.raises(ServerError, match="BadAnswer: "):
            ask(make_agent(server.url, retries=0))
    for code in (400, 401, 403, 404, 422):
        with serve(status(code, message="no such thing")) as server:
            with pytest.raises(ServerError, match=f"{code}.*no such thing"):
                ask(make_agent(server.url))
            assert len(server.requests) == 1
    with serve(slow) as server, pytest.raises(ServerError, match=r"no reply within 0\.3 s"):
        ask(make_agent(server.url, timeout=0.3, retries=0))
    with serve({**answer, "more": "a" * 5000}) as server:
        assert ask(make_agent(server.url, retries=0)) == "rock"
        with pytest.raises(ServerError, match="BadAnswer: an answer of more than 4000 bytes"):
            ask(make_agent(server.url, retries=0, max_answer=4000))


def check_limits(make_agent, answer):
    """Requests and tokens are capped, and a rate is kept."""
    with serve(answer) as server:
        agent = make_agent(server.url, max_requests=2)
        ask(agent)
        ask(agent)
        with pytest.raises(RequestCap, match="has made 2 requests, and max_requests=2"):
            ask(agent)
        agent = make_agent(server.url, max_total_tokens=1)
        ask(agent)
        with pytest.raises(RequestCap, match=r"has used \d+ tokens, and max_total_tokens=1"):
            ask(agent)
        start = time.monotonic()
        rollout(SAME_TIME, make_agent(server.url, requests_per_minute=300), 2, seed=0, rounds=1)
        assert time.monotonic() - start >= 3 * 0.2  # between four requests
    with pytest.raises(ValueError, match="requests_per_minute=0"):
        make_agent(server.url, requests_per_minute=0)


def check_secrets(make_agent, answer, variable, monkeypatch, caplog):
    """A key is sent in a header and written nowhere; nobody is followed to another address."""
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv(variable, KEY)
    with serve(status(401, message=f"a wrong key: {KEY}")) as server:
        for url in (server.url, server.url.replace("//", f"//me:{WORD}@")):
            agent = make_agent(url)
            (episode,) = rollout(SAME_TIME, agent, seed=0, rounds=1)
        assert any(KEY in value for value in server.headers[0].values())
        assert server.headers[-1]["authorization"].startswith("basic ")
    assert f"a wrong key: ${variable}" in episode.failure.message
    written = repr(agent), repr(episode), pickle.dumps(agent).decode("latin-1"), caplog.text
    for text in (*written[:2], *written[3:]):
        assert WORD not in text
    for text in written:
        assert KEY not in text
    with serve(answer) as other:
        moved = status(307, f"Location: {other.url.replace('//', f'//me:{WORD}@')}")
        with serve(moved) as server:
            with pytest.raises(ServerError, match="give that as base_url") as error:
                ask(make_agent(server.url))
            assert len(server.requests) == 1
        assert not other.requests
        assert WORD not in str(error.value)
    monkeypatch.delenv(variable)
    with pytest.raises(ValueError, match=f"set the environment variable {variable}"):
        ask(make_agent(None))


def check_cache(make_agent, answer, folder, variable, monkeypatch):
    """What was asked before is not asked again, unless something differs that decides the answer.

    No secret is in the folder, and damaged files are as if they were missing.
    """
    monkeypatch.setenv(variable, KEY)

    def play(seed=0, rounds=2, group=1, model="some-model", **options):
        agent = make_agent(url, cache=str(folder), prices=(1e6, 0.0), **options)
        agent.model = model
        seats = {"left": agent, "right": "random"}
        episodes = rollout(SAME_TIME, seats, 2, seed=seed, rounds=rounds, group=group)
        return [step.reply for one in episodes for step in one.steps if step.agent == "left"]

    with serve({**answer, "echo": KEY}) as server:
        url = server.url.replace("//", f"//me:{WORD}@")
        first = play()
        assert len(server.requests) == len(first) == 4
        assert [reply.cached for reply in first] == [None] * 4
        assert [reply.cost for reply in first] == [first[0].usage["prompt_tokens"]] * 4 != [0] * 4
        again = play(retries=0, concurrency=1, max_requests=0)
        assert len(server.requests) == 4
        assert [reply.cached for reply in again] == [True] * 4
        assert again == first
        for name in ("usage", "latency", "cost", "finish_reason"):
            assert [getattr(one, name) for one in (*again, *first)] == [
                getattr(one, name) for one in (*first, *again)
            ]

        asked = 4
        others = [{"seed": 1}, {"group": 2}, {"temperature": 0.5}, {"max_tokens": 7}]
        for other in (*others, {"model": "other"}, {"body": {"top_k": 4}}):
            new = [reply for reply in play(**other) if not reply.cached]
            asked += len(new)
            assert new, other
            assert len(server.requests) == asked
        agent, turn = make_agent(url, cache=str(folder)), make_turn()
        for _ in range(2):  # a wrapper may ask for the same turn several times
            ask(agent, turn)
        assert len(server.requests) == asked + 2

        files = [path for path in folder.rglob("*") if path.is_file()]
        assert len(files) == len(server.requests)
        for path in files:
            for secret in (KEY, WORD):
                assert secret.encode() not in path.read_bytes()
            path.write_bytes(path.read_bytes()[:-1])
        for _ in range(2):  # what is damaged is asked and kept again
            assert play() == first
            assert len(server.requests) == asked + 2 + 4
