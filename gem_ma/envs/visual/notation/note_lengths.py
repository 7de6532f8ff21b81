"""Note lengths: which bar is too long or too short for its time."""

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.notation import staff
from gem_ma.envs.visual.notation.staff import LENGTHS, Note
from gem_ma.envs.visual.question import Question, Task, numbers, pick

TIMES = {"2/4": 8, "3/4": 12, "4/4": 16, "6/8": 12, "3/8": 6}  # sixteenths of a bar
USED = ((4, 8, 16), (4, 8, 12, 16), (2, 4, 8, 12), (1, 2, 3, 4, 6, 8, 12))  # lengths
MOST = 12  # bars
CROWD = 6  # notes and rests of a bar
CLEF, TIME = 4.1, 1.8  # widths, in spaces
BELOW, ABOVE = 2.1, 5.3  # what is drawn below and above the bottom line, in spaces
NUMBER = 0.045  # the height of the number of a bar


class NoteLengths(Task):
    # bars, number of the lengths, times, sixteenths by which a bar is wrong, share of rests
    levels = interpolate_levels(
        {
            0: (3, 0, ("4/4",), 4, 0.0),
            2: (4, 1, ("3/4", "4/4"), 4, 0.1),
            3: (5, 2, ("3/4", "4/4"), 4, 0.15),
            4: (5, 2, ("3/4", "4/4"), 2, 0.2),
            5: (6, 2, ("3/4", "4/4", "2/4"), 2, 0.25),
            8: (9, 3, ("3/4", "4/4", "6/8"), 2, 0.3),
            10: (MOST, 3, ("3/4", "4/4", "6/8", "2/4"), 1, 0.35),
        }
    )
    moves = numbers(MOST)[1:]
    about = (
        "It shows bars of music with the time at the beginning: 3/4 says that the notes and rests "
        "of a bar are together as long as three quarter notes. A dot makes a note or a rest half "
        "as long again. One bar is too long or too short. Reply with its number."
    )

    def draw(self, rng, many, lengths, times, off, rests):
        time = pick(rng, times)
        right = int(rng.integers(many))
        bars = []
        for i in range(many):
            whole = TIMES[time] + (pick(rng, (-off, off)) if i == right else 0)
            bars.append(_sample_bar(rng, whole, USED[lengths], rests))
        text = "Which bar does not fit the time?"
        return Question(text, str(right + 1), (time, tuple(bars)), numbers(many)[1:])

    def words(self, shown):
        time, bars = shown
        rows = [f"Time {time}"]
        for i, bar in enumerate(bars):
            names = [
                f"{LENGTHS[note.length]} {'rest' if note.place is None else 'note'}" for note in bar
            ]
            rows.append(f"bar {i + 1}: {', '.join(names)}")
        return "\n".join(rows)

    def scene(self, shown):
        time, bars = shown
        columns = max(range(1, 4), key=lambda many: _find_space(bars, many))
        rows, space = -(-len(bars) // columns), _find_space(bars, columns)
        high = 0.98 / rows
        pens, labels = [], []
        for row in range(rows):
            # The number of a bar and its staff stand in the middle of the row.
            bottom = 0.01 + high * (row + 0.5) + (ABOVE - BELOW) * space / 2 + NUMBER / 2
            pen = staff.open_pen(bottom, space)
            start = 0.03 + (CLEF if row else CLEF + TIME) * space
            whole = bars[row * columns : (row + 1) * columns]
            wide = (0.97 - start) / columns
            pen.draw_staff(0.03, start + wide * len(whole), "treble")
            if not row:
                for text, up in zip(time.split("/"), (3, 1), strict=True):
                    place = start - 0.55 * TIME * space, bottom - up * space
                    labels.append((text, "", *place, 2.6 * space))
            for i, bar in enumerate(whole):
                left = start + wide * i
                number = str(row * columns + i + 1)
                top = bottom - ABOVE * space - NUMBER / 2
                labels.append((number, "", left + wide / 2, top, NUMBER))
                if i:
                    pen.draw_bar_line(left)
                step = (wide - 0.6 * space) / len(bar)
                for k, note in enumerate(bar):
                    pen.draw_note(left + step * (k + 0.5), note)
            pens.append(pen)
        return staff.draw_scene(pens, labels)


def _find_space(bars, columns):
    """Return the distance of two lines with so many bars beside each other."""
    high, most = 0.98 / -(-len(bars) // columns), max(map(len, bars))
    wide = CLEF + TIME + columns * (2.5 * most + 0.6)
    return staff.round_space(min(0.05, (high - NUMBER) / (BELOW + ABOVE + 0.3), 0.94 / wide))


def _sample_bar(rng, whole, lengths, rests):
    """Sample notes and rests that are as long as `whole` together."""
    while True:
        bar: list[Note] = []
        left = whole
        while left and len(bar) < CROWD:
            length = pick(rng, [n for n in lengths if n <= left] or [0])
            if not length:
                break
            place = None if rng.random() < rests and length < 12 else int(rng.integers(1, 8))
            bar.append(Note(place, length))
            left -= length
        if not left and any(note.place is not None for note in bar):
            return tuple(bar)
