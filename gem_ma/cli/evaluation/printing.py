"""Output of the evaluation commands: tables, JSON, progress lines, and usage errors."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from gem_ma.cli.command_options import UsageError, count_played_episodes
from gem_ma.envs.registry import BadArgument


def report_usage(run: Callable[[argparse.Namespace], int]) -> Callable[[argparse.Namespace], int]:
    """Return a command that reports ValueError and BadArgument as UsageError."""

    def run_checked(args: argparse.Namespace) -> int:
        try:
            return run(args)
        except (ValueError, BadArgument) as error:
            raise UsageError(str(error)) from None

    return run_checked


def write_text(text: str) -> None:
    """Print text as it is."""
    sys.stdout.write(text)


def print_json(data: object) -> None:
    """Print data as JSON that every parser reads: without NaN."""
    write_text(json.dumps(data, indent=1, allow_nan=False) + "\n")


def print_table(head: Sequence[str], lines: Sequence[Sequence[str]]) -> None:
    """Print a table: with rich on a terminal, and in plain columns elsewhere."""
    if not sys.stdout.isatty():
        write_text(format_table(head, lines))
        return
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    for name in head:
        table.add_column(name, overflow="fold")
    for line in lines:
        table.add_row(*(Text(cell) for cell in line))
    Console().print(table)


def format_table(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """Return a table as text in aligned columns."""
    rows = [head, *lines]
    widths = [max(len(row[i]) for row in rows) for i in range(len(head))]
    text = (
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )
    return "".join(f"{line}\n" for line in text)


class ProgressLines:
    """A callback that prints a line to stderr for each finished part."""

    def __call__(self, title: str, done: int, expected: int) -> None:
        sys.stderr.write(f"{title}: {done} of {expected}\n")
        sys.stderr.flush()


def describe_kept(out: str, kind: str) -> str:
    """Return a message about the records that a stopped evaluation or tournament keeps."""
    files = (Path(out) / kind).glob("*.jsonl")
    return f"{out} keeps {count_played_episodes(*files)} {kind}; the same command continues"
