"""TAU-bench's files: fetched from each kind of source, checked, and read, tau2-bench's too."""

import functools
import http.server
import json
import os
import sys
import threading
from pathlib import Path

import pytest

from gem_ma import make
from gem_ma.envs.tau import data, fetch
from gem_ma.envs.tau.data import DataMissing
from gem_ma.envs.tau.game import STOP
from gem_ma.envs.tau.store import Base

REAL = os.environ.get(data.VARIABLE)
WORDS = {"prompt": 'You buy things.\n\nDo: {instruction}\n\nBe "brief".', "greeting": "Good day!"}


def made_up(name):
    """Return the content of a small domain, by file."""
    action = {"name": "cancel_pending_order", "kwargs": {"order_id": "#W1", "ids": [1, -2.5]}}
    task = {
        "index": 0,
        "annotator": "0",
        "user_id": "ann",
        "instruction": 'You are Ann, "née" O\'Hara.\n',
        "actions": [action, {"name": "think", "kwargs": {}}],
        "outputs": ["10"],
    }
    files = {f"{table}.json": {"a": {"id": "a", "price": 1.5}} for table in data.TABLES[name]}
    for split in data.SPLITS[name]:
        files[f"tasks_{split}.json"] = [task, {**task, "index": 1, "actions": [], "outputs": []}]
    tools = ("think", "get_user_details")
    files["tools.json"] = [
        {"type": "function", "function": {"name": tool, "strict": True}} for tool in tools
    ]
    files["rules.json"] = ["Be kind.", "Be quick."] if name == "retail" else []
    files["policy.md"] = f"# {name}\n\nThe policy, naïve.\n"
    files["user.json"] = WORDS
    return files


def real(name):
    files = {}
    for file in set(fetch.CANONICAL[name]) - {"user.json"}:
        content = (Path(REAL) / name / file).read_bytes()
        files[file] = json.loads(content) if file.endswith(".json") else content.decode()
    return {**files, "user.json": WORDS}


def written(content):
    return (content if isinstance(content, str) else json.dumps(content)).encode()


@pytest.fixture
def domains(monkeypatch):
    """Content of small domains, which fetch takes for the right one."""
    found = {name: made_up(name) for name in data.TABLES}
    digests = {
        name: {file: fetch.digest(file, written(content), file) for file, content in files.items()}
        for name, files in found.items()
    }
    monkeypatch.setattr(fetch, "CANONICAL", digests)
    return found


@pytest.fixture(params=["made up", "real"])
def either(request, monkeypatch):
    if request.param == "made up":
        return request.getfixturevalue("domains")
    if not REAL:
        pytest.skip("set TAU_BENCH_DATA to a folder with TAU-bench's retail/ and airline/")
    for digests in fetch.CANONICAL.values():  # a folder may have been filled before it had them
        monkeypatch.setitem(digests, "user.json", fetch.digest("user.json", written(WORDS), ""))
    return {name: real(name) for name in data.TABLES}


def clone(top, domains):
    """Write domains as the original repository has them."""
    for name, files in domains.items():
        folder = top / "tau_bench" / "envs" / name
        (folder / "data").mkdir(parents=True)
        (folder / "tools").mkdir()
        for table in data.TABLES[name]:
            (folder / "data" / f"{table}.json").write_text(json.dumps(files[f"{table}.json"]))
        for split in data.SPLITS[name]:
            tasks = ",\n".join(map(task, files[f"tasks_{split}.json"]))
            text = f"from tau_bench.types import Action, Task\n\nTASKS = [\n{tasks}\n]\n"
            (folder / f"tasks_{split}.py").write_text(text, "utf-8")
        imports, classes = "", []
        for schema in files["tools.json"]:
            tool = schema["function"]["name"]
            classes.append(tool.title().replace("_", ""))
            imports += f"from .{tool} import {classes[-1]}\n"
            text = (
                f"class {classes[-1]}(Tool):\n    @staticmethod\n    def invoke(data):\n"
                "        return f'{data}'\n\n    @staticmethod\n    def get_info():\n"
                f"        return {schema!r}\n"
            )
            (folder / "tools" / f"{tool}.py").write_text(text, "utf-8")
        tools = f"{imports}\nALL_TOOLS = [{', '.join(classes)}]\n"
        (folder / "tools" / "__init__.py").write_text(tools)
        (folder / "rules.py").write_text(f"rules = {files['rules.json']!r}\n", "utf-8")
        (folder / "wiki.md").write_text(files["policy.md"], "utf-8")
        (folder.parent / "user.py").write_text(simulator(**files["user.json"]), "utf-8")
    return top


