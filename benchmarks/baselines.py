"""Train ReBN, GRPO and PPO on every environment of a suite, and on games of two by self-play.

    python benchmarks/baselines.py --budget 60 --folder runs/baselines

In each environment, a transformers language model starts from scratch. It first imitates random
play, or, in tasks of one question, a teacher that knows every other answer. Then each algorithm
continues from that model for the given CPU seconds on one core, and writes a row per update.
Stopped runs resume, and finished runs are skipped. At the end, the script prints a table and draws
all curves; --report does this for existing runs. --gpu uses a model of 100 million parameters,
bfloat16 and larger batches.
"""

import argparse
import json
import math
import os
import re
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

import numpy as np
import torch

import gem_ma
from gem_ma.agents import FunctionAgent, RandomAgent
from gem_ma.chat.agent import format_agent_name
from gem_ma.engine.seeding import derive_seed
from gem_ma.evaluation import plots, suites
from gem_ma.evaluation.runner.eval_tasks import plan_tasks
from gem_ma.rollouts import load_episodes
from gem_ma.training import HFLearner, Trainer, grpo, ppo, pretrain, rebn

ROOT = Path(__file__).parent.parent
SUITE = "games24"
SELF_PLAY = ("game:TicTacToe-v0", "game:KuhnPoker-v0", "game:Nim-v0")  # one learner in all seats
ALGORITHMS = ("ReBN", "GRPO", "PPO")
GAMMA = 0.9
LEARNING_RATE = 3e-4
STEPS = 4  # optimiser steps per update, about; each turn is used once
GROUP = 8  # episodes from one start, for GRPO
MATCHES = 32  # matches with a random player after each update of self-play
LAST = 10  # updates that are averaged for a result
LONGEST = 300  # most CPU seconds of a run
REPLY = 128  # most tokens of a reply
PENALTY = 0.05  # for an invalid reply in a game of one seat
CHAT = 8000  # most characters of an imitated conversation, because of the models' contexts
CONTEXT = "tokens=1900"  # of about four characters; conversations are cut to this while playing


class Form(NamedTuple):
    """Size of the model, of the imitation, and of an update."""

    size: str
    letters: float  # characters of the conversations that it imitates, about
    turns: int  # turns of an update, about
    precision: str = "full"
    batch: int | None = None  # tokens of an imitation step; None: the size's default


CPU = Form("micro", 5e5, turns=256)
GPU = Form("base", 3e7, turns=2048, precision="mixed", batch=8192)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--budget", type=float, default=30, help="CPU seconds of a run (30)")
    parser.add_argument(
        "--updates", type=int, help="stop after this many updates, even within the budget"
    )
    parser.add_argument("--only", nargs="+", metavar="ID", help="train on these environments only")
    parser.add_argument("--algorithms", nargs="+", choices=ALGORITHMS, default=ALGORITHMS)
    parser.add_argument("--seeds", nargs="+", type=int, default=(0, 1))
    parser.add_argument("--folder", type=Path, default=ROOT / "runs" / "baselines")
    parser.add_argument("--figure", type=Path, help="file for the plot; needs matplotlib")
    parser.add_argument("--gpu", action="store_true", help="train a larger model on a GPU")
    parser.add_argument("--device", help="cpu, or cuda, which --gpu implies")
    parser.add_argument("--report", action="store_true", help="train nothing; report existing runs")
    args = parser.parse_args(arguments)
    if not 0 < args.budget <= LONGEST:
        parser.error(f"--budget {args.budget:g}: expected more than 0, and {LONGEST} at most")
    args.device = args.device or ("cuda" if args.gpu else "cpu")
    if args.device.startswith("cuda") and not torch.cuda.is_available():
        parser.error(f"--device {args.device}: torch finds no GPU here; use --device cpu")
    listed = [entry.id for entry in suites.load_suite(SUITE).entries]
    unknown = [id for id in args.only or () if id not in (*listed, *SELF_PLAY)]
    if unknown:
        parser.error(f"no id {', '.join(unknown)}; there are {', '.join((*listed, *SELF_PLAY))}")
    torch.set_num_threads(1)
    if not args.report:
        everything(args)
    report(args.folder, args.figure)


