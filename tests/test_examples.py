"""The examples run."""

import subprocess
from pathlib import Path

import packs
import pytest
import warm

import gem_ma

EXAMPLES = Path(__file__).parent.parent / "examples"


def run(name, *arguments):
    command = [*warm.python(), str(EXAMPLES / name), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_two_models_of_search():
    out = run("two_models.py", "random", "search:depth=2", "--episodes", "6")
    assert "search:depth=2: 6 won" in out


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """Two text models and one that sees, in folders."""
    pytest.importorskip("transformers", reason="pip install 'gem-ma[hf]'")
    import tiny_models

    top = tmp_path_factory.mktemp("models")
    tokenizer = tiny_models.tokenizer()
    for seed in (0, 1):
        tiny_models.llm(tokenizer, seed=seed).save_pretrained(top / f"text{seed}")
        tokenizer.save_pretrained(top / f"text{seed}")
    model, processor = tiny_models.llava()
    model.save_pretrained(top / "sight")
    processor.save_pretrained(top / "sight")
    return top


def test_two_models(folders, tmp_path):
    models = [f"hf:{folders}/text{seed}?max_new_tokens=6" for seed in (0, 1)]
    out = run(
        "two_models.py", *models, "--env", "game:TicTacToe-v0", "--episodes", "4",
        "--out", str(tmp_path / "out.jsonl"),
    )  # fmt: skip
    assert all(model in out for model in models)
    assert "failed" not in out
    episodes = list(gem_ma.load_episodes(tmp_path / "out.jsonl"))
    assert len(episodes) == 4
    assert {name for episode in episodes for name in episode.agents.values()} == set(models)


def test_vlm_agent(folders, tmp_path):
    out = run(
        "vlm_agent.py", f"hf:{folders}/sight?max_new_tokens=4", "--episodes", "2",
        "--size", "112", "--out", str(tmp_path / "seen.jsonl"),
    )  # fmt: skip
    assert out.count("mean return") == 3
    assert "failed" not in out
    (episode, _) = gem_ma.load_episodes(tmp_path / "seen-TicTacToe-v0.jsonl")
    assert episode.steps[0].observation["image"].width == 112


def test_train_sb3():
    pytest.importorskip("stable_baselines3", reason="pip install 'gem-ma[clients]'")
    assert "after" in run("train_sb3.py", "--steps", "512")


def test_tools():
    out = run("tools_two_seats.py", "--episodes", "3")
    assert "lost 0 of 3" in out


@packs.needs("tasks")
def test_tools_for_tasks():
    pytest.importorskip("bm25s", reason="pip install 'gem-ma[tools]'")
    assert "4 of 4 answered" in run("tools_search.py")
    pytest.importorskip("math_verify", reason="pip install 'gem-ma[math]'")
    assert "calls of Python" in run("tools_math.py", "--episodes", "4")


@packs.needs("training")
def test_rllib():
    pytest.importorskip("ray.rllib", reason="pip install 'gem-ma[ray]' 'ray[rllib]' torch")
    from gem_ma.training.trainers.rllib import make_env_creator

    assert make_env_creator("game:TicTacToe-v0")({}).possible_agents == ["x", "o"]
    out = run("train/rllib_tictactoe.py", "--iterations", "2", "--batch", "300")
    assert out.count("mean returns x") == 2
