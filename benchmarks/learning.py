"""Measure what small learners reach from scratch and how fast, and plot their curves.

    python benchmarks/learning.py [guess] [sight] [cups] [gates] [notes] [blocks] [reference] [user]
        [users] [phone] [questions] [screens] [--folder runs/learning]

Each task is an example of examples/, run on one core. `guess`, `sight`, `reference` and `user`,
with three seeds, take about 370 CPU seconds; the four visual tasks, with three, about 1,100;
`users` and `questions`, with one seed, about 450; `phone`, with two, about 480.
`screens` takes three times 40 minutes and runs only if it is named. `users` starts from the first
user of `user`. Stopped runs resume, except `screens`; finished runs are only plotted again. The
plots go to docs/figures/. A result is the mean of the last ten updates, with replies still sampled.
"""

import argparse
import importlib.util
import json
import time
from pathlib import Path
from typing import NamedTuple

import torch

from gem_ma.evaluation import plots

ROOT = Path(__file__).parent.parent
EVERY = 10  # updates from one checkpoint to the next
LAST = 10  # updates that are averaged for a result


class Task(NamedTuple):
    example: str
    title: str
    updates: int
    variants: dict  # label in the legend -> arguments of the example's `trainer`
    columns: dict  # column of the history -> its label
    chance: float | None
    seeds: tuple = (0, 1, 2)


def compare_forms(task, title, updates, chance):
    """Return a visual task that is learnt from pictures and from words."""
    forms = {"pictures": "image", "words": "text"}
    variants = {name: {"task": task, "observe": form} for name, form in forms.items()}
    columns = {"return/player": "right"}
    return Task("train/visual_tasks.py", f"{title}, or words", updates, variants, columns, chance)


