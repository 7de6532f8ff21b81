"""gem-ma new: what it writes passes every check as it is."""

import shutil
import subprocess

import pytest
import warm

from gem_ma.cli.main import main
from gem_ma.cli.new import PLAYERS, BadName, write


@pytest.mark.parametrize("players", PLAYERS)
def test_what_it_writes_passes(players, tmp_path, capsys):
    folder = tmp_path / "games"
    assert main(["new", "tug_of_war", "--dir", str(folder), "--players", players]) == 0
    game, test = folder / "tug_of_war.py", folder / "test_tug_of_war.py"
    out = capsys.readouterr().out
    assert f"gem-ma check {game}" in out
    assert game.read_text().startswith('"""Tug of war: ')
    for file in (game, test):
        assert "TugOfWar" in file.read_text()
        assert "Fill in: " in file.read_text()
        assert "ew game" not in file.read_text()
    assert main(["check", str(game), "--quick"]) == 0
    command = [*warm.python(), "-m", "pytest", "-q", "-W", "error", "-p", "no:cacheprovider", "."]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout


@pytest.mark.skipif(shutil.which("ruff") is None, reason="pip install 'gem-ma[dev]', on the PATH")
@pytest.mark.parametrize("players", PLAYERS)
def test_what_it_writes_is_clean(players, tmp_path):
    write("tug_of_war", tmp_path, players)
    for words in (["check", "--isolated"], ["format", "--isolated", "--check"]):
        run = subprocess.run(["ruff", *words, "."], cwd=tmp_path, capture_output=True, check=False)
        assert run.returncode == 0, run.stdout


@pytest.mark.parametrize("there", ["tug_of_war.py", "test_tug_of_war.py"])
def test_no_file_is_written_over(there, tmp_path, capsys):
    (tmp_path / there).write_text("mine")
    assert main(["new", "tug_of_war", "--dir", str(tmp_path)]) == 2
    assert there in capsys.readouterr().err
    assert [file.read_text() for file in tmp_path.iterdir()] == ["mine"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("", "such as tug_of_war"),
        ("TugOfWar", "such as tug_of_war"),
        ("tic tac-toe", "such as tic_tac_toe"),
        ("../tug", "such as tug"),
        ("2048", "such as tug_of_war"),
        ("class", "'class' is a word of Python itself; take another, such as class_game"),
        ("tug__of", "expected a name"),
        ("\u00e4pfel", "expected a name"),
        ("numpy", "is a Python module already"),
    ],
)
def test_names(name, words, tmp_path):
    with pytest.raises(BadName, match=words):
        write(name, tmp_path)
    assert not list(tmp_path.iterdir())
