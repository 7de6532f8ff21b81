"""The page of episodes, read without a browser."""

import base64
import hashlib
import re
from dataclasses import replace

from evaluations.viewer_pages import FOUR, unpack_page

from gem_ma import save_episodes
from gem_ma.evaluation.viewer.page import write_page
from gem_ma.rollouts.episode import EpisodeFailure
from gem_ma.rollouts.records import load_episodes


def test_page_without_a_browser(episodes, tmp_path):
    out = tmp_path / "page.html"
    done = write_page(episodes, out)
    assert done[0] == 12
    assert done.unseen == 0
    assert done.damaged == []
    page = out.read_text("ascii")
    index, lines = unpack_page(page)
    assert len(index["episodes"]) == len(lines) == 12
    for row, told, episode in zip(index["episodes"], lines, load_episodes(episodes), strict=True):
        assert row["turns"] == len(told["steps"]) == len(episode.steps)
        assert row["invalid"] == sum(1 for step in episode.steps if step.invalid)
        assert row["tokens"] == 7 * sum(1 for step in episode.steps if step.agent == "red")
        assert [step["text"] for step in told["steps"]] == [step.text for step in episode.steps]
        assert told["seed"] == str(episode.seed)
        assert len(told["views"]) == len(told["steps"]) + 1
        assert told["views"][-1]["text"].count("R") >= 1
    raw = sum(file.stat().st_size for file in episodes.with_suffix(".pictures").iterdir())
    sheets = re.findall(r'id="sheet\d+">([^<]*)<', page)
    assert sum(map(len, sheets)) < raw / 10  # pictures share their squares


def test_the_list_says_how_each_episode_went(episodes, tmp_path):
    (episode, *_) = load_episodes(episodes)
    several = []
    for returns, ended, failure, outcome in (
        ({"red": 1.0, "yellow": -1.0}, "terminated", None, "red won"),
        ({"red": -1.0, "yellow": 1.0}, "terminated", None, "yellow won"),
        ({"red": 0.5, "yellow": 0.5}, "truncated", None, "+0.5 each"),
        ({"red": 1.0, "yellow": 1.0, "blue": 0.0}, "terminated", None, "red and yellow ahead"),
        ({"red": 0.0, "yellow": 0.0}, "terminated", None, "a draw"),
        ({"user": 1.0, "assistant": 1.0}, "terminated", None, "both solved it"),
        ({"red": 2.0, "yellow": 5.0}, "terminated", None, "yellow ahead"),
        ({"red": 0.0}, "terminated", None, "not solved"),
        ({"red": 0.25}, "terminated", None, "0.25 of 1"),
        ({"red": 1.0}, "truncated", None, "solved"),
        (
            {"red": 1.0, "yellow": -1.0},
            "failed",
            EpisodeFailure("red", "OSError", "gone"),
            "failed",
        ),
    ):
        agents = dict.fromkeys(returns, "random")
        told = {"returns": returns, "ended": ended, "failure": failure, "agents": agents}
        number = len(several)
        one = replace(episode, number=number, seconds=1.5 + number, **told)
        row = {
            "file": "some.jsonl", "id": episode.id, "number": number, "env": FOUR,
            "agents": [[seat, "random"] for seat in returns], "returns": [*returns.values()],
            "outcome": outcome, "ended": ended, "turns": len(episode.steps),
            "tokens": 7 * sum(step.agent == "red" for step in episode.steps),
            "invalid": sum(bool(step.invalid) for step in episode.steps),
            "seconds": 1.5 + number, "block": 0, "line": number,
        }  # fmt: skip
        several.append((one, row))
    save_episodes([one for one, _ in several], tmp_path / "some.jsonl")
    write_page(tmp_path / "some.jsonl", tmp_path / "page.html", spectator=False)
    index, _ = unpack_page((tmp_path / "page.html").read_text())
    assert len({row.pop("start") for row in index["episodes"]}) == 1
    assert index["episodes"] == [row for _, row in several]


def test_a_page_may_run_its_own_script_and_nothing_else(episodes, tmp_path):
    write_page(episodes, tmp_path / "page.html", most=0)
    page = (tmp_path / "page.html").read_text()
    (policy,) = re.findall('http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    own = []
    for name in ("script", "style"):
        (inside,) = re.findall(f"<{name}>(.*?)</{name}>", page, re.S)
        digest = hashlib.sha256(inside.encode()).digest()
        own.append(f"{name}-src 'sha256-{base64.b64encode(digest).decode()}'")
    none = ["default-src 'none'", "base-uri 'none'", "form-action 'none'"]
    assert policy.split("; ") == [*none, *own]


def test_without_spectator(episodes, tmp_path):
    write_page(episodes, tmp_path / "page.html", spectator=False)
    _, lines = unpack_page((tmp_path / "page.html").read_text())
    assert {line["unseen"] for line in lines} == {"this page was written without spectators' views"}


def test_a_page_through_a_link_leaves_the_link(episodes, tmp_path):
    (tmp_path / "link.html").symlink_to(tmp_path / "page.html")
    write_page(episodes, tmp_path / "link.html", most=0)
    assert (tmp_path / "link.html").is_symlink()
    assert len(unpack_page((tmp_path / "page.html").read_text())[1]) == 12
