"""How the tests are run."""

import contextlib
import gc
import multiprocessing
import os
import shutil
import signal
import subprocess

import pytest

pytest.register_assert_rewrite("game_contract")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell's background ignores Ctrl-C, and so would all that the tests start there.
    signal.signal(signal.SIGINT, signal.default_int_handler)

BROWSERS = ("chromium", "chromium-headless-shell", "chromium-browser", "google-chrome")
REMEDY = "pip install 'gem-ma[browser]' and install Chromium: apt-get install chromium"
WORKERS = ("gem_ma.apis.vector.seat_vector", "gem_ma.rollouts.worker_pool")


@pytest.hookimpl(optionalhook=True)  # of pytest-xdist, where it is loaded
def pytest_xdist_auto_num_workers():
    """Return one more than there are cores for `-n auto`: some tests wait."""
    return len(os.sched_getaffinity(0)) + 1 if hasattr(os, "sched_getaffinity") else None


def pytest_collection_finish():
    """Let the garbage collector leave alone what was collected: there are thousands of items."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def quick(request):
    """Let workers begin as forks of an interpreter that has imported what they need.

    With `-m slow`, and where a test asks for `spawned`, they begin as everywhere else.
    """
    if not request.config.option.markexpr.startswith("not slow") or not hasattr(os, "fork"):
        yield
        return
    with pytest.MonkeyPatch.context() as patch:
        multiprocessing.set_forkserver_preload(list(WORKERS))
        patch.setattr(
            "gem_ma.apis.workers.SPAWN_CONTEXT", multiprocessing.get_context("forkserver")
        )
        yield


@pytest.fixture
def spawned(monkeypatch):
    """Let workers be children of this process, each an interpreter of its own."""
    monkeypatch.setattr("gem_ma.apis.workers.SPAWN_CONTEXT", multiprocessing.get_context("spawn"))


@pytest.fixture
def clean():
    """Forget what a test registers."""
    import gymnasium
    import pettingzoo

    from gem_ma.envs import registry

    registries = [registry._specs, gymnasium.registry]
    if hasattr(pettingzoo, "register"):
        registries += [pettingzoo.aec_registry, pettingzoo.parallel_registry]
    before = [dict(each) for each in registries]
    yield
    for each, kept in zip(registries, before, strict=True):
        each.clear()
        each.update(kept)


@pytest.fixture
def full_at():
    """Return a context in which no file of this process grows beyond so many bytes."""
    resource = pytest.importorskip("resource", reason="limits of files: run it on POSIX")

    @contextlib.contextmanager
    def full_at(size):
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

    return full_at


@pytest.fixture
def small_disk(tmp_path):
    """Mount a disk of 256 KiB for a test."""
    folder = tmp_path / "disk"
    folder.mkdir()
    words = ["mount", "-t", "tmpfs", "-o", "size=256k", "none", folder]
    try:
        subprocess.run(words, capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("to mount a small disk takes root, on Linux: run it there as root")
    yield folder
    subprocess.run(["umount", folder], check=True)


@pytest.fixture(scope="module")
def browser():
    """A real Chromium, or that of Playwright; what needs it skips without one."""
    playwright = pytest.importorskip("playwright.sync_api", reason=REMEDY)
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    with playwright.sync_playwright() as running:
        try:
            # Its own sandbox needs user namespaces, which root and some machines do not have.
            browser = running.chromium.launch(executable_path=found, chromium_sandbox=False)
        except playwright.Error as error:
            if found is not None:
                raise
            pytest.skip(f"{REMEDY} ({str(error).splitlines()[0]})")
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def one_thread():
    """Let torch work with one thread: models as small as those of tests are slower with more."""
    try:
        import torch
    except ImportError:
        yield
        return
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)
