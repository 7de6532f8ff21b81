"""Wrong words on the command line: one line that says what is wrong, and exit code 2."""

import contextlib
import os
import re
import shlex
import signal
from pathlib import Path

import pytest
from lines import WRONG

from gem_ma.cli.main import main


@pytest.fixture
def places(tmp_path):
    """Give what stands in WRONG for a folder, a file in it, and a folder nobody can write to."""
    (tmp_path / "file.txt").write_text("nothing of use")
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o500)
    if os.access(closed, os.W_OK):  # whoever runs this may write anywhere but there
        closed = Path("/sys")
    return {"FOLDER": tmp_path, "FILE": tmp_path / "file.txt", "CLOSED": closed}


@contextlib.contextmanager
def ends_within(seconds):
    """Stop a command that goes on, as if nothing were wrong."""

    def stop(*_):
        raise AssertionError(f"it went on for {seconds} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize(("line", "words"), WRONG)
def test_wrong_input_is_one_line_and_exit_code_2(line, words, places, capsys, monkeypatch):
    monkeypatch.chdir(places["FOLDER"])
    for name, path in places.items():
        line, words = line.replace(name, str(path)), words.replace(name, str(path))
    if str(places["CLOSED"]) in line and os.access(places["CLOSED"], os.F_OK) is False:
        pytest.skip("there is no folder that cannot be written to: run it as another user")
    with ends_within(60):
        assert main(shlex.split(line)) == 2
    error = capsys.readouterr().err
    remedy = re.search(r"pip install 'gem-ma\[[\w-]+\]'", error)
    if remedy and words not in error:
        pytest.skip(remedy[0])
    assert error.startswith("gem-ma: ")
    assert error.count("\n") == 1
    assert words in error
    assert {path.name for path in places["FOLDER"].iterdir()} <= {"file.txt", "closed"}


def test_every_command_has_an_example(capsys):
    with pytest.raises(SystemExit):
        main(["--help"])
    commands = {line.split()[0] for line, _ in WRONG if line} - {"dance", "rum"}
    listed = capsys.readouterr().out
    for command in commands:
        assert f"\n  {command} " in listed
        with pytest.raises(SystemExit) as stop:
            main([command, "--help"])
        assert stop.value.code == 0
        out = capsys.readouterr().out
        assert "example" in out
        assert f"gem-ma {command} " in " ".join(out.partition("example")[2].split())
