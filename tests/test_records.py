"""Episodes on disk and played again."""

import errno
import json
import os
import shutil
from dataclasses import replace

import numpy as np
import pytest
from playable import GAMES

import gem_ma
from gem_ma import Reply, load_episodes, rollout, save_episodes, to_dataset
from gem_ma.agents import FunctionAgent
from gem_ma.envs.tic_tac_toe import TicTacToe
from gem_ma.episode import ReplayError
from gem_ma.messages import Picture
from gem_ma.records import EpisodeFile, NotARecord, pictures_of

TWO = "game:TicTacToe-v0"


def told(turn):
    """Reply as a model does, with all that it can tell."""
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    return Reply(
        turn.legal[turn.seed % len(turn.legal)] if turn.index != 1 else "junk \ud800 \u2028 <b>",
        token_ids=[1, 2],
        logprobs=[-0.5, -1.25],
        finish_reason="stop",
        usage={"prompt_tokens": 9},
        tool_calls=[call] if turn.index == 2 else (),
        latency=0.25,
    )


LONG = ("game:Chess-v0", "game:Game2048-v0")


@pytest.mark.parametrize("env", GAMES)
@pytest.mark.parametrize("observe", ["text", "image", "both"])
def test_every_environment_is_replayed_and_read_back(env, observe, tmp_path):
    # Hundreds of pictures of one game show nothing that fifty do not.
    limit = {"max_turns": 50} if observe != "text" and env in LONG else {}
    episodes = rollout(env, "random", 3, seed=5, observe=observe, **limit)
    for episode in episodes:
        assert not episode.failure
        assert episode.replay() == episode
    out = tmp_path / "out.jsonl"
    save_episodes(episodes, out)
    back = list(load_episodes(out))
    assert back == episodes
    if observe != "text":
        for old, new in zip(episodes[0].steps, back[0].steps, strict=True):
            assert np.array_equal(old.observation["image"].array, new.observation["image"].array)
            assert old.observation["image"].alt == new.observation["image"].alt
        assert back[0].messages(back[0].steps[0].agent) == episodes[0].messages(
            back[0].steps[0].agent
        )


@pytest.mark.parametrize(
    "arguments", [{"invalid": "random"}, {"max_turns": 3}, {"format": "boxed"}]
)
def test_arguments_of_the_environment_come_back_too(arguments, tmp_path):
    (episode,) = rollout(TWO, told, seed=1, **arguments)
    assert dict(episode.spec.kwargs) == arguments
    save_episodes([episode], tmp_path / "out.jsonl")
    (back,) = load_episodes(tmp_path / "out.jsonl")
    back.replay()


def test_replies_come_back_with_all_that_was_told(tmp_path):
    episodes = rollout(TWO, told, 5, seed=1)
    save_episodes(episodes, tmp_path / "out.jsonl")
    back = list(load_episodes(tmp_path / "out.jsonl"))
    assert back == episodes
    for old, new in zip(episodes[0].steps, back[0].steps, strict=True):
        assert new.reply.fields() == old.reply.fields()
        assert new.seconds == old.seconds
    plain = rollout(TWO, "random", seed=1)
    save_episodes(plain, tmp_path / "plain.jsonl")
    (back,) = load_episodes(tmp_path / "plain.jsonl")
    assert type(back.steps[0].reply) is str


def test_a_failed_episode_is_kept_as_failed(tmp_path):
    def fails(turn):
        raise OSError("down")

    episodes = rollout(TWO, fails, 2, seed=0)
    save_episodes(episodes, tmp_path / "out.jsonl")
    assert list(load_episodes(tmp_path / "out.jsonl")) == episodes
    assert episodes[0].replay() == episodes[0]


def test_a_game_of_ones_own_is_found_again_by_its_class():
    (episode,) = rollout(gem_ma.Env(TicTacToe(), id="mine"), "random", seed=0)
    assert episode.spec.entry_point == "gem_ma.envs.tic_tac_toe:TicTacToe"
    assert episode.replay() == episode


