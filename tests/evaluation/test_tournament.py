"""Tournaments and ratings."""

import csv
import itertools
import json
import math
import sys

import numpy as np
import pytest

from gem_ma.agents import SearchAgent
from gem_ma.chat.turn import Turn
from gem_ma.cli.main import main
from gem_ma.evaluation.ratings import (
    ELO_SCALE,
    find_cycles,
    fit_bradley_terry,
    fit_davidson,
    fit_plackett_luce,
)
from gem_ma.evaluation.run_folder import BadRunFolder
from gem_ma.evaluation.tournament import BadTournament, build_leaderboard, run_tournament
from gem_ma.rollouts.progress import RolloutProgress
from gem_ma.rollouts.records import load_episodes

KUHN, BOARD = "game:KuhnPoker-v0", "game:TicTacToe-v0"


def command(*words):
    return main([str(word) for word in words])


def chances(strengths, draw, i, j):
    a, b = strengths[i], strengths[j]
    weights = np.exp([a, draw + (a + b) / 2, b])
    return weights / weights.sum()


def expected(strengths, draw, games):
    """Return the wins and draws that come out if everything goes by its chances."""
    many = len(strengths)
    wins, draws = np.zeros((many, many)), np.zeros((many, many))
    for i, j in itertools.combinations(range(many), 2):
        win, equal, loss = games * chances(strengths, draw, i, j)
        wins[i, j], wins[j, i] = win, loss
        draws[i, j] = draws[j, i] = equal
    return wins, draws


def test_known_strengths_come_back():
    strengths, draw = np.array([1.5, 0.4, 0.0, -0.3, -1.6]), math.log(0.7)
    found, drawing = fit_davidson(*expected(strengths, draw, 100_000))
    assert found == pytest.approx(strengths, abs=1e-3)
    assert drawing == pytest.approx(draw, abs=1e-3)
    # Two agents without draws: the log odds.
    found, _ = fit_davidson(np.array([[0, 3e5], [1e5, 0]]), np.zeros((2, 2)))
    assert found[0] - found[1] == pytest.approx(math.log(3), abs=1e-3)


def played(strengths, draw, games, seed):
    rng, many = np.random.default_rng(seed), len(strengths)
    units = []
    for i, j in itertools.combinations(range(many), 2):
        unit = np.zeros((games, many, many, 2))
        for table, came in zip(
            unit, rng.choice(3, size=games, p=chances(strengths, draw, i, j)), strict=True
        ):
            if came == 1:
                table[i, j, 1] = table[j, i, 1] = 1
            else:
                table[(i, j, 0) if came == 0 else (j, i, 0)] = 1
        units.append(unit)
    return units


def test_intervals_of_ratings_hold_the_truth():
    strengths, agents = np.array([0.9, 0.3, -0.2, -1.0]), list("abcd")
    held = []
    for seed in range(100):
        rated, _ = fit_bradley_terry(agents, played(strengths, -0.5, 60, seed), resamples=100)
        assert rated[0].agent == "a"
        for one in rated:
            truth = ELO_SCALE * strengths[agents.index(one.agent)]
            held.append(one.low <= truth <= one.high)
    assert 0.91 < np.mean(held) < 0.98
    anchored, _ = fit_bradley_terry(agents, played(strengths, -0.5, 60, 0), "c")
    assert anchored[2] == ("c", 0, 0, 0)


def test_strengths_are_those_of_another_library():
    wins = np.array([[0, 30, 42, 55], [20, 0, 31, 38], [11, 22, 0, 33], [6, 13, 18, 0.0]])
    choix = [0.94404755, 0.25447676, -0.25761372, -0.9409106]  # choix 0.4.1, opt_pairwise
    assert fit_davidson(wins, np.zeros((4, 4)))[0] == pytest.approx(choix, abs=1e-4)
    units = [
        np.zeros((int(wins[i, j] + wins[j, i]), 4, 4, 2))
        for i, j in itertools.combinations(range(4), 2)
    ]
    for unit, (i, j) in zip(units, itertools.combinations(range(4), 2), strict=True):
        first = int(wins[i, j])
        unit[:first, i, j, 0] = unit[first:, j, i, 0] = 1
    rated, drawing = fit_bradley_terry(list("abcd"), units)
    assert [one.agent for one in rated] == list("abcd")
    assert drawing == pytest.approx(0, abs=1e-9)
    for one, there in zip(rated, choix, strict=True):
        assert one.points == pytest.approx(ELO_SCALE * there, abs=5)  # the prior is one start in 75
        assert one.low < ELO_SCALE * there < one.high


