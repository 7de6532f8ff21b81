"""Answers of chat servers: malformed ones, those beside the letter, and the largest."""

import gzip
import json
import tracemalloc
import zlib

import pytest
from needed import needed
from stub_server import StubServer, body, completion, raw

import gem_ma
from gem_ma import rollout
from gem_ma.agents import OpenAIAgent
from gem_ma.agents.providers.errors import ServerError

needed("openai", install="'gem-ma[openai]'")

TWO = "game:TicTacToe-v0"
KEY = "sk-a-secret-that-nobody-may-read"


@pytest.fixture
def key(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def one_turn(env_id=TWO, **kwargs):
    env = gem_ma.make(env_id, **kwargs)
    env.reset(seed=0)
    return env.turn(env.agent_selection)


def ask(agent, turn=None):
    return gem_ma.chat.agent.ask_agent(agent, [turn or one_turn()])[0]


def saying(**changes):
    """Answer with a completion in which parts are changed: a choice's, its message's, the rest."""
    answer = completion("5")
    for name, value in changes.items():
        choice = answer["choices"][0]
        parts = (choice, choice["message"], answer)
        next((part for part in parts if name in part), choice)[name] = value
    return body(json.dumps(answer))


CALL = {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
MALFORMED = {
    "a null for a call": body(json.dumps(completion({"content": None, "tool_calls": [None]}))),
    "calls that are no list": body(json.dumps(completion({"content": "5", "tool_calls": {}}))),
    "no function": body(json.dumps(completion({"tool_calls": [{**CALL, "function": None}]}))),
    "no name": body(json.dumps(completion({"tool_calls": [{**CALL, "function": {}}]}))),
    "a name that is none": body(
        json.dumps(
            completion({"tool_calls": [{**CALL, "function": {"name": [], "arguments": ""}}]})
        )
    ),
    "deep arguments": body(
        json.dumps(
            completion({"tool_calls": [{**CALL, "function": {"name": "f", "arguments": 0}}]})
        ).replace('"arguments": 0', '"arguments": {"a": ' * 500 + "1" + "}" * 500)
    ),
    "an identity that is none": body(json.dumps(completion({"tool_calls": [{**CALL, "id": {}}]}))),
    "log-probabilities in words": saying(logprobs={"content": [{"token": "5", "logprob": "low"}]}),
    "a log-probability that is missing": saying(logprobs={"content": [{"token": "5"}]}),
    "a null for a log-probability": saying(logprobs={"content": [None]}),
    "a log-probability above 0": saying(logprobs={"content": [{"token": "5", "logprob": 7}]}),
    "no number": saying(logprobs={"content": [{"token": "5", "logprob": float("nan")}]}),
    "an endless number": saying(logprobs={"content": [{"token": "5", "logprob": -float("inf")}]}),
    "log-probabilities that are none": saying(logprobs=[1]),
    "token ids in words": saying(token_ids=["5"]),
    "token ids below 0": saying(token_ids=[-5]),
    "ids of a prompt in words": body(json.dumps({**completion("5"), "prompt_token_ids": ["5"]})),
    "usage in words": saying(usage="much"),
    "a count in words": saying(usage={"prompt_tokens": "abc"}),
    "a count below 0": saying(usage={"prompt_tokens": -5}),
    "a count without end": saying(usage={"prompt_tokens": 10**400}),
    "a count that is true": saying(usage={"completion_tokens": True}),
    "a reason that is none": saying(finish_reason=["stop"]),
    "a reason without end": saying(finish_reason="stop" * 1000),
    "an error in the place of a reason": saying(finish_reason="error"),
    "choices that are none": saying(choices={"0": {}}),
    "half a character": saying(content="\ud800"),
    "another charset": raw(json.dumps(completion("é"), ensure_ascii=False).encode("latin-1")),
    "UTF-16": raw(json.dumps(completion("5")).encode("utf-16")),
    "deep JSON": body("[" * 100_000),
    "deep JSON that ends": body('{"a":' * 5000 + "1" + "}" * 5000),
    "a long number": body('{"choices": ' + "9" * 100_000 + "}"),
    "no gzip": raw(b"{}", "Content-Encoding: gzip"),
    "half of some gzip": raw(
        gzip.compress(json.dumps(completion("5")).encode())[:60], "Content-Encoding: gzip"
    ),
    "an unknown coding": raw(b"{}", "Content-Encoding: zstd"),
    "gzip in gzip": raw(gzip.compress(gzip.compress(b"{}")), "Content-Encoding: gzip, gzip"),
    "a page for a browser": raw(b"<html>", "Content-Type: text/html; charset=hex"),
}


@pytest.mark.parametrize("fault", MALFORMED.values(), ids=MALFORMED)
def test_a_malformed_answer_is_a_fault_like_any_other(fault, key):
    with StubServer(lambda message, attempt: fault if attempt == 0 else "5") as server:
        agent = OpenAIAgent("stub", server.url, retries=1)
        assert ask(agent) == "5"
        assert len(server.requests) == 2
        assert agent.usage["completion_tokens"] == 2  # of the second alone
        server.answer = lambda message, attempt: fault
        (episode,) = rollout(TWO, OpenAIAgent("stub", server.url, retries=0), seed=0)
    assert episode.failure.kind == "ServerError"
    assert episode.failure.message.startswith("BadAnswer: ")
    assert f"stub@{server.url}" in episode.failure.message
    assert len(episode.failure.message) < 1500


def test_what_servers_do_beside_the_letter_is_no_fault(key):
    call = {
        "id": "",
        "function": {"name": "f", "arguments": {"a": 1}, "more": 1},
        "extra": {"b": 2},
    }
    answers = [
        saying(usage=None),
        saying(usage={"prompt_tokens": None, "details": {"cached": 1}, "cost": 0.5}),
        saying(logprobs={"content": None}, finish_reason=None),
        saying(logprobs={"tokens": ["5"], "token_logprobs": [-1]}),
        saying(logprobs={"content": [{"token": "5", "logprob": 1e-7}]}),
        raw(json.dumps(completion("5")).encode(), "Content-Type: application/json; charset=hex"),
        raw(gzip.compress(json.dumps(completion("5")).encode()), "Content-Encoding: gzip"),
        body(json.dumps(completion({"content": None, "tool_calls": [call]}))),
    ]
    with StubServer(None) as server:
        for answer in answers:
            server.answer = lambda message, attempt, answer=answer: answer
            reply = ask(OpenAIAgent("stub", server.url, retries=0))
            assert reply in ("5", "")
        assert reply.tool_calls == [call]  # with all that servers may want back
        assert server.headers[0]["accept-encoding"] == "gzip"


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("code", [200, 500, 400])
def test_an_answer_has_a_largest_size(packed, code, key):
    sent = 0

    async def flood(writer):
        """Send without end, as many bytes as somebody takes."""
        nonlocal sent
        pack = zlib.compressobj(wbits=31)
        head = [f"HTTP/1.1 {code} X", "Content-Type: application/json", "Connection: close"]
        head += ["Content-Encoding: gzip"] if packed else []
        writer.write("\r\n".join([*head, "", ""]).encode())
        part = b'{"choices": "' + b"a" * (1 << 20)
        for _ in range(200):
            chunk = pack.compress(part) + pack.flush(zlib.Z_SYNC_FLUSH) if packed else part
            writer.write(chunk)
            await writer.drain()
            sent += len(part)
        return False

    with StubServer(lambda message, attempt: flood) as server:
        agent = OpenAIAgent("stub", server.url, retries=0, max_answer=1 << 20)
        with pytest.raises(ServerError, match="BadAnswer: an answer of more than 1048576 bytes"):
            ask(agent)  # which imports what is not there yet
        before = sent
        tracemalloc.start()
        with pytest.raises(ServerError, match="BadAnswer: an answer of more than 1048576 bytes"):
            ask(agent)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert most < 16 << 20
    if not packed:
        assert sent - before < 100 << 20
    with pytest.raises(ValueError, match="max_answer=0"):
        OpenAIAgent("stub", max_answer=0)
