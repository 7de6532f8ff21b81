"""What long training needs: checkpoints that are whole or not there, a history, a sign of life."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from gem_ma.guards.extras import extra
from gem_ma.guards.files import replace
from gem_ma.rollouts.progress import bar

with extra("hf"):
    import torch

_PAUSE = 5.0  # seconds between two lines where there is no terminal


def write_whole(path: str | os.PathLike[str], state: Any) -> None:
    """Write a checkpoint; a process that is killed here leaves the one before."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(path.name + ".part")
    with unfinished.open("wb") as file:
        torch.save(state, file)
        file.flush()
        os.fsync(file.fileno())
    unfinished.replace(path)


class Log:
    """A file of rows as JSON lines, written to the end one by one."""

    def __init__(self, path: Path, rows: Sequence[Mapping[str, Any]]):
        """Begin with the rows that there are; what else is in the file goes."""
        path.parent.mkdir(parents=True, exist_ok=True)
        replace(path, "".join(json.dumps(row) + "\n" for row in rows).encode())
        self.path = path

    def add(self, row: Mapping[str, Any]) -> None:
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")


class Bar:
    """Steps of long work, on the standard error.

    progress: show a bar on a terminal, and elsewhere a line now and then; None: on a terminal only.
    """

    def __init__(self, total: int, done: int, progress: bool | None):
        self._bar: Any = None
        self._lines = False
        self._done, self._total = done, total
        self._start, self._told = time.monotonic(), -_PAUSE
        if progress is not False and sys.stderr.isatty():
            self._bar, self._task = bar(total, done)
        else:
            self._lines = bool(progress)

    def tell(self, done: int, line: str) -> None:
        """Say how many steps are done, and what there is to say beside."""
        if self._bar is not None:
            self._bar.update(self._task, completed=done, description=line)
            return
        now = time.monotonic()
        if self._lines and (done == self._total or now - self._told >= _PAUSE):
            self._told = now
            left = (now - self._start) * (self._total - done) / max(done - self._done, 1)
            sys.stderr.write(f"{done}/{self._total}  {line}  {left:.0f} s left\n")
            sys.stderr.flush()

    def __enter__(self) -> Self:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar.stop()