def separated(count, many=2):
    unit = np.zeros((count, many, many, 2))
    unit[:, 0, 1, 0] = 1
    return unit


def test_who_never_loses_has_a_wide_interval():
    for count, low, high in (  # Jeffreys' interval of the share: scipy.stats.beta(n + 0.5, 0.5)
        (5, 85.5, 1611.81),
        (10, 222.72, 1727.89),
        (100, 638.25, 2123.99),
    ):
        rated, _ = fit_bradley_terry(["a", "b"], [separated(count)], "b", resamples=20_000)
        assert rated[0].points == pytest.approx(ELO_SCALE * math.log(2 * count + 1), abs=1)
        assert rated[0].low == pytest.approx(low, abs=12)
        assert rated[0].high == pytest.approx(high, abs=60)
        assert rated[1][1:] == (0, 0, 0)
    alone, _ = fit_bradley_terry(["a", "b"], [separated(10)], "b")
    twice, _ = fit_bradley_terry(["a", "b"], [2 * separated(10)], "b")
    assert twice[0][1:] == pytest.approx(alone[0][1:], rel=0.01)  # no more was seen


def test_who_never_met_cannot_be_compared():
    unit = np.zeros((20, 4, 4, 2))
    unit[:10, 0, 1, 0] = unit[10:, 1, 0, 0] = unit[:10, 2, 3, 0] = unit[10:, 3, 2, 0] = 1
    rated, _ = fit_bradley_terry(list("abcd"), [unit], "a")
    wide = {one.agent: one.high - one.low for one in rated}
    assert wide["b"] < 500 < 1000 < min(wide["c"], wide["d"])


@pytest.mark.parametrize(
    ("gap", "alike"),
    [
        pytest.param(gap, alike, marks=[pytest.mark.slow] if alike == 2 and gap != 400 else [])
        for gap in (0, 400, 800)
        for alike in (1, 2)
    ],
)
def test_few_matches_and_many_wins_leave_room_for_the_truth(gap, alike):
    held = []
    for seed in range(150):
        (unit,) = played(np.array([gap / ELO_SCALE, 0]), -30.0, 10, seed)
        rated, _ = fit_bradley_terry(["a", "b"], [alike * unit], "b", resamples=200)
        one = next(one for one in rated if one.agent == "a")
        assert one.low < one.points < one.high < math.inf
        held.append(one.low <= gap <= one.high)
    assert np.mean(held) > 0.90


def test_cycles():
    wins = np.zeros((4, 4))
    for i, j in ((0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)):
        wins[i, j], wins[j, i] = 40, 10
    (found,) = find_cycles(["rock", "scissors", "paper", "none"], wins, np.zeros((4, 4)))
    assert found.agents == ("rock", "scissors", "paper")
    assert found.certain
    (found,) = find_cycles(["rock", "scissors", "paper", "none"], wins / 20, np.zeros((4, 4)))
    assert not found.certain
    wins[2, 0], wins[0, 2] = 10, 40
    assert find_cycles(list("abcd"), wins, np.zeros((4, 4))) == []
    # Everybody is alike in a cycle, for ratings along a line.
    wins = np.array([[0, 9, 1], [1, 0, 9], [9, 1, 0.0]])
    assert fit_davidson(wins, np.zeros((3, 3)))[0] == pytest.approx([0, 0, 0])


def test_plackett_luce():
    pytest.importorskip("openskill", reason="pip install 'gem-ma[evaluation]'")
    rng, strengths = np.random.default_rng(0), {"a": 2.0, "b": 1.0, "c": 0.0, "d": -1.0}
    matches = []
    for _ in range(300):
        who = rng.permutation(list(strengths))[:3].tolist()
        matches.append({one: strengths[one] + float(rng.gumbel()) for one in who})
    known = fit_plackett_luce(matches)
    assert sorted(known, key=lambda one: -known[one][0]) == list("abcd")
    later = fit_plackett_luce([{"e": 3.0, "a": 1.0, "b": 0.0}] * 20, known)
    assert later["e"][0] > later["a"][0] > later["b"][0]
    assert later["d"] == known["d"]


