"""Runs in worker processes: the same episodes, whatever dies, hangs or raises on the way."""

import contextlib
import errno
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import threading
import time

import pytest
from broken_games import FaultySecret, Slow, Stops
from playable import unless

import gem_ma
from gem_ma.agents import load_agent
from gem_ma.envs.guessing.guess_the_number import GuessTheNumber
from gem_ma.rollouts import sharding, worker_pool
from gem_ma.rollouts.records import EpisodeFile

FOUR = "game:ConnectFour-v0"


@pytest.fixture(autouse=True)
def _nothing_is_left():
    yield
    assert not multiprocessing.active_children()


class Here:
    """Stays with the parent, for nobody said that it can travel; keeps what it was asked."""

    def __init__(self):
        self.random = load_agent("random")
        self.batches = []

    def act(self, turns):
        self.batches.append(len(turns))
        assert all(turn.messages[0]["role"] == "system" for turn in turns)
        assert all(len(turn.messages) >= 2 * (turn.index + 1) for turn in turns)
        return self.random.act(turns)

    def __repr__(self):
        return "Here()"


class Later(Here):
    """The same, as a coroutine."""

    async def act(self, turns):
        return super().act(turns)


class Blocks(Here):
    """The same, in a thread."""

    blocking = True


@pytest.mark.parametrize("workers", [unless(False, 1), 2, unless(False, 3)])
def test_the_same_episodes_for_any_number_of_workers(workers):
    make = {"seed": 4, "group": 2, "shuffle": True, "context": "turns=2"}
    ids = [FOUR, "game:LiarsDice-v0", "game:RockPaperScissors-v0"]
    alone = gem_ma.rollout(ids, "random", 60, **make)
    assert gem_ma.rollout(ids, "random", 60, workers=workers, concurrency=7, **make) == alone


@pytest.mark.parametrize(("workers", "each"), [(3, 22), (5, 13), (20, 4), (60, 4)])
def test_workers_share_what_may_be_alive(workers, each, monkeypatch):
    farms = []

    async def run(farm):
        farms.append(farm)
        return
        yield

    monkeypatch.setattr(worker_pool.WorkerPool, "run", run)
    gem_ma.rollout(FOUR, "random", 20, seed=0, workers=workers, concurrency=64)
    assert [farm.worker_concurrency for farm in farms] == [each]


def test_an_alarm_ends_with_its_step():
    before = signal.getsignal(signal.SIGALRM)
    timers = signal.ITIMER_REAL, signal.ITIMER_PROF
    try:
        with sharding.StepAlarm(50):
            assert all(signal.getitimer(timer)[0] > 0 for timer in timers)
        assert [signal.getitimer(timer)[0] for timer in timers] == [0, 0]
    finally:
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize(
    "kinds", [(Here, Later, Blocks), *(unless(False, (kind,)) for kind in (Here, Later, Blocks))]
)
def test_agents_that_stay_get_the_turns_of_all_workers(kinds):
    dice = "game:LiarsDice-v0"
    seats = gem_ma.make(dice).possible_agents

    def play(**kwargs):
        here = [kind() for kind in kinds]
        agents = {**dict.fromkeys(seats, "random"), **dict(zip(seats, here, strict=False))}
        return here, gem_ma.rollout(dice, agents, 8, seed=4, observe="both", **kwargs)

    _, alone = play()
    here, episodes = play(workers=2)
    assert episodes == alone
    assert all(episodes[0].agents[seat] == "Here()" for seat in seats[: len(kinds)])
    for agent in here:
        assert agent.batches
        if not isinstance(agent, Later):
            assert max(agent.batches) > 1


def test_what_agents_that_stay_raise_is_on_the_record():
    def odd(turn):
        if turn.seed % 5 == 0:
            raise LookupError("no idea")
        return load_agent("random").act([turn])[0]

    make = {"seed": 1, "max_errors": 100}
    alone = gem_ma.rollout(FOUR, {"red": odd, "yellow": "random"}, 30, **make)
    episodes = gem_ma.rollout(FOUR, {"red": odd, "yellow": "random"}, 30, workers=1, **make)
    assert episodes == alone
    assert {e.failure.seat for e in episodes if e.failure} == {"red"}
    with pytest.raises(gem_ma.rollouts.run.TooManyErrors, match="LookupError: no idea") as caught:
        gem_ma.rollout(FOUR, {"red": odd, "yellow": "random"}, 300, workers=1, max_errors=2)
    assert caught.value.episodes


@pytest.mark.parametrize("workers", [1, unless(False, 2)])
def test_episodes_go_to_one_file_and_a_run_goes_on(tmp_path, workers):
    out = tmp_path / "run.jsonl"
    make = {"seed": 6, "observe": "image"}
    alone = gem_ma.rollout(FOUR, "random", 20, **make)
    gem_ma.rollout(FOUR, "random", 8, workers=1, out=out, **make)
    again = gem_ma.rollout(FOUR, "random", 20, workers=workers, out=out, resume=True, **make)
    assert again == alone
    assert sorted(e.number for e in gem_ma.load_episodes(out)) == list(range(20))


