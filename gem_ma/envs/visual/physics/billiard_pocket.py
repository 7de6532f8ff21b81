"""Billiard pocket: into which pocket a ball falls after it bounced off the cushions."""

import math

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual import canvas
from gem_ma.envs.visual.question import LETTERS, Question, Task, pick, some
from gem_ma.scene import Shapes

LOW, HIGH = 9, 91  # percent of the picture between which the table is
RAIL, THIN = 2.2, 0.1  # of the picture, in percent
REACHED, CLEAR = 0.25, 0.75  # squares: a ball passes a pocket nearer than this, or farther


def find_pocket(sides, at, way, pockets, most):
    """Return the pocket that a ball reaches and the cushions before it.

    None: it meets more cushions than `most`, or passes a pocket so that nobody sees whether it
    falls in.

    Args:
        sides: the width and the height of the table, in squares.
        at: the place of the ball.
        way: squares to the right and squares down in the same time, neither of them 0.
        pockets: the place of each pocket, which is at the edge; every corner has one.
    """
    for cushions, (start, end) in enumerate(_trace_legs(sides, at, way, most + 1)):
        passed = []
        for pocket in pockets:
            far = canvas.away(pocket, start, end)
            if far <= CLEAR:
                along = sum((p - s) * (e - s) for p, s, e in zip(pocket, start, end, strict=True))
                passed.append((along, far, pocket))
        if passed:
            _, far, pocket = min(passed)
            return (pocket, cushions) if far < REACHED else None
    return None


def _trace_legs(sides, at, way, many):
    """Yield the ends of the first straight parts of the way of a ball."""
    way = list(way)
    for _ in range(many):
        times = [
            ((side if step > 0 else 0) - n) / step
            for side, n, step in zip(sides, at, way, strict=True)
        ]
        axis = 0 if times[0] <= times[1] else 1
        end = [n + step * times[axis] for n, step in zip(at, way, strict=True)]
        end[axis] = sides[axis] if way[axis] > 0 else 0
        yield at, tuple(end)
        at, way[axis] = tuple(end), -way[axis]


class BilliardPocket(Task):
    # sides of the table, cushions, pockets beside the corners, largest step
    levels = interpolate_levels(
        {
            0: (6, 5, 0, 1, 2),
            2: (8, 6, 1, 2, 2),
            5: (10, 7, 2, 4, 3),
            8: (12, 9, 3, 6, 4),
            10: (14, 10, 4, 8, 5),
        }
    )
    moves = tuple(LETTERS[:12])
    about = (
        "It shows a billiard table with a ball, and an arrow that says where it rolls. The ball "
        "bounces off cushions as light does off a mirror, and falls into the first pocket that it "
        "reaches. Pockets have letters. In words, places are counted in squares from the left and "
        "from the top. Reply with a letter."
    )

    def draw(self, rng, wide, high, cushions, more, steep):
        sides = (wide, high) if rng.random() < 0.5 else (high, wide)
        corners = [(x, y) for x in (0, sides[0]) for y in (0, sides[1])]
        edge = [(x, y) for x in (0, sides[0]) for y in range(2, sides[1] - 1)]
        edge += [(x, y) for y in (0, sides[1]) for x in range(2, sides[0] - 1)]
        steps = [n for n in range(-steep, steep + 1) if n]
        ways = [(a, b) for a in steps for b in steps if math.gcd(a, b) == 1]
        ways = [way for way in ways if cushions < 2 or max(map(abs, way)) > 1]
        while True:
            pockets = list(corners)
            for place in some(rng, edge, len(edge)):
                if len(pockets) < 4 + more and min(math.dist(place, p) for p in pockets) >= 2:
                    pockets.append(place)
            at = int(rng.integers(1, sides[0])), int(rng.integers(1, sides[1]))
            way = pick(rng, ways)
            tip = [n + step for n, step in zip(at, way, strict=True)]
            if not all(0 < n < side for n, side in zip(tip, sides, strict=True)):
                continue
            found = find_pocket(sides, at, way, pockets, cushions)
            if found and found[1] == cushions:
                break
        named = some(rng, pockets, len(pockets))
        choices = tuple(LETTERS[: len(named)])
        text = "Into which pocket does the ball fall?"
        return Question(text, choices[named.index(found[0])], (sides, at, way, named), choices)

    def words(self, shown):
        (wide, high), (x, y), (right, down), pockets = shown
        named = ", ".join(
            [f"{name} at {a}, {b}" for name, (a, b) in zip(LETTERS, pockets, strict=False)]
        )
        across, along = "right" if right > 0 else "left", "down" if down > 0 else "up"
        return (
            f"A table {wide} squares wide and {high} high. The ball is at {x}, {y} and rolls "
            f"{abs(right)} to the {across} while it rolls {abs(down)} {along}. Pockets: {named}. A "
            "pocket takes a ball that comes nearer to it than half a square."
        )

    def scene(self, shown):
        sides, at, way, pockets = shown
        unit = (HIGH - LOW) / max(sides)
        corner = tuple([50 - unit * side / 2 for side in sides])

        def place(x, y):
            return corner[0] + unit * x, corner[1] + unit * y

        (left, top), (right, bottom) = place(0, 0), place(*sides)
        areas = [
            ("board", _list_corners(left, top, right, bottom, RAIL, RAIL)),
            ("felt", _list_corners(left, top, right, bottom, 0, 0)),
        ]
        bars = [place(n, 0)[0] for n in range(1, sides[0])]
        down = [_list_corners(x, top, x, bottom, THIN, 0) for x in bars]
        bars = [place(0, n)[1] for n in range(1, sides[1])]
        across = [_list_corners(left, y, right, y, 0, THIN) for y in bars]
        # A comb each: from bar to bar along one side of the table, and back there.
        areas.append(("black", sum([(a, d, c, b) for a, b, c, d in down], ())))
        areas.append(("black", sum(across, ())))
        tip = place(at[0] + way[0], at[1] + way[1])
        arrow = ("white", *canvas.line(place(*at), tip, 0.01)[1:])
        labels = []
        for name, pocket in zip(LETTERS, pockets, strict=False):
            out = [6.2 * ((n == side) - (n == 0)) for n, side in zip(pocket, sides, strict=True)]
            labels.append((name, [n + far for n, far in zip(place(*pocket), out, strict=True)]))
        size = round(min(6.0, unit), 1)
        head = ("triangle", "white", *canvas.share(tip), round(0.005 * unit, 3))
        turn = round(math.degrees(math.atan2(way[0], -way[1]))) % 360
        return Shapes(
            (
                *canvas.dots([place(*pocket) for pocket in pockets], size, "black"),
                *canvas.dots([place(*at)], round(0.6 * size, 1), "white"),
                (*head, float(turn)),
            ),
            lines=(arrow,),
            labels=canvas.tags(labels, 0.06),
            areas=tuple(areas),
        )


def _list_corners(left, top, right, bottom, across, along):
    """Return the corners of a rectangle made larger across and along, in shares of the picture."""
    xs, ys = (left - across, right + across), (top - along, bottom + along)
    places = (xs[0], ys[0]), (xs[1], ys[0]), (xs[1], ys[1]), (xs[0], ys[1])
    return tuple(map(canvas.share, places))
