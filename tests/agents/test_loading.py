"""Agents by their specs: options, one for all seats or each, and who cannot sit where."""

import re

import packs
import pytest

import gem_ma
from gem_ma import Agent, Turn
from gem_ma.agents import (
    FunctionAgent,
    HumanAgent,
    MixtureAgent,
    RandomAgent,
    ScriptedAgent,
    assign_agents,
    load_agent,
    load_seat_agents,
)
from gem_ma.chat.agent import ask_agent


def turn(**fields):
    return Turn(**{"seat": "a", "rules": "r", "observation": {}, "text": "t", **fields})


def test_load():
    assert isinstance(load_agent("random"), RandomAgent)
    assert isinstance(load_agent("human"), HumanAgent)
    agent = RandomAgent(3)
    assert load_agent(agent) is agent
    assert isinstance(agent, Agent)
    assert ask_agent(load_agent(lambda turn: turn.text), [turn(), turn(text="u")]) == ["t", "u"]
    assert "FunctionAgent" in repr(FunctionAgent(len))


def test_options_of_a_spec():
    agent = load_agent("search:depth=2&simulations=7&seed=3")
    assert (agent.depth, agent.simulations, agent.seed) == (2, 7, 3)
    agent = load_agent(
        "openai:some/model@http://127.0.0.1:9/v1?timeout=1.5&retries=0&logprobs=true"
    )
    assert (agent.model, agent.base_url) == ("some/model", "http://127.0.0.1:9/v1")
    assert (agent.timeout, agent.retries, agent.logprobs) == (1.5, 0, True)
    assert load_agent("openai:some/model?logprobs=false").logprobs is False
    assert load_agent("openai:some/model?detail=low").detail == "low"
    for spec, told in (
        ("serch", "no agent 'serch'; did you mean 'search'"),
        ("xyzzy", "no agent 'xyzzy'; there are random, human"),
        ("hf", "agent 'hf': expected hf:PATH"),
        ("openai:some/model@host", "expected a URL such as http://127.0.0.1:8000/v1"),
        ("random:seed", "expected options such as a=1&b=2 out of seed, got 'seed'"),
        ("hf:nowhere?template=1", "got 'template': write template.NAME=VALUE"),
        ("hf:nowhere?seed.a=1", "got 'seed.a'"),
        ("search:deep=2", "got 'deep'"),
        ("openai:some/model?model=other", "got 'model'"),
        ("human:x=1", "agent 'human:x=1': expected no options"),
        ("search:depth=two", "agent 'search:depth=two': depth=two: expected a whole number"),
        ("openai:some/model?logprobs=1", "logprobs=1: expected true or false"),
        ("search:depth=-1", "agent 'search:depth=-1': depth"),
    ):
        with pytest.raises(ValueError, match=re.escape(told)):
            load_agent(spec)


@pytest.mark.parametrize(
    ("spec", "meant"),
    [
        ("gpt-4o", "openai:gpt-4o"),
        ("gpt-4o@http://127.0.0.1:9/v1", "openai:gpt-4o@http://127.0.0.1:9/v1"),
        ("o3-mini", "openai:o3-mini"),
        ("claude-sonnet-4", "anthropic:claude-sonnet-4"),
        ("gemini-2.5-pro", "google:gemini-2.5-pro"),
        ("openai/gpt-4o", "openai:gpt-4o"),
        ("opnai:gpt-4o", "openai:gpt-4o"),
        ("react:gpt-4o", "openai:gpt-4o"),
        ("Qwen/Qwen3-4B", "hf:Qwen/Qwen3-4B"),
        ("./models/ttt", "hf:./models/ttt"),
        ("serch:depth=2", "search"),
    ],
)
def test_a_spec_without_its_name_or_with_a_wrong_one_is_told_which_is_near(spec, meant):
    with pytest.raises(ValueError, match=re.escape(f"did you mean '{meant}'?")):
        load_agent(spec)


