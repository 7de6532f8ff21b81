"""The reward for conversations that make a batch more like those of people."""

from dataclasses import replace

import numpy as np
import pytest

from gem_ma import rollout
from gem_ma.envs.tau import LikenessReward
from gem_ma.envs.tau.likeness.likeness_reward import WORST


def play(user, count=40, seed=0):
    agents = {"user": user, "assistant": "informed-assistant"}
    return rollout("tau:shop", agents, count, seed=seed, progress=False)


@pytest.fixture(scope="module")
def people():
    return play("users:train", 120, seed=1)


@pytest.mark.slow
def test_users_that_are_alike_earn_next_to_nothing_on_average():
    others = play("users:train", 600, seed=10**6)
    rewards = LikenessReward(others[::2])(others[1::2])["user"]
    assert len(rewards) == 300
    assert abs(np.mean(rewards)) < 0.05


@pytest.mark.parametrize("user", ["user:plain", "user:talkative", "user:restless"])
def test_users_that_are_all_of_one_kind_earn_less(people, user):
    assert np.mean(LikenessReward(people)(play(user))["user"]) < -0.03


def test_what_people_do_and_the_batch_does_not_earns_most(people):
    """One of another kind among many of one kind: people have both."""
    plain, forgetful = play("user:plain", 30), play("user:forgetful:forgetful=0.9", 3, seed=50)
    rewards = LikenessReward(people)([*plain, *forgetful])["user"]
    assert np.mean(rewards[30:]) > np.mean(rewards[:30])


@pytest.mark.slow
def test_in_a_mixed_batch_those_of_whom_there_are_too_many_earn_less(people):
    batch = [*play("users:train", 60, seed=200), *play("user:talkative", 60, seed=300)]
    rewards = LikenessReward(people)(batch)["user"]
    assert np.mean(rewards[60:]) < np.mean(rewards[:60]) - 0.02


def test_weight_and_silence(people):
    silent = rollout(
        "tau:shop",
        {"user": lambda turn: "###STOP###", "assistant": "informed-assistant"},
        2,
        seed=3,
        progress=False,
    )
    assert LikenessReward(people, weight=0.5)(silent)["user"] == [0.5 * WORST] * 2
    assert LikenessReward(people)([]) == {"user": []}
    assert len(LikenessReward(people)([*silent, *play("user:plain", 1)])["user"]) == 3


def test_no_people():
    with pytest.raises(ValueError, match="no conversation of people"):
        LikenessReward([])
    with pytest.raises(TypeError, match="people"):
        LikenessReward([1])


def test_a_task_that_cannot_be_made_again(people):
    (episode,) = play("user:plain", 1)
    with pytest.raises(ValueError, match="cannot be made again"):
        LikenessReward(people)([replace(episode, options={"task": "none"})])
