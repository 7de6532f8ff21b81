"""tau2:phone: tasks from a seed that its gold actions solve, and the players of telecom."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
import tau2_references as references

import gem_ma
from gem_ma import rollout
from gem_ma.envs.tau.agents.users.phrases import compile_phrases
from gem_ma.envs.tau2 import scoring
from gem_ma.envs.tau2.telecom.phone import COMPLAINTS, FAULTS, Phone

HARD = {"faults": (4, 6), "misleading": 4, "lines": 5, "world": 3}
PLAYERS = {"user": "rule-user", "assistant": "informed-assistant"}


@pytest.mark.parametrize("arguments", [{}, {"faults": 1, "misleading": 0, "lines": 1}, HARD])
def test_gold_actions_solve_every_task_and_nothing_does_not(arguments):
    domain = Phone(**arguments)
    for number in range(334):
        task = domain.task(number)
        begun, wanted = scoring.begin(domain, task), scoring.gold(domain, task)
        world, calls = domain.world(begun), []
        for one in task.actions:
            answer, failed = world.call(one.seat, one.name, one.arguments)
            assert not failed, answer
            calls.append((one.seat, one.name, one.arguments))
        done = scoring.judge(domain, task, wanted, world.changes(), calls, [])
        assert done["reward"] == 1.0, (number, done)
        assert scoring.judge(domain, task, wanted, begun, [], [])["reward"] == 0.0, number


def test_a_number_is_a_task_in_every_process():
    code = (
        "from gem_ma.envs.tau2.telecom.phone import Phone\n"
        "print([Phone(2).task(number) for number in range(9)])"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == str([Phone(2).task(number) for number in range(9)])
    assert Phone(1).task(0) != Phone(2).task(0)


def test_difficulty_is_what_was_asked_for():
    tasks = [Phone(faults=6, misleading=0).task(number) for number in range(60)]
    assert {len(task.assertions) for task in tasks} >= {1, 2}
    assert all(
        any(one.reason.split()[-1].strip(".") in task.scenario for one in COMPLAINTS)
        for task in tasks
    )
    easy = [Phone(faults=1, misleading=0).task(number) for number in range(60)]
    assert max(len(task.actions) for task in easy) <= 4 < max(len(task.actions) for task in tasks)
    lines = Phone(lines=5).base.tables["lines"]
    assert len(lines) == 5 * len(Phone(lines=5).base.tables["customers"])
    assert len({one["phone_number"] for one in lines.values()}) == len(lines)


@pytest.mark.parametrize("arguments", [{}, HARD])
def test_the_user_by_rule_and_the_assistant_by_the_workflow_solve_it(arguments):
    env = gem_ma.make("tau2:phone", **arguments)
    options = [{"task": number} for number in range(60)]
    episodes = rollout(env, PLAYERS, 60, seed=0, options=options)
    assert sum(one.report["reward"] for one in episodes) >= 59


def test_the_oracle_has_the_user_play_the_gold_actions_too():
    players = {"user": "rule-user", "assistant": "oracle-assistant"}
    episodes = rollout("tau2:phone", players, 40, seed=0)
    assert all(one.report["reward"] == 1.0 for one in episodes)


def test_users_tell_the_same_whether_their_phone_can_be_mended_or_not():
    for number in range(40):
        tasks = [Phone(infeasible=share).task(number) for share in (0, 0.5, 1)]
        assert len({(task.scenario, task.ticket) for task in tasks}) == 1
        assert tasks[0] == Phone().task(number)
        assert tasks[2].transfer
        assert len(tasks[0].setup) == len(tasks[2].setup)  # as many things are wrong
    shares = [[Phone(infeasible=share).task(n).transfer for share in (0.2, 0.8)] for n in range(40)]
    assert {tuple(one) for one in shares} == {(False, False), (False, True), (True, True)}


def is_there(fault, task):
    """Return whether the setup of a task causes a fault."""
    return all(
        any(one.name == name and fits(one.arguments, given) for one in task.setup)
        for _, name, given in FAULTS[fault].broken
    )


def fits(arguments, given):
    return all(arguments[name] == one or str(one)[:1] == "{" for name, one in given.items())


@pytest.mark.parametrize("arguments", [{}, HARD])
def test_what_mends_all_else_does_not_mend_what_cannot_be_mended(arguments):
    for number in range(60):
        twin = Phone(**arguments).task(number)
        for share in (0, 1):
            domain = Phone(infeasible=share, **arguments)
            task = domain.task(number)
            world = domain.world(scoring.begin(domain, task))
            steps = [one for name in FAULTS if is_there(name, task) for one in FAULTS[name].mended]
            for one in twin.actions:
                if any(one.name == name and fits(one.arguments, by) for _, name, by in steps):
                    world.call(one.seat, one.name, one.arguments)
            assert all(scoring.holds(world, one) for one in twin.assertions) is not bool(share)


@pytest.mark.parametrize(
    ("assistant", "earned"),
    [
        ("oracle-assistant", [1.0, 1.0]),
        ("informed-assistant", [1.0, 1.0]),
        ("transfer-assistant", [0.0, 1.0]),
    ],
)
def test_who_hands_everybody_over_earns_the_share_that_cannot_be_mended(assistant, earned):
    players = {"user": "rule-user", "assistant": assistant}
    for share, reward in zip((1e-9, 1.0), earned, strict=True):
        episodes = rollout("tau2:phone", players, 12, seed=0, infeasible=share)
        assert {one.report["reward"] for one in episodes} == {reward}
        for one in episodes:
            assert one.report["ended"] == "user"
            assert one.report["infeasible"] is (share == 1)
    if assistant == "transfer-assistant":  # where all can be mended, nobody has to be handed over
        episodes = rollout("tau2:phone", players, 2, seed=0, infeasible=1e-9)
        assert all("assistant" in one.report["diagnosis"]["seats"] for one in episodes)


def test_a_handover_besides_a_solution_earns_nothing():
    env = gem_ma.make("tau2:phone", solo=True, infeasible=0.5)
    for number in range(8):
        env.reset(seed=0, options={"task": number})
        task = env.game_state.task
        handover = {"name": "transfer_to_human_agents", "arguments": {"summary": "x"}}
        for one in (*task.actions, handover):
            call = handover if one is handover else {"name": one.name, "arguments": one.arguments}
            env.step(json.dumps({**call, "arguments": dict(call["arguments"])}))
        env.step('{"name": "done", "arguments": {}}')
        assert env.info("assistant")["reward"] == float(task.transfer), number


def test_a_user_cannot_hand_itself_over():
    domain = Phone(infeasible=1)
    task = domain.task(0)
    begun, wanted = scoring.begin(domain, task), scoring.gold(domain, task)
    for seat, reward in (("user", 0.0), ("assistant", 1.0)):
        calls = [(seat, "transfer_to_human_agents", {"summary": "x"})]
        assert scoring.judge(domain, task, wanted, begun, calls, [])["reward"] == reward


@references.needed
@pytest.mark.parametrize("split", ["small", pytest.param("train", marks=pytest.mark.slow)])
def test_they_solve_telecom(split):
    env = gem_ma.make("tau2:telecom", split=split)
    many = len(env.game.ids)
    options = [{"task": number} for number in range(many)]
    episodes = rollout(env, PLAYERS, many, seed=0, options=options)
    assert sum(one.report["reward"] for one in episodes) >= 0.95 * many


def test_the_user_does_what_it_is_told_and_says_what_it_sees():
    env = gem_ma.make("tau2:phone", faults=1, misleading=0)
    (episode,) = rollout(env, PLAYERS, 1, seed=0, options=[{"task": 3}])
    replies = [step.reply for step in episode.steps if step.agent == "user"]
    assert replies[0].startswith("H")
    assert any(word in replies[0] for word in ("MMS", "mobile data", "Service"))
    assert any(one.startswith('{"name": "') for one in replies)
    assert any("Status Bar: " in one for one in replies)
    assert replies[-1] == "###STOP###"


def talk_on_the_phone(user, *heard):
    """Return what a user says and calls, first and after each of these messages."""
    left = list(heard)
    players = {"user": user, "assistant": lambda turn: left.pop(0) if left else "Hm."}
    (episode,) = rollout("tau2:phone", players, 1, seed=0, options={"task": 3}, max_turns=12)
    replies = [step.reply for step in episode.steps if step.agent == "user"]
    return [json.loads(one)["name"] if one.startswith("{") else one for one in replies]


def test_the_user_delays_an_action_and_does_it_when_it_is_asked_again():
    ask = "Please restart your phone."
    for trait, phrase in (("overclaiming", "claim"), ("reluctant", "refuse")):
        _, delay, call, result, *_ = talk_on_the_phone(f"user:plain:{trait}=1", ask, ask)
        assert compile_phrases(phrase).fullmatch(delay)
        assert (call, "Status Bar" in result) == ("reboot_device", True)
    look = "Please look at your status bar."
    for trait in ("overclaiming", "reluctant"):  # there is nothing to claim or to refuse
        assert talk_on_the_phone(f"user:plain:{trait}=1", look)[1] == "check_status_bar"
    replies = talk_on_the_phone("user:plain:returning=1", look, "Take your time.")
    assert replies[2] == "check_status_bar"
    assert compile_phrases("back").search(replies[3])


def test_the_user_does_half_of_an_instruction_and_the_rest_when_it_is_asked_again():
    ask = "Please look at your status bar, run a speed test and restart your phone."
    replies = talk_on_the_phone("user:plain:partial=1", ask, ask)
    calls = [one for one in replies if "_" in one and " " not in one]
    assert calls == ["check_status_bar", "run_speed_test", "reboot_device"]
    assert [replies.index(one) for one in calls] == [1, 2, 4]


@pytest.mark.parametrize("count", [10, pytest.param(300, marks=pytest.mark.slow)])
def test_the_workflow_asks_again_until_the_phone_shows_it(count):
    """A user that claims what it did not do costs turns, and no success."""
    options = [{"task": number} for number in range(count)]
    for user in ("user:bluffing", "user:contrary", "user:scattered"):
        players = {**PLAYERS, "user": user}
        episodes = rollout("tau2:phone", players, count, seed=0, options=options)
        assert sum(one.report["reward"] for one in episodes) >= 0.98 * count


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"faults": 0}, "faults=0: expected a whole number from 1 to 6"),
        ({"faults": (3, 2)}, "most faults=2: expected a whole number from 3 to 6"),
        ({"lines": 20}, "lines=20: expected a whole number from 1 to 9"),
        ({"misleading": -1}, "misleading=-1: expected"),
        ({"world": 1.5}, "world=1.5: expected"),
        ({"infeasible": 1.5}, "infeasible=1.5: expected a number from 0 to 1"),
    ],
)
def test_wrong_difficulty_says_what_would_work(arguments, words):
    with pytest.raises(ValueError, match=words.replace("(", r"\(")):
        gem_ma.make("tau2:phone", **arguments)


def test_wrong_tasks_say_what_would_work():
    with pytest.raises(ValueError, match="task=-1: expected a whole number of at least 0"):
        gem_ma.make("tau2:phone").reset(options={"task": -1})


def test_alone_an_assistant_mends_the_phone_itself():
    env = gem_ma.make("tau2:phone", solo=True, faults=1, misleading=0)
    for number in range(6):
        env.reset(seed=0, options={"task": number})
        for one in env.game_state.task.actions:
            env.step(json.dumps({"name": one.name, "arguments": dict(one.arguments)}))
        env.step('{"name": "done", "arguments": {}}')
        assert env.info("assistant")["reward"] == 1.0, number
