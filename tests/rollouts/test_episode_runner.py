"""While rollouts play Python looks for cycles less often, and afterwards as before."""

import asyncio
import contextlib
import gc

import pytest

import gem_ma
from gem_ma.rollouts.episode_runner import collection_threshold

ID = "game:RockPaperScissors-v0"


@pytest.fixture(autouse=True)
def threshold():
    before = gc.get_threshold()
    gc.set_threshold(700, 10, 10)
    yield
    gc.set_threshold(*before)


def test_it_is_raised_while_episodes_are_played_and_no_longer():
    seen = []

    def reply(turn):
        seen.append(gc.get_threshold())
        return "rock"

    gem_ma.rollout(ID, reply, 2)
    assert set(seen) == {(50_000, 10, 10)}
    assert gc.get_threshold() == (700, 10, 10)


def test_of_several_rollouts_at_once_the_last_one_puts_it_back():
    async def play(count):
        async with contextlib.aclosing(gem_ma.arollout(ID, "random", count)) as episodes:
            async for _ in episodes:
                assert gc.get_threshold()[0] == 50_000
                await asyncio.sleep(0)

    async def play_both():
        await asyncio.gather(play(3), play(30))

    asyncio.run(play_both())
    assert gc.get_threshold() == (700, 10, 10)


@pytest.mark.parametrize("own", [(0, 10, 10), (100_000, 5, 5)])
def test_whoever_collects_less_or_not_at_all_is_left_alone(own):
    gc.set_threshold(*own)
    with collection_threshold.raised():
        assert gc.get_threshold() == own
    assert gc.get_threshold() == own


def test_a_rollout_that_fails_puts_it_back():
    def fail(turn):
        raise ZeroDivisionError

    with pytest.raises(RuntimeError, match="episodes failed"):
        gem_ma.rollout(ID, fail, 2, max_errors=0)
    assert gc.get_threshold() == (700, 10, 10)
