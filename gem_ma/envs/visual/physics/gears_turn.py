"""Gears turn: how often a gear turns, and which way, if another one is turned."""

import math

import numpy as np

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual import canvas
from gem_ma.envs.visual.question import AROUND, BESIDE, LETTERS, Question, Task, pick
from gem_ma.game import parse_choice
from gem_ma.scene import Shapes

WAYS = ("clockwise", "counterclockwise")
TEETH = (10, 12, 15, 16, 18, 20, 24)
MESH, BELT, CROSSED = "mesh", "belt", "crossed belt"
MOST = 20  # turns
MODULE = 1 / 8  # the radius of a gear, divided by its teeth
TOOTH = 0.16  # how far a tooth reaches over the circle of its gear, and a gap below it
LEAST_SIDE = 0.66  # of the box around all gears, as a share of its longer side
TURN = 2 * math.pi
PULLEY = 0.8  # the radius of a pulley behind a gear, for a belt, as a share of that of the gear
BELT_WIDTH = 0.012
TOOTH_CORNERS = ((-0.26, -0.9), (-0.14, 0.9), (0.14, 0.9), (0.26, -0.9))  # in teeth, in TOOTH


class GearsTurn(Task):
    # gears between the two of the question, others, belts, kinds of belts, turns at most
    levels = interpolate_levels(
        {
            0: (0, 0, 0, 1, 6),
            2: (1, 0, 0, 1, 6),
            5: (2, 1, 1, 1, 10),
            8: (4, 2, 2, 2, 15),
            10: (6, 4, 3, 2, MOST),
        }
    )
    moves = tuple([f"{n} {way}" for n in range(1, MOST + 1) for way in WAYS])
    about = (
        "It shows gears with a letter and the number of their teeth. Gears that touch turn each "
        "other. A belt has teeth too: it turns both of its gears the same way, and opposite ways "
        "if it is crossed. Reply with the number of turns and the way, such as 3 clockwise or 3 "
        "counterclockwise."
    )

    def draw(self, rng, between, others, belts, kinds, most):
        while True:
            many = between + 2
            kind = [MESH] * (many - 1 + others)
            for i in rng.permutation(len(kind)).tolist()[:belts]:
                kind[i] = (BELT, CROSSED)[int(rng.integers(kinds))]
            before = [*range(many - 1), *rng.integers(many, size=others).tolist()]
            links = tuple([(a, i + 1, kind[i]) for i, a in enumerate(before)])
            teeth = tuple([pick(rng, TEETH) for _ in range(len(links) + 1)])
            turns = int(rng.integers(1, most + 1))
            total = turns * teeth[0]
            last = many - 1
            belted = [end for a, b, one in links if one != MESH for end in (a, b)]
            if len(set(belted)) < len(belted):
                continue
            if total % teeth[last] or total // teeth[last] > most or teeth[0] == teeth[last]:
                continue
            places = _sample_places(rng, teeth, links)
            if places and _fill_frame(teeth, places):
                break
        way = int(rng.integers(2))
        flips = sum(one != BELT for _, b, one in links if b <= last)
        names = [LETTERS[i] for i in rng.permutation(len(teeth)).tolist()]
        text = (
            f"Gear {names[0]} makes {turns} {'turn' if turns == 1 else 'turns'} {WAYS[way]}. How "
            f"many turns does gear {names[last]} make, and which way?"
        )
        answer = f"{total // teeth[last]} {WAYS[(way + flips) % 2]}"
        gears = tuple(zip(names, teeth, places, strict=True))
        return Question(text, answer, (gears, links), self.moves)

    def read(self, text, view, agent):
        """Parse a number of turns and a way, in any usual spelling."""
        said = text.casefold().replace("anti", "counter").replace("counter-", "counter")
        words = [word.strip(AROUND) for word in said.split()]
        kept = [word for word in words if word not in ("turn", "turns", "and", *BESIDE)]
        return parse_choice(" ".join(kept), view.choices)

    def words(self, shown):
        gears, links = shown
        rows = [", ".join([f"{name} has {teeth} teeth" for name, teeth, _ in sorted(gears)])]
        for a, b, kind in links:
            one, other = sorted((gears[a][0], gears[b][0]))
            rows.append(
                f"{one} and {other} touch"
                if kind == MESH
                else f"a {kind} runs around {one} and {other}"
            )
        return "\n".join([rows[0], *sorted(rows[1:])])

    def scene(self, shown):
        gears, links = shown
        names, teeth, places = zip(*gears, strict=True)
        gears = tuple(zip(names, teeth, _turn_chain(teeth, places), strict=True))
        low, high = _find_corners(teeth, [where for *_, where in gears])
        unit = 0.94 / max(high[0] - low[0], high[1] - low[1])
        middle = [(a + b) / 2 for a, b in zip(low, high, strict=True)]

        def place(points):
            return [tuple(one) for one in (0.5 + unit * (np.array(points) - middle)).tolist()]

        areas, labels = [], []
        for a, b, kind in links:
            if kind != MESH:
                first, last = ((PULLEY * n * MODULE, where) for _, n, where in (gears[a], gears[b]))
                for one, other in map(place, _list_belt(first, last, kind == CROSSED)):
                    areas.append(("", _widen(one, other, BELT_WIDTH)))
        text = min(0.1, 0.72 * unit * min(teeth) * MODULE)
        centres = place([where for *_, where in gears])
        for i, ((name, n, where), (x, y)) in enumerate(zip(gears, centres, strict=True)):
            rim = _list_rim(n, where, _find_phase(gears, links, i))
            areas.append((("yellow", "orange")[_find_shade(links, i)], tuple(place(rim))))
            labels.append((name, "", x, y - 0.42 * text, text))
            labels.append((str(n), "", x, y + 0.42 * text, text))
        return Shapes(areas=tuple(areas), labels=tuple(labels))


