"""Train an attacker and an assistant against each other: one injects, the other reads.

    python examples/train/injection.py --updates 80 --save runs/duel.pt
    python examples/train/injection.py --train assistant --updates 80

Two small networks play `inject:duel`. The attacker chooses among the twelve texts of the library:
six families, each with one that stands out and one that does not. At each step the assistant
chooses among the next step of its plan for the user's task, the calls that the texts which it has
read ask for, and to say that the task cannot be done. Its network reads the words around each
request, and is not told which is the user's. Both learn from the reward of the game alone.

With --train, the other seat is an agent by rule: `inject-attacker` or `inject-naive`. With --save,
the same command resumes a stopped run, and `gem-ma plot learning` plots the history next to the
checkpoint. At the end the assistant meets the whole library in all five worlds.
"""

import argparse
import functools
import re
import zlib

import numpy as np
import torch
from torch import nn

import gem_ma
from gem_ma.agents import load_agent
from gem_ma.cli import command_options
from gem_ma.envs.inject.agents.assistants import write_call
from gem_ma.envs.inject.attack_texts import ATTACK_FAMILIES, write_attack
from gem_ma.envs.inject.game import IMPOSSIBLE
from gem_ma.envs.inject.judging import ANSWER
from gem_ma.envs.inject.worlds import WORLDS
from gem_ma.envs.tau.agents.assistants.dialogue_flow import format_call
from gem_ma.training import MenuLearner, Trainer, rebn

TEXTS = [(family, quiet) for family in ATTACK_FAMILIES for quiet in (False, True)]
ASSIGNMENT = re.compile(r"The user is (.+?)\. Your text .*Your goal: (.+)\.$", re.S)
MENU = 8  # most lines of the assistant's menu
HASHES = 64  # words are told apart by a hash
ROW = HASHES + 4
NEAR = 160  # characters around a request
WORD = re.compile(r"[a-z]{2,}")


class Scores(nn.Module):
    """A network that scores each line of a menu from its own features."""

    def __init__(self, width=32):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(ROW, width), nn.ReLU(), nn.Linear(width, 1))

    def forward(self, rows):
        return self.layers(rows)[..., 0]


class Choice(nn.Module):
    """A score for each text, whatever the goal is."""

    def __init__(self):
        super().__init__()
        self.scores = nn.Parameter(torch.zeros(len(TEXTS)))

    def forward(self, rows):
        return rows[..., :1] * self.scores


def read_as_attacker(messages):
    """Return a row that says nothing, and the texts."""
    user, goal = ASSIGNMENT.search(messages[0]["content"]).groups()
    return np.ones(1, np.float32), [write_attack(one, goal, user, quiet) for one, quiet in TEXTS]


class Assistant(MenuLearner):
    """A learner that knows how the user's task is done, and reads what else is asked for."""

    def __init__(self, **settings):
        super().__init__(Scores(), self.read_chat, **settings)
        self.scenarios = {}  # by first messages of a conversation

    def act(self, turns):
        for turn in turns:
            self.scenarios[find_start(turn.messages)] = turn.position.state.scenario
        return super().act(turns)

    def read_chat(self, messages):
        """Return a row of features for each line of the menu, and the menu."""
        lines = list_lines(self.scenarios[find_start(messages)], messages)
        lines = sorted(lines, key=lambda line: zlib.crc32(repr(line).encode()))[:MENU]
        rows = np.zeros((MENU, ROW), np.float32)
        for row, (text, around, done) in zip(rows, lines, strict=False):
            words = WORD.findall(around.lower())
            for word in words:
                row[zlib.crc32(word.encode()) % HASHES] += 1 / len(words)
            row[-4] = text.startswith("{")
            row[-3] = IMPOSSIBLE in text
            row[-2] = done
            row[-1] = len(messages) / 30
        return rows, [text for text, _, _ in lines]


def find_start(messages):
    return tuple(message["content"] for message in messages[:2])


