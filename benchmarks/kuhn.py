"""Measure self-play where the solution is known: Kuhn poker by exact NashConv, and tic-tac-toe.

    python benchmarks/kuhn.py [--quick] [--jobs N] [--figures FOLDER] [--json] [PART ...]

The parts are curves, pool, variance, transfer and tictactoe; the default is all of them. Learning
is that of examples/selfplay_kuhn.py. With --figures (needs matplotlib) the curves are plotted. CPU
seconds are those of this process and its children.
"""

import argparse
import importlib.util
import itertools
import json
import operator
import resource
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np

import gem_ma
from gem_ma.agents import RandomAgent, SearchAgent
from gem_ma.engine.seeding import derive_seed
from gem_ma.envs.boards.tic_tac_toe import TicTacToe
from gem_ma.envs.cards.kuhn_poker import AGENTS, CARDS, State
from gem_ma.training import (
    OpponentPool,
    TurnTable,
    compute_best_response,
    compute_expected_returns,
    compute_returns,
    rae,
)

EXAMPLE = Path(__file__).parent.parent / "examples" / "selfplay_kuhn.py"
COMPARISONS = {"<": operator.lt, "<=": operator.le, ">=": operator.ge}
GOALS = ((30_000, 0.15), (100_000, 0.05))  # games, and the NashConv to reach with every seed
TTT = "game:TicTacToe-v0"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--quick", action="store_true", help="few games, to check that it runs")
    parser.add_argument("--jobs", type=int, default=2, help="number of processes")
    parser.add_argument("--figures", type=Path, help="folder for plots; needs matplotlib")
    parser.add_argument("--json", action="store_true", help="print the rows as JSON")
    args = parser.parse_args()
    for part in args.parts:
        if part not in PARTS:
            parser.error(f"no part {part!r}; the parts are {', '.join(PARTS)}")
    rows = []
    for part in args.parts or PARTS:
        before = cpu()
        rows += PARTS[part](args)
        rows.append(row(f"{part}: all of it", "CPU s", cpu() - before))
        if not args.json:
            show(rows[-sum(1 for one in rows if one["name"].startswith(f"{part}:")) :])
    if args.json:
        print(json.dumps(rows, indent=2))


def row(name, unit, value, comparison=None, target=None):
    """Return a measurement, and whether it meets its target."""
    good = None if target is None else bool(COMPARISONS[comparison](value, target))
    goal = None if target is None else f"{comparison} {target}"
    return {"name": name, "unit": unit, "value": float(value), "goal": goal, "good": good}


def show(rows):
    for one in rows:
        verdict = (
            "" if one["good"] is None else f"  {one['goal']}: {'yes' if one['good'] else 'NO'}"
        )
        print(f"{one['name']:58} {one['value']:10.3f} {one['unit']}{verdict}", flush=True)


def cpu():
    """Return the CPU seconds so far of this process and of its finished children."""
    uses = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(use.ru_utime + use.ru_stime for use in uses)


def learn(job):
    """Return games, NashConv of the last policy and of the average at each mark."""
    kuhn = example()
    steps = kuhn.train(**job)
    return [(games, kuhn.score(last), kuhn.score(mean)) for games, last, mean in steps]


def learn_all(jobs, processes):
    """Return the results of `learn` for all jobs, as an array: job, mark, value."""
    with ProcessPoolExecutor(processes) as workers:
        return np.array(list(workers.map(learn, jobs)))


