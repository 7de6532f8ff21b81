"""Names of notes by what is taught of them, and replies in any usual spelling."""

import pytest

from gem_ma import InvalidMove
from gem_ma.envs.visual.notation.note_names import CHOICES, NoteNames, find_name
from gem_ma.envs.visual.notation.staff import Note
from gem_ma.envs.visual.question import AGENT

VIEW = type("View", (), {"choices": CHOICES})


@pytest.mark.parametrize(
    ("clef", "key", "note", "name"),
    [
        ("treble", ("#", 0), Note(-2), "C4"),
        ("treble", ("#", 0), Note(2), "G4"),
        ("bass", ("#", 0), Note(6), "F3"),
        ("bass", ("#", 0), Note(10), "C4"),
        ("treble", ("#", 1), Note(1), "F#4"),
        ("treble", ("b", 1), Note(1), "F4"),
        ("bass", ("b", 2), Note(12), "Eb4"),
        ("treble", ("#", 7), Note(4), "B#4"),
        ("treble", ("b", 1), Note(4, 4, "n"), "B4"),
        ("treble", ("b", 1), Note(4, 4, "#"), "B#4"),
    ],
)
def test_the_name_of_a_note(clef, key, note, name):
    assert find_name(clef, key, note) == name


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("f#4", "F#4"),
        ("F sharp 4", "F#4"),
        ("F\u266f4", "F#4"),
        ("B-flat 3", "Bb3"),
        ("the note is Bb3.", "Bb3"),
        ("E natural 5", "E5"),
    ],
)
def test_a_name_is_read_in_any_spelling(said, name):
    assert NoteNames().read(said, VIEW, AGENT) == name


@pytest.mark.parametrize("said", ["F", "H4", "F##4", "F#4 G4", "C99"])
def test_what_is_no_name_is_refused(said):
    with pytest.raises(InvalidMove):
        NoteNames().read(said, VIEW, AGENT)
