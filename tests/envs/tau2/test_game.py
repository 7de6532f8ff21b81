"""tau2-bench as a game: who reads what, who may do what, and what an episode is worth."""

from __future__ import annotations

import dataclasses
import functools
import json
from collections.abc import Mapping
from dataclasses import replace

import pytest
from playable import unless

import gem_ma
from gem_ma.envs.tau2 import mock_data
from gem_ma.envs.tau2.domain import Action
from gem_ma.envs.tau2.game import Tau2
from gem_ma.testing import check_env

TASKS = [one["id"] for one in mock_data.TASKS]


def call(name, **arguments):
    return json.dumps({"name": name, "arguments": arguments})


def play(task, *replies, **arguments):
    """Return the environment after replies, each (seat, text)."""
    env = gem_ma.make("tau2:mock", **arguments)
    env.reset(seed=0, options={"task": task})
    for seat, text in replies:
        assert env.agent_selection == seat, text
        env.step(text)
    return env


def report(env):
    return env.info(env.possible_agents[0])


def golden(task, **arguments):
    """Play the gold actions, the user's as well, and end."""
    game = Tau2(**arguments)
    found = game.domain.tasks[task]
    actions = found.actions
    replies, seat = [], "user"
    for one in actions:
        if one.seat != seat:
            replies.append((seat, "And now?"))
            seat = one.seat
        replies.append((seat, call(one.name, **one.arguments)))
    if seat == "user":
        replies.append((seat, "Done?"))
    replies.append(("assistant", f"Done. {' '.join(found.communicate)}"))
    return [*replies, ("user", "###STOP###")]


@pytest.mark.parametrize("task", TASKS)
def test_gold_actions_are_paid_and_nothing_is_not(task):
    env = play(task, *golden(task))
    assert report(env)["reward"] == 1.0
    nothing = play(task, ("user", "Hello"), ("assistant", "Goodbye."), ("user", "###STOP###"))
    assert report(nothing)["reward"] == float(task == "taken_off")  # which a judge would decide


@pytest.mark.parametrize(
    "arguments", [{}, unless(False, {"solo": True}), unless(False, {"judge": True})]
)
def test_it_is_an_environment(arguments):
    check_env(gem_ma.make("tau2:mock", **arguments))


def test_each_seat_reads_its_own_calls_only():
    secret = call("dismiss_notification", notification_id="note_1")
    env = play("read_inbox", ("user", secret))
    assert "dismissed" in env.observe("user")["text"]
    env.step("I read it.")
    assert "dismissed" not in env.observe("assistant")["text"]
    assert "I read it." in env.observe("assistant")["text"]
    env.step(call("get_users"))
    assert "Jonas" in env.observe("assistant")["text"]
    env.step("Fine.")
    assert "Jonas" not in env.observe("user")["text"]


CANARY = "canary-7351"


def planted(value, path):
    """Return a value with a canary in every text of it, but for names that code looks up."""
    if isinstance(value, str):
        return f"{value} {CANARY}-{path}"
    if isinstance(value, Mapping):
        return {key: planted(one, f"{path}-{key}") for key, one in value.items()}
    if isinstance(value, tuple):
        return tuple(planted(one, f"{path}-{n}") for n, one in enumerate(value))
    if dataclasses.is_dataclass(value):
        kept = ("seat", "name") if path == "setup" else ("seat",)
        names = [one.name for one in dataclasses.fields(value) if one.name not in kept]
        return replace(
            value, **{one: planted(getattr(value, one), f"{path}-{one}") for one in names}
        )
    return value


def seen(env, seat):
    """Return all that a seat is given before the end."""
    turn = env.turn(seat)
    shown = (turn.rules, turn.text, turn.observation, turn.tools, turn.legal, turn.results)
    return repr((env.observe(seat), env.info(seat), shown, env.game_state.seen_by(seat)))


@pytest.mark.parametrize("task", ["read_inbox", "second_note", "taken_off", "going_on"])
def test_nothing_of_the_task_reaches_the_assistant(task):
    """A canary stands in every text of the task, and in what only the user's tools show."""
    env = gem_ma.make("tau2:mock")
    game = env.game
    found = game.domain.tasks[task]
    fields = {one.name for one in dataclasses.fields(found)} - {"id", "setup", "history"}
    hidden = {one: planted(getattr(found, one), one) for one in fields}
    note = Action(
        "user",
        "add_notification",
        {"notification_id": "note_7", "message": f"{CANARY}-inbox", "task_id": None},
    )
    hidden |= {"setup": (*found.setup, note), "user_tools": ("check_notifications",)}
    other = replace(found, **hidden)
    game.domain.tasks[task] = other
    try:
        game.domain.kept.clear()
        env.reset(seed=0, options={"task": task})
        assert CANARY in seen(env, "user")
        look = call("check_notifications")
        replies = [look, "Hello.", call("get_users"), "What is it?", "Nothing."]
        for reply in replies:
            assert CANARY not in seen(env, "assistant")
            env.step(reply)
            if "check_notifications" in reply:
                assert f"{CANARY}-inbox" in seen(env, "user")
        assert CANARY not in seen(env, "assistant")
    finally:
        game.domain.tasks[task] = found
        game.domain.kept.clear()


