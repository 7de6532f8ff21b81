"""The command eval."""

import json
import subprocess
import sys

import packs
from evaluations import BOARD, command

from gem_ma.cli.main import main


@packs.needs("visual")
def test_smoke(tmp_path, capsys):
    assert command("eval", "--suite", "smoke", "--agents", "random", "--out", tmp_path / "a") == 0
    printed = capsys.readouterr()
    assert printed.out.startswith("environment ")
    assert "pass^k: k=1 " in printed.out
    assert "game:KuhnPoker-v0 first: 8 of 8\n" in printed.err
    again = ["eval", "--suite", "smoke", "--agents", "random", "--out", tmp_path / "a", "--json"]
    assert command(*again) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    data = json.loads(printed.out)
    assert data == json.loads((tmp_path / "a" / "results.json").read_text())
    assert command("eval", "compare", tmp_path / "a", tmp_path / "a") == 0
    assert "\nworse beyond its interval: nothing\n" in capsys.readouterr().out
    assert command("eval", "compare", tmp_path / "a", tmp_path / "a", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["in one only"] == []
    assert {one["change"]["value"] for one in told["differences"]} == {0.0}


@packs.needs("tasks")
def test_games24_says_what_it_skips(tmp_path, capsys, monkeypatch):
    class Offline:
        def load_dataset(self, *_, **__):
            raise OSError("no connection")

    monkeypatch.setattr("gem_ma.envs.tasks.data._datasets", Offline)  # or it would wait for a hub
    words = ["eval", "--suite", "games24", "--agents", "random", "--tasks", 1, "--trials", 1]
    code = command(*words, "--out", tmp_path, "--json")
    told = json.loads(capsys.readouterr().out)
    assert len(told["rows"]) + len(told["skipped"]) == 24
    assert len(told["rows"]) >= 12
    assert all(one["reason"] for one in told["skipped"])
    assert [row for row in told["rows"] if row["failed"]] == []
    assert code == (1 if told["stopped"] else 3 if told["skipped"] else 0)
    assert not any(one["what"].startswith("game:") for one in told["stopped"])


def test_wrong_words(tmp_path, capsys):
    out = ["--out", tmp_path / "x"]
    for wrong, said in (
        ([], "got no environment; name one, or --suite SUITE"),
        (["--suite", "smoke", BOARD], "got --suite smoke and environments"),
        ([BOARD, "--agents", "random"], "--out FOLDER"),
        ([BOARD, *out], "got no agent to evaluate"),
        ([BOARD, "--agents", "nobody", *out], "no agent 'nobody'"),
        ([BOARD, "--agents", "a,b", "--agents", "c", *out], "got 3 agents for 2 free seats of"),
        ([BOARD, "--agents", "x=random,x=random", *out], "two agents for the seat x"),
        ([BOARD, "--agents", "random", "--trials", "0", *out], "--trials: '0'"),
        ([BOARD, "--agents", "random", "--price", "a", *out], "--price a"),
        ([BOARD, "--agents", "random", "--price", "m=1,2,3", *out], "or MODEL=0.5,1.5"),
        ([BOARD, "--agents", "random", "--price", "m=1,2", "--price", "m=1,2", *out], "two prices"),
        ([BOARD, "--agents", "random", "--price", "m=1,2", *out], "prices for 'm', but no agent"),
        ([BOARD, "--agents", "random", "--concurrency", "0", *out], "--concurrency: '0'"),
        (["--suite", "nothing", "--agents", "random", *out], "no suite 'nothing'"),
        (["game:Nothing-v0", "--agents", "random", *out], "game:Nothing-v0"),
        (["compare", "one"], "expected two folders"),
        (["compare", tmp_path, tmp_path], "holds no evaluation"),
    ):
        assert command("eval", *wrong) == 2, wrong
        error = capsys.readouterr().err
        assert said in error
        assert len(error.splitlines()) == 1


def test_importing_the_commands_is_light():
    code = (
        "import sys, gem_ma.cli.evaluation\n"
        "heavy = {'torch', 'openskill', 'matplotlib', 'rich', 'asyncio', 'gem_ma.rollouts.run'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"


def test_a_mean_over_several_agents_says_so(tmp_path, capsys):
    few = ["--tasks", "1", "--out", str(tmp_path / "r")]
    assert main(["eval", BOARD, "--agents", "random,search:depth=1", *few]) == 0
    assert "the mean is of 2 agents together: random, search:depth=1\n" in capsys.readouterr().out
    assert main(["eval", BOARD, "--agents", "random", *few[:2], "--out", str(tmp_path / "s")]) == 0
    assert "agents together" not in capsys.readouterr().out
