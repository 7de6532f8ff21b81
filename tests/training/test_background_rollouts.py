"""Episodes are played while learners learn: how old what plays may be, and that none is lost."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from needed import Later, needed

from gem_ma import Reply
from gem_ma.agents import RandomAgent
from gem_ma.rollouts.records import load_episodes
from gem_ma.rollouts.run import TooManyErrors
from gem_ma.training.advantages import rebn
from gem_ma.training.selfplay import OpponentPool
from gem_ma.training.selfplay_opponent import SelfPlayOpponent

torch = needed("torch", install="'gem-ma[hf]'")
background, loop = (
    Later(f"gem_ma.training.{name}") for name in ("background_rollouts", "reference_trainer")
)
menus = Later("gem_ma.training.learners.menu_learner")

HERE = Path(__file__).parent
ENV = "game:RockPaperScissors-v0"
RPS = ("rock", "paper", "scissors")
TOTAL = 6

pytestmark = pytest.mark.usefixtures("one_thread")


def chooser():
    torch.manual_seed(0)
    network = torch.nn.Linear(1, 3)
    return menus.MenuLearner(network, lambda messages: (np.ones(1, np.float32), RPS), lr=0.05)


def trainer(left, right="random", **settings):
    settings = {"episodes": 4, "measure": lambda episode: {"seed": episode.seed % 997}, **settings}
    return loop.Trainer(
        ENV, {"left": left, "right": right}, rebn, train=["left"], rollout={"rounds": 3}, **settings
    )


@pytest.mark.parametrize("staleness", [1, 3])
def test_what_plays_is_no_older_than_allowed_and_each_batch_is_learnt_from_once(staleness):
    history = trainer(chooser(), max_staleness=staleness).run(TOTAL)
    assert [row["step"] for row in history] == list(range(TOTAL))
    assert history[0]["staleness"] == 0
    for row in history:
        assert 0 <= row["staleness"] <= row["staleness/most"] <= staleness
    at_once = trainer(chooser()).run(TOTAL)
    assert [row["seed"] for row in history] == [row["seed"] for row in at_once]
    assert "staleness" not in at_once[0]


class Stepwise:
    """Learns nothing, once the next batch has begun, which then waits until that is over."""

    seed = 0

    def __init__(self):
        self.begun, self.updated = threading.Event(), threading.Event()
        self.versions = []

    def make_snapshot(self):
        return Snapshot(self)

    def act(self, turns):
        raise AssertionError("the learner itself plays nothing")

    def update(self, parts):
        assert self.begun.wait(30)
        self.versions.append([step.reply.policy_version for step in parts[0].episode.steps[::2]])
        self.staleness = list(parts[0].staleness)
        return {}

    def state_dict(self):
        return {}

    def load_state_dict(self, state):
        pass


class Snapshot:
    def __init__(self, owner):
        self.owner = owner

    def act(self, turns):
        if self.seed == self.owner.waits_at:
            if self.owner.begun.is_set():
                assert self.owner.updated.wait(30)
            self.owner.begun.set()
        return [Reply("rock") for _ in turns]


def test_episodes_under_way_go_on_with_the_new_model():
    player = Stepwise()
    made = trainer(player, max_staleness=1, episodes=1)
    player.waits_at = made.derive_agent_seed(1)
    made.run(2, after=lambda made: player.updated.set())
    assert player.versions == [[0, 0, 0], [0, 0, 1]]  # the second reply was under way
    assert player.staleness == [1, 1, 0]


@pytest.mark.filterwarnings("ignore:records call this agent")
def test_versions_are_on_the_record(tmp_path):
    made = trainer(chooser(), max_staleness=1)
    path = tmp_path / "episodes.jsonl"
    made.rollout["out"] = path
    made.run(1)
    (reply, *_) = [s.reply for e in load_episodes(path) for s in e.steps if s.agent == "left"]
    assert reply.policy_version == 0


def test_a_policy_knows_the_version_that_it_plays():
    policy = background.RolloutPolicy(chooser())
    assert policy.version is None
    policy.publish(3)
    assert policy.version == policy.get_published()[1] == 3


def test_rivals_count_the_episodes_that_were_learnt_from():
    player = chooser()
    rivals = SelfPlayOpponent(player, OpponentPool({"random": "random"}), latest=2)
    made = trainer(player, rivals, measure=rivals.record, max_staleness=2)
    history = made.run(TOTAL, after=rivals.copy_every(2))
    assert [0 <= row["won"] <= 1 for row in history] == [True] * TOTAL
    assert rivals.pool.compute_win_rates().games.sum() == 2 * TOTAL * made.episodes
    assert rivals.pool.names[-1] == f"update {TOTAL}"


KILLED = """
import os, sys
sys.path[:0] = {paths!r}
import torch
torch.set_num_threads(1)
from test_background_rollouts import chooser, trainer

made = trainer(chooser(), max_staleness=2)
learn = made.agents["left"].update
made.agents["left"].update = lambda parts: os._exit(9) if made.step == 3 else learn(parts)
made.run(6, {path!r}, every=1)
"""


def test_killed_in_mid_update_it_goes_on_without_a_lost_or_doubled_episode(tmp_path):
    path = tmp_path / "checkpoint.pt"
    code = KILLED.format(paths=[str(HERE), str(HERE.parent / "support")], path=str(path))
    assert subprocess.run([sys.executable, "-c", code], env=dict(os.environ)).returncode == 9
    player = chooser()
    history = trainer(player, max_staleness=2).run(TOTAL, path)
    assert [row["step"] for row in history] == list(range(TOTAL))
    assert history[3]["staleness"] == 0  # it begins again with what it knows
    whole = trainer(chooser(), max_staleness=2).run(TOTAL)
    assert [row["seed"] for row in history] == [row["seed"] for row in whole]
    assert player.policy_optimizer.updates == TOTAL


class Failing(RandomAgent):
    def act(self, turns):
        raise ZeroDivisionError


def test_what_fails_in_the_background_is_raised_and_what_fails_here_ends_it():
    with pytest.raises(TooManyErrors, match="ZeroDivisionError"):
        trainer(chooser(), Failing(), max_staleness=1).run(2)

    def fail(made):
        raise KeyError("here")

    with pytest.raises(KeyError, match="here"):
        trainer(chooser(), max_staleness=3).run(50, after=fail)
    assert not [one for one in threading.enumerate() if one.name.startswith("gem_ma rollouts")]


def test_wrong_arguments_are_told():
    with pytest.raises(ValueError, match="max_staleness=-1: expected 0 or more"):
        trainer(chooser(), max_staleness=-1)
    player = Stepwise()
    del Stepwise.make_snapshot
    with pytest.raises(ValueError, match="Stepwise has none"):
        trainer(player, max_staleness=1).run(1)
