"""Episodes on disk and played again."""

import copy
import errno
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import packs
import pytest
import warm
from playable import FEW, GAMES, MECHANISMS, SHORT, unless

import gem_ma
from gem_ma import Reply, load_episodes, rollout, save_episodes
from gem_ma.agents import FunctionAgent
from gem_ma.chat.messages import Picture
from gem_ma.envs.boards.tic_tac_toe import TicTacToe
from gem_ma.envs.registry import UntrustedSpec
from gem_ma.rollouts.records import (
    EpisodeFile,
    RecordError,
    episode_from_json,
    episode_to_json,
    find_picture_folder,
)
from gem_ma.rollouts.replay import ReplayError
from gem_ma.scene import Grid
from gem_ma.validation import files
from gem_ma.validation.files import FileInUse

TWO = "game:TicTacToe-v0"
LONG = ("game:Backgammon-v0", "game:Chess-v0", "game:Game2048-v0")


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


@pytest.mark.parametrize(
    ("env", "observe", "count"),
    [
        *(
            unless(env in MECHANISMS, env, observe, 3)
            for observe in ("text", "image", "both")
            for env in GAMES
        ),
        *(
            unless(env in FEW, short, "both", 1)
            for env, short in zip(GAMES, SHORT, strict=True)
            if env not in MECHANISMS
        ),
    ],
)
def test_every_environment_is_replayed_and_read_back(env, observe, count, tmp_path):
    # Hundreds of pictures of one game show nothing that fifty do not, or fifteen by default.
    limit = {}
    if observe != "text" and env.removesuffix("-easy") in LONG:
        limit = {"max_turns": 15 if count == 1 else 50}
    episodes = rollout(env, "random", count, seed=5, observe=observe, **limit)
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
    assert episode.spec.entry_point == "gem_ma.envs.boards.tic_tac_toe:TicTacToe"
    assert episode.replay() == episode


def test_what_differs_in_a_replay_is_named():
    (episode,) = rollout(TWO, "random", seed=0)
    steps = episode.steps
    changed = replace(episode, steps=[*steps[:2], replace(steps[2], text="other"), *steps[3:]])
    with pytest.raises(ReplayError, match=r"step 2, x: the text is .*, but the record has 'other'"):
        changed.replay()
    with pytest.raises(ReplayError, match="returns are"):
        replace(episode, returns={"x": 0.5, "o": 0.5}).replay()
    with pytest.raises(ReplayError, match="x is to act, but in the record o acts"):
        replace(episode, steps=[replace(steps[0], agent="o"), *steps[1:]]).replay()
    with pytest.raises(ReplayError, match="returns are"):
        replace(episode, steps=steps[:-1]).replay()
    with pytest.raises(ReplayError):
        replace(
            episode,
            seed=episode.seed + 1,
            spec=gem_ma.Spec("x", "gem_ma.envs.cards.kuhn_poker:KuhnPoker"),
        ).replay()


def test_each_picture_is_written_once_and_can_be_left_out(tmp_path):
    episodes = rollout(TWO, "random", 20, seed=0, observe="image", image_size=(84, 84))
    out = tmp_path / "out.jsonl"
    save_episodes(episodes, out)
    files = list(find_picture_folder(out).iterdir())
    keys = {step.observation["image"].key for e in episodes for step in e.steps}
    assert {file.stem for file in files} == keys
    assert all(file.suffix == ".png" for file in files)

    bare = tmp_path / "bare.jsonl"
    save_episodes(episodes, bare, pictures=False)
    assert not find_picture_folder(bare).exists()
    back = list(load_episodes(bare))
    assert back == episodes  # by their keys
    with pytest.raises(FileNotFoundError, match=r"was not saved; episode.replay\(\) draws it"):
        back[0].steps[0].observation["image"].array  # noqa: B018
    told = episode_to_json(episodes[0])
    del told["steps"][0]["text"]  # as in a file that somebody else has written
    apart = episode_from_json(told).steps[0]
    assert apart.text == ""
    with pytest.raises(FileNotFoundError, match="the picture of this step was not saved"):
        apart.observation["image"].array  # noqa: B018
    drawn = back[0].replay().steps[0].observation["image"]
    assert np.array_equal(drawn.array, episodes[0].steps[0].observation["image"].array)

    moved = tmp_path / "elsewhere"
    moved.mkdir()
    shutil.move(out, moved / "out.jsonl")
    shutil.move(find_picture_folder(out), moved / "out.pictures")
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
        with pytest.raises(
            RecordError, match="is no file of episodes: expected lines that begin with"
        ):
            EpisodeFile(other)
        with pytest.raises(RecordError):
            list(load_episodes(other))
        with pytest.raises(RecordError):
            rollout(TWO, "random", out=other, resume=True)
        assert other.read_bytes() == content
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        EpisodeFile(tmp_path / "nowhere" / "out.jsonl")