def simulator(prompt, greeting):
    """Return a module that says what a user is told, in the original's form."""
    before, _, after = prompt.partition("\n\nDo: {instruction}\n")
    return (
        "class LLMUserSimulationEnv:\n"
        "    def build_system_prompt(self, instruction):\n"
        "        shown = (\n            ('\\n\\nDo: ' + instruction + '\\n')\n"
        "            if instruction is not None\n            else ''\n        )\n"
        f'        return f"""{before}{{shown}}{after}"""\n\n'
        "    def reset(self, instruction=None):\n"
        "        self.messages = [\n"
        "            {'role': 'system', 'content': self.build_system_prompt(instruction)},\n"
        f"            {{'role': 'user', 'content': {greeting!r}}},\n        ]\n"
    )


def task(one):
    actions = ", ".join(
        f"Action(name={action['name']!r}, kwargs={action['kwargs']!r})" for action in one["actions"]
    )
    half = len(one["instruction"]) // 2
    instruction = f"{one['instruction'][:half]!r}\n    {one['instruction'][half:]!r}"
    return (
        f"Task(annotator={one['annotator']!r}, user_id={one['user_id']!r},\n"
        f"    instruction={instruction},\n    actions=[{actions}], outputs={one['outputs']!r})"
    )


def ours(top, domains):
    """Write domains as fetch does, without manifests."""
    for name, files in domains.items():
        (top / name).mkdir(parents=True)
        for file, content in files.items():
            (top / name / file).write_bytes(written(content))
    return top


def files(top):
    return sorted(str(path.relative_to(top)) for path in top.rglob("*") if path.is_file())


def same(top, domains):
    """Return whether a folder holds these domains, manifests, and nothing else."""
    for name, contents in domains.items():
        for file, content in contents.items():
            text = (top / name / file).read_text("utf-8")
            assert (json.loads(text) if file.endswith(".json") else text) == content
    wanted = [f"{n}/{f}" for n, contents in domains.items() for f in (*contents, "manifest.json")]
    return files(top) == sorted(wanted)


def test_a_clone_of_the_original_is_converted(either, tmp_path, monkeypatch):
    into = tmp_path / "cache" / "tau"
    monkeypatch.setenv(data.VARIABLE, str(into))
    done = fetch.fetch(source=clone(tmp_path / "clone", either))
    assert same(into, either)
    assert done == [(file, (into / file).stat().st_size) for file, _ in done]
    assert sorted(file for file, _ in done) == files(into)
    for name, splits in data.SPLITS.items():
        for split in splits:
            domain = data.load(name, split)
            assert domain.policy == either[name]["policy.md"]
            assert list(domain.schemas) == either[name]["tools.json"]
            assert len(domain.tasks) == len(either[name][f"tasks_{split}.json"])


def test_a_folder_of_ours_is_copied(either, tmp_path):
    source = ours(tmp_path / "source", either)
    fetch.fetch(source=source, into=tmp_path / "one")
    assert same(tmp_path / "one", either)
    fetch.fetch(["retail"], source=str(tmp_path / "one"), into=str(tmp_path / "two"))
    assert same(tmp_path / "two", {"retail": either["retail"]})


def test_a_second_run_does_nothing(domains, tmp_path):
    source, into, said = ours(tmp_path / "source", domains), tmp_path / "into", []
    fetch.fetch(source=source, into=into)
    before = {file: (into / file).stat().st_mtime_ns for file in files(into)}
    assert fetch.fetch(into=into, url="http://nowhere.invalid", say=said.append) == []
    assert said == [f"{into} holds retail and airline already, whole: nothing to do"]
    assert {file: (into / file).stat().st_mtime_ns for file in files(into)} == before


