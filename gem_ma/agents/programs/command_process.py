"""A command that plays a seat: started for the seat, and ended with all its descendants.

The command reads lines of JSON from standard input: {"type": "turn", "text": ..., "messages":
[...], ...} for each turn and {"type": "over", "return": ...} at the end. It writes {"reply": ...}
to standard output; lines that do not begin with "{" are ignored. Its environment has
OPENAI_BASE_URL, the address for its model calls, and GEM_MA_SEAT, under which GET turn and POST
play do the same over HTTP. The clients of Anthropic and Google find their address in theirs.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import secrets
import shlex
import signal
import time
from collections import deque
from pathlib import Path
from typing import Any

from gem_ma.agents.programs.gateway import serialize_turn
from gem_ma.agents.programs.program_seat import ProgramSeat
from gem_ma.validation.json_types import JSONObject
from gem_ma.validation.untrusted_json import parse_json

# Variables by which clients of Anthropic and Google would use another account.
_ACCOUNT_VARIABLES = ("ANTHROPIC_AUTH_TOKEN", "GOOGLE_API_KEY", "GOOGLE_GENAI_USE_VERTEXAI")
PROCESS_MARK = "GEM_MA_PROGRAM"  # environment variable of all processes of a program
_MAX_LINE_SIZE = 1 << 24  # bytes of a line that a program writes
_ERROR_LINES = 20  # lines that an error repeats
_KILL_TIMEOUT = 5.0  # seconds for killing the processes that a program left


class ProgramDied(RuntimeError):
    """Raised if a program's process ended, or wrote something that is no reply."""


async def run_command(
    line: str,
    seat: ProgramSeat,
    memory: int | None,
    patience: float,
    key: str = "OPENAI_API_KEY",
    has_model: bool = False,
) -> None:
    """Run a command in a seat until it ends, and kill all processes that it left.

    Args:
        line: The command.
        memory: Bytes that each of its processes may use; None: no limit.
        patience: Seconds for the command to end after the episode.
        key: The environment variable with the key of the model's server. The command does not get
            this variable.
        has_model: Whether a model can be called at the seat's address. Otherwise a command may use
            accounts of its own at Anthropic and Google.
    """
    mark = secrets.token_hex(16)
    dropped = {key, *(_ACCOUNT_VARIABLES if has_model else ())}
    environment = {
        **{name: value for name, value in os.environ.items() if name not in dropped},
        "OPENAI_BASE_URL": seat.address,
        "OPENAI_API_KEY": "none",
        "GEM_MA_SEAT": seat.root_address,
        PROCESS_MARK: mark,
    }
    if has_model:
        for vendor, base in (("ANTHROPIC", "ANTHROPIC"), ("GEMINI", "GOOGLE_GEMINI")):
            environment[f"{vendor}_API_KEY"] = "none"
            environment[f"{base}_BASE_URL"] = seat.root_address
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        *shlex.split(line),
        stdin=pipe,
        stdout=pipe,
        stderr=pipe,
        env=environment,
        limit=_MAX_LINE_SIZE,
        start_new_session=True,
    )
    error_lines: deque[str] = deque(maxlen=_ERROR_LINES)
    listening = asyncio.create_task(_collect_lines(process.stderr, error_lines))
    try:
        if memory is not None:
            limit_memory(process.pid, memory)
        await _play_seat(process, seat, error_lines)
        process.stdin.close()  # type: ignore[union-attr]
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), patience)
    finally:
        listening.cancel()
        await asyncio.shield(
            asyncio.get_running_loop().run_in_executor(None, kill_marked_processes, mark)
        )
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()


async def _play_seat(process: Any, seat: ProgramSeat, heard: deque[str]) -> None:
    """Send turns to the process, and play its replies."""
    turn = await seat.aturn()
    while turn is not None:
        await _send_message(process, serialize_turn(turn, seat))
        reply = await _read_reply(process, heard)
        turn = await seat.aplay(reply)
    with contextlib.suppress(ConnectionError):
        await _send_message(process, serialize_turn(None, seat))


async def _send_message(process: Any, told: JSONObject) -> None:
    process.stdin.write(json.dumps(told).encode() + b"\n")
    with contextlib.suppress(ConnectionError):  # the next read reports that it has ended
        await process.stdin.drain()


async def _read_reply(process: Any, heard: deque[str]) -> Any:
    """Wait for a line that holds a reply."""
    while True:
        try:
            line = await process.stdout.readline()
        except ValueError:
            raise ProgramDied(
                f"the program wrote a line of more than {_MAX_LINE_SIZE} bytes"
            ) from None
        if not line:
            await process.wait()
            await asyncio.sleep(0)  # for the last lines that it wrote
            raise ProgramDied(
                f"the program ended with {_format_exit(process.returncode)}"
                f"{_format_last_lines(heard)}"
            )
        text = line.decode(errors="replace").strip()
        if not text.startswith("{"):
            heard.append(text[:500])
            continue
        try:
            data = parse_json(text, size=_MAX_LINE_SIZE)
        except ValueError as error:
            raise ProgramDied(
                f"the program wrote a line that is no JSON: {error}: {text[:200]!r}"
            ) from None
        if "reply" not in data:
            raise ProgramDied(f'the program wrote {text[:200]!r}: expected {{"reply": ...}}')
        return data["reply"]


async def _collect_lines(stream: Any, heard: deque[str]) -> None:
    """Keep the last lines of a program's standard error."""
    while part := await stream.read(1 << 16):
        heard.extend(line[:500] for line in part.decode(errors="replace").splitlines())


def _format_exit(code: int) -> str:
    if code >= 0:
        return f"exit status {code}"
    try:
        return f"signal {signal.Signals(-code).name}"
    except ValueError:
        return f"signal {-code}"


def _format_last_lines(heard: deque[str]) -> str:
    text = "\n".join(line for line in heard if line.strip())
    return f"; its last lines:\n{text}" if text else ""


def limit_memory(pid: int, memory: int) -> None:
    """Limit the memory of a process and its future children."""
    import resource

    if not hasattr(resource, "prlimit"):
        raise OSError(
            f"memory={memory}: this system cannot limit a program's memory; leave memory out"
        )
    with contextlib.suppress(ProcessLookupError):
        resource.prlimit(pid, resource.RLIMIT_AS, (memory, memory))


def kill_marked_processes(mark: str) -> None:
    """Kill all processes with a mark in their environment, and their descendants.

    A killed process may go on for a moment on a busy machine. This waits until all have ended.
    """
    end = time.monotonic() + _KILL_TIMEOUT
    killed: set[int] = set()
    while (found := find_marked_processes(mark)) or any(
        _find_parent(pid) is not None for pid in killed
    ):
        for pid in found:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        killed.update(found)
        if time.monotonic() > end:
            return
        time.sleep(0.005)


def find_marked_processes(mark: str) -> list[int]:
    """Return the processes with a mark in their environment, and all their descendants.

    A descendant may have cleared its environment. The list is empty on systems without /proc.
    """
    wanted, parents, found = f"{PROCESS_MARK}={mark}".encode(), {}, set()
    for place in Path("/proc").glob("[0-9]*"):
        pid = int(place.name)
        parent = _find_parent(pid)
        if parent is None:
            continue
        parents[pid] = parent
        with contextlib.suppress(OSError):
            if wanted in (place / "environ").read_bytes().split(b"\0"):
                found.add(pid)
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return sorted(found)


def _find_parent(pid: int) -> int | None:
    """Return the parent of a process; None: the process has ended, though it may be a zombie."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    state, parent = text.rpartition(")")[2].split()[:2]
    return None if state in ("Z", "X") else int(parent)
