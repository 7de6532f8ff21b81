"""Tasks on a phone: solved by who knows the way, hardly by chance, drawn and told alike."""

import random

import numpy as np
import pytest

import gem_ma
from gem_ma import rollout
from gem_ma.envs.screens.families import PHONES, PHONES_INFEASIBLE, REGISTER
from gem_ma.envs.screens.phones.game import Phones
from gem_ma.renderers import THEMES, draw, parse_theme
from gem_ma.renderers.cache import RENDER_CACHE
from gem_ma.scene import text_metrics
from gem_ma.testing import certify

SIZE = (448, 896)
SIZES = ((448, 896), (896, 896), (448, 448), (720, 1280), (252, 504))


def started(family, difficulty, seed=0, size=SIZE):
    game = Phones(family, difficulty=difficulty).fit_image(*size)
    return game, game.start(np.random.default_rng(seed), {})


def done(game, state, text):
    return game.advance(state, {"player": game.read(text, state, "player")}, None)


def play(family, difficulty, seed=0, size=SIZE):
    """Yield the states on the way of who knows it."""
    game, state = started(family, difficulty, seed, size)
    yield state
    while state.to_act():
        text = game.coordinates.convert_action(state.hint("player"))
        state = done(game, state, text)
        yield state


def test_there_are_twenty_families_and_more_beside_those_of_desktops():
    assert len(PHONES) >= 20
    assert not PHONES.keys() & REGISTER.keys()
    assert {f"screens:{name}" for name in PHONES} <= set(gem_ma.list_envs("screens:phone-*"))


def cut(one):
    """Return whether a widget has no room for its words."""
    bold = one.kind == "title" or one.tone == "bold"
    wide = text_metrics.measure_width(one.text, one.type, bold)
    if one.kind == "button":
        return not one.options and wide > one.w - 8
    if one.kind == "row":
        subtitle, icon, _, right = one.options
        room = one.w - 32 - (54 if icon else 0)
        room -= text_metrics.measure_width(right, 12) + 8 if right else 0
        return max(wide, text_metrics.measure_width(subtitle, 12)) > room
    if one.kind == "app":
        return text_metrics.measure_width(one.text, 12) > one.w
    return one.kind in ("label", "tab", "check") and wide > one.w


def check_order(state):
    """Assert that words have their room, and that all is on the screen or can be scrolled to."""
    wide, high = state.layout.screen
    for one in state.page:
        assert not cut(one), one
        if not one.inside and one.kind not in ("scroll", "pane"):
            assert 0 <= one.x <= wide - one.w, one
            assert 0 <= one.y <= high - one.h, one
    spots = [one for one in state.page if one.kind in ("button", "tab", "field", "app", "cell")]
    spots = [one for one in spots if not one.inside and not one.id.startswith("edit:")]
    for number, one in enumerate(spots):
        for other in spots[number + 1 :]:
            across = min(one.x + one.w, other.x + other.w) - max(one.x, other.x)
            down = min(one.y + one.h, other.y + other.h) - max(one.y, other.y)
            is_apart = any(two.kind == "veil" for two in state.page)
            assert is_apart or min(across, down) <= 1, (one, other)


def solved(family, difficulties, seeds, size=SIZE):
    counts = []
    for difficulty in difficulties:
        taken = []
        for seed in seeds:
            states = list(play(family, difficulty, seed, size))
            assert states[-1].score == 1.0, (family, difficulty, seed, states[-1].goal)
            taken.append(len(states) - 1)
            for state in states:
                check_order(state)
        counts.append(np.mean(taken))
    return counts


@pytest.mark.parametrize("family", PHONES)
def test_who_knows_the_way_gets_there(family):
    counts = solved(family, (0, 10), [0])
    assert counts[0] < counts[-1]


@pytest.mark.slow
@pytest.mark.parametrize("family", PHONES)
def test_who_knows_the_way_gets_there_often(family):
    solved(family, (0, 5, 10), range(200))


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("family", PHONES)
def test_tasks_are_solved_at_every_size(family, size):
    solved(family, (3, 10), range(4), size)


@pytest.mark.slow
@pytest.mark.parametrize("family", PHONES)
def test_what_is_harder_takes_more(family):
    taken = solved(family, range(11), range(20))
    assert np.corrcoef(ranks(taken), np.arange(11))[0, 1] >= 0.9, taken  # Spearman's


def ranks(values):
    values = np.asarray(values)
    return [(values < one).sum() + (values == one).sum() / 2 for one in values]


def count_layouts(family, difficulty):
    pages = [started(family, difficulty, seed)[1].page for seed in range(40)]
    return len({tuple((one.kind, *one[2:6]) for one in page) for page in pages})


@pytest.mark.parametrize("family", ["phone-alarm", "phone-unlock"])
def test_seeds_have_layouts_of_their_own(family):
    assert count_layouts(family, 3) >= 20


@pytest.mark.slow
@pytest.mark.parametrize("family", PHONES)
def test_every_family_has_layouts_by_seed(family):
    assert min(count_layouts(family, difficulty) for difficulty in (3, 6, 10)) >= 20


