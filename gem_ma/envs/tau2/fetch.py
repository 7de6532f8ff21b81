"""Fetching of tau2-bench's files, and of the prompts in its code, which is never run."""

from __future__ import annotations

import ast
import functools
import inspect
import json
import os
import re
import tarfile
import tempfile
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from http.client import HTTPException
from pathlib import Path

from gem_ma.envs.tau.data import DataMissing
from gem_ma.envs.tau2.domain import REMEDY, VARIABLE, folder
from gem_ma.validation.json_types import JSONMapping, JSONObject

__all__ = ["VARIABLE", "fetch", "folder"]

COMMIT = "a2c024725189473d2d7cea3a5cfdbcc67478e41f"
REPOSITORY = "https://github.com/sierra-research/tau2-bench"
URL = "https://codeload.github.com/sierra-research/tau2-bench/tar.gz/{commit}"
DOMAINS = ("mock", "telecom", "retail", "airline", "banking_knowledge")
WORDS = "words.json"
LONGEST = 256 << 20  # maximum bytes of all kept files
_DATA = "data/tau2/domains/"
_CODE = "src/tau2/"
_GUIDES = ("simulation_guidelines.md", "simulation_guidelines_tools.md")
_KEPT = re.compile(
    rf"{_DATA}(?:{'|'.join(DOMAINS)})/(?!.*(?:voice|audio|workflows|task_issues|tasks_)).*\.(?:json|toml|md)"
    rf"|data/tau2/user_simulator/(?:{'|'.join(map(re.escape, _GUIDES))})"
    rf"|{_CODE}(?:agent/llm_agent|user/user_simulator|orchestrator/orchestrator)\.py"
    rf"|{_CODE}domains/(?:{'|'.join(DOMAINS)})/(?:(?:user_)?tools|retrieval_mixins)\.py"
)
Say = Callable[[str], object]


def fetch(
    source: str | os.PathLike[str] | None = None,
    into: str | os.PathLike[str] | None = None,
    url: str = URL,
    say: Say = lambda line: None,
) -> list[str]:
    """Fill a folder with tau2-bench's domains and prompts; return the files that were written.

    Any failure raises DataMissing and leaves the folder as it was.

    Args:
        source: a clone of the original repository. None downloads the original.
        into: the target folder. None means `domain.folder()`.
    """
    target = folder() if into is None else Path(into)
    files = dict(_clone(Path(source)) if source is not None else _download(url, say))
    where = url if source is None else source
    data_files = {
        path[len(_DATA) :]: file_bytes
        for path, file_bytes in files.items()
        if path.startswith(_DATA)
    }
    lacking = [
        name for name in DOMAINS if not any(one.startswith(f"{name}/") for one in data_files)
    ]
    if lacking:
        raise DataMissing(
            f"{where} holds no {', '.join(lacking)} of tau2-bench; expected a clone of "
            f"{REPOSITORY}, which has {_DATA}"
        )
    data_files[WORDS] = json.dumps(read_words(files, where), indent=1).encode()
    try:
        target.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".fetch-", dir=target) as new:
            for name, content in data_files.items():
                (Path(new) / name).parent.mkdir(parents=True, exist_ok=True)
                (Path(new) / name).write_bytes(content)
            for name in data_files:
                (target / name).parent.mkdir(parents=True, exist_ok=True)
                os.replace(Path(new) / name, target / name)
    except OSError as error:
        raise DataMissing(
            f"{error.filename or target} cannot be written ({error.strerror}); name another "
            "folder with `gem-ma data tau2-bench --into PATH`"
        ) from None
    say(f"{len(data_files)} files are in {target}")
    return sorted(data_files)


def _clone(top: Path) -> Iterator[tuple[str, bytes]]:
    if not (top / _DATA).is_dir():
        raise DataMissing(
            f"{top} holds no tau2-bench; expected a clone of {REPOSITORY}, which has {_DATA}"
        )
    for part in ("data/tau2", "src/tau2"):
        for path in sorted((top / part).rglob("*")):
            name = path.relative_to(top).as_posix()
            if _KEPT.fullmatch(name) and path.is_file():
                yield name, path.read_bytes()


def _download(url: str, say: Say) -> Iterator[tuple[str, bytes]]:
    url = url.format(commit=COMMIT)
    say(f"downloading {url}")
    size = 0
    try:
        with (
            urllib.request.urlopen(url, timeout=60) as answer,
            tarfile.open(fileobj=answer, mode="r|gz") as archive,
        ):
            for member in archive:
                name = member.name.partition("/")[2]
                if not member.isfile() or not _KEPT.fullmatch(name):
                    continue
                size += member.size
                if size > LONGEST:
                    raise DataMissing(
                        f"{url} is larger than {LONGEST >> 20} MB; expected {REPOSITORY}"
                    )
                content = archive.extractfile(member)
                assert content is not None
                yield name, content.read()
    except (OSError, HTTPException, tarfile.TarError, EOFError, TypeError) as error:
        raise DataMissing(
            f"{url} cannot be fetched ({error}); try again, or clone {REPOSITORY} and use "
            "`gem-ma data tau2-bench --from CLONE`"
        ) from None


