"""A sandbox that runs code of a model, and functions on text of a model, without risk to the host.

    box = Sandbox(preload=("math_verify",))
    box.run("print(1)").stdout
    box.call("math_verify:parse", text)

A server is a new interpreter that shares nothing with this process. It enters a jail, imports the
modules to preload, and forks a child for every run. The strength of the jail depends on the kernel.
`levels.PROMISES` lists the guarantees of each level, `check_levels()` returns which levels are
available here, and an unavailable level is an error. Programs may import the standard library and
all installed packages.

`sandbox` and its imports run in this process. `server`, `job_runner`, `jail` and `run_folders` run
in the server: they import the standard library and each other only, without the package's name.
`protocol` is used on both sides.
"""

from gem_ma.sandbox.levels import (
    LEVELS,
    SandboxCrash,
    SandboxError,
    SandboxTimeout,
    SandboxUnavailable,
)
from gem_ma.sandbox.results import RunResult
from gem_ma.sandbox.sandbox import (
    Sandbox,
    SandboxSession,
    check_levels,
    find_weakest_level,
    get_shared_sandbox,
)

__all__ = [
    "LEVELS",
    "RunResult",
    "Sandbox",
    "SandboxCrash",
    "SandboxError",
    "SandboxSession",
    "SandboxTimeout",
    "SandboxUnavailable",
    "check_levels",
    "find_weakest_level",
    "get_shared_sandbox",
]
