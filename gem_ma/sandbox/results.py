"""The result of a run, parsed from bytes that the program may have forged."""

from __future__ import annotations

from dataclasses import dataclass

from gem_ma.sandbox.protocol import ENDED
from gem_ma.validation.json_types import JSONObject
from gem_ma.validation.untrusted_json import parse_json

END_REASONS = ("", "timeout", "output", "killed")


@dataclass(frozen=True, slots=True)
class RunResult:
    """The result of a run."""

    stdout: str
    stderr: str
    exit_code: int  # negative: the number of the signal that ended it
    reason: str  # "", "timeout", "memory", "output" (too much) or "killed"
    seconds: float
    value: str = ""  # with `echo`, the repr of a last expression

    @property
    def ok(self) -> bool:
        """Whether the run ended by itself with exit code 0."""
        return not self.reason and self.exit_code == 0


def parse_result(
    reason: int, status: int, spent: float, stdout: bytes, stderr: bytes, answer: bytes
) -> RunResult:
    """Return the result in a server's frame; a forged `answer` changes exit code and value only."""
    errors, why, value = decode_output(stderr), END_REASONS[reason], ""
    if reason == ENDED and answer:
        data = parse_answer(answer)
        ended, value = data.get("exit"), data.get("value", "")
        if type(ended) is int and 0 <= ended <= 0xFF and isinstance(value, str):
            status = ended
        else:
            # the program wrote the answer itself, and was killed
            status, why, value = -9, "killed", ""
    if status == 1 and errors.rstrip().rpartition("\n")[2].startswith("MemoryError"):
        why = "memory"
    return RunResult(decode_output(stdout), errors, status, why, spent, value)


def parse_answer(data: bytes) -> JSONObject:
    """Return the answer of a process as JSON data; it may be forged by a model's text."""
    try:
        # the output limit has bounded its length
        answer = parse_json(data, size=None, digits=4300)
    except ValueError as error:
        return {"error": f"its answer is refused: {error}"} if data else {}
    return answer if isinstance(answer, dict) else {}


def decode_output(data: bytes) -> str:
    """Return output as text."""
    return data.decode("utf-8", "replace")
