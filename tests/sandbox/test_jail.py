"""Which system calls a sandbox lets through: its filters, run here in Python, on any machine."""

import os
import re
import subprocess
import tempfile
from pathlib import Path

import pytest

from gem_ma.sandbox import Sandbox, check_levels, jail

HEADERS = (
    sorted(Path("/usr/include").glob("x86_64-*/asm/unistd_64.h")),
    sorted(Path("/usr/include").glob("asm-generic/unistd.h")),
)
ALLOWED, DENIED, UNKNOWN = 0x7FFF0000, 0x50001, 0x50026
OWN = 0xFFFFFFFF


@pytest.mark.skipif(not all(HEADERS), reason="apt install linux-libc-dev, on x86-64")
@pytest.mark.parametrize("column", [0, 1])
def test_the_numbers_of_calls_are_the_kernels(column):
    lines = HEADERS[column][0].read_text()
    there = {k: int(n) for k, n in re.findall(r"define __NR(?:3264)?_(\w+)\s+(\d+)\b", lines)}
    assert len(there) > 200
    newest = max(there.values())
    told = {name: numbers[column] for name, numbers in jail._SYSCALL_NUMBERS.items()}
    known = {name: number for name, number in told.items() if number <= newest}
    assert known == {name: there.get(name, 0) for name in known}


def answer(filter, name, *args):
    """Return what a filter says of a call: its program, run as the kernel runs it."""
    number = name if isinstance(name, int) else jail._SYSCALL_NUMBERS[name][filter._column]
    data = {0: number, 4: filter._architecture}
    data |= {16 + 8 * i: value for i, value in enumerate((*args, *[0] * (6 - len(args))))}
    steps = iter([*filter._instructions, (jail._RETURN, 0, 0, ALLOWED)])
    value = None
    for code, then, otherwise, constant in steps:
        if code == 0x06:
            return constant
        if code == 0x20:
            value = data[constant]
            continue
        holds = {0x15: value == constant, 0x25: value > constant, 0x45: value & constant}[code]
        for _ in range(then if holds else otherwise):
            next(steps)
    return None


@pytest.fixture(params=["x86_64", "aarch64"])
def machine(request, monkeypatch):
    found = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}[request.param]
    monkeypatch.setattr(jail, "_find_architecture", lambda: found)
    monkeypatch.setattr(jail.SeccompFilter, "make_installer", lambda made: made)
    return request.param


@pytest.mark.parametrize("level", ["namespaces", "landlock", "limits"])
def test_what_nobody_may_call(level, machine):
    filter = jail.make_common_filter(level)
    inside = level == "namespaces"
    alone = level == "landlock"
    for name in jail._DENIED_SYSCALLS:
        if jail._SYSCALL_NUMBERS[name][filter._column]:
            assert answer(filter, name) == DENIED, name
    for call, found in {
        ("clone3",): UNKNOWN,
        (jail._NEWEST_SYSCALL + 1,): UNKNOWN,
        ("clone", 0x11): ALLOWED,
        ("clone", 0x10000011): DENIED,
        ("clone", 0x20000011): DENIED,
        ("prlimit64", 0): ALLOWED,
        ("prlimit64", 5): DENIED,
        ("fcntl", 8, 3): ALLOWED,
        ("fcntl", 0, 8): DENIED,
        ("fcntl", 0, 10): DENIED,
        ("fcntl", 0, 15): DENIED,
        ("ioctl", 0, 0x5401): ALLOWED,
        ("ioctl", 0, 0x8901): DENIED,
        ("ioctl", 0, 0x8902): DENIED,
        ("socket", 1): DENIED if alone else ALLOWED,
        ("socket", 2): DENIED if alone else ALLOWED,
        ("socket", 10): DENIED if alone else ALLOWED,
        ("socket", 16): DENIED if inside or alone else ALLOWED,
        ("bind",): DENIED if alone else ALLOWED,
        ("connect",): DENIED if alone else ALLOWED,
        ("socketpair", 1, 1): ALLOWED,
        ("socketpair", 1, 2): DENIED if alone else ALLOWED,
        ("kill", 7): ALLOWED,
    }.items():
        assert answer(filter, *call) == found, call
    # of the x32 calls, on a machine that has them
    last = 0x40000000 + jail._SYSCALL_NUMBERS["kill"][0]
    assert answer(filter, last) == UNKNOWN
    filter._architecture = 0x40000003
    assert answer(filter, "kill", 7) == 0x80000000


