"""Compare estimators of advantages with the exact gradient, by enumerating all batches.

    python benchmarks/estimators.py

The games are Kuhn poker, in which two seats with secrets take turns, and a game of one seat and two
steps whose first step can end it. Every possible batch of three episodes is weighted by its
probability. So the bias and variance of the gradient estimate are exact, without sampling. The
policy is arbitrary: drawn once and the same for all.

- `scale`: length of the mean estimate in the direction of the gradient, relative to the gradient.
- `off`: the part of the mean estimate in other directions, relative to the part in this direction.
- `variance`: variance of the estimate relative to its squared mean, as a multiple of that of plain
  returns.
- `turns`: turns that are played for an estimate, as a multiple of those of plain returns. `vine`
  plays continuations of each position; the others play nothing but the episodes.
"""

import argparse
import itertools
from collections import defaultdict
from functools import partial
from typing import NamedTuple

import numpy as np

from gem_ma.envs.cards.kuhn_poker import AGENTS, CARDS, State
from gem_ma.training import TurnTable, compute_returns, dr_grpo, gae, grpo, rae, rebn, rloo

BATCH = 3  # episodes
EXACT = 1e-9


class Move(NamedTuple):
    """A turn: the seat, its information, which of its two moves it made, and the reward."""

    seat: str
    knows: str
    move: int
    reward: float


class Play(NamedTuple):
    """An episode, its probability under chance and policy, and its start."""

    start: int
    chance: float
    moves: tuple


class Setting(NamedTuple):
    """A game, a policy, and the parameter of each situation."""

    plays: list
    policy: dict  # situation -> probability of the first move
    place: dict  # situation -> its parameter
    count: int  # parameters


def kuhn(policy):
    """Yield all episodes of Kuhn poker, with the rewards of each seat's turns."""
    deals = list(itertools.permutations(CARDS, 2))
    for start, cards in enumerate(deals):
        for chance, path, state in paths(State(cards), policy, 1.0, ()):
            totals, last = state.returns(), {}
            for number, (seat, _, _) in enumerate(path):
                last[seat] = number
            yield Play(start, chance / len(deals), tuple(
                Move(seat, knows, move, totals[seat] if last[seat] == number else 0.0)
                for number, (seat, knows, move) in enumerate(path)
            ))  # fmt: skip


def paths(state, policy, chance, path):
    if not state.to_act():
        yield chance, path, state
        return
    (seat,) = state.to_act()
    view = state.seen_by(seat)
    knows = f"{seat} {view}"
    for move, text in enumerate(state.legal(seat)):
        likely = policy[knows] if move == 0 else 1 - policy[knows]
        after = state._replace(bets=(*state.bets, text))
        yield from paths(after, policy, chance * likely, (*path, (seat, knows, move)))


def steps(policy):
    """Yield all episodes of a game of two steps, whose second step depends on the first."""
    coin = ((0.25, 1.0), (0.75, 0.0))
    for move, likely in ((0, policy["first"]), (1, 1 - policy["first"])):
        if move == 1:  # ends the game
            yield Play(0, likely, (Move("player", "first", 1, 0.4),))
            continue
        for second, then in ((0, policy["second"]), (1, 1 - policy["second"])):
            for chance, luck in coin:
                earned = luck if second == 0 else 0.6
                moves = Move("player", "first", 0, 0.1), Move("player", "second", second, earned)
                yield Play(0, likely * then * chance, moves)


def situations(game):
    """Return all situations of a game, found by playing it with a uniform policy."""
    even = defaultdict(lambda: 0.5)
    return sorted({move.knows for play in game(even) for move in play.moves})


def setting(game, shared=False):
    known, rng = situations(game), np.random.default_rng(7)
    policy = dict(zip(known, rng.uniform(0.25, 0.75, len(known)).tolist(), strict=True))
    place = {name: number for number, name in enumerate(known)}
    if shared:  # both seats have the same parameters, two for three situations each
        place = {name: number % 4 for number, name in enumerate(known)}
        policy = {name: (0.3, 0.45, 0.6, 0.7)[place[name]] for name in known}
    return Setting(list(game(policy)), policy, place, max(place.values()) + 1)


