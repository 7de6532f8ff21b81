"""Figures: what they draw is what was measured."""

import json
import math
from types import SimpleNamespace

import numpy as np
import packs
import pytest
from needed import Later, needed

import gem_ma
from gem_ma.agents import RandomAgent
from gem_ma.chat.reply import Reply
from gem_ma.cli.main import main
from gem_ma.evaluation import plots, suites
from gem_ma.evaluation.run_folder import BadRunFolder
from gem_ma.evaluation.runner.eval_tasks import load_evaluation, load_task_episodes
from gem_ma.evaluation.runner.suite_runner import evaluate
from gem_ma.evaluation.statistics import estimate_mean, pass_hat_k
from gem_ma.evaluation.tournament import run_tournament
from gem_ma.rollouts.records import save_episodes

selfplay = Later("gem_ma.training.selfplay")

needed("matplotlib", install="'gem-ma[plots]'")

BOARD = "game:TicTacToe-v0"


class Counting(RandomAgent):
    """Plays at random, and says of its n-th reply that it read 10 n tokens and wrote 3."""

    def act(self, turns):
        usage = [{"prompt_tokens": 10 * (t.index + 1), "completion_tokens": 3} for t in turns]
        replies = super().act(turns)
        return [Reply(text, usage=used) for text, used in zip(replies, usage, strict=True)]


def logs(folder, **runs):
    """Write a history for each run, called NAME_SEED."""
    folder.mkdir(exist_ok=True)
    for name, values in runs.items():
        rows = [{"step": step, "return/x": value} for step, value in enumerate(values)]
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (folder / f"{name.replace('_', '-')}.jsonl").write_text(text)
    return folder


def drawn(line):
    return line.get_xdata().tolist(), line.get_ydata().tolist()


def test_running_mean():
    assert plots.compute_running_mean([1, 2, 3, 4], 1) == [1, 2, 3, 4]
    assert plots.compute_running_mean([1, 2, 3, 6], 3) == [1, 1.5, 2, 11 / 3]
    assert plots.compute_running_mean([], 3) == []


def test_curves_are_the_mean_over_seeds_as_far_as_all_have_come(tmp_path):
    folder = logs(tmp_path / "log", a_0=[0, 1, 2, 9], a_1=[2, 3, 4], b_0=[5])
    with (folder / "a-1.jsonl").open("a") as file:
        file.write('{"step": 3, "ret')  # a writer that was killed
    runs = plots.read_logs([folder])
    assert {name: len(seeds) for name, seeds in runs.items()} == {"a": 2, "b": 1}
    (axes,) = plots.plot_learning_curves(runs, {"return/x": "won"}, smooth=1).axes
    first, second = axes.lines
    assert drawn(first) == ([1, 2, 3], [1, 2, 3])
    assert drawn(second) == ([1], [5])
    (shade,) = axes.collections  # one seed has no band
    corners = shade.get_paths()[0].vertices[:, 1]
    assert (corners.min(), corners.max()) == (0, 4)
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["a: 3.00", "b: 5.00"]
    assert axes.get_ylabel() == "won"


def test_histories_of_trainers_are_told_apart(tmp_path):
    row = '{"step": 0, "return/x": 1}\n'
    for name in ("ttt-0/history", "ttt-1/history", "ttt-0/user-3.history", "ttt-0/myhistory"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / f"{name}.jsonl").write_text(row)
    runs = plots.read_logs([tmp_path])
    assert {name: len(seeds) for name, seeds in runs.items()} == {"ttt": 2, "user": 1}
    assert list(plots.read_logs([tmp_path / "ttt-0" / "myhistory.jsonl"])) == ["myhistory"]
    assert list(plots.read_logs([tmp_path / "ttt-0" / "user-3.history.jsonl"])) == ["user"]


