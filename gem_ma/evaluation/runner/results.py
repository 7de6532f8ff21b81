"""Results of an evaluation: a row for each cell, the means over rows, and results.json."""

from __future__ import annotations

import hashlib
import math
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gem_ma.agents.wrappers.cost_meter import TokenPrices
from gem_ma.evaluation.contests import find_contest, is_contest
from gem_ma.evaluation.metrics import METRICS, EpisodeSample, ScoredEpisode
from gem_ma.evaluation.runner.eval_tasks import EvalTask, load_task_episodes
from gem_ma.evaluation.statistics import IntervalEstimate, average_estimates
from gem_ma.evaluation.suites import Suite
from gem_ma.rollouts.episode import Episode, EpisodeFailure
from gem_ma.validation.json_types import JSONMapping, JSONObject

RESULTS_SCHEMA = 1  # version of the format of results.json


@dataclass(slots=True)
class Evaluation:
    """The result of an evaluation: a row for each cell, and what the run left out and why."""

    suite: str
    rows: list[JSONObject]
    overall: JSONObject
    skipped: list[dict[str, str]] = field(default_factory=list)
    stopped: list[dict[str, str]] = field(default_factory=list)
    about: JSONObject = field(default_factory=dict)  # what all rows share, such as the seed

    @property
    def exit_code(self) -> int:
        """The exit code of a command: 1 if something failed, 3 if something was skipped, else 0."""
        if self.stopped or any(row["failed"] for row in self.rows):
            return 1
        return 3 if self.skipped else 0

    def to_dict(self) -> JSONObject:
        """Return the evaluation as JSON values, with null for unknown numbers."""
        return {
            **self.about,
            "suite": self.suite,
            "overall": _make_plain(self.overall),
            "rows": [_make_plain(row) for row in self.rows],
            "skipped": self.skipped,
            "stopped": self.stopped,
        }


def summarize(
    folder: str | os.PathLike[str],
    suite: Suite,
    cells: Sequence[EvalTask],
    skipped: Sequence[Mapping[str, str]] = (),
    prices: TokenPrices | None = None,
    stopped: Sequence[Mapping[str, str]] = (),
) -> Evaluation:
    """Return the results of all episodes in a folder; the keys of a table of prices are specs."""
    rows: list[JSONObject] = []
    kinds: dict[str, list[bool | None]] = {}
    for cell in cells:
        episodes = load_task_episodes(folder, cell)
        rows.append(compute_row(cell, episodes, prices))
        kinds.setdefault(cell.entry.name, []).append(find_contest(episodes, cell.zero_sum))
    for cell, one in zip(cells, rows, strict=True):  # judged for all line-ups of an environment
        if not is_contest(kinds[cell.entry.name], cell.zero_sum):
            one |= {metric.name: None for metric in METRICS.values() if metric.contest}
    played = [one for one in rows if one["episodes"]]
    left = [dict(one) for one in skipped]
    overall: JSONObject = {
        "rows": len(played),
        "rows left out": len(rows) - len(played),
        "environments": len({one["entry"] for one in played}),
        "environments left out": len({one["entry"] for one in (*rows, *left)})
        - len({one["entry"] for one in played}),
        "episodes": sum(one["episodes"] for one in rows),
        "failed": sum(one["failed"] for one in rows),
        "missing": sum(one["expected"] - one["episodes"] for one in rows),
    }
    for metric in METRICS.values():
        if metric.overall == "mean":
            overall[metric.name] = average_estimates([one[metric.name] for one in played])
    for metric in METRICS.values():
        if metric.overall == "sum":
            sums = (one[metric.name].value * one["episodes"] for one in played)
            overall[f"{metric.name} in all"] = sum(sums)
    costs: Counter[str] = Counter()
    for one in played:
        costs.update({seat: each.value * one["episodes"] for seat, each in one["costs"].items()})
    overall |= {"cost in all": sum(costs.values()), "costs in all": dict(costs)}
    description = suite.to_dict()
    about = {"schema": RESULTS_SCHEMA, "version": _pop_releases(rows), "seed": suite.seed}
    about |= {"entries": description["entries"]}
    return Evaluation(suite.name, rows, overall, left, [dict(one) for one in stopped], about)


def _pop_releases(rows: Iterable[JSONObject]) -> str:
    """Remove the releases that played from the rows, and return them joined by commas."""
    return ", ".join(sorted({one for row in rows for one in row.pop("versions")}))


