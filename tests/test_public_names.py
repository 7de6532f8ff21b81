"""What is public is said: the modules for users, and the names in their `__all__`."""

import ast
import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path

import packs
import pytest

ROOT = Path(__file__).parents[1]
PUBLIC = ["", ".agents", ".chat", ".cli.command_options", ".engine.action_parsing", ".evaluation"]
PUBLIC += [".evaluation.plots", ".game", ".renderers", ".rollouts", ".sandbox", ".scene"]
PUBLIC += [".scene.screen", ".scene.text_metrics", ".testing", ".tools", ".wrappers"]
PUBLIC += [f".{name}" for name in ("gem", "training") if name in packs.HERE]
FOREIGN = ("gem_ma.training.trainers", "gem_ma.evaluation.inspect_bridge", "gem_ma.gem.")
FOREIGN += ("gem_ma.rollouts.reporting",)
"""Modules that adapt another project's library, or stand where GEM has them."""
GAMES = "gem_ma.envs."  # whose files are imported by who changes a game
PAGES = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
PAGES = [page for page in PAGES if page.name != "history.md"]  # names of earlier versions
USES = re.compile(r"^ *from (gem_ma[\w.]*) import (\([^)]*\)|[^\n(#]+)", re.MULTILINE)
DIRECTIVE = re.compile(r"^::: (gem_ma[\w.]*)", re.MULTILINE)


def list_names(module: str) -> list[str]:
    """Return what a public module offers."""
    names: list[str] = importlib.import_module(module).__all__
    return names


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_is_there(name):
    module = importlib.import_module(f"gem_ma{name}")
    assert len(module.__all__) == len(set(module.__all__))
    for one in module.__all__:
        assert not one.startswith("_")
        assert find_value(module, one) is not None


def find_value(module: object, name: str) -> object:
    """Return what a name stands for, or the error where its extra is not installed."""
    try:
        return getattr(module, name)
    except ImportError as error:
        if "gem-ma[" not in str(error):
            raise
        return error


def test_there_are_at_most_300_public_names():
    names = {n for m in PUBLIC for n in list_names(f"gem_ma{m}")}  # some stand in two modules
    assert len(names) <= 300


def test_a_name_that_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError, match="nothing"):
        _ = importlib.import_module("gem_ma.rollouts").nothing


def find_imports(text: str) -> Iterator[tuple[str, str]]:
    """Find (module, name) of every import of this package in a page or a script."""
    for module, names in USES.findall(text):
        for name in names.strip("() ").replace("\n", " ").split(","):
            if name.strip():
                yield module, name.split(" as ")[0].strip()


def is_public(module: str, name: str) -> bool:
    """Tell whether a reader may import this name from this module."""
    if module.startswith(FOREIGN):
        return True
    if f"{module}.{name}".removeprefix("gem_ma") in PUBLIC:
        return True
    if module.startswith(GAMES):  # a game, as PettingZoo has its games: connect_four.env()
        return hasattr(importlib.import_module(f"{module}.{name}"), "parallel_env")
    return module.removeprefix("gem_ma") in PUBLIC and name in list_names(module)


def is_here(module: str) -> bool:
    """Tell whether a module is there; only a pack's may be missing."""
    try:
        found = importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        found = False
    assert found or packs.ABSENT, f"{module}: there is no such module"
    return found


def test_pages_import_public_names_alone():
    uses = [(page, *use) for page in PAGES for use in find_imports(page.read_text("utf-8"))]
    assert len(uses) > 50
    uses = [use for use in uses if is_here(use[1]) and use[2] not in packs.ABSENT]
    assert [use for use in uses if not is_public(*use[1:])] == []


def test_examples_import_public_names_and_games_alone():
    uses = []
    for path in (ROOT / "examples").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("gem_ma"):
                uses += [(path.name, node.module, one.name) for one in node.names]
    assert len(uses) > 50
    assert [
        use
        for use in uses
        if is_here(use[1]) and not use[1].startswith(GAMES) and not is_public(*use[1:])
    ] == []


def test_the_api_pages_show_each_public_name_once():
    shown: list[str] = []
    for page in sorted((ROOT / "docs" / "api").glob("*.md")):
        for target in DIRECTIVE.findall(page.read_text("utf-8")):
            module, _, name = target.rpartition(".")
            if target.removeprefix("gem_ma") in PUBLIC or target.startswith(FOREIGN[:1]):
                shown += (
                    [f"{target}.{one}" for one in list_names(target)] if is_here(target) else []
                )
            elif is_here(module):
                assert name in list_names(module), f"{page.name}: {target}"
                shown.append(target)
    assert len(shown) == len(set(shown))
    names = {target.rpartition(".")[2] for target in shown}
    assert {name for m in PUBLIC for name in list_names(f"gem_ma{m}")} <= names


def test_what_is_not_public_is_told_apart():
    assert not is_public("gem_ma.apis.env", "Env")
    assert not is_public("gem_ma", "no_such_name")
    assert is_public("gem_ma", "make")
    assert list(find_imports("from gem_ma.game import (\n    Game,\n    State as S,\n)")) == [
        ("gem_ma.game", "Game"),
        ("gem_ma.game", "State"),
    ]
