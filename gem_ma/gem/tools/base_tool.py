"""BaseTool: the base of tools for ToolEnvWrapper."""

from __future__ import annotations


class BaseTool:
    """A tool, whose `execute_action` finds its call in a reply and answers it."""

    tool_type = "base"

    def __init__(self, num_workers: int = 1):
        self.num_workers = num_workers

    def instruction_string(self) -> str:
        """Return the text about the tool for the first observation."""
        raise NotImplementedError(f"{type(self).__name__} has no instruction_string()")

    def execute_action(self, action: str) -> tuple[bool, bool, str, str]:
        """Run the call in a reply, if there is one.

        Args:
            action: The reply.

        Returns:
            Whether the reply calls the tool, whether that failed, its answer, and the reply up to
            the end of the call.
        """
        raise NotImplementedError(f"{type(self).__name__} has no execute_action()")
