"""What came of a run, read from bytes that a program may have written as it liked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gem_ma.guards.sandbox.frames import ENDED
from gem_ma.guards.untrusted import read_json

REASONS = ("", "timeout", "output", "killed")


@dataclass(frozen=True, slots=True)
class Result:
    """What came of a run."""

    stdout: str
    stderr: str
    exit_code: int  # negative: the signal that ended it
    reason: str  # why it was ended: "", "timeout", "memory", "output" (too much) or "killed"
    seconds: float
    value: str = ""  # repr of an expression that stood last, where that was asked for

    @property
    def ok(self) -> bool:
        """Whether it ended by itself, and well."""
        return not self.reason and self.exit_code == 0


def read_result(
    reason: int, status: int, spent: float, stdout: bytes, stderr: bytes, answer: bytes
) -> Result:
    """Return what a frame of a server tells; `answer` may be forged, and says an exit at most."""
    errors, why, value = shown(stderr), REASONS[reason], ""
    if reason == ENDED and answer:
        told = read_answer(answer)
        ended, value = told.get("exit"), told.get("value", "")
        if type(ended) is int and 0 <= ended <= 0xFF and isinstance(value, str):
            status = ended
        else:
            status, why, value = -9, "killed", ""  # the program wrote there itself, and was ended
    if status == 1 and errors.rstrip().rpartition("\n")[2].startswith("MemoryError"):
        why = "memory"
    return Result(shown(stdout), errors, status, why, spent, value)


def read_answer(data: bytes) -> dict[str, Any]:
    """Return what a process answered, which a model's text may have written: no more than data."""
    try:
        answer = read_json(data, size=None, digits=4300)  # as long as the output's limit lets it be
    except ValueError as error:
        return {"error": f"its answer is refused: {error}"} if data else {}
    return answer if isinstance(answer, dict) else {}


def shown(data: bytes) -> str:
    """Return what was printed, as text."""
    return data.decode("utf-8", "replace")
