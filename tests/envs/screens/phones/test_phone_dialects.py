"""The two forms of the actions of a phone say the same, and what is none is told."""

import contextlib
import json
import random

import numpy as np
import pytest

import gem_ma
from gem_ma.envs.screens.phones.game import Phones
from gem_ma.game import InvalidMove

PAIRS = [
    ("tap(100, 200)", {"action_type": "click", "x": 100, "y": 200}),
    ("tap(e2)", {"action_type": "click", "index": 2}),
    ("double_tap(100, 200)", {"action_type": "double_tap", "x": 100, "y": 200}),
    ("long_press(e3)", {"action_type": "long_press", "index": "3"}),
    ("back()", {"action_type": "navigate_back"}),
    ("home()", {"action_type": "navigate_home"}),
    ("wait()", {"action_type": "wait"}),
    ('key("Enter")', {"action_type": "keyboard_enter"}),
    ('open_app("clock")', {"action_type": "open_app", "app_name": "Clock"}),
    ('scroll("down")', {"action_type": "scroll", "direction": "down"}),
    ('scroll(e2, "left")', {"action_type": "scroll", "direction": "left", "index": 2}),
    ('answer("so \\"it\\" is")', {"action_type": "answer", "text": 'so "it" is'}),
    ("done()", {"action_type": "status", "goal_status": "complete"}),
    ('type("ab\\n")', {"action_type": "input_text", "text": "ab"}),
]


@pytest.fixture(scope="module")
def position():
    game = Phones("phone-alarm").fit_image(448, 896)
    return game, game.start(np.random.default_rng(0), {})


@pytest.mark.parametrize(("own", "other"), PAIRS)
def test_both_forms_say_the_same(position, own, other):
    game, state = position
    said = [own, json.dumps(other), f"Reason: so.\nAction: {json.dumps(other)}"]
    assert len({game.read(text, state, "player") for text in said}) == 1


def test_a_text_is_typed_into_the_field_that_is_named(position):
    game, state = position
    given = {"action_type": "input_text", "text": "7", "x": 5, "y": 6}
    move = game.read(json.dumps(given), state, "player")
    assert (move.kind, move.at, move.text) == ("input", (5, 6), "7\n")
    move = game.read(json.dumps({**given, "clear_text": True}), state, "player")
    assert move.kind == "replace"


def test_a_form_is_filled_in_as_androidworld_does():
    env = gem_ma.make("screens:phone-wifi", difficulty=0, dialect="android-world", observe="image")
    env.reset(seed=4)
    rules = env.rules("player")
    assert '{"action_type": "click", "x": 100, "y": 200}' in rules
    assert "tap(" not in rules
    assert "448 wide and 896 high" in rules

    def act(**given):
        env.step(f"Reason: it is the next thing.\nAction: {json.dumps(given)}")

    def find(id):
        one = next(one for one in env.match.state.page if one.id == id)
        return {"x": one.x + one.w // 2, "y": one.y + one.h // 2}

    name, password = next(one for one in env.match.state.model.wanted.saved if one[1])
    act(action_type="open_app", app_name="Settings")
    act(action_type="click", **find("open"))
    act(action_type="click", **find(f"net:{name}"))
    act(action_type="input_text", text=password, **find("Settings.?join/password"))  # and Enter
    act(action_type="status", goal_status="complete")
    assert env.rewards["player"] == 1


def test_a_text_replaces_what_a_field_holds():
    env = gem_ma.make("screens:phone-files", difficulty=0, dialect="android-world")
    env.reset(seed=1)
    for _ in range(4):  # to the dialog that renames
        env.step(env.match.state.hint("player"))
        if env.match.state.model.front == "?rename":
            break
    env.step(env.match.state.hint("player"))
    field = next(one for one in env.match.state.page if one.kind == "field")
    given = {"action_type": "input_text", "text": "new.txt", "clear_text": True}
    env.step(json.dumps({**given, "x": field.x + 20, "y": field.y + 20}))
    assert any(name == "new.txt" for _, name in env.match.state.model.data.files)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("hello", r"expected tap\(x, y\)"),
        ("tap(e99)", "there is no e99"),
        ("tap(5)", "expected tap"),
        ("tap(900, 5)", "is not on the screen"),
        ("swipe(1, 2)", "expected tap"),
        ('scroll("aslant")', "expected a direction"),
        ('key("F5")', "no key"),
        ('key("Tab")', "there are Enter, Backspace"),
        ('open_app("Chess")', "no app 'Chess'; there are Phone"),
        ('{"action_type": "click"', "that is no JSON"),
        ('{"action_type": "fly"}', "expected tap"),
        ('{"action_type": "click", "x": "a", "y": 1}', "two numbers"),
        ('{"action_type": "click", "x": 1e400, "y": 1}', "two numbers"),
        ('{"action_type": "input_text", "x": 1, "y": 1}', "type needs a text"),
        ('{"action_type": "scroll"}', "expected a direction"),
        ("[1, 2]", "expected tap"),
    ],
)
def test_replies_that_are_none_say_what_would_be(position, text, told):
    game, state = position
    with pytest.raises(InvalidMove, match=told):
        game.read(text, state, "player")


def test_a_notice_asks_for_the_form_that_was_asked_for():
    env = gem_ma.make("screens:phone-alarm", dialect="android-world", observe="image")
    env.reset(seed=0)
    env.step("tap here")
    assert 'expected a JSON object such as {"action_type": "click"' in env.turn("player").text
    assert "tap(" not in env.turn("player").text


def test_who_says_that_a_task_cannot_be_done_is_wrong():
    for text in ('{"action_type": "status", "goal_status": "infeasible"}', "infeasible()"):
        env = gem_ma.make("screens:phone-alarm")
        env.reset(seed=0)
        env.step(text)
        assert (env.rewards["player"], env.terminations["player"]) == (0, True)


def test_nonsense_never_raises_anything_else(position):
    game, state = position
    rng = random.Random(0)
    for _ in range(1000):
        letters = rng.choices('taplongswipe(){}[]"e1,.:-+ \n_typeacx0', k=rng.randrange(40))
        with contextlib.suppress(InvalidMove):
            game.read("".join(letters), state, "player")


def test_a_dialect_of_desktops_is_refused():
    with pytest.raises(ValueError, match=r"dialect='qwen': expected one of \('android-world',\)"):
        Phones("phone-alarm", dialect="qwen")
    with pytest.raises(ValueError, match="family='buttons': expected one of phone-alarm"):
        Phones("buttons")
