"""Train the seats of tau2:phone from scratch: the assistant, the user, or both together.

    python examples/train/phone.py --train assistant --updates 100
    python examples/train/phone.py --train user --updates 100
    python examples/train/phone.py --train both --updates 100

With --save the same command goes on where it was stopped, and `gem-ma plot learning` draws the
history beside the checkpoint. One thing is wrong in each task (--faults), with the phone or with
the line. A seat that does not learn is played by rules: a user who does as it is told, an assistant
who follows the workflow.

Each seat picks from a menu. The assistant's has a sentence for all that a user can be asked to look
at or to change, and the calls of its tools whose ids it has seen. The user's has its complaint, who
and where it is, one call for each thing heard, and to tell what the call showed. Both are paid for
the task's success, and the sooner the more.
"""

import argparse
import functools
import json
import re
import zlib

import numpy as np
import torch
from torch import nn

from gem_ma.agents.tau2 import DOINGS, STOP
from gem_ma.training.advantages import rebn
from gem_ma.training.chooser import Chooser
from gem_ma.training.loop import Trainer

BUCKETS = 192  # that the phrases fall into which a seat hears
SEATS = {"user": "rule-user", "assistant": "informed-assistant"}


def call(name, **arguments):
    return json.dumps({"name": name, "arguments": arguments})


# -- the assistant ---------------------------------------------------------------------------------

ASKED = (
    "Could you tell me your name and your phone number, please?",
    "Is it solved?",
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
    "If you got a payment request, please make the payment.",
)
ACTIONS = len(ASKED) + 7


def read_as_assistant(messages):
    """Return what the network sees, and the menu: it grows with the ids that were seen."""
    said, heard = told(messages)
    phone = next(iter(re.findall(r"\b\d{3}-\d{3}-\d{4}\b", "\n".join(heard))), None)
    found = [one for text in heard for one in records(text)]
    menu = list(ASKED)
    if phone:
        menu.append(call("get_customer_by_phone", phone_number=phone))
    customer = next((one for one in found if one.get("phone_number") == phone), None)
    if customer:
        of = {"customer_id": customer["customer_id"], "line_id": customer["line_ids"][0]}
        menu += [
            call("get_details_by_id", id=of["line_id"]),
            call("enable_roaming", **of),
            call("refuel_data", **of, gb_amount=2.0),
            call("resume_line", **of),
            call("get_bills_for_customer", customer_id=of["customer_id"]),
        ]
    for bill in found:
        if bill.get("status") == "Overdue":
            who = {"customer_id": bill["customer_id"], "bill_id": bill["bill_id"]}
            menu.append(call("send_payment_request", **who))
            break
    return features(said, heard, menu, ACTIONS), menu


@functools.lru_cache(maxsize=10_000)
def records(text):
    """Return the records that a tool gave."""
    try:
        given = json.loads(text)
    except ValueError:
        return ()
    return tuple(one for one in (given if isinstance(given, list) else [given]))


# -- the user --------------------------------------------------------------------------------------

TOLD = "I have looked at nothing yet."
CALLS = tuple(dict.fromkeys(call(one.tool, **dict(one.arguments)) for one in DOINGS))
LINES = 6 + len(CALLS)


def read_as_user(messages):
    """Return what the network sees, and the menu: after a call there are no more of them."""
    said, heard = told(messages)
    spoke = next((n for n, one in enumerate(reversed(said)) if not one.startswith("{")), len(said))
    shown = heard[len(heard) - spoke :] if spoke else []  # since somebody spoke
    about, who, place = situation(messages[0]["content"])
    menu = [about, who, place, "Yes, please.", STOP, "\n".join(shown) or TOLD]
    menu += CALLS if not shown else ()
    return features([about, *said], [about, *heard], menu, LINES), menu


@functools.lru_cache(maxsize=10_000)
def situation(rules):
    """Return the complaint, who it is and where, in the user's own words."""
    complaint, person = rules.partition("Your situation:\n")[2].splitlines()[:2]
    who, _, place = person.partition(". You are ")
    who = re.sub("^You are (.*) with (.*)$", r"I am \1. My \2.", who).replace("number", "number is")
    own = complaint.replace("Your", "My").replace("your", "my").replace("You", "I")
    return own, who, f"I am {place}"


