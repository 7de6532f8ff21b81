"""What works elsewhere than on Linux, as far as a Linux can tell.

It plays macOS by doing without what only Linux has, and Windows without what Windows lacks too.
None of this was run on a real Mac or on Windows, as docs/start.md says.
"""

import os
import signal
import subprocess
import sys

import pytest

import gem_ma
from gem_ma.sandbox import check_levels

LINUX = {  # what macOS lacks; waitid came with Python 3.13
    os: "O_PATH pidfd_open splice setresuid setresgid sched_getaffinity unshare setns "
    "waitid memfd_create eventfd posix_fadvise sched_setaffinity",
    signal: "SIGSTKFLT SIGPOLL sigwaitinfo sigtimedwait",
}
UNIX = {  # what Windows lacks as well
    os: "fork forkpty geteuid getuid getegid getgid getgroups setgid setuid setgroups setsid nice "
    "setpgrp getpgid getpgrp killpg wait wait3 wait4 WNOHANG pread pwrite preadv pwritev readv "
    "writev mkfifo chown fchown lchown chroot statvfs uname getloadavg sysconf register_at_fork "
    "openpty O_NONBLOCK O_NOFOLLOW O_DIRECTORY O_CLOEXEC O_SYNC ctermid initgroups getpriority",
    signal: "SIGALRM SIGKILL SIGSTOP SIGCONT SIGHUP SIGQUIT SIGCHLD SIGUSR1 SIGUSR2 SIGPIPE "
    "SIGXCPU SIGPROF SIGVTALRM setitimer getitimer alarm pause pthread_kill pthread_sigmask",
}
MODULES = ["resource", "fcntl", "termios", "tty", "pty", "pwd", "grp", "readline", "syslog"]
FIRST = """
import asyncio, concurrent.futures.process, multiprocessing.shared_memory, shutil, subprocess, sys
import sysconfig, signal, tempfile, os, urllib.request
sysconfig.get_config_vars()
import gymnasium.vector, pettingzoo, PIL.Image, rich.console, rich.progress
"""
MAC = """
sys.platform = "darwin"
def without_proc(function):
    def checked(path, *args, **kwargs):
        if str(path).startswith("/proc"):
            raise FileNotFoundError(2, "macOS has no", path)
        return function(path, *args, **kwargs)
    return checked
import builtins, pathlib
builtins.open, os.open, os.listdir = map(without_proc, (open, os.open, os.listdir))
exists = os.path.exists
os.path.exists = lambda path: not str(path).startswith("/proc") and exists(path)
"""


def lines_without(names):
    return "".join(
        f"for name in {those.split()!r}: vars({module.__name__}).pop(name, None)\n"
        for module, those in names.items()
    )


AS_MAC = FIRST + lines_without(LINUX) + MAC
AS_WINDOWS = (
    f"{FIRST}{lines_without(LINUX)}{lines_without(UNIX)}sys.platform = 'win32'\n"
    "shutil._use_fd_functions = False\n"  # as it finds there
    f"for name in {MODULES!r}: sys.modules[name] = None\n"
)


def said(code):
    """Return the lines that a program prints."""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return run.stdout.splitlines()


IMPORT = """
import importlib, pkgutil
known = {name.partition(".")[0] for name in sys.modules} | sys.stdlib_module_names | {"gem_ma"}
class Installed:  # what the package needs, and no extras
    def find_spec(name, path=None, target=None):
        top = name.partition(".")[0]
        if top not in known:
            raise ModuleNotFoundError(f"no extra {top}", name=top)
sys.meta_path.insert(0, Installed)
import gem_ma
inside = tuple("gem_ma.sandbox." + one for one in ("server", "job_runner", "run_folders", "jail"))
count = 0
for module in pkgutil.walk_packages(gem_ma.__path__, "gem_ma."):
    if module.name.startswith(inside) or module.name.endswith(".__main__"):
        continue  # of the sandbox's own process, or a command
    try:
        importlib.import_module(module.name)
        count += 1
    except ImportError as error:
        assert str(error.__cause__ or error).startswith("no extra"), (module.name, error)
print(count)
"""

