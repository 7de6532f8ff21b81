"""Chats as they grow, and how they are cut."""

import numpy as np
import pytest

import gem_ma
from gem_ma import Context, Reply
from gem_ma.chat.conversation import Conversation, MessagePrefix, Step
from gem_ma.chat.messages import Picture
from gem_ma.chat.reply import truncate_reply_calls
from gem_ma.chat.turn import Turn


def say(chat, text, reply=None, **fields):
    observation = fields.pop("observation", {"text": text})
    chat.add_turn(Turn("a", "Rules.", observation, text, **fields), len(chat.steps))
    if reply is not None:
        chat.steps[-1].reply = reply


def chat_of(*pairs, **kwargs):
    chat = Conversation("a", **kwargs)
    for text, reply in pairs:
        say(chat, text, reply)
    return chat


def texts(messages):
    return [(message["role"], message["content"]) for message in messages]


def picture(value, alt=""):
    return Picture(np.full((28, 28, 3), value, np.uint8), alt)


def test_a_chat_alternates_and_each_turn_keeps_its_own_view():
    chat = Conversation("a")
    say(chat, "one")
    first = chat.build_messages(0)
    assert texts(first) == [("system", "Rules."), ("user", "one")]
    chat.steps[-1].reply = "1"
    say(chat, "two", "2")
    second = chat.build_messages(1)
    assert texts(second)[2:] == [("assistant", "1"), ("user", "two")]
    assert len(first) == 2  # what grew since is not in it
    assert second[0] is first[0]  # and what is in it was made once
    assert texts(chat.build_messages())[-1] == ("assistant", "2")
    say(chat, "three")
    assert texts(chat.build_messages(2))[-2:] == [("assistant", "2"), ("user", "three")]
    assert texts(chat.build_messages())[-1] == ("user", "three")
    assert chat.reply_count == 2


def test_asked_again_before_a_reply_the_step_is_replaced():
    chat = chat_of(("one", "1"))
    say(chat, "two")
    assert texts(chat.build_messages(1))[-1] == ("user", "two")
    say(chat, "two, again", "2")
    assert texts(chat.build_messages())[1:] == [
        ("user", "one"),
        ("assistant", "1"),
        ("user", "two, again"),
        ("assistant", "2"),
    ]
    alone = Conversation("a")
    say(alone, "one")
    alone.build_messages(0)
    say(alone, "other")
    assert texts(alone.build_messages(0)) == [("system", "Rules."), ("user", "other")]


def test_messages_are_a_sequence():
    messages = chat_of(("one", "1"), ("two", "2")).build_messages()
    assert isinstance(messages, MessagePrefix)
    assert messages[-1]["content"] == "2"
    assert texts(messages[1:3]) == [("user", "one"), ("assistant", "1")]
    assert messages == list(messages)
    with pytest.raises(IndexError, match="no message 5; the conversation has 5 messages"):
        messages[5]
    with pytest.raises(IndexError):
        messages[-6]


def test_without_rules_there_is_no_system_message():
    chat = Conversation("a")
    chat.add_turn(Turn("a", "", {"text": "one"}, "one"), 0)
    assert texts(chat.build_messages(0)) == [("user", "one")]


def test_the_answer_to_native_tool_calls_is_a_tool_message():
    calls = [
        {"id": "c1", "type": "function", "function": {"name": "find", "arguments": "{}"}},
        {"id": "c2", "type": "function", "function": {"name": "read", "arguments": "{}"}},
    ]
    chat = Conversation("a")
    say(chat, "go", Reply("", tool_calls=calls))
    say(chat, "tool: found\ntool: line\ntool: line\n\nYour turn.", results=("found", "line\nline"))
    say_all = chat.build_messages(1)
    assert say_all[2]["tool_calls"] == calls
    assert [(m["role"], m.get("tool_call_id"), m["content"]) for m in say_all[3:]] == [
        ("tool", "c1", "found"),
        ("tool", "c2", "line\nline"),
        ("user", None, "Your turn."),
    ]
    # As many answers as calls, always: servers refuse anything else.
    chat = Conversation("a")
    say(chat, "go", Reply("", tool_calls=calls))
    say(chat, "Nothing came of it.")
    roles = [message["role"] for message in chat.build_messages(1)]
    assert roles == ["system", "user", "assistant", "tool", "tool"]
    assert chat.build_messages(1)[3]["content"] == "Nothing came of it."
    assert chat.build_messages(1)[4]["content"].endswith("no result of its own: see the first.")
    assert [message["name"] for message in chat.build_messages(1)[3:]] == ["find", "read"]


