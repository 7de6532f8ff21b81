"""Train all seats of any environment with SkyRL; each seat is compared with itself.

    pip install -e . 'skyrl[fsdp]==0.3.0' skyrl-gym==0.4.0
    python examples/train/skyrl_game.py --write data     # the data set: one row for each start
    python examples/train/skyrl_game.py --train data/train.parquet [SkyRL's own settings]
    python examples/train/skyrl_game.py --write data --others o=random --gym   # by SkyRL-gym's env

With two trained seats, two rows are one group of games, so `trainer.train_batch_size` counts seats.
With `--context turns=4`, set `generator.step_wise_trajectories=true`. With `--gym`, SkyRL's own
generator plays one seat through our BaseTextEnv. The trainer needs a GPU; docs/trainers.md says
what was run without one.
"""

import argparse
from pathlib import Path

ENTRY = "gem_ma.training.trainers.skyrl:SkyRLSeatEnv"


def write(args):
    """Write one row for each start."""
    from datasets import Dataset

    row = {
        "prompt": [{"role": "user", "content": "unused"}],
        "env_class": "gem_ma",
        "env": args.env,
        "others": dict(one.split("=", 1) for one in args.others) or None,
        "make": {"observe": args.observe},
        "context": args.context,
    }
    args.write.mkdir(parents=True, exist_ok=True)
    rows = [{**row, "seed": seed} for seed in range(args.starts)]
    Dataset.from_list(rows).to_parquet(args.write / "train.parquet")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", type=Path)
    parser.add_argument("--train", type=Path)
    parser.add_argument(
        "--gym", action="store_true", help="one seat, played by SkyRL's own generator"
    )
    parser.add_argument("--env", default="game:TicTacToe-v0")
    parser.add_argument(
        "--others",
        nargs="*",
        default=[],
        help="agents of seats that are not trained: SEAT=AGENT, such as o=random",
    )
    parser.add_argument("--observe", default="text", choices=("text", "image", "both"))
    parser.add_argument(
        "--context", help="how much of its conversation a model reads, such as turns=4"
    )
    parser.add_argument("--starts", type=int, default=1024)
    args, settings = parser.parse_known_args()
    if args.write:
        write(args)
    if args.train:
        train(args, settings)


def train(args, settings):
    import ray
    import skyrl_gym
    from skyrl.train.config import SkyRLTrainConfig
    from skyrl.train.entrypoints.main_base import BasePPOExp
    from skyrl.train.utils import initialize_ray
    from transformers import AutoProcessor

    from gem_ma.training.trainers.skyrl_generator import GameGenerator

    class Games(BasePPOExp):
        def get_generator(self, cfg, tokenizer, inference_engine_client):
            sees = args.observe != "text"
            path = cfg.trainer.policy.model.path
            processor = AutoProcessor.from_pretrained(path) if sees else None
            return GameGenerator(
                cfg.generator, inference_engine_client, tokenizer, processor=processor
            )

    @ray.remote(num_cpus=1)
    def run(config):
        skyrl_gym.register(id="gem_ma", entry_point=ENTRY)
        (BasePPOExp if args.gym else Games)(config).run()

    data = f"data.train_data=['{args.train}']"
    config = SkyRLTrainConfig.from_cli_overrides([data, *settings])
    initialize_ray(config)
    ray.get(run.remote(config))


if __name__ == "__main__":
    main()
