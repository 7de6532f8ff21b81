"""Checkpoints that are written atomically, and a log file of the training history."""

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
    """Write a checkpoint atomically: a killed process leaves the previous checkpoint."""
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
    except BaseException:  # such as a full disk
        unfinished.unlink(missing_ok=True)
        raise


def _remove_unfinished(path: Path) -> None:
    """Remove unfinished files of processes that were killed while they wrote."""
    if os.name != "posix":  # os.kill(pid, 0) may end the process on other systems
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
    """Return the state in a checkpoint, without running any code from the file."""
    try:
        state: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
    except (EOFError, RuntimeError, UnpicklingError) as error:
        raise ValueError(f"{path} is no checkpoint: {str(error).partition('. ')[0]}") from error
    return state


def make_history_path(checkpoint: str | os.PathLike[str]) -> Path:
    """Return the path of the history file of a checkpoint, in the same folder.

    Its name depends on the checkpoint's, so that a folder can hold several checkpoints.
    """
    path = Path(checkpoint)
    of = "" if path.stem == "checkpoint" else f"{path.stem}."
    return path.with_name(f"{of}history.jsonl")


class HistoryLog:
    """A file of JSON lines to which rows are appended."""

    def __init__(self, path: Path, rows: Sequence[JSONMapping]):
        """Write the rows so far; they replace the contents of the file."""
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, "".join(json.dumps(row) + "\n" for row in rows).encode())
        self.path = path

    def add(self, row: JSONMapping) -> None:
        """Append a row atomically."""
        append_line(self.path, (json.dumps(row) + "\n").encode())
