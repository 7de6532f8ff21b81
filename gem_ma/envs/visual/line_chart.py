"""Line chart: read values off lines, and where these rise, cross or are far apart."""

from gem_ma.envs.visual import values
from gem_ma.envs.visual.question import Task


class LineChart(Task):
    # kinds of questions, labels, series, the highest value in steps
    levels = (
        ((values.value, values.extreme), 5, 1, 5),
        ((values.value, values.difference, values.rises, values.steepest), 7, 1, 10),
        ((values.value, values.difference, values.crossings, values.apart), 7, 2, 10),
    )
    moves = values.ANSWERS
    about = f"It shows a line chart. {values.ABOUT}"
    words = staticmethod(values.words)

    def draw(self, rng, *level):
        return values.ask(rng, *level)

    def scene(self, shown):
        return values.scene("line", shown)
