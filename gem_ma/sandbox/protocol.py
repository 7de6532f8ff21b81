"""What the sandbox and its server say to each other, over a socket.

A job: kind, seconds, CPU seconds, length; then marshalled data, which only the child opens; then a
number that nobody can guess, which the server reads when no child is forked any more before its
answer. A result: that number, reason, exit status, seconds, three lengths; then stdout, stderr and
the answer, which may be anything that a program liked to write. A result with another number
belongs to another job, and is never delivered. Nothing that comes out is ever unpickled.
"""

from __future__ import annotations

import os
import struct

JOB_HEADER = struct.Struct("<BddI")
RESULT_HEADER = struct.Struct("<16sBidIII")
JOB_ID_SIZE = 16  # bytes of what tells jobs apart
RUN, CALL, SESSION, REUSED_CALL = 0, 1, 2, 3  # kinds; the last two leave the child for the next job
ENDED, TIMEOUT, OUTPUT, KILLED = 0, 1, 2, 3  # reasons


def read_exactly(fd: int, length: int) -> bytes:
    """Read so many bytes, or raise EOFError."""
    data = bytearray()
    while len(data) < length:
        part = os.read(fd, length - len(data))
        if not part:
            raise EOFError
        data += part
    return bytes(data)


def write_all(fd: int, data: bytes | memoryview) -> None:
    """Write all of the data."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]