@pytest.mark.parametrize("single", [True, False])
@pytest.mark.parametrize("own_files", [True, False])
@pytest.mark.parametrize("level", ["namespaces", "landlock", "limits"])
def test_what_a_program_may_not_call(level, own_files, single, machine):
    filter = jail.make_program_filter(level, single=single, own_files=own_files)
    several = DENIED if single else ALLOWED
    times = DENIED if level == "landlock" else ALLOWED
    rights = DENIED if level == "landlock" and not own_files else ALLOWED
    for call, found in {
        ("memfd_create",): DENIED,
        ("fork",): several,
        ("vfork",): several,
        ("clone", 0x11): several,
        ("clone", 0x11, 0x10000): several,
        ("clone", 0x10000): ALLOWED,
        ("kill", 7): several,
        ("kill", 0): ALLOWED,
        ("kill", OWN): ALLOWED,
        ("tgkill", 0): several,
        ("tgkill", OWN): ALLOWED,
        ("setsid",): ALLOWED if single or level == "namespaces" else DENIED,
        **dict.fromkeys([(name,) for name in jail._SIGNAL_SYSCALLS], several),
        **dict.fromkeys([(name,) for name in jail._TIMES_SYSCALLS], times),
        **dict.fromkeys([(name,) for name in jail._RIGHTS_SYSCALLS], rights),
    }.items():
        if jail._SYSCALL_NUMBERS[call[0]][filter._column]:
            assert answer(filter, *call) == found, call


def test_a_mount_whose_folder_anybody_deletes(monkeypatch, tmp_path):
    gone = str(tmp_path / "gone")
    lists = iter([[gone], []])
    monkeypatch.setattr(jail, "_list_mounts", lambda base: next(lists))
    jail._make_all_read_only(str(tmp_path))
    assert next(lists, None) is None


def test_a_mount_that_stays_and_cannot_be_made_read_only(monkeypatch, tmp_path):
    monkeypatch.setattr(jail, "_list_mounts", lambda base: [base + "/stays"])
    with pytest.raises(FileNotFoundError, match="stays"):
        jail._make_all_read_only(str(tmp_path))


def test_mounts_that_others_hide(small_disk):
    def mount(at):
        at.mkdir(exist_ok=True)
        subprocess.run(["mount", "-t", "tmpfs", "none", at], check=True)

    outer, inner = small_disk / "outer", small_disk / "outer/inner"
    for at in (outer, inner):
        mount(at)
    assert jail._list_mounts(str(small_disk)) == [str(at) for at in (small_disk, outer, inner)]
    mount(outer)
    inner.mkdir()
    try:
        assert jail._list_mounts(str(small_disk)) == [str(small_disk), str(outer)]
    finally:
        subprocess.run(["umount", outer], check=True)
        subprocess.run(["umount", inner, outer], check=True)


@pytest.fixture
def namespaces():
    """Skip without namespaces, before there is anything that could be in their way."""
    if check_levels()["namespaces"]:
        pytest.skip(check_levels()["namespaces"])


def test_a_disk_in_the_temporary_folder(namespaces, small_disk):
    assert str(small_disk).startswith(os.path.realpath(tempfile.gettempdir()))
    with Sandbox("namespaces") as box:
        assert box.run("print(6 * 7)").stdout == "42\n"