def test_a_band_may_be_about_the_median():
    _, ((axes,),) = plots.make_figure(1, 1, (3, 2))
    runs = [[1, 1], [2, 2], [9, 9]]
    assert plots.draw_band(axes, runs, "all", x=[10, 20], middle=np.median) == 2
    assert drawn(axes.lines[0]) == ([10, 20], [2, 2])


def test_win_rates_of_a_tournament(tmp_path):
    board = run_tournament([BOARD], ["search:depth=2"], tmp_path / "cup", matches=3, progress=False)
    names, rates, there = plots.read_tournament(tmp_path / "cup")
    assert there == ""
    assert names == [one.agent for one in board.ratings]
    won = {one.agent: board.count_outcomes(one.agent) for one in board.ratings}
    own = won[names[0]]
    assert rates[0][1] == pytest.approx((own["win"] + own["draw"] / 2) / 6)
    assert rates[0][1] + rates[1][0] == pytest.approx(1)
    axes = plots.plot_win_rates(names, rates).axes[0]
    assert [text.get_text() for text in axes.texts] == [
        f"{100 * share:.0f}" for row in rates for share in row if not math.isnan(share)
    ]
    assert [text.get_text() for text in axes.get_yticklabels()] == names


@packs.needs("training")
def test_win_rates_of_a_pool():
    pool = selfplay.OpponentPool({"old": "random"})
    pool.record(gem_ma.rollout(BOARD, {"x": "random", "o": "search:depth=1"}, 2, progress=False))
    assert plots.plot_win_rates(*pool.compute_win_rates()[:2]).axes[0].get_title() == ""


def test_what_is_unfinished_is_drawn_and_said(tmp_path, capsys):
    asked = []

    def stops(turn):
        asked.append(turn)
        if len(asked) > 12:
            raise KeyboardInterrupt
        return turn.legal[0]

    def cup(folder, agents, **named):
        given = {"matches": 3, "anchors": (), "named": named, "progress": False, "concurrency": 1}
        with pytest.raises(KeyboardInterrupt):
            run_tournament([BOARD], agents, tmp_path / folder, **given)
        words = ["plot", "win-rates", str(tmp_path / folder), "--out", str(tmp_path / "a.svg")]
        return main(words), capsys.readouterr()

    code, said = cup("cup", ["random", "search:depth=1", "c"], c=stops)
    assert code == 0
    (unfinished,) = said.out.splitlines()[1:]
    files = (tmp_path / "cup" / "matches").glob("*.jsonl")
    done = sum(len(file.read_text().splitlines()) for file in files)
    assert 6 <= done < 18
    assert unfinished.startswith(
        f"unfinished: {tmp_path / 'cup'} has {done} of 18 matches; none of "
    )
    assert "c - search:depth=1" in unfinished
    names, rates, there = plots.read_tournament(tmp_path / "cup")
    assert sorted(names) == ["c", "random", "search:depth=1"]
    assert np.shape(rates) == (3, 3)
    title = plots.plot_win_rates(names, rates, there).get_suptitle()
    assert title == f"unfinished: {done} of 18 matches"
    asked += [None] * 12
    code, said = cup("none", ["c", "random"], c=stops)
    assert code == 2
    assert "none: none of 6 matches has ended yet; run the same gem-ma tournament again" in said.err
    for name in ("agents.json", "games.json", "cells.json"):
        file = tmp_path / "cup" / name
        kept = file.read_text()
        for damaged in ("{", "3"):
            file.write_text(damaged)
            with pytest.raises(BadRunFolder, match=rf"{name} is damaged"):
                plots.read_tournament(tmp_path / "cup")
        file.write_text(kept)
    half = {"named": {"me": lambda turn: turn.legal[0] if turn.seat == "x" else None}}
    evaluate(suites.make_suite([BOARD]), "me", tmp_path / "half", tasks=3, progress=False, **half)
    words = ["plot", "pass-k", str(tmp_path / "half"), "--out", str(tmp_path / "b.svg")]
    assert main(words) == 0
    said = capsys.readouterr().out
    assert said.endswith(f"unfinished: {tmp_path / 'half'} has 3 of 6 episodes\n")


