"""Let two models play against each other, with seats drawn for each episode.

    python examples/two_models.py hf:Qwen/Qwen3-0.6B openai:gpt-5-mini --episodes 20
    python examples/two_models.py random search:depth=2

A model is a spec string: random, search:depth=4, hf:PATH, openai:MODEL@http://127.0.0.1:8000/v1.
"""

import argparse

import gem_ma


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs=2, metavar="MODEL", help="a spec string")
    parser.add_argument(
        "--env",
        default="game:ConnectFour-v0",
        help="a game for two seats (default: game:ConnectFour-v0)",
    )
    parser.add_argument("--episodes", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", help="file for the recorded episodes")
    args = parser.parse_args()

    episodes = gem_ma.rollout(
        args.env,
        args.models,
        args.episodes,
        seed=args.seed,
        shuffle=True,
        context="turns=8",
        out=args.out,
    )
    print(f"{args.env}, {args.episodes} episodes")
    for model in dict.fromkeys(args.models):
        returns = [
            episode.returns[seat]
            for episode in episodes
            for seat, name in episode.agents.items()
            if name == model and not episode.failure
        ]
        wins, losses = sum(r > 0 for r in returns), sum(r < 0 for r in returns)
        forfeits = sum(e.agents[seat] == model for e in episodes for seat in e.forfeits)
        print(
            f"{model}: {wins} won, {losses} lost ({forfeits} by invalid replies), "
            f"{len(returns) - wins - losses} drawn"
        )
    for episode in episodes:
        if episode.failure:
            print(f"episode {episode.number} failed: {episode.failure}")


if __name__ == "__main__":
    main()
