"""A conversation as the token ids that a model is given.

What a model said is never decoded and encoded again: its own token ids stand where the chat
template writes the reply. A template that rewrites earlier replies (many drop the thinking) leaves
no place for them; then the whole text is encoded as the template has it, and the prompt says so.

Pictures work for processors that write one run of image tokens for each picture and stack what
they make of several along the first dimension, as those of the Qwen-VL and LLaVA families do.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gem_ma.match.actions import arguments_of, called, written_arguments
from gem_ma.talk.messages import Picture, hf, pictures

REWRITTEN = "the chat template rewrites earlier replies"
_MARK = "gem-ma-reply-%d-of-%d"
_BYTES = 1 << 28  # of processed pictures that are kept


@dataclass(slots=True)
class Prompt:
    """Token ids, and what a processor made of the pictures between them."""

    ids: list[int] = field(default_factory=list)
    tensors: dict[str, Any] = field(default_factory=dict)  # pixels, stacked over all pictures
    marks: dict[str, list[int]] = field(default_factory=dict)  # one number for each token
    replies: list[tuple[int, int]] = field(default_factory=list)  # where earlier replies stand
    note: str = ""  # why earlier replies are not spliced in

    def extend(self, part: Prompt) -> None:
        """Add another prompt's tokens and pictures at the end."""
        import torch

        length = len(self.ids)
        self.ids += part.ids
        for name in {**self.marks, **part.marks}:
            before = self.marks.get(name) or [0] * length
            self.marks[name] = before + (part.marks.get(name) or [0] * len(part.ids))
        for name, value in part.tensors.items():
            old = self.tensors.get(name)
            self.tensors[name] = value if old is None else torch.cat([old, value])


class Tokens:
    """Turns conversations into prompts for one tokenizer or processor.

    template: further arguments of its chat template, such as enable_thinking.
    """

    def __init__(self, processor: Any, template: Mapping[str, Any] | None = None):
        self.processor = processor
        self.tokenizer = getattr(processor, "tokenizer", processor)
        if not hasattr(self.tokenizer, "all_special_ids"):
            raise TypeError(
                f"processor={repr(processor)[:60]}: expected a tokenizer or processor of "
                f"transformers, got {type(processor).__name__}"
            )
        self.template = dict(template or {})
        self._special = set(self.tokenizer.all_special_ids)
        self._cache: OrderedDict[tuple[str, ...], Prompt] = OrderedDict()
        self._size = 0

    def prompt(self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Any] = ()) -> Prompt:
        """Return what a model is given to write the next reply."""
        shaped = [_plain(message) for message in messages]
        said = [message["content"] for message in messages if message["role"] == "assistant"]
        shown = [pictures(part) for part in _between(shaped)]
        chat = hf(shaped, pixels=False)
        text = self._text(chat, tools)
        segments = self._segments(chat, tools, text) if said else [text]
        if segments is None:
            whole = self._encode(text, [one for part in shown for one in part], first=True)
            return Prompt(list(whole.ids), dict(whole.tensors), dict(whole.marks), [], REWRITTEN)
        prompt = Prompt()
        for number, segment in enumerate(segments):
            part = self._encode(segment, shown[number], first=number == 0)
            if number:
                reply = self.reply(said[number - 1], part.ids[:1])
                start = len(prompt.ids)
                prompt.extend(Prompt(reply))
                prompt.replies.append((start, len(prompt.ids)))
                if reply and part.ids[:1] == reply[-1:] and reply[-1] in self._special:
                    part = _without_first(part)
            prompt.extend(part)
        return prompt

    def reply(self, reply: str, end: Sequence[int] = ()) -> list[int]:
        """Return a reply's own ids; of one without ids those of its text, and the end of the turn.

        end: the token that the template writes behind a reply.
        """
        ids = own_ids(reply, self.tokenizer)
        if ids is not None:
            return list(ids)
        text = self.tokenizer(reply_text(reply), add_special_tokens=False)["input_ids"]
        return [*text, *(token for token in end if token in self._special)]

    def closing(
        self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Any] = ()
    ) -> list[int]:
        """Return the token that the template writes behind the last reply, if it writes one."""
        mark = _MARK % (0, 0)
        shaped = [*map(_plain, messages), {"role": "assistant", "content": mark}]
        text = self._text(hf(shaped, pixels=False), tools, generate=False)
        _, found, after = text.rpartition(mark)
        return self.tokenizer(after, add_special_tokens=False)["input_ids"][:1] if found else []

    def _text(self, chat: list[dict[str, Any]], tools: Sequence[Any], generate: bool = True) -> str:
        text = self.processor.apply_chat_template(
            chat,
            tokenize=False,
            add_generation_prompt=generate,
            **({"tools": list(tools)} if tools else {}),
            **self.template,
        )
        return str(text)

    def _segments(
        self, chat: list[dict[str, Any]], tools: Sequence[Any], text: str
    ) -> list[str] | None:
        """Return what the template writes around the replies, or None if it changes them."""
        said = [message["content"] for message in chat if message["role"] == "assistant"]
        marks = [_MARK % (number, len(said)) for number in range(len(said))]
        names = iter(marks)
        marked = [
            {**message, "content": next(names)} if message["role"] == "assistant" else message
            for message in chat
        ]
        rest = self._text(marked, tools)
        segments = []
        for mark in marks:
            before, found, rest = rest.partition(mark)
            if not found:
                return None
            segments.append(before)
        segments.append(rest)
        whole = "".join(part for pair in zip(segments, [*said, ""], strict=True) for part in pair)
        return segments if whole == text else None

    def _encode(self, text: str, shown: list[Picture], first: bool) -> Prompt:
        key = (text, str(first), *(picture.key for picture in shown))
        part = self._cache.get(key)
        if part is None:
            part = self._cache[key] = self._encoded(text, shown, first)
            self._size += _size(part) + 8 * len(part.ids)
            while self._size > _BYTES and len(self._cache) > 1:
                _, old = self._cache.popitem(last=False)
                self._size -= _size(old) + 8 * len(old.ids)
        self._cache.move_to_end(key)
        return part

    def _encoded(self, text: str, shown: list[Picture], first: bool) -> Prompt:
        begin = self.tokenizer.bos_token
        # As apply_chat_template does it: tokenizers add nothing, processors what is not there yet.
        special = first and self.processor is not self.tokenizer
        special = special and not (begin and text.startswith(begin))
        if not shown:
            return Prompt(self.tokenizer(text, add_special_tokens=special)["input_ids"])
        if getattr(self.processor, "image_processor", None) is None:
            raise ValueError(
                f"a {type(self.processor).__name__} takes no pictures; use a model that sees them "
                "with its processor, or observe='text'"
            )
        made = self.processor(
            text=[text],
            images=[picture.pil() for picture in shown],
            add_special_tokens=special,
            return_tensors="pt",
        )
        ids = made.pop("input_ids")
        made.pop("attention_mask", None)
        part = Prompt(ids[0].tolist())
        for name, value in made.items():
            if tuple(value.shape) == tuple(ids.shape):
                part.marks[name] = value[0].tolist()
            else:
                part.tensors[name] = value
        return part


