"""Colonel Blotto: two agents secretly spread troops over fields; more troops win a field."""

import functools
import itertools
import math
from dataclasses import dataclass

import numpy as np

from gem_ma.envs.env_functions import make_env_functions
from gem_ma.envs.markets.rounds import COLORS, LOST
from gem_ma.game import Game, InvalidMove, clip_repr, parse_number
from gem_ma.scene import Shapes

AGENTS = ("left", "right")
SHOWN = 10  # past rounds that are shown
MOST = 10_000  # largest number of ways to spread the troops
_TOP, _LEFT, _RIGHT = 0.06, 0.08, 0.07  # in the picture: field names, rounds, flags
_DIGIT = 0.045  # width of a digit
_WON = {1: "left won", 0: "a draw", -1: "right won"}


@dataclass(frozen=True, slots=True)
class State:
    fields: int
    troops: int
    rounds: int  # rounds still to be played
    score: tuple[int, int] = (0, 0)  # rounds won
    history: tuple[
        tuple[tuple[int, ...] | None, ...], ...
    ] = ()  # what both sent; None: a lost turn

    def to_act(self):
        return AGENTS if self.rounds else ()

    def returns(self):
        left, right = self.score
        reward = 0 if self.rounds else (left > right) - (left < right)
        return {"left": float(reward), "right": float(-reward)}

    def seen_by(self, agent):
        return self  # the past is public, and the State does not hold the other's choice

    def legal(self, agent):
        return _spreads(self.fields, self.troops)

    def play(self, left, right):
        margin = _fields_won(left, right)
        score = self.score[0] + (margin > 0), self.score[1] + (margin < 0)
        history = (*self.history, (left, right))
        return State(self.fields, self.troops, self.rounds - 1, score, history)


def _fields_won(left, right):
    """Return the fields that left wins minus those of right; a seat that sent nothing loses."""
    if left is None or right is None:
        return (right is None) - (left is None)
    return sum((a > b) - (a < b) for a, b in zip(left, right, strict=True))


class ColonelBlotto(Game[State]):
    agents = AGENTS
    moves: tuple[str, ...]
    simultaneous = True
    zero_sum = True

    def __init__(self, fields: int = 3, troops: int = 10, rounds: int = 5):
        if not (2 <= fields <= 26 and 1 <= troops <= 999 and rounds >= 1):
            raise ValueError(
                f"fields={fields}, troops={troops}, rounds={rounds}: expected 2 to 26 fields, 1 to "
                "999 troops, and 1 round or more"
            )
        ways = math.comb(troops + fields - 1, fields - 1)
        if ways > MOST:
            raise ValueError(
                f"fields={fields}, troops={troops}: {ways} ways to spread them, expected at most "
                f"{MOST}"
            )
        self.fields, self.troops, self.rounds = fields, troops, rounds
        self.moves = _spreads(fields, troops)
        self.names = tuple([chr(ord("A") + i) for i in range(fields)])

    def start(self, rng, options):
        return State(self.fields, self.troops, self.rounds)

    def read(self, text, view, agent):
        parts = text[:1000].replace(",", " ").split()
        if len(parts) != self.fields:
            raise InvalidMove(
                f"{clip_repr(text)} is not {self.fields} numbers, such as {self.moves[-1]}"
            )
        troops = tuple([parse_number(part) for part in parts])
        if min(troops) < 0:
            raise InvalidMove(f"{min(troops)} troops cannot be sent")
        if sum(troops) != self.troops:
            raise InvalidMove(f"these are {sum(troops)} troops, and you have {self.troops} to send")
        return troops

    def advance(self, state, moves, rng):
        return state.play(moves["left"], moves["right"])

    def skip(self, view, agent):
        return None

    def tell(self, before, moves, after):
        return ()  # the view shows the rounds

    def rules(self, agent):
        each, remainder = divmod(self.troops, self.fields)
        example = ",".join(str(each + (i < remainder)) for i in range(self.fields))
        return (
            f"You are playing Colonel Blotto as {agent}, {self.rounds} rounds. In each round both "
            f"spread {self.troops} troops over the fields {', '.join(self.names)} at the same "
            "time. A field goes to who sent more troops there, to nobody if both sent as many. Who "
            "gets more fields wins the round; who has won more rounds in the end wins the game. "
            f"Reply with the troops for each field in this order, {self.troops} in all, such as "
            f"{example}."
        )

    def describe(self, view, agent):
        first = max(0, len(view.history) - SHOWN)
        past = map(_line, itertools.count(first + 1), view.history[first:])
        return "\n".join([", ".join(self.status(view)) + ".", *past])

    def status(self, view):
        left, right = view.score
        return f"Rounds left: {view.rounds}", f"won: left {left}, right {right}"

    def picture(self, view, agent):
        """Draw a row of fields for each round: left above right, with a line under the winner."""
        first = max(0, len(view.history) - SHOWN)
        rounds = view.history[first:]
        high = (1 - _TOP) / max(1, min(SHOWN, len(view.history) + view.rounds))
        wide = (1 - _LEFT - _RIGHT) / self.fields
        items, lines, labels = [], [], []
        for column, name in enumerate(self.names):
            labels.append((name, "", _LEFT + wide * (column + 0.5), _TOP / 2, 0.06))
        for i, pair in enumerate(rounds):
            top = _TOP + high * i
            labels.append((str(first + i + 1), "", _LEFT / 2, top + high / 2, 0.06))
            lines.append(("gray", 0.0, top, 1.0, top, 0.004))
            margin = _fields_won(*pair)
            if margin:
                seat = int(margin < 0)
                y = top + high * (seat + 0.5) / 2
                side = min(0.9 * _RIGHT, 0.45 * high)
                items.append(("flag", COLORS[seat], 1 - _RIGHT / 2, y, side, 0.0))
            for column in range(self.fields):
                left, right = (None if troops is None else troops[column] for troops in pair)
                corner = _LEFT + wide * column, top
                shapes = _field(left, right, self.troops, corner, wide, high)
                for part, new in zip((items, lines, labels), shapes, strict=True):
                    part += new
        for i in range(len(rounds), min(SHOWN, len(view.history) + view.rounds)):
            top = _TOP + high * i
            labels.append((str(first + i + 1), "", _LEFT / 2, top + high / 2, 0.06))
            lines.append(("gray", 0.0, top, 1.0, top, 0.004))
        status = ("left above, right below", *self.status(view))
        return Shapes(tuple(items), "", tuple(lines), tuple(labels), status)

    def encode(self, view, agent):
        """Return the last round, own troops first, then the rounds won and the rounds left."""
        side = AGENTS.index(agent)
        row = np.zeros(2 * self.fields + 3, np.float32)
        if view.history:
            for i, troops in enumerate((view.history[-1][side], view.history[-1][1 - side])):
                if troops:
                    row[i * self.fields : (i + 1) * self.fields] = np.array(troops) / self.troops
        row[-3:] = view.score[side], view.score[1 - side], view.rounds
        row[-3:] /= self.rounds
        return row


