"""Seeds, as scripts for GEM set them."""

import random

import numpy as np
import pytest

from gem_ma.gem.utils import seeding


@pytest.fixture(autouse=True)
def _keep_generators():
    states = random.getstate(), np.random.get_state()
    yield
    random.setstate(states[0])
    np.random.set_state(states[1])


@pytest.mark.parametrize("seed", [0, 7, 2**40])
def test_a_seed_is_that_of_both_global_generators(seed):
    def draw():
        seeding.set_seed(seed)
        return random.random(), np.random.rand()

    assert draw() == draw()
    seeding.set_seed()
    assert (random.random(), np.random.rand()) != draw()


def test_a_generator_of_ones_own():
    (one, seed), (other, _) = seeding.np_random(3), seeding.np_random(3)
    assert isinstance(one, seeding.RNG)
    assert seed == 3
    assert one.random() == other.random()
