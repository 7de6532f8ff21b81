"""Gemini by Google's own client library, against a stub of its generateContent."""

import base64
import json

import pytest
from broken_games import Looking
from needed import needed
from provider_checks import (
    ask,
    check_cache,
    check_failures,
    check_limits,
    check_retries,
    check_secrets,
    make_turn,
    serve,
)
from stub_server import body, raw, response

from gem_ma import Env, load_episodes, rollout
from gem_ma.agents import GeminiAgent, load_agent
from gem_ma.agents.providers.errors import ServerError

needed("google.genai", install="'gem-ma[google]'")

SIGNATURE = base64.b64encode(b"sealed \xff").decode()


URL_SAFE = str.maketrans("+/", "-_")


def simplify(fields):
    """Return the fields by names that say nothing of case.

    The API reads camelCase and snake_case, and the library sends some of both.
    """
    return {name.replace("_", "").lower(): value for name, value in fields.items()}


def make_answer(*parts, reason="STOP", **usage):
    return {
        "candidates": [
            {"content": {"role": "model", "parts": list(parts)}, "finishReason": reason, "index": 0}
        ],
        "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 2, **usage},
        "modelVersion": "gemini",
    }


ROCK = make_answer({"text": "rock"})


def make_agent(url, **options):
    return GeminiAgent("gemini", url, **options)


def test_retries():
    check_retries(make_agent, ROCK)


def test_failures():
    check_failures(make_agent, ROCK)


def test_limits():
    check_limits(make_agent, ROCK)


def test_secrets(monkeypatch, caplog):
    check_secrets(make_agent, ROCK, "GEMINI_API_KEY", monkeypatch, caplog)


def test_cache(tmp_path, monkeypatch):
    check_cache(make_agent, ROCK, tmp_path / "cache", "GEMINI_API_KEY", monkeypatch)


def test_what_is_sent():
    with serve(ROCK) as server:
        url = server.url.removesuffix("/v1")
        agent = load_agent(f"google:gemini@{url}?temperature=0.5&max_tokens=9&seed=1")
        ask(agent)
        ask(agent)
        ask(GeminiAgent("gemini", f"{url}/v1beta", body={"safetySettings": []}))
        ask(GeminiAgent("gemini", url, thinking=2000))
        ask(GeminiAgent("gemini", url, thinking="low"), make_turn(observe="image"))
    assert len(set(server.paths)) == 1  # of whatever version the library asks for
    assert server.paths[0].count("/v1") == 1
    assert server.paths[0].endswith("/models/gemini:generateContent")
    first, again, more, thinking, level = server.requests
    assert first == again  # the same turn, the same request
    config = first["generationConfig"]
    assert (config["temperature"], config["maxOutputTokens"]) == (0.5, 9)
    assert 0 <= config["seed"] < 2**31
    assert "rock" in json.dumps(first["systemInstruction"]).lower()
    assert [one["role"] for one in first["contents"]] == ["user"]
    assert set(more) - {"generationConfig"} == {"contents", "systemInstruction", "safetySettings"}
    found = simplify(thinking["generationConfig"]["thinkingConfig"])
    assert found == {"includethoughts": True, "thinkingbudget": 2000}
    found = simplify(level["generationConfig"]["thinkingConfig"])
    assert found["thinkinglevel"].lower() == "low"
    picture = simplify(level["contents"][0]["parts"][0]["inlineData"])
    assert picture["mimetype"] == "image/png"
    assert base64.urlsafe_b64decode(picture["data"].translate(URL_SAFE)).startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("reason", "found"),
    [
        ("STOP", "stop"),
        ("MAX_TOKENS", "length"),
        ("SAFETY", "content_filter"),
        ("MALFORMED_FUNCTION_CALL", "malformed_function_call"),
        ("A_NEW_REASON", "a_new_reason"),
    ],
)
def test_what_comes_back(reason, found):
    parts = {"thought": True, "text": "Paper may come."}, {"text": "ro"}, {"text": "ck"}
    usage = {"thoughtsTokenCount": 3, "toolUsePromptTokenCount": 1, "totalTokenCount": 16}
    with serve(make_answer(*parts, reason=reason, **usage)) as server:
        agent = GeminiAgent("gemini", server.url, prices=(1.0, 10.0))
        reply = ask(agent)
    assert reply == "rock"
    assert reply.finish_reason == found
    assert reply.thinking_blocks == [{"thought": True, "text": "Paper may come."}]
    assert agent.usage == {"prompt_tokens": 11, "completion_tokens": 5}
    assert agent.cost == pytest.approx((11 + 50) / 1e6)


