"""Shortest path: how many lines the shortest path between two points has."""

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.graphs import net
from gem_ma.envs.visual.question import LETTERS, Question, Task, numbers


class ShortestPath(Task):
    levels = interpolate_levels(
        {0: (3, 0, 2), 2: (5, 1, 3), 5: (8, 3, 4), 8: (12, 5, 5), 10: (18, 8, 7)}
    )
    moves = numbers(12)[1:]
    about = (
        "It shows points with letters, some of which are connected by lines. Reply with a number: "
        "of the lines that one needs at least."
    )
    words = staticmethod(net.words)
    scene = staticmethod(net.scene)

    def draw(self, rng, many, more, most):
        """Sample a distance, then nets with `more` extra lines until two points have it."""
        distance = int(rng.integers(1, most + 1))
        while True:
            graph = net.draw(rng, many, more)
            start = int(rng.integers(many))
            ends = [i for i, steps in steps_from(graph, start).items() if steps == distance]
            if ends:
                end = ends[int(rng.integers(len(ends)))]
                text = f"How many lines is it from {LETTERS[start]} to {LETTERS[end]}?"
                return Question(text, str(distance), graph, self.moves)


def steps_from(shown, start):
    """Return the distance of every point from `start`, in lines."""
    _, edges = shown
    distances, frontier = {start: 0}, [start]
    for point in frontier:
        for i, j in edges:
            other = j if i == point else i if j == point else None
            if other is not None and other not in distances:
                distances[other] = distances[point] + 1
                frontier.append(other)
    return distances
