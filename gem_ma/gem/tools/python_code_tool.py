"""PythonCodeTool: runs the Python in a reply's tags or fenced block in the sandbox."""

from __future__ import annotations

import re

from gem_ma.gem.tools.base_tool import BaseTool
from gem_ma.sandbox import get_shared_sandbox
from gem_ma.validation.arguments import check_type

_FENCE = re.compile(r"```\n?python")
_TAG, _END = "<python>", "</python>"
# Imports that short programs often lack. A program that fails with an undefined name runs again
# after these.
_PRELUDE = """
from math import *
from bisect import *
from collections import *
from copy import *
from datetime import *
from fractions import *
from functools import *
from heapq import *
from itertools import *
from operator import itemgetter, xor, or_, iand
from random import *
from string import *
from typing import *
from time import time
import bisect, collections, copy, datetime, decimal, fractions, functools, heapq, io, itertools
import math, operator, os, random, re, statistics, string, sys
from math import pow
try:
    import numpy as np
except ImportError:
    pass
"""


class PythonCodeTool(BaseTool):
    """A tool that runs the first block of Python in a reply: `<python>...</python>` or fenced.

    Args:
        timeout: the time limit of a run in seconds.
        sandbox_type: "none" or "bwrap" as in GEM; gem_ma's sandbox is used for both.
        keep_error_last_line: whether only the last line of an error is returned.
    """

    tool_type = "python_code"

    def __init__(
        self, timeout: float = 5, sandbox_type: str = "none", keep_error_last_line: bool = False
    ):
        if sandbox_type not in ("none", "bwrap"):
            raise ValueError(f"sandbox_type={sandbox_type!r}: expected 'none' or 'bwrap'")
        super().__init__()
        self.timeout, self.sandbox_type = timeout, sandbox_type
        self.keep_error_last_line = keep_error_last_line

    def instruction_string(self) -> str:
        return (
            "You may write Python programs to help you think, each in <python>...</python> or in a "
            "```python block, complete with its imports. What the first one of a reply prints is "
            'sent back after "Code execution result: ", and you go on. Put your final answer in '
            "\\boxed{}."
        )

    def execute_action(self, action: str) -> tuple[bool, bool, str, str]:
        code, end = _find_code_block(action)
        if code is None:
            return False, True, "", action
        success, output, errors = self._run_code(code)
        if self.keep_error_last_line:
            errors = errors.rpartition("\n")[2]
        result = (f"{output}\n{errors}" if errors else output).lstrip(" \n")
        return True, not success, f"Code execution result: {result}\n", action[:end]

    def _run_code(self, code: str) -> tuple[bool, str, str]:
        """Return whether a program succeeded, its output, and its error."""
        if code == "...":  # some models write this in place of a program
            return False, "", "SyntaxError: invalid syntax"
        result = get_shared_sandbox().run(code, seconds=self.timeout)
        if not result.ok and "is not defined" in result.stderr:
            result = get_shared_sandbox().run(f"{_PRELUDE}\n{code}", seconds=self.timeout)
        if result.reason == "timeout":
            return False, "", f"\nExecution timed out after {self.timeout} seconds."
        errors = result.stderr.strip()
        if result.reason and not errors:
            errors = f"The program was ended: {result.reason}."
        return result.ok, result.stdout, errors


def _find_code_block(action: str) -> tuple[str | None, int]:
    """Return the code of the block that ends first, and where it ends."""
    check_type(action, str, "action")
    blocks: list[tuple[int, str]] = []
    start = action.find(_TAG)
    end = action.find(_END, start)
    if 0 <= start < end:
        blocks.append((end + len(_END), action[start + len(_TAG) : end]))
    if fence := _FENCE.search(action):
        end = action.find("```", fence.end())
        if end >= 0:
            blocks.append((end + 3, action[fence.end() : end]))
    if not blocks:
        return None, len(action)
    end, code = min(blocks)
    return code.strip(), end
