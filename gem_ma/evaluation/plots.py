"""Figures of measurements, from learning curves to token counts; they need matplotlib.

Each function returns a figure, which you can change or save:

    save_figure(plot_win_rates(*read_tournament("cup")), "cup.svg")
"""

from __future__ import annotations

import functools
import json
import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from gem_ma.chat.reply import count_tokens
from gem_ma.evaluation.runner.eval_tasks import load_evaluation, load_task_episodes
from gem_ma.evaluation.runner.results import compute_row, summarize
from gem_ma.evaluation.statistics import IntervalEstimate, average_estimates, estimate_mean
from gem_ma.evaluation.viewer.episode_files import find_episode_files
from gem_ma.renderers.noises import NOISE_KINDS, PHOTO, ImageNoise, parse_noise
from gem_ma.renderers.photos import PhotoCamera
from gem_ma.rollouts.episode import Episode
from gem_ma.rollouts.records import load_episodes
from gem_ma.validation.json_types import JSONMapping, JSONObject

__all__ = [
    "BadPlot",
    "plot_learning_curves",
    "plot_pass_hat_k",
    "plot_robustness",
    "plot_tokens",
    "plot_win_rates",
    "read_log",
    "save_figure",
]

FIGURE_SUFFIXES = (".png", ".svg", ".pdf")


class BadPlot(ValueError):
    """The data has nothing that this figure can show."""


