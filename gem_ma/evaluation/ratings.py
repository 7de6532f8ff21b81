"""Ratings from the outcomes of pairs: Bradley-Terry with draws, Plackett-Luce, and cycles."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from gem_ma.evaluation.statistics import wilson
from gem_ma.validation.arguments import check_each, check_type
from gem_ma.validation.extras import require_extra

ELO_SCALE = 400 / math.log(10)  # Elo points for a factor of e in the odds
_STRENGTH_PRIOR = 1e-5  # weight of a squared strength in the prior
_DRAW_PRIOR = 0.1  # weight of the squared log of how common draws are, in the prior
_CHUNK_SIZE = 1 << 15  # numbers of a table that are processed at once
_NO_DRAWS = -30.0  # the log of how common draws are, if there were none


class AgentRating(NamedTuple):
    """An agent's strength in Elo points, with its 95 percent interval."""

    agent: str
    points: float
    low: float
    high: float


class WinCycle(NamedTuple):
    """A cycle of agents: each beats the next, and the last beats the first."""

    agents: tuple[str, ...]
    certain: bool  # each of these wins is statistically significant


def fit_davidson(wins: np.ndarray, draws: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the log strengths of agents, with mean 0, and the log of how common draws are.

    In Davidson's model, i wins, draws and loses against j in the ratio of e^a, e^(d + (a+b)/2) and
    e^b. Newton's method fits it. A prior of very low weight keeps the result finite.

    Args:
        wins: [..., i, j] is how often i beat j. Leading dimensions are fitted separately.
        draws: [..., i, j] is how often i and j drew; symmetric.
    """
    for name, value in (("wins", wins), ("draws", draws)):
        check_type(value, np.ndarray, name)
        if value.ndim < 2 or value.shape[-1] != value.shape[-2] or value.shape != wins.shape:
            raise ValueError(
                f"{name} has the shape {value.shape}: expected (..., agents, agents), the same for "
                "wins and draws"
            )
    shape, many = wins.shape[:-1], wins.shape[-1]
    wins, draws = wins.reshape(-1, many, many), draws.reshape(-1, many, many)
    begin = np.zeros((len(wins), many + 1))
    begin[draws.sum((1, 2)) == 0, many] = _NO_DRAWS
    params, left = begin.copy(), np.arange(len(wins))
    chunk = max(1, _CHUNK_SIZE // many**2)
    for _ in range(200):
        far = np.zeros(len(left))
        for at in range(0, len(left), chunk):
            some = left[at : at + chunk]
            step = _compute_newton_step(wins[some], draws[some], params[some], begin[some])
            params[some] += step
            far[at : at + chunk] = np.abs(step).max(1)
        left = left[far > 1e-9]
        if not len(left):
            break
    strengths = params[:, :many] - params[:, :many].mean(1, keepdims=True)
    return strengths.reshape(shape), params[:, many].reshape(shape[:-1])


def _compute_newton_step(
    wins: np.ndarray, draws: np.ndarray, params: np.ndarray, begin: np.ndarray
) -> np.ndarray:
    """Return the step of Newton's method from these strengths and draws."""
    many = wins.shape[1]
    games = wins + wins.swapaxes(1, 2) + draws
    place = np.arange(many)
    prior = np.full(many + 1, _STRENGTH_PRIOR)
    prior[many] = _DRAW_PRIOR
    # Probability of each outcome of each pair, and variances of its points and of its draw.
    gap = (params[:, :many, None] - params[:, None, :many]) / 2
    level = params[:, many, None, None]
    top = np.maximum(np.abs(gap), level)
    won, lost, draw = np.exp(gap - top), np.exp(-gap - top), np.exp(level - top)
    total = won + lost + draw
    won, lost, draw = won / total, lost / total, draw / total
    share = won + draw / 2
    certain = games * (won * lost + draw * (won + lost) / 4)
    mixed = games * (draw / 2 - share * draw)
    gradient = (begin - params) * prior
    gradient[:, :many] += (wins + draws / 2 - games * share).sum(2)
    gradient[:, many] += (draws - games * draw).sum((1, 2)) / 2
    hessian = np.zeros((len(wins), many + 1, many + 1))
    hessian[:, :many, :many] = -certain
    hessian[:, place, place] = certain.sum(2) - certain[:, place, place]
    hessian[:, :many, many] = hessian[:, many, :many] = mixed.sum(2)
    hessian[:, many, many] = (games * draw * (1 - draw)).sum((1, 2)) / 2
    step: np.ndarray = np.linalg.solve(hessian + np.diag(prior), gradient[:, :, None])[:, :, 0]
    step /= np.maximum(1, np.abs(step).max(1, keepdims=True))  # limits the step from a flat start
    return step


def fit_bradley_terry(
    agents: Sequence[str],
    units: Sequence[np.ndarray],
    anchor: str | None = None,
    resamples: int = 1000,
    seed: int = 0,
) -> tuple[list[AgentRating], float]:
    """Return the ratings of agents, best first, and the probability that equals draw.

    The prior adds one start for each agent, half won and half lost, in equal parts against all
    others. So an agent that never lost has a finite rating with a wide interval.

    The intervals come from the proper Bayesian bootstrap: starts and the prior get random weights,
    whose means are their usual counts. For two agents that never draw, this is Jeffreys' interval.

    Args:
        units: Arrays [n, agents, agents, 2] of wins and draws, one for each group of agents that
            played each other. Each of the n entries holds all matches on one start, which share a
            random weight.
        anchor: The agent whose rating is 0. None: the mean rating is 0.
    """
    check_type(agents, Sequence, "agents")
    if anchor is not None and anchor not in agents:
        raise ValueError(f"anchor={anchor!r}: expected one of {', '.join(map(str, agents))}")
    check_type(resamples, int, "resamples", "a whole number")
    check_type(seed, int, "seed", "a whole number")
    if resamples < 1 or seed < 0:
        raise ValueError(
            f"resamples={resamples}, seed={seed}: expected resamples of 1 or more, and a seed of 0 "
            "or more"
        )
    zero = None if anchor is None else agents.index(anchor)
    rng = np.random.Generator(np.random.PCG64(seed))
    many = len(agents)
    shape = (many, many, 2)
    total, bootstrap_totals = np.zeros(shape), np.zeros((resamples, *shape))
    games = met = 0.0
    for unit in check_each(units, np.ndarray, "units"):
        if unit.shape[1:] != shape:
            raise ValueError(
                f"one of units has the shape {unit.shape}: expected (n, {many}, {many}, 2)"
            )
        total += unit.sum(0)
        flat = unit.reshape(len(unit), -1)
        (there,) = np.nonzero(flat.any(0))
        weights = rng.standard_exponential((resamples, len(unit)))
        bootstrap_totals.reshape(resamples, -1)[:, there] += weights @ flat[:, there]
        of_pair = np.triu(unit[..., 0] + unit[..., 0].swapaxes(1, 2) + unit[..., 1], 1)
        games, met = games + of_pair.sum(), met + np.count_nonzero(of_pair)
    start = games / met if met else 1.0  # the matches of a pair on one start
    parts = (1 - np.eye(many)) / max(1, many - 1) / 2
    total[..., 0] += start * parts
    bootstrap_totals[..., 0] += start * rng.standard_gamma(parts, (resamples, many, many))
    best, draw = fit_davidson(total[..., 0], total[..., 1])
    again, _ = fit_davidson(bootstrap_totals[..., 0], bootstrap_totals[..., 1])
    if zero is not None:
        best, again = best - best[zero], again - again[:, zero : zero + 1]
    low, high = np.quantile(again, (0.025, 0.975), axis=0)
    ratings = [
        AgentRating(agent, *(float(ELO_SCALE * value[i]) for value in (best, low, high)))
        for i, agent in enumerate(agents)
    ]
    equal = 1 / (1 + 2 * math.exp(-float(draw)))
    return sorted(ratings, key=lambda one: (-one.points, one.agent)), equal


def fit_plackett_luce(
    matches: Sequence[Mapping[str, float]], known: Mapping[str, tuple[float, float]] | None = None
) -> dict[str, tuple[float, float]]:
    """Return each agent's mu and sigma of openskill after matches in this order.

    Args:
        matches: For each match, the return of each agent.
        known: Earlier values of some agents. None: there are none.
    """
    check_type(known, (Mapping, type(None)), "known")
    matches = list(check_each(matches, Mapping, "matches", "what each agent earned"))
    with require_extra("evaluation", "Plackett-Luce"):
        from openskill.models import PlackettLuce
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


def find_cycles(agents: Sequence[str], wins: np.ndarray, draws: np.ndarray) -> list[WinCycle]:
    """Return a shortest cycle through each agent that is in a cycle; each cycle is listed once.

    An agent beats another if it won more than half of the points. Ratings on a line cannot show a
    cycle; look at the cross table instead.
    """
    games = wins + wins.T + draws
    share = np.divide(wins + draws / 2, games, out=np.full(wins.shape, 0.5), where=games > 0)
    beats = share > 0.5
    cycles: dict[frozenset[int], WinCycle] = {}
    for start in range(len(agents)):
        path = _find_shortest_cycle(beats, start)
        if path and frozenset(path) not in cycles:
            edges = zip(path, [*path[1:], path[0]], strict=True)
            certain = all(wilson(share[a, b] * games[a, b], games[a, b])[0] > 0.5 for a, b in edges)
            cycles[frozenset(path)] = WinCycle(tuple(agents[i] for i in path), certain)
    return list(cycles.values())


def _find_shortest_cycle(beats: np.ndarray, start: int) -> list[int]:
    """Return the shortest cycle of wins from an agent back to itself; [] if there is none."""
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
