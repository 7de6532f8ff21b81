"""Train a seat of tau:shop from scratch: the user, the assistant against a trained user, or both.

    python examples/train/user_simulator.py --train user --updates 80 --save runs/user.pt
    python examples/train/user_simulator.py --train assistant --user runs/user.pt --updates 300
    python examples/train/user_simulator.py --train both --user runs/user.pt --updates 300

With --save the same command goes on where it was stopped, and `gem-ma plot learning` draws the
history beside the checkpoint; without it nothing is kept. --user is the checkpoint of such a run.

Each seat chooses its messages from a menu, by a small network that scores the lines.

The user's menu is made of its own task: a greeting, who it is, each wish, a yes and a no, the end,
and three temptations: to tell everything at once, to make up an order, and to talk like the
assistant. It is paid for fidelity and for getting what it wants, with some more for its pace: to
tell everything at once is the easiest way to success, and costs little fidelity.

The assistant's menu is what it can ask and do: tools, whose arguments are filled in with what was
heard and looked up so far. Which of them, and when, it learns from the task's success alone. Where
it does not learn, it is one who knows which tools the task needs.

With --model a language model learns instead, in its own words; both seats share it:

    python examples/train/user_simulator.py --model Qwen/Qwen3-0.6B --updates 200 --episodes 16

A chat that outgrows what the model can read is cut by --context turns=8, or another number.
"""

import argparse
import functools
import json
import re
import sys
import zlib
from pathlib import Path

import numpy as np
import torch
from torch import nn

from gem_ma.agents import load
from gem_ma.agents.assistants.flow import call
from gem_ma.agents.assistants.reading import SENTENCE, SOUNDS, Records
from gem_ma.agents.assistants.shop import who
from gem_ma.cli import common
from gem_ma.talk.context import Context
from gem_ma.training.advantages import rebn
from gem_ma.training.chooser import Chooser
from gem_ma.training.keeping import read_whole
from gem_ma.training.loop import Trainer

STOP = "###STOP###"
ALWAYS = (
    "Hello, I need some help.",
    "Yes, please.",
    "No.",
    "I do not remember.",
    STOP,
    "My email is someone@example.com, and it is about order #W0000000.",
    "How can I help you today?",
)
MENU = len(ALWAYS) + 4  # who it is, everything at once, a wish or two
UNKNOWN = "?unknown"  # stands in a line for what was neither heard nor looked up yet
WORD = re.compile(r"[a-z]+|\?")
ORDER = re.compile(r"#W\d{7}")


class Scores(nn.Module):
    """A score for each line of the menu, from what was heard and that line's own row."""

    def __init__(self, numbers, width=64):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(numbers, width), nn.ReLU(), nn.Linear(width, 1))

    def forward(self, rows):
        return self.layers(rows)[..., 0]


# -- the user --------------------------------------------------------------------------------------

USER_BUCKETS = 64  # that the words it hears fall into


def read_as_user(messages):
    """Return a row of numbers for each line of the menu, and the menu."""
    menu = lines(messages[0]["content"])
    said = [message["content"] for message in messages if message["role"] == "assistant"]
    rows = np.zeros((MENU, USER_BUCKETS + MENU + 2), np.float32)
    if said:  # else nothing was heard yet
        for word in WORD.findall(messages[-1]["content"].lower()):
            rows[:, zlib.crc32(word.encode()) % USER_BUCKETS] = 1
    for place, line in enumerate(menu):
        rows[place, USER_BUCKETS + place] = 1
        rows[place, -2] = min(said.count(line), 3) / 3
    rows[:, -1] = any(wish not in said for wish in menu[len(ALWAYS) + 2 :])
    return rows, menu


@functools.lru_cache(maxsize=10_000)
def lines(rules):
    """Return the menu for a task, in the user's own words."""
    task = rules.partition("Your task: ")[2]
    who, _mood, *wishes = re.split(r"(?<=\.) (?=You )", task)
    own = [re.sub(r"\byou\b", "I", re.sub("^You", "I", wish)) for wish in wishes]
    own = [re.sub(r"\byour\b", "my", wish) for wish in own]
    who = who.replace("Your", "My").replace("your", "my")
    return (*ALWAYS, who, f"{who} {' '.join(own)}", *own)


# -- the assistant ---------------------------------------------------------------------------------

ASSISTANT_BUCKETS = 256
ASKS = {  # what it can ask for, by the argument that it then knows
    "who": "Could you tell me your email, or your name and zip code?",
    "order_id": "Which order do you mean, by its number or by what is in it?",
    "item_ids": "Which items are they?",
    "new_item_ids": "Which options should the new items have?",
    "payment_method_id": "Which payment method shall it be?",
    "reason": "What is the reason?",
    "address1": "What is the new address, in full?",
    "wish": "What else would you like?",
    "end": "That is done. Is there anything else?",
}
CHANGES = tuple(tool for tool in SOUNDS if tool != "reset_app")
ACTIONS = len(ASKS) + len(CHANGES) + 4


