"""GEM's own tests, from a clone that GEM_TESTS names, with our `make` and `make_vec` in GEM.

And once more with their imports replaced, so that nothing of GEM is left: these reach our own time
server and search server, and a data set and a tokenizer of the Hub are made here.
"""

import ast
import json
import os
import re
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import gem_names
import pytest

CLONE = os.environ.get("GEM_TESTS", "")

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
import asyncio, importlib, importlib.util, json, sys, types

name, arguments, rows = sys.argv[1:]
if importlib.util.find_spec("fire") is None:
    sys.modules["fire"] = types.ModuleType("fire")
if rows != "null":
    import datasets

    found = datasets.Dataset.from_list(json.loads(rows))
    datasets.load_dataset = lambda *_, split=None, **__: found if split else {"train": found}
from gem_probe import Chat

hub = types.ModuleType("transformers")
hub.AutoTokenizer = types.SimpleNamespace(from_pretrained=lambda name: Chat())
hub.PreTrainedTokenizerBase = type("PreTrainedTokenizerBase", (), {})  # datasets looks for it
sys.modules["transformers"] = hub
from gem_ma.gem.utils import debug

# Names that GEM itself has given up, and its tests still import.
debug.run_and_print_episode_with_random_selection = debug.run_and_print_episode
sys.modules["gem_ma.gem.multiagent"] = importlib.import_module(
    "gem_ma.gem.envs.multiagent.multi_agent_env"
)
sys.path.insert(0, ".")
done = getattr(importlib.import_module("replaced"), name)(**json.loads(arguments))
if asyncio.iscoroutine(done):
    asyncio.run(done)
