"""Train the seats of tau2:phone from scratch: the assistant, the user, or both together.

    python examples/train/phone.py --train assistant --updates 120
    python examples/train/phone.py --train assistant --user users:train --updates 200
    python examples/train/phone.py --train user --updates 120
    python examples/train/phone.py --train both --updates 120

With --save the same command goes on where it was stopped, and `gem-ma plot learning` draws the
history beside the checkpoint. In each task one thing is wrong (--faults), with the phone or with
the line. A seat that does not learn is played by rules: a user who does what it is told, or an
assistant who follows the workflow.

Each seat picks from a menu, and is paid for the task's success, the sooner the more. How a talk
begins is given: the user says what is wrong and, when it is asked, who it is, and the assistant
looks that up. Then the assistant has a sentence for each thing that it can ask a user to look at or
to change, and calls of its tools with the ids that it has seen. The user can call one tool after
each message that it hears, say what that showed, or end; it begins with a leaning to the lines that
have the words it just heard.
"""

import argparse
import functools
import json
import re
import zlib

import numpy as np
import torch
from torch import nn

from gem_ma.agents import load_agent
from gem_ma.cli import command_options
from gem_ma.envs.tau.agents.users.telecom_simulator import USER_ACTIONS
from gem_ma.envs.tau.agents.users.user_simulator import STOP_MARK
from gem_ma.training import MenuLearner, Trainer, rebn

BUCKETS = 192  # that the phrases fall into which a seat hears
SMALL = frozenset(  # words that say little
    {"name", "arguments", "please", "you", "your", "i", "am", "my", "is", "it"}
    | {"a", "an", "the", "and", "of", "at", "to"}
)
TOLD = ("solved", "asked", "turns")


def call(name, **arguments):
    return json.dumps({"name": name, "arguments": arguments})


WHO = "Could you tell me your name and your phone number, please?"
SENTENCES = (
    "Is it solved?",
    "What exactly is wrong with your phone?",
    "Please look at your status bar.",
    "Please check the network status of your phone.",
    "Please run a speed test.",
    "Please check your data restrictions: data saver.",
    "Please check your network mode preference.",
    "Please check your VPN status.",
    "Can you send an MMS with your messaging app?",
    "Please check your Wi-Fi calling.",
    "Please check the permissions of your messaging app.",
    "Please check your APN settings.",
    "Please turn off airplane mode.",
    "Please re-seat your SIM card.",
    "Please reset your APN settings.",
    "Please restart your phone.",
    "Please turn on data roaming.",
    "Please turn on mobile data.",
    "Please turn off data saver mode.",
    "Please change your preferred network mode to one with 4G and 5G.",
    "Please disconnect your VPN.",
    "Please turn off Wi-Fi calling.",
    "Please grant the messaging app the storage permission.",
    "Please grant the messaging app the sms permission.",
    "There is an overdue bill. Please make the payment.",
)
ACTIONS = len(SENTENCES) + 6


def read_as_assistant(messages):
    """Return what the network sees, and the menu: first it finds out who it is."""
    said, heard = split(messages)
    phones = re.findall(r"\b\d{3}-\d{3}-\d{4}\b", "\n".join(heard))
    found = [one for text in heard for one in records(text)]
    customer = next((one for one in found if "line_ids" in one), None)
    look_up = call("get_customer_by_phone", phone_number=phones[-1]) if phones else WHO
    menu = [WHO if look_up in said else look_up]  # a number may be mistaken
    if customer:
        who = {"customer_id": customer["customer_id"]}
        line = {"line_id": customer["line_ids"][0]}
        menu = [
            *SENTENCES,
            call("get_details_by_id", id=line["line_id"]),
            call("get_data_usage", **who, **line),
            call("resume_line", **who, **line),
            call("enable_roaming", **who, **line),
            call("refuel_data", **who, **line, gb_amount=2.0),
        ]
        bills = customer["bill_ids"][:1]
        menu += [call("send_payment_request", **who, bill_id=bill) for bill in bills]
    return features(said, heard, menu, ACTIONS), menu


@functools.lru_cache(maxsize=10_000)
def records(text):
    """Return the records that a tool gave."""
    given = json.loads(text) if text.startswith(("{", "[")) else []
    return given if isinstance(given, list) else [given]


CALLS = tuple(dict.fromkeys(call(one.tool, **dict(one.arguments)) for one in USER_ACTIONS))
LINES = len(CALLS) + 5


def read_as_user(messages):
    """Return what the network sees, and the menu: first it says what is wrong, and who it is."""
    said, heard = split(messages)
    about, who, place = situation(messages[0]["content"])
    called = [line.startswith("{") for line in said]
    since = called[::-1].index(False) if False in called else len(called)  # it last spoke
    shown = heard[len(heard) - since :]
    tell = "\n".join(shown) or "I have not looked."
    lines = [who, place, "Yes, please.", tell, *CALLS, STOP_MARK]
    menu = lines if any(called) else lines[:-1]
    if shown:
        menu = lines[: lines.index(tell) + 1]
    if len(said) < 2:
        menu = [who if said else about]
    return features(said, [about, *heard], lines, LINES), menu


@functools.lru_cache(maxsize=10_000)
def situation(rules):
    """Return the complaint, who it is and where, in the user's own words."""
    about, person = rules.partition("Your situation:\n")[2].splitlines()[:2]
    name, number, place = re.match(r"You are (.*) with (.*)\. You are (.*)\.", person).groups()
    about = about.replace("Your", "My").replace("your", "my").replace("You", "I")
    return about, f"I am {name}. My {number.replace('number', 'number is')}.", f"I am {place}."


