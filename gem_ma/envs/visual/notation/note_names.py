"""Note names: the name of a note on a staff."""

import re

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.notation import staff
from gem_ma.envs.visual.notation.staff import FLAT, NATURAL, SHARP, SIGN_NAMES, Note
from gem_ma.envs.visual.question import Question, Task, pick

NAMES = "CDEFGAB"
BOTTOM = {"treble": 30, "bass": 18}  # the steps from C0 to the bottom line
# Places of the signs behind a treble clef, in their order; those of a bass clef are 2 lower.
KEY_PLACES = {SHARP: (8, 5, 9, 6, 3, 7, 4), FLAT: (4, 7, 3, 6, 2, 5, 1)}
LOWEST, HIGHEST = 1, 6  # octaves
CHOICES = tuple(
    [
        f"{name}{sign}{octave}"
        for octave in range(LOWEST, HIGHEST + 1)
        for name in NAMES
        for sign in ("", SHARP, FLAT)
    ]
)


def find_name(clef, key, note):
    """Return the name of a note, with its sign and octave.

    Args:
        key: the kind of the signs behind the clef, and their number.
    """
    octave, step = divmod(BOTTOM[clef] + note.place, 7)
    letters = [NAMES[(BOTTOM["treble"] + p) % 7] for p in KEY_PLACES[key[0]][: key[1]]]
    sign = note.sign or (key[0] if NAMES[step] in letters else "")
    return f"{NAMES[step]}{sign.replace(NATURAL, '')}{octave}"


class NoteNames(Task):
    # staves, notes on each, ledger lines, share of notes with a sign, signs behind the clef
    levels = interpolate_levels(
        {
            0: (1, 3, 0, 0.0, 0),
            2: (1, 5, 0, 0.0, 0),
            4: (2, 5, 1, 0.3, 0),
            5: (2, 6, 1, 0.4, 1),
            8: (3, 7, 2, 0.4, 4),
            10: (4, 8, 3, 0.5, 7),
        }
    )
    moves = CHOICES
    about = (
        "It shows notes on staves with a treble or a bass clef; in words, lines and spaces count "
        "from the bottom. Signs behind the clef hold for all notes of that letter on the staff. A "
        "sign in front of a note is worth more. Reply with the name and the octave, such as G4, "
        "F#5 or Bb3. C4 is middle C, on the first ledger line below a treble staff or above a bass "
        "staff, and each octave begins at its C."
    )

    def draw(self, rng, staves, many, ledgers, signed, most):
        rows = []
        for _ in range(staves):
            clef = ("treble", "bass")[int(rng.integers(2))]
            key = pick(rng, (SHARP, FLAT)), int(rng.integers(most // 2, most + 1))
            notes: list[Note] = []
            while len(notes) < many:
                place = int(rng.integers(-2 * ledgers, 9 + 2 * ledgers))
                sign = pick(rng, (SHARP, FLAT, NATURAL)) if rng.random() < signed else ""
                # A sign holds until the next bar line: here it never matters for a later note.
                if any(note.place == place and note.sign for note in notes):
                    continue
                notes.append(Note(place, 4, sign))
            rows.append((clef, key, tuple(notes)))
        number = int(rng.integers(staves * many))
        clef, key, notes = rows[number // many]
        answer = find_name(clef, key, notes[number % many])
        return Question(f"What is the name of note {number + 1}?", answer, tuple(rows), CHOICES)

    def read(self, text, view, agent):
        """Parse a name, in any usual spelling."""
        said = text.replace("\u266f", SHARP).replace("\u266d", FLAT).replace("\u266e", "")
        said = re.sub(r"[\s-]?(sharp|flat|natural)\s?", _shorten_sign, said, flags=re.IGNORECASE)
        words = [word for word in said.split() if word.casefold() != "note"]
        return super().read(" ".join(words) or text, view, agent)

    def words(self, shown):
        rows, number = [], 1
        for i, (clef, (kind, many), notes) in enumerate(shown):
            signs = ""
            if many:
                names = [NAMES[(BOTTOM["treble"] + p) % 7] for p in KEY_PLACES[kind][:many]]
                signs = f", behind it {' '.join([name + kind for name in names])}"
            rows.append(f"staff {i + 1}: {clef} clef{signs}")
            for note in notes:
                sign = f"{SIGN_NAMES[note.sign]} in front, " if note.sign else ""
                rows.append(f"note {number}: {sign}{staff.tell_place(note.place)}")
                number += 1
        return "\n".join(rows)

    def scene(self, shown):
        high = 0.96 / len(shown)
        places = [note.place for _, _, notes in shown for note in notes]
        above = max(2, (max(places) - 7) // 2 + 1.5)
        below = max(0, -min(places) // 2)
        tall = above + below + 7.2
        wide = max(5.4 + 0.95 * many + 2.7 * len(notes) for _, (_, many), notes in shown)
        space = staff.round_space(min(0.07, high / tall, 0.94 / wide))
        pens, labels, number = [], [], 1
        for i, (clef, (kind, many), notes) in enumerate(shown):
            bottom = 0.02 + high * (i + 0.5) + (above + 4 - tall / 2) * space
            pen = staff.open_pen(bottom, space)
            pen.draw_staff(0.03, 0.97, clef)
            for k, place in enumerate(KEY_PLACES[kind][:many]):
                low = 2 if clef == "bass" else 0
                pen.draw_sign(0.03 + (4.4 + 0.95 * k) * space, place - low, kind)
            start = 0.03 + (5.4 + 0.95 * many) * space
            step = (0.97 - start) / len(notes)
            for k, note in enumerate(notes):
                x = start + step * (k + 0.5)
                pen.draw_note(x, note)
                labels.append((str(number), "", x, bottom + (below + 2) * space, 0.05))
                number += 1
            pens.append(pen)
        return staff.draw_scene(pens, labels)


def _shorten_sign(match):
    return {"sharp": SHARP, "flat": FLAT, "natural": ""}[match[1].casefold()]
