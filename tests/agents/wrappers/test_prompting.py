"""Calls written as text, and examples: what the agent inside reads, and what its words become."""

import json
import pickle
from dataclasses import replace

import packs
import pytest
from stub_server import StubServer

import gem_ma
from gem_ma.agents import AGENT_SPECS, ActAgent, FewShotAgent, ReactAgent, load_agent
from gem_ma.chat.agent import ask_agent
from gem_ma.chat.conversation import Conversation
from gem_ma.chat.messages import to_openai_chat
from gem_ma.chat.reply import Reply
from gem_ma.chat.turn import Turn
from gem_ma.engine.action_parsing import extract_action
from gem_ma.game import InvalidMove
from gem_ma.rollouts.rollout import rollout
from gem_ma.tools import with_tools

RULES = "You sell ferry tickets."
TOOLS = tuple(
    {"type": "function", "function": {"name": name, "description": name, "parameters": {}}}
    for name in ("find", "book")
)
FIND = '{"name": "find", "arguments": {"to": "Gozo"}}'
HI = '{"name": "respond", "arguments": {"content": "Hi!"}}'


class Script:
    """Gives replies in order, and keeps what was asked."""

    def __init__(self, *replies):
        self.replies, self.turns, self.chats = list(replies), [], []

    def act(self, turns):
        self.turns += turns
        self.chats += [[(m["role"], str(m["content"])) for m in turn.messages] for turn in turns]
        return [self.replies.pop(0) for _ in turns]


def turn(**fields):
    own = {"seat": "assistant", "rules": RULES, "observation": {}, "text": "Hello?"}
    return Turn(**{**own, "tools": TOOLS, **fields})


def talk(*steps):
    """Return the turn that follows: each step is what was read, the results in it, the reply."""
    chat = Conversation("assistant", episode="7-1")
    for text, results, reply in steps[:-1]:
        chat.add_turn(turn(text=text, results=results), 0)
        chat.steps[-1].reply = reply
    text, results, _ = steps[-1]
    now = turn(text=text, results=results, chat=chat, index=chat.reply_count, first=False)
    chat.add_turn(now, 0)
    return now


def said(answer, kind=ReactAgent):
    (reply,) = ask_agent(kind(Script(answer)), [turn()])
    return reply


def call(name, arguments="{}"):
    return {"id": "c", "type": "function", "function": {"name": name, "arguments": arguments}}


