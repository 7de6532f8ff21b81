"""What an arena keeps on disk: a match's files, read with care, and records of what ended."""

from __future__ import annotations

import contextlib
import json
import logging
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, Self

from gem_ma.rollouts.outcomes import describe_outcome, is_zero_sum
from gem_ma.rollouts.records import EpisodeFile, RecordError, parse_record_line
from gem_ma.validation.files import write_atomically
from gem_ma.validation.json_types import JSONObject

MATCH_FORMAT = 1
_LOG = logging.getLogger(__name__)


class ArenaError(ValueError):
    """What somebody at a table may not do; the message says why, and what would work."""


class StorageError(ArenaError):
    """What could not be written down, and so was not taken; the message says why."""


class DamagedMatch(ValueError):
    """A match that cannot be read; the message says which file, which line, and why."""


class MatchInfo(NamedTuple):
    """What a match is, beside its moves.

    Attributes:
        people: by seat who plays there, the name and the hash of the key that is asked for; a seat
            that nobody has taken yet has no name.
        agents: by seat the spec of an agent.
        watched: what spectators see before the end: nothing, "all", or what a seat sees.
        clock: seconds for a move.
        bank: for all of a seat's moves, beside those. When both are used up a move is made by
            chance. Both 0: there is no clock.
        past: how the position came about that it began with.
        of: which record that is.
        ended: how it ended, once it is over.
        left: the seat that has left, and so ended it.
        returns: what each seat has earned, once it is over; who left after a move has lost.
    """

    id: str
    env: str
    arguments: JSONObject
    seed: int
    people: dict[str, tuple[str, str]]
    agents: dict[str, str]
    watched: str = ""
    takes_back: bool = False
    chat: bool = True  # whether players may talk apart from the game
    clock: float = 0.0
    bank: float = 0.0
    begun: float = 0.0  # seconds since 1970
    options: JSONObject = {}  # noqa: RUF012 - nobody writes into it
    past: tuple[Any, ...] = ()
    of: str = ""
    left: str = ""
    ended: str = ""
    returns: dict[str, float] = {}  # noqa: RUF012 - nor into this

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Return what the folder of a match says.

        Raises:
            DamagedMatch: It says nothing that this release can read.
        """
        path = folder / "about.json"
        try:
            fields = json.loads(path.read_bytes())
        except (OSError, ValueError, RecursionError) as error:
            raise DamagedMatch(f"{path}: {error}") from None
        if not isinstance(fields, dict) or fields.get("format") != MATCH_FORMAT:
            format = fields.get("format") if isinstance(fields, dict) else fields
            raise DamagedMatch(f"{path}: written in format {format!r:.60}, not {MATCH_FORMAT}")
        del fields["format"]
        for name in _INFO_TYPES.keys() | fields.keys():
            if name not in fields and name in cls._field_defaults:
                continue
            if not isinstance(fields.get(name), _INFO_TYPES.get(name, ())):
                raise DamagedMatch(f"{path}: {name} is {fields.get(name)!r:.60}")
        people = fields["people"].values()
        if not all(isinstance(one, list) and list(map(type, one)) == [str, str] for one in people):
            raise DamagedMatch(f"{path}: people are {fields['people']!r:.60}")
        if not all(isinstance(one, str) for one in fields["agents"].values()):
            raise DamagedMatch(f"{path}: agents are {fields['agents']!r:.60}")
        if not all(isinstance(one, int | float) for one in fields.get("returns", {}).values()):
            raise DamagedMatch(f"{path}: returns are {fields['returns']!r:.60}")
        fields["people"] = {seat: tuple(pair) for seat, pair in fields["people"].items()}
        return cls(**{**fields, "past": tuple(fields.get("past", ()))})

    def save(self, folder: Path) -> None:
        """Write down what the match is, whole or not at all."""
        data = {"format": MATCH_FORMAT, **self._asdict()}
        with explain_failed_write():
            write_atomically(folder / "about.json", (json.dumps(data, indent=1) + "\n").encode())

    @property
    def has_clock(self) -> bool:
        """Whether there is a clock."""
        return bool(self.clock or self.bank)

    @property
    def free_seats(self) -> list[str]:
        """The seats that nobody has taken."""
        return [seat for seat, (name, _) in self.people.items() if not name]

    @property
    def outcome(self) -> str:
        """What became of it in words, once it is over."""
        if self.left:
            return f"{self.left} has left"
        return describe_outcome(self.returns, is_zero_sum(self.env)) or self.ended

    def list_players(self) -> dict[str, str]:
        """Return who sits where, as records say it."""
        people = {seat: f"human:{name}" for seat, (name, _) in self.people.items()}
        return {**people, **self.agents}


_NUMBER = (int, float)
_INFO_TYPES: dict[str, type | tuple[type, ...]] = {
    **dict.fromkeys(("id", "env", "watched", "of", "left", "ended"), str),
    **dict.fromkeys(("arguments", "people", "agents", "options", "returns"), dict),
    **dict.fromkeys(("clock", "bank", "begun"), _NUMBER),
    **dict.fromkeys(("takes_back", "chat"), bool),
    "seed": int,
    "past": list,
}


@contextlib.contextmanager
def explain_failed_write() -> Iterator[None]:
    """Say to whoever asked for it why something could not be written down: a disk is full."""
    try:
        yield
    except OSError as error:
        _LOG.error("not written down: %s", error)
        raise StorageError(
            f"this server could not write that down ({error.strerror}), so nothing was done; "
            "try again in a while"
        ) from error


def read_lines(path: Path) -> list[JSONObject]:
    """Return what the whole lines of a file say; half a line, of a machine that stopped, is none.

    Raises:
        DamagedMatch: A line is no JSON object.
    """
    lines = []
    for number, line in enumerate(path.read_bytes().split(b"\n")[:-1] if path.exists() else (), 1):
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise DamagedMatch(f"{path}, line {number}: {error}") from None
        if not isinstance(value, dict):
            raise DamagedMatch(f"{path}, line {number}: expected an object, got {value!r:.60}")
        lines.append(value)
    return lines


def open_records(path: Path) -> tuple[EpisodeFile, set[str]]:
    """Open the records of all matches that are over; return it, and the ids that are there.

    Lines that are no episodes go; the file as it was stays beside it, and the log says why.
    """
    try:
        file = EpisodeFile(path, pictures=False)
    except RecordError as error:
        if not path.is_file():
            raise
        _LOG.warning("%s; it is %s now", error, path.rename(_find_free_name(path)))
        file = EpisodeFile(path, pictures=False)
    ids, damaged_lines = set(), set()
    with path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            try:
                ids.add(parse_record_line(line).id)
            except RecordError as error:
                _LOG.warning("%s, line %d: %s", path, number, error)
                damaged_lines.add(line)
    if damaged_lines:
        copy = shutil.copyfile(path, _find_free_name(path))
        _LOG.warning("%s goes on without these lines; as it was it is %s now", path, copy)
        file.keep_lines(lambda line: line not in damaged_lines)
    return file, ids


def _find_free_name(path: Path) -> Path:
    """Return a name for a damaged file that nothing has yet."""
    number = 1
    while (free := path.with_name(f"{path.name}.damaged-{number}")).exists():
        number += 1
    return free
