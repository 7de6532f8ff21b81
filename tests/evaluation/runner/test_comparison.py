"""Two evaluations compared: which starts count, and what is shown."""

import pytest
from evaluations import BOARD, QUIET, command, suite

from gem_ma.evaluation import suites
from gem_ma.evaluation.run_folder import BadRunFolder
from gem_ma.evaluation.runner.comparison import compare
from gem_ma.evaluation.runner.eval_tasks import load_evaluation
from gem_ma.evaluation.runner.suite_runner import evaluate
from gem_ma.evaluation.statistics import adjust_p_values, wilson
from gem_ma.rollouts.records import load_episodes

PAID = ("success", "return")  # what other metrics say here is no matter


def select_paid(found):
    return [one for one in found if one.metric in PAID]


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
    assert {one.verdict for one in select_paid(back)} == {"worse"}
    same, _ = compare(tmp_path / "old", tmp_path / "old")
    assert {(one.verdict, one.p, one.change.value) for one in same} == {("same", 1, 0)}
    evaluate(one, "old", tmp_path / "seed", seed=1, named={"old": "random"}, **QUIET)
    other, _ = compare(tmp_path / "old", tmp_path / "seed")
    verdicts = {(one.verdict, one.change.paired) for one in select_paid(other)}
    assert verdicts == {("undecided", False)}
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
        success, earned = [one for one in select_paid(found) if (one.entry, one.seat) == place]
        assert (earned.metric, earned.same_as) == ("return", "success")
        assert earned.change.value == pytest.approx(2 * success.change.value)
        assert (earned.p, earned.verdict) == (success.p, success.verdict)
    own = [one for one in found if one.rows == 1 and one.unlike and not one.same_as]
    assert [one.p for one in own] == pytest.approx(adjust_p_values([one.change.p for one in own]))
    assert [one.same_as for one in found if one.rows > 1] == ["", ""]
    command("eval", "compare", tmp_path / "a", tmp_path / "b", "--all")
    printed = capsys.readouterr().out
    assert printed.count(" as success ") == 2
    assert "<0.001" in printed
    assert " 0.000  " not in "".join(line.partition("differ")[2] for line in printed.splitlines())
    assert f"Holm's correction for {len(own)} tests\nall:" in printed
    # what is alike in few pairs is not shown to be alike
    command("eval", "compare", tmp_path / "a", tmp_path / "a")
    printed = capsys.readouterr().out
    assert (
        f"same: no start differs; after 12 pairs, up to {100 * wilson(0, 12)[1]:.0f}% may"
        in printed
    )
    assert "in no test\n" in printed
