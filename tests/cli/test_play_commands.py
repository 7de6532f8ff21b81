"""Playing and drawing on the command line: matches, people in seats, pictures."""

import pytest
from PIL import Image
from playable import EVERY_ID

from gem_ma.cli.main import main


def test_agents_are_named_by_seat_or_in_order(capsys):
    for words in (
        ["--agents", "o=search:depth=1"],
        ["--agents", "random,search:depth=1"],
        ["--agents", "random", "--agents", "o=search:depth=1"],
    ):
        assert main(["play", "game:TicTacToe-v0", "--seed", "3", *words]) == 0
    first, second, third = capsys.readouterr().out.split("game:TicTacToe-v0, seed 3")[1:]
    assert first == second == third
    for command in ("play", "run"):
        assert main([command, "game:TicTacToe-v0", "--agents", "y=random"]) == 2
        assert "--agents y=random: no seat 'y'; the seats are x, o" in capsys.readouterr().err


def test_play_prints_the_match_and_the_returns(capsys):
    assert main(["play", "game:ConnectFour-v0", "--agents", "random,random", "--seed", "0"]) == 0
    first = capsys.readouterr().out
    assert first.startswith("game:ConnectFour-v0, seed 0\n\n1. red: ")
    assert "0 1 2 3 4 5 6" in first
    assert first.rstrip().splitlines()[-1].startswith("returns: red ")
    main(["play", "game:ConnectFour-v0", "--seed", "0"])
    assert capsys.readouterr().out == first
    main(["play", "game:ConnectFour-v0", "--seed", "1"])
    assert capsys.readouterr().out != first


@pytest.mark.parametrize("id", EVERY_ID)
def test_every_id_can_be_played(id, capsys):
    assert main(["play", id, "--seed", "1"]) == 0
    assert "returns: " in capsys.readouterr().out


def test_a_person_takes_a_seat(capsys, monkeypatch):
    lines = iter(["nonsense", "4", "0", "2", "8", "6", "7", "3", "5", "1"] * 3)
    prompts = []

    def typed(prompt):
        prompts.append(prompt)
        return next(lines)

    monkeypatch.setattr("builtins.input", typed)
    assert main(["play", "game:TicTacToe-v0", "--agents", "human,random", "--seed", "0"]) == 0
    out = capsys.readouterr().out
    assert out.count("You are playing Tic-tac-toe as x") == 1
    assert "Invalid: 'nonsense' is not a legal move. Legal: 0, 1, 2" in out
    assert set(prompts) == {"x> "}


def test_a_person_sees_no_secrets_before_the_end(capsys, monkeypatch):
    seen = []

    def typed(prompt):
        seen.append(capsys.readouterr().out)
        return "bet"

    monkeypatch.setattr("builtins.input", typed)
    words = ["play", "game:KuhnPoker-v0", "--agents", "human,random", "--seed", "0"]
    assert main(words) == 0
    assert "second ?" in "".join(seen)
    assert "second K" not in "".join(seen)
    assert "second K" in capsys.readouterr().out


def test_a_person_who_leaves(capsys, monkeypatch):
    def gone(prompt):
        raise EOFError

    monkeypatch.setattr("builtins.input", gone)
    assert main(["play", "game:TicTacToe-v0", "--agents", "human,random"]) == 130


def test_render_writes_a_picture_or_a_match(tmp_path):
    image, match = tmp_path / "board.png", tmp_path / "match.gif"
    common = ["render", "game:ConnectFour-v0", "--moves", "5", "--seed", "2", "--theme", "dark"]
    assert main([*common, "--size", "280x252", "--out", str(image)]) == 0
    with Image.open(image) as file:
        assert file.size == (280, 252)
    assert main([*common, "--out", str(match)]) == 0
    with Image.open(match) as file:
        assert file.n_frames == 6
    drawn = []
    for theme in ("-5", "5"):
        assert main([*common[:-1], theme, "--out", str(image)]) == 0
        drawn.append(image.read_bytes())
    assert drawn[0] != drawn[1]
    for theme in ("--5", "x5"):
        assert main([*common[:-2], f"--theme={theme}", "--out", str(image)]) == 2
    secret, whole = tmp_path / "secret.png", tmp_path / "whole.png"
    assert main(["render", "game:KuhnPoker-v0", "--seat", "first", "--out", str(secret)]) == 0
    assert main(["render", "game:KuhnPoker-v0", "--out", str(whole)]) == 0
    assert secret.read_bytes() != whole.read_bytes()
