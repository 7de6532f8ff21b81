"""GEM's scripts: the names they import do here what they do in GEM, and their README's steps run.

GEM itself is asked where it is installed, or where GEM_TESTS names a clone of it.
"""

import ast
import http.server
import importlib
import importlib.util
import json
import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import gem_probe
import packs
import pytest

from gem_ma import gem
from gem_ma.gem.tools.python_code_tool import PythonCodeTool
from gem_ma.gem.tools.search_tool import SearchTool
from gem_ma.gem.tools.tool_env_wrapper import ToolEnvWrapper
from gem_ma.gem.utils.constants import TERMINAL_STATE
from gem_ma.gem.wrappers.wrapper_factory import WRAPPER_FACTORY, get_wrapper_fns

CLONE = os.environ.get("GEM_TESTS", "")
REMEDY = "git clone https://github.com/axon-rl/gem, and set GEM_TESTS to where it is"
SUMS = [{"problem": f"{n} + {n}?", "answer": str(2 * n)} for n in range(1, 6)]


class Retriever(http.server.BaseHTTPRequestHandler):
    """Finds as many passages as it is asked for, in GEM's messages."""

    def do_POST(self):
        import msgspec

        asked = msgspec.msgpack.decode(self.rfile.read(int(self.headers["Content-Length"])))
        rows = [
            {"document": {"contents": f'"Title {n}"\n{asked["query"]}\nline {n}'}, "score": 1.0}
            for n in range(asked["topk"])
        ]
        self.send_response(200)
        self.end_headers()
        self.wfile.write(msgspec.msgpack.encode({"result": rows}))

    def log_message(self, *_):
        pass


@pytest.fixture
def url(monkeypatch):
    pytest.importorskip("msgspec", reason="pip install 'gem-ma[tools]'")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Retriever) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}).start()
        yield f"http://127.0.0.1:{server.server_port}/retrieve"
        server.shutdown()


@pytest.fixture
def ours(url, monkeypatch):
    monkeypatch.setenv("SEARCH_URL", "")
    return gem_probe.probe("gem_ma.gem", url)


def test_gem_itself_does_the_same(ours, url, tmp_path):
    if not CLONE:  # the release lacks arguments that the clone has
        pytest.skip(REMEDY)
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    done = subprocess.run(
        [sys.executable, gem_probe.__file__, "gem", url],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PATH": path, "PYTHONPATH": CLONE},
    )
    if "ModuleNotFoundError" in done.stderr:
        pytest.skip(f"{REMEDY}; pip install msgspec requests regex reasoning-gym")
    assert done.returncode == 0, done.stderr
    theirs = json.loads(done.stdout.splitlines()[-1])
    for part, told in theirs.items():
        if isinstance(told, dict):
            for name, one in told.items():
                assert ours[part][name] == one, (part, name)
        assert ours[part] == told, part


def test_answers_are_found_as_in_gem(ours):
    found = {
        name: dict(zip(gem_probe.TEXTS, row, strict=True)) for name, row in ours["parsing"].items()
    }
    boxed = found["extract_last_boxed_answer"]
    assert {text: answer for text, answer in boxed.items() if answer is not None} == {
        r"\boxed{3}": "3",
        r"\boxed{1} and \boxed{2}": "2",
        r"\boxed{\frac{1}{2}} said": r"\frac{1}{2}",
        r"\boxed{}": "",
        r"\boxed{a\}b}": "a\\",
        r"\boxed{x} }": "x",
    }
    assert found["last_boxed_only_string"][r"\fbox{4}"] == r"\fbox{4}"
    code = found["extract_code_from_model"]
    assert [one for one in code.values() if one is not None] == ["print(1)", "b"]
    tagged = found["extract_last_tagged_answer"]
    assert [one for one in tagged.values() if one is not None] == ["2", "1<answer>2", "one"]
    assert ours["constants"] == [TERMINAL_STATE]


def test_wrappers_do_as_in_gem(ours):
    told = ours["wrappers"]
    assert told["names"] == list(WRAPPER_FACTORY)
    heard = "begun with 637\nheard ython> and then more\nheard er('aab')['a'])\n```\n!"
    assert told["concat"][0][2][0] == heard
    names = "python_tool_no_int_reward_last_line_error,concat_chat,episode_tracking"
    rows = told[names][0]
    assert rows[1][0] == (
        "<user>begun with 637\nTOOLS"
        "<assistant><think>hm</think> <python>print(6 * 7)</python>"
        "<tool>Code execution result: 42\n\n<assistant>"
    )
    assert rows[2][0].endswith("<tool>Code execution result: 4.0 2\n\n<assistant>")
    error = "<tool>Code execution result: ZeroDivisionError: division by zero\n<assistant>"
    assert rows[3][0].endswith(error)
    assert rows[4][4]["parsed_action"] == "```python\nprint('first')\n```"
    assert rows[6][4] == {
        "suffix": "!",
        "use_tool": False,
        "tool_use_counter": 4,
        "tool_success_counter": 3,
        "step_counter": 6,
        "cumulative_rewards": 1.0,
    }
    assert told[names][1][1]["prev_ep_cumulative_rewards"] == 1.0
    assert told["python_tool"] == [0.05, 0.25, 5]
    assert told["{'tool_execute_error_reward': -1.0}"][0][1] == -1.0
    assert told["history"][-1] == "heard two\nthree\nheard three\n!"


