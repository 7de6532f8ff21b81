"""Rescoring: records played again under another reward or grader, without a model.

    told = rescore(load_episodes("played.jsonl"), {"partial": True})
    print(told)

The replies stay what they were; what an environment makes of them may be other. An episode whose
turns come to be those of others, since a reply ends it sooner, say, is told apart: what its players
would have said from there on nobody knows.
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
    """An episode, and what its seats earn now; nothing if its replies no longer fit its turns."""

    episode: Episode
    returns: Mapping[str, float]
    why: str = ""  # it does not fit


class RescoreRow(NamedTuple):
    """An agent in an environment: what it earned, what it would earn, and its place by each."""

    env: str
    agent: str
    before: IntervalEstimate
    after: IntervalEstimate
    change: ChangeEstimate
    place_before: int
    place_after: int
    episodes: int


class RescoreResult(NamedTuple):
    """What came of all episodes."""

    episodes: list[RescoredEpisode]
    rows: list[RescoreRow]

    @property
    def unfit_episodes(self) -> list[RescoredEpisode]:
        """Those whose replies no longer fit."""
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
            change = f"{row.change.value:+.3f} [{row.change.low:+.3f}, {row.change.high:+.3f}]"
            lines.append(
                f"{row.agent:{wide}}  {row.episodes:8}  {_format_estimate(row.before):21}  "
                f"{_format_estimate(row.after):21}  {change}{place}"
            )
        lines.append(
            f"the order of agents, where there are several: Kendall's tau "
            f"{self.rank_correlation:.2f}"
        )
        for why, count in Counter(one.why for one in self.unfit_episodes).most_common(5):
            lines.append(f"left out: {count}, since {why}")
        return "\n".join(lines)

    @property
    def rank_correlation(self) -> float:
        """How alike the orders of agents are, over environments with several: Kendall's tau."""
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
    """Play records again with other arguments, or pay them by a function of an episode.

    Args:
        episodes: The records; those that failed are left out.
        change: Arguments of `make` that differ, such as {"partial": True}, {"user_reward": {"task":
            1}} or {"penalty": 0.1}; or what returns the seats' returns of an episode.
        trust: Run what a file of episodes names, though nobody registered it here.

    Returns:
        The episodes with their new returns, and a row of numbers for each environment and agent.
    """
    played = [one for one in check_each(episodes, Episode, "episodes") if one.failure is None]
    if callable(change):
        rescored = [RescoredEpisode(one, dict(change(one))) for one in played]
    else:
        rescored = [_replay_episode(one, change, trust) for one in played]
    return RescoreResult(rescored, _make_rows([one for one in rescored if not one.why]))


def _replay_episode(episode: Episode, change: EnvOptions, trust: bool) -> RescoredEpisode:
    """Play an episode's replies under other arguments."""
    if episode.wrappers:
        return RescoredEpisode(episode, {}, f"it was played in {' in '.join(episode.wrappers)}")
    env = make(replace(episode.spec, kwargs={**episode.spec.kwargs, **change}), trust=trust)
    session, count = Session(env), 0
    try:
        for move in replay(session, episode):
            count = move.number + len(move.steps)
    except ReplayError as error:
        return RescoredEpisode(episode, {}, str(error))
    if session.due:
        return RescoredEpisode(episode, {}, "it is not over any more where it was")
    if count < len(episode.steps):
        return RescoredEpisode(
            episode, {}, f"it is over after {count} of {len(episode.steps)} steps now"
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


def _format_estimate(one: IntervalEstimate) -> str:
    if one.low == one.high or math.isnan(one.low):
        return f"{one.value:.3f}"
    return f"{one.value:.3f} [{one.low:.3f}, {one.high:.3f}]"


def _compute_rank(row: RescoreRow, rows: list[RescoreRow], name: str) -> int:
    own = getattr(row, name).value
    return 1 + len([one for one in rows if one.env == row.env and getattr(one, name).value > own])
