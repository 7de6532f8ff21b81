"""`mcp:Tasks`: tasks in MCPMark's layout (89d7967, 2025-12), over a real server of mcp 2.3."""

import json
import os
import sys
from pathlib import Path

import pytest

import gem_ma
from gem_ma.envs.mcp_tasks.task_folders import MCPTaskFolders, read_task_folders
from gem_ma.envs.mcp_tasks.verification import run_verifier

VERIFY = """
import os, sys
from pathlib import Path
folder = Path(os.environ["FILESYSTEM_TEST_DIR"])
answer = folder / "answer.md"
if not answer.is_file():
    print("there is no answer")
    sys.exit(1)
right = Path(__file__).with_name("right.txt").read_text()
sys.exit(0 if answer.read_text() == right else "the answer is wrong")
"""
SERVER = [sys.executable, str(Path(__file__).with_name("file_server.py")), "{workspace}"]


def make_task(root, category, name, verify=VERIFY, **meta):
    folder = root / category / name
    folder.mkdir(parents=True)
    (folder / "description.md").write_text(f"Do {name}.")
    (folder / "verify.py").write_text(verify)
    (folder / "right.txt").write_text("42")
    if meta:
        (folder / "meta.json").write_text(json.dumps(meta))
    return folder


@pytest.fixture
def root(tmp_path):
    make_task(tmp_path / "tasks/standard", "sums", "first")
    make_task(tmp_path / "tasks/standard", "sums", "second", task_id="other", category_id="files")
    (tmp_path / "tasks/standard/sums/no_verifier").mkdir()
    (tmp_path / "tasks/standard/sums/no_verifier/description.md").write_text("Nothing.")
    for category in ("sums", "files"):
        (tmp_path / "files" / category).mkdir(parents=True)
        (tmp_path / "files" / category / "given.md").write_text(f"of {category}")
    return tmp_path


def test_tasks_are_found_and_named(root):
    tasks = read_task_folders(root / "tasks")
    assert [task.name for task in tasks] == ["files/other", "sums/first"]
    assert tasks[1].instruction == "Do first."
    assert read_task_folders(root / "tasks", "files") == tasks[:1]
    assert read_task_folders(root / "tasks", "sums/first") == tasks[1:]
    with pytest.raises(ValueError, match="expected 'all', CATEGORY/TASK or one of files, sums"):
        read_task_folders(root, "sums/third")
    with pytest.raises(FileNotFoundError, match="expected a folder with CATEGORY/TASK"):
        read_task_folders(root / "files")
    (root / "tasks/standard/sums/first/meta.json").write_text("[1]")
    with pytest.raises(ValueError, match="expected an object, got list"):
        read_task_folders(root)


def test_the_script_sees_copies_of_the_files_that_are_left(tmp_path):
    task = make_task(tmp_path, "a", "b") / "verify.py"
    left = tmp_path / "left"
    left.mkdir()
    for sandboxed in (True, False):
        (left / "answer.md").unlink(missing_ok=True)
        assert run_verifier(task, left, sandboxed=sandboxed) == (0.0, "there is no answer")
        (left / "answer.md").write_text("41")
        assert run_verifier(task, left, sandboxed=sandboxed) == (0.0, "the answer is wrong")
        (left / "answer.md").write_text("42")
        assert run_verifier(task, left, sandboxed=sandboxed) == (1.0, "")
    (left / "empty/deep").mkdir(parents=True)
    (left / "passwd").symlink_to("/etc/passwd")
    os.utime(left / "answer.md", (5, 5))
    task.write_text(
        "import os\nfrom pathlib import Path\nfolder = Path(os.environ['FILESYSTEM_TEST_DIR'])\n"
        "assert (folder / 'empty/deep').is_dir()\nassert not (folder / 'passwd').exists()\n"
        "assert (folder / 'answer.md').stat().st_mtime == 5\n"
        "(folder / 'answer.md').write_text('changed')\n"
    )
    assert run_verifier(task, left) == (1.0, "")
    assert (left / "answer.md").read_text() == "42"


def test_a_script_that_fails_or_is_ended_grades_0(tmp_path, monkeypatch):
    task = make_task(tmp_path, "a", "b", "import os\nos.kill(os.getpid(), 9)\n") / "verify.py"
    left = tmp_path / "left"
    left.mkdir()
    assert run_verifier(task, left).score == 0
    task.write_text("raise KeyError('x')")
    assert run_verifier(task, left).reason.endswith("KeyError: 'x'")
    monkeypatch.setattr("gem_ma.envs.mcp_tasks.verification._MAX_SIZE", 10)
    (left / "large").write_text("x" * 11)
    assert run_verifier(task, left).reason == "files of more than 10 bytes together"


