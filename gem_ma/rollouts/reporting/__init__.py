"""Reports of episodes and training to the dashboards that users have: TensorBoard, W&B and Trackio.

It is a folder of its own so that the libraries stay behind one interface, which rollouts, training,
evaluation and commands share. Data leave this computer only if the library's own environment
variables ask for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gem_ma.validation.lazy_imports import lazy_getattr

if TYPE_CHECKING:
    from gem_ma.rollouts.reporting.run_report import report_episodes

__all__ = ["report_episodes"]
__getattr__ = lazy_getattr(__name__, {"report_episodes": "run_report"})
