"""Fetching of TAU-bench's files: from the repository, a clone, or a folder filled before."""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib.util
import json
import os
import tempfile
import urllib.request
from collections.abc import Callable, Iterable, Mapping
from http.client import HTTPException
from pathlib import Path
from typing import Any

from gem_ma.envs.tau import data
from gem_ma.envs.tau.data import VARIABLE, DataMissing, folder

__all__ = ["VARIABLE", "fetch", "folder"]

COMMIT = "59a200c6d575d595120f1cb70fea53cef0632f6b"
REPOSITORY = "https://github.com/sierra-research/tau-bench"
URL = f"https://raw.githubusercontent.com/sierra-research/tau-bench/{COMMIT}"
SOURCE = "TAU_BENCH_SOURCE"  # names a clone, for prompts that are missing in the data folder
USER = "user.json"  # "prompt" and "greeting" of the original's simulated user
AGENT = {"User-Agent": "gem-ma (https://pypi.org/project/gem-ma)"}

# The `digest` of each file at that commit; the formatting of JSON does not matter.
CANONICAL: dict[str, dict[str, str]] = {
    "retail": {
        "users.json": "c712a9b61256070e5c0dc676645b93d6f5ec2dc8a80182fab312d9de51cd0582",
        "orders.json": "db372c34a4226c830305cb78feefbeaf79897de300f67db4c0b8214e205d194b",
        "products.json": "b739a976c91e39561b40e7064f8f65572978e7cbb5a72a5bf0f2bedfa6f584dc",
        "tasks_train.json": "84f0f94b4e8c1890a91e9aa3b1bf032b5eb4ac7a428679affaa0074592c01a2d",
        "tasks_dev.json": "dd045a3ad59eaadcbfffe3c2305ef8bf99d843e9f196f6d3187f557949099f29",
        "tasks_test.json": "67fe620d2700ef7712e97c251649bb7e95e175c665d577bda35ebb0c4dc057be",
        "tools.json": "0dfd064c1ff2e913e163c48b5b5360a98d063d45988716f89f1d1c2ef44d90f1",
        "rules.json": "83b6ab95beedae6f8c87451c65dda8efb6a895c811ea5a2573e37fb371624cd6",
        "policy.md": "d539fd2a46a8b8dd2e934ff9ed92f43e9f6b56bc7a718db8d2803ba8ad8f6bf7",
        USER: "6f0d100ce886a074d6229dce53d345a650a1f55d4d23efc9c034ffa7546df63c",
    },
    "airline": {
        "users.json": "3da4f116fad48b9db37a5d6037c225dc61860a1bec1a41bb5ae25f638a36e3e1",
        "flights.json": "6d591a3d2fb99ed9429396422f75a774a92a802fe9bb1d125e31e522b2e34406",
        "reservations.json": "76f717c86cede954f634a0b1e950bfa7a25323c13e805eae00cb7d452176f3b5",
        "tasks_test.json": "7a6d4dc0de60bb28f971257fefa2acdd7d86d0d16a4123afea14cbcba880e8f4",
        "tools.json": "a81ef9fe97cec82b3e0803e110916b35de0398336f5de6369b6800c99d7a348d",
        "rules.json": "4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945",
        "policy.md": "56c335801c16e26b54f600f9db99eb04d31db477e86eb160341d5c66b796c5c8",
        USER: "6f0d100ce886a074d6229dce53d345a650a1f55d4d23efc9c034ffa7546df63c",
    },
}

Read = Callable[[str], bytes]
Say = Callable[[str], object]


