"""Results of several evaluations as one table, of what can be compared and nothing else."""

from __future__ import annotations

import html
import json
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from gem_ma.evaluation.statistics import Estimate, average

SCHEMA = 1  # of results.json
NAMES = {  # of what has to be the same, as it is told
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
Key = tuple[str, str]  # the name of an entry, and the seat


class BadResults(ValueError):
    """A file that is no results.json of an evaluation; the message says what would be one."""


class Place(NamedTuple):
    """What one agent came to in one row of a suite."""

    success: Estimate
    earned: Estimate
    episodes: int
    cost: float  # of an episode; nan: nobody said a price
    records: str  # the file that holds the episodes


class Line(NamedTuple):
    """One agent: its mean over what all agents played, and each row."""

    agent: str
    success: Estimate
    cost: float
    places: dict[Key, Place]


class Table(NamedTuple):
    """Agents who played one suite, the best first."""

    suite: str
    rows: list[Key]
    common: list[Key]  # the rows of the mean: those that everybody has played to the end
    lines: list[Line]


class Standings(NamedTuple):
    """A table for each suite, and what is in none of them, and why."""

    tables: list[Table]
    refused: list[str]

    def plain(self) -> dict[str, Any]:
        """Return it as JSON values."""
        tables = [
            {
                "suite": table.suite,
                "mean of": [list(key) for key in table.common],
                "agents": [_plain_line(line) for line in table.lines],
            }
            for table in self.tables
        ]
        return {"tables": tables, "refused": self.refused}


def standings(files: Iterable[str | os.PathLike[str]]) -> Standings:
    """Merge the results of evaluations: files `results.json`, or the folders that hold them.

    Rows of one entry and seat stand in one column only if all that decides a score was the same.
    The first file that has a row says what that is; a row of another that differs is refused.
    """
    asked: dict[tuple[str, Key], tuple[Mapping[str, Any], str]] = {}
    places: dict[str, dict[str, dict[Key, Place]]] = {}
    refused: dict[str, list[Key]] = {}
    for path, results in map(read, files):
        suite = results["suite"]
        for row in results["rows"]:
            key, agent, question = _asked(row, results)
            who = f"{agent} in {path}, {suite}"
            if not row["episodes"]:
                refused.setdefault(f"{who}: no episode came to its end", []).append(key)
                continue
            first, where = asked.setdefault((suite, key), (question, str(path)))
            mine = places.setdefault(suite, {}).setdefault(agent, {})
            if differs := [name for name in NAMES if question[name] != first[name]]:
                said = ", ".join(
                    f"{NAMES[name]} ({_short(question[name])}, not {_short(first[name])})"
                    for name in differs
                )
                why = f"{who}: another question than in {where}: {said}"
                refused.setdefault(why, []).append(key)
            elif key in mine:
                why = f"{who}: it is in {mine[key].records} already"
                refused.setdefault(why, []).append(key)
            else:
                mine[key] = _place(row, path)
    order = [key for _, key in asked]
    tables = [
        _table(suite, agents, order) for suite, agents in places.items() if any(agents.values())
    ]
    return Standings(tables, [f"{why} ({_few(keys)})" for why, keys in refused.items()])


def _few(keys: Sequence[Key]) -> str:
    named = ", ".join(" ".join(key) for key in keys[:3])
    return named if len(keys) <= 3 else f"{len(keys)} rows: {named}, ..."


def read(file: str | os.PathLike[str]) -> tuple[Path, dict[str, Any]]:
    """Return the path of results, and what they say."""
    path = Path(file)
    path = path / "results.json" if path.is_dir() else path
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadResults(f"{path}: {error.strerror}; name a folder of gem-ma eval") from None
    except (ValueError, RecursionError) as error:
        raise BadResults(f"{path} is no JSON: {error}") from None
    if not isinstance(found, dict) or not {"rows", "suite", "schema"} <= found.keys():
        raise BadResults(f"{path} is no results.json of gem-ma eval of this release or later")
    if found["schema"] != SCHEMA:
        raise BadResults(
            f"{path} has schema {found['schema']}, and this release reads {SCHEMA}; run the same "
            "gem-ma eval again, which plays nothing twice, and it is written anew"
        )
    return path, found


def _asked(row: Mapping[str, Any], results: Mapping[str, Any]) -> tuple[Key, str, dict[str, Any]]:
    """Return which row it is, who was evaluated, and all that decides a score beside them."""
    try:
        entry = next(one for one in results["entries"] if one["name"] == row["entry"])
        own = {row["agents"][seat] for seat in row["evaluated"]}
        others = {s: who for s, who in row["agents"].items() if s not in row["evaluated"]}
        question = {**entry, "others": others, "data": row["data"], "prompts": row["prompts"]}
        question |= {"seed": results["seed"], "version": results["version"]}
        wanted = {name: question[name] for name in NAMES}
    except (KeyError, TypeError, StopIteration) as error:
        raise BadResults(f"results of {results['suite']}: no {error} in a row") from None
    return (row["entry"], row["seat"]), ", ".join(sorted(own)), wanted


def _place(row: Mapping[str, Any], path: Path) -> Place:
    return Place(
        _estimate(row["success"]),
        _estimate(row["return"]),
        row["episodes"],
        _estimate(row["cost"]).value,
        str(path.parent / row["records"]),
    )


def _estimate(told: Mapping[str, float | None] | None) -> Estimate:
    values = [(told or {}).get(name) for name in Estimate._fields]
    return Estimate(*(math.nan if value is None else value for value in values))


def _table(suite: str, agents: Mapping[str, dict[Key, Place]], order: Sequence[Key]) -> Table:
    agents = {agent: places for agent, places in agents.items() if places}
    rows = [key for key in dict.fromkeys(order) if any(key in one for one in agents.values())]
    common = [key for key in rows if all(key in one for one in agents.values())]
    lines = [
        Line(
            agent,
            average([places[key].success for key in common]),
            sum(place.cost * place.episodes for place in places.values()),
            places,
        )
        for agent, places in agents.items()
    ]
    lines.sort(key=lambda one: (-_or(one.success.value, -1), one.agent))
    return Table(suite, rows, common, lines)


def _or(value: float, other: float) -> float:
    return other if math.isnan(value) else value


def _plain_line(line: Line) -> dict[str, Any]:
    rows = [
        {
            "entry": key[0],
            "seat": key[1],
            "success": _plain(place.success),
            "return": _plain(place.earned),
            "episodes": place.episodes,
            "records": place.records,
        }
        for key, place in line.places.items()
    ]
    cost = None if math.isnan(line.cost) else line.cost
    return {"agent": line.agent, "success": _plain(line.success), "cost": cost, "rows": rows}


def _plain(estimate: Estimate) -> dict[str, float | None]:
    told = estimate._asdict()
    return {name: None if math.isnan(value) else value for name, value in told.items()}


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


# -- as words, and as a page -----------------------------------------------------------------------


def percent(one: Estimate) -> str:
    """Return a share with its interval."""
    if math.isnan(one.value):
        return "-"
    inside = "" if math.isnan(one.low) else f" [{100 * one.low:.0f}, {100 * one.high:.0f}]"
    return f"{100 * one.value:.1f}%{inside}"


def write_page(found: Standings, out: str | os.PathLike[str]) -> None:
    """Write tables as one HTML page, without a script; each row leads to its records."""
    path = Path(out).resolve()
    style = "".join(
        resources.files(__package__).joinpath("page", name).read_text("utf-8")
        for name in ("look.css", "standings.css")
    )
    body = "".join(_section(table, path.parent) for table in found.tables)
    if found.refused:
        listed = "".join(f"<li>{html.escape(one)}</li>" for one in found.refused)
        body += f"<h2>Not compared</h2><ul>{listed}</ul>"
    path.write_text(_PAGE.format(style=style, body=body), encoding="utf-8")


_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Leaderboard</title><style>
{style}</style></head><body><main><h1>Leaderboard</h1>
{body}
</main></body></html>
"""


def _section(table: Table, here: Path) -> str:
    """Return a suite as a table of HTML: agents below each other, rows beside each other."""
    esc = html.escape
    heads = "".join(
        f'<th scope="col">{esc(entry)}<br>{esc(seat)}</th>' for entry, seat in table.rows
    )
    priced = any(not math.isnan(line.cost) for line in table.lines)
    lines = []
    for place, line in enumerate(table.lines, 1):
        cells = "".join(_cell(line.places.get(key), here) for key in table.rows)
        cost = f"<td>{'-' if math.isnan(line.cost) else f'{line.cost:.2f}'}</td>" if priced else ""
        lines.append(
            f'<tr><td>{place}</td><th scope="row">{esc(line.agent)}</th>'
            f"<td><b>{percent(line.success)}</b>{_bar(line.success)}</td>{cost}{cells}</tr>"
        )
    left = len(table.rows) - len(table.common)
    said = f"Mean success over {len(table.common)} rows, each with its interval of 95 percent."
    said += f" {left} more were not played by everybody, and are in no mean." if left else ""
    cost = '<th scope="col">cost</th>' if priced else ""
    return (
        f"<section><h2>{esc(table.suite)}</h2><p>{said}</p>"
        f'<div class="wide" tabindex="0" role="region" aria-label="{esc(table.suite)}"><table>'
        f'<thead><tr><th scope="col">#</th><th scope="col">agent</th><th scope="col">mean</th>'
        f"{cost}{heads}</tr></thead><tbody>{''.join(lines)}</tbody></table></div></section>\n"
    )


def _cell(place: Place | None, here: Path) -> str:
    if place is None:
        return '<td class="muted">not played</td>'
    link = quote(Path(os.path.relpath(Path(place.records).resolve(), here)).as_posix())
    return (
        f'<td><a href="{html.escape(link)}">{percent(place.success)}</a>{_bar(place.success)}</td>'
    )


def _bar(one: Estimate) -> str:
    """Return an interval as a line, and the value as a mark on it."""
    if math.isnan(one.value):
        return ""
    low, high = (_or(end, one.value) * 100 for end in (one.low, one.high))
    at = 100 * one.value
    return (
        '<svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect class="all" width="100" height="2" y="3"/><rect x="{low:.1f}" y="2" height="4" '
        f'width="{max(high - low, 0.5):.1f}"/><rect class="at" x="{min(at, 98.5):.1f}" '
        'width="1.5" height="8"/></svg>'
    )
