"""Rescoring: recorded episodes are replayed under another reward or grader, without a model.

    result = rescore(load_episodes("played.jsonl"), {"partial": True})
    print(result)

The replies stay the same, but the environment may evaluate them differently. An episode is reported
separately if its replies no longer fit its turns, for example because a reply now ends it sooner.
Nobody knows how its agents would have replied from there.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from gem_ma.apis.factory import make
from gem_ma.apis.session import Session
from gem_ma.engine.config import EnvOptions
from gem_ma.evaluation.statistics import (
    ChangeEstimate,
    IntervalEstimate,
    estimate_change,
    estimate_mean,
)
from gem_ma.rollouts.episode import Episode
from gem_ma.rollouts.replay import ReplayError, replay
from gem_ma.validation.arguments import check_each

EpisodeReward = Callable[[Episode], Mapping[str, float]]


class RescoredEpisode(NamedTuple):
    """An episode and its new returns, which are empty if its replies no longer fit."""

    episode: Episode
    returns: Mapping[str, float]
    why: str = ""  # why it does not fit; "": it fits


class RescoreRow(NamedTuple):
    """An agent in an environment: its mean return and its rank, before and after the change."""

    env: str
    agent: str
    before: IntervalEstimate
    after: IntervalEstimate
    change: ChangeEstimate
    place_before: int
    place_after: int
    episodes: int


class RescoreResult(NamedTuple):
    """The result of `rescore`: all episodes, and a row for each environment and agent."""

    episodes: list[RescoredEpisode]
    rows: list[RescoreRow]

    @property
    def unfit_episodes(self) -> list[RescoredEpisode]:
        """The episodes whose replies no longer fit their turns."""
        return [one for one in self.episodes if one.why]

    def __str__(self) -> str:
        wide = max([len(row.agent) for row in self.rows] + [5])
        lines = [
            f"{'agent':{wide}}  episodes  before                 after                  change"
        ]
        env = ""
        for row in self.rows:
            if row.env != env:
                env = row.env
                lines.append(f"{env}:")
            moved = row.place_before - row.place_after
            place = f"  place {row.place_before} to {row.place_after}" if moved else ""
            change = _format_estimate(row.change, "+")
            lines.append(
                f"{row.agent:{wide}}  {row.episodes:8}  {_format_estimate(row.before):21}  "
                f"{_format_estimate(row.after):21}  {change}{place}"
            )
        lines.append(
            "the orders of agents before and after, if there are several: Kendall's tau "
            f"{self.rank_correlation:.2f}"
        )
        for why, count in Counter(one.why for one in self.unfit_episodes).most_common(5):
            lines.append(f"left out: {count}, since {why}")
        return "\n".join(lines)

    @property
    def rank_correlation(self) -> float:
        """Kendall's tau between the orders of agents before and after, over all environments."""
        pairs = [
            (one.before.value - other.before.value) * (one.after.value - other.after.value)
            for one in self.rows
            for other in self.rows
            if one.env == other.env and one.agent < other.agent
        ]
        signs = [(pair > 0) - (pair < 0) for pair in pairs]
        return sum(signs) / len(signs) if signs else 1.0


def rescore(
    episodes: Iterable[Episode],
    change: EnvOptions | EpisodeReward,
    *,
    trust: bool = False,
) -> RescoreResult:
    """Replay records with other arguments, or compute their returns with a function.

    Args:
        episodes: The records. Failed episodes are left out.
        change: Arguments of `make` that differ, such as {"partial": True}, {"user_reward": {"task":
            1}} or {"penalty": 0.1}. Or a function of an episode that computes its returns by seat.
        trust: Whether to run code that a file of episodes names, even if it is not registered here.

    Returns:
        The episodes with their new returns, and a row for each environment and agent.
    """
    played = [one for one in check_each(episodes, Episode, "episodes") if one.failure is None]
    if callable(change):
        rescored = [RescoredEpisode(one, dict(change(one))) for one in played]
    else:
        rescored = [_replay_episode(one, change, trust) for one in played]
    return RescoreResult(rescored, _make_rows([one for one in rescored if not one.why]))


def _replay_episode(episode: Episode, change: EnvOptions, trust: bool) -> RescoredEpisode:
    """Replay an episode with other arguments of its environment."""
    if episode.wrappers:
        around = " in ".join(episode.wrappers)
        return RescoredEpisode(episode, {}, f"the environment was wrapped by {around}")
    env = make(replace(episode.spec, kwargs={**episode.spec.kwargs, **change}), trust=trust)
    session, count = Session(env), 0
    try:
        for move in replay(session, episode):
            count = move.number + len(move.steps)
    except ReplayError as error:
        return RescoredEpisode(episode, {}, str(error))
    if session.due:
        return RescoredEpisode(episode, {}, "the episode now continues after its last step")
    if count < len(episode.steps):
        return RescoredEpisode(
            episode, {}, f"the episode now ends after {count} of {len(episode.steps)} steps"
        )
    return RescoredEpisode(episode, session.returns)


def _make_rows(told: list[RescoredEpisode]) -> list[RescoreRow]:
    scores: dict[tuple[str, str], dict[Any, tuple[float, float]]] = {}
    for one in told:
        for seat, agent in one.episode.agents.items():
            key = one.episode.spec.id, agent
            pair = one.episode.returns[seat], float(one.returns[seat])
            scores.setdefault(key, {})[one.episode.id, seat] = pair
    rows = []
    for (env, agent), pairs in scores.items():
        old = {key: pair[0] for key, pair in pairs.items()}
        new = {key: pair[1] for key, pair in pairs.items()}
        before, after = estimate_mean(list(old.values())), estimate_mean(list(new.values()))
        change = estimate_change(old, new)
        rows.append(RescoreRow(env, agent, before, after, change, 0, 0, len(pairs)))
    return sorted(
        (
            row._replace(
                place_before=_compute_rank(row, rows, "before"),
                place_after=_compute_rank(row, rows, "after"),
            )
            for row in rows
        ),
        key=lambda row: (row.env, row.place_after, row.agent),
    )


def _format_estimate(one: IntervalEstimate | ChangeEstimate, sign: str = "") -> str:
    """Return an estimate as text, without an interval if its values are all the same."""
    value, low, high = (f"{number:{sign}.3f}" for number in (one.value, one.low, one.high))
    if one.low == one.high or math.isnan(one.low):
        return value
    return f"{value} [{low}, {high}]"


def _compute_rank(row: RescoreRow, rows: list[RescoreRow], name: str) -> int:
    own = getattr(row, name).value
    return 1 + len([one for one in rows if one.env == row.env and getattr(one, name).value > own])