@pytest.mark.parametrize(
    "answer",
    [
        f"Thought:\nI look.\nAction:\n{FIND}",
        f"Action:\n{FIND}",
        FIND,
        f"```json\n{FIND}\n```",
        f"Let me look.\n```\n{FIND}\n```\nOne moment.",
        f"Thought: I look. Action: {FIND}",
        f"**Thought:** I look.\n**Action:**\n```json\n{FIND}\n```",
        f"<think>Gozo, so</think>Thought: I look.\nAction: {FIND}",
        f"Action: {FIND}\nTool output: 21:45\nThought: I know now.",
        f"Action: {HI}\nAction: {FIND}",
        f"Action: [{FIND}]",
        'Action: {"arguments": {"to": "Gozo"}, "name": "find"}',
    ],
)
@pytest.mark.parametrize("kind", [ActAgent, ReactAgent])
def test_a_call_is_made_and_what_was_written_beside_it_is_kept(answer, kind):
    reply = said(answer, kind)
    assert str(reply) == answer
    assert json.loads(extract_action(reply, "verbatim")) == json.loads(FIND)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (f"Thought: polite\nAction:\n{HI}", "Hi!"),
        (f"```json\n{HI}\n```", "Hi!"),
        (f"<think>oh</think>Thought: polite\nAction: {HI}", "Hi!"),
        (f"Action: {FIND}\nAction: {HI}", "Hi!"),
        (f"Thought: a\n<think>b</think>Action: {HI}", "Hi!"),
        ('Action: {"name": "respond", "arguments": {"content": "A\nB. Action: none"}}', None),
        ("Good evening. Where to?", "Good evening. Where to?"),
        ("Thought: ask\nWhere to?", "Where to?"),
        ("Thought:\nask\nAction:\nWhere to?", "Where to?"),
        ("Thought: ask. Action: Where to?", "Where to?"),
        ("Thought: they want a ferry", ""),
        ("<think>they want", ""),
        ("find a ferry? Sure.", "find a ferry? Sure."),
        ("Use {curly} words", "Use {curly} words"),
        ("", ""),
    ],
)
@pytest.mark.parametrize("kind", [ActAgent, ReactAgent])
def test_no_thought_is_said(answer, message, kind):
    reply = said(answer, kind)
    assert extract_action(reply, "verbatim") == (
        "A\nB. Action: none" if message is None else message
    )
    assert not reply.tool_calls


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ('Action: {"name": "find", "arguments": {"to": ', "Action: the arguments are no JSON: '{"),
        ("Action: {'name': 'find', 'arguments': {}}", "Action: the arguments are no JSON: \"{'n"),
        ("Action: find(to='Gozo')", "Action: the arguments are no JSON: \"find(to='Gozo')"),
        ('Action: find {"name": "Gozo"}', "Action: the arguments are no JSON: 'find "),
        ('Action: {"tool": "find"}', "Action: the arguments are no JSON: ''"),
        ('Action: {"name": 5, "arguments": {}}', "Action: the arguments are no JSON: ''"),
        ('Action: {"name": "find"}', "find: the arguments are no JSON: ''"),
        ('{"name": "find", "arguments": {"to": NaN}}', "Action: the arguments are"),
        (
            "Action: " + '{"name": ' * 5000 + "1" + "}" * 5000,
            "Action: the arguments are refused: nested",
        ),
    ],
)
def test_a_call_that_cannot_be_read_is_refused_and_never_said(answer, told):
    reply = said(answer)
    assert str(reply) == answer
    with pytest.raises(InvalidMove) as caught:
        extract_action(reply, "verbatim")
    assert str(caught.value).startswith(told)


def test_a_reply_keeps_what_it_took_and_no_tokens():
    fields = {"finish_reason": "stop", "usage": {"prompt_tokens": 9}, "latency": 0.5}
    for text in (f"Action: {FIND}", "Hi!"):
        reply = said(Reply(text, token_ids=[1], logprobs=[-1.0], **fields))
        assert {**reply.fields(), "tool_calls": None} == {**fields, "tool_calls": None}


def test_tools_are_in_the_rules_and_the_chat_is_as_it_was_written():
    wrote = Reply(
        f"Thought:\nI look.\nAction:\n{FIND}",
        tool_calls=[call("find")],
    )
    polite = said(f"Thought: polite\nAction: {HI}")
    native = Reply(tool_calls=[call("book"), call("find")])
    now = talk(
        ("user: Hello?", (), polite),
        ("user: A ferry", (), wrote),
        ("tool: 21:45", ("21:45",), native),
        ("tool: done\nuser: Well?", ("done",), "Booked."),
        ("user: Bye", (), None),
    )
    script = Script("Bye!")
    assert ask_agent(ReactAgent(script), [now]) == ["Bye!"]
    (system, *rest) = script.chats[0]
    assert system[0] == "system"
    assert system[1].startswith(f"{RULES}\n\n# Tools\n{json.dumps(list(TOOLS))}\n\n")
    assert rest == [
        ("user", "user: Hello?"),
        ("assistant", f"Thought:\npolite\nAction:\n{HI}"),
        ("user", "user: A ferry"),
        ("assistant", f"Thought:\nI look.\nAction:\n{FIND}"),
        ("user", "Tool output: 21:45"),
        (
            "assistant",
            'Action:\n{"name": "book", "arguments": "{}"}\n'
            'Action:\n{"name": "find", "arguments": "{}"}',
        ),
        ("user", "Tool output: done\n\nuser: Well?"),
        ("assistant", f"Action:\n{HI.replace('Hi!', 'Booked.')}"),
        ("user", "user: Bye"),
    ]
    (asked,) = script.turns
    assert (asked.tools, asked.index, asked.episode) == ((), 4, "7-1")
    assert not any("tool_calls" in message for message in asked.messages)
    assert now.messages[0]["content"] == RULES  # the seat's own chat is as it was
    assert now.chat.steps[-1].reply is None


