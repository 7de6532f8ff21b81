"""Train one seat of any environment with SkyRL; the others are played for it.

    pip install gem-ma skyrl==0.3.0 skyrl-gym==0.4.0
    python examples/train/skyrl_game.py --write data     # the data set: one row for each start
    python examples/train/skyrl_game.py --train data/train.parquet [SkyRL's own settings]

Checked against SkyRL-gym 0.4.0 by tests/training: its registry and its base class. The
trainer itself needs a GPU and was read, not run. Several turns; one seat; pictures go as image_url
to SkyRL's generator for models that see; SkyRL takes a reward for each step. The limit of turns is
`generator.max_turns`.
"""

import argparse
from pathlib import Path

import skyrl_gym

ENTRY = "gem_ma.training.adapters.skyrl:GemEnv"


def write(folder, env, seat, others, count):
    """Write one row for each start."""
    from datasets import Dataset

    row = {
        "prompt": [{"role": "user", "content": "unused"}],
        "env_class": "gem_ma",
        "env": env,
        "seat": seat,
        "others": others,
    }
    folder.mkdir(parents=True, exist_ok=True)
    rows = [{**row, "seed": seed} for seed in range(count)]
    Dataset.from_list(rows).to_parquet(folder / "train.parquet")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", type=Path)
    parser.add_argument("--train", type=Path)
    parser.add_argument("--env", default="game:TicTacToe-v0")
    parser.add_argument("--seat", default="x")
    parser.add_argument("--others", default="random")
    parser.add_argument("--starts", type=int, default=1024)
    args, settings = parser.parse_known_args()
    if args.write:
        write(args.write, args.env, args.seat, args.others, args.starts)
    if args.train:
        import ray
        from skyrl.train.config import SkyRLTrainConfig
        from skyrl.train.entrypoints.main_base import BasePPOExp
        from skyrl.train.utils import initialize_ray

        @ray.remote(num_cpus=1)
        def run(config):
            skyrl_gym.register(id="gem_ma", entry_point=ENTRY)
            BasePPOExp(config).run()

        data = f"data.train_data=['{args.train}']"
        config = SkyRLTrainConfig.from_cli_overrides([data, *settings])
        initialize_ray(config)
        ray.get(run.remote(config))


if __name__ == "__main__":
    main()