def words() -> JSONMapping:
    """Return the original's prompts, from the data folder or from the clone that contains it.

    - `agent`, `agent_instruction`, `solo`, `solo_instruction`, `user`: templates of prompts.
    - `guides`: two guidelines for the simulated user, without tools and with tools.
    - `greeting`: the first message of the assistant.
    - `tools`: per domain and seat, the descriptions of each tool and its arguments.
    """
    return _words(folder())


@functools.lru_cache(maxsize=4)
def _words(top: Path) -> JSONMapping:
    path = top / WORDS
    if path.is_file():
        data: JSONMapping = json.loads(path.read_bytes())
        return data
    clone = top.parent.parent.parent
    if top.name == "domains" and (clone / _CODE).is_dir():
        return read_words(dict(_clone(clone)), clone)
    raise DataMissing(f"{path} is not there, and strict=True needs the prompts in it; {REMEDY}")


def read_words(files: Mapping[str, bytes], where: object) -> JSONObject:
    """Return the prompts in the original's sources."""
    try:
        agent = _constants(files[f"{_CODE}agent/llm_agent.py"])
        user = _constants(files[f"{_CODE}user/user_simulator.py"])
        texts: JSONObject = {
            "agent_instruction": agent["AGENT_INSTRUCTION"],
            "agent": agent["SYSTEM_PROMPT"],
            "solo_instruction": agent["AGENT_SOLO_INSTRUCTION"],
            "solo": agent["SYSTEM_PROMPT_SOLO"],
            "user": user["SYSTEM_PROMPT"],
            "guides": [files[f"data/tau2/user_simulator/{name}"].decode() for name in _GUIDES],
            "greeting": _greeting(files[f"{_CODE}orchestrator/orchestrator.py"]),
            "tools": {},
        }
    except (KeyError, SyntaxError, UnicodeDecodeError) as error:
        raise DataMissing(
            f"{where} is not tau2-bench at commit {COMMIT} ({type(error).__name__}: {error}); use "
            "a clone at this commit"
        ) from None
    for name in DOMAINS:
        seats: dict[str, JSONObject] = {"assistant": {}, "user": {}}
        texts["tools"][name] = seats
        for file in ("tools.py", "user_tools.py", "retrieval_mixins.py"):
            source = files.get(f"{_CODE}domains/{name}/{file}")
            for seat, tool, doc in _tools(source) if source else ():
                seats[seat][tool] = _parsed(doc)
    return texts


def _constants(source: bytes) -> dict[str, str]:
    """Return the texts that a module assigns to names in capitals."""
    constants = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            value, strip = node.value, False
            if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
                strip, value = value.func.attr == "strip", value.func.value
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                constants[node.targets[0].id] = value.value.strip() if strip else value.value
    return constants


def _greeting(source: bytes) -> str:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == (
            "DEFAULT_FIRST_AGENT_MESSAGE"
        ):
            for one in node.value.keywords if isinstance(node.value, ast.Call) else ():
                if one.arg == "content" and isinstance(one.value, ast.Constant):
                    return str(one.value.value)
    raise KeyError("DEFAULT_FIRST_AGENT_MESSAGE")


def _tools(source: bytes) -> Iterator[tuple[str, str, str]]:
    """Yield seat, name and docstring of each tool in a module."""
    for kit in ast.parse(source).body:
        if not isinstance(kit, ast.ClassDef):
            continue
        seat = "user" if "User" in kit.name else "assistant"
        for method in kit.body:
            if isinstance(method, ast.FunctionDef) and any(
                isinstance(mark, ast.Call) and getattr(mark.func, "id", "") == "is_tool"
                for mark in method.decorator_list
            ):
                yield seat, method.name, ast.get_docstring(method) or ""


def _parsed(doc: str) -> JSONObject:
    """Return the descriptions of a tool and its arguments from a Google-style docstring."""
    head, _, rest = inspect.cleandoc(doc).partition("\nArgs:\n")
    head = re.split(r"\n(?:Returns|Raises|Examples?):", head)[0].strip()
    short, _, long = head.partition("\n")
    arguments: dict[str, str] = {}
    last = ""
    for line in re.split(r"\n\w+:", f"\n{rest}", maxsplit=1)[0].splitlines() if rest else ():
        named = re.fullmatch(r"\s{4}(\w+)(?: \([^)]*\))?: (.*)", line)
        if named:
            last = named[1]
            arguments[last] = named[2].strip()
        elif last and line.strip():
            arguments[last] += f"\n{line.strip()}"
    return {"description": f"{short}\n\n{long.strip()}".strip(), "arguments": arguments}
