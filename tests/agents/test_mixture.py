"""Mixtures of agents: who is drawn, who waits, and what cannot be drawn from."""

import asyncio
import copy
import itertools
import pickle
import threading
from collections import Counter

import pytest

from gem_ma import Agent, Turn
from gem_ma.agents import load_agent
from gem_ma.agents.mixture import MixtureAgent
from gem_ma.agents.random import RandomAgent
from gem_ma.agents.scripted import ScriptedAgent
from gem_ma.chat.agent import ask_agent
from gem_ma.rollouts.rollout import rollout

LEGAL = tuple("abcdef")


def turn(**fields):
    return Turn(**{"seat": "a", "rules": "r", "observation": {}, "text": "t", **fields})


def again(agent):
    return pickle.loads(pickle.dumps(agent))


def says_x(turn):
    return "x"


async def last_legal(turn):
    return turn.legal[-1]


class Counting:
    def __init__(self, reply):
        self.reply, self.calls = reply, []

    def act(self, turns):
        self.calls.append(len(turns))
        return [f"{self.reply}{t.seed}" for t in turns]


def test_a_mixture_draws_by_weight_and_asks_each_agent_once():
    inner = [Counting("p"), Counting("q"), Counting("r")]
    mixture = MixtureAgent(inner, weights=[1, 0, 3])
    turns = [turn(seed_numbers=(seed,)) for seed in range(4000)]
    replies = mixture.act(turns)
    assert [reply[1:] for reply in replies] == [str(turn.seed) for turn in turns]
    count = Counter(reply[0] for reply in replies)
    assert set(count) == set("pr")
    assert 900 < count["p"] < 1100
    assert [len(agent.calls) for agent in inner] == [1, 0, 1]
    assert mixture.act(turns[7:9]) == replies[7:9]
    assert MixtureAgent(inner, [1, 0, 3], seed=1).act(turns) != replies
    assert not mixture.blocking


def test_epsilon_is_random_now_and_then():
    agent = MixtureAgent.epsilon(says_x, 0.1)
    replies = agent.act([turn(seed_numbers=(seed,), legal=LEGAL) for seed in range(3000)])
    count = Counter(replies)
    assert 2600 < count["x"] < 2800
    # the draw of the agent does not decide what the random agent draws
    assert all(30 < count[letter] < 75 for letter in LEGAL)
    first = MixtureAgent.epsilon(says_x, 0)
    assert set(first.act([turn(seed_numbers=(s,)) for s in range(99)])) == {"x"}
    with pytest.raises(ValueError, match="expected 0 to 1"):
        MixtureAgent.epsilon(says_x, 1.5)


def test_a_mixture_can_stay_with_one_agent_for_an_episode():
    agents = [ScriptedAgent(["0"] * 9), ScriptedAgent(["rock"] * 9)]
    mixture = MixtureAgent([*agents, lambda turn: "paper"], [0, 1, 1], per="episode")
    episodes = rollout("game:RockPaperScissors-v0", mixture, episodes=60, seed=5, rounds=4)
    seats = [
        {step.reply for step in episode.steps if step.agent == seat}
        for episode in episodes
        for seat in episode.agents
    ]
    assert all(len(replies) == 1 for replies in seats)
    pairs = {(*left, *right) for left, right in zip(seats[::2], seats[1::2], strict=True)}
    assert pairs == set(itertools.product(("rock", "paper"), repeat=2))  # each seat has its own
    with pytest.raises(ValueError, match="per='episode' needs a rollout"):
        mixture.act([turn()])


class Waiting:
    def __init__(self):
        self.entered = self.left = 0

    async def __aenter__(self):
        self.entered += 1
        return self

    async def __aexit__(self, *error):
        self.left += 1

    async def act(self, turns):
        return [turn.legal[0] for turn in turns]


def test_a_mixture_of_agents_that_wait_waits():
    waiting = Waiting()
    mixture = MixtureAgent([waiting, last_legal, "random"])
    assert isinstance(mixture, Agent)
    assert load_agent(mixture) is mixture
    episodes = rollout("game:TicTacToe-v0", mixture, episodes=8, seed=2, concurrency=4)
    assert all(episode.ended == "terminated" for episode in episodes)
    assert waiting.entered == waiting.left == 1
    turns = [turn(legal=LEGAL, seed_numbers=(seed,)) for seed in range(60)]
    assert set("af") < set(ask_agent(mixture, turns)) <= set(LEGAL)
    assert (
        ask_agent(mixture, turns)
        == ask_agent(again(mixture), turns)
        == ask_agent(copy.copy(mixture), turns)
    )
    alone = rollout("game:TicTacToe-v0", mixture, episodes=8, seed=2, concurrency=1)
    assert [e.steps for e in alone] == [e.steps for e in episodes]


class Meeting:
    """Waits until so many calls are under way."""

    def __init__(self, event_count):
        self.left, self.event = event_count, None

    async def act(self, turns):
        if self.event is None:
            self.event = asyncio.Event()
        self.left -= 1
        if not self.left:
            self.event.set()
        await asyncio.wait_for(self.event.wait(), 10)
        return ["m"] * len(turns)


class Blocking:
    blocking = True

    def act(self, turns):
        return [threading.current_thread().name] * len(turns)


def test_the_agents_of_one_call_are_awaited_together():
    meeting = Meeting(2)  # two places in one mixture: each is one call
    mixture = MixtureAgent([meeting, meeting])
    assert set(ask_agent(mixture, [turn(seed_numbers=(seed,)) for seed in range(20)])) == {"m"}
    assert meeting.left == 0


def test_a_mixture_with_an_agent_that_blocks():
    assert MixtureAgent([Blocking(), "random"]).blocking
    threads = ask_agent(MixtureAgent([Blocking(), last_legal], [1, 0]), [turn()])
    assert threads != [threading.main_thread().name]
    assert MixtureAgent(["human", "random"]).blocking


def test_a_mixture_refuses_what_it_cannot_draw_from():
    with pytest.raises(ValueError, match="2 agents and 1 weights"):
        MixtureAgent(["random", "random"], [1])
    with pytest.raises(ValueError, match="at least 0, and one of them above 0"):
        MixtureAgent(["random", "random"], [1, -1])
    with pytest.raises(ValueError, match="at least 0, and one of them above 0"):
        MixtureAgent(["random", "random"], [0, 0])
    with pytest.raises(ValueError, match="expected 'turn' or 'episode'"):
        MixtureAgent(["random"], per="game")
    with pytest.raises(ValueError, match="a list of one agent or more"):
        MixtureAgent([])
    with pytest.raises(ValueError, match="a list of one agent or more, got 'random'"):
        MixtureAgent("random")
    agent = MixtureAgent([RandomAgent(1), says_x], [2, 1])
    assert repr(again(agent)) == (
        "MixtureAgent([RandomAgent(seed=1), "
        f"FunctionAgent({__name__}.says_x)], weights=(2, 1), per='turn', seed=0)"
    )
