"""Hanabi: everybody sees all hands but the own one; hints are few, and all win together."""

from __future__ import annotations

from dataclasses import dataclass, replace

from gem_ma.engine.action_parsing import parse_choice
from gem_ma.game import Game, InvalidMove, Maybe, Message
from gem_ma.scene import TextTable

COLORS = ("red", "yellow", "green", "white", "blue")
COPIES = (3, 2, 2, 2, 1)  # of the ranks 1 to 5 of a colour
RANKS = len(COPIES)
HINTS, LIVES = 8, 3
ALL = (2 ** len(COLORS) - 1, 2**RANKS - 1)  # a bit for each colour and rank that a card may have
Card = tuple[int, int]  # colour, rank from 0
_SHADES = {"white": "gray"}


@dataclass(frozen=True, slots=True)
class State:
    agents: tuple[str, ...]
    deck: Maybe[tuple[Card, ...]]  # the next card is the last one
    hands: tuple[tuple[Maybe[Card], ...], ...]
    known: tuple[tuple[tuple[int, int], ...], ...]  # of each card: the bits that hints have left
    built: tuple[int, ...] = (0,) * len(COLORS)  # how high each firework is
    discarded: tuple[Card, ...] = ()
    hints: int = HINTS
    lives: int = LIVES
    left: int = 0  # cards in the deck
    turn: int = 0
    last: int | None = None  # turns that are left, once the deck is empty
    gone: tuple[str, ...] = ()

    @property
    def score(self):
        return sum(self.built) if self.lives else 0

    def to_act(self):
        over = not self.lives or self.last == 0 or sum(self.built) == RANKS * len(COLORS)
        return () if over or len(self.gone) == len(self.agents) else (self.agents[self.turn],)

    def out(self):
        return self.gone

    def returns(self):
        earned = self.score / (RANKS * len(COLORS))
        return {agent: 0.0 if agent in self.gone else earned for agent in self.agents}

    def seen_by(self, agent):
        own = self.agents.index(agent)
        hidden = (None,) * len(self.hands[own])
        return replace(self, deck=None, hands=(*self.hands[:own], hidden, *self.hands[own + 1 :]))

    def legal(self, agent):
        own = self.agents.index(agent)
        cards = range(1, len(self.hands[own]) + 1)
        moves = [f"play {n}" for n in cards]
        if self.hints < HINTS:
            moves += [f"discard {n}" for n in cards]
        if self.hints:
            moves += [
                f"hint {other} {what}"
                for other, hand in zip(self.agents, self.hands, strict=True)
                if other not in (agent, *self.gone)
                for what in _said_of(hand)
            ]
        return tuple(moves)

    def after(self):
        """Return the state when it is the next one's turn."""
        players = len(self.agents)
        turns = [(self.turn + n) % players for n in range(1, players + 1)]
        turn = next((n for n in turns if self.agents[n] not in self.gone), self.turn)
        return replace(self, turn=turn, last=None if self.last is None else self.last - 1)

    def without(self, at):
        """Return the state with a card out of the hand of whose turn it is, and another in it."""
        seat, hand, known = self.turn, self.hands[self.turn], self.known[self.turn]
        hand, known = hand[:at] + hand[at + 1 :], known[:at] + known[at + 1 :]
        deck, last = self.deck, self.last
        if deck:
            hand, known, deck = (*hand, deck[-1]), (*known, ALL), deck[:-1]
            if not deck:  # everybody has one more turn
                last = len(self.agents) - len(self.gone) + 1
        return replace(
            self,
            deck=deck,
            left=len(deck),
            last=last,
            hands=(*self.hands[:seat], hand, *self.hands[seat + 1 :]),
            known=(*self.known[:seat], known, *self.known[seat + 1 :]),
        )

    def play(self, at):
        color, rank = card = self.hands[self.turn][at]
        state = self.without(at)
        if self.built[color] != rank:
            return replace(state, lives=self.lives - 1, discarded=(*self.discarded, card))
        built = tuple([n + (color == i) for i, n in enumerate(self.built)])
        hints = min(HINTS, self.hints + (rank == RANKS - 1))  # a whole firework brings one back
        return replace(state, built=built, hints=hints)

    def discard(self, at):
        card = self.hands[self.turn][at]
        return replace(self.without(at), hints=self.hints + 1, discarded=(*self.discarded, card))

    def hint(self, seat, what):
        """Return the state in which a seat knows which of its cards have a colour or a rank."""
        kind = 0 if what in COLORS else 1
        value = COLORS.index(what) if kind == 0 else int(what) - 1
        known = []
        for card, bits in zip(self.hands[seat], self.known[seat], strict=True):
            mask = 1 << value if card[kind] == value else ~(1 << value)
            pair = list(bits)
            pair[kind] &= mask
            known.append(tuple(pair))
        told = (*self.known[:seat], tuple(known), *self.known[seat + 1 :])
        return replace(self, known=told, hints=self.hints - 1)