def test_an_option_that_is_written_wrong_is_told_which_is_near():
    with pytest.raises(ValueError, match="got 'dept'; did you mean 'depth'"):
        load_agent("search:dept=4")


def test_agents_for_all_seats():
    one, two = load_seat_agents("random", ["x", "o"])
    assert one is two
    one, two, three = load_seat_agents("random,search:depth=1,random", "abc")
    assert type(one) is RandomAgent
    assert (one is three, one is two) == (True, False)
    with pytest.raises(ValueError, match="got 2 agents for a, b, c; expected one for each"):
        load_seat_agents("random,random", "abc")
    with pytest.raises(TypeError, match="specs=3: expected str, got int"):
        load_seat_agents(3, "ab")


@packs.needs("tau")
def test_who_is_made_for_a_user_is_no_assistant():
    told = "is made for user, and not for the seat assistant"
    env, roles = gem_ma.make("tau:shop"), {"user": "rule-user", "assistant": "rule-user"}
    for play in (
        lambda: gem_ma.rollout(env, "rule-user"),
        lambda: gem_ma.rollout(env, roles | {"assistant": MixtureAgent(["rule-user", "human"])}),
        lambda: load_seat_agents("rule-user", env.possible_agents),
        lambda: env.gym("user", roles["assistant"]),
        lambda: env.seats(others={"assistant": "rule-user"}),
    ):
        with pytest.raises(gem_ma.SeatError, match=told):
            play()
    assert MixtureAgent(["rule-user", "informed-assistant"]).seats == ()


def test_who_is_made_for_a_seat_sits_in_no_other():
    one = ScriptedAgent({"x": ["4"]})
    with pytest.raises(gem_ma.SeatError, match="is made for x, and not for the seat o"):
        gem_ma.rollout("game:TicTacToe-v0", {"x": one, "o": one})
    with pytest.raises(gem_ma.SeatError, match="is made for x, and not for the seat o"):
        gem_ma.rollout("game:TicTacToe-v0", [one, "random"], shuffle=True)
    assert MixtureAgent([one, ScriptedAgent({"o": ["4"]})]).seats == ()
    assert MixtureAgent(["random", one]).seats == ("x",)
    assert MixtureAgent(["random"]).seats is None


def test_which_agents_may_go_elsewhere_and_which_need_a_thread():
    classes = {name: getattr(gem_ma.agents, name) for name in gem_ma.agents.__all__}
    portable = [name for name, one in classes.items() if getattr(one, "portable", None) is True]
    blocking = [name for name, one in classes.items() if getattr(one, "blocking", None) is True]
    assert portable == ["RandomAgent", "ScriptedAgent", "SearchAgent"]
    assert blocking == ["HFAgent", "HumanAgent"]


@pytest.mark.parametrize(
    ("specs", "who"),
    [
        ("random", {"x": "random", "o": "random"}),
        ("search:depth=2,random", {"x": "search:depth=2", "o": "random"}),
        (["search:depth=2", "random"], {"x": "search:depth=2", "o": "random"}),
        ("o=search:depth=2", {"x": "random", "o": "search:depth=2"}),
        (["o=hf:a?b=1", "human"], {"x": "human", "o": "hf:a?b=1"}),
        ("o=human,x=random", {"x": "random", "o": "human"}),
    ],
)
def test_who_sits_where(specs, who):
    assert assign_agents(specs, ["x", "o"]) == who


@pytest.mark.parametrize(
    ("specs", "told"),
    [
        ("y=random", "no seat 'y'; the seats are x, o"),
        ("x=random,x=human", "two agents for x"),
        ("random,random,random", "got 3 agents for x, o; expected one for each"),
        ("x=human,random,random", "got 2 agents for o; expected one for each"),
    ],
)
def test_who_cannot_sit_there(specs, told):
    with pytest.raises(ValueError, match=told):
        assign_agents(specs, ["x", "o"])