def make_figure(
    rows: int, columns: int, size: tuple[float, float], **shared: bool
) -> tuple[Any, Any]:
    """Return a figure and an array of its axes; `size` is the size of each axes in inches."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ImportError("figures need matplotlib: pip install 'gem-ma[plots]'") from None
    figure = Figure(figsize=(columns * size[0], rows * size[1]), layout="constrained")
    return figure, figure.subplots(rows, columns, squeeze=False, **shared)


def check_figure_path(path: str | os.PathLike[str]) -> Path:
    """Return a path whose suffix is a format of figures, or raise BadPlot."""
    path = Path(path)
    if path.suffix not in FIGURE_SUFFIXES:
        raise BadPlot(f"{path}: expected a name that ends in {', '.join(FIGURE_SUFFIXES)}")
    return path


def save_figure(figure: Any, path: str | os.PathLike[str]) -> None:
    """Write a figure to a file, and make its folder if needed."""
    path = check_figure_path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)


def draw_band(
    axes: Any,
    runs: Sequence[Sequence[float]],
    label: str,
    *,
    x: Sequence[float] | None = None,
    color: str | None = None,
    smooth: int = 1,
    middle: Callable[..., Any] = np.mean,
) -> float:
    """Draw the middle of runs as a line and their range as a band; return the line's last value.

    Args:
        runs: Numbers of each run. They are drawn up to the length of the shortest run.
        x: Positions of the numbers (default: 1, 2, ...).
        smooth: How many numbers, up to the current one, each point averages.
    """
    length = min(map(len, runs))
    if not length:
        raise BadPlot(f"{label}: one of {len(runs)} runs has no numbers yet; leave that run out")
    curves = np.array([compute_running_mean(run[:length], smooth) for run in runs])
    places = np.arange(1, length + 1) if x is None else np.asarray(x)[:length]
    line = middle(curves, axis=0)
    marker = "" if length > 1 else "."
    (line_artist,) = axes.plot(places, line, color=color, linewidth=1.8, marker=marker, label=label)
    if len(runs) > 1:
        lowest, highest = curves.min(0), curves.max(0)
        axes.fill_between(
            places, lowest, highest, color=line_artist.get_color(), alpha=0.2, linewidth=0
        )
    return float(line[-1])


def compute_running_mean(values: Sequence[float], count: int) -> list[float]:
    """Return for each value the mean of the last `count` values up to it."""
    sums = [0.0, *accumulate(values)]
    starts = (max(0, end - count) for end in range(1, len(sums)))
    return [(sums[end] - sums[at]) / (end - at) for end, at in enumerate(starts, 1)]


def plot_learning_curves(
    runs: Mapping[str, Sequence[Sequence[Mapping[str, float]]]],
    columns: Mapping[str, str],
    *,
    smooth: int = 10,
    title: str = "",
) -> Any:
    """Draw learning curves: the mean over seeds, and a band from the lowest to the highest.

    Args:
        runs: By name, the histories of its seeds, with one row for each update.
        columns: Columns of the rows and their labels; each column gets a panel.
        smooth: How many updates, up to the current one, each point averages.
    """
    figure, axes = make_figure(1, len(columns), (5.5, 3.6))
    for place, (column, label) in zip(axes[0], columns.items(), strict=True):
        for name, histories in runs.items():
            values = [[row[column] for row in rows if column in row] for rows in histories]
            if not all(values):
                there = ", ".join(histories[0][0]) if histories and histories[0] else "none"
                raise BadPlot(f"{name} has no column {column!r}; the columns are: {there}")
            end = draw_band(place, values, name, smooth=smooth)
            place.lines[-1].set_label(f"{name}: {end:.2f}")
        place.set(xlabel=f"updates, mean of {smooth}" if smooth > 1 else "updates", ylabel=label)
        place.grid(alpha=0.3)
        place.legend()
    if title:
        figure.suptitle(title, fontsize=10)
    return figure


_HISTORY_SUFFIX = ".history.jsonl"


def read_logs(sources: Iterable[str | os.PathLike[str]]) -> dict[str, list[list[JSONObject]]]:
    """Return histories by name: files NAME-SEED.jsonl with one row per line, or folders of them.

    If a folder holds histories that a Trainer wrote, only these are read. Their name comes from the
    file NAME-SEED.history.jsonl, or from the folder of NAME-SEED/history.jsonl.
    """
    files: list[Path] = []
    for source in map(Path, sources):
        if not source.exists():
            raise BadPlot(f"{source}: there is no such file or folder")
        every = sorted(source.rglob("*.jsonl")) if source.is_dir() else [source]
        files += [one for one in every if f".{one.name}".endswith(_HISTORY_SUFFIX)] or every
    runs: dict[str, list[list[JSONObject]]] = {}
    for file in files:
        rows = read_log(file)
        name = f".{file.name}".removesuffix(_HISTORY_SUFFIX)[1:].removesuffix(".jsonl")
        name = name or file.resolve().parent.name
        if rows:
            runs.setdefault(re.sub(r"-\d+$", "", name), []).append(rows)
    if not runs:
        raise BadPlot(f"no rows in {', '.join(map(str, sources))}: expected *.jsonl of a training")
    return runs


def read_log(path: str | os.PathLike[str]) -> list[JSONObject]:
    """Return the rows of a history, up to the last complete line."""
    rows = []
    with open(path, "rb") as file:
        for number, line in enumerate(file, 1):
            if not line.endswith(b"\n"):
                break  # the writer was stopped here
            try:
                row = json.loads(line)
            except ValueError as error:
                raise BadPlot(
                    f"{path}, line {number}: not JSON ({error}); expected the history of a training"
                ) from None
            if not isinstance(row, dict) or "step" not in row:
                raise BadPlot(
                    f"{path}, line {number}: 'step' is missing; expected the history of a training"
                )
            rows.append(row)
    return rows


def read_tournament(folder: str | os.PathLike[str]) -> tuple[list[str], list[list[float]], str]:
    """Return the agents of a tournament, best rated first, their win rates, and a note.

    Agents without a match come last. If matches are missing, the note says which ones there are,
    else it is "".
    """
    from gem_ma.evaluation.tournament import build_leaderboard

    board = build_leaderboard(folder)
    missing = sum(one["matches"] - one["played"] for one in board.missing)
    if not board.matches:
        none = f"none of {missing} matches" if missing else "no match"
        raise BadPlot(
            f"{folder}: {none} has ended yet; run the same gem-ma tournament again to continue it"
        )
    if not board.agents:
        raise BadPlot(
            f"{folder}: seats do not compete in {', '.join(board.unrated)}, so there are no win "
            "rates; plot a tournament of a competitive game"
        )
    order, rest = board.rank_agents(), [math.nan] * len(board.absent)
    rates = [[*(board.compute_points(i, j) for j in order), *rest] for i in order]
    rates += [[math.nan] * (len(order) + len(rest)) for _ in rest]
    there = ""
    if missing:
        there = f"{board.matches} of {board.matches + missing} matches"
        never = [" - ".join(one["agents"]) for one in board.missing if not one["played"]]
        there += f"; none of {', '.join(never[:3])}" if never else ""
        there += f" and {len(never) - 3} more line-ups" if len(never) > 3 else ""
    return [*(board.agents[i] for i in order), *board.absent], rates, there


def plot_win_rates(names: Sequence[str], rates: Any, there: str = "") -> Any:
    """Draw win rates as a matrix, the row against the column; a draw is half a win.

    Args:
        rates: A matrix of shares, nan for pairs without a match. `OpponentPool.compute_win_rates`
            of self-play also returns such a matrix.
        there: Which matches there are, if some are missing; the title shows their number.
    """
    shares = np.asarray(rates, float)
    size = 1.8 + 0.65 * len(names)
    figure, ((axes,),) = make_figure(1, 1, (size + 1, size))
    image = axes.imshow(shares, cmap="RdYlGn", vmin=0, vmax=1)
    for (row, column), share in np.ndenumerate(shares):
        if not math.isnan(share):
            color = "black" if 0.15 < share < 0.85 else "white"
            axes.text(column, row, f"{100 * share:.0f}", color=color, ha="center", va="center")
    axes.set_xticks(range(len(names)), names, rotation=45, ha="right")
    axes.set_yticks(range(len(names)), names)
    figure.colorbar(image, label="points of the row against the column")
    if there:
        figure.suptitle(f"unfinished: {there.partition(';')[0]}", fontsize=10)
    return figure


def read_evaluations(folders: Iterable[str | os.PathLike[str]]) -> dict[str, list[JSONObject]]:
    """Return the rows of each evaluation, by its folder."""
    return {str(folder): summarize(folder, *load_evaluation(folder)).rows for folder in folders}


def plot_pass_hat_k(evaluations: Mapping[str, Sequence[JSONMapping]]) -> Any:
    """Draw pass^k, the probability that k trials of a task all succeed, with 95% intervals.

    Args:
        evaluations: By name, the rows of an Evaluation. The mean over rows is drawn at each k that
            all rows have, so all points are means over the same rows.
    """
    figure, ((axes,),) = make_figure(1, 1, (5.5, 3.8))
    ks: set[int] = set()
    for name, rows in evaluations.items():
        curves: list[Mapping[int, IntervalEstimate]] = [
            row["pass_hat"] for row in rows if row["pass_hat"]
        ]
        common = sorted(set.intersection(*(set(curve) for curve in curves))) if curves else []
        if not common:
            raise BadPlot(
                f"{name} has no finished episode; run the same gem-ma eval again to continue it"
            )
        points = [average_estimates([curve[k] for curve in curves]) for k in common]
        values = [one.value for one in points]
        spans = [[one.value - one.low for one in points], [one.high - one.value for one in points]]
        label = name if len(curves) == 1 else f"{name}: mean of {len(curves)}"
        axes.errorbar(common, values, spans, marker="o", capsize=4, label=label)
        ks |= set(common)
    axes.set(xlabel="k, trials of a task", ylabel="pass^k: all of them succeed", ylim=(-0.03, 1.03))
    axes.set_xticks(sorted(ks))
    axes.grid(alpha=0.3)
    axes.legend()
    return figure


def read_robustness(
    folders: Iterable[str | os.PathLike[str]],
) -> dict[str, dict[ImageNoise, list[tuple[Any, IntervalEstimate]]]]:
    """Return, by folder and noise, the success in each environment for each evaluated seat."""
    successes: dict[str, dict[ImageNoise, list[tuple[Any, IntervalEstimate]]]] = {}
    for folder in folders:
        ways = successes[str(folder)] = {}
        for cell in load_evaluation(folder)[1]:
            arguments = dict(cell.entry.arguments)
            way = parse_noise(arguments.pop("noise", ""))
            success = compute_row(cell, load_task_episodes(folder, cell))["success"]
            place = cell.entry.id, cell.seat, json.dumps(arguments, sort_keys=True)
            ways.setdefault(way, []).append((place, success))
    return successes


def plot_robustness(
    evaluations: Mapping[str, Mapping[ImageNoise, Sequence[tuple[Any, IntervalEstimate]]]],
) -> Any:
    """Draw success over the strength of noise, a panel for each kind, with 95% intervals.

    Args:
        evaluations: The result of `read_robustness`. A line is the mean over the environments that
            were played without noise and at all strengths of a kind. Noise that combines several
            kinds is left out, because it has no single strength. Photos have a point for each
            camera, without a line.
    """
    kinds: dict[str, set[float | PhotoCamera]] = {}
    for way in (way for ways in evaluations.values() for way in ways if len(way.settings) == 1):
        kinds.setdefault(way.settings[0][0], set()).add(way.settings[0][1])
    if not kinds:
        raise BadPlot(
            "no environment was played with a single kind of noise; evaluate with one first, such "
            "as noise='blur:2'"
        )
    figure, axes = make_figure(1, len(kinds), (3.4, 3.2), sharey=True)
    for place, (kind, strengths) in zip(axes[0], kinds.items(), strict=True):
        order = [None, *sorted(strengths, key=functools.partial(_rank_strength, kind))]
        for name, ways in evaluations.items():
            values = {
                (way.settings[0][1] if way else None): {
                    key: one for key, one in rows if not math.isnan(one.value)
                }
                for way, rows in ways.items()
                if not way or (len(way.settings) == 1 and way.settings[0][0] == kind)
            }
            common = set.intersection(*map(set, values.values())) if set(values) - {None} else set()
            if not common:
                continue
            at = [number for number, strength in enumerate(order) if strength in values]
            points = [
                average_estimates([values[order[n]][key] for key in sorted(common)]) for n in at
            ]
            spans = [
                [one.value - one.low for one in points],
                [one.high - one.value for one in points],
            ]
            label = f"{name}: mean of {len(common)}"
            middles = [one.value for one in points]
            line = "" if kind == PHOTO else "-"
            place.errorbar(at, middles, spans, marker="o", linestyle=line, capsize=4, label=label)
        names = [f"{one:g}" if isinstance(one, float | int) else str(one) for one in order[1:]]
        if not place.containers:
            listed = ", ".join(names)
            raise BadPlot(
                f"no environment has finished episodes at all strengths of {kind} ({listed}); "
                "evaluate the same environments at each strength"
            )
        ticks = ["none", *(name.replace(":", "\n") for name in names)]  # held-out seeds are long
        place.set_xticks(range(len(order)), ticks)
        unit = "seed of the camera" if kind == PHOTO else NOISE_KINDS[kind].unit
        place.set(xlabel=f"{kind}: {unit}", ylim=(-0.03, 1.03))
        place.grid(alpha=0.3)
        place.legend(fontsize=8)
    axes[0][0].set_ylabel("success")
    return figure


def _rank_strength(kind: str, strength: float | PhotoCamera) -> tuple[bool, float]:
    """Return a key that sorts strengths by their effect, and cameras by split and seed."""
    if isinstance(strength, PhotoCamera):
        return strength.split == "held-out", strength.seed
    return False, NOISE_KINDS[kind].compute_effect(strength)


def read_episodes(sources: Iterable[str | os.PathLike[str]]) -> Iterator[Episode]:
    """Yield the episodes of files, and of all files in folders."""
    for source in sources:
        for path in find_episode_files(Path(source)):
            yield from load_episodes(path)


def plot_tokens(episodes: Iterable[Episode]) -> Any:
    """Draw the tokens that seats read and wrote: the mean of an episode, and at each turn."""
    seats = _count_tokens_by_seat(episodes)
    figure, ((left, right),) = make_figure(1, 2, (5.2, 2.4 + 0.3 * len(seats)))
    for place, turnwise in enumerate(seats.values()):
        color = f"C{place % 10}"
        totals = [np.sum([(0, 0), *turns], axis=0) for turns in turnwise]
        input_tokens, output_tokens = np.mean(totals, axis=0)
        whole = estimate_mean([float(sum(total)) for total in totals])
        left.barh(place, input_tokens, color=color, alpha=0.45)
        left.barh(place, output_tokens, left=input_tokens, color=color)
        if not math.isnan(whole.low):
            span = [[whole.value - whole.low], [whole.high - whole.value]]
            left.errorbar(whole.value, place, xerr=span, color="black", capsize=3)
        longest = max(map(len, turnwise))
        at = [[turns[n] for turns in turnwise if n < len(turns)] for n in range(longest)]
        for which, line in ((0, "--"), (1, "-")):
            values = [fmean(pair[which] for pair in pairs) for pairs in at]
            if any(values):
                right.plot(range(1, longest + 1), values, line, color=color, marker=".")
    several = len({env for env, _ in seats}) > 1
    left.set_yticks(range(len(seats)), [f"{e} {s}" if several else s for e, s in seats])
    left.invert_yaxis()
    left.set(xlabel="tokens of an episode: read (pale), written")
    right.xaxis.get_major_locator().set_params(integer=True)
    right.set(xlabel="turn of the seat", ylabel="tokens: read (dashed), written", ylim=(0, None))
    for axes in (left, right):
        axes.grid(alpha=0.3)
    return figure


def _count_tokens_by_seat(
    episodes: Iterable[Episode],
) -> dict[tuple[str, str], list[list[tuple[int, int]]]]:
    """Return, by environment and seat, the tokens read and written at each turn of each episode."""
    seats: dict[tuple[str, str], list[list[tuple[int, int]]]] = {}
    for episode in episodes:
        if episode.failure is None:
            for seat in episode.returns:
                turns = [count_tokens(step.reply) for step in episode.steps if step.agent == seat]
                seats.setdefault((episode.spec.id, seat), []).append(turns)
    if not any(sum(pair) for parts in seats.values() for turns in parts for pair in turns):
        raise BadPlot(
            "no reply has a number of tokens; expected episodes of agents that are language models"
        )
    return seats
