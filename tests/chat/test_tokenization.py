"""Prompts, with a tokenizer that can be read: one token is one letter, or one <word> in brackets.

The tokenizers and processors of transformers are in tests/agents/test_hf.py.
"""

import re

import numpy as np
import pytest
from needed import needed

from gem_ma.chat import tokenization as module
from gem_ma.chat.messages import Picture
from gem_ma.chat.reply import Reply, truncate_reply_calls
from gem_ma.chat.tokenization import REWRITTEN_NOTE, ChatTokenizer, find_reply_ids, format_reply

torch = needed("torch", install="'gem-ma[hf]'")

SPECIAL = ["<begin>", "<end>", "<image>"]


class Letters:
    """A tokenizer whose template writes "role: text<end>" in a line for each message."""

    bos_token, all_special_ids = "<begin>", [0, 1, 2]

    def __init__(self):
        self.encoded = []

    def __call__(self, text, add_special_tokens=True):
        self.encoded.append(text)
        found = re.findall("|".join([*SPECIAL, "."]), text, re.S)
        ids = [SPECIAL.index(one) if one in SPECIAL else ord(one) for one in found]
        return {"input_ids": [0] * add_special_tokens + ids}

    def decode(self, ids, skip_special_tokens):
        kept = [one for one in ids if not (skip_special_tokens and one in self.all_special_ids)]
        return "".join(SPECIAL[one] if one in self.all_special_ids else chr(one) for one in kept)

    def apply_chat_template(self, messages, tokenize, add_generation_prompt, tools=(), think=True):
        lines = [f"tools: {tools}\n"] if tools else []
        for message in messages:
            content = message["content"]
            if not isinstance(content, str):
                content = "".join(part.get("text", "<image>") for part in content)
            if not think and message["role"] == "assistant":
                content = content.rpartition("</think>")[2]
            lines.append(f"{message['role']}: {content}<end>\n")
        return "".join([*lines, *["assistant: "] * add_generation_prompt])


class Seeing:
    """A processor that makes two tokens of each picture."""

    image_processor = "there is one"

    def __init__(self):
        self.tokenizer = Letters()
        self.apply_chat_template = self.tokenizer.apply_chat_template

    def __call__(self, text, images, add_special_tokens, return_tensors):
        (written,) = text
        ids = self.tokenizer(written.replace("<image>", "<image><image>"), add_special_tokens)
        ids = torch.tensor([ids["input_ids"]])
        return {
            "input_ids": ids,
            "attention_mask": torch.ones_like(ids),
            "kinds": (ids == 2).int(),
            "pixels": torch.tensor([[float(np.array(image).mean())] for image in images]),
        }


def chat(*said):
    """Return a chat in which the user and the assistant take turns."""
    return [
        {"role": "assistant" if number % 2 else "user", "content": content}
        for number, content in enumerate(said)
    ]


def reply(text, ids):
    return Reply(text, token_ids=ids)


def gray(value):
    return Picture.from_array(np.full((4, 4, 3), value, np.uint8))


def text_of(prompt):
    return Letters().decode(prompt.ids, skip_special_tokens=False)


def test_without_ids_of_their_own_replies_are_what_the_template_writes():
    tokens = ChatTokenizer(Letters())
    for said in ((), ("hi",), ("hi", "ho", "he"), ("hi", "ho", "he", "", "ha")):
        prompt = tokens.build_prompt(chat(*said))
        assert text_of(prompt) == Letters().apply_chat_template(chat(*said), False, True)
        spans = [
            text_of(module.TokenizedPrompt(prompt.ids[start:end]))
            for start, end in prompt.reply_spans
        ]
        assert spans == [f"{one}<end>" for one in said[1::2]]
        assert (prompt.tensors, prompt.token_features, prompt.note) == ({}, {}, "")


@pytest.mark.parametrize("end", [[], [1]])  # a reply that was cut short has no end
def test_a_reply_stands_with_its_own_ids(end):
    class Twice(Letters):  # knows another spelling of h
        def decode(self, ids, skip_special_tokens):
            return super().decode([104 if i == 500 else i for i in ids], skip_special_tokens)

    own = [500, 111, *end]
    prompt = ChatTokenizer(Twice()).build_prompt(chat("hi", reply("ho", own), "he"))
    assert prompt.reply_spans == [(21, 21 + len(own))]
    assert prompt.ids[21 : 21 + len(own)] == own
    letters = [104 if one == 500 else one for one in prompt.ids]
    assert text_of(module.TokenizedPrompt(letters)) == (
        "user: hi<end>\nassistant: ho<end>\nuser: he<end>\nassistant: "
    )


