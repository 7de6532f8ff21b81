"""GEM's own tests, from a clone that GEM_TESTS names, with our `make` and `make_vec` in GEM.

And once more with their imports replaced, so that nothing of GEM is left.
"""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

CLONE = os.environ.get("GEM_TESTS", "")
PAGE = Path(__file__).parents[2] / "docs/coming-from.md"

# One test of GEM in a process of its own: everything but its environments stays GEM's.
DRIVER = """
import importlib, sys

clone, module, name = sys.argv[1:]
sys.path.insert(0, clone)
import gem
from gem.utils import debug

from gem_ma import gem as ours

for function in ("make", "make_vec", "print_envs", "register"):
    setattr(gem, function, getattr(ours, function))
# test_game.py imports a helper under a name that GEM has given up.
debug.run_and_print_episode_with_random_selection = debug.run_and_print_episode
getattr(importlib.import_module(module), name)()
"""

# The same where nothing is GEM's: its imports are replaced as docs/coming-from.md says.
REPLACED = """
import importlib, pathlib, re, subprocess, sys, types

clone, module, name, page = sys.argv[1:]
try:
    import fire
except ImportError:
    sys.modules["fire"] = types.ModuleType("fire")
text = pathlib.Path(page).read_text()
(command,) = re.findall(r"^sed -i -E '(.*)' [*][.]py$", text, re.MULTILINE)
source = pathlib.Path(clone, *module.split(".")).with_suffix(".py")
copy = pathlib.Path("replaced.py")
copy.write_text(source.read_text())
subprocess.run(["sed", "-i", "-E", command, str(copy)], check=True)
sys.path.insert(0, ".")
getattr(importlib.import_module("replaced"), name)()
assert not [name for name in sys.modules if name.partition(".")[0] == "gem"]
"""

RUN = {
    "test_env/test_game.py": {"test": "BATCH EPISODE"},
    "test_env/test_code.py": {"test_reward_code_contests": "Time cost"},
    "test_env/test_reasoning_gym.py": {"test": "Step 10"},
    "test_tool/test_python_code_tool.py": {"test_single_action": "Test 6"},
}
NEEDS = {
    "test_env/test_code.py": ("fire", "datasets"),
    "test_env/test_reasoning_gym.py": ("fire", "reasoning_gym"),
    "test_tool/test_python_code_tool.py": ("fire", "datasets", "math_verify", "pylatexenc"),
}
GEMS_CLASSES = "tests a class of GEM's own, whose counterpart here has tests of its own"
HUB = "loads a data set from the Hugging Face Hub"
MODEL = "loads a model into vLLM"
SERVER = "talks to a server that has to be started before"
# Tests of GEM that are not run with our environments, each with the reason.
NOT_RUN = {
    "test_env/test_code.py": {"test_llm_episode": MODEL},
    "test_env/test_fifteen.py": {"test_all": GEMS_CLASSES},
    "test_env/test_math.py": {"test_llm_episode": MODEL},
    "test_env/test_qa.py": {
        "test_action_sequence": HUB,
        "test_e2e_llm_episode": MODEL,
        "test_transitions": HUB,
    },
    "test_env/test_terminal.py": {
        "test_hello_world": GEMS_CLASSES,
        "test_llm_inference": GEMS_CLASSES,
        "test_openai": GEMS_CLASSES,
    },
    "test_env/test_webshop.py": {"test": "there is no web shop here, nor is this id in GEM"},
    "test_env/test_wikigame.py": {
        "test": SERVER,
        "test_freenav": SERVER,
        "test_oneback": SERVER,
        "test_transition_correctness": SERVER,
    },
    "test_multiagent/test_multiagent.py": "GEM's fault: there is no gem.multiagent to import",
    "test_tool/test_mcp_tool.py": SERVER,
    "test_tool/test_python_code_tool.py": {"test_episode": HUB, "test_llm_episode": MODEL},
    "test_tool/test_search_engine_reliability.py": SERVER,
    "test_tool/test_search_tool.py": SERVER,
    "test_tool/test_time_mcp.py": GEMS_CLASSES,
}

pytestmark = [
    pytest.mark.second_source,
    pytest.mark.skipif(
        not CLONE,
        reason="git clone https://github.com/axon-rl/gem, and set GEM_TESTS to where it is",
    ),
]


@pytest.mark.parametrize(
    ("file", "name"), [(file, name) for file, names in RUN.items() for name in names]
)
def test_gems_test_passes_with_our_environments(tmp_path, file, name):
    for need in NEEDS.get(file, ("fire",)):
        pytest.importorskip(need, reason=f"pip install {need.replace('_', '-')}")
    module = "tests." + file.removesuffix(".py").replace("/", ".")
    done = subprocess.run(
        [sys.executable, "-c", DRIVER, CLONE, module, name],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert RUN[file][name] in done.stdout


# Those that import a name which GEM itself has given up cannot be imported.
GIVEN_UP = {"test_env/test_game.py"}


@pytest.mark.parametrize(
    ("file", "name"),
    [(file, name) for file, names in RUN.items() if file not in GIVEN_UP for name in names],
)
def test_gems_test_passes_where_nothing_is_gems(tmp_path, file, name):
    for need in NEEDS[file]:
        if need not in ("fire", "pylatexenc"):  # of the tests' command lines, and of GEM's grader
            pytest.importorskip(need, reason=f"pip install {need.replace('_', '-')}")
    module = "tests." + file.removesuffix(".py").replace("/", ".")
    done = subprocess.run(
        [sys.executable, "-c", REPLACED, CLONE, module, name, str(PAGE)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert RUN[file][name] in done.stdout


def test_every_test_of_gem_is_run_or_named_with_a_reason():
    found = set()
    for path in Path(CLONE, "tests").rglob("test_*.py"):
        file = str(path.relative_to(Path(CLONE, "tests")))
        try:
            names = [
                node.name for node in ast.parse(path.read_text()).body if hasattr(node, "name")
            ]
        except SyntaxError:  # GEM's fault: test_fifteen.py needs Python 3.12
            names = ["test_all"]
        found |= {(file, name) for name in names if name.startswith("test")}
    named = {(file, name) for file, names in RUN.items() for name in names}
    for file, names in NOT_RUN.items():
        if isinstance(names, str):
            named |= {(found_in, name) for found_in, name in found if found_in == file}
        else:
            named |= {(file, name) for name in names}
    assert found == named
