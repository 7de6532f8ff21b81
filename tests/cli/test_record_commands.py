"""The commands view and watch."""

import re

from evaluations.viewer_pages import FOUR, chatty

from gem_ma import rollout
from gem_ma.agents import FunctionAgent
from gem_ma.cli.main import main


def test_commands(tmp_path, capsys):
    def run(*words):
        return main([*map(str, words)])

    path, out = tmp_path / "four.jsonl", tmp_path / "page.html"
    agents = [FunctionAgent(chatty), "random"]
    rollout(FOUR, agents, 12, seed=3, observe="both", max_turns=9, out=path)
    path.write_bytes(path.read_bytes() + b"cut")
    assert run("view", path, "--out", out) == 0
    told = capsys.readouterr()
    assert re.fullmatch(rf"12 episodes and \d+ pictures in {out}, 0\.\d MB\n", told.out)
    assert told.err == "left out: four.jsonl, line 13: cut off, as when the writer was stopped\n"
    assert list(tmp_path.glob("page.html*")) == [out]
    for words in (
        ("view", tmp_path / "none", "--out", out),
        ("view", __file__, "--out", out),
        ("view", path, "--out", tmp_path),
        ("view", path, "--out", tmp_path / "no" / "page.html"),
        ("watch", "game:Nothing-v0"),
        ("watch", path, "--seat", "green"),
    ):
        assert run(*words) == 2
        told = capsys.readouterr()
        assert told.out == ""
        assert re.fullmatch(r"gem-ma: .+\n", told.err)
    assert run("view", path, "--out", out, "--spectators", "3") == 0
    assert "9 of them were not played again; the page says why" in capsys.readouterr().out
    assert run("view", path, "--out", out, "--spectators", "all", "--trust") == 0
    assert "not played again" not in capsys.readouterr().out
    assert run("watch", path, "--delay", "0", "--episode", "1", "--trust") == 0
    assert "episode 1," in capsys.readouterr().out
