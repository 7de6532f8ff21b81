"""Records played again under another reward: what changes, what does not fit, and the ranking."""

import json
from dataclasses import replace

import packs
import pytest

import gem_ma
from gem_ma.agents import MixtureAgent, ScriptedAgent
from gem_ma.cli.main import main
from gem_ma.evaluation.rescoring import rescore


@pytest.fixture(scope="module")
def lakes():
    """Episodes of two players of one game: one that knows the way, one that does not always."""
    return [
        episode
        for who in ("search", MixtureAgent.epsilon("search", 0.5), "random")
        for episode in gem_ma.rollout("game:FrozenLake-v0", who, 30, seed=1, progress=False)
    ]


def test_the_same_reward_changes_nothing(lakes):
    told = rescore(lakes, {})
    assert not told.unfit_episodes
    assert [dict(one.returns) for one in told.episodes] == [one.returns for one in lakes]
    assert told.rank_correlation == 1.0
    for row in told.rows:
        assert row.before == row.after
        assert row.change.value == 0
    assert "nan" not in str(told)


def test_another_reward():
    says = ScriptedAgent(["nonsense", *map(str, range(9))])
    played = gem_ma.rollout(
        "game:TicTacToe-v0", {"x": says, "o": "random"}, 5, seed=0, progress=False
    )
    told = rescore(played, {"penalty": 0.25})
    for one in told.episodes:
        invalid = sum(bool(step.invalid) for step in one.episode.steps if step.agent == "x")
        assert invalid
        assert one.returns["x"] == one.episode.returns["x"] - 0.25 * invalid
        assert one.returns["o"] == one.episode.returns["o"]
    (row,) = [row for row in told.rows if row.agent == "random"]
    assert row.change.value == 0


def test_a_function_pays(lakes):
    told = rescore(lakes, lambda episode: {"player": -len(episode.steps)})
    ranks = {row.agent: (row.place_before, row.place_after) for row in told.rows}
    assert ranks["search"] == (1, 1)
    assert ranks["random"] == (3, 2)  # it falls through the ice sooner
    assert told.rank_correlation < 1
    assert "place 3 to 2" in str(told)


def test_what_does_not_fit_is_left_out(lakes):
    told = rescore(lakes, {"max_turns": 6})
    assert told.unfit_episodes
    assert len(told.unfit_episodes) < len(lakes)
    assert {one.why.partition(" after")[0] for one in told.unfit_episodes} == {
        "the episode now ends"
    }
    assert sum(row.episodes for row in told.rows) == len(lakes) - len(told.unfit_episodes)
    assert "left out: " in str(told)
    holes = rescore(lakes, {"holes": 0.0})
    assert "the episode now continues after its last step" in {
        one.why for one in holes.unfit_episodes
    }


@packs.needs("tau")
def test_graders_of_tasks():
    """A task of TAU-bench, whose user is paid otherwise."""
    agents = {"user": "rule-user", "assistant": "informed-assistant"}
    played = gem_ma.rollout("tau:shop", agents, 4, seed=0, progress=False)
    told = rescore(played, {"user_reward": {"task": 1.0}})
    for one in told.episodes:
        assert one.returns["user"] == one.episode.report["reward"]
        assert one.returns["assistant"] == one.episode.returns["assistant"]


def test_the_command(lakes, tmp_path, capsys):
    path = tmp_path / "lakes.jsonl"
    gem_ma.save_episodes(lakes, path)
    assert main(["rescore", str(path), "--set", "max_turns=6"]) == 0
    said = capsys.readouterr().out
    assert "game:FrozenLake-v0:" in said
    assert "Kendall's tau" in said
    assert main(["rescore", str(path), "--set", "max_turns=6", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert {row["agent"] for row in told["rows"]} >= {"search", "random"}
    assert told["left_out"]
    assert main(["rescore", str(path)]) == 2
    assert "got no argument to change" in capsys.readouterr().err
    assert main(["rescore", str(path), "--set", "max_turn=6"]) == 2
    assert "did you mean 'max_turns'" in capsys.readouterr().err


def test_records_of_an_own_game_need_trust(lakes, tmp_path, capsys):
    path, spec = tmp_path / "own.jsonl", lakes[0].spec
    own = replace(spec, id="lake.py:Lake", entry_point=spec.entry_point)
    gem_ma.save_episodes([replace(lakes[0], spec=own)], path)
    assert main(["rescore", str(path), "--set", "max_turns=6"]) == 2
    assert "no environment 'lake.py:Lake' is registered here" in (said := capsys.readouterr().err)
    assert "--trust does so" in said
    assert main(["rescore", str(path), "--set", "max_turns=6", "--trust"]) == 0
