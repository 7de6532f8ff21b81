"""`strict=True` against the original: the same conversations, message by message.

TAU_BENCH_SOURCE names a clone of https://github.com/sierra-research/tau-bench. Its environments,
its simulated user and its tool-calling agent are imported and run; both of its models are scripts.
"""

import copy
import json
import os
import pickle
import random
import sys
import types

import pytest

import gem_ma
from gem_ma.chat.messages import to_openai_chat
from gem_ma.envs.tau import data, fetch

CLONE = os.environ.get(fetch.SOURCE)
pytestmark = [
    pytest.mark.second_source,
    pytest.mark.skipif(not CLONE, reason=f"set {fetch.SOURCE} to a clone of tau-bench"),
]

STOP = "###STOP###"
LONG = "Grüße, and a line.\nuser: more\n" * 4_000  # more than 65,536 bytes too


def native(name, arguments, number=0):
    """Return a tool call; arguments that are a text stand as they are."""
    given = arguments if isinstance(arguments, str) else json.dumps(arguments)
    function = {"name": name, "arguments": given}
    return {"id": f"call_{number}", "type": "function", "function": function}


def calls(*given, text=""):
    return gem_ma.Reply(text, tool_calls=[native(*one, n) for n, one in enumerate(given)])


THINK = calls(("think", {"thought": "Hm."}))
LOOK = {
    "retail": ("get_user_details", {"user_id": "yusuf_rossi_9620"}),
    "airline": ("get_user_details", {"user_id": "mia_li_3668"}),
}
WRITE = {  # which the first task's customer could ask for
    "retail": ("cancel_pending_order", {"order_id": "#W6247578", "reason": "no longer needed"}),
    "airline": ("cancel_reservation", {"reservation_id": "NO6JO3"}),
}
TRANSFER = calls(("transfer_to_human_agents", {"summary": "I cannot help."}))


class Model:
    """One of the original's two models: a script of replies, and what it was shown."""

    def __init__(self, replies):
        self.replies = list(replies)
        self.shown = []

    def say(self, messages):
        self.shown.append(copy.deepcopy(messages))
        return self.replies[(len(self.shown) - 1) % len(self.replies)]


class Message:
    """What litellm returns of a reply."""

    def __init__(self, reply):
        self.content = str(reply)
        self.tool_calls = list(getattr(reply, "tool_calls", ())) or None

    def model_dump(self):
        return {
            "content": self.content,
            "role": "assistant",
            "tool_calls": copy.deepcopy(self.tool_calls),
            "function_call": None,
        }


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    """The original as it is, with a litellm that asks the models of `models`."""
    models = {}

    def completion(model, messages, **_):
        if "Instruction: " not in str(messages[0]["content"]) and model == "user":
            reply = "for nothing"  # its constructor asks before there is a task
        else:
            reply = models[model].say(messages)
        choice = types.SimpleNamespace(message=Message(reply))
        return types.SimpleNamespace(choices=[choice], _hidden_params={"response_cost": 0.0})

    with pytest.MonkeyPatch.context() as patch:
        litellm = types.ModuleType("litellm")
        litellm.completion = completion
        patch.setitem(sys.modules, "litellm", litellm)
        patch.syspath_prepend(CLONE)
        from tau_bench import envs
        from tau_bench.agents import tool_calling_agent
        from tau_bench.envs.airline import env as airline
        from tau_bench.envs.retail import env as retail

        for module in (retail, airline):  # the files are read once; each episode has its copy
            content = pickle.dumps(module.load_data())
            patch.setattr(module, "load_data", lambda content=content: pickle.loads(content))
        patch.setenv(data.VARIABLE, str(tmp_path_factory.mktemp("data")))
        fetch.fetch(source=CLONE)
        yield types.SimpleNamespace(models=models, envs=envs, agents=tool_calling_agent)
    for name in [name for name in sys.modules if name.split(".")[0] == "tau_bench"]:
        del sys.modules[name]


def theirs(original, domain, task, user, assistant, split="test"):
    """Play the original, and return what its models were shown, its reward and its error."""
    models = original.models
    models.update(user=Model(user), assistant=Model(assistant))
    env = original.envs.get_env(domain, "llm", "user", split, "nobody", task)
    agent = original.agents.ToolCallingAgent(env.tools_info, env.wiki, "assistant", "nobody")
    error = None
    try:
        reward = agent.solve(env, task).reward
    except Exception as failure:  # noqa: BLE001 - as its run.py does, which counts it as 0
        reward, error = 0.0, failure
    return models["user"].shown, models["assistant"].shown, reward, error, env.tools_info


def here(domain, task, user, assistant, split="test", **kwargs):
    """Play the same here, and return the same, and the episode."""
    models = {"user": Model(user), "assistant": Model(assistant)}

    def play(turn):
        return models[turn.seat].say(list(turn.messages))

    (episode,) = gem_ma.rollout(
        f"tau:{domain}",
        {"user": play, "assistant": play},
        1,
        seed=0,
        options={"task": task},
        split=split,
        strict=True,
        **kwargs,
    )
    assert episode.failure is None, episode.failure
    return *(models[seat].shown for seat in models), episode.returns["assistant"], episode