@pytest.mark.parametrize(
    ("answer", "record", "later"),
    [
        (
            f"<think>oh</think>Thought: polite\nAction: {HI}",
            "<think>oh</think><think>\npolite\n</think>\n\nHi!",
            f"Thought:\npolite\nAction:\n{HI}",
        ),
        (f"Action:\n{HI}\nThat is it.", "Hi!", f"Action:\n{HI}"),
        ("Thought: what now", "<think>\nwhat now\n</think>\n\n", "Thought:\nwhat now"),
    ],
)
def test_a_thought_before_a_message_stays_in_the_record_and_in_the_chat(answer, record, later):
    reply = said(answer)
    assert str(reply) == record
    ask_agent(
        ReactAgent(script := Script("Bye!")), [talk(("Hello?", (), reply), ("Well?", (), None))]
    )
    assert script.chats[0][2] == ("assistant", later)


def test_act_is_not_asked_to_think():
    for kind, thinks in ((ActAgent, False), (ReactAgent, True)):
        ask_agent(kind(script := Script("Hi!")), [turn()])
        assert ("Thought:" in script.turns[0].rules) is thinks
        lines = script.turns[0].rules.splitlines()
        call, answer = [lines[place + 1] for place, one in enumerate(lines) if one == "Action:"][1:]
        expected = "The next ferry to Gozo leaves at 21:45."
        assert extract_action(said(f"Action:\n{answer}", kind)) == expected
        call = json.loads(extract_action(said(f"Action:\n{call}", kind)))
        tool = json.loads(lines[lines.index("Suppose there was this tool:") + 1])
        assert tool["type"] == "function"
        tool = tool["function"]
        assert call["name"] == tool["name"]
        assert tool["description"]
        takes = tool["parameters"]
        assert takes["type"] == "object"
        assert list(call["arguments"]) == list(takes["properties"]) == takes["required"]
        assert {one["type"] for one in takes["properties"].values()} == {"string"}


def test_tools_and_what_is_seen_stand_there_as_they_are():
    tool = {"type": "function", "function": {"name": "fähre", "parameters": {}}}
    script = Script("Hi!")
    now = turn(tools=(tool,), text="tool: 21:45", results=("21:45",))
    now = replace(now, observation={"text": now.text, "mask": [1]})
    ask_agent(ActAgent(script), [now])
    (asked,) = script.turns
    assert '"fähre"' in asked.rules
    assert asked.text == "Tool output: 21:45"
    assert asked.observation == {"text": asked.text, "mask": [1]}


def test_without_tools_the_agent_is_as_it_is():
    script, now, answer = Script("Action: 5"), turn(tools=()), None
    (answer,) = ask_agent(ReactAgent(script), [now])
    assert (answer, script.turns[0] is now) == ("Action: 5", True)


@packs.needs("tau")
def test_in_a_shop_calls_are_made_and_the_user_hears_messages_only():
    pytest.importorskip("openai", reason="pip install 'gem-ma[openai]'")
    words = iter(
        [
            f"Thought:\nI greet.\nAction:\n{HI.replace('Hi!', 'Could you tell me your email?')}",
            'Thought:\nI look.\nAction:\n{"name": "find_user_id_by_email", "arguments": {"email": '
            '"a@b.c"}}',
            'Thought:\nOh.\nAction:\n{"name": "find_user_id_by',
            "Thought: I give up.\nAction: Sorry.",
        ]
    )
    with StubServer(lambda body, attempt: next(words, HI)) as server:
        players = {
            "user": "rule-user",
            "assistant": f"react:openai:stub@{server.url}?temperature=0",
        }
        (episode,) = rollout("tau:shop", players, 1, seed=0, max_turns=10)
        bodies = list(server.requests)
    assert episode.failure is None
    assert all("tools" not in body and body["temperature"] == 0 for body in bodies)
    mine = [step for step in episode.steps if step.agent == "assistant"]
    assert mine[0].move == "Could you tell me your email?"
    assert "find_user_id_by_email" in mine[1].move
    assert mine[2].invalid is not None
    assert mine[3].move == "Sorry."
    heard = "\n".join(step.text for step in episode.steps if step.agent == "user")
    assert "Sorry." in heard
    assert not any(word in heard for word in ("Thought", "Action", "find_user", "I greet", "{"))
    chat = bodies[2]["messages"]
    assert [message["role"] for message in chat[-3:]] == ["user", "assistant", "user"]
    assert chat[-1]["content"].startswith("Tool output: Error")
    assert "the arguments are no JSON" in bodies[3]["messages"][-1]["content"]
    to_openai_chat(episode.messages("assistant"))  # the record is a chat with native calls