@pytest.mark.parametrize("harm", ["damaged", "missing", "no manifest", "bad manifest"])
def test_what_is_not_right_is_fetched_again(domains, tmp_path, harm):
    source, into = ours(tmp_path / "source", domains), tmp_path / "into"
    fetch.fetch(source=source, into=into)
    (into / "retail" / "mine.txt").write_text("stays")
    if harm == "damaged":
        (into / "retail" / "users.json").write_text("{}")
    elif harm == "missing":
        (into / "retail" / "users.json").unlink()
    elif harm == "no manifest":
        (into / "retail" / "manifest.json").unlink()
    else:
        (into / "retail" / "manifest.json").write_text("[]")
    done = fetch.fetch(source=source, into=into)
    assert {file.split("/")[0] for file, _ in done} == {"retail"}
    assert (into / "retail" / "mine.txt").read_text() == "stays"
    (into / "retail" / "mine.txt").unlink()
    assert same(into, domains)


class Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args):
        self.server.agents.add(self.headers["User-Agent"])


@pytest.fixture
def served(domains, tmp_path):
    """A server on this machine that has the original's files; yields its folder and its URL."""
    top = clone(tmp_path / "served", domains)
    handler = functools.partial(Handler, directory=str(top))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.agents = set()
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield top, f"http://127.0.0.1:{server.server_address[1]}", server
        server.shutdown()
        thread.join()


def test_the_original_is_downloaded(domains, served, tmp_path):
    _, url, server = served
    said = []
    fetch.fetch(into=tmp_path / "into", url=url, say=said.append)
    assert same(tmp_path / "into", domains)
    assert len(said) == sum(1 for _ in served[0].rglob("*.*")) + 2  # user.py is for both domains
    assert "tau_bench/envs/retail/data/users.json: 32 bytes" in said
    assert server.agents == set(fetch.AGENT.values())


def test_a_download_that_fails_leaves_nothing(served, tmp_path):
    top, url, _ = served
    (top / "tau_bench/envs/airline/wiki.md").unlink()
    with pytest.raises(DataMissing, match=r"wiki\.md cannot be downloaded .*404.*--from PATH"):
        fetch.fetch(into=tmp_path / "into", url=url)
    assert not (tmp_path / "into").exists()


def test_an_interrupted_download_leaves_nothing(served, tmp_path):
    def interrupt(line):
        if "airline" in line:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fetch.fetch(into=tmp_path / "into", url=served[1], say=interrupt)
    assert not (tmp_path / "into").exists()


def test_interrupted_writing_leaves_what_was_there(domains, tmp_path, monkeypatch):
    source, into = ours(tmp_path / "source", domains), tmp_path / "into"
    fetch.fetch(["retail"], source=source, into=into)
    write = Path.write_bytes

    def interrupted(path, content):
        if path.name == "policy.md":
            raise KeyboardInterrupt
        return write(path, content)

    monkeypatch.setattr(Path, "write_bytes", interrupted)
    with pytest.raises(KeyboardInterrupt):
        fetch.fetch(source=source, into=into)
    assert same(into, {"retail": domains["retail"]})


def test_nobody_there_to_download_from(domains, tmp_path):
    with pytest.raises(DataMissing, match=r"cannot be downloaded \(.*get a clone of https://"):
        fetch.fetch(into=tmp_path, url="http://127.0.0.1:1")


def test_a_folder_that_cannot_be_written(domains, tmp_path):
    source = ours(tmp_path / "source", domains)
    (tmp_path / "file").write_text("")
    with pytest.raises(DataMissing, match=r"file.* cannot be written \(.*--into PATH"):
        fetch.fetch(source=source, into=tmp_path / "file" / "into")


