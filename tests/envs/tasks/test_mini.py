"""The tasks of our own making."""

import pytest
from playable import unless

import gem_ma
from gem_ma.envs.tasks import epoch
from gem_ma.testing import check_env

MINI = ("math:Mini", "qa:Mini", "code:Mini")
GARBAGE = ("???", "\x00", "9" * 5_000, "[" * 1_000, "__import__('os').getpid()", "\\boxed{{}{}}")


def test_there_are_many_different_questions_and_an_epoch_walks_them():
    for id in MINI:
        task = gem_ma.make(id).game
        assert len({task.item(i).question for i in range(1_000)}) > 300
        assert len(epoch(task, 0)) == task.size >= 200


@pytest.mark.parametrize("id", MINI)
def test_right_pays_full_and_wrong_and_garbage_nothing(id):
    env = gem_ma.make(id)
    for index in range(20 if id == "code:Mini" else 300):
        env.reset(seed=0, options={"index": index})
        answer = env.game_state.answer
        assert env.game_state.seen_by("player").answer is None
        reply = f"```python\n{answer}```" if id == "code:Mini" else rf"\boxed{{{answer}}}"
        env.submit({"player": reply})
        assert env.game_state.score == 1, env.game_state
        env.reset(seed=0, options={"index": index})
        other = env.game.item(index + 100).answer
        garbage = index % 2 or other == answer
        env.submit({"player": GARBAGE[index % len(GARBAGE)] if garbage else other})
        if env.game_state.score == 1:  # one that is right here too, as programs may be
            assert id == "code:Mini"
            assert not garbage


@pytest.mark.parametrize(
    ("id", "processes"),
    [*(unless(id != "code:Mini", id, False) for id in MINI), unless(False, "code:Mini", True)],
)
def test_mini_tasks_keep_the_contract(id, processes):
    check_env(id, seeds=1, processes=processes)


def test_a_text_task_is_a_picture_of_its_text():
    env = gem_ma.make("qa:Mini", observe="image")
    frames = []
    for index in range(3):
        env.reset(seed=0, options={"index": index})
        frames.append(env.observe("player")["image"].tobytes())
        assert env.game_state.question not in str(env.info("player"))
    assert len(set(frames)) == 3
