"""A leaderboard of the results of several evaluations, for the rows that can be compared."""

from __future__ import annotations

import html
import json
import math
import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from gem_ma.evaluation.metrics import (
    METRICS,
    MetricValue,
    format_cell,
    format_percent,
    group_by_heading,
    parse_value,
)
from gem_ma.evaluation.runner.results import RESULTS_SCHEMA
from gem_ma.evaluation.statistics import IntervalEstimate, average_estimates
from gem_ma.evaluation.verification import EvaluationVerifier
from gem_ma.game import clip_repr
from gem_ma.validation.arguments import check_type
from gem_ma.validation.files import write_atomically
from gem_ma.validation.json_types import JSONMapping, JSONObject

CONDITION_LABELS = {  # what must be the same in compared rows, in words
    "id": "the environment",
    "arguments": "its arguments",
    "tasks": "the number of starts",
    "trials": "the trials of each",
    "seed": "the seed",
    "options": "the options of reset",
    "numbered": "how starts are numbered",
    "success": "what counts as a success",
    "context": "how much of a chat is read",
    "tools": "the tools",
    "sampling": "the sampling",
    "others": "who else sat there",
    "data": "the data",
    "prompts": "what the seats were told",
    "version": "the release that played",
}
_ROW_TYPES: Mapping[str, type] = {
    "entry": str,
    "seat": str,
    "records": str,
    "episodes": int,
    "agents": dict,
    "evaluated": list,
}
_MAX_FAULTS = 3  # in a message
RowKey = tuple[str, str]  # the name of an entry, and the seat


class BadResults(ValueError):
    """A file that is not the results.json of an evaluation; the message says what is expected."""


class RowResult(NamedTuple):
    """The result of one agent in one row of a suite."""

    success: IntervalEstimate
    earned: IntervalEstimate
    episodes: int
    cost: float  # mean of an episode; nan: no price is known
    records: str  # the file of the episodes
    metrics: Mapping[str, MetricValue]  # by name; older releases wrote fewer


class AgentResults(NamedTuple):
    """The results of one agent: its mean over the rows that all agents played, and each row."""

    name: str  # the alias, or the spec, shortened as long as it stays unique
    agent: str  # its spec
    success: IntervalEstimate
    cost: float
    results: dict[RowKey, RowResult]


class LeaderboardTable(NamedTuple):
    """The agents that played one suite, best first."""

    suite: str
    rows: list[RowKey]
    common_rows: list[RowKey]  # the rows of the mean: all agents have finished episodes in them
    agent_results: list[AgentResults]


class SuiteLeaderboard(NamedTuple):
    """A table for each suite, and the rows that no table includes, with reasons."""

    tables: list[LeaderboardTable]
    refused: list[str]

    def to_dict(self) -> JSONObject:
        """Return the leaderboard as JSON values."""
        tables = [
            {
                "suite": table.suite,
                "mean of": [list(key) for key in table.common_rows],
                "agents": [_agent_to_dict(line) for line in table.agent_results],
            }
            for table in self.tables
        ]
        return {"tables": tables, "refused": self.refused}


def merge_results(
    files: Iterable[str | os.PathLike[str]], *, verify: bool = False
) -> SuiteLeaderboard:
    """Merge the results of evaluations: files `results.json`, or the folders that hold them.

    "NAME=FILE" gives the agent of a file a name. Rows of the same entry and seat share a column
    only if all conditions of a score are the same. The first file with a row sets these conditions;
    a row with other conditions is refused.

    Args:
        files: The files or folders.
        verify: Play all episodes of each folder again without a model, and refuse rows whose
            records or results differ, are incomplete, or come from another release.
    """
    verifier = EvaluationVerifier()
    questions: dict[tuple[str, RowKey], tuple[JSONMapping, str]] = {}
    places: dict[str, dict[str, dict[RowKey, RowResult]]] = {}
    refused: dict[str, list[RowKey]] = {}
    specs: dict[str, str] = {}  # by alias
    for file in files:
        alias, source = _split_alias(file)
        path, results = load_results(source)
        suite = results["suite"]
        faults = verifier.verify(path.parent, results) if verify else {}
        for row in results["rows"]:
            key, agent, question = _parse_row(row, results)
            if alias and specs.setdefault(alias, agent) != agent:
                raise BadResults(
                    f"the name {alias} is given to two agents, {specs[alias]} and {agent}; use "
                    "another name for one of them"
                )
            agent = alias or agent
            who = f"{agent} in {path}, {suite}"
            if not row["episodes"]:
                refused.setdefault(f"{who}: no finished episode", []).append(key)
                continue
            if faults.get(key):
                why = f"{who}: not verified: {_join_faults(faults[key])}"
                refused.setdefault(why, []).append(key)
                continue
            first, where = questions.setdefault((suite, key), (question, str(path)))
            mine = places.setdefault(suite, {}).setdefault(agent, {})
            if differs := [name for name in CONDITION_LABELS if question[name] != first[name]]:
                difference = ", ".join(
                    f"{CONDITION_LABELS[name]} ({_shorten_value(question[name])}, not "
                    f"{_shorten_value(first[name])})"
                    for name in differs
                )
                why = f"{who}: other conditions than in {where}: {difference}"
                refused.setdefault(why, []).append(key)
            elif key in mine:
                why = f"{who}: {mine[key].records} has this row already"
                refused.setdefault(why, []).append(key)
            else:
                mine[key] = _parse_row_result(row, path)
    order = [key for _, key in questions]
    tables = [
        _build_table(suite, agents, order, specs)
        for suite, agents in places.items()
        if any(agents.values())
    ]
    return SuiteLeaderboard(
        tables, [f"{why} ({_format_keys(keys)})" for why, keys in refused.items()]
    )


