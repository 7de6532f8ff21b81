"""Tasks at screens that cannot be done: only the goal and the page together show which they are."""

import json
import math
import random
import re
from collections import Counter

import numpy as np
import pytest

import gem_ma
from gem_ma import rollout
from gem_ma.envs.screens.dialects import DIALECTS
from gem_ma.envs.screens.families import INFEASIBLE, REGISTER
from gem_ma.envs.screens.game import Screens, family
from gem_ma.game import InvalidMove

NAMED = [name for name in INFEASIBLE if name != "calendar"]  # whose tasks lack a thing by its name
REFUSALS = {  # what a model writes in each dialect
    None: "infeasible()",
    "anthropic": json.dumps({"name": "computer", "input": {"action": "infeasible"}}),
    "openai": json.dumps({"type": "infeasible"}),
    "qwen": '<tool_call>\n{"name": "computer_use", "arguments": {"action": "terminate", '
    '"status": "failure"}}\n</tool_call>',
    "ui-tars": "Thought: There is none.\nAction: call_user()",
}


def some(names, step=5):
    """Return parameters of which most have the mark slow."""
    return [
        pytest.param(name, marks=pytest.mark.slow if number % step else ())
        for number, name in enumerate(names)
    ]


def start(name, seed, infeasible=1.0, **arguments):
    game = Screens(name, infeasible=infeasible, **arguments)
    return game, game.start(np.random.default_rng(seed), {})


def do(game, state, text):
    return game.advance(state, {"player": game.read(text, state, "player")}, None)


def find_missing(state, feasible):
    """Return the name that a goal needs, and that its page does not have."""
    kind = family(state.family)
    (name,) = {*kind.find_needs(feasible.model)} - {*kind.find_needs(state.model)}
    return name


def find_step(state):
    """Return the next step towards the end of the task that the page is one of."""
    return state._replace(asked=None).hint("player")


def list_texts(state):
    """Return all that a page shows beside the goal."""
    for one in state.page:
        if one.id != "goal":
            yield from (one.text, *map(str, one.options), str(one.value))


@pytest.mark.parametrize("name", some(NAMED))
@pytest.mark.parametrize("difficulty", [0, 5, 10])
def test_the_page_lacks_what_the_goal_needs_whatever_is_done(name, difficulty):
    for seed in range(3):
        (game, state), (_, feasible) = (start(name, seed, p, difficulty=difficulty) for p in (1, 0))
        missing = find_missing(state, feasible)
        assert missing in state.goal
        rng = random.Random(seed)
        sought = re.compile(rf"\b{missing}\b")
        for _ in range(40):
            assert not [text for text in list_texts(state) if sought.search(text)]
            if state.score is not None:
                break
            step = find_step(state)
            legal = [one for one in state.legal("player") if not one.startswith(("type", "inf"))]
            state = do(game, state, rng.choice((step, rng.choice(legal))))
        assert not state.score


@pytest.mark.parametrize("difficulty", [0, 5, 10])
def test_a_meeting_cannot_be_put_where_one_is(difficulty):
    for seed in range(5):
        game, state = start("calendar", seed, difficulty=difficulty)
        _, feasible = start("calendar", seed, 0, difficulty=difficulty)
        taken = [slot for _, *slot in feasible.model.wants if tuple(slot) in state.model.busy]
        assert len(taken) == 1
        assert do(game, state, f"click({find_middle(state, taken[0])})").model.slot is None


def find_middle(state, slot):
    one = next(one for one in state.page if one.id == f"slot{slot[0]}-{slot[1]}")
    return f"{one.x + one.w // 2}, {one.y + one.h // 2}"


@pytest.mark.parametrize("name", INFEASIBLE)
def test_the_task_of_the_page_is_not_the_task(name):
    for difficulty in (0, 10):
        game, state = start(name, 0, difficulty=difficulty)
        while state.to_act():
            state = do(game, state, find_step(state))
        assert state.score == 0.0  # so the page is that of a task that can be done


@pytest.mark.parametrize("name", INFEASIBLE)
def test_who_knows_says_so_or_gets_there(name):
    check_oracle(name, 2)


@pytest.mark.slow
@pytest.mark.parametrize("name", INFEASIBLE)
def test_who_knows_says_so_or_gets_there_often(name):
    check_oracle(name, 200)


def check_oracle(name, seeds):
    for difficulty in (0, 5, 10):
        arguments = {"difficulty": difficulty, "infeasible": 0.5}
        found = rollout(f"screens:{name}", "screen-oracle", seeds, seed=0, **arguments)
        assert [one.number for one in found if not one.report["done"]] == []
        for one in found:
            assert one.report["infeasible"] == (one.steps[-1].reply == "infeasible()")


