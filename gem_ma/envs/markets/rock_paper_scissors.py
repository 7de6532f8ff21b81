"""Rock-paper-scissors: both agents choose at the same time, over several rounds."""

import functools
from typing import NamedTuple

import numpy as np

from gem_ma.envs.env_functions import make_env_functions
from gem_ma.envs.markets.rounds import COLORS, LOST, frame, strip
from gem_ma.game import Game, parse_choice
from gem_ma.scene import Shapes

AGENTS = ("left", "right")
MOVES = ("rock", "paper", "scissors")  # each beats the one before it
SHOWN = 10  # past rounds that are shown
FIGURES = {"rock": "rock", "paper": "sheet", "scissors": "scissors", None: LOST}


class State(NamedTuple):
    rounds: int  # rounds still to be played
    score: int = 0  # rounds won by left minus those won by right
    history: tuple[tuple[str | None, str | None], ...] = ()

    def to_act(self):
        return AGENTS if self.rounds else ()

    def returns(self):
        return {"left": float(self.score), "right": float(-self.score)}

    def seen_by(self, agent):
        return self  # the past is public, and the State does not hold the other's choice

    def legal(self, agent):
        return MOVES

    def play(self, left, right):
        history = (*self.history, (left, right))
        return State(self.rounds - 1, self.score + _won(left, right), history)


def _won(left, right):
    """Return 1 if left wins and -1 if right wins; a choice beats a lost turn."""
    if left is None or right is None:
        return (right is None) - (left is None)
    return (0, 1, -1)[(MOVES.index(left) - MOVES.index(right)) % 3]


class RockPaperScissors(Game[State]):
    agents = AGENTS
    moves = MOVES
    simultaneous = True
    zero_sum = True

    def __init__(self, rounds: int = 10):
        if rounds < 1:
            raise ValueError(f"rounds={rounds}: expected 1 or more")
        self.rounds = rounds

    def start(self, rng, options):
        return State(self.rounds)

    def read(self, text, view, agent):
        return parse_choice(text, MOVES)

    def advance(self, state, moves, rng):
        return state.play(moves["left"], moves["right"])

    def skip(self, view, agent):
        return None

    def forfeit(self, state, agent, rng):
        """Lose every remaining round."""
        change = -state.rounds if agent == "left" else state.rounds
        return State(0, state.score + change, state.history)

    def tell(self, before, moves, after):
        return ()  # the view shows the rounds

    def rules(self, agent):
        return (
            f"You are playing Rock-paper-scissors as {agent}, {self.rounds} rounds. Both choose at "
            "the same time: rock beats scissors, scissors beat paper, paper beats rock. A round "
            "won counts 1, a round lost -1. Reply with rock, paper or scissors."
        )

    def describe(self, view, agent):
        return (
            f"Rounds left: {view.rounds}. "
            f"Score: left {view.score:+d}, right {-view.score:+d}.\n{_past(view.history)}"
        )

    def picture(self, view, agent):
        """Draw the last round large, with the winner's choice framed, above the past rounds."""
        first = max(0, len(view.history) - SHOWN)
        rounds = view.history[first:]
        past = [
            [(FIGURES[choice], color, 0.0) for choice, color in zip(pair, COLORS, strict=True)]
            for pair in rounds
        ]
        winners = [{1: 0, -1: 1}.get(_won(*pair)) for pair in rounds]
        columns = min(SHOWN, len(view.history) + view.rounds)
        items, lines, labels = strip(past, first + 1, columns, 0.56, winners)
        if rounds:
            for seat, (figure, color, _) in enumerate(past[-1]):
                x = (0.23, 0.77)[seat]
                if winners[-1] == seat:
                    lines += frame(x - 0.2, 0.12, x + 0.2, 0.52)
                items.append((figure, color, x, 0.32, 0.36, 0.0))
                labels.append((AGENTS[seat], "", x, 0.055, 0.1))
            sign = {0: ">", 1: "<", None: "="}[winners[-1]]
            labels.append((sign, "", 0.5, 0.32, 0.2))
        else:
            labels.append(("No round was played yet.", "", 0.5, 0.28, 0.07))
        status = (
            f"Rounds left: {view.rounds}",
            f"Score: left {view.score:+d}, right {-view.score:+d}",
        )
        return Shapes(tuple(items), "", tuple(lines), tuple(labels), status)

    def encode(self, view, agent):
        """Return the last round's choices, own first, one-hot, and the share of rounds left."""
        row = np.zeros(9, np.float32)
        pair = view.history[-1] if view.history else (None, None)
        for i, move in enumerate(pair if agent == "left" else pair[::-1]):
            row[4 * i + (MOVES.index(move) if move else 3)] = 1
        row[8] = view.rounds / self.rounds
        return row


@functools.lru_cache(1 << 8)  # both seats are shown the same
def _past(history):
    first = max(0, len(history) - SHOWN)
    rounds = [
        f"{i}. left {a or '-'}, right {b or '-'}"
        for i, (a, b) in enumerate(history[first:], first + 1)
    ]
    return "\n".join(rounds) or "No round was played yet."


env, parallel_env, raw_env = make_env_functions(__name__)
