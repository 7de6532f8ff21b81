"""Score simple agents in every environment of this package, for the pages of the environments.

    python benchmarks/environment_scores.py --agents random search
    python benchmarks/environment_scores.py --agents "hf:smollm2?guided=true&dtype=bfloat16"

An agent plays every seat in turn, and `random` plays the other seats. The score is the mean return
over all seats. The script writes docs/environment_scores.json, from which the site takes the table
of each environment. It keeps what is there: `--again` plays it anew. Without an option, an agent
gets 20 CPU seconds in an environment, so that slow games have fewer episodes. It gets up to six
times as many for the first ten episodes; a game that would take longer has no score.
"""

import argparse
import json
import time
from pathlib import Path

import gem_ma
from gem_ma.agents import load_agent
from gem_ma.rollouts import TooManyErrors

FILE = Path(__file__).parent.parent / "docs" / "environment_scores.json"
BATCH = 10  # episodes between two looks at the clock, at most
FEWEST = 10  # episodes of a score
LONGEST = 6  # times the seconds, for these


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--agents", nargs="+", default=["random", "search"])
    parser.add_argument("--only", nargs="+", metavar="ID", help="play these environments only")
    parser.add_argument("--episodes", type=int, default=200, help="for each seat, at most (200)")
    parser.add_argument("--seconds", type=float, default=20.0, help="of CPU for each row (20)")
    parser.add_argument("--again", action="store_true", help="play what is in the file anew")
    args = parser.parse_args()
    scores = json.loads(FILE.read_text()) if FILE.exists() else {}
    for name in args.agents:
        agent = load_agent(name)
        for id in args.only or list_ids():
            rows = scores.setdefault(id, {})
            if name in rows and not args.again:
                continue
            row = score(id, agent, args.episodes, args.seconds)
            print(f"{id:36} {name:20} {row}", flush=True)
            if row is not None:
                rows[name] = row
            lines = [f'"{id}": {json.dumps(rows)}' for id, rows in sorted(scores.items()) if rows]
            FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")


def list_ids():
    """Return the id of each game at its usual level."""
    known = [id for id in gem_ma.list_envs() if not gem_ma.spec(id).list_missing()]
    return [id for id in known if id.startswith("game:") and id.endswith("-v0")]


def score(id, agent, episodes, seconds):
    """Return the mean return and the number of episodes; None: it cannot play, or is too slow."""
    seats = gem_ma.make(id).possible_agents
    returns, start, batch = [], time.process_time(), 1
    while len(returns) < episodes * len(seats):
        spent = time.process_time() - start
        if len(returns) < FEWEST:
            if returns and spent * FEWEST > LONGEST * seconds * len(returns):
                return None
        elif spent > seconds:
            break
        for seat in seats:
            agents = {**dict.fromkeys(seats, "random"), seat: agent}
            try:
                played = gem_ma.rollout(
                    id, agents, batch, seed=len(returns), max_errors=0, progress=False
                )
            except TooManyErrors:  # such as search, where something is hidden
                return None
            returns += [episode.returns[seat] for episode in played]
        batch = min(2 * batch, BATCH)
    return [round(sum(returns) / len(returns), 3), len(returns)]


if __name__ == "__main__":
    main()
