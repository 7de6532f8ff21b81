"""gem-ma new: what it writes passes every check as it is."""

import os
import shutil
import subprocess
import sys

import pytest
import warm
from playable import unless

from gem_ma.cli.main import main
from gem_ma.cli.new import PLAYER_KINDS, InvalidName, write_game, write_pack


@pytest.mark.parametrize("players", [unless(one == "two", one) for one in PLAYER_KINDS])
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
@pytest.mark.parametrize("players", PLAYER_KINDS)
def test_what_it_writes_is_clean(players, tmp_path):
    write_game("tug_of_war", tmp_path, players)
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
        ("class", "'class' is a keyword of Python; choose another name, such as class_game"),
        ("tug__of", "expected a name"),
        ("\u00e4pfel", "expected a name"),
        ("numpy", "is the name of a Python module"),
    ],
)
def test_names(name, words, tmp_path):
    with pytest.raises(InvalidName, match=words):
        write_game(name, tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.fixture(
    scope="module", params=[unless(kind == PLAYER_KINDS[0], kind) for kind in PLAYER_KINDS]
)
def pack(request, tmp_path_factory):
    """A pack as `gem-ma new pack` writes it, installed as pip would, and how to run there."""
    top = write_pack("card_tricks", tmp_path_factory.mktemp("packs"), request.param)
    about = top / "card_tricks-0.1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: card-tricks\nVersion: 0.1.0\n")
    (about / "entry_points.txt").write_text("[gem_ma.packs]\ncard_tricks = card_tricks.pack\n")
    paths = os.pathsep.join([str(top), *filter(None, [os.environ.get("PYTHONPATH")])])

    def run(*words):
        done = subprocess.run(
            [sys.executable, "-W", "error", *words],
            cwd=top,
            env={**os.environ, "PYTHONPATH": paths},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    run.seats = 1 if request.param == "one" else 2
    return run


@pytest.mark.slow
def test_a_new_pack_is_listed_played_and_evaluated(pack):
    gem = ("-m", "gem_ma.cli")
    assert "card_tricks:CardTricks-v0" in pack(*gem, "list", "card_tricks", "--ids")
    assert "card_tricks  card_tricks" in pack(*gem, "list", "--packs")
    agents = ",".join(["card_tricks-first"] * pack.seats)
    play = ("play", "card_tricks:CardTricks-v0", "--agents", agents, "--seed", "1")
    assert "card_tricks:CardTricks-v0, seed 1" in pack(*gem, *play)
    told = pack(*gem, "eval", "--suite", "card_tricks", "--agents", "random", "--out", "results")
    assert "card_tricks:CardTricks-v0" in told
    assert pack(*gem, "card_tricks", "--seed", "3").startswith("{")


@pytest.mark.slow
def test_a_new_pack_passes_its_own_tests(pack):
    assert "5 passed" in pack("-m", "pytest", "-q", "-p", "no:cacheprovider")


def test_a_new_pack_may_be_imported_before_gem_ma(pack):
    told = pack("-c", "import card_tricks.pack, gem_ma; print(gem_ma.list_envs('card_tricks:*'))")
    assert "card_tricks:CardTricks-v0" in told


def test_a_pack_is_written_nowhere_over(tmp_path, capsys):
    assert main(["new", "pack", "card_tricks", "--dir", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert f"pip install -e {tmp_path / 'card_tricks'}\n" in out
    texts = [file.read_text() for file in tmp_path.rglob("*") if file.is_file()]
    assert len(texts) == 9
    assert not any("ew_pack" in text or "new-pack" in text or "ew game" in text for text in texts)
    assert main(["new", "pack", "card_tricks", "--dir", str(tmp_path)]) == 2
    assert "exists already; choose another NAME or --dir" in capsys.readouterr().err
    assert main(["new", "pack", "--dir", str(tmp_path)]) == 0  # a game that is called pack
    assert (tmp_path / "pack.py").is_file()


@pytest.mark.skipif(shutil.which("ruff") is None, reason="pip install 'gem-ma[dev]', on the PATH")
@pytest.mark.parametrize("players", PLAYER_KINDS)
def test_a_new_pack_is_clean(players, tmp_path):
    top = write_pack("card_tricks", tmp_path, players)
    for words in (["check", "--isolated"], ["format", "--isolated", "--check"]):
        run = subprocess.run(["ruff", *words, "."], cwd=top, capture_output=True, check=False)
        assert run.returncode == 0, run.stdout