def _reach(teeth):
    return teeth * MODULE + TOOTH


def _find_corners(teeth, places):
    """Return the two corners of the box around gears."""
    reach = list(zip(teeth, places, strict=True))
    low = [min(place[i] - _reach(n) for n, place in reach) for i in (0, 1)]
    return low, [max(place[i] + _reach(n) for n, place in reach) for i in (0, 1)]


def _fill_frame(teeth, places):
    """Return whether the box around gears is nearly a square, so that it fills a square frame."""
    spans = [b - a for a, b in zip(*_find_corners(teeth, places), strict=True)]
    return min(spans) >= LEAST_SIDE * max(spans)


def _turn_chain(teeth, places):
    """Return the centres of gears, turned together so that they fit into the smallest square."""
    turns = np.exp(1j * np.linspace(0, math.pi / 2, 24, endpoint=False))
    turned = np.outer(turns, np.array(places) @ (1, 1j))
    reach = np.array([_reach(n) for n in teeth])
    spans = [(way + reach).max(1) - (way - reach).min(1) for way in (turned.real, turned.imag)]
    best = turned[np.max(spans, 0).argmin()]
    return list(zip(best.real.tolist(), best.imag.tolist(), strict=True))


def _find_shade(links, gear):
    """Return 0 or 1, another one than that of the gear it was joined to."""
    shade = 0
    while gear:
        gear = next(a for a, b, _ in links if b == gear)
        shade = 1 - shade
    return shade


