"""Wrong words on the command line: one line that says what is wrong, and exit code 2."""

import os
import shlex
from pathlib import Path

import pytest

from gem_ma.cli.main import main

# What is wrong, and a word of the line that says so; FOLDER, FILE and CLOSED are there.
C4, KUHN = "game:ConnectFour-v0", "game:KuhnPoker-v0"
WRONG = [
    ("", "COMMAND"),
    ("dance", "invalid choice"),
    ("list zzzzz", "no id matches 'zzzzz'"),
    ("info", "id"),
    ("info game:Conect-v0", "did you mean 'game:ConnectFour-v0'?"),
    (f"info {C4} --picture a.jpg", "ends in .png"),
    (f"info {C4} --picture FOLDER/no/a.png", "No such file"),
    (f"info {C4} --picture CLOSED/a.png", "CLOSED/a.png"),
    ("play game:Conect-v0", "no environment"),
    ("play gym:CartPole-v99", "did you mean"),
    (f"play {C4} --agents randm", "did you mean 'random'"),
    (f"play {C4} --agents a,b,c", "got 3 agents"),
    (f"play {C4} --agents search:depth=x", "search:depth=x"),
    (f"play {C4} --agents search:dpth=3", "dpth"),
    (f"play {C4} --agents openai:m@nowhere", "expected a URL"),
    (f"play {KUHN} --agents search", "perfect information"),
    ("play game:Bargaining-v0 --agents oracle-assistant", "has no tasks"),
    (f"play {C4} --seed one", "--seed"),
    ("play game:Maze-v0 --set size", "NAME=VALUE"),
    ("play game:Maze-v0 --set size=0", "size=0"),
    ("play game:Maze-v0 --set size=large", "gem-ma: "),
    ("play game:Maze-v0 --set sixe=4", "did you mean 'size'?"),
    ("play math:Data", "needs data=...; see --set"),
    ("play math:Data --set data=FILE.none", "FILE.none"),
    (f"run {C4} --episodes -1", "--episodes"),
    (f"run {C4} --concurrency 0", "--concurrency"),
    (f"run {C4} --step-timeout -1 --workers 1", "--step-timeout"),
    (f"run {C4} --max-errors -1", "--max-errors"),
    (f"run {C4} --workers -1", "workers"),
    (f"run {C4} --context turns", "context"),
    (f"run {C4} --observe smell", "smell"),
    (f"run {C4} --out FOLDER", "FOLDER"),
    (f"run {C4} --out FOLDER/no/a.jsonl", "no folder"),
    (f"run {C4} --out CLOSED/a.jsonl", "CLOSED/a.jsonl"),
    (f"render {C4}", "--out"),
    (f"render {C4} --out FOLDER/a.jpg", ".png or .gif"),
    (f"render {C4} --out FOLDER/a.png --moves -1", "--moves"),
    (f"render {C4} --out FOLDER/a.png --size 0x9", "--size"),
    (f"render {C4} --out FOLDER/a.png --size 1x1", "do not fit"),
    (f"render {C4} --out FOLDER/a.png --size 999999x999999", "--size"),
    (f"render {C4} --out FOLDER/a.png --theme drak", "did you mean 'dark'"),
    (f"render {C4} --out FOLDER/a.png --agent nobody", "no seat 'nobody'"),
    (f"render {C4} --out CLOSED/a.png", "CLOSED/a.png"),
    ("serve game:Nope-v0", "gem-ma: "),
    (f"serve {C4} --port -1", "--port"),
    (f"serve {C4} --port 99999", "--port"),
    ("data nope", "tau-bench"),
    ("data tau-bench --from FOLDER/no --into FOLDER/x", "FOLDER/no"),
    ("data tau-bench --from FILE --into FOLDER/x", "FILE"),
    ("eval", "--suite"),
    ("eval --suite nope --agents random --out FOLDER/o", "no suite 'nope'"),
    ("eval --suite FOLDER --agents random --out FOLDER/o", "FOLDER"),
    (f"eval {C4} --out FOLDER/o", "--agents"),
    (f"eval {C4} --agents random", "--out"),
    (f"eval {C4} --agents nobody --out FOLDER/o", "no agent 'nobody'"),
    (f"eval {C4} --agents random --out FILE", "FILE"),
    (f"eval {C4} --agents random --out CLOSED/o", "CLOSED"),
    (f"eval {C4} --agents random --out FOLDER/o --tasks -1", "tasks=-1"),
    (f"eval {C4} --agents random --out FOLDER/o --price x", "--price"),
    ("eval compare FOLDER FOLDER", "holds no evaluation"),
    ("tournament", "--out"),
    ("tournament game:Nope --out FOLDER/t", "no environment"),
    ("tournament game:Maze-v0 --out FOLDER/t", "one seat"),
    (f"tournament {C4} --out FOLDER/t --anchors none", "nobody"),
    (f"tournament {C4} --agents nobody --out FOLDER/t", "no agent 'nobody'"),
    (f"tournament {C4} --agents search --out FILE", "FILE"),
    (f"tournament {C4} --agents search --out FOLDER/t --matches -1", "matches=-1"),
    (f"tournament {C4} --agents search --out FOLDER/t --schedule swiss --rounds -1", "rounds=-1"),
    (
        f"tournament {C4} --agents search --out FOLDER/t --picture FOLDER/no/a.png",
        "FOLDER/no/a.png",
    ),
    ("exploit", "--agent"),
    ("exploit game:Nope --agent random", "no environment"),
    (f"exploit {KUHN} --agent nobody", "no agent 'nobody'"),
    (f"exploit {KUHN} --agent random --samples -1", "samples=-1"),
    ("view FOLDER/no --out FOLDER/p.html", "FOLDER/no"),
    ("view FILE --out FOLDER/p.html", "no file of episodes"),
    ("view FILE --out FOLDER", "--out FOLDER"),
    ("watch game:Nope", "no environment"),
    ("watch FOLDER", "a file of episodes"),
    ("watch FILE", "no file of episodes"),
    (f"watch {C4} --delay -1", "--delay"),
    (f"watch {C4} --seat nobody", "--seat nobody"),
    (f"watch {C4} --agents human", "human"),
    (f"watch {C4} --image-size 999999x999999", "--image-size"),
    (f"watch {C4} --theme drak", "did you mean 'dark'"),
    (f"watch {KUHN} --agents search --delay 0", "perfect information"),
    ("check game:Conect-v0", "did you mean"),
    ("check FOLDER", "is a folder"),
    ("check FILE", "ends in .py"),
    ("check FOLDER/no.py", "no such file"),
    (f"check {C4} --seeds 0", "--seeds"),
    ("check game:Maze-v0 --set size=0", "size=0"),
    ("new 'Tug of war'", "such as tug_of_war"),
    ("new class", "take another, such as class_game"),
    ("new random", "Python module"),
    ("new okay --players seven", "seven"),
    ("new okay --dir FILE", "FILE"),
    ("new okay --dir CLOSED", "CLOSED"),
    ("completion tcsh", "tcsh"),
    ("plot", "KIND"),
    ("plot tokens FOLDER/no --out FOLDER/a.png", "FOLDER/no"),
]


