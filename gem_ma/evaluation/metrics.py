"""The metrics of an evaluation: one function each, which all tables and pages use.

METRICS lists them in the order in which they are shown. The table of `gem-ma eval`, results.json,
the page of `gem-ma leaderboard`, `gem-ma eval compare` and the table of docs/evaluate.md use this
list.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from statistics import fmean
from typing import TYPE_CHECKING, Literal, TypeAlias

from gem_ma.agents.wrappers.cost_meter import price_tokens
from gem_ma.chat.reply import count_tokens
from gem_ma.evaluation.contests import find_outcome
from gem_ma.evaluation.statistics import (
    ChangeEstimate,
    IntervalEstimate,
    estimate_mean,
    estimate_rate,
    pass_at_k,
    pass_hat_k,
)
from gem_ma.game import clip_repr

if TYPE_CHECKING:
    from gem_ma.chat.conversation import Step
    from gem_ma.rollouts.episode import Episode

_NEAR = 1e-9

MetricValue: TypeAlias = (
    IntervalEstimate | Mapping[int, IntervalEstimate] | Mapping[str, IntervalEstimate] | None
)


@dataclass(frozen=True)
class ScoredEpisode:
    """A finished episode, seen from the evaluated seats."""

    episode: Episode
    seats: Sequence[str]  # the evaluated seats
    success_return: float  # the lowest return of a success
    prices: Mapping[str, tuple[float, float]]  # by seat, for a million tokens read, and written

    @cached_property
    def steps(self) -> list[Step]:
        """The steps of the evaluated seats."""
        return [step for step in self.episode.steps if step.agent in self.seats]

    @cached_property
    def total_return(self) -> float:
        """The mean return of the evaluated seats."""
        return fmean(self.episode.returns[seat] for seat in self.seats)

    @property
    def success(self) -> bool:
        """Whether the mean return reaches `success_return`."""
        return self.total_return >= self.success_return - _NEAR

    @property
    def outcome(self) -> str:
        """The outcome for the evaluated seats: "win", "draw" or "loss"."""
        return find_outcome(self.episode.returns, self.seats)

    @cached_property
    def usage(self) -> dict[str, tuple[int, int]]:
        """The tokens that each seat of the episode read and wrote."""
        used: dict[str, tuple[int, int]] = {}
        for step in self.episode.steps:
            (input_tokens, output_tokens), more = (
                used.get(step.agent, (0, 0)),
                count_tokens(step.reply),
            )
            used[step.agent] = input_tokens + more[0], output_tokens + more[1]
        return used

    @property
    def tokens(self) -> int:
        """The number of tokens that the evaluated seats read and wrote."""
        return sum(sum(self.usage.get(seat, ())) for seat in self.seats)

    @cached_property
    def costs(self) -> dict[str, float]:
        """The cost of each seat that has a price; without any prices, the recorded costs."""
        if self.prices:
            return {
                seat: price_tokens(self.usage.get(seat, (0, 0)), price)
                for seat, price in self.prices.items()
            }
        costs: dict[str, float] = {}
        for step in self.episode.steps:
            if (cost := getattr(step.reply, "cost", None)) is not None:
                costs[step.agent] = costs.get(step.agent, 0.0) + cost
        return costs

    @property
    def cost(self) -> float:
        """The cost of the evaluated seats; nan if the price of one of them is missing."""
        return sum(self._find_cost(seat) for seat in self.seats)

    @property
    def seconds(self) -> float:
        """The total time of the replies of the evaluated seats, in seconds."""
        return sum(_find_latency(step) for step in self.steps)

    def _find_cost(self, seat: str) -> float:
        unused = self.usage.get(seat, (0, 0)) == (0, 0)
        return self.costs.get(seat, 0.0 if unused and self.costs else math.nan)


@dataclass(frozen=True)
class EpisodeSample:
    """The input of a metric: the finished episodes of one environment and line-up.

    Attributes:
        starts: Episodes, grouped by start.
        trials: Number of requested episodes per start.
    """

    starts: Sequence[Sequence[ScoredEpisode]]
    trials: int = 1

    def estimate_share(
        self,
        count: Callable[[ScoredEpisode], float],
        of: Callable[[ScoredEpisode], float] | None = None,
    ) -> IntervalEstimate:
        """Return a share, with an interval that accounts for differences between starts.

        Args:
            count: Number of hits in an episode, such as its invalid replies; True counts as 1.
            of: Number of all cases in an episode, such as its replies; all cases have the same
                weight. None: an episode is one case, and all starts have the same weight.

        Returns:
            The share of hits, with Wilson's interval.
        """
        counts = [sum(map(of or _count_one, start)) for start in self.starts]
        weights = counts if of else [1] * len(counts)
        return estimate_rate([sum(map(count, start)) for start in self.starts], counts, weights)

    def estimate_mean(self, measure: Callable[[ScoredEpisode], float]) -> IntervalEstimate:
        """Return the mean of a number over episodes; each start has the same weight."""
        return estimate_mean([fmean(map(measure, start)) for start in self.starts])


@dataclass(frozen=True)
class Metric:
    """A metric of an evaluation: its name, how it is computed, and how it is shown.

    Attributes:
        name: Key in results.json.
        heading: Heading of its column. Metrics with the same heading share a column.
        description: How it is computed, in Markdown, for the documentation.
        compute: Function that computes it; None: the metric does not apply to these episodes.
        format: Function that formats one IntervalEstimate as text.
        terminal: Where `gem-ma eval` prints it: in a column of the table, as a curve over k below
            the table, or nowhere.
        overall: What `overall` of results.json holds: its mean over rows, its sum over episodes
            ("NAME in all"), or nothing.
        better: For `gem-ma eval compare`: 1 if more is better, -1 if less is better, 0 if neither.
            None: it is not compared.
        contest: Whether it applies only if seats win from each other.
    """

    name: str
    heading: str
    description: str
    compute: Callable[[EpisodeSample], MetricValue]
    format: Callable[[IntervalEstimate], str]
    terminal: Literal["column", "curve", "none"] = "column"
    overall: Literal["mean", "sum", "none"] = "none"
    better: int | None = None
    contest: bool = False


def format_number(one: IntervalEstimate | ChangeEstimate, digits: int = 2) -> str:
    """Return a number with its interval, or "" if it is unknown."""
    if math.isnan(one.value):
        return ""
    inside = "" if math.isnan(one.low) else f" [{one.low:.{digits}f}, {one.high:.{digits}f}]"
    return f"{one.value:.{digits}f}{inside}"


def format_percent(one: IntervalEstimate) -> str:
    """Return a share in percent with its interval, or "" if it is unknown."""
    if math.isnan(one.value):
        return ""
    inside = "" if math.isnan(one.low) else f" [{100 * one.low:.0f}, {100 * one.high:.0f}]"
    return f"{100 * one.value:.1f}%{inside}"


def format_metric_value(metric: Metric, value: MetricValue) -> str:
    """Return the value of a metric as text, or "" if the metric does not apply."""
    if value is None:
        return ""
    if isinstance(value, IntervalEstimate):
        return metric.format(value)
    sign = "k=" if metric.terminal == "curve" else ""
    points = ((f"{sign}{key}", metric.format(one)) for key, one in value.items())
    return ", ".join(f"{key} {text}" for key, text in points if text)


def format_cell(metrics: Sequence[Metric], values: Mapping[str, MetricValue]) -> str:
    """Return the text of a cell in a column that several metrics share."""
    texts = [format_metric_value(one, values.get(one.name)) for one in metrics]
    return "/".join(texts) if all(texts) else ""


def group_by_heading(metrics: Sequence[Metric]) -> dict[str, list[Metric]]:
    """Return metrics by the heading of their column, in their order."""
    columns: dict[str, list[Metric]] = {}
    for one in metrics:
        columns.setdefault(one.heading, []).append(one)
    return columns


def parse_value(data: object) -> MetricValue:
    """Return the value of a metric from results.json; None: there is none.

    Raises:
        ValueError: A value is not a number where one is expected.
    """
    if not isinstance(data, Mapping):
        return None
    if data.keys() & set(IntervalEstimate._fields):
        return IntervalEstimate(*(_parse_number(data.get(n)) for n in IntervalEstimate._fields))
    parts = ((str(key), parse_value(one)) for key, one in data.items())
    return {key: one for key, one in parts if isinstance(one, IntervalEstimate)}


def _parse_number(value: object) -> float:
    if value is None:
        return math.nan
    if type(value) is float or (type(value) is int and abs(value) < 1 << 53):
        return float(value)
    raise ValueError(f"expected a float, an int below 2**53 or null, got {clip_repr(str(value))}")


def format_metrics_table() -> str:
    """Return the Markdown table of docs/evaluate.md: the names and description of each metric."""
    lines = ["| metric | key in results.json | how it is computed |", "|---|---|---|"]
    for heading, those in group_by_heading(list(METRICS.values())).items():
        names = ", ".join(f"`{one.name}`" for one in those)
        words = "; ".join(dict.fromkeys(one.description for one in those))
        lines.append("| {} | {} | {} |".format(*(_escape(x) for x in (heading, names, words))))
    return "\n".join(lines)


def _escape(text: str) -> str:
    return text.replace("|", "\\|")


METRICS: dict[str, Metric] = {}


def register_metric(
    name: str,
    heading: str,
    description: str,
    *,
    format: Callable[[IntervalEstimate], str] = format_number,
    terminal: Literal["column", "curve", "none"] = "column",
    overall: Literal["mean", "sum", "none"] = "none",
    better: int | None = None,
    contest: bool = False,
) -> Callable[[Callable[[EpisodeSample], MetricValue]], Callable[[EpisodeSample], MetricValue]]:
    """Register a function as a metric; `Metric` explains the arguments.

    Args:
        name: Key in results.json.
        heading: Heading of its column.
        description: How it is computed.
        format: Function that formats one estimate as text.
        terminal: Where `gem-ma eval` prints it.
        overall: What `overall` of results.json holds.
        better: Whether more (1) or less (-1) is better, or neither (0). None: not compared.
        contest: Whether it applies only if seats win from each other.

    Returns:
        A decorator that returns the function unchanged.

    Raises:
        ValueError: A metric of that name exists.
    """
    if name in METRICS:
        raise ValueError(f"a metric {name!r} exists already; choose another name")

    def add(compute: Callable[[EpisodeSample], MetricValue]) -> Callable[..., MetricValue]:
        METRICS[name] = Metric(
            name, heading, description, compute, format, terminal, overall, better, contest
        )
        return compute

    return add


@register_metric(
    "success",
    "success",
    "the share of episodes whose return is at least the `success` of the entry (default: 1)",
    format=format_percent,
    overall="mean",
    better=1,
)
def compute_success(sample: EpisodeSample) -> IntervalEstimate:
    """Return the share of successful episodes."""
    return sample.estimate_share(lambda one: one.success)


_UNDER_ATTACK = "only of environments that report `attacked`, such as `inject:`"


@register_metric(
    "utility",
    "utility",
    f"the share of done user tasks among episodes without an attack; {_UNDER_ATTACK}",
    format=format_percent,
)
def compute_utility(sample: EpisodeSample) -> IntervalEstimate:
    """Return the share of done user tasks among episodes without an attack."""
    return _estimate_reported(sample, "utility", attacked=False)


@register_metric(
    "utility_under_attack",
    "utility under attack",
    f"the share of done user tasks among episodes with an attack; {_UNDER_ATTACK}",
    format=format_percent,
)
def compute_utility_under_attack(sample: EpisodeSample) -> IntervalEstimate:
    """Return the share of done user tasks among episodes with an attack."""
    return _estimate_reported(sample, "utility", attacked=True)


@register_metric(
    "attack_success_rate",
    "attack success",
    f"the share of attacks that reached their goal; {_UNDER_ATTACK}",
    format=format_percent,
)
def compute_attack_success_rate(sample: EpisodeSample) -> IntervalEstimate:
    """Return the share of attacks that reached their goal."""
    return _estimate_reported(sample, "attack_success", attacked=True)


def _estimate_reported(sample: EpisodeSample, name: str, *, attacked: bool) -> IntervalEstimate:
    """Return how often a report says `name`, of the episodes that were attacked, or were not."""
    return sample.estimate_share(
        lambda one: _is_reported(one, attacked) and one.episode.report.get(name) is True,
        of=lambda one: _is_reported(one, attacked),
    )


def _is_reported(one: ScoredEpisode, attacked: bool) -> bool:
    return one.episode.report.get("attacked") is attacked


@register_metric(
    "pass_at",
    "pass@k",
    "by k: the probability that at least one of k trials of a start succeeds; for k = 1, 2, 4, 8, "
    "... up to the number of trials, and for this number; an unbiased estimate from all trials",
    format=format_percent,
    terminal="curve",
)
def compute_pass_at(sample: EpisodeSample) -> Mapping[int, IntervalEstimate]:
    """Return pass@k for k = 1, 2, 4, ..., and for k equal to the number of trials."""
    return _compute_curve(pass_at_k, sample)


@register_metric(
    "pass_hat",
    "pass^k",
    "by k: the probability that all of k trials of a start succeed, as tau-bench reports it; for "
    "the same k, and unbiased too",
    format=format_percent,
    terminal="curve",
)
def compute_pass_hat(sample: EpisodeSample) -> Mapping[int, IntervalEstimate]:
    """Return pass^k for k = 1, 2, 4, ..., and for k equal to the number of trials."""
    return _compute_curve(pass_hat_k, sample)


@register_metric(
    "return",
    "return",
    "the return of an episode, as a mean over the evaluated seats",
    better=1,
)
def compute_return(sample: EpisodeSample) -> IntervalEstimate:
    """Return the mean return of the evaluated seats."""
    return sample.estimate_mean(lambda one: one.total_return)


def _format_whole_percent(one: IntervalEstimate) -> str:
    return f"{100 * one.value:.0f}"


_CONTEST = (
    "the share of episodes that the evaluated seats won, drew or lost; only in games in which a "
    "seat gains what others lose"
)


@register_metric("win", "win/draw/loss", _CONTEST, format=_format_whole_percent, contest=True)
def compute_wins(sample: EpisodeSample) -> IntervalEstimate:
    """Return the share of episodes that the evaluated seats won."""
    return sample.estimate_share(lambda one: one.outcome == "win")


@register_metric("draw", "win/draw/loss", _CONTEST, format=_format_whole_percent, contest=True)
def compute_draws(sample: EpisodeSample) -> IntervalEstimate:
    """Return the share of episodes that the evaluated seats drew."""
    return sample.estimate_share(lambda one: one.outcome == "draw")


@register_metric("loss", "win/draw/loss", _CONTEST, format=_format_whole_percent, contest=True)
def compute_losses(sample: EpisodeSample) -> IntervalEstimate:
    """Return the share of episodes that the evaluated seats lost."""
    return sample.estimate_share(lambda one: one.outcome == "loss")


@register_metric(
    "invalid",
    "invalid",
    "the share of replies of the evaluated seats that were no legal move",
    format=format_percent,
    overall="mean",
    better=-1,
)
def compute_invalid(sample: EpisodeSample) -> IntervalEstimate:
    """Return the share of replies that were invalid."""
    return sample.estimate_share(
        lambda one: sum(step.invalid is not None for step in one.steps),
        of=lambda one: len(one.steps),
    )


@register_metric(
    "forfeit",
    "forfeit",
    "the share of episodes in which an evaluated seat forfeited by invalid replies",
    format=lambda one: format_percent(one) if one.value > 0 else "",
    overall="mean",
)
def compute_forfeits(sample: EpisodeSample) -> IntervalEstimate:
    """Return the share of episodes in which an evaluated seat forfeited."""
    return sample.estimate_share(lambda one: bool({*one.episode.forfeits} & {*one.seats}))


@register_metric(
    "turns",
    "turns",
    "the number of replies of the evaluated seats in an episode",
    format=lambda one: _format_bare(one, ".1f"),
    overall="sum",
)
def compute_turns(sample: EpisodeSample) -> IntervalEstimate:
    """Return the mean number of replies of the evaluated seats in an episode."""
    return sample.estimate_mean(lambda one: len(one.steps))


@register_metric(
    "tokens",
    "tokens",
    "the number of recorded tokens that the evaluated seats read and wrote in an episode",
    format=lambda one: _format_bare(one, ".0f") if one.value else "",
    overall="sum",
    better=0,
)
def compute_tokens(sample: EpisodeSample) -> IntervalEstimate:
    """Return the mean number of tokens of an episode."""
    return sample.estimate_mean(lambda one: one.tokens)


@register_metric(
    "cost",
    "cost",
    "the cost of these tokens in an episode; only with prices, of `--price` or in the records",
    format=lambda one: _format_bare(one, ".4f"),
    terminal="none",
)
def compute_cost(sample: EpisodeSample) -> IntervalEstimate:
    """Return the mean cost of an episode."""
    return sample.estimate_mean(lambda one: one.cost)


@register_metric(
    "costs",
    "cost of each seat",
    "by seat: the cost of an episode for each seat whose model has a price, evaluated or not",
    format=lambda one: _format_bare(one, ".4f"),
    terminal="none",
)
def compute_costs(sample: EpisodeSample) -> Mapping[str, IntervalEstimate]:
    """Return the mean cost of an episode, by seat."""
    seats = {seat: None for start in sample.starts for one in start for seat in one.costs}
    return {seat: sample.estimate_mean(partial(_find_seat_cost, seat)) for seat in seats}


@register_metric(
    "seconds",
    "seconds",
    "the recorded seconds that the evaluated seats took to reply in an episode",
    format=lambda one: _format_bare(one, ".1f"),
    terminal="none",
    overall="sum",
)
def compute_seconds(sample: EpisodeSample) -> IntervalEstimate:
    """Return the mean time of all replies in an episode, in seconds."""
    return sample.estimate_mean(lambda one: one.seconds)


@register_metric(
    "latency",
    "s/reply",
    "the recorded seconds of a reply of the evaluated seats",
    format=lambda one: _format_bare(one, ".3f"),
)
def compute_latency(sample: EpisodeSample) -> IntervalEstimate:
    """Return the mean time of a reply in seconds; a start without replies counts as 0."""
    replies = [sum(len(one.steps) for one in start) for start in sample.starts]
    seconds = [sum(one.seconds for one in start) for start in sample.starts]
    return estimate_mean([s / n if n else 0.0 for s, n in zip(seconds, replies, strict=True)])


def _find_latency(step: Step) -> float:
    measured = getattr(step.reply, "latency", None)
    return float(step.seconds if measured is None else measured)


def _find_seat_cost(seat: str, one: ScoredEpisode) -> float:
    return one.costs.get(seat, 0.0)


def _count_one(one: ScoredEpisode) -> int:
    return 1


def _format_bare(one: IntervalEstimate, how: str) -> str:
    return "" if math.isnan(one.value) else format(one.value, how)


def _compute_curve(
    function: Callable[..., float], sample: EpisodeSample
) -> dict[int, IntervalEstimate]:
    """Return pass@k or pass^k for k = 1, 2, 4, ..., and for k equal to the number of trials."""
    trials, most = [[float(one.success) for one in start] for start in sample.starts], sample.trials
    out = {}
    for k in sorted({*(2**i for i in range(most.bit_length())), most}):
        # A start with fewer than k trials, because an episode failed, says nothing about k.
        parts = [one for one in trials if len(one) >= k]
        if parts:
            tries = [len(one) / k for one in parts]  # so that k=1 gives the success metric
            shares = [function({0: one}, k) for one in parts]
            came = [share * count for share, count in zip(shares, tries, strict=True)]
            out[k] = estimate_rate(came, tries, [1] * len(parts))
    return out
