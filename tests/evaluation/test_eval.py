"""Evaluations: suites, what is kept on disk, the numbers, and two of them compared."""

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from importlib import resources
from pathlib import Path

import packs
import pytest
import warm
from stub_server import StubServer

import gem_ma
from gem_ma.chat.reply import Reply
from gem_ma.cli.main import main
from gem_ma.envs.registry import UnknownEnv
from gem_ma.evaluation import suites
from gem_ma.evaluation.metrics import wilson
from gem_ma.evaluation.run_folder import BadRunFolder, make_file_name
from gem_ma.evaluation.runner import (
    classify_outcome,
    compare,
    evaluate,
    infer_contest,
    is_contest,
    load_evaluation,
    plan_tasks,
    summarize_evaluation,
)
from gem_ma.evaluation.statistics import adjust_p_values
from gem_ma.evaluation.suites import BadSuite
from gem_ma.packs import list_packs
from gem_ma.rollouts.episode import Episode
from gem_ma.rollouts.progress import RolloutProgress
from gem_ma.rollouts.records import load_episodes

BOARD = "game:TicTacToe-v0"
QUIET = {"progress": False}


def command(*words):
    return main([str(word) for word in words])


def suite(*entries, **more):
    return suites.parse_suite({"entry": list(entries), **more}, "test")


def timeless(results):
    """Return results without what depends on the clock."""
    for row in results["rows"]:
        del row["seconds"], row["latency"]
    del results["overall"]["seconds in all"]
    return results


def test_the_suites_that_come_with_the_package():
    own = ["multi", "prompts", "smoke"]
    added = {
        "screens": ["screens"],
        "social": ["social"],
        "tasks": ["games24"],
        "tau": ["tau-airline", "tau-retail"],
        "tau2": ["tau2-all", "tau2-telecom"],
        "visual": ["vision", "vision-robust"],
    }
    here = [name for pack in added.keys() & packs.HERE for name in added[pack]]
    assert suites.list_suites() == sorted([*own, *here])
    for name in suites.list_suites():
        loaded = suites.load_suite(name)
        assert loaded.description
        for entry in packs.present(loaded.entries):
            gem_ma.spec(entry.id)


@packs.needs("tasks")
def test_a_suite_of_games_and_tasks():
    counts = Counter(one.id.partition(":")[0] for one in suites.load_suite("games24").entries)
    assert counts == {"game": 12, "rg": 4, "math": 3, "code": 2, "qa": 3}


@packs.needs("tau")
def test_a_suite_of_a_benchmark_has_all_of_its_tasks():
    assert len(suites.load_suite("tau-retail").entries[0].list_reset_options()) == 115


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({}, "has no"),
        ({"entry": [{"id": BOARD, "trials": 0}]}, "trials is 0; expected a whole number"),
        ({"entry": [{"id": BOARD, "tasks": True}]}, "tasks is True"),
        ({"entry": [{"id": BOARD, "seats": "some"}]}, "seats is 'some'; expected \"each\""),
        ({"entry": [{"id": BOARD, "task": 3}]}, "no 'task'; there are"),
        ({"entry": [{"tasks": 3}]}, "expected id ="),
        ({"entry": [{"id": BOARD}, {"id": BOARD}]}, "twice"),
        ({"entry": [{"id": BOARD, "opponents": 3}]}, "opponents is 3"),
        ({"entry": [{"id": BOARD}], "seed": "x"}, "seed is 'x'"),
        ({"entries": []}, "no 'entries'"),
        ({"entry": [{"id": BOARD, "vary": {"noise": "blur"}}]}, "vary is {'noise': 'blur'}"),
        ({"defaults": {"id": BOARD}, "entry": [{}]}, "no 'id'"),
    ],
)
def test_suites_that_make_no_sense(data, words):
    with pytest.raises(BadSuite, match=words):
        suites.parse_suite(data, "test")


def test_an_argument_that_varies_makes_an_entry_of_each_value():
    vary = {"noise": ["", "blur:2"], "theme": [1, 2]}
    given = {"arguments": {"observe": "image", "theme": 9}, "vary": vary}
    made = suites.parse_suite(
        {"defaults": given, "entry": [{"id": [BOARD, "game:Nim-v0"]}]}, "test"
    ).entries
    assert [one.name for one in made][:3] == [
        f"{BOARD} theme=1",
        f"{BOARD} theme=2",
        f"{BOARD} noise=blur:2 theme=1",
    ]
    assert made[7].arguments == {"observe": "image", "noise": "blur:2", "theme": 2}
    assert made[7].id == "game:Nim-v0"
    assert len(made) == 8


