"""A user played by an agent: what the agent is asked, and what of it is said."""

import pickle

import pytest

from gem_ma.agents import FunctionAgent
from gem_ma.chat.agent import Agent, ask_agent
from gem_ma.chat.conversation import Conversation
from gem_ma.chat.reply import Reply
from gem_ma.chat.turn import Turn
from gem_ma.envs.tau.agents.llm_user import LLMUser
from gem_ma.rollouts.rollout import rollout

RULES = "You are a customer.\nYour task: You want a red hat."


class Script:
    """Gives replies in order, and keeps what was asked."""

    def __init__(self, *replies):
        self.replies, self.turns, self.chats, self.waves = list(replies), [], [], []

    def act(self, turns):
        self.waves.append(len(turns))
        return [self.answer(turn) for turn in turns]

    def answer(self, turn):
        self.turns.append(turn)
        self.chats.append([(m["role"], str(m["content"])) for m in turn.messages])
        return self.replies.pop(0)


def turn(**fields):
    return Turn(**{"seat": "user", "rules": RULES, "observation": {}, "text": "Hello?", **fields})


def talk(*said):
    """Return the turn that follows so many pairs of what was heard and said."""
    chat = Conversation("user", episode="7-1")
    for text, reply in zip(said[::2], said[1::2], strict=False):
        chat.add_turn(turn(text=text), 0)
        chat.steps[-1].reply = reply
    now = turn(text=said[-1], chat=chat, index=chat.reply_count, first=False, seed_numbers=(5,))
    chat.add_turn(now, 0)
    return now


def reply(text, prompt=10, latency=0.5):
    return Reply(
        text,
        token_ids=[1, 2],
        logprobs=[-1.0, -2.0],
        finish_reason="stop",
        usage={"prompt_tokens": prompt, "completion_tokens": 2},
        latency=latency,
    )


def says(turn):
    return "A hat."


async def says_later(turn):
    return "A hat, later."


def test_a_plain_user_is_the_agent_as_it_is():
    script, said, now = Script(reply("A hat.")), [], turn()
    said = ask_agent(LLMUser(FunctionAgent(script.answer)), [now])
    assert script.turns == [now]
    assert script.turns[0] is now
    assert said[0].fields() == reply("A hat.").fields()


def test_thoughts_are_asked_for_and_kept_back():
    script = Script(reply("Thought: they want a name.\nMessage:\nI am Ann."))
    now = talk("Hello?", "I want a hat.", "Who are you?")
    (said,) = ask_agent(LLMUser(script, "react"), [now])
    assert said == "I am Ann."
    assert said.fields() == {
        "finish_reason": "stop",
        "usage": {"prompt_tokens": 10, "completion_tokens": 2},
        "latency": 0.5,
    }
    (system, *rest) = script.chats[0]
    assert system[0] == "system"
    assert "'Thought:'" in system[1]
    assert system[1].endswith(RULES)
    assert rest == [
        ("user", "Hello?"),
        ("assistant", "I want a hat."),
        ("user", "Who are you?"),
    ]
    (asked,) = script.turns
    assert (asked.episode, asked.index, asked.text) == ("7-1", 1, "Who are you?")
    assert asked.seed == now.seed
    # the seat's own chat is as it was
    assert now.messages[0]["content"] == RULES
    assert now.chat.steps[-1].reply is None


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("Thought: a\nMessage: b", "b"),
        ("Thought: a\n**Message:** b\nc", "b\nc"),
        ("thought: a\n\nmessage:\n\nb\n", "b"),
        ("Message: a\nThought: no, b\nMessage: c", "c"),
        ("Message: a\nThought: that should do", "a"),
        ("Thought: a\nb\nThought: c", "b"),
        ("**Thought**: a\nb", "b"),
        ("Thought: a", ""),
        ("Thought: I say 'Message: b' now", ""),
        ("I got your message: no hat.", "I got your message: no hat."),
        ("b", "b"),
        ("Thought: done\nMessage: ###STOP###", "###STOP###"),
        ("", ""),
    ],
)
def test_no_thought_is_told(answer, message):
    assert ask_agent(LLMUser(Script(answer), "react"), [turn()]) == [message]


