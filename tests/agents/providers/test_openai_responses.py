"""OpenAI's Responses by its own client library, against a stub of them."""

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

from gem_ma import Env, load_episodes, rollout
from gem_ma.agents import OpenAIResponsesAgent, load_agent
from gem_ma.agents.providers.errors import ServerError

needed("openai", install="'gem-ma[openai]'")

REASONED = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "sealed"}
CALL = {
    "type": "function_call",
    "id": "fc_1",
    "call_id": "call_1",
    "name": "look",
    "arguments": "{}",
    "status": "completed",
}


@pytest.fixture(autouse=True)
def key(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-any")


def make_text(text):
    part = {"type": "output_text", "text": text, "annotations": []}
    return {"type": "message", "id": "m", "role": "assistant", "content": [part]}


def make_answer(*output, status="completed", **more):
    usage = {"input_tokens": 10, "output_tokens": 2, "input_tokens_details": {"cached_tokens": 1}}
    return {
        "id": "r",
        "object": "response",
        "status": status,
        "output": output,
        "usage": usage,
    } | more


ROCK = make_answer(make_text("rock"))


def make_agent(url, **options):
    return OpenAIResponsesAgent("gpt", url, **options)


def test_retries():
    check_retries(make_agent, ROCK)


def test_failures():
    check_failures(make_agent, ROCK)


def test_limits():
    check_limits(make_agent, ROCK)


def test_secrets(monkeypatch, caplog):
    check_secrets(make_agent, ROCK, "OPENAI_API_KEY", monkeypatch, caplog)


def test_cache(tmp_path, monkeypatch):
    check_cache(make_agent, ROCK, tmp_path / "cache", "OPENAI_API_KEY", monkeypatch)


def test_what_is_sent():
    with serve(ROCK) as server:
        ask(load_agent(f"openai-responses:gpt@{server.url}?temperature=0.5&max_tokens=9"))
        ask(OpenAIResponsesAgent("gpt", server.url, reasoning="low"), make_turn(observe="image"))
    assert server.paths == ["/v1/responses"] * 2
    first, second = server.requests
    assert {name: first[name] for name in first if name != "input"} == {
        "model": "gpt",
        "temperature": 0.5,
        "max_output_tokens": 9,
        "store": False,
    }
    assert [one["role"] for one in first["input"]] == ["system", "user"]
    assert second["reasoning"]["effort"] == "low"
    assert second["include"] == ["reasoning.encrypted_content"]
    assert second["input"][1]["content"][0]["image_url"].startswith("data:image/png;base64,")
    with pytest.raises(ValueError, match="has no seed"):
        OpenAIResponsesAgent("gpt", seed=1)


def test_what_comes_back():
    cut = {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}
    refusal = {"type": "message", "content": [{"type": "refusal", "refusal": "no"}]}
    for answer, text, reason in (
        (make_answer(REASONED, make_text("ro"), make_text("ck"), {"type": "new"}), "rock", "stop"),
        (make_answer(REASONED, **cut), "", "length"),
        (make_answer(refusal), "no", "stop"),
    ):
        with serve(answer) as server:
            agent = OpenAIResponsesAgent("gpt", server.url, prices=(1.0, 10.0))
            reply = ask(agent)
        assert (reply, reply.finish_reason) == (text, reason)
        assert agent.usage == {"prompt_tokens": 10, "completion_tokens": 2}
        assert agent.cost == pytest.approx(30 / 1e6)
    failed = make_answer(status="failed", error={"code": "server_error", "message": "oh"})
    with serve(failed) as server, pytest.raises(ServerError, match="status 'failed'"):
        ask(OpenAIResponsesAgent("gpt", server.url, retries=0))


def test_tool_calls_and_what_was_reasoned_go_back(tmp_path):
    with serve(make_answer(REASONED, CALL), make_answer(make_text("stop"))) as server:
        agent = OpenAIResponsesAgent("gpt", server.url, reasoning="low")
        (episode,) = rollout(Env(Looking()), agent, seed=0, out=tmp_path / "out.jsonl")
    assert episode.returns == {"a": 1.0}
    assert episode.steps[0].reply.finish_reason == "tool_calls"
    first, second = server.requests
    (tool,) = first["tools"]
    assert (tool["type"], tool["name"], tool["strict"]) == ("function", "look", False)
    _, _, reasoned, called, result, view = second["input"]
    assert reasoned == REASONED
    assert (called["type"], called["call_id"], called["name"]) == (
        "function_call",
        "call_1",
        "look",
    )
    assert (result["call_id"], result["output"]) == ("call_1", "look number 1")
    assert view == {"role": "user", "content": "Looks: 1"}
    (again,) = load_episodes(tmp_path / "out.jsonl")
    assert again.messages("a") == episode.messages("a")
