"""The files that a page is of, and what is damaged in them."""

import json
import shutil

import pytest
from evaluations.viewer_pages import unpack_page

from gem_ma.evaluation.viewer.episode_files import find_episode_files
from gem_ma.evaluation.viewer.page import write_page
from gem_ma.rollouts.records import RecordError


def test_damaged_lines_are_left_out_and_named(episodes, tmp_path):
    first, second, *_ = episodes.read_bytes().splitlines(keepends=True)
    data = json.loads(first)
    wrong = [
        b"\x00\xff junk\n",
        b'{"gem_ma": 99}\n',
        b'{"gem_ma": 1}\n',
        b"[" * 100_000 + b"\n",
        json.dumps({**data, "steps": [{"agent": 3}]}).encode() + b"\n",
        json.dumps({**data, "returns": {"red": "much"}, "steps": 5}).encode() + b"\n",
        json.dumps({**data, "agents": [1]}).encode() + b"\n",
    ]
    path = tmp_path / "four.jsonl"
    path.write_bytes(first + b"".join(wrong) + second + first[:-20])
    done = write_page(path, tmp_path / "page.html")
    assert done.episodes == 2
    assert [damage.line for damage in done.damaged] == [2, 3, 4, 5, 6, 7, 8, 10]
    assert "cut off" in str(done.damaged[-1])
    assert "format 99" in str(done.damaged[1])
    assert len(unpack_page((tmp_path / "page.html").read_text())[0]["damaged"]) == 8


def test_folders(episodes, tmp_path):
    (tmp_path / "deep" / "er").mkdir(parents=True)
    for name in ("a.jsonl", "deep/er/b.jsonl"):
        shutil.copy(episodes, tmp_path / name)
    (tmp_path / "deep" / "notes.jsonl").write_text('{"other": 1}\n')
    assert [p.name for p in find_episode_files(tmp_path)] == ["a.jsonl", "b.jsonl"]
    done = write_page(tmp_path, tmp_path / "page.html")
    assert done.episodes == 24
    index, lines = unpack_page((tmp_path / "page.html").read_text())
    assert {row["file"] for row in index["episodes"]} == {"a.jsonl", "deep/er/b.jsonl"}
    write_page(episodes, tmp_path / "page.html")
    _, whole = unpack_page((tmp_path / "page.html").read_text())
    for line, one in zip(lines, whole * 2, strict=True):  # pictures were not copied: drawn again
        assert len(line["pictures"]) == len(one["pictures"])
        assert [step["picture"] for step in line["steps"]] == [
            step["picture"] for step in one["steps"]
        ]
    write_page(tmp_path / "a.jsonl", tmp_path / "page.html", spectator=False)
    _, lines = unpack_page((tmp_path / "page.html").read_text())
    assert all(step["lost"] for step in lines[0]["steps"])
    (tmp_path / "empty").mkdir()
    with pytest.raises(RecordError, match="none of the files"):
        find_episode_files(tmp_path / "empty")
    with pytest.raises(FileNotFoundError, match="no such file"):
        find_episode_files(tmp_path / "nowhere")
    with pytest.raises(RecordError, match="no file of episodes"):
        find_episode_files(tmp_path / "deep" / "notes.jsonl")
