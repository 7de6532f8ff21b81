"""Tasks: one question, an answer that is graded; from data sets, generated, or out of ReasoningGym.

`epoch(env, seed)` gives the options that lead through all questions of a task once. All stand on
`question`; answers are graded by `grading`. They import what every game may (`gem_ma.game`,
`gem_ma.scene`, `gem_ma.engine.action_parsing`, `gem_ma.validation`), and the register, for ids over
other ids.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gem_ma.validation.lazy_imports import lazy_getattr

if TYPE_CHECKING:
    from gem_ma.envs.tasks.question import epoch

__all__ = ["epoch"]
__getattr__ = lazy_getattr(__name__, {"epoch": "question"})
