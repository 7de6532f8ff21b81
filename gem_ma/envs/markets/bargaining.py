"""Bargaining: two agents with secret values talk about how to divide some things."""

import functools
import itertools
import operator
from dataclasses import dataclass, replace

import numpy as np

from gem_ma.envs.env_functions import make_env_functions
from gem_ma.envs.markets import offers
from gem_ma.game import Game, InvalidMove, Maybe, Message, clip_repr, parse_number
from gem_ma.scene import Shapes

AGENTS = ("first", "second")
KINDS = ("book", "hat", "ball")
COLORS = {"book": "blue", "hat": "black", "ball": "orange"}
TOTAL = 10  # value of all things together, for each seat
MOST = 4  # of a kind
THINGS = (5, 7)  # least and most things in all
_TOP, _HIGH = 0.1, 0.3  # in the picture: top of the first kind, and height of each
_PLACES = 0.48, 0.82  # horizontal position of each seat's things
ANSWERS = offers.TO_OFFERS
SMALL_TALK = ("Hello.", "What is worth most to you?", "I need more than that.")


@dataclass(frozen=True, slots=True)
class State:
    counts: tuple[int, ...]
    values: tuple[tuple[int, ...] | None, ...]  # value of one thing of each kind, by seat
    left: int  # moves until the game is over
    turn: int = 0
    offer: Maybe[tuple[int, ...]] = None  # what its proposer wants to take
    proposer: int | None = None
    deal: bool = False

    def to_act(self):
        return (AGENTS[self.turn],) if self.left and not self.deal else ()

    def returns(self):
        if not self.deal:
            return dict.fromkeys(AGENTS, 0.0)
        return {a: self.worth(seat, self.share(seat)) / TOTAL for seat, a in enumerate(AGENTS)}

    def seen_by(self, agent):
        values = tuple(
            [v if a == agent else None for a, v in zip(AGENTS, self.values, strict=True)]
        )
        return replace(self, values=values)

    def legal(self, agent):
        """Return the answers, all proposals, and example messages."""
        answers = ANSWERS if self.proposer == 1 - self.turn else ()
        return (*answers, *_proposals(self.counts), *SMALL_TALK)

    def share(self, seat):
        """Return what a seat gets under the offer."""
        if seat == self.proposer:
            return self.offer
        return tuple([n - amount for n, amount in zip(self.counts, self.offer, strict=True)])

    def worth(self, seat, share):
        return sum(map(operator.mul, share, self.values[seat]))

    def move(self, move):
        """Apply an answer, a proposal, or a message, which only passes the turn."""
        after = replace(self, left=self.left - 1, turn=1 - self.turn)
        if move == "accept":
            return replace(after, deal=True)
        if move == "reject":
            return replace(after, offer=None, proposer=None)
        if isinstance(move, tuple):
            return replace(after, offer=move, proposer=self.turn)
        return after


