"""Lists of environments on the command line: whose they are, and what they need."""

import re

import packs

import gem_ma
from gem_ma.cli.main import main


def test_list(capsys):
    assert main(["list", "Guess", "--ids"]) == 0
    assert capsys.readouterr().out.splitlines() == gem_ma.list_envs("Guess")
    assert main(["list", "poker"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:3] == [
        "Games of cards and dice.",
        "  game:KuhnPoker-v0          2 seats  Kuhn poker: three cards, two agents, one betting "
        "round; the smallest game with secrets.",
        "  game:LeducPoker-v0         2 seats  Leduc poker: six cards, one held by each agent and "
        "one for both, two rounds of bets.",
    ]


@packs.needs("bridges")
def test_list_tells_whose_games_are_whose(capsys):
    assert main(["list", "poker"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[4].startswith("OpenSpiel's games")
    assert any(line.startswith("TextArena's games") for line in lines[5:])


def test_list_tells_each_game_once_and_each_family_in_a_line(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("TAU_BENCH_DATA", str(tmp_path))  # where nothing is
    monkeypatch.setenv("TAU2_BENCH_DATA", str(tmp_path))
    assert main(["list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Games of two on a board."
    told = [line.split()[0] for line in lines if line.startswith("  ")]
    assert len(told) == len(set(told))
    some = ["game:Werewolf-v0", "visual:Clock-v0", "tau:shop", "ta:*", "rg:*"]
    assert set(packs.present(some)) <= set(told)
    assert not [id for id in told if re.search(r"-v\d+-", id)]
    (sudoku,) = [line for line in lines if "game:Sudoku" in line]
    assert sudoku.endswith("twice. [-easy -hard -random]")
    (werewolf,) = [line for line in lines if "game:Werewolf" in line]
    assert re.match(r"  game:Werewolf-v0 +\d seats  Werewolf: ", werewolf)
    families = [line.split(maxsplit=1)[1] for line in lines if "rg:*" in line]
    assert families == packs.present(["104 ids: gem-ma list 'rg:*'"])


def test_lists_say_what_is_needed_and_what_is_here(capsys):
    assert main(["list", "--here", "--ids"]) == 0
    here = capsys.readouterr().out.splitlines()
    assert "game:ConnectFour-v0" in here
    assert all(not gem_ma.spec(id).list_missing() for id in here)


@packs.needs("bridges")
def test_what_a_library_has_needs_it(capsys):
    assert main(["list", "ta:Chess*", "--needs"]) == 0
    assert "ta:Chess-v0  textarena" in capsys.readouterr().out


def test_packs_are_listed_and_so_is_what_is_missing(capsys, monkeypatch):
    assert main(["list", "--packs"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert {line.split()[0] for line in lines} >= packs.DECLARED.keys()
    for name in packs.ABSENT:
        assert any(line.startswith(f"{name} ") and "not here: " in line for line in lines)
    if "tau2" in packs.HERE:
        (phone,) = [line for line in lines if line.startswith("tau2 ")]
        assert "gem_ma.envs.tau2" in phone
        assert phone.endswith("6 environments, 2 suites, 1 pages of documentation; uses tau")
