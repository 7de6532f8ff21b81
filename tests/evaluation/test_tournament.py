"""Tournaments: who meets whom, what is kept, and how they go on."""

import csv
import json
import sys

import numpy as np
import pytest

from gem_ma.agents import SearchAgent
from gem_ma.chat.turn import Turn
from gem_ma.cli.main import main
from gem_ma.evaluation.run_folder import BadRunFolder
from gem_ma.evaluation.tournament import BadTournament, build_leaderboard, run_tournament
from gem_ma.rollouts.progress import RolloutProgress
from gem_ma.rollouts.records import load_episodes

KUHN, BOARD = "game:KuhnPoker-v0", "game:TicTacToe-v0"


def command(*words):
    return main([str(word) for word in words])


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
    with pytest.raises(BadRunFolder, match="the folder has seed=0, this run has seed=1; use"):
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
    with pytest.raises(BadTournament, match="got 2 agents for the 3 seats"):
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
        ([BOARD], "got only random; a tournament needs 2 agents or more, such as again=random"),
        ([BOARD, "--anchors", "none"], "got no agent; a tournament needs 2 agents or more\n"),
        ([BOARD, "--agents", "random,random"], "random is named twice; for a match against"),
        ([BOARD, "--agents", "x=random"], "x is a seat, but in a tournament every agent"),
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