def test_a_damaged_clone_is_named_with_its_digest(domains, tmp_path):
    top = clone(tmp_path / "clone", domains)
    path = top / "tau_bench/envs/retail/tasks_dev.py"
    path.write_text(path.read_text("utf-8").replace("'10'", "'11'"), "utf-8")
    with pytest.raises(DataMissing) as error:
        fetch.fetch(source=top, into=tmp_path / "into")
    assert str(error.value).startswith(f"retail/tasks_dev.json of {top} differs from TAU-bench's")
    assert fetch.CANONICAL["retail"]["tasks_dev.json"] in str(error.value)
    assert f"`git -C {top} checkout {fetch.COMMIT}` restores it" in str(error.value)
    assert not (tmp_path / "into").exists()


def test_a_damaged_folder_of_ours_is_named_with_its_digest(domains, tmp_path):
    top = ours(tmp_path / "source", domains)
    (top / "airline" / "flights.json").write_text("{}")
    with pytest.raises(DataMissing, match=r"airline/flights\.json of .*`gem-ma data tau-bench`"):
        fetch.fetch(source=top, into=tmp_path / "into")
    (top / "airline" / "flights.json").write_text("{")
    with pytest.raises(DataMissing, match=r"airline/flights\.json of .* not valid JSON"):
        fetch.fetch(source=top, into=tmp_path / "into")


def test_a_manifest_that_does_not_fit(domains, tmp_path):
    fetch.fetch(source=ours(tmp_path / "source", domains), into=tmp_path / "made")
    path = tmp_path / "made" / "retail" / "users.json"
    path.write_bytes(path.read_bytes() + b" ")
    with pytest.raises(DataMissing, match=rf"{path} is damaged: its sha256 is \w+, and should be"):
        fetch.fetch(source=tmp_path / "made", into=tmp_path / "into")


@pytest.mark.parametrize("file", ["tasks_test.py", "tools/think.py", "data/users.json", "wiki.md"])
def test_a_clone_without_a_file(domains, tmp_path, file):
    top = clone(tmp_path / "clone", domains)
    (top / "tau_bench/envs/retail" / file).unlink()
    with pytest.raises(DataMissing, match=rf"{file} cannot be read \(No such file.*git -C"):
        fetch.fetch(source=top, into=tmp_path / "into")


def test_a_folder_of_ours_without_a_file(domains, tmp_path):
    top = ours(tmp_path / "source", domains)
    (top / "retail" / "tools.json").unlink()
    with pytest.raises(DataMissing, match=r"retail/tools\.json is not there; `gem-ma data"):
        fetch.fetch(source=top, into=tmp_path / "into")


def test_a_source_that_is_nothing_of_the_kind(tmp_path):
    with pytest.raises(DataMissing, match=r"holds no retail of TAU-bench; expected a clone of"):
        fetch.fetch(source=tmp_path, into=tmp_path / "into")
    with pytest.raises(DataMissing, match="TAU-bench has no domain 'shop'; it has retail, airline"):
        fetch.fetch(["shop"])


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("../user.py", "instruction + '", "open(MARK, 'w').name + '", "expected texts and the"),
        ("../user.py", "{shown}", "{open(MARK, 'w')}", "expected texts and the instruction"),
        ("../user.py", "return f", "return 7 or f", "expected texts and the instruction"),
        ("../user.py", "'Good day!'", "open(MARK, 'w').name", "whose reset has a message"),
        ("../user.py", "class LLM", "class Other", "expected a class LLMUserSimulationEnv"),
        ("tasks_test.py", "'ann'", "open(MARK, 'w').name", "expected a literal"),
        ("tasks_test.py", "'ann'", "f\"{open(MARK, 'w')}\"", "expected a literal"),
        ("tasks_test.py", "Task(", "print(", "expected a literal"),
        ("tasks_test.py", "Task(", "Task(*open(MARK, 'w'),", "expected a literal"),
        ("tasks_test.py", "Task(", "Task(**open(MARK, 'w'),", "expected a literal"),
        ("tasks_test.py", "TASKS = [", "TASKS = (", "cannot be read as Python"),
        ("tasks_test.py", "TASKS = [", "TASKS = sorted([", "cannot be read as Python"),
        ("tasks_test.py", "Task(", "7, Task(", "expected a list of Task"),
        ("rules.py", "[", "open(MARK, 'w') or [", "found no list"),
        ("rules.py", "[", "[*open(MARK, 'w'), ", "expected a literal"),
        ("tools/think.py", "return {", "return {**open(MARK, 'w'), ", "expected a literal"),
        ("tools/think.py", "get_info", "got_info", "expected a class Think whose get_info"),
        ("tools/__init__.py", "[Think", "[open(MARK, 'w')", "expected the name of a class"),
    ],
)
def test_code_is_refused_and_never_run(domains, tmp_path, file, old, new, message):
    top, marker = clone(tmp_path / "clone", domains), tmp_path / "marker"
    path = (top / "tau_bench/envs/retail" / file).resolve()
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new.replace("MARK", repr(str(marker))), 1), "utf-8")
    with pytest.raises(DataMissing, match=message) as error:
        fetch.fetch(source=top, into=tmp_path / "into")
    assert str(path) in str(error.value)
    assert "\n" not in str(error.value)
    if "expected a literal" in message or "expected texts" in message:
        assert ", line " in str(error.value)
    assert not marker.exists()
    assert not (tmp_path / "into").exists()


