"""Vectors of games with all their seats."""

import multiprocessing

import numpy as np
import pytest
from playable import unless

import gem_ma
import gem_ma.wrappers
from gem_ma.apis.vector.game_vector import TurnBatch

FOUR = "game:ConnectFour-v0"


@pytest.fixture
def made():
    """Make vectors, and see that each is closed without a trace."""
    vectors = []

    def make(*args, **kwargs):
        vectors.append(gem_ma.make_vec(*args, **kwargs))
        return vectors[-1]

    yield make
    for vector in vectors:
        vector.close()
    assert not multiprocessing.active_children()


def same(one, other):
    """Say whether two deliveries are equal, arrays and types included."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[k], other[k]) for k in one)
    if isinstance(one, list | tuple):
        return type(one) is type(other) and all(map(same, one, other)) and len(one) == len(other)
    if isinstance(one, np.ndarray):
        if one.dtype != other.dtype or one.shape != other.shape:
            return False
        return all(map(same, one, other)) if one.dtype == object else bool(np.all(one == other))
    return one == other


WRONG = [None, 5, 2.5, b"1", ["1"], {"text": "1"}, np.array([1, 2])]


@pytest.mark.parametrize(
    ("id", "autoreset"),
    [
        (FOUR, "next"),
        unless(False, FOUR, "same"),
        unless(False, "game:RockPaperScissors-v0", "next"),
        ("game:RockPaperScissors-v0", "same"),
        ("game:LiarsDice-v0", "next"),
        unless(False, "game:LiarsDice-v0", "same"),
    ],
)
def test_games_with_all_their_seats(made, id, autoreset):
    from gem_ma.agents import load_agent

    def play(backend):
        vector = made(id, 5, api="parallel", backend=backend, autoreset=autoreset)
        player = load_agent("random")
        out = [vector.reset(seed=3)]
        for _ in range(60):
            replies = {seat: player.act(turns) for seat, turns in out[-1].turns.items()}
            out.append(vector.step(replies))
        return out

    first = play("sync")
    assert sum(len(batch.reports) for batch in first) >= 5
    assert all(isinstance(batch, TurnBatch) for batch in first)
    total = sum(sum(rewards.sum() for rewards in batch.rewards.values()) for batch in first)
    assert total == 0
    for backend in ("thread", "process"):
        for one, other in zip(first, play(backend), strict=True):
            assert same(one.indices, other.indices)
            assert same(one.rewards, other.rewards)
            assert same(one.terminated, other.terminated)
            assert {s: [t.text for t in turns] for s, turns in one.turns.items()} == {
                s: [t.text for t in turns] for s, turns in other.turns.items()
            }


def test_a_seat_that_is_left_out_is_asked_again(made):
    vector = made(
        "game:RockPaperScissors-v0",
        2,
        api="parallel",
        observe="image",
        backend="process",
        workers=1,
    )
    batch = vector.reset(seed=0)
    assert batch.indices["left"].tolist() == [0, 1]
    assert batch.turns["left"][0].observation["image"].array.shape == (252, 252, 3)
    batch = vector.step({"left": ["rock", "paper"]})
    assert list(batch.turns) == ["right"]
    batch = vector.step({"right": ["paper", "paper"]})
    assert batch.rewards["right"].tolist() == [1.0, 0.0]
    with pytest.raises(ValueError, match="expected a list of 2 replies of left, got 1"):
        vector.step({"left": ["rock"]})
    with pytest.raises(ValueError, match="no game waits for seat 'middle'"):
        vector.step({"middle": ["rock"]})
    for wrong in WRONG:
        with pytest.raises(TypeError, match="environment 1: the action of left must be a str"):
            vector.step({"left": ["rock", wrong]})
    for answers in (None, 5, "ab", {"0": "rock", "1": "rock"}):
        with pytest.raises(TypeError, match="expected a list of 2 replies of left, got"):
            vector.step({"left": answers})
    with pytest.raises(TypeError, match="a dict of lists by seat"):
        vector.step(["rock", "rock"])
    with pytest.raises(TypeError, match="a dict or None"):
        vector.reset(options=[1])
    for indices in ([7], [-1], [0.5], [1, 1]):
        with pytest.raises((TypeError, ValueError, IndexError), match=r"indices|environment"):
            vector.reset(indices=indices)
    batch = vector.step({"left": ["rock", "paper"], "right": ["paper", "paper"]})
    assert batch.rewards["right"].tolist() == [1.0, 0.0]