def faulty(fault, count=40, workers=2, **kwargs):
    env = gem_ma.Env(FaultySecret(fault), id="faulty")
    sound = gem_ma.Env(GuessTheNumber(1, 10, 5), id="faulty")
    expected = gem_ma.rollout(sound, "random", count, seed=2)
    episodes = gem_ma.rollout(
        env, "random", count, seed=2, workers=workers, max_errors=40, **kwargs
    )
    assert [episode.number for episode in episodes] == list(range(count))
    failed = [episode for episode in episodes if episode.failure]
    for episode, other in zip(episodes, expected, strict=True):
        if not episode.failure:
            assert (episode.steps, episode.returns) == (other.steps, other.returns)
    assert 0 < len(failed) < 20
    return failed


def test_a_game_that_raises():
    for episode in faulty("raise"):
        assert episode.failure == (None, "RuntimeError", "this game is broken")
        assert not episode.returns


@pytest.mark.parametrize("strikes", [2, unless(False, sharding._MAX_STRIKES)])
def test_a_game_that_kills_its_process(strikes, monkeypatch):
    monkeypatch.setattr(sharding, "_MAX_STRIKES", strikes)
    for episode in faulty("kill", 15):
        assert episode.failure.kind == "WorkerDied"
        assert "was killed by signal 9" in episode.failure.message


@pytest.mark.parametrize(("count", "workers"), [(10, 1), unless(False, 40, 2)])
@pytest.mark.parametrize("fault", ["sleep", "loop"])
def test_a_game_that_hangs(fault, count, workers):
    start = time.monotonic()
    for episode in faulty(fault, count, workers, step_timeout=0.3):
        assert episode.failure == (None, "StepTimeout", "a step took more than 0.3 s")
    assert time.monotonic() - start < 40


@pytest.mark.parametrize("strikes", [unless(False, 1), unless(False, 2)])
def test_a_game_that_hangs_outside_of_python(strikes, monkeypatch):
    monkeypatch.setattr(sharding, "_MAX_STRIKES", strikes)
    env = gem_ma.Env(FaultySecret("compute", share=3), id="faulty")
    episodes = gem_ma.rollout(
        env, "random", 3, seed=0, workers=1, max_errors=3, step_timeout=0.05, concurrency=1
    )
    kinds = [episode.failure and episode.failure.kind for episode in episodes]
    assert set(kinds) <= {None, "WorkerDied"}
    assert "WorkerDied" in kinds


@pytest.mark.usefixtures("spawned")
@pytest.mark.skipif(not hasattr(os, "waitid"), reason="needs waitid: run it on Linux")
@pytest.mark.parametrize("at", ["step", unless(False, "later"), unless(False, "lock")])
def test_a_worker_that_is_stopped_or_stuck_is_replaced(tmp_path, at, monkeypatch):
    monkeypatch.setattr(worker_pool, "_GRACE_PERIOD", 0.2)
    mark = tmp_path / "mark"
    agent = Slow() if at == "later" else "random"
    make = {"seed": 2, "concurrency": 4}
    alone = gem_ma.rollout(gem_ma.Env(Stops(str(mark)), id="x"), agent, 8, **make)
    env = gem_ma.Env(Stops(str(mark), at), id="x")
    start = time.monotonic()
    episodes = gem_ma.rollout(env, agent, 8, workers=1, step_timeout=0.1, **make)
    assert mark.exists()
    assert time.monotonic() - start > 1.4  # it was given its time
    assert [e.steps for e in episodes] == [e.steps for e in alone]


class Told(Here):
    """Replies at length, so that a worker which reads nothing fills its pipe."""

    def act(self, turns):
        return [gem_ma.Reply(r, finish_reason="x" * 1_000_000) for r in super().act(turns)]


@pytest.mark.slow
@pytest.mark.usefixtures("spawned")
@pytest.mark.skipif(not hasattr(os, "waitid"), reason="needs waitid: run it on Linux")
def test_a_stopped_worker_that_reads_nothing_holds_nobody_up(tmp_path, monkeypatch):
    monkeypatch.setattr(worker_pool, "_GRACE_PERIOD", 0.2)
    env = gem_ma.Env(Stops(str(tmp_path / "mark"), "later"), id="x")
    episodes = gem_ma.rollout(
        env, Told(), 8, seed=2, workers=1, concurrency=8, step_timeout=0.1, max_errors=0
    )
    assert [e.number for e in episodes] == list(range(8))
    assert (tmp_path / "mark").exists()


