"""The files of an arena: those of a match, which are checked when read, and the records."""

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
    """A request that is refused; the message gives the reason, and what would work."""


class StorageError(ArenaError):
    """A request that was refused because it could not be saved; the message gives the reason."""


class DamagedMatch(ValueError):
    """A match that cannot be read; the message gives the file, the line and the reason."""


class MatchInfo(NamedTuple):
    """The description of a match, without its moves.

    Attributes:
        people: by seat, the name of the person and the hash of the seat's key; the name of a free
            seat is empty.
        agents: by seat, the spec of the agent.
        watched: the view of spectators before the end: "" for none, "all", or that of a seat.
        clock: seconds for a move.
        bank: additional seconds for all moves of a seat together. When both are used up, a random
            move is made. If both are 0, there is no clock.
        past: the moves that led to the first position.
        of: the record of that position, as file:episode:turn; "" for a match from the start.
        ended: how the match ended; "" before the end.
        left: the seat that left and so ended the match, or "".
        returns: the return of each seat at the end; a seat that left after a move has lost.
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
    begun: float = 0.0  # Unix time in seconds
    options: JSONObject = {}  # noqa: RUF012 - nobody writes into it
    past: tuple[Any, ...] = ()
    of: str = ""
    left: str = ""
    ended: str = ""
    returns: dict[str, float] = {}  # noqa: RUF012 - nor into this

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Load the description from the folder of a match.

        Raises:
            DamagedMatch: The file is missing, malformed, or of another format.
        """
        path = folder / "about.json"
        try:
            fields = json.loads(path.read_bytes())
        except (OSError, ValueError, RecursionError) as error:
            raise DamagedMatch(f"{path}: {error}") from None
        if not isinstance(fields, dict) or fields.get("format") != MATCH_FORMAT:
            format = fields.get("format") if isinstance(fields, dict) else fields
            raise DamagedMatch(f"{path}: format is {format!r:.60}, expected {MATCH_FORMAT}")
        del fields["format"]
        for name in _INFO_TYPES.keys() | fields.keys():
            if name not in fields and name in cls._field_defaults:
                continue
            kinds = _INFO_TYPES.get(name, ())
            if not isinstance(fields.get(name), kinds):
                types = [one.__name__ for one in (kinds if isinstance(kinds, tuple) else (kinds,))]
                expected = " or ".join(types) or "no such field"
                raise DamagedMatch(
                    f"{path}: {name} is {fields.get(name)!r:.60}, expected {expected}"
                )
        people = fields["people"].values()
        if not all(isinstance(one, list) and list(map(type, one)) == [str, str] for one in people):
            raise DamagedMatch(
                f"{path}: people are {fields['people']!r:.60}, expected two texts for each seat"
            )
        if not all(isinstance(one, str) for one in fields["agents"].values()):
            raise DamagedMatch(
                f"{path}: agents are {fields['agents']!r:.60}, expected a text for each seat"
            )
        if not all(isinstance(one, int | float) for one in fields.get("returns", {}).values()):
            raise DamagedMatch(
                f"{path}: returns are {fields['returns']!r:.60}, expected a number for each seat"
            )
        fields["people"] = {seat: tuple(pair) for seat, pair in fields["people"].items()}
        return cls(**{**fields, "past": tuple(fields.get("past", ()))})

    def save(self, folder: Path) -> None:
        """Save the description in the folder of a match, atomically."""
        data = {"format": MATCH_FORMAT, **self._asdict()}
        with explain_failed_write():
            write_atomically(folder / "about.json", (json.dumps(data, indent=1) + "\n").encode())

    @property
    def has_clock(self) -> bool:
        """Whether the match has a clock."""
        return bool(self.clock or self.bank)

    @property
    def free_seats(self) -> list[str]:
        """The seats for people that are still free."""
        return [seat for seat, (name, _) in self.people.items() if not name]

    @property
    def outcome(self) -> str:
        """The outcome of a finished match in words."""
        if self.left:
            return f"{self.left} has left"
        return describe_outcome(self.returns, is_zero_sum(self.env)) or self.ended

    def list_players(self) -> dict[str, str]:
        """Return the players by seat, named as in records."""
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
    """Turn an OSError while writing, such as a full disk, into a StorageError for the client."""
    try:
        yield
    except OSError as error:
        _LOG.error("could not save: %s", error)
        raise StorageError(
            f"this server could not write to its disk ({error.strerror}), so nothing has changed; "
            "try again later"
        ) from error


def read_lines(path: Path) -> list[JSONObject]:
    """Return the JSON objects of a file's complete lines; an unfinished last line is ignored.

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
    """Open the file of records of finished matches, and return it with the ids in it.

    Lines that are no episodes are removed. A copy of the original file is kept, and the log gives
    the reasons.
    """
    try:
        file = EpisodeFile(path, pictures=False)
    except RecordError as error:
        if not path.is_file():
            raise
        _LOG.warning("%s; moved to %s", error, path.rename(_find_free_name(path)))
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
        _LOG.warning("removed these lines from %s; the original file is now %s", path, copy)
        file.keep_lines(lambda line: line not in damaged_lines)
    return file, ids


def _find_free_name(path: Path) -> Path:
    """Return an unused name for a damaged file."""
    number = 1
    while (free := path.with_name(f"{path.name}.damaged-{number}")).exists():
        number += 1
    return free