@pytest.fixture
def places(tmp_path):
    """Give what stands in WRONG for a folder, a file in it, and a folder nobody can write to."""
    (tmp_path / "file.txt").write_text("nothing of use")
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o500)
    if os.access(closed, os.W_OK):  # whoever runs this may write anywhere but there
        closed = Path("/sys")
    return {"FOLDER": tmp_path, "FILE": tmp_path / "file.txt", "CLOSED": closed}


@pytest.mark.parametrize(("line", "words"), WRONG)
def test_wrong_input_is_one_line_and_exit_code_2(line, words, places, capsys, monkeypatch):
    monkeypatch.chdir(places["FOLDER"])
    for name, path in places.items():
        line, words = line.replace(name, str(path)), words.replace(name, str(path))
    if str(places["CLOSED"]) in line and os.access(places["CLOSED"], os.F_OK) is False:
        pytest.skip("there is no folder that cannot be written to: run it as another user")
    assert main(shlex.split(line)) == 2
    error = capsys.readouterr().err
    assert error.startswith("gem-ma: ")
    assert error.count("\n") == 1
    assert words in error
    assert {path.name for path in places["FOLDER"].iterdir()} <= {"file.txt", "closed"}


def test_every_command_has_an_example(capsys):
    with pytest.raises(SystemExit):
        main(["--help"])
    commands = {line.split()[0] for line, _ in WRONG if line} - {"dance"}
    listed = capsys.readouterr().out
    for command in commands:
        assert f"\n    {command}" in listed
        with pytest.raises(SystemExit) as stop:
            main([command, "--help"])
        assert stop.value.code == 0
        out = capsys.readouterr().out
        assert "example" in out
        assert f"gem-ma {command} " in " ".join(out.partition("example")[2].split())
