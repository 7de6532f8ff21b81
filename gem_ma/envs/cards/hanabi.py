"""Hanabi: everybody sees all hands but their own; with few hints, all win or lose together."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from gem_ma.envs.env_functions import make_env_functions
from gem_ma.game import Game, InvalidMove, Maybe, Message, parse_choice
from gem_ma.scene import TextTable

COLORS = ("red", "yellow", "green", "white", "blue")
COPIES = (3, 2, 2, 2, 1)  # of the ranks 1 to 5 of a colour
RANKS = len(COPIES)
HINTS, LIVES = 8, 3
ALL = (2 ** len(COLORS) - 1, 2**RANKS - 1)  # bits of the colours and ranks that a card can have
Card = tuple[int, int]  # colour, rank from 0
_SHADES = {"white": "gray"}


@dataclass(frozen=True, slots=True)
class State:
    agents: tuple[str, ...]
    deck: Maybe[tuple[Card, ...]]  # the next card is the last one
    hands: tuple[tuple[Maybe[Card], ...], ...]
    known: tuple[tuple[tuple[int, int], ...], ...]  # of each card: bits that hints leave
    built: tuple[int, ...] = (0,) * len(COLORS)  # height of each firework
    discarded: tuple[Card, ...] = ()
    hints: int = HINTS
    lives: int = LIVES
    left: int = 0  # cards in the deck
    turn: int = 0
    last: int | None = None  # turns left once the deck is empty
    gone: tuple[str, ...] = ()

    @property
    def score(self):
        return sum(self.built) if self.lives else 0

    def to_act(self):
        is_over = not self.lives or self.last == 0 or sum(self.built) == RANKS * len(COLORS)
        return () if is_over or len(self.gone) == len(self.agents) else (self.agents[self.turn],)

    def out(self):
        return self.gone

    def returns(self):
        reward = self.score / (RANKS * len(COLORS))
        return {agent: 0.0 if agent in self.gone else reward for agent in self.agents}

    def seen_by(self, agent):
        seat = self.agents.index(agent)
        hidden_hand = (None,) * len(self.hands[seat])
        return replace(
            self, deck=None, hands=(*self.hands[:seat], hidden_hand, *self.hands[seat + 1 :])
        )

    def legal(self, agent):
        seat = self.agents.index(agent)
        cards = range(1, len(self.hands[seat]) + 1)
        moves = [f"play {n}" for n in cards]
        if self.hints < HINTS:
            moves += [f"discard {n}" for n in cards]
        if self.hints:
            moves += [
                f"hint {other} {attribute}"
                for other, hand in zip(self.agents, self.hands, strict=True)
                if other not in (agent, *self.gone)
                for attribute in _said_of(hand)
            ]
        return tuple(moves)

    def after(self):
        """Return the state in which it is the next seat's turn."""
        players = len(self.agents)
        turns = [(self.turn + n) % players for n in range(1, players + 1)]
        turn = next((n for n in turns if self.agents[n] not in self.gone), self.turn)
        return replace(self, turn=turn, last=None if self.last is None else self.last - 1)

    def without(self, at):
        """Return the state after the seat to move has replaced one of its cards from the deck."""
        seat, hand, knowledge = self.turn, self.hands[self.turn], self.known[self.turn]
        hand, knowledge = hand[:at] + hand[at + 1 :], knowledge[:at] + knowledge[at + 1 :]
        deck, last = self.deck, self.last
        if deck:
            hand, knowledge, deck = (*hand, deck[-1]), (*knowledge, ALL), deck[:-1]
            if not deck:  # everybody has one more turn
                last = len(self.agents) - len(self.gone) + 1
        return replace(
            self,
            deck=deck,
            left=len(deck),
            last=last,
            hands=(*self.hands[:seat], hand, *self.hands[seat + 1 :]),
            known=(*self.known[:seat], knowledge, *self.known[seat + 1 :]),
        )

    def play(self, at):
        color, rank = card = self.hands[self.turn][at]
        state = self.without(at)
        if self.built[color] != rank:
            return replace(state, lives=self.lives - 1, discarded=(*self.discarded, card))
        fireworks = tuple([n + (color == i) for i, n in enumerate(self.built)])
        hints = min(HINTS, self.hints + (rank == RANKS - 1))  # a complete firework gives one back
        return replace(state, built=fireworks, hints=hints)

    def discard(self, at):
        card = self.hands[self.turn][at]
        return replace(self.without(at), hints=self.hints + 1, discarded=(*self.discarded, card))

    def hint(self, seat, what):
        """Return the state after a seat has learnt which of its cards have a colour or a rank."""
        kind = 0 if what in COLORS else 1
        value = COLORS.index(what) if kind == 0 else int(what) - 1
        hand_knowledge = []
        for card, bits in zip(self.hands[seat], self.known[seat], strict=True):
            mask = 1 << value if card[kind] == value else ~(1 << value)
            pair = list(bits)
            pair[kind] &= mask
            hand_knowledge.append(tuple(pair))
        knowledge = (*self.known[:seat], tuple(hand_knowledge), *self.known[seat + 1 :])
        return replace(self, known=knowledge, hints=self.hints - 1)


