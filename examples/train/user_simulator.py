"""Train a seat of a shop from scratch: the user, the assistant, or both.

    python examples/train/user_simulator.py --train user --updates 80 --save runs/user.pt
    python examples/train/user_simulator.py --train assistant --user users:train --updates 200
    python examples/train/user_simulator.py --train both --user runs/user.pt --updates 200
    python examples/train/user_simulator.py --env tau:retail --train assistant --updates 300

With --save, the same command resumes a stopped run, and `gem-ma plot learning` plots the history
next to the checkpoint; without it nothing is kept. --user is the checkpoint of an earlier run, or a
rule-based user. --env tau:retail is the shop of TAU-bench, its train split (`gem-ma data
tau-bench`).

Each seat chooses its messages from a menu, with a small network that scores the lines.

The user's menu comes from its own task: a greeting, its identity, each wish and the answers about
it, yes and no, and the end. Three lines are temptations: to tell everything at once, to make up an
order, and to talk like the assistant. The user is paid for fidelity and for success, and a little
for its pace. Without the pay for pace, it would tell everything at once, which is the easiest way
to success and costs little fidelity.

The assistant's menu has what it can ask, and the tool calls whose arguments it has heard or looked
up so far. It learns which to use, and when, from the task's success alone. If it is not trained, it
is an assistant that knows which tools the task needs.

With --model a language model learns instead, in its own words; both seats share it:

    python examples/train/user_simulator.py --model Qwen/Qwen2.5-0.5B-Instruct --max-new-tokens 256

--context turns=8, or another number, cuts a conversation that is too long for the model.
"""

import argparse
import functools
import json
import re
import sys
from pathlib import Path

import numpy as np
import torch
from torch import nn

from gem_ma import Context, make
from gem_ma.agents import load_agent
from gem_ma.cli import command_options
from gem_ma.envs.tau.agents.assistants.customer_records import (
    SENTENCE_BREAK,
    WISH_PATTERNS,
    CustomerRecords,
)
from gem_ma.envs.tau.agents.assistants.dialogue_flow import format_call
from gem_ma.envs.tau.agents.assistants.shop_dialogue import list_lookups
from gem_ma.envs.tau.agents.users.message_parsing import (
    DETAIL_PATTERNS,
    IDENTITY_PATTERNS,
    AssistantMessage,
)
from gem_ma.envs.tau.agents.users.phrases import PHRASE_SETS
from gem_ma.training import MenuLearner, Trainer, load_checkpoint, rebn

STOP = "###STOP###"
ALWAYS = {
    "hello": "Hello, I need some help.",
    "yes": "Yes, please.",
    "no": "No.",
    "forgot": "I do not remember.",
    "stop": STOP,
    "made up": "My email is someone@example.com, and it is about order #W0000000.",
    "role": "How can I help you today?",
}
KINDS = (*ALWAYS, "who", "all", "wish", *("order", "items", "options", "payment", "reason"))
KINDS = (*KINDS, "address", "question")
MENU = 36  # most lines of a menu
WORD = re.compile(r"[a-z]+|\?")
ORDER = re.compile(r"#W\d{7}")


class Scores(nn.Module):
    """A network that scores each menu line from what was heard and the line's own features."""

    def __init__(self, numbers, width=64):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(numbers, width), nn.ReLU(), nn.Linear(width, 1))

    def forward(self, rows):
        return self.layers(rows)[..., 0]


TONES = ("confirms", "more", "done", "refused", "question")  # tones of the assistant's message
HEARD = (*IDENTITY_PATTERNS, *DETAIL_PATTERNS, *TONES)
USER_ROW = len(HEARD) + len(KINDS) + 5


