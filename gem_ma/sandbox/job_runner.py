"""The job of a server's child: run a program, or call a function."""

from __future__ import annotations

import ast
import gc
import importlib
import io
import json
import linecache
import marshal
import os
import pickle
import resource
import sys
import traceback
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

if TYPE_CHECKING:
    from gem_ma.sandbox import jail, protocol
    from gem_ma.validation.json_types import JSONObject
else:
    import jail
    import protocol

ANSWER_FD = 3  # a child writes its answer here
NULL_FD = 4  # /dev/null, in place of any other file
MAX_OPEN_FILES = 128  # of a process
PROGRAM_NAME = "main.py"  # name of a program in tracebacks


class ServerState(Protocol):
    """The part of the server's state that a program needs."""

    limits: JSONObject
    config: JSONObject
    tasks: int
    level: str
    single_process: bool
    own_files: bool
    address_space: int


class JobRunner:
    """The code that a child runs for its job.

    The server makes it once, since pages that a child does not write to are not copied.
    """

    def __init__(self, server: ServerState):
        limits = server.limits
        self.tasks = server.tasks
        self.job_fd = 0
        self.run_count = 0
        self.streams = _open_writer(1, "surrogateescape"), _open_writer(2, "backslashreplace")
        self.stdin = open(0, encoding="utf-8", errors="surrogateescape", closefd=False)  # noqa: SIM115
        self.main = types.ModuleType("__main__")
        self.filter: Callable[[int], None] | None = None
        if sys.platform == "linux":
            self.filter = jail.make_program_filter(
                server.level, single=server.single_process, own_files=server.own_files
            )
        _set_limit(resource.RLIMIT_CORE, 0)
        _set_limit(resource.RLIMIT_NOFILE, MAX_OPEN_FILES)
        _set_limit(resource.RLIMIT_FSIZE, limits["file_size"])
        if sys.platform == "linux":
            _set_limit(resource.RLIMIT_AS, server.address_space + limits["memory"])
            _set_limit(resource.RLIMIT_MEMLOCK, 0)
            _set_limit(resource.RLIMIT_MSGQUEUE, 0)
        sys.argv = [PROGRAM_NAME]
        for name, value in server.config["prefixes"].items():
            setattr(sys, name, value)
        sys.path.insert(0, "")  # noqa: TID251  as with any program, its own folder
        for prefix in ("", "__"):
            for name, stream in zip(
                ("stdin", "stdout", "stderr"), (self.stdin, *self.streams), strict=True
            ):
                setattr(sys, f"{prefix}{name}{prefix}", stream)
        sys.modules["__main__"] = self.main

    def run(self) -> NoReturn:
        """Do a job, or the jobs of a session, and exit."""
        # not in the server, because other runs of its user may have reached the limit
        if sys.platform == "linux":
            _set_limit(resource.RLIMIT_NPROC, self.tasks)
        if self.filter is not None:
            self.filter(os.getpid())
        kind, job = self.receive_job()
        sys.path[0] = os.getcwd()  # noqa: TID251
        if "tempfile" in sys.modules:
            vars(sys.modules["tempfile"])["tempdir"] = None  # it may contain the server's folder
        if "numpy.random" in sys.modules:  # otherwise all children have the server's state
            sys.modules["numpy.random"].seed()
        if kind in (protocol.SESSION, protocol.REUSED_CALL):
            self.job_fd = os.dup(0)
        for name, content in job.get("files", {}).items():
            _write_file(name, content)
        self.open_stdin(job.get("stdin", b""))
        gc.enable()
        while True:
            if kind in (protocol.CALL, protocol.REUSED_CALL):
                answer, over = self.call(**job), False
            else:
                answer, over = self.execute_code(job["code"], job["echo"], kind)
            if over or kind in (protocol.RUN, protocol.CALL):
                self.exit(answer)
            self.answer(answer)
            _, job = self.receive_job()

    def receive_job(self) -> tuple[int, Any]:
        """Wait for a job, and set the limit of its CPU time."""
        kind, _, cpu, length = protocol.JOB_HEADER.unpack(
            protocol.read_exactly(self.job_fd, protocol.JOB_HEADER.size)
        )
        job = marshal.loads(protocol.read_exactly(self.job_fd, length))
        usage = resource.getrusage(resource.RUSAGE_SELF)
        soft = int(usage.ru_utime + usage.ru_stime + cpu + 0.999)
        # The hard limit could not be raised again for the next job.
        hard = soft + 1 if kind in (protocol.RUN, protocol.CALL) else resource.RLIM_INFINITY
        _set_limit(resource.RLIMIT_CPU, soft, hard)
        return kind, job

    def open_stdin(self, data: bytes) -> None:
        """Make these bytes the standard input."""
        fd = NULL_FD
        if data:
            name = f".{os.urandom(12).hex()}"
            fd = os.open(name, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
            os.unlink(name)
            protocol.write_all(fd, data)
            os.lseek(fd, 0, os.SEEK_SET)
        os.dup2(fd, 0)
        os.close(fd)

    def execute_code(self, code: str, echo: bool, kind: int) -> tuple[JSONObject, bool]:
        """Run a program; return its answer and whether it asked to exit."""
        name = PROGRAM_NAME if kind == protocol.RUN else f"run-{self.run_count}.py"
        self.run_count += 1
        try:
            value = _execute_code(code, name, self.main.__dict__, echo)
            return ({"exit": 0} if value is None else {"exit": 0, "value": repr(value)}), False
        except SystemExit as error:
            if error.code is None or isinstance(error.code, int):
                return {"exit": (error.code or 0) & 0xFF}, True
            sys.stderr.write(f"{error.code}\n")
            return {"exit": 1}, True
        except BaseException as error:  # noqa: BLE001  a program's errors are its result
            linecache.cache[name] = len(code), None, code.splitlines(True), name
            _print_error(error)
            return {"exit": 1}, False

    def call(self, function: str, args: bytes) -> JSONObject:
        """Call a function; return its value or its traceback."""
        try:
            answer = {"exit": 0, "value": import_name(function)(*pickle.loads(args))}
            json.dumps(answer)
        except Exception:  # noqa: BLE001  it is told to the caller
            answer = {"exit": 0, "error": traceback.format_exc()}
        return answer

    def answer(self, answer: JSONObject) -> None:
        """Write the answer, after all output."""
        self.flush()
        protocol.write_all(ANSWER_FD, json.dumps(answer).encode() + b"\n")

    def flush(self) -> None:
        """Flush the output."""
        for file in (sys.stdout, sys.stderr, *self.streams):
            try:
                file.flush()
            except (OSError, ValueError, AttributeError):  # the program closed or replaced it
                continue

    def exit(self, answer: JSONObject) -> NoReturn:
        """Exit as an interpreter does: join threads and call exit functions."""
        try:
            if "threading" in sys.modules:
                sys.modules["threading"]._shutdown()
            if "atexit" in sys.modules:
                sys.modules["atexit"]._run_exitfuncs()
        except BaseException as error:  # noqa: BLE001  a program's errors are its result
            _print_error(error)
        if self.job_fd:
            self.flush()  # without an answer, because the session ends here
        else:
            self.answer(answer)
        os._exit(answer["exit"])


def _execute_code(code: str, name: str, names: dict[str, object], echo: bool) -> object:
    """Run code; with `echo`, return the value of its last statement if that is an expression."""
    last = None
    if echo:
        tree: Any = compile(code, name, "exec", ast.PyCF_ONLY_AST, dont_inherit=True)
        if tree.body and isinstance(tree.body[-1], ast.Expr):
            last = ast.Expression(tree.body.pop().value)
        program = compile(tree, name, "exec", dont_inherit=True)
    else:
        program = compile(code, name, "exec", dont_inherit=True)
    exec(program, names)
    return eval(compile(last, name, "eval", dont_inherit=True), names) if last else None


def _print_error(error: BaseException) -> None:
    """Print an error as an interpreter does, without the frames of this file."""
    while error.__traceback__ and error.__traceback__.tb_frame.f_code.co_filename == __file__:
        error.__traceback__ = error.__traceback__.tb_next
    try:
        traceback.print_exception(error)
    except BaseException:  # noqa: BLE001  as of an exception whose own __str__ fails
        os.write(2, f"{type(error).__name__}\n".encode("utf-8", "replace"))


def import_name(name: str) -> Any:
    """Return a module, or the object that "module:function" names."""
    module, _, function = name.partition(":")
    target: Any = importlib.import_module(module)
    for part in function.split(".") if function else ():
        target = getattr(target, part)
    return target


def _set_limit(name: int, soft: int, hard: int | None = None) -> None:
    most = resource.getrlimit(name)[1]
    hard = soft if hard is None else hard
    if most != resource.RLIM_INFINITY:
        soft, hard = min(soft, most), most if hard == resource.RLIM_INFINITY else min(hard, most)
    resource.setrlimit(name, (soft, hard))


def _open_writer(fd: int, errors: str) -> io.TextIOWrapper:
    # Line by line, so that output before a timeout is not lost.
    raw = open(fd, "wb", closefd=False)  # noqa: SIM115
    return io.TextIOWrapper(raw, encoding="utf-8", errors=errors, line_buffering=True)


def _write_file(name: str, content: bytes) -> None:
    folder = os.path.dirname(name)
    if folder:
        os.makedirs(folder, exist_ok=True)
    with open(name, "wb") as file:
        file.write(content)
