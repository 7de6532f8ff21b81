"""Suites played: with whom, how many at once, and killed at any moment."""

import json
import os
import random
import signal
import subprocess
import sys
import time

import packs
import pytest
from evaluations import BOARD, QUIET, suite, timeless, two_models
from stub_server import StubServer

from gem_ma.evaluation.run_folder import BadRunFolder
from gem_ma.evaluation.runner.comparison import compare
from gem_ma.evaluation.runner.eval_tasks import load_evaluation, plan_tasks
from gem_ma.evaluation.runner.suite_runner import evaluate
from gem_ma.evaluation.suites import BadSuite
from gem_ma.rollouts.progress import RolloutProgress
from gem_ma.rollouts.records import load_episodes


@packs.needs("tau")
def test_a_suite_says_how_seats_draw_where_they_take_it(tmp_path):
    def hello(body, attempt):
        return "Hello."

    with StubServer(hello) as server:
        one, seats = two_models(server, assistant={"temperature": 0, "nothing": 1})
        found = evaluate(one, None, tmp_path / "a", seats=seats, **QUIET)
        asked = {(body["model"], body.get("temperature")) for body in server.requests}
        assert asked == {("big", 0), ("small", None)}
        (row,) = found.rows
        assert row["agents"] == {**seats, "assistant": f"{seats['assistant']}?temperature=0"}
        (_, (cell,)) = load_evaluation(tmp_path / "a")
        assert cell.agents == row["agents"]
        assert cell.entry.sampling == {"assistant": {"temperature": 0, "nothing": 1}}
        server.requests.clear()
        said = {**seats, "assistant": f"{seats['assistant']}?temperature=0.7"}
        evaluate(one, None, tmp_path / "b", seats=said, **QUIET)
        asked = {(body["model"], body.get("temperature")) for body in server.requests}
        assert asked == {("big", 0.7), ("small", None)}
        plain, _ = two_models(server)
        with pytest.raises(BadRunFolder, match="temperature"):
            evaluate(plain, None, tmp_path / "a", seats=seats, **QUIET)
        evaluate(plain, None, tmp_path / "c", seats=seats, **QUIET)
    _, notes = compare(tmp_path / "a", tmp_path / "c")
    assert any("sampling was {'assistant': {'temp" in note and "is {}" in note for note in notes)


def test_sampling_is_for_agents_of_specs_and_for_seats_that_are_there(tmp_path):
    entry = {"id": BOARD, "tasks": 1, "seats": ["x"]}
    sampled = suite({**entry, "sampling": {"x": {"seed": 3}, "o": {"seed": 4}}})
    found = evaluate(sampled, "random", tmp_path / "a", **QUIET)
    assert found.rows[0]["agents"] == {"x": "random:seed=3", "o": "random:seed=4"}
    named = {"random": lambda turn: turn.legal[0]}
    found = evaluate(sampled, "random", tmp_path / "b", named=named, **QUIET)
    assert found.rows[0]["agents"] == {"x": "random", "o": "random"}
    with pytest.raises(BadSuite, match=r"sampling has no seat 'z'; the seats are x, o"):
        plan_tasks(suite({**entry, "sampling": {"z": {}}}), "random", {})
    with pytest.raises(BadSuite, match=r"sampling is .*; expected a table from seat to options"):
        suite({**entry, "sampling": {"temperature": 0}})


@pytest.mark.parametrize("progress", [False, None, True])
def test_a_bar_is_shown_as_asked(progress, tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(RolloutProgress, "start", lambda total, force: asked.append((total, force)))
    evaluate(suite({"id": BOARD, "tasks": 2}), "random", tmp_path, progress=progress)
    assert asked == ([] if progress is False else [(4, bool(progress))])


def test_a_second_run_plays_nothing_again(tmp_path):
    asked = []

    def agent(turn):
        asked.append(turn)
        return turn.legal[0]

    one = suite({"id": BOARD, "tasks": 3, "trials": 2})
    first = evaluate(one, "me", tmp_path, named={"me": agent}, **QUIET)
    count = len(asked)
    again = evaluate(one, "me", tmp_path, named={"me": agent}, **QUIET)
    assert len(asked) == count > 0
    assert again.to_dict() == first.to_dict()
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "notes.txt").write_text("mine")
    with pytest.raises(BadRunFolder, match="has files, but no evaluation"):
        evaluate(one, "random", tmp_path / "x", **QUIET)