def test_suites_in_files(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(f'[[entry]]\nid = "{BOARD}"\nseats = ["x", ["x", "o"]]\n')
    (entry,) = suites.load_suite(str(path)).entries
    assert entry.list_lineups(("x", "o")) == [("x",), ("x", "o")]
    path.write_text("[[entry\n")
    with pytest.raises(BadSuite, match=r"mine\.toml"):
        suites.load_suite(str(path))
    with pytest.raises(BadSuite, match="No such file"):
        suites.load_suite(str(tmp_path / "other.toml"))
    with pytest.raises(BadSuite, match=r"no suite 'smok'; there are .*smoke"):
        suites.load_suite("smok")
    with pytest.raises(UnknownEnv, match="TicTacToe"):
        suites.make_suite(["game:TicTacToe-v9"])


def test_who_sits_where():
    one = suite({"id": BOARD, "opponents": {"o": "search"}})
    cells, _ = plan_tasks(one, "random", {})
    assert [cell.agents for cell in cells] == [
        {"x": "random", "o": "search"},
        {"x": "random", "o": "random"},
    ]
    cells, _ = plan_tasks(one, "search:depth=1", {"x": "search:depth=2"})
    assert [cell.agents for cell in cells] == [
        {"x": "search:depth=1", "o": "search"},
        {"x": "search:depth=2", "o": "search:depth=1"},
    ]
    (cell,), _ = plan_tasks(suite({"id": BOARD, "seats": "all"}), "search", {})
    assert cell.agents == {"x": "search", "o": "search"}
    assert cell.seat == "all"
    (cell,), _ = plan_tasks(suite({"id": BOARD, "seats": ["o"]}), None, {"o": "search"})
    assert cell.agents == {"x": "random", "o": "search"}
    (cell,), _ = plan_tasks(one, None, {"x": "random"})  # a seat alone is evaluated alone
    assert cell.agents == {"x": "random", "o": "search"}
    assert cell.seat == "x"
    with pytest.raises(BadSuite, match="nobody to evaluate in seat o"):
        plan_tasks(suite({"id": BOARD, "seats": "all"}), None, {"x": "random"})
    with pytest.raises(BadSuite, match="no seat 'z'"):
        plan_tasks(one, "random", {"z": "random"})
    with pytest.raises(BadSuite, match="no seat 'w'; the seats are x, o"):
        plan_tasks(suite({"id": BOARD, "seats": ["w"]}), "random", {})


def test_wins_are_above_the_mean():
    assert classify_outcome({"a": 1.0, "b": -0.5, "c": -0.5}, ["a"]) == "win"
    assert classify_outcome({"a": 1.0, "b": -0.5, "c": -0.5}, ["c"]) == "loss"
    assert classify_outcome({"a": 0.1 + 0.2, "b": 0.3}, ["a"]) == "draw"


def two_models(server, **sampling):
    """Return a suite of a talk, and words that seat one model of a server in each seat."""
    for library in ("openai", "tenacity"):
        pytest.importorskip(library, reason="pip install 'gem-ma[openai]'")
    entry = {"id": "tau:shop", "tasks": 2, "seats": ["assistant"]}
    entry["arguments"] = {"max_steps": 2}
    seats = {
        "assistant": f"react:openai:big@{server.url}",
        "user": f"llm-user:openai:small@{server.url}?strategy=plain",
    }
    return suite(entry | {"sampling": sampling} if sampling else entry), seats


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
    with pytest.raises(BadSuite, match=r"sampling of 'z'; the seats are x, o"):
        plan_tasks(suite({**entry, "sampling": {"z": {}}}), "random", {})
    with pytest.raises(BadSuite, match=r"sampling is .*; expected a table from seat to options"):
        suite({**entry, "sampling": {"temperature": 0}})


@pytest.mark.parametrize(
    "name",
    [
        *(pytest.param(one, marks=packs.needs("tau")) for one in ("tau-retail", "tau-airline")),
        *(pytest.param(one, marks=packs.needs("tau2")) for one in ("tau2-telecom", "tau2-all")),
    ],
)
def test_suites_of_the_originals_draw_as_they_do(name):
    seats = ["assistant"] if name.startswith("tau-") else ["assistant", "user"]
    for entry in suites.load_suite(name).entries:
        assert entry.sampling == {seat: {"temperature": 0} for seat in seats}


@packs.needs("tau")
def test_each_model_has_its_price(tmp_path, capsys):
    with StubServer(lambda body, attempt: "Hello.") as server:
        one, seats = two_models(server)
        prices = {"big": (1.0, 10.0), "small": (100.0, 0.0)}
        found = evaluate(one, None, tmp_path, seats=seats, prices=prices, **QUIET)
        big, small = (
            sum(body["model"] == name for body in server.requests) for name in ("big", "small")
        )  # requests of 10 tokens, each with a reply of 2
        costs = {"assistant": big * 30e-6, "user": small * 1000e-6}
        assert min(big, small) > 1
        assert found.overall["costs in all"] == pytest.approx(costs)
        assert found.overall["cost in all"] == pytest.approx(sum(costs.values()))
        (row,) = found.rows
        assert row["cost"].value * 2 == pytest.approx(costs["assistant"])
        assert row["costs"]["user"].value * 2 == pytest.approx(costs["user"])

        def again(**prices):
            return evaluate(one, None, tmp_path, seats=seats, prices=prices, **QUIET).overall

        for rest in ({"": (1.0, 10.0)}, {seats["assistant"]: (1.0, 10.0)}):
            only = {"assistant": costs["assistant"]}
            assert again(**rest)["costs in all"] == pytest.approx(only)
            assert again(**rest, small=(100.0, 0.0))["costs in all"] == pytest.approx(costs)
        found = evaluate(one, None, tmp_path, seats=seats, prices={"small": (1.0, 0.0)}, **QUIET)
        assert found.to_dict()["rows"][0]["cost"]["value"] is None  # of a model without a price
        with pytest.raises(BadSuite, match=r"prices of 'huge', .*; there are big, small"):
            again(huge=(1.0, 1.0))
        words = [f"--agents={seat}={spec}" for seat, spec in seats.items()]
        words += ["--tasks", 2, "--out", tmp_path / "b", "--price", "small=100,0"]
        assert command("eval", "tau:shop", "--set", "max_steps=2", *words, "--price", "1,10") == 0
        assert re.search(
            r"^cost: (\S+) \(user \S+, assistant \S+\)$", capsys.readouterr().out, re.M
        )


def test_the_numbers_of_an_evaluation(tmp_path):
    def guess(turn):  # a number that is right in some games, and words now and then
        if turn.number == 0 and turn.seed % 4 == 0:
            return Reply("no idea", usage={"prompt_tokens": 100, "completion_tokens": 10})
        text = str(1 + turn.seed % 10)
        return Reply(text, usage={"prompt_tokens": 50, "completion_tokens": 5}, latency=0.5)

    one = suite({"id": "game:GuessTheNumber-v0-easy", "tasks": 12, "trials": 3})
    found = evaluate(one, "me", tmp_path, named={"me": guess}, prices=(1.0, 10.0), **QUIET)
    (row,) = found.rows
    (file,) = (tmp_path / "episodes").iterdir()
    episodes = list(load_episodes(file))
    assert row["episodes"] == row["expected"] == len(episodes) == 36
    assert len({episode.seed for episode in episodes}) == 12
    won = Counter()
    for episode in episodes:
        won[episode.group] += episode.returns["player"] >= 1
    assert 0 < sum(won.values()) < 36
    assert row["success"].value == pytest.approx(sum(won.values()) / 36)
    assert row["pass_hat"][3].value == pytest.approx(sum(won[t] == 3 for t in range(12)) / 12)
    assert row["pass_at"][3].value == pytest.approx(sum(won[t] > 0 for t in range(12)) / 12)
    assert row["pass_at"][3][1:] == pytest.approx(
        wilson(sum(won[task] > 0 for task in range(12)), 12)
    )
    assert sorted(row["pass_at"]) == [1, 2, 3]
    for curve in ("pass_at", "pass_hat"):  # one trial of one is a success
        assert row[curve][1] == pytest.approx(row["success"])
    steps = [step for episode in episodes for step in episode.steps]
    bad = sum(step.invalid is not None for step in steps)
    assert bad
    assert row["invalid"].value == pytest.approx(bad / len(steps))
    assert row["turns"].value == pytest.approx(len(steps) / 36)
    assert row["tokens"].value * 36 == pytest.approx(55 * len(steps) + 55 * bad)
    assert row["cost"].value * 36 == pytest.approx((100 * len(steps) + 100 * bad) / 1e6)
    assert row["latency"].value >= 0.3
    assert row["win"] is None
    assert found.overall["tokens in all"] == pytest.approx(row["tokens"].value * 36)
    for name in ("success", "return", "invalid", "turns", "tokens", "cost"):
        assert row[name].low <= row[name].value <= row[name].high
    assert json.loads((tmp_path / "results.json").read_text()) == found.to_dict()
    assert found.exit_code == 0


CONTESTS = {
    "game:KuhnPoker-v0": True,
    "game:ConnectFour-v0": True,
    "game:ColonelBlotto-v0": True,
    "game:LiarsDice-v0": True,
    "game:Codewords-v0": True,
    "game:Chameleon-v0": True,
    "game:Werewolf-v0": True,
    "game:PrisonersDilemma-v0": False,
    "game:PublicGoods-v0": False,
    "game:Bargaining-v0": False,
    "game:ReferenceGame-v0": False,
    "game:MapTask-v0": False,
    "game:Negotiation-v0": False,
    "game:Pictionary-v0": False,
    "game:Taboo-v0": False,
    "game:Tangram-v0": False,
    "game:SpotTheDifference-v0": False,
    "game:TwentyQuestions-v0": False,
    "tau:shop": False,
}


@pytest.mark.parametrize("id", packs.present(CONTESTS))
def test_who_wins_is_told_where_seats_win_from_each_other_only(id, tmp_path):
    found = evaluate(suite({"id": id, "tasks": 4}), "random", tmp_path, **QUIET)
    assert {row["win"] is not None for row in found.rows} == {CONTESTS[id]}
    assert {row["loss"] is not None for row in found.rows} == {CONTESTS[id]}
    together = suite({"id": id, "tasks": 1, "seats": "all"})
    (row,) = evaluate(together, "random", tmp_path / "all", **QUIET).rows
    assert row["win"] is None


def ended(*returns, **more):
    spec = gem_ma.spec(BOARD)
    given = {"id": "0", "number": 0, "spec": spec, "seed": 0, "agents": {}}
    names = dict(zip("abcdef", returns, strict=False))
    return Episode(**given, returns=names, ended="terminated", **more)


@pytest.mark.parametrize(
    ("zero_sum", "ends", "expected"),
    [
        (True, [(1, -1), (0, 0)], True),
        (True, [(0, 0)], True),  # drawn
        (True, [(-0.1, 0), (1, -1.2)], True),  # with penalties
        (True, [(3, 5)], False),  # a bridge said so of a game in which both gain
        (True, [], True),
        (False, [(1, 1), (0, 0)], False),
        (False, [(0, 0)], False),
        (False, [(1, 0)], False),  # one seat alone is paid
        (False, [(1, 1, -1), (-1, -1, 1)], True),  # sides of unlike size
        (False, [(1, -1), (2, 3)], False),
    ],
)
def test_what_makes_a_contest(zero_sum, ends, expected):
    found = infer_contest([ended(*one) for one in ends], zero_sum)
    assert is_contest([found], zero_sum) == expected


def test_the_numbers_are_those_of_the_evaluated_seat(tmp_path):
    """The opponent talks much, errs, and is slow; nothing of that is the agent's."""

    def quiet(turn):
        return Reply(turn.legal[0], usage={"prompt_tokens": 3, "completion_tokens": 1}, latency=0.5)

    def loud(turn):
        text = "hm" if turn.number < 2 else turn.legal[0]
        usage = {"prompt_tokens": 5000, "completion_tokens": 700}
        return Reply(text, usage=usage, latency=90.0)

    entry = {"id": BOARD, "opponents": "loud", "arguments": {"invalid": "random"}, "tasks": 3}
    named = {"quiet": quiet, "loud": loud}
    found = evaluate(
        suite(entry), "quiet", tmp_path, named=named, prices=(1e6, 1e6), trials=2, **QUIET
    )
    total = 0
    for row, file in zip(found.rows, ("x", "o"), strict=True):
        (path,) = (tmp_path / "episodes").glob(f"*-{file}-*.jsonl")
        episodes = list(load_episodes(path))
        own = [step for one in episodes for step in one.steps if step.agent == row["seat"]]
        assert len(own) < sum(len(one.steps) for one in episodes)
        assert row["return"].value == pytest.approx(
            sum(one.returns[row["seat"]] for one in episodes) / 6
        )
        assert row["success"].value == sum(one.returns[row["seat"]] >= 1 for one in episodes) / 6
        assert row["tokens"].value == pytest.approx(4 * len(own) / 6)
        assert row["cost"].value == pytest.approx(4 * len(own) / 6)
        assert (row["invalid"].value, row["forfeit"].value) == (0, 0)
        assert row["latency"].value == pytest.approx(0.5)
        assert row["turns"].value == pytest.approx(len(own) / 6)
        total += len(own)
    assert found.overall["tokens in all"] == pytest.approx(4 * total)
    assert found.overall["cost in all"] == pytest.approx(4 * total)
    assert found.overall["turns in all"] == pytest.approx(total)
    assert found.overall["invalid"].value == 0
    rows = [row["success"].value for row in found.rows]
    assert found.overall["success"].value == pytest.approx(sum(rows) / 2)


@packs.needs("tau")
def test_what_failed_or_was_skipped_is_told(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("TAU_BENCH_DATA", str(tmp_path / "nowhere"))
    file = tmp_path / "few.toml"
    file.write_text(
        f"""
        defaults = {{ tasks = 3 }}
        [[entry]]
        id = ["{BOARD}", "game:KuhnPoker-v0", "tau:retail"]
        [[entry]]
        id = "game:ConnectFour-v0"
        arguments = {{ max_turns = 3 }}
        """
    )
    words = ["eval", "--suite", file, "--agents", "search:depth=1", "--max-errors", 9]
    assert command(*words, "--out", tmp_path / "out") == 1
    printed = capsys.readouterr().out
    assert "nan" not in printed.replace("Shenanigans", "")
    assert "mean over 4 of 6 rows, 2 environments, of the evaluated seats alone" in printed
    assert "in no mean: 2 rows of which no episode came to its end" in printed
    assert "in no mean: 6 episodes not played, 6 failed" in printed
    assert "0/3 (3 failed)" in printed
    assert "3/3 (3 truncated)" in printed
    assert "skipped tau:retail: " in printed
    overall = json.loads((tmp_path / "out" / "results.json").read_text())["overall"]
    assert (overall["rows"], overall["rows left out"]) == (4, 2)
    assert (overall["environments"], overall["environments left out"]) == (2, 2)
    assert (overall["episodes"], overall["failed"], overall["missing"]) == (12, 6, 6)
    words = ["eval", "game:KuhnPoker-v0", "--agents", "search:depth=1", "--tasks", 2]
    assert command(*words, "--out", tmp_path / "none") == 1
    printed = capsys.readouterr().out
    assert "no episode came to its end, so there is no mean" in printed
    assert "nan" not in printed
    for folder in ("out", "none"):
        assert command("eval", "compare", tmp_path / "out", tmp_path / folder) == 0
        printed = capsys.readouterr().out
        assert "nan" not in printed
        assert "game:KuhnPoker-v0 first: no episode came to its end in " in printed
        assert command("eval", "compare", tmp_path / "out", tmp_path / folder, "--json") == 0
        json.loads(capsys.readouterr().out)


def test_nothing_was_played_yet():
    found = summarize_evaluation(
        "nowhere", suite({"id": BOARD}), plan_tasks(suite({"id": BOARD}), "random", {})[0]
    )
    assert (found.overall["rows"], found.overall["rows left out"]) == (0, 2)
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["overall"]["success"] == {
        "value": None,
        "low": None,
        "high": None,
    }


@pytest.mark.parametrize("progress", [False, None, True])
def test_a_bar_is_shown_as_asked(progress, tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(RolloutProgress, "start", lambda total, force: asked.append((total, force)))
    evaluate(suite({"id": BOARD, "tasks": 2}), "random", tmp_path, progress=progress)
    assert asked == ([] if progress is False else [(4, bool(progress))])


def test_the_name_of_a_file_tells_what_is_in_it():
    name = make_file_name("game:TicTacToe-v0 as o, x: (me)", {"b": 1, "a": [2]})
    assert re.fullmatch("game-TicTacToe-v0-as-o-x-me-[0-9a-f]{10}.jsonl", name)
    assert make_file_name("game:TicTacToe-v0 as o, x: (me)", {"a": [2], "b": 1}) == name
    assert make_file_name("game:TicTacToe-v0 as o, x: (me)", {"a": [2], "b": 2}) != name
    assert len(make_file_name("long " * 100, {})) == 60 + len("-0123456789.jsonl")


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
    with pytest.raises(BadRunFolder, match="something else"):
        evaluate(one, "random", tmp_path / "x", **QUIET)


def test_a_folder_of_another_evaluation_says_what_is_there_and_what_is_asked_for(tmp_path, capsys):
    def run(*more):
        out = ["--agents", "random", "--tasks", 2, "--out", tmp_path]
        return command("eval", BOARD, "game:Nim-v0", *out, *more), capsys.readouterr().err

    assert run()[0] == 0
    for more, words in (
        (["--seed", 5], "--seed 0 is there and --seed 5 is asked for"),
        (["--tasks", 3], "--tasks 2 is there and --tasks 3 is asked for"),
        (["--trials", 3], "--trials 1 is there and --trials 3 is asked for"),
        (["--opponents", "search"], "--opponents random is there and --opponents search is asked"),
        (["--observe", "image"], "no observe is there and --observe image is asked for"),
        (["--seed", 5, "--tasks", 3], "--tasks 3 is asked for, --seed 0 is there and --seed 5"),
    ):
        code, error = run(*more)
        assert code == 2
        assert words in error
        assert f" {tmp_path} holds another evaluation: " in error
        assert error.endswith("; ask for what is there, or name another folder\n")
        assert "{" not in error
    given = {
        "suite": suites.make_suite([BOARD, "game:Nim-v0"]),
        "tasks": 2,
        "out": tmp_path,
        **QUIET,
    }
    for change, words in (
        ({"agents": "search"}, "agents='random' is there and agents='search' is asked for;"),
        ({"seats": {"x": "search"}}, ": no x is there and x='search' is asked for;"),
        (
            {"suite": suites.make_suite([BOARD, "game:KuhnPoker-v0"])},
            "game:Nim-v0 is there and not asked for, game:KuhnPoker-v0 is asked for and not there;",
        ),
        ({"suite": suites.make_suite(["game:Nim-v0", BOARD])}, "are there in another order;"),
        (
            {"suite": suite({"id": BOARD, "success": 0.5}, {"id": "game:Nim-v0"})},
            "suite ids is there and suite test is asked for, success=1.0 is there and success=0.5 "
            f"is asked for of {BOARD};",
        ),
    ):
        with pytest.raises(BadRunFolder, match=re.escape(words)):
            evaluate(**{"agents": "random", **given, **change})
    with pytest.raises(
        BadRunFolder, match="suite ids is there and suite smoke is asked for"
    ) as error:
        evaluate("smoke", "random", tmp_path, **QUIET)
    assert len(str(error.value)) < 500
    assert command("tournament", BOARD, "--agents", "search", "--out", tmp_path) == 2
    assert f"{tmp_path} holds an evaluation, not a tournament" in capsys.readouterr().err


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


@packs.needs("tau")
def test_what_cannot_be_made_here_is_skipped(tmp_path, monkeypatch):
    monkeypatch.setenv("TAU_BENCH_DATA", str(tmp_path / "nowhere"))
    one = suite({"id": ["tau:retail", "other:Thing-v0", BOARD], "tasks": 1})
    found = evaluate(one, "random", tmp_path / "out", **QUIET)
    assert [row["id"] for row in found.rows] == [BOARD, BOARD]
    reasons = {left["id"]: left["reason"] for left in found.skipped}
    assert "gem-ma data tau-bench" in reasons["tau:retail"]
    assert "no environment 'other:Thing-v0'" in reasons["other:Thing-v0"]
    assert found.to_dict()["skipped"] == found.skipped
    assert found.exit_code == 3
    with pytest.raises(BadSuite, match="got an unexpected keyword argument 'colour'"):
        evaluate(suite({"id": BOARD, "arguments": {"colour": 1}}), "random", tmp_path, **QUIET)


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
from gem_ma.evaluation.runner import evaluate

async def agent(turn, said=[]):
    if not said:
        said.append(print("playing", flush=True))
    await asyncio.sleep(0.002)
    return turn.legal[turn.seed % len(turn.legal)]

suite = suites.parse_suite({"entry": [{"id": ["game:TicTacToe-v0", "game:Hangman-v0-easy"],
                                 "tasks": 20, "trials": 2}]}, "test")
evaluate(suite, "me", sys.argv[1], named={"me": agent}, concurrency=3, progress=False)
"""


def count(folder):
    return sum(len(path.read_bytes().splitlines()) for path in folder.glob("episodes/*.jsonl"))


@pytest.mark.parametrize("moments", [3, pytest.param(10, marks=pytest.mark.slow)])
def test_killed_at_random_moments(tmp_path, monkeypatch, capsys, moments):
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    monkeypatch.setattr(sys, "argv", ["-c", str(whole)])
    start = time.monotonic()
    exec(PLAYS, {})
    seconds, total = time.monotonic() - start, count(whole)
    capsys.readouterr()
    words = [sys.executable, "-c", PLAYS, str(broken)]
    rng, counts = random.Random(0), []
    for _ in range(moments):
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout.readline() == "playing\n"
            time.sleep(rng.uniform(0, seconds / (moments + 2)))
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
    words = [sys.executable, "-c", PLAYS, tmp_path]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        while not (tmp_path / "about.json").exists():
            time.sleep(0.01)
        with pytest.raises(BadRunFolder, match=rf"written by process {process.pid}: wait"):
            evaluate(suite({"id": BOARD}), "random", tmp_path, **QUIET)
        process.kill()


FULL = """
import resource, sys
from gem_ma.evaluation.runner import evaluate
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
    with pytest.raises(BadRunFolder, match="holds something else"):
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


def test_comparing(tmp_path):
    one = suite({"id": BOARD, "tasks": 40, "seats": ["x"]})
    names = {"old": "random", "new": "search"}
    for name, agent in names.items():
        evaluate(one, name, tmp_path / name, named={name: agent}, **QUIET)
    found, only = compare(tmp_path / "old", tmp_path / "new")
    assert only == []
    by_metric = {one.metric: one for one in found}
    success = by_metric["success"]
    assert success.change.paired
    assert success.change.tasks == 40
    assert success.new > success.old
    assert success.verdict == "better"
    assert success.change.value == pytest.approx(success.new - success.old)
    back, _ = compare(tmp_path / "new", tmp_path / "old")
    assert {one.verdict for one in back} == {"worse"}
    same, _ = compare(tmp_path / "old", tmp_path / "old")
    assert {(one.verdict, one.p, one.change.value) for one in same} == {("same", 1, 0)}
    evaluate(one, "old", tmp_path / "seed", seed=1, named={"old": "random"}, **QUIET)
    other, _ = compare(tmp_path / "old", tmp_path / "seed")
    assert {(one.verdict, one.change.paired) for one in other} == {("undecided", False)}
    # one reply in so many is none
    named = {"new": lambda turn: turn.legal[0] if turn.index else "hm"}
    lenient = suite({"id": BOARD, "tasks": 8, "seats": ["x"], "arguments": {"invalid": "random"}})
    for name, agent in (("a", "random"), ("b", named["new"])):
        evaluate(lenient, name, tmp_path / name, named={name: agent}, **QUIET)
    by_metric = {one.metric: one for one in compare(tmp_path / "a", tmp_path / "b")[0]}
    episodes = list(load_episodes(next((tmp_path / "b" / "episodes").glob("*.jsonl"))))
    shares = [1 / sum(step.agent == "x" for step in one.steps) for one in episodes]
    assert (by_metric["invalid"].old, by_metric["invalid"].verdict) == (0.0, "worse")
    assert by_metric["invalid"].new == pytest.approx(sum(shares) / 8)
    with pytest.raises(BadRunFolder, match="holds no evaluation"):
        compare(tmp_path, tmp_path / "old")
    loaded, cells = load_evaluation(tmp_path / "old")
    assert loaded == one
    assert [cell.agents for cell in cells] == [{"x": "old", "o": "random"}]


def test_only_starts_of_both_count(tmp_path, capsys):
    """One has more starts than the other, and some failed in each."""

    def fails(*numbers):
        def agent(turn):
            if int(turn.episode.rpartition("-")[2]) in numbers:
                raise RuntimeError("no")
            return turn.legal[-1]

        return agent

    one = suite({"id": "game:Nim-v0", "seats": ["first"], "tasks": 12})
    agents = {"old": fails(0, 1), "new": fails(1, 2, 3)}
    for name, tasks in (("old", 12), ("new", 9)):
        evaluate(
            one, name, tmp_path / f"a {name}", tasks=tasks, named={name: agents[name]}, **QUIET
        )
    found, notes = compare(tmp_path / "a old", tmp_path / "a new")
    assert notes == []
    for one in found:
        assert one.change.paired
        assert one.change.tasks == 5
        assert one.change.value == pytest.approx(one.new - one.old)
        assert one.left_out == (
            "2 that failed after, 3 played before only, 1 that failed before, "
            "1 that came to no end in either"
        )
    files = [next((tmp_path / f"a {name}" / "episodes").iterdir()) for name in ("old", "new")]
    tables = [
        {one.seed: one.returns["first"] for one in load_episodes(file) if not one.failure}
        for file in files
    ]
    both = tables[0].keys() & tables[1].keys()
    assert len(both) == 5
    (earned,) = [one for one in found if one.metric == "return"]
    assert earned.old == pytest.approx(sum(tables[0][seed] for seed in both) / 5)
    assert earned.new == pytest.approx(sum(tables[1][seed] for seed in both) / 5)
    command("eval", "compare", tmp_path / "a old", tmp_path / "a new")
    assert "starts left out of all: 2 that failed after, 3 played" in capsys.readouterr().out


def test_compare_says_why(tmp_path, capsys):
    for name, agent, tasks in (("few", "search:depth=2", 5), ("many", "search:depth=2", 25)):
        for folder, who in (("before", "random"), ("after", agent)):
            words = ["eval", BOARD, "--tasks", tasks, "--agents", who]
            assert command(*words, "--out", tmp_path / name / folder) == 0
    capsys.readouterr()
    folders = [tmp_path / "few" / "before", tmp_path / "few" / "after"]
    assert command("eval", "compare", *folders) == 0
    printed = capsys.readouterr().out
    assert "of them could not be decided: fewer than 6 pairs differ" in printed
    assert "noise" not in printed
    found, _ = compare(*folders)
    for one in found[:-2]:
        assert one.verdict == ("undecided" if one.unlike else "same")
        assert one.why.startswith(f"sign flips of 5 pairs, {one.unlike} of which differ")
    assert found[-1].why.startswith("sign flips of 5 starts with 10 pairs in 2 rows, ")
    # a return of 1 or -1 is twice the success where nothing is drawn: one test, counted once
    tests = [one for one in found[:-2] if one.unlike and not one.same_as]
    assert [one.p for one in tests] == pytest.approx(
        adjust_p_values([one.change.p for one in tests])
    )
    assert f"Holm's correction for {len(tests)} test" in printed
    found, _ = compare(tmp_path / "many" / "before", tmp_path / "many" / "after")
    assert "better" in {one.verdict for one in found}
    *rows, success, earned = found
    assert [(one.entry, one.seat, one.rows) for one in (success, earned)] == [
        ("all", "2 rows", 2)
    ] * 2
    assert (success.pairs, success.change.tasks) == (50, 25)  # both seats have each start
    for one in (success, earned):
        parts = [row for row in rows if row.metric == one.metric]
        assert one.change.value == pytest.approx(sum(row.change.value for row in parts) / 2)
        assert one.change.value == pytest.approx(one.new - one.old)
        assert one.change.p <= min(row.change.p for row in parts)
        assert one.pairs == sum(row.pairs for row in parts)
        assert one.unlike == sum(row.unlike for row in parts)
    assert (
        command("eval", "compare", tmp_path / "many" / "before", tmp_path / "many" / "after") == 0
    )
    assert "all: the mean of 2 rows, each alike, 50 pairs of 25 starts, after Holm's corr" in (
        capsys.readouterr().out
    )
    other = [tmp_path / "few" / "before", tmp_path / "other"]
    evaluate(suites.make_suite([BOARD]), "random", other[1], seed=9, tasks=4, **QUIET)
    found, notes = compare(*other)
    assert {one.why.split(":")[0] for one in found} == {
        "permutations of 5 starts before and 4 others after"
    }
    assert all("no start in common" in note for note in notes)
    stronger = suite({"id": BOARD, "tasks": 5, "opponents": "search:depth=1", "success": 0.5})
    evaluate(stronger, "random", tmp_path / "stronger", **QUIET)
    _, notes = compare(other[0], tmp_path / "stronger")
    assert f"{BOARD} x: success was 1.0 and is 0.5, so more than the agent may differ" in notes
    assert any("in seat o sat random, and then search:depth=1" in note for note in notes)


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
    assert "\n0 of " in capsys.readouterr().out
    assert command("eval", "compare", tmp_path / "a", tmp_path / "a", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["in one only"] == []
    assert {one["change"]["value"] for one in told["differences"]} == {0.0}


def test_numbers_that_changed_alike_are_one_test(tmp_path, capsys):
    """Of the first is twice the success less one what is earned, of the second it is another."""
    one = suite({"id": ["game:Nim-v0", "game:KuhnPoker-v0"], "tasks": 12})
    named = {"a": lambda turn: turn.legal[0], "b": lambda turn: turn.legal[-1]}
    for name in "ab":
        evaluate(one, name, tmp_path / name, named=named, **QUIET)
    found, _ = compare(tmp_path / "a", tmp_path / "b")
    same = {(one.entry, one.seat) for one in found if one.same_as}
    assert same == {("game:Nim-v0", "first"), ("game:Nim-v0", "second")}
    for place in same:
        success, earned = [one for one in found if (one.entry, one.seat) == place]
        assert (earned.metric, earned.same_as) == ("return", "success")
        assert earned.change.value == pytest.approx(2 * success.change.value)
        assert (earned.p, earned.verdict) == (success.p, success.verdict)
    own = [one for one in found if one.rows == 1 and one.unlike and not one.same_as]
    assert [one.p for one in own] == pytest.approx(adjust_p_values([one.change.p for one in own]))
    assert [one.same_as for one in found if one.rows > 1] == ["", ""]
    command("eval", "compare", tmp_path / "a", tmp_path / "b")
    printed = capsys.readouterr().out
    assert printed.count(" as success ") == 2
    assert "<0.001" in printed
    assert " 0.000  " not in printed.partition("Holm  ")[2]
    assert f"Holm's correction for {len(own)} tests\nall:" in printed
    # what is alike in few pairs is not shown to be alike
    command("eval", "compare", tmp_path / "a", tmp_path / "a")
    printed = capsys.readouterr().out
    assert (
        f"same: no start differs; after 12 pairs, up to {100 * wilson(0, 12)[1]:.0f}% may"
        in printed
    )
    assert "in no test\n" in printed


def test_compare_exits_with_1_if_something_is_worse(tmp_path, capsys):
    for name, agent in (("good", "search:depth=2"), ("bad", "random")):
        words = ["eval", BOARD, "--tasks", 25, "--agents", agent, "--out", tmp_path / name]
        assert command(*words) == 0
    assert command("eval", "compare", tmp_path / "good", tmp_path / "bad") == 1
    assert " worse\n" in capsys.readouterr().out


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
    assert code == (1 if told["stopped"] else 3 if told["skipped"] else 0)
    assert not any(one["what"].startswith("game:") for one in told["stopped"])


def test_wrong_words(tmp_path, capsys):
    out = ["--out", tmp_path / "x"]
    for wrong, said in (
        ([], "name either --suite or environments"),
        (["--suite", "smoke", BOARD], "name either"),
        ([BOARD, "--agents", "random"], "--out FOLDER"),
        ([BOARD, *out], "name who is evaluated"),
        ([BOARD, "--agents", "nobody", *out], "no agent 'nobody'"),
        ([BOARD, "--agents", "a,b", "--agents", "c", *out], "has 2 free seats, and got 3 agents"),
        ([BOARD, "--agents", "x=random,x=random", *out], "two agents for x"),
        ([BOARD, "--agents", "random", "--trials", "0", *out], "--trials: '0'"),
        ([BOARD, "--agents", "random", "--price", "a", *out], "--price a"),
        ([BOARD, "--agents", "random", "--price", "m=1,2,3", *out], "or MODEL=0.5,1.5"),
        ([BOARD, "--agents", "random", "--price", "m=1,2", "--price", "m=1,2", *out], "a second"),
        ([BOARD, "--agents", "random", "--price", "m=1,2", *out], "prices of 'm', which nobody"),
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


def test_exploit(capsys):
    assert command("exploit", "game:KuhnPoker-v0", "--agent", "random", "--samples", 8) == 0
    assert "12 information sets\nNashConv " in capsys.readouterr().out
    assert command("exploit", "game:KuhnPoker-v0", "--agent", "random", "--json") == 0
    assert json.loads(capsys.readouterr().out)["replies"] == 32 * 12
    assert command("exploit", "game:RockPaperScissors-v0", "--agent", "random") == 2
    assert "act at the same time" in capsys.readouterr().err


def test_importing_the_commands_is_light():
    code = (
        "import sys, gem_ma.cli.evaluation\n"
        "heavy = {'torch', 'openskill', 'matplotlib', 'rich', 'asyncio', 'gem_ma.rollouts.run'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"


def test_suites_are_part_of_the_package():
    top = Path(gem_ma.__file__).parent
    folders = [top / "evaluation" / "suites"]
    folders += [
        Path(str(resources.files(one.package))) / one.pack.suites
        for one in list_packs()
        if one.pack.suites
    ]
    assert {path.stem for one in folders for path in one.iterdir()} == set(suites.list_suites())


def test_a_mean_over_several_agents_says_so(tmp_path, capsys):
    few = ["--tasks", "1", "--out", str(tmp_path / "r")]
    assert main(["eval", BOARD, "--agents", "random,search:depth=1", *few]) == 0
    assert "the mean is of 2 agents together: random, search:depth=1\n" in capsys.readouterr().out
    assert main(["eval", BOARD, "--agents", "random", *few[:2], "--out", str(tmp_path / "s")]) == 0
    assert "agents together" not in capsys.readouterr().out
