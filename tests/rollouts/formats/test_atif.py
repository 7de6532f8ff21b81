"""Trajectories in ATIF against atif 1.8.0: its models take each, and each becomes its episode."""

import contextlib
import copy
import json
import shutil

import pytest
import record_kinds
from needed import needed
from playable import EVERY_ID

import gem_ma
from gem_ma import Step, rollout
from gem_ma.rollouts import RecordError
from gem_ma.rollouts.formats.atif import read_atif, write_atif
from gem_ma.rollouts.formats.transcripts import NAMESPACE

atif = needed("atif", install="'gem-ma[atif]'")


def write(episodes, tmp_path, name="out"):
    write_atif(episodes, tmp_path / name)
    return tmp_path / name


def read_json(path):
    return json.loads(path.read_text("utf-8"))


def check(episodes, tmp_path):
    """Check files by the library, and that they become the same episodes and pictures."""
    out = write(episodes, tmp_path)
    files = sorted(out.rglob("*.json"))
    assert len(files) == sum(len(episode.agents) for episode in episodes)
    for file in files:
        atif.Trajectory.model_validate_json(file.read_bytes())
    back = list(read_atif(out))
    assert record_kinds.tell(back) == record_kinds.tell(episodes)
    assert record_kinds.draw(back) == record_kinds.draw(episodes)
    return files