def test_pass_hat_is_that_of_the_episodes(tmp_path):
    suite = suites.parse_suite({"entry": [{"id": BOARD, "seats": ["x"]}]}, "one")
    evaluate(suite, "random", tmp_path / "a", tasks=5, trials=4, progress=False)
    rows = plots.read_evaluations([tmp_path / "a"])
    trials = {}
    _, (cell,) = load_evaluation(tmp_path / "a")
    for episode in load_task_episodes(tmp_path / "a", cell):
        trials.setdefault(episode.group, []).append(episode.returns["x"] == 1)
    axes = plots.plot_pass_hat_k(rows).axes[0]
    ks, values = drawn(axes.lines[0])
    assert ks == [1, 2, 4]
    assert values == pytest.approx([pass_hat_k(trials, k) for k in ks])
    (spans,) = axes.containers[0].lines[2]
    for ends, value in zip(spans.get_segments(), values, strict=True):
        low, high = ends[:, 1]
        assert 0 <= low <= value <= high <= 1


def test_robustness_is_success_over_strength(tmp_path):
    vary = {"noise": ["", "jpeg:40", "jpeg:5", "blur:2", "blur+jpeg:9"]}
    suite = suites.parse_suite({"entry": [{"id": BOARD, "vary": vary}]}, "one")
    evaluate(suite, "random", tmp_path / "a", tasks=4, progress=False)
    found = plots.read_robustness([tmp_path / "a"])
    jpeg, blur = plots.plot_robustness(found).axes
    assert [text.get_text() for text in jpeg.get_xticklabels()] == ["none", "40", "5"]
    assert [text.get_text() for text in blur.get_xticklabels()] == ["none", "2"]
    rows = {}
    for cell in load_evaluation(tmp_path / "a")[1]:
        ends = [one.returns[cell.seat] == 1 for one in load_task_episodes(tmp_path / "a", cell)]
        rows.setdefault(cell.entry.arguments["noise"], []).append(np.mean(ends))
    assert len(rows) == 5
    xs, ys = drawn(jpeg.lines[0])
    assert (xs, ys) == ([0, 1, 2], [np.mean(rows[one]) for one in ("", "jpeg:40", "jpeg:5")])
    assert drawn(blur.lines[0])[1] == [np.mean(rows[one]) for one in ("", "blur:2")]
    name, ways = next(iter(found.items()))
    few = {way: one if way else one[:1] for way, one in ways.items()}
    labels = plots.plot_robustness({name: few}).axes[0].get_legend_handles_labels()[1]
    assert labels == [f"{name}: mean of 1"]  # the other seat was not played without noise
    cameras = ["photo:held-out:0", "photo:10", "photo:9", "photo+blur"]
    rows = next(iter(found.values()))[plots.parse_noise("")]
    (photo,) = plots.plot_robustness(
        {name: {plots.parse_noise(one): rows for one in ["", *cameras]}}
    ).axes
    ticks = [text.get_text() for text in photo.get_xticklabels()]
    assert ticks == ["none", "9", "10", "held-out\n0"]
    assert photo.get_xlabel() == "photo: seed of the camera"
    with pytest.raises(
        plots.BadPlot, match="no environment was played with a single kind of noise"
    ):
        plots.plot_robustness({name: {plots.parse_noise(""): []}})
    with pytest.raises(
        plots.BadPlot, match="no environment has finished episodes at all strengths of j"
    ):
        plots.plot_robustness({name: {plots.parse_noise("jpeg"): []}})


