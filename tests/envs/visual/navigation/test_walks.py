"""Walks of one agent: what they pay and hide, which replies they read, how they are drawn."""

from collections import Counter

import numpy as np
import pytest

import gem_ma
from gem_ma import InvalidMove
from gem_ma.envs.visual.navigation import house as houses
from gem_ma.envs.visual.navigation.fetch_object import FetchObject
from gem_ma.envs.visual.navigation.house import STEPS, WAYS, Pose, step
from gem_ma.envs.visual.navigation.walk_to_exit import WalkToExit
from gem_ma.envs.visual.question import LEVELS
from gem_ma.testing import certify, check_env

NAMES = ("WalkToExit", "FetchObject", "CountObjects", "WhereIsIt")
POINTS = (0, 2, 5, 8, 10)
AGENT = "player"
every_walk = pytest.mark.parametrize("name", NAMES)


def make(name, difficulty=5, seed=0, **options):
    env = gem_ma.make(f"visual:{name}-v0", difficulty=difficulty, **options)
    env.reset(seed=seed)
    return env


def distances(house, start, free):
    """Return the steps to each free cell, by the distances of neighbours until none changes."""
    far = dict.fromkeys(free, 10**6) | {start: 0}
    changed = True
    while changed:
        changed = False
        for cell in free:
            for way in range(4):
                other = step(cell, way)
                if other in far and house.side(cell, way) != "#" and far[other] + 1 < far[cell]:
                    far[cell], changed = far[other] + 1, True
    return far


@pytest.mark.parametrize("seeds", [3, pytest.param(200, marks=pytest.mark.slow)])
@every_walk
def test_the_oracle_earns_all(name, seeds):
    for difficulty in POINTS:
        env = gem_ma.make(f"visual:{name}-v0", difficulty=difficulty)
        for episode in gem_ma.rollout(env, "walk-oracle", seeds, seed=difficulty, progress=False):
            assert episode.returns == {AGENT: 1.0}


def test_the_oracle_plays_nothing_else():
    env = gem_ma.make("game:Nim-v0")
    with pytest.warns(match="walk-oracle plays walks"):
        gem_ma.rollout(env, "walk-oracle", 1, seed=0, progress=False)


@pytest.mark.parametrize("seed", range(6))
def test_shortest_ways_are_as_short_as_distances_allow(seed):
    rng = np.random.default_rng(seed)
    house = houses.build_maze(rng, 5, 2) if seed % 2 else houses.build_rooms(rng, 2, 3)
    house = houses.add_things(rng, house, [("key", "red"), ("hat", "blue"), ("box", "green")])
    taken = {thing.cell for thing in house.things}
    assert len(taken) == 3
    free = [cell for cell in house.cells() if cell not in taken]
    start, goal = free[0], free[-1]
    far = distances(house, start, free)
    assert house.measure(start) == far
    moves = house.find_moves(Pose(start, 1), [Pose(goal, way) for way in range(4)])
    pose = Pose(start, 1)
    for move in moves:
        assert house.walk(pose, move) != pose
        pose = house.walk(pose, move)
    assert pose.cell == goal
    assert sum(move in ("forward", "back") for move in moves) >= far[goal]
    least = {Pose(start, 1): 0}  # a second search, by layers
    layer = set(least)
    while not any(pose.cell == goal for pose in least):
        layer = {house.walk(pose, move) for pose in layer for move in STEPS} - least.keys()
        least |= dict.fromkeys(layer, max(least.values()) + 1)
    assert len(moves) == max(least.values())


