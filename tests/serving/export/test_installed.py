"""Exported packages, each installed in an environment of its own and played by its library.

Seen with verifiers 0.4.0 and openenv 0.10.0 on 2026-11-29.
"""

import importlib.util
import json
import os
import shutil
import socket
import subprocess
import sys
import sysconfig
import time
import urllib.request
from pathlib import Path

import packs
import pytest

packs.need("serving")

from gem_ma.serving.export.projects import write_project

pytestmark = pytest.mark.slow


def find_uv():
    """Return the program uv, of the environment of the tests or of the system."""
    own = Path(sys.executable).parent / "uv"
    found = str(own) if own.exists() else shutil.which("uv")
    if found is None:
        pytest.skip("pip install uv: it installs the packages")
    return found


def install(project, folder):
    """Install a package in an environment that has, of all else, what the tests have."""
    pytest.importorskip("hatchling", reason="pip install hatchling")
    uv = find_uv()
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    python = folder / "bin" / "python"
    where = sysconfig.get_path("purelib", vars={"base": str(folder), "platbase": str(folder)})
    parent = sysconfig.get_path("purelib")
    Path(where, "of_the_tests.pth").write_text(f"import site; site.addsitedir({parent!r})\n")
    line = [
        uv,
        "pip",
        "install",
        "-q",
        "--python",
        str(python),
        "--no-deps",
        "--no-build-isolation",
    ]
    subprocess.run([*line, str(project)], check=True, timeout=300)
    shutil.rmtree(project)  # what is imported below is what was installed
    return python


def without_path():
    """Return the environment without a path to the repository, whose `renderers` hides another."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}


def run_in(python, *words, **env):
    """Return what a program of the environment writes."""
    path = (
        f"{python.parent}{os.pathsep}{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    )
    done = subprocess.run(
        [str(python), *words],
        cwd=python.parent,
        capture_output=True,
        text=True,
        timeout=300,
        env={**without_path(), "PATH": path, "GEM_MA_TOKEN": "", **env},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


VERIFIERS = """
import asyncio, json, sys
from itertools import islice

import kuhn
import verifiers.v1 as vf
from verifiers.v1.clients import ModelContext

seat = {"runtime": {"type": "subprocess"}}
env = kuhn.load_environment(first=seat, second=seat)
client = vf.EvalClientConfig(base_url=sys.argv[1], api_key_var="GEM_MA_TEST_KEY")

async def play():
    async with env.serving():
        context = ModelContext("m", client)
        return [await env.run_episode(task, context) for task in islice(env.taskset, 2)]

for episode in asyncio.run(play()):
    assert episode.ok, (episode.errors, [trace.errors for trace in episode.traces])
    print(json.dumps({trace.agent.name: trace.reward for trace in episode.traces}))
"""


def test_verifiers_plays_its_package(tmp_path):
    if importlib.util.find_spec("verifiers") is None:
        pytest.skip("pip install verifiers==0.4.0 uv")
    from stub_server import StubServer

    import gem_ma

    project = write_project("game:KuhnPoker-v0", "verifiers", tmp_path / "kuhn")
    readme = (project / "README.md").read_text().splitlines()
    _, *words = next(line for line in readme if line.startswith("    vf-eval ")).split()
    python = install(project, tmp_path / "env")
    with StubServer(lambda body, attempt: "bet") as server:
        out = run_in(python, "-c", VERIFIERS, server.url, GEM_MA_TEST_KEY="none")
        played = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
        words[words.index("--client.base-url") + 1] = server.url
        words[words.index("-n") + 1] = "1"
        program = "from verifiers.v1.cli.eval.main import main; main()"
        run_in(python, "-c", program, *words, "--no-rich", OPENAI_API_KEY="none")
    (results,) = python.parent.rglob("traces.jsonl")
    expected = []
    for seed in range(2):  # verifiers' tasks are seeds
        env = gem_ma.make("game:KuhnPoker-v0")
        env.reset(seed=seed)
        while env.to_act:
            env.step("bet")
        expected.append(env.game_state.returns())
    assert played == expected
    assert '"game"' in results.read_text()  # the reward, in what vf-eval has written


OPENENV = """
import json, sys

from four_env import FourAction, FourEnv
from openenv import AutoAction, AutoEnv

assert AutoEnv.get_env_class("four") is FourEnv
with FourEnv(base_url=sys.argv[1]).sync() as env:
    result = env.reset(seed=0)
    first, done = result.observation.text, result.done
    while not result.done:
        legal = result.observation.infos["red"]["legal_actions"]
        result = env.step(FourAction(text=legal[0]))
    print(json.dumps([first, done, result.reward, env.state().step_count]))