def _join_faults(faults: Sequence[str]) -> str:
    more = len(faults) - _MAX_FAULTS
    return "; ".join(faults[:_MAX_FAULTS]) + (f"; {more} more" if more > 0 else "")


def _split_alias(file: str | os.PathLike[str]) -> tuple[str, str | os.PathLike[str]]:
    """Return the alias and the file of NAME=FILE; the alias is "" if there is none."""
    alias, equals, path = str(file).partition("=")
    return (alias, path) if equals and alias and not Path(file).exists() else ("", file)


_OPTIONS = re.compile(r"@\w+://[^?,]*|\?[^,]*")  # of a spec: its server's address, and its options


def _shorten_specs(agents: Iterable[str]) -> dict[str, str]:
    """Return specs without servers and options, except where two would become the same."""
    short = {agent: _OPTIONS.sub("", agent) for agent in agents}
    counts = Counter(short.values())
    return {agent: one if counts[one] == 1 else agent for agent, one in short.items()}


def _format_keys(keys: Sequence[RowKey]) -> str:
    named = ", ".join(" ".join(key) for key in keys[:3])
    return named if len(keys) <= 3 else f"{len(keys)} rows: {named}, ..."


def load_results(file: str | os.PathLike[str]) -> tuple[Path, JSONObject]:
    """Return the path and the checked content of a results.json."""
    path = Path(file)
    path = path / "results.json" if path.is_dir() else path
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadResults(f"{path}: {error.strerror}; name a folder of gem-ma eval") from None
    except (ValueError, RecursionError) as error:
        raise BadResults(
            f"{path} is not JSON ({error}); expected a results.json of gem-ma eval"
        ) from None
    missing = [
        name
        for name in ("rows", "schema", "suite")
        if not isinstance(data, dict) or name not in data
    ]
    if missing:
        raise BadResults(
            f"{path} has no {', '.join(missing)}; expected a results.json of gem-ma eval"
        )
    if data["schema"] != RESULTS_SCHEMA:
        raise BadResults(
            f"{path} has schema {data['schema']}, and this release of gem_ma reads schema "
            f"{RESULTS_SCHEMA}; run the same gem-ma eval again: it rewrites the file without "
            "playing finished episodes again"
        )
    _check_types(path, data)
    return path, data


def _check_types(path: Path, data: JSONMapping) -> None:
    """Raise BadResults if a value has another type than an evaluation writes."""

    def check(value: object, kind: type, place: str) -> None:
        if type(value) is not kind:
            got = clip_repr(str(value))
            raise BadResults(f"{path}: {place} is {got}, expected {kind.__name__}")

    check(data["suite"], str, "suite")
    check(data["rows"], list, "rows")
    for number, row in enumerate(data["rows"]):
        check(row, dict, f"a row ({number})")
        for name, kind in _ROW_TYPES.items():
            check(row.get(name), kind, f"{name!r} in a row ({number})")
        for agent in row["agents"].values():
            check(agent, str, f"an agent in a row ({number})")
        if not 0 <= row["episodes"] < 1 << 53:
            raise BadResults(
                f"{path}: 'episodes' in a row ({number}) is {row['episodes']}, expected 0 or more, "
                "below 2**53"
            )
        for name in ("success", "return", "cost", *METRICS):
            try:
                parse_value(row.get(name))
            except ValueError as error:
                raise BadResults(f"{path}: {name!r} in a row ({number}): {error}") from None


