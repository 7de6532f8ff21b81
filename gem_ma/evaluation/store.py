"""A folder that one evaluation or tournament is kept in, by one process at a time."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from gem_ma.guards.files import InUse, hold, replace
from gem_ma.guards.remote import without_secrets

T = TypeVar("T")
FORMAT = 1
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
            old = read(path, kind)
            for key, value in json.loads(json.dumps(header)).items():
                if old.get(key) != value:
                    raise BadStore(
                        f"{path} holds another {kind}: its {key} is {_short(old.get(key))}, not "
                        f"{_short(value)}; name another folder"
                    )
        elif any(not _UNFINISHED.fullmatch(one.name) for one in path.iterdir()):
            raise BadStore(f"{path} holds something else than a {kind}; name another folder")
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
        raise BadStore(f"{folder} holds no {kind}")
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


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 100 else text[:100] + "..."
