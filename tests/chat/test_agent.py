"""Asking agents: functions, coroutines and those that block; and what agents are called."""

import asyncio
import threading

import pytest

from gem_ma.chat.agent import ask_agent, ask_agent_async, format_agent_name
from gem_ma.chat.turn import Turn

TURNS = [Turn("a", "", {}, text) for text in ("one", "two")]


class Plain:
    """Answers with the text of each turn, and keeps the threads in which it was asked."""

    def __init__(self, blocking=False):
        self.blocking, self.threads = blocking, []

    def act(self, turns):
        self.threads.append(threading.current_thread())
        return tuple(turn.text for turn in turns)


class Later(Plain):
    async def act(self, turns):
        return Plain.act(self, turns)


class Handed(Plain):
    """Is no coroutine function, and returns a coroutine."""

    def act(self, turns):
        return Later.act(self, turns)


@pytest.mark.parametrize("kind", [Plain, Later, Handed])
@pytest.mark.parametrize("blocking", [False, True])
def test_agents_of_all_kinds_are_asked_alike(kind, blocking):
    here, agent = threading.current_thread(), kind(blocking)
    assert ask_agent(agent, TURNS) == ["one", "two"]
    assert asyncio.run(ask_agent_async(agent, TURNS)) == ["one", "two"]
    assert agent.threads[0] is here
    # only what blocks, and cannot wait, has a thread of its own
    assert (agent.threads[1] is not here) == (blocking and kind is Plain)


def test_there_is_one_reply_for_each_turn():
    class Says(Plain):
        def act(self, turns):
            return self.replies

    agent = Says()
    for agent.replies, kind, told in (
        ("ab", TypeError, "gave a str; expected a list of 2 replies, one for each turn"),
        (["a"], ValueError, "got 2 turns and gave 1 replies"),
    ):
        with pytest.raises(kind, match=told):
            ask_agent(agent, TURNS)
        with pytest.raises(kind, match=told):
            asyncio.run(ask_agent_async(agent, TURNS))


def test_a_name_holds_nothing_that_differs_by_process():
    def act(turns):
        return []

    class Named:
        def __repr__(self):
            return f"Named({self.inside!r})"

    named = Named()
    for named.inside, told in (
        (3, "3"),
        (Plain(), f"{__name__}.Plain"),
        ([Plain(), Later()], f"[{__name__}.Plain, {__name__}.Later]"),
        (act, f"<function {act.__qualname__}>"),
    ):
        assert format_agent_name(named) == f"Named({told})"