def test_a_call_without_a_result_was_not_run_and_the_chat_says_so():
    calls = [{"id": n, "function": {"name": "find", "arguments": "{}"}} for n in "123"]
    chat = Conversation("a")
    say(chat, "go", Reply("", tool_calls=calls))
    say(chat, "tool: found\n\nYour turn.", results=("found",))
    assert [(m["role"], m["content"]) for m in chat.build_messages(1)[3:]] == [
        ("tool", "found"),
        ("tool", "This call was not run."),
        ("tool", "This call was not run."),
        ("user", "Your turn."),
    ]


def test_where_one_call_counts_the_chat_holds_one():
    calls = [{"id": n, "function": {"name": "find", "arguments": "{}"}} for n in "123"]
    reply = Reply("I look.", tool_calls=calls, token_ids=[1], latency=2.0)
    chat = Conversation("a")
    say(chat, "go", reply, calls=1)
    assert chat.build_messages()[-1] == {
        "role": "assistant",
        "content": "I look.",
        "tool_calls": calls[:1],
    }
    assert chat.build_messages()[-1]["content"].token_ids == [1]
    say(chat, "found", results=("found",), calls=1)
    assert [(m["role"], m["content"]) for m in chat.build_messages(1)[3:]] == [("tool", "found")]
    assert chat.steps[0].reply is reply
    say(chat, "more", reply, calls=2)
    assert chat.build_messages()[-1]["tool_calls"] == calls[:2]


class Kept(Reply):
    """A reply that keeps something beside its fields."""


def test_a_reply_that_is_cut_stays_what_it_is():
    reply = Kept("", tool_calls=[{"id": "1"}, {"id": "2"}])
    reply.output = "kept"
    cut = truncate_reply_calls(reply, 1)
    assert (type(cut), cut.output, cut.tool_calls) == (Kept, "kept", [{"id": "1"}])
    assert truncate_reply_calls(reply, 2) is reply
    assert truncate_reply_calls(reply, None) is reply
    assert len(reply.tool_calls) == 2


def test_a_result_that_leaves_nothing_else_to_say_ends_the_chat():
    call = {"id": "c1", "type": "function", "function": {"name": "find", "arguments": "{}"}}
    chat = Conversation("a")
    say(chat, "go", Reply("", tool_calls=[call]))
    say(chat, "tool: found", results=("found",))
    assert [message["role"] for message in chat.build_messages(1)][-1] == "tool"


def test_turns_are_cut_from_the_front_and_the_rules_stay():
    chat = chat_of(*[(f"saw {i}", f"said {i}") for i in range(5)])
    say(chat, "now")
    whole = chat.build_messages(5)
    assert len(Context().apply(whole)) == len(whole) == 12
    for turns in range(7):
        cut = texts(Context(turns=turns).apply(whole))
        assert cut[0] == ("system", "Rules.")
        assert cut[-1] == ("user", "now")
        assert len(cut) == 2 + 2 * min(turns, 5)
    assert texts(Context(turns=1).apply(whole))[1] == ("user", "saw 4")
    assert len(chat.steps) == 6  # the record is whole
    assert len(chat.build_messages()) == 12


def test_a_cut_never_parts_a_tool_call_from_its_answer():
    call = {"id": "c1", "type": "function", "function": {"name": "find", "arguments": "{}"}}
    chat = chat_of(("one", "1"))
    say(chat, "two", Reply("", tool_calls=[call]))
    say(chat, "tool: found", "3", results=("found",))
    say(chat, "now")
    cut = Context(turns=1).apply(chat.build_messages(3))
    assert [message["role"] for message in cut] == [
        "system",
        "assistant",
        "tool",
        "assistant",
        "user",
    ]


