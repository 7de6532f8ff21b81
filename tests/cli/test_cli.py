"""The command line, as a person uses it."""

import os
import re
import sys
from pathlib import Path

import packs
import pytest

import gem_ma
from gem_ma.cli.main import main


@packs.needs("tau")
def test_data(tmp_path, capsys):
    assert main(["data", "tau-bench", "--from", str(tmp_path), "--into", str(tmp_path / "x")]) == 2
    error = capsys.readouterr().err
    assert error.startswith("gem-ma: ")
    assert len(error.splitlines()) == 1


@packs.needs("tau")
@pytest.mark.skipif("TAU_BENCH_DATA" not in os.environ, reason="set TAU_BENCH_DATA")
def test_data_from_a_folder(tmp_path, capsys):
    into = str(tmp_path / "data")
    arguments = ["data", "tau-bench", "--from", os.environ["TAU_BENCH_DATA"], "--into", into]
    assert main(arguments) == 0
    assert f"set TAU_BENCH_DATA={into} to use them" in capsys.readouterr().out
    assert (Path(into) / "retail" / "orders.json").exists()
    assert main(arguments) == 0


def test_a_match_of_a_run_is_played_again_from_its_seed(capsys):
    (episode,) = gem_ma.rollout("game:ConnectFour-v0", "random", 1, seed=0)
    assert main(["play", "game:ConnectFour-v0", "--seed", str(episode.seed)]) == 0
    said = re.findall(r"^\d+\. (\w+): (\d)$", capsys.readouterr().out, re.M)
    assert said == [(step.agent, step.reply) for step in episode.steps]


def test_run(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "transformers", None)  # slow to import
    out = str(tmp_path / "out.jsonl")
    arguments = ["run", "game:TicTacToe-v0", "--episodes", "5", "--seed", "1", "--out", out]
    assert main(arguments) == 0
    first = capsys.readouterr().out
    assert first.startswith("5 of 5 episodes, seed 1\nx: mean return ")
    assert f"written to {out}" in first
    assert len(Path(out).read_text().splitlines()) == 5
    assert main(arguments) == 2
    assert "resume" in capsys.readouterr().err
    assert main([*arguments, "--resume", "--agents", "random"]) == 0
    assert capsys.readouterr().out == first
    for wrong, words in (
        (["--agents", "nobody"], "no agent 'nobody'"),
        (["--agents", "random,random,random"], "got 3 agents"),
        (["--context", "turns"], "context 'turns'"),
        (["--agents", "hf:/nowhere/at/all"], "pip install 'gem-ma[hf]'"),
    ):
        assert main(["run", "game:TicTacToe-v0", *wrong]) == 2
        error = capsys.readouterr().err
        assert words in error
        assert "Traceback" not in error


@pytest.mark.slow
def test_a_model_that_is_nowhere_is_no_traceback(capsys):
    assert main(["run", "game:TicTacToe-v0", "--agents", "hf:/nowhere/at/all"]) == 2
    error = capsys.readouterr().err
    assert "gem-ma: " in error
    assert "Traceback" not in error


def test_run_stops_at_too_many_errors(capsys):
    # A game with secrets is none for search.
    arguments = ["--agents", "search", "--episodes", "30", "--concurrency", "1"]
    assert main(["run", "game:KuhnPoker-v0", *arguments]) == 1
    captured = capsys.readouterr()
    assert "0 of 30 episodes, 11 failed" in captured.out
    assert "gem-ma: 11 episodes failed (--max-errors 10)" in captured.err


def test_a_name_stands_for_an_id(capsys):
    assert main(["play", "connectfour", "--seed", "0"]) == 0
    assert capsys.readouterr().out.startswith("game:ConnectFour-v0, seed 0")


@packs.needs("bridges")
def test_a_name_of_several_stands_for_none(capsys):
    assert main(["play", "kuhn"]) == 2
    message, _, _ = capsys.readouterr().err.rstrip().partition("; these packs could not be loaded")
    assert message == (
        "gem-ma: no environment 'kuhn'; did you mean 'game:KuhnPoker-v0' or 'ta:KuhnPoker-v0' "
        "or 'os:kuhn_poker'?"
    )


def test_arguments_of_an_environment(capsys, tmp_path):
    words = ["game:RockPaperScissors-v0", "--set", "rounds=2", "--seed", "0"]
    assert main(["play", *words]) == 0
    assert "3. " not in capsys.readouterr().out
    assert main(["run", *words, "--out", str(tmp_path / "a.jsonl")]) == 0
    (episode,) = gem_ma.load_episodes(tmp_path / "a.jsonl")
    assert len(episode.steps) == 4
    text = ["play", "game:TicTacToe-v0", "--set", "format=boxed", "--seed", "0"]
    assert main(text) == 0
    assert "boxed{" in capsys.readouterr().out


def test_failures_of_a_run_are_told(capsys):
    assert main(["run", "game:KuhnPoker-v0", "--agents", "search"]) == 1
    captured = capsys.readouterr()
    assert "0 of 1 episodes, 1 failed" in captured.out
    assert "gem-ma: the last failure: ValueError: " in captured.err


def test_a_run_in_workers(capsys):
    assert main(["run", "game:TicTacToe-v0", "--episodes", "20", "--workers", "2"]) == 0
    assert "20 episodes" in capsys.readouterr().out
    for words in (["--workers", "0"], ["--workers", "many"], ["--step-timeout", "1"]):
        assert main(["run", "game:TicTacToe-v0", *words]) == 2


@packs.needs("serving")
def test_who_serves_at_a_terminal_sees_at_once_what_is_being_made(capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert main(["serve", "game:Nothing-v0"]) == 2
    assert capsys.readouterr().err.startswith("game:Nothing-v0 is being made ...\n")


@packs.needs("serving", "bridges")
def test_what_cannot_be_served_or_made_is_one_line(capsys):
    assert main(["serve", "game:Nothing-v0"]) == 2
    assert main(["serve", "game:TicTacToe-v0", "--host", "0.0.0.0"]) == 2
    assert main(["play", "ta:Klondike-v0"]) == 2
    told = capsys.readouterr()
    lines = told.err.splitlines()
    assert len(lines) == 3
    assert all(line.startswith("gem-ma: ") for line in lines)
