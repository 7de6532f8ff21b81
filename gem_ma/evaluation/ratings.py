"""Ratings from the outcomes of pairs: Bradley-Terry with draws, Plackett-Luce, and cycles."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from gem_ma.evaluation.metrics import wilson

ELO = 400 / math.log(10)  # points for a factor of e in the odds
_PRIOR = 0.1  # of a squared strength, so that who never loses has a finite one


class Rating(NamedTuple):
    """An agent's strength in Elo points, and the interval that holds it 95 times in 100."""

    agent: str
    points: float
    low: float
    high: float


class Cycle(NamedTuple):
    """Agents each of which beats the next, and the last the first."""

    agents: tuple[str, ...]
    certain: bool  # every one of these wins is more than noise


def davidson(wins: np.ndarray, draws: np.ndarray) -> tuple[np.ndarray, float]:
    """Return the log strengths of agents, 0 on average, and the log of how common draws are.

    wins: [..., i, j] is how often i beat j; draws: symmetric. Leading dimensions are fitted one
    by one. Davidson's model: i wins, draws and loses as e^a, e^(d + (a+b)/2) and e^b stand to each
    other, fitted by Newton's method. A weak prior keeps what the outcomes leave open finite.
    """
    many = wins.shape[-1]
    if wins.ndim == 2:
        strengths, draw = _newton(wins[None], draws[None], many)
        return strengths[0], float(draw[0])
    strengths, draw = _newton(wins, draws, many)
    return strengths, draw  # type: ignore[return-value]


def _newton(wins: np.ndarray, draws: np.ndarray, many: int) -> tuple[np.ndarray, np.ndarray]:
    runs = len(wins)
    first, second = np.triu_indices(many, 1)
    won, lost = wins[:, first, second], wins[:, second, first]
    drawn = draws[:, first, second]
    games = won + drawn + lost
    pairs = len(first)
    # What each outcome of each pair takes from the parameters: the strengths, and draws last.
    features = np.zeros((3, pairs, many + 1))
    each = np.arange(pairs)
    features[0, each, first] = features[2, each, second] = 1
    features[1, each, first] = features[1, each, second] = 0.5
    features[1, :, many] = 1
    counts = np.stack([won, drawn, lost])  # outcome, run, pair
    params = np.zeros((runs, many + 1))
    prior = _PRIOR * np.eye(many + 1)
    for _ in range(100):
        logits = np.einsum("opk,rk->orp", features, params)
        logits -= logits.max(0)
        shares = np.exp(logits)
        shares /= shares.sum(0)
        gradient = np.einsum("orp,opk->rk", counts - games * shares, features) - params @ prior
        expected = np.einsum("orp,opk->rpk", shares, features)
        hessian = np.einsum("rp,orp,opk,opl->rkl", games, shares, features, features, optimize=True)
        hessian -= np.einsum("rp,rpk,rpl->rkl", games, expected, expected, optimize=True)
        step = np.linalg.solve(hessian + prior, gradient[:, :, None])[:, :, 0]
        step /= np.maximum(1, np.abs(step).max(1, keepdims=True))  # no leap from a flat start
        params += step
        if np.abs(step).max() < 1e-10:
            break
    strengths = params[:, :many]
    return strengths - strengths.mean(1, keepdims=True), params[:, many]


def bradley_terry(
    agents: Sequence[str],
    units: Sequence[np.ndarray],
    anchor: str | None = None,
    resamples: int = 200,
    seed: int = 0,
) -> tuple[list[Rating], float]:
    """Return the ratings of agents, best first, and how likely equals draw.

    units: arrays [n, agents, agents, 2] of wins and draws, one for each group of agents that met;
        its n entries (all matches on one start) are drawn again together for the intervals.
    anchor: the agent whose rating is 0; None: their mean is.
    """
    zero = None if anchor is None else agents.index(anchor)
    rng = np.random.Generator(np.random.PCG64(seed))
    shape = (len(agents), len(agents), 2)
    total, drawn = np.zeros(shape), np.zeros((resamples, *shape))
    for unit in units:
        total += unit.sum(0)
        counts = rng.multinomial(len(unit), [1 / len(unit)] * len(unit), size=resamples)
        drawn += np.tensordot(counts, unit, 1)
    best, draw = davidson(total[..., 0], total[..., 1])
    again, _ = davidson(drawn[..., 0], drawn[..., 1])
    if zero is not None:
        best, again = best - best[zero], again - again[:, zero : zero + 1]
    low, high = np.quantile(again, (0.025, 0.975), axis=0)
    ratings = [
        Rating(agent, *(float(ELO * value[i]) for value in (best, low, high)))
        for i, agent in enumerate(agents)
    ]
    equal = math.exp(draw) / (2 + math.exp(draw))
    return sorted(ratings, key=lambda one: (-one.points, one.agent)), equal


def plackett_luce(
    matches: Sequence[Mapping[str, float]], known: Mapping[str, tuple[float, float]] | None = None
) -> dict[str, tuple[float, float]]:
    """Return each agent's mean and doubt (openskill's mu and sigma) after matches in this order.

    matches: what each agent earned. known: what is known of some agents before.
    """
    try:
        from openskill.models import PlackettLuce
    except ImportError as error:
        raise ImportError(
            "Plackett-Luce needs openskill: pip install 'gem-ma[evaluation]'"
        ) from error
    model = PlackettLuce()
    table: dict[str, Any] = {
        agent: model.rating(mu=mu, sigma=sigma) for agent, (mu, sigma) in (known or {}).items()
    }
    for match in matches:
        names = list(match)
        teams = [[table.setdefault(name, model.rating())] for name in names]
        ranks = [float(sum(other > match[name] for other in match.values())) for name in names]
        for name, (rated,) in zip(names, model.rate(teams, ranks=ranks), strict=True):
            table[name] = rated
    return {name: (float(one.mu), float(one.sigma)) for name, one in table.items()}


def cycles(agents: Sequence[str], wins: np.ndarray, draws: np.ndarray) -> list[Cycle]:
    """Return a shortest cycle through each agent that is in one, each cycle once.

    One agent beats another that it takes more than half of the points from. Ratings along a line
    cannot say what a cycle says: look at the cross table then.
    """
    games = wins + wins.T + draws
    share = np.divide(wins + draws / 2, games, out=np.full(wins.shape, 0.5), where=games > 0)
    beats = share > 0.5
    found: dict[frozenset[int], Cycle] = {}
    for start in range(len(agents)):
        path = _shortest(beats, start)
        if path and frozenset(path) not in found:
            edges = zip(path, [*path[1:], path[0]], strict=True)
            certain = all(wilson(share[a, b] * games[a, b], games[a, b])[0] > 0.5 for a, b in edges)
            found[frozenset(path)] = Cycle(tuple(agents[i] for i in path), certain)
    return list(found.values())


def _shortest(beats: np.ndarray, start: int) -> list[int]:
    """Return the shortest way along wins from an agent back to it, or nothing."""
    paths, seen = [[start]], {start}
    while paths:
        longer = []
        for path in paths:
            for after in np.flatnonzero(beats[path[-1]]).tolist():
                if after == start:
                    return path
                if after not in seen:
                    seen.add(after)
                    longer.append([*path, after])
        paths = longer
    return []
