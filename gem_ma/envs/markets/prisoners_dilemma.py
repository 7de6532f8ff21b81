"""Prisoner's dilemma: in each of several rounds, both agents secretly cooperate or defect."""

from dataclasses import dataclass

import numpy as np

from gem_ma.envs.env_functions import make_env_functions
from gem_ma.envs.markets.rounds import frame, strip
from gem_ma.game import Game, parse_choice
from gem_ma.scene import Shapes

AGENTS = ("left", "right")
MOVES = ("cooperate", "defect")
SHOWN = 10  # past rounds that are shown
PAYOFF = {  # what the first of the two earns
    ("cooperate", "cooperate"): 3,
    ("cooperate", "defect"): 0,
    ("defect", "cooperate"): 5,
    ("defect", "defect"): 1,
}

THUMBS = {"cooperate": ("thumb", "green", 0.0), "defect": ("thumb", "red", 180.0)}
_ACROSS = (0.32, 0.66, 1.0)  # edges of the columns of the payoff table
_DOWN = (0.16, 0.345, 0.53)  # edges of its rows


@dataclass(frozen=True, slots=True)
class State:
    rounds: int  # rounds still to be played
    earned: tuple[int, int] = (0, 0)
    history: tuple[tuple[str, str], ...] = ()

    def to_act(self):
        return AGENTS if self.rounds else ()

    def returns(self):
        return {a: float(points) for a, points in zip(AGENTS, self.earned, strict=True)}

    def seen_by(self, agent):
        return self  # the past is public, and the State does not hold the other's choice

    def legal(self, agent):
        return MOVES

    def play(self, left, right):
        a, b = self.earned
        earnings = a + PAYOFF[left, right], b + PAYOFF[right, left]
        return State(self.rounds - 1, earnings, (*self.history, (left, right)))


class PrisonersDilemma(Game[State]):
    agents = AGENTS
    moves = MOVES
    simultaneous = True

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
        return "cooperate"  # a lost turn does not harm the other

    def forfeit(self, state, agent, rng):
        """Earn nothing more; the other is paid as for mutual cooperation to the end."""
        pay = state.rounds * PAYOFF["cooperate", "cooperate"]
        earnings = (0, pay) if agent == "left" else (pay, 0)
        a, b = state.earned
        return State(0, (a + earnings[0], b + earnings[1]), state.history)

    def tell(self, before, moves, after):
        return ()  # the view shows the rounds

    def rules(self, agent):
        return (
            f"You are playing the Prisoner's Dilemma as {agent}, {self.rounds} rounds. Both choose "
            "at the same time to cooperate or to defect. If both cooperate, each earns 3; if both "
            "defect, each earns 1; a defector earns 5 from a cooperator, who earns 0. Your aim is "
            "to earn as much as you can. Reply with cooperate or defect."
        )

    def describe(self, view, agent):
        first = max(0, len(view.history) - SHOWN)
        past = [
            f"{i}. left {a}, right {b}" for i, (a, b) in enumerate(view.history[first:], first + 1)
        ]
        return (
            f"Rounds left: {view.rounds}. Earned: left {view.earned[0]}, right {view.earned[1]}.\n"
            + ("\n".join(past) or "No round was played yet.")
        )

    def picture(self, view, agent):
        """Draw the payoff table, with the last round's cell framed, above the past rounds."""
        first = max(0, len(view.history) - SHOWN)
        rounds = view.history[first:]
        past = [[THUMBS[choice] for choice in pair] for pair in rounds]
        columns = min(SHOWN, len(view.history) + view.rounds)
        items, lines, labels = strip(past, first + 1, columns, 0.56, [None] * len(past))
        lines.append(("gray", 0.01, 0.01, _ACROSS[0], _DOWN[0], 0.004))
        labels += [("right", "", 0.23, 0.04, 0.06), ("left", "", 0.09, 0.12, 0.06)]
        for line in _DOWN[:2]:
            lines.append(("gray", 0.0, line, 1.0, line, 0.004))
        for line in _ACROSS[:2]:
            lines.append(("gray", line, 0.0, line, _DOWN[2], 0.004))
        for i, move in enumerate(MOVES):
            figure, color, degrees = THUMBS[move]
            x, y = (_ACROSS[i] + _ACROSS[i + 1]) / 2, (_DOWN[i] + _DOWN[i + 1]) / 2
            items.append((figure, color, x, 0.052, 0.08, degrees))
            items.append((figure, color, _ACROSS[0] / 2, y - 0.035, 0.08, degrees))
            labels.append((move, "", x, 0.12, 0.06))
            labels.append((move, "", _ACROSS[0] / 2, y + 0.05, 0.06))
            for j, other in enumerate(MOVES):
                x = (_ACROSS[j] + _ACROSS[j + 1]) / 2
                labels.append((f"{PAYOFF[move, other]} : {PAYOFF[other, move]}", "", x, y, 0.1))
        if rounds:
            row, column = (MOVES.index(choice) for choice in rounds[-1])
            left, right = _ACROSS[column] + 0.012, _ACROSS[column + 1] - 0.012
            top, bottom = _DOWN[row] + 0.012, _DOWN[row + 1] - 0.012
            lines += frame(left, top, right, bottom)
        else:
            labels.append(("No round was played yet.", "", 0.58, 0.81, 0.07))
        a, b = view.earned
        status = f"Rounds left: {view.rounds}", f"Earned: left {a}, right {b}"
        return Shapes(tuple(items), "", tuple(lines), tuple(labels), status)

    def encode(self, view, agent):
        """Return the last round's choices, own first, one-hot, and the share of rounds left."""
        row = np.zeros(5, np.float32)
        if view.history:
            pair = view.history[-1] if agent == "left" else view.history[-1][::-1]
            for i, move in enumerate(pair):
                row[2 * i + MOVES.index(move)] = 1
        row[4] = view.rounds / self.rounds
        return row


env, parallel_env, raw_env = make_env_functions(__name__)
