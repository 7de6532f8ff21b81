"""The numbers of an evaluation: whose they are, and what is in none."""

import json
import re
from collections import Counter

import packs
import pytest
from evaluations import BOARD, QUIET, command, suite, two_models
from stub_server import StubServer

from gem_ma.chat.reply import Reply
from gem_ma.evaluation.runner.eval_tasks import plan_tasks
from gem_ma.evaluation.runner.results import summarize
from gem_ma.evaluation.runner.suite_runner import evaluate
from gem_ma.evaluation.statistics import wilson
from gem_ma.evaluation.suites import BadSuite
from gem_ma.rollouts.records import load_episodes


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
        assert evaluate(one, None, tmp_path, seats=seats, **QUIET).overall[
            "costs in all"
        ] == pytest.approx(costs)  # those of the records
        with pytest.raises(BadSuite, match=r"prices for 'huge', .*; the agents are big, small"):
            again(huge=(1.0, 1.0))
        words = [f"--agents={seat}={spec}" for seat, spec in seats.items()]
        words += ["--tasks", 2, "--out", tmp_path / "b", "--price", "small=100,0"]
        assert command("eval", "tau:shop", "--set", "max_steps=2", *words, "--price", "1,10") == 0
        assert re.search(
            r"^cost: (\S+) \(user \S+, assistant \S+\)$", capsys.readouterr().out, re.M
        )


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
    found = summarize(
        "nowhere", suite({"id": BOARD}), plan_tasks(suite({"id": BOARD}), "random", {})[0]
    )
    assert (found.overall["rows"], found.overall["rows left out"]) == (0, 2)
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["overall"]["success"] == {
        "value": None,
        "low": None,
        "high": None,
    }
