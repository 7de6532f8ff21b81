"""Episodes on disk: JSON lines with the pictures in a folder next to them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path
from typing import Self

from gem_ma.chat.messages import Picture, find_observation_pictures
from gem_ma.rollouts.episode import Episode
from gem_ma.rollouts.formats.record_json import RECORD_FORMAT as RECORD_FORMAT
from gem_ma.rollouts.formats.record_json import RecordError as RecordError
from gem_ma.rollouts.formats.record_json import check_file_kind, check_picture_key
from gem_ma.rollouts.formats.record_json import episode_from_json as episode_from_json
from gem_ma.rollouts.formats.record_json import episode_to_json as episode_to_json
from gem_ma.rollouts.formats.record_json import open_regular_file as open_regular_file
from gem_ma.rollouts.formats.record_json import parse_record_line as parse_record_line
from gem_ma.rollouts.formats.table import OWN_FORMAT, export_episodes, import_episodes
from gem_ma.validation.arguments import check_each
from gem_ma.validation.files import (
    NONBLOCKING,
    append_whole,
    cut_partial_line,
    lock_file,
    read_at,
    write_atomically,
)

_LINE_START = '{"gem_ma": '  # every line of such a file begins with this


class EpisodeFile:
    """A file to which episodes are appended, one per line, with a folder of pictures next to it.

    If a program is killed, the file has whole lines and at most one partial line. Opening the file
    again removes the partial line. While the file is open, nobody else can open it for appending:
    they get FileInUse, which names the process.

    Args:
        pictures: Whether to write picture files; False: `Episode.replay` draws them again.
    """

    def __init__(self, path: str | os.PathLike[str], *, pictures: bool = True):
        self.path = Path(path)
        self.pictures = find_picture_folder(self.path) if pictures else None
        self._file = _open_locked(self.path)
        cut_partial_line(self._file)

    @property
    def is_empty(self) -> bool:
        """Whether the file is empty."""
        return os.fstat(self._file).st_size == 0

    def append(self, episode: Episode) -> None:
        """Write an episode: first its pictures, then its line, in one write."""
        line = (json.dumps(episode_to_json(episode)) + "\n").encode()
        if self.pictures is not None:
            for step in episode.steps:
                for picture in find_observation_pictures(step.observation):
                    self._save_picture(picture)
        append_whole(self._file, line)

    def _save_picture(self, picture: Picture) -> None:
        assert self.pictures is not None
        path = self.pictures / f"{check_picture_key(picture.key)}.png"
        if path.exists():
            return
        self.pictures.mkdir(exist_ok=True)
        write_atomically(path, picture.png)

    def drop_failures(self) -> None:
        """Remove episodes that failed, so that they are played again."""
        self.keep_lines(lambda line: not json.loads(line)["failure"])

    def keep_lines(self, choose: Callable[[bytes], bool]) -> None:
        """Keep only the lines that `choose` accepts; the file is replaced atomically."""
        with self.path.open("rb") as file:
            lines = list(file)
        chosen_lines = [line for line in lines if choose(line)]
        if len(chosen_lines) == len(lines):
            return
        path = self.path.resolve()  # keep a symbolic link in place
        half = path.with_suffix(f".{os.getpid()}")
        new = os.open(half, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o644)
        try:
            lock_file(new, half)  # before another process can find it under the file's name
            os.chmod(half, os.fstat(self._file).st_mode & 0o7777)
            append_whole(new, b"".join(chosen_lines))
            half.replace(path)
        except BaseException:
            os.close(new)
            half.unlink(missing_ok=True)
            raise
        os.close(self._file)
        self._file = new

    def close(self) -> None:
        """Close the file; nothing is buffered."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def find_picture_folder(path: str | os.PathLike[str]) -> Path:
    """Return the folder with the pictures of a file of episodes.

    For a symbolic link, this is the folder next to the link, or else next to the link's target.
    """
    path = Path(path)
    folder = path.with_suffix(".pictures")
    if path.is_symlink() and not folder.exists():
        return path.resolve().with_suffix(".pictures")
    return folder


