"""Train the seats of tau2:phone from scratch: the assistant, the user, or both together.

    python examples/train/phone.py --train assistant --updates 120
    python examples/train/phone.py --train assistant --user users:train --updates 200
    python examples/train/phone.py --train user --updates 120
    python examples/train/phone.py --train both --updates 120

With --save, the same command resumes a stopped run, and `gem-ma plot learning` plots the history
next to the checkpoint. Each task has one fault (or more: --faults) of the phone or of the line. A
seat that is not trained follows rules: a user that does as it is told, or an assistant that follows
the workflow.

Each seat chooses its messages from a menu. It is paid for the task's success, more for a quick one.
The first messages are fixed: the user reports the problem and identifies itself when asked, and the
assistant looks up the customer. After that, the assistant's menu has a sentence for each thing that
it can ask the user to check or change, and tool calls with ids that it has seen. After each message
the user can call one tool, report the result, or end the dialogue. It starts with a bias towards
menu lines that share words with the last message.
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
from gem_ma.envs.tau.agents.users.phone_actions import USER_ACTIONS
from gem_ma.envs.tau.agents.users.user_simulator import STOP_MARK
from gem_ma.training import MenuLearner, Trainer, rebn

BUCKETS = 192  # hash buckets for the phrases that a seat hears
SMALL = frozenset(  # words that carry little meaning
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
    """Return features and menu; the first menu entries identify the customer."""
    said, heard = split(messages)
    phones = re.findall(r"\b\d{3}-\d{3}-\d{4}\b", "\n".join(heard))
    found = [one for text in heard for one in records(text)]
    customer = next((one for one in found if "line_ids" in one), None)
    look_up = call("get_customer_by_phone", phone_number=phones[-1]) if phones else WHO
    menu = [WHO if look_up in said else look_up]  # the number may be wrong
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
    """Return the records in a tool's output."""
    given = json.loads(text) if text.startswith(("{", "[")) else []
    return given if isinstance(given, list) else [given]


CALLS = tuple(dict.fromkeys(call(one.tool, **dict(one.arguments)) for one in USER_ACTIONS))
LINES = len(CALLS) + 5


def read_as_user(messages):
    """Return features and menu; the first menu entries report the problem and say who it is."""
    said, heard = split(messages)
    about, who, place = situation(messages[0]["content"])
    called = [line.startswith("{") for line in said]
    since = called[::-1].index(False) if False in called else len(called)  # calls since it spoke
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
    """Return the complaint, the identity and the location, in the user's own words."""
    about, person = rules.partition("Your situation:\n")[2].splitlines()[:2]
    name, number, place = re.match(r"You are (.*) with (.*)\. You are (.*)\.", person).groups()
    about = about.replace("Your", "My").replace("your", "my").replace("You", "I")
    return about, f"I am {name}. My {number.replace('number', 'number is')}.", f"I am {place}."


def split(messages):
    """Return what a seat said, and what it heard or read before each message and now."""
    said = [one["content"] for one in messages if one["role"] == "assistant"]
    heard = [one["content"] for one in messages if one["role"] == "user"]
    return said, [re.sub(r"^\w+: ", "", text, flags=re.M) for text in heard]


def features(said, heard, lines, size):
    """Return the features of a turn as one row.

    They are: phrases heard so far, phrases heard last, lines said so far, the line said last, and
    for each line the share of its words that was heard last.
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
    """Return hash buckets of a text's phrases, without digits of ids, shares and speeds."""
    found = re.split(r"[\n|,{}]|(?<=[.?]) ", re.sub(r"\d[\d.-]*\d|\d%", "", text.lower()))
    return [zlib.crc32(phrase.strip().encode()) % BUCKETS for phrase in found]


@functools.lru_cache(maxsize=10_000)
def words(text):
    return frozenset(re.findall("[a-z]+", text.lower())) - SMALL


class Scores(nn.Module):
    """A network that scores menu lines, with a bonus for words shared with the last message.

    Args:
        size: number of menu lines.
        lean: initial weight of the bonus; training changes it, also depending on the input.
        width: size of the hidden layer.
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
    """Return whether the task is solved, and the share of user calls that were requested."""
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
    """Return a trainer for seats of tau2:phone.

    Args:
        seed: seed of networks and episodes.
        train: "assistant", "user" or "both".
        episodes: episodes per update.
        faults: faults per task.
        user: agent of the user if it is not trained. "users:train" draws another kind of user in
            each episode.
    """
    torch.manual_seed(seed)
    learners = {
        "user": (Scores(LINES, lean=5.0), read_as_user),  # the bias makes it do as asked
        "assistant": (Scores(ACTIONS), read_as_assistant),
    }
    agents = {"user": user, "assistant": "informed-assistant"}
    trained = list(agents) if train == "both" else [train]
    for seat in trained:
        agents[seat] = MenuLearner(*learners[seat], lr=5e-3, epochs=4, entropy=0.03, seed=seed)
    alone = train == "user"  # the assistant's workflow takes many turns
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
    parser.add_argument(
        "--user", default="rule-user", help="agent of the user if it is not trained"
    )
    parser.add_argument("--updates", type=command_options.parse_positive, default=120)
    parser.add_argument(
        "--episodes", type=command_options.parse_positive, default=64, help="episodes per update"
    )
    parser.add_argument(
        "--faults", type=command_options.parse_positive, default=1, help="faults per task"
    )
    parser.add_argument("--seed", type=command_options.parse_seed, default=0)
    parser.add_argument("--save", help="checkpoint file; if it exists, training resumes from it")
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
