"""Train a model in any environment with TRL's GRPOTrainer, through its `rollout_func`.

    pip install -e '.[hf]' trl==1.16.0 jmespath
    python examples/train/trl_rollout.py MODEL --env game:GuessTheNumber-v0
    python examples/train/trl_rollout.py MODEL --env game:TicTacToe-v0 --others o=random
    python examples/train/trl_rollout.py MODEL --env game:TicTacToe-v0   # self-play: both seats

It supports several turns and several seats, but no pictures, because TRL takes none from a
rollout_func. TRL has one reward per sequence, the sum of the rewards of its turns. With --by-turns,
each turn has its own advantage.
"""

import argparse

from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import GRPOConfig, GRPOTrainer

from gem_ma.training.trainers.trl import add_turn_credit, env_reward, rollout_func


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("--env", default="game:GuessTheNumber-v0")
    parser.add_argument(
        "--others",
        nargs="*",
        default=[],
        help="agents of seats that are not trained: SEAT=AGENT, such as o=random",
    )
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument(
        "--batch",
        type=int,
        default=32,
        help="sequences per batch; must be a multiple of the sequences of one start",
    )
    parser.add_argument("--group", type=int, default=8, help="sequences from the same start")
    parser.add_argument("--lr", type=float, default=1e-6)
    parser.add_argument("--max-new-tokens", type=int, default=64, help="most new tokens per turn")
    parser.add_argument("--max-turns", type=int, help="most turns of an episode")
    parser.add_argument("--by-turns", action="store_true", help="learn from the rewards of turns")
    parser.add_argument("--cpu", action="store_true")
    parser.add_argument("--out", default="trl_out")
    args = parser.parse_args()

    trainer = (add_turn_credit(GRPOTrainer) if args.by_turns else GRPOTrainer)(
        model=AutoModelForCausalLM.from_pretrained(args.model),
        processing_class=AutoTokenizer.from_pretrained(args.model, padding_side="left"),
        reward_funcs=[env_reward],
        rollout_func=rollout_func(
            args.env,
            others=dict(one.split("=", 1) for one in args.others),
            max_new_tokens=args.max_new_tokens,
            max_turns=args.max_turns,
        ),
        train_dataset=Dataset.from_list([{"prompt": "play"}] * args.batch),  # starts are drawn
        args=GRPOConfig(
            output_dir=args.out,
            max_steps=args.steps,
            per_device_train_batch_size=args.batch,
            num_generations=args.group,
            learning_rate=args.lr,
            use_cpu=args.cpu,
            bf16=not args.cpu,
            gradient_checkpointing=False,
            logging_steps=1,
            report_to=[],
        ),
    )
    trainer.train()
    for entry in trainer.state.log_history:
        if "reward" in entry:
            print(f"step {entry['step']}: reward {entry['reward']:.3f}")
    trainer.save_model(args.out)


if __name__ == "__main__":
    main()
