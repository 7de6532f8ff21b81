"""A kitchen for two: every step beside rules written a second time, cooks by rule, the clock."""

import re
from dataclasses import replace

import numpy as np
import pytest
from cooking import Pair
from game_contract import compare_encoding

import gem_ma
from gem_ma import InvalidMove
from gem_ma.chat.reply import Reply
from gem_ma.envs.worlds import layouts
from gem_ma.envs.worlds.kitchen import AGENTS, MOVES, Cook, Kitchen, Pot, State
from gem_ma.testing import certify, check_env

WAYS = {"up": -1j, "down": 1j, "left": -1, "right": 1}
CRATES = {"O": "an onion", "T": "a tomato", "D": "a plate"}
TOLD = re.compile(r"(first|second): at (\w+), faces (\w+), holds (.*)")


def cell(name):
    return complex(ord(name[0]) - 65, int(name[1:]) - 1)


def read(text):
    """Return a kitchen as a cook reads of it: the map, cooks, pots, counters, orders, counts."""
    rows = [line.split()[1:] for line in text.splitlines()[1:] if line[:2].strip().isdigit()]
    world = {complex(c, r): one for r, row in enumerate(rows) for c, one in enumerate(row)}
    world = {at: "." if one in "12" else one for at, one in world.items()}
    cooks = [[cell(at), faces, held] for _, at, faces, held in TOLD.findall(text)]
    pots = {}
    for at, told in re.findall(r"Pot (\w+): (.*)", text):
        things, _, state = told.partition("; ")
        left = int(re.sub(r"\D", "", state) or 0)
        pots[cell(at)] = [[] if things == "empty" else things.split(", "), left]
    lying = {cell(at): thing for at, thing in re.findall(r"On counter (\w+): (.*)", text)}
    orders = re.search(r"Orders: (.*)", text)[1].split("; ")
    counts = [int(n) for n in re.findall(r"\d+", text.splitlines()[-1])]
    return world, cooks, pots, lying, orders, counts


def recipe(things):
    said = []
    for one, many in (("onion", "onions"), ("tomato", "tomatoes")):
        n = things.count(one)
        said += [f"{n} {many if n > 1 else one}"] if n else []
    return " + ".join(said)


def hands(kitchen, cook):
    """Do what `use` does, by the words of the rules."""
    world, _, pots, lying, orders, counts = kitchen
    at = cook[0] + WAYS[cook[1]]
    place, held = world[at], cook[2]
    empty, plant = held == "nothing", held in ("an onion", "a tomato")
    if place in CRATES and empty:
        cook[2] = CRATES[place]
    elif place == "#" and empty and at in lying:
        cook[2] = lying.pop(at)
    elif place == "#" and not empty and at not in lying:
        lying[at], cook[2] = held, "nothing"
    elif place == "P":
        things, left = pots[at]
        if plant and len(things) < 3:
            things.append(held.split()[1])
            things.sort()
            pots[at][1], cook[2] = 10 if len(things) == 3 else 0, "nothing"
        elif held == "a plate" and len(things) == 3 and not left:
            cook[2], pots[at] = f"a soup of {recipe(things)}", [[], 0]
    elif place == "S" and held.startswith("a soup"):
        soup, cook[2] = held.removeprefix("a soup of "), "nothing"
        counts[0 if soup in orders else 1] += 1
        if soup in orders:
            orders.remove(soup)


def expected(text, moves):
    kitchen = world, cooks, pots, _, _, counts = read(text)
    for pot in pots.values():
        pot[1] = max(pot[1] - 1, 0)
    counts[2] -= 1
    for cook, move in zip(cooks, moves, strict=True):
        if move == "use":
            hands(kitchen, cook)
        elif move != "wait":
            cook[1] = move
    goals = []
    for cook, move in zip(cooks, moves, strict=True):
        there = cook[0] + WAYS.get(move, 0)
        goals.append(there if world[there] == "." else cook[0])
    swapped = goals == [cooks[1][0], cooks[0][0]]
    if goals[0] != goals[1] and not swapped:
        for cook, goal in zip(cooks, goals, strict=True):
            cook[0] = goal
    return kitchen