@pytest.mark.parametrize("strategy", ["verify", "reflect"])
def test_a_good_draft_is_sent_as_it_is(strategy):
    script = Script(reply("A red hat."), reply("It is fine.\n**ok**", prompt=30, latency=1.0))
    now = talk("Hello?", "Hi.", "What do you want?")
    (said,) = ask_agent(LLMUser(script, strategy), [now])
    assert said == "A red hat."
    assert said.fields() == {
        **reply("A red hat.").fields(),
        "usage": {"prompt_tokens": 40, "completion_tokens": 4},
        "latency": 1.5,
    }
    draft, check = script.turns
    assert draft is now
    before = script.chats[0]
    assert script.chats[1][:-1] == [*before, ("assistant", "A red hat.")]
    role, question = script.chats[1][-1]
    assert role == "user"
    assert "'ok', or 'bad: '" in question
    assert (check.text, check.observation) == (question, {"text": question})
    assert (check.index, check.episode, check.first) == (2, "7-1", False)
    assert check.seed != draft.seed
    assert len(now.chat.steps) == 2
    assert now.chat.steps[-1].reply is None


@pytest.mark.parametrize("strategy", ["plain", "verify"])
def test_a_reply_to_rules_with_traits_has_no_token_ids(strategy):
    script = Script(reply("A red hat."), reply("ok"))
    (said,) = ask_agent(LLMUser(script, strategy, kind="wary"), [turn()])
    assert said == "A red hat."
    assert said.token_ids is said.logprobs is None
    assert said.finish_reason == "stop"
    assert said.usage["prompt_tokens"] == {"plain": 10, "verify": 20}[strategy]


def test_a_bad_draft_is_written_again():
    script = Script(
        reply("My zip is 1."),
        reply("Let me see.\nbad: it invents a zip"),
        reply("A red hat."),
        reply("ok"),
    )
    (said,) = ask_agent(LLMUser(script, "verify"), [turn()])
    assert said == "A red hat."
    assert said.token_ids is said.logprobs is None
    assert said.usage == {"prompt_tokens": 40, "completion_tokens": 8}
    assert said.latency == 2.0
    assert script.chats[2][:-1] == [
        ("system", RULES),
        ("user", "Hello?"),
        ("assistant", "My zip is 1."),
    ]
    assert "it invents a zip" in script.chats[2][-1][1]
    assert script.chats[3][2] == ("assistant", "A red hat.")
    assert len({one.seed for one in script.turns}) == 4


def test_the_last_draft_is_sent_when_the_tries_are_used_up():
    script = Script("a", "bad: 1", "b", "bad: 2", "c", "never asked")
    assert ask_agent(LLMUser(script, "verify", tries=2), [turn()]) == ["c"]
    assert script.replies == ["never asked"]
    assert "2" in script.chats[4][-1][1]
    assert script.chats[4][-2] == ("assistant", "b")
    script = Script("a", "bad", "b")
    assert ask_agent(LLMUser(script, "verify", tries=1), [turn()]) == ["b"]
    assert "it does not keep to your task" in script.chats[2][-1][1]


def test_a_draft_that_is_repeated_is_no_first_draft():
    script = Script(reply("a"), reply("bad: no"), reply("a"))
    (said,) = ask_agent(LLMUser(script, "verify", tries=1), [turn()])
    assert (said, said.token_ids) == ("a", None)


def test_a_bad_draft_is_reflected_upon():
    script = Script(
        reply("Hat, red, {size} 9!"),
        reply("bad: {everything} at once"),
        reply("I was hasty, and will go slow.\n"),
        reply("A hat."),
        reply("Ok."),
    )
    (said,) = ask_agent(LLMUser(script, "reflect"), [turn()])
    assert said == "A hat."
    assert said.token_ids is None
    assert said.usage == {"prompt_tokens": 50, "completion_tokens": 10}
    assert "in one sentence" in script.chats[2][-1][1]
    assert "{everything} at once" in script.chats[2][-1][1]
    assert script.chats[3][-2] == ("assistant", "Hat, red, {size} 9!")
    assert "I was hasty, and will go slow.\n" in script.chats[3][-1][1]


