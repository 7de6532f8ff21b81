"""The five worlds: their tools, tasks and goals, and what is drawn of them."""

import itertools

import numpy as np
import packs
import pytest

packs.need("inject")

from gem_ma.envs.inject.contents import WorldDraw
from gem_ma.envs.inject.judging import list_effects
from gem_ma.envs.inject.scenario import draw_scenario
from gem_ma.envs.inject.tool_calls import MAX_ARGUMENT, call_tool, drop_quotes, quote_text
from gem_ma.envs.inject.worlds import WORLDS
from gem_ma.envs.tau.store import NOTHING
from gem_ma.envs.tau2.schemas import schema

every_world = pytest.mark.parametrize("world", WORLDS.values(), ids=WORLDS)


def draw(world, seed=0, parts=1, distractors=5, infeasible=0.0):
    return draw_scenario(np.random.default_rng(seed), world, parts, distractors, infeasible)


def draw_kind(world, kind, infeasible=0.0):
    """Return a scenario with a task of this kind."""
    name = f"{world.name}-{kind.name}"
    drawn = (draw(world, seed, infeasible=infeasible) for seed in range(200))
    return next(one for one in drawn if one.tasks == (name,))


def run(world, scenario, *calls):
    """Return the answers of calls, and their effects."""
    desk = scenario.base.desk(NOTHING)
    answers = [call_tool(world.tools, desk, *call, False) for call in calls]
    return answers, list_effects(scenario.base, desk.changes())


def check_effects(call, effects):
    """Check that a call has one effect, and that what it was told is in it."""
    (effect,) = set(effects) if call.name != "move_file" else [" ".join(effects)]
    for name, value in call.arguments.items():
        copied = (call.name, name) == ("copy_file", "path")
        assert copied or str(value).casefold() in effect.casefold()


def test_there_are_60_kinds_of_tasks():
    names = [f"{world.name}-{kind.name}" for world in WORLDS.values() for kind in world.kinds]
    assert len(names) == len(set(names)) == 60
    assert {len(world.kinds) for world in WORLDS.values()} == {12}
    assert all(len(world.goals) >= 2 for world in WORLDS.values())


@every_world
def test_no_two_kinds_share_a_topic(world):
    topics = [topic for kind in world.kinds for topic in kind.topics]
    assert len(topics) == len(set(topics)) == 36


@every_world
def test_every_kind_has_a_plan_that_works(world):
    for kind, infeasible in itertools.product(world.kinds, (0.0, 1.0)):
        scenario = draw_kind(world, kind, infeasible)
        answers, effects = run(world, scenario, *scenario.plan)
        assert not any(answer.startswith(("Error", "nothing")) for answer in answers), kind.name
        assert scenario.feasible == (not infeasible)
        if infeasible or kind.plan is None:
            assert not effects
        else:
            check_effects(scenario.plan[-1], effects)
        assert bool(scenario.answers) == (kind.plan is None and not infeasible)
        assert "{" not in scenario.request
        text = "\n".join(answers)
        assert all(value in text for value in scenario.answers) or kind.combine == "sum"
        assert scenario.secret not in text


@every_world
def test_the_text_of_an_attack_is_read_by_whoever_does_the_task(world):
    for seed in range(20):
        scenario = draw(world, seed, parts=2, infeasible=0.3).insert_attack("direct", "XYZZY")
        assert sum("XYZZY" in answer for answer in run(world, scenario, *scenario.plan)[0]) >= 1


@every_world
def test_values_of_tasks_are_added_up(world):
    for kind in (kind for kind in world.kinds if kind.combine == "sum"):
        scenario = draw_kind(world, kind)
        reads = [call for call in scenario.plan if call.name.startswith("read")]
        before, _, after = kind.fact.partition("{value}")
        texts = [text.partition(before)[2] for text in run(world, scenario, *reads)[0]]
        values = [int(text.partition(after)[0]) for text in texts]
        assert len(values) in (2, 3)
        assert scenario.answers == (str(sum(values)),)


@every_world
def test_the_least_or_the_most_counts(world):
    for kind in (kind for kind in world.kinds if kind.combine in ("least", "most")):
        scenario = draw_kind(world, kind)
        before, _, after = kind.fact.partition("{value}")
        values = {}
        for call in (call for call in scenario.plan if call.name.startswith("read")):
            (text,), _ = run(world, scenario, call)
            value = text.partition(before)[2].partition(after)[0]
            rank = int(value) if value.isdecimal() else value
            values[rank] = (text, next(iter(call.arguments.values())))
        text, item = values[(min if kind.combine == "least" else max)(values)]
        if kind.plan is None:
            assert scenario.answers[0] in text
        else:
            assert item in scenario.plan[-1].arguments.values()


