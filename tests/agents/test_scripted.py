"""Scripts: read in order, and where they end."""

import pickle

import pytest

from gem_ma import Turn
from gem_ma.agents.scripted import ScriptedAgent
from gem_ma.rollouts.rollout import rollout


def turn(**fields):
    return Turn(**{"seat": "a", "rules": "r", "observation": {}, "text": "t", **fields})


def again(agent):
    return pickle.loads(pickle.dumps(agent))


def test_a_script_is_read_in_order():
    agents = {"x": ScriptedAgent(["0", "1", "2"]), "o": ScriptedAgent({"o": ["3", "4"]})}
    (episode,) = rollout("game:TicTacToe-v0", agents, seed=1)
    assert [step.reply for step in episode.steps] == list("03142")
    assert episode.returns == {"x": 1, "o": -1}
    same = again(agents["o"])
    assert repr(same) == "ScriptedAgent({'o': ['3', '4']})"
    assert same.act([turn(seat="o", index=1), turn(seat="o")]) == ["4", "3"]


def test_a_script_says_where_it_ends():
    with pytest.raises(ValueError, match=r"a is to give reply number 3, .* has 2; pass a longer"):
        ScriptedAgent(["p", "q"]).act([turn(index=2)])
    with pytest.raises(ValueError, match="no script for a; there are scripts for b"):
        ScriptedAgent({"b": ["p"]}).act([turn()])
    with pytest.raises(TypeError, match="a list of replies, got the text 'pq'"):
        ScriptedAgent("pq")
    with pytest.raises(TypeError, match="a list of replies, got the text 'pq'"):
        ScriptedAgent({"a": "pq"})
