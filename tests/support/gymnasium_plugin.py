"""Gymnasium's own tests with our spaces, environments and vectors; test_gymnasium_suite.py runs it.

A plugin of pytest for a process of its own. GEM_MA_SUITE says which part is ours:

- `spaces`: the spaces of tests over spaces.
- `envs`: the environments of tests over environments.
- `theirs`: the spaces and environments in Gymnasium's vectors.
- `ours`: the vectors too.

Outcomes go as JSON into the file GEM_MA_OUTCOMES; tests that hold nothing of ours are left out.
"""

import itertools
import json
import os
from types import SimpleNamespace

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers import OrderEnforcing, PassiveEnvChecker

import gem_ma
import gem_ma.apis.vector.seat_vector
from gem_ma.apis.gymnasium_view import GymnasiumView
from gem_ma.apis.text_space import UnicodeText
from gem_ma.apis.vector.seat_vector import SeatVector
from gem_ma.apis.vector.sub_envs import SeatSubEnv

SUITE = os.environ["GEM_MA_SUITE"]
FOUR = {"env_id": "game:ConnectFour-v0", "agent": "red", "others": "random"}
SMALL = {"image_size": (84, 84), "text_length": 300}


def _spaces():
    both = gem_ma.make("game:ConnectFour-v0", observe="both", **SMALL)
    numbers = gem_ma.make("game:ConnectFour-v0", actions="discrete")
    return {
        "narrow": UnicodeText(6),
        "wide": UnicodeText(300),
        "examples": UnicodeText(20, examples=["left", "right", "é", "", "\U0001f600", "up\n"]),
        "moves": both.action_space("red"),
        "both": both.observation_space("red"),
        "image": both.observation_space("red")["image"],
        "numbers": numbers.observation_space("red"),
        "discrete": numbers.action_space("red"),
    }


SPACES = _spaces()
TEXTS = [name for name, space in SPACES.items() if isinstance(space, UnicodeText)]
MASKS = {
    "narrow": (4, np.array([1, 0] * 34, np.int8)),
    "wide": (40, np.array([0, 1] * 34, np.int8)),
    "examples": (12, np.array([1, 1] * 34, np.int8)),
    "moves": (7, np.array([0, 1] * 34, np.int8)),
}
PAIRS = [
    pair
    for pair in itertools.permutations(SPACES, 2)
    if type(SPACES[pair[0]]) is type(SPACES[pair[1]])
]


def _views():
    """Return Gymnasium's specs of what we register: every game, seen in every way."""
    ways = {
        "text": {},
        "image": {"observe": "image"},
        "both": {"observe": "both"},
        "numbers": {"actions": "discrete"},
        "pixels": {"actions": "discrete", "observe": "image"},
    }
    for id, (way, more) in itertools.product(gem_ma.list_envs("game:*"), ways.items()):
        spec = gem_ma.spec(id)
        if spec.list_missing() or "network" in spec.needs:
            continue
        env = gem_ma.make(id)
        if way in ("numbers", "pixels") and not env.game.moves:
            continue
        kwargs = {"env_id": id, **more}
        if len(env.possible_agents) > 1:
            kwargs |= {"agent": env.possible_agents[0], "others": "random"}
        name = f"suite/{id[5:]}".removesuffix("-v0") + f"-{way}-v0"
        gymnasium.register(name, "gem_ma.apis.factory:make_for_gymnasium", kwargs=kwargs)
        yield gymnasium.spec(name)


SPECS = {spec.id: spec for spec in _views()} if SUITE == "envs" else {}

# What Gymnasium's tests know under these names, is ours.
NAMES = {
    "CartPole-v1": {**FOUR, "observe": "image", **SMALL},
    "FrozenLake-v1": {"env_id": "game:FrozenLake-v0"},
    "BipedalWalker-v3": {**FOUR, "actions": "discrete"},
    "Pendulum-v1": {"env_id": "game:GuessTheNumber-v0-easy"},
}


class Held(SeatSubEnv):
    """Any environment of Gymnasium in a slot, for tests that bring their own."""

    is_blocking = False

    def __init__(self, make, autoreset):
        self.arguments = make, autoreset
        self.env, self.autoreset, self.over = make(), autoreset, False
        self.env.agent = "player"
        self.base_env = SimpleNamespace(check_reply=lambda seat, reply: None)  # it takes any action

    def __reduce__(self):
        return Held, self.arguments

    def split_job(self, method, arguments):
        return None


