"""An MCP server over a folder of notes: `python notes_server.py FOLDER`, for one client on stdio.

It keeps nothing but the files, one for each note. Only the library `mcp` is needed to run it.
"""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

_TITLE = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,58}[a-z0-9])?")
_MAX_NOTES = 200
_MAX_SIZE = 20_000  # characters of a note


class NoteError(ValueError):
    """A request that the notes do not allow; its message is shown to the caller."""


class NoteFolder:
    """The notes of a folder; each method is a tool of the server.

    Args:
        folder: the folder, with a file TITLE.md for each note.
    """

    def __init__(self, folder: Path):
        self.folder = folder

    def _find_file(self, title: str, exists: bool = True) -> Path:
        if not _TITLE.fullmatch(title):
            raise NoteError(
                f"title {title[:80]!r}: expected lower-case letters, digits and hyphens, at most 60"
            )
        file = self.folder / f"{title}.md"
        if exists and not file.is_file():
            raise NoteError(f"there is no note {title!r}; list_notes returns all titles")
        return file

    def list_notes(self) -> list[str]:
        """Return the titles of all notes, in alphabetical order."""
        return sorted(file.stem for file in self.folder.glob("*.md"))

    def read_note(self, title: str) -> str:
        """Return the text of a note."""
        return self._find_file(title).read_text(encoding="utf-8")

    def write_note(self, title: str, text: str) -> str:
        """Write a note, in place of the one with this title if there is one."""
        file = self._find_file(title, exists=False)
        if len(text) > _MAX_SIZE:
            raise NoteError(f"{len(text)} characters are too many; a note has at most {_MAX_SIZE}")
        if not file.is_file() and len(self.list_notes()) >= _MAX_NOTES:
            raise NoteError(f"there are {_MAX_NOTES} notes, and there may not be more")
        file.write_text(text, encoding="utf-8", errors="replace", newline="")
        return f"{title} is written."

    def rename_note(self, title: str, new_title: str) -> str:
        """Give a note another title, which no note has yet."""
        file, new_file = self._find_file(title), self._find_file(new_title, exists=False)
        if new_file.exists():
            raise NoteError(f"there is a note {new_title!r} already")
        file.rename(new_file)
        return f"{title} is now {new_title}."

    def delete_note(self, title: str) -> str:
        """Delete a note."""
        self._find_file(title).unlink()
        return f"{title} is deleted."

    def search_notes(self, query: str) -> list[str]:
        """Return the titles of the notes whose text contains the query, upper or lower case."""
        wanted = query.casefold()
        texts = {title: self.read_note(title) for title in self.list_notes()}
        return [title for title, text in texts.items() if wanted in text.casefold()]


def main(folder: str) -> None:
    """Serve the notes of a folder over stdio."""
    from mcp.server import MCPServer
    from mcp.server.mcpserver.exceptions import ToolError

    server = MCPServer("notes", log_level="CRITICAL")
    notes = NoteFolder(Path(folder))
    for tool in (
        notes.list_notes,
        notes.read_note,
        notes.write_note,
        notes.rename_note,
        notes.delete_note,
        notes.search_notes,
    ):
        server.add_tool(_raise_as(ToolError, tool))
    server.run("stdio")


def _raise_as(kind: type[Exception], tool: Callable[..., Any]) -> Callable[..., Any]:
    """Return a tool whose NoteError is raised as an error of `mcp`, which tells the caller why."""

    @functools.wraps(tool)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return tool(*args, **kwargs)
        except NoteError as error:
            raise kind(str(error)) from None

    return call


if __name__ == "__main__":
    main(sys.argv[1])
