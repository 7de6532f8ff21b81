"""Train all seats of a game with Tinker, each game's seats as a group of environments.

    pip install gem-ma tinker-cookbook==0.5.8
    TINKER_API_KEY=... python examples/train/tinker_games.py --env game:TicTacToe-v0
    TINKER_API_KEY=... python examples/train/tinker_games.py --env game:FrozenLake-v0 \\
        --observe image --model Qwen/Qwen3-VL-30B-A3B-Instruct
    python examples/train/tinker_games.py --env game:GuessTheNumber-v0 --dry

Checked against tinker-cookbook 0.5.8 by tests/training: the cookbook's own rollouts,
advantages and data, with a scripted model; not against the service. Several turns, several seats,
pictures for models that see. The cookbook adds up the rewards of the turns and compares the
trajectories of a group; our group compares each seat with itself. --dry plays a batch with a model
that says nothing and needs no key.
"""

import argparse
import asyncio

from tinker_cookbook.completers import TokenCompleter, TokensWithLogprobs
from tinker_cookbook.image_processing_utils import get_image_processor
from tinker_cookbook.renderers import get_renderer
from tinker_cookbook.rl.rollouts import do_group_rollout
from tinker_cookbook.tokenizer_utils import get_tokenizer

from gem_ma.training.adapters.tinker import Starts


class Silent(TokenCompleter):
    """Ends its turn at once."""

    def __init__(self, end):
        self.end = end

    async def __call__(self, model_input, stop, **_):
        return TokensWithLogprobs(tokens=self.end, maybe_logprobs=[0.0] * len(self.end))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--env", default="game:TicTacToe-v0")
    parser.add_argument("--observe", default="text", choices=("text", "image", "both"))
    parser.add_argument("--others", nargs="*", default=[], help="SEAT=AGENT, such as o=random")
    parser.add_argument("--model", default="Qwen/Qwen3-4B-Instruct-2507")
    parser.add_argument("--renderer", default="qwen3_instruct")
    parser.add_argument("--batches", type=int, default=100)
    parser.add_argument("--groups", type=int, default=16, help="starts in a batch")
    parser.add_argument("--games", type=int, default=8, help="games from each start")
    parser.add_argument("--dry", action="store_true")
    args = parser.parse_args()

    tokenizer = get_tokenizer(args.model)
    sees = get_image_processor(args.model) if args.observe != "text" else None
    renderer = get_renderer(args.renderer, tokenizer, sees, model_name=args.model)
    starts = Starts(
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
        return
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
            learning_rate=4e-5,
            max_tokens=256,
            log_path="/tmp/tinker_games",
        )
    )


if __name__ == "__main__":
    main()
