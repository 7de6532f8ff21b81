"""Wrong arguments are answered by a sentence everywhere; slow calls are made if slow."""

import warnings

import packs
import pytest
import walk

import gem_ma

SLOW = (  # of which one call takes long: they play, or load a library
    "gem_ma.rollout",
    "gem_ma.arollout",
    "gem_ma.make_vec",
    "gem_ma.testing",
    "gem_ma.to_dataset",
    "gem_ma.chat.messages.make_dataset_features",
    "gem_ma.training.build_samples",
    "gem_ma.training.trainer_rows.build_rows",
    "gem_ma.evaluation",
    "gem_ma.tools",
    "gem_ma.apis.gymnasium_view.GymnasiumView",
    "gem_ma.agents.OpenAIAgent",
)
PARTS = 12


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.mark.parametrize("part", range(2))
def test_wrong_calls_are_answered(part):
    quick = [where for where in sorted(walk.surface()) if not where.startswith(SLOW)]
    assert [fault for where in quick[part::2] for fault in walk.faults(where)] == []


def test_how_each_is_called_is_said():
    assert [where for where in walk.surface() if walk.lacks_arguments(where)] == []


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_every_wrong_call_is_answered(part):
    pytest.importorskip("torch", reason="pip install 'gem-ma[hf]'")
    assert [
        fault for where in sorted(walk.surface())[part::PARTS] for fault in walk.faults(where)
    ] == []


def test_what_is_said_of_the_surface_is_true():
    every = walk.everything()
    names = {*every, *walk.MISSING}
    assert set(walk.RIGHT) <= names
    assert [one for one in walk.LEFT_OUT if not any(w.startswith(one) for w in names)] == []
    assert len(walk.surface()) > (150 if packs.ABSENT else 200)
    assert {
        "gem_ma.make",
        "gem_ma.apis.base_env.BaseEnv.turn",
        "gem_ma.wrappers.TextHistory",
    } <= set(walk.surface())


@pytest.mark.parametrize(
    ("function", "raw"),
    [
        (lambda value: value.strip(), True),
        (lambda value: {}[value], True),
        (lambda value: [][value], True),
        (lambda value: 1 / value if value == 0 else 1, True),
        (lambda value: int("x"), False),
        (lambda value: {"no such seat": 1}["nobody by this name sits here"], False),
    ],
)
def test_a_raw_error_is_found(function, raw):
    found = [walk.outcome(function, {"value": value}) for value in (None, 0, [])]
    assert any(found) == raw


@pytest.mark.parametrize(
    "name", ["messages", "rules", "tools", "observe", "info", "turn", "render"]
)
@pytest.mark.parametrize("id", ["game:KuhnPoker-v0", "game:Bargaining-v0"])
def test_a_seat_that_is_not_there_is_a_seat_error(id, name):
    env = gem_ma.make(id, render_mode="ansi")
    env.reset(seed=0)
    with pytest.raises(gem_ma.SeatError, match="no seat 'nobody'; the seats are"):
        getattr(env, name)("nobody")


def test_messages_before_reset():
    env = gem_ma.make("game:KuhnPoker-v0")
    with pytest.raises(gem_ma.ResetNeeded, match="messages"):
        env.messages(env.possible_agents[0])


@pytest.mark.parametrize("penalty", [float("nan"), float("inf"), -1])
def test_a_penalty_is_a_number_from_0(penalty):
    with pytest.raises(ValueError, match=r"penalty=.*expected 0 or more"):
        gem_ma.make("game:KuhnPoker-v0", penalty=penalty)
