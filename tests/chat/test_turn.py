"""Turns: what a seat may know."""

import gem_ma


def test_a_turn_holds_what_a_seat_may_know():
    env = gem_ma.make("game:KuhnPoker-v0", observe="both")
    env.reset(seed=2)
    first = env.turn("first")
    assert first.rules == env.rules("first")
    assert first.text == first.observation["text"]
    assert first.rules not in first.text
    assert first.observation["image"].array.shape == (252, 252, 3)
    assert first.legal == ("check", "bet")
    assert env.turn("second").legal == ()
    assert first.env_id == "game:KuhnPoker-v0"
    seeds = {env.turn("first").seed, env.turn("second").seed}
    env.step("check")
    seeds |= {env.turn("first").seed, env.turn("second").seed}
    assert len(seeds) == 4
    numbers = gem_ma.make("game:KuhnPoker-v0", actions="discrete")
    numbers.reset(seed=2)
    assert "Cards: " in numbers.turn("first").text
    assert numbers.turn("first").legal == ("check", "bet")
    pictures = gem_ma.make("game:KuhnPoker-v0", observe="image")
    pictures.reset(seed=2)
    pictures.step("nonsense")
    assert pictures.turn("first").text.startswith("Invalid: ")
