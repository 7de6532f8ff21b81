"""Mathematics: a problem whose answer is a number, a formula, an interval or a set."""

from gem_ma.envs.tasks import grading
from gem_ma.envs.tasks.data import DataTask


class Math(DataTask):
    """Problems of a data set, with answers graded by math-verify."""

    blocking = True
    about = (
        "Solve a mathematical problem. Reply with its final answer alone, as a number or in LaTeX."
    )

    def grade(self, answer, item):
        return grading.mathematics(answer, item.key)
