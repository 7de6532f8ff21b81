r"""Train one model in all seats of a game with Tinker, or with --apart one model per seat.

    pip install -e . tinker-cookbook==0.5.8
    TINKER_API_KEY=... python examples/train/tinker_games.py --env game:TicTacToe-v0
    TINKER_API_KEY=... python examples/train/tinker_games.py --env game:TicTacToe-v0 --apart
    TINKER_API_KEY=... python examples/train/tinker_games.py --env game:FrozenLake-v0 \
        --observe image --model Qwen/Qwen3-VL-30B-A3B-Instruct --renderer qwen3_vl_instruct
    python examples/train/tinker_games.py --env game:GuessTheNumber-v0 --dry

For one model, the cookbook's trainer is used, which sums the rewards of turns; our groups compare
each seat with itself. With --apart each seat has its own LoRA adapter, and each turn has its own
advantage. --dry plays a batch with a model that says nothing; it needs no API key.
"""

import argparse
import asyncio

import tinker
from tinker_cookbook.completers import (
    TinkerTokenCompleter,
    TokenCompleter,
    TokensWithLogprobs,
)
from tinker_cookbook.image_processing_utils import get_image_processor
from tinker_cookbook.renderers import get_renderer
from tinker_cookbook.rl.rollouts import do_group_rollout
from tinker_cookbook.rl.train import train_step
from tinker_cookbook.tokenizer_utils import get_tokenizer

from gem_ma.training.trainers.tinker import GameDataset, make_datums, rollout_seat_policies


class Silent(TokenCompleter):
    """A model that ends its turn at once."""

    def __init__(self, end):
        self.end = end

    async def __call__(self, model_input, stop, **_):
        return TokensWithLogprobs(tokens=self.end, maybe_logprobs=[0.0] * len(self.end))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--env", default="game:TicTacToe-v0")
    parser.add_argument("--observe", default="text", choices=("text", "image", "both"))
    parser.add_argument(
        "--others",
        nargs="*",
        default=[],
        help="agents of seats that are not trained: SEAT=AGENT, such as o=random",
    )
    parser.add_argument("--model", default="Qwen/Qwen3-4B-Instruct-2507")
    parser.add_argument("--renderer", default="qwen3_instruct")
    parser.add_argument("--batches", type=int, default=100)
    parser.add_argument("--groups", type=int, default=16, help="starts per batch (default: 16)")
    parser.add_argument("--games", type=int, default=8, help="games from each start (default: 8)")
    parser.add_argument("--lr", type=float, default=4e-5)
    parser.add_argument(
        "--max-tokens", type=int, default=256, help="most tokens of a reply (default: 256)"
    )
    parser.add_argument("--out", default="tinker_games")
    parser.add_argument("--apart", action="store_true", help="train one model per seat")
    parser.add_argument("--dry", action="store_true")
    args = parser.parse_args()

    tokenizer = get_tokenizer(args.model)
    sees = get_image_processor(args.model) if args.observe != "text" else None
    renderer = get_renderer(args.renderer, tokenizer, sees, model_name=args.model)
    starts = GameDataset(
        args.batches,
        args.groups,
        env=args.env,
        make={"observe": args.observe},
        others=dict(one.split("=", 1) for one in args.others),
        renderer=renderer,
        games=args.games,
    )
    if args.dry:
        silent = Silent(tokenizer.encode("<|im_end|>"))
        for games in starts.get_batch(0):
            group = asyncio.run(do_group_rollout(games, silent))
            print([metrics["return"] for metrics in group.metrics_G])
    elif args.apart:
        asyncio.run(train_apart(args, starts))
    else:
        asyncio.run(train(args, starts))


async def train(args, starts):
    import chz
    from tinker_cookbook.rl import train as trainer
    from tinker_cookbook.rl.types import RLDatasetBuilder

    @chz.chz
    class Builder(RLDatasetBuilder):
        async def __call__(self):
            return starts, None

    await trainer.main(
        trainer.Config(
            model_name=args.model,
            recipe_name="gem_ma",
            renderer_name=args.renderer,
            dataset_builder=Builder(),
            learning_rate=args.lr,
            max_tokens=args.max_tokens,
            log_path=args.out,
        )
    )


async def train_apart(args, starts):
    """Train a LoRA adapter for each seat, against each other."""
    service = tinker.ServiceClient()
    seats = [env.seat.name for env in await starts.get_batch(0)[0].make_envs()]
    models = {
        seat: await service.create_lora_training_client_async(args.model, rank=32)
        for seat in dict.fromkeys(seats)
    }
    for number in range(len(starts)):
        policies = {
            seat: TinkerTokenCompleter(
                await model.save_weights_and_get_sampling_client_async(), args.max_tokens
            )
            for seat, model in models.items()
        }
        played = await asyncio.gather(
            *(rollout_seat_policies(games, policies) for games in starts.get_batch(number))
        )
        for seat, model in models.items():
            data = [datum for group in played for datum in make_datums(group[seat])]
            await train_step(data, model, args.lr, 1, "importance_sampling")
        returns = {
            seat: [
                sum(one.reward for one in trajectory.transitions)
                for group in played
                for trajectory in group[seat]
            ]
            for seat in models
        }
        means = ", ".join(f"{seat} {sum(r) / len(r):+.3f}" for seat, r in returns.items())
        print(f"batch {number}: {means}", flush=True)
    for seat, model in models.items():
        await model.save_state_async(f"{args.out.rpartition('/')[2]}-{seat}")


if __name__ == "__main__":
    main()
