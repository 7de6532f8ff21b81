r"""Write a data set for verl whose rows are starts of a game, and configure how verl plays it.

    pip install -e . 'verl[verl-core]==0.9.1'
    python examples/train/verl_game.py data --env game:TicTacToe-v0
    python examples/train/verl_game.py data --env game:TicTacToe-v0 --others x=random
    VERL_USE_EXTERNAL_MODULES=gem_ma.training.trainers.verl \
        python -m verl.trainer.main_ppo data.train_files=data/train.parquet \
        actor_rollout_ref.rollout.agent.agent_loop_config_path=data/loops.yaml \
        algorithm.adv_estimator=gem_ma ...

All seats without an agent in --others are trained; each is compared with itself. --context turns=4
keeps prompts short and gives several sequences for a seat. The variable registers our estimator
with verl. Engines and workers of verl need a GPU and were not run; docs/trainers.md says what was.
"""

import argparse
from pathlib import Path

LOOPS = "- name: gem_ma\n  _target_: gem_ma.training.trainers.verl.GameAgentLoop\n"


def main():
    from datasets import Dataset

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
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
    args = parser.parse_args()
    start = {
        "env": args.env,
        "others": dict(one.split("=", 1) for one in args.others) or None,
        "make": {"observe": args.observe},
        "context": args.context,
    }
    rows = [
        {
            "prompt": [{"role": "user", "content": "unused"}],
            "agent_name": "gem_ma",
            "data_source": args.env,
            "reward_model": {"style": "rule", "ground_truth": ""},
            "extra_info": {**start, "seed": seed, "index": seed},
        }
        for seed in range(args.starts)
    ]
    args.folder.mkdir(parents=True, exist_ok=True)
    Dataset.from_list(rows).to_parquet(args.folder / "train.parquet")
    (args.folder / "loops.yaml").write_text(LOOPS)
    print(f"{len(rows)} starts of {args.env} in {args.folder}")


if __name__ == "__main__":
    main()