class OurSync(SeatVector):
    """Our vector behind the constructor of Gymnasium's SyncVectorEnv."""

    backend = "sync"

    def __init__(self, env_fns, copy=True, autoreset_mode=AutoresetMode.NEXT_STEP):
        modes = {
            mode: name for name, mode in gem_ma.apis.vector.seat_vector.AUTORESET_MODES.items()
        }
        autoreset = modes[AutoresetMode(autoreset_mode)]
        slots = [self._slot(make, autoreset) for make in env_fns]
        super().__init__(slots, self.backend, autoreset, None, None)

    @staticmethod
    def _slot(make, autoreset):
        env = make()
        while isinstance(env, OrderEnforcing | PassiveEnvChecker):
            env = env.env
        if isinstance(env, GymnasiumView):
            return SeatSubEnv(env.env, autoreset, env.agent, env.others)
        return Held(make, autoreset)


class OurAsync(OurSync):
    """The same in threads where Gymnasium's shares memory, else in processes."""

    def __init__(self, env_fns, shared_memory=True, **kwargs):
        self.backend = "thread" if shared_memory else "process"
        super().__init__(env_fns, **kwargs)


if SUITE != "spaces":
    for name, kwargs in NAMES.items():
        gymnasium.registry.pop(name, None)
        gymnasium.register(name, "gem_ma.apis.factory:make_for_gymnasium", kwargs=kwargs)
if SUITE == "ours":
    gymnasium.vector.SyncVectorEnv = OurSync
    gymnasium.vector.AsyncVectorEnv = OurAsync


def _replaced(test, names, values):
    """Return what takes the place of the values that a test is to be run over, with their ids."""
    if names == ("space_1", "space_2"):
        return [(SPACES[a], SPACES[b]) for a, b in PAIRS], [f"{a}-{b}" for a, b in PAIRS]
    if names == ("space_cls", "kwarg"):
        return [(UnicodeText, {"max_length": 5})], ["UnicodeText"]
    if names == ("space", "mask"):
        return [(SPACES[name], MASKS[name]) for name in TEXTS], TEXTS
    if names == ("space", "flatdim"):
        known = {name: 4 + SPACES[name].max_length for name in TEXTS}
        known |= {"both": 304 + 84 * 84 * 3, "image": 84 * 84 * 3, "discrete": 7}
        known["numbers"] = 7 + spaces.flatdim(SPACES["numbers"]["observation"])
        return [(SPACES[name], known[name]) for name in SPACES], list(SPACES)
    if names in (("space",), ("space_1",), ("obs_space",)):
        fundamental = len(values) < 30  # of Gymnasium's list, those that hold no other spaces
        chosen = TEXTS if fundamental else list(SPACES)
        return [SPACES[name] for name in chosen], chosen
    if SUITE != "envs" or test in (
        "test_mujoco_action_dimensions",
        "test_box_actions_out_of_bound",
    ):
        return None
    if names in (("spec",), ("env_spec",)):
        return list(SPECS.values()), list(SPECS)
    if names == ("env",):
        envs = {name: spec.make(disable_env_checker=True) for name, spec in SPECS.items()}
        if test == "test_discrete_actions_out_of_bound":
            numbered = spaces.Discrete
            envs = {name: e for name, e in envs.items() if isinstance(e.action_space, numbered)}
        return [env.unwrapped for env in envs.values()], list(envs)
    return None


@pytest.hookimpl(tryfirst=True)
def pytest_generate_tests(metafunc):
    if hasattr(metafunc.module, "TESTING_SPACES"):
        metafunc.module.TESTING_SPACES = list(SPACES.values())
    markers = metafunc.definition.own_markers
    for place, marker in enumerate(markers):
        if marker.name != "parametrize":
            continue
        names, values = marker.args
        names = names.split(",") if isinstance(names, str) else names
        names = tuple(name.strip() for name in names)
        found = _replaced(metafunc.function.__name__, names, list(values))
        if found is not None:
            metafunc.function.__dict__["ours"] = True
            markers[place] = pytest.mark.parametrize(marker.args[0], found[0], ids=found[1]).mark


def pytest_collection_modifyitems(config, items):
    if SUITE in ("spaces", "envs"):
        left = [item for item in items if not getattr(item.function, "ours", False)]
        config.hook.pytest_deselected(items=left)
        items[:] = [item for item in items if getattr(item.function, "ours", False)]


OUTCOMES = {}


def pytest_runtest_logreport(report):
    name = report.nodeid.partition("tests/")[2]
    if report.failed or name not in OUTCOMES:
        OUTCOMES[name] = report.outcome
    elif report.skipped:
        OUTCOMES[name] = "skipped"


def pytest_sessionfinish():
    with open(os.environ["GEM_MA_OUTCOMES"], "w") as file:
        json.dump(OUTCOMES, file)
