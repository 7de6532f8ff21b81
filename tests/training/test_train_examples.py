"""The examples for trainers run."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import packs
import pytest
from playable import IDS

EXAMPLES = Path(__file__).parents[2] / "examples" / "train"


def run(name, *arguments, **environment):
    command = [sys.executable, str(EXAMPLES / name), *map(str, arguments)]
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1", **environment}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_files_for_rl2_and_roll_play_an_episode():
    assert run("rl2_game.py", "play").strip() == "[1.0, 1.0, -1.0, -1.0]"  # x and o, two games
    assert run("roll_game.py").strip() in ("+1", "+0", "-1")


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
        "--group", 2, "--max-new-tokens", 3, "--by-turns", "--cpu", "--out", tmp_path,
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


@packs.needs("tau")
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


@packs.needs("tau")
@pytest.mark.skipif("tau:retail" not in IDS, reason="set TAU_BENCH_DATA to TAU-bench's folder")
def test_users_and_assistants_of_real_tasks_are_trained(tmp_path):
    pytest.importorskip("torch", reason="pip install 'gem-ma[hf]'")
    short = ("--env", "tau:retail", "--split", "train", "--updates", 1, "--episodes", 3)
    for train in ("user", "assistant", "both"):
        assert "update 1: fidelity " in run("user_simulator.py", *short, "--train", train)


@packs.needs("tau2")
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


@packs.needs("inject")
def test_an_attacker_and_an_assistant_are_trained(tmp_path):
    pytest.importorskip("torch", reason="pip install 'gem-ma[hf]'")
    saved = tmp_path / "duel.pt"
    out = run("injection.py", "--updates", 2, "--episodes", 4, "--save", saved)
    assert "update 2: attack success " in out
    assert out.count("the library in ") == 5
    history = (tmp_path / "duel.history.jsonl").read_text().splitlines()
    assert {"attack success", "utility", "completion"} <= json.loads(history[-1]).keys()
    out = run("injection.py", "--updates", 1, "--episodes", 4, "--train", "attacker")
    assert "the library" not in out


@pytest.mark.slow
@packs.needs("inject")
def test_an_assistant_learns_to_ignore_an_attacker():
    pytest.importorskip("torch", reason="pip install 'gem-ma[hf]'")
    out = run("injection.py", "--updates", 60)
    success, utility = map(float, re.findall(r"0\.\d+", out.splitlines()[5]))
    assert success < 0.05
    assert utility > 0.8