def test_what_differs_in_a_replay_is_named():
    (episode,) = rollout(TWO, "random", seed=0)
    steps = episode.steps
    changed = replace(episode, steps=[*steps[:2], replace(steps[2], text="other"), *steps[3:]])
    with pytest.raises(ReplayError, match=r"step 2, x: the text is .* and was 'other'"):
        changed.replay()
    with pytest.raises(ReplayError, match="returns are"):
        replace(episode, returns={"x": 0.5, "o": 0.5}).replay()
    with pytest.raises(ReplayError, match="to act, not o"):
        replace(episode, steps=[replace(steps[0], agent="o"), *steps[1:]]).replay()
    with pytest.raises(ReplayError, match="returns are"):
        replace(episode, steps=steps[:-1]).replay()
    with pytest.raises(ReplayError):
        replace(
            episode,
            seed=episode.seed + 1,
            spec=gem_ma.Spec("x", "gem_ma.envs.kuhn_poker:KuhnPoker"),
        ).replay()


def test_each_picture_is_written_once_and_can_be_left_out(tmp_path):
    episodes = rollout(TWO, "random", 20, seed=0, observe="image", image_size=(84, 84))
    out = tmp_path / "out.jsonl"
    save_episodes(episodes, out)
    files = list(pictures_of(out).iterdir())
    keys = {step.observation["image"].key for e in episodes for step in e.steps}
    assert {file.stem for file in files} == keys
    assert all(file.suffix == ".png" for file in files)

    bare = tmp_path / "bare.jsonl"
    save_episodes(episodes, bare, pictures=False)
    assert not pictures_of(bare).exists()
    back = list(load_episodes(bare))
    assert back == episodes  # by their keys
    with pytest.raises(FileNotFoundError, match=r"was not saved; episode.replay\(\) draws it"):
        back[0].steps[0].observation["image"].array  # noqa: B018
    drawn = back[0].replay().steps[0].observation["image"]
    assert np.array_equal(drawn.array, episodes[0].steps[0].observation["image"].array)

    moved = tmp_path / "elsewhere"
    moved.mkdir()
    shutil.move(out, moved / "out.jsonl")
    shutil.move(pictures_of(out), moved / "out.pictures")
    first = next(load_episodes(moved / "out.jsonl"))
    assert first.steps[0].observation["image"].png.startswith(b"\x89PNG")


def test_a_line_that_was_cut_off_is_left_out_and_then_dropped(tmp_path):
    out = tmp_path / "out.jsonl"
    episodes = rollout(TWO, "random", 3, seed=0)
    save_episodes(episodes, out)
    whole = out.read_bytes()
    ends = [place + 1 for place, byte in enumerate(whole) if byte == 10]
    for cut in (ends[1] + 1, ends[1] + 500, len(whole) - 1):
        out.write_bytes(whole[:cut])
        assert list(load_episodes(out)) == episodes[:2]
        save_episodes(episodes[2:], out)
        assert out.read_bytes() == whole
    for cut in (0, 1, 5, 12):  # in the first line
        out.write_bytes(whole[:cut])
        assert list(load_episodes(out)) == []
        save_episodes(episodes, out)
        assert out.read_bytes() == whole


def test_a_file_of_something_else_is_left_as_it_is(tmp_path):
    for content in (b"notes, and no newline", b"{}\n", b'{"a": 1}', b"\x89PNG\r\n"):
        other = tmp_path / "notes.txt"
        other.write_bytes(content)
        with pytest.raises(NotARecord, match="is no file of episodes: it begins with"):
            EpisodeFile(other)
        with pytest.raises(NotARecord):
            list(load_episodes(other))
        with pytest.raises(NotARecord):
            rollout(TWO, "random", out=other, resume=True)
        assert other.read_bytes() == content
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        EpisodeFile(tmp_path / "nowhere" / "out.jsonl")


