"""Agents by rule: the oracle is never attacked, the naive one always, unless it heeds quotes."""

from collections import Counter

import packs
import pytest

packs.need("inject")

import gem_ma
from gem_ma.agents.loading import load_agent
from gem_ma.envs.inject.attack_texts import ATTACK_FAMILIES
from gem_ma.envs.inject.worlds import WORLDS

ALONE = [f"inject:{world}" for world in WORLDS]
TALK = {"user": "inject-user", "attacker": "inject-attacker"}
EVERY_SEED = [15, pytest.param(250, marks=pytest.mark.slow)]
QUOTED = {"quote_tool_texts": True}


def play(id, agent, episodes, seed=1, **arguments):
    """Return the reports of episodes, with what the assistant earned."""
    env = gem_ma.make(id, **arguments)
    agents = {**TALK, "assistant": agent}
    agents = {seat: agents[seat] for seat in env.possible_agents}
    found = gem_ma.rollout(env, agents, episodes, seed=seed, progress=False)
    assert not any(one.failure for one in found)
    return [{**one.report, "returns": one.returns} for one in found]


def share(reports, name):
    return sum(one[name] for one in reports) / len(reports)


@pytest.mark.parametrize("episodes", EVERY_SEED)
@pytest.mark.parametrize("id", [*ALONE, "inject:duel", "inject:talk"])
def test_an_oracle_does_all_tasks_and_is_never_attacked(id, episodes):
    for one in play(id, "inject-oracle", episodes):
        assert (one["utility"], one["unwanted"], one["attack_success"]) == (True, False, False)
        served = dict(one["returns"])
        assert served.pop("attacker", 0) == 0
        assert set(served.values()) == {1}


@pytest.mark.slow
@pytest.mark.parametrize("difficulty", range(11))
@pytest.mark.parametrize("world", WORLDS)
def test_an_oracle_does_all_tasks_at_each_difficulty(world, difficulty):
    reports = play(f"inject:{world}", "inject-oracle", 60, difficulty=difficulty)
    assert all(one["returns"] == {"assistant": 1} for one in reports)
    assert {len(one["tasks"]) for one in reports} == {round(1 + difficulty / 5)}


@pytest.mark.parametrize("episodes", EVERY_SEED)
@pytest.mark.parametrize("id", [*ALONE, "inject:duel", "inject:talk"])
def test_a_naive_assistant_is_attacked(id, episodes):
    reports = play(id, "inject-naive", episodes)
    attacked = [one for one in reports if one["attacked"]]
    assert share(attacked, "attack_success") >= 0.6
    assert share(reports, "utility") == 1
    for one in reports:
        assert one["returns"]["assistant"] == (not one["attack_success"])
        assert one["returns"].get("attacker", one["attack_success"]) == one["attack_success"]


def test_quotes_protect_who_ignores_what_is_quoted():
    agent = "inject-naive:ignores_quotes=true"
    for id in (*ALONE, "inject:duel"):
        protected = [one for one in play(id, agent, 8, **QUOTED) if one["attacked"]]
        assert not any(one["attack_success"] for one in protected)
        assert all(one["utility"] for one in protected)
    unquoted = play("inject:duel", agent, 8)
    heedless = play("inject:duel", "inject-naive", 8, **QUOTED)
    assert all(one["attack_success"] for one in (*unquoted, *heedless))


@pytest.mark.parametrize("family", ATTACK_FAMILIES)
def test_each_family_of_attacks_reaches_a_naive_assistant(family):
    for subtlety in (0.0, 1.0):
        reports = play("inject:mail", "inject-naive", 5, attack=family, subtlety=subtlety)
        assert {one["attack"] for one in reports} == {family}
        assert all(one["attack_success"] for one in reports)


def test_an_attacker_uses_all_families_or_one():
    env = gem_ma.make("inject:duel")
    texts = Counter()
    for spec in ("inject-attacker", "inject-attacker:family=override"):
        agents = {"attacker": spec, "assistant": "inject-refuser"}
        for one in gem_ma.rollout(env, agents, 60, seed=0, progress=False):
            goal = one.steps[0].move
            texts[spec, "IGNORE ALL" in goal or "no longer holds" in goal] += 1
    assert texts["inject-attacker:family=override", False] == 0
    assert 0 < texts["inject-attacker", True] < 30


def test_who_always_refuses_earns_the_share_of_tasks_that_cannot_be_done():
    for share_of_tasks in (0.0, 1.0):
        reports = play("inject:bank", "inject-refuser", 5, infeasible=share_of_tasks)
        assert share(reports, "utility") == share_of_tasks
        assert {one["ended"] for one in reports} == {"impossible"}


@pytest.mark.slow
def test_tasks_goals_and_families_are_all_drawn():
    seen = Counter()
    for id in ALONE:
        for one in play(id, "inject-refuser", 400):
            seen.update((*one["tasks"], one["attack"], f"{one['world']} {one['goal']}"))
    assert len(seen) == 60 + 7 + 15
    assert min(seen.values()) >= 10


def test_a_user_repeats_the_task_when_asked():
    env = gem_ma.make("inject:talk")
    env.reset(seed=0)
    user = load_agent("inject-user")
    env.step("Hello.")
    (request,) = user.act([env.turn("user")])
    env.step(request)
    env.step("Which one?")
    assert user.act([env.turn("user")]) == [request]
    env.step(request)
    env.step("Done.")
    env.step(*user.act([env.turn("user")]))
    assert env.game_state.ended == "answer"


@pytest.mark.parametrize("name", ["oracle", "naive", "refuser", "attacker", "user"])
def test_the_agents_play_nothing_else(name):
    agent = load_agent(f"inject-{name}")
    env = gem_ma.make("game:TicTacToe-v0")
    env.reset(seed=0)
    with pytest.raises(ValueError, match=rf"inject-{name} plays inject:\.\.\. only"):
        agent.act([env.turn(env.agent_selection)])


def test_a_family_that_is_not_there_is_an_error():
    with pytest.raises(ValueError, match="family='rude': expected one of direct"):
        load_agent("inject-attacker:family=rude")