def test_houses_are_whole():
    for seed in range(8):
        rng = np.random.default_rng(seed)
        house = houses.build_rooms(rng, 2 + seed % 2, 2 + seed // 2 % 2)
        cells = house.cells()
        assert len(house.measure((0, 0))) == len(cells)
        colors = [house.color(cell) for cell in house.cells()]
        assert set(Counter(colors).values()) == {(2 + seed // 2 % 2) ** 2}
        for cell in cells:
            for way in range(4):
                side, other = house.side(cell, way), step(cell, way)
                if other in cells:
                    assert side == house.side(other, (way + 2) % 4)
                    same = house.color(cell) == house.color(other)
                    assert side == "." if same else side in "#+"
                else:
                    assert side == "#"


@every_walk
def test_a_seed_decides_the_episode(name):
    for difficulty in (0, 10):
        first, again, other = (make(name, difficulty, seed).game_state for seed in (4, 4, 5))
        assert first == again
        assert first.house != other.house


@every_walk
def test_harder_houses_are_larger(name):
    sizes = [
        np.mean([len(make(name, difficulty, seed).game_state.house.cells()) for seed in range(3)])
        for difficulty in (0, 5, 10)
    ]
    assert sizes[0] < sizes[1] < sizes[2]


@every_walk
def test_nonsense_is_refused_and_changes_nothing(name):
    env = make(name)
    state = env.game_state
    view = state.seen_by(AGENT)
    for text in ("", "jump", "forward forward", "answer", "answer -3 or 4", "9" * 400, "red blue"):
        with pytest.raises(InvalidMove):
            env.game.read(text, view, AGENT)
    env.step("I want to fly")
    assert env.game_state == state


@every_walk
def test_random_walkers_come_to_an_end(name):
    rng = np.random.default_rng(0)
    env = make(name, 0, 3)
    start = env.game_state
    for turn in range(start.left):
        if not env.to_act:
            break
        state = env.game_state
        assert state.left == start.left - turn
        assert state.house == start.house
        assert state.house.thing(state.pose.cell) is None
        env.step(STEPS[int(rng.integers(4))] if name != "WhereIsIt" else "next")
    assert not env.to_act
    assert env.game_state.earned == (name == "WalkToExit" and env.game_state.over)


@every_walk
def test_a_view_hides_the_house(name):
    env = make(name, 8, 2)
    state = env.game_state
    view = state.seen_by(AGENT)
    assert (view.house, view.pose, view.goals, view.last, view.path) == (None,) * 5
    assert view.seen_by(AGENT) == view
    other = state._replace(last="something else", goals=(), path=(state.pose,))
    assert other.seen_by(AGENT) == view
    words = env.game.describe(view, AGENT)
    assert all(str(one) in words for one in [" ".join(t[1::-1]) for t in view.sight.things])
    hidden = {str(thing) for thing in state.house.things}
    hidden -= {f"{color} {kind}" for kind, color, *_ in view.sight.things}
    assert not [thing for thing in hidden if thing in words]
    spectator = env.game.describe(state, None)
    assert all(str(thing) in spectator for thing in state.house.things)


def test_the_door_ends_the_walk_and_nothing_else_does():
    env = make("WalkToExit", 2, 1)
    state = env.game_state
    (goal,) = state.goals
    game = env.game
    assert isinstance(game, WalkToExit)
    (down, right), cell = WAYS[goal.facing], goal.cell
    assert state.house.rows[2 * cell[0] + 1 + down][2 * cell[1] + 1 + right] == "E"
    there = state._replace(pose=goal)
    assert game.advance(there, {AGENT: "forward"}, None).returns() == {AGENT: 1.0}
    for move in ("left", "right", "back"):
        after = game.advance(there, {AGENT: move}, None)
        assert (after.over, after.earned) == (False, 0.0)
    away = there._replace(pose=Pose(cell, (goal.facing + 2) % 4))
    after = game.advance(away, {AGENT: "back"}, None)  # nobody walks out backwards
    assert (after.over, after.pose) == (False, away.pose)
    assert game.tell(away, {AGENT: "back"}, after)[0].text.startswith("Something is in the way")


def test_the_first_thing_that_is_taken_counts():
    env = make("FetchObject", 5, 2)
    state, game = env.game_state, env.game
    assert isinstance(game, FetchObject)
    earned = []
    for thing in state.house.things:
        pose = next(p for p in state.house.poses_before(thing.cell)
                    if state.house.thing(p.cell) is None)  # fmt: skip
        after = game.advance(state._replace(pose=pose), {AGENT: "take"}, None)
        assert after.over
        earned.append(after.earned)
        assert (str(thing) in state.task) == bool(after.earned)
    assert earned == [1.0] + [0.0] * (len(earned) - 1)
    free = next(p for c in state.house.cells() for way in range(4)
                for p in [Pose(c, way)] if state.house.thing_ahead(p) is None)  # fmt: skip
    nothing = game.advance(state._replace(pose=free), {AGENT: "take"}, None)
    assert (nothing.over, nothing.left) == (False, state.left - 1)
    assert "nothing to take" in game.tell(state, {AGENT: "take"}, nothing)[0].text


def test_nothing_is_taken_through_a_wall():
    house = houses.House(
        ("#####", "#a#a#", "#.#.#", "#a.a#", "#####"),
        ("red",),
        (houses.Thing("key", "red", (0, 1)),),
    )
    assert house.thing_ahead(Pose((0, 0), 1)) is None
    assert str(house.thing_ahead(Pose((1, 1), 0))) == "red key"
    assert house.walk(Pose((1, 1), 0), "forward") == Pose((1, 1), 0)
    assert house.walk(Pose((1, 1), 3), "forward") == Pose((1, 0), 3)
    assert house.walk(Pose((1, 0), 1), "back") == Pose((1, 0), 1)


@pytest.mark.parametrize("text", ["answer 3", "3", "Answer 3.", "\\boxed{answer 3}"])
def test_an_answer_is_a_number_with_or_without_its_word(text):
    env = next(e for e in (make("CountObjects", 2, seed) for seed in range(99))
               if e.game_state.last == "answer 3")  # fmt: skip
    name = env.game_state.task.split("how many ")[1].split(" are")[0]
    kinds = Counter(map(str, env.game_state.house.things))
    assert kinds[name.removesuffix("es") if "boxes" in name else name.removesuffix("s")] == 3
    env.step(text)
    assert env.rewards[AGENT] == 1


def test_the_asked_room_is_that_of_the_thing():
    for seed in range(10):
        env = make("WhereIsIt", 5, seed)
        state = env.game_state
        thing = next(t for t in state.house.things if f"the {t} stands" in state.task)
        assert state.last == state.house.color(thing.cell)
        seen = []
        for turn in range(state.views):
            assert env.game_state.pose == state.path[turn]
            view = env.game_state.seen_by(AGENT)
            assert f"View {turn + 1} of {state.views}" in env.game.describe(view, AGENT)
            is_in_room = state.house.color(env.game_state.pose.cell) == state.last
            seen.append(
                is_in_room and (thing.name, thing.color) in {t[:2] for t in view.sight.things}
            )
            env.step("next")
        assert any(seen)
        assert env.game_state.pose == state.path[-1]
        env.step("previous")
        assert env.game_state.pose == state.path[-2]
        env.step(state.last)
        assert env.rewards[AGENT] == 1


@pytest.mark.parametrize("seeds", [40, pytest.param(200, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("name", "chance"), [("CountObjects", 1 / 9), ("WhereIsIt", 1 / 6)])
def test_a_constant_answer_earns_little(name, chance, seeds):
    env = gem_ma.make(f"visual:{name}-v0")
    answers = []
    for seed in range(seeds):
        env.reset(seed=seed)
        answers.append(env.game_state.last)
    assert Counter(answers).most_common(1)[0][1] / seeds <= chance + 0.1


@pytest.mark.parametrize("views", [15, pytest.param(200, marks=pytest.mark.slow)])
@every_walk
def test_pictures_show_what_words_say(name, views):
    for difficulty in (5,) if views < 200 else (0, 10):
        assert certify(make(name, difficulty), views=views).views >= views


@pytest.mark.slow
@every_walk
def test_the_contract(name):
    check_env(gem_ma.make(f"visual:{name}-v0-easy"), seeds=1, processes=False)


def test_levels():
    for level in (*LEVELS, 0, 10, None):
        WalkToExit(level).start(np.random.default_rng(0), {})
    for wrong in ("hardest", 11, -1):
        with pytest.raises(ValueError, match="expected"):
            WalkToExit(wrong)
