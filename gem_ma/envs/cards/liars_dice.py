"""Liar's dice: agents bid in turn on hidden dice; whoever loses all dice is out."""

import functools
import itertools
from collections import Counter
from dataclasses import dataclass, replace

import numpy as np

from gem_ma.envs.env_functions import make_env_functions
from gem_ma.envs.turn_captions import make_winner_caption
from gem_ma.game import Game, Maybe, Message, parse_choice
from gem_ma.scene import Cards

FACES = 6
LIAR = "liar"
MOST = 200  # dice in all


@dataclass(frozen=True, slots=True)
class State:
    agents: tuple[str, ...]
    dice: tuple[Maybe[tuple[int, ...]], ...]  # each seat's dice, None: hidden
    counts: tuple[int, ...]  # how many dice each seat has
    turn: int  # of the seat to act: an index into agents
    bid: Maybe[tuple[int, int]] = None  # at least this many dice, showing this face
    bidder: int | None = None

    def to_act(self):
        return (self.agents[self.turn],) if self.counts.count(0) < len(self.counts) - 1 else ()

    def out(self):
        if 0 not in self.counts:
            return ()
        return tuple([a for a, n in zip(self.agents, self.counts, strict=True) if n == 0])

    def returns(self):
        if 0 not in self.counts:
            return dict.fromkeys(self.agents, 0.0)
        is_over, loss = not self.to_act(), -1.0 / (len(self.agents) - 1)
        return {
            a: loss if n == 0 else 1.0 if is_over else 0.0
            for a, n in zip(self.agents, self.counts, strict=True)
        }

    def seen_by(self, agent):
        seat = self.agents.index(agent)
        dice = tuple([d if i == seat else None for i, d in enumerate(self.dice)])
        return State(self.agents, dice, self.counts, self.turn, self.bid, self.bidder)

    def legal(self, agent):
        moves = _list_moves(sum(self.counts))
        if self.bid is None:
            return moves[:-1]
        quantity, face = self.bid
        return moves[(quantity - 1) * FACES + face :]

    def after(self, seat):
        """Return the next seat that still has dice."""
        n = len(self.agents)
        for later in range(seat + 1, seat + n + 1):
            if self.counts[later % n]:
                return later % n
        raise ValueError("nobody has dice")

    def raise_to(self, quantity, face):
        bid = quantity, face
        return State(self.agents, self.dice, self.counts, self.after(self.turn), bid, self.turn)

    def pass_on(self):
        """Lose a turn; if all pass back to the bidder, the bid is over and bidding begins again."""
        turn = self.after(self.turn)
        if turn == self.bidder:
            return replace(self, turn=turn, bid=None, bidder=None)
        return replace(self, turn=turn)

    def there_are(self):
        """Return how many dice show the face of the bid."""
        face = self.bid[1]
        return sum([hand.count(face) for hand in self.dice])

    def loser_of_challenge(self):
        return self.bidder if self.there_are() < self.bid[0] else self.turn

    def take(self, seat, dice, rng):
        """Take dice from a seat; it, or the next seat with dice, begins a new round."""
        counts = tuple([n - dice if i == seat else n for i, n in enumerate(self.counts)])
        start = State(self.agents, _roll(counts, rng), counts, seat)
        return start if counts[seat] else replace(start, turn=start.after(seat))


