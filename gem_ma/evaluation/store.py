"""A folder that one evaluation or tournament is kept in, by one process at a time."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from gem_ma.guards.files import InUse, hold, replace
from gem_ma.guards.remote import without_secrets

T = TypeVar("T")
FORMAT = 1
_TOLD = 4  # of what differs
_UNFINISHED = re.compile(r"lock|about\.\d+")  # of a run that was killed before it had begun


class BadStore(ValueError):
    """A folder that holds something else, or that somebody else is writing to."""


@contextlib.contextmanager
def opened(folder: str | os.PathLike[str], kind: str, about: Mapping[str, Any]) -> Iterator[Path]:
    """Make a folder or go on with it; `about` has to be what it was made with."""
    path = Path(folder)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadStore(f"{path}: {error.strerror}") from None
    with _alone(path):
        header = _shown({"format": FORMAT, "kind": kind, **about})
        if (path / "about.json").exists():
            gaps = _gaps(read(path, kind), json.loads(json.dumps(header)))
            if gaps:
                raise BadStore(
                    f"{path} holds another {kind}: {_few(gaps)}; ask for what is there, or name "
                    "another folder"
                )
        elif any(not _UNFINISHED.fullmatch(one.name) for one in path.iterdir()):
            raise BadStore(f"{path} holds something else than {_a(kind)}; name another folder")
        else:
            for one in path.glob("about.*"):
                one.unlink()
            write(path / "about.json", header)
        yield path


def read(folder: str | os.PathLike[str], kind: str) -> dict[str, Any]:
    """Return what a folder was made with."""
    path = Path(folder) / "about.json"
    try:
        about: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BadStore(f"{folder} holds no {kind}: there is no {path}") from None
    except (ValueError, RecursionError) as error:
        raise BadStore(f"{path}: {error}") from None
    if not isinstance(about, dict) or about.get("kind") != kind:
        other = about.get("kind") if isinstance(about, dict) else None
        what = (
            f"holds {_a(other)}, not {_a(kind)}" if isinstance(other, str) else f"holds no {kind}"
        )
        raise BadStore(f"{folder} {what}; name another folder")
    if about.get("format") != FORMAT:
        raise BadStore(
            f"{folder} was written in format {about.get('format')}, and this release reads {FORMAT}"
        )
    return about


def kept(path: Path, default: T) -> T:
    """Return what a file of JSON holds, which is of the same type as what it holds at first."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return default
    except (ValueError, RecursionError) as error:
        raise BadStore(f"{path} is damaged: {type(error).__name__}: {error}") from None
    if not isinstance(found, type(default)):
        raise BadStore(f"{path} is damaged: expected a {type(default).__name__}, as it was written")
    return found


def write(path: Path, data: Any) -> None:
    """Write a file of JSON in one go: there is the old one or the new one."""
    replace(path, (json.dumps(_shown(data), indent=1, allow_nan=False) + "\n").encode())


def _shown(value: Any) -> Any:
    """Return JSON values as they may be written down."""
    if isinstance(value, str):
        return without_secrets(value)
    if isinstance(value, Mapping):
        return {key: _shown(one) for key, one in value.items()}
    return [_shown(one) for one in value] if isinstance(value, list | tuple) else value


def file_name(title: str, about: Any) -> str:
    """Return a name for a file of episodes that tells what is in it, and nothing else's."""
    words = re.sub(r"[^A-Za-z0-9]+", "-", title).strip("-")[:60]
    key = json.dumps(about, sort_keys=True).encode()
    return f"{words}-{hashlib.blake2b(key, digest_size=5).hexdigest()}.jsonl"


@contextlib.contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Hold a lock that ends with the process, however it ends."""
    with (path / "lock").open("a") as file:
        try:
            hold(file.fileno(), path)
        except InUse as error:
            raise BadStore(str(error)) from None
        yield


def _gaps(there: Any, asked: Any, name: str = "") -> list[str]:
    """Return how what a folder was made with differs from what is asked for, in words."""
    if there == asked:
        return []
    if all(one is None or isinstance(one, dict) for one in (there, asked)):
        there, asked = there or {}, asked or {}
        old, new = (f"{name} {one.get('name')}" for one in (there, asked))
        found = [] if old == new else [f"{old} is there and {new} is asked for"]
        for key in dict.fromkeys((*there, *asked)):
            found += _gaps(there.get(key), asked.get(key), key) if key != "name" else []
        return found
    if not (_entries(there) and _entries(asked)):
        both = [f"no {name}" if one is None else f"{name}={_short(one)}" for one in (there, asked)]
        return [f"{both[0]} is there and {both[1]} is asked for"]
    before, now = ({one["name"]: one for one in listed} for listed in (there, asked))
    both = [one for one in before if one in now]
    found = [f"{one} is there and not asked for" for one in before if one not in now]
    found += [f"{one} is asked for and not there" for one in now if one not in before]
    where: dict[str, list[str]] = {}
    for one in both:
        for gap in _gaps(before[one], now[one]):
            where.setdefault(gap, []).append(one)
    for gap, those in where.items():
        found.append(gap if those == both else f"{gap} of {_few(those)}")
    return found or ["the environments are there in another order"]


def _few(words: Sequence[str]) -> str:
    more = [f"{len(words) - _TOLD} more"] if len(words) > _TOLD else []
    return ", ".join([*words[:_TOLD], *more])


def _entries(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, dict) and "name" in one for one in value)


def _a(kind: str) -> str:
    return f"{'an' if kind[:1] in tuple('aeiou') else 'a'} {kind}"


def _short(value: Any) -> str:
    text = ",".join(map(str, value)) if isinstance(value, list) else value
    text = repr(text) if isinstance(text, str) else json.dumps(text)
    return text if len(text) <= 100 else text[:100] + "..."
