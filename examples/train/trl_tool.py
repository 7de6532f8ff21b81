"""Train one seat with TRL's GRPOTrainer through its `environment_factory`: a move is a tool call.

    pip install -e '.[hf]' trl==1.16.0 jmespath
    python examples/train/trl_tool.py MODEL --env game:GuessTheNumber-v0
    python examples/train/trl_tool.py MODEL --env game:TicTacToe-v0 --seat x --others search:depth=9
    python examples/train/trl_tool.py MODEL --env game:FrozenLake-v0 --observe image

Checked with TRL 1.16.0, transformers 5.23 and torch 2.13, by tests/training. It supports several
turns, and pictures for vision models. One seat is trained; agents play the others. A sequence has
one reward. TRL must be able to parse the tool calls of the chat template. TRL passes every
exception of an environment to the model as the tool's result. It does not know when a game ends, so
`max_tool_calling_iterations` is the limit.
"""

import argparse

from datasets import Dataset
from transformers import AutoConfig, AutoProcessor, AutoTokenizer
from trl import GRPOConfig, GRPOTrainer

from gem_ma.training.trainers.trl import environment_factory


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("--env", default="game:GuessTheNumber-v0")
    parser.add_argument("--seat")
    parser.add_argument("--others", help="agents of the other seats, such as random")
    parser.add_argument("--observe", default="text", choices=("text", "image", "both"))
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument(
        "--batch", type=int, default=32, help="sequences per batch; a multiple of the group"
    )
    parser.add_argument("--group", type=int, default=8, help="sequences from the same start")
    parser.add_argument("--lr", type=float, default=1e-6)
    parser.add_argument("--turns", type=int, default=20)
    parser.add_argument(
        "--max-tokens", type=int, default=2048, help="most tokens of all turns together"
    )
    parser.add_argument("--cpu", action="store_true")
    parser.add_argument("--out", default="trl_out")
    args = parser.parse_args()

    config = AutoConfig.from_pretrained(args.model)
    loads = AutoProcessor if hasattr(config, "vision_config") else AutoTokenizer
    starts = [
        {"prompt": [{"role": "user", "content": ""}], "seed": seed}
        for seed in range(args.steps * args.batch // args.group)
    ]
    trainer = GRPOTrainer(
        model=args.model,
        processing_class=loads.from_pretrained(args.model, padding_side="left"),
        environment_factory=environment_factory(
            args.env, args.seat, args.others, observe=args.observe
        ),
        train_dataset=Dataset.from_list(starts),
        args=GRPOConfig(
            output_dir=args.out,
            max_steps=args.steps,
            per_device_train_batch_size=args.batch,
            num_generations=args.group,
            learning_rate=args.lr,
            max_completion_length=args.max_tokens,
            max_tool_calling_iterations=args.turns,
            use_cpu=args.cpu,
            bf16=not args.cpu,
            logging_steps=1,
            report_to=[],
        ),
    )
    trainer.train()
    for entry in trainer.state.log_history:
        if "reward" in entry:
            calls = entry.get("tools/call_frequency", 0.0)
            print(f"step {entry['step']}: reward {entry['reward']:.3f}, {calls:.1f} calls")
    trainer.save_model(args.out)


if __name__ == "__main__":
    main()
