"""How the assistant of the bank reaches the documents: tools, prompts, and what a model tries."""

from __future__ import annotations

import hashlib
import json
import time
from pathlib import Path

import pytest
import tau2_references as references

import gem_ma
from gem_ma.envs.registry import MissingRequirement
from gem_ma.envs.tau2 import scoring
from gem_ma.envs.tau2.banking import harness, retrieval
from gem_ma.envs.tau2.banking.bank import Banking, KnowledgeTools
from gem_ma.envs.tau2.banking.sandboxed_tools import DocumentShell, PatternSearch
from gem_ma.envs.tau2.banking.search import Document
from gem_ma.envs.tau2.domain import TASK_DOCUMENTS
from gem_ma.envs.tau2.game import load
from gem_ma.game import InvalidMove
from gem_ma.sandbox import SandboxUnavailable
from gem_ma.sandbox.sandbox import check_level

CONTENTS = {"a": "Fees of cards.", "b (x)": "How to open: caf\u00e9", "c": "fees, Fees and fees"}
DOCUMENTS = [Document(id, f"Of {id}", content) for id, content in CONTENTS.items()]
PROMPTS = {
    "no_knowledge": "{{component:head}}.",
    "classic_rag_bm25": "{{component:head}} KB_search, grep.",
    "full_kb": "{{component:head}}.\n<all>\n{{full_knowledge_base}}\n</all>",
    "required_docs": "{{component:head}}.\n<own>\n{{required_documents}}\n</own>\n",
    "all_tools": "{{component:head}}: three complementary ways.\n### `KB_search_bm25`\nA.\n"
    "### `KB_search_dense`\nB.\n### `shell`\nC.\n",
}
TASK = {"user_scenario": {"instructions": "Ask."}, "evaluation_criteria": {"actions": []}}
TOOLS = {
    "no_knowledge": set(),
    "search": {"KB_search"},
    "grep_only": {"grep"},
    "bm25_grep": {"KB_search", "grep"},
    "full_kb": set(),
    "golden_retrieval": set(),
    "alltools": {"KB_search_bm25", "shell"},
    "terminal_use": {"shell"},
}