@pytest.mark.slow
@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("family", PHONES)
def test_pictures_leave_nothing_out(family, theme):
    for difficulty in (0, 5, 10):
        env = gem_ma.make(f"screens:{family}", difficulty=difficulty)
        assert certify(env, theme=theme, views=40).views >= 40


@pytest.mark.slow
def test_chance_gets_little():
    shares = {}
    for family in PHONES:
        found = rollout(f"screens:{family}", "random", 100, seed=0, difficulty=3)
        shares[family] = sum(one.report["done"] for one in found) / 100
    assert max(shares.values()) <= 0.03, shares


def test_who_says_done_at_once_earns_nothing():
    for family in PHONES:
        for difficulty in (0, 5):
            game, state = started(family, difficulty, 1)
            after = done(game, state, "done()")
            assert (after.to_act(), after.score) == ((), 0.0), family


def refuse(family, difficulty, seeds):
    """Assert that tasks that cannot be done are those that say so, and that others can be done."""
    shares = []
    for seed in range(seeds):
        game = Phones(family, difficulty=difficulty, infeasible=0.5).fit_image(*SIZE)
        state = game.start(np.random.default_rng(seed), {})
        shares.append(state.asked is not None)
        plain = started(family, difficulty, seed)[1]
        assert state.goal == plain.goal
        assert (state.model.data != plain.model.data) == shares[-1]
        if shares[-1]:
            assert done(game, state, "done()").score == 0.0
            said = '{"action_type": "status", "goal_status": "infeasible"}'
            assert done(game, state, said).score == 1.0
        while state.to_act():
            state = done(game, state, state.hint("player"))
        assert state.score == 1.0, (family, seed)
        assert game.report(state) == {"done": True, "infeasible": shares[-1]}
    assert 0 < sum(shares) < seeds


@pytest.mark.parametrize("family", PHONES_INFEASIBLE)
def test_some_tasks_cannot_be_done_if_that_is_asked_for(family):
    refuse(family, 3, 9)


@pytest.mark.slow
@pytest.mark.parametrize("difficulty", [0, 5, 10])
@pytest.mark.parametrize("family", PHONES_INFEASIBLE)
def test_some_tasks_cannot_be_done_often(family, difficulty):
    refuse(family, difficulty, 100)


def test_families_whose_tasks_can_all_be_done_say_so():
    with pytest.raises(ValueError, match="all tasks of 'phone-alarm' can be done"):
        Phones("phone-alarm", infeasible=0.1)


def abused(family, actions):
    """Assert that whatever is done on a phone, it goes on, and can be read, drawn and played."""
    for difficulty in (0, 10):
        rng = random.Random(f"{family} {difficulty}")
        game, state = started(family, difficulty)
        for number in range(actions):
            if state.score is not None:
                game, state = started(family, difficulty, number)
            texts = [*state.legal("player"), f"tap({rng.randrange(448)}, {rng.randrange(896)})"]
            x, y = rng.randrange(448), rng.randrange(896)
            texts += [f"swipe({x}, {y}, {rng.randrange(448)}, {rng.randrange(896)})"] * 3
            texts += [f"long_press({x}, {y})", f"double_tap({x}, {y})"] * 2
            texts += ['type("5\\n")', 'type("x")', 'key("Backspace")', "swipe(200, 2, 200, 300)"]
            state = done(game, state._replace(left=9), rng.choice(texts))
            assert isinstance(state.hint("player") if state.score is None else "", str)
            if number % 20 == 0:
                game.describe(state, "player")
                draw(game.picture(state, "player"), SIZE, parse_theme("light"))


@pytest.mark.parametrize("family", PHONES)
def test_anything_may_be_done(family):
    abused(family, 15)


@pytest.mark.slow
@pytest.mark.parametrize("family", PHONES)
def test_anything_may_be_done_often(family):
    abused(family, 2000)


@pytest.mark.parametrize("family", ["phone-photos", "phone-reply"])
def test_what_is_drawn_from_the_last_picture_is_what_is_drawn_anew(family):
    game, state = started(family, 3)
    rng = random.Random(2)
    for _ in range(7):
        scene = game.picture(state, "player")
        from_last = draw(scene, SIZE, parse_theme("light"))
        RENDER_CACHE.clear()
        assert np.array_equal(draw(scene, SIZE, parse_theme("light")), from_last)
        if not state.to_act():
            break
        hint, legal = state.hint("player"), state.legal("player")
        state = done(game, state, hint if rng.random() < 0.6 else rng.choice(legal))


@pytest.mark.parametrize("size", SIZES)
def test_a_tap_on_what_a_picture_shows_hits_it(size):
    env = gem_ma.make("screens:phone-alarm", observe="image", image_size=size)
    env.reset(seed=3)
    state = env.match.state
    shown = env.observe("player")["image"]
    assert shown.shape == (size[1], size[0], 3)
    app = next(one for one in state.page if one.id == "app:Phone")
    rest = state._replace(page=tuple(one for one in state.page if one is not app))
    without = draw(env.game.picture(rest, "player"), size)
    changed = np.argwhere((shown != without).any(-1))
    x, y = (changed.min(0) + changed.max(0))[::-1] // 2
    env.step(f"tap({x}, {y})")
    assert env.match.state.model.app == "Phone"
