"""The files that a sandbox can read: the interpreter, its packages and the system's libraries."""

from __future__ import annotations

import functools
import importlib.util
import os
import sys
import sysconfig
from collections.abc import Iterable

# The system's programs, and the files without which some of them (awk, git, perl) do not start.
COMMAND_FOLDERS = (
    "/bin",
    "/usr/bin",
    "/etc/alternatives",
    "/usr/share/git-core",
    "/usr/share/perl",
)


def make_environment() -> dict[str, str]:
    """Return the environment variables of servers; only the library path is inherited."""
    environment = {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "USER": "sandbox",
        "LD_BIND_NOW": "1",  # otherwise every child would resolve the same symbols
        # One core per program; and the stacks of a hundred threads would count as memory.
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
    }
    libraries = os.environ.get("LD_LIBRARY_PATH")
    return environment | ({"LD_LIBRARY_PATH": libraries} if libraries else {})


@functools.cache
def find_installation() -> tuple[list[str], list[str]]:
    """Return the module path of a sandbox, and the files and folders that Python needs."""
    standard = {os.path.realpath(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib")}
    standard.add(os.path.realpath(os.path.dirname(os.__file__)))
    path = []
    for entry in sys.path:  # noqa: TID251  only read
        real = os.path.realpath(entry or ".")
        inside = any(real == folder or real.startswith(folder + "/") for folder in standard)
        # Installed packages only: the caller's own folders may contain anything.
        packages = os.path.basename(real) in ("site-packages", "dist-packages")
        if entry and os.path.exists(entry) and (inside or packages):
            path.append(os.path.abspath(entry))
    prefixes = {sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix}
    visible = [f"{prefix}/{name}" for prefix in sorted(prefixes) for name in ("lib", "lib64")]
    visible += [*path, *sorted(standard), sys.executable, f"{sys.prefix}/pyvenv.cfg"]
    visible += ["/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/nix/store"]
    visible += ["/gnu/store", "/etc/ld.so.cache", "/usr/share/zoneinfo"]
    visible += os.environ.get("LD_LIBRARY_PATH", "").split(":")
    return path, visible


def locate_module(name: str) -> tuple[str, str]:
    """Return the folder on the path with a module, and the module's file or package."""
    top = name.partition(":")[0].partition(".")[0]
    spec = importlib.util.find_spec(top) if top.isidentifier() else None
    if spec is None:
        raise ModuleNotFoundError(
            f"preload: no module {top!r}; install it, or correct the name", name=top
        )
    places = list(spec.submodule_search_locations or [spec.origin or ""])
    place = os.path.abspath(places[0])
    if not os.path.exists(place):  # built in, or frozen
        return find_installation()[0][0], os.path.dirname(os.__file__)
    return os.path.dirname(place), place


def select_outermost(paths: Iterable[str]) -> list[str]:
    """Return the existing paths and their targets, without those inside another of these paths."""
    existing_paths: dict[str, None] = {}
    for path in paths:
        if os.path.isabs(path) and os.path.exists(path):
            existing_paths |= dict.fromkeys((os.path.normpath(path), os.path.realpath(path)))
    outermost_paths: list[str] = []
    for path in sorted(existing_paths, key=len):
        real = os.path.realpath(path)
        if not any(
            path.startswith(f"{other}/") and real.startswith(f"{os.path.realpath(other)}/")
            for other in outermost_paths
        ):
            outermost_paths.append(path)
    return outermost_paths
