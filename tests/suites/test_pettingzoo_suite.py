"""PettingZoo's own suite over environments of ours: its test/ folder from a clone, by name.

    PETTINGZOO_TESTS=~/PettingZoo pytest -m second_source tests/suites/test_pettingzoo_suite.py

PETTINGZOO_TESTS names the clone; its `test/` is not in the package. Our environments stand where
the suite imports those of its own. What fails is listed in LEFT, what is not about environments in
NOT_APPLICABLE, each with its reason; one that is listed and passes is a failure.
"""

import ast
import functools
import importlib.util
import os
import pathlib
import sys
import types

import pytest
from pettingzoo import test as checks
from pettingzoo.test.bombardment_test import bombardment_test
from playable import GAMES

import gem_ma

CLONE = os.environ.get("PETTINGZOO_TESTS")
pytestmark = [
    pytest.mark.second_source,
    pytest.mark.skipif(
        CLONE is None, reason="set PETTINGZOO_TESTS to the folder of a clone of PettingZoo"
    ),
    # test_official.py turns what the checks warn of into errors; theirs are run as they run them.
    pytest.mark.filterwarnings("ignore"),
]


class Ours:
    """What the suite takes for a module of PettingZoo's, over an id of ours."""

    def __init__(self, env_id, **options):
        self.env_id, self.options = env_id, options

    def env(self, max_cycles=None, num_players=None, **options):
        limit = {} if max_cycles is None else {"max_turns": max_cycles}
        seats = {} if num_players is None else {"players": num_players}
        env = gem_ma.make(self.env_id, **self.options, **limit, **seats, **options)
        if max_cycles is not None:  # the same episode in every run, in which no snake dies before
            env.reset(seed=0)
            for place, seat in enumerate(env.possible_agents):
                env.action_space(seat).seed(place)
        return env

    raw_env = env

    def parallel_env(self, **options):
        return self.env(**options).parallel()


def views():
    """Return every game by the name of its view."""
    for env_id in GAMES:
        yield f"{env_id}-text", Ours(env_id)
        if gem_ma.make(env_id).game.moves is not None:
            yield f"{env_id}-discrete", Ours(env_id, actions="discrete")


ALL = {} if CLONE is None else dict(views())
DISCRETE = {name: ours for name, ours in ALL.items() if ours.options}
# Six steps for an episode of three players, the last step of each among them.
SIX = Ours("game:PublicGoods-v0", actions="discrete", rounds=1)
TOGETHER = Ours("game:RockPaperScissors-v0", actions="discrete", rounds=40)

NOT_OURS = "about parts of PettingZoo, with no environment of ours in it"
NOT_APPLICABLE = {
    "deprecated_module_test": NOT_OURS,
    "doc_examples_test": NOT_OURS + ": the examples of its documentation",
    "print_test": NOT_OURS + ": looks for print in its files",
    "specific_env_test": NOT_OURS + ": its chess",
    "test_registry": NOT_OURS + ": its register, with entries made for the test",
}
LEFT = {  # what fails, with what, and why
    "wrapper_test.test_multi_episode_parallel_env_wrapper": (
        AttributeError,
        "design: a game's actions are texts or numbers, and the test asks for the corner of a Box; "
        "test_official.py plays the wrapper over every id",
    ),
    "pettingzoo.test.bombardment_test": (
        AttributeError,
        "upstream: it asks a dict with a mask for its shape, and takes what step() returns, "
        "None, for an observation; PettingZoo's own tictactoe and rps fail, too",
    ),
}