def test_alone_the_assistant_has_the_tools_of_both_and_ends_with_done():
    env = play("done_chore", solo=True)
    assert env.possible_agents == ["assistant"]
    assert "mark it as completed" in str(env.observe("assistant"))
    tools = {one["function"]["name"] for one in env.match.game.tools("assistant")}
    assert {"create_task", "check_notifications", "done"} <= tools
    env.step("Hello?")
    assert "there is nobody to talk to" in env.infos["assistant"]["invalid"]["reason"]
    env.step(call("check_notifications"))
    env.step(call("update_task_status", task_id="task_1", status="completed"))
    env.step(call("done"))
    assert report(env)["reward"] == 1.0
    assert report(env)["ended"] == "done"


@pytest.mark.parametrize(("verdict", "reward"), [("[true]", 1.0), ("[false]", 0.0)])
def test_a_judge_has_a_seat(verdict, reward):
    env = play("taken_off", *golden("taken_off"), judge=True)
    assert env.agent_selection == "judge"
    assert "1. The assistant did not say" in str(env.observe("judge"))
    env.step("maybe")
    assert "a JSON list of 1 times true or false" in env.infos["judge"]["invalid"]["reason"]
    env.step(verdict)
    assert report(env)["reward"] == reward
    assert report(env)["nl_assertions"] == [reward == 1.0]
    assert "not_judged" not in report(env)


def test_without_a_judge_the_report_says_what_is_not_judged():
    env = play("taken_off", *golden("taken_off"))
    assert report(env)["not_judged"] == ["NL_ASSERTION"]


@pytest.mark.parametrize("stop", ["###STOP###", "###TRANSFER###", "So: ###OUT-OF-SCOPE###"])
def test_the_user_ends_it(stop):
    env = play("new_chore", ("user", stop))
    assert report(env)["ended"] == "user"


def test_limits_of_steps_and_errors():
    env = play("new_chore", ("user", "Hello"), ("assistant", "Hi"), max_steps=2)
    assert report(env)["ended"] == "limit"
    assert report(env)["reward"] == 0.0
    wrong = call("dismiss_notification", notification_id="note_9")
    env = play("new_chore", ("user", wrong), ("user", wrong), max_errors=2)
    assert report(env)["ended"] == "errors"


def test_a_diagnosis_names_records_actions_and_seats():
    other = call("create_task", user_id="user_1", title="Buy milk")
    env = play(
        "new_chore", ("user", "Bread, please"), ("assistant", other), ("assistant", "Done."),
        ("user", "###STOP###"),
    )  # fmt: skip
    assert report(env)["basis"] == ["DB", "COMMUNICATE"]
    found = report(env)["diagnosis"]
    assert found["records"] == [
        {
            "table": "tasks",
            "id": "task_3",
            "gold": {"title": "Buy bread"},
            "reached": {"title": "Buy milk"},
        }
    ]
    (action,) = found["actions"]
    assert action["instead"]["title"] == "Buy milk"
    assert found["seats"] == ["assistant"]
    unread = play("read_inbox", ("user", "Hello"), ("assistant", "Bye"), ("user", "###STOP###"))
    assert report(unread)["diagnosis"]["seats"] == ["assistant", "user"]
    assert [one["name"] for one in report(unread)["diagnosis"]["assertions"]] == [
        "assert_notification_status",
        "assert_task_status",
    ]


def test_a_talk_that_has_begun_goes_on():
    env = play("going_on")
    assert env.agent_selection == "user"
    assert "task_3" in env.observe("user")["text"]
    assert "create_task" not in env.observe("user")["text"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"domain": "nope"}, "no domain 'nope'; there are"),
        ({"split": "nope"}, "mock has no split 'nope'; it has base"),
        ({"faults": 3}, "domain 'mock' does not take faults; it takes original"),
    ],
)
def test_wrong_arguments_say_what_would_work(arguments, words):
    with pytest.raises(ValueError, match=words):
        Tau2(**arguments)


@pytest.mark.parametrize("task", [99, -1, "nope", 1.5])
def test_wrong_tasks_say_what_would_work(task):
    with pytest.raises(ValueError, match="expected 0 to 7, or an id such as 'new_chore'"):
        play(task)


def test_a_task_by_its_place_and_by_its_id():
    assert play(1).match.state.task == play("done_chore").match.state.task


DEEP = functools.reduce(lambda inner, _: [inner], range(60), 1)


@pytest.mark.parametrize("arguments", [[], {"x": 1 << 4200}, {"x": DEEP}])
def test_arguments_of_any_kind_are_answered(arguments):
    world = Tau2().domain.world()
    answer, failed = world.call("assistant", "create_task", arguments)
    assert failed
    assert answer.startswith("Error: the arguments of create_task are")


def test_hashes_on_request():
    env = play("new_chore", *golden("new_chore"), hashes=True)
    assert {len(report(env)[f"{seat}_hash"]) for seat in ("assistant", "user")} == {64}
