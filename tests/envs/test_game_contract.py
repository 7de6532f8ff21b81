"""What is asked of every game finds what it asks for."""

import itertools

import pytest
from game_contract import GameContract, contracted_ids, even, fits

import gem_ma
from gem_ma.envs.cards.kuhn_poker import KuhnPoker
from gem_ma.envs.cards.liars_dice import LiarsDice, State

CARDS = {"cards": ({}, lambda state: [state.cards], even(itertools.permutations("JQK", 2)))}
RIGHT = {
    "seats": ("first", "second"),
    "zero_sum": True,
    "pays": "chips won",
    "outcomes": {(chips, -chips) for chips in (-2, -1, 1, 2)},
    "draws": CARDS,
}


def poker(**changes):
    """Return the contract of Kuhn poker with something else in it."""
    return type("Poker", (GameContract,), {"id": "game:KuhnPoker-v0", **RIGHT, **changes})()


def dice(**changes):
    """Return the contract of liar's dice with something else in it."""
    return type("Dice", (GameContract,), {"id": "game:LiarsDice-v0", **changes})()


@pytest.mark.parametrize(
    ("test", "changes"),
    [
        ("what_it_says_of_itself", {"zero_sum": False}),
        ("what_it_says_of_itself", {"simultaneous": True}),
        ("what_it_says_of_itself", {"seats": ("first", "third")}),
        ("what_is_drawn_at_the_start", {"draws": {}}),
        ("what_is_drawn_at_the_start", {"draws": {"cards": ({}, lambda s: s.cards, even("JQ"))}}),
        ("what_is_drawn_at_the_start", {"draws": {"no cards": ({}, lambda s: (), even("JQ"))}}),
        ("numbers_say_what_the_text_says", {}),
        ("numbers_say_what_the_text_says", {"numbers": staticmethod(lambda *view: [0] * 7)}),
        ("numbers_say_what_the_text_says", {"numbers": staticmethod(lambda *view: [0] * 6)}),
        ("what_it_pays", {"pays": ""}),
        ("what_it_pays", {"outcomes": {(1, -1)}}),
        ("what_is_hidden_has_a_test", {}),
        ("episodes_are_those_of_before", {"records": {"game:KuhnPoker-v0": "0123"}}),
    ],
)
def test_what_is_wrong_or_lacking_is_found(test, changes):
    with pytest.raises(AssertionError):
        getattr(poker(**changes), f"test_{test}")()


@pytest.mark.parametrize("test", ["what_is_drawn_at_the_start", "what_it_pays"])
def test_what_is_right_passes(test):
    getattr(poker(), f"test_{test}")()


def test_returns_may_be_told_by_a_function():
    poker(outcomes=staticmethod(lambda returns: max(returns) <= 2)).test_what_it_pays()
    with pytest.raises(AssertionError):
        poker(outcomes=staticmethod(lambda returns: max(returns) <= 1)).test_what_it_pays()


def test_what_moves_draw_has_to_be_said():
    assert not poker().draws_by_moves()
    poker().test_what_is_drawn_later()
    with pytest.raises(AssertionError, match="draws_later"):
        dice().test_what_is_drawn_later()
    game = LiarsDice(3, 4)
    start = State(game.agents, ((1,) * 4, (2,) * 4, (2,) * 4), (4, 4, 4), 0, (9, 1), 2)

    def roll(rng):
        after = game.advance(start, {start.to_act()[0]: "liar"}, rng)
        return itertools.chain(*after.dice)

    dice(draws_later={"dice": (roll, even(range(1, 7)))}).test_what_is_drawn_later()
    with pytest.raises(AssertionError, match="something came that cannot"):
        dice(draws_later={"dice": (roll, even(range(1, 6)))}).test_what_is_drawn_later()


def test_a_zero_sum_game_may_not_pay_both(monkeypatch):
    monkeypatch.setattr("gem_ma.envs.cards.kuhn_poker.State.returns", lambda state: {
        "first": 1.0, "second": 1.0
    })  # fmt: skip
    with pytest.raises(AssertionError):
        poker(outcomes={(1, 1)}).test_what_it_pays()


def test_an_episode_that_is_another_is_found(monkeypatch):
    monkeypatch.setattr(KuhnPoker, "rules", lambda game, agent: "Other rules.")
    with pytest.raises(AssertionError):
        poker().test_episodes_are_those_of_before()


def test_frequencies_that_do_not_fit_are_found():
    fits("ab" * 50, even("ab"))
    for outcomes, expected in (("a" * 75 + "b" * 25, even("ab")), ("abc" * 9, even("ab"))):
        with pytest.raises(AssertionError):
            fits(outcomes, expected)
    with pytest.raises(AssertionError, match="too few"):
        fits("ab", even("ab"))


def test_a_contract_stands_for_all_levels_of_its_game():
    found = contracted_ids()
    assert found["game:KuhnPoker-v0"].name == "test_kuhn_poker.py"
    assert found.keys() <= set(gem_ma.list_envs())
    assert "game:LiarsDice-v0" not in found