def beginning(rows: Sequence[list[int]]) -> list[int]:
    """Return the tokens that all rows begin with."""
    low, high = min(rows), max(rows)
    apart = (i for i, (one, other) in enumerate(zip(low, high, strict=False)) if one != other)
    return low[: next(apart, len(low))]


def own_ids(reply: str, tokenizer: Any) -> Sequence[int] | None:
    """Return the token ids that came with a reply, if they are this tokenizer's."""
    ids: Sequence[int] | None = getattr(reply, "token_ids", None)
    if not ids:
        return None
    try:
        same = tokenizer.decode(ids, skip_special_tokens=True) == str(reply)
    except (IndexError, TypeError, OverflowError):
        return None
    return ids if same else None


def reply_text(reply: str) -> str:
    """Return a reply as text, with tool calls that came beside it written out."""
    calls = getattr(reply, "tool_calls", None)
    if not calls or "<tool_call>" in reply:
        return str(reply)
    parts = [str(reply)] if reply else []
    for call in calls:
        try:
            arguments = arguments_of(call)
        except ValueError:  # what the model wrote, all the same
            arguments = written_arguments(call)
        one = json.dumps({"name": called(call), "arguments": arguments})
        parts.append(f"<tool_call>\n{one}\n</tool_call>")
    return "\n".join(parts)


def _plain(message: Mapping[str, Any]) -> dict[str, Any]:
    """Return a message in which a reply is nothing but text."""
    if message["role"] != "assistant":
        return dict(message)
    return {"role": "assistant", "content": reply_text(message["content"])}


def _between(messages: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """Return the messages before, between and after the replies."""
    parts: list[list[dict[str, Any]]] = [[]]
    for message in messages:
        if message["role"] == "assistant":
            parts.append([])
        else:
            parts[-1].append(message)
    return parts


def _without_first(part: Prompt) -> Prompt:
    marks = {name: value[1:] for name, value in part.marks.items()}
    return Prompt(part.ids[1:], part.tensors, marks)


def _size(part: Prompt) -> int:
    return sum(value.nbytes for value in part.tensors.values())
