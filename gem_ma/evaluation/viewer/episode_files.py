"""The files of episodes in a path, and their episodes and damaged lines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from gem_ma.rollouts.episode import Episode
from gem_ma.rollouts.records import (
    RecordError,
    find_picture_folder,
    open_regular_file,
    parse_record_line,
)


class DamagedLine(NamedTuple):
    """A line of a file that is not an episode."""

    file: str
    line: int
    reason: str

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}: {self.reason}"


def find_episode_files(source: str | Path) -> list[Path]:
    """Return the files of episodes of a path: the file itself, or all files in the folder."""
    source = Path(source)
    if not source.exists():
        raise FileNotFoundError(f"{source}: there is no such file or folder")
    if not source.is_dir():
        if not _holds_episodes(source):
            raise RecordError(f"{source} is no file of episodes: expected one of gem-ma run --out")
        return [source]
    paths = [path for path in sorted(source.rglob("*.jsonl")) if _holds_episodes(path)]
    if not paths:
        raise RecordError(f"{source}: none of the files in this folder (*.jsonl) holds episodes")
    return paths


def _holds_episodes(path: Path) -> bool:
    """Return whether a file has a line that begins like an episode."""
    try:
        file = open_regular_file(path)
    except RecordError:  # a pipe, to which nobody may ever write
        return False
    with file:
        return any(line.startswith(b'{"gem_ma": ') for line in file)


def scan_episodes(path: Path, name: str = "") -> Iterator[Episode | DamagedLine]:
    """Yield every episode of a file, and a DamagedLine for each line that is not an episode."""
    folder = find_picture_folder(path)
    with open_regular_file(path) as file:
        for number, line in enumerate(file, 1):
            try:
                if not line.endswith(b"\n"):
                    raise RecordError("cut off, as when the writer was stopped")
                episode: Episode | DamagedLine = parse_record_line(line, folder)
            except RecordError as error:
                episode = DamagedLine(name or str(path), number, str(error)[:200])
            yield episode
