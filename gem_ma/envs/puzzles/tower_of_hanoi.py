"""Tower of Hanoi: one agent moves a tower to another peg, never a disc onto a smaller one."""

import functools
from typing import NamedTuple

import numpy as np

from gem_ma.envs.difficulty_levels import fill_levels, sample_level
from gem_ma.envs.env_functions import make_env_functions
from gem_ma.game import Game, InvalidMove, clip_repr
from gem_ma.scene import Pegs

AGENT = "player"
PEGS = "ABC"
MOVES = ("A B", "A C", "B A", "B C", "C A", "C B")
WAYS = tuple((PEGS.index(move[0]), PEGS.index(move[2])) for move in MOVES)
BY_NUMBER = str.maketrans("123", PEGS)
RANDOM = ((3, 10), (4, 20), (5, 35))  # discs and turns that are drawn for arguments that are None
MOST = 10  # most discs


class State(NamedTuple):
    pegs: tuple[tuple[int, ...], ...]  # sizes of the discs on each peg, the lowest first
    left: int  # turns left

    def to_act(self):
        return () if self.solved() or not self.left else (AGENT,)

    def solved(self):
        return not self.pegs[0] and not self.pegs[1]

    def returns(self):
        if self.left and not self.solved():
            return {AGENT: 0.0}
        return {AGENT: len(self.pegs[2]) / sum(map(len, self.pegs))}

    def seen_by(self, agent):
        return self  # nothing is hidden

    def legal(self, agent):
        return _legal(self.pegs)

    def objection(self, move):
        """Return why a move is not allowed; "" if it is."""
        source, target = PEGS.index(move[0]), PEGS.index(move[2])
        if not self.pegs[source]:
            return f"there is no disc on peg {move[0]}"
        disc, top = self.pegs[source][-1], self.pegs[target][-1:]
        if top and top[0] < disc:
            return f"disc {disc} may not lie on the smaller disc {top[0]}"
        return ""

    def carry(self, move):
        pegs = list(self.pegs)
        if move is not None:  # None: a lost turn
            source, target = PEGS.index(move[0]), PEGS.index(move[2])
            pegs[target] += pegs[source][-1:]
            pegs[source] = pegs[source][:-1]
        return State(tuple(pegs), self.left - 1)


class TowerOfHanoi(Game[State]):
    agents = (AGENT,)
    moves = MOVES

    def __init__(self, num_disks: int | None = 3, max_turns: int | None = 100):
        if num_disks is not None and not 1 <= num_disks <= MOST:
            raise ValueError(f"num_disks={num_disks}: expected 1 to {MOST}")
        self.levels = fill_levels(RANDOM, num_disks, max_turns)
        self.discs, self.turns = map(max, zip(*self.levels, strict=True))

    def start(self, rng, options):
        discs, turns = sample_level(rng, self.levels)
        return State((tuple(range(discs, 0, -1)), (), ()), turns)

    def read(self, text, view, agent):
        if text not in MOVES:
            text = _tidied(text)
        objection = view.objection(text)
        if objection:
            raise InvalidMove(objection)
        return text

    def advance(self, state, moves, rng):
        return state.carry(moves[AGENT])

    def skip(self, view, agent):
        return None

    def rules(self, agent):
        return (
            "You are playing Tower of Hanoi. A tower of discs stands on peg A; move it to peg C "
            "within the turns you have. A turn takes the top disc of one peg and puts it on "
            "another, never onto a smaller disc. Discs are numbered by size, and 1 is the "
            "smallest. The whole tower on C pays 1; if the turns run out, you get the share of "
            "discs on C. Reply with the peg you take from and the peg you put on: A C, for example."
        )

    def tell(self, before, moves, after):
        return ()  # the view shows everything

    def describe(self, view, agent):
        lines = map(_line, PEGS, view.pegs)
        return "\n".join(["Discs from the bottom up:", *lines, f"Turns left: {view.left}."])

    def picture(self, view, agent):
        discs = sum(map(len, view.pegs))
        return Pegs(view.pegs, discs, tuple(PEGS), (f"Turns left: {view.left}",))

    def encode(self, view, agent):
        """Return which discs are on each peg, and the share of turns left."""
        row = np.zeros(len(PEGS) * self.discs + 1, np.float32)
        for peg, discs in enumerate(view.pegs):
            for disc in discs:
                row[peg * self.discs + disc - 1] = 1
        row[-1] = view.left / self.turns
        return row


@functools.lru_cache(1 << 12)
def _legal(pegs):
    tops = [discs[-1] if discs else MOST + 1 for discs in pegs]
    ways = zip(MOVES, WAYS, strict=True)
    return tuple([move for move, (source, target) in ways if tops[source] < tops[target]])


@functools.cache
def _line(peg, discs):
    return f"{peg}: {' '.join(map(str, discs)) or 'empty'}"


def _tidied(text):
    """Return the move in "a c", "AC", "1,3", "A -> C" or "A to C"."""
    plain = "".join([c if c.isalnum() else " " for c in text[:100].upper()])
    move = " ".join("".join([word for word in plain.split() if word != "TO"]).translate(BY_NUMBER))
    if move not in MOVES:
        raise InvalidMove(f"{clip_repr(text)} does not name two pegs, as in A C")
    return move


env, parallel_env, raw_env = make_env_functions(__name__)
