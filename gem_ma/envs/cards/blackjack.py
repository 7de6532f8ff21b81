"""Blackjack: one agent draws cards against a dealer, who has one hidden card."""

from typing import NamedTuple

import numpy as np

from gem_ma.envs.env_functions import make_env_functions
from gem_ma.game import Game, parse_choice
from gem_ma.scene import Cards

AGENT = "player"
MOVES = ("hit", "stick")
RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
DECK = tuple(rank + suit for suit in "shdc" for rank in RANKS)
HIDDEN = "?"


def draw(rng):
    """Draw a card from an infinite deck."""
    return DECK[rng.integers(len(DECK))]


def value(hand):
    """Return the value of a hand, and whether one of its aces counts 11."""
    total = sum(min(RANKS.index(card[:-1]) + 1, 10) for card in hand)
    soft = any(card[0] == "A" for card in hand) and total <= 11
    return total + 10 * soft, soft


def natural(hand):
    return len(hand) == 2 and value(hand)[0] == 21


class State(NamedTuple):
    own: tuple[str, ...]
    dealer: tuple[str, ...]  # the second is hidden until the end
    won: float | None = None  # None: the game continues

    def to_act(self):
        return () if self.won is not None else (AGENT,)

    def returns(self):
        return {AGENT: self.won or 0.0}

    def seen_by(self, agent):
        if self.won is not None:
            return self
        return State(self.own, (self.dealer[0], HIDDEN))

    def legal(self, agent):
        return MOVES


class Blackjack(Game[State]):
    agents = (AGENT,)
    moves = MOVES

    def __init__(self, natural: bool = False, sab: bool = False):
        if natural and sab:
            raise ValueError("natural=True, sab=True: expected at most one of them")
        self.natural, self.sab = natural, sab

    def start(self, rng, options):
        dealer = draw(rng), draw(rng)
        return State((draw(rng), draw(rng)), dealer)

    def read(self, text, view, agent):
        return parse_choice(text, MOVES)

    def advance(self, state, moves, rng):
        if moves[AGENT] == "hit":
            hand = (*state.own, draw(rng))
            return State(hand, state.dealer, -1.0 if value(hand)[0] > 21 else None)
        dealer = state.dealer
        while value(dealer)[0] < 17:
            dealer = (*dealer, draw(rng))
        return State(state.own, dealer, self.pays(state.own, dealer))

    def pays(self, own, dealer):
        if natural(own) and not natural(dealer):
            if self.sab:
                return 1.0
            if self.natural and value(dealer)[0] != 21:
                return 1.5
        own_total, dealer_total = value(own)[0], value(dealer)[0]
        return (
            1.0
            if dealer_total > 21
            else float((own_total > dealer_total) - (own_total < dealer_total))
        )

    def skip(self, view, agent):
        return "stick"

    def forfeit(self, state, agent, rng):
        """Lose the stake."""
        return state._replace(won=-1.0)

    def tell(self, before, moves, after):
        return ()  # the view shows the cards

    def rules(self, agent):
        extra = ""
        if self.natural:
            extra = "A natural, 21 with your first two cards, wins 1.5 if the dealer has no 21. "
        elif self.sab:
            extra = "A natural, 21 with your first two cards, wins against all but a natural. "
        return (
            "You are playing Blackjack for a stake of 1: come nearer to 21 than the dealer, and "
            "not above it. J, Q and K count 10, an ace 11, or 1 where 11 would be too much. You "
            "see one of the dealer's two cards. hit draws a card, and above 21 you lose at once; "
            "stick ends your turn. Then the dealer draws up to 17 or more. If the dealer is above "
            f"21, or you have more, you win; with as many nobody does. {extra}All cards are drawn "
            "from a full deck. Reply with hit or stick."
        )

    def describe(self, view, agent):
        return "\n".join([f"{name}: {' '.join(hand)}" for name, hand in self.hands(view)])

    def picture(self, view, agent):
        return Cards(self.hands(view))

    def hands(self, view):
        """Return both hands and their values."""
        dealer_label = (
            f"Dealer ({value(view.dealer)[0]})" if HIDDEN not in view.dealer else "Dealer"
        )
        total, soft = value(view.own)
        count = f"{'soft ' if soft else ''}{total}"
        return (dealer_label, view.dealer), (f"You ({count})", view.own)

    def encode(self, view, agent):
        """Return your hand's value, the dealer's visible card, and whether an ace counts 11."""
        total, soft = value(view.own)
        dealer_card = min(RANKS.index(view.dealer[0][:-1]) + 1, 10)
        return np.array([total / 31, dealer_card / 10, soft], np.float32)


env, parallel_env, raw_env = make_env_functions(__name__)
