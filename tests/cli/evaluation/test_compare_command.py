"""The command eval compare."""

from evaluations import BOARD, command


def test_compare_exits_with_1_if_something_is_worse(tmp_path, capsys):
    for name, agent in (("good", "search:depth=2"), ("bad", "random")):
        words = ["eval", BOARD, "--tasks", 25, "--agents", agent, "--out", tmp_path / name]
        assert command(*words) == 0
    assert command("eval", "compare", tmp_path / "good", tmp_path / "bad") == 1
    assert " worse\n" in capsys.readouterr().out