def plain(messages):
    """Return messages without what is None; a content that is None is an empty one."""
    found = []
    for message in messages:
        one = {name: value for name, value in message.items() if value not in (None, [], ())}
        one["content"] = str(message["content"] or "")
        found.append(one)
    return found


def same(original, domain, user, assistant, task=0, **kwargs):
    """Play a script in both, compare what is seen, and return the reward and the episode."""
    user_theirs, assistant_theirs, reward, error, tools = theirs(
        original, domain, task, user, assistant, **kwargs
    )
    user_here, assistant_here, paid, episode = here(domain, task, user, assistant, **kwargs)
    assert len(assistant_here) == len(assistant_theirs)
    assert len(user_here) == len(user_theirs)
    for seat in ((user_here, user_theirs), (assistant_here, assistant_theirs)):
        for ours, other in zip(*seat, strict=True):
            assert plain(ours) == plain(other)
            assert [m["content"] for m in to_openai_chat(ours)] == [
                m["content"] for m in plain(other)
            ]
    assert episode.tools["assistant"] == tools
    assert episode.tools.get("user", []) == []
    assert paid == reward
    assert (episode.report["ended"] == "forfeit") == (error is not None)
    return reward, episode


DOMAINS = pytest.mark.parametrize("domain", ["retail", "airline"])


@DOMAINS
def test_a_conversation(original, domain):
    user = ["Hello!", "I am\nassistant: not you, I am Yusuf.", " Yes, \n", f"Thanks. {STOP} Bye."]
    assistant = ["Who are you?", calls(LOOK[domain]), "Shall I?\n\nuser: yes", THINK, "  Done.\n"]
    _, episode = same(original, domain, user, assistant)
    assert episode.report["ended"] == "user"
    assert [step.text for step in episode.steps][:3] == [
        "Hi! How can I help you today?",
        "Hello!",
        "Who are you?",
    ]


@DOMAINS
@pytest.mark.parametrize("text", ["", "I do both."])
def test_of_two_calls_the_first_is_run_and_kept(original, domain, text):
    both = calls(LOOK[domain], WRITE[domain], text=text)
    _, episode = same(original, domain, ["Cancel it."], [both, TRANSFER])
    assert len(episode.steps[1].reply.tool_calls) == 2  # on record is what was said
    chat = episode.messages("assistant")
    assert [len(m["tool_calls"]) for m in chat if "tool_calls" in m] == [1, 1]
    assert WRITE[domain][0] not in json.dumps(chat)


@DOMAINS
def test_of_two_calls_the_first_may_end_it(original, domain):
    _, episode = same(original, domain, ["Hello"], [calls(*[TRANSFER_CALL, WRITE[domain]])])
    assert episode.report["ended"] == "transfer"
    assert len(episode.messages("assistant")[-1]["tool_calls"]) == 1


TRANSFER_CALL = ("transfer_to_human_agents", {"summary": "I cannot help."})


@DOMAINS
def test_messages_of_any_length(original, domain):
    user = [LONG, "", STOP]
    assistant = ["x" * 4_001, calls(("think", {"thought": LONG})), "", LONG + "?"]
    same(original, domain, user, assistant)


@DOMAINS
def test_a_first_message_does_not_end_it(original, domain):
    _, episode = same(original, domain, [STOP, "No.", STOP], ["What?", "Why?"])
    assert len(episode.steps) == 5


@DOMAINS
@pytest.mark.parametrize(
    ("assistant", "user", "ended", "steps"),
    [
        ([THINK], ["Hi"], "limit", 30),
        (["Well?"], ["Hi"], "limit", 30),
        (["Well?", THINK], ["Hi"], "limit", 30),
        (["Well?"], ["Hi"] * 30 + [STOP], "user", 30),  # the 30th step may end it
        (["Well?"], ["Hi"] * 31 + [STOP], "limit", 30),
        ([*[THINK] * 29, TRANSFER], ["Hi"], "transfer", 30),
        ([*[THINK] * 30, TRANSFER], ["Hi"], "limit", 30),
        ([*[THINK] * 28, "Well?"], ["Hi", STOP], "user", 29),
    ],
)
def test_thirty_steps(original, domain, assistant, user, ended, steps):
    # In tasks that are paid for doing nothing, so that the limit shows in the reward.
    task = {"retail": 10, "airline": idle()}[domain]
    reward, episode = same(original, domain, user, assistant, task=task)
    assert reward == float(ended != "limit")
    assert episode.report["ended"] == ended
    assert sum(step.agent == "assistant" for step in episode.steps) == steps


def idle():
    """Return the first task of airline whose gold actions change nothing."""
    tasks = data.load("airline", "test").tasks
    return next(one.index for one in tasks if not one.actions and not one.outputs)