@pytest.mark.parametrize("kind", record_kinds.KINDS)
def test_every_kind_of_record_is_valid_and_comes_back(kind, tmp_path):
    check(record_kinds.record(kind), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("id", EVERY_ID)
def test_records_of_every_environment_are_valid_and_come_back(id, tmp_path):
    spec = gem_ma.spec(id)
    looks = ("text", "both") if not id.startswith("tau") else ("text",)
    for observe in looks:
        try:
            episodes = rollout(spec.id, "random", seed=0, observe=observe, max_turns=8)
        except ValueError:  # it has no picture
            continue
        check(episodes, tmp_path)
        shutil.rmtree(tmp_path / "out")


def test_seats_are_linked_and_share_a_session(tmp_path):
    (episode,) = rollout(record_kinds.SAME_TIME, "random", seed=0, rounds=2)
    out = write([episode], tmp_path)
    seats = [atif.Trajectory.model_validate(read_json(f)) for f in sorted(out.rglob("*.json"))]
    assert [one.extra[NAMESPACE]["seat"] for one in seats] == ["left", "right"]
    assert {one.session_id for one in seats} == {episode.id}
    for one, other in zip(seats, seats[::-1], strict=True):
        (link,) = one.steps[0].observation.results[-1].subagent_trajectory_ref
        assert link.trajectory_id == other.trajectory_id
        named = atif.Trajectory.model_validate(read_json(out / "000000" / link.trajectory_path))
        assert named.trajectory_id == other.trajectory_id
    # Both acted at the same time, which their steps say.
    numbers = [
        [s.extra[NAMESPACE]["step"]["number"] for s in one.steps if s.extra] for one in seats
    ]
    assert numbers == [[0, 1], [0, 1]]


def test_what_atif_has_a_place_for_stands_there_and_only_there(tmp_path):
    (episode, *_) = record_kinds.record("tokens")
    first = read_json(sorted(write([episode], tmp_path).rglob("*.json"))[0])
    steps = [step for step in first["steps"] if step["source"] == "agent"]
    own = [step for step in episode.steps if step.agent == "x"]
    assert [step["message"] for step in steps] == [str(step.reply) for step in own]
    assert steps[1]["metrics"]["prompt_token_ids"] == [1, 2, 3, 1, 2, 3]
    assert steps[1]["metrics"]["completion_token_ids"] == [4, 5]
    assert steps[1]["metrics"]["prompt_tokens"] == 6
    assert steps[1]["metrics"]["extra"] == {"reasoning_tokens": 1}
    said = {name for step in steps for name in step["extra"][NAMESPACE]["step"]}
    assert said == {
        *("index", "number", "move", "reward", "seconds", "reply.calls", "reply.allowed_ids"),
        *("reply.finish_reason", "reply.latency", "reply.policy_version"),
    }
    assert first["final_metrics"]["total_completion_tokens"] == 2 * len(own)
    assert first["final_metrics"]["extra"] == {"return": episode.returns["x"]}


def test_tool_calls_stand_with_their_results(tmp_path):
    (episode, *_) = record_kinds.record("native calls")
    first = read_json(sorted(write([episode], tmp_path).rglob("*.json"))[0])
    assert [tool["function"]["name"] for tool in first["agent"]["tool_definitions"]] == ["look"]
    one, broken = (step for step in first["steps"][:5] if step["source"] == "agent")
    assert [call["arguments"] for call in one["tool_calls"]] == [{"cell": 1}, {"cell": 2}]
    results = [r for r in one["observation"]["results"] if "content" in r]
    assert [r["source_call_id"] for r in results] == ["a", "b"]
    assert results[0]["content"] == "cell 1 looks free\nand nice"
    assert broken["tool_calls"][0]["arguments"] == {"arguments": "{broken"}


def test_pictures_are_files_beside_the_trajectory(tmp_path):
    (episode, *_) = record_kinds.record("pictures")
    out = write([episode], tmp_path)
    first = read_json(sorted(out.rglob("*.json"))[0])
    picture = episode.steps[0].observation["image"]
    (part, *_) = first["steps"][1]["message"]
    assert (out / "000000" / part["source"]["path"]).read_bytes() == picture.png
    assert first["steps"][1]["extra"][NAMESPACE]["alts"] == [picture.alt]


def test_thoughts_in_the_text_are_reasoning(tmp_path):
    episode = copy.deepcopy(record_kinds.record("turns")[0])
    episode.steps[0].reply = "<think>I see.</think>4"
    episode.steps[1].reply = "so </think> 3 <think>"
    files = check([episode], tmp_path)
    said = []
    for file in files:
        steps = read_json(file)["steps"]
        (one, *_) = [step for step in steps if step["source"] == "agent"]
        said.append((one.get("reasoning_content"), one["message"]))
    assert said == [("I see.", "4"), ("so ", " 3 <think>")]


def test_a_turn_without_a_reply_comes_back(tmp_path):
    episode = copy.deepcopy(record_kinds.record("failures")[0])
    episode.steps.append(Step("o", 9, {"text": "your turn"}, "your turn"))
    check([episode], tmp_path)


def test_earlier_steps_are_marked_as_copied(tmp_path):
    (episode, *_) = record_kinds.record("branches")
    steps = [s for f in write([episode], tmp_path).rglob("*.json") for s in read_json(f)["steps"]]
    assert sum(step.get("is_copied_context", False) for step in steps) == episode.begun == 3


def test_a_missing_seat_is_named(tmp_path):
    out = write(record_kinds.record("turns"), tmp_path)
    next(out.rglob("1-o.json")).unlink()
    with pytest.raises(RecordError, match="the seats o are missing"):
        list(read_atif(out))


FOREIGN = {
    "schema_version": "ATIF-v1.8",
    "session_id": "s",
    "agent": {
        "name": "terminus",
        "version": "2",
        "model_name": "m",
        "tool_definitions": [{"type": "function", "function": {"name": "ls"}}],
    },
    "steps": [
        {"step_id": 1, "source": "system", "message": "You work."},
        {
            "step_id": 2,
            "source": "user",
            "message": [
                {"type": "text", "text": "Look."},
                {"type": "image", "source": {"media_type": "image/png", "path": "a/1.png"}},
                {"type": "image", "source": {"media_type": "image/png", "path": "../1.png"}},
                {"type": "audio", "source": {"media_type": "audio/wav", "path": "http://x/1.wav"}},
            ],
        },
        {
            "step_id": 3,
            "source": "agent",
            "message": "ok",
            "reasoning_content": "hm",
            "tool_calls": [{"tool_call_id": "c", "function_name": "ls", "arguments": {"p": "."}}],
            "observation": {"results": [{"source_call_id": "c", "content": "a.txt"}]},
            "metrics": {"prompt_tokens": 5, "completion_tokens": 2, "cost_usd": 0.5},
        },
        {"step_id": 4, "source": "agent", "message": "done"},
    ],
    "final_metrics": {"total_steps": 4},
    "subagent_trajectories": [
        {
            "schema_version": "ATIF-v1.8",
            "trajectory_id": "sub",
            "agent": {"name": "helper", "version": "1"},
            "steps": [{"step_id": 1, "source": "user", "message": "help"}],
        }
    ],
}


def test_a_trajectory_of_another_program_is_an_episode(tmp_path):
    (tmp_path / "t.json").write_text(json.dumps(FOREIGN))
    (tmp_path / "a").mkdir()
    picture = record_kinds.draw(record_kinds.record("pictures"))[0]
    (tmp_path / "a" / "1.png").write_bytes(picture)
    for path in (tmp_path, tmp_path / "t.json"):
        episode, helper = read_atif(path)
        assert episode.agents == {"agent": "m"}
        assert [message["role"] for message in episode.messages("agent")] == [
            *("system", "user", "assistant", "tool", "assistant")
        ]
        first, second = episode.steps
        assert first.observation["image"].png == picture
        assert first.text == "Look.\n[image: ../1.png]\n[audio: http://x/1.wav]"
        assert first.reply.thinking_blocks[0]["thinking"] == "hm"
        assert first.reply.usage["prompt_tokens"] == 5
        assert second.results == ("a.txt",)
        assert (second.text, second.reply) == ("tool: a.txt", "done")
        assert episode.tools["agent"][0]["function"]["name"] == "ls"
        assert helper.messages("agent") == [{"role": "user", "content": "help"}]
    saved = tmp_path / "saved.jsonl"
    gem_ma.save_episodes([episode], saved)
    assert list(gem_ma.load_episodes(saved)) == [episode]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "not JSON"),
        ("[]", "schema_version ATIF-v1.8"),
        ('{"schema_version": "ATIF-v1.8", "steps": []}', "agent"),
        ("[" * 100_000, "no trajectory"),
    ],
)
def test_other_files_are_refused(text, words, tmp_path):
    (tmp_path / "t.json").write_text(text)
    with pytest.raises(RecordError, match=words):
        list(read_atif(tmp_path))


