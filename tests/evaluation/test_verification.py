"""Submissions that are checked: all that is forged, edited, left out or doubled is found."""

import json
import shutil
import sys

import packs
import pytest

from gem_ma.chat.reply import Reply
from gem_ma.cli.main import main
from gem_ma.evaluation import evaluate, merge_results
from gem_ma.evaluation.suites import make_suite, parse_suite

NIM, LAKE = "game:Nim-v0", "game:FrozenLake-v0-easy"


def play(out, ids=(NIM, LAKE), agents="model", **more):
    """Let a model that nobody can ask again play."""

    def model(turn):
        return Reply(turn.legal[turn.seed % len(turn.legal)], usage={"prompt_tokens": 3})

    defaults = {"tasks": 3, "trials": 2, "progress": False, "named": {"model": model}}
    suite = ids if not isinstance(ids, tuple) else make_suite(ids)
    return evaluate(suite, agents, out, **{**defaults, **more})


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    folder = tmp_path_factory.mktemp("played") / "one"
    play(folder)
    return folder


@pytest.fixture
def folder(played, tmp_path):
    """Return a copy of an honest submission."""
    return shutil.copytree(played, tmp_path / "copy")


def verify(*folders):
    return merge_results(folders, verify=True)


def edit_records(folder, change, cell=0):
    """Change the records of a row; `change` takes a list of them, and changes it in place."""
    cells = json.loads((folder / "cells.json").read_text())
    path = folder / "episodes" / cells[cell]["file"]
    records = [json.loads(line) for line in path.read_text().splitlines()]
    records.sort(key=lambda one: one["number"])
    change(records)
    path.write_text("".join(f"{json.dumps(one)}\n" for one in records))


def edit_json(folder, name, change):
    data = json.loads((folder / name).read_text())
    change(data)
    (folder / name).write_text(json.dumps(data))


def rows_left(found):
    return [key for table in found.tables for line in table.agent_results for key in line.results]


def test_an_honest_submission_is_verified(folder, capsys):
    found = verify(folder)
    assert found.refused == []
    assert rows_left(found) == [(NIM, "first"), (NIM, "second"), (LAKE, "player")]
    assert found.to_dict() == merge_results([folder]).to_dict()
    assert main(["leaderboard", "--verify", f"a={folder}"]) == 0
    assert "verified: 18 episodes" in capsys.readouterr().out


@packs.needs("tau")
def test_agents_of_packs_are_played_again(tmp_path):
    entry = {"id": "tau:shop", "seats": ["assistant"], "opponents": "rule-user"}
    play(tmp_path / "a", parse_suite({"entry": [entry]}, "mine"), "informed-assistant", tasks=2)
    assert verify(tmp_path / "a").refused == []

    def hello(records):
        step = next(one for one in records[0]["steps"] if one["agent"] == "user")
        step["reply"] = "Hello."

    edit_records(tmp_path / "a", hello)
    assert "user, played by rule-user, replies " in verify(tmp_path / "a").refused[0]


def test_tools_are_called_again(tmp_path):
    suite = parse_suite(
        {"entry": [{"id": LAKE, "tools": "python", "arguments": {"max_turns": 6}}]}, "mine"
    )
    call = {"name": "python", "arguments": {"code": "print(6 * 7)"}}
    calls = f"<tool_call>{json.dumps(call)}</tool_call>"

    def model(turn):
        return turn.legal[0] if turn.results else calls

    play(tmp_path / "a", suite, tasks=1, trials=1, named={"model": model})
    assert verify(tmp_path / "a").refused == []

    def other_result(records):
        step = next(one for one in records[0]["steps"] if one.get("results"))
        step["results"] = [one.replace("42", "43") for one in step["results"]]

    edit_records(tmp_path / "a", other_result)
    assert "the results is " in verify(tmp_path / "a").refused[0]


def drop(*numbers):
    def change(records):
        records[:] = [one for one in records if one["number"] not in numbers]

    return change


