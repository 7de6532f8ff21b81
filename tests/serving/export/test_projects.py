"""Packages for the hubs of verifiers, OpenEnv and NeMo Gym, without these libraries."""

import ast
import tomllib

import packs
import pytest

packs.need("serving")

from gem_ma.cli.main import main
from gem_ma.engine.match import SeatError
from gem_ma.serving.export.projects import HUBS, InvalidProject, write_project

FILES = {
    "nemo-gym": """
        resources_servers/four/app.py resources_servers/four/configs/four.yaml
        resources_servers/four/data/example.jsonl resources_servers/four/requirements.txt
        resources_servers/four/README.md
    """,
    "openenv": """
        openenv.yaml pyproject.toml README.md .dockerignore __init__.py client.py
        server/__init__.py server/app.py server/Dockerfile
    """,
    "verifiers": "pyproject.toml README.md four/__init__.py",
}


@pytest.mark.parametrize("to", HUBS)
def test_every_file_is_valid(to, tmp_path):
    arguments = {"max_turns": 9, "penalty": 0.5, "observe": "text"}
    if to != "nemo-gym":
        arguments |= {"observe": "both", "image_size": (56, 56)}
    top = write_project(
        "game:ConnectFour-v0",
        to,
        tmp_path / "four",
        seat="red",
        others="search:depth=2",
        **arguments,
    )
    files = [one for one in top.rglob("*") if one.is_file()]
    assert sorted(str(one.relative_to(top)) for one in files) == sorted(FILES[to].split())
    assert not [one for one in files if "{{" in one.read_text(encoding="utf-8")]
    calls = {}
    for file in files:
        if file.suffix == ".py":
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call):
                    calls[ast.unparse(node.func)] = node
    calling = {"openenv": "make_app", "nemo-gym": "gem_ma.make_gym", "verifiers": "make_env_class"}
    made = calls[calling[to]]
    assert ast.literal_eval(made.args[0]) == "game:ConnectFour-v0"
    written = {one.arg: one.value for one in made.keywords}
    written.pop("token", None)
    written = {name: ast.literal_eval(value) for name, value in written.items()}
    played = {
        "openenv": {"seat": "red", "others": "search:depth=2"},
        "verifiers": {"others": {"yellow": "search:depth=2"}},
        "nemo-gym": {"agent": "red", "others": {"yellow": "search:depth=2"}},
    }
    assert written == {**arguments, **played[to]}
    if to == "nemo-gym":
        needed = (top / "resources_servers" / "four" / "requirements.txt").read_text().split()
        assert [one.partition(">")[0] for one in needed] == ["gem-ma", "nemo-gym"]
        return
    project = tomllib.loads((top / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["name"] == {"openenv": "openenv-four", "verifiers": "four"}[to]
    assert [one.partition(">")[0] for one in project["dependencies"]] == {
        "openenv": ["gem-ma[openenv]", "openenv"],
        "verifiers": ["gem-ma", "verifiers"],
    }[to]


def test_the_extras_of_an_environment_are_dependencies(tmp_path, monkeypatch):
    from gem_ma.envs import registry

    monkeypatch.setattr(registry, "find_remedy", lambda need: "")
    spec = registry.spec("game:KuhnPoker-v0")
    needs = "data:x/y", "key:KEY", "python>=3.12", "games:chess", "tools"
    monkeypatch.setattr(
        registry, "spec", lambda _: type(spec)(spec.id, spec.entry_point, {}, needs)
    )
    top = write_project("game:KuhnPoker-v0", "openenv", tmp_path / "kuhn")
    assert "gem-ma[games,openenv,tools]>=" in (top / "pyproject.toml").read_text()


@pytest.mark.parametrize(
    ("id", "name", "more", "words"),
    [
        ("game:KuhnPoker-v0", "Kuhn", {}, "small letters"),
        ("game:KuhnPoker-v0", "class", {}, "small letters"),
        ("game:KuhnPoker-v0", "numpy", {}, "such as numpy_env"),
        ("game:KuhnPoker-v0", "there", {}, "exists already"),
        ("mine.py:Mine", "mine_env", {}, "gem-ma new pack NAME"),
        ("game:KuhnPoker-v0", "kuhn", {"theme": object()}, "theme"),
    ],
)
def test_what_cannot_be_a_package(id, name, more, words, tmp_path):
    (tmp_path / "there").mkdir()
    with pytest.raises(ValueError, match=words):
        write_project(id, "verifiers", tmp_path / name, **more)
    assert [one.name for one in tmp_path.iterdir()] == ["there"]


def test_an_argument_that_is_no_literal(tmp_path):
    class Odd(str):
        def __repr__(self):
            return "odd()"

    with pytest.raises(InvalidProject, match="expected a text, a number"):
        write_project("game:KuhnPoker-v0", "openenv", tmp_path / "kuhn", observe=Odd("text"))


@pytest.mark.parametrize("more", [{}, {"seat": "red", "observe": "image"}])
def test_nemo_gym_plays_one_seat_by_text(more, tmp_path):
    with pytest.raises(InvalidProject, match="plays one seat, by text: name one of red, yellow"):
        write_project("game:ConnectFour-v0", "nemo-gym", tmp_path / "four", **more)
    assert write_project("game:GuessTheNumber-v0", "nemo-gym", tmp_path / "guess").is_dir()


def test_seats_and_agents_are_checked(tmp_path):
    with pytest.raises(SeatError, match="no seat 'blue'"):
        write_project("game:ConnectFour-v0", "openenv", tmp_path / "four", seat="blue")
    with pytest.raises(ValueError, match="no agent 'nobody'"):
        write_project(
            "game:ConnectFour-v0", "openenv", tmp_path / "four", seat="red", others="nobody"
        )


def test_the_command(tmp_path, capsys):
    out = str(tmp_path / "kuhn_env")
    assert main(["export", "game:KuhnPoker-v0", "--to", "verifiers", "--out", out]) == 0
    assert f"{out}/README.md says how to install" in capsys.readouterr().out
    assert (tmp_path / "kuhn_env" / "kuhn_env" / "__init__.py").exists()