def test_plackett_luce_names_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "openskill", None)
    monkeypatch.setitem(sys.modules, "openskill.models", None)
    with pytest.raises(ImportError, match=r"gem-ma\[evaluation\]"):
        fit_plackett_luce([{"a": 1.0, "b": 0.0}])


def first_legal(turn):
    return turn.legal[0] if turn.legal else "0"


def test_games_without_winners_are_not_rated(tmp_path, capsys):
    names = {"a": first_legal, "b": lambda turn: turn.legal[-1] if turn.legal else "1"}
    games = ["game:PrisonersDilemma-v0", "game:ReferenceGame-v0", BOARD]
    given = {"matches": 3, "anchors": (), "named": names, "progress": False}
    board = run_tournament(games, "ab", tmp_path / "all", **given)
    assert board.unrated == games[:2]
    assert {game for game, _, _ in board.seats} == {BOARD}
    assert board.count_outcomes("a")["win"] + board.count_outcomes("b")["win"] <= 6
    for game in games:
        episodes = [
            one
            for file in (tmp_path / "all" / "matches").glob("*.jsonl")
            for one in load_episodes(file)
            if one.spec.id == game
        ]
        for agent in "ab":
            earned = [
                one.returns[seat]
                for one in episodes
                for seat, who in one.agents.items()
                if who == agent
            ]
            assert board.returns[game, agent].value == pytest.approx(np.mean(earned))
    alone = run_tournament(games[:1], "ab", tmp_path / "one", **given)
    assert (alone.ratings, alone.cycles, alone.matches) == ([], [], 6)
    json.dumps(alone.to_dict(), allow_nan=False)
    words = ["tournament", games[0], "--agents", "random", "search:depth=1", "--matches", 2]
    assert command(*words, "--out", tmp_path / "none", "--max-errors", 9) == 1
    printed = capsys.readouterr().out
    assert "search:depth=1: no match of it came to its end" in printed
    assert "nan" not in printed
    data = json.loads((tmp_path / "none" / "results.json").read_text())
    assert (data["ratings"], data["failed"]) == ([], 4)
    assert data["absent"] == ["random", "search:depth=1"]


def test_the_command_says_what_prior_it_took(tmp_path, capsys):
    words = ["tournament", BOARD, "--agents", "search:simulations=10", "--matches", 3]
    assert command(*words, "--out", tmp_path) == 0
    printed = capsys.readouterr().out
    assert "half won and half lost one more start" in printed
    assert "random                 0, the anchor" in printed
    (one,) = [r for r in json.loads((tmp_path / "results.json").read_text())["ratings"] if r["low"]]
    assert one["high"] - one["low"] > 500


def contents(folder):
    return {path.name: path.read_bytes() for path in (folder / "matches").glob("*.jsonl")}


def test_everybody_meets_everybody_in_all_seats_on_the_same_starts(tmp_path):
    board = run_tournament(
        [BOARD], ["search", "search:depth=1"], tmp_path / "t", matches=4, progress=False
    )
    assert board.matches == 3 * 2 * 4
    starts = {}
    for file in (tmp_path / "t" / "matches").glob("*.jsonl"):
        for episode in load_episodes(file):
            key = tuple(episode.agents.values())
            starts.setdefault(key, []).append(episode.seed)
    assert len(starts) == 6
    assert len({tuple(sorted(seeds)) for seeds in starts.values()}) == 1
    assert [one.agent for one in board.ratings] == ["search", "search:depth=1", "random"]
    assert board.ratings[-1][1:] == (0, 0, 0)
    assert board.count_outcomes("search")["loss"] == 0
    rows = list(csv.reader((tmp_path / "t" / "crosstable.csv").read_text().splitlines()))
    assert rows == board.build_cross_table()
    assert rows[0] == ["agent", "search", "search:depth=1", "random"]
    assert rows[1][1] == ""
    assert float(rows[1][3]) + float(rows[3][1]) == pytest.approx(100, abs=1)