def everything(args):
    """Train everything requested: the first seed of all environments, then the next."""
    found, missing = environments(args.only)
    args.folder.mkdir(parents=True, exist_ok=True)
    file = args.folder / "missing.json"
    known = json.loads(file.read_text()) if file.exists() else {}
    write(file, {id: why for id, why in known.items() if id not in found} | missing)
    for id in found:
        floor(id, args.folder)
    for seed in args.seeds:
        for id in found:
            for algorithm in args.algorithms:
                run(id, algorithm, seed, args)


def environments(only=None):
    """Return the ids that can be played here, and the reasons why others cannot."""
    suite = suites.load_suite(SUITE)
    entries = tuple(one for one in suite.entries if not only or one.id in only)
    cells, skipped = plan_tasks(suites.Suite(SUITE, entries), "random", {})
    more = [id for id in SELF_PLAY if not only or id in only]
    missing = {one["id"]: one["reason"].partition(" (")[0] for one in skipped}
    return [*(cell.entry.id for cell in cells), *more], missing


def run(id, algorithm, seed, args):
    """Train until the budget is spent; resume from an existing checkpoint."""
    stem = folder_of(args.folder, id) / f"{algorithm}-{seed}"
    log, checkpoint = stem.with_suffix(".jsonl"), stem.with_suffix(".pt")
    if log.exists() and done(plots.read_log(log), args):
        return
    form = GPU if args.gpu else CPU
    about = json.loads(floor_of(args.folder, id).read_text())
    model = imitation(id, seed, form, about, args)
    trainer = made(id, algorithm, seed, form, about, model, args.device)
    if checkpoint.exists():
        trainer.load(checkpoint)
    rows = trainer.history
    log.write_text("".join(json.dumps(row) + "\n" for row in rows))  # as in the checkpoint
    before, start = (rows[-1]["cpu"] if rows else 0.0), cpu()
    saved = before
    while not done(rows, args):
        row = trainer.update()
        row["return"] = earned(trainer, row)
        row["cpu"] = before + cpu() - start
        with log.open("a") as file:
            file.write(json.dumps(row) + "\n")
        if row["cpu"] - saved > 2 or done(rows, args):
            trainer.save(checkpoint)
            saved = row["cpu"]
    went = f"{rows[0]['return']:.3f} -> {result([rows]):.3f} in {len(rows)} updates"
    print(f"{id}, {algorithm}, seed {seed}: {went}", flush=True)


def done(rows, args):
    return bool(rows) and (
        rows[-1]["cpu"] >= args.budget or (args.updates is not None and len(rows) >= args.updates)
    )


def imitation(id, seed, form, about, args):
    """Return the folder of the model that all algorithms start from."""
    folder = folder_of(args.folder / "models", id) / str(seed)
    share = form.letters / about["letters"]
    episodes = round(min(max(share, 16), 4000))
    settings = {"seed": seed, "device": args.device, "progress": False, "max_errors": 0}
    teacher = FunctionAgent(taught)
    settings |= {"size": form.size, "batch": form.batch, "episodes": episodes}
    settings["epochs"] = max(round(share / episodes), 1)
    return pretrain(environment(id), teacher, folder, keep=short, **settings)


def short(episode):
    """Return whether a model can read the whole episode."""
    return all(letters(episode, seat) < CHAT for seat in episode.agents)


def letters(episode, seat):
    return sum(len(str(message["content"])) for message in episode.messages(seat))


def taught(turn):
    """Answer correctly every other time if there is an answer; otherwise play at random."""
    rng = np.random.default_rng(turn.seed)
    answer = getattr(turn.position.state, "answer", "") if turn.position else ""
    if answer and rng.random() < 0.5:
        return answer
    return RandomAgent().act([turn])[0]