def _parse_row(row: JSONMapping, results: JSONMapping) -> tuple[RowKey, str, JSONObject]:
    """Return the key of a row, the evaluated agents, and all other conditions of its score."""
    try:
        entry = next(one for one in results["entries"] if one["name"] == row["entry"])
        own = {row["agents"][seat] for seat in row["evaluated"]}
        others = {s: who for s, who in row["agents"].items() if s not in row["evaluated"]}
        question = {**entry, "others": others, "data": row["data"], "prompts": row["prompts"]}
        question |= {"seed": results["seed"], "version": results["version"]}
        conditions = {name: question[name] for name in CONDITION_LABELS}
    except (KeyError, TypeError, StopIteration) as error:
        raise BadResults(
            f"results of {results['suite']}: a row is damaged ({type(error).__name__}: {error}); "
            "run the same gem-ma eval again to rewrite the file"
        ) from None
    return (row["entry"], row["seat"]), ", ".join(sorted(own)), conditions


def _parse_row_result(row: JSONMapping, path: Path) -> RowResult:
    return RowResult(
        _parse_estimate(row.get("success")),
        _parse_estimate(row.get("return")),
        row["episodes"],
        _parse_estimate(row.get("cost")).value,
        str(path.parent / row["records"]),
        {name: parse_value(row.get(name)) for name in METRICS},
    )


def _parse_estimate(data: object) -> IntervalEstimate:
    value = parse_value(data)
    return (
        value
        if isinstance(value, IntervalEstimate)
        else IntervalEstimate(math.nan, math.nan, math.nan)
    )


def _build_table(
    suite: str,
    agents: Mapping[str, dict[RowKey, RowResult]],
    order: Sequence[RowKey],
    specs: Mapping[str, str],
) -> LeaderboardTable:
    agents = {agent: places for agent, places in agents.items() if places}
    rows = [key for key in dict.fromkeys(order) if any(key in one for one in agents.values())]
    common = [key for key in rows if all(key in one for one in agents.values())]
    names = {**_shorten_specs(agents.keys() - specs.keys()), **{alias: alias for alias in specs}}
    lines = [
        AgentResults(
            names[agent],
            specs.get(agent, agent),
            average_estimates([places[key].success for key in common]),
            sum(place.cost * place.episodes for place in places.values()),
            places,
        )
        for agent, places in agents.items()
    ]
    lines.sort(key=lambda one: (-_replace_nan(one.success.value, -1), one.name))
    return LeaderboardTable(suite, rows, common, lines)


def _replace_nan(value: float, other: float) -> float:
    return other if math.isnan(value) else value


def _agent_to_dict(line: AgentResults) -> JSONObject:
    rows = [
        {
            "entry": key[0],
            "seat": key[1],
            "success": _estimate_to_dict(place.success),
            "return": _estimate_to_dict(place.earned),
            "episodes": place.episodes,
            "records": place.records,
        }
        for key, place in line.results.items()
    ]
    cost = None if math.isnan(line.cost) else line.cost
    return {
        "name": line.name,
        "agent": line.agent,
        "success": _estimate_to_dict(line.success),
        "cost": cost,
        "rows": rows,
    }


def _estimate_to_dict(estimate: IntervalEstimate) -> dict[str, float | None]:
    fields = estimate._asdict()
    return {name: None if math.isnan(value) else value for name, value in fields.items()}


