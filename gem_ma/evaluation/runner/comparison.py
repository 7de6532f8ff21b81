"""Two evaluations compared, start by start, and what chance alone would have done."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import NamedTuple

from gem_ma.evaluation.metrics import METRICS, EpisodeSample, Metric, ScoredEpisode
from gem_ma.evaluation.runner.eval_tasks import EvalTask, load_evaluation, load_task_episodes
from gem_ma.evaluation.runner.results import score_episode
from gem_ma.evaluation.statistics import (
    ChangeEstimate,
    IntervalEstimate,
    adjust_p_values,
    average_changes,
    estimate_change,
)
from gem_ma.rollouts.episode import Episode

_NEAR = 1e-9


@dataclass(frozen=True, slots=True)
class MetricDifference:
    """What changed in one number of one cell, or of all cells, over the starts that both played."""

    entry: str
    seat: str
    metric: str
    old: float
    new: float
    change: ChangeEstimate  # with its p, before others were looked at
    p: float  # that allows for how many numbers were compared
    verdict: str  # "better", "worse" or "changed"; "undecided"; "same": nothing differs at all
    pairs: int
    unlike: int  # pairs of which differ
    why: str  # which test, of how many pairs, and what it came to
    left_out: str  # which starts are in no number, and why
    same_as: str = ""  # the number of this cell that changed as this one did, and has its test
    rows: int = 1  # that it is the mean of

    @property
    def direction(self) -> str:
        """Which way it went beyond its interval: "better", "worse", "changed", or nothing.

        That is of this number alone; the verdict allows for all others that were looked at.
        """
        low, high = self.change.low, self.change.high
        if self.verdict in ("better", "worse", "changed"):
            return self.verdict
        if not (low > 0 or high < 0):  # it holds 0, or there is none
            return ""
        sign = (METRICS[self.metric].better or 0) * self.change.value
        return "changed" if not sign else "better" if sign > 0 else "worse"


class _MetricPair(NamedTuple):
    """What one number of one cell was and is, by start."""

    key: tuple[str, str]
    id: str
    metric: str
    old: Mapping[str, float]
    new: Mapping[str, float]
    change: ChangeEstimate
    left_out: str

    @property
    def gaps(self) -> list[float]:
        """By how much starts differ, or, without pairs, values from the first of them."""
        if self.change.paired:
            return [self.new[task] - was for task, was in self.old.items()]
        first, *others = (*self.old.values(), *self.new.values())
        return [other - first for other in others]

    @property
    def unlike(self) -> int:
        return sum(bool(gap) for gap in self.gaps)

    @property
    def has_numbers(self) -> bool:
        return self.metric == "success" or any((*self.old.values(), *self.new.values()))


def compare(
    old: str | os.PathLike[str], new: str | os.PathLike[str], level: float = 0.05
) -> tuple[list[MetricDifference], list[str]]:
    """Return what changed between two evaluations, and what of them cannot be compared, and why.

    Starts that both have played are compared one by one, and no others count; without any the two
    means are compared. A change counts if chance alone does as much less often than `level`,
    whichever of the numbers it shows in. The last ones are of all rows that have pairs, where
    there are several; they are a question of their own.
    """
    parts = []
    for folder in (old, new):
        _, cells = load_evaluation(folder)
        parts.append({(cell.entry.name, cell.seat): (cell, folder) for cell in cells})
    before, after = parts
    pairs: list[_MetricPair] = []
    notes = [
        f"{entry} {seat}: only in {old if (entry, seat) in before else new}"
        for entry, seat in before.keys() ^ after.keys()
    ]
    for key in before.keys() & after.keys():
        (was, where), (now, there) = before[key], after[key]
        episodes = load_task_episodes(where, was), load_task_episodes(there, now)
        tables = _group_by_start(was, episodes[0]), _group_by_start(now, episodes[1])
        common = [task for task in tables[0] if task in tables[1]]
        notes += [f"{key[0]} {key[1]}: {one}" for one in _find_doubts(was, now, tables, (old, new))]
        left_out = _describe_left_out(tables, episodes) if common else ""
        for metric in METRICS.values() if all(tables) else ():
            if metric.better is None:
                continue
            one, two = (
                {task: _compute_one(metric, table[task]) for task in common or table}
                for table in tables
            )
            change = estimate_change(one, two)
            pairs.append(_MetricPair(key, was.entry.id, metric.name, one, two, change, left_out))
    order = list(before)
    pairs.sort(key=lambda one: order.index(one.key))  # as they are in the suite
    out = _judge([([one], one.change) for one in pairs if one.has_numbers], level)
    return out + _judge(_pool_rows(pairs), level), sorted(notes)


def _pool_rows(found: Sequence[_MetricPair]) -> list[tuple[list[_MetricPair], ChangeEstimate]]:
    """Return for the success and the return their rows that have pairs, and the change of all."""
    out = []
    for metric in ("success", "return"):
        rows = [one for one in found if one.metric == metric and one.change.paired]
        if len(rows) > 1 and any(one.has_numbers for one in rows):
            gaps = [
                {(one.id, task): gap for task, gap in zip(one.old, one.gaps, strict=True)}
                for one in rows
            ]
            out.append((rows, average_changes(gaps)))
    return out


def _judge(
    asked: Sequence[tuple[list[_MetricPair], ChangeEstimate]], level: float
) -> list[MetricDifference]:
    """Return what became of numbers that are one question, each of rows, with the change of all.

    Where nothing differs there is nothing to test, and numbers of the same rows that changed alike,
    as success and return often do, are one test.
    """
    twins: list[int | None] = []  # which number before it has the same test
    for place, (rows, _) in enumerate(asked):
        earlier = (
            i for i in range(place) if twins[i] is None and _changed_alike(asked[i][0], rows)
        )
        twins.append(next(earlier, None))
    tests = [
        place
        for place, (rows, _) in enumerate(asked)
        if twins[place] is None and any(one.unlike for one in rows)
    ]
    chances = dict(zip(tests, adjust_p_values([asked[i][1].p for i in tests]), strict=True))
    out = []
    for place, (rows, change) in enumerate(asked):
        twin = twins[place]
        p = chances.get(place if twin is None else twin, 1.0)
        first, pairs = rows[0], sum(len(one.old) for one in rows) if change.paired else 0
        unlike = sum(one.unlike for one in rows)
        verdict = "undecided" if unlike else "same"
        if p < level:
            sign = (METRICS[first.metric].better or 0) * change.value
            verdict = "changed" if not sign else "better" if sign > 0 else "worse"
        out.append(
            MetricDifference(
                *(first.key if len(rows) == 1 else ("all", f"{len(rows)} rows")),
                first.metric,
                old=fmean(fmean(one.old.values()) for one in rows),
                new=fmean(fmean(one.new.values()) for one in rows),
                change=change,
                p=p,
                verdict=verdict,
                pairs=pairs,
                unlike=unlike if change.paired else 0,
                why=_explain_test(rows, change, p, len(tests), level),
                left_out=first.left_out if len(rows) == 1 else "",
                same_as="" if twin is None else asked[twin][0][0].metric,
                rows=len(rows),
            )
        )
    return out


def _changed_alike(one: Sequence[_MetricPair], two: Sequence[_MetricPair]) -> bool:
    """Return whether two numbers of the same rows changed alike, by a factor for all of them."""
    if [row.key for row in one] != [row.key for row in two]:
        return False
    gaps = [[gap for row in rows for gap in row.gaps] for rows in (one, two)]
    largest = max(range(len(gaps[0])), key=lambda i: abs(gaps[0][i]), default=0)
    if not all(map(any, gaps)) or not gaps[1][largest]:
        return False
    factor = gaps[1][largest] / gaps[0][largest]
    near = _NEAR * abs(gaps[1][largest])
    return all(abs(b - factor * a) <= near for a, b in zip(*gaps, strict=True))


def _find_doubts(
    was: EvalTask,
    now: EvalTask,
    tables: Sequence[Mapping[str, EpisodeSample]],
    folders: Sequence[str | os.PathLike[str]],
) -> list[str]:
    """Return why two cells cannot be compared, or not as they should be."""
    out = []
    for name in ("id", "arguments", "success", "context", "tools", "sampling"):
        one, two = getattr(was.entry, name), getattr(now.entry, name)
        if one != two:
            out.append(f"{name} was {one!r} and is {two!r}, so more than the agent may differ")
    for seat in was.agents:
        one, two = was.agents[seat], now.agents.get(seat)
        if seat not in was.lineup and one != two:
            out.append(f"in seat {seat} sat {one}, and then {two}: not the agent alone differs")
    empty = [str(folder) for folder, table in zip(folders, tables, strict=True) if not table]
    if empty:
        out.append(f"no episode came to its end in {' nor in '.join(empty)}")
    elif not tables[0].keys() & tables[1].keys():
        out.append("no start in common, so the means of different starts are compared")
    return out


def _explain_test(
    rows: Sequence[_MetricPair], change: ChangeEstimate, p: float, numbers: int, level: float
) -> str:
    """Return which test says so, of how many starts, and what it came to."""
    first, unlike = rows[0], sum(one.unlike for one in rows)
    if not change.paired:
        test = f"permutations of {len(first.old)} starts before and {len(first.new)} others after"
        return f"{test}: p={change.p:.2g}, {p:.2g} as one of {numbers} tests"
    test = f"sign flips of {change.tasks} pairs, {unlike} of which differ"
    if len(rows) > 1:
        pairs = sum(len(one.old) for one in rows)
        test = (
            f"sign flips of {change.tasks} starts with {pairs} pairs in {len(rows)} rows, "
            f"{unlike} of which differ"
        )
    if not unlike:
        return test
    words = f"{test}: p={change.p:.2g}, {p:.2g} as one of {numbers} tests"
    least = min(1.0, 2.0 ** (1 - change.unlike))
    if p >= level and least >= level:
        words += f"; so few cannot be below {least:.2g}"
    return words


def _describe_left_out(
    tables: tuple[Mapping[str, EpisodeSample], Mapping[str, EpisodeSample]],
    episodes: tuple[Sequence[Episode], Sequence[Episode]],
) -> str:
    """Return how many starts only one of two evaluations has, and why."""
    words = []
    for mine, other, which in ((0, 1, "before"), (1, 0, "after")):
        alone = tables[mine].keys() - tables[other].keys()
        failed = alone & {_name_start(one) for one in episodes[other] if one.failure is not None}
        elsewhere = "after" if which == "before" else "before"
        if failed:
            words.append(f"{len(failed)} that failed {elsewhere}")
        if len(alone) > len(failed):
            words.append(f"{len(alone) - len(failed)} played {which} only")
    nowhere = {_name_start(one) for part in episodes for one in part} - {*tables[0], *tables[1]}
    if nowhere:
        words.append(f"{len(nowhere)} that came to no end in either")
    return ", ".join(words)


def _name_start(episode: Episode) -> str:
    """Return a name of a start that other runs have for it too."""
    return f"{episode.seed} {json.dumps(episode.options, sort_keys=True)}"


def _group_by_start(cell: EvalTask, episodes: Sequence[Episode]) -> dict[str, EpisodeSample]:
    """Return the episodes of every start, under a name that other runs have for it too."""
    starts: dict[str, list[ScoredEpisode]] = {}
    for episode in episodes:
        if episode.failure is None:
            starts.setdefault(_name_start(episode), []).append(score_episode(cell, episode))
    return {name: EpisodeSample([start], cell.entry.trials) for name, start in starts.items()}


def _compute_one(metric: Metric, sample: EpisodeSample) -> float:
    """Return what a metric is in one start; 0 where it cannot be told."""
    estimate = metric.compute(sample)
    if not isinstance(estimate, IntervalEstimate):
        raise TypeError(f"{metric.name} is {estimate!r} in one start; only one number is compared")
    return 0.0 if math.isnan(estimate.value) else estimate.value