def read_as_assistant(messages):
    """Return a row of numbers for each line of the menu, and the menu."""
    said = [message["content"] for message in messages if message["role"] == "assistant"]
    seen = [message["content"] for message in messages if message["role"] == "user"]
    heard = [text.removeprefix("user: ") for text in seen if text.startswith("user: ")]
    found = {
        call: text.removeprefix("tool: ")
        for call, text in zip(said, seen[1:], strict=True)
        if text.startswith("tool: ")
    }
    menu, unknown, wish = actions(heard, found, said)
    rows = np.zeros((ACTIONS, ASSISTANT_BUCKETS + ACTIONS + len(ASKS) + 5), np.float32)
    for word in WORD.findall(wish.lower()):
        rows[:, zlib.crc32(word.encode()) % ASSISTANT_BUCKETS] = 1
    for place, line in enumerate(menu):
        rows[place, ASSISTANT_BUCKETS + place] = 1
        rows[place, -5] = line in said
        rows[place, -4] = said[-1:] == [line]
        rows[place, -3] = UNKNOWN in line
    for place, name in enumerate(ASKS):
        rows[:, ASSISTANT_BUCKETS + ACTIONS + place] = name in unknown
    rows[:, -2] = bool(wish) and wish in heard[-1]
    rows[:, -1] = seen[-1].startswith("tool: ")
    return rows, menu


def actions(heard, found, said):
    """Return what the assistant can ask and do, what it does not know, and the wish at hand.

    UNKNOWN stands in a call for what was neither heard nor looked up.
    """
    records = Records()
    for asked, answer in found.items():
        keep(records, asked, answer)
    known = [one for one in who(heard) if one not in found]
    identify = known[0] if known else call("find_user_id_by_email", email=UNKNOWN)
    ids = [answer for asked, answer in found.items() if "find_user" in asked]
    id = next((one for one in ids if not one.startswith("Error")), UNKNOWN)
    unknown = {"who"} if id == UNKNOWN else set()
    wish, texts, tool, given = wanted(heard, records, said)
    calls = []
    for name in CHANGES:
        mine = given if name == tool and given else {}
        filled = {key: UNKNOWN if value is None else value for key, value in mine.items()}
        calls.append(call(name, **(filled or {"order_id": UNKNOWN})))
    if tool:
        unknown |= {name for name, value in (given or {"order_id": None}).items() if value is None}
    number = first(ORDER, " ".join(reversed(heard)))
    unseen = [] if not records.user or not tool else list(records.unseen(tool, texts))[:1]
    if number != UNKNOWN and number not in records.orders:
        unseen.append(("order", number))
    kind, wanted_id = unseen[0] if unseen else ("order", UNKNOWN)
    look_up = call(f"get_{kind}_details", **{f"{kind}_id": wanted_id})
    paid = records.orders.get(number, {}).get("payment_history", ({"amount": UNKNOWN},))
    total = f"You paid {paid[0]['amount']} for order {number}. Is there anything else?"
    details = call("get_user_details", user_id=id)
    return (*ASKS.values(), identify, details, look_up, *calls, total), unknown, wish


def keep(records, asked, answer):
    """Put what a tool answered where it belongs."""
    record = loads(answer)
    given = json.loads(asked)["arguments"] if record else {}
    if "payment_methods" in record:
        records.user = {**record, "user_id": given["user_id"]}
    elif "items" in record and asked.startswith('{"name": "get_order'):
        records.orders[given["order_id"]] = record
    elif "variants" in record:
        records.products[given["product_id"]] = record


@functools.lru_cache(maxsize=10_000)
def loads(text):
    return json.loads(text) if text.startswith("{") else {}


def wanted(heard, records, said):
    """Return the last wish that is not done, what was said since, its tool and its arguments."""
    done = " ".join(said)
    best = "", [], "", None
    for place, text in enumerate(heard):
        for one in SENTENCE.split(text):
            for tool in CHANGES:
                if not SOUNDS[tool].search(one):
                    continue
                texts = [one, *heard[place + 1 :]]
                given = records.arguments(tool, texts) if records.user else None
                filled = given is not None and None not in given.values()
                if filled and call(tool, **given) in done:
                    continue
                if given is not None or not best[3]:
                    best = one, texts, tool, given
    return best


def first(pattern, text):
    match = re.search(pattern, text)
    return match[0] if match else UNKNOWN


# -- training --------------------------------------------------------------------------------------


def measure(episode):
    report = episode.report
    user = report.get("user", {"fidelity": 0.0})  # a forfeit is not judged
    return {
        "fidelity": user["fidelity"],
        "no fault": float(not report.get("user_fault", True)),
        "solved": report["reward"],
    }


