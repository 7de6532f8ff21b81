"""Hostile replies for every id: a few ids each day, all of them in the long form."""

import dataclasses
import datetime
import itertools
import json
import math
import os
import warnings

import fuzz
import numpy as np
import pytest

import gem_ma
from gem_ma.envs.boards.tic_tac_toe import State, TicTacToe

# Another sample each day, and the same one all day; GEM_MA_FUZZ=N repeats that of another.
SEED = int(os.environ.get("GEM_MA_FUZZ") or datetime.datetime.now(datetime.UTC).toordinal())
QUICK = [
    family
    for family in ("game", "visual", "tau", "math", "qa", "duo", "gym", "os", "pz", "ta")
    if gem_ma.list_envs(f"{family}:*")
]
PARTS = 20


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # other libraries' environments warn of much
        yield


@pytest.mark.parametrize("family", QUICK)
def test_a_sample_of_ids_stands_hostile_replies(family):
    ids = [id for id in gem_ma.list_envs(f"{family}:*") if not id.startswith(fuzz.HEAVY)]
    np.random.default_rng([SEED, len(family)]).shuffle(ids)
    chosen = list(itertools.islice((id for id in ids if not fuzz.skipped(id)), 3))
    if not chosen:
        pytest.skip(f"nothing can be played: {fuzz.skipped(ids[0])}")
    assert list(itertools.chain.from_iterable(map(fuzz.runs, chosen))) == []


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_every_id_stands_hostile_replies(part):
    faults = []
    for id in fuzz.ids()[part::PARTS]:
        faults += fuzz.runs(id, len(fuzz.POLICIES))
    assert faults == []


class Reading(TicTacToe):
    """Read a reply as nobody should."""

    def read(self, text, view, agent):
        return super().read(str(json.loads(text)), view, agent)


class Infinite(TicTacToe):
    """Pay what no trainer can add up."""

    def advance(self, state, moves, rng):
        return Paid(*dataclasses.astuple(super().advance(state, moves, rng)))


class Paid(State):
    def returns(self):
        return {"x": math.inf, "o": -math.inf}


@pytest.mark.parametrize("game", [Reading, Infinite])
def test_a_fault_is_found(game):
    gem_ma.register(f"game:{game.__name__}", f"{__name__}:{game.__name__}")
    assert list(fuzz.runs(f"game:{game.__name__}"))
