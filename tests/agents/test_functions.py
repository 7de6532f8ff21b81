"""Functions in seats: in threads, awaited, pickled, and named the same everywhere."""

import functools
import pickle
import threading

import pytest

from gem_ma import Agent, Turn
from gem_ma.agents import load_agent
from gem_ma.agents.function import FunctionAgent
from gem_ma.chat.agent import ask_agent
from gem_ma.rollouts.rollout import rollout

LEGAL = tuple("abcdef")


def turn(**fields):
    return Turn(**{"seat": "a", "rules": "r", "observation": {}, "text": "t", **fields})


def again(agent):
    return pickle.loads(pickle.dumps(agent))


def says_x(turn):
    return "x"


def first_legal(turn):
    return turn.legal[0]


async def last_legal(turn):
    return turn.legal[-1]


class Callable:
    def __call__(self, turn):
        return "c"


class AsyncCallable:
    async def __call__(self, turn):
        return "ac"


def test_functions_that_wait_overlap_in_threads():
    together = threading.Barrier(4)

    def wait(turn):
        together.wait(timeout=10)
        return turn.legal[0]

    agent = FunctionAgent(wait, workers=4)
    episodes = rollout("game:TicTacToe-v0", agent, episodes=4, seed=1, concurrency=4)
    assert [episode.ended for episode in episodes] == ["terminated"] * 4
    assert ask_agent(agent, [turn(legal=LEGAL)] * 4) == ["a"] * 4


def test_a_function_agent_with_threads_pickles_without_them():
    agent = FunctionAgent(first_legal, workers=2)
    assert ask_agent(agent, [turn(legal=LEGAL)]) == ["a"]
    same = again(agent)
    assert agent._pool is not None
    assert same._pool is None
    assert ask_agent(same, [turn(legal=LEGAL)] * 5) == ["a"] * 5
    assert isinstance(agent, Agent)


def test_coroutine_functions_are_awaited():
    assert ask_agent(FunctionAgent(last_legal), [turn(legal=LEGAL)] * 2) == ["f", "f"]
    assert ask_agent(load_agent(AsyncCallable()), [turn()]) == ["ac"]
    assert ask_agent(load_agent(functools.partial(last_legal)), [turn(legal=LEGAL)]) == ["f"]
    (episode,) = rollout("game:TicTacToe-v0", last_legal, seed=1)
    assert episode.steps[0].reply == "8"
    with pytest.raises(ValueError, match="is a coroutine function, which needs no threads"):
        FunctionAgent(last_legal, workers=2)
    with pytest.raises(ValueError, match="workers=-1: expected 0 or more"):
        FunctionAgent(first_legal, workers=-1)


def test_a_function_agent_has_the_same_name_everywhere():
    assert repr(FunctionAgent(says_x)) == f"FunctionAgent({__name__}.says_x)"
    assert repr(FunctionAgent(says_x, workers=2)) == f"FunctionAgent({__name__}.says_x, workers=2)"
    assert repr(FunctionAgent(Callable())) == f"FunctionAgent({__name__}.Callable)"
    assert repr(FunctionAgent(functools.partial(says_x))) == "FunctionAgent(functools.partial)"
    assert repr(FunctionAgent(len)) == "FunctionAgent(builtins.len)"