def made(id, algorithm, seed, form, about, model, device):
    """Return the trainer of a run."""
    env = environment(id)
    share = form.turns / about["turns"]
    episodes = GROUP * round(min(max(share, 16), form.turns / 4) / GROUP)
    seats = env.possible_agents
    learner = HFLearner(
        str(model),
        lr=LEARNING_RATE,
        entropy=0.01,
        critic=0.5 if algorithm == "PPO" else 0.0,
        minibatch=max(episodes * len(seats) // STEPS, 1),
        precision=form.precision,
        max_new_tokens=longest(model),
        device=device,
        seed=seed,
    )
    judges = {
        "ReBN": partial(rebn, gamma=GAMMA, by=("seat",)),
        "GRPO": grpo,
        "PPO": partial(ppo, gamma=GAMMA, by=("seat",)),
    }
    return Trainer(
        env,
        dict.fromkeys(seats, learner),
        judges[algorithm],
        episodes=episodes,
        group=GROUP if algorithm == "GRPO" else 1,
        seed=seed,
        rollout={"concurrency": 1024, "context": CONTEXT},
    )


def longest(model):
    """Return the tokens of the longest imitated reply, plus two."""
    from transformers import AutoTokenizer

    said = {
        str(step.reply) for one in load_episodes(model / "episodes.jsonl") for step in one.steps
    }
    tokenizer = AutoTokenizer.from_pretrained(model)
    return min(max(len(tokenizer(text).input_ids) for text in said) + 2, REPLY)


def environment(id):
    """Return an environment.

    In games of one seat, an invalid reply is replaced by a random move and costs a small penalty.
    So chats stay short, and earlier rewards are kept. In other environments an invalid reply loses.
    """
    if id.startswith("game:") and id not in SELF_PLAY:
        return gem_ma.make(id, invalid="random", penalty=PENALTY)
    return gem_ma.make(id, invalid="lose")


def earned(trainer, row):
    """Return the mean return of the learner, in games of two against a random player."""
    if len(trainer.agents) == 1:
        return row[f"return/{trainer.train[0]}"]
    player = trainer.agents[trainer.train[0]]
    return versus_random(trainer.env, player, MATCHES, derive_seed(trainer.seed, trainer.step, 2))


def versus_random(env, player, matches, seed):
    episodes = gem_ma.rollout(
        env, [player, RandomAgent(seed=1)], matches, seed=seed, shuffle=True, progress=False
    )
    own = format_agent_name(player)
    return fmean(
        one.returns[seat] for one in episodes for seat, who in one.agents.items() if who == own
    )


def floor(id, folder, episodes=256):
    """Measure once the return of a RandomAgent and the length of an episode."""
    path = floor_of(folder, id)
    if path.exists():
        return
    env = environment(id)
    played = gem_ma.rollout(env, RandomAgent(), episodes, seed=0, progress=False, max_errors=0)
    seats = env.possible_agents
    long = fmean(sum(letters(one, seat) for seat in seats) for one in played)
    worth = [fmean(one.returns[seat] for seat in seats) for one in played]
    path.parent.mkdir(parents=True, exist_ok=True)
    turns = fmean(len(one.steps) for one in played)
    about = {"return": fmean(worth), "turns": turns, "letters": long, "episodes": episodes}
    write(path, {"id": id, **about})


def folder_of(folder, id):
    return folder / re.sub(r"\W+", "-", id)


def floor_of(folder, id):
    return folder_of(folder, id) / "floor.json"


def write(path, data):
    half = path.with_suffix(".part")
    half.write_text(json.dumps(data, indent=1) + "\n")
    half.replace(path)


def cpu():
    """Return the CPU seconds so far of this process and of its finished children."""
    return sum(os.times()[:4])


def report(folder, figure=None):
    """Print a table of all existing runs, and plot their curves."""
    known = {path: json.loads(path.read_text()) for path in folder.glob("*/floor.json")}
    print("| environment | random | " + " | ".join(ALGORITHMS) + " | updates | CPU s |")
    print("|---|---|" + "---|" * len(ALGORITHMS) + "---|---|")
    runs = {}
    for path, about in sorted(known.items(), key=lambda one: order(one[1]["id"])):
        id, worth = about["id"], about["return"]
        found = plots.read_logs([path.parent]) if any(path.parent.glob("*.jsonl")) else {}
        runs[id] = worth, found
        cells = [told(found.get(algorithm, [])) for algorithm in ALGORITHMS]
        counts = [len(rows) for seeds in found.values() for rows in seeds]
        spent = sum(rows[-1]["cpu"] for seeds in found.values() for rows in seeds)
        updates = f"{min(counts)} to {max(counts)}" if counts else ""
        print(f"| `{id}` | {worth:.2f} | {' | '.join(cells)} | {updates} | {spent:.0f} |")
    missing = folder / "missing.json"
    for id, reason in json.loads(missing.read_text()).items() if missing.exists() else ():
        print(f"\nNot run: `{id}`: {reason}.")
    if figure is not None and runs:
        draw(runs, figure)


def order(id):
    """Return the row of an environment: in the order of the suite, games of two last."""
    listed = [*(entry.id for entry in suites.load_suite(SUITE).entries), *SELF_PLAY]
    return listed.index(id)


def told(seeds):
    """Return the first and the last return, marked "flat" if the change is within the noise."""
    if not seeds:
        return ""
    first = fmean(rows[0]["return"] for rows in seeds)
    last = result(seeds)
    return f"{first:.2f} → {last:.2f}{'' if learnt(seeds) else ' flat'}"


def result(seeds):
    """Return the mean of the last updates, over seeds."""
    return fmean(fmean(row["return"] for row in rows[-window(rows) :]) for rows in seeds)


def window(rows):
    """Return how many updates are the last ones: a third of them, at most LAST."""
    return max(1, min(LAST, len(rows) // 3))


def learnt(seeds):
    """Return whether the return increases with the updates by more than three standard errors.

    The measure is Fisher's z of their correlation, over all seeds.
    """
    total, weight = 0.0, 0
    for rows in seeds:
        values = [row["return"] for row in rows]
        if len(set(values)) > 1 and len(values) > 3:
            related = np.corrcoef(values, range(len(values)))[0, 1]
            total += math.atanh(min(related, 0.999)) * (len(values) - 3)
            weight += len(values) - 3
    return weight > 0 and total / weight**0.5 > 3


def draw(runs, path, columns=5):
    """Plot the curves of all environments, one panel each, with the random player's return."""
    lines = -(-len(runs) // columns)
    figure, axes = plots.make_figure(lines, columns, (3.0, 2.0))
    for place in axes.flat[len(runs) :]:
        place.set_axis_off()
    for place, (id, (worth, found)) in zip(axes.flat, runs.items(), strict=False):
        for number, algorithm in enumerate(ALGORITHMS):
            if algorithm in found:
                values = [[row["return"] for row in rows] for rows in found[algorithm]]
                plots.draw_band(place, values, algorithm, color=f"C{number}", smooth=LAST)
        place.axhline(worth, color="gray", linestyle=":", linewidth=1, label="random")
        low, high = place.get_ylim()
        place.set_ylim(min(low, -0.03), max(high, low + 0.2))
        place.set_title(id.partition(":")[2] if id.startswith("game:") else id, fontsize=8)
        place.tick_params(labelsize=7)
        place.grid(alpha=0.3)
    lines, labels = axes.flat[0].get_legend_handles_labels()
    figure.legend(lines, labels, loc="outside upper center", ncols=4, fontsize=9)
    figure.supxlabel("updates", fontsize=9)
    figure.supylabel("mean return", fontsize=9)
    plots.save_figure(figure, path)


if __name__ == "__main__":
    main()