def fetch(
    domain_names: Iterable[str] = tuple(data.TABLES),
    source: str | os.PathLike[str] | None = None,
    into: str | os.PathLike[str] | None = None,
    url: str = URL,
    say: Say = lambda line: None,
) -> list[tuple[str, int]]:
    """Fill a folder with TAU-bench's domains; return the written files and their sizes in bytes.

    The original's code is never run. A failure raises DataMissing and leaves the folder as it was.

    Args:
        source: a clone of the original repository, or a folder with retail/ and airline/ that was
            filled before. None downloads the original's files from `url`.
        into: the target folder, with one folder for each domain. None means `data.folder()`.
        say: is called with one line for each download, and one about the result.
    """
    names = list(domain_names)
    for name in names:
        if name not in data.TABLES:
            raise DataMissing(f"TAU-bench has no domain {name!r}; it has {', '.join(data.TABLES)}")
    target = data.folder() if into is None else Path(into)
    missing = [name for name in names if not _whole(target / name, name)]
    if not missing:
        say(f"{target} holds {' and '.join(names)} already, whole: nothing to do")
        return []
    domains = {name: _domain(name, source, url, say) for name in missing}
    try:
        return _write(target, domains, say)
    except OSError as error:
        raise DataMissing(
            f"{error.filename or target} cannot be written ({error.strerror}); name another "
            "folder with `gem-ma data tau-bench --into PATH`"
        ) from None


def digest(name: str, content: bytes, path: object) -> str:
    """Return a hash of a file's content, without regard to the spaces and key order of JSON."""
    if name.endswith(".json"):
        parsed = data.parse(content, path)
        content = json.dumps(parsed, sort_keys=True, separators=(",", ":")).encode()
    return hashlib.sha256(content).hexdigest()


def _whole(files: Path, name: str) -> bool:
    """Return whether a folder holds all files of a domain, undamaged."""
    try:
        contents = _ours(files, name)
    except DataMissing:
        return False
    return len(contents) == len(CANONICAL[name]) and (files / "manifest.json").is_file()


def _domain(
    name: str, source: str | os.PathLike[str] | None, url: str, say: Say
) -> dict[str, bytes]:
    """Return the checked files of a domain."""
    if source is None:
        contents = _original(name, _downloads(url, say), url)
        _check(name, contents, url, f"try again, or use a clone of {REPOSITORY} with --from PATH")
        return contents
    path = Path(source)
    if (path / "tau_bench" / "envs").is_dir():
        contents = _original(name, _reads(path), str(path))
        _check(name, contents, path, f"`git -C {path} checkout {COMMIT}` restores it")
        return contents
    if any((path / name / file).is_file() for file in ("manifest.json", "users.json")):
        return _ours(path / name, name)
    raise DataMissing(
        f"{path} holds no {name} of TAU-bench; expected a clone of {REPOSITORY}, which has "
        f"tau_bench/envs/, or a folder with {name}/users.json"
    )


def _ours(files: Path, name: str) -> dict[str, bytes]:
    # Folders filled by earlier versions have no USER.
    names = [file for file in CANONICAL[name] if file != USER or (files / file).exists()]
    contents = {file: data.read(files, file) for file in names}
    _check(name, contents, files.parent, "`gem-ma data tau-bench` fetches it from the original")
    return contents


def _check(name: str, files: Mapping[str, bytes], source: object, remedy: str) -> None:
    for file, content in files.items():
        expected = CANONICAL[name][file]
        checksum = digest(file, content, f"{name}/{file} of {source}")
        if checksum != expected:
            raise DataMissing(
                f"{name}/{file} of {source} differs from TAU-bench's: its digest is {checksum}, "
                f"and should be {expected}; {remedy}"
            )