def test_agents_that_wait_play_all_cells_at_once(tmp_path):
    import asyncio

    alive, most = 0, 0

    async def agent(turn):
        nonlocal alive, most
        alive += 1
        most = max(most, alive)
        await asyncio.sleep(0.001)
        alive -= 1
        return turn.legal[0]

    one = suite({"id": [BOARD, "game:Nim-v0"], "tasks": 3})
    found = evaluate(one, "me", tmp_path, named={"me": agent}, concurrency=8, **QUIET)
    assert [row["episodes"] for row in found.rows] == [3, 3, 3, 3]
    assert 3 < most <= 8
    alone = evaluate(one, "me", tmp_path / "b", named={"me": agent}, concurrency=1, **QUIET)
    assert timeless(alone.to_dict()) == timeless(found.to_dict())


def test_workers_play_the_same(tmp_path):
    one = suite({"id": BOARD, "tasks": 4, "seats": ["x"]})
    here = evaluate(one, "search:depth=1", tmp_path / "a", **QUIET)
    there = evaluate(one, "search:depth=1", tmp_path / "b", workers=2, **QUIET)
    assert timeless(here.to_dict()) == timeless(there.to_dict())


def test_one_environment_that_fails_does_not_stop_the_others(tmp_path):
    one = suite({"id": ["game:KuhnPoker-v0", BOARD], "seats": "all", "tasks": 5})
    found = evaluate(one, "search:depth=1", tmp_path, max_errors=2, concurrency=1, **QUIET)
    assert [(row["episodes"], row["failed"]) for row in found.rows] == [(0, 3), (5, 0)]
    assert "search" in found.stopped[0]["reason"].lower()
    assert found.exit_code == 1
    json.dumps(found.to_dict(), allow_nan=False)


PLAYS = """
import asyncio, sys
from gem_ma.evaluation import suites
from gem_ma.evaluation.runner.suite_runner import evaluate

async def agent(turn, said=[]):
    if not said:
        said.append(print("playing", flush=True))
    await asyncio.sleep(0.002)
    return turn.legal[turn.seed % len(turn.legal)]

suite = suites.parse_suite({"entry": [{"id": ["game:TicTacToe-v0", "game:Hangman-v0-easy"],
                                 "tasks": 20, "trials": 2}]}, "test")
evaluate(suite, "me", sys.argv[1], named={"me": agent}, concurrency=3, progress=False)
"""


MOMENTS = 10  # at which it is killed


def count(folder):
    return sum(len(path.read_bytes().splitlines()) for path in folder.glob("episodes/*.jsonl"))


@pytest.mark.slow
def test_killed_at_random_moments(tmp_path, monkeypatch, capsys):
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    monkeypatch.setattr(sys, "argv", ["-c", str(whole)])
    start = time.monotonic()
    exec(PLAYS, {})
    seconds, total = time.monotonic() - start, count(whole)
    capsys.readouterr()
    words = [sys.executable, "-c", PLAYS, str(broken)]
    rng, counts = random.Random(0), []
    for _ in range(MOMENTS):
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout.readline() == "playing\n"
            time.sleep(rng.uniform(0, seconds / (MOMENTS + 2)))
            process.send_signal(signal.SIGKILL)
        counts.append(count(broken))
    assert counts == sorted(counts)
    assert len({one for one in counts if 0 < one < total}) > 1
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    tables = [json.loads((one / "results.json").read_text()) for one in (whole, broken)]
    assert timeless(tables[0]) == timeless(tables[1])
    for folder in (whole, broken):
        for file in folder.glob("episodes/*.jsonl"):
            ids = [episode.id for episode in load_episodes(file)]
            assert len(ids) == len(set(ids)) == 40


@pytest.mark.skipif(os.name != "posix", reason="folders are locked on POSIX systems only")
def test_two_at_once_do_not_mix(tmp_path):
    plays = PLAYS.replace("sleep(0.002)", "sleep(600)")  # it is there until it is killed
    words = [sys.executable, "-c", plays, tmp_path]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        while not (tmp_path / "about.json").exists():
            time.sleep(0.01)
        with pytest.raises(BadRunFolder, match=rf"written by process {process.pid}: wait"):
            evaluate(suite({"id": BOARD}), "random", tmp_path, **QUIET)
        process.kill()