def set_reply(text):
    def change(records):
        records[0]["steps"][0]["reply"] = text

    return change


def set_returns(records):
    for one in records:
        one["returns"] = dict.fromkeys(one["returns"], 1.0)


def set_rewards(records):
    records[0]["steps"][-1]["reward"] += 1


def copy_number(records):
    records.append(records[0])


def copy_under_another_number(records):
    records[1] = {**records[0], "number": 1}


def copy_under_another_name(records):
    records[1] = {**records[0], "number": 1, "id": records[1]["id"]}


def copy_a_start(records):
    kept = {name: records[2][name] for name in ("number", "id", "group", "seed")}
    records[2] = {**records[0], **kept}


def set_all(name, value):
    def change(records):
        for one in records:
            one[name] = value

    return change


def without_seed(records):
    del records[0]["seed"]


def stop_early(records):
    del records[0]["steps"][-1]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (drop(4), "missing: episode 4"),
        (drop(0, 3, 5), "missing: episodes 0, 3, 5"),
        (set_reply("nonsense"), "episode 0: "),
        (set_returns, "returns is "),
        (set_rewards, "reward of step "),
        (copy_number, "there more than once: episode 0"),
        (copy_under_another_number, "episode 1: id is '0-0.1' in the replay, and '0-0' in the"),
        (copy_under_another_name, "is the same record as episode 0 of "),
        (copy_a_start, "episode 2 is the same record as episode 0 of"),
        (set_all("version", "0.0.1"), "played by another release than"),
        (set_all("agents", {"player": "other"}), "agents is {'player': 'model'} in the replay"),
        (set_all("seed", 7), "seed is "),
        (without_seed, "the field seed is missing"),
        (stop_early, "episode 0: it stops before its end: player is to act"),
        (set_all("ended", "truncated"), "ended is 'terminated' in the replay, and 'truncated'"),
        (set_all("report", {"won": True}), "report is "),
        (set_all("rules", {"player": "Win."}), "rules is "),
        (set_all("wrappers", ["ToolEnv"]), "wrappers is () in the replay"),
        (set_all("options", {"level": 1}), "options is {} in the replay"),
        (lambda records: records[0].update(number=9), "beyond the 6 of the row: episode 9"),
        (lambda records: records.clear(), "missing: episodes 0, 1, 2, 3, 4 and 1 more"),
    ],
)
def test_what_is_wrong_with_records_is_found(folder, change, said):
    edit_records(folder, change, cell=2)
    found = verify(folder)
    assert rows_left(found) == [(NIM, "first"), (NIM, "second")]  # the others stay
    (refused,) = found.refused
    assert "model in " in refused
    assert "not verified: " in refused
    assert said in refused
    assert refused.endswith(f"({LAKE} player)")
    assert len(refused) < 1500


def test_a_failed_episode_is_no_episode(tmp_path):
    def fail(turn):
        if turn.episode.endswith("-1"):
            raise OSError("down")
        return turn.legal[0]

    play(tmp_path / "a", (LAKE,), trials=1, named={"model": fail})
    assert "failed: episode 1" in verify(tmp_path / "a").refused[0]