def test_code_beside_the_tasks_is_never_run(domains, tmp_path):
    top, marker = clone(tmp_path / "clone", domains), tmp_path / "marker"
    for path in top.rglob("*.py"):
        code = f"open({str(marker)!r}, 'w')\n"
        path.write_text(code + path.read_text("utf-8") + code, "utf-8")
    fetch.fetch(source=top, into=tmp_path / "into")
    assert same(tmp_path / "into", domains)
    assert not marker.exists()


@pytest.fixture
def fetched(domains, tmp_path, monkeypatch):
    """A data folder as those were that had no words for the user; no clone, and no package."""
    monkeypatch.setenv(data.VARIABLE, str(tmp_path / "data"))
    monkeypatch.delenv(fetch.SOURCE, raising=False)
    monkeypatch.setattr(sys, "path", [path for path in sys.path if "tau-bench" not in path])
    fetch.fetch(source=ours(tmp_path / "source", domains))
    for name in domains:
        (tmp_path / "data" / name / "user.json").unlink()
    fetch._user.cache_clear()
    return clone(tmp_path / "clone", domains)


def test_words_come_from_the_data_folder(fetched, tmp_path):
    with pytest.raises(DataMissing) as error:
        fetch.user("retail")
    assert str(error.value) == (
        f"{tmp_path}/data/retail/user.json is not there, and strict=True needs this prompt of "
        "TAU-bench: `gem-ma data tau-bench` fetches it, or set TAU_BENCH_SOURCE to a clone of "
        "https://github.com/sierra-research/tau-bench"
    )
    done = fetch.fetch(source=fetched)
    assert "retail/user.json" in dict(done)
    assert fetch.user("retail") == fetch.user("airline") == WORDS
    (tmp_path / "data/airline/user.json").write_text("{}")
    fetch._user.cache_clear()
    with pytest.raises(DataMissing, match=r"airline/user\.json is damaged: its sha256 is"):
        fetch.user("airline")


def test_words_come_from_a_clone(fetched, tmp_path, monkeypatch):
    monkeypatch.setenv(fetch.SOURCE, str(fetched))
    assert fetch.user("airline") == WORDS
    path = fetched / "tau_bench/envs/user.py"
    path.write_text(path.read_text().replace("Good day!", "Hello!"))
    fetch._user.cache_clear()
    with pytest.raises(DataMissing, match=r"user\.json of .*/clone differs from TAU-b.*59a20"):
        fetch.user("airline")
    monkeypatch.setenv(fetch.SOURCE, str(tmp_path))
    with pytest.raises(DataMissing, match=r"tau_bench/envs/user\.py cannot be read"):
        fetch.user("airline")


def test_words_come_from_the_installed_package(fetched, tmp_path, monkeypatch):
    (fetched / "tau_bench" / "__init__.py").write_text("raise RuntimeError('imported')\n")
    monkeypatch.syspath_prepend(str(fetched))
    assert fetch.user("retail") == WORDS
    assert "tau_bench" not in sys.modules


