"""The protocol between the sandbox and its server, over a socket.

A job is: kind, seconds, CPU seconds, length; marshalled data, which only the child reads; and a
random id. The server reads the id only after it has forked the last child before its answer, so
that no child knows the id. A result is: the id, reason, exit status, seconds, three lengths;
stdout, stderr and the answer. A program may have written anything into these three. A result with
another id belongs to another job and is dropped. No output is ever unpickled.
"""

from __future__ import annotations

import os
import struct

JOB_HEADER = struct.Struct("<BddI")
RESULT_HEADER = struct.Struct("<16sBidIII")
JOB_ID_SIZE = 16  # bytes of a job's id
RUN, CALL, SESSION, REUSED_CALL = 0, 1, 2, 3  # kinds; the last two keep the child for the next job
ENDED, TIMEOUT, OUTPUT, KILLED = 0, 1, 2, 3  # reasons why a run ended


def read_exactly(fd: int, length: int) -> bytes:
    """Read `length` bytes, or raise EOFError."""
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
