"""Notes: generated tasks over an MCP server of notes; done if the notes that are left are right."""

from __future__ import annotations

import sys
from pathlib import Path

from gem_ma.envs.mcp_tasks.note_tasks import KINDS, NoteTask, make_note_task
from gem_ma.envs.mcp_tasks.server_game import PLACEHOLDER, MCPServerGame, TaskGrade

_SERVER_FILE = Path(__file__).with_name("notes_server.py")


class MCPNotes(MCPServerGame):
    """Tasks of twelve kinds over six to nine notes; the seed decides kind and notes.

    Args:
        max_calls: the number of tool calls in an episode.
    """

    command = (sys.executable, "-P", str(_SERVER_FILE), PLACEHOLDER)
    shares_server = True

    def __init__(self, max_calls: int = 30):
        super().__init__(max_calls, timeout=30.0)

    def choose_task(self, seed, wanted):
        if wanted is not None and wanted not in list(KINDS):
            raise ValueError(f"task={wanted!r}: expected one of {', '.join(KINDS)}")
        return make_note_task(seed, wanted)

    def tell_task(self, task):
        return task.instruction

    def name_task(self, task):
        return task.kind

    def prepare_folder(self, task, folder):
        for title, text in task.before.items():
            (folder / f"{title}.md").write_text(text, encoding="utf-8", newline="")

    def grade_folder(self, task, folder):
        left = {
            file.stem: file.read_text(encoding="utf-8", errors="replace")
            for file in folder.glob("*.md")
        }
        return _compare_notes(task, left)


def _compare_notes(task: NoteTask, left: dict[str, str]) -> TaskGrade:
    """Return 1 if the notes are those of the finished task; white space at an end is ignored."""
    for title in sorted(left.keys() | task.after.keys()):
        if title not in left:
            return TaskGrade(0.0, f"there is no note {title}")
        if title not in task.after:
            return TaskGrade(0.0, f"the note {title} should not be there")
        if left[title].rstrip() != task.after[title].rstrip():
            return TaskGrade(0.0, f"the note {title} has another text")
    return TaskGrade(1.0)
