"""What came of a run, read from bytes that a program may have written as it liked."""

from __future__ import annotations

from dataclasses import dataclass

from gem_ma.sandbox.protocol import ENDED
from gem_ma.validation.json_types import JSONObject
from gem_ma.validation.untrusted_json import parse_json

END_REASONS = ("", "timeout", "output", "killed")


@dataclass(frozen=True, slots=True)
class RunResult:
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


def parse_result(
    reason: int, status: int, spent: float, stdout: bytes, stderr: bytes, answer: bytes
) -> RunResult:
    """Return what a frame of a server tells; `answer` may be forged, and says an exit at most."""
    errors, why, value = decode_output(stderr), END_REASONS[reason], ""
    if reason == ENDED and answer:
        data = parse_answer(answer)
        ended, value = data.get("exit"), data.get("value", "")
        if type(ended) is int and 0 <= ended <= 0xFF and isinstance(value, str):
            status = ended
        else:
            status, why, value = -9, "killed", ""  # the program wrote there itself, and was ended
    if status == 1 and errors.rstrip().rpartition("\n")[2].startswith("MemoryError"):
        why = "memory"
    return RunResult(decode_output(stdout), errors, status, why, spent, value)


def parse_answer(data: bytes) -> JSONObject:
    """Return what a process answered, which a model's text may have written: no more than data."""
    try:
        # as long as the output's limit lets it be
        answer = parse_json(data, size=None, digits=4300)
    except ValueError as error:
        return {"error": f"its answer is refused: {error}"} if data else {}
    return answer if isinstance(answer, dict) else {}


def decode_output(data: bytes) -> str:
    """Return what was printed, as text."""
    return data.decode("utf-8", "replace")
