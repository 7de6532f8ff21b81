"""Leduc poker: six cards, one held by each agent and one for both, two rounds of bets."""

from dataclasses import dataclass, replace

import numpy as np

from gem_ma.envs.env_functions import make_env_functions
from gem_ma.envs.turn_captions import make_turn_caption
from gem_ma.game import Game, Message, parse_choice
from gem_ma.scene import Cards

AGENTS = ("first", "second")
CARDS = ("J", "Q", "K")  # weakest first; two of each are in the deck
ANTE, SIZES = 1, (2, 4)  # ante, and the size of a raise in each round
RAISES = 2  # most raises in a round
MOVES = ("fold", "check", "call", "raise")
LONGEST = 4  # check, raise, raise, call


@dataclass(frozen=True, slots=True)
class State:
    cards: tuple[str | None, str | None]  # None: hidden
    board: str | None = None  # the open card, once it is dealt
    rounds: tuple[tuple[str, ...], ...] = ((),)  # first begins each
    left: str | None = None  # who forfeited

    def to_act(self):
        return () if self.left or self.over() else (AGENTS[len(self.rounds[-1]) % 2],)

    def over(self):
        bets = self.rounds[-1]
        return bets[-1:] == ("fold",) or (len(self.rounds) == 2 and _closed(bets))

    def paid(self):
        """Return what each seat has put into the pot."""
        payments = [ANTE, ANTE]
        for size, bets in zip(SIZES, self.rounds, strict=False):
            for i, bet in enumerate(bets):
                if bet in ("call", "raise"):
                    payments[i % 2] = payments[1 - i % 2] + (size if bet == "raise" else 0)
        return tuple(payments)

    def returns(self):
        reward = float(self.won_by_first())
        return {"first": reward, "second": -reward}

    def won_by_first(self):
        first, second = self.paid()
        if self.left:
            return -first if self.left == "first" else second
        if self.to_act():
            return 0
        bets = self.rounds[-1]
        if bets[-1] == "fold":
            return -first if len(bets) % 2 else second
        ranks = [(card == self.board, CARDS.index(card)) for card in self.cards]  # a pair is best
        return second if ranks[0] > ranks[1] else -first if ranks[0] < ranks[1] else 0

    def seen_by(self, agent):
        if self.over() and self.rounds[-1][-1] != "fold" and not self.left:
            return self  # a showdown
        first, second = self.cards
        return replace(self, cards=(first, None) if agent == "first" else (None, second))

    def legal(self, agent):
        bets = self.rounds[-1]
        answers = ("fold", "call") if bets[-1:] == ("raise",) else ("check",)
        return (*answers, "raise") if bets.count("raise") < RAISES else answers


class LeducPoker(Game[State]):
    agents = AGENTS
    moves = MOVES
    zero_sum = True

    def start(self, rng, options):
        first, second = rng.permutation(2 * CARDS)[:2].tolist()
        return State((first, second))

    def read(self, text, view, agent):
        return parse_choice(text, view.legal(agent))

    def advance(self, state, moves, rng):
        bets = (*state.rounds[-1], *moves.values())
        after = replace(state, rounds=(*state.rounds[:-1], bets))
        if len(state.rounds) == 2 or not _closed(bets):
            return after
        deck = list(2 * CARDS)
        for card in state.cards:
            deck.remove(card)
        return replace(after, rounds=(bets, ()), board=deck[int(rng.integers(len(deck)))])

    def skip(self, view, agent):
        return view.legal(agent)[0]  # check, or fold

    def forfeit(self, state, agent, rng):
        """Lose what was paid, as by folding."""
        return replace(state, left=agent)

    def tell(self, before, moves, after):
        ((seat, move),) = moves.items()
        messages = [Message(None, seat, move)]
        if after.board and not before.board:
            messages.append(Message(None, "game", f"The open card is {after.board}."))
        return messages

    def rules(self, agent):
        return (
            f"You are playing Leduc poker as {agent}. The deck is J, J, Q, Q, K, K, and K is the "
            f"strongest. Each of the two players antes {ANTE} chip and gets one card. After a "
            "round of bets, one card is laid open for both, and a second round follows. first "
            "begins each round. Who faces no bet may check or raise; who faces one may fold, call "
            f"or raise. A raise adds {SIZES[0]} chips to what the other has paid in the first "
            f"round and {SIZES[1]} in the second, and there are at most {RAISES} in a round. Who "
            "folds loses what it paid. Otherwise a card that pairs with the open one wins, else "
            "the stronger card; equal cards share. You earn the chips that you win. Reply with "
            "check, fold, call or raise."
        )

    def describe(self, view, agent):
        cards = ", ".join(f"{a} {card or '?'}" for a, card in zip(AGENTS, view.cards, strict=True))
        return f"Cards: {cards}, open {view.board or '?'}.\n" + "\n".join(self.status(view))

    def status(self, view):
        payments = ", ".join(f"{a} {n}" for a, n in zip(AGENTS, view.paid(), strict=True))
        rounds = (*view.rounds, ())[:2]
        return (
            *(f"Round {i}: {', '.join(bets) or 'no bets'}" for i, bets in enumerate(rounds, 1)),
            f"Paid: {payments}",
            *(f"{view.left} forfeited" for _ in (1,) if view.left),
        )

    def picture(self, view, agent):
        hands = zip((*AGENTS, "open"), (*view.cards, view.board), strict=True)
        status = *self.status(view), *make_turn_caption(view)
        return Cards(tuple((name, (card or "?",)) for name, card in hands), status)

    def encode(self, view, agent):
        """Return the own card and the open one, one-hot, and each bet of both rounds.

        A bet is two numbers: check or call, and raise.
        """
        row = np.zeros(6 + 4 * LONGEST, np.float32)
        row[CARDS.index(view.cards[AGENTS.index(agent)])] = 1
        if view.board:
            row[3 + CARDS.index(view.board)] = 1
        for number, bets in enumerate(view.rounds):
            for i, bet in enumerate(bets):
                if bet != "fold":
                    row[6 + 2 * (LONGEST * number + i) + (bet == "raise")] = 1
        return row


def _closed(bets):
    """Return whether a betting round has ended without a fold."""
    return bets[-1:] == ("call",) or bets == ("check", "check")


env, parallel_env, raw_env = make_env_functions(__name__)
