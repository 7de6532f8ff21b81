"""Levels of the sandbox: what is missing, what is strongest, and what a container forbids."""

import os
import pickle
import re
import shutil
import subprocess
import sys

import pytest
from playable import unless

from gem_ma.sandbox import (
    LEVELS,
    Sandbox,
    SandboxUnavailable,
    check_levels,
)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux's /proc")


def test_a_level_is_missing_only_for_what_the_machine_refuses():
    calls = "unshare|mount|pivot_root|andlock|seccomp|prctl|other user|not permitted"
    for problem in filter(None, check_levels().values()):
        assert re.search(f"{calls}|the system calls of|the capabilities", problem), problem


def test_auto_is_the_strongest_there_is():
    with Sandbox() as box:
        strongest = next(level for level in LEVELS if not check_levels()[level])
        assert box.level == strongest


def test_a_level_that_cannot_be_had_is_an_error():
    missing = [level for level in LEVELS if check_levels()[level]]
    for level in missing:
        with pytest.raises(SandboxUnavailable, match=level):
            Sandbox(level)
    if not missing:
        with pytest.raises(SandboxUnavailable, match="one process"):
            Sandbox("landlock", processes=2)


# Runs a program after it has put a filter on itself that denies calls, as containers have it.
IN_A_CONTAINER = """
import sys
from gem_ma.sandbox import jail
filter = jail.SeccompFilter()
filter.deny(*sys.argv[1].split())
jail._prctl(jail._SET_NO_NEW_PRIVS, 1)
filter.make_installer()(0)
from gem_ma.sandbox import SandboxUnavailable, Sandbox, check_levels
for level, reason in check_levels().items():
    print(level, "-" if reason else "+", reason)
try:
    with Sandbox("namespaces") as box:
        print("ESCAPED", box)
except SandboxUnavailable as error:
    print("refused:", error)
try:
    with Sandbox() as box, Sandbox():
        print("auto:", box.level, box.run("print(6 * 7)").stdout)
except SandboxUnavailable as error:
    print("none:", error)
"""


@pytest.mark.parametrize("calls", ["unshare", unless(False, "mount"), unless(False, "pivot_root")])
def test_in_a_container_that_forbids_namespaces(calls):
    result, said = _python(IN_A_CONTAINER, calls, errors=True)
    assert "namespaces - level 'namespaces' is not available" in result
    assert f"{calls}" in result.split("\n")[0]
    assert "seccomp=unconfined" in result
    assert "refused: level 'namespaces' is not available" in result
    assert "ESCAPED" not in result
    weaker = [level for level in LEVELS[1:] if not check_levels()[level]]
    assert f"auto: {weaker[0]} 42" in result if weaker else "none: " in result
    if weaker:  # and it is said, once for both
        assert said.count(f"code of models runs at level {weaker[0]!r}") == 1
        assert "level 'namespaces' is not available" in said


@pytest.mark.slow
def test_in_a_container_without_landlock():
    result = _python(IN_A_CONTAINER, "unshare landlock_create_ruleset")
    assert "landlock - level 'landlock' is not available" in result
    assert "auto: limits 42" in result if not check_levels()["limits"] else "none: " in result


@pytest.mark.slow
@pytest.mark.skipif(
    os.geteuid() != 0 or not shutil.which("setpriv"), reason="run as root, with setpriv installed"
)
def test_root_of_a_container():
    usual = "-all,+chown,+dac_override,+fowner,+kill,+setgid,+setuid,+setpcap,+sys_chroot,+mknod"
    result = _python(IN_A_CONTAINER, "unshare", prefix=["setpriv", f"--bounding-set={usual}"])
    weaker = [level for level in LEVELS[1:] if not check_levels()[level]]
    assert f"auto: {weaker[0]} 42" in result if weaker else "none: " in result
    result = _python(IN_A_CONTAINER, "reboot", prefix=["setpriv", "--bounding-set=-all"])
    assert result.count("the capabilities CHOWN, SETGID and SETUID") >= len(LEVELS)


def _python(code, *args, prefix=(), errors=False):
    done = subprocess.run(
        [*prefix, sys.executable, "-W", "error", "-c", code, *args], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return (done.stdout, done.stderr) if errors else done.stdout


@pytest.fixture(scope="module")
def box():
    """Return a sandbox of the strongest level."""
    with Sandbox(workers=2, seconds=5, preload=("math", "json", "time", "os")) as made:
        yield made


def test_commands_and_links():
    if check_levels()["namespaces"]:
        pytest.skip(check_levels()["namespaces"])
    listing = "import os, subprocess; os.mkdir('app'); subprocess.run(['/bin/ls', '-ld', '/app/.'])"
    with Sandbox("namespaces", processes=4, commands=True, links=("app",)) as box:
        assert " sandbox sandbox " in box.run(listing).stdout
        assert box.run("import os; print(os.path.exists('/app'))").stdout == "False\n"
        assert pickle.loads(pickle.dumps(box)).links == ("app",)
    with Sandbox("namespaces", processes=4) as box:
        assert "No such file" in box.run(listing).stderr


def test_links_that_cannot_be_made():
    with pytest.raises(SandboxUnavailable, match="'limits' has no root of its own"):
        Sandbox("limits", links=("app",))
    with pytest.raises(ValueError, match=r"plain names such as 'app', got '\.\./x'"):
        Sandbox(links=("../x",))
    if not check_levels()["namespaces"]:
        with pytest.raises(SandboxUnavailable, match="links: /usr is taken"):
            Sandbox("namespaces", links=("usr",))
