"""PythonTool: a tool that runs a seat's Python code in the sandbox."""

from __future__ import annotations

import re
import signal
import threading
from collections import OrderedDict
from collections.abc import Mapping

from gem_ma.sandbox import RunResult, Sandbox, SandboxSession, get_shared_sandbox
from gem_ma.tools.tool import ToolCallHistory, ToolError
from gem_ma.validation.arguments import check_type
from gem_ma.validation.json_types import JSONMapping

_LOST_NOTE = "The variables are lost; the next call starts anew."
_CODE_FENCE = re.compile(r"\s*```[a-zA-Z]*[ \t]*\n(.*?)\n?```\s*", re.DOTALL)
_MAX_ERROR_LINES = 20  # lines of an error message that a seat reads


class PythonTool:
    """A tool that runs Python code, with or without the variables of a seat's earlier calls.

    Args:
        sandbox: the sandbox that runs the code; None: the process's shared sandbox at `level`.
        session: keep variables between the calls of a seat in an episode. A live session can only
            continue after its latest call. In all other cases, such as after a fork, the earlier
            calls are run again in a new session.
        level: isolation level of the shared sandbox.
        seconds: time limit of a call.
        sessions: maximum number of live sessions, over all episodes.

    Examples:
        >>> from gem_ma.tools import PythonTool
        >>> tool = PythonTool(session=True)
        >>> tool.call({"code": "x = 6"})
        '(no output)'
        >>> tool.call({"code": "x * 7"}, past=[({"code": "x = 6"}, "(no output)")])
        '42'
        >>> tool.close()
    """

    name = "python"
    blocking = True
    fence_language = "python"

    def __init__(
        self,
        sandbox: Sandbox | None = None,
        *,
        session: bool = False,
        level: str = "auto",
        seconds: float = 5.0,
        sessions: int = 16,
    ):
        if sessions < 1:
            raise ValueError(f"sessions={sessions}: expected 1 or more")
        if sandbox is not None:
            check_type(sandbox, Sandbox, "sandbox")
        self._sandbox_argument = sandbox
        self.sandbox = sandbox or get_shared_sandbox(level=level)
        self.session, self.level = session, self.sandbox.level
        self.seconds, self.sessions = seconds, sessions
        self._lock = threading.Lock()
        self._live_sessions: OrderedDict[tuple[str, ...], SandboxSession] = OrderedDict()
        lifetime = "Variables live on between calls." if session else "Every call starts anew."
        self.schema: JSONMapping = {
            "type": "function",
            "function": {
                "name": self.name,
                "description": (
                    "Run Python code and read what it prints, or the value of an expression that "
                    f"stands last. {lifetime} No network; at most {seconds:g} seconds."
                ),
                "parameters": {
                    "type": "object",
                    "properties": {"code": {"type": "string", "description": "the program"}},
                    "required": ["code"],
                    "additionalProperties": False,
                },
            },
        }

    def call(self, arguments: JSONMapping, past: ToolCallHistory = ()) -> str:
        """Return a program's output, with its errors or the reason why it was stopped."""
        code = _extract_code(arguments)
        if not self.session:
            return self._format_result(self.sandbox.run(code, seconds=self.seconds, echo=True))
        before = _list_session_codes(past)
        session = self._resume_session(before)
        result = session.run(code, seconds=self.seconds, echo=True)
        text = self._format_result(result)
        if session.alive:
            self._store_session(session, (*before, code))
            return text
        self._store_session(session, ())
        return f"{text}\n{_LOST_NOTE}"

    def close(self) -> None:
        """End all live sessions."""
        with self._lock:
            sessions = list(self._live_sessions.values())
            self._live_sessions.clear()
        for session in sessions:
            session.close()

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (
            self._sandbox_argument,
            self.session,
            self.level,
            self.seconds,
            self.sessions,
        )

    def _resume_session(self, codes: tuple[str, ...]) -> SandboxSession:
        """Return the live session that ran exactly these programs, or a new one that runs them."""
        with self._lock:
            session = self._live_sessions.pop(codes, None)
        if session is None:
            session = self.sandbox.session()
            for code in codes:
                session.run(code, seconds=self.seconds)
        return session

    def _store_session(self, session: SandboxSession, codes: tuple[str, ...]) -> None:
        with self._lock:
            spare = [self._live_sessions.pop(codes)] if codes in self._live_sessions else []
            self._live_sessions[codes] = session
            while len(self._live_sessions) > self.sessions:
                spare.append(self._live_sessions.popitem(last=False)[1])
        for other in spare:
            other.close()

    def _format_result(self, result: RunResult) -> str:
        """Return the text that the seat reads about a result."""
        output = result.stdout or result.value
        parts = [output.rstrip("\n"), _clip_lines(result.stderr)]
        if result.reason == "timeout":
            parts.append(f"The program was stopped: it took more than {self.seconds:g} seconds.")
        elif result.reason == "output":
            size = f"{self.sandbox.output:,} bytes"
            parts.append(f"The program was stopped: it printed more than {size}.")
        elif result.reason == "memory":
            limit = self.sandbox.memory // 2**20
            parts.append(f"The program needed more memory than the {limit} MB there are.")
        elif result.reason == "killed":
            parts.append(f"The program was killed{_format_signal(result.exit_code)}.")
        elif result.exit_code and not result.stderr:
            parts.append(f"The program ended with exit code {result.exit_code}.")
        return "\n".join(part for part in parts if part) or "(no output)"


def _rebuild(
    sandbox: Sandbox | None, session: bool, level: str, seconds: float, sessions: int
) -> PythonTool:
    return PythonTool(sandbox, session=session, level=level, seconds=seconds, sessions=sessions)


def _extract_code(arguments: object) -> str:
    """Return the code of a call without a surrounding code fence, or raise ToolError."""
    if not isinstance(arguments, Mapping) or set(arguments) != {"code"}:
        names = ", ".join(map(str, arguments)) if isinstance(arguments, Mapping) else arguments
        raise ToolError(f"expected one argument, 'code'; got {str(names)[:80] or 'none'}")
    code = arguments["code"]
    if not isinstance(code, str) or not code.strip():
        raise ToolError(f"'code' is a Python program, and not {str(code)[:80]!r}")
    match = _CODE_FENCE.fullmatch(code)
    return match[1] if match else str(code)


def _list_session_codes(past: ToolCallHistory) -> tuple[str, ...]:
    """Return the programs since the session last lost its variables."""
    codes: tuple[str, ...] = ()
    for arguments, result in past:
        try:
            code = _extract_code(arguments)
        except ToolError:
            continue
        codes = () if result.endswith(_LOST_NOTE) else (*codes, code)
    return codes


def _clip_lines(text: str) -> str:
    lines = text.rstrip().splitlines()
    return "\n".join(
        lines if len(lines) <= _MAX_ERROR_LINES else ["...", *lines[-_MAX_ERROR_LINES:]]
    )


def _format_signal(exit_code: int) -> str:
    try:
        return f" by {signal.Signals(-exit_code).name}"
    except ValueError:
        return ""