# -- both ------------------------------------------------------------------------------------------


def told(messages):
    """Return what a seat said, and what it heard or read between."""
    said = [one["content"] for one in messages if one["role"] == "assistant"]
    heard = [one["content"] for one in messages if one["role"] == "user"]
    return said, [re.sub(r"^\w+: ", "", text, flags=re.M) for text in heard]


def features(said, heard, menu, size):
    """Return the phrases heard last and so far, and what of the menu was said last and so far."""
    row = np.zeros(2 * BUCKETS + 2 * size + 1, np.float32)
    for text in heard:
        row[buckets(text)] = 1
    row[BUCKETS + buckets(heard[-1])] = 1
    places = {line: place for place, line in enumerate(menu)}
    so_far = [places[line] for line in said if line in places]
    row[2 * BUCKETS + np.array(so_far, int)] = 1
    if said and said[-1] in places:
        row[2 * BUCKETS + size + places[said[-1]]] = 1
    row[-1] = heard[-1].startswith(("{", "["))
    return row


@functools.lru_cache(maxsize=10_000)
def buckets(text):
    """Return the numbers of its phrases, without the figures of ids, shares and speeds."""
    phrases = re.split(r"[\n|,{}]|(?<=[.?]) ", re.sub(r"\d[\d.-]*\d|\d%", "", text.lower()))
    return np.array([zlib.crc32(one.strip().encode()) % BUCKETS for one in phrases], int)


class Scores(nn.Module):
    """A score for each line of the menu."""

    def __init__(self, size, width=64):
        super().__init__()
        numbers = 2 * BUCKETS + 2 * size + 1
        self.layers = nn.Sequential(nn.Linear(numbers, width), nn.ReLU(), nn.Linear(width, size))

    def forward(self, rows):
        return self.layers(rows)


def trainer(seed=0, train="assistant", episodes=64, faults=1, lr=5e-3, gamma=0.95, entropy=0.02, epochs=4, max_turns=40):
    """Return what trains such seats; train: "assistant", "user" or "both"."""
    torch.manual_seed(seed)
    trained = list(SEATS) if train == "both" else [train]
    reads = {"user": (read_as_user, LINES), "assistant": (read_as_assistant, ACTIONS)}
    agents = dict(SEATS)
    for seat in trained:
        read, size = reads[seat]
        agents[seat] = Chooser(Scores(size), read, lr=lr, epochs=epochs, entropy=entropy, seed=seed)
    return Trainer(
        "tau2:phone",
        agents,
        functools.partial(rebn, by=["seat"], gamma=gamma),
        episodes=episodes,
        seed=seed,
        train=trained,
        measure=lambda episode: {"solved": episode.report["reward"]},
        rollout={
            "faults": faults,
            "lines": 1,
            "misleading": 0,
            "max_turns": max_turns,
            "concurrency": episodes,
            "invalid": "lose",
        },
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--train", choices=("assistant", "user", "both"), default="assistant")
    parser.add_argument("--updates", type=int, default=100)
    parser.add_argument("--episodes", type=int, default=64, help="of an update")
    parser.add_argument("--faults", type=int, default=1, help="how much is wrong at once")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--save", help="a checkpoint; if it is there, training goes on from it")
    args = parser.parse_args()
    torch.set_num_threads(1)

    def show(trainer):
        if trainer.step % 10 == 0 or trainer.step == args.updates:
            last = trainer.history[-10:]
            solved, turns = (sum(row[name] for row in last) / len(last) for name in ("solved", "turns"))
            print(f"update {trainer.step}: solved {solved:.3f} in {turns:.1f} turns", flush=True)

    made = trainer(args.seed, args.train, args.episodes, args.faults)
    made.run(args.updates, args.save, after=show)


if __name__ == "__main__":
    main()
