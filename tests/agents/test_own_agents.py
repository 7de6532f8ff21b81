"""Agents of one's own: a file or a module stands wherever an agent may be named."""

import re
import sys

import packs
import pytest
from needed import Later

import gem_ma
from gem_ma.agents import AGENT_SPECS, FunctionAgent, assign_agents, load_agent
from gem_ma.cli.main import main
from gem_ma.evaluation.tournament import BadTournament, run_tournament
from gem_ma.rollouts.records import load_episodes

selfplay = Later("gem_ma.training.selfplay")

TTT = "game:TicTacToe-v0"
AGENTS = '''"""Mine."""

from gem_ma.agents import RandomAgent

BOARD = "a text"
lucky = RandomAgent(seed=3)


class Last:
    portable = True

    def __init__(self, skip=0):
        if skip < 0:
            raise ValueError(f"skip={skip}: expected 0 or more")
        self.skip = skip

    def act(self, turns):
        return [turn.legal[-1 - self.skip % len(turn.legal)] for turn in turns]


def first(turn):
    return turn.legal[0]


async def later(turn):
    return turn.legal[0]


def two(turn, more):
    return turn.legal[0]


def _hidden(turn):
    return turn.legal[0]
'''
THERE = "own_agents.py has lucky, Last, first, later"


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own_agents.py").write_text(AGENTS)
    yield tmp_path
    sys.modules.pop("own_agents", None)


def test_what_a_name_in_a_file_may_be():
    lucky, last = load_agent("own_agents.py:lucky"), load_agent("own_agents.py:Last?skip=2")
    assert (lucky.seed, type(last).__name__, last.skip) == (3, "Last", 2)
    assert load_agent("own_agents:Last").skip == 0  # the module can be imported now
    for name in ("first", "later?workers=0", "_hidden"):
        assert isinstance(load_agent(f"own_agents.py:{name}"), FunctionAgent)
    assert load_agent("own_agents.py:first?workers=2").workers == 2
    assert load_agent("own_agents.py:RandomAgent?seed=4").seed == 4
    specs = "o=own_agents.py:Last?skip=1,own_agents.py:first"
    assert assign_agents(specs, "xo") == {
        "x": "own_agents.py:first",
        "o": "own_agents.py:Last?skip=1",
    }


@pytest.mark.parametrize(
    ("spec", "told"),
    packs.present(
        [
            ("own_agents.py", f"agent 'own_agents.py': expected own_agents.py:NAME; {THERE}"),
            ("own_agents.py:nobody", f"own_agents.py has no nobody; {THERE}"),
            (
                "own_agents.py:BOARD",
                "BOARD is a str, expected an agent, a class of agents or a func",
            ),
            ("own_agents.py:two", f"two is a function, expected an agent, .*; {THERE}"),
            (
                "own_agents.py:Last?step=1",
                "expected options such as a=1&b=2 out of skip, got 'step'",
            ),
            ("own_agents.py:lucky?seed=1", "expected no options, got 'seed'"),
            (
                "own_agents.py:Last?skip=-1",
                r"agent 'own_agents.py:Last\?skip=-1': skip=-1: expected",
            ),
            ("other_agents.py:Last", "there is no file other_agents.py"),
            ("json.py:Last", "there is another module named 'json'; rename the file"),
            (
                "own_agentz:Last",
                "no agent 'own_agentz:Last'; there are random, human, search, hf:PATH",
            ),
            ("rule", "did you mean 'rule-user'"),
        ]
    ),
)
def test_what_it_may_not_be(spec, told, here):
    (here / "json.py").write_text("")
    with pytest.raises(ValueError, match=told) as caught:
        load_agent(spec)
    assert "\n" not in str(caught.value)


def test_the_list_names_all_that_works():
    listed = str(AGENT_SPECS).split(", ")
    assert listed[-1] == "FILE.py:NAME"
    for one in listed[:-1]:
        spec = f"{one}{'?' if ':' in one else ':'}no=1".replace("URL", "http://127.0.0.1:9")
        if one in ("user:KIND", "users:POPULATION"):
            spec = f"{one.replace('KIND', 'plain').replace('POPULATION', 'train')}:no=1"
        said = r"expected (no options, got|options such as)"  # so it is known
        with pytest.raises(ValueError, match=said):
            load_agent(spec)


def test_on_the_command_line_and_in_processes(capsys):
    words = [
        "run",
        TTT,
        "--agents",
        "x=own_agents.py:Last?skip=1",
        "--agents",
        "own_agents.py:first",
    ]
    assert main([*words, "--episodes", "2", "--out", "a.jsonl", "--workers", "1"]) == 0
    for episode in load_episodes("a.jsonl"):
        assert episode.agents == {"x": "own_agents.py:Last?skip=1", "o": "own_agents.py:first"}
        assert [step.move for step in episode.steps][:3] == ["7", "0", "6"]
    assert main(["play", TTT, "--agents", "own_agents.py:nobody"]) == 2
    assert THERE in capsys.readouterr().err


@packs.needs("tau", "training")
def test_what_a_file_of_ours_names_is_not_run_unasked(here):
    ours, spec = ("random", "hf:PATH", "nobody", "llm-user:random"), "own_agents.py:first"
    assert not any(map(AGENT_SPECS.runs_own_code, ours))
    theirs = (spec, "own_agents.py", "own_agents:first", f"llm-user:{spec}")
    assert all(map(AGENT_SPECS.runs_own_code, theirs))
    cup = {"matches": 1, "anchors": (), "progress": False}
    run_tournament([TTT], ["random", spec], "cup", **cup)
    with pytest.raises(BadTournament, match=f"{spec} of cup runs code of its own: name this agent"):
        run_tournament([TTT], ["random"], "cup", **cup)
    pool = selfplay.OpponentPool()
    pool.add("mine", spec)
    pool.save("pool.json")
    with pytest.raises(ValueError, match=f"mine='{spec}', which runs code when loaded"):
        selfplay.OpponentPool.load("pool.json")
    assert selfplay.OpponentPool.load("pool.json", {"mine": spec}).names == ("mine",)
    with pytest.raises(ValueError, match=re.escape("add this agent to the pool yourself")):
        selfplay.OpponentPool().load_state_dict(pool.state_dict())
    pool.load_state_dict(pool.state_dict())
    assert pool.agents == {"mine": spec}


def test_a_seat_of_every_view_takes_one():
    env = gem_ma.make_gym(TTT, agent="o", others="own_agents.py:first")
    text, _ = env.reset(seed=0)
    assert "x" in text
