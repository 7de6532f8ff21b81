"""Ctrl-C: what is kept is said, the exit code is 130, and the same command goes on."""

import signal
import subprocess
import time

import pytest
import warm
from needed import needed

from gem_ma.cli.main import main

SLOW = """
import time
from gem_ma.envs.boards.tic_tac_toe import TicTacToe

class Slow(TicTacToe):
    def advance(self, state, moves, rng):
        time.sleep(0.02)  # time to be interrupted in, which costs others nothing
        with open("moves", "a") as file:
            file.write("\\n")
        return super().advance(state, moves, rng)
"""
GUESS = "game:GuessTheNumber-v0-easy"


def gem_ma(words, folder, until=None, seconds=60):
    """Run a command, interrupt it as soon as `until` says so, and return code, output, errors."""
    command = [*warm.python(), "-m", "gem_ma.cli", *words.split()]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, cwd=folder, **pipes) as run:
        end = time.monotonic() + seconds
        while until is not None and not until() and run.poll() is None and time.monotonic() < end:
            time.sleep(0.05)
        if until is not None:
            run.send_signal(signal.SIGINT)
        out, error = run.communicate(timeout=seconds)
    return run.returncode, out, error


def lines(*files):
    """Return how many lines some files have."""
    return sum(file.read_bytes().count(b"\n") for file in files)


@pytest.fixture
def slow(tmp_path):
    """Write a game that takes its time, and return what it is called."""
    (tmp_path / "slow.py").write_text(SLOW)
    return "slow.py:Slow"


def test_run(tmp_path, slow, monkeypatch, capsys):
    out = tmp_path / "a.jsonl"
    words = f"run {slow} --episodes 40 --concurrency 2 --out a.jsonl"
    code, said, error = gem_ma(words, tmp_path, lambda: out.exists() and lines(out) > 1)
    assert code == 130
    kept = lines(out)
    assert 1 < kept < 40
    told = f"gem-ma: stopped: a.jsonl keeps {kept} of 40 episodes; the same command with --resume"
    assert error.splitlines()[-1] == f"{told} continues"
    assert said.startswith(f"{kept} of 40 episodes, seed ")
    words = words.replace("--episodes 40", f"--episodes {kept + 1} --resume")
    monkeypatch.chdir(tmp_path)
    assert main(words.split()) == 0
    again = capsys.readouterr().out
    assert said.split()[5] == again.split()[5]  # the seed
    assert lines(out) == kept + 1


def test_a_run_that_is_not_kept(tmp_path, slow):
    code, _, error = gem_ma(f"run {slow} --episodes 500", tmp_path, (tmp_path / "moves").exists)
    assert code == 130
    assert " of 500 episodes are done, none is kept without --out\n" in error
    assert "Traceback" not in error


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("eval slow.py:Slow --agents random --tasks 30 --out r", "episodes"),
        pytest.param(
            "tournament slow.py:Slow --agents random,search:depth=1 --matches 30 --out r",
            "matches",
            marks=pytest.mark.slow,
        ),
    ],
)
@pytest.mark.usefixtures("slow")
def test_eval_and_tournament(words, kind, tmp_path):
    folder = tmp_path / "r" / kind

    def begun():
        return lines(*folder.glob("*.jsonl")) > 1

    words += " --concurrency 2"
    code, _, error = gem_ma(words, tmp_path, begun)
    assert code == 130
    kept = lines(*folder.glob("*.jsonl"))
    assert error.splitlines()[-1] == (
        f"gem-ma: stopped: r keeps {kept} {kind}; the same command continues"
    )
    code, _, _ = gem_ma(words, tmp_path, lambda: lines(*folder.glob("*.jsonl")) > kept)
    assert code == 130
    assert lines(*folder.glob("*.jsonl")) > kept


@pytest.mark.slow
def test_pretrain_and_train(tmp_path):
    needed("torch", install="'gem-ma[hf]'")
    needed("transformers", install="'gem-ma[hf]'")
    made = f"pretrain {GUESS} --episodes 300 --epochs 500 --out m"
    record = tmp_path / "m" / "episodes.jsonl"
    code, _, error = gem_ma(made, tmp_path, lambda: record.exists() and lines(record) == 300)
    assert code == 130
    assert error.splitlines()[-1] == (
        "gem-ma: stopped: m keeps 300 of 300 episodes; the same command continues"
    )
    assert gem_ma(f"pretrain {GUESS} --episodes 9 --epochs 1 --out n", tmp_path)[0] == 0
    learns = f"train {GUESS} --model n --out t --updates 900 --episodes 2 --guided"
    checkpoint = tmp_path / "t" / "checkpoint.pt"
    code, _, error = gem_ma(learns, tmp_path, checkpoint.exists)
    assert code == 130
    assert "gem-ma: stopped: t keeps " in error
    assert error.endswith(" of 900 updates; the same command continues\n")
    assert not (tmp_path / "t" / "model").exists()