def test_the_search_tool_does_as_in_gem(ours):
    found, three, none, silent = ours["search"]
    asks = "<think>?</think><search> a lake </search>"
    passages = 'Doc 1(Title: "Title 0") a lake\nline 0\nDoc 2(Title: "Title 1") a lake\nline 1\n'
    assert found == [True, False, passages, asks]
    assert three[2].count("Doc ") == 3
    assert none == [False, True, "", ""]
    assert silent == ["True", "True", "[SearchTool Error:", asks[:18]]


def test_several_agents_do_as_in_gem(ours):
    told = ours["agents"]
    assert told[0] == [{a: f"{a} of 3" for a in "abc"}, {a: {} for a in "abc"}]
    steps = [row for row in told if isinstance(row, list) and row and isinstance(row[0], list)]
    assert [row[0] for row in steps[4:8]] == [["a"], ["b"], ["c"], ["a"]]
    assert told.count("ValueError") >= 10
    assert [row[0] for row in told[-8:]] == ["b", ["a"], "c", ["a"], "a", [], None, []]


@packs.needs("tasks")
def test_the_python_tool_of_gems_getting_started(monkeypatch):
    datasets = pytest.importorskip("datasets", reason="pip install 'gem-ma[datasets]'")
    pytest.importorskip("math_verify", reason="pip install 'gem-ma[math]'")
    monkeypatch.setattr(
        datasets, "load_dataset", lambda *_, **__: {"train": datasets.Dataset.from_list(SUMS)}
    )
    env = gem.make("math:GSM8K")
    tool = PythonCodeTool()
    wrapped = ToolEnvWrapper(env, tools=[tool])
    wrapped = WRAPPER_FACTORY["concat_chat"](wrapped, tokenizer=gem_probe.Chat())
    seen, info = wrapped.reset()
    assert re.search(r"\d \+ \d\?", seen)
    assert "<python>" in seen
    assert seen.endswith("<assistant>")
    reply = "<think>I compare.</think><python>print('9.9 > 9.11?', 9.9 > 9.11)</python>"
    seen, reward, terminated, truncated, info = wrapped.step(reply)
    assert seen.endswith(f"{reply}<tool>Code execution result: 9.9 > 9.11? True\n\n<assistant>")
    assert (reward, terminated, truncated, info["tool_success_counter"]) == (0, False, False, 1)
    asked = int(re.search(r"(\d) \+ ", wrapped.reset()[0])[1])
    assert wrapped.step(f"\\boxed{{{2 * asked}}}")[1:4] == (1.0, True, False)
    wrapped.close()


def test_the_search_tool_of_gems_getting_started(url):
    env = gem.make("game:GuessTheNumber-v0", max_turns=2)
    tool = SearchTool(search_url=url, topk=2)
    wrapped = ToolEnvWrapper(env, tools=[tool], max_tool_uses=1)
    wrapped = WRAPPER_FACTORY["concat_chat"](wrapped, tokenizer=gem_probe.Chat())
    wrapped.reset()
    ask = "<think>I look it up.</think><search>Python list comprehension examples</search>"
    seen, reward, terminated, truncated, info = wrapped.step(ask)
    assert 'Doc 2(Title: "Title 1") Python list comprehension examples\nline 1\n' in seen
    assert (reward, terminated, truncated, info["tool_use_counter"]) == (0, False, False, 1)
    assert not wrapped.step(ask)[4]["use_tool"]  # it was the last, so this is a guess


def test_the_loop_of_gems_readme_prints_and_ends(capsys):
    gem.print_envs()
    assert "game:GuessTheNumber-v0" in capsys.readouterr().out
    env = gem.make("game:GuessTheNumber-v0")
    assert isinstance(env, gem.Env)
    seen, _ = env.reset()
    while True:
        action = env.sample_random_action()
        after, _, terminated, truncated, _ = env.step(action)
        assert after != seen
        seen = after
        if terminated or truncated:
            break


@packs.needs("tasks")
def test_what_tinkers_examples_ask_of_environments():
    first = gem.make("math:Data", data=SUMS, seed=1732300000123456789, use_mp=False)
    second = gem.make("math:Data", data=None, dataset=first.dataset, seed=0, use_mp=False)
    assert first.seed == 1732300000123456789
    assert len(second.dataset) == len(SUMS)
    assert not hasattr(gem.make("game:GuessTheNumber-v0", dataset=None), "dataset")
    pool = [first.spawn(seed=first.seed + n + 1) for n in range(3)]
    assert len({env.seed for env in pool}) == 3
    seen, _ = pool[0].reset()
    same = [pool[0].spawn(same_state=True) for _ in range(4)]
    steps = [env.step("0") for env in same]
    assert all(row[1:4] == (0.0, True, False) for row in steps)
    assert pool[0].step(str(2 * int(re.search(r"(\d) \+", seen)[1])))[1] in (0.0, 1.0)