PLAY = """
folder = tempfile.mkdtemp()
out = os.path.join(folder, "games.jsonl")
for _ in range(2):
    episodes = gem_ma.rollout(
        "game:TicTacToe-v0", ["search:depth=1", "random"], 2, seed=0, out=out, resume=True,
        observe="both",
    )
print([episode.returns for episode in episodes], len(open(out, encoding="utf-8").readlines()))
env = gem_ma.make("game:ConnectFour-v0", observe="both")
env.reset(seed=0)
env.step("3")
vector = gem_ma.make_vec("game:TicTacToe-v0", 2, agent="x", others="random", backend="thread")
vector.reset(seed=0)
vector.close()
from gem_ma.cli.main import main
main(["play", "game:TicTacToe-v0", "--agents", "random,random", "--seed", "0"])
main(["view", out, "--out", os.path.join(folder, "page.html")])
shutil.rmtree(folder)
"""

REFUSED = """
from gem_ma.sandbox import Sandbox, SandboxUnavailable, check_levels
from gem_ma.tools import PythonTool
print(dict(check_levels()))
for start in (Sandbox, PythonTool):
    try:
        start()
    except SandboxUnavailable as error:
        print("refused:", *str(error).splitlines())
"""

ALARM = """
try:
    gem_ma.rollout("game:TicTacToe-v0", "random", 1, workers=1, step_timeout=1)
except ValueError as error:
    print(error)
"""


@pytest.mark.parametrize(
    "system", [pytest.param(AS_MAC, marks=pytest.mark.slow), AS_WINDOWS], ids=["macOS", "Windows"]
)
def test_the_whole_package_can_be_imported_and_plays(system):
    count, played, *lines = said(system + IMPORT + PLAY)
    assert int(count) > 150
    usual = gem_ma.rollout("game:TicTacToe-v0", ["search:depth=1", "random"], 2, seed=0)
    assert played == f"{[episode.returns for episode in usual]} 2"
    assert len(lines) > 10


def test_on_windows_code_of_models_is_refused():
    reasons, *refusals, alarm = said(AS_WINDOWS + "import gem_ma" + REFUSED + ALARM)
    assert reasons.count("only Linux has this level") == 2
    assert reasons.count("on Windows use WSL") == 1
    assert len(refusals) == 2
    assert all(one.startswith("refused: ") and "'limits'" in one for one in refusals)
    assert alarm.startswith("step_timeout=1 needs signal.setitimer of Linux or macOS")


# The sandbox's server is a process of its own, which is made a Mac's too.
SERVER = (
    "import os, signal, sys, sysconfig\nsysconfig.get_config_vars()\n" + lines_without(LINUX) + MAC
)
LIMITS = f"""
from gem_ma.sandbox import Sandbox, check_levels, server_process
server_process._LAUNCH_CODE = {SERVER!r} + server_process._LAUNCH_CODE
print(check_levels())
with Sandbox() as box, box.session() as session:
    print(box.level)
    print(box.run("print(6 * 7)").stdout.strip(), box.run("raise SystemExit(3)").exit_code)
    print(box.run("while True: pass", seconds=0.3).reason, end=" ")
    print(box.run("import os; os.kill(os.getpid(), 9)").reason)
    box.run("open('left', 'w').write('x')")
    print(box.run("import os; print(os.listdir('.'))").stdout.strip())
    print(session.run("x = 1").ok, session.run("print(x + 1)").stdout.strip())
    places = [server._place for server in box._servers]
print(len(places), [place for place in places if exists(place)])
"""


def test_on_a_mac_the_sandbox_has_limits_and_says_so():
    if check_levels()["limits"]:
        pytest.skip(check_levels()["limits"])
    reasons, *lines = said(AS_MAC + LIMITS)
    assert reasons.count("only Linux has this level") == 2
    assert "'limits': ''" in reasons
    assert lines == ["limits", "42 3", "timeout killed", "[]", "True 2", "2 []"]
