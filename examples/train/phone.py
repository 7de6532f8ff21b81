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
    menu = [about]
    if said:
        menu += [who, place, "Yes, please.", "\n".join(shown) or TOLD]
    if said and not shown:
        menu += [*CALLS, STOP] if any(one.startswith("{") for one in said) else CALLS
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


SMALL = {*"name arguments please you your i am my is it a an the and of".split()}


def told(messages):
    """Return what a seat said, and what it heard or read between."""
    said = [one["content"] for one in messages if one["role"] == "assistant"]
    heard = [one["content"] for one in messages if one["role"] == "user"]
    return said, [re.sub(r"^\w+: ", "", text, flags=re.M) for text in heard]


def features(said, heard, menu, size):
    """Return the phrases heard last and so far, and what of the menu was said last and so far."""
    row = np.zeros(2 * BUCKETS + 3 * size, np.float32)
    for text in heard:
        row[buckets(text)] = 1
    row[BUCKETS + buckets(heard[-1])] = 1
    places = {line: place for place, line in enumerate(menu)}
    so_far = [places[line] for line in said if line in places]
    row[2 * BUCKETS + np.array(so_far, int)] = 1
    if said and said[-1] in places:
        row[2 * BUCKETS + size + places[said[-1]]] = 1
    last = words(heard[-1])
    for place, line in enumerate(menu):
        row[place - size] = len(words(line) & last) / max(len(words(line)), 1)
    return row


@functools.lru_cache(maxsize=10_000)
def words(text):
    return frozenset(re.findall(r"[a-z]+", text.lower())) - SMALL


@functools.lru_cache(maxsize=10_000)
def buckets(text):
    """Return the numbers of its phrases, without the figures of ids, shares and speeds."""
    phrases = re.split(r"[\n|,{}]|(?<=[.?]) ", re.sub(r"\d[\d.-]*\d|\d%", "", text.lower()))
    return np.array([zlib.crc32(one.strip().encode()) % BUCKETS for one in phrases], int)


class Scores(nn.Module):
    """A score for each line of the menu; the more of its words were just heard, the higher.

    lean: how much higher at first. It learns how much, from what it sees.
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
    """Return whether it is solved, and how many of the user's calls the assistant asked for."""
    heard, asked = "", []
    for step in episode.steps:
        if step.agent == "user" and step.reply.startswith("{"):
            fits = [call(one.tool, **dict(one.arguments)) for one in DOINGS if one.sounds.search(heard)]
            asked.append(str(step.reply) in fits)
        elif step.agent == "assistant" and not step.reply.startswith("{"):
            heard = step.reply
    return {"solved": episode.report["reward"], "asked": sum(asked) / max(len(asked), 1)}


def trainer(seed=0, train="assistant", episodes=64, faults=1, gamma=None, cap=None, lean=5.0, alean=0.0, entropy=0.02, lr=5e-3):
    """Return what trains such seats; train: "assistant", "user" or "both"."""
    torch.manual_seed(seed)
    alone = train == "user"  # an assistant by rules takes its time
    gamma = gamma or (0.97 if alone else 0.95)
    cap = cap or (60 if alone else 40)
    learners = {
        "user": (Scores(LINES, lean), read_as_user),
        "assistant": (Scores(ACTIONS, alean), read_as_assistant),
    }
    agents = {"user": "rule-user", "assistant": "informed-assistant"}
    trained = list(agents) if train == "both" else [train]
    for seat in trained:
        agents[seat] = Chooser(*learners[seat], lr=lr, epochs=4, entropy=entropy, seed=seed)
    return Trainer(
        "tau2:phone",
        agents,
        functools.partial(rebn, by=["seat"], gamma=gamma),
        episodes=episodes,
        seed=seed,
        train=trained,
        measure=measure,
        rollout={
            "faults": faults,
            "lines": 1,
            "misleading": 0,
            "concurrency": episodes,
            "max_turns": cap,
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
            means = [sum(row[name] for row in last) / len(last) for name in ("solved", "asked", "turns")]
            text = "solved {:.3f}, asked for {:.3f}, {:.1f} turns".format(*means)
            print(f"update {trainer.step}: {text}", flush=True)

    made = trainer(args.seed, args.train, args.episodes, args.faults)
    made.run(args.updates, args.save, after=show)


if __name__ == "__main__":
    main()