@pytest.mark.parametrize("layout", layouts.NAMES)
def test_every_step_is_what_the_rules_say(layout):
    env = gem_ma.make("game:Kitchen-v0", layout=layout, max_turns=70, cooking=10)
    rng, served = np.random.default_rng(0), 0
    for seed in range(1):
        env.reset(seed=seed)
        while env.to_act:
            planned = Pair(env.game_state).moves()
            moves = [
                planned[seat] if rng.random() < 0.8 else str(rng.choice(MOVES)) for seat in AGENTS
            ]
            *same, orders, counts = expected(env.game.describe(env.game_state, None), moves)
            env.step_seats(dict(zip(AGENTS, moves, strict=True)))
            *now, orders_now, counts_now = read(env.game.describe(env.game_state, None))
            assert now == same
            assert counts_now == counts
            assert orders_now[: len(orders)] == orders
            assert len(orders_now) == 2
        served += counts[0]
        assert env.game_state.returns() == {"first": counts[0], "second": counts[0]}
    assert served > 0


@pytest.mark.parametrize("layout", layouts.NAMES)
def test_cooks_by_rule_serve_what_was_ordered(layout):
    game = Kitchen(layout)
    for seed in range(2):
        rng = np.random.default_rng(seed)
        state = game.start(rng, {})
        while state.to_act():
            state = game.advance(state, Pair(state).moves(), rng)
        assert state.served >= 1
        assert state.wasted == 0


def test_at_random_nothing_is_served():
    episodes = gem_ma.rollout("game:Kitchen-v0", "random", 10, seed=0, progress=False)
    assert sum(episode.returns["first"] for episode in episodes) == 0


def test_a_drawn_kitchen_has_everything_within_reach():
    seen = set()
    for seed in range(80):
        rows, begin = layouts.floor("random", np.random.default_rng(seed))
        seen.add((len(rows), len(rows[0])))
        assert len(set(begin)) == 2
        walked = layouts.reached(rows, begin[0])
        assert set(walked) == set(layouts.find(rows, "."))
        for symbol in "OTDPS":
            for at in layouts.find(rows, symbol):
                assert set(layouts.beside(at)) & set(walked)
        assert [len(layouts.find(rows, s)) for s in "OTDPS"] == [1, 1, 1, 2, 1]
    assert len(seen) > 12


def room(first, second, **more):
    rows = "##P##", "O...T", "#...#", "#D#S#"
    given = {"pots": (Pot((0, 2)),), "orders": (("onion",) * 3,), "left": 9, "cooking": 10}
    return State(rows, (first, second), **{**given, **more})


@pytest.mark.parametrize(
    ("cells", "moves", "after"),
    [
        (((1, 1), (1, 3)), ("right", "left"), ((1, 1), (1, 3))),  # both to one cell
        (((1, 1), (1, 2)), ("right", "left"), ((1, 1), (1, 2))),  # through each other
        (((1, 1), (1, 2)), ("right", "wait"), ((1, 1), (1, 2))),  # into who stands
        (((1, 1), (1, 2)), ("right", "right"), ((1, 2), (1, 3))),  # after who goes
        (((1, 1), (1, 3)), ("up", "down"), ((1, 1), (2, 3))),  # a counter is no floor
    ],
)
def test_cooks_do_not_walk_into_each_other(cells, moves, after):
    state = room(*map(Cook, cells)).step(dict(zip(AGENTS, moves, strict=True)))
    assert tuple([cook.at for cook in state.cooks]) == after
    turned = [move for move in moves if move != "wait"]
    assert [cook.faces for cook in state.cooks][: len(turned)] == turned


def test_the_first_cook_comes_first():
    state = room(Cook((2, 1), "left"), Cook((1, 2), "up", "plate"), lying=(((2, 0), "tomato"),))
    pots = (Pot((0, 2), ("onion", "onion"), 0),)
    both = room(Cook((1, 2), "up", "onion"), Cook((1, 3), "up", "onion"), pots=pots)
    assert state.step({"first": "use", "second": "use"}).cooks[0].holds == "tomato"
    after = both.step({"first": "use", "second": "wait"})
    assert after.pots == (Pot((0, 2), ("onion",) * 3, 10),)
    assert after.step({"first": "wait", "second": "wait"}).pots[0].left == 9