@pytest.mark.parametrize("blocking", [False, True])
def test_a_game_that_ends_the_program_costs_its_episode(blocking):
    class Leaves(GuessTheNumber):
        def advance(self, state, moves, rng):
            if state.secret % 3 == 0:
                raise SystemExit(3)
            return super().advance(state, moves, rng)

    Leaves.blocking = blocking
    env = gem_ma.Env(Leaves(1, 10, 5), id="x")
    episodes = gem_ma.rollout(env, "random", 20, seed=2, max_errors=20)
    assert {e.failure for e in episodes} == {None, (None, "SystemExit", "3")}


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc: run it on Linux")
@pytest.mark.parametrize(
    ("seconds", "runs", "count", "pause", "most"),  # the last: of kills in a run
    [(0, 1, 40, 0.1, 1), unless(False, 100, 2, 800, 3, 800)],
)
def test_killing_workers_at_random_loses_and_doubles_nothing(
    tmp_path, seconds, runs, count, pause, most
):
    stop, draw = threading.Event(), random.Random(0)
    out, killed = tmp_path / "out.jsonl", []

    def kill():
        size = 0
        while not stop.wait(draw.uniform(pause / 10, pause)):
            # Workers that all die before they play are an error: each kill follows an episode.
            children = multiprocessing.active_children()
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                fewer = len(killed) < most * (seed + 1)
                if fewer and children and size != (size := out.stat().st_size):
                    os.kill(draw.choice(children).pid, signal.SIGKILL)
                    killed.append(size)

    ids = [FOUR, "game:LiarsDice-v0", "game:Sokoban-v0-easy", "game:Hangman-v0-easy"]
    start, seed = time.monotonic(), 0
    killer = threading.Thread(target=kill)
    killer.start()
    try:
        # A run that ends before the first kill proves nothing: then another one follows.
        while seed < runs or time.monotonic() - start < seconds or (not killed and seed < 20):
            agent = "random" if seed % 2 else Here()
            episodes = gem_ma.rollout(ids, agent, count, seed=seed, workers=2, out=out)
            assert [episode.number for episode in episodes] == list(range(count))
            assert not any(episode.failure for episode in episodes)
            assert episodes == gem_ma.rollout(ids, agent, count, seed=seed)
            ledger = sorted(episode.number for episode in gem_ma.load_episodes(out))
            assert ledger == list(range(count))
            out.unlink()
            seed += 1
    finally:
        stop.set()
        killer.join()
    assert killed


def test_a_full_disk_ends_the_run_with_its_own_error(tmp_path, monkeypatch):
    append = EpisodeFile.append

    def full(self, episode):
        if episode.number == 10:
            raise OSError(errno.ENOSPC, "No space left on device")
        append(self, episode)

    monkeypatch.setattr(EpisodeFile, "append", full)
    out = tmp_path / "run.jsonl"
    with pytest.raises(OSError, match="No space left"):
        gem_ma.rollout(FOUR, "random", 20, seed=0, workers=1, out=out)
    monkeypatch.undo()
    again = gem_ma.rollout(FOUR, "random", 20, seed=0, out=out, resume=True)
    assert again == gem_ma.rollout(FOUR, "random", 20, seed=0)


SCRIPT = """
import gem_ma
from tests_here import Slow

def main():
    print("begun", flush=True)
    try:
        gem_ma.rollout("game:ConnectFour-v0", Slow(), 10_000, seed=0, workers=2)
    except KeyboardInterrupt as stopped:
        print(len(stopped.episodes), flush=True)
        raise

if __name__ == "__main__":
    main()
"""
HERE = """
import time
from gem_ma.agents import load_agent

class Slow:
    portable = True

    def act(self, turns):
        print("playing\\n", end="", flush=True)  # in one piece, for there are two who write
        time.sleep(0.01)
        return load_agent("random").act(turns)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc: run it on Linux")
@pytest.mark.parametrize("sign", [signal.SIGINT, unless(False, signal.SIGKILL)])
def test_stopping_the_parent_stops_its_workers(tmp_path, sign):
    (tmp_path / "script.py").write_text(SCRIPT)
    (tmp_path / "tests_here.py").write_text(HERE)
    parent = subprocess.Popen(
        [sys.executable, "script.py"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    with parent:
        assert parent.stdout.readline() == "begun\n"
        assert parent.stdout.readline() == "playing\n"
        if sign == signal.SIGINT:
            os.killpg(parent.pid, sign)
        else:
            parent.send_signal(sign)
        _, errors = parent.communicate(timeout=30)
        assert parent.returncode in (-sign, 130, 1)
        if sign == signal.SIGINT:
            assert "Interrupted" in errors or "KeyboardInterrupt" in errors
    deadline = time.monotonic() + 10
    while (left := running(parent.pid)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not left


def running(group):
    """Return the processes of a group that are no zombies."""
    found = []
    for pid in filter(str.isdecimal, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/stat") as file:
                state, _, pgrp = file.read().rpartition(") ")[2].split()[:3]
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(pgrp) == group and state != "Z":
            found.append(int(pid))
    return found


def test_wrong_arguments_are_named():
    for kwargs, message in (
        ({"workers": 0}, "workers=0: expected .*1 or more"),
        ({"workers": "mpi"}, "workers='mpi': expected a number, 'ray' or 'ray:8'"),
        ({"workers": "ray:x"}, "'ray:x'"),
        ({"step_timeout": 1.0}, "step_timeout=1.0 needs workers"),
        ({"workers": 1, "actor": {}}, "needs workers='ray', got workers=1"),
    ):
        with pytest.raises(ValueError, match=message):
            gem_ma.rollout(FOUR, "random", 2, **kwargs)
