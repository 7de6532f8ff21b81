"""The model calls of one seat since its last move."""

from __future__ import annotations

from gem_ma.agents.programs.call_recorder import CallRecorder
from gem_ma.agents.programs.dialects.dialect import parse_call_object
from gem_ma.agents.programs.program_seat import ProgramSeat
from gem_ma.chat.model_calls import CallHistory, ModelCall
from gem_ma.engine.action_parsing import ToolCall, parse_call_name
from gem_ma.validation.json_types import JSONMapping


class SeatCallLog:
    """A seat, and the model calls since its last move."""

    def __init__(self, seat: ProgramSeat):
        self.seat = seat
        self.history = CallHistory()
        self.calls: list[tuple[float, ModelCall]] = []  # each with its start time
        self.call_count = 0
        self._tool_calls: dict[str, ToolCall] = {}  # by id, as the model made them

    def add_call(self, listener: CallRecorder) -> None:
        """Add a call whose answer was read."""
        call = listener.make_call()
        self.calls.append((listener.start, call))
        for one in call.tool_calls:
            if isinstance(identity := one.get("id"), str):
                self._tool_calls[identity] = one

    def restore_tool_calls(self, message: JSONMapping) -> JSONMapping:
        """Return a message of a program with tool calls exactly as the model made them.

        A dialect spells arguments anew, and has no place for what servers add to a call.
        """
        calls = message.get("tool_calls")
        if message.get("role") != "assistant" or not isinstance(calls, list):
            return message
        return {**message, "tool_calls": [self._restore_tool_call(one) for one in calls]}

    def _restore_tool_call(self, call: JSONMapping) -> JSONMapping:
        made: JSONMapping = self._tool_calls.get(call["id"], {})
        same = parse_call_name(made) == parse_call_name(call)
        return made if same and parse_call_object(made) == parse_call_object(call) else call