"""


def test_openenv_plays_its_package(tmp_path):
    pytest.importorskip("openenv", reason="pip install 'gem-ma[openenv]'")
    import gem_ma

    project = write_project(
        "game:ConnectFour-v0", "openenv", tmp_path / "four_env", seat="red", others="search:depth=2"
    )
    static = run_in(
        Path(sys.executable),
        *("-m", "openenv.cli", "validate", str(project), "--level", "static", "--skip-build"),
        "--json",
    )
    assert json.loads(static[static.index("{") :])["verdict"] == "pass"
    from openenv.cli._cli_utils import validate_env_structure  # what `openenv push` asks for

    assert validate_env_structure(project) == ["Recommended directory missing: outputs/"]
    python = install(project, tmp_path / "env")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    server = subprocess.Popen(  # the command of the container
        [str(python.parent / "server"), "--host", "127.0.0.1", "--port", str(port)],
        cwd=tmp_path,
        env={**without_path(), "GEM_MA_TOKEN": ""},
    )
    try:
        wait_for(f"{url}/health", server)
        home = str(tmp_path)
        out = run_in(python, "-c", OPENENV, url, XDG_CACHE_HOME=home).splitlines()[-1]
        first, done, reward, steps = json.loads(out)
        report = run_in(python, "-m", "openenv.cli", "validate", "--url", url, "--json")
        assert json.loads(report)["summary"]["required_passed_count"] == 6
    finally:
        server.terminate()
        server.wait(20)
    env = gem_ma.make_gym("game:ConnectFour-v0", agent="red", others="search:depth=2")
    _, info = env.reset(seed=0)
    moves, ended = 0, False
    while not ended:
        _, earned, terminated, truncated, info = env.step(info["legal_actions"][0])
        moves, ended = moves + 1, terminated or truncated
    assert first.startswith("You are playing Connect Four as red")
    assert (done, reward, steps) == (False, earned, moves)


NEMO_GYM = """
import asyncio, json, sys
from pathlib import Path
from unittest.mock import MagicMock

from fastapi.testclient import TestClient
from nemo_gym.base_resources_server import BaseResourcesServerConfig
from nemo_gym.config_types import ModelServerRef, ResourcesServerRef
from nemo_gym.server_utils import ServerClient
from responses_api_agents.gymnasium_agent import app as agents

sys.path.insert(0, "resources_servers/four")
import app

where = {"host": "", "port": 0, "entrypoint": "", "name": "four"}
config = BaseResourcesServerConfig(**where)
server = app.FourEnv(config=config, server_client=MagicMock(spec=ServerClient))
agent = agents.GymnasiumAgent(
    config=agents.GymnasiumAgentConfig(
        **where,
        resources_server=ResourcesServerRef(type="resources_servers", name="four"),
        model_server=ModelServerRef(type="responses_api_models", name="model"),
        max_steps=200,
    ),
    server_client=MagicMock(spec=ServerClient),
)
seen = []

class Answer:
    ok, status, cookies = True, 200, {}

    def __init__(self, body):
        self.body = body

    async def read(self):
        return self.body

def say(text):
    part = {"annotations": [], "text": text, "type": "output_text"}
    message = {"id": "m", "content": [part], "role": "assistant", "type": "message"}
    message["status"] = "completed"
    return {
        "id": "r", "created_at": 0.0, "model": "m", "object": "response", "output": [message],
        "parallel_tool_calls": True, "tool_choice": "auto", "tools": [],
    }

async def post(server_name, url_path, json=None, cookies=None):
    if server_name == "model":  # it tries the columns in turn, full ones too
        seen.append(json.input[-1].content)
        return Answer(_json.dumps(say(str((len(seen) - 1) % 7))).encode())
    http.cookies = dict(cookies or {})
    answer = http.post(url_path, json=json)
    assert answer.status_code == 200, answer.text
    answered = Answer(answer.content)
    answered.cookies = dict(answer.cookies) or cookies
    return answered

_json = json
agent.server_client.post = post
row = json.loads(Path("resources_servers/four/data/example.jsonl").read_text().splitlines()[0])
request = MagicMock(cookies={})
with TestClient(server.setup_webserver()) as http:
    run = asyncio.run(agent.run(request, agents.GymnasiumAgentRunRequest.model_validate(row)))
print("PLAYED" + json.dumps([seen[0], len(seen), run.reward, run.terminated, run.truncated]))
"""


def test_nemo_gym_plays_its_package(tmp_path):
    """Seen with nemo-gym 0.4.0 on 2026-11-29: its agent, its server, a model in their place."""
    if importlib.util.find_spec("nemo_gym") is None:
        pytest.skip("pip install nemo-gym==0.4.0 httpx, on Python 3.12 or newer")
    import gem_ma

    more = {"seat": "red", "others": "search:depth=2"}
    top = write_project("game:ConnectFour-v0", "nemo-gym", tmp_path / "four", **more)
    gym = str(Path(sys.executable).parent / "gym")
    config = "resources_servers/four/configs/four.yaml"
    line = [gym, "env", "validate", "--config", config]
    done = subprocess.run(line, cwd=top, capture_output=True, text=True, timeout=300)
    assert "Config is valid" in done.stdout, done.stderr
    line = [sys.executable, "-c", NEMO_GYM]
    done = subprocess.run(
        line, cwd=top, capture_output=True, text=True, timeout=300, env=without_path()
    )
    assert done.returncode == 0, done.stderr
    played = json.loads(done.stdout.partition("PLAYED")[2])
    env = gem_ma.make_gym("game:ConnectFour-v0", agent="red", others="search:depth=2")
    first, _ = env.reset(seed=0)
    turns, total, ended = 0, 0.0, False
    while not ended:
        _, reward, terminated, truncated, _ = env.step(str(turns % 7))
        turns, total, ended = turns + 1, total + reward, terminated or truncated
    assert played == [first, turns, total, terminated, truncated]


def wait_for(url, process):
    """Wait until a server answers."""
    deadline = time.monotonic() + 120
    while True:
        try:
            with urllib.request.urlopen(url, timeout=5) as answer:
                assert answer.status == 200
                return
        except OSError:
            assert process.poll() is None, "the server has ended"
            assert time.monotonic() < deadline
            time.sleep(0.2)