class Bargaining(Game[State]):
    """Two agents divide things whose values each knows only for itself.

    Args:
        turns: how often each seat may speak, proposals and answers included.
    """

    agents = AGENTS
    legal_is_partial = True

    def __init__(self, turns: int = 6):
        if turns < 1:
            raise ValueError(f"turns={turns}: expected 1 or more")
        self.turns = turns
        self.moves = (*ANSWERS, *_proposals((MOST,) * len(KINDS)), *SMALL_TALK)

    def start(self, rng, options):
        counts = _counts()[int(rng.integers(len(_counts())))]
        pairs = _values(counts)
        while True:
            a, b = (pairs[int(n)] for n in rng.integers(len(pairs), size=2))
            both = [x and y for x, y in zip(a, b, strict=True)]
            some = [x or y for x, y in zip(a, b, strict=True)]
            if a != b and any(both) and all(some):  # they differ, and both want some thing
                return State(counts, (a, b), 2 * self.turns)

    def read(self, text, view, agent):
        """Return an answer, a proposal as a tuple, or the message unchanged."""
        return offers.read(text, view, ANSWERS, lambda said: _share(said, view.counts))

    def advance(self, state, moves, rng):
        return state.move(*moves.values())

    def skip(self, view, agent):
        return None

    def tell(self, before, moves, after):
        ((seat, move),) = moves.items()
        if move is None:
            messages = [Message(None, "game", f"{seat} lost its turn.")]
        elif isinstance(move, tuple):
            messages = [Message(None, "game", f"{_offer(after)}.")]
        elif move in ANSWERS:
            messages = [Message(None, "game", f"{seat} {move}s the proposal.")]
        else:
            messages = [Message(None, seat, move)]
        if not after.to_act():
            text = f"A deal: {_deal(after)}." if after.deal else "Time is up: there is no deal."
            messages.append(Message(None, "game", text))
        return messages

    def rules(self, agent):
        return (
            f"You are {agent} of the two agents first and second, who divide some things. What "
            "each thing is worth to you only you know; the other has values of its own. All "
            f"together is worth {TOTAL} to each of you. You speak in turn, {self.turns} times "
            "each. Reply with one of these: any message to the other; propose: 2 books, 1 hat "
            "(what you would take; the other gets all the rest); or, to a proposal of the other "
            "that is on the table, accept or reject. A proposal stays there until it is answered "
            f"or another one is made. With a deal you earn what you got is worth, as a share of "
            f"{TOTAL}; without one both earn nothing."
        )

    def describe(self, view, agent):
        lines = [
            f"{_name(n, kind)}, value of one: {self.price(view, i)}"
            for i, (kind, n) in _kinds(view)
        ]
        return "\n".join([*lines, *self.status(view)])

    def price(self, view, kind, between=" "):
        """Return the value of one thing of a kind, for each seat whose values this view shows."""
        prices = [(a, v) for a, v in zip(AGENTS, view.values, strict=True) if v is not None]
        return ", ".join(f"{a}{between}{v[kind]}" for a, v in prices)

    def status(self, view):
        if view.deal:
            table = f"Deal: {_deal(view)}"
        else:
            table = f"On the table: {_offer(view) if view.offer else 'nothing'}"
        return table, f"Replies left: {view.left}"

    def picture(self, view, agent):
        """Draw the things, below them who gets what under the proposal, and their values."""
        items, labels, lines = [], [], []
        labels.append(("each worth", "", 0.16, _TOP / 2, 0.06))
        if view.offer:
            for seat, x in zip(AGENTS, _PLACES, strict=True):
                labels.append((f"{seat} gets", "", x, _TOP / 2, 0.06))
            lines.append(("gray", sum(_PLACES) / 2, 0.0, sum(_PLACES) / 2, 1.0, 0.006))
        for i, (kind, n) in _kinds(view):
            top = _TOP + _HIGH * i
            lines.append(("gray", 0.0, top, 1.0, top, 0.004))
            texts = [_name(n, kind), *self.price(view, i, ": ").split(", ")]
            for k, words in enumerate(texts):
                y = top + _HIGH / 2 + 0.075 * (k - (len(texts) - 1) / 2)
                labels.append((words, "", 0.16, y, 0.07))
            side, shares = 0.17, [(n, sum(_PLACES) / 2)]
            if view.offer:
                side = 0.14
                shares = [(view.share(seat)[i], x) for seat, x in enumerate(_PLACES)]
            for many, middle in shares:
                rows = 2 if view.offer and many > 2 else 1
                for k in range(many):
                    row, column = divmod(k, -(-many // rows))
                    across = min(many - row * -(-many // rows), -(-many // rows))
                    x = middle + side * (column - (across - 1) / 2)
                    y = top + _HIGH / 2 + side * (row - (rows - 1) / 2)
                    items.append((kind, COLORS[kind], x, y, 0.94 * side, 0.0))
        caption = "Nothing is proposed"
        if view.offer:
            caption = "Agreed" if view.deal else f"Proposed by {AGENTS[view.proposer]}"
        turn = [f"{seat} to speak" for seat in view.to_act()]
        status = caption, *turn, self.status(view)[1]
        return Shapes(tuple(items), "", tuple(lines), tuple(labels), status)

    def encode(self, view, agent):
        """Return for each kind: the number of things, the value of one, and the own proposed share.

        Then come whether the proposal is the own one, whether it is the other's, the replies left,
        and whether it is the own turn.
        """
        own = AGENTS.index(agent)
        share = view.share(own) if view.offer else (0,) * len(KINDS)
        counts = np.array([view.counts, share]) / MOST
        makers = [view.proposer == seat and not view.deal for seat in (own, 1 - own)]
        turn = [view.left / (2 * self.turns), view.to_act() == (agent,)]
        values = np.array(view.values[own]) / TOTAL
        return np.concatenate([counts[0], values, counts[1], makers, turn]).astype(np.float32)


def _kinds(view):
    return enumerate(zip(KINDS, view.counts, strict=True))


def _name(n, kind):
    return f"{n} {kind}" if n == 1 else f"{n} {kind}s"


def _named(share):
    return ", ".join(_name(n, k) for k, n in zip(KINDS, share, strict=True) if n) or "nothing"


def _offer(state):
    seat = state.proposer
    own_share, other_share = _named(state.share(seat)), _named(state.share(1 - seat))
    return (
        f"{AGENTS[seat]} proposes to take {own_share}; {AGENTS[1 - seat]} would get {other_share}"
    )


def _deal(state):
    return "; ".join(f"{a} gets {_named(state.share(seat))}" for seat, a in enumerate(AGENTS))


def _share(text, counts):
    """Return the share in a text such as "2 books and 1 hat"."""
    share = [0] * len(KINDS)
    text = text.casefold().strip(" :.!").replace(" and ", ",")
    for part in filter(None, text.split(",") if text != "nothing" else ()):
        n, _, kind = part.strip().partition(" ")
        kind = kind.strip().removesuffix("s")
        if kind not in KINDS:
            raise InvalidMove(
                f"{clip_repr(part)} is no part of a proposal; write: propose: 2 books"
            )
        share[KINDS.index(kind)] += parse_number(n)
    if not text:
        raise InvalidMove("write what you would take: propose: 2 books, 1 hat")
    for kind, n, count in zip(KINDS, share, counts, strict=True):
        if not 0 <= n <= count:
            raise InvalidMove(f"you cannot take {_name(n, kind)}: there are {count}")
    return tuple(share)


@functools.cache
def _counts():
    """Return the possible numbers of things of each kind."""
    low, high = THINGS
    all_counts = itertools.product(range(1, MOST + 1), repeat=len(KINDS))
    return tuple([c for c in all_counts if low <= sum(c) <= high and len(_values(c)) > 2])


@functools.cache
def _values(counts):
    """Return all values for which these things are worth TOTAL together."""
    all_values = itertools.product(range(TOTAL + 1), repeat=len(KINDS))
    return tuple([v for v in all_values if sum(map(operator.mul, counts, v)) == TOTAL])


@functools.cache
def _proposals(counts):
    shares = itertools.product(*(range(n + 1) for n in counts))
    return tuple([f"propose: {_named(share)}" for share in shares])


env, parallel_env, raw_env = make_env_functions(__name__)