@DOMAINS
def test_calls_that_go_wrong_are_answered_alike(original, domain):
    wrong = [
        ("fly_to_the_moon", {"speed": 1}),
        ("respond_to", {}),
        ("calculate", {"expression": "2 +"}),
        ("calculate", {"number": 2}),
        ("calculate", {}),
        ("think", {"thought": "Hm.", "data": 1}),
        ("get_user_details", {"user_id": "nobody"}),
        ("get_user_details", {"user_id": ["yusuf_rossi_9620"]}),
    ]
    _, episode = same(original, domain, ["Hi", STOP], [*map(calls, wrong), "Sorry."])
    assert len(episode.steps) == 2 + len(wrong) + 1


@DOMAINS
@pytest.mark.parametrize("arguments", ["{", "", "[1]", "null", "7", '"text"', "{'thought': 1}"])
def test_arguments_that_are_no_object_end_it(original, domain, arguments):
    reward, episode = same(original, domain, ["Hi"], [THINK, calls(("think", arguments)), "Hm."])
    assert reward == 0.0
    assert len(episode.steps) == 3


@DOMAINS
def test_what_a_second_call_is_does_not_matter(original, domain):
    others = (("think", "{"), ("fly", {}), TRANSFER_CALL, ("think", ""), ("think", "[1]"))
    both = [calls(LOOK[domain], other) for other in others]
    _, episode = same(original, domain, ["Hi", STOP], [*both, "Done."])
    assert len(episode.steps) == 2 + len(others) + 1


@DOMAINS
def test_text_that_is_nearly_a_call_is_a_message(original, domain):
    texts = [
        '{"name": "think", ',
        "{x}",
        "[1, 2]",
        '{"a": 1}',
        "[",
        '[{"name": 1}, 2]',
        "I said {}",
    ]
    same(original, domain, [*["Hi"] * len(texts), STOP], texts)


@DOMAINS
@pytest.mark.parametrize("task", [0, 2, 11])
def test_gold_actions_in_native_calls(original, domain, task):
    one = data.load(domain, "test").tasks[task]
    assistant = list(map(calls, one.actions))
    said = f"All of it is done: {', '.join(one.outputs)}."
    reward, _ = same(original, domain, ["Hello", STOP], [*assistant, said], task=task)
    assert reward == 1.0


def test_outputs_that_are_not_said(original):
    one = data.load("retail", "test").tasks[2]
    assert one.outputs
    assistant = [*map(calls, one.actions), "Done."]
    assert same(original, "retail", ["Hello", STOP], assistant, task=2)[0] == 0.0


@pytest.mark.parametrize("split", ["train", "dev"])
def test_the_other_splits(original, split):
    one = data.load("retail", split).tasks[7]
    assistant = [*map(calls, one.actions), f"Done, {', '.join(one.outputs)}"]
    assert same(original, "retail", ["Hello", STOP], assistant, task=7, split=split)[0] == 1.0


@DOMAINS
@pytest.mark.parametrize("seed", range(3))
def test_random_conversations(original, domain, seed):
    draw = random.Random(seed)
    tasks = data.load(domain, "test").tasks
    task = draw.choice(tasks)
    known = [action for one in draw.sample(tasks, 5) for action in one.actions]
    known += [*task.actions, ("think", {"thought": "Hm."}), ("nothing", {"a": [1, None]})]

    def assistant():
        if draw.random() < 0.3:
            return draw.choice(["Well?", "", "a\nuser: b", "Ünï\u2028code", *task.outputs])
        some = draw.choices(known, k=draw.choice([1, 1, 1, 2, 3]))
        return calls(*some, text=draw.choice(["", "I look."]))

    user = [draw.choice(["Hi", "No.", " yes ", "\n", "tool: 7"]) for _ in range(9)]
    user.append(f"{draw.choice(['', 'Bye. '])}{STOP}")
    same(original, domain, user, [assistant() for _ in range(40)], task=task.index)


def test_a_limit_of_ones_own(original):
    *_, episode = here("retail", 0, ["Hi"], ["Well?"], max_steps=3)
    assert (episode.report["ended"], len(episode.steps)) == ("limit", 7)
    *_, episode = here("retail", 0, ["Hi"], ["Well?"], max_steps=150)
    assert (episode.ended, len(episode.steps)) == ("terminated", 301)


def test_a_record_goes_on_as_it_was(original, tmp_path):
    both = calls(LOOK["retail"], WRITE["retail"])
    path = tmp_path / "episodes.jsonl"
    *_, episode = here("retail", 0, ["Hi", STOP], [both, "Done."], out=path)
    (loaded,) = gem_ma.load_episodes(path)
    assert loaded.messages("assistant") == episode.messages("assistant")
    loaded.replay(trust=True)
    assert gem_ma.make(loaded.spec, trust=True).match.config.invalid == "lose"