def _sample_places(rng, teeth, links):
    """Return the centre of each gear, or None if one does not fit beside those before it."""
    places: list[tuple[float, float]] = [(0.0, 0.0)]
    belts: list[tuple[int, int, str]] = []
    side = 1.5 + 1.5 * math.sqrt(sum([(2 * _reach(n)) ** 2 for n in teeth]))
    for link in links:
        a, b, kind = link
        for _ in range(12):
            far = (teeth[a] + teeth[b]) * MODULE
            far += 0.0 if kind == MESH else 1.5 + 1.5 * rng.random()
            angle = TURN * rng.random()
            x, y = places[a][0] + far * math.cos(angle), places[a][1] + far * math.sin(angle)
            grown, own = [*places, (x, y)], [*belts, *([link] if kind != MESH else [])]
            is_free = all(
                math.dist((x, y), p) > _reach(n) + _reach(teeth[b]) + 0.3
                for i, (p, n) in enumerate(zip(places, teeth, strict=False))
                if i != a
            )
            wide = max(max(values) - min(values) for values in zip(*grown, strict=True))
            if is_free and wide < side and _is_clear(grown, teeth, own):
                places, belts = grown, own
                break
        else:
            return None
    return tuple(places)


def _is_clear(places, teeth, belts):
    """Return whether all belts are clear of all other gears and belts."""
    wheels = [(n * MODULE, where) for n, where in zip(teeth, places, strict=False)]
    parts = [(a, b, _list_belt(wheels[a], wheels[b], kind == CROSSED)) for a, b, kind in belts]
    for i, (a, b, lines) in enumerate(parts):
        for gear, place in enumerate(places):
            if gear in (a, b):
                continue
            far = min(canvas.away(place, *line) for line in [*lines, (places[a], places[b])])
            if far < _reach(teeth[gear]) + 0.2:
                return False
        if any(
            _cross(*one, *other) for *_, more in parts[i + 1 :] for one in lines for other in more
        ):
            return False
    return True


def _cross(a, b, c, d):
    """Return whether a line between two places crosses that between two others."""

    def side(p, q, r):
        return (q[0] - p[0]) * (r[1] - p[1]) > (q[1] - p[1]) * (r[0] - p[0])

    return side(a, b, c) != side(a, b, d) and side(c, d, a) != side(c, d, b)


def _find_phase(gears, links, gear):
    """Return the angle of a tooth of a gear, so that it fits those of the gear before it."""
    if not gear:
        return 0.0
    before, _, kind = next(link for link in links if link[1] == gear)
    phase = _find_phase(gears, links, before)
    if kind != MESH:
        return phase
    (_, n, (ax, ay)), (_, m, (bx, by)) = gears[before], gears[gear]
    angle = math.atan2(by - ay, bx - ax)
    share = (angle - phase) * n / TURN
    return angle + math.pi + (share - 0.5) * TURN / m


def _list_rim(teeth, centre, phase):
    """Return the outline of a gear."""
    across, far = np.array(TOOTH_CORNERS).T
    angles = phase + TURN * (np.arange(teeth)[:, None] + across) / teeth
    radii = teeth * MODULE + far * TOOTH
    rim = centre[0] + radii * np.cos(angles), centre[1] + radii * np.sin(angles)
    return np.stack(rim, -1).reshape(-1, 2)


def _widen(one, other, wide):
    """Return the corners of a straight line from place to place."""
    (ax, ay), (bx, by) = one, other
    share = wide / 2 / math.dist(one, other)
    x, y = share * (ay - by), share * (bx - ax)
    return (ax + x, ay + y), (bx + x, by + y), (bx - x, by - y), (ax - x, ay - y)


def _list_belt(one, other, is_crossed):
    """Return the two straight parts of a belt around two circles, each a radius and a centre."""
    (r, (ax, ay)), (s, (bx, by)) = one, other
    far = math.dist((ax, ay), (bx, by))
    angle = math.atan2(by - ay, bx - ax)
    turn = math.acos((r + s if is_crossed else r - s) / far)
    parts = []
    for side in (1, -1):
        way = angle + side * turn
        end = way + math.pi if is_crossed else way
        parts.append(
            (
                (ax + r * math.cos(way), ay + r * math.sin(way)),
                (bx + s * math.cos(end), by + s * math.sin(end)),
            )
        )
    return parts