def table(plays, value):
    """Return the turns of a batch in the form that the estimators take."""
    rows, ends = [], {}
    for number, play in enumerate(plays):
        for step, one in enumerate(play.moves):
            trajectory = 2 * number + AGENTS.index(one.seat) if one.seat in AGENTS else number
            ends[trajectory] = len(rows)
            told = one.reward, value[one.knows]
            rows.append((str(number), step, one.seat, play.start, trajectory, *told))
    columns = [np.array(column) for column in zip(*rows, strict=True)]
    last = np.zeros(len(rows), bool)
    last[list(ends.values())] = True
    episode, step, seat, group, trajectory, reward, expected = columns
    env, cut = np.full(len(rows), "game"), np.zeros(len(rows), bool)
    return TurnTable(episode, step, seat, env, seat, group, trajectory, reward, last, cut, expected)


def by_position(rows, alone=False):
    """Return G minus the mean G of a seat's turns with the same number in their episode.

    Args:
        rows: the turns of a batch.
        alone: take the mean over other episodes only.
    """
    led = compute_returns(rows)
    place, seen = np.zeros(len(rows), int), defaultdict(int)
    for number, trajectory in enumerate(rows.trajectory.tolist()):
        place[number] = seen[trajectory]
        seen[trajectory] += 1
    found = np.zeros(len(rows))
    for number in range(len(rows)):
        alike = (place == place[number]) & (rows.seat == rows.seat[number])
        if alone:
            alike[number] = False
        found[number] = led[number] - (led[alike].mean() if alike.any() else 0.0)
    return found


def remembered(rows):
    """Return role-conditioned advantages with baselines from earlier batches."""
    baselines = {"game first": -0.1, "game second": 0.2, "game player": 0.5}
    return rae(rows, baselines)[0]


ESTIMATORS = {
    "returns (REINFORCE)": (False, compute_returns),
    "ReBN": (False, rebn),
    "ReBN, by seat": (False, partial(rebn, by=("seat",))),
    "GRPO": (True, partial(grpo, by=("group", "seat"))),
    "Dr. GRPO": (True, partial(dr_grpo, by=("group", "seat"))),
    "RLOO": (True, partial(rloo, by=("group", "seat"))),
    "GAE, lambda 1, true values": (False, partial(gae, gamma=1.0, lam=1.0)),
    "GAE, lambda 0.95, true values": (False, partial(gae, gamma=1.0, lam=0.95)),
    "GAE, lambda 0, true values": (False, partial(gae, gamma=1.0, lam=0.0)),
    "GAE, lambda 1, wrong values": (False, partial(gae, gamma=1.0, lam=1.0)),
    "GAE, lambda 0.95, wrong values": (False, partial(gae, gamma=1.0, lam=0.95)),
    "role baselines (RAE)": (False, remembered),
    "position, mean of all": (True, by_position),
    "position, mean of the others": (True, partial(by_position, alone=True)),
}


VINE = {
    "vine, 1 continuation": 1,
    "vine, 4 continuations": 4,
    "vine, 16 continuations": 16,
}  # name -> continuations of a position


class Position(NamedTuple):
    """What a position leads to: the mean and covariance of the seats' totals, and turns to come."""

    mean: np.ndarray
    covariance: np.ndarray
    turns: float


def gradient(plays, advantages, game):
    """Return the estimate: the mean over episodes of advantage times the gradient of log pi."""
    found, number = np.zeros(game.count), 0
    for play in plays:
        for one in play.moves:
            slope = (1 if one.move == 0 else 0) - game.policy[one.knows]
            found[game.place[one.knows]] += advantages[number] * slope
            number += 1
    return found / len(plays)


def batches(game, grouped):
    """Yield every batch of three episodes, and its probability."""
    if not grouped:
        for plays in itertools.product(game.plays, repeat=BATCH):
            yield plays, np.prod([play.chance for play in plays])
        return
    starts = defaultdict(list)
    for play in game.plays:
        starts[play.start].append(play)
    for plays in starts.values():
        whole = sum(play.chance for play in plays)
        for chosen in itertools.product(plays, repeat=BATCH):
            yield chosen, whole * np.prod([play.chance / whole for play in chosen])


def values_of(game):
    """Return the expected future return of a seat in each situation."""
    sums, weights = defaultdict(float), defaultdict(float)
    for play in game.plays:
        for number, one in enumerate(play.moves):
            after = sum(m.reward for m in play.moves[number:] if m.seat == one.seat)
            sums[one.knows] += play.chance * after
            weights[one.knows] += play.chance
    return {name: sums[name] / weights[name] for name in sums}