def test_strict_tells_the_user_the_words_of_the_original(fetched, tmp_path):
    with pytest.raises(DataMissing, match="strict=True needs this prompt of TAU-bench"):
        make("tau:retail", strict=True)
    fetch.fetch(source=fetched)
    env = make("tau:retail", strict=True)
    env.reset(options={"task": 1})
    instruction = made_up("retail")["tasks_test.json"][1]["instruction"]
    turn = env.turn("user")
    assert turn.rules == f'You buy things.\n\nDo: {instruction}\n\nBe "brief".'
    assert turn.text == "Good day!"
    make("tau:shop", strict=True)  # which has none, and needs no data


def test_loading_says_what_is_missing(tmp_path, monkeypatch):
    monkeypatch.setenv(data.VARIABLE, str(tmp_path))
    with pytest.raises(DataMissing) as error:
        data.load("retail", "test")
    assert str(error.value) == (
        f"{tmp_path}/retail/orders.json is not there; `gem-ma data tau-bench` fetches it, or set "
        "TAU_BENCH_DATA to a folder that holds retail/ and airline/"
    )
    (tmp_path / "airline").write_text("")
    with pytest.raises(DataMissing, match=r"flights\.json cannot be read \(Not a directory\)"):
        data.load("airline", "test")


@pytest.mark.parametrize("file", ["users.json", "policy.md", "tasks_test.json", "tools.json"])
def test_loading_says_what_is_damaged(domains, tmp_path, monkeypatch, file):
    monkeypatch.setenv(data.VARIABLE, str(tmp_path / "into"))
    fetch.fetch(source=ours(tmp_path / "source", domains))
    path = tmp_path / "into" / "retail" / file
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(DataMissing) as error:
        data.load("retail", "test")
    assert str(error.value).startswith(f"{path} is damaged: its sha256 is ")
    assert str(error.value).endswith("; `gem-ma data tau-bench` fetches it again")
    fetch.fetch(source=tmp_path / "source")
    assert data.load("retail", "test").name == "retail"


def test_splits(tmp_path):
    with pytest.raises(ValueError, match="airline has no split 'train'; it has test"):
        data.load("airline", "train")
    with pytest.raises(ValueError, match=r"it has train, dev, test, or a tasks\.json of tau2"):
        data.load("retail", "hard")


SCENARIO = {
    "domain": "retail",
    "reason_for_call": "You want to cancel order #W1.",
    "known_info": "You are Ann Lee in 10001.",
    "unknown_info": None,
    "task_instructions": ".",
}
CANCEL = {"order_id": "#W1", "reason": "no longer needed"}
BASE = Base({"orders": {"#W1": {"user_id": "ann_lee_1"}}, "users": {}, "products": {}})


def tau2(tmp_path, *tasks):
    path = tmp_path / "tasks.json"
    path.write_text(json.dumps(tasks))
    return path


def tau2_task(scenario=SCENARIO, **criteria):
    actions = [
        {"action_id": "0", "name": "get_item_details", "arguments": {"item_id": "1"}},
        {"name": "cancel_pending_order", "arguments": CANCEL, "requestor": "assistant"},
        {"name": "unplug", "arguments": {}, "requestor": "user"},
    ]
    criteria = {"actions": actions, "communicate_info": ["10"], **criteria}
    return {"id": "7", "user_scenario": {"instructions": scenario}, "evaluation_criteria": criteria}


def test_tau2_tasks(tmp_path):
    path = tau2(
        tmp_path,
        tau2_task(reward_basis=["DB", "NL_ASSERTION"]),
        tau2_task("You are Bob.", reward_basis=["DB", "COMMUNICATE"], actions=None),
        tau2_task("You are Bob.", actions=None),  # as tau2 reads it, that is the same
        tau2_task("You are Bob.", reward_basis=["DB", "ACTION", "ENV_ASSERTION"], actions=None),
        tau2_task("You are Bob.", reward_basis=["DB"], actions=None, nl_assertions=["Be kind."]),
    )
    text = "You want to cancel order #W1.\nYou are Ann Lee in 10001."
    gold = (("cancel_pending_order", CANCEL),)
    assert data.tau2_tasks(path, BASE) == (
        data.Task(0, "ann_lee_1", text, gold),
        data.Task(1, "", "You are Bob.", (), ("10",)),
        data.Task(2, "", "You are Bob.", (), ("10",)),
        data.Task(3, "", "You are Bob."),
        data.Task(4, "", "You are Bob."),
    )


