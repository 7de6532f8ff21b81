"""Tasks at screens: solved by who knows the way, hardly by chance, drawn and told alike."""

import contextlib
import pickle
import random

import numpy as np
import pytest
from playable import unless

import gem_ma
from gem_ma import rollout
from gem_ma.envs.coordinates import Coordinates
from gem_ma.envs.screens.families import REGISTER
from gem_ma.envs.screens.game import Screens, reader
from gem_ma.envs.screens.steps import action
from gem_ma.game import InvalidMove
from gem_ma.renderers import THEMES, draw, parse_theme
from gem_ma.renderers.cache import RENDER_CACHE
from gem_ma.renderers.contrast import compute_edge_contrast
from gem_ma.scene import COLORS
from gem_ma.scene.screen import Screen, Widget
from gem_ma.testing import certify, check_env

SAID = random.Random(0)


def started(family, difficulty, seed=0):
    game = Screens(family, difficulty=difficulty)
    return game, game.start(np.random.default_rng(seed), {})


def done(game, state, text):
    return game.advance(state, {"player": game.read(text, state, "player")}, None)


@pytest.mark.parametrize("family", REGISTER)
def test_who_knows_the_way_gets_there(family):
    solved(family, 4)


def solved(family, seeds):
    """Assert that tasks are solved, and that harder ones take more actions."""
    actions = []
    for difficulty in (0, 5, 10):
        found = rollout(f"screens:{family}", "screen-oracle", seeds, seed=0, difficulty=difficulty)
        assert [one.number for one in found if not one.report["done"]] == []
        actions.append(sum(len(one.steps) for one in found) / seeds)
    assert actions[0] < actions[-1]


@pytest.mark.slow
@pytest.mark.parametrize("family", REGISTER)
def test_who_knows_the_way_gets_there_often(family):
    solved(family, 200)


@pytest.mark.slow
@pytest.mark.parametrize("family", REGISTER)
def test_what_is_harder_takes_more(family):
    taken = []
    for difficulty in range(11):
        counts = []
        for seed in range(20):
            game, state = started(family, difficulty, seed)
            while state.to_act():
                state = done(game, state, state.hint("player"))
            counts.append(20 + 8 * difficulty - state.left)
        taken.append(np.mean(counts))
    assert np.corrcoef(ranks(taken), np.arange(11))[0, 1] >= 0.9, taken  # Spearman's


def ranks(values):
    values = np.asarray(values)
    return [(values < one).sum() + (values == one).sum() / 2 for one in values]


@pytest.mark.slow
@pytest.mark.parametrize("look", THEMES)
@pytest.mark.parametrize("family", REGISTER)
def test_pictures_leave_nothing_out(family, look):
    for difficulty in (0, 5, 10):
        env = gem_ma.make(f"screens:{family}", difficulty=difficulty)
        assert certify(env, theme=look, views=40).views >= 40


@pytest.mark.slow
def test_chance_gets_little():
    shares = {}
    for family in REGISTER:
        found = rollout(f"screens:{family}", "random", 100, seed=0, difficulty=5)
        shares[family] = sum(one.report["done"] for one in found) / 100
    assert sum(share <= 0.1 for share in shares.values()) >= 30, shares
    assert max(shares.values()) < 0.5, shares


def test_the_contract_holds():  # of every id: tests/testing/test_env_checker.py, in the long run
    check_env("screens:buttons", seeds=1)


KEYS = (
    "Enter", "Tab", "Escape", "Backspace", "Delete", "Left", "Right", "Up", "Down", "Home", "End",
    "PageUp", "PageDown", "Space", "ctrl+a", "ctrl+c", "ctrl+v", "ctrl+x", "shift+Tab", "x", "7",
)  # fmt: skip
TEXTS = ("", "5", "abc", "-3", "12.5", "ü", "x y", "a\\nb", "ls", "cd ..", "rm x", "=A1", "9" * 30)


