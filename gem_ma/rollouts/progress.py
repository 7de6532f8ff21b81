"""Progress of long work on standard error: a bar on a terminal, lines of text elsewhere."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from typing import Any, Self

from gem_ma.rollouts.episode import Episode

LINE_INTERVAL = 5.0  # seconds between two lines if there is no terminal
_REPORT_INTERVAL = 0.5  # seconds between two reports of a worker


class RolloutProgress:
    """The progress of rollouts: episodes done, turns and tokens so far, and mean returns by seat.

    It is drawn from the start, and updated when `count_reply` is called with a reply. Several
    rollouts may share one.
    """

    def __init__(self, total: int, drawn: bool = True):
        self.drawn = drawn  # as a bar on a terminal; otherwise as lines
        self.total = total
        self.done = self.played = self.failed = self.turns = self.tokens = 0
        self._sums: dict[str, tuple[float, int]] = {}
        self._start = time.monotonic()
        self._over = threading.Event()
        if drawn:
            self._bar, self._task = make_rich_bar(total, said=self.format_line)
            self._bar.start()
        else:
            threading.Thread(target=self._write_lines, daemon=True).start()

    @classmethod
    def start(cls, total: int, *, force: bool = False) -> Self | None:
        """Show a bar on a terminal; elsewhere show lines if `force` is True, or return None."""
        is_terminal = sys.stderr.isatty()
        return cls(total, is_terminal) if is_terminal or force else None

    def count_reply(self, reply: object) -> None:
        """Count a reply and its tokens."""
        self.turns += 1
        if type(reply) is not str:
            self.tokens += count_completion_tokens(reply)

    def count(self, turns: int, tokens: int) -> None:
        """Count replies of another process."""
        self.turns += turns
        self.tokens += tokens

    def add(self, episode: Episode, played: bool = True) -> None:
        """Count an episode; one that was not `played` now does not count for the speed."""
        self.done += 1
        self.played += played
        self.failed += episode.failure is not None
        for seat, value in episode.returns.items():
            total, count = self._sums.get(seat, (0.0, 0))
            self._sums[seat] = total + value, count + 1
        if self.drawn:
            self._bar.update(self._task, advance=1)

    def format_line(self) -> str:
        """Return the text next to the bar."""
        seconds = max(time.monotonic() - self._start, 1e-9)
        parts = [f"{self.turns} turns ({_format_rate(self.turns / seconds)})"]
        if self.tokens:
            parts.append(f"{self.tokens} tokens ({_format_rate(self.tokens / seconds)})")
        if self.played:
            parts.append(f"{_format_rate(self.played / seconds)[:-2]} episodes/s")
        sums = list(self._sums.items())[:4]
        parts += [f"{seat} {total / count:+.2f}" for seat, (total, count) in sums]
        if self.failed:
            parts.append(f"{self.failed} failed")
        return "  ".join(parts)

    def stop(self) -> None:
        """Stop, with the last line left on the terminal."""
        self._over.set()
        if self.drawn:
            self._bar.stop()
        elif self.done or self.turns:
            self._write_line()

    def _write_lines(self) -> None:
        while not self._over.wait(LINE_INTERVAL):
            self._write_line()

    def _write_line(self) -> None:
        seconds = time.monotonic() - self._start
        sys.stderr.write(f"{self.done}/{self.total}  {seconds:.0f} s  {self.format_line()}\n")
        sys.stderr.flush()


class ProgressReporter:
    """A counter of replies in a worker, which reports to the parent's RolloutProgress."""

    def __init__(self, tell: Callable[[int, int], object]):
        self._send_counts = tell
        self._turns = self._tokens = 0
        self._last = 0.0

    def count_reply(self, reply: object) -> None:
        """Count a reply and its tokens."""
        self._turns += 1
        if type(reply) is not str:
            self._tokens += count_completion_tokens(reply)
        if time.monotonic() - self._last >= _REPORT_INTERVAL:
            self.report()

    def report(self) -> None:
        """Send the counts since the last report."""
        if self._turns:
            self._send_counts(self._turns, self._tokens)
        self._turns = self._tokens = 0
        self._last = time.monotonic()


class ProgressBar:
    """The progress of work that consists of steps.

    Args:
        progress: Show a bar on a terminal, and a line every few seconds elsewhere; None: show a bar
            on a terminal only.
    """

    def __init__(self, total: int, done: int, progress: bool | None):
        self._bar: Any = None
        self._lines = False
        self._done, self._total = done, total
        self._start, self._told = time.monotonic(), -LINE_INTERVAL
        if progress is not False and sys.stderr.isatty():
            self._bar, self._task = make_rich_bar(total, done)
        else:
            self._lines = bool(progress)

    def update(self, done: int, line: str) -> None:
        """Show the number of steps done, and a line of text."""
        if self._bar is not None:
            self._bar.update(self._task, completed=done, description=line)
            return
        now = time.monotonic()
        if self._lines and (done == self._total or now - self._told >= LINE_INTERVAL):
            self._told = now
            left = (now - self._start) * (self._total - done) / max(done - self._done, 1)
            sys.stderr.write(f"{done}/{self._total}  {line}  {left:.0f} s left\n")
            sys.stderr.flush()

    def __enter__(self) -> Self:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar.stop()


def make_rich_bar(
    total: int, done: int = 0, said: Callable[[], str] | None = None
) -> tuple[Any, Any]:
    """Return a progress bar of rich and its task, with room for a line of text.

    Args:
        said: Returns the line whenever the bar is drawn; None: the line is the task's description.
    """
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        TimeElapsedColumn,
    )
    from rich.progress import TimeRemainingColumn as Remaining
    from rich.table import Column
    from rich.text import Text

    class Line(ProgressColumn):
        """The line of text next to the bar."""

        def render(self, task: Any) -> Text:
            line = said() if said is not None else task.description
            return Text(line, no_wrap=True, overflow="ellipsis")

    progress = Progress(
        BarColumn(12),
        MofNCompleteColumn(table_column=Column(no_wrap=True)),
        TimeElapsedColumn(Column(no_wrap=True)),
        Line(),  # shortened on a narrow terminal
        Remaining(table_column=Column(no_wrap=True)),
        console=Console(stderr=True),
        refresh_per_second=5,
    )
    return progress, progress.add_task("", total=total, completed=done)


def count_completion_tokens(reply: object) -> int:
    """Return the number of tokens of a reply, or 0 if the reply does not report it."""
    ids = getattr(reply, "token_ids", None)
    if ids is not None:
        return len(ids)
    return int(getattr(reply, "usage", {}).get("completion_tokens", 0))


def _format_rate(number: float) -> str:
    return f"{number:.0f}/s" if number >= 10 else f"{number:.1f}/s"