def test_tokens_by_seat(tmp_path):
    episodes = gem_ma.rollout(BOARD, Counting(), 6, seed=1, progress=False)
    save_episodes(episodes, tmp_path / "a.jsonl")
    left, right = plots.plot_tokens(plots.read_episodes([tmp_path])).axes
    assert [text.get_text() for text in left.get_yticklabels()] == ["x", "o"]
    replies = [sum(step.agent == "x" for step in one.steps) for one in episodes]
    read, written = left.patches[:2]
    assert written.get_width() == pytest.approx(3 * np.mean(replies))
    assert read.get_width() == pytest.approx(np.mean([5 * n * (n + 1) for n in replies]))
    x, y = drawn(right.lines[0])
    assert (x, y) == ([*range(1, max(replies) + 1)], [10 * n for n in x])
    assert set(drawn(right.lines[1])[1]) == {3}
    whole = estimate_mean([5.0 * n * (n + 1) + 3 * n for n in replies])
    (span,) = left.containers[2].lines[2]
    assert left.containers[2].lines[0].get_xdata() == pytest.approx([whole.value])
    assert span.get_segments()[0][:, 0] == pytest.approx([whole.low, whole.high])
    # one episode says nothing of how others would be
    save_episodes(episodes[:1], tmp_path / "b.jsonl")
    left, _ = plots.plot_tokens(plots.read_episodes([tmp_path / "b.jsonl"])).axes
    assert len(left.containers) == 4


def test_figures_have_room_for_what_they_show():
    def height(figure):
        return figure.get_size_inches()[1]

    reply = Reply("1", usage={"prompt_tokens": 3, "completion_tokens": 2})
    for many in (2, 20):
        names = [f"seat {number}" for number in range(many)]
        episode = SimpleNamespace(
            failure=None,
            returns=dict.fromkeys(names, 0.0),
            spec=SimpleNamespace(id="a game"),
            steps=[SimpleNamespace(agent=name, reply=reply) for name in names],
        )
        for rows in (
            height(plots.plot_win_rates(names, np.full((many, many), math.nan))),
            height(plots.plot_tokens([episode] * 2)),
        ):
            assert 0.3 <= rows / many <= 2


def test_the_command(tmp_path, capsys):
    folder = logs(tmp_path / "log", a_0=[0, 1], a_1=[1, 2])
    for ending, start in ((".png", b"\x89PNG"), (".svg", b"<?xml"), (".pdf", b"%PDF")):
        out = tmp_path / "new" / f"curve{ending}"
        assert main(["plot", "learning", str(folder), "--out", str(out)]) == 0
        assert capsys.readouterr().out == f"written to {out}\n"
        assert out.read_bytes().startswith(start)
    save_episodes(gem_ma.rollout(BOARD, "random", 1, progress=False), tmp_path / "e.jsonl")
    for words, told in (
        (["learning", folder, "--out", "a.jpg"], "a.jpg: expected a name that ends in .png"),
        (
            ["learning", folder, "--columns", "no", "--out", "a.png"],
            "no column 'no'; the columns are: s",
        ),
        (
            ["learning", folder, "--smooth", "0", "--out", "a.png"],
            "--smooth: '0': expected a whole number from 1 on",
        ),
        (["learning", tmp_path / "e.jsonl", "--out", "a.png"], "e.jsonl, line 1: 'step' is missi"),
        (["win-rates", folder, "--out", "a.png"], "holds no tournament"),
        (["pass-k", tmp_path / "none", "--out", "a.png"], "holds no evaluation"),
        (["tokens", tmp_path / "e.jsonl", "--out", "a.png"], "no reply has a number of tokens"),
        (["tokens", tmp_path / "none", "--out", "a.png"], "there is no such file or folder"),
        (["tokens", folder, "--smooth", "3", "--out", "a.png"], "arguments: --smooth 3"),
    ):
        assert main(["plot", *map(str, words)]) == 2
        error = capsys.readouterr().err
        assert error.startswith("gem-ma: ")
        assert told in error
        assert len(error.splitlines()) == 1


def test_without_matplotlib_the_extra_is_named(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "matplotlib.figure", None)
    folder = logs(tmp_path / "log", a_0=[0, 1])
    assert main(["plot", "learning", str(folder), "--out", str(tmp_path / "a.png")]) == 2
    assert "pip install 'gem-ma[plots]'" in capsys.readouterr().err