def test_a_line_that_is_damaged_is_named(tmp_path):
    out = tmp_path / "out.jsonl"
    save_episodes(rollout(TWO, "random", 3, seed=0), out)
    lines = out.read_bytes().splitlines(keepends=True)
    out.write_bytes(lines[0] + lines[1][:40] + b"\n" + lines[2])
    with pytest.raises(RecordError, match="line 2: not an episode"):
        list(load_episodes(out))
    newer = json.loads(lines[1])
    newer["gem_ma"] = 99
    out.write_bytes(lines[0] + json.dumps(newer).encode() + b"\n")
    with pytest.raises(RecordError, match="line 2: the episode has format 99"):
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


class NoScene(TicTacToe):
    """A game whose picture makes no sense."""

    def picture(self, view, agent):
        return Grid(("z",), ())


def test_a_picture_that_cannot_be_drawn_costs_its_episode(tmp_path):
    out = tmp_path / "out.jsonl"
    env = gem_ma.Env(NoScene(), observe="image")
    episodes = rollout(env, "random", 3, seed=0, out=out)
    assert {episode.failure.kind for episode in episodes} == {"BadScene"}
    assert sorted(load_episodes(out), key=lambda episode: episode.number) == episodes


def test_pictures_of_records_hold_no_pixels():
    episodes = rollout(TWO, "random", 1, seed=0, observe="image")
    shown = episodes[0].steps[0].observation["image"]
    assert isinstance(shown, Picture)
    assert "not drawn" in repr(shown)


def places(value, path=()):
    """Yield the way to every value inside of JSON that is of a known kind."""
    inner = value.items() if isinstance(value, dict) else ()
    if isinstance(value, list):
        inner = enumerate(value[:1])
    for key, one in inner:
        yield (*path, key)
        if key not in ("options", "report", "kwargs", "usage", "tool_calls", "invalid"):
            yield from places(one, (*path, key))


def changed(data, path, *wrong):
    """Return JSON with another value at one place, or with none."""
    data = copy.deepcopy(data)
    place = data
    for key in path[:-1]:
        place = place[key]
    if wrong:
        (place[path[-1]],) = wrong
    else:
        del place[path[-1]]
    return data


@pytest.fixture
def record(tmp_path):
    rollout(TWO, told, seed=1, observe="both", out=tmp_path / "a.jsonl")
    data = json.loads((tmp_path / "a.jsonl").read_text())
    data["failure"] = {"seat": "x", "kind": "OSError", "message": "down"}
    data["steps"] = data["steps"][:1]
    return data


def test_a_record_with_anything_missing_is_none(record, tmp_path):
    needed = [
        path
        for path in places(record)
        if path[0] not in ("agents", "rules", "tools", "returns", "sandbox")
        and path[-1] not in ("gem_ma", 0, "text", "image", "id", "type", "function")
    ]
    told = {"token_ids", "logprobs", "finish_reason", "usage", "latency", "tool_calls"}
    needed = [path for path in needed if path[-1] not in told]
    assert len(needed) > 25
    for path in needed:
        line = json.dumps(changed(record, path))
        (tmp_path / "b.jsonl").write_text(line + "\n")
        words = f"line 1: not an episode: the field {path[-1]} is missing"
        with pytest.raises(RecordError, match=words):
            list(load_episodes(tmp_path / "b.jsonl"))


@pytest.mark.parametrize("wrong", [None, [], {}, "", 1.5, [[[]]], {"a": {}}, "\ud800", True])
def test_a_record_with_anything_of_another_kind_is_none(record, wrong):
    for path in places(record):
        try:
            episode = episode_from_json(changed(record, path, wrong))
        except RecordError:
            continue
        for seat in episode.agents:
            episode.chat(seat)
        assert isinstance(episode.seed, int)
        assert all(isinstance(step.text, str) for step in episode.steps)


