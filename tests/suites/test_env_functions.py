"""`env`, `parallel_env` and `raw_env` of games' modules, by PettingZoo's own tests."""

import importlib
import pickle
from contextlib import redirect_stdout
from io import StringIO

import pettingzoo
import pytest
from pettingzoo.test import api_test, max_cycles_test, parallel_api_test, seed_test

import gem_ma
from gem_ma.envs.boards import connect_four
from gem_ma.envs.cards import kuhn_poker
from gem_ma.envs.env_functions import make_env_functions
from gem_ma.envs.guessing import mastermind
from gem_ma.envs.markets import prisoners_dilemma, rock_paper_scissors
from gem_ma.envs.parlour import chameleon, diplomacy
from gem_ma.envs.puzzles import frozen_lake
from gem_ma.envs.words import crosswords
from gem_ma.envs.worlds import snake

# The first id of each game; the others are its levels.
GAMES = {gem_ma.spec(id).entry_point: id for id in reversed(gem_ma.list_envs("game:*"))}
# One of each kind.
MODULES = [
    connect_four,
    kuhn_poker,
    mastermind,
    prisoners_dilemma,
    chameleon,
    frozen_lake,
    crosswords,
    snake,
]
each_module = pytest.mark.parametrize("module", MODULES, ids=lambda one: one.__name__)


@pytest.mark.parametrize(("entry_point", "id"), GAMES.items(), ids=list(GAMES.values()))
def test_every_module_of_a_game_has_them(entry_point, id):
    name = entry_point.partition(":")[0].removesuffix(".game")
    module = importlib.import_module(name)
    env = module.env()
    assert env.spec.id == id
    assert isinstance(env, pettingzoo.AECEnv)
    assert isinstance(module.parallel_env(), pettingzoo.ParallelEnv)
    assert module.raw_env().spec == env.spec


@each_module
@pytest.mark.filterwarnings("ignore")  # of observations that are texts; test_official.py has them
def test_pettingzoos_tests_pass(module):
    with redirect_stdout(StringIO()):
        api_test(module.env(), num_cycles=30)
        api_test(module.raw_env(observe="both"), num_cycles=30)
        parallel_api_test(module.parallel_env(), num_cycles=30)
        seed_test(module.env, num_cycles=20)


@pytest.mark.filterwarnings("ignore")
def test_pettingzoos_test_of_a_module_passes():
    with redirect_stdout(StringIO()):
        max_cycles_test(prisoners_dilemma)
        max_cycles_test(rock_paper_scissors)


def test_options_are_those_of_make():
    assert connect_four.env(actions="discrete").action_space("red").n == 7
    assert connect_four.env(max_cycles=5).match.config.max_turns == 5
    assert diplomacy.parallel_env(max_cycles=5).env.match.config.max_turns == 5
    assert frozen_lake.env(difficulty=2).spec.kwargs["size"] == 4
    with pytest.raises(gem_ma.UnknownArgument, match="did you mean 'observe'"):
        connect_four.env(obserb="image")


def test_another_process_finds_them_by_name():
    for module in (connect_four, diplomacy):
        for function in (module.env, module.parallel_env):
            assert pickle.loads(pickle.dumps(function)) is function
    assert connect_four.env.__doc__.startswith("Make this game behind PettingZoo's AEC API")


def test_a_module_without_a_registered_game_is_named():
    # A package's is its first game.
    assert make_env_functions("gem_ma.envs.boards").env().spec.id == "game:TicTacToe-v0"
    for function in make_env_functions("json"):
        with pytest.raises(gem_ma.UnknownEnv, match=r"no registered id has its game in .*'json'"):
            function()