@functools.cache
def _spreads(fields, troops):
    """Return every way to spread the troops, as text."""
    ends = troops + fields - 1  # positions of troops and borders between fields, in a row
    spreads = []
    for borders in itertools.combinations(range(ends), fields - 1):
        edges = (-1, *borders, ends)
        spreads.append(",".join([str(b - a - 1) for a, b in itertools.pairwise(edges)]))
    return tuple(spreads)


@functools.lru_cache(1 << 10)  # a round is shown to both, and again later
def _line(number, sent):
    moves = [f"{agent} {_name(own)}" for agent, own in zip(AGENTS, sent, strict=True)]
    margin = _fields_won(*sent)
    return f"{number}. {'; '.join(moves)}: {_WON[(margin > 0) - (margin < 0)]}"


def _name(sent):
    return "sent nothing" if sent is None else ",".join(map(str, sent))


def _field(left, right, troops, corner, wide, high):
    """Return shapes, lines and labels of one field in one round; soldiers show shares of troops."""
    items, lines, labels = [], [], []
    side = min(0.45 * high, 0.14)
    digits = _DIGIT * len(str(troops))
    maximum = int((wide - digits - 0.3 * side) / (0.74 * side))  # soldiers that fit
    for seat, (own, other) in enumerate(((left, right), (right, left))):
        x, y = corner[0], corner[1] + high * (seat + 0.5) / 2
        if own is None:
            items.append((LOST, "gray", x + wide / 2, y, min(0.8 * side, 0.6 * wide), 0.0))
            continue
        middle = x + (digits if maximum > 0 else wide) / 2
        labels.append((str(own), "", middle, y, max(0.045, min(0.1, 0.4 * high))))
        for i in range(min(own, math.ceil(own / troops * maximum))):
            at = x + digits + 0.74 * side * (i + 0.6)
            items.append(("soldier", COLORS[seat], at, y, 0.9 * side, 0.0))
        if other is None or own > other:
            below, long = y + 0.22 * high, 0.4 * (digits if maximum > 0 else wide)
            lines.append(("", middle - long, below, middle + long, below, 0.06 * high))
    return items, lines, labels


env, parallel_env, raw_env = make_env_functions(__name__)