def split(messages):
    """Return what a seat said, and what it heard or read before each of that and now."""
    said = [one["content"] for one in messages if one["role"] == "assistant"]
    heard = [one["content"] for one in messages if one["role"] == "user"]
    return said, [re.sub(r"^\w+: ", "", text, flags=re.M) for text in heard]


def features(said, heard, lines, size):
    """Return a row of numbers.

    They are the phrases that were heard so far and last, the lines that were said so far and last,
    and of each line, which share of its words was heard last.
    """
    row = np.zeros(2 * BUCKETS + 3 * size, np.float32)
    so_far, last, own, own_last, share = np.split(
        row, np.cumsum([BUCKETS, BUCKETS, size, size])
    )  # parts of the row
    for text in heard:
        so_far[phrases(text)] = 1
    last[phrases(heard[-1])] = 1
    for place, line in enumerate(lines):
        own[place] = line in said
        own_last[place] = said[-1:] == [line]
        share[place] = len(words(line) & words(heard[-1])) / max(len(words(line)), 1)
    return row


@functools.lru_cache(maxsize=10_000)
def phrases(text):
    """Return numbers for the phrases of a text, without the figures of ids, shares and speeds."""
    found = re.split(r"[\n|,{}]|(?<=[.?]) ", re.sub(r"\d[\d.-]*\d|\d%", "", text.lower()))
    return [zlib.crc32(phrase.strip().encode()) % BUCKETS for phrase in found]


@functools.lru_cache(maxsize=10_000)
def words(text):
    return frozenset(re.findall("[a-z]+", text.lower())) - SMALL


class Scores(nn.Module):
    """A score for each line of the menu, the higher the more of its words were heard last.

    Args:
        lean: how much higher, until it learns how much that is to be, and where.
    """

    def __init__(self, size, lean=0.0, width=64):
        super().__init__()
        self.size = size
        self.layers = nn.Sequential(
            nn.Linear(2 * BUCKETS + 3 * size, width), nn.ReLU(), nn.Linear(width, size + 1)
        )
        nn.init.constant_(self.layers[-1].bias[-1], lean)

    def forward(self, rows):
        scores = self.layers(rows)
        return scores[..., :-1] + scores[..., -1:] * rows[..., -self.size :]


def measure(episode):
    """Return whether it is solved, and for how many of the user's calls the assistant asked."""
    heard, asked = "", []
    for step in episode.steps:
        tool = str(step.reply).startswith("{")
        if step.agent == "user" and tool:
            meant = [one for one in USER_ACTIONS if one.sounds.search(heard)]
            asked.append(any(call(one.tool, **dict(one.arguments)) == step.reply for one in meant))
        elif step.agent == "assistant" and not tool:
            heard = step.reply
    return {"solved": episode.report["reward"], "asked": sum(asked) / max(len(asked), 1)}


def trainer(seed=0, train="assistant", episodes=64, faults=1, user="rule-user"):
    """Return what trains such seats.

    Args:
        train: "assistant", "user" or "both".
        user: who it is where it does not learn, such as "users:train", which is another kind in
            each episode.
    """
    torch.manual_seed(seed)
    learners = {
        "user": (Scores(LINES, lean=5.0), read_as_user),  # else it would hardly do as it is asked
        "assistant": (Scores(ACTIONS), read_as_assistant),
    }
    agents = {"user": user, "assistant": "informed-assistant"}
    trained = list(agents) if train == "both" else [train]
    for seat in trained:
        agents[seat] = MenuLearner(*learners[seat], lr=5e-3, epochs=4, entropy=0.03, seed=seed)
    alone = train == "user"  # the workflow takes its time
    return Trainer(
        "tau2:phone",
        agents,
        functools.partial(rebn, by=["seat"], gamma=0.97 if alone else 0.95),
        episodes=episodes,
        seed=seed,
        train=trained,
        measure=measure,
        rollout={
            "faults": faults,
            "lines": 1,
            "misleading": 0,
            "concurrency": episodes,
            "max_turns": 60 if alone else 50,
            "invalid": "lose",
        },
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--train", choices=("assistant", "user", "both"), default="assistant")
    parser.add_argument("--user", default="rule-user", help="where it does not learn")
    parser.add_argument("--updates", type=command_options.parse_positive, default=120)
    parser.add_argument(
        "--episodes", type=command_options.parse_positive, default=64, help="of an update"
    )
    parser.add_argument(
        "--faults", type=command_options.parse_positive, default=1, help="of a task"
    )
    parser.add_argument("--seed", type=command_options.parse_seed, default=0)
    parser.add_argument("--save", help="a checkpoint; if it is there, training goes on from it")
    args = parser.parse_args()
    torch.set_num_threads(1)

    def show(trainer):
        if trainer.step % 10 == 0 or trainer.step == args.updates:
            last = trainer.history[-10:]
            means = [sum(row[name] for row in last) / len(last) for name in TOLD]
            text = "solved {:.3f}, asked for {:.3f}, {:.1f} turns".format(*means)
            print(f"update {trainer.step}: {text}", flush=True)

    try:
        load_agent(args.user)
    except ValueError as error:
        parser.error(str(error))
    made = trainer(args.seed, args.train, args.episodes, args.faults, args.user)
    made.run(args.updates, args.save, after=show)


if __name__ == "__main__":
    main()
