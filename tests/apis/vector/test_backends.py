"""Backends of vectors: faults and killed workers, and that nothing is left behind."""

import multiprocessing
import os
import signal
import subprocess
import sys
import time

import pytest
from broken_games import FaultyGuess, WaitingFaultyGuess
from playable import unless

import gem_ma
import gem_ma.wrappers
from gem_ma.apis.workers import ExitError, StepTimeout, WorkerDied

BACKENDS = ("sync", "thread", "process")
FOUR = "game:ConnectFour-v0"


@pytest.fixture
def made():
    """Make vectors, and see that each is closed without a trace."""
    vectors = []

    def make(*args, **kwargs):
        vectors.append(gem_ma.make_vec(*args, **kwargs))
        return vectors[-1]

    yield make
    for vector in vectors:
        vector.close()
    assert not multiprocessing.active_children()


def faulty(made, backend="process", game=FaultyGuess, **kwargs):
    env = gem_ma.Env(game(1, 10, 5), id="faulty")
    vector = made(env, 4, backend=backend, **kwargs)
    vector.reset(seed=0)
    return vector


FAULTY = pytest.mark.parametrize("game", [FaultyGuess, WaitingFaultyGuess])


@FAULTY
@pytest.mark.parametrize("backend", BACKENDS)
def test_what_a_game_raises_is_raised(made, backend, game):
    vector = faulty(made, backend, game)
    with pytest.raises(RuntimeError, match="this game is broken"):
        vector.step(["1", "1", "2", "1"])
    with pytest.raises(RuntimeError, match="closed"):
        vector.step(["1"] * 4)


@FAULTY
@pytest.mark.parametrize("backend", BACKENDS)
def test_a_game_that_ends_the_program_has_an_error(made, backend, game):
    vector = faulty(made, backend, game, workers=1)
    with pytest.raises(ExitError, match=r"SystemExit\(3\) was raised in a step"):
        vector.step(["1", "1", "5", "1"])
    vector = faulty(made, backend, game, workers=1)
    # In this process it may as well be Ctrl-C.
    error = KeyboardInterrupt if backend == "sync" else ExitError
    with pytest.raises(error, match=None if backend == "sync" else "KeyboardInterrupt"):
        vector.step(["1", "1", "6", "1"])


@FAULTY
def test_a_killed_worker_is_named_and_none_is_left(made, game):
    vector = faulty(made, game=game, workers=2)
    with pytest.raises(WorkerDied, match="was killed by signal 9"):
        vector.step(["1", "1", "4", "1"])
    assert not multiprocessing.active_children()
    with pytest.raises(RuntimeError, match="closed"):
        vector.step(["1"] * 4)


@FAULTY
def test_a_hanging_game_is_stopped(made, game):
    vector = faulty(made, game=game, workers=2, step_timeout=0.5)
    start = time.monotonic()
    with pytest.raises(StepTimeout, match=r"more than 0\.5 s"):
        vector.step(["1", "3", "1", "1"])
    assert time.monotonic() - start < 10
    assert not multiprocessing.active_children()


def test_steps_that_wait_do_not_wait_for_each_other_in_a_process(made):
    vector = faulty(made, game=WaitingFaultyGuess, workers=1)
    vector.send(["1", "3", "1"], [0, 1, 2])  # the second takes a minute
    start = time.monotonic()
    indices, *_ = vector.recv(2)
    assert indices.tolist() == [0, 2]
    vector.send(["1", "1", "1"], [0, 2, 3])
    indices, *_ = vector.recv(3)
    assert indices.tolist() == [0, 2, 3]
    assert time.monotonic() - start < 30


def test_a_vector_that_nobody_holds_leaves_nothing():
    vector = gem_ma.make_vec(FOUR, 2, api="parallel", backend="process")
    vector.reset(seed=0)
    del vector
    assert not multiprocessing.active_children()


SCRIPT = """
import os, sys
import gem_ma

def main():
    vector = gem_ma.make_vec("game:GuessTheNumber-v0-easy", 4, backend="process", workers=2)
    vector.reset(seed=0)
    print(*(worker.process.pid for worker in vector._backend.workers), flush=True)
    sys.stdin.read()

if __name__ == "__main__":
    main()
"""


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().split(") ")[1][0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc: run it on Linux")
@pytest.mark.parametrize("sign", [signal.SIGKILL, unless(False, signal.SIGINT)])
def test_workers_do_not_outlive_their_parent(tmp_path, sign):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    parent = subprocess.Popen(
        [sys.executable, str(script)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    with parent:
        pids = [int(word) for word in parent.stdout.readline().split()]
        assert all(map(alive, pids))
        os.killpg(parent.pid, sign) if sign == signal.SIGINT else parent.send_signal(sign)
        parent.wait(20)
        deadline = time.monotonic() + 10
        while any(map(alive, pids)) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert not any(map(alive, pids))
