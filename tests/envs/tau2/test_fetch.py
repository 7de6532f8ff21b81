"""Data and words of tau2-bench out of a clone, of which a small one is made here."""

from __future__ import annotations

import io
import json
import shutil
import tarfile

import pytest

import gem_ma
from gem_ma.cli.main import main
from gem_ma.envs.tau.data import DataMissing
from gem_ma.envs.tau2 import domain, fetch, mock_data

AGENT = '''
AGENT_INSTRUCTION = """
Help.
""".strip()
SYSTEM_PROMPT = """
<i>{agent_instruction}</i><p>{domain_policy}</p>
""".strip()
AGENT_SOLO_INSTRUCTION = """
Call `{stop_function_name}`.
""".strip()
SYSTEM_PROMPT_SOLO = """
<i>{agent_instruction}</i><p>{domain_policy}</p><t>{ticket}</t>
""".strip()
raise RuntimeError("no code of the original is run")
'''
USER = (
    'SYSTEM_PROMPT = """{global_user_sim_guidelines_with_persona}<s>{instructions}</s>""".strip()\n'
)
GREETING = 'DEFAULT_FIRST_AGENT_MESSAGE = Message(role="assistant", content="Welcome!")\n'
TOOLS = '''
class MockTools:
    @is_tool(ToolType.WRITE)
    def create_task(self, user_id, title, description=None):
        """
        Note a thing to do.

        More of it.

        Args:
            user_id: Who has it.
            title (str): Its name,
                in a word.

        Returns:
            The thing.
        """

    @is_tool(ToolType.READ)
    def get_users(self):
        """Look up who there is.

        Args:
            (none)

        Returns:
            Their names.
        """
'''
SEARCH = '''
class GrepMixin:
    @is_tool(ToolType.READ)
    def grep(self, pattern):
        """Look for a pattern.

        Args:
            pattern: What to look for.
        """
'''


@pytest.fixture
def clone(tmp_path):
    """A folder with the files of tau2-bench that are read."""
    top = tmp_path / "clone"
    files = {
        "src/tau2/agent/llm_agent.py": AGENT,
        "src/tau2/user/user_simulator.py": USER,
        "src/tau2/orchestrator/orchestrator.py": GREETING,
        "src/tau2/domains/mock/tools.py": TOOLS,
        "src/tau2/domains/banking_knowledge/retrieval_mixins.py": SEARCH,
        "data/tau2/user_simulator/simulation_guidelines.md": "Talk.<PERSONA_GUIDELINES>",
        "data/tau2/user_simulator/simulation_guidelines_tools.md": "Talk and do.",
        "data/tau2/domains/telecom/tasks_voice.json": "[]",
    }
    for name in fetch.DOMAINS:
        files[f"data/tau2/domains/{name}/policy.md"] = "Be good."
    mock = {
        "db.json": mock_data.DATABASE,
        "user_db.json": mock_data.INBOX,
        "tasks.json": list(mock_data.TASKS),
        "split_tasks.json": mock_data.SPLITS,
    }
    for name, content in mock.items():
        files[f"data/tau2/domains/mock/{name}"] = json.dumps(content)
    files["data/tau2/domains/mock/policy_solo.md"] = "Be good alone."
    for name, content in files.items():
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text(content)
    return top


def words(env):
    env.reset(seed=0, options={"task": "new_chore"})
    seats = {seat: env.turn(seat) for seat in env.possible_agents}
    return {seat: (turn.rules, turn.text) for seat, turn in seats.items()}


@pytest.mark.parametrize("fetched", [False, True])
def test_strict_tells_what_the_original_tells(clone, tmp_path, monkeypatch, fetched):
    if fetched:
        into = tmp_path / "data"
        assert main(["data", "tau2-bench", "--from", str(clone), "--into", str(into)]) == 0
        assert not (into / "telecom" / "tasks_voice.json").exists()
    monkeypatch.setenv(domain.VARIABLE, str(into if fetched else clone))
    env = gem_ma.make("tau2:mock", strict=True, original=True)
    told = words(env)
    assert told["assistant"][0].startswith("<i>Help.</i><p>Be good.</p>")
    assert told["user"][0].startswith("Talk and do.<s>")
    assert "Buy bread" in told["user"][0]
    assert told["user"][1] == "Welcome!"
    tools = {one["function"]["name"]: one["function"] for one in env.game.tools("assistant")}
    made = tools["create_task"]
    assert made["description"] == "Note a thing to do.\n\nMore of it."
    noted = made["parameters"]["properties"]
    assert noted["user_id"]["description"] == "Who has it."
    assert noted["title"]["description"] == "Its name,\nin a word."
    assert tools["get_users"]["description"] == "Look up who there is."
    assert tools["get_users"]["parameters"]["properties"] == {}
    searches = fetch.words()["tools"]["banking_knowledge"]["assistant"]
    assert searches["grep"] == {
        "description": "Look for a pattern.",
        "arguments": {"pattern": "What to look for."},
    }
    alone = gem_ma.make("tau2:mock", strict=True, original=True, solo=True)
    rules = words(alone)["assistant"][0]
    assert rules.startswith("<i>Call `done`.</i><p>Be good alone.</p><t>")
    assert rules.endswith("</t>")


def test_the_version_of_the_data_is_in_the_report(clone, tmp_path, monkeypatch):
    other = tmp_path / "other"
    shutil.copytree(clone, other)
    (other / "data/tau2/domains/mock/policy.md").write_text("Be better.")
    versions = []
    for top in (clone, other):
        monkeypatch.setenv(domain.VARIABLE, str(top))
        env = gem_ma.make("tau2:mock", original=True)
        env.reset(seed=0, options={"task": "new_chore"})
        env.step("###STOP###")
        versions.append(env.info("user")["data"])
    assert len(set(versions)) == 2
    assert all(len(one) == 12 for one in versions)


def test_a_download_is_an_archive_of_the_repository(clone, tmp_path):
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode="w:gz") as archive:
        archive.add(clone, "tau2-bench-1")
    path = tmp_path / "archive.tar.gz"
    path.write_bytes(held.getvalue())
    told = []
    found = fetch.fetch(into=tmp_path / "data", url=path.as_uri(), say=told.append)
    assert "mock/tasks.json" in found
    assert told[0].startswith("downloading file:")
    assert (tmp_path / "data" / "words.json").is_file()


@pytest.mark.parametrize("kept", [0, 100])
def test_a_broken_download_leaves_all_as_it_was(tmp_path, kept):
    path = tmp_path / "archive.tar.gz"
    path.write_bytes(b"\x1f\x8b\x08" + b"x" * kept)
    with pytest.raises(DataMissing, match=r"cannot be fetched .*--from CLONE"):
        fetch.fetch(into=tmp_path / "data", url=path.as_uri())
    assert not (tmp_path / "data").exists()


def test_what_is_missing_is_named_with_its_remedy(tmp_path, monkeypatch):
    with pytest.raises(DataMissing, match="holds no tau2-bench; expected a clone of https://"):
        fetch.fetch(tmp_path)
    monkeypatch.setenv(domain.VARIABLE, str(tmp_path))
    with pytest.raises(DataMissing, match=r"db.json is not there; `gem-ma data tau2-bench`"):
        gem_ma.make("tau2:mock", original=True)
    with pytest.raises(DataMissing, match=r"words.json is not there, and strict=True"):
        gem_ma.make("tau2:mock", strict=True)