def test_tau2_tasks_that_a_judge_decides_are_refused(domains, tmp_path, monkeypatch):
    judged = tau2_task("You are Bob.", reward_basis=["DB", "NL_ASSERTION"], nl_assertions=["Kind."])
    path = tau2(tmp_path, tau2_task(), {**judged, "id": "8"}, {**judged, "id": "9"})
    with pytest.raises(DataMissing) as error:
        data.tau2_tasks(path, BASE)
    assert str(error.value) == (
        f"{path}: 2 of 3 tasks need a judge, and tau:retail has none (8, 9); remove these tasks "
        "from the file, or pass unjudged=True to score them without that part"
    )
    assert [task.unjudged for task in data.tau2_tasks(path, BASE, True)] == [False, True, True]
    monkeypatch.setenv(data.VARIABLE, str(ours(tmp_path / "data", domains)))
    with pytest.raises(DataMissing, match="2 of 3 tasks need a judge"):
        make("tau:retail", split=str(path))
    env = make("tau:retail", split=str(path), unjudged=True)
    for task, told in ((0, {}), (2, {"unjudged": True})):
        env.reset(options={"task": task})
        env.step(STOP)
        assert {k: v for k, v in env.info("user").items() if k == "unjudged"} == told


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "is not valid JSON"),
        ("{}", "expected a list of tasks, got a dict"),
        ("[7]", "task 0: expected a task of tau2-bench, got 7"),
        ('[{"id": "7"}]', "task 7: 'user_scenario' is missing"),
        (json.dumps([tau2_task({})]), "task 7: the scenario is empty; expected reason_for"),
        (json.dumps([tau2_task(actions=[{"name": "think"}])]), "task 7: 'arguments' is missing"),
        (
            json.dumps([tau2_task(actions=[{"name": "burn", "arguments": {}}])]),
            "task 7: retail has no tool 'burn'; it has calculate, ",
        ),
        (
            json.dumps([{**tau2_task(), "initial_state": {"message_history": [1]}}]),
            "task 7: tasks with an initial_state cannot be played",
        ),
        (
            json.dumps([tau2_task(reward_basis=["DB", "ACTION"])]),
            "task 7: reward_basis must have DB and .*, got DB, ACTION",
        ),
        (
            json.dumps([tau2_task(reward_basis=["DB", "ENV_ASSERTION"], env_assertions=[{}])]),
            "task 7: reward_basis must have DB and .*, got DB, ENV_ASSERTION",
        ),
        (
            json.dumps([tau2_task(reward_basis=["COMMUNICATE"])]),
            "task 7: reward_basis must have DB and .*, got COMMUNICATE",
        ),
        (json.dumps([tau2_task(reward_basis=7)]), "task 7: expected a task of tau2-bench"),
    ],
)
def test_a_wrong_file_of_tau2_says_what_is_missing(tmp_path, content, message):
    path = tmp_path / "tasks.json"
    path.write_text(content)
    with pytest.raises(DataMissing, match=message) as error:
        data.tau2_tasks(path, BASE)
    assert str(error.value).startswith(str(path))


def test_tau2_without_its_file(tmp_path):
    with pytest.raises(DataMissing, match=r"none\.json cannot be read \(No such file.*of tau2-"):
        data.tau2_tasks(tmp_path / "none.json", BASE)


def test_tau2_is_a_split_of_retail(domains, tmp_path, monkeypatch):
    domains["retail"]["orders.json"] = {"#W1": {"user_id": "ann", "status": "pending"}}
    path = tau2(tmp_path, tau2_task())
    monkeypatch.setenv(data.VARIABLE, str(ours(tmp_path / "data", domains)))
    env = make("tau:retail", split=str(path))
    env.reset(seed=0, options={"task": 0})
    (turn,) = [env.turn("user")]
    assert "You want to cancel order #W1." in str(turn)
    (one,) = data.load("retail", path).tasks
    assert one.user_id == "ann"
