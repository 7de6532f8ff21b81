"""Function value: read values off graphs, and put one function into another."""

import itertools

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.plots import plane
from gem_ma.envs.visual.plots.plane import Graph, line, parabola, tip, zigzag
from gem_ma.envs.visual.question import Question, Task, pick


def at(rng, graphs):
    """Ask for f(a)."""
    (x, y) = _known(rng, graphs[0])
    return f"What is f({x})?", y


def where(rng, graphs):
    """Ask for the only x with a value."""
    x, y = _known(rng, graphs[0])
    around = [b for (_, a), (_, b) in itertools.pairwise(graphs[0].points)
              if min(a, b) <= y <= max(a, b)]  # fmt: skip
    is_only = [b for _, b in graphs[0].points].count(y) == 1 and len(around) <= 2
    return (f"For which x is f(x) = {y}?", x) if is_only else None


def added(rng, graphs):
    """Ask for the sum or the difference of two values."""
    (a, f), (b, g) = (_known(rng, graph) for graph in graphs)
    if rng.random() < 0.5:
        return f"What is f({a}) + g({b})?", f + g
    return f"What is f({a}) - g({b})?", f - g


def nested(rng, graphs):
    """Ask for f(g(a))."""
    x, y = _known(rng, graphs[1])
    found = plane.value(graphs[0].points, y)
    return None if found is None else (f"What is f(g({x}))?", found)


def thrice(rng, graphs):
    """Ask for f(g(f(a)))."""
    x, y = _known(rng, graphs[0])
    middle = plane.value(graphs[1].points, y)
    found = None if middle is None else plane.value(graphs[0].points, middle)
    return None if found is None else (f"What is f(g(f({x})))?", found)


class FunctionValue(Task):
    # kinds of graphs, number of graphs, kinds of questions
    levels = interpolate_levels(
        {
            0: ((line,), 1, (at,)),
            1: ((line, line, parabola), 1, (at,)),
            2: ((line, parabola, tip), 1, (at, where)),
            3: ((parabola, tip, zigzag), 1, (at, where)),
            4: ((zigzag,), 1, (at, where)),
            5: ((line, parabola, tip), 2, (added,)),
            6: ((parabola, tip, zigzag), 2, (added,)),
            7: ((tip, zigzag), 2, (added, nested)),
            8: ((zigzag, zigzag, tip), 2, (nested,)),
            9: ((zigzag,), 2, (nested, thrice)),
            10: ((zigzag,), 2, (thrice,)),
        }
    )
    moves = plane.SIGNED
    about = (
        "It shows graphs of functions between two axes with numbers; each line of the grid is one "
        "unit from the next. In words, points with whole coordinates are listed. Reply with a "
        "number."
    )
    words = staticmethod(plane.words)
    scene = staticmethod(plane.scene)

    def draw(self, rng, kinds, many, asks):
        ask = pick(rng, asks)
        while True:
            graphs = tuple([Graph(name, *pick(rng, kinds)(rng)) for name in "fg"[:many]])
            asked = ask(rng, graphs) if len({graph.points for graph in graphs}) == many else None
            if asked is not None:
                return Question(asked[0], str(asked[1]), graphs, self.moves)


def _known(rng, graph):
    """Return a point of a graph with whole coordinates."""
    points = [point for point in graph.points if point[0] == int(point[0])]
    x, y = pick(rng, points)
    return int(x), int(y)