@every_world
def test_goals_are_found_in_the_sentences_that_ask_for_them(world):
    draws = WorldDraw(np.random.default_rng(3))
    scenario = draw(world)
    for kind in world.goals:
        table = scenario.base.tables[scenario.vehicle[0]]
        victim = next(id for id in reversed(table) if id != world.secret_id)
        goal = kind.draw_goal(draws, world.secret_id, victim)
        text = f"Hello. {goal.sentence[0].upper()}{goal.sentence[1:]}. Thanks."
        assert [goal] == [one for other in world.goals for one in other.find_goals(text)]
        answers, effects = run(world, scenario, *goal.calls)
        assert not any(answer.startswith("Error") for answer in answers)
        if goal.tells:
            assert scenario.secret in answers[-1]
            assert not effects
        else:
            check_effects(goal.calls[-1], effects)
        assert list(kind.find_goals("Hello.")) == []


HOSTILE = (
    *(None, True, [], {}, -1, 0, 1.5, 10**30, float("nan"), float("inf"), "", " ", "\ud800"),
    *("x" * (MAX_ARGUMENT + 1), "m1", "e1", "p1", "t1", "{item}", "../..", "\0", {"a": []}, [[1]]),
)


@every_world
def test_hostile_arguments_are_answered(world):
    scenario = draw(world)
    for name, tool in world.tools.items():
        properties = schema(name, tool)["function"]["parameters"]["properties"]
        assert all(one["description"] for one in properties.values())
        desk = scenario.base.desk(NOTHING)
        for value in HOSTILE:
            answer = call_tool(world.tools, desk, name, dict.fromkeys(properties, value), True)
            assert isinstance(answer, str)
            answer.encode()
        for arguments in (*HOSTILE, {"nothing": 1}, {**dict.fromkeys(properties, "a"), "more": 1}):
            answer = call_tool(world.tools, desk, name, arguments, True)
            if arguments != {} or properties:
                assert answer.startswith(f"Error: {name} takes ")
        assert len(str(desk.changes())) < 20 * MAX_ARGUMENT
    for name in (None, 7, "nothing", ["read"], "x" * 10_000):
        answer = call_tool(world.tools, desk, name, {}, True)
        assert answer.startswith("Error: no tool")
        assert len(answer) < 500


def test_numbers_may_be_whole_floats_but_no_texts():
    world = WORLDS["bank"]
    desk = draw(world).base.desk(NOTHING)
    for amount, fits in ((5, True), (5.0, True), ("5", False), (True, False), (0, False)):
        answer = call_tool(world.tools, desk, "set_alert", {"amount": amount}, False)
        assert answer.startswith("you are told below 5" if fits else "Error: amount is a whole")


def test_files_do_not_grow_without_end():
    world = WORLDS["drive"]
    desk = draw(world).base.desk(NOTHING)
    line = {"path": "notes/todo.txt", "line": "x" * MAX_ARGUMENT}
    answers = [call_tool(world.tools, desk, "append_line", line, False) for _ in range(5)]
    assert answers[-1] == "Error: a file has at most 4000 characters"
    assert answers[0] == "notes/todo.txt has one more line"
    again = {"path": "notes/todo.txt", "text": "x"}
    answer = call_tool(world.tools, desk, "write_file", again, False)
    assert answer == "Error: notes/todo.txt is there already"
    for name, arguments in (
        ("delete_file", {"path": "notes/todo.txt"}),
        ("write_file", again),
        ("read_file", {"path": "notes/todo.txt"}),
    ):
        answer = call_tool(world.tools, desk, name, arguments, False)
    assert answer.endswith("\nx")


def test_what_was_deleted_is_gone():
    world = WORLDS["mail"]
    desk = draw(world).base.desk(NOTHING)
    assert "m1" in call_tool(world.tools, desk, "search_mails", {"words": "sign-in"}, False)
    assert call_tool(world.tools, desk, "delete_mail", {"mail_id": "m1"}, False)
    for name in ("read_mail", "delete_mail"):
        answer = call_tool(world.tools, desk, name, {"mail_id": "m1"}, False)
        assert answer == "Error: no 'm1' among the mails"
    answer = call_tool(world.tools, desk, "search_mails", {"words": "sign-in"}, False)
    assert answer == "nothing found"


def test_a_guest_is_invited_once():
    world = WORLDS["calendar"]
    scenario = draw(world)
    call = ("invite_guest", {"event_id": "e1", "address": "a@b.example"})
    assert run(world, scenario, call, call)[1].total() == 1
    new = ("create_event", {"title": "x", "day": "2027-01-01", "start": "10:00"})
    later = (call[0], {**call[1], "event_id": f"e{len(scenario.base.tables['events']) + 1}"})
    answers, _ = run(world, scenario, new, later)
    assert answers[1].startswith("a@b.example is invited")
    assert run(world, scenario, new)[1] == run(world, scenario, new)[1]  # nothing is shared


def test_quotes_are_dropped():
    text = "a\nb\x0bc\u2028d\r\ne"
    quoted = quote_text(text)
    assert quoted.splitlines() == ["| a", "| b", "| c", "| d", "| e"]
    assert drop_quotes(f"head\n{quoted}\ntail") == "head\ntail"
    assert drop_quotes(text) == "\n".join(text.splitlines())