def _shorten_value(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def format_share(one: IntervalEstimate) -> str:
    """Return a share with its interval, or "-" if it is unknown."""
    return format_percent(one) or "-"


def write_leaderboard_page(found: SuiteLeaderboard, out: str | os.PathLike[str]) -> None:
    """Write tables as one HTML page without scripts; each result links to its records."""
    check_type(found, SuiteLeaderboard, "found", "what `merge_results` returns")
    path = Path(out).resolve()
    style = "".join(
        resources.files(__package__).joinpath("page", name).read_text("utf-8")
        for name in ("look.css", "standings.css")
    )
    body = "".join(_render_section(table, path.parent) for table in found.tables)
    if found.refused:
        listed = "".join(f"<li>{html.escape(one)}</li>" for one in found.refused)
        body += f"<h2>Not compared</h2><ul>{listed}</ul>"
    write_atomically(path, _PAGE_TEMPLATE.format(style=style, body=body).encode())


_PAGE_TEMPLATE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Leaderboard</title><style>
{style}</style></head><body><main><h1>Leaderboard</h1>
{body}
</main></body></html>
"""


def _render_section(table: LeaderboardTable, here: Path) -> str:
    """Return a suite as an HTML table, with a line for each agent and a column for each row."""
    esc = html.escape
    heads = "".join(
        f'<th scope="col">{esc(entry)}<br>{esc(seat)}</th>' for entry, seat in table.rows
    )
    priced = any(not math.isnan(line.cost) for line in table.agent_results)
    lines = []
    for place, line in enumerate(table.agent_results, 1):
        cells = "".join(_render_cell(line.results.get(key), here) for key in table.rows)
        cost = f"<td>{'-' if math.isnan(line.cost) else f'{line.cost:.2f}'}</td>" if priced else ""
        lines.append(
            f'<tr><td>{place}</td><th scope="row" title="{esc(line.agent)}">{esc(line.name)}</th>'
            f"<td><b>{format_share(line.success)}</b>{_render_interval(line.success)}</td>{cost}{cells}</tr>"
        )
    left = len(table.rows) - len(table.common_rows)
    caption = (
        f"Mean success over {len(table.common_rows)} rows, each with its interval of 95 percent."
    )
    caption += f" {left} more were not played by everybody, and are in no mean." if left else ""
    cost = '<th scope="col">cost</th>' if priced else ""
    return (
        f"<section><h2>{esc(table.suite)}</h2><p>{caption}</p>{_render_hint(len(table.rows))}"
        f'<div class="wide" tabindex="0" role="region" aria-label="{esc(table.suite)}"><table>'
        f'<thead><tr><th scope="col">#</th><th scope="col" class="agent">agent</th>'
        f'<th scope="col">mean</th>'
        f"{cost}{heads}</tr></thead><tbody>{''.join(lines)}</tbody></table></div>{_metrics_section(table)}</section>\n"
    )


def _render_hint(columns: int) -> str:
    """Return the hint that narrow screens show above a wide table."""
    what = f"{columns} more columns" if columns > 1 else "one more column"
    return f'<p class="hint">Scroll the table sideways: it has {what}.</p>'


def _metrics_section(table: LeaderboardTable) -> str:
    """Return a folded table of all metrics of each agent in each row, without empty columns."""
    esc = html.escape
    places = [
        (line.name, key, line.results[key]) for line in table.agent_results for key in line.results
    ]
    columns = {
        heading: cells
        for heading, metrics in group_by_heading(list(METRICS.values())).items()
        if any(cells := [format_cell(metrics, place.metrics) for _, _, place in places])
    }
    heads = '<th scope="col" class="agent">agent</th>' + "".join(
        f'<th scope="col">{esc(one)}</th>' for one in ("environment", "seat", "episodes", *columns)
    )
    lines = []
    for i, (agent, (entry, seat), place) in enumerate(places):
        texts = [entry, seat, str(place.episodes), *(cells[i] for cells in columns.values())]
        rest = "".join(f"<td>{esc(text)}</td>" for text in texts)
        lines.append(f'<tr><th scope="row">{esc(agent)}</th>{rest}</tr>')
    return (
        f"<details><summary>all numbers</summary>{_render_hint(len(columns) + 3)}"
        f'<div class="wide" tabindex="0" role="region" '
        f'aria-label="all numbers of {esc(table.suite)}"><table><thead><tr>{heads}</tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table></div></details>"
    )


def _render_cell(place: RowResult | None, here: Path) -> str:
    if place is None:
        return '<td class="muted">not played</td>'
    link = quote(Path(os.path.relpath(Path(place.records).resolve(), here)).as_posix())
    cell = f'<a href="{html.escape(link)}">{format_share(place.success)}</a>'
    return f"<td>{cell}{_render_interval(place.success)}</td>"


def _render_interval(one: IntervalEstimate) -> str:
    """Return an interval as an SVG line, with a mark at the value."""
    if math.isnan(one.value):
        return ""
    low, high = (_replace_nan(end, one.value) * 100 for end in (one.low, one.high))
    at = 100 * one.value
    return (
        '<svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect class="all" width="100" height="2" y="3"/><rect x="{low:.1f}" y="2" height="4" '
        f'width="{max(high - low, 0.5):.1f}"/><rect class="at" x="{min(at, 98.5):.1f}" '
        'width="1.5" height="8"/></svg>'
    )