def test_an_opponent_that_plays_otherwise_is_found(tmp_path):
    """The moves are legal and the returns are right, but search does not move like this."""
    play(tmp_path / "a", (NIM,), seats={}, trials=1, named={"model": lambda turn: turn.legal[-1]})
    weak = {"random": lambda turn: turn.legal[0], "model": lambda turn: turn.legal[-1]}
    play(tmp_path / "b", (NIM,), trials=1, named=weak)
    assert verify(tmp_path / "a").refused == []
    refused = verify(tmp_path / "b").refused
    assert len(refused) == 2
    for one in refused:
        assert "played by random, replies " in one


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda data: data["rows"][0]["success"].update(value=0.99), "results.json has success"),
        (lambda data: data["rows"][0].update(episodes=7), "results.json has episodes 7"),
        (lambda data: data["rows"][0]["tokens"].update(value=1.0), "results.json has tokens"),
        (lambda data: data["entries"][0].update(success=-5.0), "results.json has entries"),
        (lambda data: data.update(seed=3), "results.json has seed 3, and the records give 0"),
        (lambda data: data["rows"].append(data["rows"][0]), "results.json has a row twice"),
        (lambda data: data["rows"].pop(), f"results.json lacks the row {LAKE} player"),
    ],
)
def test_results_that_the_records_do_not_give_are_refused(folder, change, said):
    edit_json(folder, "results.json", change)
    found = verify(folder)
    assert found.tables == []
    assert all("not verified: " in one for one in found.refused)
    assert said in found.refused[0]


def test_rows_that_were_left_out_are_missed(folder):
    edit_json(folder, "cells.json", lambda cells: cells.pop())
    edit_json(folder, "results.json", lambda data: data["rows"].pop())
    found = verify(folder)
    assert found.tables == []
    assert f"the row {LAKE} of the suite is missing" in found.refused[0]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda cells: cells[0].update(file="../../other.jsonl"), "names other seats or another"),
        (lambda cells: cells[0]["agents"].update(second="other"), "names other agents than"),
        (lambda cells: cells[0].update(lineup=["second"]), "is missing"),
    ],
)
def test_other_cells_than_those_of_the_suite_are_refused(folder, change, said):
    edit_json(folder, "cells.json", change)
    found = verify(folder)
    assert found.tables == []
    assert said in found.refused[0]


def test_the_records_of_another_submission_are_found(folder, tmp_path):
    other = shutil.copytree(folder, tmp_path / "other")
    for path in (other / "about.json", other / "cells.json", other / "results.json"):
        path.write_text(path.read_text().replace('"model"', '"mine"'))
    for path in (other / "episodes").glob("*.jsonl"):
        path.write_text(path.read_text().replace('"model"', '"mine"'))
    assert len(merge_results([folder, other]).tables[0].agent_results) == 2
    found = verify(folder, other)
    assert [line.agent for line in found.tables[0].agent_results] == ["model"]
    assert "mine in " in found.refused[0]
    assert "is the same record as episode 0 of " in found.refused[0]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"id": "evil_game.py:Game"}, "no environment 'evil_game.py:Game' is registered here"),
        ({"id": "evil_game:Game"}, "is registered here"),
        ({"tools": "evil_game.py:tool"}, "its tool 'evil_game.py:tool' reaches outside"),
        ({"tools": {"player": ["python", "mcp:http://h/"]}}, "its tool 'mcp:http://h/' reaches"),
        ({"arguments": {"map_file": "evil"}}, "is not registered with map_file='evil'"),
    ],
)
def test_no_code_of_a_submission_is_run(folder, tmp_path, monkeypatch, change, said):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "evil_game.py").write_text("raise SystemExit('it ran')")
    edit_json(folder, "about.json", lambda data: data["suite"]["entries"][1].update(change))
    found = verify(folder)
    assert found.tables == []
    assert said in found.refused[0]
    assert "evil_game" not in sys.modules


def test_the_command_says_what_was_left_out(folder, tmp_path, capsys):
    edit_records(folder, drop(2), cell=2)
    page = tmp_path / "page.html"
    assert main(["leaderboard", "--verify", str(folder), "--out", str(page)]) == 1
    said = capsys.readouterr().out
    assert "verified: 12 episodes" in said
    assert "missing: episode 2" in said
    assert "missing: episode 2" in page.read_text()
    assert main(["leaderboard", "--verify", "--json", str(folder)]) == 1
    assert "missing: episode 2" in json.loads(capsys.readouterr().out)["refused"][0]
    assert main(["leaderboard", str(folder)]) == 0  # nothing is checked without the option