def test_a_line_that_is_damaged_is_named(tmp_path):
    out = tmp_path / "out.jsonl"
    save_episodes(rollout(TWO, "random", 3, seed=0), out)
    lines = out.read_bytes().splitlines(keepends=True)
    out.write_bytes(lines[0] + lines[1][:40] + b"\n" + lines[2])
    with pytest.raises(NotARecord, match="line 2: no episode"):
        list(load_episodes(out))
    newer = json.loads(lines[1])
    newer["gem_ma"] = 99
    out.write_bytes(lines[0] + json.dumps(newer).encode() + b"\n")
    with pytest.raises(NotARecord, match="line 2: written in format 99"):
        list(load_episodes(out))


def test_a_full_disk_leaves_whole_lines(tmp_path, monkeypatch):
    out = tmp_path / "out.jsonl"
    episodes = rollout(TWO, "random", 2, seed=0)
    write = os.write

    def full(file, data):
        if len(data) < 900:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(file, data[:100])

    with EpisodeFile(out) as file:
        file.append(episodes[0])
        monkeypatch.setattr(os, "write", full)
        with pytest.raises(OSError, match="No space left"):
            file.append(episodes[1])
        monkeypatch.undo()
        assert list(load_episodes(out)) == episodes[:1]
        file.append(episodes[1])
    assert list(load_episodes(out)) == episodes


@pytest.mark.parametrize("workers", [0, 2])
def test_a_full_disk_ends_the_run_and_is_nobodys_loss(workers, tmp_path, monkeypatch):
    out = tmp_path / "out.jsonl"
    append, left = EpisodeFile.append, [3]

    def full(self, episode):
        left[0] -= 1
        if left[0] < 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        append(self, episode)

    monkeypatch.setattr(EpisodeFile, "append", full)
    agent = FunctionAgent(lambda turn: turn.legal[0], workers=workers)
    with pytest.raises(OSError, match="No space left"):
        rollout(TWO, agent, 50, seed=0, out=out, concurrency=4)
    monkeypatch.undo()
    assert len(list(load_episodes(out))) == 3
    again = rollout(TWO, agent, 50, seed=0, out=out, resume=True)
    assert len(again) == 50
    assert not any(episode.failure for episode in again)


def test_a_data_set_has_a_row_for_each_seat(tmp_path):
    datasets = pytest.importorskip("datasets", reason="pip install 'gem-ma[datasets]'")
    episodes = rollout(TWO, told, 4, seed=0, observe="both", image_size=(84, 84))
    data = to_dataset(episodes)
    assert len(data) == 8
    assert data[0]["seat"] == "x"
    assert data[0]["return"] == episodes[0].returns["x"]
    steps = [step for step in episodes[0].steps if step.agent == "x"]
    assert data[0]["rewards"] == [step.reward for step in steps]
    images = data[0]["images"]
    assert len(images) == len(steps)
    assert np.array_equal(np.array(images[0]), steps[0].observation["image"].array)
    roles = [message["role"] for message in data[0]["messages"]]
    assert roles[:3] == ["system", "user", "assistant"]
    assert data[0]["messages"][1]["content"][0]["type"] == "image"
    path = str(tmp_path / "data.parquet")
    data.to_parquet(path)
    back = datasets.load_dataset("parquet", data_files=path, cache_dir=str(tmp_path / "cache"))
    assert back["train"][0]["messages"] == data[0]["messages"]
    text = to_dataset(rollout(TWO, "random", 2, seed=0))
    assert text[0]["images"] == []
    assert text.features == data.features


def test_a_picture_that_cannot_be_drawn_costs_its_episode(tmp_path):
    small = {"observe": "image", "image_size": (40, 40)}
    out = tmp_path / "out.jsonl"
    episodes = rollout("game:KuhnPoker-v0", "random", 3, seed=0, out=out, **small)
    assert {episode.failure.kind for episode in episodes} == {"BadScene"}
    assert sorted(load_episodes(out), key=lambda episode: episode.number) == episodes


def test_pictures_of_records_hold_no_pixels():
    episodes = rollout(TWO, "random", 1, seed=0, observe="image")
    shown = episodes[0].steps[0].observation["image"]
    assert isinstance(shown, Picture)
    assert "not drawn" in repr(shown)