def test_lines_that_are_no_json_of_ours(record, tmp_path):
    good = json.dumps(record).encode()
    for junk in (b"[" * 100_000, b"1" * 10_000, b"null", b"{}", b'{"gem_ma": [1]}'):
        (tmp_path / "b.jsonl").write_bytes(good + b"\n" + junk + b"\n")
        with pytest.raises(RecordError, match="line 2: "):
            list(load_episodes(tmp_path / "b.jsonl"))


KEYS = ("../../secret", "/etc/secret", "a/b", "..", ".", "", "a\0b", "a" * 129, "\u00e9", "a.b", 5)


@pytest.mark.parametrize("key", KEYS)
def test_a_key_of_a_picture_leads_out_of_no_folder(tmp_path, key):
    (episode,) = rollout(TWO, "random", seed=1, observe="image", out=tmp_path / "a.jsonl")
    data = json.loads((tmp_path / "a.jsonl").read_text())
    data["steps"][0]["observation"]["image"]["picture"] = key
    (tmp_path / "b.jsonl").write_text(json.dumps(data) + "\n")
    with pytest.raises(RecordError, match=r"is no key of a picture|picture is 5"):
        list(load_episodes(tmp_path / "b.jsonl"))
    shown = episode.steps[0].observation["image"]
    evil = Picture(shown.array, "a board", key=key)
    step = replace(episode.steps[0], observation={"image": evil})
    before = sorted(tmp_path.rglob("*"))
    with (
        EpisodeFile(tmp_path / "a.jsonl") as file,
        pytest.raises(RecordError, match="is no key of a picture"),
    ):
        file.append(replace(episode, steps=[step]))
    assert sorted(tmp_path.rglob("*")) == before
    assert len(list(load_episodes(tmp_path / "a.jsonl"))) == 1


GAME = """
import pathlib
pathlib.Path({mark!r}).touch()
from gem_ma.envs.boards.tic_tac_toe import TicTacToe

class Game(TicTacToe):
    pass
"""


def hostile(tmp_path, **spec):
    """Write a record that names a game of its own, which leaves a mark when it is imported."""
    package = tmp_path / "evil_pkg"
    package.mkdir(exist_ok=True)
    for name in ("__init__", "sub"):
        (package / f"{name}.py").write_text(GAME.format(mark=str(tmp_path / f"mark-{name}")))
    (episode,) = rollout(TWO, "random", seed=1)
    data = episode_to_json(episode)
    data["spec"] |= spec
    path = tmp_path / "evil.jsonl"
    path.write_text(json.dumps(data) + "\n")
    return path


SPECS = (
    {"id": "gym:evil_pkg.sub:X-v0"},
    {"id": "pz:evil_pkg.sub"},
    {"id": "mine:X", "entry_point": "evil_pkg.sub:Game"},
    {"entry_point": "evil_pkg.sub:Game"},
    {"needs": ["x:evil_pkg.sub"]},
    {
        "id": "duo:Debate/math:Mini",
        "entry_point": "gem_ma.envs.tasks.roles:Debate",
        "kwargs": {"task": "gym:evil_pkg.sub:X-v0"},
    },
    {"id": "duo:Debate/gym:evil_pkg.sub:X-v0", "entry_point": "gem_ma.envs.tasks.roles:Debate"},
    {
        "id": "gym:CartPole-v1",
        "entry_point": "gem_ma.envs.bridges.gymnasium:Gymnasium",
        "kwargs": {"id": "evil_pkg.sub:X-v0"},
    },
)


@pytest.mark.parametrize("spec", packs.present(SPECS))
def test_reading_a_record_imports_nothing_that_it_names(tmp_path, spec, monkeypatch):
    from gem_ma.evaluation.terminal_viewer import replay_file_frames
    from gem_ma.evaluation.viewer.page import write_page

    path = hostile(tmp_path, **spec)
    monkeypatch.syspath_prepend(tmp_path)
    (episode,) = load_episodes(path)
    known = "needs" in spec  # which no record has, and which therefore is not read
    if known:
        episode.replay()
    else:
        with pytest.raises(UntrustedSpec, match="trust=True does so"):
            episode.replay()
    assert write_page(path, tmp_path / "page.html").unseen == (not known)
    assert list(replay_file_frames(path, None, None))
    assert not list(tmp_path.glob("mark-*"))
    assert not [name for name in sys.modules if name.startswith("evil_pkg")]


