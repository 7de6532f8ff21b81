"""What changed: what happened to one of several things between two pictures."""

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual import canvas
from gem_ma.envs.visual.question import Question, Task, pick, some
from gem_ma.scene import Shapes

FIGURES = ("disc", "square", "triangle", "star", "heart", "arrow", "ring", "plus")
EVENTS = ("moved", "turned", "grew", "shrank", "vanished", "appeared", "changed its kind")
TURNS, SIZES = (0, 90, 180, 270), (0.5, 0.75)  # of a cell
GAP, NAME = 0.03, 0.09  # between the two pictures, and the room for their names
TURNED = ("triangle", "heart", "arrow")  # figures of which every turn can be seen


class WhatChanged(Task):
    # cells across (there are half as many again down), things, kinds of events
    levels = interpolate_levels(
        {0: (2, 2, 3), 2: (3, 4, 5), 5: (4, 9, 7), 8: (6, 20, 7), 10: (8, 40, 7)}
    )
    moves = EVENTS
    about = (
        "It shows two pictures of things, the second one taken later. Exactly one thing moved to "
        "another cell, turned, grew, shrank, vanished, appeared or changed its kind. Reply with "
        f"one of: {', '.join(EVENTS)}."
    )

    def draw(self, rng, across, many, kinds):
        event = pick(rng, EVENTS[-kinds:])
        cells = some(rng, range(across * _count_rows(across)), many + 1)
        before = [
            (cell, pick(rng, FIGURES), pick(rng, SIZES), pick(rng, TURNS)) for cell in cells[:many]
        ]
        i = int(rng.integers(many))
        cell, figure, size, turn = before[i]
        after = list(before)
        if event == "moved":
            after[i] = cells[many], figure, size, turn
        elif event == "turned":
            figure = pick(rng, TURNED)
            before[i] = cell, figure, size, turn
            after[i] = cell, figure, size, (turn + pick(rng, TURNS[1:])) % 360
        elif event in ("grew", "shrank"):
            sizes = SIZES if event == "grew" else SIZES[::-1]
            before[i], after[i] = ((cell, figure, one, turn) for one in sizes)
        elif event == "vanished":
            del after[i]
        elif event == "appeared":
            after.append((cells[many], *before[i][1:]))
        else:
            other = pick(rng, [one for one in FIGURES if one != figure])
            after[i] = cell, other, size, turn
        shown = across, tuple(sorted(before)), tuple(sorted(after))
        return Question("What happened?", event, shown, EVENTS[-kinds:])

    def read(self, text, view, agent):
        """Accept a sentence that has one of the events in it."""
        found = [event for event in view.choices if event in text.casefold()]
        return super().read(found[0] if len(found) == 1 and len(text) < 200 else text, view, agent)

    def words(self, shown):
        across, *pictures = shown
        rows = []
        for name, things in zip(("first", "second"), pictures, strict=True):
            told = [
                f"{'large' if size == SIZES[1] else 'small'} {figure} in row {cell // across + 1}, "
                f"column {cell % across + 1}, turned by {turn}"
                for cell, figure, size, turn in things
            ]
            rows.append(f"{name}:\n" + "\n".join(told))
        return "\n".join(rows)

    def scene(self, shown):
        across, *pictures = shown
        names = "first", "second"
        side = (1 - 3 * GAP) / 2
        step, down = side / across, _count_rows(across)
        top = (1 + NAME - step * down) / 2
        lefts = GAP, 2 * GAP + side
        items, lines = [], []
        for things, left in zip(pictures, lefts, strict=True):
            items += [
                (
                    figure,
                    "",
                    left + step * (cell % across + 0.5),
                    top + step * (cell // across + 0.5),
                    round(size * step, 3),
                    float(turn),
                )
                for cell, figure, size, turn in things
            ]
            lines += [
                ("gray", left + step * n, top, left + step * n, top + step * down, 0.003)
                for n in range(across + 1)
            ]
            lines += [
                ("gray", left, top + step * n, left + side, top + step * n, 0.003)
                for n in range(down + 1)
            ]
        labels = canvas.name_squares(names, [(left, top, side) for left in lefts])
        return Shapes(tuple(items), lines=tuple(lines), labels=labels)


def _count_rows(across):
    """Return how many rows of cells fill the height of a picture."""
    return across * 3 // 2