class User:
    """Features and menu of a user; the menu is its task in the first person."""

    def __init__(self, game):
        # By instruction, for compiled tasks; those of tau:shop are not compiled.
        self.wants = {task.instruction: game.wants(task) for task in game.content.tasks}

    def __call__(self, messages):
        """Return a row of features for each menu line, and the menu."""
        menu = self.menu(messages[0]["content"])
        said = [message["content"] for message in messages if message["role"] == "assistant"]
        rows = np.zeros((MENU, USER_ROW), np.float32)
        text = messages[-1]["content"] if said else ""  # nothing was heard before the first
        heard, now = set(WORD.findall(text.lower())), AssistantMessage(text)
        asked = now.requests | {name for name in TONES if getattr(now, name)}
        for place, name in enumerate(HEARD):
            rows[:, place] = name in asked
        left = [line for kind, _, line in menu if kind in ("wish", "question") and line not in said]
        told = [of for kind, of, line in menu if kind == "wish" and line in said]
        for place, (kind, of, line) in enumerate(menu):
            words = set(WORD.findall(line.lower()))
            rows[place, len(HEARD) + KINDS.index(kind)] = 1
            rows[place, -5] = min(said.count(line), 3) / 3
            rows[place, -4] = line in left[:1]
            rows[place, -3] = of in told[-1:]
            rows[place, -2] = len(words & heard) / len(words or " ")
        rows[:, -1] = bool(left)
        return rows, [line for _, _, line in menu]

    @functools.lru_cache(maxsize=10_000)  # noqa: B019, it lives as long as the run
    def menu(self, rules):
        """Return (kind, index of the wish, text) of each menu line for a task."""
        task = rules.partition("Your task: ")[2] or rules.partition("Instruction: ")[2]
        wants = self.wants.get(task.partition("\n\nRules:\n")[0])
        who, wishes, rest = put(wants) if wants else split_up(task)
        wished = [("wish", place, wish) for place, wish in enumerate(wishes)]
        told = [("who", -1, who), ("all", -1, " ".join([who, *wishes])), *wished, *rest]
        return [*((kind, -1, line) for kind, line in ALWAYS.items()), *told][:MENU]


def put(wants):
    """Return the identity, wishes and other lines of a compiled task."""
    ways = PHRASE_SETS["train"]
    who = " ".join(ways[name][0].format(fact) for name, fact in wants.known.items())
    wishes = [ways["wish"][0].format(ways[one.tool][0].format(one.about)) for one in wants.wishes]
    answers = [
        (kind, place, line)
        for place, wish in enumerate(wants.wishes)
        for kind, line in wish.answers.items()
    ]
    asked = [("question", -1, line) for line in (*wants.questions, *wants.demands)]
    return who, wishes, [*asked, *answers]


def split_up(task):
    """Return the same for a task of tau:shop, in which each sentence is a wish."""
    who, _mood, *wishes = re.split(r"(?<=\.) (?=You )", task)
    own = [re.sub(r"\byou\b", "I", re.sub("^You", "I", wish)) for wish in wishes]
    own = [re.sub(r"\byour\b", "my", wish) for wish in own]
    return who.replace("Your", "My").replace("your", "my"), own, []


ASKS = {  # questions, by the argument that the answer gives
    "who": "Could you tell me your email, or your name and zip code?",
    "order_id": "Which order do you mean, by its number or by what is in it?",
    "item_ids": "Which items are they?",
    "new_item_ids": "Which options should the new items have?",
    "payment_method_id": "Which payment method shall it be?",
    "reason": "What is the reason?",
    "address1": "What is the new address, in full?",
    "wish": "What else can I do for you?",
    "end": "That is done. Is there anything else?",
}
CHANGES = tuple(tool for tool in WISH_PATTERNS if tool != "reset_app")
LOOKS = ("find_user_id", "get_user", "get_order", "get_product")
DOES = (*ASKS, *LOOKS, "total", "sure", *CHANGES)
ASSISTANT_ROW = len(DOES) + len(ASKS) + len(CHANGES) + 6


def read_as_assistant(messages):
    """Return a row of features for each menu line, and the menu."""
    said = [message["content"] for message in messages if message["role"] == "assistant"]
    seen = [message["content"] for message in messages if message["role"] == "user"]
    heard = [text.removeprefix("user: ") for text in seen if text.startswith("user: ")]
    found = {
        call: text.removeprefix("tool: ")
        for call, text in zip(said, seen[1:], strict=True)
        if text.startswith("tool: ")
    }
    menu, unknown, wish, tool = actions(heard, found, said)
    rows = np.zeros((len(DOES), ASSISTANT_ROW), np.float32)
    for place, (does, line) in enumerate(menu.items()):
        rows[place, DOES.index(does)] = 1
        rows[place, -6] = does == tool
        rows[place, -5] = line in said
        rows[place, -4] = said[-1:] == [line]
    for place, name in enumerate((*ASKS, *CHANGES)):
        rows[:, len(DOES) + place] = name in unknown or name == tool
    rows[:, -3] = bool(wish) and wish in heard[-1]
    rows[:, -2] = seen[-1].startswith("tool: ")
    rows[:, -1] = seen[-1].startswith("tool: Error")
    return rows, list(menu.values())


