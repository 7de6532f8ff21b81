"""Public goods: all agents put tokens into one pot at the same time; it grows and all share it."""

import functools
import math
from dataclasses import dataclass, replace

import numpy as np

from gem_ma.envs.env_functions import make_env_functions
from gem_ma.game import Game, InvalidMove, parse_number
from gem_ma.scene import TextTable

SHOWN = 8  # past rounds that are shown
FEW = 12  # up to this many players, the picture has room for a title
GONE = "-"  # a seat that had already left


@dataclass(frozen=True, slots=True)
class State:
    agents: tuple[str, ...]
    tokens: int  # tokens that each can give or keep in each round
    multiplier: float
    rounds: int  # rounds still to be played
    present: tuple[bool, ...]
    earned: tuple[float, ...]
    history: tuple[tuple[int | None, ...], ...] = ()  # what each gave; None: it had left

    def to_act(self):
        if not self.rounds:
            return ()
        return tuple(
            [a for a, is_present in zip(self.agents, self.present, strict=True) if is_present]
        )

    def out(self):
        return tuple(
            [a for a, is_present in zip(self.agents, self.present, strict=True) if not is_present]
        )

    def returns(self):
        return dict(zip(self.agents, self.earned, strict=True))

    def seen_by(self, agent):
        return self  # the past is public, and the State does not hold the others' choices

    def legal(self, agent):
        return _numbers(self.tokens)

    def give(self, moves):
        contributions = tuple([moves.get(agent) for agent in self.agents])
        share = self.multiplier * sum(moves.values()) / len(moves)
        earnings = tuple(
            [e if g is None else e + self.tokens - g + share
             for e, g in zip(self.earned, contributions, strict=True)]
        )  # fmt: skip
        history = (*self.history, contributions)
        return replace(self, rounds=self.rounds - 1, earned=earnings, history=history)


class PublicGoods(Game[State]):
    simultaneous = True

    def __init__(
        self, players: int = 4, rounds: int = 8, multiplier: float = 1.6, tokens: int = 10
    ):
        if not (2 <= players <= 20 and rounds >= 1 and 1 <= tokens <= 999):
            raise ValueError(
                f"players={players}, rounds={rounds}, tokens={tokens}: expected 2 to 20 players, 1 "
                "round or more, and 1 to 999 tokens"
            )
        if not 0 < multiplier < math.inf:
            raise ValueError(f"multiplier={multiplier}: expected a number above 0")
        self.agents = tuple(f"player_{i}" for i in range(players))
        self.rounds, self.multiplier, self.tokens = rounds, multiplier, tokens
        self.moves = _numbers(tokens)

    def start(self, rng, options):
        n = len(self.agents)
        return State(
            self.agents, self.tokens, self.multiplier, self.rounds, (True,) * n, (0.0,) * n
        )

    def read(self, text, view, agent):
        n = parse_number(text)
        if not 0 <= n <= view.tokens:
            raise InvalidMove(f"{n} is not between 0 and {view.tokens}")
        return n

    def advance(self, state, moves, rng):
        return state.give(moves)

    def skip(self, view, agent):
        return 0  # a lost turn gives nothing

    def forfeit(self, state, agent, rng):
        """Leave and keep the earnings; the others continue while there are at least two."""
        seat = state.agents.index(agent)
        presence = tuple([is_present and i != seat for i, is_present in enumerate(state.present)])
        return replace(state, present=presence, rounds=state.rounds if sum(presence) > 1 else 0)

    def tell(self, before, moves, after):
        return ()  # the view shows the rounds

    def rules(self, agent):
        return (
            f"You are playing a public goods game as {agent}, {len(self.agents)} players and "
            f"{self.rounds} rounds. In each round every player has {self.tokens} tokens and gives "
            "some of them, or none, to a common pot, all at the same time; what it does not give "
            f"it keeps. The pot is multiplied by {self.multiplier:g} and shared equally among the "
            "players, whatever they gave. Your aim is to earn as many tokens as you can. Who "
            "leaves the game earns nothing more, and the others go on while there are two. "
            f"Reply with how many tokens you give, 0 to {self.tokens}."
        )

    def describe(self, view, agent):
        earnings = ", ".join(f"{a} {e:.2f}" for a, e in zip(view.agents, view.earned, strict=True))
        lines = [f"Rounds left: {view.rounds}. Earned: {earnings}."]
        if view.out():
            lines.append(f"Left the game: {', '.join(view.out())}.")
        if view.history:
            lines.append(f"What {view.agents[0]} to {view.agents[-1]} gave, round by round:")
        lines += [f"{i}. {', '.join(row)}" for i, row in self.past(view)]
        return "\n".join(lines)

    def past(self, view):
        """Return the number of each past round that is shown, and what each seat gave."""
        first = max(0, len(view.history) - SHOWN)
        rows = enumerate(view.history[first:], first + 1)
        return [(i, tuple([GONE if g is None else str(g) for g in row])) for i, row in rows]

    def picture(self, view, agent):
        """Draw a row for each player: what it gave in each round, with a bar."""
        past = self.past(view)
        first = past[0][0] if past else 1
        columns = min(SHOWN, len(view.history) + view.rounds)
        rows = []
        for seat, (is_present, earnings) in enumerate(zip(view.present, view.earned, strict=True)):
            contributions = [_bar(row[seat], self.tokens) for _, row in past]
            blank = [" " * len(str(self.tokens))] * (columns - len(past))
            rows.append(
                (
                    str(seat) if is_present else f"({seat})",
                    *contributions,
                    *blank,
                    f"{earnings:.2f}",
                )
            )
        head = "", *(str(first + i) for i in range(columns)), "earned"
        title = f"What each player gave of {self.tokens}" if len(rows) <= FEW else ""
        return TextTable(tuple(rows), head, title, (f"Rounds left: {view.rounds}",))

    def encode(self, view, agent):
        """Return each seat's last gift, which seats remain, and the share of rounds left.

        Seats are in order from the own seat on.
        """
        own, n = view.agents.index(agent), len(view.agents)
        row = np.zeros(2 * n + 1, np.float32)
        for i in range(n):
            seat = (own + i) % n
            if view.history:
                row[i] = (view.history[-1][seat] or 0) / view.tokens
            row[n + i] = view.present[seat]
        row[-1] = view.rounds / self.rounds
        return row


def _bar(gave, tokens):
    """Return a table cell for a gift; all cells have the same width."""
    wide = gave.rjust(len(str(tokens)))
    return wide if gave == GONE else (wide, "yellow", int(gave) / tokens)


@functools.cache
def _numbers(tokens):
    return tuple([str(n) for n in range(tokens + 1)])


env, parallel_env, raw_env = make_env_functions(__name__)