def _write(
    target: Path, domains: Mapping[str, Mapping[str, bytes]], say: Say
) -> list[tuple[str, int]]:
    """Write all files to a temporary folder in the target, then move them into place."""
    file_sizes = []
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".fetch-", dir=target) as new:
        for name, files in domains.items():
            sums = {
                file: {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
                for file, content in files.items()
            }
            manifest = json.dumps({"commit": COMMIT, "files": sums}, indent=1).encode()
            (Path(new) / name).mkdir()
            for file, content in {**files, "manifest.json": manifest}.items():
                (Path(new) / name / file).write_bytes(content)
                file_sizes.append((f"{name}/{file}", len(content)))
        for name in domains:
            (target / name).mkdir(exist_ok=True)
        for file, _ in file_sizes:
            os.replace(Path(new) / file, target / file)
    say(f"{len(file_sizes)} files are in {target}")
    return file_sizes


def user(name: str) -> Mapping[str, str]:
    """Return the "prompt" and "greeting" of the original's simulated user of a domain.

    They come from the data folder, from the clone that TAU_BENCH_SOURCE names, or from an installed
    package tau_bench. Its code is not run.
    """
    return _user(name, data.folder() / name, os.environ.get(SOURCE))


@functools.lru_cache(maxsize=8)
def _user(name: str, files: Path, clone: str | None) -> Mapping[str, str]:
    package = None if clone else importlib.util.find_spec("tau_bench")
    tops = [Path(clone)] if clone else []
    if package is not None:
        tops += [Path(top).parent for top in package.submodule_search_locations or ()]
    if (files / USER).exists():
        content, source = data.read(files, USER), files.parent
    elif tops:
        content, source = _words(_reads(tops[0]), str(tops[0])), tops[0]
    else:
        raise DataMissing(
            f"{files / USER} is not there, and strict=True needs this prompt of TAU-bench: "
            f"`gem-ma data tau-bench` fetches it, or set {SOURCE} to a clone of {REPOSITORY}"
        )
    _check(name, {USER: content}, source, f"commit {COMMIT} of {REPOSITORY} has it")
    words: Mapping[str, str] = data.parse(content, source)
    return words


def _downloads(url: str, say: Say) -> Read:
    def read(path: str) -> bytes:
        request = urllib.request.Request(f"{url}/{path}", headers=AGENT)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                content: bytes = answer.read()
        except (OSError, HTTPException) as error:
            raise DataMissing(
                f"{url}/{path} cannot be downloaded ({error}); try again, or get a clone of "
                f"{REPOSITORY} and give it with `gem-ma data tau-bench --from PATH`"
            ) from None
        say(f"{path}: {len(content)} bytes")
        return content

    return read


def _reads(top: Path) -> Read:
    def read(path: str) -> bytes:
        try:
            return (top / path).read_bytes()
        except OSError as error:
            raise DataMissing(
                f"{top / path} cannot be read ({error.strerror}); "
                f"`git -C {top} checkout {COMMIT}` restores it"
            ) from None

    return read


def _original(name: str, read: Read, source: str) -> dict[str, bytes]:
    """Convert the original's files of a domain into the files of the data folder."""
    top = f"tau_bench/envs/{name}"

    def parsed(file: str) -> Python:
        return Python(read(f"{top}/{file}"), f"{source}/{top}/{file}")

    files = {f"{table}.json": read(f"{top}/data/{table}.json") for table in data.TABLES[name]}
    for split in data.SPLITS[name]:
        python = parsed(f"tasks_{split}.py")
        tasks = [python.value(one) for one in python.elements()]
        if not all(isinstance(one, dict) for one in tasks):
            raise DataMissing(f"{python.path}: expected a list of Task(...)")
        files[f"tasks_{split}.json"] = _json([{"index": i, **one} for i, one in enumerate(tasks)])
    python = parsed("tools/__init__.py")
    modules = python.imported()
    tools = []
    for one in python.elements():
        if not (isinstance(one, ast.Name) and one.id in modules):
            raise python.refusal(one, "the name of a class that is imported above")
        tools.append(parsed(f"tools/{modules[one.id]}.py").schema(one.id))
    files["tools.json"] = _json(tools)
    python = parsed("rules.py")
    files["rules.json"] = _json([python.value(one) for one in python.elements()])
    files["policy.md"] = read(f"{top}/wiki.md").replace(b"\r\n", b"\n")
    files[USER] = _words(read, source)
    return files


def _words(read: Read, source: str) -> bytes:
    """Return the file USER, made from the original's simulated user."""
    path = "tau_bench/envs/user.py"
    return _json(Python(read(path), f"{source}/{path}").user("LLMUserSimulationEnv"))


def _json(value: object) -> bytes:
    return f"{json.dumps(value, indent=1)}\n".encode()


class Python:
    """A Python file from which literals are read; its code is never run."""

    def __init__(self, content: bytes, path: str):
        self.path = path
        try:
            self.body = ast.parse(content, path).body
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise DataMissing(f"{path} cannot be read as Python: {error}") from None
        self._lines = content.decode(errors="replace").splitlines()

    def elements(self) -> list[ast.expr]:
        """Return the elements of the first list that the file assigns."""
        for node in self.body:
            if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, ast.List):
                return node.value.elts
        raise DataMissing(f"{self.path}: expected a line such as TASKS = [...], and found no list")

    def imported(self) -> dict[str, str]:
        """Return a mapping from imported class to its sibling module."""
        return {
            alias.name: node.module
            for node in self.body
            if isinstance(node, ast.ImportFrom) and node.level == 1 and node.module
            for alias in node.names
        }

    def schema(self, name: str) -> object:
        """Return the literal that `get_info` of a class returns."""
        for line in self.method(name, "get_info"):
            if isinstance(line, ast.Return) and line.value is not None:
                return self.value(line.value)
        raise DataMissing(f"{self.path}: expected a class {name} whose get_info returns a literal")

    def method(self, kind: str, name: str) -> list[ast.stmt]:
        """Return the statements of a method of a class, or [] if it is missing."""
        for node in self.body:
            if isinstance(node, ast.ClassDef) and node.name == kind:
                for one in node.body:
                    if isinstance(one, ast.FunctionDef) and one.name == name:
                        return one.body
        return []

    def user(self, kind: str) -> dict[str, str]:
        """Return the prompt and greeting of a class of simulated users.

        "prompt" is the result of `build_system_prompt` for the instruction "{instruction}", and
        "greeting" is the user's message among the literals of `reset`.
        """
        known = {"instruction": "{instruction}"}
        prompt = greeting = None
        for line in self.method(kind, "build_system_prompt"):
            match line:
                case ast.Assign(targets=[ast.Name(id=name)]):
                    known[name] = self.text(line.value, known)
                case ast.Return(value=ast.expr() as value):
                    prompt = self.text(value, known)
        for line in self.method(kind, "reset"):
            for node in ast.walk(line):
                match node:
                    case ast.Dict(
                        values=[ast.Constant(value="user"), ast.Constant(value=str() as text)]
                    ):
                        greeting = text
        if prompt is None or greeting is None:
            raise DataMissing(
                f"{self.path}: expected a class {kind} whose build_system_prompt returns a text, "
                "and whose reset has a message of the user"
            )
        return {"prompt": prompt, "greeting": greeting}

    def text(self, node: ast.expr, known: Mapping[str, str]) -> str:
        """Return the value of a text expression that consists of literals and known names."""
        match node:
            case ast.Constant(value=str() as text):
                return text
            case ast.Name() if node.id in known:
                return known[node.id]
            case ast.BinOp(op=ast.Add()):
                return self.text(node.left, known) + self.text(node.right, known)
            case ast.IfExp(test=ast.Compare(left=ast.Name(id="instruction"), ops=[ast.IsNot()])):
                return self.text(node.body, known)
            case ast.JoinedStr():
                return "".join([self.text(one, known) for one in node.values])
            case ast.FormattedValue(conversion=-1, format_spec=None):
                return self.text(node.value, known)
        raise self.refusal(node, "texts and the instruction")

    def value(self, node: ast.expr) -> Any:
        """Return the value of a literal; Task(...) and Action(...) become dicts."""
        match node:
            case ast.Constant(value=None | bool() | int() | float() | str()):
                return node.value
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float())):
                return -self.value(node.operand)
            case ast.List():
                return [self.value(one) for one in node.elts]
            case ast.Dict() if all(isinstance(key, ast.Constant) for key in node.keys):
                pairs = zip(node.keys, node.values, strict=True)
                return {self.value(key): self.value(one) for key, one in pairs if key}
            case ast.Call(func=ast.Name(id="Task" | "Action"), args=[]):
                if all(keyword.arg for keyword in node.keywords):
                    return {one.arg: self.value(one.value) for one in node.keywords}
        raise self.refusal(node, "a literal, Task(...) or Action(...)")

    def refusal(self, node: ast.expr, expected: str) -> DataMissing:
        """Return the error for an unexpected expression."""
        line = self._lines[node.lineno - 1].strip()
        return DataMissing(
            f"{self.path}, line {node.lineno}: expected {expected}, got {line!r:.80}; "
            "the file is parsed, and never run"
        )