def test_only_ids_that_spell_the_reply_are_its_own():
    letters = Letters()
    assert find_reply_ids("ho", letters) is None
    for ids, same in (
        ([104, 111], True),
        ([104, 111, 1], True),
        ([104], False),
        ([], False),
        ([104, 10**30], False),
        (["h"], False),
    ):
        assert find_reply_ids(reply("ho", ids), letters) == (ids if same else None)
        expected = ids if same else [104, 111]
        assert ChatTokenizer(letters).encode_reply(reply("ho", ids)) == expected
    # the end of a turn is written behind what has no ids, and only what is an end
    assert ChatTokenizer(letters).encode_reply("ho", [1]) == [104, 111, 1]
    assert ChatTokenizer(letters).encode_reply("ho", [10]) == [104, 111]
    assert ChatTokenizer(letters).encode_reply(reply("ho", [104, 111]), [1]) == [104, 111]


def test_a_template_that_rewrites_replies_has_its_way_and_says_so():
    said = chat("hi", reply("<think>x</think>ho", [*b"<think>x</think>ho"]), "he")
    prompt = ChatTokenizer(Letters(), {"think": False}, "template").build_prompt(said)
    assert (prompt.note, prompt.reply_spans) == (REWRITTEN_NOTE, [(21, 23)])
    assert text_of(prompt) == "user: hi<end>\nassistant: ho<end>\nuser: he<end>\nassistant: "
    for history in ("keep", "template"):
        kept = ChatTokenizer(Letters(), history=history).build_prompt(said)
        assert (kept.note, len(kept.reply_spans)) == ("", 1)


def test_a_reply_is_kept_as_it_was_drawn_or_without_its_thought():
    """Whatever the template would make of it in later turns."""
    after = "<end>\nuser: he<end>\nassistant: "
    for text, left in (
        ("<think>x</think>ho", "ho"),
        ("x</think>ho", "ho"),
        ("<think>x</think>y</think>ho", "ho"),
        ("ho", "ho"),
        ("<think>x", ""),
    ):
        said = chat("hi", reply(text, [*text.encode()]), "he")
        for history, stays in (("keep", text), ("drop_thoughts", left)):
            prompt = ChatTokenizer(Letters(), {"think": False}, history).build_prompt(said)
            assert text_of(prompt) == f"user: hi<end>\nassistant: {stays}{after}"
            assert prompt.note == ""
    with pytest.raises(ValueError, match="history='all': expected 'keep', 'drop_thoughts', 'temp"):
        ChatTokenizer(Letters(), history="all")


def test_a_reply_that_was_cut_behind_a_call_stands_in_the_ids_that_were_drawn():
    class Twice(Letters):  # knows another spelling of h
        def decode(self, ids, skip_special_tokens):
            return super().decode([104 if i == 500 else i for i in ids], skip_special_tokens)

    call = '<tool_call>{"name": "h"}</tool_call>'
    drawn = [500 if one == ord("h") else one for one in f"ha {call}{call}".encode()]
    cut = truncate_reply_calls(reply(f"ha {call}{call}", [*drawn, 1]), 1)
    assert cut == f"ha {call}"
    prompt = ChatTokenizer(Twice()).build_prompt(chat("hi", cut, "he"))
    ((start, end),) = prompt.reply_spans
    assert prompt.ids[start:end] == drawn[: len(cut)]
    assert text_of(module.TokenizedPrompt(prompt.ids[end:])) == "<end>\nuser: he<end>\nassistant: "
    other = reply("ha", [500, 97, 10**30])  # which nothing decodes
    assert ChatTokenizer(Letters()).encode_reply(other) == [104, 97]


def test_a_chat_may_hold_what_marks_a_reply():
    for word in ("gem-ma-reply", "gem-ma-reply-x"):
        said = chat(f"hi {word}", reply(word, [*word.encode()]), f"{word} he")
        for history in ("keep", "template"):
            prompt = ChatTokenizer(Letters(), history=history).build_prompt(said)
            assert text_of(prompt) == (
                f"user: hi {word}<end>\nassistant: {word}<end>\nuser: {word} he<end>\nassistant: "
            )
            assert len(prompt.reply_spans) == 1


def test_rules_that_a_template_tells_again_are_told_once():
    class Repeats(Letters):
        def apply_chat_template(self, messages, **options):
            rules = [one["content"] for one in messages if one["role"] == "system"]
            said = [dict(one) for one in messages if one["role"] != "system"]
            said[-1]["content"] = " ".join([*rules, said[-1]["content"]])
            return super().apply_chat_template(said, **options)

    said = [{"role": "system", "content": "Play."}, *chat("hi", "ho", "he")]
    prompt = ChatTokenizer(Repeats()).build_prompt(said)
    assert text_of(prompt) == "user: Play. hi<end>\nassistant: ho<end>\nuser: he<end>\nassistant: "
    prompt = ChatTokenizer(Repeats(), history="template").build_prompt(said)
    assert text_of(prompt) == "user: hi<end>\nassistant: ho<end>\nuser: Play. he<end>\nassistant: "


def test_a_template_that_leaves_replies_out_has_its_way_and_says_so():
    class Forgets(Letters):
        def apply_chat_template(self, messages, **options):
            return super().apply_chat_template(messages[-1:], **options)

    prompt = ChatTokenizer(Forgets()).build_prompt(chat("hi", "ho", "he"))
    assert (prompt.note, text_of(prompt)) == (REWRITTEN_NOTE, "user: he<end>\nassistant: ")


