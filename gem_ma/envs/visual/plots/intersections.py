"""Intersections: where two graphs cross, or how often."""

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.plots import plane
from gem_ma.envs.visual.plots.plane import Graph, line, parabola, tip, zigzag
from gem_ma.envs.visual.question import Question, Task, pick

MOST = 30  # attempts to find a wanted answer


def only_x(rng, crossings):
    """Ask for the x of the only crossing."""
    return ("At which x do the graphs cross?", crossings[0][0]) if len(crossings) == 1 else None


def only_y(rng, crossings):
    """Ask for the y of the only crossing."""
    return ("At which y do the graphs cross?", crossings[0][1]) if len(crossings) == 1 else None


def one_of(rng, crossings):
    """Ask for a coordinate of the first or the last crossing."""
    if len(crossings) < 2:
        return None
    which, axis = int(rng.integers(2)), int(rng.integers(2))
    text = f"The graphs cross more than once. What is the {'xy'[axis]} of the crossing farthest "
    return f"{text}to the {('left', 'right')[which]}?", crossings[-which][axis]


def difference(rng, crossings):
    """Ask how far apart the first and the last crossing are."""
    if len(crossings) < 2:
        return None
    axis = int(rng.integers(2))
    text = f"By how much do the {'xy'[axis]} of the leftmost and the rightmost crossing differ?"
    return text, abs(crossings[-1][axis] - crossings[0][axis])


def total(rng, crossings):
    """Ask for the sum of all crossings' coordinates."""
    if len(crossings) < 2:
        return None
    axis = int(rng.integers(2))
    found = sum(point[axis] for point in crossings)
    if abs(found) > plane.VALUES[-1] * -1:
        return None
    text = f"The graphs cross several times. What is the sum of the {'xy'[axis]} of all crossings?"
    return text, found


class Intersections(Task):
    # kinds of both graphs, kinds of questions
    levels = interpolate_levels(
        {
            0: ((line,), (line,), (only_x,)),
            1: ((line,), (line,), (only_x, only_y)),
            2: ((line, tip), (line,), (only_x, only_y)),
            3: ((tip, tip, parabola), (line,), (only_x, only_y, one_of)),
            4: ((tip, parabola), (line,), (one_of, only_y)),
            5: ((tip, parabola), (line,), (one_of,)),
            6: ((tip, parabola), (tip, line), (one_of, difference)),
            7: ((tip, parabola), (tip, zigzag), (one_of, difference)),
            8: ((zigzag,), (zigzag, tip), (difference, one_of)),
            9: ((zigzag,), (zigzag,), (difference, total)),
            10: ((zigzag,), (zigzag,), (total,)),
        }
    )
    moves = plane.SIGNED
    about = (
        "It shows the graphs of two functions between two axes with numbers; each line of the grid "
        "is one unit from the next, and graphs cross at whole coordinates only. In words, points "
        "with whole coordinates are listed. Reply with a number."
    )
    words = staticmethod(plane.words)
    scene = staticmethod(plane.scene)

    def draw(self, rng, kinds, others, asks):
        """Sample graphs until the answer is a wanted one: those near 0 would be good guesses.

        Those of a zigzag are spread out.
        """
        ask, wanted = pick(rng, asks), int(rng.integers(-4, 5))
        attempts = MOST if zigzag in others else 0
        while True:
            graphs = Graph("f", *pick(rng, kinds)(rng)), Graph("g", *pick(rng, others)(rng))
            crossings = _crossings(*[graph.points for graph in graphs])
            asked = ask(rng, crossings) if crossings else None
            if asked is None:
                continue
            attempts += 1
            if asked[1] == (wanted if ask is not difference else wanted + 5) or attempts > MOST:
                return Question(asked[0], str(asked[1]), graphs, self.moves)


def _crossings(one, other):
    """Return where graphs cross, or None if they touch, run together or cross between units."""
    first, second = dict(one), dict(other)
    shared = sorted(first.keys() & second.keys())
    gaps = [(x, first[x] - second[x]) for x in shared]
    found = []
    for i, (x, gap) in enumerate(gaps):
        if gap == 0 and (not 0 < i < len(gaps) - 1 or gaps[i - 1][1] * gaps[i + 1][1] >= 0):
            return None
        if gap == 0:
            if x != int(x) or first[x] != int(first[x]):
                return None
            found.append((int(x), int(first[x])))
        if i and gap * gaps[i - 1][1] < 0:
            return None
    return found
