"""Searches in the documents that a model writes itself: patterns, and commands of a shell.

Both run in the sandbox: a pattern may take forever, and a command may try anything.
"""

from __future__ import annotations

import base64
import functools
import json
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from gem_ma.envs.tau2.banking import harness
from gem_ma.envs.tau2.banking.search import Document, list_documents, select_best
from gem_ma.sandbox import RunResult, Sandbox, get_shared_sandbox
from gem_ma.validation.json_types import JSONMapping, JSONObject
from gem_ma.validation.untrusted_json import parse_json

PATTERN_SECONDS = 5.0
COMMAND_SECONDS = 10.0
# The start of a line of `ls -l`: modes and links, owner, group, size, time.
_LISTED = re.compile(
    r"^([-dlrwxst@]+[ \t]+\d+[ \t]+)\S+[ \t]+\S+[ \t]+(\d+)[ \t]+\w{3}[ \t]+\d+[ \t]+[\d:]+[ \t]+",
    re.MULTILINE,
)
_QUOTES = re.compile(r"'[^']*'"), re.compile(r'"[^"]*"')
_PATH = re.compile(r"(?:^|[\s;|&])(/[a-zA-Z][^\s;|&]*)")


class PatternSearch:
    """A search in documents by regular expressions."""

    def __init__(self, documents: Iterable[Document]):
        self.documents = tuple(documents)
        self._texts = json.dumps([one.content for one in self.documents]).encode()

    def listing(self, pattern: str) -> str:
        """Return the full text of the documents with most matches, as the tool prints them."""
        counts = self.count_matches(pattern) if pattern.strip() else []
        scored = [
            (one, float(count)) for one, count in zip(self.documents, counts, strict=False) if count
        ]
        if not scored:
            return f"No matches found for pattern: {pattern}"
        return list_documents(select_best(scored))

    def count_matches(self, pattern: str, seconds: float = PATTERN_SECONDS) -> list[int]:
        """Return how often a pattern matches in each document.

        Raises:
            ValueError: The pattern is too large or too slow.
        """
        job, files = {"pattern": pattern}, {harness.TEXTS: self._texts}
        result = _run_job(get_pattern_sandbox(), job, files, seconds)
        answer = _read_answer(result)
        if "counts" not in answer:
            if result.reason == "timeout":
                raise ValueError(f"the pattern takes more than {seconds:g} seconds")
            raise ValueError(answer.get("error") or "the pattern needs too much memory")
        counts: list[int] = answer["counts"]
        return counts


class DocumentShell:
    """A shell in a folder of documents, which are files that no command can change."""

    def __init__(self, documents: Iterable[Document]):
        files, index = {}, ""
        documents = sorted(documents, key=lambda one: one.id)
        for one in documents:
            name = _name_file(one.id)
            files[name] = f"# {one.title}\n\n{one.content}"
            index += f"- **{name}** - {one.title}\n"
        head = f"# Knowledge Base Index\n\n**Total documents:** {len(documents)}\n\n"
        files["INDEX.md"] = f"{head}## Documents\n\n{index}"
        # Programs that do not sort a folder begin with the file that was made last.
        names = sorted(files, reverse=True)
        self._files = {f"{harness.FOLDER}/{name}": files[name].encode() for name in names}

    def answer(self, command: str, seconds: float = COMMAND_SECONDS) -> str:
        """Return the tool's answer to a command."""
        code, out, err = self._run(command, seconds)
        if not code:
            return out or "(no output)"
        if code == 1 and "grep" in command and not err:
            return "No matches found."
        if err:
            return f"Error (exit code {code}): {err}"
        return f"Command failed with exit code {code}"

    def _run(self, command: str, seconds: float) -> tuple[int, str, str]:
        """Return the exit code, stdout and stderr of a command."""
        if escape := _find_escape(command):
            blocked = f"contains '{escape}' which could escape the sandbox"
            return 1, "", f"Error: Command blocked - {blocked}"
        result = _run_job(get_shell_sandbox(), {"command": command}, self._files, seconds)
        answer = _read_answer(result)
        if result.reason == "timeout":
            return 124, "", f"Command timed out after {seconds:g} seconds"
        try:
            if "error" in answer:
                raise ValueError(answer["error"])
            code = int(answer["code"])
            out, err = (_show_output(answer[name]) for name in ("stdout", "stderr"))
        except KeyError:
            return 137, "", "The command ended the shell."
        except (ValueError, TypeError) as error:  # such as of bytes that are no text
            return 1, "", f"Command failed: {error}"
        return code, out, err


def get_pattern_sandbox() -> Sandbox:
    """Return the sandbox of this process for patterns."""
    return get_shared_sandbox()


@functools.cache
def get_shell_sandbox() -> Sandbox:
    """Return the sandbox of this process for shells; it needs level "namespaces"."""
    return Sandbox(
        "namespaces",
        memory=128 * 2**20,
        file_size=8 * 2**20,
        processes=24,
        output=4 * harness.MAX_OUTPUT,
        workers=min(8, os.cpu_count() or 1),
        preload=("base64", "json", "shutil", "subprocess"),
        commands=True,
        links=(harness.FOLDER,),
    )


def _run_job(
    box: Sandbox, job: JSONMapping, files: Mapping[str, bytes], seconds: float
) -> RunResult:
    return box.run(_read_harness(), stdin=json.dumps(job), files=files, seconds=seconds)


def _read_answer(result: RunResult) -> JSONObject:
    """Return the harness's answer, which a command may have prevented or forged."""
    try:
        answer = parse_json(result.stdout, size=None)
    except ValueError:
        return {}
    return answer if isinstance(answer, dict) else {}


@functools.cache
def _read_harness() -> str:
    return Path(harness.__file__).read_text(encoding="utf-8")


def _name_file(id: str) -> str:
    plain = id.replace("..", "_")
    return "".join(one if one.isalnum() or one in "._-" else "_" for one in plain)[:255] + ".md"


def _find_escape(command: str) -> str:
    """Return what in a command the original refuses, or ""; the sandbox does not need this."""
    for quotes in _QUOTES:
        command = quotes.sub('""', command)
    if ".." in command:
        return ".."
    if path := _PATH.search(command):
        return f"absolute path: {path[1]}"
    if command.strip().startswith("/"):
        return "absolute path at start"
    if "~" in command:
        return "~"
    return "$HOME" if "$HOME" in command or "${HOME}" in command else ""


def _show_output(data: str) -> str:
    """Return an output as the original shows it, cut if it is too long.

    Raises:
        ValueError: The output is no text.
    """
    raw = base64.b64decode(data)
    if len(raw) > harness.MAX_OUTPUT:
        text = raw[: harness.MAX_OUTPUT].decode(errors="ignore")
        text += f"\n... (only the first {harness.MAX_OUTPUT:,} bytes are shown)"
    else:
        text = raw.decode()
    return _LISTED.sub(_show_listed, text.replace("\r\n", "\n").replace("\r", "\n"))


def _show_listed(line: re.Match[str]) -> str:
    """Return the start of a listed file's line as if the folder, not its modes, forbade writing."""
    modes = line[1].replace("r--r--r--", "rw-r--r--").replace("r-xr-xr-x", "rwxr-xr-x")
    return f"{modes}kb_user  kb_group  {line[2]} Jan  1 00:00 "