@functools.cache
def suite(name):
    """Import a file of the suite, with ours where it imports environments of its own."""
    stand_ins = {}
    for package in ("atari", "butterfly", "classic", "sisl"):
        module = stand_ins[f"pettingzoo.{package}"] = types.ModuleType(package)
        module.__getattr__ = lambda name: TOGETHER
    everything = stand_ins["pettingzoo.utils.all_modules"] = types.ModuleType("all_modules")
    everything.all_environments = ALL
    kept = {name: sys.modules.get(name) for name in stand_ins}
    sys.modules.update(stand_ins)
    try:
        path = pathlib.Path(CLONE, "test", f"{name}.py")
        spec = importlib.util.spec_from_file_location(f"pettingzoo_suite_{name}", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module
    finally:
        for name, module in kept.items():
            if module is None:
                del sys.modules[name]
            else:
                sys.modules[name] = module


def every(cases, *names):
    """Parametrise over our views; the names are those of the functions that are run."""
    given = [pytest.param(*pair, id=pair[0]) for pair in cases.items()]
    return _named(names, pytest.mark.parametrize(("name", "ours"), given))


def named(*names):
    return _named(names, lambda test: test)


RUN = set()


def _named(names, mark):
    def decorate(test):
        RUN.update(names)
        for name in names:
            if name in LEFT:
                error, reason = LEFT[name]
                test = pytest.mark.xfail(reason=reason, raises=error, strict=True)(test)
        return mark(test)

    return decorate


@every(ALL, "all_parameter_combs_test.test_module")
def test_module(name, ours):
    theirs = suite("all_parameter_combs_test")
    # Its conversions and limits in rounds are for environments whose seats act together, to the
    # end: in screens:shared a seat that clicks at random may click "I am done".
    together = gem_ma.make(ours.env_id).game.simultaneous and ours.env_id != "screens:shared"
    theirs.test_module(name if together else f"classic/{name}", ours, {})


@every(ALL, "unwrapped_test.test_unwrapped")
def test_unwrapped(name, ours):
    suite("unwrapped_test").test_unwrapped(name, ours)


@every(ALL, "pickle_test.test_pickle_env")
def test_pickle(name, ours):
    suite("pickle_test").test_pickle_env(name, ours)


@every(ALL, "action_mask_test.test_action_mask")
def test_action_mask(name, ours):
    suite("action_mask_test").test_action_mask(ours.env)


@every(DISCRETE, "wrapper_test.test_terminate_illegal")
def test_terminate_illegal(name, ours, monkeypatch):
    theirs = suite("wrapper_test")
    monkeypatch.setattr(theirs, "tictactoe_v3", ours)
    theirs.test_terminate_illegal()


@pytest.mark.parametrize("episodes", range(1, 7))
@named("wrapper_test.test_multi_episode_env_wrapper")
def test_multi_episode(episodes, monkeypatch):
    theirs = suite("wrapper_test")
    monkeypatch.setattr(theirs, "texas_holdem_no_limit_v6", SIX)
    theirs.test_multi_episode_env_wrapper(episodes)


@pytest.mark.parametrize("episodes", range(1, 7))
@named("wrapper_test.test_multi_episode_parallel_env_wrapper")
def test_multi_episode_parallel(episodes):
    suite("wrapper_test").test_multi_episode_parallel_env_wrapper(episodes)


@every(
    ALL,
    "variable_env_test.test_generated_agents_aec",
    "variable_env_test.test_generated_agents_parallel",
    "variable_env_test.test_generated_agents_parallel_to_aec",
    "variable_env_test.test_double_conversion_equals",
)
def test_conversions(name, ours, monkeypatch):
    theirs = suite("variable_env_test")
    for kind in ("env", "parallel", "env_cust_agentid", "parallel_cust_agentid"):
        monkeypatch.setattr(theirs, f"generated_agents_{kind}_v0", ours)
    theirs.test_generated_agents_aec()
    theirs.test_generated_agents_parallel()
    theirs.test_generated_agents_parallel_to_aec()
    theirs.test_double_conversion_equals()


@named(
    "wrapper_record_video_test.test_video_folder_and_filenames_base",
    "wrapper_record_video_test.test_video_folder_and_filenames_parallel",
)
def test_videos(tmp_path, monkeypatch):
    pytest.importorskip("moviepy", reason="pip install moviepy")
    theirs = suite("wrapper_record_video_test")
    monkeypatch.chdir(tmp_path)
    theirs.test_video_folder_and_filenames_base()
    theirs.test_video_folder_and_filenames_parallel()


@every(
    {name: ours for name, ours in ALL.items() if name in DISCRETE},
    "pygame_init_test.test_no_pygame_subsystem_init_without_rendering",
    "pygame_init_test.test_rgb_array_render_does_not_init_audio",
)
def test_pygame(name, ours):
    pytest.importorskip("pygame", reason="pip install 'gem-ma[pettingzoo]'")
    theirs = suite("pygame_init_test")
    theirs.test_no_pygame_subsystem_init_without_rendering(ours)
    theirs.test_rgb_array_render_does_not_init_audio(ours)


def test_the_tables_name_everything_that_is_there():
    there = {
        f"{path.stem}.{node.name}"
        for path in pathlib.Path(CLONE, "test").glob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    }
    there = {name for name in there if name.partition(".")[0] not in NOT_APPLICABLE}
    ours = {name for name in RUN if not name.startswith("pettingzoo.test.")}
    assert there == ours
    assert LEFT.keys() <= RUN


@named("pettingzoo.test.performance_benchmark")
def test_performance(capsys):
    checks.performance_benchmark(Ours("game:ConnectFour-v0", actions="discrete").env())
    turns = float(capsys.readouterr().out.split(" turns per second")[0].split()[-1])
    assert turns > 1_000


@named("pettingzoo.test.bombardment_test")
def test_bombardment():
    bombardment_test(Ours("game:ConnectFour-v0", actions="discrete").env(), cycles=2)