TASKS = {
    "guess": Task(
        "train_tiny.py",
        "GuessTheNumber, 1 to 10 in 4 guesses",
        300,
        {"ReBN": {}},
        {"return/player": "won"},
        0.34,
    ),
    "sight": Task(
        "train/frozen_lake.py",
        "FrozenLake, one map: frames of 84 pixels or symbols",
        120,
        {"pictures": {"observe": "image"}, "symbols": {"observe": "text"}},
        {"return/player": "arrived"},
        0.04,
    ),
    "cups": compare_forms("cups", "CupShuffle: frames of cups that change places", 300, 0.33),
    "gates": compare_forms("gates", "LogicGates: a drawn circuit", 200, 0.5),
    "notes": compare_forms("notes", "NoteLengths: written music", 240, 0.33),
    "blocks": compare_forms("blocks", "CountBlocks: stacks in perspective", 200, 0.27),
    "reference": Task(
        "train/reference_game.py",
        "ReferenceGame, 4 pictures, both seats from scratch",
        150,
        {"both seats": {}},
        {"return/listener": "right"},
        0.25,
    ),
    "user": Task(
        "train/user_simulator.py",
        "tau:shop, the user's seat: a menu of its task's sentences",
        80,
        {"trained user": {}},
        {"fidelity": "fidelity", "solved": "solved by the assistant"},
        None,
    ),
    "users": Task(
        "train/user_simulator.py",
        "tau:shop: the assistant against a trained user, and both together",
        200,
        {
            "assistant learns": {"train": "assistant", "user": "{folder}/user-trained_user-0.pt"},
            "both learn": {"train": "both", "user": "{folder}/user-trained_user-0.pt"},
        },
        {"solved": "solved by the assistant", "fidelity": "fidelity of the user"},
        None,
        (0,),
    ),
    "phone": Task(
        "train/phone.py",
        "tau2:phone, one fault: either seat against one by rules, and both together",
        150,
        {
            "assistant learns": {"train": "assistant"},
            "user learns": {"train": "user"},
            "both learn": {"train": "both"},
        },
        {"solved": "solved", "asked": "of the user's calls, asked for"},
        None,
        (0, 1),
    ),
    "questions": Task(
        "train/twenty_questions.py",
        "TwentyQuestions: the asking seat against true answers",
        370,
        {"asker learns": {}},
        {"return/asker": "found"},
        0.16,
        (0,),
    ),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tasks", nargs="*", metavar="task", help=", ".join(TASKS))
    parser.add_argument("--seeds", type=int, nargs="*")
    parser.add_argument("--updates", type=int, help="number of updates (default: that of the task)")
    parser.add_argument("--folder", type=Path, default=ROOT / "runs" / "learning")
    parser.add_argument("--figures", type=Path, default=ROOT / "docs" / "figures")
    args = parser.parse_args()
    torch.set_num_threads(1)
    unknown = [name for name in args.tasks if name not in (*TASKS, "screens")]
    if unknown:
        parser.error(f"no task {', '.join(unknown)}; there are {', '.join(TASKS)}, screens")
    if "screens" in args.tasks:
        draw_screens(args.seeds or (0, 1, 2), args.folder, args.figures / "learning-screens.png")
        args.tasks.remove("screens")
        if not args.tasks:
            return
    for name in args.tasks or TASKS:
        task = TASKS[name]
        task = task._replace(updates=args.updates or task.updates, seeds=args.seeds or task.seeds)
        runs = {
            (variant, seed): run(name, task, variant, seed, args.folder)
            for seed in task.seeds
            for variant in task.variants
        }
        draw(task, runs, args.figures / f"learning-{name}.png")


def load(example):
    spec = importlib.util.spec_from_file_location("example", ROOT / "examples" / example)
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def run(name, task, variant, seed, folder):
    """Train or resume, and return the history."""
    example = load(task.example)
    stem = folder / f"{name}-{variant.replace(' ', '_')}-{seed}"
    clock = stem.with_suffix(".json")
    spent = json.loads(clock.read_text()) if clock.exists() else 0.0
    start = time.process_time()

    def after(trainer):
        if trainer.step % EVERY == 0 or trainer.step == task.updates:
            folder.mkdir(parents=True, exist_ok=True)
            clock.write_text(json.dumps(spent + time.process_time() - start))

    arguments = task.variants[variant].items()
    trainer = example.trainer(seed, **{key: one.format(folder=folder) for key, one in arguments})
    history = trainer.run(task.updates, stem.with_suffix(".pt"), every=EVERY, after=after)
    seconds = json.loads(clock.read_text())
    told = ", ".join(
        f"{called} {mean(history[:1], column):.3f} -> {mean(history[-LAST:], column):.3f}"
        for column, called in task.columns.items()
    )
    print(f"{name}, {variant}, seed {seed}: {told}; {len(history)} updates, {seconds:.0f} s CPU")
    return history


def mean(rows, column):
    return sum(row[column] for row in rows) / len(rows)


def draw(task, runs, path):
    """Plot the mean over seeds, smoothed over LAST updates, with a band of all seeds."""
    named = {name: [runs[name, seed] for seed in task.seeds] for name in task.variants}
    figure = plots.plot_learning_curves(named, task.columns, smooth=LAST, title=task.title)
    for place, called in zip(figure.axes, task.columns.values(), strict=True):
        place.set_ylim(0, 1.03)
        for line in place.lines:
            print(f"  mean of {len(task.seeds)} seeds, {called}, {line.get_label()}")
    if task.chance is not None:
        figure.axes[0].axhline(task.chance, color="gray", linestyle=":", linewidth=1)
    plots.save_figure(figure, path)
    print(f"  {path}")


def draw_screens(seeds, folder, path):
    """Train if needed, and plot the share of each task solved over time."""
    example = load("train/screens.py")
    runs = []
    for seed in seeds:
        stem = folder / f"screens-{seed}"
        log = stem.with_suffix(".jsonl")
        args = example.options(
            ["--seed", str(seed), "--log", str(log), "--save", str(stem.with_suffix(".pt"))]
        )
        folder.mkdir(parents=True, exist_ok=True)
        rows = plots.read_log(log) if log.exists() else []
        runs.append(rows if rows and rows[-1]["step"] == args.updates else example.learn(args))
    figure, axes = plots.make_figure(4, 5, (2.6, 1.7), sharex=True, sharey=True)
    for place, name in zip(axes.flat, example.TASKS, strict=True):
        for rows in runs:
            minutes = [row["seconds"] / 60 for row in rows]
            place.plot(minutes, [row[f"solved/{name}"] for row in rows])
        last = [rows[-1][f"solved/{name}"] for rows in runs]
        place.set_title(f"{name} {sum(last) / len(last):.2f}", fontsize=9)
        place.set_ylim(0, 1.03)
        place.grid(alpha=0.3)
        print(f"{name}: {', '.join(f'{one:.2f}' for one in last)}")
    figure.supxlabel("CPU minutes", fontsize=9)
    plots.save_figure(figure, path)
    print(f"  {path}")


if __name__ == "__main__":
    main()
