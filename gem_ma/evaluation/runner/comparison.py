"""Comparison of two evaluations, start by start, with tests against chance."""

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
    """The change of one metric in one cell, or on average over cells, between two evaluations."""

    entry: str
    seat: str
    metric: str
    old: float
    new: float
    change: ChangeEstimate  # its p is not corrected for other tests
    p: float  # corrected for the number of tests
    verdict: str  # "better", "worse" or "changed"; "undecided"; "same": no start differs
    pairs: int
    unlike: int  # pairs that differ
    why: str  # the test, its number of pairs, and its result
    left_out: str  # which starts are left out, and why
    same_as: str = ""  # an earlier metric of the same rows that changed alike, whose test it shares
    rows: int = 1  # over which it is the mean

    @property
    def direction(self) -> str:
        """The direction of a change beyond its interval: "better", "worse", "changed" or "".

        It considers this metric alone; the verdict is corrected for all other tests.
        """
        low, high = self.change.low, self.change.high
        if self.verdict in ("better", "worse", "changed"):
            return self.verdict
        if not (low > 0 or high < 0):  # the interval holds 0, or is unknown
            return ""
        sign = (METRICS[self.metric].better or 0) * self.change.value
        return "changed" if not sign else "better" if sign > 0 else "worse"


class _MetricPair(NamedTuple):
    """The values of one metric in one cell before and after, by start."""

    key: tuple[str, str]
    id: str
    metric: str
    old: Mapping[str, float]
    new: Mapping[str, float]
    change: ChangeEstimate
    left_out: str

    @property
    def gaps(self) -> list[float]:
        """The differences by start; without pairs, the differences of all values from the first."""
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
    """Return the changes between two evaluations, and notes on what cannot be compared.

    Starts that both evaluations played are compared in pairs, and other starts are left out.
    Without common starts, the two means are compared. A change counts if its p, corrected for the
    number of metrics, is below `level`.

    The last differences are means over all rows with pairs, if there are several. They are
    corrected separately.
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
    pairs.sort(key=lambda one: order.index(one.key))  # in the order of the suite
    out = _judge([([one], one.change) for one in pairs if one.has_numbers], level)
    return out + _judge(_pool_rows(pairs), level), sorted(notes)


def _pool_rows(found: Sequence[_MetricPair]) -> list[tuple[list[_MetricPair], ChangeEstimate]]:
    """Return, for success and return, the rows that have pairs and their average change."""
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
    """Return the verdicts on questions that are corrected together, each on rows and their change.

    Questions without any difference are not tested. Questions on the same rows that changed alike,
    as success and return often do, share one test.
    """
    twins: list[int | None] = []  # index of an earlier question with the same test
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
    """Return whether two metrics of the same rows changed alike, up to one constant factor."""
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
    """Return reasons why two cells cannot be compared, or only with care."""
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
    """Return a description of the test, its number of starts and its result."""
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
    """Return how many starts only one of the two evaluations has, and why."""
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
    """Return a name of a start that is the same in all runs."""
    return f"{episode.seed} {json.dumps(episode.options, sort_keys=True)}"


def _group_by_start(cell: EvalTask, episodes: Sequence[Episode]) -> dict[str, EpisodeSample]:
    """Return the finished episodes of each start, by a name that is the same in all runs."""
    starts: dict[str, list[ScoredEpisode]] = {}
    for episode in episodes:
        if episode.failure is None:
            starts.setdefault(_name_start(episode), []).append(score_episode(cell, episode))
    return {name: EpisodeSample([start], cell.entry.trials) for name, start in starts.items()}


def _compute_one(metric: Metric, sample: EpisodeSample) -> float:
    """Return the value of a metric for one start; 0 if it is unknown."""
    estimate = metric.compute(sample)
    if not isinstance(estimate, IntervalEstimate):
        raise TypeError(
            f"metric {metric.name!r} gave {estimate!r} for a start, expected an IntervalEstimate; "
            "register a metric of another type with better=None, so that it is not compared"
        )
    return 0.0 if math.isnan(estimate.value) else estimate.value
