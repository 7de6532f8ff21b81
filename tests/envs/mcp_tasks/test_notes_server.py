"""The tools of the notes' server, without a connection."""

import pytest

from gem_ma.envs.mcp_tasks.notes_server import NoteError, NoteFolder


def test_notes_are_written_read_renamed_found_and_deleted(tmp_path):
    notes = NoteFolder(tmp_path)
    assert notes.list_notes() == []
    notes.write_note("b", "Some\r\ntext, été\n")
    notes.write_note("a-1", "other")
    assert notes.list_notes() == ["a-1", "b"]
    assert (tmp_path / "b.md").read_bytes() == "Some\r\ntext, été\n".encode()
    assert notes.search_notes("ÉTÉ") == ["b"]
    assert notes.rename_note("b", "c") == "b is now c."
    assert notes.list_notes() == ["a-1", "c"]
    notes.delete_note("a-1")
    assert [file.name for file in tmp_path.iterdir()] == ["c.md"]


@pytest.mark.parametrize(
    "title", ["../x", "a/b", "", "A", "-a", "a-", "a" * 61, "a\0", ".", "a.md", "a\n"]
)
def test_no_title_leads_out_of_the_folder(tmp_path, title):
    notes = NoteFolder(tmp_path)
    for call in (notes.read_note, notes.delete_note, lambda one: notes.write_note(one, "")):
        with pytest.raises(NoteError, match="expected lower-case letters"):
            call(title)
    assert list(tmp_path.iterdir()) == []


def test_what_is_too_much_or_missing_is_refused(tmp_path):
    notes = NoteFolder(tmp_path)
    with pytest.raises(NoteError, match="no note 'a'; list_notes"):
        notes.read_note("a")
    with pytest.raises(NoteError, match="20001 characters are too many"):
        notes.write_note("a", "x" * 20_001)
    for number in range(200):
        notes.write_note(f"n{number}", "")
    with pytest.raises(NoteError, match="there are 200 notes"):
        notes.write_note("one-more", "")
    notes.write_note("n1", "again")
    with pytest.raises(NoteError, match="there is a note 'n2' already"):
        notes.rename_note("n1", "n2")