def anything(rng, page):
    """Return an action of somebody who does whatever can be done, wherever."""
    one, other = rng.choice(page), rng.choice(page)
    x, y = (min(max(at + rng.randrange(max(by, 1)), 0), 447)
            for at, by in ((one.x, one.w), (one.y, one.h)))  # fmt: skip
    if rng.random() < 0.2:
        x, y = rng.randrange(448), rng.randrange(448)
    to = min(max(other.x + other.w // 2, 0), 447), min(max(other.y + other.h // 2, 0), 447)
    return rng.choice((
        *(f"{verb}({x}, {y})" for verb in ("click", "click", "click", "double_click")),
        *(f"{verb}({x}, {y})" for verb in ("triple_click", "right_click", "hover")),
        f"drag({x}, {y}, {to[0]}, {to[1]})",
        f"scroll({x}, {y}, {rng.choice((-3000, -100, 40, 9999))})",
        f'key("{rng.choice(KEYS)}")',
        f'type("{rng.choice(TEXTS)}")',
    ))  # fmt: skip


def abused(family, actions):
    """Assert that whatever is done at a screen, it goes on, and can be read, drawn and played."""
    for difficulty in (0, 5, 10):
        rng = random.Random(f"{family} {difficulty}")
        game, state = started(family, difficulty)
        for seed in range(actions):
            if state.score is not None:
                game, state = started(family, difficulty, seed)
            state = done(game, state._replace(left=9), anything(rng, state.page))
            assert state.legal("player")
            assert isinstance(state.hint("player") if state.score is None else "", str)
            if seed % 10 == 0:
                game.describe(state, "player")
                draw(game.picture(state, "player"), (448, 448), parse_theme("light"))


@pytest.mark.parametrize("family", REGISTER)
def test_anything_may_be_done(family):
    abused(family, 20)


@pytest.mark.slow
@pytest.mark.parametrize("family", REGISTER)
def test_anything_may_be_done_often(family):
    abused(family, 3000)


@pytest.mark.parametrize("family", REGISTER)
def test_what_is_typed_may_press_many_times(family):
    """Spaces press what has the keyboard, which may be gone after the first, or the task over."""
    for difficulty in (0, 5, 10):
        for tabs in (1, 2, 3, 5, 8):
            game, state = started(family, difficulty)
            for text in ('key("Tab")',) * tabs, ('type("   \\n \\t  \\n")',) * 3:
                for one in text:
                    if state.to_act():
                        state = done(game, state, one)
            assert game.describe(state, "player")


@pytest.mark.parametrize("family", REGISTER)
def test_what_is_drawn_from_the_last_picture_is_what_is_drawn_anew(family):
    game, state = started(family, 6)
    rng = random.Random(2)
    for _ in range(8):
        scene = game.picture(state, "player")
        from_last = draw(scene, (448, 448), parse_theme("light"))
        RENDER_CACHE.clear()
        assert np.array_equal(draw(scene, (448, 448), parse_theme("light")), from_last)
        if not state.to_act():
            break
        legal = state.legal("player")
        text = state.hint("player") if rng.random() < 0.5 else rng.choice(legal)
        state = done(game, state, text)


def reach(game, state, *step):
    """Return the state after all actions that a step takes: a click, or a widget that is set."""
    if step[0] == "click":
        return done(game, state, action(state.page, state.ui, step))
    for _ in range(9):
        if next(one for one in state.page if one.id == step[1]).value == step[2]:
            return state
        state = done(game, state, action(state.page, state.ui, step))
    raise AssertionError(step)


@pytest.mark.parametrize("way", ["reply", "forward"])
def test_who_cancels_a_mail_is_where_it_was_begun(way):
    game, state = started("inbox", 6)
    state = reach(game, state, "click", "mail1")
    field = {"reply": "text", "forward": "to"}[way]
    writing = reach(game, state, "click", way)
    after = reach(game, reach(game, writing, "set", field, "no"), "click", "cancel")
    assert (after.page, after.score) == (state.page, None)
    again = reach(game, after, "click", way)
    assert again.page == writing.page  # of what was written nothing is left


def test_a_filter_shows_what_fits():
    """The figures that are filtered by are read from what is shown without a filter."""
    game, state = started("filtering", 5)
    state = state._replace(left=1000)
    cities = [one.id for one in state.page if one.kind == "check"]
    numbers = {one.id: int(one.text) for one in state.page if one.text.isdecimal()}
    for column in (1, 2, 3, 1):
        state = reach(game, state, "set", "column", column - 1)
        for least in (numbers[f"{cities[0]}-{column}"], numbers[f"{cities[-1]}-{column}"] + 1):
            state = reach(game, state, "set", "least", str(least))
            fitting = [city for city in cities if numbers[f"{city}-{column}"] >= least]
            assert [one.id for one in state.page if one.kind == "check"] == fitting


def test_figures_stand_out_in_every_theme():
    for look in (*THEMES.values(), *map(parse_theme, ("train:3", "train:8", "held-out:5"))):
        for color in COLORS:
            for figure in ("star", "disc"):
                one = Widget("one", "handle", 20, 20, 36, 36, text=figure, tone=color)
                frame = draw(Screen((one,), 80, 80), (80, 80), look)
                plain = draw(Screen((), 80, 80), (80, 80), look)
                assert compute_edge_contrast(frame, (frame != plain).any(2), 2) >= 3, (
                    look.name,
                    color,
                )


def test_where_colours_have_other_names_the_rules_say_so():
    env = gem_ma.make("screens:clicking", observe="image", theme="mono")
    env.reset(seed=0)
    (seat,) = env.possible_agents
    assert "In the picture: red: dark gray; orange: slate gray" in env.rules(seat)
    env = gem_ma.make("screens:clicking", observe="image")
    env.reset(seed=0)
    assert "In the picture" not in env.rules(seat)


def test_a_live_screen_is_small_and_stays_as_it_is():
    for family in REGISTER:
        game, state = started(family, 10)
        before = pickle.dumps(state)
        assert len(before) < 20_000, family
        done(game, state, state.hint("player"))
        assert pickle.dumps(state) == before


def test_what_lies_behind_a_window_can_be_neither_read_nor_used():
    game, state = started("dialogs", 2)
    (button,) = [one for one in state.page if one.id == "behind1"]
    assert button.text not in game.describe(state, "player")
    after = done(game, state, f"click({button.x + 5}, {button.y + 5})")
    assert after.to_act()
    assert after.ui.focus == ""


def test_coordinates_may_be_thousandths():
    game = Screens("buttons", difficulty=0, coordinates="thousand")
    state = game.start(np.random.default_rng(0), {})
    (right,) = [one for one in state.page if one.id == state.model.todo[0]]
    x, y = (
        round((at + size / 2) * 1000 / 448) for at, size in ((right.x, right.w), (right.y, right.h))
    )
    assert done(game, state, f"click({x}, {y})").score == 1.0
    with pytest.raises(InvalidMove, match=r"\(1001, 5\) is not on the screen, which is 1000 wide"):
        game.read("click(1001, 5)", state, "player")


@pytest.mark.parametrize("coordinates", ["pixels", "thousand", "percent", "share"])
def test_texts_and_perfect_users_are_in_the_unit_of_replies(coordinates):
    for width, height in ((448, 448), (896, 896), (1280, 800), (500, 700), (449, 450)):
        points = Coordinates(coordinates, width, height)
        for x in range(448):
            point = points.format_point(x, 447 - x)
            move = reader((), points).read(f"click{point}")
            assert move.at == (x, 447 - x), (width, height, point)
    game = Screens("buttons", difficulty=0, coordinates=coordinates)
    state = game.start(np.random.default_rng(0), {})
    (right,) = [one for one in state.page if one.id == state.model.todo[0]]
    (line,) = [one for one in game.describe(state, "player").splitlines() if right.text in one]
    assert done(game, state, f"click{line.rpartition(' at ')[2]}").score == 1.0
    for name in ("sliders", "scrolling", "marking", "windows", "colors", "guided", "assisted"):
        (episode,) = rollout(f"screens:{name}", "screen-oracle", 1, seed=0, coordinates=coordinates)
        assert set(episode.returns.values()) == {1.0}, name


# A click at x, y in each dialect, as a model writes it.
CLICKS = (
    "click({x:g}, {y:g})",
    '{{"name": "computer", "arguments": {{"action": "left_click", "coordinate": [{x:g}, {y:g}]}}}}',
    '{{"name": "computer_use", "arguments": {{"action": "left_click", "coordinate": [{x:g}, {y:g}]'
    "}}}}",
    '{{"type": "click", "x": {x:g}, "y": {y:g}, "button": "left"}}',
    "Thought: there.\nAction: click(start_box='({x:g},{y:g})')",
)


def find_middle(env, widget):
    """Return where a picture shows a widget: the middle of what changes if it is not there."""
    state = env.match.state
    rest = state._replace(page=tuple(one for one in state.page if one is not widget))
    shown = env.observe("player")["image"]
    without = draw(env.game.picture(rest, "player"), shown.shape[1::-1])
    changed = np.argwhere((shown != without).any(-1))
    return (changed.min(0) + changed.max(0))[::-1] / 2


@pytest.mark.parametrize(
    ("size", "coordinates"),
    [
        unless((number + place) % 3 == 0, size, unit)
        for number, size in enumerate([(448, 448), (896, 896), (1280, 800), (300, 500), 252, "own"])
        for place, unit in enumerate(("pixels", "thousand", "share"))
    ],
)
def test_a_click_on_what_a_picture_shows_hits_it(size, coordinates):
    env = gem_ma.make(
        "screens:buttons", observe="image", image_size=size, coordinates=coordinates, difficulty=0
    )
    env = pickle.loads(pickle.dumps(env))
    for seed in range(4):
        for click in CLICKS:
            env.reset(seed=seed)
            state = env.match.state
            (button,) = [one for one in state.page if one.id == state.model.todo[0]]
            x, y = find_middle(env, button)
            high, wide = env.observe("player")["image"].shape[:2]
            if coordinates == "pixels":
                assert size == "own" or f"{wide} wide and" in env.rules("player")
                x, y = int(x), int(y)
            else:
                whole = {"thousand": 1000, "share": 1}[coordinates]
                x, y = round(x / wide * whole, 3), round(y / high * whole, 3)
            env.step(click.format(x=x, y=y))
            assert env.match.state.score == 1.0, (seed, click, x, y)


def test_a_perfect_user_finds_its_way_in_a_picture_of_any_size():
    for name in ("sliders", "scrolling", "marking", "guided", "assisted"):
        (episode,) = rollout(f"screens:{name}", "screen-oracle", 1, seed=0, image_size=(1280, 800))
        assert set(episode.returns.values()) == {1.0}, name
        assert episode.replay().returns == episode.returns


# What a model says that was trained on a computer tool; each is a click on (100, 200), and so on.
DIALECTS = {
    "ours": (
        "click(100, 200)", "double_click(100, 200)", "drag(100, 200, 30, 40)",
        "scroll(100, 200, 120)", 'type("a \\"b\\"")', 'key("ctrl+a")',
    ),
    "anthropic": (
        '{"name": "computer", "arguments": {"action": "left_click", "coordinate": [100, 200]}}',
        '{"name": "computer", "arguments": {"action": "double_click", "coordinate": [100, 200]}}',
        '{"name": "computer", "arguments": {"action": "left_click_drag", "start_coordinate": '
        '[100, 200], "coordinate": [30, 40]}}',
        '{"name": "computer", "arguments": {"action": "scroll", "coordinate": [100, 200], '
        '"scroll_direction": "down", "scroll_amount": 3}}',
        '{"name": "computer", "arguments": {"action": "type", "text": "a \\"b\\""}}',
        '{"name": "computer", "arguments": {"action": "key", "text": "ctrl+a"}}',
    ),
    "openai": (
        '{"type": "click", "button": "left", "x": 100, "y": 200}',
        '{"type": "double_click", "x": 100, "y": 200}',
        '{"type": "drag", "path": [{"x": 100, "y": 200}, {"x": 30, "y": 40}]}',
        '{"type": "scroll", "x": 100, "y": 200, "scroll_x": 0, "scroll_y": 120}',
        '{"type": "type", "text": "a \\"b\\""}',
        '{"type": "keypress", "keys": ["CTRL", "a"]}',
    ),
    "qwen": (
        '{"name": "computer_use", "arguments": {"action": "left_click", "coordinate": [100, 200]}}',
        '{"name": "computer_use", "arguments": {"action": "double_click", '
        '"coordinate": [100, 200]}}',
        '{"name": "computer_use", "arguments": {"action": "left_click_drag", "from": [100, 200], '
        '"coordinate": [30, 40]}}',
        '{"name": "computer_use", "arguments": {"action": "scroll", "coordinate": [100, 200], '
        '"pixels": -120}}',
        '{"name": "computer_use", "arguments": {"action": "type", "text": "a \\"b\\""}}',
        '{"name": "computer_use", "arguments": {"action": "key", "keys": ["ctrl", "a"]}}',
    ),
    "ui-tars": (
        "Thought: there.\nAction: click(start_box='(100,200)')",
        "Action: left_double(start_box='<|box_start|>(100,200)<|box_end|>')",
        "Action: drag(start_box='(100,200)', end_box='(30,40)')",
        "Action: scroll(start_box='(100,200)', direction='down')",
        "Action: type(content='a \\\"b\\\"')",
        "Action: hotkey(key='ctrl a')",
    ),
}  # fmt: skip


@pytest.mark.parametrize("dialect", DIALECTS)
def test_dialects_say_the_same(dialect):
    game, state = started("typing", 0)
    click, double, drag, scroll, types, key = (
        game.read(text, state, "player") for text in DIALECTS[dialect]
    )
    assert (click.kind, click.at) == ("click", (100, 200))
    assert (double.kind, double.at) == ("double", (100, 200))
    assert (drag.kind, drag.at, drag.to) == ("drag", (100, 200), (30, 40))
    assert (scroll.kind, scroll.at) == ("scroll", (100, 200))
    assert scroll.to[1] > 0
    assert (types.kind, types.text) == ("type", 'a "b"')
    assert (key.kind, key.text) == ("key", "ctrl+a")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("hello", r"expected click\(x, y\)"),
        ("click(e99)", "there is no e99; there are e1"),
        ("click(5)", "expected click"),
        ("click(-4, 5)", "is not on the screen"),
        ('{"action": "click"', "that is no JSON"),
        ('{"action": "fly"}', "no action 'fly'"),
        ('{"action": "left_click", "coordinate": ["a", 2]}', "expected where: two numbers"),
        ('{"action": "left_click", "coordinate": [1e400, 2]}', "expected where: two numbers"),
        ('{"action": "scroll", "coordinate": [1, 2]}', "scroll needs a direction"),
        ('{"action": "key", "text": "hyper+x"}', "no key"),
        ('key("F13")', "no key 'F13'"),
        ("[1, 2]", "one call at a time"),
    ],
)
def test_replies_that_are_none_say_what_would_be(text, told):
    game, state = started("typing", 0)
    with pytest.raises(InvalidMove, match=told):
        game.read(text, state, "player")


def test_nonsense_never_raises_anything_else():
    game, state = started("typing", 3)
    for _ in range(3000):
        text = "".join(SAID.choices("click(){}[]\"'e1,.:-+ \nactiondg0", k=SAID.randrange(40)))
        with contextlib.suppress(InvalidMove):
            state = done(game, state, text)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"family": "nope"}, "family='nope': expected one of"),
        (
            {"family": "buttons", "difficulty": 11},
            "difficulty=11: expected 0 to 10",
        ),
        ({"family": "buttons", "coordinates": "inches"}, "coordinates='inches'"),
        ({"family": "buttons", "look": "new"}, "look='new'"),
    ],
)
def test_wrong_arguments_are_told(arguments, told):
    with pytest.raises(ValueError, match=told):
        Screens(**arguments)
    env = gem_ma.make("screens:buttons")
    with pytest.raises(ValueError, match="difficulty=99"):
        env.reset(seed=0, options={"difficulty": 99})
