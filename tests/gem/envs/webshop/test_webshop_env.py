"""GEM's ids and class of the web shop, with GEM's arguments (its HEAD of 2025-12)."""

import packs
import pytest

packs.need("webshop")

import gem_ma
from gem_ma import gem
from gem_ma.gem.envs.webshop.webshop import WebshopEnv

IDS = [f"webshop:{split}-{mode}" for mode in ("html", "text", "text_rich")
       for split in ("train", "test")]  # fmt: skip


def test_the_six_ids_have_gems_arguments():
    for id in IDS:
        split, _, mode = id.partition(":")[2].partition("-")
        game = gem_ma.make(id).game
        assert (game.observation_mode, game.split) == (mode, split)
        assert (game.max_turns, game.error_tolerance) == (15, 15)
        first = gem.make(id, seed=5).reset()[0]
        assert first == gem.make(id).reset(seed=5)[0]
        assert ("<html>" in first) == (mode == "html")


def test_invalid_replies_cost_a_tenth_and_a_turn():
    env = gem.make("webshop:train-text", max_turns=3)
    env.reset(seed=0)
    assert env.max_turns == 3
    results = [env.step(text)[1:4] for text in (r"\boxed{buy now}", "search[tea]", "click[no]")]
    assert results == [(-0.1, False, False), (0, False, False), (-0.1, False, True)]


def test_a_class_has_gems_defaults():
    env = WebshopEnv("html", "test", session="3", session_prefix="a")
    observation, _ = env.reset(idx=7)
    assert "<html>" in observation
    assert env.env.game_state.number == 7
    assert env.step("nonsense")[1:4] == (0, True, False)  # no error is tolerated
    env = WebshopEnv(format_error_reward=-0.5, error_tolerance=1)
    env.reset(seed=0)
    assert [env.step("nonsense")[1:3] for _ in range(2)] == [(-0.5, False), (-0.5, True)]
    twin = env.spawn()
    assert type(twin) is WebshopEnv
    with pytest.raises(ValueError, match="format_error_reward=1: expected 0 or less"):
        gem.make("webshop:test-text", format_error_reward=1)


def test_a_purchase_is_paid_and_ends_the_episode():
    env = gem.make("webshop:test-text_rich")
    env.reset(seed=1)
    goal = env.env.game_state.goal
    assert "[button] " + goal.asin in env.step(rf"Well. \boxed{{search[{goal.title}]}}")[0]
    env.step(rf"\boxed{{click[{goal.asin.lower()}]}}")
    for value in goal.options:
        observation = env.step(rf"\boxed{{click[{value}]}}")[0]
        assert f"You have clicked {value}." in observation
    assert env.step(r"\boxed{click[buy now]}")[1:4] == (1.0, True, False)
