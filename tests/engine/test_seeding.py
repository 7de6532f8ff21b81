"""Numbers from numbers: what they are decides every recorded episode, so that they never change."""

import pickle

import numpy as np
import pytest

import gem_ma
from gem_ma.engine.seeding import (
    derive_seed,
    generate_seed,
    make_rng,
    map_rng_memory,
    pack_chance,
    pick_option,
    seed_rng,
    unpack_chance,
)


def test_mixed_numbers_are_what_they_were():
    assert [derive_seed(0), derive_seed(1), derive_seed(1, 2), derive_seed(-1, 1 << 70)] == [
        8147104208329303767,
        5225608189600411232,
        6804074658870690613,
        3377987053190985883,
    ]
    assert "".join(pick_option("abc", number) for number in range(8)) == "accbcbbb"


def test_a_seed_names_a_state_of_the_generator():
    rng = np.random.Generator(np.random.PCG64(0))
    for _ in range(2):
        seed_rng(rng, 7)
        assert rng.bit_generator.random_raw(2).tolist() == [
            4159885989466106972,
            14465374906482847798,
        ]
    with pytest.raises(ValueError, match="expected an int of at most 127 bits"):
        seed_rng(rng, 1 << 130)
    with pytest.raises(TypeError, match=r"expected a numpy\.random\.Generator"):
        seed_rng(None, 7)


def test_memory_that_is_written_is_the_state_that_is_set():
    quick, slow = (np.random.Generator(np.random.PCG64(0)) for _ in range(2))
    memory = map_rng_memory(quick)
    assert memory is not None, "NumPy holds its state elsewhere: seed_rng is right, and slower"
    for seed in (0, 7, -1, (1 << 126) + 5):
        quick.integers(1 << 32, dtype=np.uint32)  # half of a draw is left
        seed_rng(quick, seed, memory)
        seed_rng(slow, seed)
        assert quick.bit_generator.state == slow.bit_generator.state
        assert quick.random(3).tolist() == slow.random(3).tolist()


def test_memory_that_is_laid_out_otherwise_is_not_written():
    assert map_rng_memory(np.random.Generator(np.random.Philox(0))) is None


def test_a_new_generator_is_like_any_other_once_it_is_seeded():
    quick, slow = make_rng(), np.random.Generator(np.random.PCG64(0))
    draws = []
    for rng in (quick, slow, pickle.loads(pickle.dumps(quick))):
        seed_rng(rng, 5)
        draws.append(rng.integers(1000, size=4).tolist())
    assert draws[0] == draws[1] == draws[2]
    assert map_rng_memory(make_rng()) is not None
    with pytest.raises(TypeError, match="would not depend on the episode's seed; instead of spawn"):
        quick.spawn(1)


def test_every_episode_is_seeded_alike_whichever_way_its_generator_was():
    env = gem_ma.make("game:GuessTheNumber-v0-hard")
    states = []
    for _ in range(4):  # the first without its memory, the others by it
        env.reset(seed=3)
        states.append(env.match.rng.bit_generator.state)
    env.copy().reset(seed=3)
    assert env.match.rng_memory is not None
    assert states[0] == states[1] == states[2] == states[3]


def test_fresh_seeds_differ():
    assert len({generate_seed() for _ in range(50)}) == 50


def test_an_environment_that_was_sent_elsewhere_goes_on_and_begins_as_here():
    env = gem_ma.make("game:GuessTheNumber-v0")
    env.reset(seed=1)
    other = pickle.loads(pickle.dumps(env))
    assert other.game_state == env.game_state
    for seed in (2, 3):
        for one in (env, other, env.copy()):
            one.reset(seed=seed)
        assert other.game_state == env.game_state


def test_where_a_generator_stands_is_told_in_a_text():
    rng = np.random.Generator(np.random.PCG64(7))
    rng.integers(1 << 32, dtype=np.uint32)  # half of a draw is left
    text = pack_chance(rng)
    other = np.random.Generator(np.random.PCG64(0))
    unpack_chance(text, other)
    assert other.bit_generator.state == rng.bit_generator.state
    assert pack_chance(other) == text
    assert other.random(3).tolist() == rng.random(3).tolist()
    with pytest.raises(TypeError, match="text=7: expected str"):
        unpack_chance(7, rng)
