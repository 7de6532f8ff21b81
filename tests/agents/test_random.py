"""The random agent: stateless, and decided by the seeds."""

import pytest

from gem_ma import Turn
from gem_ma.agents import (
    RandomAgent,
)


def turn(**fields):
    return Turn(**{"seat": "a", "rules": "r", "observation": {}, "text": "t", **fields})


def test_random_is_stateless_and_decided_by_the_seeds():
    agent, legal = RandomAgent(), tuple("abcdef")
    turns = [turn(legal=legal, seed_numbers=(seed,)) for seed in range(200)]
    replies = agent.act(turns)
    assert replies == agent.act(turns)
    assert agent.act(turns[7:8]) == replies[7:8]
    assert set(replies) == set(legal)
    assert RandomAgent(seed=1).act(turns) != replies
    with pytest.raises(ValueError, match="does not list the legal moves"):
        agent.act([turn()])
