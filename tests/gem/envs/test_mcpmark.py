"""MCPMarkEnv by GEM's name: tasks in MCPMark's layout, over a real server of the library mcp."""

import json
import sys

import packs
import pytest

from gem_ma.gem.core import Env
from gem_ma.gem.envs.mcpmark import MCPMarkEnv

packs.need("mcp_tasks")
pytest.importorskip("mcp.server.mcpserver", reason="pip install 'gem-ma[tools]'")

from gem_ma.envs.mcp_tasks import notes_server

SERVER = [sys.executable, notes_server.__file__, "{workspace}"]
VERIFY = (
    "import os, sys\n"
    "sys.exit(not os.path.isfile(os.environ['FILESYSTEM_TEST_DIR'] + '/answer.md'))\n"
)


@pytest.fixture
def tasks(tmp_path, monkeypatch):
    for name in ("one", "two"):
        folder = tmp_path / "filesystem/standard/notes" / name
        folder.mkdir(parents=True)
        (folder / "description.md").write_text(f"Do {name}.")
        (folder / "verify.py").write_text(VERIFY)
    monkeypatch.setenv("MCPMARK_TASKS", str(tmp_path))
    monkeypatch.delenv("FILESYSTEM_TEST_ROOT", raising=False)


def test_what_is_missing_is_said(tasks, monkeypatch):
    with pytest.raises(ValueError, match="expected 'filesystem', or server= with the command"):
        MCPMarkEnv("postgres")
    with pytest.raises(ValueError, match="only='none': expected 'all'"):
        MCPMarkEnv("filesystem", "none")
    with pytest.raises(FileNotFoundError, match="filesystem/easy"):
        MCPMarkEnv("filesystem", task_suite="easy")
    env = MCPMarkEnv("filesystem", "notes/two", seed=None)
    assert isinstance(env, Env)
    assert [task.task_id for task in env.task_list] == ["two"]
    assert env.state_manager.get_service_config_for_agent() == {}
    assert [task.task_id for task in env.spawn(tasks="all").task_list] == ["one", "two"]
    monkeypatch.delenv("MCPMARK_TASKS")
    with pytest.raises(ValueError, match="set MCPMARK_TASKS to the folder tasks/"):
        MCPMarkEnv("filesystem")


@pytest.mark.slow
def test_tasks_come_in_order_and_are_verified(tasks):
    env = MCPMarkEnv("filesystem", seed=None, server=SERVER)
    assert env.task_size == 2
    seen, info = env.reset()
    assert "Do one." in seen
    assert json.loads(seen.partition("<tools>\n")[2].splitlines()[0])["type"] == "function"
    assert info["task_name"] == "notes__one"
    assert (env.current_task.category_id, env.current_task.task_id) == ("notes", "one")
    folder = env.unwrapped.state_manager.get_service_config_for_agent()["test_directory"]
    write = {"title": "answer", "text": "42"}
    seen, reward, *ends, info = env.step(json.dumps({"name": "write_note", "arguments": write}))
    assert (seen, reward, ends) == ("tool: answer is written.", 0.0, [False, False])
    with open(f"{folder}/answer.md") as file:
        assert file.read() == "42"
    _, reward, terminated, _, info = env.step("Done.")
    assert (reward, terminated, info["correct"]) == (1.0, True, True)
    seen, info = env.reset()
    assert "Do two." in seen
    _, reward, terminated, _, info = env.step("Nothing.")
    assert (reward, terminated, info["correct"]) == (0.0, True, False)
    assert "Do one." in env.reset()[0]
    assert "Do two." in env.reset(idx=1)[0]
    first = env.reset(seed=3)[1]["task_name"]
    assert env.reset(seed=3)[1]["task_name"] == first
