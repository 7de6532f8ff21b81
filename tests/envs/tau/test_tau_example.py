"""examples/tau_retail.py runs on the shop, and goes on where it stopped."""

import re
import subprocess
from pathlib import Path

import pytest
import warm

import gem_ma
from gem_ma.evaluation import pass_hat_k

EXAMPLE = Path(__file__).parents[3] / "examples" / "tau_retail.py"
SIZE = ("--tasks", "6", "--trials", "2")


def run(*arguments, rc=0):
    command = [*warm.python(), str(EXAMPLE), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == rc, done.stderr
    return done.stderr if rc else done.stdout


def figure(out, name):
    return float(re.search(rf"^{re.escape(name)} +([\d.]+)", out, re.M)[1])


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """A file of episodes, of which some succeeded, and what was printed."""
    path = tmp_path_factory.mktemp("tau") / "shop.jsonl"
    return path, run(*SIZE, "--user", "rule-user", "--out", path)


def test_it_prints_what_the_episodes_say(played):
    path, out = played
    episodes = list(gem_ma.load_episodes(path))
    assert sorted(e.options["task"] for e in episodes) == sorted([*range(6)] * 2)
    results = {task: [] for task in range(6)}
    for episode in episodes:
        results[episode.options["task"]].append(episode.report["reward"])
    for k in (1, 2):
        assert f"pass^{k}      {pass_hat_k(results, k):.3f}  (6 tasks)\n" in out
    assert "pass^3" not in out
    assert figure(out, "reward") == figure(out, "pass^1") > 0.5
    assert "95 % by Wilson" in out
    assert "failed      0 of 12\n" in out
    assert figure(out, "user faults") == 0
    assert figure(out, "turns") == round(sum(len(e.steps) for e in episodes) / 12, 1)
    assert "floor" not in out


def test_it_goes_on_where_it_stopped(played, tmp_path):
    path, out = played
    lines = path.read_text().splitlines(keepends=True)
    cut = tmp_path / "cut.jsonl"
    cut.write_text("".join(lines[:5]))
    assert run(*SIZE, "--out", cut, "--resume", "--concurrency", "2") == out
    again = cut.read_text().splitlines(keepends=True)
    assert len(again) == 12
    assert again[:5] == lines[:5]
    assert run(*SIZE, "--out", cut, "--resume") == out
    assert len(cut.read_text().splitlines()) == 12
    assert "pass resume=True to continue it" in run(*SIZE, "--out", cut, rc=1)
    assert "pass --out too" in run("--resume", rc=2)


def test_it_counts_what_users_do_wrong():
    out = run("--tasks", "2", "--trials", "2", "--user", "random")
    assert figure(out, "user faults") == 1
    assert re.search(r"^ +4 x stopped before it had told its task$", out, re.M)


def test_it_counts_what_failed():
    out = run("--tasks", "2", "--assistant", "search:depth=1")  # which no hidden game lets search
    assert "failed      2 of 2\n" in out
    assert "pass^1" not in out
    assert "reward" not in out
