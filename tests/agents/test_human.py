"""People in seats: how they complete moves, and what they read."""

import pickle
import sys

import numpy as np
import pytest

import gem_ma
from gem_ma import Turn
from gem_ma.agents.human import HumanAgent, enable_completion, make_completer
from gem_ma.chat.messages import Picture


def turn(**fields):
    return Turn(**{"seat": "a", "rules": "r", "observation": {}, "text": "t", **fields})


def again(agent):
    return pickle.loads(pickle.dumps(agent))


def test_a_person_can_complete_legal_moves():
    complete = make_completer(("Raise to 5", "raise to 10", "fold"))
    assert [complete("ra", i) for i in range(3)] == ["Raise to 5", "raise to 10", None]
    assert [complete("fo", i) for i in range(2)] == ["fold", None]
    assert [complete("", i) for i in range(4)] == ["Raise to 5", "raise to 10", "fold", None]


def test_completion_leaves_readline_as_it_was():
    readline = pytest.importorskip("readline")

    def mine(text, number):
        return None

    before = readline.get_completer()
    readline.set_completer(mine)
    delims = readline.get_completer_delims()
    try:
        with enable_completion(("fold", "call")):
            assert readline.get_completer()("c", 0) == "call"
            assert readline.get_completer_delims() == ""
        assert readline.get_completer() is mine
        assert readline.get_completer_delims() == delims
    finally:
        readline.set_completer(before)


def test_completion_does_without_readline(monkeypatch):
    monkeypatch.setitem(sys.modules, "readline", None)
    with enable_completion(("fold",)):
        pass


def test_a_person_reads_words_where_there_is_only_a_picture(monkeypatch, capsys):
    monkeypatch.setattr("builtins.input", lambda prompt: prompt)
    picture = Picture(np.zeros((2, 2, 3), np.uint8), "a black square")
    seen = turn(observation={"image": picture}, text="", legal=("0",))
    assert HumanAgent().act([seen]) == ["a> "]
    assert capsys.readouterr().out == "r\n\na black square\n(0)\n"
    env = gem_ma.make("game:TicTacToe-v0", observe="both")
    env.reset(seed=1)
    HumanAgent().act([env.turn("x")])
    assert capsys.readouterr().out.count("0 1 2\n3 4 5\n6 7 8") == 1
    assert HumanAgent.blocking
    assert repr(again(HumanAgent())) == "HumanAgent()"
