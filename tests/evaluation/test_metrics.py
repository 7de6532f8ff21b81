"""The table of metrics: one that is added is seen everywhere, and older results are read."""

import importlib
import json
import re
import sys
from types import ModuleType, SimpleNamespace

import pytest
from evaluations import BOARD, QUIET, command, suite
from pages import PAGES, TOP

from gem_ma.evaluation.metrics import (
    METRICS,
    EpisodeSample,
    Metric,
    ScoredEpisode,
    format_metrics_table,
    format_number,
    format_percent,
    group_by_heading,
    parse_value,
    register_metric,
)
from gem_ma.evaluation.runner.comparison import compare
from gem_ma.evaluation.runner.suite_runner import evaluate
from gem_ma.evaluation.statistics import IntervalEstimate
from gem_ma.evaluation.suite_leaderboard import merge_results, write_leaderboard_page
from gem_ma.rollouts.records import load_episodes

NAN = float("nan")


@pytest.fixture
def docs_pages(monkeypatch):
    """Return the hook that fills in pages, without mkdocs, of which it takes one class."""
    for name in ("mkdocs", "mkdocs.structure", "mkdocs.structure.files"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setattr(sys.modules["mkdocs.structure.files"], "File", object, raising=False)
    monkeypatch.syspath_prepend(str(TOP / "scripts"))
    yield importlib.import_module("docs_pages")
    del sys.modules["docs_pages"]


@pytest.fixture
def fives(monkeypatch):
    """Add a metric, by the words that CONTRIBUTING asks for, and take it away again."""
    before = dict(METRICS)

    @register_metric("fives", "in fives", "how often a reply | has a 5", better=0, overall="mean")
    def count_fives(sample):
        return sample.estimate_mean(lambda one: sum("5" in str(step.reply) for step in one.steps))

    yield METRICS["fives"]
    METRICS.clear()
    METRICS.update(before)


def read_docs(docs_pages):
    page = SimpleNamespace(file=SimpleNamespace(src_uri="evaluate.md"))
    return docs_pages.on_page_markdown(PAGES["docs/evaluate.md"].read_text(), page, None, None)


def test_a_metric_that_is_added_is_seen_everywhere(fives, docs_pages, tmp_path, capsys):
    words = ["eval", BOARD, "--tasks", 4, "--agents"]
    assert command(*words, "random", "--out", tmp_path / "a") == 0
    head, first, *_ = capsys.readouterr().out.splitlines()
    files = sorted((tmp_path / "a" / "episodes").glob("*-x-*.jsonl"))
    episodes = [episode for file in files for episode in load_episodes(file)]
    own = [step for one in episodes for step in one.steps if step.agent == "x"]
    expected = sum("5" in step.reply for step in own) / len(episodes)
    assert 0 < expected < len(own)
    at = head.index("in fives")  # the terminal
    assert float(first[at:].split()[0]) == round(expected, 2)
    found = json.loads((tmp_path / "a" / "results.json").read_text())  # the file
    assert found["rows"][0]["fives"]["value"] == pytest.approx(expected)
    assert found["overall"]["fives"]["value"] is not None
    assert command("leaderboard", tmp_path / "a", "--out", tmp_path / "page.html") == 0
    page = (tmp_path / "page.html").read_text()  # the page
    folded = page.partition("<details>")[2]
    assert '<th scope="col">in fives</th>' in folded
    assert f"<td>{expected:.2f} [" in folded or f"<td>{expected:.2f}</td>" in folded
    assert "| in fives | `fives` | how often a reply \\| has a 5 |" in read_docs(docs_pages)
    capsys.readouterr()
    assert command(*words, "search:depth=1", "--out", tmp_path / "b") == 0
    assert "fives" in {one.metric for one in compare(tmp_path / "a", tmp_path / "b")[0]}


def test_the_documentation_says_of_each_metric_what_it_is(docs_pages):
    page = read_docs(docs_pages)
    assert format_metrics_table() in page
    for metric in METRICS.values():
        assert metric.description.replace("|", "\\|") in page
    assert "pass^k | `pass_hat` | by k: " in page
    assert "| win/draw/loss | `win`, `draw`, `loss` | the share of episodes that " in page
    assert docs_pages.METRICS_MARK not in page


def test_the_keys_of_results_stay():
    """They are what files of other releases are read by: add to them, and take none away."""
    keys = [
        *("success", "pass_at", "pass_hat", "return", "win", "draw", "loss", "invalid", "forfeit"),
        *("turns", "tokens", "cost", "costs", "seconds", "latency"),
    ]
    assert [name for name in METRICS if name in keys] == keys
    assert {name for name in keys if METRICS[name].better is not None} == {
        "success",
        "return",
        "invalid",
        "tokens",
    }


def test_results_that_were_written_before_are_read(tmp_path, request):
    evaluate(suite({"id": BOARD, "tasks": 3}), "random", tmp_path / "old", **QUIET)
    request.getfixturevalue("fives")  # which those results know nothing of
    evaluate(suite({"id": BOARD, "tasks": 3}), "search:depth=2", tmp_path / "new", **QUIET)
    found = merge_results([tmp_path / "old", tmp_path / "new"])
    assert found.refused == []
    values = {
        line.agent: place.metrics
        for line in found.tables[0].agent_results
        for (_, seat), place in line.results.items()
        if seat == "x"
    }
    assert values["random"]["fives"] is None
    assert values["search:depth=2"]["fives"] is not None
    rows = json.loads((tmp_path / "old" / "results.json").read_text())["rows"]
    assert values["random"]["success"].value == rows[0]["success"]["value"]
    write_leaderboard_page(found, tmp_path / "page.html")
    table = (tmp_path / "page.html").read_text().partition("<details>")[2]
    lines = [line for line in re.findall("<tr>.*?</tr>", table) if "<td>" in line]
    place = re.findall(r'<th scope="col"[^>]*>(.*?)</th>', table).index("in fives")
    cells = {re.findall("<t[hd].*?>(.*?)</t[hd]>", line)[place] == "" for line in lines[2:]}
    assert cells == {True}
    assert {re.findall("<t[hd].*?>(.*?)</t[hd]>", line)[place] == "" for line in lines[:2]} == {
        False
    }


def sample_reports(*reports):
    """Return a sample with an episode for each report."""
    scored = [ScoredEpisode(SimpleNamespace(report=one), ["x"], 1.0, {}) for one in reports]
    return EpisodeSample([[one] for one in scored])


def test_attacks_are_counted_as_reports_say():
    done = {"utility": True, "attack_success": False}
    lost = {"utility": False, "attack_success": True}
    reports = [{**done, "attacked": False}, {**lost, "attacked": False}]
    reports += [{**done, "attacked": True}] * 3 + [{**lost, "attacked": True}]
    sample = sample_reports(*reports, {}, {"attacked": 1, **lost})
    names = ("utility", "utility_under_attack", "attack_success_rate")
    found = [METRICS[name].compute(sample) for name in names]
    assert [one.value for one in found] == [0.5, 0.75, 0.25]
    assert all(0 < one.low < one.value < one.high < 1 for one in found)
    for name in names:  # of other environments they say nothing
        assert format_percent(METRICS[name].compute(sample_reports({}, {"score": 1}))) == ""


def test_a_name_is_taken_once_and_not_from_what_rows_have(fives, tmp_path):
    with pytest.raises(ValueError, match="a metric 'fives' exists already"):
        register_metric("fives", "fives", "again")
    METRICS["seat"] = Metric("seat", "seat", "", lambda sample: None, format_number)
    with pytest.raises(ValueError, match="the metric 'seat' has the name of another column"):
        evaluate(suite({"id": BOARD, "tasks": 1}), "random", tmp_path, **QUIET)


def test_only_one_number_is_compared(fives, tmp_path):
    METRICS["several"] = Metric("several", "", "", lambda _: {1: 2}, format_number, better=1)
    evaluate(suite({"id": BOARD, "tasks": 1}), "random", tmp_path, **QUIET)
    with pytest.raises(TypeError, match=r"'several' gave \{1: 2\} for a start, expected"):
        compare(tmp_path, tmp_path)


@pytest.mark.parametrize(
    ("data", "value"),
    [
        (None, None),
        ("x", None),
        ({"value": 0.5, "low": 0, "high": 1}, IntervalEstimate(0.5, 0.0, 1.0)),
        ({"1": {"value": 1, "low": 0, "high": 1}, "2": 3}, {"1": IntervalEstimate(1.0, 0.0, 1.0)}),
        ({}, {}),
    ],
)
def test_values_are_read_as_they_are_written(data, value):
    assert parse_value(data) == value


def test_what_cannot_be_told_is_read_as_such():
    found = parse_value({"value": None, "low": None, "high": None})
    assert isinstance(found, IntervalEstimate)
    assert found == pytest.approx((NAN, NAN, NAN), nan_ok=True)


def test_numbers_as_text():
    assert format_number(IntervalEstimate(0.5, 0.25, 0.75)) == "0.50 [0.25, 0.75]"
    assert format_number(IntervalEstimate(0.5, NAN, NAN), 3) == "0.500"
    assert format_percent(IntervalEstimate(0.5, 0.25, 0.75)) == "50.0% [25, 75]"
    assert format_percent(IntervalEstimate(0.5, NAN, NAN)) == "50.0%"
    assert (
        format_number(IntervalEstimate(NAN, NAN, NAN))
        == format_percent(IntervalEstimate(NAN, 0, 1))
        == ""
    )
    columns = group_by_heading(list(METRICS.values()))
    assert [one.name for one in columns["win/draw/loss"]] == ["win", "draw", "loss"]
