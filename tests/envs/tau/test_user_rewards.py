"""What pays a user: a user that says the same to everything, or anything, earns next to nothing."""

import json
from collections import defaultdict

import pytest
from playable import IDS, unless

import gem_ma
from gem_ma import rollout

ENVS = [id for id in IDS if id.startswith(("tau:", "tau2:"))]
QUICK = ("tau:shop", "tau:airline", "tau2:mock", "tau2:phone")  # one of each kind
QUESTIONS = (
    "What is the problem? Please tell me your name, your email, zip code, user id and phone number,"
    " the number of your order or reservation, the item ids, your payment method and the flights?"
)
PATIENCE = 3  # messages of an assistant by rule before it hands over to somebody else
INFORMED = ("tau:", "tau2:phone", "tau2:telecom", "tau2:retail", "tau2:airline")
TRANSFER = json.dumps({"name": "transfer_to_human_agents", "arguments": {"summary": "It is over."}})
STOP = "###STOP###"


def insist(text, last=TRANSFER):
    """Return who says the same a few times, then something else, and the same for ever."""

    def reply(turn):
        own = sum(message["role"] == "assistant" for message in turn.messages)
        return last if own == PATIENCE else text

    return reply


def tell_identity(turn):
    """Return who the user is, and no word of what it wants."""
    known = turn.position.game.wants(turn.position.state.task).known
    return f"My name, email and zip code are {', '.join(known.values()) or 'not known'}."


def assistants(env):
    """Return assistants that do not learn: of those who know the task, the one that serves it."""
    informed = "informed-assistant" if env.startswith(INFORMED) else "oracle-assistant"
    return {
        "silent": insist("..."),
        "random": "random",
        "asks nothing": insist("I see. Go on."),
        "asks everything": insist(QUESTIONS),
        "informed": informed,
    }


CONSTANTS = ("Banana.", "Yes, please.", "I do not know.", "Hello, I need some help.")
EMPTY_USERS = {
    **{text: insist(text, last=text) for text in CONSTANTS},
    **{f"{text} Then it leaves.": insist(text, last=STOP) for text in CONSTANTS},
    "who it is": tell_identity,
    "random": "random",
}


def mean_rewards(env, user, assistant, tasks, max_turns=100):
    """Return what each seat earns in the mean over tasks."""
    players = {"user": user, "assistant": assistant}
    options = [{"task": task} for task in tasks]
    episodes = rollout(env, players, len(tasks), seed=0, options=options, max_turns=max_turns)
    return {
        seat: sum(episode.returns[seat] for episode in episodes) / len(tasks)
        for seat in ("user", "assistant")
    }


def choose_tasks(env, count):
    """Return so many tasks from all over the split."""
    game = gem_ma.make(env).game
    ids = getattr(game, "ids", None) or getattr(getattr(game, "content", None), "tasks", ())
    many = len(ids) or 10_000
    return range(0, many, max(many // count, 1))[:count]


@pytest.mark.parametrize(
    ("env", "count"),
    [case for id in ENVS for case in (unless(id in QUICK, id, 4), unless(False, id, 60))],
)
def test_a_user_that_tells_nothing_earns_nothing(env, count):
    tasks = choose_tasks(env, count)
    too_much = defaultdict(dict)
    for name, assistant in assistants(env).items():
        earned = mean_rewards(env, "rule-user", assistant, tasks)["user"]
        for kind, user in EMPTY_USERS.items():
            mine = mean_rewards(env, user, assistant, tasks, 40)["user"]
            if mine > 0.1 * earned:
                too_much[name][kind] = (round(mine, 3), round(earned, 3))
    assert not too_much


@pytest.mark.parametrize("env", ENVS)
def test_who_tells_what_it_wants_earns_all(env):
    tasks = choose_tasks(env, 12)
    earned = mean_rewards(env, "rule-user", assistants(env)["informed"], tasks)
    assert earned["user"] >= 0.95 * (1.0 if env.startswith("tau:") else earned["assistant"])
    assert earned["assistant"] >= 0.75
