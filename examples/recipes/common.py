"""What the recipes share: their arguments, the clock, evaluation, and what they write down.

A recipe is one command, such as `python guess.py --seed 0 --out runs/guess-0`, and one thread. One
that was stopped goes on from where it was; the folder then holds `result.json`: CPU seconds, what
was measured, and the curve. `--short` takes seconds, for the tests.
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
    """One run of a recipe: its folder, its seed, and how long it has taken in all.

    Args:
        **options: names of further arguments, and what each may be, the usual one first.
    """

    def __init__(self, description, **options):
        parser = argparse.ArgumentParser(description=description)
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument("--out", type=Path, required=True, help="a folder")
        parser.add_argument("--short", action="store_true", help="seconds, to see that it runs")
        parser.add_argument("--device", help="such as cuda (default: the CPU, one thread)")
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
        self.spent = json.loads(self.clock.read_text()) if self.clock.exists() else {}

    def part(self, name, work):
        """Do a part of the recipe, and count its CPU seconds, those before a stop included."""
        before, start = self.spent.get(name, 0.0), time.process_time()

        def count(*_):
            self.spent[name] = before + time.process_time() - start
            fresh = self.clock.with_suffix(".new")
            fresh.write_text(json.dumps(self.spent))
            fresh.replace(self.clock)  # so that a stop in between leaves the old one

        made = work(count)
        count()
        return made

    def pretrain(self, env, teacher, name="model", **settings):
        """Return the folder of a model from nothing."""
        settings = {"seed": self.seed, "device": self.device, "progress": True, **settings}
        return self.part(name, lambda _: pretrain(env, teacher, self.out / name, **settings))

    def learner(self, model, **settings):
        """Return a learner that begins as a model is, with the settings that most recipes have."""
        if not hasattr(model, "parameters"):
            found = self.player(model)
            model, settings = found.model, {"processor": found.tokens.processor, **settings}
        for name, one in model.named_parameters():
            if ".visual." in name:
                # All patches of a plain ground push its weights the same way: two steps of this
                # rate are enough to undo what was learnt.
                one.requires_grad_(False)
        usual = {"lr": 3e-4, "entropy": 0.003, "minibatch": 32}
        return HFLearner(model, seed=self.seed, device=self.device, **{**usual, **settings})

    def player(self, model, **settings):
        """Return what plays a model as it is."""
        return HFAgent(str(model), device=self.device, **settings)

    def train(self, name, trainer, updates, after=(), best=False):
        """Run a trainer, from its checkpoint on if there is one, and return its history.

        Args:
            best: judge the best that a checkup kept, not the last. One that collapsed is judged so
                in any case.
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
        """Return what watches a column of the history, and keeps the best there was."""
        return BestCheckpoint(score, self.out / BEST)

    def reinforce(self, trainer, updates, score, judge, players):
        """Run a trainer, watched by a column, and say how its learners play, drawing and greedily.

        Args:
            judge: returns what is to be said of players: a learner, or those of several seats.
        """
        self.train("rebn", trainer, updates, after=[self.checkup(score)], best=True)
        self.say(reinforced=judge(players))
        for seat in trainer.train:
            trainer.agents[seat].temperature = 0
        self.say(greedy=judge(players))

    def say(self, **results):
        """Keep results, and print them."""
        self.results |= results
        for name, value in results.items():
            print(f"{name}: {value}", flush=True)

    def end(self):
        """Write down what came out."""
        told = {
            "seed": self.seed,
            **self.options,
            "cpu_seconds": {name: round(value) for name, value in self.spent.items()},
            "results": self.results,
        }
        (self.out / "result.json").write_text(json.dumps(told, indent=1) + "\n")


def played(env, agents, count, seed=10**6, **settings):
    """Return episodes to judge by, from starts that no training has seen."""
    return gem_ma.rollout(env, agents, count, seed=seed, progress=False, **settings)


def earned(seat, *args, **settings):
    """Return what a seat earns on average in such episodes."""
    return mean(episode.returns[seat] for episode in played(*args, **settings))


def mean(values):
    """Return a mean, to three places."""
    values = list(values)
    return round(sum(values) / len(values), 3)