def test_a_budget_of_tokens():
    chat = chat_of(*[("x" * 400, "y" * 40) for _ in range(10)])
    say(chat, "z" * 400)
    whole = chat.build_messages(10)
    sizes = []
    for tokens in (0, 1, 200, 400, 700, 10_000):
        cut = Context(tokens=tokens).apply(whole)
        cost = sum(4 + len(m["content"]) // 4 + 1 for m in cut)
        assert cut[0]["role"] == "system"
        assert cut[-1]["content"] == "z" * 400
        assert cut[1]["role"] == "user"
        assert len(cut) == 2 or cost <= tokens
        sizes.append(len(cut))
    assert sizes == sorted(sizes)
    assert sizes[0] == 2
    assert sizes[-1] == len(whole)
    counted = Context(tokens=10, count=lambda text: 0).apply(whole)
    assert len(counted) == 2
    assert len(Context(tokens=10**6, count=len).apply(whole)) == len(whole)


def test_a_budget_counts_pictures():
    chat = Conversation("a")
    for value in range(3):
        say(chat, "", "ok", observation={"image": picture(value)})
    say(chat, "now")
    cut = Context(tokens=25).apply(chat.build_messages(3))  # a picture of 28 pixels costs 4 tokens
    assert 2 < len(cut) < 8


def test_older_pictures_become_words_and_equal_ones_are_sent_once():
    chat = Conversation("a")
    for value in (1, 2, 1, 3):
        say(chat, "", "ok", observation={"image": picture(value, f"number {value}")})
    say(chat, "", observation={"image": picture(3, "number 3")})
    shown = [
        m["content"] for m in Context(images=2).apply(chat.build_messages(4)) if m["role"] == "user"
    ]
    assert shown == [
        ("[picture: number 1]",),
        ("[picture: number 2]",),
        (picture(1),),
        ("[picture: number 3]",),
        (picture(3),),
    ]
    assert isinstance(chat.build_messages(4)[1]["content"][0], Picture)  # the record keeps them all


def test_contexts_are_texts_too():
    for text in ("turns=4", "images=2", "turns=0,images=0,tokens=9", "tokens=5,family=gpt-4o"):
        assert str(Context.parse(text)) == text
    for bad in ("", "turns", "turns=x", "last=3", "turns=-1"):
        with pytest.raises(ValueError, match="context"):
            Context.parse(bad)
    with pytest.raises(ValueError, match="turns=-1: expected 0 or more"):
        Context(turns=-1)


def test_a_turn_outside_of_a_rollout_has_a_chat_of_its_own():
    env = gem_ma.make("game:TicTacToe-v0")
    env.reset(seed=0)
    turn = env.turn("x")
    assert [message["role"] for message in turn.messages] == ["system", "user"]
    assert (turn.index, turn.episode) == (0, "")
    chat = Conversation("x", episode="7-3")
    turn = env.turn("x", chat)
    assert turn.messages == env.turn("x").messages
    assert turn.episode == "7-3"


def test_a_salt_gives_other_seeds_to_the_same_game():
    env = gem_ma.make("game:TicTacToe-v0")
    env.reset(seed=0)
    seeds = {env.turn("x", Conversation("x", salt=salt)).seed for salt in range(5)}
    assert len(seeds) == 5
    assert env.turn("x").seed == env.turn("x", Conversation("x")).seed


def test_pictures_of_a_turn_are_drawn_when_asked_for():
    env = gem_ma.make("game:TicTacToe-v0", observe="image")
    env.reset(seed=0)
    turn = env.turn("x")
    shown = turn.observation["image"]
    assert isinstance(shown, Picture)
    assert np.array_equal(shown.array, env.observe("x")["image"])
    assert shown.alt == env.game.describe(env.game_state, "x")
    before = shown.array
    env.step("5")
    assert np.array_equal(shown.array, before)  # it shows the position that it was made of
    both = gem_ma.make("game:TicTacToe-v0", observe="both")
    both.reset(seed=0)
    assert both.turn("x").observation["image"].alt == ""  # the words stand beside it


def test_a_turn_and_a_step_begin_with_nothing():
    turn = Turn("a", "", {}, "Hi!")
    assert (turn.legal, turn.tools, turn.results, turn.env_id) == (None, (), (), "")
    assert (turn.first, turn.number, turn.index, turn.episode) == (True, 0, 0, "")
    step = Step("a", 0, {}, "Hi!")
    assert (step.reply, step.move, step.invalid, step.counted_reply, step.results) == (
        *[None] * 4,
        (),
    )
    assert (step.reward, step.seconds) == (0.0, 0.0)


def test_a_step_is_compared_without_its_timing():
    assert Step("a", 0, {}, "t", seconds=1.0) == Step("a", 0, {}, "t", seconds=2.0)