@packs.needs("tau2")
def test_in_strict_a_call_that_cannot_be_read_ends_it():
    env = gem_ma.make("tau2:mock", format="verbatim", invalid="lose")
    for answer, alive in (("Hello!", True), ('Action: {"name": "x"', False)):
        env.reset(seed=0)
        env.step("Hello")
        env.step(said(answer))
        assert bool(env.agents and not any(env.terminations.values())) is alive


def test_tools_of_any_game_are_called():
    code = {"name": "python", "arguments": {"code": "print(6 * 7)"}}
    script = Script(f"Action: {json.dumps(code)}", HI.replace("Hi!", "4"), *"87653210")
    env = with_tools(gem_ma.make("game:TicTacToe-v0"), "python")
    (episode,) = rollout(env, {"x": ActAgent(script), "o": "random"}, 1, seed=0)
    assert episode.failure is None
    assert [step.move for step in episode.steps if step.agent == "x"][1] == "4"
    assert script.chats[1][-1][1].startswith("Tool output: 42")


def test_examples_stand_after_the_rules_and_tools_stay_native(tmp_path):
    calls = [call("find", '{"to": "Gozo"}')]
    chat = [
        {"role": "system", "content": RULES},
        {"role": "user", "content": "A ferry?"},
        {"role": "assistant", "content": "", "tool_calls": calls},
        {"role": "tool", "tool_call_id": "c", "content": "21:45"},
        {"role": "assistant", "content": "At 21:45."},
    ]
    lines = [{"messages_display": "one"}, "two", {"messages": chat}]
    file = tmp_path / "examples.jsonl"
    file.write_text("".join(f"{json.dumps(one)}\n" for one in lines) + "\n")
    script = Script(Reply("", tool_calls=calls, token_ids=[1], finish_reason="stop"))
    agent = FewShotAgent(script, str(file), shots=3)
    (reply,) = ask_agent(agent, [turn(text="And today?")])
    assert reply.fields() == {"tool_calls": calls, "finish_reason": "stop"}
    (asked,) = script.turns
    assert asked.tools == TOOLS
    shown = f"user: A ferry?\nassistant: {FIND}\ntool: 21:45\nassistant: At 21:45."
    head, *examples = asked.rules.split("\n\n")
    assert head == RULES
    assert {one.partition("\n")[0] for one in examples} == {
        "Example 1:",
        "Example 2:",
        "Example 3:",
    }
    assert {one.partition("\n")[2] for one in examples} == {"one", "two", shown}


def test_an_episode_keeps_its_examples_and_others_have_others():
    script = Script(*["Hi."] * 40)
    agent = FewShotAgent(script, [str(number) for number in range(8)], shots=2)
    chats = [Conversation("assistant", episode=f"0-{number}") for number in range(20)]
    for _ in range(2):
        ask_agent(agent, [turn(chat=chat) for chat in chats])
    rules = [one.rules for one in script.turns]
    assert rules[:20] == rules[20:]
    assert len(set(rules)) > 8


