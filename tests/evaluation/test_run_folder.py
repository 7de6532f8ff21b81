"""The folder of an evaluation: what it refuses, and what it goes on with."""

import os
import re
import shutil
import subprocess

import pytest
import warm
from evaluations import BOARD, QUIET, command, suite

from gem_ma.evaluation import suites
from gem_ma.evaluation.run_folder import BadRunFolder, make_file_name
from gem_ma.evaluation.runner.comparison import compare
from gem_ma.evaluation.runner.suite_runner import evaluate
from gem_ma.rollouts.records import load_episodes


def test_the_name_of_a_file_tells_what_is_in_it():
    name = make_file_name("game:TicTacToe-v0 as o, x: (me)", {"b": 1, "a": [2]})
    assert re.fullmatch("game-TicTacToe-v0-as-o-x-me-[0-9a-f]{10}.jsonl", name)
    assert make_file_name("game:TicTacToe-v0 as o, x: (me)", {"a": [2], "b": 1}) == name
    assert make_file_name("game:TicTacToe-v0 as o, x: (me)", {"a": [2], "b": 2}) != name
    assert len(make_file_name("long " * 100, {})) == 60 + len("-0123456789.jsonl")


def test_a_folder_of_another_evaluation_says_what_is_there_and_what_is_asked_for(tmp_path, capsys):
    def run(*more):
        out = ["--agents", "random", "--tasks", 2, "--out", tmp_path]
        return command("eval", BOARD, "game:Nim-v0", *out, *more), capsys.readouterr().err

    assert run()[0] == 0
    for more, words in (
        (["--seed", 5], "the folder has --seed 0, this run has --seed 5"),
        (["--tasks", 3], "the folder has --tasks 2, this run has --tasks 3"),
        (["--trials", 3], "the folder has --trials 1, this run has --trials 3"),
        (["--opponents", "search"], "has --opponents random, this run has --opponents search"),
        (["--observe", "image"], "the folder has no observe, this run has --observe image"),
        (["--seed", 5, "--tasks", 3], "run has --tasks 3, the folder has --seed 0, this run has"),
    ):
        code, error = run(*more)
        assert code == 2
        assert words in error
        assert f" {tmp_path} holds another evaluation: " in error
        assert error.endswith("; use what the folder has, or name another folder\n")
        assert "{" not in error
    given = {
        "suite": suites.make_suite([BOARD, "game:Nim-v0"]),
        "tasks": 2,
        "out": tmp_path,
        **QUIET,
    }
    for change, words in (
        ({"agents": "search"}, "the folder has agents='random', this run has agents='search';"),
        ({"seats": {"x": "search"}}, ": the folder has no x, this run has x='search';"),
        (
            {"suite": suites.make_suite([BOARD, "game:KuhnPoker-v0"])},
            "only the folder has game:Nim-v0, only this run has game:KuhnPoker-v0;",
        ),
        (
            {"suite": suites.make_suite(["game:Nim-v0", BOARD])},
            "the folder has the environments in another order;",
        ),
        (
            {"suite": suite({"id": BOARD, "success": 0.5}, {"id": "game:Nim-v0"})},
            "the folder has suite ids, this run has suite test, the folder has success=1.0, this "
            f"run has success=0.5 for {BOARD};",
        ),
    ):
        with pytest.raises(BadRunFolder, match=re.escape(words)):
            evaluate(**{"agents": "random", **given, **change})
    with pytest.raises(
        BadRunFolder, match="the folder has suite ids, this run has suite smoke"
    ) as error:
        evaluate("smoke", "random", tmp_path, **QUIET)
    assert len(str(error.value)) < 500
    assert command("tournament", BOARD, "--agents", "search", "--out", tmp_path) == 2
    assert f"{tmp_path} holds an evaluation, not a tournament" in capsys.readouterr().err


FULL = """
import resource, sys
from gem_ma.evaluation.runner.suite_runner import evaluate
from gem_ma.evaluation.suites import make_suite
limit = int(sys.argv[2])
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
evaluate(make_suite(["game:TicTacToe-v0"]), "random", sys.argv[1], tasks=4, progress=False)
"""


@pytest.mark.skipif(os.name != "posix", reason="limits of files: run it on POSIX")
@pytest.mark.parametrize("limit", [0, pytest.param(100, marks=pytest.mark.slow), 2000])
def test_a_disk_that_was_full_is_no_reason_to_refuse_a_folder(tmp_path, limit):
    out = tmp_path / "out"
    words = [*warm.python(), "-c", FULL, str(out)]
    full = subprocess.run([*words, str(limit)], capture_output=True, text=True, check=False)
    assert full.returncode == 1
    assert "File too large" in full.stderr
    assert not list(out.glob("*.[0-9]*"))
    (out / "about.4711").write_text("{")  # of one that was killed at this moment
    if not (out / "about.json").exists():
        assert {one.name for one in out.iterdir()} == {"lock", "about.4711"}
    evaluate(suites.make_suite(["game:TicTacToe-v0"]), "random", out, tasks=4, **QUIET)
    assert len(list(load_episodes(next(out.glob("episodes/*.jsonl"))))) == 4
    (tmp_path / "else").mkdir()
    (tmp_path / "else" / "about.txt").touch()
    with pytest.raises(BadRunFolder, match="has files, but no evaluation"):
        evaluate(suite({"id": BOARD}), "random", tmp_path / "else", **QUIET)


def test_a_folder_whose_header_is_damaged_is_named(tmp_path):
    evaluate(suite({"id": BOARD, "tasks": 2, "seats": ["x"]}), "random", tmp_path / "a", **QUIET)
    for name, content in (
        ("about.json", '{"kind": "evaluation"}'),
        ("about.json", '{"kind": "evaluation", "format": 1}'),
        ("about.json", '{"kind": "evaluation", "format": 1, "suite": {}}'),
        ("cells.json", '[{"entry": "nothing"}]'),
        ("cells.json", "[" * 100_000),
    ):
        shutil.copytree(tmp_path / "a", tmp_path / "b")
        (tmp_path / "b" / name).write_text(content)
        with pytest.raises(ValueError, match="b"):
            compare(tmp_path / "a", tmp_path / "b")
        shutil.rmtree(tmp_path / "b")