def actions(heard, found, said):
    """Return the menu, the unknown arguments of the current wish, the wish, and its tool."""
    records = CustomerRecords()
    for asked, answer in found.items():
        keep(records, asked, answer)
    menu = dict(ASKS)
    untried = next((one for one in list_lookups(heard) if one not in found), None)
    if untried:
        menu["find_user_id"] = untried
    ids = [answer for asked, answer in found.items() if "find_user" in asked]
    id = next((one for one in ids if not one.startswith("Error")), None)
    if id:
        menu["get_user"] = format_call("get_user_details", user_id=id)
    number = next(iter(ORDER.findall(" ".join(reversed(heard)))), None)
    unseen = [("order", number)] if number and number not in records.orders else []
    if paid := records.orders.get(number, {}).get("payment_history"):
        menu["total"] = f"You paid {paid[0]['amount']} for order {number}. Anything else?"
    wish, texts, tool = wanted(heard, records, said)
    unknown = set() if records.user else {"who"}
    if records.user and tool:
        unseen = [*records.list_unseen(tool, texts), *unseen]
        for name in CHANGES:
            given = records.infer_arguments(name, texts) or {"order_id": None}
            left = {key for key, value in given.items() if value is None}
            if not left:
                menu[name] = format_call(name, **given)
            if name == tool and not left:
                about = f"order {given['order_id']}" if "order_id" in given else "your address"
                menu["sure"] = f"I will call {name} for {about}. Shall I proceed?"
            unknown |= left if name == tool else set()
    for kind, wanted_id in unseen[:1]:
        menu[f"get_{kind}"] = format_call(f"get_{kind}_details", **{f"{kind}_id": wanted_id})
    return menu, unknown, wish, tool


def keep(records, asked, answer):
    """Store the output of a tool call in the customer's records."""
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
    """Return the last wish that is not done, with what was said since, and its tool."""
    sentences = [one for text in heard for one in SENTENCE_BREAK.split(text)]
    sounds = [[tool for tool in CHANGES if WISH_PATTERNS[tool].search(one)] for one in sentences]
    best = "", [], ""
    for place, (one, tools) in enumerate(zip(sentences, sounds, strict=True)):
        rest = zip(sentences[place + 1 :], sounds[place + 1 :], strict=True)
        texts = [one, *(text for text, other in rest if not other)]
        made = [records.infer_arguments(tool, texts) for tool in tools if records.user]
        calls = [
            format_call(tool, **given) for tool, given in zip(tools, made, strict=False) if given
        ]
        if tools and not set(calls) & set(said):
            fit = [tool for tool, given in zip(tools, made, strict=False) if given]
            best = one, texts, (fit or tools)[0]
    return best


# Rewards of the user. In a real shop success is harder and is most of the reward. In our own
# shop, without a reward for pace, the user would tell everything at once.
PAY = {
    "tau:shop": {"fidelity": 0.4, "pace": 0.3, "task": 0.3},
    "tau:retail": {"fidelity": 0.2, "pace": 0.1, "task": 0.7},
}


