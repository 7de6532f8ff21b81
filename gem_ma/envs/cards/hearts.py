"""Hearts: four agents take tricks and avoid hearts and the queen of spades."""

import functools
import itertools
from dataclasses import dataclass, replace

import numpy as np

from gem_ma.envs.cards.deck import DECK, SUITS, rank
from gem_ma.envs.env_functions import make_env_functions
from gem_ma.envs.turn_captions import make_turn_caption
from gem_ma.game import Game, InvalidMove, Maybe, Message, clip_repr, parse_choice
from gem_ma.scene import Cards, TextTable

AGENTS = ("player_0", "player_1", "player_2", "player_3")
SEATS = range(len(AGENTS))
PASSING = ("nobody", "the left", "across", "the right")  # by the number of seats to pass on
PASSED, HAND = 3, 13
FIRST, QUEEN = "2c", "Qs"
ALL = 26  # points in a deck; a seat that takes all gets none, and the others get all
LEFT = -0.75  # return of a seat that left, as if it alone had 26 points
ORDER = tuple(sorted(DECK, key=lambda card: (SUITS.index(card[-1]), rank(card))))
LOWER = {card.casefold() for card in DECK}
COUNTING = (*(card for card in ORDER if card[-1] == "h"), QUEEN)
# Cards to pass, by their places in the hand, in the order of `_passes`.
PLACES = tuple(
    f"pass {' '.join(map(str, places))}"
    for places in itertools.combinations(range(1, HAND + 1), PASSED)
)


def points(cards):
    return sum(13 if card == QUEEN else card[-1] == "h" for card in cards)


@dataclass(frozen=True, slots=True)
class State:
    hands: tuple[Maybe[tuple[str, ...]], ...]  # None: hidden
    shift: int  # how many seats cards are passed on; 0: no passing
    given: tuple[Maybe[tuple[str, ...]], ...] = ((),) * 4  # what each seat passed
    passing: bool = True
    turn: int = 0
    trick: tuple[str, ...] = ()  # cards played, ending with the seat before `turn`
    taken: tuple[tuple[str, ...], ...] = ((),) * 4  # the counting cards that each seat took
    left: int = HAND  # tricks left
    broken: bool = False  # hearts may be led
    gone: tuple[int, ...] = ()

    def to_act(self):
        present = [AGENTS[seat] for seat in SEATS if seat not in self.gone]
        if self.passing:
            return tuple(present)
        return (AGENTS[self.turn],) if self.left and present else ()

    def out(self):
        return tuple([AGENTS[seat] for seat in self.gone])

    def points(self):
        scores = [points(cards) for cards in self.taken]
        if ALL in scores:
            scores = [0 if n == ALL else ALL for n in scores]
        return scores

    def returns(self):
        scores = self.points() if not self.left else [0] * 4
        average = sum(scores) / 4
        return {
            agent: LEFT if seat in self.gone else (average - scores[seat]) / ALL
            for seat, agent in enumerate(AGENTS)
        }

    def seen_by(self, agent):
        own = AGENTS.index(agent)
        giver = (own - self.shift) % 4
        hands = tuple([hand if seat == own else None for seat, hand in enumerate(self.hands)])
        passed_cards = tuple(
            [c if seat in (own, giver) else None for seat, c in enumerate(self.given)]
        )
        return replace(self, hands=hands, given=passed_cards)

    def legal(self, agent):
        hand = self.hands[AGENTS.index(agent)]
        return _passes(hand) if self.passing else self.playable(hand)

    def playable(self, hand):
        """Return the cards of a hand that may be played."""
        first = self.left == HAND
        if not self.trick:
            if first:
                return (FIRST,)
            free_cards = hand if self.broken else [card for card in hand if card[-1] != "h"]
            return tuple(free_cards or hand)
        same_suit = [card for card in hand if card[-1] == self.trick[0][-1]]
        if same_suit:
            return tuple(same_suit)
        harmless = [card for card in hand if not points((card,))] if first else ()
        return tuple(harmless or hand)

    def passed(self, moves):
        """Pass the cards of all seats at the same time; the two of clubs then leads."""
        passed_cards = tuple([tuple(moves[seat].split()) for seat in SEATS])
        hands = []
        for seat, hand in enumerate(self.hands):
            new_cards = passed_cards[(seat - self.shift) % 4]
            hands.append(
                tuple(
                    [c for c in ORDER if c in (set(hand) - set(passed_cards[seat])) | {*new_cards}]
                )
            )
        return replace(self, hands=tuple(hands), given=passed_cards).led()

    def led(self):
        turn = next(seat for seat in SEATS if FIRST in self.hands[seat])
        return replace(self, passing=False, turn=turn)

    def play(self, card):
        hand = tuple([other_card for other_card in self.hands[self.turn] if other_card != card])
        after = replace(
            self,
            hands=(*self.hands[: self.turn], hand, *self.hands[self.turn + 1 :]),
            trick=(*self.trick, card),
            turn=(self.turn + 1) % 4,
            broken=self.broken or points((card,)) > 0,
        )
        if len(after.trick) < 4:
            return after
        trick_winner = (after.turn + highest(after.trick)) % 4
        count = tuple([card for card in after.trick if points((card,))])
        taken_cards = [
            (*cards, *count) if s == trick_winner else cards for s, cards in enumerate(self.taken)
        ]
        return replace(
            after, trick=(), turn=trick_winner, taken=tuple(taken_cards), left=self.left - 1
        )

    def settled(self):
        """Return the state after automatic play of the lowest legal card for seats that left."""
        state = self
        while state.to_act() and not state.passing and state.turn in state.gone:
            state = state.play(state.playable(state.hands[state.turn])[0])
        return state


