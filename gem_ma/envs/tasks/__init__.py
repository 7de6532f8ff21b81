"""Tasks with one question and a graded answer: from data sets, generated, or of ReasoningGym.

`epoch(env, seed)` returns the reset options for all questions of a task, each once. `question` is
the base of all tasks, and `grading` grades answers. Tasks import what every game may
(`gem_ma.game`, `gem_ma.scene`, `gem_ma.engine.action_parsing`, `gem_ma.validation`), and the
registry for ids that are made from other ids.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gem_ma.validation.lazy_imports import lazy_getattr

if TYPE_CHECKING:
    from gem_ma.envs.tasks.question import epoch

__all__ = ["epoch"]
__getattr__ = lazy_getattr(__name__, {"epoch": "question"})