def example():
    spec = importlib.util.spec_from_file_location(EXAMPLE.stem, EXAMPLE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def marks_until(games):
    """Return logarithmically spaced numbers of games."""
    return sorted({round(games * 10 ** (-power / 8)) for power in range(17)})


def curves(args):
    """Learn with 15 seeds; the average must come close to an equilibrium with every seed."""
    games, seeds = (640, 2) if args.quick else (100_000, 15)
    marks = sorted({*marks_until(games), *(m for m in (30_000,) if m < games)})
    jobs = [{"games": games, "seed": seed, "marks": marks} for seed in range(seeds)]
    found = learn_all(jobs, args.jobs)
    for mark, goal in GOALS:
        if mark in marks:
            last, mean = found[:, marks.index(mark), 1], found[:, marks.index(mark), 2]
            name = f"curves: {seeds} seeds, {mark} games"
            yield row(f"{name}, average policy, worst", "NashConv", mean.max(), "<", goal)
            yield row(f"{name}, average policy, mean", "NashConv", mean.mean())
            yield row(f"{name}, last policy, mean", "NashConv", last.mean())
            yield row(f"{name}, last policy, worst", "NashConv", last.max())
    if args.figures:
        draw_curves(args.figures / "kuhn.png", found)


def pool(args):
    """Learn with half of the games against frozen copies."""
    kuhn, games = example(), 640 if args.quick else 30_000
    opponents = OpponentPool()
    ((_, last, mean),) = kuhn.train(games, seed=0, pool=opponents)
    rates = opponents.compute_win_rates()
    mixed = kuhn.Average()
    for copy in opponents.agents.values():
        mixed.add(copy)
    yield row(f"pool: {games} games, last policy", "NashConv", kuhn.score(last))
    yield row(f"pool: {games} games, average policy", "NashConv", kuhn.score(mean))
    yield row(
        f"pool: {games} games, mean of the {len(opponents.names)} copies",
        "NashConv",
        kuhn.score(mixed),
    )
    own = rates.games[rates.names.index("learner")]
    yield row(f"pool: {games} games, counted against copies", "games", own.sum())


def variance(args):
    """Compute the variance of one game's gradient at random play, exactly."""
    for transfer in (0, 1, 2, 4):
        for baseline in ("no", "shared", "role"):
            spread, slope = gradient(transfer, baseline)
            goal = ("<", 1.19) if baseline == "role" else (None, None)
            name = f"variance: transfer {transfer}, {baseline} baseline"
            yield row(name, "trace", spread, *goal)
            yield row(f"{name}, for a signal as large as its noise", "games", spread / slope)


def gradient(transfer, baseline):
    """Return the gradient's variance summed over all preferences, and its squared mean."""
    kuhn = example()
    episodes = list(hands(kuhn.GAME))
    rows = table(episodes, transfer)
    worth = compute_expected_returns(kuhn.GAME, lambda seat, view: (0.5, 0.5))
    paid = {"first": worth["first"] - transfer, "second": worth["second"] + transfer}
    if baseline == "role":
        known = {f"kuhn {seat}": value for seat, value in paid.items()}
        advantages, _ = rae(rows, known, decay=1)  # the exact value of each role
    elif baseline == "shared":
        known = {"kuhn": sum(paid.values()) / 2}
        advantages, _ = rae(rows, known, decay=1, by=("env",))
    else:
        advantages = compute_returns(rows)
    chances, slopes, at = [], [], 0
    for chance, steps, _ in episodes:
        slope = dict.fromkeys(range(12), 0.0)
        for (_, where, aggressive), value in zip(steps, advantages[at:], strict=False):
            slope[where] += value * (aggressive - 0.5)
        at += len(steps)
        chances.append(chance)
        slopes.append(list(slope.values()))
    chances, slopes = np.array(chances), np.array(slopes)
    mean = chances @ slopes
    return (chances @ slopes**2 - mean**2).sum(), (mean**2).sum()


def hands(game):
    """Yield every hand of random play: probability, steps, and what first wins."""
    known = {}

    def after(state, chance, steps):
        if not state.to_act():
            yield chance, steps, state.returns()["first"]
            return
        (seat,) = state.to_act()
        where = known.setdefault((seat, state.seen_by(seat)), len(known))
        for aggressive, move in enumerate(state.legal(seat)):
            new = game.advance(state, {seat: move}, None)
            yield from after(new, chance / 2, [*steps, (seat, where, aggressive)])

    for cards in itertools.permutations(CARDS, 2):
        yield from after(State(cards), 1 / 6, [])


def table(episodes, transfer):
    """Return the turns of hands in which first also pays some chips to second."""
    rows = []
    for number, (_, steps, won) in enumerate(episodes):
        for place, (seat, _, _) in enumerate(steps):
            last = seat not in [other for other, _, _ in steps[place + 1 :]]
            reward = (won - transfer) * (1 if seat == "first" else -1) if last else 0.0
            which = 2 * number + AGENTS.index(seat)
            rows.append((str(number), place, seat, "kuhn", "me", 0, which, reward, last, False))
    return TurnTable(*(np.array(column) for column in zip(*rows, strict=True)))


def transfer(args):
    """Learn while first pays 2 chips to second in every hand, with and without role baselines."""
    games, seeds = (640, 2) if args.quick else (30_000, 6)
    job = {"games": games, "batch": 64, "entropy": 0.0, "transfer": 2.0}
    found = {}
    for baseline in (False, True):
        jobs = [{**job, "baseline": baseline, "seed": seed} for seed in range(seeds)]
        found[baseline] = learn_all(jobs, args.jobs)[:, -1, 2]
    without, beyond = (found[baseline].mean() for baseline in (False, True))
    yield row(f"transfer: 2 chips, {games} games, no baseline, average policy", "NashConv", without)
    yield row(
        f"transfer: 2 chips, {games} games, role baseline, average policy", "NashConv", beyond
    )
    yield row("transfer: role baseline / no baseline", "ratio", beyond / without, "<", 1)


class Table:
    """A player that learns the values of moves by Minimax-Q (Littman 1994), without chance.

    It plays the best known move, and explores now and then. A move is worth the return of its
    player, or the negated value of the other seat's best known answer.
    """

    def __init__(self, explore):
        self.explore = explore
        self.worth = {}  # board -> move -> value for its player

    def act(self, turns):
        return [self.reply(turn) for turn in turns]

    def reply(self, turn):
        known = self.worth.get(board(turn.text), {})
        if derive_seed(turn.seed, 1) < self.explore * (1 << 63):
            moves = [move for move in turn.legal if move not in known] or turn.legal
        else:
            moves = best(known) or turn.legal
        return moves[derive_seed(turn.seed, 2) % len(moves)]

    def learn(self, episode):
        steps = episode.steps
        for step, following in reversed(list(zip(steps, [*steps[1:], None], strict=True))):
            if following is None:
                worth = episode.returns[step.agent]
            else:
                worth = -max(self.worth[board(following.text)].values())
            self.worth.setdefault(board(step.text), {})[step.move] = worth

    def odds(self, seat, view):
        """Return the probabilities of legal moves without exploration."""
        legal = view.legal(seat)
        chosen = best(self.worth.get(TicTacToe().describe(view, seat), {})) or legal
        return [(move in chosen) / len(chosen) for move in legal]

    def __repr__(self):
        return "table"


def best(known):
    """Return the moves with the highest value."""
    highest = max(known.values(), default=0)
    return [move for move, worth in known.items() if worth == highest]


def board(text):
    return text.rpartition("\n\n")[2]


def taught(games, batch=100):
    """Return a table that has learnt from self-play and no longer explores."""
    agent = Table(explore=0.7)
    for number in range(games // batch):
        for episode in gem_ma.rollout(
            TTT, agent, batch, seed=number, concurrency=batch, progress=False
        ):
            agent.learn(episode)
    agent.explore = 0.0
    return agent


def tictactoe(args):
    """Learn tic-tac-toe from scratch; search for a loss against any opponent."""
    games, matches = (2000, 100) if args.quick else (40_000, 1000)
    agent = taught(games)
    goal = (None, None) if args.quick else ("<=", 0)
    for seat in ("x", "o"):
        value = compute_best_response(TicTacToe(), agent.odds, seat)
        yield row(f"tictactoe: {games} games, best response as {seat}", "return", value, *goal)
    lost = {}
    for name, other in (("RandomAgent", RandomAgent()), ("SearchAgent", SearchAgent())):
        kinds = {1.0: 0, 0.0: 0, -1.0: 0}
        for episode in gem_ma.rollout(
            TTT, [agent, other], matches, seed=10_000, shuffle=True, progress=False
        ):
            (seat,) = [seat for seat, who in episode.agents.items() if who == "table"]
            kinds[episode.returns[seat]] += 1
        lost[name] = kinds
        yield row(f"tictactoe: {matches} games with {name}, lost", "games", kinds[-1.0], *goal)
        yield row(f"tictactoe: {matches} games with {name}, won", "games", kinds[1.0])
    draws = lost["SearchAgent"][0.0] / matches
    at_least = (None, None) if args.quick else (">=", 0.8)
    yield row(f"tictactoe: {matches} games with SearchAgent, drawn", "share", draws, *at_least)


def draw_curves(path, found):
    """Plot the median over seeds of both policies, with a band of all seeds."""
    from gem_ma.evaluation import plots

    figure, ((axes,),) = plots.make_figure(1, 1, (7, 4.2))
    for which, name, color in ((1, "last policy", "tab:orange"), (2, "average policy", "tab:blue")):
        values, games = found[:, :, which], found[0, :, 0]
        plots.draw_band(axes, values, name, x=games, color=color, middle=np.median)
    axes.axhline(11 / 12, color="gray", linestyle=":", label="random play")
    until, goals = zip(*GOALS, strict=True)
    axes.plot(until, goals, "k_", markersize=14, markeredgewidth=2, label="goals of the average")
    axes.set(xscale="log", yscale="log", xlabel="games", ylabel="NashConv (chips)")
    axes.set_title(f"Kuhn poker by self-play: median and range of {len(found)} seeds")
    axes.grid(alpha=0.3)
    axes.legend(loc="lower left")
    plots.save_figure(figure, path)


PARTS = {
    "curves": curves,
    "pool": pool,
    "variance": variance,
    "transfer": transfer,
    "tictactoe": tictactoe,
}

if __name__ == "__main__":
    main()