@pytest.fixture(autouse=True, scope="module")
def sandbox():
    if why := check_level("namespaces"):
        pytest.skip(why)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return a folder with a bank of three documents and two tasks."""
    monkeypatch.setenv("TAU2_BENCH_DATA", str(tmp_path))
    bank = tmp_path / "banking_knowledge"
    files = {f"prompts/{name}.md": text for name, text in PROMPTS.items()}
    files |= {"prompts/components/head.md": "Help", "db.json": "{}"}
    for id, title, content in DOCUMENTS:
        document = {"id": id, "title": title, "content": content}
        files[f"documents/{id}.json"] = json.dumps(document)
    for number, names in enumerate((["c", "Of a"], ["no such"])):
        task = {**TASK, "id": f"task_{number}", "required_documents": names}
        files[f"tasks/task_{number}.json"] = json.dumps(task)
    for name, text in files.items():
        (bank / name).parent.mkdir(parents=True, exist_ok=True)
        (bank / name).write_text(text)
    return bank


@pytest.fixture(scope="module")
def shell():
    return DocumentShell(DOCUMENTS).answer


def use(domain, tool, **arguments):
    return domain.world().call("assistant", tool, arguments)


def rules(task, **options):
    env = gem_ma.make("tau2:banking", **options)
    env.reset(seed=0, options={"task": task})
    return {seat: env.turn(seat).rules for seat in env.possible_agents}


def test_each_variant_has_its_tools():
    assert retrieval.VARIANTS.keys() == TOOLS.keys()
    for name, variant in retrieval.VARIANTS.items():
        listed = {one for kit in variant.tools for one in kit.listed}
        assert listed == TOOLS[name]


def test_the_tools_of_a_variant_stand_beside_those_of_the_bank(folder):
    domain = Banking("bm25_grep")
    assert set(domain.kits["assistant"].tools) == {*KnowledgeTools.tools, "KB_search", "grep"}
    assert domain.kits["user"] is Banking().kits["user"]
    assert use(domain, "grep") == (
        "Error: GrepMixin.grep() missing 1 required positional argument: 'pattern'",
        True,
    )
    assert "KBSearchMixin.KB_search() missing" in use(domain, "KB_search")[0]
    name = "close_credit_card_account_7834"
    assert f"KnowledgeTools.{name}() missing" in use(domain, name)[0]


def test_bm25_among_all_tools_shows_the_first_k(folder):
    domain = Banking("alltools")
    for k, count in ((1, 1), (None, 3), (-1, 2), (99, 3)):
        answer, failed = use(domain, "KB_search_bm25", query="fees", k=k)
        assert (answer.count("   ID: "), failed) == (count, False)
    assert use(domain, "KB_search_bm25", query="fees", k=0)[0] == "No relevant documents found."
    assert use(domain, "KB_search_bm25", query="fees", k="1")[1]


def test_a_pattern_lists_the_documents_with_most_matches():
    search = PatternSearch(DOCUMENTS)
    assert search.count_matches("FEES") == [1, 0, 3]
    assert search.listing("fee.").startswith("1. Of c\n   ID: c\n   Score: 3.0000\n   Content: fee")
    assert "\n2. Of a\n" in search.listing("fee.")
    assert search.listing("(zz") == "No matches found for pattern: (zz"
    assert search.listing(" ") == "No matches found for pattern:  "
    # what is no pattern is looked for as it is
    assert PatternSearch([Document("a", "A", "f(x")]).count_matches("F(") == [1]


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("(a+)+$", "takes more than 0.3 seconds"),
        ("a{99999999999}", "repetition number is too large"),
        ("(" * 5000 + ")" * 5000, "recursion"),
    ],
)
def test_a_pattern_is_bounded(pattern, why):
    search = PatternSearch([Document("a", "A", "a" * 60 + "b")])
    start = time.monotonic()
    with pytest.raises(ValueError, match=why):
        search.count_matches(pattern, seconds=0.3)
    assert time.monotonic() - start < 5
    assert search.count_matches("a") == [60]


def test_a_shell_stands_among_the_documents(shell):
    assert shell("ls") == "INDEX.md\na.md\nb__x_.md\nc.md\n"
    assert shell("cat b*; pwd") == "# Of b (x)\n\nHow to open: caf\u00e9/knowledge_base\n"
    assert shell("head -n 7 INDEX.md") == (
        "# Knowledge Base Index\n\n**Total documents:** 3\n\n## Documents\n\n- **a.md** - Of a\n"
    )
    assert shell("ls -l a.md") == "-rw-r--r-- 1 kb_user  kb_group  22 Jan  1 00:00 a.md\n"
    assert shell("grep -rl ees .") == "./a.md\n./c.md\n"


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        ("true", "(no output)"),
        ("echo a; echo b >&2", "a\n"),
        ("exit 3", "Command failed with exit code 3"),
        ("echo no >&2; exit 2", "Error (exit code 2): no\n"),
        ("kill -9 $$", "Command failed with exit code 137"),
        ("grep zz a.md", "No matches found."),
        ("grep zz zz.md", "Error (exit code 2): grep: zz.md: No such file or directory\n"),
        ("cat ../x", "which could escape"),
        ("cat '../x'", "cat: ../x: No such file"),
        ("cat /etc/passwd; ls", "contains 'absolute path: /etc/passwd' which"),
        ("/", "contains 'absolute path at start' which"),
        ("ls ~", "contains '~' which"),
        ("echo ${HOME}", "contains '$HOME' which"),
        ("printf 'a\\r\\nb\\r'", "a\nb\n"),
        ("printf '\\377'", "Command failed: 'utf-8' codec can't decode byte 0xff in position 0"),
        ("\0", "Command failed: embedded null byte"),
    ],
)
def test_answers_of_the_shell(shell, command, answer):
    assert answer in shell(command)
    if answer.startswith("Command failed: "):
        assert shell(command).startswith("Error (exit code 1): ")


@pytest.mark.parametrize("command", ["echo x > new.md", "echo x > a.md", "sed -i s/F/G/ a.md"])
def test_no_command_changes_a_document(shell, command):
    assert "Permission denied" in shell(command)
    assert shell("cat a.md; ls | wc -l") == "# Of a\n\nFees of cards.4\n"


def test_what_a_command_changes_by_force_is_as_before_in_the_next_one(shell):
    assert shell("chmod -R u+w . && rm * && echo x > y; ls") == "y\n"
    assert shell("ls | wc -l") == "4\n"


def test_a_command_is_bounded(shell, monkeypatch):
    assert shell("sleep 9", seconds=0.4) == (
        "Error (exit code 124): Command timed out after 0.4 seconds"
    )
    monkeypatch.setattr(harness, "MAX_OUTPUT", 1000)
    answer = shell("yes \u00e9 | head -c 3000000")
    assert answer.endswith("\n... (only the first 1,000 bytes are shown)")
    assert len(answer.encode()) < 1100
    assert shell("yes > $TMPDIR/x").startswith("Error (exit code 153)")
    assert shell("kill -9 -1") == "Error (exit code 137): The command ended the shell."


@pytest.mark.parametrize(
    "forged",
    [
        '[1, "x"]',
        '{"code": {}}',
        '{"code": 0, "stdout": 1, "stderr": ""}',
        '{"error": ""}',
        "{",
        "",
    ],
)
def test_a_forged_answer_is_an_answer(monkeypatch, forged):
    monkeypatch.setattr(
        "gem_ma.envs.tau2.banking.sandboxed_tools._read_harness", lambda: f"print({forged!r})"
    )
    assert DocumentShell(DOCUMENTS).answer("ls").startswith("Error (exit code 1")
    with pytest.raises(ValueError, match="memory"):
        PatternSearch(DOCUMENTS).count_matches("a")


@pytest.mark.parametrize("value", [None, 5, True, [], {}])
def test_arguments_of_any_type_are_answered(folder, value):
    domain = Banking("bm25_grep")
    assert use(domain, "grep", pattern=value)[0].endswith("object has no attribute 'strip'")
    answer, failed = use(Banking("alltools"), "shell", command=value)
    assert "expected string" in answer
    assert failed


def test_prompts_hold_documents(folder):
    assert Banking().policy() == "Help."
    quoted = [f"## {one.title}\n\n{one.content}" for one in DOCUMENTS]
    full = "\n\n---\n\n".join(quoted)
    assert Banking("full_kb").policy() == f"Help.\n<all>\n{full}\n</all>"
    assert Banking("alltools").policy() == (
        "Help: two complementary ways.\n### `KB_search_bm25`\nA.\n### `shell`\nC.\n"
    )
    told = rules("task_0", retrieval="golden_retrieval")
    own = f"{quoted[2]}\n\n---\n\n{quoted[0]}"
    assert told["assistant"].startswith(f"Help.\n<own>\n{own}\n</own>\n")
    assert "Fees" not in told["user"]
    told = rules("task_1", retrieval="golden_retrieval")
    assert told["assistant"].startswith("Help.\n<own>\n(No documents provided)\n</own>\n")
    assert "Fees" not in rules("task_0")["assistant"]


def test_a_long_text_is_not_cut(folder):
    (folder / "documents" / "d.json").write_text(
        json.dumps({"id": "d", "title": "D", "content": "x" * 200_000 + "end"})
    )
    assert "xend\n" in rules("task_0", retrieval="full_kb")["assistant"]
    env = gem_ma.make("tau2:banking", retrieval="bm25_grep")
    env.reset(seed=0)
    env.step("Hello.")
    env.step('{"name": "grep", "arguments": {"pattern": "xend"}}')
    assert env.turn("assistant").text.endswith("xend")


def test_the_version_is_of_the_documents_too(folder):
    versions = {Banking("golden_retrieval").version, Banking().version}
    (folder / "documents" / "a.json").write_text('{"id": "a", "title": "A", "content": "new"}')
    versions |= {Banking("golden_retrieval").version, Banking().version}
    assert len(versions) == 3


def test_a_reply_has_a_bounded_number_of_calls(folder):
    call = {"name": "shell", "arguments": {"command": "ls"}}
    for name, refused in (("terminal_use", True), ("no_knowledge", False)):
        game = gem_ma.make("tau2:banking", retrieval=name).game
        assert game.blocking is refused
        if refused:
            with pytest.raises(InvalidMove, match="at most 20 calls"):
                game.read(json.dumps([call] * 21), None, "assistant")
        assert len(game.read(json.dumps([call] * (20 if refused else 21)), None, "assistant")) > 19


def test_what_is_missing_is_named(folder, monkeypatch):
    with pytest.raises(ValueError, match=r"no_knowledge, search, grep_only, .*, terminal_use"):
        Banking("bm25")

    def fail(*_, **__):
        raise SandboxUnavailable("no level")

    domain = Banking("bm25_grep")
    monkeypatch.setattr("gem_ma.envs.tau2.banking.sandboxed_tools.get_shared_sandbox", fail)
    with pytest.raises(SandboxUnavailable):  # our mistake, and no answer of the tool
        use(domain, "grep", pattern="a")
    with pytest.raises(MissingRequirement, match="retrieval='grep_only' cannot be made here: no"):
        Banking("grep_only")
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(MissingRequirement, match="install the program bash"):
        Banking("terminal_use")


# What tau2-bench's own code said, with its documents in the order of their names: of each text the
# start of its SHA-256. Where its file system decides the order of lines, they were sorted. The
# prompt of "alltools" is without the search by embeddings.
REFERENCES = json.loads(Path(__file__).with_name("retrieval_references.json").read_text())
EVERY = pytest.param(1, marks=pytest.mark.slow)
LOOKS = {
    "KB_search": {"query": "fees"},
    "KB_search_bm25": {"query": "fees"},
    "grep": {"pattern": "fees"},
    "shell": {"command": "cat INDEX.md"},
}


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()[:12]


@references.needed
@pytest.mark.parametrize("name", TOOLS)
def test_prompts_are_those_of_the_original(name):
    domain = load("banking", (("retrieval", name),))
    policy = domain.policy()
    if name != "golden_retrieval":
        assert digest(policy) == REFERENCES["prompts"][name]
        return
    for id, (expected, _, _) in REFERENCES["tasks"].items():
        documents = domain.quote_documents(domain.select_documents(domain.tasks[id]))
        assert digest(policy.replace(TASK_DOCUMENTS, documents)) == expected, id


@references.needed
@pytest.mark.parametrize("step", [12, EVERY])
@pytest.mark.parametrize("name", TOOLS)
def test_gold_actions_earn_what_they_earn_in_the_original(name, step):
    domain = load("banking", (("retrieval", name),))
    assert domain.tasks.keys() == REFERENCES["tasks"].keys()
    for id, (_, reward, database) in list(REFERENCES["tasks"].items())[::step]:
        task = domain.tasks[id]
        world = domain.world(scoring.begin(domain, task))
        for tool in TOOLS[name]:
            assert not world.call("assistant", tool, LOOKS[tool])[1]
        calls = [(one.seat, one.name, one.arguments) for one in task.actions]
        for call in calls:
            world.call(*call)
        after = world.changes()
        gold = scoring.gold(domain, task)
        verdict = scoring.judge(domain, task, gold, after, calls, task.communicate)
        found = verdict["reward"], domain.base.hash_of("assistant", after)[:12]
        assert found == (reward, database), id


@references.needed
@pytest.mark.parametrize("step", [12, EVERY])
def test_answers_are_those_of_the_original(step):
    different = []
    for name, tool, arguments, *expected in REFERENCES["calls"][::step]:
        answer, failed = use(load("banking", (("retrieval", name),)), tool, **arguments)
        if expected[2:]:
            answer = "\n".join(sorted(answer.splitlines()))
        if [digest(answer), failed] != expected[:2]:
            different.append((name, tool, arguments, answer[:200]))
    assert different == []
