"""Ratings of players from matches without prepared positions, undone moves or extra views."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from gem_ma.evaluation.ratings import fit_plackett_luce
from gem_ma.rollouts.outcomes import is_zero_sum
from gem_ma.serving.arena.match_files import MatchInfo


class PlayerRating(NamedTuple):
    """A player's rating: openskill's mean, and the half-width of its 95% interval (`doubt`)."""

    name: str
    mean: float
    doubt: float
    matches: int


def find_unrated_reason(info: MatchInfo) -> str:
    """Return the reason why a match, finished or not, is not rated, or "" if it is rated."""
    players = info.list_players()
    if len(players) < 2:
        return "one plays alone"
    if not is_zero_sum(info.env):
        return "nobody wins here what another loses"
    if info.of or info.past:
        return "it began where a record stood, whose deal may be known"
    if info.takes_back:
        return "moves may be taken back"
    if info.watched:
        return "spectators see more than a seat does"
    names = [name for name in players.values() if name != "human:"]
    if len({name.casefold() for name in names}) < len(names):
        return "one player sits in several seats"
    if info.left and not info.returns:
        return "it was left before anybody had moved, or by an agent"
    return ""


def rate_players(infos: Iterable[MatchInfo]) -> dict[str, list[PlayerRating]]:
    """Return ratings from the rated finished matches, by environment, the best first."""
    returns_by_env: dict[str, list[dict[str, float]]] = {}
    for info in sorted(infos, key=lambda one: one.begun):
        if info.ended and not find_unrated_reason(info):
            names = info.list_players()
            returns = {name: info.returns.get(seat, 0.0) for seat, name in names.items()}
            returns_by_env.setdefault(info.env, []).append(returns)
    return {env: _rate_matches(matches) for env, matches in returns_by_env.items()}


def _rate_matches(matches: list[dict[str, float]]) -> list[PlayerRating]:
    estimates = fit_plackett_luce(matches)
    match_counts = Counter(name for match in matches for name in match)
    rated = [
        PlayerRating(name, mu, 1.96 * sigma, match_counts[name])
        for name, (mu, sigma) in estimates.items()
    ]
    return sorted(rated, key=lambda one: (-one.mean, one.name))
