"""Most lines: which point has the most lines, or the fewest."""

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.graphs import net
from gem_ma.envs.visual.question import LETTERS, Question, Task, pick


class MostLines(Task):
    levels = interpolate_levels(
        {0: (3, 0), 2: (4, 1), 5: (7, 4), 8: (11, 8), 10: (16, 14)}
    )  # points, lines beyond a tree
    moves = tuple(LETTERS[:16])
    about = (
        "It shows points with letters, some of which are connected by lines. Reply with a letter."
    )
    words = staticmethod(net.words)
    scene = staticmethod(net.scene)

    def draw(self, rng, many, more):
        """Sample nets until one point alone has the most lines, or the fewest."""
        while True:
            word = pick(rng, ("most", "fewest"))
            points, edges = net.draw(rng, many, more)
            count = [sum(i in edge for edge in edges) for i in range(many)]
            best = max(count) if word == "most" else min(count)
            if count.count(best) == 1:
                choices = tuple(LETTERS[:many])
                text = f"Which point has the {word} lines?"
                return Question(text, choices[count.index(best)], (points, edges), choices)