def test_what_a_record_would_run_is_named_and_run_if_one_says_so(tmp_path, monkeypatch):
    path = hostile(tmp_path, id="mine:X", entry_point="evil_pkg.sub:Game")
    monkeypatch.syspath_prepend(tmp_path)
    (episode,) = load_episodes(path)
    file = tmp_path / "evil_pkg" / "sub.py"
    with pytest.raises(UntrustedSpec, match=rf"'mine:X' is registered here.* would run {file};"):
        episode.replay()
    assert not list(tmp_path.glob("mark-*"))
    with monkeypatch.context() as patch:
        for name in ("evil_pkg", "evil_pkg.sub"):
            patch.delitem(sys.modules, name, raising=False)
        assert episode.replay(trust=True) == episode
    assert len(list(tmp_path.glob("mark-*"))) == 2
    (own,) = rollout(gem_ma.Env(TicTacToe(), id="mine"), "random", seed=0)
    own.replay()  # of this process, and out of no file


def test_numbers_may_differ_from_what_is_registered_and_words_may_not(tmp_path):
    rollout("game:Maze-v0", "random", seed=0, size=5, out=tmp_path / "a.jsonl", observe="both")
    (episode,) = load_episodes(tmp_path / "a.jsonl")
    assert episode.replay() == episode


@packs.needs("tasks")
def test_words_that_are_not_registered_are_asked_about(tmp_path):
    data = tmp_path / "q.jsonl"
    data.write_text('{"problem": "1+1", "answer": "2"}\n')
    make = {"data": str(data), "seed": 0}
    (episode,) = rollout("math:Data", "random", out=tmp_path / "b.jsonl", **make)
    assert episode.replay() == episode
    (episode,) = load_episodes(tmp_path / "b.jsonl")
    with pytest.raises(UntrustedSpec, match=r"math:Data is not registered with data=.*q\.jsonl"):
        episode.replay()
    assert episode.replay(trust=True) == episode
    (again,) = rollout("math:Data", "random", out=tmp_path / "b.jsonl", resume=True, **make)
    assert again.replay() == again  # the run knows what it plays


RUN = """
import sys
from gem_ma import rollout
rollout({env!r}, "random", 500, seed=3, out=sys.argv[1], resume=True)
"""


def waiting(out, size=200_000):
    """Start a run in another process, and wait until it has written something."""
    run = subprocess.Popen([sys.executable, "-c", RUN.format(env="game:ConnectFour-v0"), str(out)])
    while run.poll() is None and (not out.exists() or out.stat().st_size < size):
        time.sleep(0.002)
    return run


@pytest.mark.skipif(os.name != "posix", reason="files are locked on POSIX systems only")
def test_a_file_has_one_writer_and_the_other_is_named(tmp_path):
    out = tmp_path / "out.jsonl"
    run = waiting(out)
    run.send_signal(signal.SIGSTOP)
    try:
        with pytest.raises(FileInUse, match=rf"is being written by process {run.pid}: wait until"):
            rollout("game:ConnectFour-v0", "random", 500, seed=3, out=out, resume=True)
        with pytest.raises(FileInUse):
            save_episodes([], out)
        assert len(list(load_episodes(out))) > 1  # to read is no matter
    finally:
        run.kill()  # and its lock is gone with it
        run.wait()
    done = rollout("game:ConnectFour-v0", "random", 500, seed=3, out=out, resume=True)
    assert [e.number for e in done] == list(range(500))
    assert sorted(e.number for e in load_episodes(out)) == list(range(500))
    with EpisodeFile(out), pytest.raises(FileInUse, match=rf"by this process \({os.getpid()}\)"):
        EpisodeFile(out)


@pytest.mark.skipif(os.name != "posix", reason="files are locked on POSIX systems only")
def test_where_processes_are_not_listed_the_writer_has_no_name(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "_PROC_FOLDER", tmp_path / "nowhere")
    out = tmp_path / "out.jsonl"
    with (
        EpisodeFile(out),
        pytest.raises(FileInUse, match="is being written by another process: wait"),
    ):
        EpisodeFile(out)


