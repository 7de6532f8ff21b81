"""Compare pairs that talk by a rule of their own with pairs that do not listen.

    python benchmarks/pairs.py                   # a table of all games for seats that win together
    python benchmarks/pairs.py Pictionary --episodes 50

An honest pair says what it knows in words that both understand, and acts by what it hears. In a
deaf pair the speaker does the same, and who should listen does not: what it earns is chance.
"""

import argparse
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

import gem_ma
from gem_ma.envs.parlour.things import THINGS

Player = Callable[[Any], str]


class Pair(NamedTuple):
    """A game, who plays it honestly, who plays it deaf, and what is earned by chance alone."""

    id: str
    honest: Mapping[str, Player]
    deaf: Mapping[str, Player]
    chance: float
    arguments: Mapping[str, Any] = {}
    seat: str = ""  # whose return counts; both earn the same where it is ""

    def play(self, players, episodes):
        """Return what the pair earned in each episode."""
        env = gem_ma.make(self.id, **self.arguments)
        return [self.episode(env, players, seed) for seed in range(episodes)]

    def episode(self, env, players, seed):
        """Play one episode, and return what the pair earned."""
        env.reset(seed=seed)
        while env.to_act:
            env.play({seat: players.get(seat, at_random)(env.turn(seat)) for seat in env.to_act})
        returns = env.game_state.returns()
        if self.seat:
            return returns[self.seat]
        (earned,) = set(returns.values())
        return earned


def at_random(turn):
    """Make any legal reply, whatever was said."""
    rng = np.random.default_rng(turn.seed & 0xFFFFFFFF)
    return turn.legal[int(rng.integers(len(turn.legal)))]


def heard(turn, speaker):
    """Return the last message of a speaker in what a seat reads."""
    lines = [line for line in turn.text.splitlines() if line.startswith(f"{speaker}: ")]
    return lines[-1].removeprefix(f"{speaker}: ") if lines else ""


# -- Pictionary: the number of the word in the list that all know, as discs for its ones ---------

PLACES = [(x, y) for y in (20, 50, 80) for x in (20, 50, 80)]


def artist(turn):
    """Draw the number of the word in base two."""
    number = THINGS.index(turn.observation["text"].split("The word: ")[1].split(".")[0]) + 1
    ones = [place for i, place in enumerate(PLACES) if number >> i & 1]
    return "; ".join(f"disc {x} {y} 9" for x, y in ones)


def beholder(turn):
    """Look at the pixels where discs may be, and name the word of their number."""
    image = np.asarray(turn.observation["image"].array).astype(int)
    height = int((image[:, 0] == image[0, 0]).all(1).argmin()) or len(image)  # of the paper
    left = (image.shape[1] - height) // 2
    pixels = [image[y * height // 100, left + x * height // 100] for x, y in PLACES]
    ones = [abs(pixel - image[0, 0]).sum() > 100 for pixel in pixels]
    return THINGS[sum(one << i for i, one in enumerate(ones)) - 1]


PAIRS = {
    "Pictionary": Pair(
        "game:Pictionary-v0",
        {"artist": artist, "guesser": beholder},
        {"artist": artist},
        3 / 12,
        {"observe": "both", "image_size": 252},
    ),
}


def main():
    """Print a row for each game."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("games", nargs="*", default=list(PAIRS), help="names; all by default")
    parser.add_argument("--episodes", type=int, default=200, help="of each pair")
    args = parser.parse_args()
    print("| game | honest | deaf | chance |\n|---|---|---|---|")
    for name in args.games:
        pair = PAIRS[name]
        honest, deaf = (
            np.mean(pair.play(players, args.episodes)) for players in (pair.honest, pair.deaf)
        )
        print(f"| {name} | {honest:.2f} | {deaf:.2f} | {pair.chance:.2f} |")


if __name__ == "__main__":
    main()