def test_who_always_says_so_earns_the_share_of_tasks_that_cannot_be_done():
    found = rollout("screens:buttons", "screen-refuser", 200, seed=0, infeasible=0.2)
    paid = [one.returns["player"] for one in found]
    assert paid == [float(one.report["infeasible"]) for one in found]
    assert 0.14 < sum(paid) / 200 < 0.26
    assert {len(one.steps) for one in found} == {1}


@pytest.mark.parametrize("name", some(INFEASIBLE, 3))
def test_the_goal_is_the_same_whether_it_can_be_reached_or_not(name):
    for seed in range(3):
        goals = {start(name, seed, share)[1].goal for share in (0, 0.5, 1)}
        assert len(goals) == 1


def test_a_task_that_cannot_be_done_stays_so_at_a_larger_share():
    shares = (0.2, 0.5, 0.8)
    found = [
        [start("links", seed, share)[1].asked is not None for share in shares] for seed in range(40)
    ]
    assert all(one == sorted(one) for one in found)
    assert len({tuple(one) for one in found}) == 4


def learn_words(texts, labels):
    """Return naive Bayes over the words of texts: a function that guesses the label of one."""
    counts = {True: Counter(), False: Counter()}
    for text, label in zip(texts, labels, strict=True):
        counts[label].update(set(text.split()))
    totals = {label: labels.count(label) for label in counts}

    def guess(text):
        scores = {
            label: sum(
                math.log((counts[label][word] + 1) / (totals[label] + 2))
                for word in set(text.split())
            )
            for label in counts
        }
        return scores[True] > scores[False]

    return guess


@pytest.mark.parametrize("read", ["goal", "page"])
def test_neither_the_goal_nor_the_page_tells_which_tasks_cannot_be_done(read):
    texts, labels = [], []
    for name in ("buttons", "typing", "inbox", "cart"):
        for seed in range(200):
            _, state = start(name, seed, 0.5, difficulty=4)
            texts.append(state.goal if read == "goal" else " ".join(list_texts(state)))
            labels.append(state.asked is not None)
    assert 0.42 < measure_accuracy(texts, labels) < 0.58  # chance, and three standard deviations
    leaking = [f"{text} {label}" for text, label in zip(texts, labels, strict=True)]
    assert measure_accuracy(leaking, labels) > 0.75  # it learns


def measure_accuracy(texts, labels):
    """Return how often naive Bayes is right on one half, once it has learned the other."""
    guess = learn_words(texts[::2], labels[::2])
    right = [guess(text) == label for text, label in zip(texts[1::2], labels[1::2], strict=True)]
    return sum(right) / len(right)


@pytest.mark.parametrize("name", some(INFEASIBLE, 7))
def test_pages_have_as_many_widgets(name):
    counts = {
        share: [
            Counter(one.kind for one in start(name, seed, share)[1].page if one.id != "goal")
            for seed in range(30)
        ]
        for share in (0, 1)
    }
    for kind in {kind for one in counts[0] for kind in one}:
        means = [np.mean([one[kind] for one in counts[share]]) for share in (0, 1)]
        assert means[0] == pytest.approx(means[1], rel=0.25, abs=0.5)


@pytest.mark.parametrize("dialect", REFUSALS)
def test_a_model_says_so_in_its_own_form(dialect):
    assert set(REFUSALS) == {None, *DIALECTS}
    for seed in range(6):
        game, state = start("links", seed, 0.5, dialect=dialect)
        state = do(game, state, REFUSALS[dialect])
        assert state.score == float(state.asked is not None)
        assert not state.to_act()


@pytest.mark.parametrize("dialect", REFUSALS)
def test_only_tasks_of_which_some_cannot_be_done_speak_of_it(dialect):
    game, state = start("links", 0, 0.0, dialect=dialect)
    words = game.rules("player") + json.dumps(game.tools("player"))
    assert not re.search("cannot be done|infeasible|terminate|call_user", words)
    assert "infeasible()" not in state.legal("player")
    assert game.report(state) == {"done": False}
    try:
        assert game.read(REFUSALS[dialect], state, "player").kind == "wait"
    except InvalidMove:
        assert dialect not in ("qwen", "ui-tars")
    game, state = start("links", 0, 0.5, dialect=dialect)
    words = game.rules("player") + json.dumps(game.tools("player"))
    assert "cannot be done" in words
    assert re.search("infeasible|terminate.*failure|call_user", words)
    assert "infeasible()" in state.legal("player")


def test_a_family_whose_tasks_can_all_be_done_names_the_others():
    with pytest.raises(ValueError, match=r"'mines' can be done; .* buttons, links, .*, map"):
        gem_ma.make("screens:mines", infeasible=0.1)
    with pytest.raises(ValueError, match=r"infeasible=2: expected a number from 0 to 1"):
        gem_ma.make("screens:buttons", infeasible=2)
    with pytest.raises(ValueError, match=r"infeasible=True: expected a number"):
        gem_ma.make("screens:buttons", infeasible=True)
    assert set(INFEASIBLE) < set(REGISTER)