def test_tools_and_calls_are_written_out():
    call = {"id": "1", "function": {"name": "look", "arguments": '{"at": 3}'}}
    written = '<tool_call>\n{"name": "look", "arguments": {"at": 3}}\n</tool_call>'
    assert format_reply("ho") == format_reply(Reply("ho")) == "ho"
    assert format_reply(Reply("", tool_calls=[call])) == written
    assert format_reply(Reply("ho", tool_calls=[call, call])) == f"ho\n{written}\n{written}"
    assert format_reply(Reply(f"ho {written}", tool_calls=[call])) == f"ho {written}"
    broken = {"id": "1", "function": {"name": "look", "arguments": '{"at'}}
    assert '"name": "look"' in format_reply(Reply("", tool_calls=[broken]))
    prompt = ChatTokenizer(Letters()).build_prompt(
        chat("hi", Reply("", tool_calls=[call]), "he"), [7]
    )
    assert text_of(prompt).startswith("tools: [7]\nuser: hi<end>\nassistant: <tool_call>\n{")
    assert len(prompt.reply_spans) == 1


def test_pictures_stand_where_they_were_shown():
    tokens = ChatTokenizer(Seeing())
    first, second = (gray(10), "a"), ("b", gray(20), gray(30))
    prompt = tokens.build_prompt(chat(first, reply("ho", [104, 111, 1]), "c", "hm", second))
    assert text_of(prompt) == (
        "<begin>user: <image><image>a<end>\nassistant: ho<end>\nuser: c<end>\nassistant: hm<end>\n"
        "user: b<image><image><image><image><end>\nassistant: "
    )
    assert prompt.token_features == {"kinds": [int(one == 2) for one in prompt.ids]}
    assert prompt.tensors["pixels"].tolist() == [[10.0], [20.0], [30.0]]
    # and where the template rewrites replies
    said = chat(first, "<think></think>ho", second)
    prompt = ChatTokenizer(Seeing(), {"think": False}, "template").build_prompt(said)
    assert prompt.note == REWRITTEN_NOTE
    assert prompt.token_features == {"kinds": [int(one == 2) for one in prompt.ids]}
    assert prompt.tensors["pixels"].tolist() == [[10.0], [20.0], [30.0]]


def test_a_processor_begins_a_text_that_has_not_begun_and_a_tokenizer_none(monkeypatch):
    class Begins(Seeing):
        def __init__(self):
            super().__init__()
            write = self.apply_chat_template
            self.apply_chat_template = lambda *args, **more: f"<begin>{write(*args, **more)}"

    for processor, count in ((Seeing(), 1), (Begins(), 1), (Letters(), 0)):
        for said in (("hi",), ("hi", "ho", "he")):
            prompt = ChatTokenizer(processor).build_prompt(chat(*said))
            assert prompt.ids.count(0) == count
            assert prompt.ids[:count] == [0] * count
    monkeypatch.setattr(Letters, "bos_token", None)  # it has no name for it, and adds it itself
    assert ChatTokenizer(Seeing()).build_prompt(chat("hi")).ids.count(0) == 1


def test_what_stays_is_encoded_once_and_kept_within_bounds(monkeypatch):
    letters = Letters()
    tokens = ChatTokenizer(letters)
    said = chat("hi", reply("ho", [104, 111, 1]), "he")
    prompt = tokens.build_prompt(said)
    assert len(letters.encoded) == 2
    assert tokens.build_prompt(said) == prompt
    assert len(letters.encoded) == 2
    tokens.build_prompt(chat("hi", reply("ho", [104, 111, 1]), "other"))
    assert len(letters.encoded) == 3
    monkeypatch.setattr(module, "_MAX_CACHE_BYTES", 0)
    small = ChatTokenizer(Seeing())
    for _ in range(2):
        prompt = small.build_prompt(chat((gray(10), "a"), "ho", (gray(20), "b")))
        assert prompt.tensors["pixels"].tolist() == [[10.0], [20.0]]
        assert len(small._cache) == 1
    assert small._cache_bytes == 4 + 8 * len(next(iter(small._cache.values())).ids)


def test_the_closing_token_is_what_the_template_writes_behind_a_reply():
    class Open(Letters):
        def apply_chat_template(self, messages, **options):
            return super().apply_chat_template(messages, **options).removesuffix("<end>\n")

    assert ChatTokenizer(Letters()).find_end_token(chat("hi")) == [1]
    assert ChatTokenizer(Letters()).find_end_token(chat("hi", "ho", "he")) == [1]
    assert ChatTokenizer(Open()).find_end_token(chat("hi")) == []


def test_it_names_what_it_cannot_use():
    with pytest.raises(TypeError, match=r"processor='gpt2': expected a tokenizer or .* got str"):
        ChatTokenizer("gpt2")
    with pytest.raises(ValueError, match="a Letters takes no pictures"):
        ChatTokenizer(Letters()).build_prompt(chat((gray(1), "a")))
