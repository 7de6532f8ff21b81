"""Matching graph: which of several graphs belongs to a formula."""

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.plots import plane
from gem_ma.envs.visual.plots.plane import Graph, line, parabola, tip
from gem_ma.envs.visual.question import LETTERS, Question, Task, pick


class MatchingGraph(Task):
    # kinds of graphs, number of graphs
    levels = interpolate_levels(
        {
            0: ((line,), 2),
            2: ((line, tip), 3),
            5: ((line, parabola, tip), 4),
            8: ((line, tip, parabola), 5),
            10: ((tip, parabola), 6),
        }
    )
    moves = tuple(LETTERS[:6])
    about = (
        "It shows graphs with letters between two axes with numbers; each line of the grid is one "
        "unit from the next. In words, points with whole coordinates are listed. Reply with the "
        "letter of a graph."
    )
    words = staticmethod(plane.words)
    scene = staticmethod(plane.scene)

    def draw(self, rng, kinds, many):
        graphs: list[Graph] = []
        while not graphs or not plane.has_clear_names(graphs):
            graphs = _sample_graphs(rng, kinds, many)
        right = pick(rng, graphs)
        choices = tuple(LETTERS[:many])
        shown = tuple([graph._replace(formula="") for graph in graphs])
        text = f"Which graph is that of y = {right.formula}?"
        return Question(text, right.name, shown, choices)


def _sample_graphs(rng, kinds, many):
    graphs: list[Graph] = []
    while len(graphs) < many:
        points, formula = pick(rng, kinds)(rng)
        ends = {point for one in graphs for point in (one.points[0], one.points[-1])}
        if len(points) > 3 and not ends & {points[0], points[-1]}:
            graphs.append(Graph(LETTERS[len(graphs)], points, formula))
    return graphs
