"""Distances between the users of two sets of recorded conversations, such as a model and people."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import NamedTuple

import numpy as np

from gem_ma.envs.tau.likeness.conversation_features import DIMENSIONS, FeatureValue
from gem_ma.envs.tau.likeness.recorded_conversations import (
    RecordedConversation,
    choose_people,
    read_conversations,
)
from gem_ma.evaluation.statistics import IntervalEstimate
from gem_ma.rollouts.episode import Episode
from gem_ma.validation.arguments import check_each
from gem_ma.validation.json_types import JSONObject

RESAMPLES = 1000
SPLITS = 1000  # random halves of the people
_NORMAL_QUANTILE = 1.959964
_CHUNK_SIZE = 1 << 20  # weights in memory at once
_SHOWN_PLAYERS = 3

Features = Mapping[str, FeatureValue]
Weights = np.ndarray  # a row for each sample, a column for each conversation


class FeatureDistance(NamedTuple):
    """The means of one feature in both sets, nan for a category, and its distance."""

    name: str
    simulated: float
    people: float
    distance: float


class HalvesDistance(NamedTuple):
    """Distances between random halves of the people: their mean, and a limit for 95 percent.

    Both are scaled from the number of conversations in the halves to that of the sets.
    """

    mean: float
    limit: float


class DimensionDistance(NamedTuple):
    """The distance of a dimension: the mean distance of its features, from 0 to 1."""

    name: str
    distance: IntervalEstimate
    halves: HalvesDistance
    features: tuple[FeatureDistance, ...] = ()


class ConversationSet(NamedTuple):
    """What was compared: the number of conversations, their users, and how many did not count."""

    conversations: int
    players: Mapping[str, int]
    left_out: Mapping[str, int]


@dataclass(frozen=True)
class UserComparison:
    """How far the users of one set are from those of another.

    Attributes:
        has_people: whether people played the second set, as far as its records say who did.
        overall: the mean of the dimensions.
    """

    envs: tuple[str, ...]
    common_tasks: int
    simulated: ConversationSet
    people: ConversationSet
    has_people: bool
    dimensions: tuple[DimensionDistance, ...]
    overall: DimensionDistance

    @property
    def likeness(self) -> IntervalEstimate:
        """1 minus the overall distance."""
        value, low, high = self.overall.distance
        return IntervalEstimate(1 - value, 1 - high, 1 - low)

    def to_json(self) -> JSONObject:
        """Return the comparison as JSON; an unknown number is None."""
        rows = [
            {
                "name": row.name,
                "distance": _to_json_numbers(row.distance._asdict()),
                "halves": _to_json_numbers(row.halves._asdict()),
                "features": [_to_json_numbers(one._asdict()) for one in row.features],
            }
            for row in (*self.dimensions, self.overall)
        ]
        return {
            "envs": list(self.envs),
            "common_tasks": self.common_tasks,
            "simulated": self.simulated._asdict(),
            "people": {**self.people._asdict(), "has_people": self.has_people},
            "likeness": _to_json_numbers(self.likeness._asdict()),
            "dimensions": rows[:-1],
            "overall": rows[-1],
        }

    def __str__(self) -> str:
        nobody = "" if self.has_people else "; no record says that a person played"
        lines = [
            f"{', '.join(self.envs)}: {self.common_tasks} tasks in both",
            f"simulated: {_format_set(self.simulated)}",
            f"people: {_format_set(self.people)}{nobody}",
            f"{'':20}{'simulated':>9}{'people':>9}  {'distance':22}  people against people",
        ]
        for row in self.dimensions:
            mean, limit = map(_format_number, row.halves)
            lines.append(_format_row(row.name, row.distance, f"{mean}, 95 % at most {limit}"))
            for one in row.features:
                means = f"{_format_number(one.simulated, 2):>9}{_format_number(one.people, 2):>9}"
                lines.append(f"  {one.name:18}{means}  {_format_number(one.distance)}")
        mean, limit = (_format_number(1 - one) for one in self.overall.halves)
        lines.append(_format_row("likeness", self.likeness, f"{mean}, 95 % at least {limit}"))
        return "\n".join(lines)


def _to_json_numbers(values: Mapping[str, float | str]) -> JSONObject:
    return {
        name: None if isinstance(one, float) and math.isnan(one) else one
        for name, one in values.items()
    }


def _format_set(one: ConversationSet) -> str:
    names = list(one.players)[:_SHOWN_PLAYERS]
    more = len(one.players) - len(names)
    others = [f"{count} {reason}" for reason, count in one.left_out.items()]
    return (
        f"{one.conversations} conversations of {', '.join(names)}"
        + (f" and {more} more" if more else "")
        + (f" (left out: {', '.join(others)})" if others else "")
    )


def _format_number(value: float, digits: int = 3) -> str:
    return "-" if math.isnan(value) else f"{value:.{digits}f}"


def _format_row(name: str, estimate: IntervalEstimate, halves: str) -> str:
    value, low, high = map(_format_number, estimate)
    return f"{name:38}  {f'{value} [{low}, {high}]':22}  {halves}"


def compare_users(simulated: Iterable[Episode], people: Iterable[Episode]) -> UserComparison:
    """Return how far the users of some episodes are from people, in dimensions found by rule.

    Args:
        simulated: episodes of `tau:` or `tau2:`.
        people: others with the same ids. If people played the user in some, only these count.

    Raises:
        TypeError: An element is no Episode.
        ValueError: One of the two has no conversation of an id that the other has.
    """
    own, own_left_out = read_conversations(check_each(simulated, Episode, "simulated"))
    other, other_left_out = read_conversations(check_each(people, Episode, "people"))
    other, count = choose_people(other)
    if count:
        other_left_out["not played by a person"] += count
    for name, conversations, left_out in (
        ("simulated users", own, own_left_out),
        ("people", other, other_left_out),
    ):
        if not conversations:
            reasons = ", ".join(f"{count} {reason}" for reason, count in left_out.items())
            raise ValueError(
                f"there is no conversation of {name}; expected episodes of tau: or tau2:, got "
                f"{reasons or 'none'}"
            )
    other_envs = {one.env for one in other}
    envs = tuple(dict.fromkeys(one.env for one in own if one.env in other_envs))
    if not envs:
        raise ValueError(
            f"the simulated users played {_list_envs(own)}, and the people "
            f"{_list_envs(other)}: expected a common id"
        )
    for conversations, left_out in ((own, own_left_out), (other, other_left_out)):
        if count := sum(one.env not in envs for one in conversations):
            left_out["of an id that the other has not"] += count
    own, other = ([one for one in them if one.env in envs] for them in (own, other))
    tasks = [{(one.env, one.task) for one in them if one.task} for them in (own, other)]
    dimensions, overall = measure_distances(
        [one.features for one in own], [one.features for one in other]
    )
    return UserComparison(
        envs,
        len(tasks[0] & tasks[1]),
        ConversationSet(len(own), Counter(one.player for one in own), own_left_out),
        ConversationSet(len(other), Counter(one.player for one in other), other_left_out),
        any(one.by_person for one in other),
        dimensions,
        overall,
    )


def _list_envs(conversations: Sequence[RecordedConversation]) -> str:
    return ", ".join(dict.fromkeys(one.env for one in conversations))


def measure_distances(
    simulated: Sequence[Features], people: Sequence[Features]
) -> tuple[tuple[DimensionDistance, ...], DimensionDistance]:
    """Return the distance of each dimension, and the mean of all.

    The distance of a feature is the Kolmogorov-Smirnov distance of its values in the two sets, or
    for a category the total variation. An interval is the distance plus and minus 1.96 times its
    standard deviation in resamples of the conversations.
    """
    pooled, count = [*simulated, *people], len(simulated)
    own = np.arange(len(pooled)) < count
    exact = _measure_weighted(pooled, own[None], ~own[None])
    resampled = _measure_samples(pooled, _resample(own), RESAMPLES)
    half = len(people) // 2
    halves = _measure_samples(people, _split(len(people)), SPLITS if half else 0)
    # The distance of two samples of the same people falls with the root of 1/size + 1/size.
    scale = math.sqrt(
        (1 / count + 1 / len(people)) / (1 / half + 1 / (len(people) - half)) if half else 0.0
    )
    rows = []
    for name, features in (*DIMENSIONS.items(), ("overall", ())):
        few = min(count, len(people)) < 2
        value = float(exact[name][0])
        known = resampled[name][~np.isnan(resampled[name])]
        spread = 0.0 if few or not len(known) else float(known.std())
        reach = _NORMAL_QUANTILE * spread if spread else math.nan
        low, high = max(0.0, value - reach), min(1.0, value + reach)
        rows.append(
            DimensionDistance(
                name,
                IntervalEstimate(value, low if spread else reach, high if spread else reach),
                _summarize_halves(halves[name] * scale),
                tuple(
                    FeatureDistance(
                        one, _mean(simulated, one), _mean(people, one), float(exact[one][0])
                    )
                    for one in features
                ),
            )
        )
    return tuple(rows[:-1]), rows[-1]


def _mean(conversations: Sequence[Features], name: str) -> float:
    values = [one[name] for one in conversations if name in one]
    numbers = [value for value in values if not isinstance(value, str)]
    return fmean(numbers) if numbers else math.nan


def _summarize_halves(distances: np.ndarray) -> HalvesDistance:
    known = np.minimum(distances[~np.isnan(distances)], 1.0)
    if not len(known):
        return HalvesDistance(math.nan, math.nan)
    return HalvesDistance(float(known.mean()), float(np.quantile(known, 0.95)))


Sampler = Callable[[int], tuple[Weights, Weights]]


def _resample(own: np.ndarray) -> Sampler:
    """Return a function that draws conversations of both sets again, with replacement."""
    rng = np.random.Generator(np.random.PCG64(0))
    chances = [mask / mask.sum() for mask in (own, ~own)]
    sizes = [int(mask.sum()) for mask in (own, ~own)]

    def draw(rows: int) -> tuple[Weights, Weights]:
        left, right = (rng.multinomial(n, p, rows) for n, p in zip(sizes, chances, strict=True))
        return left, right

    return draw


def _split(count: int) -> Sampler:
    """Return a function that splits conversations into two random halves."""
    rng = np.random.Generator(np.random.PCG64(1))

    def draw(rows: int) -> tuple[Weights, Weights]:
        first = rng.random((rows, count)).argsort(axis=1) < count // 2
        return first, ~first

    return draw


def _measure_samples(
    conversations: Sequence[Features], draw: Sampler, samples: int
) -> dict[str, np.ndarray]:
    """Return the distances of the features, dimensions and of all, for each sample drawn."""
    rows = max(1, _CHUNK_SIZE // max(1, len(conversations)))
    parts = [
        _measure_weighted(conversations, *draw(min(rows, samples - start)))
        for start in range(0, samples, rows)
    ]
    names = (*DIMENSIONS, "overall")
    return {name: np.concatenate([np.empty(0), *(one[name] for one in parts)]) for name in names}


def _measure_weighted(
    conversations: Sequence[Features], left: Weights, right: Weights
) -> dict[str, np.ndarray]:
    """Return the distances between two weightings of conversations, in each row of weights."""
    distances: dict[str, np.ndarray] = {}
    for name, features in DIMENSIONS.items():
        for feature in features:
            values = [one.get(feature) for one in conversations]
            distances[feature] = _measure_feature(values, left, right)
        distances[name] = _average([distances[one] for one in features])
    distances["overall"] = _average([distances[name] for name in DIMENSIONS])
    return distances


def _measure_feature(
    values: Sequence[FeatureValue | None], left: Weights, right: Weights
) -> np.ndarray:
    """Return the distance of one feature in each row of weights, nan where a side has no value."""
    known = [place for place, value in enumerate(values) if value is not None]
    places = sorted(known, key=lambda place: values[place])  # type: ignore[arg-type, return-value]
    if not places:
        return np.full(len(left), np.nan)
    ordered = [values[place] for place in places]
    starts = [n for n, value in enumerate(ordered) if not n or value != ordered[n - 1]]
    masses = [
        np.add.reduceat(one[:, places].astype(float), starts, axis=1) for one in (left, right)
    ]
    with np.errstate(invalid="ignore"):  # 0/0 is nan
        shares = [mass / mass.sum(axis=1, keepdims=True) for mass in masses]
    gaps = shares[0] - shares[1]
    if isinstance(ordered[0], str):
        return np.abs(gaps).sum(axis=1) / 2
    return np.abs(gaps.cumsum(axis=1)).max(axis=1)


def _average(distances: Sequence[np.ndarray]) -> np.ndarray:
    """Return the mean of the known distances in each row, nan where all are unknown."""
    table = np.stack(distances)
    known = ~np.isnan(table)
    with np.errstate(invalid="ignore"):
        return np.where(known, table, 0.0).sum(axis=0) / known.sum(axis=0)
