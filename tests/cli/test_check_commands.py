"""gem-ma check: what it says of games that keep the contract, and of games that do not."""

import sys

import packs
import pytest

import gem_ma
from gem_ma.cli.check_commands import CONTRACT_STEPS, find_experts
from gem_ma.cli.main import main
from gem_ma.cli.new import write_game
from gem_ma.testing.env_checker import EnvChecker


@pytest.fixture
def game(tmp_path):
    """Return what writes a game that begins as the template does, with one part changed."""

    def changed(old="", new=""):
        file, _ = write_game("tug_of_war", tmp_path)
        text = file.read_text()
        assert old in text
        file.write_text(text.replace(old, new))
        return str(file)

    return changed


def test_a_game_in_a_file_holds(game, capsys):
    before, modules = list(sys.path), set(sys.modules)
    file = game()
    assert main(["check", file, "--seeds", "1"]) == 0
    out = capsys.readouterr().out
    assert [line[4:] for line in out.splitlines()[:-1]] == list(CONTRACT_STEPS.values())
    assert out.endswith(f"{file} keeps the contract, tried with 1 seed\n")
    assert sys.path == before
    assert "tug_of_war" not in set(sys.modules) - modules


def test_every_step_of_the_contract_has_words():
    assert {f"check_{step}" for step in CONTRACT_STEPS if step != "pictures"} <= set(
        dir(EnvChecker)
    )


def test_an_id(capsys):
    assert main(["check", "game:Nim-v0", "--quick", "--set", "heaps=[2, 1]"]) == 0
    out = capsys.readouterr().out
    assert CONTRACT_STEPS["aec"] in out
    assert CONTRACT_STEPS["other_process"] not in out


@pytest.mark.parametrize(
    ("old", "new", "step", "words"),
    [
        (
            "return tuple(str(n) for n in range(1, min(MOST, self.left) + 1))",
            "return tuple(str(n) for n in range(1, MOST + 1))",
            "rules",
            "no end after 1000 random turns",
        ),
        (
            "return State()",
            "return State(int(__import__('numpy').random.randint(9, 99)))",
            "seeding",
            "episode",  # which of the three differs is chance
        ),
        (
            "return state.take(move)",
            "return state.take(move / 0)",
            "rules",
            "ZeroDivisionError: division by zero, in ",
        ),
        ('return {"first": 0.0, "second": 0.0}', 'return {"first": 0.0}', "rules", "returns has"),
    ],
)
def test_a_fault_is_one_paragraph(old, new, step, words, game, capsys):
    file = game(old, new)
    assert main(["check", file, "--quick"]) == 1
    captured = capsys.readouterr()
    assert captured.err.startswith("gem-ma: ")
    assert captured.err.count("\n") == 1
    assert words in captured.err
    failed = [line for line in captured.out.splitlines() if line.startswith("NO  ")]
    assert failed == [f"NO  {CONTRACT_STEPS[step]}"]


def test_two_texts_with_one_picture_are_shown(game, capsys):
    file = game(
        'self, view, agent):\n        return Grid(("o" * view.left + "." * (OBJECTS - view.left),)',
        'self, view, agent):\n        return Grid(("o" * 3,)',
    )
    assert main(["check", file, "--quick"]) == 1
    captured = capsys.readouterr()
    assert f"ok  {CONTRACT_STEPS['rendering']}" in captured.out
    assert captured.out.endswith(f"NO  {CONTRACT_STEPS['pictures']}\n")
    assert captured.err.startswith(
        "gem-ma: TugOfWar: one picture for 'Objects left: 12.' (seed 0, turn 0, a spectator) and "
        "'Objects left: "
    )
    assert captured.err.count("\n") == 1


def test_a_game_without_a_picture_holds(game):
    assert main(["check", game("    def picture(", "    def scene("), "--quick"]) == 0


