"""The command eval compare: its output."""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from gem_ma.cli.command_options import format_count
from gem_ma.cli.evaluation.printing import print_json, print_table, write_text
from gem_ma.evaluation.metrics import format_number
from gem_ma.evaluation.statistics import wilson

if TYPE_CHECKING:
    from gem_ma.evaluation.runner.comparison import MetricDifference


def run_compare(args: argparse.Namespace) -> int:
    """Print the changes between two evaluations; return 1 if one is significantly for the worse."""
    from gem_ma.evaluation.runner.comparison import compare

    if len(args.what) != 3:
        raise ValueError(
            f"expected two folders, got {len(args.what) - 1}: gem-ma eval compare BEFORE AFTER"
        )
    differences, unpaired = compare(args.what[1], args.what[2])
    worse = any(one.verdict == "worse" for one in differences)
    if args.json:
        rows = [
            {
                **{
                    name: _make_plain(getattr(one, name))
                    for name in one.__slots__
                    if name != "change"
                },
                "change": {key: _make_plain(value) for key, value in one.change._asdict().items()},
            }
            for one in differences
        ]
        print_json({"differences": rows, "in one only": unpaired})
        return int(worse)
    head = ["environment", "seat", "number", "before", "after", "change", "pairs"]
    head += ["p", "Holm", "verdict"]
    visible_differences = _order_differences(differences, args.all)
    if visible_differences:
        print_table(head, [_format_difference(one) for one in visible_differences])
    if hidden := len(differences) - len(visible_differences):
        write_text(
            f"{format_count(hidden, 'number')} more within the intervals, which --all shows\n"
        )
    for group in dict.fromkeys((one.entry, one.seat) for one in differences):
        seat_differences = [one for one in differences if (one.entry, one.seat) == group]
        if seat_differences[0].left_out:
            write_text(
                f"{' '.join(group)}, starts left out of all: {seat_differences[0].left_out}\n"
            )
    for name in unpaired:
        write_text(f"{name}\n")
    write_text(_explain_verdicts(differences))
    write_text(_summarize_directions(differences))
    return int(worse)


_DIRECTIONS = ("worse", "better", "changed", "")  # in the order of the table
_LISTED = 6  # metrics that a line of the summary names


def _order_differences(found: Sequence[MetricDifference], every: bool) -> list[MetricDifference]:
    """Return the differences to print, the most important first; means are always printed."""
    means = [one for one in found if one.rows > 1]
    others = [one for one in found if one.rows == 1 and (every or one.direction)]
    if not means and not others:  # no change: prints at least success and return
        others = [one for one in found if one.metric in ("success", "return")]
    return means + sorted(others, key=lambda one: _DIRECTIONS.index(one.direction))


def _summarize_directions(found: Sequence[MetricDifference]) -> str:
    """Return sentences about the metrics that changed beyond their intervals."""
    if not found:
        return ""
    lines = []
    for direction in _DIRECTIONS[:3]:
        some = [one for one in found if one.direction == direction]
        if not some and direction == "changed":
            continue
        named = [
            f"{one.metric} of {one.entry} {one.seat} ({one.old:.3g} to {one.new:.3g})"
            for one in sorted(some, key=lambda one: one.rows == 1)[:_LISTED]
        ]
        more = len(some) - len(named)
        rest = f"; and {more} more" if more else ""
        what = (
            f"{format_count(len(some), 'number')}: {'; '.join(named)}{rest}" if some else "nothing"
        )
        lines.append(f"{direction} beyond its interval: {what}\n")
    return "".join(lines)


def _format_difference(one: MetricDifference) -> list[str]:
    return [
        one.entry,
        one.seat,
        one.metric,
        f"{one.old:.3f}",
        f"{one.new:.3f}",
        format_number(one.change, 3),
        f"{one.pairs}, {one.unlike} differ" if one.change.paired else "none",
        _format_chance(one.change.p),
        f"as {one.same_as}" if one.same_as else _format_chance(one.p),
        one.verdict,
    ]


def _format_chance(p: float) -> str:
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def _describe_tests(found: Sequence[MetricDifference]) -> str:
    tests = sum(one.verdict != "same" and not one.same_as for one in found)
    return f"after Holm's correction for {format_count(tests, 'test')}" if tests else "in no test"


def _explain_verdicts(found: Sequence[MetricDifference]) -> str:
    """Return an explanation of the verdicts of a comparison."""
    if not found:
        return "nothing in both of them came to its end, so there is nothing to compare\n"
    differences, means = (
        [one for one in found if (one.rows > 1) is is_mean] for is_mean in (False, True)
    )
    change_count = sum(one.verdict not in ("undecided", "same") for one in differences)
    lines = [
        f"shown against chance in {change_count} of {format_count(len(differences), 'number')}"
        f"{' of single rows' if means else ''}: p below 0.05 {_describe_tests(differences)}"
    ]
    if means:
        starts = format_count(means[0].change.tasks, "start")
        pairs = f"{format_count(means[0].pairs, 'pair')} of {starts}"
        lines.append(
            f"all: the mean of {means[0].rows} rows, each alike, {pairs}, {_describe_tests(means)}"
        )
    words = {one.verdict for one in found}
    if "undecided" in words:
        lines.append(
            "undecided: neither a change nor its absence is shown; the interval says how large "
            "it may be"
        )
        few = sum(one.verdict == "undecided" and 0 < one.change.unlike < 6 for one in found)
        if few:
            lines.append(f"{few} of them could not be decided: fewer than 6 pairs differ")
    if "same" in words:
        fewest = min((one.pairs for one in found if one.verdict == "same" and one.pairs), default=0)
        share = f"{100 * wilson(0, fewest)[1]:.0f}%"
        room = f"; after {format_count(fewest, 'pair')}, up to {share} may still differ"
        lines.append(f"same: no start differs{room if fewest else ''}")
    lines += [
        "p: how often signs by chance (without pairs: starts dealt anew) make as large a change, "
        "either way",
        "before, after, change: means over the pairs, starts that both played; []: 95%, bootstrap, "
        "of each number alone",
    ]
    return "".join(f"{line}\n" for line in lines)


def _make_plain(value: object) -> object:
    return None if isinstance(value, float) and not math.isfinite(value) else value