def save_episodes(
    episodes: Iterable[Episode],
    path: str | os.PathLike[str],
    *,
    pictures: bool = True,
    format: str = OWN_FORMAT,
    seats: Collection[str] | None = None,
    rows: str = "episode",
) -> None:
    """Append episodes to a file of JSON lines, or write them in the format of another tool.

    Of a format of another tool, a warning says once what of the episodes it cannot hold.

    Args:
        episodes: The episodes, such as those that `rollout` returned.
        path: The file; it is created if necessary. For another format, a new file or folder: a
            folder for atif and verifiers, a file NAME.jsonl for openai, NAME.json for sharegpt,
            NAME.eval for inspect, and a file NAME.parquet or a folder for hf.
        pictures: Whether to write the pictures as well, in a folder next to the file.
        format: "gem_ma", "atif", "openai", "sharegpt", "hf", "inspect" or "verifiers".
        seats: For openai, sharegpt and hf: the seats whose conversations are written; None: all.
        rows: For hf: "episode" (a row for each seat of an episode) or "turn" (for each reply).

    Raises:
        TypeError: An element is no Episode.
        ValueError: The format is unknown, has no such option, or the name of the path does not fit.
        FileExistsError: For another format, there is something at the path.

    Examples:
        >>> import gem_ma
        >>> episodes = gem_ma.rollout("game:KuhnPoker-v0", "random", 2, seed=0)
        >>> gem_ma.save_episodes(episodes, "games.jsonl")
        >>> list(gem_ma.load_episodes("games.jsonl")) == episodes
        True
    """
    if format != OWN_FORMAT or seats is not None or rows != "episode":
        export_episodes(episodes, path, format, seats=seats, rows=rows)
        return
    with EpisodeFile(path, pictures=pictures) as file:
        for episode in check_each(episodes, Episode, "episodes"):
            file.append(episode)


def load_episodes(path: str | os.PathLike[str], *, format: str = OWN_FORMAT) -> Iterator[Episode]:
    """Yield the episodes of a file, up to its last whole line, or of another tool's format.

    What `save_episodes` wrote in another format becomes the same episodes again. What another
    program wrote in the formats atif and verifiers becomes episodes that cannot be replayed.

    Args:
        path: A file that `save_episodes` or `rollout(out=...)` wrote, or what the format names.
        format: "gem_ma", "atif", "inspect" or "verifiers".

    Yields:
        The episodes, in the order of the file.

    Raises:
        RecordError: A line contains no episode, or what is there is not in this format.
        ValueError: The format is unknown, or cannot be read.

    Examples:
        >>> import gem_ma
        >>> episodes = gem_ma.rollout("game:KuhnPoker-v0", "random", 2, seed=0, out="games.jsonl")
        >>> [episode.returns["first"] for episode in gem_ma.load_episodes("games.jsonl")]
        [1.0, -1.0]
        >>> gem_ma.save_episodes(episodes, "results", format="verifiers")
        >>> list(gem_ma.load_episodes("results", format="verifiers")) == episodes
        True
    """
    if format != OWN_FORMAT:
        yield from import_episodes(path, format)
        return
    path = Path(path)
    folder = find_picture_folder(path)
    with open_regular_file(path) as file:
        _check_head(file.read(len(_LINE_START)), path)
        file.seek(0)
        for number, line in enumerate(file, 1):
            if not line.endswith(b"\n"):
                return  # a partial line, because the writer was killed
            try:
                yield parse_record_line(line, folder)
            except RecordError as error:
                raise RecordError(f"{path}, line {number}: {error}") from None


def _open_locked(path: Path) -> int:
    """Open a file of episodes for writing, create it if necessary, and lock it."""
    while True:
        try:
            file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | NONBLOCKING, 0o644)
        except FileNotFoundError:
            raise FileNotFoundError(
                f"{path}: there is no folder {path.parent}; create it first"
            ) from None
        except IsADirectoryError:
            raise RecordError(f"{path} is a folder: expected a file of episodes") from None
        try:
            check_file_kind(file, path)
            lock_file(file, path)
            _check_head(read_at(file, 0, len(_LINE_START)), path)
            if os.path.samestat(os.fstat(file), os.stat(path)):
                return file
        except FileNotFoundError:  # the file was removed meanwhile
            pass
        except BaseException:
            os.close(file)
            raise
        os.close(file)  # the previous owner has replaced the file


def _check_head(head: bytes, path: Path) -> None:
    """Raise RecordError for a file of another kind, before anything is written or cut off."""
    if not _LINE_START.startswith(text := head.decode(errors="replace")):
        raise RecordError(
            f"{path} is no file of episodes: expected lines that begin with {_LINE_START!r}, "
            f"got {text!r}"
        )
