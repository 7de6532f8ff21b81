"""Kuhn poker: its secrets; every history is compared in test_second_sources."""

import itertools
import re

from game_contract import GameContract, even

from gem_ma.envs.cards.kuhn_poker import CARDS, KuhnPoker, State

GAME = KuhnPoker()
HISTORIES = [(), ("check",), ("bet",), ("check", "bet"), ("bet", "fold"), ("check", "bet", "fold")]


def read_numbers(text, agent):
    """Return what a view says in numbers, read from its text."""
    card, betting = re.search(rf"{agent} (\w)", text)[1], re.search(r"Betting: (.*)\.", text)[1]
    open_bets = ("none yet", "check", "bet", "check, bet")
    return [*(card == c for c in "JQK"), *(betting == bets for bets in open_bets)]


class TestContract(GameContract):
    id = "game:KuhnPoker-v0"
    seats = ("first", "second")
    zero_sum = True
    pays = "chips won; a forfeit loses the ante"
    outcomes = {(chips, -chips) for chips in (-2, -1, 1, 2)}
    draws = {"cards": ({}, lambda state: [state.cards], even(itertools.permutations("JQK", 2)))}
    numbers = staticmethod(read_numbers)

    def test_secrets(self):
        """A seat sees nothing of the other's card before the showdown."""
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