def test_where_a_fault_is(game, capsys):
    file = game("return state.take(move)", "return state.take(move / 0)")
    assert main(["check", file, "--quick"]) == 1
    error = capsys.readouterr().err
    assert f"{file}, line " in error
    assert error.endswith("advance: return state.take(move / 0)\n")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("def (\n", "SyntaxError: invalid syntax, in "),
        ("import no_such_module_at_all\n", "No module named 'no_such_module_at_all'"),
        ("1 / 0\n", "line 1, <module>: 1 / 0"),
    ],
)
def test_a_file_that_cannot_be_imported(text, words, tmp_path, capsys):
    file = tmp_path / "broken_game.py"
    file.write_text(text)
    assert main(["check", str(file)]) == 1
    error = capsys.readouterr().err
    assert error.startswith(f"gem-ma: {file} cannot be imported. ")
    assert error.count("\n") == 1
    assert words in error


def test_which_game_of_a_file(tmp_path, capsys):
    file, _ = write_game("tug_of_war", tmp_path)
    file.write_text(file.read_text() + "\n\nclass Other(TugOfWar):\n    pass\n")
    assert main(["check", str(file)]) == 2
    assert f"say which: {file}:TugOfWar, {file}:Other" in capsys.readouterr().err
    assert main(["check", f"{file}:Other", "--quick"]) == 0
    assert main(["check", f"{file}:Neither"]) == 2
    assert "there is TugOfWar, Other" in capsys.readouterr().err


def test_a_file_in_a_package(tmp_path, capsys):
    package = tmp_path / "my_games_of_old"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "sizes.py").write_text("OBJECTS = 5\n")
    file, _ = write_game("tug_of_war", package)
    file.write_text(
        file.read_text().replace("OBJECTS, MOST = 12, 3", "from .sizes import OBJECTS\n\nMOST = 3")
    )
    assert main(["check", str(file), "--seeds", "1"]) == 0


def test_a_file_named_like_another_module(tmp_path, capsys):
    file, _ = write_game("tug_of_war", tmp_path)
    file = file.rename(tmp_path / "json.py")
    assert main(["check", str(file)]) == 2
    assert "another module named 'json'" in capsys.readouterr().err


def test_a_game_that_needs_arguments(game, capsys):
    change = "    agents = AGENTS\n"
    file = game(change, f"{change}\n    def __init__(self, size): ...\n")
    assert main(["check", file]) == 1
    assert "TugOfWar() cannot be made. TypeError: " in capsys.readouterr().err
    assert main(["check", file, "--set", "size=3", "--quick"]) == 0


def test_attack_says_what_each_seat_earned_beside_whom(capsys):
    arguments = ["--seeds", "1", "--max-turns", "9", "--nodes", "0"]
    assert main(["attack", "game:TicTacToe-v0", *arguments]) == 0
    lines = capsys.readouterr().out.splitlines()
    heads = [line.split() for line in lines if " beside " in line]
    assert heads == [[seat, "beside", "same", "random", "silent", "expert"] for seat in "xo"]
    rows = [line.split() for line in lines if line.startswith("  nothing ")]
    assert [row[1:] for row in rows] == [["-1", "-1", "-1", "-1"], ["1", "-1", "1", "-1"]]


@pytest.mark.parametrize(
    ("env_id", "expert"),
    [
        ("game:TicTacToe-v0", "SearchAgent"),
        ("game:Battleship-v0", None),  # a board is hidden
        ("game:RockPaperScissors-v0", None),  # both act at once
        pytest.param("social:Trust-v0", "function", marks=packs.needs("social")),
        pytest.param("visual:Clock-v0", "function", marks=packs.needs("visual")),
        pytest.param("tau:shop", "str", marks=packs.needs("tau")),
    ],
)
def test_who_shows_what_can_be_earned(env_id, expert):
    env = gem_ma.make(env_id)
    experts = find_experts(env)
    assert {type(one).__name__ for one in (experts or {}).values()} == {expert} - {None}
    assert not experts or list(experts) == env.possible_agents


def test_an_agent_that_is_named_sits_in_every_seat():
    env = gem_ma.make("game:TicTacToe-v0")
    assert find_experts(env, "random,search") == {"x": "random", "o": "search"}
