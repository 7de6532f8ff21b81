"""Tasks: one question, an answer that is graded; from data sets, generated, or out of ReasoningGym.

`epoch(env, seed)` gives the options that lead through all questions of a task once.
"""

from gem_ma.envs.tasks.question import epoch

__all__ = ["epoch"]