@pytest.mark.parametrize("verdict", ["", "hm", "This is not bad at all", "bad: x\nOK", "OK\n"])
def test_what_is_no_objection_lets_a_draft_pass(verdict):
    script = Script("a", verdict)
    assert ask_agent(LLMUser(script, "verify"), [turn()]) == ["a"]


def test_the_calls_of_a_wave_are_one_call():
    script = Script("a", "b", "c", "ok", "bad: x", "ok", "d", "ok")
    assert ask_agent(LLMUser(script, "verify"), [turn(), turn(), turn()]) == ["a", "d", "c"]
    assert script.waves == [3, 3, 1, 1]
    assert ask_agent(LLMUser(script, "verify"), []) == []


class Waiting:
    def __init__(self, script):
        self.script, self.entered, self.left = script, 0, 0

    async def __aenter__(self):
        self.entered += 1
        return self

    async def __aexit__(self, *error):
        self.left += 1

    async def act(self, turns):
        return self.script.act(turns)


class Critic:
    """Talks, and finds fault with every second draft."""

    blocking = True

    def act(self, turns):
        return ["bad: no" if "draft, and" in t.text and t.seed % 2 else "Hello." for t in turns]


def test_an_agent_that_waits_is_waited_for():
    script = Script("a", "b", "bad: x", "ok", "c", "ok")
    user = LLMUser(Waiting(script), "verify")
    assert isinstance(user, Agent)
    assert ask_agent(user, [turn(), turn()]) == ["c", "b"]
    assert script.waves == [2, 2, 1, 1]
    assert ask_agent(LLMUser(says_later, "reflect"), [turn()]) == ["A hat, later."]


def test_what_the_agent_needs_is_handed_on():
    waiting = Waiting(Script(*["Hello.", "ok"] * 9))
    players = {"user": LLMUser(waiting, "verify"), "assistant": "random"}
    rollout("tau:shop", players, 1, seed=0, max_turns=4)
    assert waiting.entered == waiting.left == 1
    assert LLMUser(Critic()).blocking
    assert not LLMUser(says).blocking


def test_the_record_holds_what_was_said_only():
    for strategy in ("plain", "react", "verify", "reflect"):
        players = {"user": LLMUser(Critic(), strategy), "assistant": "random"}
        (episode,) = rollout("tau:shop", players, 1, seed=0, max_turns=6)
        said = [step.reply for step in episode.steps if step.agent == "user"]
        assert said == ["Hello."] * len(said)
        assert episode.messages("user")[0]["content"].startswith("You are a customer")
        assert episode.failure is None


@pytest.mark.parametrize("strategy", ["plain", "verify", "reflect"])
def test_a_rule_user_stays_what_it_is(strategy):
    users = ["rule-user", LLMUser("rule-user", strategy)]
    alone, inside = [
        rollout("tau:shop", {"user": user, "assistant": "informed-assistant"}, 5, seed=1)
        for user in users
    ]
    assert [episode.steps for episode in inside] == [episode.steps for episode in alone]


def test_it_says_what_it_takes():
    with pytest.raises(ValueError, match="strategy='cot': expected 'plain', 'react', 'verify'"):
        LLMUser(says, "cot")
    with pytest.raises(ValueError, match="tries=0: expected 1 or more"):
        LLMUser(says, "verify", tries=0)
    with pytest.raises(ValueError, match="no agent 'rule-usr'; did you mean 'rule-user'"):
        LLMUser("rule-usr")
    with pytest.raises(TypeError, match="replied with a NoneType; expected a str"):
        ask_agent(LLMUser(Script(None), "react"), [turn()])


def test_it_pickles_and_tells_its_name():
    user = LLMUser(says, "verify", tries=3)
    name = f"LLMUser(FunctionAgent({__name__}.says), strategy='verify', tries=3)"
    same = pickle.loads(pickle.dumps(user))
    assert repr(same) == repr(user) == name
    assert ask_agent(same, [turn()]) == ["A hat."]
