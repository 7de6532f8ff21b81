"""Claude by Anthropic's own client library, against a stub of its Messages."""

import json

import pytest
from broken_games import Looking
from needed import needed
from provider_checks import (
    SAME_TIME,
    ask,
    check_cache,
    check_failures,
    check_limits,
    check_retries,
    check_secrets,
    make_turn,
    serve,
)
from stub_server import body

from gem_ma import Env, load_episodes, rollout
from gem_ma.agents import AnthropicAgent, load_agent

needed("anthropic", install="'gem-ma[anthropic]'")

THOUGHT = {"type": "thinking", "thinking": "Paper may come.", "signature": "c2VhbGVk"}
SEALED = {"type": "redacted_thinking", "data": "aGlkZGVu"}
CALL = {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {}}


def make_answer(*content, reason="end_turn", **usage):
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude",
        "content": list(content),
        "stop_reason": reason,
        "stop_sequence": None,
        "usage": {"input_tokens": 10, "output_tokens": 2, **usage},
    }


ROCK = make_answer({"type": "text", "text": "rock"})


def make_agent(url, **options):
    return AnthropicAgent("claude", url, **options)


def test_retries():
    check_retries(make_agent, ROCK)


def test_failures():
    check_failures(make_agent, ROCK)


def test_limits():
    check_limits(make_agent, ROCK)


def test_secrets(monkeypatch, caplog):
    check_secrets(make_agent, ROCK, "ANTHROPIC_API_KEY", monkeypatch, caplog)


def test_cache(tmp_path, monkeypatch):
    check_cache(make_agent, ROCK, tmp_path / "cache", "ANTHROPIC_API_KEY", monkeypatch)


def test_what_is_sent():
    with serve(ROCK) as server:
        ask(load_agent(f"anthropic:claude@{server.url}?temperature=0.5&max_tokens=9"))
        ask(AnthropicAgent("claude", server.url.removesuffix("/v1"), body={"top_k": 4}))
        ask(AnthropicAgent("claude", server.url, thinking=2000))
        ask(AnthropicAgent("claude", server.url, thinking="adaptive"), make_turn(observe="image"))
    assert server.paths == ["/v1/messages"] * 4
    assert server.headers[0]["anthropic-version"]
    first, more, thinking, adaptive = server.requests
    assert (first["model"], first["temperature"], first["max_tokens"]) == ("claude", 0.5, 9)
    assert "rock" in first["system"].lower()
    assert [one["role"] for one in first["messages"]] == ["user"]
    assert (more["top_k"], more["max_tokens"]) == (4, 8192)
    assert set(more) == {"model", "max_tokens", "messages", "system", "top_k"}
    assert thinking["thinking"] == {"type": "enabled", "budget_tokens": 2000}
    assert adaptive["thinking"] == {"type": "adaptive"}
    picture = adaptive["messages"][0]["content"][0]
    assert (picture["type"], picture["source"]["media_type"]) == ("image", "image/png")
    with pytest.raises(ValueError, match="seed=1: the API of AnthropicAgent has no seed"):
        AnthropicAgent("claude", seed=1)


@pytest.mark.parametrize(
    ("reason", "found"),
    [
        ("end_turn", "stop"),
        ("max_tokens", "length"),
        ("refusal", "content_filter"),
        ("pause_turn", "pause_turn"),
        (None, None),
    ],
)
def test_what_comes_back(reason, found):
    said = [THOUGHT, {"type": "text", "text": "ro"}, {"type": "new_kind"}]
    usage = {"cache_read_input_tokens": 5, "cache_creation_input_tokens": None, "service_tier": "x"}
    answer = make_answer(*said, {"type": "text", "text": "ck"}, reason=reason, **usage)
    with serve(answer) as server:
        agent = AnthropicAgent("claude", server.url, prices=(1.0, 10.0))
        reply = ask(agent)
    assert reply == "rock"
    assert reply.finish_reason == found
    assert reply.thinking_blocks == [THOUGHT]
    assert reply.usage["prompt_tokens"] == 15
    assert reply.usage["cache_read_input_tokens"] == 5
    assert agent.usage == {"prompt_tokens": 15, "completion_tokens": 2}
    assert agent.cost == pytest.approx((15 + 20) / 1e6)


def test_tool_calls_and_what_was_thought_go_back(tmp_path):
    answers = (
        make_answer(THOUGHT, SEALED, CALL, reason="tool_use"),
        {
            **ROCK,
            "content": [{"type": "text", "text": "stop"}],
        },
    )
    with serve(*answers) as server:
        agent = AnthropicAgent("claude", server.url, thinking=1024)
        (episode,) = rollout(Env(Looking()), agent, seed=0, out=tmp_path / "out.jsonl")
    assert episode.returns == {"a": 1.0}
    first, second = server.requests
    (tool,) = first["tools"]
    assert (tool["name"], tool["input_schema"]["type"]) == ("look", "object")
    asked, called, result = second["messages"]
    assert called == {"role": "assistant", "content": [THOUGHT, SEALED, CALL]}
    assert result["content"] == [
        {
            "type": "tool_result",
            "tool_use_id": "toolu_1",
            "content": [{"type": "text", "text": "look number 1"}],
        },
        {"type": "text", "text": "Looks: 1"},
    ]
    assert asked["content"] == [{"type": "text", "text": "Looks: 0"}]
    (again,) = load_episodes(tmp_path / "out.jsonl")
    assert again.steps[0].reply.thinking_blocks == [THOUGHT, SEALED]
    assert again.messages("a") == episode.messages("a")


def test_pictures_are_seen_to_be_counted():
    def answer(message, attempt):
        pictures = json.dumps(message["messages"]).count('"image"')
        return body(
            json.dumps(make_answer({"type": "text", "text": ""}, input_tokens=9 + 100 * pictures))
        )

    with serve(ROCK) as server:
        server.answer = answer
        assert AnthropicAgent("claude", server.url).check_sees_images() == (True, 100, 16)


def test_a_whole_rollout_is_one_bill():
    with serve(ROCK) as server:
        agent = AnthropicAgent("claude", server.url)
        episodes = rollout(SAME_TIME, agent, 5, seed=0, rounds=2)
    assert not any(episode.failure for episode in episodes)
    assert agent.usage == {"prompt_tokens": 200, "completion_tokens": 40}