assert not [name for name in sys.modules if name.partition(".")[0] == "gem"]
"""

RUN = {
    "test_env/test_game.py": {"test": "BATCH EPISODE"},
    "test_env/test_code.py": {"test_reward_code_contests": "Time cost"},
    "test_env/test_reasoning_gym.py": {"test": "Step 10"},
    "test_tool/test_python_code_tool.py": {"test_single_action": "Test 6"},
}
# Those that run where nothing is GEM's alone: what they print at the end, and their arguments.
SERVED = {
    ("test_env/test_qa.py", "test_action_sequence"): (r"Test 3 .*\n(?s:.*)Reward: 1.0", {}),
    ("test_tool/test_mcp_tool.py", "test_single_action"): (
        r"Observation: 31\n(?s:.*)------ Test 5",
        {"mcp_url": "{time}"},
    ),
    ("test_tool/test_mcp_tool.py", "test_episode"): (
        "EPISODE 4",
        {"mcp_url": "{time}", "env_name": "eval:QaOpen"},
    ),
    ("test_tool/test_search_tool.py", "test_single_action"): (
        r"Doc 1\(Title: \"France\"\)",
        {"search_url": "{search}"},
    ),
    ("test_tool/test_search_tool.py", "test_episode"): (
        "EPISODE 4",
        {"search_url": "{search}", "env_name": "eval:QaOpen"},
    ),
    ("test_tool/test_search_engine_reliability.py", "run_test"): (
        "Error Rate: 0.00%",
        {"url": "{search}", "concurrent_requests": 5, "total_requests": 50},
    ),
    ("test_tool/test_python_code_tool.py", "test_episode"): ("BATCH EPISODE 2", {}),
    ("test_multiagent/test_multiagent.py", "test_all"): ("All tests completed", {}),
}
# Files of tests for pytest, run where nothing is GEM's.
WHOLE = {"test_tool/test_time_mcp.py": 11}
NEEDS = {
    "test_env/test_code.py": ("fire", "datasets"),
    "test_env/test_qa.py": ("datasets",),
    "test_env/test_reasoning_gym.py": ("fire", "reasoning_gym"),
    "test_tool/test_mcp_tool.py": ("mcp", "dotenv", "datasets"),
    "test_tool/test_search_tool.py": ("pandas", "msgspec", "bm25s", "datasets"),
    "test_tool/test_search_engine_reliability.py": ("httpx", "msgspec", "bm25s"),
    "test_tool/test_python_code_tool.py": ("fire", "datasets", "math_verify", "pylatexenc"),
    "test_tool/test_time_mcp.py": ("mcp", "anyio"),
}
QUESTIONS = [{"question": f"What is {n} + {n}?", "answer": [str(2 * n)]} for n in range(1, 6)]
GEMS_CLASSES = "tests a class of GEM's own, whose counterpart here has tests of its own"
MODEL = "loads a model into vLLM"
SERVER = "talks to a server of Kiwix that has to be started before"
# Tests of GEM that are not run with our environments, each with the reason, which
# docs/coming-from.md tells, too.
NOT_RUN = {
    "test_env/test_code.py": {"test_llm_episode": MODEL},
    "test_env/test_fifteen.py": {"test_all": GEMS_CLASSES},
    "test_env/test_math.py": {"test_llm_episode": MODEL},
    "test_env/test_qa.py": {
        "test_e2e_llm_episode": MODEL,
        "test_transitions": "GEM's fault: it makes qa:NatualQuestions, which GEM does not have",
    },
    "test_env/test_terminal.py": {
        "test_hello_world": GEMS_CLASSES,
        "test_llm_inference": GEMS_CLASSES,
        "test_openai": GEMS_CLASSES,
    },
    "test_env/test_webshop.py": {"test": "GEM's fault: GEM has no id webshop:Webshop-test"},
    "test_env/test_wikigame.py": {
        "test": SERVER,
        "test_freenav": SERVER,
        "test_oneback": SERVER,
        "test_transition_correctness": SERVER,
    },
    "test_tool/test_mcp_tool.py": {
        "test_llm_episode": MODEL,
        "test_mcpmark_openai": "asks a model over a network, with its database of MCPMark",
        "test_multi_server": "asks private methods of GEM's MCPTool, and a server of the internet",
    },
    "test_tool/test_python_code_tool.py": {"test_llm_episode": MODEL},
    "test_tool/test_search_tool.py": {"test_llm_episode": MODEL},
}

pytestmark = [
    pytest.mark.second_source,
    pytest.mark.skipif(
        not CLONE,
        reason="git clone https://github.com/axon-rl/gem, and set GEM_TESTS to where it is",
    ),
]


def skip_without(*needs):
    for need in needs:
        pytest.importorskip(need, reason=f"pip install {need.replace('_', '-')}")


@pytest.mark.parametrize(
    ("file", "name"), [(file, name) for file, names in RUN.items() for name in names]
)
def test_gems_test_passes_with_our_environments(tmp_path, file, name):
    skip_without(*NEEDS.get(file, ("fire",)))
    module = "tests." + file.removesuffix(".py").replace("/", ".")
    done = subprocess.run(
        [sys.executable, "-c", DRIVER, CLONE, module, name],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    assert RUN[file][name] in done.stdout


def run_replaced(folder, file, name, arguments, rows=None, timeout=300):
    """Run a function of a script of GEM whose imports are replaced; return what it prints."""
    gem_names.replace_imports(Path(CLONE, file), folder / "replaced.py")
    texts = [json.dumps(value) for value in (arguments, rows)]
    done = subprocess.run(
        [sys.executable, "-c", REPLACED, name, *texts],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=timeout,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path]),
            "NO_PROXY": "127.0.0.1",
        },
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    ("file", "name"), [(file, name) for file, names in RUN.items() for name in names]
)
def test_gems_test_passes_where_nothing_is_gems(tmp_path, file, name):
    skip_without(*(need for need in NEEDS.get(file, ()) if need not in ("fire", "pylatexenc")))
    assert RUN[file][name] in run_replaced(tmp_path, f"tests/{file}", name, {})


def wait_for(port):
    end = time.monotonic() + 120
    while time.monotonic() < end:
        try:
            return socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.1)
    raise TimeoutError(port)


@pytest.fixture(scope="module")
def addresses():
    """Return the addresses of our time server and of a search server over three texts."""
    skip_without("mcp", "bm25s", "msgspec")
    from gem_ma.tools import SearchIndex
    from gem_ma.tools.retriever_server import RetrieverServer

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "gem_ma.gem.tools.mcp_server.time_mcp", "--port", str(port)]
    texts = [
        {"title": "France", "text": "Paris is the capital of France."},
        {"title": "Lists", "text": "Python list comprehension examples."},
        {"title": "Queries", "text": "The first query and the second query of a test."},
    ]
    clock = subprocess.Popen([*command, "--log-level", "WARNING"])
    try:
        with RetrieverServer(SearchIndex.build(texts)) as search:
            threading.Thread(target=search.serve_forever).start()
            wait_for(port)
            yield {
                "{time}": f"http://127.0.0.1:{port}/time-mcp",
                "{search}": f"http://127.0.0.1:{search.server_port}/retrieve",
            }
            search.shutdown()
    finally:
        clock.terminate()
        clock.wait(10)


@pytest.mark.parametrize(("file", "name"), SERVED)
def test_gems_test_passes_with_our_servers(tmp_path, addresses, file, name):
    skip_without(*(one for one in NEEDS.get(file, ()) if one not in ("fire", "pylatexenc")))
    pattern, arguments = SERVED[file, name]
    given = {key: addresses.get(value, value) for key, value in arguments.items()}
    rows = QUESTIONS if "datasets" in NEEDS.get(file, ()) else None
    printed = run_replaced(tmp_path, f"tests/{file}", name, given, rows)
    assert re.search(pattern, printed), printed
    assert not re.search(r"Error during|❌|Test .* failed", printed), printed


@pytest.mark.parametrize("file", WHOLE)
def test_gems_file_of_tests_passes(tmp_path, file):
    skip_without(*NEEDS[file])
    gem_names.replace_imports(Path(CLONE, "tests", file), tmp_path / "test_replaced.py")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "anyio", "-p", "no:cacheprovider", "-k",
         "not trio", "test_replaced.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    assert f"{WHOLE[file]} passed" in done.stdout, done.stdout


def test_gems_example_of_new_environments_runs(tmp_path):
    skip_without("datasets", "math_verify")
    folder = tmp_path / "examples"
    folder.mkdir()
    gem_names.replace_imports(
        Path(CLONE, "examples/register_new_env.py"), folder / "register_new_env.py"
    )
    rows = [{"problem": "40 + 2?", "answer": "42"}]
    printed = run_replaced(tmp_path, "examples/register_new_env.py", "demo", {}, rows)
    assert "case 1" in printed
    assert "40 + 2?" in printed
    assert "reverse the string" in printed
    assert re.findall(r" (1(?:\.0)?)$", printed, re.MULTILINE) == ["1.0", "1.0"]


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
    named |= {(file, name) for file, name in SERVED if name.startswith("test")}
    named |= {(file, name) for file, names in NOT_RUN.items() for name in names}
    for whole in (*WHOLE, "test_multiagent/test_multiagent.py"):  # whose test_all calls all
        named |= {(file, name) for file, name in found if file == whole}
    assert found == named


def test_what_is_not_run_is_told_on_the_page():
    page = gem_names.PAGE.read_text()
    part = page.partition("### Tests and examples of GEM\n")[2].partition("\n#")[0]
    told = {name for row in part.splitlines() for name in re.findall(r"`(\w+\.py)`", row)}
    assert {Path(file).name for file in NOT_RUN} <= told
