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
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from gem_ma.chat.messages import ChatMessage, Picture, list_pictures, to_hf
from gem_ma.engine.action_parsing import find_raw_arguments, parse_call_arguments, parse_call_name
from gem_ma.game import SeatTool
from gem_ma.validation.json_types import JSONMapping, JSONObject

REWRITTEN_NOTE = "the chat template rewrites earlier replies"
_REPLY_MARK = "gem-ma-reply-%d-of-%d"
_MAX_CACHE_BYTES = 1 << 28  # of processed pictures that are kept


@dataclass(slots=True)
class TokenizedPrompt:
    """Token ids, and what a processor made of the pictures between them."""

    ids: list[int] = field(default_factory=list)
    tensors: dict[str, Any] = field(default_factory=dict)  # pixels, stacked over all pictures
    token_features: dict[str, list[int]] = field(default_factory=dict)  # one number for each token
    reply_spans: list[tuple[int, int]] = field(default_factory=list)  # where earlier replies stand
    note: str = ""  # why earlier replies are not spliced in

    def extend(self, part: TokenizedPrompt) -> None:
        """Add another prompt's tokens and pictures at the end."""
        import torch

        length = len(self.ids)
        self.ids += part.ids
        for name in {**self.token_features, **part.token_features}:
            before = self.token_features.get(name) or [0] * length
            self.token_features[name] = before + (
                part.token_features.get(name) or [0] * len(part.ids)
            )
        for name, value in part.tensors.items():
            old = self.tensors.get(name)
            self.tensors[name] = value if old is None else torch.cat([old, value])


class ChatTokenizer:
    """Turns conversations into prompts for one tokenizer or processor.

    Args:
        template: further arguments of its chat template, such as enable_thinking.
    """

    def __init__(self, processor: Any, template: JSONMapping | None = None):
        self.processor = processor
        self.tokenizer = getattr(processor, "tokenizer", processor)
        if not hasattr(self.tokenizer, "all_special_ids"):
            raise TypeError(
                f"processor={repr(processor)[:60]}: expected a tokenizer or processor of "
                f"transformers, got {type(processor).__name__}"
            )
        self.template = dict(template or {})
        self._special_ids = set(self.tokenizer.all_special_ids)
        self._cache: OrderedDict[tuple[str, ...], TokenizedPrompt] = OrderedDict()
        self._cache_bytes = 0

    def build_prompt(
        self, messages: Sequence[ChatMessage], tools: Sequence[SeatTool] = ()
    ) -> TokenizedPrompt:
        """Return what a model is given to write the next reply."""
        shaped = [_flatten_reply(message) for message in messages]
        replies = [message["content"] for message in messages if message["role"] == "assistant"]
        pictures = [list_pictures(part) for part in _split_at_replies(shaped)]
        chat = to_hf(shaped, pixels=False)
        text = self._apply_template(chat, tools)
        segments = self._split_segments(chat, tools, text) if replies else [text]
        if segments is None:
            whole = self._encode_cached(
                text, [one for part in pictures for one in part], first=True
            )
            return TokenizedPrompt(
                list(whole.ids), dict(whole.tensors), dict(whole.token_features), [], REWRITTEN_NOTE
            )
        prompt = TokenizedPrompt()
        for number, segment in enumerate(segments):
            part = self._encode_cached(segment, pictures[number], first=number == 0)
            if number:
                reply = self.encode_reply(replies[number - 1], part.ids[:1])
                start = len(prompt.ids)
                prompt.extend(TokenizedPrompt(reply))
                prompt.reply_spans.append((start, len(prompt.ids)))
                if reply and part.ids[:1] == reply[-1:] and reply[-1] in self._special_ids:
                    part = _drop_first_token(part)
            prompt.extend(part)
        return prompt

    def encode_reply(self, reply: str, end: Sequence[int] = ()) -> list[int]:
        """Return a reply's own ids; of one without ids those of its text, and the end of the turn.

        Args:
            end: the token that the template writes behind a reply.
        """
        ids = find_reply_ids(reply, self.tokenizer)
        if ids is not None:
            return list(ids)
        text = self.tokenizer(format_reply(reply), add_special_tokens=False)["input_ids"]
        return [*text, *(token for token in end if token in self._special_ids)]

    def find_end_token(
        self, messages: Sequence[ChatMessage], tools: Sequence[SeatTool] = ()
    ) -> list[int]:
        """Return the token that the template writes behind the last reply, if it writes one."""
        mark = _REPLY_MARK % (0, 0)
        shaped = [*map(_flatten_reply, messages), {"role": "assistant", "content": mark}]
        text = self._apply_template(to_hf(shaped, pixels=False), tools, generate=False)
        _, found, after = text.rpartition(mark)
        return self.tokenizer(after, add_special_tokens=False)["input_ids"][:1] if found else []

    def _apply_template(
        self, chat: list[JSONObject], tools: Sequence[SeatTool], generate: bool = True
    ) -> str:
        text = self.processor.apply_chat_template(
            chat,
            tokenize=False,
            add_generation_prompt=generate,
            **({"tools": list(tools)} if tools else {}),
            **self.template,
        )
        return str(text)

    def _split_segments(
        self, chat: list[JSONObject], tools: Sequence[SeatTool], text: str
    ) -> list[str] | None:
        """Return what the template writes around the replies, or None if it changes them."""
        replies = [message["content"] for message in chat if message["role"] == "assistant"]
        marks = [_REPLY_MARK % (number, len(replies)) for number in range(len(replies))]
        names = iter(marks)
        marked = [
            {**message, "content": next(names)} if message["role"] == "assistant" else message
            for message in chat
        ]
        rest = self._apply_template(marked, tools)
        segments = []
        for mark in marks:
            before, found, rest = rest.partition(mark)
            if not found:
                return None
            segments.append(before)
        segments.append(rest)
        whole = "".join(
            part for pair in zip(segments, [*replies, ""], strict=True) for part in pair
        )
        return segments if whole == text else None

    def _encode_cached(self, text: str, shown: list[Picture], first: bool) -> TokenizedPrompt:
        key = (text, str(first), *(picture.key for picture in shown))
        part = self._cache.get(key)
        if part is None:
            part = self._cache[key] = self._encode_segment(text, shown, first)
            self._cache_bytes += _count_tensor_bytes(part) + 8 * len(part.ids)
            while self._cache_bytes > _MAX_CACHE_BYTES and len(self._cache) > 1:
                _, old = self._cache.popitem(last=False)
                self._cache_bytes -= _count_tensor_bytes(old) + 8 * len(old.ids)
        self._cache.move_to_end(key)
        return part

    def _encode_segment(self, text: str, shown: list[Picture], first: bool) -> TokenizedPrompt:
        begin = self.tokenizer.bos_token
        # As apply_chat_template does it: tokenizers add nothing, processors what is not there yet.
        special = first and self.processor is not self.tokenizer
        special = special and not (begin and text.startswith(begin))
        if not shown:
            return TokenizedPrompt(self.tokenizer(text, add_special_tokens=special)["input_ids"])
        if getattr(self.processor, "image_processor", None) is None:
            raise ValueError(
                f"a {type(self.processor).__name__} takes no pictures; use a model that sees them "
                "with its processor, or observe='text'"
            )
        inputs = self.processor(
            text=[text],
            images=[picture.to_pil() for picture in shown],
            add_special_tokens=special,
            return_tensors="pt",
        )
        ids = inputs.pop("input_ids")
        inputs.pop("attention_mask", None)
        part = TokenizedPrompt(ids[0].tolist())
        for name, value in inputs.items():
            if tuple(value.shape) == tuple(ids.shape):
                part.token_features[name] = value[0].tolist()
            else:
                part.tensors[name] = value
        return part


