"""What long training needs: checkpoints that are whole or not there, and a sign of life."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any, Self

import torch

from gem_ma.rollouts.progress import bar


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


class Bar:
    """A bar of steps on a terminal, or nothing where there is none.

    progress: show it; None: on a terminal.
    """

    def __init__(self, total: int, done: int, progress: bool | None):
        self._bar: Any = None
        if sys.stderr.isatty() if progress is None else progress:
            self._bar, self._task = bar(total, done)

    def tell(self, done: int, line: str) -> None:
        """Say how many steps are done, and what there is to say beside."""
        if self._bar is not None:
            self._bar.update(self._task, completed=done, description=line)

    def __enter__(self) -> Self:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar.stop()
