"""Who may import whom, and what importing may not do."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent / "gem_ma"
GAME = {"game", "actions"}
ALLOWED = {  # file or folder -> what it may import of the package when it is loaded or run
    "given": set(),  # which looks at arguments, for whoever imports anything
    "seeding": set(),
    "remote": set(),
    "game": set(),
    "scene": set(),
    "spaces": set(),
    "actions": {"game", "untrusted"},
    "untrusted": set(),
    "episode": {"actions", "context", "env", "game", "messages", "registry", "seeding"},
    "context": {"messages"},
    "tokens": {"actions", "messages"},
    "files": set(),
    "records": {"episode", "files", "messages", "registry", "remote"},
    "progress": {"episode"},
    "rollouts": {
        "__version__",
        "agents",
        "context",
        "env",
        "episode",
        "progress",
        "records",
        "registry",
        "remote",
        "seeding",
        "shards",
        "wrappers",
    },
    "evaluation": {
        "actions",
        "agents",
        "env",
        "episode",
        "evaluation",
        "files",
        "game",
        "later",
        "messages",
        "progress",
        "records",
        "registry",
        "remote",
        "renderers",
        "rollouts",
        "scene",
        "seeding",
        "workers",
    },
    "sandbox": {"sandbox", "untrusted"},
    "later": set(),
    "tools": {
        "actions",
        "env",
        "episode",
        "game",
        "later",
        "remote",
        "sandbox",
        "tools",
        "wrappers",
    },
    "seats": {"agents", "env", "episode"},
    "serve": {"actions", "agents", "env", "envs", "episode", "game", "registry", "views"},
    "vector": {"cluster", "env", "episode", "registry", "views", "workers"},
    "workers": set(),
    "shards": {"cluster", "episode", "rollouts", "workers"},
    "cluster": {"episode", "registry", "rollouts", "shards", "workers"},
    "training": {
        "agents",
        "env",
        "episode",
        "messages",
        "registry",
        "remote",
        "rollouts",
        "seats",
        "seeding",
        "tokens",
        "training",
        "views",
    },
    "env": {
        "actions",
        "episode",
        "game",
        "messages",
        "registry",
        "renderers",
        "scene",
        "seats",
        "seeding",
        "spaces",
        "views",
    },
    "views": {"env", "episode", "agents"},
    "wrappers": {"actions", "env", "spaces"},
    "registry": {"env", "game", "views"},
    "gem": {"env", "registry", "views", "wrappers"},
    "testing": {"actions", "env", "game", "registry", "renderers", "scene", "seeding"},
    "messages": {"actions"},
    "info": {"actions", "env", "game", "registry"},
    "check": {"env", "game", "testing"},
    "new": set(),
    "completion": {"evaluation", "registry"},
    "commands": {"check", "completion", "env", "evaluation", "info", "new", "registry"},
    "cli": {
        "__version__",
        "commands",
        "completion",
        "evaluation",
        "registry",
        "remote",
        "serve",
        "agents",
        "env",
        "envs",
        "episode",
        "renderers",
        "rollouts",
    },
    "envs": {"game", "scene", "actions", "remote", "sandbox", "envs", "untrusted"},
    "agents": {"episode", "messages", "agents", "actions", "remote", "seeding", "tokens"},
    "renderers": {"scene", "renderers"},
}
FILES = [path for path in sorted(ROOT.rglob("*.py")) if path != ROOT / "__init__.py"]


def imported(path):
    for node in ast.walk(ast.parse(path.read_text())):
        names = []
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names = [node.module]
            if node.module == "gem_ma":
                names = [f"gem_ma.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        for name in names:
            if name.split(".")[0] == "gem_ma":
                yield name.split(".")[1]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_one_way(path):
    part = path.relative_to(ROOT).parts[0].removesuffix(".py")
    found = set(imported(path))
    if ALLOWED[part]:
        found.discard("given")
    if path == ROOT / "envs" / "__init__.py":
        assert found == {"registry"}  # the list of games is the one place that registers
    elif part == "envs" and "def specs(" in path.read_text():
        assert found <= {*ALLOWED[part], "registry"}  # a family lists its own
    else:
        assert found <= ALLOWED[part], f"{path} imports {found - ALLOWED[part]}"


@pytest.mark.parametrize("path", sorted((ROOT / "envs").glob("*.py")), ids=lambda path: path.name)
def test_a_game_draws_no_picture_and_no_global_number(path):
    tree = ast.parse(path.read_text())
    names = {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
    }
    assert not names & {"random", "PIL", "re"}
    assert ast.get_docstring(tree)


def test_importing_loads_no_game_and_does_nothing():
    code = (
        "import logging, random, sys, threading\n"
        "state = random.getstate()\n"
        "import gem_ma\n"
        "heavy = {'torch', 'transformers', 'datasets', 'textarena', 'reasoning_gym', 'PIL'}\n"
        "print(sorted(heavy & set(sys.modules)),\n"
        "      sorted(m for m in sys.modules if m.startswith('gem_ma.envs.')),\n"
        "      logging.getLogger().handlers, state == random.getstate(), threading.active_count())"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    register = ["gem_ma.envs.games", "gem_ma.envs.registry"]
    assert run.stdout == f"[] {register} [] True 1\n"
    assert run.stderr == ""


def test_the_links_at_the_top_lead_into_the_package():
    for name in ("envs", "agents", "renderers"):
        link = ROOT.parent / name
        assert link.is_symlink()
        assert link.resolve() == ROOT / name
