"""Two seats: a customer who knows what is wanted, and a shopper who sees the shop."""

import numpy as np
import packs
import pytest

packs.need("webshop")

import gem_ma
from gem_ma.envs.webshop.errand import ShoppingErrand
from gem_ma.game import InvalidMove


def test_the_seats_speak_and_shop_in_turn():
    env = gem_ma.make("webshop:errand", products=20, max_turns=5)
    env.reset(seed=0)
    assert env.agent_selection == "customer"
    env.step("I want a new hoodie.")
    assert env.agent_selection == "shopper"
    assert "customer: I want a new hoodie." in env.turn("shopper").text
    env.step("search[for made]")
    assert env.agent_selection == "shopper"
    env.step("ask[Which color?]")
    assert env.agent_selection == "customer"
    assert "shopper: Which color?" in env.turn("customer").text
    env.step("red")
    assert env.game_state.left == 3  # the answer takes no turn
    asin = env.game_state.page.products[0].asin
    env.step(f"click[{asin}]")
    env.step("click[buy now]")
    returns = env.game_state.returns()
    assert returns["customer"] == returns["shopper"] > 0
    assert env.terminations == {"customer": True, "shopper": True}


def test_each_seat_sees_its_part():
    game = ShoppingErrand(products=20)
    state = game.start(np.random.default_rng(0), {})
    state = game.advance(state, {"customer": "Hello."}, None)
    move = game.read(f"search[{state.goal.title}]", state.seen_by("shopper"), "shopper")
    state = game.advance(state, {"shopper": move}, None)
    customer, shopper = (state.seen_by(seat) for seat in game.agents)
    assert shopper.goal is None
    assert state.goal.text not in repr(shopper)
    assert not game.brief(shopper, "shopper")
    assert state.goal.text in game.brief(customer, "customer")
    asin = state.page.products[0].asin
    assert asin not in repr(customer)
    assert asin not in game.describe(customer, "customer")
    assert asin in game.describe(shopper, "shopper")
    assert game.picture(customer, "customer") is None
    assert game.picture(shopper, "shopper").widgets[0].kind != "note"
    assert "customer: Hello." in game.describe(state, None)
    assert "customer: Hello." in game.picture(state, None).widgets[0].text


@pytest.mark.parametrize("text", ["", "x" * 81])
def test_messages_are_bounded(text):
    game = ShoppingErrand(products=20)
    state = game.start(np.random.default_rng(0), {})
    with pytest.raises(InvalidMove, match="a message has 1 to 80 characters"):
        game.read(text, state.seen_by("customer"), "customer")
    state = game.advance(state, {"customer": None}, None)
    with pytest.raises(InvalidMove, match="a message has 1 to 80 characters"):
        game.read(f"ask[{text}]", state.seen_by("shopper"), "shopper")
    with pytest.raises(InvalidMove, match=r"expected ask\[question\]"):
        game.read("ask[what", state.seen_by("shopper"), "shopper")
    assert all(
        game.read(one, state.seen_by(seat), seat) for seat in game.agents
        for one in state.seen_by(seat).legal(seat)
    )  # fmt: skip
