"""Write a data set for verl whose rows are starts of a game, and say how verl plays it.

    pip install gem-ma 'verl[verl-core]==0.9.1'
    python examples/train/verl_game.py data --env game:TicTacToe-v0 --seat x --others random
    python -m verl.trainer.main_ppo data.train_files=data/train.parquet \\
        actor_rollout_ref.rollout.agent.agent_loop_config_path=data/loops.yaml ...

Checked against verl 0.9.1 by tests/training: its base class and its output, with a scripted
server. verl itself needs a GPU and was not run. Several turns; one seat; pictures; the rewards of
the turns are added up (verl has one number for a sequence), and stand in turn_scores.
"""

import argparse
from pathlib import Path

LOOPS = "- name: gem_ma\n  _target_: gem_ma.training.adapters.verl.GemAgentLoop\n"


def main():
    from datasets import Dataset

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--env", default="game:TicTacToe-v0")
    parser.add_argument("--seat", default="x")
    parser.add_argument("--others", default="random")
    parser.add_argument("--starts", type=int, default=1024)
    args = parser.parse_args()
    start = {"env": args.env, "seat": args.seat, "others": args.others}
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
