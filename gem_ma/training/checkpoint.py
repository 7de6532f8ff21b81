"""What long training needs: checkpoints that are whole or not there, and a history."""

from __future__ import annotations

import glob
import json
import os
from collections.abc import Sequence
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

from gem_ma.validation.extras import require_extra
from gem_ma.validation.files import append_line, write_atomically
from gem_ma.validation.json_types import JSONMapping

with require_extra("hf"):
    import torch


def save_checkpoint(path: str | os.PathLike[str], state: Any) -> None:
    """Write a checkpoint; a process that is killed here leaves the one before."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    _remove_unfinished(path)
    unfinished = path.with_name(f"{path.name}.{os.getpid()}.part")  # others may write here too
    try:
        with unfinished.open("wb") as file:
            torch.save(state, file)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    except BaseException:  # a full disk
        unfinished.unlink(missing_ok=True)
        raise


def _remove_unfinished(path: Path) -> None:
    """Remove what processes have left that were killed while they wrote."""
    if os.name != "posix":  # where to ask for a process may end it
        return
    for one in path.parent.glob(f"{glob.escape(path.name)}.*.part"):
        number = one.name.split(".")[-2]
        try:
            os.kill(int(number), 0)
        except (ProcessLookupError, OverflowError):
            one.unlink(missing_ok=True)
        except (ValueError, PermissionError):
            continue


def load_checkpoint(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return what a checkpoint holds; nothing in it is run."""
    try:
        state: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
    except (EOFError, RuntimeError, UnpicklingError) as error:
        raise ValueError(f"{path} is no checkpoint: {str(error).partition('. ')[0]}") from error
    return state


def make_history_path(checkpoint: str | os.PathLike[str]) -> Path:
    """Return the file of a training's history: several checkpoints may lie in one folder."""
    path = Path(checkpoint)
    of = "" if path.stem == "checkpoint" else f"{path.stem}."
    return path.with_name(f"{of}history.jsonl")


class HistoryLog:
    """A file of rows as JSON lines, written to the end one by one."""

    def __init__(self, path: Path, rows: Sequence[JSONMapping]):
        """Begin with the rows that there are; what else is in the file goes."""
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, "".join(json.dumps(row) + "\n" for row in rows).encode())
        self.path = path

    def add(self, row: JSONMapping) -> None:
        """Append a row, whole or not at all."""
        append_line(self.path, (json.dumps(row) + "\n").encode())