def trainer(
    seed=0,
    assistant="informed-assistant",
    episodes=64,
    train="user",
    user=None,
    model=None,
    context=None,
    env="tau:shop",
    split=None,
    **settings,
):
    """Return what trains such seats.

    train: "user", "assistant" or "both". assistant: who it is where it does not learn. user: the
    checkpoint of a user that was trained before, or a spec string such as "users:train"; without,
    a user that does not learn goes by rules. env, split: a shop of our own, or "tau:retail".
    model: a path or name that transformers loads, to learn in place of the small networks;
    context: how much of its chat it reads, such as "turns=8"; settings: further arguments of
    HFLearner.
    """
    torch.manual_seed(seed)
    trained = ["user", "assistant"] if train == "both" else [train]
    ready = user is not None and not Path(user).exists()  # a spec string
    agents = {"user": user if ready else "rule-user", "assistant": assistant}
    user = None if ready else user
    if user is not None or (model is None and "user" in trained):
        scores = Scores(USER_BUCKETS + MENU + 2)
        agents["user"] = Chooser(scores, read_as_user, lr=5e-3, epochs=2, seed=seed)
    if model is not None:
        from gem_ma.training.learner import HFLearner  # which needs transformers

        agents |= dict.fromkeys(trained, HFLearner(model, seed=seed, **settings))
    elif "assistant" in trained:
        scores = Scores(ASSISTANT_BUCKETS + ACTIONS + len(ASKS) + 5)
        agents["assistant"] = Chooser(
            scores, read_as_assistant, lr=5e-3, epochs=4, entropy=0.02, seed=seed
        )
    if user is not None:
        saved = read_whole(user).get("agents", {})
        if "user" not in saved:
            raise ValueError(f"{user} holds no user that was trained; --train user makes one")
        agents["user"].load_state_dict(saved["user"])
    alone = train == "user"
    return Trainer(
        env,
        agents,
        rebn if alone else functools.partial(rebn, by=["seat"], gamma=0.95),
        episodes=episodes,
        seed=seed,
        train=trained,
        measure=measure,
        rollout={
            **({} if split is None else {"split": split}),
            "concurrency": episodes,
            "max_turns": 60 if alone else 30,
            "user_reward": {"fidelity": 0.4, "pace": 0.3, "task": 0.3},
            "invalid": "lose",
            "context": {} if context is None else dict.fromkeys(trained, context),
        },
    )


def arguments():
    """Return what the command line says, and the parser, to say what is wrong with it."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--train", choices=("user", "assistant", "both"), default="user")
    parser.add_argument(
        "--user", help="the checkpoint of a user that was trained before, or a spec string"
    )
    parser.add_argument("--env", choices=("tau:shop", "tau:retail"), default="tau:shop")
    parser.add_argument("--split", help="of tau:retail: train, dev or test (default: test)")
    parser.add_argument("--assistant", default="informed-assistant", help="where it does not learn")
    parser.add_argument("--updates", type=common.positive, default=80)
    parser.add_argument("--episodes", type=common.positive, default=64, help="of an update")
    parser.add_argument("--seed", type=common.seed, default=0)
    parser.add_argument("--save", help="a checkpoint; if it is there, training goes on from it")
    parser.add_argument("--model", help="a language model that learns in place of small networks")
    parser.add_argument("--lr", type=common.number, default=1e-5, help="of the language model")
    parser.add_argument(
        "--max-new-tokens", type=common.positive, default=64, help="of the language model"
    )
    parser.add_argument(
        "--context", help="what it reads of its chat, such as turns=8 or tokens=4000 (default: all)"
    )
    parser.add_argument("--out", help="a folder for the trained language model")
    args = parser.parse_args()
    if args.model and args.user and args.train != "assistant":
        parser.error("--user is a small network; with --model it can play, with --train assistant")
    for name in ("out", "context"):
        if getattr(args, name) and not args.model:
            parser.error(f"--{name} is for a language model: --model PATH")
    return args, parser


def main():
    args, parser = arguments()
    torch.set_num_threads(1)
    settings = {}
    if args.model:
        settings = {"lr": args.lr, "max_new_tokens": args.max_new_tokens, "context": args.context}

    def show(trainer):
        if trainer.step % 10 == 0 or trainer.step == args.updates:
            last = trainer.history[-10:]
            means = [sum(row[name] for row in last) / len(last) for name in ("fidelity", "solved")]
            told = "fidelity {:.3f}, solved {:.3f}".format(*means)
            print(f"update {trainer.step}: {told}", flush=True)

    try:  # what is wrong with the arguments shows here
        load(args.assistant)
        if args.context:
            Context.parse(args.context)
        made = trainer(
            args.seed,
            args.assistant,
            args.episodes,
            args.train,
            args.user,
            args.model,
            env=args.env,
            split=args.split,
            **settings,
        )
        if args.save and Path(args.save).exists():
            made.load(args.save)
    except (ValueError, OSError, ImportError) as error:
        parser.error(common.in_one_line(error))
    try:
        made.run(args.updates, args.save, after=show)
    except KeyboardInterrupt:
        kept = "nothing is kept without --save"
        if args.save:
            updates = common.many(made.saved, "update")
            kept = f"{args.save} keeps {updates}; the same command goes on"
        print(f"\nstopped: {kept}", file=sys.stderr)
        sys.exit(130)
    if args.out:
        learner = made.agents[made.train[0]]
        learner.model.save_pretrained(args.out)
        learner.tokens.processor.save_pretrained(args.out)


if __name__ == "__main__":
    main()
