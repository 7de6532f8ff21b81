"""Missing corner: where the fourth corner of a parallelogram is."""

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual import canvas
from gem_ma.envs.visual.graded import Pointing
from gem_ma.envs.visual.question import Question


class MissingCorner(Pointing):
    levels = interpolate_levels(
        {0: (True, 0), 2: (False, 0), 5: (False, 2), 8: (False, 5), 10: (False, 9)}
    )
    about = (
        "It shows the corners A, B and C of a parallelogram ABCD, with lines from A to B and from "
        "B to C; D is opposite to B. There may be other dots, which mean nothing. Reply with two "
        "whole numbers: how many percent of the picture a point is from its left side, and how "
        "many from its top, such as 40, 65."
    )

    def draw(self, rng, upright, others):
        """Sample three corners, with axis-parallel sides if `upright`, and `others` other dots."""
        while True:
            a, b, c = map(tuple, rng.integers(8, 93, size=(3, 2)).tolist())
            if upright:
                a, c = (a[0], b[1]), (b[0], c[1])
            d = a[0] + c[0] - b[0], a[1] + c[1] - b[1]
            wide = abs((a[0] - b[0]) * (c[1] - b[1]) - (a[1] - b[1]) * (c[0] - b[0]))
            sides = [(p[0] - b[0]) ** 2 + (p[1] - b[1]) ** 2 for p in (a, c)]
            if wide >= 500 and min(sides) >= 400 and min(d) >= 5 and max(d) <= 95:
                break
        dots = canvas.apart(
            rng,
            others,
            8,
            5,
            95,
            lambda p: min((p[0] - q[0]) ** 2 + (p[1] - q[1]) ** 2 for q in (a, b, c)) > 120,
        )
        return Question("Where is the corner D?", f"{d[0]}, {d[1]}", ((a, b, c), dots), self.moves)

    def words(self, shown):
        corners, others = shown
        listing = ", ".join(
            [f"{name} {x}, {y}" for name, (x, y) in zip("ABC", corners, strict=True)]
        )
        more = f" Other dots: {canvas.told(others)}." if others else ""
        return f"In percent from the left and from the top: {listing}.{more}"

    def scene(self, shown):
        (a, b, c), others = shown
        names = [
            ("A", _off(a, b)),
            ("B", _off(b, ((a[0] + c[0]) / 2, (a[1] + c[1]) / 2))),
            ("C", _off(c, b)),
        ]
        return canvas.drawn(
            items=canvas.dots((a, b, c, *others)),
            lines=(canvas.line(a, b), canvas.line(b, c)),
            labels=canvas.tags(names),
        )


def _off(place, other):
    """Return a place for a name, away from another place and within the picture."""
    far = max(1.0, ((place[0] - other[0]) ** 2 + (place[1] - other[1]) ** 2) ** 0.5)
    return tuple(
        [min(96, max(4, p + 6 * (p - o) / far)) for p, o in zip(place, other, strict=True)]
    )