def compute_row(
    cell: EvalTask, episodes: Sequence[Episode], prices: TokenPrices | None = None
) -> JSONObject:
    """Return the row of one cell, with every metric; the keys of a table of prices are specs."""
    entry, seats = cell.entry, cell.lineup
    done = [episode for episode in episodes if episode.failure is None]
    starts: dict[int, list[ScoredEpisode]] = {}
    for episode in done:
        starts.setdefault(episode.group, []).append(score_episode(cell, episode, prices))
    sample = EpisodeSample(list(starts.values()), entry.trials)
    contest = len(cell.agents) > len(seats) and is_contest(
        [find_contest(episodes, cell.zero_sum)], cell.zero_sum
    )
    about = {
        "entry": entry.name,
        "id": entry.id,
        "seat": cell.seat,
        "agents": cell.agents,
        "evaluated": list(seats),
        "records": f"episodes/{cell.file}",
        "tasks": entry.tasks,
        "trials": entry.trials,
        "episodes": len(done),
        "expected": cell.episodes,
        "failed": len(episodes) - len(done),
        "failure": next((_describe_failure(e.failure) for e in episodes[::-1] if e.failure), None),
        "truncated": sum(episode.ended == "truncated" for episode in done),
    }
    values = {
        name: None if metric.contest and not (contest and done) else metric.compute(sample)
        for name, metric in METRICS.items()
    }
    origin = {
        "data": ", ".join(sorted({str(one.report.get("data", "")) for one in done})),
        "prompts": _hash_rules(episodes, seats),
        "diagnosis": count_diagnoses(done),
        "versions": {one.version for one in done},
    }
    if clash := values.keys() & {*about, *origin}:
        raise ValueError(
            f"the metric {min(clash)!r} has the name of another column of the results; register it "
            "under another name"
        )
    return about | values | origin


def score_episode(
    cell: EvalTask, episode: Episode, prices: TokenPrices | None = None
) -> ScoredEpisode:
    """Return an episode as metrics read it; the keys of a table of prices are specs."""
    return ScoredEpisode(episode, cell.lineup, cell.entry.success, _find_prices(cell, prices))


def _hash_rules(episodes: Sequence[Episode], seats: Sequence[str]) -> str:
    """Return a hash of the rules that the evaluated seats read in the first episode."""
    if not episodes:
        return ""
    rules = min(episodes, key=lambda one: one.number).rules
    text = repr([rules.get(seat, "") for seat in seats]).encode()
    return hashlib.blake2b(text, digest_size=8).hexdigest()


def count_diagnoses(episodes: Iterable[Episode]) -> dict[str, dict[str, int]]:
    """Count the reasons for failure that the reports of episodes give.

    - `seats`: seats that did not do their part.
    - `actions`, `assertions`, `records`: missing calls, failed assertions, and tables whose records
      differ. Each counts once per episode.
    """
    counters: dict[str, Counter[str]] = {}
    for episode in episodes:
        diagnosis = episode.report.get("diagnosis")
        for kind in ("seats", "actions", "assertions", "records"):
            listed = diagnosis.get(kind) if isinstance(diagnosis, Mapping) else None
            names = {_name_diagnosis(one) for one in listed} if isinstance(listed, list) else set()
            counters.setdefault(kind, Counter()).update(names)
    return {kind: dict(counts.most_common()) for kind, counts in counters.items() if counts}


def _name_diagnosis(one: Any) -> str:
    """Return the name of one item of a diagnosis."""
    if not isinstance(one, Mapping):
        return str(one)
    return str(one["table"]) if "table" in one else f"{one.get('seat')}: {one.get('name')}"


def _describe_failure(failure: EpisodeFailure) -> str:
    return f"{failure.kind}: {failure.message}"


def _find_prices(cell: EvalTask, prices: TokenPrices | None) -> dict[str, tuple[float, float]]:
    """Return the prices by seat, for the seats that have one."""
    if not isinstance(prices, Mapping):
        return dict.fromkeys(cell.lineup, prices) if prices else {}
    seat_prices = {}
    for seat, spec in cell.agents.items():
        price = prices.get(spec) or (prices.get("") if seat in cell.lineup else None)
        if price:
            seat_prices[seat] = price
    return seat_prices


def _make_plain(row: JSONMapping) -> JSONObject:
    return {key: _make_plain_value(value) for key, value in row.items()}


def _make_plain_value(value: object) -> object:
    if isinstance(value, IntervalEstimate):
        return {name: _make_plain_value(one) for name, one in value._asdict().items()}
    if isinstance(value, Mapping):
        return {str(key): _make_plain_value(one) for key, one in value.items()}
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value
