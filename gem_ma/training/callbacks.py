"""Callbacks of `Trainer.run`: keep the best checkpoint, and stop a run that fails.

    best = BestCheckpoint("return/player", path="run/best.pt")
    trainer.run(500, "run/checkpoint.pt", after=best)

They read only the history, so this file does not need torch.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gem_ma.rollouts.episode import Episode
    from gem_ma.training.reference_trainer import Trainer


class TrainingCollapsed(RuntimeError):
    """A training run has collapsed; the message names the reason."""


class BestCheckpoint:
    """A callback that keeps the best checkpoint of a run and stops the run when it collapses.

    The best checkpoint contains the weights that played the last update of the best window, before
    they learnt from its episodes. Their score is at least the mean of the window. All decisions
    depend only on the history, so a resumed run gets the same decisions as one that never stopped.

    Args:
        score: the column of the history to maximise: a return, or a number of `measure`.
        path: where to write the best checkpoint; None: do not write it.
        window: number of updates in a moving mean. The best checkpoint uses shorter windows at the
            start of a run; the three limits below apply only to full windows.
        drop: how far the mean score may fall below its best.
        invalid: the share of invalid replies above which the run stops, if it was below earlier.
        longer: how many times as long as in the first window the replies may become.
    """

    def __init__(
        self,
        score: str,
        path: str | os.PathLike[str] | None = None,
        *,
        window: int = 10,
        drop: float = 0.5,
        invalid: float = 0.5,
        longer: float = 4.0,
    ):
        if window < 1:
            raise ValueError(f"window={window}: expected 1 or more")
        self.score = score
        self.path = path
        self.window = window
        self.drop = drop
        self.invalid = invalid
        self.longer = longer
        self._has_early_score = False  # whether the score is known before the learners learn

    def before_learning(self, trainer: Trainer, row: Mapping[str, float]) -> None:
        """Save the weights that played, if they are the best; a Trainer calls this hook."""
        self._has_early_score = self.score in row
        if self._has_early_score:
            self._save_best(trainer, [*trainer.history, row])

    def __call__(self, trainer: Trainer) -> None:
        history = trainer.history
        if cause := self.diagnose(history, trainer.train):
            kept = "" if self.path is None else f"; the best checkpoint is {os.fspath(self.path)}"
            raise TrainingCollapsed(f"after {len(history)} updates {cause}{kept}")
        if not self._has_early_score:  # an evaluation after the update added the score
            self._save_best(trainer, history)

    def _save_best(self, trainer: Trainer, history: Sequence[Mapping[str, float]]) -> None:
        """Save a checkpoint if the last window has the best mean so far.

        Windows whose last score is below their mean do not count.
        """
        scores = [row[self.score] for row in history if self.score in row]
        best = last = -math.inf
        for end, score in enumerate(scores, 1):
            mean = fmean(scores[max(end - self.window, 0) : end])
            last = mean if score >= mean else -math.inf  # a high mean can hide a sudden drop
            best = max(best, last)
        if self.path is not None and last == best > -math.inf:
            trainer.save(self.path)

    def diagnose(self, history: Sequence[Mapping[str, float]], seats: Sequence[str]) -> str:
        """Return why the run has collapsed, or an empty text.

        Args:
            history: the rows of the history so far.
            seats: the trained seats, whose replies are checked.
        """
        if not history:
            return ""
        if self.score not in history[-1]:
            raise ValueError(
                f"score={self.score!r} is no column of the history; the columns are "
                f"{', '.join(history[-1])}"
            )
        bad = [
            name
            for name, value in history[-1].items()
            if name.startswith("loss/") and not math.isfinite(value)
        ]
        if bad:
            return f"{bad[0]} is {history[-1][bad[0]]}"
        for seat in seats:
            shares = self._compute_means(history, f"invalid/{seat}")
            if shares and shares[-1] > self.invalid > min(shares):
                return f"{shares[-1]:.0%} of the replies of {seat} are invalid"
            lengths = self._compute_means(history, f"length/{seat}")
            if lengths and lengths[-1] > self.longer * lengths[0]:
                first, now = lengths[0], lengths[-1]
                return f"the replies of {seat} have {now:.0f} tokens, {first:.0f} at first"
        scores = self._compute_means(history, self.score)
        if scores and scores[-1] < max(scores) - self.drop:
            fell = f"{self.score} has fallen from {max(scores):.2f} to {scores[-1]:.2f}"
            return "; ".join([fell, *self._list_changes(history, scores.index(max(scores)), seats)])
        return ""

    def _list_changes(
        self, history: Sequence[Mapping[str, float]], best: int, seats: Sequence[str]
    ) -> list[str]:
        """Return descriptions of other columns that have changed since the best window."""
        parts = []
        for name in ("entropy", "kl", "invalid", "length", "gradient"):
            for seat in seats:
                means = self._compute_means(history, f"{name}/{seat}")
                if len(means) <= best:  # updates without an optimiser step lack the column
                    continue
                if not math.isclose(means[best], means[-1], rel_tol=0.2, abs_tol=1e-3):
                    parts.append(f"{name}/{seat} went from {means[best]:.3g} to {means[-1]:.3g}")
        return parts

    def _compute_means(self, history: Sequence[Mapping[str, float]], column: str) -> list[float]:
        """Return the moving means of a column over full windows."""
        values = [row[column] for row in history if column in row]
        starts = range(len(values) - self.window + 1)
        return [fmean(values[start : start + self.window]) for start in starts]


def measure_replies(seats: Sequence[str], episode: Episode) -> dict[str, float]:
    """Return shares of these seats' replies.

    Returns:
        The share of valid replies, by the name `valid`.
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
