"""Who knows the product buys it; who buys the first result, or clicks at random, earns less."""

import packs
import pytest

packs.need("webshop")

import gem_ma
from gem_ma.agents.loading import load_agent

IDS = ("webshop:buy-easy", "webshop:buy", "webshop:buy-hard", "webshop:errand")


def play(id, agent, episodes):
    env = gem_ma.make(id)
    found = gem_ma.rollout(env, agent, episodes, seed=7)
    return [one.returns[env.possible_agents[-1]] for one in found]


def test_an_oracle_earns_all():
    assert play("webshop:buy", "shop-oracle", 8) == [1] * 8
    assert play("webshop:errand", "shop-oracle", 4) == [1] * 4


@pytest.mark.slow
@pytest.mark.parametrize("id", [*IDS, "webshop:errand-hard", "webshop:test-html"])
def test_an_oracle_earns_all_over_200_seeds(id):
    assert play(id, "shop-oracle", 200) == [1] * 200


@pytest.mark.slow
@pytest.mark.parametrize("difficulty", range(11))
def test_an_oracle_earns_all_at_each_difficulty(difficulty):
    env = gem_ma.make("webshop:buy", difficulty=difficulty)
    assert all(one.returns["player"] == 1 for one in gem_ma.rollout(env, "shop-oracle", 20, seed=1))


@pytest.mark.slow
def test_naive_buyers_earn_less_the_harder_it_is():
    for agent, most in (("shop-first", (0.7, 0.5, 0.3)), ("random", (0.3, 0.25, 0.2))):
        means = [sum(found := play(id, agent, 100)) / len(found) for id in IDS[:3]]
        assert all(mean < limit for mean, limit in zip(means, most, strict=True)), means
        assert means == sorted(means, reverse=True)
        assert sum(one == 1 for one in found) <= 2


@pytest.mark.parametrize("name", ["shop-oracle", "shop-first"])
def test_agents_of_the_shop_play_nothing_else(name):
    agent = load_agent(name)
    env = gem_ma.make("game:TicTacToe-v0")
    env.reset(seed=0)
    with pytest.raises(ValueError, match=rf"{name} plays webshop:\.\.\. only"):
        agent.act([env.turn(env.agent_selection)])
