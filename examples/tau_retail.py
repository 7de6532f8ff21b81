"""Let a user and an assistant play TAU-bench, several trials per task, and report pass^k.

    python examples/tau_retail.py --tasks 20 --trials 4
    python examples/tau_retail.py --env tau:retail --trials 4 --out retail.jsonl \
        --user 'llm-user:openai:MODEL@URL?strategy=verify' --assistant openai:MODEL@URL

tau:shop needs no data. tau:retail and tau:airline need the files of TAU-bench.
"""

import argparse
import re
from collections import Counter, defaultdict

import gem_ma
from gem_ma.evaluation import pass_hat_k, wilson

# Number of tasks that an assistant solves by doing nothing, and number of tasks in the split.
FLOORS = {
    ("tau:retail", "test"): (7, 115),
    ("tau:retail", "dev"): (1, 20),
    ("tau:retail", "train"): (5, 500),
    ("tau:airline", "test"): (19, 50),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--env", default="tau:shop", help="tau:shop, tau:retail or tau:airline")
    parser.add_argument(
        "--split", default="test", help="test, dev or train, if the environment has it"
    )
    parser.add_argument("--user", default="rule-user", help="agent of the user, as a spec string")
    parser.add_argument(
        "--assistant", default="informed-assistant", help="agent of the assistant, as a spec string"
    )
    parser.add_argument(
        "--tasks", type=int, help="number of tasks (default: all, or 20 for tau:shop)"
    )
    parser.add_argument("--trials", type=int, default=1, help="trials of each task (default: 1)")
    parser.add_argument(
        "--concurrency", type=int, default=16, help="episodes at once; does not change the results"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", help="file for the recorded episodes")
    parser.add_argument(
        "--resume", action="store_true", help="play only the episodes that --out does not have yet"
    )
    args = parser.parse_args()
    if args.resume and not args.out:
        parser.error("--resume needs the file to resume: pass --out too")

    env = gem_ma.make(args.env, split=args.split)
    there = len(env.game.content.tasks)  # 0 for the shop, which generates tasks on demand
    tasks = args.tasks or there or 20
    if there:
        tasks = min(tasks, there)
    episodes = gem_ma.rollout(
        env,
        {"user": args.user, "assistant": args.assistant},
        tasks * args.trials,
        group=args.trials,
        options=[{"task": task} for task in range(tasks)],
        concurrency=args.concurrency,
        seed=args.seed,
        out=args.out,
        resume=args.resume,
    )

    print(f"{args.env}, {args.split}: {tasks} tasks, {args.trials} trials of each")
    print(f"user: {args.user}\nassistant: {args.assistant}\n")
    show(episodes, args.trials)
    if (args.env, args.split) in FLOORS:
        solved, of = FLOORS[args.env, args.split]
        line("floor", f"{solved / of:.3f}  (does nothing: {solved} of {of} tasks of the split)")


def show(episodes, trials):
    """Print the results; failed episodes count only in the line of failures."""
    played = [episode for episode in episodes if not episode.failure]
    results = defaultdict(list)
    for episode in played:
        results[episode.options["task"]].append(episode.report.get("reward") == 1)
    if played:
        solved = sum(map(sum, results.values()))
        low, high = wilson(solved, len(played))  # as if the trials of a task were independent
        line("reward", f"{solved / len(played):.3f}  ({low:.3f} to {high:.3f}, 95 % by Wilson)")
    for k in range(1, trials + 1):
        whole = {task: trial for task, trial in results.items() if len(trial) >= k}
        if whole:
            line(f"pass^{k}", f"{pass_hat_k(whole, k):.3f}  ({len(whole)} tasks)")
    failures = Counter(f"{e.failure.kind}: {e.failure.message}" for e in episodes if e.failure)
    line("failed", f"{failures.total()} of {len(episodes)}")
    frequent(failures)
    if played:
        faults = sum(bool(episode.report.get("user_fault")) for episode in played)
        line("user faults", f"{faults / len(played):.3f}  ({faults} of {len(played)})")
        frequent(
            Counter(
                error
                for episode in played
                for error in {plainly(one) for one in episode.report.get("user_errors", ())}
            )
        )
        line("turns", f"{sum(len(episode.steps) for episode in played) / len(played):.1f}")


def line(name, value):
    print(f"{name:<12}{value}")


def frequent(counter):
    for text, count in counter.most_common(5):
        print(f"{count:>16} x {text}")


def plainly(error):
    """Return a user's error without the value that it names."""
    return re.sub(r"^(invented the \w+) .*", r"\1", error, flags=re.DOTALL)


if __name__ == "__main__":
    main()