def measure(name, game):
    """Return mean and variance of an estimate, over all batches."""
    grouped, estimator = ESTIMATORS[name]
    value = values_of(game)
    if "wrong" in name:
        value = {one: 0.3 + 0.1 * number for number, one in enumerate(sorted(value))}
    first, second = np.zeros(game.count), 0.0
    for plays, chance in batches(game, grouped):
        found = gradient(plays, estimator(table(plays, value)), game)
        first += chance * found
        second += chance * found @ found
    return first, second - first @ first


def positions_of(game):
    """Return what each position leads to, by its start and the moves so far."""
    groups = defaultdict(list)
    for play in game.plays:
        for number in range(len(play.moves) + 1):
            groups[name_position(play, number)].append(play)
    found = {}
    for name, plays in groups.items():
        chances = np.array([play.chance for play in plays])
        totals = np.array([totals_of(play) for play in plays])
        mean = np.average(totals, axis=0, weights=chances)
        covariance = np.atleast_2d(np.cov(totals.T, aweights=chances, ddof=0))
        length = np.average([len(play.moves) for play in plays], weights=chances)
        found[name] = Position(mean, covariance, length - len(name[1]))
    return found


def name_position(play, number):
    return play.start, tuple((one.seat, one.move) for one in play.moves[:number])


def totals_of(play):
    """Return what each seat earns in an episode."""
    seats = AGENTS if play.moves[0].seat in AGENTS else ("player",)
    return [sum(one.reward for one in play.moves if one.seat == seat) for seat in seats]


def measure_vine(game, continuations):
    """Return mean and variance of the estimate by continuations, and the turns that they take.

    The estimate is linear in the means over continuations, which are independent of each other and
    of the episode's own future. So their variances add to that between episodes.
    """
    found = positions_of(game)
    first, second, noise, turns = np.zeros(game.count), 0.0, 0.0, 0.0
    for play in game.plays:
        count = len(play.moves)
        known = [found[name_position(play, number)] for number in range(count)]
        seats = [AGENTS.index(one.seat) if one.seat in AGENTS else 0 for one in play.moves]
        after = [*(one.mean for one in known[1:]), totals_of(play)]
        worth = [after[n][seat] - known[n].mean[seat] for n, seat in enumerate(seats)]
        one = gradient([play], worth, game)
        first += play.chance * one
        second += play.chance * one @ one
        for number, position in enumerate(known):
            # How much the estimate changes with the mean total of each seat at this position.
            slopes = np.zeros((game.count, len(position.mean)))
            for turn, sign in ((number, -1), (number - 1, 1)):
                if turn >= 0:
                    worth = [float(n == turn) for n in range(count)]
                    slopes[:, seats[turn]] += sign * gradient([play], worth, game)
            spread = np.trace(slopes @ position.covariance @ slopes.T)
            noise += play.chance * spread / continuations
        turns += play.chance * (count + continuations * sum(one.turns for one in known))
    plain = sum(play.chance * len(play.moves) for play in game.plays)
    return first, (second - first @ first + noise) / BATCH, turns / plain


def truth(game):
    """Return the sum over seats of the gradient of a seat's return by its own parameters."""
    first = np.zeros(game.count)
    for play in game.plays:
        first += play.chance * gradient(
            [play], compute_returns(table([play], values_of(game))), game
        )
    return first


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.parse_args()
    games = {
        "two steps": setting(steps),
        "Kuhn poker": setting(kuhn),
        "Kuhn poker, shared parameters": setting(kuhn, shared=True),
    }
    for title, game in games.items():
        true = truth(game)
        print(f"\n{title}: {len(game.plays)} episodes, {game.count} parameters\n")
        print(
            "| advantage | unbiased | scale | off | variance | turns |\n|---|---|---|---|---|---|"
        )
        plain = None
        for name in [*ESTIMATORS, *VINE]:
            turns = 1.0
            if name in VINE:
                mean, variance, turns = measure_vine(game, VINE[name])
            else:
                mean, variance = measure(name, game)
            scale = mean @ true / (true @ true)
            off = np.linalg.norm(mean - scale * true) / np.linalg.norm(scale * true)
            spread = variance / (scale**2 * true @ true)
            plain = plain or spread
            says = "yes" if off < EXACT and abs(scale - 1) < EXACT else "but for its scale"
            says = says if off < EXACT else "no"
            row = (
                name,
                says,
                f"{scale:.3f}",
                f"{off:.3f}",
                f"{spread / plain:.2f}",
                f"{turns:.1f}",
            )
            print(f"| {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()