@pytest.mark.parametrize("progress", [False, None, True])
def test_a_bar_is_shown_as_asked(progress, tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(RolloutProgress, "start", lambda total, force: asked.append((total, force)))
    run_tournament([BOARD], ["search:depth=1"], tmp_path, matches=2, progress=progress)
    assert asked == ([] if progress is False else [(4, bool(progress))])


def test_a_tournament_goes_on_with_more_agents_and_more_matches(tmp_path):
    asked = []

    def counting(name):
        def reply(turn: Turn):
            asked.append(name)
            return turn.legal[turn.seed % len(turn.legal)]

        return reply

    names = {name: counting(name) for name in "abc"}
    first = run_tournament(
        [KUHN], "ab", tmp_path, matches=5, anchors=(), named=names, progress=False
    )
    assert first.matches == 10
    before, asked[:] = contents(tmp_path), []
    same = run_tournament(
        [KUHN], "ab", tmp_path, matches=5, anchors=(), named=names, progress=False
    )
    assert asked == []
    assert same.to_dict() == first.to_dict()
    third = run_tournament(
        [KUHN], "c", tmp_path, matches=5, anchors=(), named=names, progress=False
    )
    assert third.agents == ["a", "b", "c"]
    assert third.matches == 30
    after = contents(tmp_path)
    assert {name: after[name] for name in before} == before
    more = run_tournament([KUHN], "c", tmp_path, matches=7, anchors=(), named=names, progress=False)
    assert more.matches == 42
    assert all(contents(tmp_path)[name].startswith(after[name]) for name in after)
    at_once = run_tournament(
        [KUHN], "cba", tmp_path / "other", matches=7, anchors=(), named=names, progress=False
    )
    assert at_once.to_dict() == more.to_dict()
    assert build_leaderboard(tmp_path, None).to_dict() == more.to_dict()
    with pytest.raises(BadRunFolder, match="seed=0 is there and seed=1 is asked for; ask"):
        run_tournament([KUHN], "c", tmp_path, seed=1, anchors=(), named=names, progress=False)


def test_an_agent_meets_itself_under_another_name(tmp_path):
    asked = [BOARD, "--agents", "one=search:depth=1", "search:depth=1", "--anchors", "none"]
    assert command("tournament", *asked, "--matches", 2, "--out", tmp_path) == 0
    board = build_leaderboard(tmp_path, None)
    assert board.agents == ["one=search:depth=1", "search:depth=1"]
    assert [one.points for one in board.ratings] == pytest.approx([0, 0])
    assert board.missing == []
    # who is in the folder already needs no more words than that
    again = ["tournament", BOARD, "--matches", 2, "--out", tmp_path]
    assert command(*again) == 0
    assert build_leaderboard(tmp_path).matches == 12


def test_what_failed_is_missing(tmp_path):
    def fails(turn):
        raise RuntimeError("no")

    given = {"anchors": (), "matches": 3, "max_errors": 1, "concurrency": 1, "progress": False}
    names = {"a": first_legal, "b": fails}
    board = run_tournament([BOARD], "ab", tmp_path, named=names, **given)
    assert [(one["agents"], one["played"], one["matches"]) for one in board.missing] == [
        (["a", "b"], 0, 3),
        (["b", "a"], 0, 3),
    ]
    assert board.to_dict()["missing"] == board.missing
    names["b"] = first_legal
    less = run_tournament([BOARD], "ab", tmp_path, named=names, **{**given, "matches": 1})
    assert [one["played"] for one in less.missing] == [1, 1]  # of the three that were asked for
    assert run_tournament([BOARD], "ab", tmp_path, named=names, **given).missing == []


def test_forfeits_are_counted_apart(tmp_path):
    names = {"mute": lambda turn: "..."}
    board = run_tournament([BOARD], ["mute"], tmp_path, matches=5, named=names, progress=False)
    assert board.count_outcomes("mute") == {"win": 0, "draw": 0, "loss": 0, "forfeit": 10}
    assert board.count_outcomes("random") == {"win": 10, "draw": 0, "loss": 0, "forfeit": 0}
    assert board.ratings[-1].agent == "mute"
    apart = build_leaderboard(tmp_path, "random", forfeits="leave-out")
    assert [one.points for one in apart.ratings] == pytest.approx([0, 0])
    assert apart.count_outcomes("mute")["forfeit"] == 10


def test_three_seats(tmp_path):
    board = run_tournament(
        ["game:LiarsDice-v0"],
        ["a"],
        tmp_path / "two",
        matches=2,
        progress=False,
        named={"a": lambda turn: turn.legal[0]},
    )
    assert board.matches == 2 * 6  # aab, abb, each in three ways
    pool = {
        name: (lambda turn, n=n: turn.legal[turn.seed % len(turn.legal)])
        for n, name in enumerate("abc")
    }
    board = run_tournament(
        ["game:LiarsDice-v0"],
        "abc",
        tmp_path / "three",
        matches=2,
        anchors=(),
        named=pool,
        progress=False,
    )
    assert board.matches == 2 * 6
    assert sum(board.count_outcomes(one)["win"] for one in "abc") == 12
    turned = run_tournament(
        ["game:LiarsDice-v0"],
        "abc",
        tmp_path / "turned",
        matches=2,
        anchors=(),
        named=pool,
        seating="rotate",
        progress=False,
    )
    assert turned.matches == 2 * 3


def test_swiss(tmp_path):
    names = {
        "one": SearchAgent(depth=1),
        "two": SearchAgent(depth=2),
        "old": "random",
        "other": "random",
        "fifth": "random",
    }
    given = {"matches": 2, "schedule": "swiss", "anchors": (), "named": names, "progress": False}
    board = run_tournament([BOARD], list(names), tmp_path, **given)
    assert board.matches == 3 * 2 * 2 * 2  # rounds, pairs, seatings, starts; one agent rests
    met = (board.wins + board.wins.T + board.draws > 0).sum() // 2
    assert met >= 5  # they seldom meet again
    before = contents(tmp_path)
    assert run_tournament([BOARD], list(names), tmp_path, **given).to_dict() == board.to_dict()
    assert contents(tmp_path) == before
    full = run_tournament([BOARD], [], tmp_path, **{**given, "schedule": "round-robin"})
    assert full.matches == 10 * 2 * 2
    with pytest.raises(BadTournament, match="cannot fill the 3 seats"):
        run_tournament(["game:LiarsDice-v0"], ["one", "two"], tmp_path / "x", **given)


def test_the_command(tmp_path, capsys):
    picture = tmp_path / "table.png"
    words = ["tournament", BOARD, KUHN, "--agents", "search:depth=1", "--matches", 2]
    out = ["--out", tmp_path / "t"]
    assert command(*words, *out, "--picture", picture) == 1  # search is not for secrets
    printed = capsys.readouterr()
    assert "4 failed" in printed.out
    words.remove(KUHN)
    out = ["--out", tmp_path / "u"]
    assert command(*words, *out, "--picture", picture) == 0
    printed = capsys.readouterr()
    assert "took from the column" in printed.out
    assert printed.err.count("2 of 2\n") == 2
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert command(*words, *out, "--json") == 0
    assert json.loads(capsys.readouterr().out)["matches"] == 4
    for wrong, said in (
        (["game:Wordle-v0"], "one seat"),
        ([BOARD, "--matches", "0"], "--matches: '0'"),
        ([BOARD, "--agents", "nobody"], "no agent 'nobody'"),
        ([BOARD], "random is alone; name another agent, or it once more: again=random"),
        ([BOARD, "--anchors", "none"], "nobody is alone; name another agent\n"),
        ([BOARD, "--agents", "random,random"], "random is named twice; it meets itself under"),
        ([BOARD, "--agents", "x=random"], "x is a seat, and everybody plays in every seat"),
        ([BOARD, "--agents", "my=nobody"], "no agent 'nobody'"),
        ([BOARD, "--agents", "search", "--picture", "a.gif"], "ends in .png"),
    ):
        assert command("tournament", *wrong, "--out", tmp_path / "x") == 2
        error = capsys.readouterr().err
        assert said in error
        assert len(error.splitlines()) == 1


def test_what_skills_need_is_missed_before_anything_is_played(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "openskill.models", None)
    with pytest.raises(ImportError, match=r"gem-ma\[evaluation\]"):
        run_tournament(["game:TicTacToe-v0"], ["search"], tmp_path / "cup", matches=1, skills=True)
    assert not (tmp_path / "cup").exists()
