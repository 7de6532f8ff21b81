"""Conversion of conversations to the token ids of a model's prompts.

Sampled ids are never decoded and encoded again. By default a prompt only grows: it is the previous
prompt, the ids sampled for it, and the template's text after a reply for the new messages. So the
turns of a seat are one sequence, even if the template drops or rewrites earlier replies. The
argument `history` selects other forms.

Pictures work with processors that write one run of image tokens for each picture and stack the
tensors of several pictures along the first dimension, such as those of Qwen-VL and LLaVA.
"""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

from gem_ma.chat.messages import ChatMessage, Picture, list_pictures, to_hf
from gem_ma.engine.action_parsing import find_raw_arguments, parse_call_arguments, parse_call_name
from gem_ma.game import SeatTool
from gem_ma.validation.json_types import JSONMapping, JSONObject

REWRITTEN_NOTE = "the chat template rewrites earlier replies"
_MAX_CACHE_BYTES = 1 << 28  # cached token ids and processed pictures
_MAX_CACHED_TEXTS = 1 << 12  # cached texts of the template
_THOUGHT_START, _THOUGHT_END = "<think>", "</think>"

ReplyHistory: TypeAlias = Literal["keep", "drop_thoughts", "template"]
"""The form of earlier replies in a prompt; see `ChatTokenizer`."""


@dataclass(slots=True)
class TokenizedPrompt:
    """Token ids of a prompt, with the processed pictures."""

    ids: list[int] = field(default_factory=list)
    tensors: dict[str, Any] = field(default_factory=dict)  # pixels, stacked over all pictures
    token_features: dict[str, list[int]] = field(default_factory=dict)  # one number for each token
    reply_spans: list[tuple[int, int]] = field(default_factory=list)  # of ids of earlier replies
    note: str = ""  # why not all earlier replies have their sampled ids

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


class _ReplyPlace(NamedTuple):
    """The place of sampled ids in the template's text, which may omit the first of them."""

    reply: int  # the index of the reply
    start: int
    end: int
    ids: list[int]