def test_two_that_start_together_double_nothing(tmp_path):
    out = tmp_path / "out.jsonl"
    words = [
        sys.executable,
        "-m",
        "gem_ma.cli",
        "run",
        TWO,
        "--episodes",
        "400",
        "--seed",
        "3",
    ]
    main = "import sys; from gem_ma.cli.main import main"
    code = f"{main}; sys.exit(main({words[3:]!r} + sys.argv[1:]))"
    words = [*warm.python(), "-c", code, "--out", str(out), "--resume"]
    runs = [subprocess.Popen(words, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    errors = [run.communicate(timeout=60)[1] for run in runs]
    assert sorted(e.number for e in load_episodes(out)) == list(range(400))
    for run, error in zip(runs, errors, strict=True):  # whether or not they met
        assert run.returncode == (2 if "is being written by" in error else 0)
    assert 0 in {run.returncode for run in runs}


def test_the_lock_stays_when_what_failed_is_dropped(tmp_path):
    down = [True]

    def agent(turn):
        if down and turn.episode == "0-2":
            raise OSError("down")
        return turn.legal[0]

    real, out = tmp_path / "real.jsonl", tmp_path / "link.jsonl"
    out.symlink_to(real)
    make = {"seed": 0, "observe": "image", "image_size": (84, 84)}
    rollout(TWO, agent, 5, out=out, **make)
    assert find_picture_folder(real) == tmp_path / "real.pictures"
    assert (tmp_path / "real.pictures").is_dir()
    real.chmod(0o600)
    old = real.stat().st_ino
    with EpisodeFile(out) as file:
        file.drop_failures()
        assert real.stat().st_ino != old
        with pytest.raises(FileInUse):
            EpisodeFile(real)
    down.clear()
    done = rollout(TWO, agent, 5, out=out, resume=True, **make)
    assert out.is_symlink()
    assert real.stat().st_mode & 0o777 == 0o600
    assert sorted(load_episodes(real), key=lambda e: e.number) == done
    assert sorted(load_episodes(out), key=lambda e: e.number) == done
    assert next(load_episodes(out)).steps[0].observation["image"].png
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "link.jsonl", "real.jsonl", "real.pictures",
    ]  # fmt: skip


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names here")
def test_a_pipe_a_folder_and_a_device_are_no_files(tmp_path):
    from gem_ma.evaluation.viewer.episode_files import find_episode_files

    os.mkfifo(tmp_path / "pipe.jsonl")
    (tmp_path / "folder.jsonl").mkdir()
    found = []

    def tried():
        for path, kind in (
            (tmp_path / "pipe.jsonl", "a pipe"),
            (tmp_path / "folder.jsonl", "a folder"),
            (Path("/dev/null"), "a device"),
        ):
            for use in (
                lambda: rollout(TWO, "random", 2, out=path),  # noqa: B023
                lambda: rollout(TWO, "random", 2, out=path, resume=True),  # noqa: B023
                lambda: list(load_episodes(path)),  # noqa: B023
            ):
                with pytest.raises(RecordError, match=f"{path} is {kind}: expected a file"):
                    use()
        with pytest.raises(RecordError):
            find_episode_files(tmp_path)
        found.append(True)

    thread = threading.Thread(target=tried, daemon=True)
    thread.start()
    thread.join(20)
    assert found


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names here")
def test_a_pipe_in_the_place_of_a_picture_holds_nobody_up(tmp_path):
    out = tmp_path / "a.jsonl"
    rollout(TWO, "random", 1, seed=0, observe="image", out=out)
    (first, *_) = find_picture_folder(out).iterdir()
    first.unlink()
    os.mkfifo(first)
    (episode,) = load_episodes(out)
    (step,) = [s for s in episode.steps if s.observation["image"].key == first.stem]
    with pytest.raises(RecordError, match="is a pipe"):
        step.observation["image"].png  # noqa: B018


def test_a_disk_that_is_full_leaves_no_half_picture(tmp_path):
    (episode,) = rollout(TWO, "random", 1, seed=0, observe="image")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
    try:
        with EpisodeFile(tmp_path / "a.jsonl") as file, pytest.raises(OSError, match="too large"):
            file.append(episode)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert list((tmp_path / "a.pictures").iterdir()) == []
    save_episodes([episode], tmp_path / "a.jsonl")
    assert list(load_episodes(tmp_path / "a.jsonl")) == [episode]
