"""The command eval compare."""

import json
import re

import pytest
from evaluations import BOARD, command

THREE = ("game:TicTacToe-v0", "game:ConnectFour-v0", "game:Nim-v0")


def test_compare_exits_with_1_if_something_is_worse(tmp_path, capsys):
    for name, agent in (("good", "search:depth=2"), ("bad", "random")):
        words = ["eval", BOARD, "--tasks", 25, "--agents", agent, "--out", tmp_path / name]
        assert command(*words) == 0
    assert command("eval", "compare", tmp_path / "good", tmp_path / "bad") == 1
    assert " worse\n" in capsys.readouterr().out


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """Return two evaluations, the second worse in much, and in no number past the correction."""
    folder = tmp_path_factory.mktemp("compared")
    for name, agent in (("good", "search:depth=2"), ("bad", "random")):
        words = ["eval", *THREE, "--tasks", 8, "--agents", agent, "--out", folder / name]
        assert command(*words) == 0
    return folder / "good", folder / "bad"


def test_compare_says_last_what_is_worse_beyond_its_interval(folders, capsys):
    assert command("eval", "compare", *folders, "--json") == 1
    differences = json.loads(capsys.readouterr().out)["differences"]
    beyond = [one for one in differences if one["change"]["high"] is not None]
    beyond = [one for one in beyond if one["change"]["high"] < 0]
    assert "undecided" in {one["verdict"] for one in beyond}  # the correction shows none of them

    assert command("eval", "compare", *folders) == 1
    lines = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"better beyond its interval: (nothing|\d+ numbers?: .*)", lines[-1])
    assert lines[-2].startswith(f"worse beyond its interval: {len(beyond)} numbers: success of all")
    assert "(" in lines[-2]
    rows = [line for line in lines if line.startswith(("all  ", "game:"))]
    assert len(rows) < len(differences)
    means = [row for row in rows if row.startswith("all  ")]
    assert rows[: len(means)] == means  # what matters most comes first
    hidden = len(differences) - len(rows)
    assert f"{hidden} numbers more within the intervals, which --all shows" in lines


def test_compare_shows_all_on_demand(folders, capsys):
    assert command("eval", "compare", *folders, "--json") == 1
    differences = json.loads(capsys.readouterr().out)["differences"]
    assert command("eval", "compare", *folders, "--all") == 1
    lines = capsys.readouterr().out.splitlines()
    assert len([one for one in lines if one.startswith(("all  ", "game:"))]) == len(differences)
    assert not [one for one in lines if "which --all shows" in one]


def test_compare_of_the_same_says_that_nothing_went_anywhere(folders, capsys):
    assert command("eval", "compare", folders[0], folders[0]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-2:] == [
        "worse beyond its interval: nothing",
        "better beyond its interval: nothing",
    ]
    assert {line.split()[2] for line in lines if line.startswith("game:")} <= {"success", "return"}
