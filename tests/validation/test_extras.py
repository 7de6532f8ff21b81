"""A module that needs what is not installed says which extra brings it."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import packs
import pytest
from needed import Later

from gem_ma.envs import registry
from gem_ma.validation.extras import require_extra

zoo = Later("gem_ma.envs.bridges.pettingzoo")

TOP = Path(__file__).parents[2]
EXTRAS = tomllib.loads((TOP / "pyproject.toml").read_text())["project"]["optional-dependencies"]
# The modules of packages that are called otherwise, and of those that come with them.
MODULES = {
    "anthropic": {"anthropic", "pydantic", "pydantic_core"},
    "google-genai": {"google", "pydantic", "pydantic_core"},
    "inspect-ai": {"inspect_ai"},
    "libzim": {"libzim"},
    "math-verify": {"math_verify"},
    "mcp": {"mcp", "mcp_types", "httpx2"},
    "minigrid": {"minigrid"},
    "miniwob": {"miniwob", "selenium"},
    "openai": {"openai", "pydantic", "pydantic_core"},
    "openenv": {"openenv", "pydantic", "pydantic_core", "fastapi", "websockets"},
    "reasoning-gym": {"reasoning_gym"},
    "transformers": {"transformers", "tokenizers"},
    "datasets": {"datasets", "pyarrow"},
    "pettingzoo[classic]": {"rlcard", "chess", "pygame"},
    "pettingzoo[butterfly]": {"pygame", "pymunk"},
    "gymnasium[toy-text,classic-control]": {"pygame"},
}
NOT_FOR_USERS = {"all", "clients", "dev", "docs", "oracles", "test"}
# Other trainers, each pinned by the adapter itself, and what only they bring.
TRAINERS = {
    *("openrlhf", "peft", "skyrl_gym", "stable_baselines3", "tinker", "tinker_cookbook", "trl"),
    *("verifiers", "verl", "nltk", "starlette"),
}
# The other side of the sandbox's socket, with the standard library and each other by bare names.
ALONE = {f"gem_ma.sandbox.{name}" for name in ("run_folders", "job_runner", "server")}

WALK = """
import importlib, json, sys
from pathlib import Path

blocked, top = set(json.loads(sys.argv[1])), Path(sys.argv[2])


class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in blocked:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


sys.meta_path.insert(0, Blocked())
told = {}
for path in sorted((top / "gem_ma").rglob("*.py")):
    parts = path.relative_to(top).with_suffix("").parts
    if parts[-1] == "__main__":
        continue
    name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    try:
        importlib.import_module(name)
        told[name] = ""
    except Exception as error:
        told[name] = f"{type(error).__name__}: {error}"
print(json.dumps(told))
"""


def brought(name):
    """Return the modules that an extra brings."""
    found = set()
    for line in EXTRAS[name]:
        package = re.match(r"[\w.-]+(\[[\w,-]+\])?", line)[0]
        found |= MODULES.get(package, {package.replace("-", "_")})
    return found


BROUGHT = {name: brought(name) for name in EXTRAS if name not in NOT_FOR_USERS}


@pytest.fixture(scope="module")
def told():
    ours = {"gymnasium", "pettingzoo", "numpy", "PIL", "rich"}  # which are no extras
    blocked = sorted(set().union(*BROUGHT.values(), TRAINERS) - ours)
    assert {"torch", "transformers", "datasets", "openai", "mcp", "textarena"} <= set(blocked)
    done = subprocess.run(
        [sys.executable, "-c", WALK, json.dumps(blocked), str(TOP)],
        cwd=TOP,
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def test_every_module_imports_or_names_the_extra_that_it_needs(told):
    assert len(told) > 250
    wrong = {}
    for name, error in told.items():
        if not error or name in ALONE or name.startswith("gem_ma.training.trainers."):
            continue
        said = re.fullmatch(r"ImportError: .* needs (.+): pip install 'gem-ma\[([\w-]+)\]'", error)
        package = said and said[1].replace("-", "_")
        if not said or not (package in BROUGHT[said[2]] or package.startswith("the package")):
            wrong[name] = error
    assert wrong == {}


@packs.needs("training")
def test_adapters_name_the_release_that_they_were_made_for(told):
    adapters = {n: e for n, e in told.items() if n.startswith("gem_ma.training.trainers.") and e}
    assert len(adapters) >= 4
    for name, error in adapters.items():
        assert re.search(r"pip install '?[\w\[\]-]+==[\d.]+", error), (name, error)


def test_what_most_people_use_needs_no_extra(told):
    names = (
        *("gem_ma", "gem_ma.gem", "gem_ma.gem.wrappers.wrapper_factory", "gem_ma.cli.main"),
        *(
            "gem_ma.agents",
            "gem_ma.agents.hf",
            "gem_ma.agents.providers.openai",
            "gem_ma.rollouts.rollout",
        ),
        *("gem_ma.evaluation", "gem_ma.tools", "gem_ma.tools.mcp", "gem_ma.training"),
    )
    for name in packs.present(names):
        assert told[name] == ""


def test_every_remedy_in_the_package_names_an_extra_that_there_is():
    found = {
        name
        for path in (TOP / "gem_ma").rglob("*.py")
        for name in re.findall(
            r"gem-ma\[([\w-]+)\]|\brequire_extra\(\"([\w-]+)\"", path.read_text()
        )
        for name in name
        if name
    }
    assert {"hf", "openai", "tools", "datasets"} <= found <= set(EXTRAS)


@packs.needs("bridges")
def test_what_environments_need_is_an_extra_that_there_is():
    ids = [*registry.list_envs(), *(f"pz:{name}" for name in ("pong_v3", "pursuit_v5"))]
    ids.append("gym:miniwob/click-test-v1")
    needs = {need for id in ids for need in registry.spec(id).needs}
    no_extra = re.compile(
        r"(key|corpus|broken|data|sandbox|command):.*|hub|network|python>=.*", re.DOTALL
    )
    extras = {need.partition(":")[0] for need in needs if not no_extra.fullmatch(need)}
    assert {"textarena", "pettingzoo", "butterfly", "minigrid", "miniwob"} <= extras <= set(EXTRAS)
    own = {one for one in zoo._FAMILIES.values() if one.startswith("gem-ma[")}
    assert {one.removeprefix("gem-ma[").rstrip("]") for one in own} <= set(EXTRAS)


def test_what_excludes_each_other_is_said():
    assert "mcp>=2.3" in EXTRAS["tools"]
    assert not any("openenv" in line for line in EXTRAS["all"])
    said = " ".join((TOP / "docs" / "start.md").read_text().split())
    assert "`openenv` and `tools` exclude each other" in said


def test_the_error_keeps_the_module_and_its_cause():
    with (
        pytest.raises(
            ImportError, match=r"^Mine needs nothing_at_all: pip install 'gem-ma\[hf\]'$"
        ) as caught,
        require_extra("hf", "Mine"),
    ):
        import nothing_at_all.below  # noqa: F401
    assert caught.value.name == "nothing_at_all"
    assert isinstance(caught.value.__cause__, ModuleNotFoundError)
    with require_extra("hf"):
        pass