def test_a_state_is_kept_and_brought_back():
    env = gem.make("game:TicTacToe-v0", agent="o", others="search", seed=3)
    env.reset()
    kept, free = env.get_state(), env.sample_random_action()
    first = env.step(free)
    other = env.spawn(same_state=True)
    env.set_state(kept)
    assert env.step(free)[:4] == first[:4]
    move = env.sample_random_action()
    assert env.step(move)[:4] == other.step(move)[:4]
    with pytest.raises(ValueError, match=r"needs an environment of gem\.make"):
        gem.SingleSeatEnv(env.env, agent="o", others="random").spawn()


@packs.needs("tasks")
def test_what_openrlhfs_example_asks_of_an_environment():
    env = gem.make("game:GuessTheNumber-v0", seed=1732300000123456789)
    assert env.max_turns == 20
    assert gem.make("game:Sokoban-v0-easy", max_turns=3).max_turns == 3
    assert gem.make("math:Data", data=SUMS).max_turns is None


def test_what_makes_no_sense_is_said():
    env = gem.make("game:GuessTheNumber-v0")
    for call, problem in (
        (
            lambda: get_wrapper_fns("concat,nonsense"),
            "no wrapper 'nonsense'; there are python_tool",
        ),
        (lambda: WRAPPER_FACTORY["concat_chat"](env), "a chat template needs tokenizer="),
        (lambda: PythonCodeTool(sandbox_type="docker"), "expected 'none' or 'bwrap'"),
        (lambda: ToolEnvWrapper(env, [], tool_execute_error_reward=1), "expected 0 or less"),
        (
            lambda: ToolEnvWrapper(env, [], tool_reward=1, tool_execute_error_reward=-1),
            "tool_execute_error_reward=-1 needs tool_reward=0",
        ),
        (lambda: SearchTool().execute_action("<search>a</search>"), "needs search_url="),
    ):
        with pytest.raises((ValueError, KeyError), match=re.escape(problem)):
            call()


def imports(source):
    """Yield the names that a script imports of gem, or asks of the module, with their line."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "gem":
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)
        elif isinstance(node, ast.Import):
            names = [a.name for a in node.names if a.name.split(".")[0] == "gem"]
            yield from ((node.lineno, name) for name in names)
        elif isinstance(node, ast.Attribute) and ast.unparse(node.value) == "gem":
            yield node.lineno, f"gem.{node.attr}"


def resolves(name):
    """Return whether `gem_ma.` with this name can be imported, or is in what can be."""
    module, _, last = f"gem_ma.{name}".rpartition(".")
    try:
        return hasattr(importlib.import_module(module), last) or bool(
            importlib.util.find_spec(f"{module}.{last}")
        )
    except ModuleNotFoundError:
        return False


def blocks(text):
    return re.findall(r"^```python *\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


@pytest.mark.second_source
@pytest.mark.skipif(not CLONE, reason=REMEDY)
def test_every_name_that_gems_examples_import_is_here():
    root, found = Path(CLONE), []
    scripts = [(path, path.read_text()) for path in sorted(root.glob("examples/**/*.py"))]
    for page in sorted(root.glob("*.md")):
        scripts += [(page, block) for block in blocks(page.read_text())]
    for path, source in scripts:
        found += [(f"{path.relative_to(root)}:{line}", name) for line, name in imports(source)]
        for entry in re.findall(r"['\"](gem(?:\.\w+)+)[:'\"]", source):
            found.append((str(path.relative_to(root)), entry))
    assert len(found) > 60
    assert [(where, name) for where, name in found if not resolves(name)] == []


def test_what_the_examples_of_gem_0_1_0_import_is_here():
    for name in (
        *("gem.Env", "gem.make", "gem.make_vec", "gem.print_envs", "gem.core.Env"),
        *("gem.envs.registration.register", "gem.envs.multiagent.MultiAgentEnv"),
        "gem.envs.multiagent.multi_agent_env.AgentSelector",
        *("gem.envs.math_env.MathEnv", "gem.utils.constants.TERMINAL_STATE"),
        *("gem.tools.python_code_tool.PythonCodeTool", "gem.tools.search_tool.SearchTool"),
        "gem.tools.tool_env_wrapper.ToolEnvWrapper",
        *("gem.utils.parsing.extract_last_boxed_answer",),
        *("gem.wrappers.wrapper_factory.get_wrapper_fns",),
        *("gem.wrappers.wrapper_factory.WRAPPER_FACTORY",),
    ):
        assert resolves(name), name
    assert not resolves("gem.nothing.at.all")
