"""The map: seventeen provinces, thirteen of them supply centres, symmetric for all four powers."""

import math

POWERS = ("north", "east", "south", "west")
HOMES = {  # two centres each, from the left as seen by the power, and the land in front of them
    "north": ("ARD", "BIR", "CAL"),
    "east": ("DOR", "ELM", "FEN"),
    "south": ("GAR", "HOL", "ISE"),
    "west": ("JAR", "KEL", "LUN"),
}
CORNERS = ("MOR", "NAI", "OST", "PER")  # next to each power's second centre, at the back
MIDDLE = "QUA"
_SHAPE = ((-0.15, 0.4), (0.15, 0.4), (0.0, 0.2))  # (right, up) from the centre, for north
_CORNER = 0.36, 0.36


def _lay():
    """Return the place of each province in the picture, and its neighbours."""
    places, ways = {MIDDLE: (0.5, 0.5)}, set()
    for i, power in enumerate(POWERS):
        turn = math.pi / 2 * i
        one, two, before = HOMES[power]
        corner, last = CORNERS[i], CORNERS[i - 1]
        for name, (right, up) in zip((one, two, before, corner), (*_SHAPE, _CORNER), strict=True):
            x = right * math.cos(turn) + up * math.sin(turn)
            y = up * math.cos(turn) - right * math.sin(turn)
            places[name] = round(0.5 + x, 4), round(0.5 - y, 4)
        beside = HOMES[POWERS[(i + 1) % len(POWERS)]][2]
        ways |= {(one, two), (one, before), (two, before), (before, MIDDLE), (before, beside)}
        ways |= {(one, last), (two, corner), (before, last), (before, corner)}
    near: dict[str, list[str]] = {name: [] for name in places}
    for one, two in ways:
        near[one].append(two)
        near[two].append(one)
    return dict(sorted(places.items())), {name: tuple(sorted(near[name])) for name in sorted(near)}


PLACES, NEAR = _lay()
PROVINCES = tuple(NEAR)
CENTRES = tuple(sorted([*(c for homes in HOMES.values() for c in homes[:2]), *CORNERS, MIDDLE]))