@packs.needs("tau")
def test_examples_come_from_a_record(tmp_path):
    players = {"user": "rule-user", "assistant": "informed-assistant"}
    (episode,) = rollout("tau:shop", players, 1, seed=0)
    file = tmp_path / "examples.jsonl"
    file.write_text(json.dumps({"messages": episode.messages("assistant")}) + "\n")
    (shown,) = load_agent(f"few-shot:random?examples={file}&shots=1").examples
    assert episode.steps[0].reply in shown
    assert "assistant: {" in shown
    assert episode.messages("assistant")[0]["content"] not in shown


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("few-shot:random", "expected examples=FILE, with a conversation in each line"),
        ("few-shot:random?examples=empty.jsonl", "shots=5: .*; empty.jsonl has 0"),
        ("few-shot:random?examples=none.jsonl", "examples=none.jsonl: No such file"),
        ("few-shot:random?examples=bad.jsonl", "bad.jsonl, line 2: expected JSON: a text, or a"),
        ("few-shot:random?examples=one.jsonl", "shots=5: expected at least 1, .* one.jsonl has 1"),
        ("few-shot:random?examples=one.jsonl&shots=0", "shots=0: expected at least 1"),
        ("few-shot:random?shots=x", "shots=x: expected a whole number"),
        (
            "react:random?thinks=1",
            "expected options such as a=1&b=2 out of none|seed, got 'thinks'",
        ),
        ("act:", "expected act:SPEC"),
        ("act:nobody", "no agent 'nobody'"),
    ],
)
def test_it_says_what_it_takes(spec, told, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty.jsonl").touch()
    (tmp_path / "one.jsonl").write_text('"one"\n')
    (tmp_path / "bad.jsonl").write_text('"one"\n{"chat": []}\n')
    with pytest.raises(ValueError, match=told):
        load_agent(spec)


def test_it_says_how_many_examples_it_was_given():
    with pytest.raises(ValueError, match=r"shots=2: .* as there are examples; examples= has 1$"):
        FewShotAgent("random", ["one"], shots=2)


def test_options_that_it_does_not_take_are_those_of_the_agent_inside(tmp_path):
    (tmp_path / "one.jsonl").write_text('"one"\n')
    agent = load_agent(f"few-shot:react:random?seed=7&shots=1&examples={tmp_path / 'one.jsonl'}")
    assert (agent.shots, agent.examples, agent.agent.agent.seed) == (1, ("one",), 7)
    agent = load_agent("act:search:depth=2?nodes=30&simulations=9").agent
    assert "depth=2" in repr(agent)
    with pytest.raises(ValueError, match="seed=x: expected a whole number"):
        load_agent("react:random?seed=x")


@pytest.mark.parametrize(
    ("spec", "given"),
    packs.present(
        [
            ("random", "random:seed=3"),
            ("random:seed=4", "random:seed=4"),
            ("react:random", "react:random?seed=3"),
            ("react:random:seed=4", "react:random:seed=4"),
            ("react:act:random?seed=5", "react:act:random?seed=5"),
            ("llm-user:random?strategy=react", "llm-user:random?strategy=react&seed=3"),
            ("openai:m@http://127.0.0.1:9/v1?retries=1", "{}&seed=3&logprobs=true"),
            ("rule-user", "rule-user:seed=3"),
            ("user:plain", "user:plain:seed=3"),
            ("user:wary:typos=0.5", "user:wary:typos=0.5&seed=3"),
            ("users:train:seed=4", "users:train:seed=4"),
            ("oracle-assistant", "oracle-assistant"),
            ("nobody", "nobody"),
            ("openai:m@nowhere", "openai:m@nowhere"),
        ]
    ),
)
def test_a_spec_is_given_the_options_that_it_takes_and_does_not_say(spec, given):
    defaults = {"seed": 3, "logprobs": True, "nothing": 1}
    assert AGENT_SPECS.add_defaults(spec, defaults) == given.format(spec)


def says(turn):
    return "Hi!"


@pytest.mark.parametrize("agent", [ActAgent(says), ReactAgent(says), FewShotAgent(says, ["a"], 1)])
def test_it_pickles_and_tells_its_name(agent):
    same = pickle.loads(pickle.dumps(agent))
    assert repr(same) == repr(agent)
    assert repr(agent).startswith(f"{type(agent).__name__}(FunctionAgent(")
    assert ask_agent(same, [turn()]) == ["Hi!"]
