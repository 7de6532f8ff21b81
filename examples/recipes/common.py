"""Helpers of the recipes: arguments, CPU time, evaluation, and results on disk.

Each recipe is one command, such as `python guess.py --seed 0 --out runs/guess-0`, and uses one
thread. A stopped recipe resumes when you run the same command again. At the end, the folder has
`result.json` with the CPU seconds and the results. With `--short` a recipe takes seconds, for
tests.
"""

import argparse
import json
import time
from pathlib import Path

import torch

import gem_ma
from gem_ma.agents import HFAgent
from gem_ma.training import BestCheckpoint, HFLearner, TrainingCollapsed, pretrain

BEST = "best.pt"


class Run:
    """One run of a recipe: its folder, its seed, and the time that it has used.

    Args:
        description: the first line of the command's help.
        **options: names of further arguments, each with its allowed values, the default first.
    """

    def __init__(self, description, **options):
        parser = argparse.ArgumentParser(description=description)
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument(
            "--out", type=Path, required=True, help="folder for models, checkpoints and results"
        )
        parser.add_argument("--short", action="store_true", help="run for seconds only, as a test")
        parser.add_argument(
            "--device", help="a PyTorch device such as cuda (default: the CPU, one thread)"
        )
        for name, known in options.items():
            parser.add_argument(f"--{name}", choices=known, default=known[0])
        args = parser.parse_args()
        self.options = {name: getattr(args, name) for name in options}
        self.seed, self.out, self.short, self.device = args.seed, args.out, args.short, args.device
        if self.device is None:
            torch.set_num_threads(1)
        self.out.mkdir(parents=True, exist_ok=True)
        self.results = {}
        self.clock = self.out / "clock.json"
        # From part to CPU seconds and wall-clock seconds.
        self.spent = json.loads(self.clock.read_text()) if self.clock.exists() else {}

    def part(self, name, work):
        """Run a part of the recipe and count its seconds, also those of interrupted runs."""
        clocks = time.process_time, time.perf_counter
        before, starts = self.spent.get(name, (0.0, 0.0)), [clock() for clock in clocks]

        def count(*_):
            self.spent[name] = [
                old + clock() - start
                for old, clock, start in zip(before, clocks, starts, strict=True)
            ]
            fresh = self.clock.with_suffix(".new")
            fresh.write_text(json.dumps(self.spent))
            fresh.replace(self.clock)  # if the process stops during writing, the old file remains

        made = work(count)
        count()
        return made

    def pretrain(self, env, teacher, name="model", **settings):
        """Pretrain a model from scratch on episodes of a teacher; return its folder."""
        settings = {"seed": self.seed, "device": self.device, "progress": True, **settings}
        return self.part(name, lambda _: pretrain(env, teacher, self.out / name, **settings))

    def learner(self, model, **settings):
        """Return a learner that starts from a model, with the usual settings of the recipes."""
        if not hasattr(model, "parameters"):
            found = self.player(model)
            model, settings = found.model, {"processor": found.tokens.processor, **settings}
        for name, one in model.named_parameters():
            if ".visual." in name:
                # All patches of a plain background push its weights in the same direction.
                # Two steps at this learning rate are enough to undo what was learnt.
                one.requires_grad_(False)
        usual = {"lr": 3e-4, "entropy": 0.003, "minibatch": 32}
        return HFLearner(model, seed=self.seed, device=self.device, **{**usual, **settings})

    def player(self, model, **settings):
        """Return an agent that plays with a model without training it."""
        return HFAgent(str(model), device=self.device, **settings)

    def train(self, name, trainer, updates, after=(), best=False):
        """Run a trainer, from its checkpoint if there is one, and return its history.

        Args:
            name: the folder of the checkpoint, and the part whose CPU time is counted.
            trainer: the trainer to run.
            updates: how many updates there are in all.
            after: functions that the trainer calls after each update.
            best: load the best checkpoint that a checkup kept, not the last one. After a collapse
                of the training the best one is always loaded.
        """
        path, kept = self.out / name / "checkpoint.pt", self.out / BEST
        try:
            self.part(
                name,
                lambda count: trainer.run(updates, path, after=[*after, count], progress=True),
            )
        except TrainingCollapsed as end:
            self.say(collapsed=str(end))
            best = True
        history = list(trainer.history)
        if best and kept.exists():
            trainer.load(kept)
        return history

    def checkup(self, score):
        """Return a callback that keeps the checkpoint with the best value of a history column."""
        return BestCheckpoint(score, self.out / BEST)

    def reinforce(self, trainer, updates, score, judge, players):
        """Run a trainer with a checkup; report its learners with sampled and with greedy replies.

        Args:
            trainer: the trainer to run.
            updates: how many updates there are in all.
            score: the history column that decides which checkpoint is best.
            judge: returns the results to report for the players.
            players: a learner, or a mapping from seat to learner.
        """
        self.train("rebn", trainer, updates, after=[self.checkup(score)], best=True)
        self.say(reinforced=judge(players))
        for seat in trainer.train:
            trainer.agents[seat].temperature = 0
        self.say(greedy=judge(players))

    def say(self, **results):
        """Add results to those of the run, and print them."""
        self.results |= results
        for name, value in results.items():
            print(f"{name}: {value}", flush=True)

    def end(self):
        """Write the results to result.json."""
        told = {
            "seed": self.seed,
            **self.options,
            "cpu_seconds": {name: round(cpu) for name, (cpu, _) in self.spent.items()},
            "wall_seconds": {name: round(wall) for name, (_, wall) in self.spent.items()},
            "results": self.results,
        }
        (self.out / "result.json").write_text(json.dumps(told, indent=1) + "\n")


def played(env, agents, count, seed=10**6, **settings):
    """Return episodes for evaluation, from starts that are not used in training."""
    return gem_ma.rollout(env, agents, count, seed=seed, progress=False, **settings)


def earned(seat, *args, **settings):
    """Return the mean return of a seat in such episodes."""
    return mean(episode.returns[seat] for episode in played(*args, **settings))


def mean(values):
    """Return a mean, rounded to three places."""
    values = list(values)
    return round(sum(values) / len(values), 3)