def measure(episode):
    report = episode.report
    return {
        "fidelity": report["user"]["fidelity"],
        "no fault": float(not report["user_fault"]),
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
    """Return a trainer for seats of a shop.

    Args:
        seed: seed of networks and episodes.
        assistant: agent of the assistant if it is not trained.
        episodes: episodes per update.
        train: "user", "assistant" or "both".
        user: checkpoint of a user that was trained before, or a spec string such as "users:train".
            None: a user that is not trained follows rules.
        model: a path or name that transformers loads, to train instead of the small networks. None:
            small networks.
        context: how much of its conversation the model reads, such as "turns=8". None: all of it.
        env: "tau:shop" or "tau:retail".
        split: the split of tau:retail: "train", "dev" or "test".
        **settings: further arguments of HFLearner.
    """
    torch.manual_seed(seed)
    trained = ["user", "assistant"] if train == "both" else [train]
    if env == "tau:retail":
        split = split or "train"
    given = {} if split is None else {"split": split}
    file = user is not None and (Path(user).suffix == ".pt" or Path(user).exists())
    rules = "rule-user" if user is None or file else user
    agents = {"user": load_agent(rules), "assistant": assistant}
    if "user" in trained and rules != "rule-user":
        raise ValueError(f"user {user!r} cannot learn; leave it out, or train the assistant only")
    if file or (model is None and "user" in trained):
        read = User(make(env, **given).game)
        agents["user"] = MenuLearner(Scores(USER_ROW), read, lr=5e-3, epochs=2, seed=seed)
    if model is not None:
        from gem_ma.training import HFLearner  # needs transformers

        agents |= dict.fromkeys(trained, HFLearner(model, seed=seed, **settings))
    elif "assistant" in trained:
        scores = Scores(ASSISTANT_ROW)
        agents["assistant"] = MenuLearner(
            scores, read_as_assistant, lr=5e-3, epochs=4, entropy=0.02, seed=seed
        )
    if file:
        saved = load_checkpoint(user).get("agents", {})
        if "user" not in saved:
            raise ValueError(f"{user} has no trained user; train one with --train user")
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
            **given,
            "concurrency": episodes,
            "max_turns": 60 if alone or env == "tau:retail" else 40,
            "user_reward": PAY[env],
            "invalid": "lose",
            "context": {} if context is None else dict.fromkeys(trained, context),
        },
    )


def arguments():
    """Return the parsed arguments, and the parser, for reporting errors."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--train", choices=("user", "assistant", "both"), default="user")
    parser.add_argument(
        "--user", help="checkpoint of a user that was trained before, or a spec string"
    )
    parser.add_argument("--env", choices=("tau:shop", "tau:retail"), default="tau:shop")
    parser.add_argument("--split", help="split of tau:retail: train, dev or test (default: train)")
    parser.add_argument(
        "--assistant",
        default="informed-assistant",
        help="agent of the assistant if it is not trained",
    )
    parser.add_argument("--updates", type=command_options.parse_positive, default=80)
    parser.add_argument(
        "--episodes", type=command_options.parse_positive, default=64, help="episodes per update"
    )
    parser.add_argument("--seed", type=command_options.parse_seed, default=0)
    parser.add_argument("--save", help="checkpoint file; if it exists, training resumes from it")
    parser.add_argument("--model", help="language model to train instead of small networks")
    parser.add_argument(
        "--lr",
        type=command_options.parse_finite_number,
        default=1e-5,
        help="learning rate of the language model",
    )
    parser.add_argument(
        "--max-new-tokens",
        type=command_options.parse_positive,
        default=64,
        help="of the language model",
    )
    parser.add_argument(
        "--context",
        help="how much of its chat the model reads, such as turns=8 or tokens=4000 (default: all)",
    )
    parser.add_argument("--out", help="folder for the trained language model")
    args = parser.parse_args()
    if args.model and args.user and args.train != "assistant":
        parser.error(f"--user {args.user} cannot learn with --model; use --train assistant")
    for name in ("out", "context"):
        if getattr(args, name) and not args.model:
            parser.error(f"--{name} needs a language model: pass --model PATH too")
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

    try:  # reports wrong arguments
        load_agent(args.assistant)
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
        parser.error(command_options.format_error(error))
    try:
        made.run(args.updates, args.save, after=show)
    except KeyboardInterrupt:
        kept = "nothing is kept without --save"
        if args.save:
            updates = command_options.format_count(made.saved_step, "update")
            kept = f"{args.save} keeps {updates}; the same command continues"
        print(f"\nstopped: {kept}", file=sys.stderr)
        sys.exit(130)
    if args.out:
        learner = made.agents[made.train[0]]
        learner.model.save_pretrained(args.out)
        learner.tokens.processor.save_pretrained(args.out)


if __name__ == "__main__":
    main()
