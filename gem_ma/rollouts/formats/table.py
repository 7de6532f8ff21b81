"""The formats by name, and the functions that write and read episodes in them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from gem_ma.rollouts.episode import Episode
from gem_ma.rollouts.formats.losses import CONTENTS, warn_of_losses
from gem_ma.validation.arguments import check_each, check_type
from gem_ma.validation.entry_points import load_entry_point

_HERE = "gem_ma.rollouts.formats"
_UNICODE = frozenset({"characters that are half of a surrogate pair"})


class RecordFormat(NamedTuple):
    """A format of another tool: how it is written and read, and what it cannot hold.

    Attributes:
        writer: The entry point of the function that writes episodes to a path.
        reader: The entry point of the function that yields the episodes of a path; "": none.
        lacks: What it cannot hold, by names of `losses.CONTENTS`.
        options: The options that its writer takes.
        suffix: How the name of its file ends; "": it is a folder.
    """

    writer: str
    reader: str
    lacks: frozenset[str]
    options: tuple[str, ...]
    suffix: str


_HELD_BY_CHATS = {"text beside tool calls", "where results of tools end"}
FORMATS = {
    "atif": RecordFormat(f"{_HERE}.atif:write_atif", f"{_HERE}.atif:read_atif", _UNICODE, (), ""),
    "openai": RecordFormat(
        f"{_HERE}.openai:write_openai",
        "",
        CONTENTS - _HELD_BY_CHATS - {"steps before the rollout"},
        ("seats",),
        ".jsonl",
    ),
    "sharegpt": RecordFormat(
        f"{_HERE}.sharegpt:write_sharegpt", "", CONTENTS - {"thoughts"}, ("seats",), ".json"
    ),
    "hf": RecordFormat(
        f"{_HERE}.dataset:write_dataset",
        "",
        _UNICODE
        | {
            "failed episodes",
            "reports of games",
            "tokens, log-probabilities and usage",
            "model calls of agent programs",
        },
        ("rows", "seats"),
        ".parquet",
    ),
    "inspect": RecordFormat(
        f"{_HERE}.inspect_logs:write_inspect",
        f"{_HERE}.inspect_logs:read_inspect",
        _UNICODE,
        (),
        ".eval",
    ),
    "verifiers": RecordFormat(
        f"{_HERE}.verifiers:write_verifiers",
        f"{_HERE}.verifiers:read_verifiers",
        _UNICODE,
        (),
        "",
    ),
}
OWN_FORMAT = "gem_ma"
ROWS = ("episode", "turn")
READABLE = tuple(name for name, one in FORMATS.items() if one.reader)


def export_episodes(
    episodes: Iterable[Episode],
    path: str | os.PathLike[str],
    format: str,
    *,
    seats: Collection[str] | None = None,
    rows: str = "episode",
) -> None:
    """Write episodes in the format of another tool; `save_episodes` says how."""
    if format == OWN_FORMAT:
        raise ValueError("seats and rows go with format='openai', 'sharegpt' or 'hf'")
    chosen = _find_format(format, FORMATS)
    options: dict[str, Any] = {} if seats is None else {"seats": seats}
    options |= {} if rows == "episode" else {"rows": rows}
    for name, value in options.items():
        if name not in chosen.options:
            takers = ", ".join(one for one, other in FORMATS.items() if name in other.options)
            raise ValueError(
                f"{name}={value!r} does not go with format={format!r}; it goes with {takers}"
            )
    if isinstance(seats, str):
        raise ValueError(f"seats={seats!r}: expected several names, such as [{seats!r}]")
    target = Path(path)
    _check_name(target, format, chosen)
    if target.exists():
        raise FileExistsError(f"{target} exists; choose a path where there is nothing yet")
    if not target.parent.is_dir():
        raise FileNotFoundError(f"{target}: there is no folder {target.parent}; create it first")
    write = load_entry_point(chosen.writer)
    checked = check_each(episodes, Episode, "episodes")
    try:
        write(warn_of_losses(checked, format, chosen.lacks), target, **options)
    except BaseException:  # half a file would look like a whole one
        if target.is_dir():
            shutil.rmtree(target)
        else:
            target.unlink(missing_ok=True)
        raise


def import_episodes(path: str | os.PathLike[str], format: str) -> Iterator[Episode]:
    """Return an iterator over episodes of another tool's format, as `load_episodes` says."""
    chosen = _find_format(format, READABLE)
    target = Path(path)
    if not target.exists():
        raise FileNotFoundError(f"there is no file or folder {target}")
    episodes: Iterator[Episode] = load_entry_point(chosen.reader)(target)
    return episodes


def _find_format(format: str, known: Iterable[str]) -> RecordFormat:
    check_type(format, str, "format")
    if format not in known:
        raise ValueError(f"format={format!r}: expected {', '.join((OWN_FORMAT, *known))}")
    return FORMATS[format]


def _check_name(path: Path, name: str, chosen: RecordFormat) -> None:
    if name == "hf" and path.suffix in ("", chosen.suffix):
        return  # a file or a folder
    if path.suffix != chosen.suffix:
        expected = f"a name that ends in {chosen.suffix}" if chosen.suffix else "a folder's name"
        raise ValueError(
            f"{path} for the format {name}: expected {expected}, such as "
            f"{path.stem or 'episodes'}{chosen.suffix}"
        )
