"""BaseTool: what a tool for ToolEnvWrapper implements."""

from __future__ import annotations


class BaseTool:
    """A tool: `execute_action` finds a call of it in a reply, and answers it."""

    tool_type = "base"

    def __init__(self, num_workers: int = 1):
        self.num_workers = num_workers

    def instruction_string(self) -> str:
        """Return what the first observation says of the tool."""
        raise NotImplementedError(f"{type(self).__name__} has no instruction_string()")

    def execute_action(self, action: str) -> tuple[bool, bool, str, str]:
        """Run the call that a reply holds, if it holds one.

        Args:
            action: The reply.

        Returns:
            Whether the reply calls the tool, whether that failed, its answer, and the reply up to
            the end of the call.
        """
        raise NotImplementedError(f"{type(self).__name__} has no execute_action()")
