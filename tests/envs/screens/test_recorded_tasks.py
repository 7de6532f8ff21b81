"""Tasks and what becomes of them are what they were: hashes of them, for every family.

A seed is a task for ever: where a hash is another, the CHANGELOG says which tasks are others and
why. `python tests/envs/screens/test_recorded_tasks.py` prints them anew.
"""

import hashlib
import random
import sys
from pathlib import Path

import numpy as np
import pytest

from gem_ma.envs.difficulty_levels import MAX_DIFFICULTY
from gem_ma.envs.screens.families import PHONES, REGISTER
from gem_ma.envs.screens.game import LOOKS, Screens
from gem_ma.envs.screens.phones.game import Phones

HASHES_PATH = Path(__file__).with_name("recorded_tasks.txt")
LONGEST = 25  # actions of an episode
FAMILIES = [*REGISTER, *PHONES]


def play(family, difficulty, look, share):
    """Yield all that is shown and told, when that share of the actions is that of who knows."""
    if family in PHONES:
        game = Phones(family, difficulty=difficulty).fit_image(448, 896)
    else:
        game = Screens(family, difficulty=difficulty, look=look)
    rng = random.Random(difficulty)
    state = game.start(np.random.default_rng(difficulty), {})
    yield game.brief(state, "player")
    for _ in range(LONGEST):
        yield game.describe(state, "player"), *map(collect_content, state.page)
        if not state.to_act():
            break
        text = state.hint("player")
        if rng.random() >= share:
            text = rng.choice(state.legal("player"))
        yield text
        state = game.advance(state, {"player": game.read(text, state, "player")}, None)
    yield state.score, state.left


def collect_content(one):
    """Return what a widget does not share with one of which nothing is said."""
    defaults = one._field_defaults
    return {name: value for name, value in one._asdict().items() if value != defaults.get(name)}


def compute_hash(family):
    """Return a hash of episodes at every difficulty, in all looks, of good players and of worse.

    Of phones, which have one look, every fifth difficulty is played.
    """
    digest = hashlib.sha256()
    for difficulty in range(0, MAX_DIFFICULTY + 1, 5 if family in PHONES else 1):
        look = list(LOOKS)[difficulty % len(LOOKS)]
        for share in (1.0, 0.5):
            for part in play(family, difficulty, look, share):
                digest.update(repr(part).encode())
    return digest.hexdigest()[:16]


@pytest.mark.parametrize("family", FAMILIES)
def test_tasks_are_what_they_were(family):
    assert compute_hash(family) == read_hashes()[family]


def test_families_are_called_what_they_were():
    assert list(read_hashes()) == FAMILIES


def read_hashes():
    return dict(line.split() for line in HASHES_PATH.read_text().splitlines())


if __name__ == "__main__":
    sys.stdout.writelines(f"{family} {compute_hash(family)}\n" for family in FAMILIES)