class Hanabi(Game[State]):
    def __init__(self, players: int = 2):
        if not 2 <= players <= 5:
            raise ValueError(f"players={players}: expected 2 to 5")
        self.agents = tuple(f"player_{i}" for i in range(players))
        self.size = 5 if players < 4 else 4
        cards = range(1, self.size + 1)
        attributes = (*COLORS, *map(str, range(1, RANKS + 1)))
        self.moves = (
            *(f"play {n}" for n in cards),
            *(f"discard {n}" for n in cards),
            *(f"hint {agent} {attribute}" for agent in self.agents for attribute in attributes),
        )

    def start(self, rng, options):
        cards = [(c, r) for c in range(len(COLORS)) for r, n in enumerate(COPIES) for _ in range(n)]
        return self.dealt([cards[i] for i in rng.permutation(len(cards)).tolist()])

    def dealt(self, cards):
        """Return the first state for a shuffled deck, which is dealt from its end."""
        deck, hands = list(cards), []
        for _ in self.agents:
            hands.append(tuple([deck.pop() for _ in range(self.size)]))
        knowledge = ((ALL,) * self.size,) * len(self.agents)
        return State(self.agents, tuple(deck), tuple(hands), knowledge, left=len(deck))

    def read(self, text, view, agent):
        words = text.replace(":", " ").split()
        if len(words) == 2 and words[0].casefold() == "hint" and len(self.agents) == 2:
            words.insert(1, self.agents[1 - self.agents.index(agent)])
        try:
            return parse_choice(" ".join(words), view.legal(agent))
        except InvalidMove:
            raise InvalidMove(self._why(" ".join(words).casefold(), view, agent)) from None

    def _why(self, said, view, agent):
        """Return why a move is not allowed."""
        if said in (self.moves or ()):
            if said.startswith("discard") and view.hints == HINTS:
                return f"all {HINTS} hints are there: nothing may be discarded"
            if said.startswith("hint") and not view.hints:
                return "there are no hints left"
            if said.startswith(f"hint {agent} "):
                return "you cannot give yourself a hint"
            if said.startswith("hint"):
                return "a hint has to be about one card at least"
        return f"{said[:60]!r} is not a legal move"

    def advance(self, state, moves, rng):
        (move,) = moves.values()
        if move is not None:
            kind, *arguments = move.split()
            if kind == "hint":
                state = state.hint(self.agents.index(arguments[0]), arguments[1])
            else:
                act = state.play if kind == "play" else state.discard
                state = act(int(arguments[0]) - 1)
        return state.after()

    def skip(self, view, agent):
        return None

    def forfeit(self, state, agent, rng):
        """Continue without a seat and its cards; with two seats the game ends."""
        if len(self.agents) - len(state.gone) < 3:
            return None
        new_state = replace(state, gone=(*state.gone, agent))
        return new_state.after() if state.to_act() == (agent,) else new_state

    def tell(self, before, moves, after):
        ((seat, move),) = moves.items()
        if move is None:
            return [Message(None, "game", f"{seat} lost its turn.")]
        kind, *arguments = move.split()
        if kind == "hint":
            hand = before.hands[self.agents.index(arguments[0])]
            places = [str(n) for n, card in enumerate(hand, 1) if arguments[1] in _said_of((card,))]
            cards = f"card{'s' * (len(places) > 1)} {', '.join(places)}"
            return [
                Message(None, "game", f"{seat} tells {arguments[0]}: {arguments[1]} at {cards}.")
            ]
        card = _name(before.hands[before.turn][int(arguments[0]) - 1])
        if kind == "discard":
            text = f"{seat} discards card {arguments[0]}: {card}."
        elif after.lives < before.lives:
            text = f"{seat} plays card {arguments[0]}: {card}, which does not fit and costs a life."
        else:
            text = f"{seat} plays card {arguments[0]}: {card}."
        return [Message(None, "game", text)]

    def rules(self, agent):
        return (
            f"You are playing Hanabi as {agent}, one of {len(self.agents)} who win together. Five "
            "fireworks (red, yellow, green, white, blue) are to be built, each from 1 up to 5. Of "
            "a colour there are three 1s, two 2s, 3s and 4s, and one 5. You see the cards of the "
            "others and not your own. In turn you do one of three things. Give a hint: tell "
            "another which of its cards have a colour, or a rank; that costs one of "
            f"{HINTS} hints. Discard a card: that brings a hint back. Play a card: it has to be "
            f"the next one of its colour; if not, it is lost and costs one of {LIVES} lives, and "
            "without lives the score is 0. A 5 that is played brings a hint back. For each card "
            "that leaves your hand you draw one, which becomes your last. When the deck is empty, "
            "everybody has one more turn. All earn the height of all fireworks together, divided "
            "by 25. Reply with play 2, discard 5, hint player_1 red, or hint player_1 3."
        )

    def describe(self, view, agent):
        lines = []
        for name, hand, knowledge in zip(view.agents, view.hands, view.known, strict=True):
            if name in view.gone:
                lines.append(f"{name} has left.")
                continue
            lines.append(f"{name}{' (you)' if name == agent else ''}:")
            for number, (card, bits) in enumerate(zip(hand, knowledge, strict=True), 1):
                card_name = _name(card) if card else "?"
                lines.append(f"  {number}: {card_name}; as far as hints say: {_may(bits)}")
        return "\n".join([*self.status(view), *lines])

    def status(self, view):
        fireworks = ", ".join(f"{c} {n}" for c, n in zip(COLORS, view.built, strict=True))
        discards = ", ".join(_name(card) for card in sorted(view.discarded)) or "none"
        turns = "" if view.last is None else f", turns left: {view.last}"
        turn_caption = (
            f"To act: {view.agents[view.turn]}" if view.to_act() else f"Score: {view.score}"
        )
        return (
            f"Fireworks: {fireworks}",
            f"Hints: {view.hints}, lives: {view.lives}, deck: {view.left}{turns}",
            f"Discarded: {discards}",
            turn_caption,
        )

    def picture(self, view, agent):
        rows = []
        for seat, (hand, knowledge) in enumerate(zip(view.hands, view.known, strict=True)):
            if view.agents[seat] not in view.gone:
                cells = [_cell(card, bits) for card, bits in zip(hand, knowledge, strict=True)]
                rows.append((f"p{seat}", *cells, *[""] * (self.size - len(hand))))
        head = ("", *map(str, range(1, self.size + 1)))
        fireworks = " ".join(f"{c[0].upper()}{n}" for c, n in zip(COLORS, view.built, strict=True))
        discards = [
            color[0].upper() + "".join(str(r + 1) for c, r in sorted(view.discarded) if c == n)
            for n, color in enumerate(COLORS)
        ]
        discard_line = " ".join(discard for discard in discards if len(discard) > 1) or "none"
        turns = "" if view.last is None else f", turns {view.last}"
        turn_caption = f"to act p{view.turn}" if view.to_act() else f"score {view.score}"
        counts = f"hints {view.hints}, lives {view.lives}, deck {view.left}{turns}, {turn_caption}"
        status = (f"built {fireworks}", f"gone {discard_line}", counts)
        return TextTable(tuple(rows), head, "", status)

    def encode(self, view, agent):
        """Return a row for each place of each hand, own hand first, then what all seats see.

        A row has the card's colour and rank, one-hot, if it is seen, and the colours and ranks that
        hints leave; a place without a card is all zeros. Then come the heights of the fireworks,
        the share of each card's copies that is discarded, hints, lives, cards in the deck, the
        turns left and whether they are counted. Last is whose turn it is, from the own seat on.
        """
        many, kinds = len(view.agents), len(COLORS) + RANKS
        own = view.agents.index(agent)
        places = np.zeros((many, self.size, 2, kinds), np.float32)
        for seat, (hand, knowledge) in enumerate(zip(view.hands, view.known, strict=True)):
            if view.agents[seat] in view.gone:
                continue
            for place, (card, bits) in enumerate(zip(hand, knowledge, strict=True)):
                seen, known = places[(seat - own) % many, place]
                if card is not None:
                    seen[[card[0], len(COLORS) + card[1]]] = 1
                known[: len(COLORS)] = [bits[0] >> n & 1 for n in range(len(COLORS))]
                known[len(COLORS) :] = [bits[1] >> n & 1 for n in range(RANKS)]
        discarded = np.zeros((len(COLORS), RANKS), np.float32)
        for color, rank in view.discarded:
            discarded[color, rank] += 1 / COPIES[rank]
        in_deck = len(COLORS) * sum(COPIES) - many * self.size
        counts = [view.hints / HINTS, view.lives / LIVES, view.left / in_deck]
        counts += [(view.last or 0) / (many + 1), float(view.last is not None)]
        turn = np.zeros(many, np.float32)
        if view.to_act():
            turn[(view.turn - own) % many] = 1
        built = np.array(view.built) / RANKS
        parts = places.ravel(), built, discarded.ravel(), counts, turn
        return np.clip(np.concatenate(parts), 0, 1).astype(np.float32)


