"""Learn Kuhn poker from scratch by self-play, and print how far the policy is from perfect.

    python examples/selfplay_kuhn.py --games 30000

The policy is a table from observations to moves. It learns by REINFORCE with a baseline for each
role. The current policy cycles; its average over time converges. NashConv scores both: it is the
sum of what the two best responses would gain, 0.917 for random play and 0 for perfect play.
"""

import argparse
import math
import time
from dataclasses import replace

import numpy as np

import gem_ma
from gem_ma.envs.cards.kuhn_poker import KuhnPoker
from gem_ma.training import OpponentPool, build_turn_table, compute_returns, nash_conv, rae

ENV = "game:KuhnPoker-v0"
GAME = KuhnPoker()


class TabularAgent:
    """An agent that samples moves from a table of preferences for each observation."""

    def __init__(self, name="learner"):
        self.name = name
        self.table = {}

    def act(self, turns):
        return [self.reply(turn) for turn in turns]

    def reply(self, turn):
        share = turn.seed / (1 << 63)
        for move, probability in zip(turn.legal, self.odds(seen(turn.text)), strict=True):
            share -= probability
            if share < 0:
                return move
        return move

    def odds(self, text):
        """Return the probability of each legal move."""
        weights = [math.exp(preference) for preference in self.table.get(text, (0.0, 0.0))]
        total = sum(weights)
        return [weight / total for weight in weights]

    def learn(self, text, place, advantage, rate, entropy):
        """Update a move's preference by its advantage, with an entropy bonus."""
        odds = self.odds(text)
        spread = -sum(p * math.log(p) for p in odds if p)
        preferences = self.table.setdefault(text, [0.0] * len(odds))
        for i, p in enumerate(odds):
            slope = advantage * ((i == place) - p)
            if p:
                slope -= entropy * p * (math.log(p) + spread)
            preferences[i] += rate * slope

    def __repr__(self):
        return self.name


class Average:
    """The mean of a policy over time."""

    def __init__(self):
        self.sums = {}

    def add(self, agent):
        for text in agent.table:
            total = self.sums.setdefault(text, [0.0, 0.0])
            for i, p in enumerate(agent.odds(text)):
                total[i] += p

    def odds(self, text):
        sums = self.sums.get(text, (1.0, 1.0))
        return [part / sum(sums) for part in sums]


def seen(text):
    """Return the current observation, which in Kuhn poker includes the earlier bets."""
    return text.rpartition("\n\n")[2]


def score(policy):
    """Return the exact NashConv of a policy, which is any object with `odds`."""
    return nash_conv(GAME, lambda seat, view: policy.odds(GAME.describe(view, seat)))


def train(
    games,
    seed=0,
    batch=32,
    rate=0.05,
    entropy=0.05,
    transfer=0.0,
    baseline=True,
    pool=None,
    marks=(),
):
    """Play and learn; at each mark, yield the number of games, the last policy and the average.

    Args:
        games: how many games are played in all.
        seed: seed of the games and of the sampled moves.
        batch: games per update.
        rate: learning rate.
        entropy: weight of the entropy bonus.
        transfer: chips that first always pays to second; the best replies stay the same.
        baseline: subtract the mean return of the role from each return.
        pool: an OpponentPool for half of the games; it gets a frozen copy 20 times. None: no pool.
        marks: the numbers of games at which results are yielded; empty: only at the end.
    """
    agent, average, baselines = TabularAgent(), Average(), {}
    marks = sorted(marks) or [games]
    for played in range(batch, games + batch, batch):
        others = agent if pool is None else pool.make_opponents(agent, mirror=0.5)
        episodes = gem_ma.rollout(
            ENV,
            [agent, others],
            batch,
            seed=seed * games + played,
            shuffle=pool is not None,
            concurrency=batch,
            progress=False,
        )
        if pool is not None:
            episodes = others.name_opponents(episodes)
            pool.record(episodes)
        rows = build_turn_table(episodes)
        paid = np.where(rows.seat == "first", -transfer, transfer) * rows.last
        rows = replace(rows, reward=rows.reward + paid)
        advantages = compute_returns(rows)
        if baseline:
            advantages, baselines = rae(rows, baselines)
        slower = rate / math.sqrt(1 + played / 2000)
        steps = [step for episode in episodes for step in episode.steps]
        for step, advantage, who in zip(steps, advantages.tolist(), rows.agent, strict=True):
            if who == agent.name:
                place = step.move in ("bet", "call")  # index 1; check and fold are 0
                agent.learn(seen(step.text), place, advantage, slower, entropy)
        average.add(agent)
        if pool is not None and 20 * played >= games * (len(pool.names) + 1):
            pool.add(f"after {played}", agent)
        while marks and played >= marks[0]:
            yield marks.pop(0), agent, average


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=30_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--transfer", type=float, default=0.0, help="chips that first always pays to second"
    )
    parser.add_argument("--no-baseline", action="store_true")
    parser.add_argument(
        "--pool", action="store_true", help="play half of the games against earlier copies"
    )
    args = parser.parse_args()

    pool = OpponentPool(decay=0.99) if args.pool else None
    start = time.process_time()
    print(f"random play: NashConv {score(TabularAgent()):.3f}")
    for games, agent, average in train(
        args.games,
        args.seed,
        transfer=args.transfer,
        baseline=not args.no_baseline,
        pool=pool,
        marks=[args.games * part // 5 for part in range(1, 6)],
    ):
        print(
            f"{games} games: NashConv {score(agent):.3f}, of the average {score(average):.3f} "
            f"({time.process_time() - start:.1f} CPU s)"
        )
    if pool is not None:
        names, rates, counts = pool.compute_win_rates()
        own = names.index("learner")
        for name, rate, count in zip(names, rates[own], counts[own], strict=True):
            if count:
                print(f"learner against {name}: {rate:.2f} of {count:.0f} games")


if __name__ == "__main__":
    main()
