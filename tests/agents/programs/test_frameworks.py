"""Agents of four frameworks, as they are, in seats behind a gateway, at servers of each kind."""

import json
from collections import Counter
from functools import partial
from pathlib import Path

import packs
import pytest
from stub_server import StubServer
from vllm_shaped import Shaped

import gem_ma
from gem_ma.agents import ProgramAgent

# What the frameworks leave open is theirs.
pytestmark = pytest.mark.filterwarnings(
    "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)
pytest.importorskip("aiohttp", reason="pip install 'gem-ma[gateway]'")
EXAMPLES = Path(__file__).parents[3] / "examples" / "programs"
TWO = "game:TicTacToe-v0"


@pytest.fixture
def example(monkeypatch):
    """Return what imports one of the examples, or skips without its framework."""
    monkeypatch.syspath_prepend(str(EXAMPLES))

    def load(name, module, package):
        pytest.importorskip(module, reason=f"pip install {package}")
        return __import__(name)

    return load


@pytest.fixture
def langgraph(example):
    return example("langgraph_seat", "langgraph.version", "langgraph langchain langchain-openai")


@pytest.fixture
def openai_agents(example):
    found = example("openai_agents_seat", "agents.version", "openai-agents")
    found.set_tracing_disabled(True)
    return found


@pytest.fixture
def smolagents(example):
    return example("smolagents_seat", "smolagents.models", "'smolagents[openai]'")


def call(name, **arguments):
    function = {"name": name, "arguments": json.dumps(arguments)}
    one = {"id": "c1", "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [one]}


def looks_first(body, attempt):
    """Ask for the legal moves, and play the first of them."""
    last = body["messages"][-1]
    text = last["content"]
    text = text if isinstance(text, str) else " ".join(part.get("text", "") for part in text)
    names = [tool["function"]["name"] for tool in body.get("tools", ())]
    found = [c for c in text.rpartition("Observation:")[2] if c.isdigit()]
    if last["role"] == "tool" or "Observation:" in text[-80:]:
        move = found[0]
        return call("final_answer", answer=move) if "final_answer" in names else move
    return call("legal_moves")


def played(program, server, env=TWO, count=2, seats=("x", "o"), **settings):
    agent = ProgramAgent(program, server, token_ids=settings.pop("token_ids", False))
    who = dict.fromkeys(seats, agent)
    if env == "tau:shop":
        who["user"] = "rule-user"
    return gem_ma.rollout(env, who, count, seed=0, progress=False, max_errors=0, **settings)


@pytest.mark.parametrize("framework", ["langgraph", "openai_agents", "smolagents"])
def test_tools_of_their_own(framework, request):
    program = request.getfixturevalue(framework).play
    with StubServer(looks_first) as server:
        episodes = played(program, server.url)
    for episode in episodes:
        episode.replay()
        assert not any(step.invalid for step in episode.steps)
        assert {len(step.reply.calls) for step in episode.steps} == {2}
        for seat in episode.agents:
            for _, (first, second) in calls_of_turns(episode, seat):
                assert first.tool_calls[0]["function"]["name"] == "legal_moves"
                assert second.messages[: len(first.messages)] == first.messages


def calls_of_turns(episode, seat):
    from gem_ma.chat.model_calls import unpack_calls

    steps = [step for step in episode.steps if step.agent == seat]
    return zip(steps, unpack_calls(steps), strict=True)


@pytest.mark.parametrize("framework", ["langgraph", "openai_agents", "smolagents"])
def test_all_ids_are_those_of_a_server_shaped_like_vllm(framework, request):
    program = request.getfixturevalue(framework).play

    def say(body, number):
        return f"I take it: \\boxed{{{number % 9}}}"

    with Shaped(say) as server:
        settings = {"token_ids": True, "invalid": "random"}
        episodes = played(program, server.url, count=3, **settings)
        served = Counter((*map(tuple, one[:2]), one[3]) for one in server.served)
    kept = Counter(
        (call.prompt_ids, call.token_ids, True)
        for episode in episodes
        for seat in episode.agents
        for _, calls in calls_of_turns(episode, seat)
        for call in calls
    )
    assert kept == served


@packs.needs("tau")
def test_a_shop_is_served_by_langgraph(langgraph):
    """Every tool of the shop that the agent calls is a move."""

    def serves(body, attempt):
        answered = [m for m in body["messages"] if m["role"] == "tool"]
        if not answered:
            return call("list_all_product_types")
        return "How can I help you?"

    with StubServer(serves) as server:
        (episode,) = played(langgraph.assist, server.url, "tau:shop", 1, ["assistant"], max_turns=8)
    calls = [step for step in episode.steps if step.agent == "assistant"]
    assert calls[0].reply.tool_calls[0]["function"]["name"] == "list_all_product_types"
    assert '"Backpack"' in calls[1].results[0]
    assert len(calls) >= 3
    episode.replay()


@pytest.fixture(scope="module")
def real(tmp_path_factory):
    pytest.importorskip("torch", reason="pip install 'gem-ma[hf]'")
    pytest.importorskip("fastapi", reason="pip install 'transformers[serving]'")
    import tiny_models

    tokenizer = tiny_models.tokenizer()
    model = tiny_models.llm(tokenizer)
    model.generation_config.max_new_tokens = 8
    with tiny_models.serving(model, tokenizer, tmp_path_factory.mktemp("real")) as found:
        yield found


@pytest.mark.parametrize(
    ("framework", "settings"),
    [
        ("langgraph", {}),
        ("openai_agents", {"api": "chat"}),
        ("openai_agents", {"api": "responses"}),
        ("smolagents", {}),
    ],
)
def test_a_real_server_says_what_is_kept(framework, settings, real, request):
    """What a framework made of a real server's answers is what the record has of them."""
    url, model = real
    program = request.getfixturevalue(framework).play
    agent = ProgramAgent(partial(program, **settings), f"{model}@{url}", timeout=120)
    env = gem_ma.make(TWO, invalid="random", max_turns=2)
    (episode,) = gem_ma.rollout(env, agent, 1, seed=0, progress=False)
    assert not episode.failure, episode.failure
    for step in episode.steps:
        texts = [one["text"].strip() for one in step.reply.calls if one.get("text", "").strip()]
        assert texts
        assert texts[-1] in step.reply or step.reply.strip() in texts[-1]


def test_an_agent_of_the_claude_agent_sdk_plays(monkeypatch, tmp_path):
    """Release 0.2.189 of 2026-11, with its own program, whose settings are left alone."""
    pytest.importorskip("claude_agent_sdk", reason="pip install claude-agent-sdk")
    monkeypatch.syspath_prepend(str(EXAMPLES))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
    import claude_agent_seat

    def looks(body, attempt):
        last = body["messages"][-1]
        names = [tool["function"]["name"] for tool in body.get("tools", ())]
        if not names:
            return "A game"  # the title of the talk
        if last["role"] == "tool":
            return last["content"].split(",")[0]
        asks = call("mcp__game__legal_moves")
        asks["tool_calls"][0]["id"] = f"call_{len(server.requests)}"
        return asks

    with StubServer(looks) as server:
        (episode,) = played(claude_agent_seat.play, server.url, count=1)
    episode.replay()
    for step in episode.steps:
        calls = [one for one in step.reply.calls if one.get("tool_calls")]
        assert [one["function"]["name"] for one in calls[0]["tool_calls"]] == [
            "mcp__game__legal_moves"
        ]
    assert [step.reply for step in episode.steps] == ["0", "1", "2", "3", "4", "5", "6"]
