"""The answers of the tasks of handwriting, from their scenes."""

import functools
import itertools
import math

import numpy as np

from gem_ma.envs.visual.reading import handwriting
from gem_ma.envs.visual.reading.read_handwriting import MOST, WORDS


@functools.cache
def list_ends(text, parts):
    """Return the ends of all straight parts of a text that is written without a wobble."""
    ends = []
    for points in handwriting.smooth(handwriting.write(text, handwriting.Hand(), Steady()), parts):
        ends += [(*a, *b) for a, b in itertools.pairwise(points)]
    return np.array(ends).reshape(-1, 2)


def read_handwriting(scene, question):
    """Write each word without a wobble, and stretch it over the strokes until one fits best."""
    thick = max(line[5] for line in scene.lines)
    found = np.array([line[1:5] for line in scene.lines if line[5] == thick])
    if " in line " in question:
        number = question.removesuffix("?").split()[-1]
        rows = {label[0]: label[3] for label in scene.labels}
        found = np.array(
            [
                line
                for line in found
                if min(rows, key=lambda row: abs(rows[row] - (line[1] + line[3]) / 2)) == number
            ]
        )
    found = found.reshape(-1, 2)
    texts = WORDS if "word" in question else [str(n) for n in range(100, MOST + 1)]
    best = math.inf, ""
    least, most = handwriting.PARTS
    for text, parts in itertools.product(texts, range(least, most + 1)):
        ends = list_ends(text, parts)
        if len(ends) == len(found):
            whole = np.column_stack([ends, np.ones(len(ends))])
            fit, *_ = np.linalg.lstsq(whole, found, rcond=None)
            best = min(best, (float(np.abs(whole @ fit - found).mean()), text))
    return best[1]


class Steady:
    """A generator whose every number leaves a point where it is."""

    def random(self):
        return 0.5


def which_signature(scene, question):
    """Compare the ends of all lines, from the middle of each signature."""
    names = [label[0] for label in scene.labels]
    parts = np.array([line[1:5] for line in scene.lines]).reshape(len(names), -1, 2)
    parts = parts - parts.mean(1, keepdims=True)
    far = {
        name: float(((one - parts[names.index("?")]) ** 2).mean())
        for name, one in zip(names, parts, strict=True)
        if name != "?"
    }
    return min(far, key=far.get)
