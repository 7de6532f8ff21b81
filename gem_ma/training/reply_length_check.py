"""Checks of a model's replies in `gem-ma train`: how many are valid, and whether they are cut."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from gem_ma.rollouts.episode import Episode

if TYPE_CHECKING:
    from gem_ma.training.reference_trainer import Trainer


def measure_replies(seats: Sequence[str], episode: Episode) -> dict[str, float]:
    """Return shares of these seats' replies.

    Returns:
        valid: the share of valid replies.
        lost: the share of replies that were cut at the token limit and are invalid.
    """
    steps = [step for step in episode.steps if step.agent in seats]
    invalid = [step for step in steps if step.invalid is not None]
    lost = [s for s in invalid if getattr(s.reply, "finish_reason", None) == "length"]
    count = len(steps) or 1
    return {"valid": 1 - len(invalid) / count, "lost": len(lost) / count}


class ReplyLengthCheck:
    """A callback that stops a run if most of its first replies are cut and contain no move.

    Args:
        most: The share of such replies above which the run stops.
        make_error: Returns the error to raise, from that share.
    """

    def __init__(self, most: float, make_error: Callable[[float], Exception]):
        self.most = most
        self.make_error = make_error

    def before_learning(self, trainer: Trainer, row: Mapping[str, float]) -> None:
        """Raise the error if most of the first replies were cut and are no moves."""
        lost = row.get("lost", 0.0)
        if trainer.step == 0 and lost > self.most:
            raise self.make_error(lost)

    def __call__(self, trainer: Trainer) -> None:
        """Do nothing after an update."""
