"""The examples for trainers run."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples" / "train"


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
        pytest.importorskip("skyrl_gym", reason="pip install skyrl-gym==0.4.0")
        run(name, "--write", tmp_path, "--starts", 3)
    else:
        run(name, tmp_path, "--starts", 3)
    rows = datasets.Dataset.from_parquet(str(tmp_path / "train.parquet"))
    seeds = [row.get("seed", (row.get("extra_info") or {}).get("seed")) for row in rows]
    assert seeds == [0, 1, 2]
