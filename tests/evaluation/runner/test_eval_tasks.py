"""The tasks of an evaluation: who sits where, and what cannot be played here."""

import packs
import pytest
from evaluations import BOARD, QUIET, suite

from gem_ma.evaluation.runner.eval_tasks import plan_tasks
from gem_ma.evaluation.runner.suite_runner import evaluate
from gem_ma.evaluation.suites import BadSuite


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
    with pytest.raises(
        BadSuite, match="no agent to evaluate in seat o; name one, such as o=random"
    ):
        plan_tasks(suite({"id": BOARD, "seats": "all"}), None, {"x": "random"})
    with pytest.raises(BadSuite, match="no seat 'z'"):
        plan_tasks(one, "random", {"z": "random"})
    with pytest.raises(BadSuite, match="no seat 'w'; the seats are x, o"):
        plan_tasks(suite({"id": BOARD, "seats": ["w"]}), "random", {})


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