class LiarsDice(Game[State]):
    def __init__(self, players: int = 3, dice: int = 3):
        if players < 2 or dice < 1 or players * dice > MOST:
            raise ValueError(
                f"players={players}, dice={dice}: expected players at least 2, dice at least 1, "
                f"and at most {MOST} dice in all"
            )
        self.agents = tuple(f"player_{i}" for i in range(players))
        self.dice = dice
        self.zero_sum = players == 2
        self.moves = _list_moves(players * dice)

    def start(self, rng, options):
        counts = (self.dice,) * len(self.agents)
        return State(self.agents, _roll(counts, rng), counts, int(rng.integers(len(counts))))

    def read(self, text, view, agent):
        move = parse_choice(text.replace(" ", ""), view.legal(agent))
        return move if move == LIAR else tuple(map(int, move.split("x")))

    def advance(self, state, moves, rng):
        (move,) = moves.values()
        if move == LIAR:
            return state.take(state.loser_of_challenge(), 1, rng)
        if move is None:
            return state.pass_on()
        return state.raise_to(*move)

    def skip(self, view, agent):
        return None

    def forfeit(self, state, agent, rng):
        """Lose all dice; the others begin a new round."""
        seat = state.agents.index(agent)
        return state.take(seat, state.counts[seat], rng)

    def tell(self, before, moves, after):
        ((seat, move),) = moves.items()
        if move is None:
            return [Message(None, "game", f"{seat} lost its turn.")]
        if move != LIAR:
            return [Message(None, seat, _name(move))]
        loser = before.agents[before.loser_of_challenge()]
        return [
            Message(None, seat, LIAR),
            Message(
                None,
                "game",
                f"The bid was {_name(before.bid)}, and there are {before.there_are()} such dice: "
                f"{loser} loses a die. All roll again.",
            ),
        ]

    def rules(self, agent):
        return (
            f"You are playing Liar's Dice as {agent}, with {len(self.agents)} players of "
            f"{self.dice} dice each, which only their owner sees. In turn you bid how many dice on "
            "the whole table show a face at the least: 3x5 means three dice that show a 5. Each "
            "bid must have more dice than the last, or as many of a higher face. Instead of "
            "bidding you may call liar: if there are fewer dice than bid, the bidder loses a die, "
            "otherwise you do. Then all roll again. Who has no dice is out; the last one wins. "
            "Reply with a bid such as 2x4, or with liar."
        )

    def describe(self, view, agent):
        seats = zip(view.agents, view.dice, view.counts, strict=True)
        lines = [f"{name}: {_list_dice(hand, n)}" for name, hand, n in seats]
        bid, to_act = self.status(view)
        return "\n".join([*lines, f"{bid}. {to_act}."])

    def status(self, view):
        by = f"{_name(view.bid)} by {view.agents[view.bidder]}" if view.bid else "no bid yet"
        return f"Bid: {by}", f"To act: {view.agents[view.turn]}"

    def picture(self, view, agent):
        rows = [
            (name if n else f"{name}, out", tuple(f"*{die}" for die in hand or "?" * n))
            for name, hand, n in zip(view.agents, view.dice, view.counts, strict=True)
        ]
        bid, to_act = self.status(view)
        return Cards(tuple(rows), (bid, to_act) if view.to_act() else make_winner_caption(view))

    def encode(self, view, agent):
        """Return the own dice by face, all counts from the own seat on, and the bid."""
        own, n = view.agents.index(agent), len(view.agents)
        row = np.zeros(2 * FACES + n + 1, np.float32)
        for face, many in Counter(view.dice[own]).items():
            row[face - 1] = many / self.dice
        row[FACES : FACES + n] = [view.counts[(own + i) % n] / self.dice for i in range(n)]
        if view.bid:
            row[FACES + n] = view.bid[0] / (n * self.dice)
            row[FACES + n + view.bid[1]] = 1
        return row


@functools.cache
def _list_moves(dice):
    bids = [f"{q}x{face}" for q in range(1, dice + 1) for face in range(1, FACES + 1)]
    return (*bids, LIAR)


def _name(bid):
    return f"{bid[0]}x{bid[1]}"


@functools.lru_cache(1024)
def _list_dice(hand, count):
    return " ".join(map(str, hand or "?" * count)) or "out"


def _roll(counts, rng):
    faces = rng.integers(1, FACES + 1, sum(counts)).tolist()
    ends = itertools.accumulate(counts)
    return tuple([tuple(sorted(faces[e - n : e])) for n, e in zip(counts, ends, strict=True)])


env, parallel_env, raw_env = make_env_functions(__name__)
