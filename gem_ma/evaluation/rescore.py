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

from gem_ma.apis.making import make
from gem_ma.apis.session import Session
from gem_ma.evaluation.statistics import Change, Estimate, difference, mean
from gem_ma.guards.given import each
from gem_ma.rollouts.episode import Episode
from gem_ma.rollouts.replay import ReplayError, replay

Reward = Callable[[Episode], Mapping[str, float]]


class Rescored(NamedTuple):
    """An episode, and what its seats earn now; nothing if its replies no longer fit its turns."""

    episode: Episode
    returns: Mapping[str, float]
    why: str = ""  # it does not fit


class Row(NamedTuple):
    """An agent in an environment: what it earned, what it would earn, and its place by each."""

    env: str
    agent: str
    before: Estimate
    after: Estimate
    change: Change
    place_before: int
    place_after: int
    episodes: int


class Rescoring(NamedTuple):
    """What came of all episodes."""

    episodes: list[Rescored]
    rows: list[Row]

    @property
    def lost(self) -> list[Rescored]:
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
                f"{row.agent:{wide}}  {row.episodes:8}  {_told(row.before):21}  "
                f"{_told(row.after):21}  {change}{place}"
            )
        lines.append(f"the order of agents, where there are several: Kendall's tau {self.kept:.2f}")
        for why, count in Counter(one.why for one in self.lost).most_common(5):
            lines.append(f"left out: {count}, since {why}")
        return "\n".join(lines)

    @property
    def kept(self) -> float:
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
    change: Mapping[str, Any] | Reward,
    *,
    trust: bool = False,
) -> Rescoring:
    """Play records again with other arguments, or pay them by a function of an episode.

    change: arguments of `make` that differ, such as {"partial": True}, {"user_reward": {"task": 1}}
        or {"penalty": 0.1}; or what returns the seats' returns of an episode.
    trust: run what a file of episodes names, though nobody registered it here.
    """
    played = [one for one in each(episodes, Episode, "episodes") if one.failure is None]
    if callable(change):
        told = [Rescored(one, dict(change(one))) for one in played]
    else:
        told = [_again(one, change, trust) for one in played]
    return Rescoring(told, _rows([one for one in told if not one.why]))


def _again(episode: Episode, change: Mapping[str, Any], trust: bool) -> Rescored:
    """Play an episode's replies under other arguments."""
    if episode.wrappers:
        return Rescored(episode, {}, f"it was played in {' in '.join(episode.wrappers)}")
    env = make(replace(episode.spec, kwargs={**episode.spec.kwargs, **change}), trust=trust)
    session, count = Session(env), 0
    try:
        for move in replay(session, episode):
            count = move.number + len(move.steps)
    except ReplayError as error:
        return Rescored(episode, {}, str(error))
    if session.due:
        return Rescored(episode, {}, "it is not over any more where it was")
    if count < len(episode.steps):
        return Rescored(episode, {}, f"it is over after {count} of {len(episode.steps)} steps now")
    return Rescored(episode, session.returns)


def _rows(told: list[Rescored]) -> list[Row]:
    found: dict[tuple[str, str], dict[Any, tuple[float, float]]] = {}
    for one in told:
        for seat, agent in one.episode.agents.items():
            key = one.episode.spec.id, agent
            pair = one.episode.returns[seat], float(one.returns[seat])
            found.setdefault(key, {})[one.episode.id, seat] = pair
    rows = []
    for (env, agent), pairs in found.items():
        old = {key: pair[0] for key, pair in pairs.items()}
        new = {key: pair[1] for key, pair in pairs.items()}
        before, after = mean(list(old.values())), mean(list(new.values()))
        change = difference(old, new)
        rows.append(Row(env, agent, before, after, change, 0, 0, len(pairs)))
    return sorted(
        (
            row._replace(
                place_before=_place(row, rows, "before"), place_after=_place(row, rows, "after")
            )
            for row in rows
        ),
        key=lambda row: (row.env, row.place_after, row.agent),
    )


def _told(one: Estimate) -> str:
    if one.low == one.high or math.isnan(one.low):
        return f"{one.value:.3f}"
    return f"{one.value:.3f} [{one.low:.3f}, {one.high:.3f}]"


def _place(row: Row, rows: list[Row], name: str) -> int:
    own = getattr(row, name).value
    return 1 + len([one for one in rows if one.env == row.env and getattr(one, name).value > own])