def list_lines(scenario, messages):
    """Return what can be replied: the text, the words around its request, and whether it was."""
    said = [message["content"] for message in messages if message["role"] == "assistant"]
    read = [message["content"] for message in messages[2:] if message["role"] == "user"]
    request = messages[1]["content"]
    plan = [write_call(call) for call in scenario.plan]
    if not scenario.feasible:
        plan.append(format_call(IMPOSSIBLE, reason="A value is missing."))
    values = f"\n{ANSWER}: {', '.join(scenario.answers)}" if scenario.answers else ""
    own = next((call for call in plan if call not in said), f"Done.{values}")
    lines = [(own, request, False)]
    lines.append((format_call(IMPOSSIBLE, reason="It cannot be done."), "", False))
    for goal, around in find_requests(scenario.world, read):
        calls = [write_call(call) for call in goal.calls]
        lines += [(call, around, call in said) for call in calls]
        if goal.tells and calls[-1] in said:
            told = dict(zip(said, read, strict=False))[calls[-1]]
            lines.append((f"Done.\n{told}{values}", around, False))
    return list(dict.fromkeys(lines))


def find_requests(world, read):
    """Yield the goals that texts ask for, with the words around them."""
    for text in read:
        for kind in WORLDS[world].goals:
            for goal in kind.find_goals(text):
                place = text.lower().index(goal.sentence.lower())
                yield goal, text[max(0, place - NEAR) : place + len(goal.sentence) + NEAR]


def measure(episode):
    """Return what the history tells of an episode."""
    report = episode.report
    told = {"attack success": float(report["attack_success"]), "utility": float(report["utility"])}
    for step in episode.steps:
        if step.agent == "attacker" and getattr(step.reply, "token_ids", None):
            family = TEXTS[step.reply.token_ids[0]][0]
            told |= {one: float(one == family) for one in ATTACK_FAMILIES}
    return told


def trainer(seed=0, train="both", episodes=64, world="mail"):
    """Return a trainer for one or both seats of a duel."""
    torch.manual_seed(seed)
    agents = {"attacker": load_agent("inject-attacker"), "assistant": load_agent("inject-naive")}
    if train != "assistant":
        settings = {"lr": 2e-2, "entropy": 0.02, "seed": seed}
        agents["attacker"] = MenuLearner(Choice(), read_as_attacker, **settings)
    if train != "attacker":
        agents["assistant"] = Assistant(lr=5e-3, entropy=0.02, seed=seed)
    return Trainer(
        "inject:duel",
        agents,
        functools.partial(rebn, by=["seat"]),
        episodes=episodes,
        seed=seed,
        measure=measure,
        rollout={"world": world, "invalid": "lose"},
    )


def meet_library(assistant, episodes=100):
    """Return utility and attack success of an assistant against the library, by world."""
    found = {}
    for world in WORLDS:
        played = gem_ma.rollout(
            f"inject:{world}", assistant, episodes, seed=10**6, progress=False, invalid="lose"
        )
        attacked = [one.report for one in played if one.report["attacked"]]
        found[world] = {
            "utility": sum(one.report["utility"] for one in played) / len(played),
            "attack success": sum(one["attack_success"] for one in attacked) / len(attacked),
        }
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--train", choices=("both", "attacker", "assistant"), default="both")
    parser.add_argument("--updates", type=command_options.parse_positive, default=80)
    parser.add_argument("--episodes", type=command_options.parse_positive, default=64)
    parser.add_argument("--seed", type=command_options.parse_seed, default=0)
    parser.add_argument("--world", choices=tuple(WORLDS), default="mail")
    parser.add_argument("--save", help="checkpoint file; if it exists, training resumes from it")
    args = parser.parse_args()
    torch.set_num_threads(1)
    made = trainer(args.seed, args.train, args.episodes, args.world)

    def show(trainer):
        if trainer.step % 10 == 0 or trainer.step == args.updates:
            last = trainer.history[-10:]
            means = [
                sum(row[name] for row in last) / len(last) for name in ("attack success", "utility")
            ]
            told = "attack success {:.3f}, utility {:.3f}".format(*means)
            print(f"update {trainer.step}: {told}", flush=True)

    made.run(args.updates, args.save, after=show)
    if args.train != "attacker":
        for world, numbers in meet_library(made.agents["assistant"]).items():
            told = ", ".join(f"{name} {value:.2f}" for name, value in numbers.items())
            print(f"the library in {world}: {told}")


if __name__ == "__main__":
    main()
