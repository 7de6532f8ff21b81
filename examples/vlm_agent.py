"""Let a vision-language model play games from pictures alone.

    python examples/vlm_agent.py hf:Qwen/Qwen2.5-VL-3B-Instruct
    python examples/vlm_agent.py openai:MODEL@http://127.0.0.1:8000/v1 --out played.jsonl

A check before the first game detects servers that silently drop pictures.
"""

import argparse

import gem_ma
from gem_ma.agents import load_agent

GAMES = ("game:TicTacToe-v0", "game:ConnectFour-v0", "game:GuessTheNumber-v0-easy")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", help="a spec string: hf:PATH or openai:MODEL@URL")
    parser.add_argument("--env", nargs="+", default=GAMES, help="games to play")
    parser.add_argument(
        "--episodes", type=int, default=8, help="episodes of each game (default: 8)"
    )
    parser.add_argument(
        "--images",
        type=int,
        default=2,
        help="pictures of the conversation that the model sees (default: 2)",
    )
    parser.add_argument(
        "--size",
        type=int,
        default=252,
        help="size of pictures in pixels, a multiple of 28 (default: 252)",
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--out", help="file for the recorded episodes; pictures are saved beside it"
    )
    args = parser.parse_args()

    model = load_agent(args.model)
    if hasattr(model, "check_sees_images"):  # a model behind a server
        sight = model.check_sees_images()
        if not sight.sees:
            raise SystemExit(f"{args.model} does not look at pictures: {sight}")
    for env_id in args.env:
        seats = gem_ma.make(env_id).possible_agents
        agents = [model, *["random"] * (len(seats) - 1)]
        name = env_id.partition(":")[2]
        out = args.out and f"{args.out.removesuffix('.jsonl')}-{name}.jsonl"
        episodes = gem_ma.rollout(
            env_id,
            agents,
            args.episodes,
            seed=args.seed,
            observe="image",
            image_size=(args.size, args.size),
            context=f"images={args.images}",
            out=out,
        )
        done = [episode for episode in episodes if not episode.failure]
        steps = [step for episode in done for step in episode.steps if step.agent == seats[0]]
        mean = sum(episode.returns[seats[0]] for episode in done) / max(len(done), 1)
        invalid = sum(step.invalid is not None for step in steps)
        print(f"{env_id}: mean return {mean:+.2f}, {invalid} of {len(steps)} replies invalid")
        for episode in episodes:
            if episode.failure:
                print(f"episode {episode.number} failed: {episode.failure}")


if __name__ == "__main__":
    main()
