"""Compare turns played through a bridge with turns of the bare library, in CPU time.

    python benchmarks/bridges.py [--episodes N] [--repeat N] [--only NAME]

This needs `gem-ma[textarena]`. The episodes are drawn beforehand, from games without chance, so
that all sides play the same moves. Making and resetting are not measured; a turn is an observation
and a step. "bare" is TextArena without its wrappers, "wrapped" with its default wrappers. The sides
alternate, each time in a new process, and the best round counts.
"""

import argparse
import gc
import json
import sys
import tempfile
import time
from pathlib import Path

from contest import contest

TEXTARENA = (
    "Chopsticks-v0",
    "ConnectFour-v0",
    "Crusade-v0",
    "IteratedPrisonersDilemma-v0",
    "IteratedRockPaperScissors-v0",
    "Nim-v0",
    "Othello-v0",
    "SimpleTak-v0",
    "ThreePlayerTicTacToe-v0",
    "TicTacToe-v0",
    "TowerOfHanoi-v0-hard",
    "WildTicTacToe-v0",
)
TARGET = 60  # microseconds that a turn may cost more than in the bare library


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--episodes", type=int, default=100, help="episodes of each game")
    parser.add_argument("--repeat", type=int, default=5, help="rounds, of which the best counts")
    parser.add_argument("--only", default="", help="play only the games whose id contains this")
    args = parser.parse_args()
    textarena([name for name in TEXTARENA if args.only in name], args)


def textarena(names, args):
    """Print the cost of a turn through `ta:` and in TextArena itself."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "episodes.json")
        file.write_text(json.dumps({name: draw(name, args.episodes) for name in names}))
        sides = ("ours", "bare", "wrapped")
        commands = {side: [sys.executable, __file__, "--side", side, str(file)] for side in sides}
        best = contest(commands, args.repeat, lower_is_better=names)
    print(f"{'microseconds a turn':31} {'ours':>8} {'bare':>8} {'wrapped':>8} {'more':>8}")
    most = 0
    for name in names:
        ours, bare, wrapped = (best[side][name] for side in sides)
        most = max(most, ours - bare)
        print(f"ta:{name:28} {ours:8.1f} {bare:8.1f} {wrapped:8.1f} {ours - bare:8.1f}")
    verdict = "met" if most <= TARGET else "missed"
    print(f"at most {most:.1f} more than bare; the target of {TARGET} is {verdict}")


def draw(name, episodes):
    """Return random legal episodes, each a list of moves."""
    import gem_ma

    env, drawn = gem_ma.make(f"ta:{name}"), []
    for seed in range(episodes):
        env.reset(seed=seed)
        moves = []
        for agent in env.agent_iter():
            if agent not in env.to_act:
                break
            legal = env.info(agent).get("legal_actions")
            moves.append(env.sample_random_action(agent) if legal else "I [Defect], I think.")
            env.step(moves[-1])
        drawn.append(moves)
    return drawn


def play(side, file):
    """Play the episodes of a file; print the microseconds of CPU time per turn, by game."""
    loop = through_gem_ma if side == "ours" else in_textarena
    costs = {}
    for name, episodes in json.loads(Path(file).read_text()).items():
        loop(name, episodes[:3], side)  # fill caches first
        gc.collect()
        gc.freeze()  # keep garbage collection from scanning imports
        spent = loop(name, episodes, side)
        costs[name] = 1e6 * spent / sum(map(len, episodes))
    print(json.dumps(costs))


def through_gem_ma(name, episodes, side):
    import gem_ma

    env, spent = gem_ma.make(f"ta:{name}"), 0.0
    for seed, moves in enumerate(episodes):
        env.reset(seed=seed)
        begin = time.process_time()
        for move in moves:
            env.observe(env.agent_selection)
            env.step(move)
        spent += time.process_time() - begin
        assert not env.to_act
    return spent


def in_textarena(name, episodes, side):
    import textarena

    players = 3 if name.startswith("Three") else 1 if name.startswith("Tower") else 2
    spent = 0.0
    for seed, moves in enumerate(episodes):
        env = textarena.make(name if side == "wrapped" else f"{name}-raw")
        env.reset(num_players=players, seed=seed)
        done = False
        begin = time.process_time()
        for move in moves:
            env.get_observation()
            done, _ = env.step(move)
        spent += time.process_time() - begin
        assert done
    return spent


if __name__ == "__main__":
    if sys.argv[1:2] == ["--side"]:
        play(*sys.argv[2:])
    else:
        main()
