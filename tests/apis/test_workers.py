"""What goes to worker processes: games of a notebook, scripts, what cannot be loaded, messages."""

import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time

import pytest

from gem_ma.agents import load_agent
from gem_ma.apis import workers
from gem_ma.apis.workers import (
    WorkerDied,
    WorkerError,
    WorkerProcess,
    WorkerStartError,
    pickle_message,
)


@pytest.fixture(autouse=True)
def _nothing_is_left():
    yield
    assert not multiprocessing.active_children()


NOTEBOOK = """
import gem_ma
from gem_ma.envs.guessing.guess_the_number import GuessTheNumber
from gem_ma.envs.markets.rock_paper_scissors import RockPaperScissors
from gem_ma.wrappers import TransformText


class Odd(ValueError):
    pass


class Mine(GuessTheNumber):
    def advance(self, state, moves, rng):
        if moves == {"player": 7}:
            raise Odd("seven in the notebook")
        return super().advance(state, moves, rng)

    def report(self, state):
        return {**super().report(state), "by": Mine}


class Both(RockPaperScissors):
    pass


env = gem_ma.Env(Mine(1, 10, 5), id="mine")
vector = gem_ma.make_vec(env, 3, backend="process", workers=1)
vector.reset(seed=0)
texts, *_ = vector.step(["3", "4", "5"])
assert "3: the number is" in texts[0], texts
for _ in range(4):
    *_, terminated, _, infos = vector.step(["1", "2", "3"])
    if terminated.any():
        assert Mine in infos["by"].tolist()  # the very class, not a copy of it
try:
    vector.reset()
    vector.step(["1", "7", "1"])
except Odd as error:
    assert str(error) == "seven in the notebook"
else:
    raise AssertionError("expected Odd")
games = gem_ma.make_vec(gem_ma.Env(Both()), 2, api="parallel", backend="process", workers=1)
batch = games.reset(seed=0)
assert batch.turns["left"][0].text
batch = games.step({seat: ["rock"] * len(turns) for seat, turns in batch.turns.items()})
games.close()
tallied = TransformText(env, lambda seat, text: text.upper())
episodes = gem_ma.rollout(tallied, "random", 6, workers=1, seed=1)
alone = gem_ma.rollout(tallied, "random", 6, seed=1)
assert [e.returns for e in episodes] == [e.returns for e in alone]
print("done")
"""


@pytest.mark.slow
def test_games_of_a_notebook_live_in_processes():
    # What `-c` runs is, as a notebook, a __main__ that no other process can import.
    done = subprocess.run(
        [sys.executable, "-c", NOTEBOOK], capture_output=True, text=True, timeout=120
    )
    assert done.stdout == "done\n", done.stderr


@pytest.mark.slow
def test_a_script_without_a_guard_is_told_what_is_missing(tmp_path):
    script = tmp_path / "script.py"
    for start in (
        'gem_ma.make_vec("game:GuessTheNumber-v0", 2, backend="process", workers=1)',
        'gem_ma.rollout("game:GuessTheNumber-v0", "random", 8, workers=1)',
    ):
        script.write_text(f"import gem_ma\nif __name__ == '__main__': print('begun')\n{start}\n")
        done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=60)
        lines = done.stderr.strip().splitlines()
        assert len(lines) < 50  # one traceback
        assert done.stdout == "begun\n"  # by nobody else
        assert (
            "WorkerStartError: this script starts worker processes when it is imported" in lines[-1]
        )
        assert 'if __name__ == "__main__":' in lines[-1]


def nothing(connection):
    """Do nothing, and end."""


class Unloadable:
    """Can be sent, and not be received."""

    def __reduce__(self):
        return os.strerror, ("no number",)


def test_what_keeps_a_worker_from_loading_stands_in_the_error():
    worker = WorkerProcess(nothing, Unloadable())
    with pytest.raises(WorkerError, match="cannot unpickle its function or arguments: TypeError"):
        worker.recv(60)
    worker.close()


def echo(connection):
    while True:
        connection.send(connection.recv())


def answer_and_exit(connection, count):
    for _ in range(count):
        connection.send(0)
    os._exit(1)


@pytest.mark.parametrize(("count", "kind"), [(0, WorkerStartError), (1, WorkerDied)])
def test_a_worker_that_ended_says_whether_it_had_begun(count, kind):
    worker = WorkerProcess(answer_and_exit, count)
    for _ in range(count):
        assert worker.recv(60) == 0
    with pytest.raises(WorkerDied, match="ended with exit code 1") as caught:
        worker.recv(60)
    assert type(caught.value) is kind
    worker.close()


@pytest.mark.skipif(not hasattr(os, "waitid"), reason="processes are stopped on POSIX alone")
def test_a_worker_says_whether_it_was_stopped(monkeypatch):
    spawn = multiprocessing.get_context("spawn")  # whose processes are children of this one
    monkeypatch.setattr(workers, "SPAWN_CONTEXT", spawn)
    worker = WorkerProcess(echo)
    worker.send(1)
    assert worker.recv(60) == 1
    assert not worker.stopped
    os.kill(worker.process.pid, signal.SIGSTOP)
    until = time.monotonic() + 20
    while not worker.stopped and time.monotonic() < until:
        time.sleep(0.01)
    assert [worker.stopped, worker.stopped] == [True, True]  # to look changes nothing
    os.kill(worker.process.pid, signal.SIGCONT)
    worker.send(2)
    assert worker.recv(60) == 2
    assert not worker.stopped
    worker.kill()
    assert not worker.stopped


def test_messages_are_pickled_by_value_only_where_they_must_be(monkeypatch):
    monkeypatch.setattr(workers, "_is_main_importable", lambda: True)  # as from a script
    local = type("Local", (), {})
    for message in ("__main__", [nothing, {"a": 1}], load_agent("random")):
        assert pickle_message(message) == pickle.dumps(message)
    assert type(pickle.loads(pickle_message(local()))) is local
    with pytest.raises(TypeError, match="lock"):
        pickle_message(threading.Lock())
