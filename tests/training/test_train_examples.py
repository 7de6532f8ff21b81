"""The examples for trainers run."""

import ast
import asyncio
import importlib.util
import inspect
import json
import os
import subprocess
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from playable import IDS

EXAMPLES = Path(__file__).parents[2] / "examples" / "train"


def run(name, *arguments, **environment):
    command = [sys.executable, str(EXAMPLES / name), *map(str, arguments)]
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1", **environment}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_seat_view_plays_the_same_game_for_both():
    first, second = run("seat_view.py").splitlines()
    assert first.removeprefix("RL2: ") == second.removeprefix("ROLL: ")


@pytest.fixture(scope="module")
def seat_view():
    spec = importlib.util.spec_from_file_location("seat_view", EXAMPLES / "seat_view.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def definition(package, file, name, how):
    """Return a function or class of a package that is there, without running the rest of it."""
    found = importlib.util.find_spec(package)
    if found is None:
        pytest.skip(how)
    (folder,) = found.submodule_search_locations
    nodes = ast.walk(ast.parse((Path(folder) / file).read_text()))
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    return next(node for node in nodes if isinstance(node, kinds) and node.name == name)


def test_rl2s_own_loop_plays_an_episode(seat_view):
    how = "pip install --no-deps rl-square==0.0.2"
    loop = definition("RL2", "workers/rollout.py", "rollout", how)

    def begin(tokenizer, text):
        names = ("states", "actions", "action_mask", "logps", "rewards")
        return {name: list(text.encode()) if name == "states" else [0] * len(text.encode())
                for name in names}  # fmt: skip

    async def generate(url, states, params):
        board = bytes(states).decode().strip().rpartition("\n\n")[2]
        move = next(letter for letter in board if letter.isdigit())
        info = {"output_token_logprobs": [(-1.0, ord(move), None)], "completion_tokens": 1}
        return {"text": move, "meta_info": {**info, "finish_reason": {"type": "stop"}}}

    names = {"initialize_state_dict": begin, "async_generate": generate,
             "state_dict_to_tensor_dict": dict, "defaultdict": defaultdict}  # fmt: skip
    exec(compile(ast.Module([loop], []), "rl2", "exec"), names)
    rl2 = SimpleNamespace(
        env=seat_view.Rl2("game:TicTacToe-v0", "x", "random"),
        config=SimpleNamespace(max_turns=9),
        tokenizer=None,
        router_url=None,
        train_sampling_params={},
        test_sampling_params={},
    )
    rows, metric = asyncio.run(names["rollout"](rl2, {"extra_info": {"seed": 3}}, True))
    assert len(rows) == 1  # each state goes on from the one before
    assert sum(rows[0]["action_mask"]) == metric["n_turns"][0] > 2
    assert sum(rows[0]["rewards"]) == metric["scores"][0] in (1.0, 0.0, -1.0)


def test_rolls_environment_has_the_signatures_of_gem(seat_view):
    env = seat_view.roll("game:TicTacToe-v0", "x", "random")
    for name in ("reset", "step"):
        how = "pip install --no-deps gem-llm==0.1.0"
        theirs = [one.arg for one in definition("gem", "core.py", name, how).args.args[1:]]
        inspect.signature(getattr(env, name)).bind(**dict.fromkeys(theirs))
    text, info = env.reset(seed=1)
    assert (type(text), type(info)) == (str, dict)
    assert [type(one) for one in env.step("4")] == [str, float, bool, bool, dict]


@pytest.fixture(scope="module")
def oat_turns(seat_view):
    row = {
        "ids": [7, 8, 1, 9, 2, 3],
        "logprobs": [0, 0, -1.0, 0, -2.0, -3.0],
        "spans": [(2, 3), (4, 6)],
        "rewards": [0.0, 1.0],
    }
    return [seat_view.oat_turn(row, n, lambda ids: "".join(map(str, ids))) for n in (0, 1)]


def test_oats_transition_is_filled(oat_turns):
    assert list(oat_turns[0]) == [
        "obs", "action", "rewards", "done", "prompt", "prompt_ids", "response", "response_ids",
        "response_logprobs", "response_is_truncated", "action_is_formatted", "loss_mask", "info",
    ]  # fmt: skip
    assert [(turn["prompt"], turn["response"], turn["done"]) for turn in oat_turns] == [
        ("78", "1", False),
        ("7819", "23", True),
    ]
    assert [turn["response_logprobs"] for turn in oat_turns] == [[-1.0], [-2.0, -3.0]]


def test_oats_own_actor_takes_the_turns_of_a_row(oat_turns):
    how = "pip install --no-deps --ignore-requires-python oat-llm==0.2.4"
    transition = definition("oat", "types.py", "Transition", how)
    step = definition("oat", "algorithms/ppo_multiturn.py", "step", how)
    names = {"dataclass": dataclass, "Metric": dict, "np": np}
    exec(compile(ast.Module([transition, step], []), "oat", "exec"), names)
    episode = [names["Transition"](**turn) for turn in oat_turns]
    actor = SimpleNamespace(
        collect_experience=lambda: ([episode], {"actor/games": 1}),
        ipc_client=SimpleNamespace(serialize_ipc=lambda episodes: episodes),
    )
    ((first, last),) = names["step"](actor)
    assert [turn.format()["response"] for turn in (first, last)] == ["1", "23"]
    means = {"episode_len": 2, "episode_return": 1.0, "episode_success": 1.0}
    expected = {f"actor/mean_{name}": value for name, value in means.items()}
    assert first.info == last.info == {**expected, "actor/games": 1}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A text model whose chat template is one that TRL knows, in a folder."""
    trl = pytest.importorskip("trl", reason="pip install 'gem-ma[hf]' trl==1.16.0")
    import tiny_models

    template = (Path(trl.__file__).parent / "chat_templates/qwen2_5.jinja").read_text()
    tokenizer = tiny_models.tokenizer(vocab=600, template=template, corpus=[template] * 4)
    tokenizer.add_tokens(["<tool_call>", "</tool_call>"])
    top = tmp_path_factory.mktemp("model")
    tiny_models.llm(tokenizer).save_pretrained(top)
    tokenizer.save_pretrained(top)
    return top


def test_trl_rollout_trains_both_seats(folder, tmp_path):
    out = run(
        "trl_rollout.py", folder, "--env", "game:TicTacToe-v0", "--steps", 2, "--batch", 8,
        "--group", 2, "--max-new-tokens", 3, "--cpu", "--out", tmp_path,
    )  # fmt: skip
    assert out.count(": reward ") == 2
    assert (tmp_path / "model.safetensors").exists()


def test_trl_tool(folder, tmp_path):
    pytest.importorskip("jmespath", reason="pip install jmespath")
    out = run(
        "trl_tool.py", folder, "--env", "game:TicTacToe-v0", "--seat", "x", "--others", "random",
        "--steps", 1, "--batch", 2, "--group", 2, "--max-tokens", 40, "--cpu", "--out", tmp_path,
    )  # fmt: skip
    assert out.count(" calls") == 1


@pytest.mark.parametrize("name", ["verl_game.py", "skyrl_game.py"])
def test_data_sets_are_starts(name, tmp_path):
    datasets = pytest.importorskip("datasets", reason="pip install 'gem-ma[datasets]'")
    if name == "skyrl_game.py":
        run(name, "--write", tmp_path, "--starts", 3)
    else:
        run(name, tmp_path, "--starts", 3)
    rows = datasets.Dataset.from_parquet(str(tmp_path / "train.parquet"))
    seeds = [row.get("seed", (row.get("extra_info") or {}).get("seed")) for row in rows]
    assert seeds == [0, 1, 2]


def test_users_and_assistants_are_trained(tmp_path):
    pytest.importorskip("torch", reason="pip install 'gem-ma[hf]'")
    short = ("--updates", 2, "--episodes", 4)
    run("user_simulator.py", *short, "--save", tmp_path / "user.pt")
    assert (tmp_path / "user.history.jsonl").read_text().count("\n") == 2
    for train in ("assistant", "both"):
        out = run("user_simulator.py", *short, "--train", train, "--user", tmp_path / "user.pt")
        assert "update 2: fidelity " in out
    out = run("user_simulator.py", *short, "--train", "assistant", "--user", "users:train")
    assert "update 2: fidelity " in out
    assert "update 2: found " in run("twenty_questions.py", *short)


@pytest.mark.skipif("tau:retail" not in IDS, reason="set TAU_BENCH_DATA to TAU-bench's folder")
def test_users_and_assistants_of_real_tasks_are_trained(tmp_path):
    pytest.importorskip("torch", reason="pip install 'gem-ma[hf]'")
    short = ("--env", "tau:retail", "--split", "train", "--updates", 1, "--episodes", 3)
    for train in ("user", "assistant", "both"):
        assert "update 1: fidelity " in run("user_simulator.py", *short, "--train", train)


def test_seats_of_the_phone_are_trained(tmp_path):
    pytest.importorskip("torch", reason="pip install 'gem-ma[hf]'")
    short = ("--episodes", 4, "--save", tmp_path / "both.pt", "--train", "both")
    assert "update 1: solved " in run("phone.py", *short, "--updates", 1)
    assert "update 2: solved " in run("phone.py", *short, "--updates", 2)
    assert (tmp_path / "both.history.jsonl").read_text().count("\n") == 2
    out = run("phone.py", "--train", "user", "--updates", 1, "--episodes", 2, "--faults", 2)
    assert "update 1: solved " in out


def test_screens_are_learned_from_pixels(tmp_path):
    pytest.importorskip("torch", reason="pip install 'gem-ma[hf]'")
    few = ("--tasks", "buttons", "scrolling", "files", "--episodes", 1, "--save", tmp_path / "s.pt")
    log = tmp_path / "screens-0.jsonl"
    short = ("--reading", 2, "--updates", 2, "--test", 1, "--desks", 12, "--new", 4, "--batch", 4)
    assert "update 2, loss " in run("screens.py", *few, *short, "--log", log)
    assert [json.loads(line)["step"] for line in log.read_text().splitlines()] == [1, 2]
    assert run("screens.py", *few, "--held-out", "--themes", 1).startswith("held-out:0: 0.")


def test_a_language_model_learns_to_be_a_user(tmp_path):
    pytest.importorskip("transformers", reason="pip install 'gem-ma[hf]'")
    import tiny_models

    tokenizer = tiny_models.tokenizer()
    tiny_models.llm(tokenizer).save_pretrained(tmp_path / "model")
    tokenizer.save_pretrained(tmp_path / "model")
    for train in ("user", "both"):
        out = run(
            "user_simulator.py", "--model", tmp_path / "model", "--train", train, "--updates", 2,
            "--episodes", 2, "--max-new-tokens", 6, "--out", tmp_path / train,
        )  # fmt: skip
        assert "update 2: fidelity " in out
        assert (tmp_path / train / "model.safetensors").exists()