def test_a_pot_cooks_on_while_the_cooks_think():
    env = gem_ma.make("game:Kitchen-v0", clock="tokens:20")
    env.reset(seed=0)
    env.step_seats(
        {"first": Reply("left", token_ids=[0] * 100), "second": Reply("right", token_ids=[0])}
    )
    assert env.to_act == ("second",)
    assert env.game_state.world.left == 119
    assert env.game_state.world.cooks[0].faces == "up"  # it turns at the fifth step
    env.step_seats({"second": Reply("use", token_ids=[0] * 200)})
    assert env.to_act == ("first",)
    assert env.game_state.world.left == 115
    assert env.game_state.world.cooks[0].faces == "left"
    assert env.game_state.world.cooks[1].holds is None
    env.step_seats({"first": Reply("wait", token_ids=[0] * 120)})
    assert env.game_state.world.cooks[1].holds == "tomato"


def test_a_name_is_no_move_and_no_layout():
    with pytest.raises(InvalidMove):
        Kitchen().read("jump", room(Cook((1, 1)), Cook((1, 3))), "first")
    with pytest.raises(
        ValueError, match="expected one of galley, divided, ring, twins, hall, rand"
    ):
        Kitchen("bar")


def test_the_contract_in_a_short_episode():
    check_env(gem_ma.make("game:Kitchen-v0", max_turns=4), seeds=1, processes=False)


@pytest.mark.parametrize("layout", ["divided", "random"])
def test_other_layouts_are_drawn_whole(layout):
    certify(gem_ma.make("game:Kitchen-v0", layout=layout), views=15)


def read_numbers(text, agent, high, wide):
    """Return what a cook reads of the kitchen as numbers."""
    world, cooks, pots, lying, orders, counts = read(text)
    planes = np.zeros((25, high, wide))

    def put(plane, at, value):
        planes[plane, int(at.imag), int(at.real)] = value

    for at, symbol in world.items():
        put(".#OTDPS".index(symbol), at, 1)
    soups = {recipe(["onion"] * n + ["tomato"] * (3 - n)): (n, 3 - n) for n in (0, 1, 2, 3)}
    things = {"an onion": (1, 0, 0), "a tomato": (0, 1, 0), "a plate": (0, 0, 1)}
    things |= {f"a soup of {name}": (*parts, 1) for name, parts in soups.items()}
    for (at, faces, held), name in zip(cooks, ("first", "second"), strict=True):
        put(7 + 4 * (name != agent) + ["up", "down", "left", "right"].index(faces), at, 1)
        lying = {**lying, at: held}
    for at, thing in lying.items():
        onions, tomatoes, plates = things.get(thing, (0, 0, 0))
        for plane, value in ((15, onions / 3), (16, tomatoes / 3), (17, plates)):
            put(plane, at, value)
    for at, (inside, left) in pots.items():
        put(15, at, inside.count("onion") / 3)
        put(16, at, inside.count("tomato") / 3)
        put(18, at, left / 10)
        put(19, at, len(inside) == 3 and not left)
    for number, n in enumerate((3, 2, 1, 0)):
        planes[20 + number] = orders.count(recipe(["onion"] * n + ["tomato"] * (3 - n))) / 2
    planes[24] = counts[-1] / 120
    return planes


def test_the_numbers_say_what_the_text_says():
    sizes = {"galley": (4, 5), "hall": (7, 9), "random": (8, 8)}
    for layout, size in sizes.items():
        compare_encoding(
            "game:Kitchen-v0",
            lambda text, agent, size=size: read_numbers(text, agent, *size),
            steps=120,
            layout=layout,
        )


def test_the_numbers_of_soups_that_cooks_make():
    game = Kitchen()
    state = game.start(np.random.default_rng(0), {})
    soup = ("onion", "onion", "tomato")
    cooks = state.cooks[0]._replace(holds=soup), state.cooks[1]._replace(holds="plate")
    pots = tuple([pot._replace(holds=soup, left=4) for pot in state.pots])
    counter = next(cell for cell in layouts.find(state.rows, "#"))
    for after in (
        replace(state, cooks=cooks, pots=pots),
        replace(
            state, pots=tuple([pot._replace(left=0) for pot in pots]), lying=((counter, soup),)
        ),
    ):
        for seat in AGENTS:
            expected = read_numbers(game.describe(after, seat), seat, 4, 5)
            np.testing.assert_allclose(game.encode(after, seat), expected, atol=1e-6)
