"""Kuhn poker: its secrets; every history is compared in test_second_sources."""

import itertools

import gem_ma
from gem_ma.envs.cards.kuhn_poker import CARDS, KuhnPoker, State

GAME = KuhnPoker()
HISTORIES = [(), ("check",), ("bet",), ("check", "bet"), ("bet", "fold"), ("check", "bet", "fold")]


def test_a_seat_sees_nothing_of_the_others_card_before_the_showdown():
    for own, history in itertools.product(CARDS, HISTORIES):
        for seat in GAME.agents:
            seen = set()
            for other in set(CARDS) - {own}:
                cards = (own, other) if seat == "first" else (other, own)
                state = State(cards, history)
                view = state.seen_by(seat)
                picture = GAME.picture(view, seat)
                numbers = GAME.encode(view, seat).tobytes()
                seen.add((view, GAME.describe(view, seat), picture, numbers, view.legal(seat)))
            assert len(seen) == 1


def test_a_showdown_shows_both_cards_and_a_fold_none():
    for history in (("check", "check"), ("bet", "call"), ("check", "bet", "call")):
        assert State(("J", "K"), history).seen_by("first").cards == ("J", "K")
    assert State(("J", "K"), ("bet", "fold")).seen_by("first").cards == ("J", None)
    left = GAME.forfeit(State(("J", "K")), "second", None)
    assert left.seen_by("first").cards == ("J", None)
    assert left.returns() == {"first": 1.0, "second": -1.0}


def test_every_deal_comes_up():
    env, deals = gem_ma.make("game:KuhnPoker-v0"), {}
    for seed in range(600):
        env.reset(seed=seed)
        deals[env.game_state.cards] = deals.get(env.game_state.cards, 0) + 1
    assert len(deals) == 6
    assert min(deals.values()) > 60