class Hanabi(Game[State]):
    def __init__(self, players: int = 2):
        if not 2 <= players <= 5:
            raise ValueError(f"players={players}: expected 2 to 5")
        self.agents = tuple(f"player_{i}" for i in range(players))
        self.size = 5 if players < 4 else 4
        cards = range(1, self.size + 1)
        whats = (*COLORS, *map(str, range(1, RANKS + 1)))
        self.moves = (
            *(f"play {n}" for n in cards),
            *(f"discard {n}" for n in cards),
            *(f"hint {agent} {what}" for agent in self.agents for what in whats),
        )

    def start(self, rng, options):
        cards = [(c, r) for c in range(len(COLORS)) for r, n in enumerate(COPIES) for _ in range(n)]
        return self.dealt([cards[i] for i in rng.permutation(len(cards)).tolist()])

    def dealt(self, cards):
        """Return the first state with a shuffled deck, the last card of which is dealt first."""
        deck, hands = list(cards), []
        for _ in self.agents:
            hands.append(tuple([deck.pop() for _ in range(self.size)]))
        known = ((ALL,) * self.size,) * len(self.agents)
        return State(self.agents, tuple(deck), tuple(hands), known, left=len(deck))

    def read(self, text, view, agent):
        words = text.replace(":", " ").split()
        if len(words) == 2 and words[0].casefold() == "hint" and len(self.agents) == 2:
            words.insert(1, self.agents[1 - self.agents.index(agent)])
        try:
            return parse_choice(" ".join(words), view.legal(agent))
        except InvalidMove:
            raise InvalidMove(self._why(" ".join(words).casefold(), view, agent)) from None

    def _why(self, said, view, agent):
        """Say why a move that there is may not be made now."""
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
            kind, *rest = move.split()
            if kind == "hint":
                state = state.hint(self.agents.index(rest[0]), rest[1])
            else:
                act = state.play if kind == "play" else state.discard
                state = act(int(rest[0]) - 1)
        return state.after()

    def skip(self, view, agent):
        return None

    def forfeit(self, state, agent, rng):
        """Go on without a seat, whose cards are out of the game; for two there is no game left."""
        if len(self.agents) - len(state.gone) < 3:
            return None
        left = replace(state, gone=(*state.gone, agent))
        return left.after() if state.to_act() == (agent,) else left

    def tell(self, before, moves, after):
        ((seat, move),) = moves.items()
        if move is None:
            return [Message(None, "game", f"{seat} lost its turn.")]
        kind, *rest = move.split()
        if kind == "hint":
            hand = before.hands[self.agents.index(rest[0])]
            places = [str(n) for n, card in enumerate(hand, 1) if rest[1] in _said_of((card,))]
            cards = f"card{'s' * (len(places) > 1)} {', '.join(places)}"
            return [Message(None, "game", f"{seat} tells {rest[0]}: {rest[1]} at {cards}.")]
        card = _name(before.hands[before.turn][int(rest[0]) - 1])
        if kind == "discard":
            said = f"{seat} discards card {rest[0]}: {card}."
        elif after.lives < before.lives:
            said = f"{seat} plays card {rest[0]}: {card}, which does not fit and costs a life."
        else:
            said = f"{seat} plays card {rest[0]}: {card}."
        return [Message(None, "game", said)]

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
        for name, hand, known in zip(view.agents, view.hands, view.known, strict=True):
            if name in view.gone:
                lines.append(f"{name} has left.")
                continue
            lines.append(f"{name}{' (you)' if name == agent else ''}:")
            for number, (card, bits) in enumerate(zip(hand, known, strict=True), 1):
                shown = _name(card) if card else "?"
                lines.append(f"  {number}: {shown}; as far as hints say: {_may(bits)}")
        return "\n".join([*self.status(view), *lines])

    def status(self, view):
        built = ", ".join(f"{c} {n}" for c, n in zip(COLORS, view.built, strict=True))
        thrown = ", ".join(_name(card) for card in sorted(view.discarded)) or "none"
        turns = "" if view.last is None else f", turns left: {view.last}"
        acts = f"To act: {view.agents[view.turn]}" if view.to_act() else f"Score: {view.score}"
        return (
            f"Fireworks: {built}",
            f"Hints: {view.hints}, lives: {view.lives}, deck: {view.left}{turns}",
            f"Discarded: {thrown}",
            acts,
        )

    def picture(self, view, agent):
        rows = []
        for seat, (hand, known) in enumerate(zip(view.hands, view.known, strict=True)):
            if view.agents[seat] not in view.gone:
                cells = [_cell(card, bits) for card, bits in zip(hand, known, strict=True)]
                rows.append((f"p{seat}", *cells, *[""] * (self.size - len(hand))))
        head = ("", *map(str, range(1, self.size + 1)))
        built = " ".join(f"{c[0].upper()}{n}" for c, n in zip(COLORS, view.built, strict=True))
        thrown = [
            color[0].upper() + "".join(str(r + 1) for c, r in sorted(view.discarded) if c == n)
            for n, color in enumerate(COLORS)
        ]
        gone = " ".join(one for one in thrown if len(one) > 1) or "none"
        turns = "" if view.last is None else f", turns {view.last}"
        acts = f"to act p{view.turn}" if view.to_act() else f"score {view.score}"
        counts = f"hints {view.hints}, lives {view.lives}, deck {view.left}{turns}, {acts}"
        status = (f"built {built}", f"gone {gone}", counts)
        return TextTable(tuple(rows), head, "", status)


def _said_of(hand):
    """Return the colours and ranks that a hint can be about."""
    colors = {color for color, _ in filter(None, hand)}
    ranks = {rank for _, rank in filter(None, hand)}
    return [COLORS[n] for n in sorted(colors)] + [str(n + 1) for n in sorted(ranks)]


def _name(card):
    return f"{COLORS[card[0]]} {card[1] + 1}"


def _short(card):
    return f"{COLORS[card[0]][0].upper()}{card[1] + 1}"


def _may(bits):
    """Return what a card may be as far as hints say."""
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
