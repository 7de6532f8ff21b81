"""A bar for long work, on a terminal."""

from __future__ import annotations

import sys
import time
from typing import Any, Self

from gem_ma.rollouts.episode import Episode


class Progress:
    """How many episodes are done, how fast, and what the seats earned on average."""

    def __init__(self, total: int):
        self._bar, self._task = bar(total)
        self._start = time.monotonic()
        self._done = self._tokens = self._failed = 0
        self._sums: dict[str, tuple[float, int]] = {}
        self._bar.start()

    @classmethod
    def start(cls, total: int, *, force: bool = False) -> Self | None:
        """Show a bar if there is a terminal to show it on."""
        if not force and not sys.stderr.isatty():
            return None
        return cls(total)

    def add(self, episode: Episode) -> None:
        """Count an episode."""
        self._done += 1
        self._failed += episode.failure is not None
        for step in episode.steps:
            self._tokens += tokens(step.reply)
        for seat, value in episode.returns.items():
            total, count = self._sums.get(seat, (0.0, 0))
            self._sums[seat] = total + value, count + 1
        self._bar.update(self._task, advance=1, description=self.line())

    def line(self) -> str:
        """Return the figures beside the bar."""
        seconds = max(time.monotonic() - self._start, 1e-9)
        parts = [f"{self._done / seconds:.1f} episodes/s"]
        if self._tokens:
            parts.append(f"{self._tokens / seconds:.0f} tokens/s")
        shown = list(self._sums.items())[:4]
        parts += [f"{seat} {total / count:+.2f}" for seat, (total, count) in shown]
        if self._failed:
            parts.append(f"{self._failed} failed")
        return "  ".join(parts)

    def stop(self) -> None:
        """Leave the last line on the terminal."""
        self._bar.stop()


def bar(total: int, done: int = 0) -> tuple[Any, Any]:
    """Return a bar of rich for the terminal, and its task, with room for a line beside it."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.progress import TimeRemainingColumn as Remaining

    shown = Progress(
        BarColumn(24),
        MofNCompleteColumn(),
        TextColumn("{task.description}"),
        Remaining(),
        console=Console(stderr=True),
        refresh_per_second=5,
    )
    return shown, shown.add_task("", total=total, completed=done)


def tokens(reply: Any) -> int:
    """Return how many tokens a reply has, as far as it says."""
    ids = getattr(reply, "token_ids", None)
    if ids is not None:
        return len(ids)
    return int(getattr(reply, "usage", {}).get("completion_tokens", 0))