def test_an_empty_folder_is_refused(tmp_path):
    with pytest.raises(RecordError, match="expected trajectories"):
        list(read_atif(tmp_path))


def places(value, path=()):
    """Yield the way to every value inside of our own data."""
    inner = value.items() if isinstance(value, dict) else ()
    if isinstance(value, list):
        inner = enumerate(value[:1])
    for key, one in inner:
        yield (*path, key)
        yield from places(one, (*path, key))


def test_wrong_data_of_our_own_is_a_record_error_or_harmless(tmp_path):
    out = write([record_kinds.record("one seat")[0]], tmp_path)
    (file,) = out.rglob("*.json")
    right = read_json(file)
    tried = 0
    for wrong in (None, 3, "x", [], {}, [1], {"a": 1}):
        for path in [("extra", NAMESPACE, *way) for way in places(right["extra"][NAMESPACE])] + [
            ("steps", 2, "extra", NAMESPACE, *way)
            for way in places(right["steps"][2]["extra"][NAMESPACE])
        ]:
            data = copy.deepcopy(right)
            place = data
            for key in path[:-1]:
                place = place[key]
            place[path[-1]] = wrong
            file.write_text(json.dumps(data))
            tried += 1
            with contextlib.suppress(RecordError):
                list(read_atif(out))
    assert tried > 100


def test_a_link_to_a_file_elsewhere_is_no_picture(tmp_path):
    (tmp_path / "secret").write_bytes(b"secret")
    folder = tmp_path / "t"
    folder.mkdir()
    (folder / "t.json").write_text(json.dumps({**FOREIGN, "subagent_trajectories": None}))
    (folder / "a").mkdir()
    (folder / "a" / "1.png").symlink_to(tmp_path / "secret")
    (episode,) = read_atif(folder)
    assert "image" not in episode.steps[0].observation
    assert "[image: a/1.png]" in episode.steps[0].text