def test_a_blocked_prompt_is_a_refusal_and_nothing_at_all_a_fault():
    blocked = {
        "promptFeedback": {"blockReason": "SAFETY"},
        "usageMetadata": {"promptTokenCount": 4},
    }
    empty = {"candidates": [{"finishReason": "MAX_TOKENS", "content": {"role": "model"}}]}
    with serve(blocked, empty) as server:
        reply = ask(GeminiAgent("gemini", server.url))
        assert (reply, reply.finish_reason) == ("", "content_filter")
        assert reply.usage["prompt_tokens"] == 4
        reply = ask(GeminiAgent("gemini", server.url))
        assert (reply, reply.finish_reason) == ("", "length")
    with serve({"usageMetadata": {}}) as server, pytest.raises(ServerError, match="candidates nor"):
        ask(GeminiAgent("gemini", server.url, retries=0))


def test_google_asks_to_wait_in_the_body():
    info = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "0.7s"}
    error = {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "no", "details": [{}, info]}

    async def busy(writer):
        writer.write(response(json.dumps({"error": error}).encode(), "429 Fault"))
        await writer.drain()
        return True

    with serve(busy, ROCK) as server:
        assert ask(GeminiAgent("gemini", server.url)) == "rock"
        assert 0.7 <= server.times[1] - server.times[0] < 5


def test_tool_calls_and_their_signatures_go_back(tmp_path):
    call = {"functionCall": {"name": "look", "args": {}, "id": "c1"}, "thoughtSignature": SIGNATURE}
    thought = {"thought": True, "text": "Look first."}
    with serve(make_answer(thought, call), make_answer({"text": "stop"})) as server:
        agent = GeminiAgent("gemini", server.url)
        (episode,) = rollout(Env(Looking()), agent, seed=0, out=tmp_path / "out.jsonl")
    assert episode.returns == {"a": 1.0}
    first, second = server.requests
    (declared,) = first["tools"][0]["functionDeclarations"]
    assert declared["name"] == "look"
    asked, called, result = second["contents"]
    assert called == {"role": "model", "parts": [call]}
    assert result["parts"] == [
        {
            "functionResponse": {
                "id": "c1",
                "name": "look",
                "response": {"output": "look number 1"},
            }
        },
        {"text": "Looks: 1"},
    ]
    assert asked["parts"] == [{"text": "Looks: 0"}]
    (again,) = load_episodes(tmp_path / "out.jsonl")
    assert again.messages("a") == episode.messages("a")


def test_pictures_are_seen_to_be_counted():
    def answer(message, attempt):
        pictures = json.dumps(message["contents"]).count("inlineData")
        counted = make_answer({"text": ""}, promptTokenCount=9 + 258 * pictures)
        return body(json.dumps(counted))

    with serve(ROCK) as server:
        server.answer = answer
        assert GeminiAgent("gemini", server.url).check_sees_images() == (True, 258, 16)


def test_other_answers_are_faults():
    wrong = (
        {"candidates": [{"content": {"parts": [{"text": 5}]}}]},
        {"candidates": {"0": {}}},
        {"candidates": [{"content": {"parts": [{"functionCall": "look"}]}}]},
        {"candidates": [{"finishReason": 5}]},
    )
    for answer in wrong:
        with (
            serve(answer) as server,
            pytest.raises(
                ServerError, match="BadAnswer: the answer is no valid answer of generateContent"
            ),
        ):
            ask(GeminiAgent("gemini", server.url, retries=0))
    with serve(raw(b"\xff\xfe{}")) as server, pytest.raises(ServerError, match="BadAnswer"):
        ask(GeminiAgent("gemini", server.url, retries=0))
