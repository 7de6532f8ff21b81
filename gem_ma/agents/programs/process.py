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

from gem_ma.agents.programs.gateway import told_of
from gem_ma.agents.programs.seat import Seat
from gem_ma.validation.untrusted_json import parse_json

MARK = "GEM_MA_PROGRAM"  # in the environment of all that a program begins
_LINE = 1 << 24  # bytes of a line that a program writes
_HEARD = 20  # lines that an error repeats
_SWEEP = 5.0  # seconds for ending what a program has left


class ProgramDied(RuntimeError):
    """A program's process ended, or wrote what is no reply."""


async def command(line: str, seat: Seat, memory: int | None, patience: float) -> None:
    """Run a command in a seat until it ends, and let nothing of it outlive that."""
    mark = secrets.token_hex(16)
    environment = {
        **os.environ,
        "OPENAI_BASE_URL": seat.address,
        "OPENAI_API_KEY": "none",
        "GEM_MA_SEAT": seat.address.rpartition("/")[0],
        MARK: mark,
    }
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        *shlex.split(line),
        stdin=pipe,
        stdout=pipe,
        stderr=pipe,
        env=environment,
        limit=_LINE,
        start_new_session=True,
    )
    heard: deque[str] = deque(maxlen=_HEARD)
    listening = asyncio.create_task(_listen(process.stderr, heard))
    try:
        if memory is not None:
            limit(process.pid, memory)
        await _talk(process, seat, heard)
        process.stdin.close()  # type: ignore[union-attr]
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), patience)
    finally:
        listening.cancel()
        await asyncio.shield(asyncio.get_running_loop().run_in_executor(None, sweep, mark))
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()


async def _talk(process: Any, seat: Seat, heard: deque[str]) -> None:
    """Hand in turns, and play what the program replies."""
    turn = await seat.aturn()
    while turn is not None:
        await _tell(process, told_of(turn, seat))
        reply = await _replied(process, heard)
        turn = await seat.aplay(reply)
    with contextlib.suppress(ConnectionError):
        await _tell(process, told_of(None, seat))


async def _tell(process: Any, told: dict[str, Any]) -> None:
    process.stdin.write(json.dumps(told).encode() + b"\n")
    with contextlib.suppress(ConnectionError):  # that it has ended is seen where it is read
        await process.stdin.drain()


async def _replied(process: Any, heard: deque[str]) -> Any:
    """Wait for a line that is a reply."""
    while True:
        try:
            line = await process.stdout.readline()
        except ValueError:
            raise ProgramDied(f"it wrote a line of more than {_LINE} bytes") from None
        if not line:
            await process.wait()
            await asyncio.sleep(0)  # for what it said at last
            raise ProgramDied(f"it ended with {_how(process.returncode)}{_last(heard)}")
        text = line.decode(errors="replace").strip()
        if not text.startswith("{"):
            heard.append(text[:500])
            continue
        try:
            said = parse_json(text, size=_LINE)
        except ValueError as error:
            raise ProgramDied(f"it wrote a line that is no JSON: {error}: {text[:200]!r}") from None
        if "reply" not in said:
            raise ProgramDied(f'it wrote {text[:200]!r}: expected {{"reply": ...}}')
        return said["reply"]


async def _listen(stream: Any, heard: deque[str]) -> None:
    """Keep the last lines of what a program complains of."""
    while part := await stream.read(1 << 16):
        heard.extend(line[:500] for line in part.decode(errors="replace").splitlines())


def _how(code: int) -> str:
    if code >= 0:
        return f"exit status {code}"
    try:
        return f"signal {signal.Signals(-code).name}"
    except ValueError:
        return f"signal {-code}"


def _last(heard: deque[str]) -> str:
    said = "\n".join(line for line in heard if line.strip())
    return f"; it said last:\n{said}" if said else ""


def limit(pid: int, memory: int) -> None:
    """Limit the memory of a process and of all that it begins."""
    import resource

    if not hasattr(resource, "prlimit"):
        raise OSError("memory= is a limit that this system does not have: leave it out")
    with contextlib.suppress(ProcessLookupError):
        resource.prlimit(pid, resource.RLIMIT_AS, (memory, memory))


def sweep(mark: str) -> None:
    """Kill whatever was begun with a mark in its environment, until nothing is left."""
    end = time.monotonic() + _SWEEP
    while found := marked(mark):
        for pid in found:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        if time.monotonic() > end:
            return
        time.sleep(0.005)


def marked(mark: str) -> list[int]:
    """Return the processes that have a mark in their environment, where the system tells that."""
    wanted, found = f"{MARK}={mark}".encode(), []
    for place in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if wanted in (place / "environ").read_bytes().split(b"\0") and not _is_dead(place):
                found.append(int(place.name))
    return found


def _is_dead(place: Path) -> bool:
    """Return whether a process has ended, and only its parent has not heard of it yet."""
    return (place / "stat").read_text().rpartition(")")[2].split()[0] in ("Z", "X")
