"""Run code that a model wrote, and functions on text that a model wrote, where they can do no harm.

    box = Sandbox(preload=("math_verify",))
    box.run("print(1)").stdout
    box.call("math_verify:parse", text)

A server, a fresh interpreter that has nothing of this process, enters a jail, imports what it shall
preload, and forks a child for every run. How strong the jail is depends on what the kernel allows:
PROMISES says what each level keeps, `check_levels()` which levels can be had here, and a level that
cannot be had is an error. Programs may import the standard library and all installed packages.

`sandbox` and what it imports are this side of the socket. `server`, `job_runner`, `jail` and
`run_folders` are the other: they have the standard library and each other, by bare names;
`protocol` is on both.
"""

from gem_ma.sandbox.levels import (
    LEVELS,
    PROMISES,
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
    "PROMISES",
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
