"""Kuhn poker: three cards, two agents, one betting round; the smallest game with secrets."""

from typing import NamedTuple

import numpy as np

from gem_ma.envs.env_functions import make_env_functions
from gem_ma.envs.turn_captions import make_turn_caption
from gem_ma.game import Game, parse_choice
from gem_ma.scene import Cards

AGENTS = ("first", "second")
CARDS = ("J", "Q", "K")  # weakest first
TO_ACT = {(): 0, ("check",): 1, ("bet",): 1, ("check", "bet"): 0}  # betting -> seat
BETS = tuple(TO_ACT)


class State(NamedTuple):
    cards: tuple[str | None, str | None]  # None: hidden
    bets: tuple[str, ...] = ()
    left: str | None = None  # who forfeited

    def to_act(self):
        return (AGENTS[TO_ACT[self.bets]],) if self.bets in TO_ACT and not self.left else ()

    def returns(self):
        reward = self.won_by_first()
        return {"first": reward, "second": -reward}

    def won_by_first(self):
        """Return the chips that first wins: the ante of 1, or 2 if a bet was called."""
        if self.left:
            return -1.0 if self.left == "first" else 1.0
        if self.to_act():
            return 0.0
        if self.bets[-1] == "fold":
            return 1.0 if self.bets == ("bet", "fold") else -1.0
        first, second = map(CARDS.index, self.cards)
        stake = 2.0 if self.bets[-1] == "call" else 1.0
        return stake if first > second else -stake

    def seen_by(self, agent):
        if self.bets and self.bets not in TO_ACT and self.bets[-1] != "fold":
            return self  # a showdown
        first, second = self.cards
        cards = (first, None) if agent == "first" else (None, second)
        return State(cards, self.bets, self.left)

    def legal(self, agent):
        return ("fold", "call") if self.bets[-1:] == ("bet",) else ("check", "bet")


class KuhnPoker(Game[State]):
    agents = AGENTS
    moves = ("check", "bet", "fold", "call")
    zero_sum = True

    def start(self, rng, options):
        first, second = rng.permutation(3)[:2]
        return State((CARDS[first], CARDS[second]))

    def read(self, text, view, agent):
        return parse_choice(text, view.legal(agent))

    def advance(self, state, moves, rng):
        return State(state.cards, (*state.bets, *moves.values()))

    def skip(self, view, agent):
        return view.legal(agent)[0]  # check, or fold

    def forfeit(self, state, agent, rng):
        """Lose the ante."""
        return State(state.cards, state.bets, agent)

    def rules(self, agent):
        return (
            f"You are playing Kuhn poker as {agent}. The deck is J, Q, K, and K is the strongest. "
            "Each of the two players antes 1 chip and gets one card. first may check or bet 1 "
            "more; so may second after a check. Who faces a bet folds or calls. A fold gives the "
            "antes away; otherwise the stronger card takes all. "
            "Reply with check, bet, fold or call."
        )

    def describe(self, view, agent):
        first, second = view.cards
        betting = ", ".join(view.bets) or "none yet"
        return f"Cards: first {first or '?'}, second {second or '?'}. Betting: {betting}."

    def picture(self, view, agent):
        rows = [(a, (card or "?",)) for a, card in zip(AGENTS, view.cards, strict=True)]
        betting = ", ".join(view.bets) or "none yet"
        return Cards(tuple(rows), (f"Betting: {betting}", *make_turn_caption(view)))

    def encode(self, view, agent):
        """Return the own card and the betting so far, both one-hot."""
        row = np.zeros(7, np.float32)
        row[CARDS.index(view.cards[AGENTS.index(agent)])] = 1
        if view.bets in BETS:
            row[3 + BETS.index(view.bets)] = 1
        return row


env, parallel_env, raw_env = make_env_functions(__name__)
