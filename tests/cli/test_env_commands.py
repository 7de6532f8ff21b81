"""Lists of environments on the command line: whose they are, and what they need."""

import re

import packs
import pytest

import gem_ma
from gem_ma.cli.env_info import describe_env
from gem_ma.cli.main import main
from gem_ma.envs.registry import MissingRequirement


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
    count = len(gem_ma.list_envs("rg:*"))
    assert families == packs.present([f"{count} ids: gem-ma list 'rg:*'"])


def test_lists_say_what_is_needed_and_what_is_here(capsys):
    assert main(["list", "--here", "--ids"]) == 0
    here = capsys.readouterr().out.splitlines()
    assert "game:ConnectFour-v0" in here
    assert all(not gem_ma.spec(id).list_missing() for id in here)


def list_here(capsys, pattern):
    """Return the ids that the command names as ready."""
    assert main(["list", pattern, "--here", "--ids"]) == 0
    return capsys.readouterr().out.split()


@packs.needs("tau2")
@pytest.mark.parametrize("family", ["tau", "tau2"])
def test_what_needs_data_is_here_when_they_are(capsys, monkeypatch, tmp_path, family):
    variable = f"{family.upper()}_BENCH_DATA"
    monkeypatch.setenv(variable, str(tmp_path))  # where nothing is
    without = {"tau": ["tau:shop"], "tau2": ["tau2:mock", "tau2:phone"]}[family]
    ids = gem_ma.list_envs(f"{family}:*")
    assert list_here(capsys, f"{family}:*") == without
    for id in set(ids) - set(without):
        (remedy,) = gem_ma.spec(id).list_missing()
        assert remedy.startswith(f"gem-ma data {family}-bench, or set {variable} to a folder with ")
        assert describe_env(id).missing == (remedy,)
        with pytest.raises(FileNotFoundError, match=f"{tmp_path}.* is not there; `gem-ma data"):
            gem_ma.make(id)
        file = tmp_path / remedy.rpartition(" ")[2]
        file.parent.mkdir(exist_ok=True)
        file.touch()
        assert not gem_ma.spec(id).list_missing()
    assert list_here(capsys, f"{family}:*") == ids


@packs.needs("tau2")
def test_what_is_ready_can_be_made_and_what_is_not_cannot(monkeypatch, tmp_path):
    for name in ("TAU_BENCH_DATA", "TAU2_BENCH_DATA"):
        monkeypatch.setenv(name, str(tmp_path))
    ids = [id for prefix in ("tau", "tau2", "social", "game") for id in gem_ma.list_envs(prefix)]
    first = {gem_ma.spec(id).entry_point: id for id in reversed(ids)}.values()
    talks = [id for id in ids if id.startswith("tau")]
    for id in sorted({*first, *talks}):
        if gem_ma.spec(id).list_missing():
            with pytest.raises((MissingRequirement, FileNotFoundError)):
                gem_ma.make(id)
        else:
            gem_ma.make(id).reset(seed=0)


def test_data_that_no_pack_fetches_are_missing():
    spec = gem_ma.Spec("mine:Needy", "a:b", needs=("data:nothing/at/all",))
    assert spec.list_missing() == ["no installed pack downloads nothing"]


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
