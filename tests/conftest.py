"""How the tests are run."""

import multiprocessing
import os
import signal

import pytest

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell's background ignores Ctrl-C, and so would all that the tests start there.
    signal.signal(signal.SIGINT, signal.default_int_handler)

WORKERS = ("gem_ma.apis.vectors.seats", "gem_ma.rollouts.processes")


@pytest.hookimpl(optionalhook=True)  # of pytest-xdist, where it is loaded
def pytest_xdist_auto_num_workers():
    """Return one more than there are cores for `-n auto`: some tests wait."""
    return len(os.sched_getaffinity(0)) + 1 if hasattr(os, "sched_getaffinity") else None


@pytest.fixture(scope="session", autouse=True)
def quick(request):
    """Let workers begin as forks of an interpreter that has imported what they need.

    With `-m slow`, and where a test asks for `spawned`, they begin as everywhere else.
    """
    if request.config.option.markexpr != "not slow" or not hasattr(os, "fork"):
        yield
        return
    with pytest.MonkeyPatch.context() as patch:
        multiprocessing.set_forkserver_preload(list(WORKERS))
        patch.setattr("gem_ma.apis.workers.context", multiprocessing.get_context("forkserver"))
        yield


@pytest.fixture
def spawned(monkeypatch):
    """Let workers be children of this process, each an interpreter of its own."""
    monkeypatch.setattr("gem_ma.apis.workers.context", multiprocessing.get_context("spawn"))
