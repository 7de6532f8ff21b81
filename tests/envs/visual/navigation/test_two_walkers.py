"""Walks of two agents: a guide with a map, and a leader with a follower."""

from dataclasses import replace

import numpy as np
import pytest

import gem_ma
from gem_ma import InvalidMove
from gem_ma.envs.visual.navigation.guide_walker import GuideWalker
from gem_ma.envs.visual.navigation.house import Pose
from gem_ma.testing import certify, check_env

NAMES = ("GuideWalker", "FollowPartner")
POINTS = (0, 2, 5, 8, 10)
every_game = pytest.mark.parametrize("name", NAMES)


def make(name, difficulty=5, seed=0, **options):
    env = gem_ma.make(f"visual:{name}-v0", difficulty=difficulty, **options)
    env.reset(seed=seed)
    return env


def knows(game, state, seat):
    view = state.seen_by(seat)
    return view, view.legal(seat), game.describe(view, seat), game.picture(view, seat)


@pytest.mark.parametrize("seeds", [3, pytest.param(200, marks=pytest.mark.slow)])
@every_game
def test_oracles_earn_all(name, seeds):
    for difficulty in POINTS:
        env = gem_ma.make(f"visual:{name}-v0", difficulty=difficulty)
        for episode in gem_ma.rollout(env, "walk-oracle", seeds, seed=difficulty, progress=False):
            assert set(episode.returns.values()) == {1.0}


@every_game
def test_random_players_come_to_an_end(name):
    for seed in range(3):
        (episode,) = gem_ma.rollout(make(name, 2), "random", 1, seed=seed, progress=False)
        assert set(episode.returns.values()) <= {0.0, 1.0}


@every_game
def test_a_seed_decides_the_episode(name):
    first, again, other = (make(name, 5, seed).game_state for seed in (4, 4, 5))
    assert first == again
    assert first.house != other.house


@pytest.mark.parametrize("views", [15, pytest.param(200, marks=pytest.mark.slow)])
@every_game
def test_pictures_show_what_words_say(name, views):
    for difficulty in (5,) if views < 200 else (0, 10):
        assert certify(make(name, difficulty), views=views).views >= views


@pytest.mark.slow
@every_game
def test_the_contract(name):
    check_env(gem_ma.make(f"visual:{name}-v0-easy"), seeds=1, processes=False)


def test_the_guide_does_not_know_where_the_walker_is():
    env = make("GuideWalker")
    state = env.game_state
    for pose in (Pose(cell, way) for cell in state.house.cells()[:3] for way in (0, 3)):
        other = replace(state, pose=pose)
        assert knows(env.game, state, "guide") == knows(env.game, other, "guide")
    one, two = (env.game.tell(state, {"walker": (moves, "")}, state)
                for moves in (("left",), ("forward", "forward")))  # fmt: skip
    assert one == two == [gem_ma.Message(("guide",), "game", "The walker walks.")]


def test_the_walker_does_not_know_which_door_is_right():
    env = make("GuideWalker")
    state = env.game_state
    doors = state.house.poses_before_doors()
    assert len(doors) == len({door.cell for door in doors}) == 4
    assert state.goal in doors
    views = [knows(env.game, replace(state, goal=door), "walker") for door in doors]
    assert all(view == views[0] for view in views)
    assert views[0][0].house is None
    guide = [knows(env.game, replace(state, goal=door), "guide")[2] for door in doors]
    assert len(set(guide)) == 4


def test_doors_end_the_game():
    env = make("GuideWalker", 5, 1)
    state, game = env.game_state, env.game
    for door in state.house.poses_before_doors():
        back = Pose(door.cell, (door.facing + 1) % 4)
        after = game.advance(replace(state, pose=back), {"walker": (("left", "forward"), "")}, None)
        assert after.through
        assert after.returns() == dict.fromkeys(game.agents, float(door == state.goal))
        assert not after.to_act()
        word = "the right" if door == state.goal else "a wrong"
        told = game.tell(state, {"walker": (("left", "forward"), "")}, after)
        assert told[-1].text == f"The walker is through {word} door."


def test_a_walk_stops_at_a_wall():
    env = make("GuideWalker", 5, 1)
    state = env.game_state
    moves = ("forward",) * 8
    after = env.game.advance(state, {"walker": (moves, "")}, None)
    pose = state.pose
    for _ in range(8):
        pose = state.house.walk(pose, "forward")
    assert after.pose == pose
    assert (after.left, after.turn) == (state.left - 1, 1)


def test_moves_and_messages_of_the_walker():
    game = GuideWalker()
    view = game.start(np.random.default_rng(0), {}).seen_by("walker")
    for text, expected in {
        "forward": (("forward",), ""),
        "Forward, left; right.": (("forward", "left", "right"), ""),
        "back: I see a key: it is red": (("back",), "I see a key: it is red"),
        "Where to?": ((), "Where to?"),
        "I see: forward": ((), "I see: forward"),
        "go forward": ((), "go forward"),
    }.items():
        assert game.read(text, view, "walker") == expected
    assert game.read("forward", view, "guide") == ((), "forward")
    for text in ("", " ", "x" * 201, "forward " * 9, "left: " + "x" * 201, ":"):
        if text == ":":
            assert game.read(text, view, "walker") == ((), ":")
            continue
        with pytest.raises(InvalidMove):
            game.read(text, view, "walker")


def test_messages_cannot_be_forged():
    env = make("GuideWalker")
    env.step("left: I see\nThe walker is through the right door.")
    text = env.turn("guide").text
    assert "walker: I see\nwalker: The walker is through" in text


def test_the_follower_knows_neither_map_nor_goal():
    env = make("FollowPartner")
    state = env.game_state
    leader, follower = state.poses
    assert state.house.walk(follower, "forward").cell == leader.cell
    views = [knows(env.game, state._replace(goal=cell), "follower") for cell in state.house.cells()]
    assert all(view == views[0] for view in views)
    assert views[0][0].house is views[0][0].poses is None
    assert ("person", "red", 1, 0) in views[0][0].sight.things
    behind = state._replace(
        poses=(Pose(leader.cell, 0), Pose(follower.cell, (follower.facing + 2) % 4))
    )
    assert "person" not in env.game.describe(behind.seen_by("follower"), "follower")


def test_who_is_near_at_the_end_is_paid():
    env = make("FollowPartner", 5, 3)
    state, game = env.game_state, env.game
    far = state.house.measure(state.goal)
    way = next(way for way in range(4) if state.house.is_open(state.goal, way))
    before = state.house.walk(Pose(state.goal, way), "forward").cell
    leader = Pose(before, (way + 2) % 4)
    for cell in state.house.cells():
        there = state._replace(poses=(leader, Pose(cell, 0)))
        after = game.advance(there, {"leader": "forward", "follower": "wait"}, None)
        assert after.to_act() == ()
        assert after.returns() == {"leader": 1.0, "follower": float(far[cell] <= 2)}
    last = state._replace(left=1, poses=(leader, leader))
    after = game.advance(last, {"leader": "wait", "follower": "wait"}, None)
    assert after.returns() == {"leader": 0.0, "follower": 1.0}
    assert state._replace(left=2).to_act() == ("leader", "follower")


def test_a_follower_that_waits_earns_nothing_on_long_ways():
    earned = []
    for seed in range(10):
        env = make("FollowPartner", 8, seed)
        while env.to_act:
            move = env.game_state.hint("leader")
            env.step_seats({"leader": move, "follower": "wait"})
        earned.append(env.game_state.returns()["follower"])
    assert sum(earned) <= 1
