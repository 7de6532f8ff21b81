"""A command in a seat: started for it, spoken to in lines of JSON, ended with all that it began.

It reads {"type": "turn", "text": ..., "messages": [...], ...} and, at the end, {"type": "over",
"return": ...} from its standard input, and writes {"reply": ...} to its standard output; lines
that begin otherwise are passed over. Its environment has OPENAI_BASE_URL, the address for its
calls, and GEM_MA_SEAT, where the same is told and taken: GET turn and POST play.
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

PROCESS_MARK = "GEM_MA_PROGRAM"  # in the environment of all that a program begins
_MAX_LINE_SIZE = 1 << 24  # bytes of a line that a program writes
_ERROR_LINES = 20  # lines that an error repeats
_KILL_TIMEOUT = 5.0  # seconds for ending what a program has left


class ProgramDied(RuntimeError):
    """A program's process ended, or wrote what is no reply."""


async def run_command(
    line: str, seat: ProgramSeat, memory: int | None, patience: float, key: str = "OPENAI_API_KEY"
) -> None:
    """Run a command in a seat until it ends, and let nothing of it outlive that.

    Args:
        line: the command.
        memory: bytes that each of its processes may take.
        patience: seconds that it has to end.
        key: the environment variable that holds the key of the model's server, which the command
            is not given.
    """
    mark = secrets.token_hex(16)
    environment = {
        **{name: value for name, value in os.environ.items() if name != key},
        "OPENAI_BASE_URL": seat.address,
        "OPENAI_API_KEY": "none",
        "GEM_MA_SEAT": seat.address.rpartition("/")[0],
        PROCESS_MARK: mark,
    }
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
    """Hand in turns, and play what the program replies."""
    turn = await seat.aturn()
    while turn is not None:
        await _send_message(process, serialize_turn(turn, seat))
        reply = await _read_reply(process, heard)
        turn = await seat.aplay(reply)
    with contextlib.suppress(ConnectionError):
        await _send_message(process, serialize_turn(None, seat))


async def _send_message(process: Any, told: JSONObject) -> None:
    process.stdin.write(json.dumps(told).encode() + b"\n")
    with contextlib.suppress(ConnectionError):  # that it has ended is seen where it is read
        await process.stdin.drain()


async def _read_reply(process: Any, heard: deque[str]) -> Any:
    """Wait for a line that is a reply."""
    while True:
        try:
            line = await process.stdout.readline()
        except ValueError:
            raise ProgramDied(f"it wrote a line of more than {_MAX_LINE_SIZE} bytes") from None
        if not line:
            await process.wait()
            await asyncio.sleep(0)  # for what it said at last
            raise ProgramDied(
                f"it ended with {_format_exit(process.returncode)}{_format_last_lines(heard)}"
            )
        text = line.decode(errors="replace").strip()
        if not text.startswith("{"):
            heard.append(text[:500])
            continue
        try:
            data = parse_json(text, size=_MAX_LINE_SIZE)
        except ValueError as error:
            raise ProgramDied(f"it wrote a line that is no JSON: {error}: {text[:200]!r}") from None
        if "reply" not in data:
            raise ProgramDied(f'it wrote {text[:200]!r}: expected {{"reply": ...}}')
        return data["reply"]


async def _collect_lines(stream: Any, heard: deque[str]) -> None:
    """Keep the last lines of what a program complains of."""
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
    return f"; it said last:\n{text}" if text else ""


def limit_memory(pid: int, memory: int) -> None:
    """Limit the memory of a process and of all that it begins."""
    import resource

    if not hasattr(resource, "prlimit"):
        raise OSError("memory= is a limit that this system does not have: leave it out")
    with contextlib.suppress(ProcessLookupError):
        resource.prlimit(pid, resource.RLIMIT_AS, (memory, memory))


def kill_marked_processes(mark: str) -> None:
    """Kill whatever was begun with a mark in its environment, until nothing is left."""
    end = time.monotonic() + _KILL_TIMEOUT
    while found := find_marked_processes(mark):
        for pid in found:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        if time.monotonic() > end:
            return
        time.sleep(0.005)


def find_marked_processes(mark: str) -> list[int]:
    """Return the processes that have a mark in their environment, and all that descend from them.

    A child may have cleared its environment. Where the system tells nothing of processes there are
    none.
    """
    wanted, parents, found = f"{PROCESS_MARK}={mark}".encode(), {}, set()
    for place in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            state, parent = (place / "stat").read_text().rpartition(")")[2].split()[:2]
            if state in ("Z", "X"):  # it has ended, and only its parent has not heard of it yet
                continue
            parents[int(place.name)] = int(parent)
            if wanted in (place / "environ").read_bytes().split(b"\0"):
                found.add(int(place.name))
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return sorted(found)
