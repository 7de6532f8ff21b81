"""Games of one's own: a file or a module stands wherever an id may stand."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import warm

import gem_ma
from gem_ma.cli.main import main
from gem_ma.envs.registry import UnknownEnv, UntrustedSpec

ONE = '''"""Mine: tic-tac-toe under another name."""

from gem_ma.envs.boards.tic_tac_toe import TicTacToe


class Mine{number}(TicTacToe):
    pass
'''
TWO = "\n\nclass Second{number}(Mine{number}):\n    pass\n"


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Two files, one with one game and one with two, and a package with one."""
    folder = tmp_path_factory.mktemp("games")
    (folder / "mine_one.py").write_text(ONE.format(number=1))
    (folder / "mine_two.py").write_text(ONE.format(number=2) + TWO.format(number=2))
    (folder / "mine_pack").mkdir()
    (folder / "mine_pack" / "__init__.py").write_text("")
    (folder / "mine_pack" / "three.py").write_text(ONE.format(number=3))
    return folder


@pytest.fixture(autouse=True)
def paths(monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))


def test_a_file_stands_for_its_game(files):
    env = gem_ma.make(f"{files}/mine_one.py", max_turns=4)
    assert type(env.game).__name__ == "Mine1"
    assert env.id == "mine_one.py:Mine1"
    spec = env.spec
    assert spec.entry_point == f"{files}/mine_one.py:Mine1"
    assert spec.kwargs == {"max_turns": 4}
    again = gem_ma.make(spec)
    assert (again.id, again.spec) == (env.id, spec)
    assert env.copy().spec == spec


def test_the_name_says_which(files):
    for name in ("Mine2", "Second2"):
        env = gem_ma.make(f"{files}/mine_two.py:{name}")
        assert type(env.game).__name__ == name
    with pytest.raises(UnknownEnv, match=r"several games; say which: .*mine_two.py:Mine2, "):
        gem_ma.make(f"{files}/mine_two.py")
    with pytest.raises(UnknownEnv, match="has no game 'Nix'; there is Mine1"):
        gem_ma.make(f"{files}/mine_one.py:Nix")
    with pytest.raises(UnknownEnv, match=r"nowhere.py: no such file"):
        gem_ma.make(f"{files}/nowhere.py")


def test_a_file_in_a_package_is_imported_as_part_of_it(files):
    env = gem_ma.make(f"{files}/mine_pack/three.py")
    assert type(env.game).__module__ == "mine_pack.three"


def test_a_module_stands_for_its_game(files, monkeypatch):
    monkeypatch.syspath_prepend(str(files))
    env = gem_ma.make("mine_pack.three:Mine3")
    assert env.id == env.spec.entry_point == "mine_pack.three:Mine3"
    for what in ("mine_pack.three:Nix", "mine_pack.four:Mine3", "json:JSONDecoder", "math:gcd"):
        with pytest.raises(UnknownEnv):
            gem_ma.make(what)


def test_records_say_where_it_came_from_and_run_it_only_if_trusted(files, tmp_path):
    record = tmp_path / "games.jsonl"
    what = f"{files}/mine_one.py"
    for workers in (None, 2):
        out = tmp_path / f"{workers}.jsonl"
        gem_ma.rollout(what, "random", 3, seed=1, out=out, workers=workers)
    assert (tmp_path / "None.jsonl").read_bytes().count(b"mine_one.py:Mine1") == 6
    (tmp_path / "2.jsonl").rename(record)
    first, *_ = gem_ma.load_episodes(record)
    assert first.spec.entry_point == f"{what}:Mine1"
    with pytest.raises(UntrustedSpec, match=r"would run .*mine_one.py; trust=True does so"):
        gem_ma.make(first.spec)
    assert type(gem_ma.make(first.spec, trust=True).game).__name__ == "Mine1"
    code = (
        "import sys, gem_ma\n"
        "episode, *_ = gem_ma.load_episodes(sys.argv[1])\n"
        "assert 'mine_one' not in sys.modules\n"
        "env = gem_ma.make(episode.spec, trust=True)\n"
        "episode.replay(env)\n"
        "print(type(env.game).__name__)\n"
    )
    command = [*warm.python(), "-c", code, str(record)]
    done = subprocess.run(command, capture_output=True, text=True, cwd="/", timeout=60)
    assert done.stdout == "Mine1\n", done.stderr


def test_a_program_finds_modules_of_the_folder_it_starts_in(files):
    words = ["play", "mine_pack.three:Mine3", "--seed", "0"]
    # As the script of an installed package begins, whose folder is that of the script.
    command = [sys.executable, "-P", "-m", "gem_ma.cli", *words]
    found = {**os.environ, "PYTHONPATH": str(Path(gem_ma.__file__).parents[1])}
    done = subprocess.run(command, capture_output=True, text=True, cwd=files, env=found, timeout=60)
    assert done.stdout.startswith("mine_pack.three:Mine3, seed 0"), done.stderr


def test_commands_take_it(files, tmp_path, capsys):
    what = f"{files}/mine_one.py"
    record, page = tmp_path / "a.jsonl", tmp_path / "a.html"
    assert main(["play", what, "--seed", "0"]) == 0
    assert capsys.readouterr().out.startswith("mine_one.py:Mine1, seed 0")
    assert main(["info", what]) == 0
    assert "Mine: tic-tac-toe under another name." in capsys.readouterr().out
    assert main(["render", what, "--out", str(tmp_path / "a.png")]) == 0
    assert main(["run", what, "--episodes", "2", "--seed", "1", "--out", str(record)]) == 0
    results = str(tmp_path / "results")
    assert main(["eval", what, "--agents", "random", "--tasks", "2", "--out", results]) == 0
    capsys.readouterr()
    assert main(["view", str(record), "--out", str(page)]) == 0
    assert "were not played again" in capsys.readouterr().out
    assert main(["view", str(record), "--trust", "--out", str(page)]) == 0
    assert "were not played again" not in capsys.readouterr().out
    assert main(["play", f"{files}/mine_two.py"]) == 2
    assert "several games; say which" in capsys.readouterr().err
