"""The answers of the tasks of written music, from their scenes."""

import collections
import itertools
import math
import re
from fractions import Fraction

# Names of lines and spaces from below, as they are taught.
LINES = {"treble": "EGBDF", "bass": "GBDFA"}
SPACES = {"treble": "FACE", "bass": "ACEG"}
ORDER = "CDEFGAB"


def list_staves(scene):
    """Return the ends, the lines from below and the space of each staff."""
    found = []
    for corners in [corners for _, corners in scene.areas if len(corners) == 20]:
        five = sorted([(corners[i][1] + corners[i + 2][1]) / 2 for i in range(0, 20, 4)])
        (left, _), (right, _) = corners[:2]
        found.append((left, right, five[::-1], five[1] - five[0]))
    return sorted(found, key=lambda one: (round(one[2][0], 3), one[0]))


def list_dots(scene):
    """Return the middle and the width of lines without a length."""
    return [(*line[1:3], line[5]) for line in scene.lines if line[1:3] == line[3:5]]


def list_heads(scene, one):
    """Return the middle, the place and the line of each filled head of a staff."""
    left, right, five, space = one
    heads = []
    for _, ax, ay, bx, by, thick in scene.lines:
        x, y = (ax + bx) / 2, (ay + by) / 2
        is_near = left < x < right and five[4] - 5 * space < y < five[0] + 5 * space
        if is_near and abs(thick - 0.944 * space) < 1e-4:
            place = round(2 * (five[0] - y) / space)
            assert abs(2 * (five[0] - y) / space - place) < 1e-3
            heads.append((x, place))
    return sorted(heads)


def find_signs(scene, one, low, high, bottom, top):
    """Return the signs between two x, from left to right: the middle, the place, the kind.

    Args:
        bottom: the lowest place of a sign on this staff; lower ones are of the next staff.
        top: the highest one.
    """
    _, _, five, space = one
    upright = [
        line[1:5]
        for line in scene.lines
        if low < line[1] < high
        and line[1] == line[3]
        and abs(line[5] - 0.13 * space) < 1e-4
        and 1.7 * space < abs(line[2] - line[4]) < 2.7 * space
        and bottom < (five[0] - (line[2] + line[4]) / 2) / space * 2 < top
    ]
    signs = []
    upright.sort()
    while upright:
        x, y, _, end = upright.pop(0)
        if upright and upright[0][0] - x < 0.5 * space:  # two lines, of a sharp or a natural
            other = upright.pop(0)
            mid = (y + end + other[1] + other[3]) / 4
            is_sharp = abs((y + end) / 2 - (other[1] + other[3]) / 2) < 0.3 * space
            shift = 0.1 * space if is_sharp else 0.05 * space
            place = round(2 * (five[0] - mid - shift) / space)
            signs.append((x, place, "#" if is_sharp else "n"))
        else:
            place = round(2 * (five[0] - (y + end) / 2 - 0.55 * space) / space)
            signs.append((x, place, "b"))
    return signs


