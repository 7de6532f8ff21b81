"""The levels of isolation, the guarantees of each, and reasons why a level is unavailable."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

LEVELS = ("namespaces", "landlock", "limits")  # strongest first

PROMISES: Mapping[str, tuple[str, tuple[str, ...]]] = MappingProxyType(
    {
        "limits": (
            "A run ends in time. The memory of each process, the size of each file, and the "
            "output are limited.",
            LEVELS,
        ),
        "rest": (
            "Nothing that a run started, or left in its folder, remains for the next run.",
            LEVELS,
        ),
        "result": (
            "A run cannot fake its exit status, and cannot change another run or the process that "
            "starts runs.",
            LEVELS[:2],
        ),
        "files": (
            "A run can read only installed packages and its own folder, and write only its own "
            "folder.",
            LEVELS[:2],
        ),
        "network": (
            "A run has no network, and no connection to servers on the same machine.",
            LEVELS[:2],
        ),
        "processes": (
            "A run cannot send signals to other processes, and cannot read their memory.",
            LEVELS[:2],
        ),
        "kernel": (
            "System calls that programs rarely need, such as mount, ptrace and bpf, are refused.",
            LEVELS[:2],
        ),
        "names": ("A run cannot find out the names of other files and processes.", LEVELS[:1]),
        "disk": ("All files of a run together are limited in size and number.", LEVELS[:1]),
    }
)


class SandboxError(RuntimeError):
    """The base class of sandbox errors."""


class SandboxUnavailable(SandboxError):
    """Raised if a level of isolation is not available here."""


class SandboxTimeout(SandboxError):
    """Raised if a call took too long."""


class SandboxCrash(SandboxError):
    """Raised if a call raised an error, or its process died."""


def explain_missing(level: str) -> str:
    """Return why a level is unavailable on this kind of system, or "" if it may be available."""
    system: str = sys.platform
    if system == "linux":
        return ""
    if level != "limits":
        return "only Linux has this level"
    if not hasattr(os, "fork"):
        return "this level needs Linux or macOS (fork and resource limits); on Windows use WSL"
    return ""


def suggest_remedy(level: str, problem: str) -> str:
    """Return a remedy for a level that is unavailable for this reason, or ""."""
    if sys.platform != "linux":
        return ""
    if "Landlock" in problem or "landlock" in problem:
        return "; Landlock needs Linux 6.2 or later, with landlock in the kernel's lsm= list"
    if level != "namespaces" or "other user" in problem:
        return ""
    for name, bad, remedy in (
        ("user/max_user_namespaces", "0", "set user.max_user_namespaces to 10000"),
        ("kernel/unprivileged_userns_clone", "0", "set kernel.unprivileged_userns_clone to 1"),
        (
            "kernel/apparmor_restrict_unprivileged_userns",
            "1",
            "set kernel.apparmor_restrict_unprivileged_userns to 0",
        ),
    ):
        with contextlib.suppress(OSError):
            if Path("/proc/sys", name).read_text().strip() == bad:
                return f"; {remedy} with sysctl"
    if not any(word in problem for word in ("unshare", "mount", "pivot_root", "not permitted")):
        return ""
    return (
        "; in a container, allow the system calls unshare and mount, for example with docker's "
        "--security-opt seccomp=unconfined --security-opt apparmor=unconfined"
    )
