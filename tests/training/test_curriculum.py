"""Curriculum: where it goes, what it draws, and that a training goes on with it where it was."""

import math

import pytest

import gem_ma
from gem_ma.envs.registry import BadArgument
from gem_ma.training.curriculum import Curriculum

GUESS = "game:GuessTheNumber-v0"


def able(level):
    """Return what plays as if it mastered all up to a level, and nothing above."""

    def success(episode):
        return float(math.log2(episode.spec.kwargs["max_number"]) <= level)

    return success


def test_it_settles_where_the_target_is_met():
    """Half of the levels that are drawn are mastered where the learner's limit lies."""
    curriculum = Curriculum(GUESS, success=able(4.6), rate=2.0)
    shares = []
    for batch in range(40):
        envs = curriculum.sample_envs(32, seed=batch)
        played = gem_ma.rollout(envs, "random", 32, seed=batch, progress=False)
        shares.append(sum(map(able(4.6), played)) / 32)
        curriculum.update(played)
    assert shares[0] == 1.0
    assert sum(shares[20:]) / 20 == pytest.approx(0.5, abs=0.08)
    assert 3 < curriculum.level < 7


def test_it_stays_on_the_dial():
    always = Curriculum(GUESS, success=lambda episode: 1.0, rate=9.0, most=4)
    never = Curriculum(GUESS, success=lambda episode: 0.0, rate=9.0, start=4.0)
    for curriculum, end in ((always, 4.0), (never, 0.0)):
        for batch in range(3):
            envs = curriculum.sample_envs(8, seed=batch)
            curriculum.update(gem_ma.rollout(envs, "random", 8, seed=0, progress=False))
        assert curriculum.level == end
        assert set(curriculum.sample_difficulties(200, 1)) <= set(range(curriculum.most + 1))


def test_the_same_seed_draws_the_same():
    one, two = Curriculum(GUESS, start=5.0), Curriculum(GUESS, start=5.0)
    assert one.sample_difficulties(50, 3) == two.sample_difficulties(50, 3)
    assert one.sample_difficulties(50, 3) != one.sample_difficulties(50, 4)
    drawn = one.sample_difficulties(2000, 1)
    assert sum(drawn) / 2000 == pytest.approx(5, abs=0.1)
    assert {one.get_env(7), one.get_env(7)} == {one.get_env(7)}
    assert one.get_env(7).game.max_number == gem_ma.make(GUESS, difficulty=7).game.max_number
    flat = Curriculum(GUESS, start=5.0, spread=0.0)
    assert flat.sample_difficulties(5, 0) == [5] * 5


def test_a_failed_episode_says_nothing():
    def fails(turn):
        raise RuntimeError

    curriculum = Curriculum(GUESS, start=3.0)
    envs = curriculum.sample_envs(4, seed=0)
    curriculum.update(gem_ma.rollout(envs, fails, 4, seed=0, progress=False))
    assert curriculum.level == 3.0


def test_groups_have_one_difficulty_each():
    curriculum = Curriculum(GUESS, start=5.0, spread=3.0)
    envs = curriculum.sample_envs(8, seed=0)
    played = gem_ma.rollout(envs, "random", 32, group=4, seed=0, progress=False)
    levels = [episode.spec.kwargs["max_number"] for episode in played]
    assert all(len(set(levels[i : i + 4])) == 1 for i in range(0, 32, 4))
    assert len(set(levels)) > 3


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("target", 0, "more than 0 and less than 1"),
        ("target", 1, "more than 0 and less than 1"),
        ("rate", 0, "more than 0"),
        ("spread", -1, "0 or more"),
        ("start", 11, "0 to 10"),
        ("most", 11, "0 to 10"),
    ],
)
def test_what_is_no_curriculum(name, value, words):
    with pytest.raises(ValueError, match=f"{name}={value}: expected {words}"):
        Curriculum(GUESS, **{name: value})


def test_what_has_no_dial_or_no_such_argument():
    with pytest.raises(BadArgument, match="difficulty"):
        Curriculum("game:TicTacToe-v0")
    with pytest.raises(BadArgument, match="did you mean 'max_turns'"):
        Curriculum(GUESS, max_turn=3)


def test_a_training_goes_on_as_if_it_had_never_stopped(tmp_path):
    torch = pytest.importorskip("torch", reason="pip install 'gem-ma[hf]'")
    from functools import partial

    import numpy as np

    from gem_ma.training.advantages import rebn
    from gem_ma.training.learners.menu_learner import MenuLearner
    from gem_ma.training.reference_trainer import Trainer

    def read(messages):
        return np.ones(1, np.float32), ("1", "2", "3")

    def trainer():
        torch.manual_seed(0)
        learner = MenuLearner(torch.nn.Linear(1, 3), read, seed=0)
        levels = Curriculum(GUESS, target=0.3, rate=3.0, invalid="skip")
        return Trainer(levels, {"player": learner}, partial(rebn), episodes=16, group=2, seed=1)

    whole = trainer()
    history = whole.run(6)
    assert history[0]["difficulty"] == 0.0
    assert len({row["difficulty"] for row in history}) > 2
    first, path = trainer(), tmp_path / "checkpoint.pt"
    first.run(3, path)
    second = trainer()
    assert second.run(6, path) == history
    assert second.env.level == whole.env.level
