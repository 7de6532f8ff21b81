"""Same melody: which of several staves has the melody of the first one, higher or lower."""

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.notation import staff
from gem_ma.envs.visual.notation.staff import LENGTHS, Note
from gem_ma.envs.visual.question import LETTERS, Question, Task, pick, some

LOW, HIGH = -2, 10  # places of notes
LEAP = 3  # places from one note to the next, at most


class SameMelody(Task):
    # notes, options, places by which a melody is moved at most, places by which a note is wrong,
    # lengths of notes
    levels = interpolate_levels(
        {
            0: (3, 2, 0, 3, (4,)),
            2: (4, 3, 0, 2, (4,)),
            5: (5, 4, 2, 2, (4, 8)),
            8: (6, 5, 4, 1, (2, 4, 8)),
            10: (7, 6, 5, 1, (2, 4, 6, 8)),
        }
    )
    moves = tuple(LETTERS[:6])
    about = (
        "It shows a melody above staves with letters. One of these has the same melody: the same "
        "lengths of notes, and the same steps up and down from note to note, counted in lines and "
        "spaces. It may begin higher or lower. Reply with its letter."
    )

    def draw(self, rng, many, options, moved, wrong, lengths):
        while True:
            melody = _sample_melody(rng, many, lengths)
            others: list[tuple[Note, ...]] = []
            while len(others) < options - 1:
                other = _change(rng, pick(rng, [melody, *others]), wrong, lengths)
                if compare(other) not in {compare(one) for one in (melody, *others)}:
                    others.append(other)
            staves = [_move(rng, one, moved) for one in (melody, *others)]
            if None not in staves:
                break
        order = some(rng, range(options), options)
        choices = tuple(LETTERS[:options])
        shown = melody, tuple([staves[i] for i in order])
        text = "Which staff has the melody of the first one?"
        return Question(text, choices[order.index(0)], shown, choices)

    def words(self, shown):
        melody, options = shown
        rows = [f"melody: {_tell(melody)}"]
        rows += [f"{name}: {_tell(one)}" for name, one in zip(LETTERS, options, strict=False)]
        return "\n".join(rows)

    def scene(self, shown):
        melody, options = shown
        columns = 1 if len(options) < 4 else 2
        rows = 1 + -(-len(options) // columns)
        high, wide = 0.98 / rows, 0.95 if columns == 1 else 0.45
        space = min(0.05, high / 10.5, (wide - 0.05) / (3.9 + 2.1 * len(melody)))
        space = staff.round_space(space)
        places = [(0.5 - wide / 2, 0)]
        places += [(0.02 + 0.5 * (i % columns), 1 + i // columns) for i in range(len(options))]
        names = ["?", *LETTERS]
        pens, labels = [], []
        for (left, row), name, notes in zip(places, names, (melody, *options), strict=False):
            bottom = 0.01 + high * (row + 0.5) + 2 * space
            pen = staff.open_pen(bottom, space)
            pen.draw_staff(left + 0.05, left + wide, "treble")
            labels.append((name, "", left + 0.02, bottom - 2 * space, 0.07))
            start = left + 0.05 + 3.9 * space
            step = (left + wide - start) / len(notes)
            for i, note in enumerate(notes):
                pen.draw_note(start + step * (i + 0.3), note)  # dots and flags are on the right
            pens.append(pen)
        return staff.draw_scene(pens, labels)


def compare(melody):
    """Return the steps and the lengths of a melody, which do not change if it is moved."""
    return tuple([(note.place - melody[0].place, note.length) for note in melody])


def _sample_melody(rng, many, lengths):
    place = int(rng.integers(2, 7))
    notes = [Note(place, pick(rng, lengths))]
    while len(notes) < many:
        near = [n for n in range(place - LEAP, place + LEAP + 1) if 0 <= n <= 8]
        place = pick(rng, near)
        notes.append(Note(place, pick(rng, lengths)))
    return tuple(notes)


def _change(rng, melody, wrong, lengths):
    """Return a melody in which one note is higher, lower, longer or shorter."""
    i = int(rng.integers(len(melody)))
    note = melody[i]
    if len(lengths) > 1 and rng.random() < 0.25:
        note = note._replace(length=pick(rng, [n for n in lengths if n != note.length]))
    else:
        note = note._replace(place=note.place + pick(rng, (-wrong, wrong)))
    return (*melody[:i], note, *melody[i + 1 :])


def _move(rng, melody, moved):
    """Return a melody moved up or down, or None if there is no room for it."""
    places = [note.place for note in melody]
    room = [
        n for n in range(-moved, moved + 1) if min(places) + n >= LOW and max(places) + n <= HIGH
    ]
    room = [n for n in room if n] or room
    if not room:
        return None
    by = pick(rng, room)
    return tuple([note._replace(place=note.place + by) for note in melody])


def _tell(melody):
    return "; ".join([f"{LENGTHS[note.length]}, {staff.tell_place(note.place)}" for note in melody])
