"""The folder of one evaluation or tournament, which one process at a time writes to."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from gem_ma.validation.endpoints import redact_secrets
from gem_ma.validation.files import FileInUse, lock_file, write_atomically
from gem_ma.validation.json_types import JSONMapping, JSONObject

T = TypeVar("T")
FOLDER_FORMAT = 1
_MAX_LISTED = 4  # differences in a message
_LEFTOVER_FILE = re.compile(r"lock|about\.\d+")  # left by a run that was killed before it began


class BadRunFolder(ValueError):
    """The folder holds something else, or another process is writing to it."""


@contextlib.contextmanager
def open_run_folder(
    folder: str | os.PathLike[str], kind: str, about: JSONMapping
) -> Iterator[Path]:
    """Make or reopen a folder and lock it; `about` must equal what it was made with."""
    path = Path(folder)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadRunFolder(f"{path}: {error.strerror}") from None
    with _lock_folder(path):
        header = _redact_secrets({"format": FOLDER_FORMAT, "kind": kind, **about})
        if (path / "about.json").exists():
            gaps = _describe_mismatches(load_header(path, kind), json.loads(json.dumps(header)))
            if gaps:
                raise BadRunFolder(
                    f"{path} holds another {kind}: {_join_some(gaps)}; use what the folder has, or "
                    "name another folder"
                )
        elif any(not _LEFTOVER_FILE.fullmatch(one.name) for one in path.iterdir()):
            raise BadRunFolder(f"{path} has files, but no {kind}; name a new or an empty folder")
        else:
            for one in path.glob("about.*"):
                one.unlink()
            write_json(path / "about.json", header)
        yield path


def load_header(folder: str | os.PathLike[str], kind: str) -> JSONObject:
    """Return the header of a folder: what it was made with."""
    path = Path(folder) / "about.json"
    try:
        about: JSONObject = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BadRunFolder(
            f"{folder} holds no {kind}: there is no {path}; name the folder of {_add_article(kind)}"
        ) from None
    except (ValueError, RecursionError) as error:
        raise BadRunFolder(f"{path} is damaged: {error}") from None
    if not isinstance(about, dict) or about.get("kind") != kind:
        other = about.get("kind") if isinstance(about, dict) else None
        what = (
            f"holds {_add_article(other)}, not {_add_article(kind)}"
            if isinstance(other, str)
            else f"holds no {kind}"
        )
        raise BadRunFolder(f"{folder} {what}; name another folder")
    if about.get("format") != FOLDER_FORMAT:
        raise BadRunFolder(
            f"{folder} has format {about.get('format')}, and this release of gem_ma reads format "
            f"{FOLDER_FORMAT}; use the release that wrote it, or name another folder"
        )
    return about


def load_json(path: Path, default: T) -> T:
    """Return the content of a JSON file, or `default` without one; both have the same type."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return default
    except (ValueError, RecursionError) as error:
        raise BadRunFolder(f"{path} is damaged: {type(error).__name__}: {error}") from None
    if not isinstance(data, type(default)):
        raise BadRunFolder(
            f"{path} is damaged: expected a {type(default).__name__}, got a {type(data).__name__}"
        )
    return data


def write_json(path: Path, data: object) -> None:
    """Write a JSON file atomically: readers find the old file or the new one."""
    write_atomically(
        path, (json.dumps(_redact_secrets(data), indent=1, allow_nan=False) + "\n").encode()
    )


def _redact_secrets(value: object) -> object:
    """Return JSON values without secrets."""
    if isinstance(value, str):
        return redact_secrets(value)
    if isinstance(value, Mapping):
        return {key: _redact_secrets(one) for key, one in value.items()}
    return [_redact_secrets(one) for one in value] if isinstance(value, list | tuple) else value


def make_file_name(title: str, about: object) -> str:
    """Return a unique file name for episodes, which starts with their title."""
    words = re.sub(r"[^A-Za-z0-9]+", "-", title).strip("-")[:60]
    key = json.dumps(about, sort_keys=True).encode()
    return f"{words}-{hashlib.blake2b(key, digest_size=5).hexdigest()}.jsonl"


@contextlib.contextmanager
def _lock_folder(path: Path) -> Iterator[None]:
    """Hold a lock that ends with the process, even if the process is killed."""
    with (path / "lock").open("a") as file:
        try:
            lock_file(file.fileno(), path)
        except FileInUse as error:
            raise BadRunFolder(str(error)) from None
        yield


def _describe_mismatches(there: Any, asked: Any, name: str = "") -> list[str]:
    """Return in words how the header of a folder differs from the requested one."""
    if there == asked:
        return []
    if all(one is None or isinstance(one, dict) for one in (there, asked)):
        there, asked = there or {}, asked or {}
        old, new = (f"{name} {one.get('name')}" for one in (there, asked))
        differences = [] if old == new else [f"the folder has {old}, this run has {new}"]
        for key in dict.fromkeys((*there, *asked)):
            differences += (
                _describe_mismatches(there.get(key), asked.get(key), key) if key != "name" else []
            )
        return differences
    if not (_is_entry_list(there) and _is_entry_list(asked)):
        both = [
            f"no {name}" if one is None else f"{name}={_format_value(one)}"
            for one in (there, asked)
        ]
        return [f"the folder has {both[0]}, this run has {both[1]}"]
    before, now = ({one["name"]: one for one in listed} for listed in (there, asked))
    both = [one for one in before if one in now]
    differences = [f"only the folder has {one}" for one in before if one not in now]
    differences += [f"only this run has {one}" for one in now if one not in before]
    where: dict[str, list[str]] = {}
    for one in both:
        for gap in _describe_mismatches(before[one], now[one]):
            where.setdefault(gap, []).append(one)
    for gap, those in where.items():
        differences.append(gap if those == both else f"{gap} for {_join_some(those)}")
    return differences or ["the folder has the environments in another order"]


def _join_some(words: Sequence[str]) -> str:
    more = [f"{len(words) - _MAX_LISTED} more"] if len(words) > _MAX_LISTED else []
    return ", ".join([*words[:_MAX_LISTED], *more])


def _is_entry_list(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, dict) and "name" in one for one in value)


def _add_article(kind: str) -> str:
    return f"{'an' if kind[:1] in tuple('aeiou') else 'a'} {kind}"


def _format_value(value: Any) -> str:
    text = ",".join(map(str, value)) if isinstance(value, list) else value
    text = repr(text) if isinstance(text, str) else json.dumps(text)
    return text if len(text) <= 100 else text[:100] + "..."