class ChatTokenizer:
    """Converter from conversations to prompts, for one tokenizer or processor.

    Sampling and training need the same arguments; otherwise they use different prompts.

    Args:
        processor: A tokenizer or processor of transformers.
        template: Further arguments of its chat template, such as enable_thinking.
        history: The form of earlier replies in a prompt. "keep": their sampled ids with thoughts,
            so that a seat's turns are one growing sequence. "drop_thoughts": their sampled ids
            after the last `</think>`. "template": exactly the chat template's text of the whole
            conversation, with sampled ids where this text is unchanged.
    """

    def __init__(
        self,
        processor: Any,
        template: JSONMapping | None = None,
        history: ReplyHistory = "keep",
    ):
        self.processor = processor
        self.tokenizer = getattr(processor, "tokenizer", processor)
        if not hasattr(self.tokenizer, "all_special_ids"):
            raise TypeError(
                f"processor={repr(processor)[:60]}: expected a tokenizer or processor of "
                f"transformers, got {type(processor).__name__}"
            )
        if history not in get_args(ReplyHistory):
            raise ValueError(
                f"history={history!r}: expected {', '.join(map(repr, get_args(ReplyHistory)))}"
            )
        self.template = dict(template or {})
        self.history: ReplyHistory = history
        self._special_ids = set(self.tokenizer.all_special_ids)
        self._cache: OrderedDict[tuple[str, ...], TokenizedPrompt] = OrderedDict()
        self._cache_bytes = 0
        self._texts: OrderedDict[bytes, str | None] = OrderedDict()

    @classmethod
    def wrap(
        cls,
        processor: Any,
        template: JSONMapping | None = None,
        history: ReplyHistory = "keep",
    ) -> ChatTokenizer:
        """Return a ChatTokenizer of a processor; a ChatTokenizer stays as it is."""
        return processor if isinstance(processor, cls) else cls(processor, template, history)

    def build_prompt(
        self, messages: Sequence[ChatMessage], tools: Sequence[SeatTool] = ()
    ) -> TokenizedPrompt:
        """Return the prompt for the next reply of a conversation."""
        shaped = [_flatten_reply(message) for message in messages]
        replies = [message["content"] for message in messages if message["role"] == "assistant"]
        parts = _split_at_replies(shaped)
        if self.history != "template":
            segments = self._render_segments(parts, tools)
            if segments is not None:
                ids = [self._encode_earlier_reply(reply) for reply in replies]
                return self._join_segments(segments, ids, [list_pictures(p) for p in parts])
        chat = to_hf(shaped, pixels=False)
        text = self._apply_template(chat, tools)
        places, whole = self._locate_replies(chat, replies, text, tools)
        bounds = [0, *(bound for place in places for bound in place[1:3]), len(text)]
        pictures: list[list[Picture]] = [[] for _ in range(len(places) + 1)]
        for number, part in enumerate(parts):
            pictures[sum(place.reply < number for place in places)] += list_pictures(part)
        prompt = self._join_segments(
            [text[start:end] for start, end in zip(bounds[::2], bounds[1::2], strict=True)],
            [place.ids for place in places],
            pictures,
        )
        prompt.note = "" if whole else REWRITTEN_NOTE
        return prompt

    def _join_segments(
        self,
        segments: Sequence[str],
        replies: Sequence[Callable[[Sequence[int]], list[int]] | list[int]],
        pictures: Sequence[list[Picture]],
    ) -> TokenizedPrompt:
        """Return the prompt of the template's segments, with a reply's ids between two of them.

        Args:
            segments: Texts of the template, one more than there are replies.
            replies: The ids of each reply, or a function that makes them from the next token of
                the template.
            pictures: The pictures of each segment.
        """
        prompt = TokenizedPrompt()
        for number, segment in enumerate(segments):
            part = self._encode_cached(segment, pictures[number], first=number == 0)
            if number:
                reply = replies[number - 1]
                ids = reply(part.ids[:1]) if callable(reply) else reply
                start = len(prompt.ids)
                prompt.extend(TokenizedPrompt(ids))
                prompt.reply_spans.append((start, len(prompt.ids)))
                if ids and part.ids[:1] == ids[-1:] and ids[-1] in self._special_ids:
                    part = _drop_first_token(part)
            prompt.extend(part)
        return prompt

    def _render_segments(
        self, parts: Sequence[list[JSONObject]], tools: Sequence[SeatTool]
    ) -> list[str] | None:
        """Return the template's text before the first reply and after each reply.

        The text after a reply is rendered from a conversation of only the first part, this reply
        and the next messages. So it is the same in all later turns, even if the template changes
        earlier turns. The result is None if the template omits a reply before other messages.
        """
        first = to_hf(parts[0], pixels=False)
        begin = self._cache_text(str([first, tools]), lambda: self._apply_template(first, tools))
        segments = [begin]
        for part in parts[1:]:
            key = str([first, to_hf(part, pixels=False)])
            segments.append(
                self._cache_text(key, partial(self._render_behind_reply, parts[0], part))
            )
        written = [segment for segment in segments if segment is not None]
        return written if len(written) == len(segments) else None

    def _locate_replies(
        self, chat: list[JSONObject], replies: Sequence[str], text: str, tools: Sequence[SeatTool]
    ) -> tuple[list[_ReplyPlace], bool]:
        """Return the places of sampled ids in the template's text, and whether all ids have one."""
        mark = _make_mark(text)
        for strip in (str, str.rstrip):  # many templates strip trailing spaces
            marked = [
                {**message, "content": strip(message["content"]) + mark}
                if message["role"] == "assistant"
                else message
                for message in chat
            ]
            pieces = self._apply_template(marked, tools).split(mark)
            if len(pieces) == len(replies) + 1 and "".join(pieces) == text:
                break
        else:
            return [], False
        places: list[_ReplyPlace] = []
        whole, begin, end = True, 0, 0
        for number, reply in enumerate(replies):
            end += len(pieces[number])
            ids = find_reply_ids(reply, self.tokenizer)
            if ids is None:
                whole = whole and text[begin:end].endswith(format_reply(reply).rstrip())
                continue
            left = self._match_last_ids(list(ids), text[begin:end])
            whole = whole and len(left) == len(ids)
            if left:
                places.append(_ReplyPlace(number, end - len(self._decode(left)), end, left))
                begin = end
        return places, whole

    def _match_last_ids(self, ids: list[int], text: str) -> list[int]:
        """Return the longest suffix of a reply's ids whose text ends `text`."""
        blank = len(ids)  # only blank or special tokens follow from here
        while blank and not self._decode(ids[blank - 1 :]).strip():
            blank -= 1
        for own in (ids, ids[:blank]):
            if self._decode(own) and text.endswith(self._decode(own)):
                return own
            low, high = 0, len(own)  # bounds of the number of omitted ids
            while low < high:
                middle = (low + high) // 2
                if text.endswith(self._decode(own[middle:])):
                    high = middle
                else:
                    low = middle + 1
            if self._decode(own[low:]):
                return own[low:]
        return []

    def _decode(self, ids: Sequence[int], special: bool = False) -> str:
        return str(self.tokenizer.decode(ids, skip_special_tokens=not special))

    def _encode_earlier_reply(self, reply: str) -> Callable[[Sequence[int]], list[int]]:
        """Return a function from the next token of the template to the ids of an earlier reply."""

        def encode(end: Sequence[int]) -> list[int]:
            ids = self.encode_reply(reply, end)
            return self._drop_thoughts(ids) if self.history == "drop_thoughts" else ids

        return encode

    def _drop_thoughts(self, ids: list[int]) -> list[int]:
        """Return the ids after the last thought; none if the whole reply is a thought."""
        text = self._decode(ids, special=True)
        count = text.count(_THOUGHT_END)
        if not count:
            return [] if _THOUGHT_START in text else ids
        low, high = 0, len(ids)  # search for the shortest prefix with all ends of thoughts
        while low < high:
            middle = (low + high) // 2
            if self._decode(ids[:middle], special=True).count(_THOUGHT_END) == count:
                high = middle
            else:
                low = middle + 1
        return ids[low:]

    def encode_reply(self, reply: str, end: Sequence[int] = ()) -> list[int]:
        """Return the sampled ids of a reply, or the ids of its text and the end of the turn.

        If the reply was cut after a tool call, its ids are the first of the sampled ids.

        Args:
            reply: The reply, with or without `token_ids`.
            end: The next token of the template, which is added after a text if it is special.
        """
        ids = find_reply_ids(reply, self.tokenizer)
        if ids is None:
            ids = self._find_first_ids(reply)
        if ids is not None:
            return list(ids)
        text = self.tokenizer(format_reply(reply), add_special_tokens=False)["input_ids"]
        return [*text, *(token for token in end if token in self._special_ids)]

    def _find_first_ids(self, reply: str) -> Sequence[int] | None:
        """Return the first sampled ids of a reply that spell its text, or None."""
        ids: Sequence[int] = getattr(reply, "token_ids", None) or ()
        low, high = 0, len(ids)
        try:
            while low < high:
                middle = (low + high) // 2
                if len(self._decode(ids[:middle])) >= len(reply):
                    high = middle
                else:
                    low = middle + 1
            return ids[:low] if ids and self._decode(ids[:low]) == str(reply) else None
        except (IndexError, TypeError, OverflowError):  # ids of another tokenizer
            return None

    def find_end_token(
        self, messages: Sequence[ChatMessage], tools: Sequence[SeatTool] = ()
    ) -> list[int]:
        """Return a list with the token that the template writes after a reply, or an empty one."""
        first = to_hf(_split_at_replies([*map(_flatten_reply, messages)])[0], pixels=False)
        mark = _make_mark(repr(first))
        chat = [*first, {"role": "assistant", "content": mark}]
        text = self._apply_template(chat, tools, generate=False)
        _, found, after = text.rpartition(mark)
        return self.tokenizer(after, add_special_tokens=False)["input_ids"][:1] if found else []

    def _apply_template(
        self, chat: list[JSONObject], tools: Sequence[SeatTool], generate: bool = True
    ) -> str:
        apply = partial(
            self.processor.apply_chat_template,
            tokenize=False,
            add_generation_prompt=generate,
            **({"tools": list(tools)} if tools else {}),
            **self.template,
        )
        try:
            return str(apply(chat))
        except _find_template_errors():
            if not any("tool_call_id" in message for message in chat):
                raise
            return str(apply([_shape_call_id(message) for message in chat]))

    def _render_behind_reply(
        self, first: Sequence[JSONObject], new: Sequence[JSONObject]
    ) -> str | None:
        def render(messages: Sequence[ChatMessage]) -> str:
            return self._apply_template(to_hf(messages, pixels=False), ())  # tools: first segment

        return render_behind_reply(render, first, new)

    def _cache_text(self, key: str, make: Callable[[], str | None]) -> str | None:
        digest = hashlib.blake2b(key.encode(errors="surrogatepass"), digest_size=16).digest()
        if digest not in self._texts:
            self._texts[digest] = make()
            if len(self._texts) > _MAX_CACHED_TEXTS:
                self._texts.popitem(last=False)
        return self._texts[digest]

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
        # As in apply_chat_template: tokenizers add no special tokens, processors add missing ones.
        special = first and self.processor is not self.tokenizer
        special = special and not (begin and text.startswith(begin))
        if not shown:
            return TokenizedPrompt(self.tokenizer(text, add_special_tokens=special)["input_ids"])
        if getattr(self.processor, "image_processor", None) is None:
            raise ValueError(
                f"a {type(self.processor).__name__} takes no pictures; use a vision-language model "
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


def render_behind_reply(
    render: Callable[[Sequence[ChatMessage]], str],
    first: Sequence[ChatMessage],
    new: Sequence[ChatMessage],
) -> str | None:
    """Return the text that a chat template writes after a reply, for the next messages.

    Args:
        render: Returns the template's text of messages, with the prompt of the next reply.
        first: The messages of a conversation before its first reply.
        new: The messages after one of its replies.

    Returns:
        The text, or None if the template omits a reply before other messages.
    """
    mark = _make_mark(repr((first, new)))
    told = [one for one in first if one["role"] != "system"]
    rules = [one["content"] for one in first if one["role"] == "system"]
    text = ""
    for before in (first, told):
        text = render([*before, {"role": "assistant", "content": mark}, *new])
        _, found, text = text.partition(mark)
        if not found:
            return None
        if not any(isinstance(one, str) and one.strip() and one.strip() in text for one in rules):
            break  # some templates move the rules to the last user message
    return text


def _make_mark(text: str) -> str:
    """Return a word that does not occur in a text."""
    mark = "gem-ma-reply"
    while mark in text:
        mark += "-x"
    return mark


def find_common_prefix(rows: Sequence[list[int]]) -> list[int]:
    """Return the longest common prefix of all rows."""
    low, high = min(rows), max(rows)
    apart = (i for i, (one, other) in enumerate(zip(low, high, strict=False)) if one != other)
    return low[: next(apart, len(low))]


def find_reply_ids(reply: str, tokenizer: Any) -> Sequence[int] | None:
    """Return the token ids of a reply if they belong to this tokenizer, or else None.

    The decoded ids must equal the reply's text. If a server also sent prompt ids, they may contain
    more, since servers remove thoughts, tool calls and end tokens from the text. Then they must
    contain the text, the thoughts and the names of the tool calls.
    """
    ids: Sequence[int] | None = getattr(reply, "token_ids", None)
    if ids is None:
        return None
    try:
        text = tokenizer.decode(ids, skip_special_tokens=True)
    except (IndexError, TypeError, OverflowError):
        return None
    if text == str(reply):
        return ids
    parts = [str(reply).strip(), *_list_taken_out(reply)]
    known = getattr(reply, "prompt_ids", None) and any(parts) and all(one in text for one in parts)
    return ids if known else None


def _list_taken_out(reply: str) -> list[str]:
    """Return the texts that a server removed from a reply: thoughts, and names of tool calls."""
    thoughts = (block.get("text") for block in getattr(reply, "thinking_blocks", ()))
    return [
        *(one.strip() for one in thoughts if isinstance(one, str)),
        *map(parse_call_name, getattr(reply, "tool_calls", ())),
    ]


def format_reply(reply: str) -> str:
    """Return a reply as text, with its native tool calls written out."""
    calls = getattr(reply, "tool_calls", None)
    if not calls or "<tool_call>" in reply:
        return str(reply)
    parts = [str(reply)] if reply else []
    for call in calls:
        try:
            arguments = parse_call_arguments(call)
        except ValueError:  # keep the model's invalid JSON as a string
            arguments = find_raw_arguments(call)
        one = json.dumps({"name": parse_call_name(call), "arguments": arguments})
        parts.append(f"<tool_call>\n{one}\n</tool_call>")
    return "\n".join(parts)


def _flatten_reply(message: ChatMessage) -> JSONObject:
    """Return a message; a reply becomes plain text without other data."""
    if message["role"] != "assistant":
        return dict(message)
    return {"role": "assistant", "content": format_reply(message["content"])}


def _find_template_errors() -> tuple[type[Exception], ...]:
    """Return the exceptions of chat templates, importing jinja2 only after an exception."""
    try:
        from jinja2 import TemplateError  # type: ignore[import-not-found, unused-ignore]
    except ImportError:  # then no template of transformers was used
        return ()
    return (TemplateError,)


def _shape_call_id(message: JSONObject) -> JSONObject:
    """Return a message with a call id as Mistral's templates require: nine letters or digits."""
    if "tool_call_id" not in message:
        return message
    letters = "".join(filter(str.isalnum, message["tool_call_id"]))
    return {**message, "tool_call_id": letters[-9:].rjust(9, "0")}


def _split_at_replies(messages: list[JSONObject]) -> list[list[JSONObject]]:
    """Return the lists of messages before, between and after the replies."""
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