def highest(trick):
    """Return the index of the card that takes a trick."""
    suit = trick[0][-1]
    return max(range(len(trick)), key=lambda i: (trick[i][-1] == suit, rank(trick[i])))


@functools.lru_cache(64)
def _passes(hand):
    return tuple(" ".join(cards) for cards in itertools.combinations(hand, PASSED))


class Hearts(Game[State]):
    agents = AGENTS
    moves = (*ORDER, *PLACES)  # passing by names of cards would add 22,100 moves

    def start(self, rng, options):
        cards = [DECK[i] for i in rng.permutation(len(DECK)).tolist()]
        return self.dealt(cards, int(rng.integers(4)))

    def dealt(self, cards, shift):
        """Return the first state for a shuffled deck; each seat gets every fourth card."""
        hands = [set(cards[seat::4]) for seat in SEATS]
        state = State(tuple([tuple([c for c in ORDER if c in hand]) for hand in hands]), shift)
        return state if shift else state.led()

    def read(self, text, view, agent):
        legal = view.legal(agent)
        words = text.casefold().replace(",", " ").replace("pass", " ").replace("play", " ").split()
        words = [f"10{word[1:]}" if word.startswith("t") else word for word in words]
        cards_by_name = {card.casefold(): card for card in view.hands[AGENTS.index(agent)]}
        names = [cards_by_name.get(word.strip(".!"), word) for word in words]
        if view.passing:
            if f"pass {' '.join(words)}" in PLACES:
                names = [view.hands[AGENTS.index(agent)][int(word) - 1] for word in words]
            names.sort(key=lambda card: ORDER.index(card) if card in ORDER else -1)
        try:
            return parse_choice(" ".join(names), legal)
        except InvalidMove:
            raise InvalidMove(
                f"{clip_repr(text)} is not a legal move: {_why(names, view)}"
            ) from None

    def name_moves(self, legal):
        return PLACES if len(legal) == len(PLACES) else legal

    def advance(self, state, moves, rng):
        if state.passing:
            passes = {AGENTS.index(seat): move for seat, move in moves.items()}
            for seat in state.gone:
                passes[seat] = _passes(state.hands[seat])[0]
            return state.passed(passes).settled()
        (card,) = moves.values()
        return state.play(card).settled()

    def skip(self, view, agent):
        return view.legal(agent)[0]

    def forfeit(self, state, agent, rng):
        """Leave the game; the seat's lowest legal cards are played automatically."""
        return replace(state, gone=(*state.gone, AGENTS.index(agent))).settled()

    def tell(self, before, moves, after):
        if before.passing:
            messages = []
            for seat, cards in enumerate(after.given):
                to = (seat + after.shift) % 4
                text = f"passes {' '.join(cards)} to"
                messages.append(Message((AGENTS[to],), "game", f"{AGENTS[seat]} {text} you."))
            return messages
        ((seat, card),) = moves.items()
        messages, state, turn = [], before, AGENTS.index(seat)
        while True:  # includes what is played for seats that left
            messages.append(Message(None, AGENTS[turn], card))
            new_state = state.play(card)
            if not new_state.trick:
                trick = (*state.trick, card)
                text = (
                    f"{AGENTS[new_state.turn]} takes {' '.join(trick)}, "
                    f"which counts {points(trick)}."
                )
                messages.append(Message(None, "game", text))
            state, turn = new_state, new_state.turn
            if not state.left or turn not in after.gone or state == after:
                return messages
            card = state.playable(state.hands[turn])[0]

    def rules(self, agent):
        return (
            f"You are playing Hearts as {agent}, against three others, one deal. All 52 cards are "
            "dealt, 13 to each. Each heart that you take counts 1 point and the queen of spades "
            "(Qs) 13; points are bad. First each seat may have to pass three cards: to the left "
            "(player_0 to player_1, and so on), across, or to the right; all do so at the same "
            "time. Who has the two of clubs (2c) then leads it. In turn you play a card, of the "
            "suit that was led if you have one, else any. The highest card of the suit that was "
            "led takes the trick, and who took it leads the next one. In the first trick no card "
            "that counts may be played, unless you have nothing else. A heart may be led only "
            "when a heart or Qs has been played, or if you have hearts alone. Who takes all 26 "
            "points has none, and each of the others has 26. You earn the average of all four "
            "minus your own points, divided by 26. Reply with a card such as 10h, or with three "
            "such as 2c Jh Qs to pass them."
        )

    def describe(self, view, agent):
        lines = []
        for seat, hand in enumerate(view.hands):
            if hand is not None:
                holder = "You hold" if AGENTS[seat] == agent else f"{AGENTS[seat]} holds"
                lines.append(f"{holder} {' '.join(hand) or 'no cards'}")
        return "\n".join([*lines, *self.status(view, agent)])

    def status(self, view, agent):
        lines = []
        if view.passing:
            lines.append(f"Cards are passed to {PASSING[view.shift]}")
        else:
            lines += [
                f"{AGENTS[seat]} passed {' '.join(cards)} to {AGENTS[(seat + view.shift) % 4]}"
                for seat, cards in enumerate(view.given)
                if cards
            ]
        if view.left:
            lead = (view.turn - len(view.trick)) % 4
            trick = " ".join(f"p{(lead + i) % 4} {card}" for i, card in enumerate(view.trick))
            lines.append(f"Trick {HAND + 1 - view.left} of {HAND}: {trick or 'no card'}")
        else:
            lines.append(f"All {HAND} tricks are over")
        taken_cards = [
            f"p{seat} {' '.join(cards)}" for seat, cards in enumerate(view.taken) if cards
        ]
        lines.append(f"Taken: {', '.join(taken_cards) or 'nothing that counts'}")
        if not view.left:
            lines.append("Points: " + ", ".join(map(str, view.points())))
        if view.gone:
            lines.append(f"Left: {', '.join(view.out())}")
        return (
            *lines,
            *(make_turn_caption(view) if not view.passing else ("To act: all who are here",)),
        )

    def picture(self, view, agent):
        if agent is None:  # all 52 cards
            rows = [
                (f"p{seat}", *(_of_suit(hand, suit) for suit in SUITS))
                for seat, hand in enumerate(view.hands)
            ]
            return TextTable(tuple(rows), ("", "c", "d", "h", "s"), "", self.status(view, agent))
        hand = view.hands[AGENTS.index(agent)]
        lead = (view.turn - len(view.trick)) % 4
        trick = ((f"trick, p{lead} led", view.trick),) if view.trick else ()
        return Cards((*trick, ("your hand", hand)), self.status(view, agent))

    def encode(self, view, agent):
        """Return sets of cards, each one-hot over the deck, and then the progress of the game.

        The sets are the own hand, the cards passed by and to the own seat, and the card of each
        seat in the trick. Then come the counting cards that each seat took, the direction of
        passing while cards are passed, the tricks left, whose turn it is, and who has left. Seats
        are in order from the own one on.
        """
        own = AGENTS.index(agent)
        order = [(own + i) % 4 for i in SEATS]
        tricks = [()] * 4
        for i, card in enumerate(reversed(view.trick), 1):
            tricks[(view.turn - i) % 4] = (card,)
        passed_cards = (
            (view.given[own], view.given[(own - view.shift) % 4]) if view.shift else ((), ())
        )
        cards = (view.hands[own], *passed_cards, *(tricks[seat] for seat in order))
        acts = not view.passing and view.to_act()
        parts = [_mark(some, ORDER) for some in cards]
        parts += [_mark(view.taken[seat], COUNTING) for seat in order]
        parts += [
            [view.passing and view.shift == shift for shift in range(4)],
            [view.left / HAND],
            [bool(acts) and view.turn == seat for seat in order],
            [seat in view.gone for seat in order],
        ]
        return np.concatenate(parts).astype(np.float32)


def _mark(cards, among):
    return [card in cards for card in among]


def _of_suit(hand, suit):
    ranks = [card[:-1] for card in hand if card[-1] == suit]
    return "\n".join(" ".join(ranks[i : i + 3]) for i in range(0, len(ranks), 3))


def _why(said, view):
    """Return what is wrong with the named cards."""
    count = PASSED if view.passing else 1
    if len(said) != count:
        return f"name {count} card{'s' * (count > 1)}"
    (hand,) = [hand for hand in view.hands if hand is not None]
    if unknown := [card for card in said if card.casefold() not in LOWER]:
        return f"{clip_repr(unknown[0])} is no card"
    if not all(card in hand for card in said):
        return "you do not have that"
    if view.passing:
        return "name three different cards"
    if view.trick and any(card[-1] == view.trick[0][-1] for card in hand):
        return "you have to follow suit"
    if view.left == HAND:
        return "it may not be played in the first trick" if view.trick else f"{FIRST} has to be led"
    return "hearts may not be led yet"


env, parallel_env, raw_env = make_env_functions(__name__)