def test_what_makes_no_sense_is_said(root):
    for arguments, error, problem in (
        ({"server": ""}, ValueError, "server='': expected a command"),
        ({"files": root / "none"}, FileNotFoundError, "there is no such folder"),
        ({"variables": ["NOT_SET_HERE"]}, ValueError, "NOT_SET_HERE is not set"),
        ({"max_calls": 0}, ValueError, "max_calls=0"),
    ):
        with pytest.raises(error, match=problem):
            MCPTaskFolders(**{"tasks": root, "server": "true", **arguments})
    game = MCPTaskFolders(root, "server '{workspace}' --port 1")
    assert game.command == ["server", "{workspace}", "--port", "1"]
    for wanted in ("none", 2, True):
        with pytest.raises(ValueError, match="expected 0 to 1, or a name such as 'files/other'"):
            game.choose_task(0, wanted)


def call(name, **arguments):
    return json.dumps({"name": name, "arguments": arguments})


@pytest.mark.slow
def test_a_task_is_done_over_a_server_that_a_command_starts(root, monkeypatch):
    pytest.importorskip("mcp.server.mcpserver", reason="pip install 'gem-ma[tools]'")
    monkeypatch.setenv("A_TOKEN", "secret")
    monkeypatch.setenv("ANOTHER", "hidden")
    env = gem_ma.make(
        "mcp:Tasks",
        tasks=str(root / "tasks"),
        server=SERVER,
        files=str(root / "files"),
        variables=["A_TOKEN"],
    )
    for task, text, reward in (("sums/first", "42", 1.0), ("sums/first", "4", 0.0), (0, "42", 1.0)):
        env.reset(seed=0, options={"task": task})
        env.step(call("read_file", path="/workspace/given.md"))
        of = "files" if task == 0 else "sums"
        assert env.observe("player")["text"] == f"tool: of {of}"
        env.step(call("write_file", path="/workspace/answer.md", content=text))
        assert env.observe("player")["text"] == "tool: wrote /workspace/answer.md"
        env.step("Done.")
        assert env.rewards == {"player": reward}
    assert env.infos["player"]["task"] == "files/other"
    assert "secret" not in repr(env.spec)
    (episode,) = gem_ma.rollout(env, lambda turn: "Nothing.", 1, seed=0)
    assert episode.report["reason"] == "there is no answer"


@pytest.mark.slow
def test_seats_see_the_folder_by_one_name(root, monkeypatch):
    pytest.importorskip("mcp.server.mcpserver", reason="pip install 'gem-ma[tools]'")
    monkeypatch.setenv("ANOTHER", "hidden")
    env = gem_ma.make("mcp:Tasks", tasks=str(root / "tasks"), server=SERVER)
    env.reset(seed=0)
    env.step(call("list_allowed_directories"))
    assert env.observe("player")["text"] == "tool: /workspace /workspace None None"
    env.step(call("write_file", path="/workspace/a", content="in /workspace/a"))
    env.step(call("read_file", path="/workspace/a"))
    assert env.observe("player")["text"] == "tool: in /workspace/a"
    env.step(call("read_file", path="/workspace/../../etc/passwd"))
    assert "is outside of /workspace" in env.observe("player")["text"]
    folder = env.game.find_folder(env.game_state)
    assert (folder / "a").read_text() == "in /workspace/a"
    env.reset(seed=1)
    assert not folder.exists()


@pytest.mark.slow
@pytest.mark.skipif(
    not os.environ.get("MCPMARK_TASKS"),
    reason="git clone https://github.com/eval-sys/mcpmark, and set MCPMARK_TASKS to its tasks/",
)
def test_the_scripts_of_mcpmark_run_in_the_sandbox(tmp_path):
    tasks = read_task_folders(Path(os.environ["MCPMARK_TASKS"], "filesystem"))
    assert len(tasks) == 40
    for task in tasks:
        grade = run_verifier(task.script, tmp_path)
        assert grade.score == 0
        assert "ImportError" not in grade.reason
        assert "was ended" not in grade.reason
    (upper,) = (
        task
        for task in tasks
        if task.name == "file_context/uppercase" and "easy" in task.script.parts
    )
    (tmp_path / "uppercase").mkdir()
    for number in range(1, 6):
        (tmp_path / f"file_0{number}.txt").write_text(f"text {number}")
        (tmp_path / "uppercase" / f"file_0{number}.txt").write_text(f"TEXT {number}")
    assert run_verifier(upper.script, tmp_path).score == 1
