"""PettingZoo's and Gymnasium's own conformance tests, over every registered id.

By default every game is tested once, as it shows and takes all that it can; what is left, other
levels and other ways to look at the same, is for the long run.
"""

import contextlib
import io
import warnings
from types import SimpleNamespace

import gymnasium
import pytest
from gymnasium.utils.env_checker import check_env as gymnasium_check_env
from pettingzoo.test import (
    api_test,
    max_cycles_test,
    parallel_api_test,
    render_test,
    seed_test,
    state_test,
)
from pettingzoo.test import test_save_obs as save_obs_test
from pettingzoo.utils.wrappers import MultiEpisodeEnv, MultiEpisodeParallelEnv
from playable import EVERY_ID, FEW, IDS, MECHANISMS, TALKS

import gem_ma
from gem_ma.wrappers import TimeLimit

# What the API test says of anything but arrays: text cannot avoid it, and the names of seats are
# those of the game. A dict of numbers and a mask cannot avoid the first two either: the test asks
# for an ndarray and a Box, and lets seven environments off by their names.
NOT_AN_ARRAY = "Observation is not a NumPy array"
NOT_A_BOX = "Observation space for each agent probably should be"
TEXT_ACTIONS = "Action space for each agent probably should be"
SEAT_NAMES = "We recommend agents to be named in the format"
ALLOWED = {
    "text": (NOT_AN_ARRAY, NOT_A_BOX, TEXT_ACTIONS, SEAT_NAMES),
    "discrete": (NOT_AN_ARRAY, NOT_A_BOX, SEAT_NAMES),
}

# Environments whose moves can be listed; those of talks cannot.
LISTED = {
    env_id
    for env_id in IDS
    if not env_id.startswith(TALKS) and gem_ma.make(env_id).game.moves is not None
}
every_id = pytest.mark.parametrize("env_id", EVERY_ID)
FULL = ({"observe": "both"}, {"actions": "discrete"})
KINDS = [*FULL, {}, {"observe": "image"}, {"actions": "discrete", "observe": "image"}]
every_id_and_kind = pytest.mark.parametrize(
    ("env_id", "options"),
    [
        pytest.param(
            env_id,
            options,
            id=f"{env_id}-{'-'.join(options.values()) or 'text'}",
            marks=[]
            if env_id in MECHANISMS or (env_id in FEW and options in FULL)
            else pytest.mark.slow,
        )
        for env_id in IDS
        for options in KINDS
        if options.get("actions") != "discrete" or env_id in LISTED
    ],
)


@contextlib.contextmanager
def strictly(options):
    """Turn warnings into errors, but for those allowed, and swallow what is printed."""
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("error")
        for message in ALLOWED[options.get("actions", "text")]:
            warnings.filterwarnings("ignore", message=message)
        yield


def make(env_id, options, **more):
    return gem_ma.make(env_id, **options, **more)


@every_id_and_kind
def test_aec(env_id, options):
    with strictly(options):
        api_test(make(env_id, options), num_cycles=60)


@every_id_and_kind
def test_parallel(env_id, options):
    with strictly(options):
        parallel_api_test(make(env_id, options).parallel(), num_cycles=60)


@every_id_and_kind
def test_seeds(env_id, options):
    with strictly(options):
        seed_test(lambda: make(env_id, options), num_cycles=30)


@every_id
def test_rendering(env_id):
    with strictly({}):
        render_test(lambda render_mode: gem_ma.make(env_id, render_mode=render_mode))


@every_id
def test_saving_observations(env_id, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with strictly({}):
        save_obs_test(gem_ma.make(env_id, observe="both"))


@pytest.mark.parametrize("env_id", ["game:RockPaperScissors-v0", "game:PrisonersDilemma-v0"])
def test_turn_limit(env_id):
    with strictly({}):
        max_cycles_test(
            SimpleNamespace(
                env=lambda max_cycles: gem_ma.make(env_id, max_turns=max_cycles),
                parallel_env=lambda max_cycles: gem_ma.make_parallel(env_id, max_turns=max_cycles),
            )
        )


@every_id
def test_states(env_id):
    env = gem_ma.make(env_id)
    with strictly({}):
        state_test(env, gem_ma.make_parallel(env_id))


@every_id
def test_several_episodes_as_one(env_id):
    short = TimeLimit(gem_ma.make(env_id), 5)
    env = MultiEpisodeEnv(short, 3)
    env.reset(seed=1)
    last_steps = 0
    for agent in env.agent_iter():
        *_, terminated, truncated, _ = env.last()
        over = terminated or truncated
        last_steps += over
        env.step(None if over else env.action_space(agent).sample())
    assert last_steps == 3 * len(env.possible_agents)
    rows = MultiEpisodeParallelEnv(short.parallel(), 3)
    rows.reset(seed=1)
    while rows.agents:
        results = rows.step({agent: rows.action_space(agent).sample() for agent in rows.agents})
    assert all(results[3].values())


@every_id_and_kind
def test_gymnasium(env_id, options):
    make(env_id, options)
    seats = gem_ma.make(env_id).possible_agents
    if len(seats) > 1:
        options = {**options, "agent": seats[-1], "others": "random"}
    env = gymnasium.make("gem_ma:gem_ma/" + env_id.replace(":", "."), **options)
    with strictly(options):
        gymnasium_check_env(env.unwrapped)
