"""Bar chart: read values off bars, and compare them."""

from gem_ma.envs.visual import values
from gem_ma.envs.visual.question import Task


class BarChart(Task):
    # kinds of questions, labels, series, the highest value in steps
    levels = (
        ((values.value, values.extreme), 4, 1, 5),
        ((values.value, values.extreme, values.difference, values.above), 6, 1, 10),
        ((values.value, values.difference, values.wins, values.apart), 5, 2, 10),
    )
    moves = values.ANSWERS
    about = f"It shows a bar chart. {values.ABOUT}"
    words = staticmethod(values.words)

    def draw(self, rng, *level):
        return values.ask(rng, *level)

    def scene(self, shown):
        return values.scene("bar", shown)