def _said_of(hand):
    """Return the colours and ranks that hints about a hand can name."""
    colors = {color for color, _ in filter(None, hand)}
    ranks = {rank for _, rank in filter(None, hand)}
    return [COLORS[n] for n in sorted(colors)] + [str(n + 1) for n in sorted(ranks)]


def _name(card):
    return f"{COLORS[card[0]]} {card[1] + 1}"


def _short(card):
    return f"{COLORS[card[0]][0].upper()}{card[1] + 1}"


def _may(bits):
    """Return the possible colours and ranks of a card according to hints."""
    colors = [color for n, color in enumerate(COLORS) if bits[0] >> n & 1]
    ranks = [str(n + 1) for n in range(RANKS) if bits[1] >> n & 1]
    color = "any colour" if len(colors) == len(COLORS) else " or ".join(colors)
    return f"{color}, {'any rank' if len(ranks) == RANKS else ' or '.join(ranks)}"


def _cell(card, bits):
    colors = "".join(color[0].upper() for n, color in enumerate(COLORS) if bits[0] >> n & 1)
    ranks = "".join(str(n + 1) for n in range(RANKS) if bits[1] >> n & 1)
    text = f"{_short(card) if card else '?'}\n{colors}\n{ranks}"
    if card is None:
        return text
    color = COLORS[card[0]]
    return text, _SHADES.get(color, color)


env, parallel_env, raw_env = make_env_functions(__name__)
