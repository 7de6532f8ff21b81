"""Two at one screen: who knows what is wanted and who clicks, and both at one document."""

import random

import numpy as np
import pytest
from playable import unless
from test_screens import anything

import gem_ma
from gem_ma import rollout
from gem_ma.envs.screens.assisted import Assisted, spoken
from gem_ma.envs.screens.guided import FAMILIES, Guided
from gem_ma.envs.screens.shared import Shared
from gem_ma.game import InvalidMove
from gem_ma.testing import check_env

IDS = ("screens:assisted", "screens:guided", "screens:shared")
RNG = np.random.default_rng(0)


def started(game, seed=0):
    return game.start(np.random.default_rng(seed), {})


def done(game, state, **texts):
    moves = {agent: game.read(text, state.seen_by(agent), agent) for agent, text in texts.items()}
    return game.advance(state, moves, RNG)


@pytest.mark.parametrize("id", IDS)
def test_who_knows_the_way_gets_there(id):
    solved(id, 10)


def solved(id, episodes, **arguments):
    for difficulty in (0, 5, 10):
        found = rollout(id, "screen-oracle", episodes, seed=0, difficulty=difficulty, **arguments)
        assert [one.number for one in found if not one.report["done"]] == []
        assert {reward for one in found for reward in one.returns.values()} == {1.0}


@pytest.mark.slow
@pytest.mark.parametrize("id", IDS)
def test_who_knows_the_way_gets_there_often(id):
    solved(id, 200)


@pytest.mark.slow
def test_every_family_can_be_guided_and_done_for_somebody():
    for family in FAMILIES:
        solved("screens:guided", 40, family=family)
    from gem_ma.envs.screens.families import REGISTER

    for family in REGISTER:
        solved("screens:assisted", 40, family=family)


@pytest.mark.parametrize("id", IDS)
def test_chance_gets_little(id):
    found = rollout(id, "random", 30, seed=0, difficulty=5)
    assert sum(one.report["done"] for one in found) <= 3


@pytest.mark.parametrize("id", [unless(id == "screens:guided", id) for id in IDS])
def test_the_contract_holds(id):
    check_env(id)


@pytest.mark.parametrize("id", IDS)
def test_three_views(id):
    """As AEC, parallel and Gymnasium environments the same seats see the same pictures."""
    env = gem_ma.make(id, observe="both")
    env.reset(seed=3)
    first = env.agent_selection
    picture = env.observe(first)["image"]
    assert picture.shape == (448, 448, 3)
    seat = gem_ma.make_gym(id, agent=first, others="screen-oracle", observe="both")
    seen, _ = seat.reset(seed=3)
    assert np.array_equal(seen["image"], picture)
    if id == "screens:shared":
        parallel = gem_ma.make_parallel(id, observe="both")
        both, _ = parallel.reset(seed=3)
        assert np.array_equal(both[first]["image"], picture)


def test_the_assistant_knows_only_what_it_is_told():
    game = Assisted(family="login")
    state = started(game)
    seen = state.seen_by("assistant")
    words = " ".join(map(str, (seen, game.brief(seen, "assistant"), seen.legal("assistant"))))
    secret = [word for word in state.goal.split() if f'"{word}' in state.goal or '"' in word]
    assert secret
    assert not [word for word in secret if word in words]
    assert state.seen_by("user").inner is None
    state = done(game, state, user="my word is xylophone")
    seen = state.seen_by("assistant")
    assert "xylophone" in game.describe(seen, "assistant")
    assert any("xylophone" in one.text for one in seen.inner.page)  # on the screen too


def test_who_was_told_nothing_asks():
    game = Assisted(family="buttons")
    state = done(game, started(game), user="Hello.")
    assert spoken(state.hint("assistant"))
    state = done(game, state, assistant=state.hint("assistant"))
    assert state.to_act() == ("user",)
    assert state.hint("user") == state.goal


def test_a_user_may_give_up():
    game = Assisted()
    state = done(game, started(game), user="###STOP###")
    assert (state.to_act(), state.returns()) == ((), {"user": 0.0, "assistant": 0.0})


@pytest.mark.parametrize(
    "text",
    ['say("Which one?")', '{"name": "say", "arguments": {"text": "Which one?"}}',
     '{"action": "say", "text": "Which one?"}', "Thought: hm\nAction: say(Which one?)"],
)  # fmt: skip
def test_ways_to_say_something(text):
    assert spoken(text) == "Which one?"


def test_a_long_message_leaves_room_for_the_screen():
    game = Assisted(family="buttons")
    state = done(game, started(game), user="long " * 190)
    assert state.inner.page[0].h < 70
    with pytest.raises(InvalidMove, match="1 to 1000 characters, and not 1200"):
        done(game, state, assistant=f'say("{"x" * 1200}")')


def test_a_helper_can_only_point():
    game = Guided()
    state = started(game)
    for text in ("click(3, 4)", 'type("x")', "point()", "point at the blue one"):
        with pytest.raises(InvalidMove):
            done(game, state, helper=text)
    for text in ("point(30, 40)", '{"action": "point", "coordinate": [30, 40]}'):
        assert done(game, state, helper=text).at == (30, 40)
    seen = done(game, state, helper="point(30, 40)").seen_by("beginner")
    assert "The helper points at (30, 40)" in game.describe(seen, "beginner")
    assert state.goal not in str(seen)
    assert not game.brief(seen, "beginner")


def test_families_that_pointing_cannot_solve_are_refused():
    with pytest.raises(ValueError, match=r"family='typing': expected names with \+ between"):
        gem_ma.make("screens:guided", family="typing")


def test_a_caret_stays_at_its_letters_while_the_other_types():
    game = Shared(difficulty=0)
    state = started(game)
    line = state.now()[0]
    word = line.split()[1]
    at = line.index(word)
    state = done(game, state, first="click(30, 49)", second="click(338, 49)")
    first, second = state.uis
    assert (first.focus, second.focus) == ("line0", "line0")
    assert second.caret == len(line)
    state = done(game, state, first='key("Home")', second="wait()")
    state = done(game, state, first='type("new ")', second='type("!")')
    assert state.now()[0] == f"new {line}!"
    assert at


def test_both_must_be_done_and_right():
    game = Shared(difficulty=0)
    state = started(game)
    button = next(one for one in state.page(0) if one.id == "ready")
    click = f"click({button.x + 5}, {button.y + 5})"
    state = done(game, state, first=click, second="wait()")
    assert state.ready == (True, False)
    assert state.to_act() == ("first", "second")
    state = done(game, state, first="wait()", second=click)
    assert state.to_act() == ()
    assert state.returns() == {"first": 0.0, "second": 0.0}


def test_neither_knows_what_the_other_wants():
    game = Shared(difficulty=10)
    state = started(game)
    for own, other in (("first", 1), ("second", 0)):
        view = state.seen_by(own)
        seen = f"{view} {game.brief(view, own)}".replace('"', "'")
        assert not [new for _, new in state.swaps[other] if f"'{new}'" in seen]


@pytest.mark.parametrize("seed", range(10))
def test_anything_may_be_done_by_both(seed):
    game, rng = Shared(difficulty=seed, limit=200), random.Random(seed)
    state = started(game, seed)
    while state.to_act():
        state = done(game, state, first=anything(rng, state.page(0)),
                     second=anything(rng, state.page(1)))  # fmt: skip
        assert state.legal("first")
        for agent in ("first", "second"):
            assert game.describe(state.seen_by(agent), agent)
            assert state.hint(agent)