def note_names(scene, question):
    number = re.search(r"\d+", question)[0]
    (label,) = [one for one in scene.labels if one[0] == number]
    staves = list_staves(scene)
    one = min((s for s in staves if s[2][0] < label[3]), key=lambda s: label[3] - s[2][0])
    left, _, five, space = one
    heads = list_heads(scene, one)
    x, place = min(heads, key=lambda head: abs(head[0] - label[2]))
    assert abs(x - label[2]) < 0.1 * space
    dots = [
        dot
        for dot in list_dots(scene)
        if dot[0] < left + 4 * space and five[4] - 4 * space < dot[1] < five[0] + 4 * space
    ]
    clef = "bass" if len(dots) == 3 else "treble"
    # A note on line n is named by the letters of lines, other octaves repeat after seven places.
    inside, up = place % 7, place // 7
    taught = LINES[clef][inside // 2] if inside % 2 == 0 else SPACES[clef][inside // 2]
    octave = {"treble": 4, "bass": 2}[clef] + up
    octave += ORDER.index(taught) < ORDER.index(LINES[clef][0])
    key = {}
    first = heads[0][0]
    for sx, at, kind in find_signs(scene, one, left + 3.9 * space, first - 2.2 * space, -2, 12):
        assert sx < first
        within = at % 7
        key[LINES[clef][within // 2] if within % 2 == 0 else SPACES[clef][within // 2]] = kind
    own = find_signs(scene, one, x - 2.0 * space, x - 0.9 * space, place - 3, place + 3)
    assert all(at == place for _, at, _ in own)
    sign = own[0][2] if own else key.get(taught, "")
    return f"{taught}{sign.replace('n', '')}{octave}"


def list_symbols(scene, one, staves):
    """Return the x, the place or None for a rest, and the length of all that sounds on a staff."""
    left, right, five, space = one
    others = [s[2][2] for s in staves if s[0] < right and s[1] > left]
    start = left + 3.7 * space

    def near(x, y):
        row = min(others, key=lambda other: abs(other - y))
        return start < x < right + 0.01 and row == five[2]

    def measure(line):
        return math.dist(line[1:3], line[3:5]) / space

    lines = [line for line in scene.lines if near(*line[1:3]) and near(*line[3:5])]
    stems = [
        (line[1], line[2], line[4])
        for line in lines
        if line[1] == line[3]
        and 3.25 < measure(line) < 4.2
        and abs(line[5] / space - 0.13) < 0.01
        and not (abs(line[2] - five[0]) < 1e-6 and abs(line[4] - five[4]) < 1e-6)
    ]
    flags = [a for _, a in scene.areas if len(a) == 16 and near(*a[0])]
    found = []
    for x, place in [h for h in list_heads(scene, one) if h[0] > start]:
        (stem,) = [
            s
            for s in stems
            if abs(abs(s[0] - x) - 0.56 * space) < 0.02 * space
            and abs(s[1] - (five[0] - place * space / 2)) < 0.2 * space
        ]
        hung = [a for a in flags if abs(a[0][0] - stem[0]) < 1e-6]
        found.append((x, place, {0: 4, 1: 2, 2: 1}[len(hung)]))
    for oval in [a for _, a in scene.areas if len(a) == 34 and near(*a[0])]:
        x, y = (sum(ends) / 16 for ends in zip(*oval[:16], strict=True))
        ends = [min(abs(s[1] - y), abs(s[2] - y)) for s in stems if abs(s[0] - x) < 0.6 * space]
        is_half = min(ends, default=9) < 0.5 * space
        found.append((x, round(2 * (five[0] - y) / space), 8 if is_half else 16))
    found += list_rests(scene, lines, near, five, space)
    dots = [d for d in list_dots(scene) if near(*d[:2]) and abs(d[2] / space - 0.34) < 0.01]
    dotted = {min(found, key=lambda f: abs(dot[0] - 1.15 * space - f[0])) for dot in dots}
    assert len(dotted) == len(dots)
    return sorted(
        [(x, place, Fraction(3, 2) * n if (x, place, n) in dotted else n) for x, place, n in found],
        key=lambda one: one[0],
    )


def list_rests(scene, lines, near, five, space):
    """Return the x, None, and the length of all rests of a staff."""
    found = []
    for _, corners in scene.areas:
        if len(corners) == 4 and near(*corners[0]):
            low = max(y for _, y in corners)
            length = 8 if abs(low - five[2]) < 1e-6 else 16
            found.append(((corners[0][0] + corners[1][0]) / 2, None, length))
    thick = [line for line in lines if abs(line[5] / space - 0.24) < 0.003]
    for i in range(0, len(thick), 5):
        found.append((thick[i][1] + 0.3 * space, None, 4))
    small = [d for d in list_dots(scene) if near(*d[:2]) and abs(d[2] / space - 0.52) < 0.02]
    hooks = collections.Counter()
    for line in lines:
        tall = abs(line[4] - line[2]) / space
        if line[1] != line[3] and (abs(tall - 1.85) < 0.01 or abs(tall - 2.65) < 0.01):
            hooks[line[1] - 0.5 * space, 2 if tall < 2 else 1] += 1
    for x, length in hooks:
        found.append((x, None, length))
    assert len(small) == sum(3 - length for _, length in hooks)
    return found


def note_lengths(scene, question):
    """Add up the lengths between bar lines, and compare them with the time."""
    staves = list_staves(scene)
    _, _, five, space = staves[0]
    over, under = sorted(
        [
            one
            for one in scene.labels
            if one[2] < staves[0][0] + 5.5 * space and five[4] < one[3] < five[0]
        ],
        key=lambda one: one[3],
    )
    wanted = Fraction(16 * int(over[0]), int(under[0]))
    wrong = []
    for one in staves:
        _, _, five, space = one
        bars = sorted(
            {
                line[1]
                for line in scene.lines
                if line[1] == line[3]
                and {round(line[2], 6), round(line[4], 6)} == {round(five[0], 6), round(five[4], 6)}
            }
        )
        notes = list_symbols(scene, one, staves)
        above = [t for t in scene.labels if five[4] - 4 * space < t[3] < five[4] - space]
        assert len(above) == len(bars) - 1
        for low, high in itertools.pairwise(bars):
            whole = sum(n[2] for n in notes if low < n[0] < high)
            (number,) = [t[0] for t in above if low < t[2] < high and t[2] > low]
            if whole != wanted:
                wrong.append(number)
    (number,) = wrong
    return number


def same_melody(scene, question):
    """Compare the heights and the lengths of all notes with those of the first staff."""
    staves = list_staves(scene)
    named = {}
    for one in staves:
        left, _, five, _ = one
        mid = five[2]
        label = min(scene.labels, key=lambda t: math.dist(t[2:4], (left, mid)))
        notes = list_symbols(scene, one, staves)
        steps = [b[1] - a[1] for a, b in itertools.pairwise(notes)]
        named[label[0]] = steps, [n[2] for n in notes]
    (same,) = [name for name, one in named.items() if name != "?" and one == named["?"]]
    return same
