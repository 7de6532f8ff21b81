"""Longest line: which of several lines is the longest, or the shortest."""

import math

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual import canvas
from gem_ma.envs.visual.question import LETTERS, Question, Task, pick


class LongestLine(Task):
    # lines, length of the longest, lead of the right line; lengths in percent of the picture
    levels = interpolate_levels(
        {0: (2, 28, 9), 2: (3, 28, 6), 5: (5, 28, 4), 8: (8, 28, 2), 10: (9, 28, 1)}
    )
    moves = tuple(LETTERS[:9])
    about = "It shows lines, each with a letter beside its middle. Reply with a letter."

    def draw(self, rng, many, longest, by):
        """Sample lengths, place each line in a cell of its own, and round its ends."""
        word = pick(rng, ("longest", "shortest"))
        order = rng.permutation(many).tolist()
        while True:
            spread = rng.integers(0, 7, size=many).tolist()
            if word == "longest":
                lengths = [longest, *(longest - by - n for n in spread[1:])]
            else:
                lengths = [longest - by - 6, *(longest - n for n in spread[1:])]
            cells = rng.permutation(9)[:many].tolist()
            turns = (math.pi * rng.random(many)).tolist()
            lines = {}
            for n, length, cell, turn in zip(order, lengths, cells, turns, strict=True):
                x, y = 17 + 33 * (cell % 3), 17 + 33 * (cell // 3)
                dx, dy = length * math.cos(turn) / 2, length * math.sin(turn) / 2
                ends = (round(x - dx, 1), round(y - dy, 1)), (round(x + dx, 1), round(y + dy, 1))
                lines[LETTERS[n]] = ends
            names = sorted(lines, key=lambda name: math.dist(*lines[name]))
            best, next_best = names[:2] if word == "shortest" else names[:-3:-1]
            gap = abs(math.dist(*lines[best]) - math.dist(*lines[next_best]))
            if best == LETTERS[order[0]] and gap > by / 2:
                segments = tuple(sorted(lines.items()))
                return Question(f"Which line is the {word}?", best, segments, tuple(sorted(lines)))

    def words(self, shown):
        lines = [f"{name}: from {a[0]}, {a[1]} to {b[0]}, {b[1]}" for name, (a, b) in shown]
        return "Lines, in percent from the left and from the top:\n" + "\n".join(lines)

    def scene(self, shown):
        lines, labels = [], []
        for name, (a, b) in shown:
            lines.append(canvas.line(a, b))
            x, y, far = (a[0] + b[0]) / 2, (a[1] + b[1]) / 2, math.dist(a, b)
            side = 5 / far
            labels.append((name, (x + side * (b[1] - a[1]), y - side * (b[0] - a[0]))))
        return canvas.drawn(lines=lines, labels=canvas.tags(labels))