def find_common_prefix(rows: Sequence[list[int]]) -> list[int]:
    """Return the tokens that all rows begin with."""
    low, high = min(rows), max(rows)
    apart = (i for i, (one, other) in enumerate(zip(low, high, strict=False)) if one != other)
    return low[: next(apart, len(low))]


def find_reply_ids(reply: str, tokenizer: Any) -> Sequence[int] | None:
    """Return the token ids that came with a reply, if they are this tokenizer's."""
    ids: Sequence[int] | None = getattr(reply, "token_ids", None)
    if not ids:
        return None
    try:
        same = tokenizer.decode(ids, skip_special_tokens=True) == str(reply)
    except (IndexError, TypeError, OverflowError):
        return None
    return ids if same else None


def format_reply(reply: str) -> str:
    """Return a reply as text, with tool calls that came beside it written out."""
    calls = getattr(reply, "tool_calls", None)
    if not calls or "<tool_call>" in reply:
        return str(reply)
    parts = [str(reply)] if reply else []
    for call in calls:
        try:
            arguments = parse_call_arguments(call)
        except ValueError:  # what the model wrote, all the same
            arguments = find_raw_arguments(call)
        one = json.dumps({"name": parse_call_name(call), "arguments": arguments})
        parts.append(f"<tool_call>\n{one}\n</tool_call>")
    return "\n".join(parts)


def _flatten_reply(message: ChatMessage) -> JSONObject:
    """Return a message in which a reply is nothing but text."""
    if message["role"] != "assistant":
        return dict(message)
    return {"role": "assistant", "content": format_reply(message["content"])}


def _split_at_replies(messages: list[JSONObject]) -> list[list[JSONObject]]:
    """Return the messages before, between and after the replies."""
    parts: list[list[JSONObject]] = [[]]
    for message in messages:
        if message["role"] == "assistant":
            parts.append([])
        else:
            parts[-1].append(message)
    return parts


def _drop_first_token(part: TokenizedPrompt) -> TokenizedPrompt:
    marks = {name: value[1:] for name, value in part.token_features.items()}
    return TokenizedPrompt(part.ids[1:], part.tensors, marks)


def _count_tensor_bytes(part: TokenizedPrompt) -> int:
    return sum(value.nbytes for value in part.tensors.values())
