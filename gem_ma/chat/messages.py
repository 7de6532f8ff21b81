"""Conversion of conversations with pictures to the formats of APIs and libraries.

A conversation is a list of messages: {"role": "system" | "user" | "assistant" | "tool", "content":
a text or a sequence of texts and Pictures}. A message may also have "name", "tool_calls" (in
OpenAI's shape), "tool_call_id" and "thinking_blocks" (in the shape of their provider; only that
provider gets them back). Each function below takes a conversation, or the content of one user
message, and does not change it.

A picture is always a Picture, never a string. Open models mark the place of a picture by a string
such as `<image>` or `<|image_pad|>`. If a text of a game, player or model contains such a string,
it gets an extra space before its end: see `escape_placeholders` and `unescape_placeholders`.

Adjacent texts are joined by a newline, and empty texts are omitted. If a format does not allow
pictures in tool messages, they follow in a user message after the texts of the tools.
"""

from __future__ import annotations

import importlib
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from gem_ma.engine.action_parsing import (
    find_raw_arguments,
    parse_call_arguments,
    parse_call_name,
    replace_surrogates,
)
from gem_ma.renderers.picture import Picture as Picture
from gem_ma.validation.arguments import check_each, check_type

ContentPart: TypeAlias = str | Picture
MessageContent: TypeAlias = str | Sequence[ContentPart]
ChatMessage: TypeAlias = Mapping[str, Any]
ChatInput: TypeAlias = Sequence[ChatMessage] | MessageContent


class ToolOutput(str):
    """The text output of a tool, with the pictures that belong to it."""

    pictures: tuple[Picture, ...]

    def __new__(cls, text: str, pictures: Sequence[Picture] = ()) -> ToolOutput:
        """Return the text with its pictures."""
        quoted = super().__new__(cls, text)
        quoted.pictures = tuple(pictures)
        return quoted


def find_tool_pictures(text: str) -> tuple[Picture, ...]:
    """Return the pictures of a tool's output; empty for a plain str."""
    return text.pictures if isinstance(text, ToolOutput) else ()


MESSAGE_ROLES = ("system", "user", "assistant", "tool")

# Strings that processors of open models and verl read as the place of a picture, video or sound.
_PLACEHOLDER_NAMES = (
    "image|images|img|/img|video|audio|img_context|image_soft_token|start_of_image|end_of_image"
    "|audio_soft_token|image_placeholder|fake_token_around_image|global-img"
    r"|\|image|image\||\|video|video\||\|audio|audio\||\|image\||\|video\||\|audio\|"
    r"|\|(?:image|video|audio|vision|media)_(?:pad|start|end|begin|content|\d+)\|"
    r"|\|(?:begin|end)_of_(?:image|video|audio)\|"
)
_PLACEHOLDER = re.compile(
    rf"(<(?:{_PLACEHOLDER_NAMES})|\[(?:img|img_break|img_end|audio))( *)([>\]])", re.I
)


def escape_placeholders(text: str) -> str:
    """Add a space before the end of each string that open models read as a picture."""
    if "<" not in text and "[" not in text:
        return text
    return _PLACEHOLDER.sub(r"\1\2 \3", text)


def unescape_placeholders(text: str) -> str:
    """Return the original text of a text from `escape_placeholders`."""
    return _PLACEHOLDER.sub(lambda found: f"{found[1]}{found[2][1:]}{found[3]}", text)


def make_content(observation: Mapping[str, Any], alt: str = "") -> tuple[ContentPart, ...]:
    """Return the content parts of an observation with "text" and/or "image", pictures first.

    Models are trained with pictures before the question, and vendors recommend it. The image is an
    array, which gets the alt text `alt`, or one or several Pictures with their own alt texts.
    """
    check_type(observation, Mapping, "observation")
    image, text = observation.get("image"), observation.get("text")
    parts: list[ContentPart] = list(find_observation_pictures(observation))
    if image is not None and not parts:
        parts.append(Picture.from_array(image, alt))
    if text:
        parts.append(str(text))
    return tuple(parts)


def find_observation_pictures(observation: Mapping[str, Any]) -> tuple[Picture, ...]:
    """Return the Pictures of an observation: none, one, or one for each separate panel."""
    check_type(observation, Mapping, "observation")
    image = observation.get("image")
    pictures = image if isinstance(image, tuple) else (image,)
    return pictures if all(isinstance(one, Picture) for one in pictures) else ()


def list_pictures(messages: ChatInput) -> list[Picture]:
    """Return the pictures in their order in all formats except those of vendors' APIs."""
    return [
        part
        for _, parts in _adapt_for_models(messages)
        for part in parts
        if isinstance(part, Picture)
    ]


def to_openai_chat(
    messages: ChatInput, *, detail: str = "auto", uuids: bool = False
) -> list[dict[str, Any]]:
    """Return messages for Chat Completions of OpenAI or of a compatible server.

    Args:
        messages: A conversation, or the content of one user message.
        detail: The resolution at which OpenAI's models read pictures: "auto", "low" or "high".
        uuids: Whether to add a key to each picture, by which vLLM caches the processed picture.
    """

    def make_picture_block(part: Picture) -> dict[str, Any]:
        image = {"url": part.data_uri, "detail": detail}
        return {"type": "image_url", "image_url": image} | ({"uuid": part.key} if uuids else {})

    return [
        _make_message(
            message,
            _make_blocks(_check_pictures_allowed(message, parts), make_picture_block),
            arguments=json.dumps,
        )
        for message, parts in _adapt_for_models(messages)
    ]


def to_openai_responses(messages: ChatInput, *, detail: str = "auto") -> list[dict[str, Any]]:
    """Return the input items of OpenAI's Responses API, which do not support a "name"."""

    def make_picture_block(part: Picture) -> dict[str, Any]:
        return {"type": "input_image", "image_url": part.data_uri, "detail": detail}

    items: list[dict[str, Any]] = []
    for message, parts in _normalize_messages(messages):
        role = message["role"]
        shaped = _make_blocks(
            [_escape_part(part) for part in parts], make_picture_block, text="input_text"
        )
        if role == "tool":
            call = {"type": "function_call_output", "call_id": message["tool_call_id"]}
            items.append({**call, "output": shaped})
            continue
        _check_pictures_allowed(message, parts)
        items += _select_thinking(message, "reasoning")
        if shaped or not message.get("tool_calls"):
            items.append({"role": role, "content": shaped})
        for call_id, name, arguments in _parse_calls(message):
            call = {"type": "function_call", "call_id": call_id, "name": name}
            items.append({**call, "arguments": escape_placeholders(json.dumps(arguments))})
    return items


def to_anthropic(messages: ChatInput) -> tuple[str, list[dict[str, Any]]]:
    """Return the system prompt and the messages for Anthropic's Messages API.

    Thinking blocks are included if they are signed and other content follows. Consecutive messages
    of one side are merged, as the API requires for tool results. A "name" is not supported. Texts
    are not escaped, since no string marks a picture in this API.
    """

    def make_picture_block(part: Picture) -> dict[str, Any]:
        source = {"type": "base64", "media_type": "image/png", "data": part.base64}
        return {"type": "image", "source": source}

    system: list[str] = []
    out: list[dict[str, Any]] = []
    for message, parts in _normalize_messages(messages):
        _check_pictures_allowed(message, parts, tools=True)
        if message["role"] == "system":
            system += [part for part in parts if isinstance(part, str)]
            continue
        blocks = _make_blocks(parts, make_picture_block, always=True)
        if message["role"] == "tool":
            result = {"type": "tool_result", "tool_use_id": message["tool_call_id"]}
            blocks = [{**result, "content": blocks}]
        for call_id, name, arguments in _parse_calls(message):
            blocks.append({"type": "tool_use", "id": call_id, "name": name, "input": arguments})
        if blocks:
            blocks = _select_thinking(message, "thinking", "redacted_thinking") + blocks
        role = "assistant" if message["role"] == "assistant" else "user"
        if out and out[-1]["role"] == role:
            out[-1]["content"] += blocks
        elif blocks:
            out.append({"role": role, "content": blocks})
    return "\n\n".join(system), out


def to_gemini(messages: ChatInput) -> tuple[str, list[dict[str, Any]]]:
    """Return the system instruction and the contents for Google's Gemini API, as JSON values.

    Consecutive contents of one side are merged, as the API requires for tool results. Pictures of
    tools follow all results. The signature of a thought is sent back with its call; it is read from
    `extra_content.google.thought_signature`, as in Google's OpenAI-compatible servers. The "name"
    of a speaker is not supported. Texts are not escaped, since no string marks a picture in this
    API.
    """
    system: list[str] = []
    out: list[dict[str, Any]] = []
    names: dict[str, str] = {}  # from the id of a call to its function
    for message, parts in _adapt_for_models(messages, escape=False):
        _check_pictures_allowed(message, parts)
        if message["role"] == "system":
            system += [part for part in parts if isinstance(part, str)]
            continue
        blocks: list[dict[str, Any]] = [
            {"inlineData": {"mimeType": "image/png", "data": part.base64}}
            if isinstance(part, Picture)
            else {"text": part}
            for part in parts
        ]
        if message["role"] == "tool":
            identity = message["tool_call_id"]
            text = "".join(block.get("text", "") for block in blocks)
            name = message.get("name") or names.get(identity, "")
            answer = {"id": identity} if identity else {}
            answer |= {"name": name, "response": {"output": text}}
            blocks = [{"functionResponse": answer}]
        for call, (identity, name, arguments) in zip(
            message.get("tool_calls") or (), _parse_calls(message), strict=True
        ):
            names[identity] = name
            made = {"id": identity} if identity else {}
            block = {"functionCall": {**made, "name": name, "args": arguments}}
            signature = _find_thought_signature(call)
            blocks.append(block | ({"thoughtSignature": signature} if signature else {}))
        role = "model" if message["role"] == "assistant" else "user"
        if out and out[-1]["role"] == role:
            out[-1]["parts"] += blocks
        elif blocks:
            out.append({"role": role, "parts": blocks})
    return "\n\n".join(system), out


def to_hf(messages: ChatInput, *, pixels: bool = True) -> list[dict[str, Any]]:
    """Return messages for `processor.apply_chat_template` of transformers.

    Args:
        messages: A conversation, or the content of one user message.
        pixels: Whether to include the pictures; if False, only their places are marked, which is
            enough for the text of the template.
    """

    def make_picture_block(part: Picture) -> dict[str, Any]:
        return {"type": "image", "image": part.to_pil()} if pixels else {"type": "image"}

    return [
        _make_message(message, _make_blocks(parts, make_picture_block))
        for message, parts in _adapt_for_models(messages)
    ]


def to_trl_row(messages: ChatInput) -> dict[str, Any]:
    """Return a dataset row for TRL's trainers, with "prompt" and "images".

    Every content is a list, because an Arrow column has one type.
    """
    prompt = [
        _make_message(message, _make_blocks(parts, lambda _: {"type": "image"}, always=True))
        for message, parts in _adapt_for_models(messages)
    ]
    return {"prompt": prompt, "images": [picture.to_pil() for picture in list_pictures(messages)]}


def to_verl_row(messages: ChatInput) -> dict[str, Any]:
    """Return a dataset row for verl: "prompt" with `<image>` for each picture, and "images"."""
    prompt = [
        _make_message(
            message, "".join("<image>" if isinstance(part, Picture) else part for part in parts)
        )
        for message, parts in _adapt_for_models(messages)
    ]
    return {
        "prompt": prompt,
        "images": [{"bytes": picture.png} for picture in list_pictures(messages)],
    }


def to_vllm(prompt: str | Sequence[int], messages: ChatInput) -> dict[str, Any]:
    """Return a prompt for a vLLM engine in this process.

    Args:
        prompt: The result of `apply_chat_template` for `to_hf(messages)`, as text or token ids.
        messages: The conversation, whose pictures are added.
    """
    name = "prompt" if isinstance(prompt, str) else "prompt_token_ids"
    out: dict[str, Any] = {name: prompt if isinstance(prompt, str) else list(prompt)}
    if found := list_pictures(messages):
        out["multi_modal_data"] = {"image": [picture.to_pil() for picture in found]}
        out["multi_modal_uuids"] = {"image": [picture.key for picture in found]}
    return out


def to_mcp(content: MessageContent) -> list[dict[str, Any]]:
    """Return the content of a tool result for the Model Context Protocol, without escaping."""

    def make_picture_block(part: Picture) -> dict[str, Any]:
        return {"type": "image", "data": part.base64, "mimeType": "image/png"}

    blocks: list[dict[str, Any]] = _make_blocks(
        _merge_parts(content), make_picture_block, always=True
    )
    return blocks


def make_dataset_features(shape: str = "trl") -> Any:
    """Return datasets.Features for rows of `to_trl_row` ("trl") or `to_verl_row` ("verl").

    They cover roles, contents and pictures. Rows with tool calls need additional columns.
    """
    try:
        datasets = importlib.import_module("datasets")
    except ImportError as error:
        raise ImportError("data sets need datasets: pip install 'gem-ma[datasets]'") from error
    text = datasets.Value("string")
    contents = {"trl": datasets.List({"type": text, "text": text}), "verl": text}
    if shape not in contents:
        raise ValueError(f"shape={shape!r}: expected {' or '.join(map(repr, contents))}")
    return datasets.Features(
        {
            "prompt": datasets.List({"role": text, "content": contents[shape]}),
            "images": datasets.List(datasets.Image()),
        }
    )


def keep_images(
    messages: Sequence[ChatMessage], last: int | None = None, *, dedup: bool = False
) -> list[ChatMessage]:
    """Return a conversation with alt texts in place of all but the last pictures.

    Args:
        messages: The conversation, which is not changed.
        last: The number of pictures to keep; None: all.
        dedup: Whether to keep only the last of equal pictures, counted once.
    """
    if last is not None and last < 0:
        raise ValueError(f"last={last}: expected 0 or more, or None for all pictures")
    seen: set[str] = set()
    kept = 0
    out: list[ChatMessage] = []
    for message in reversed([*check_each(messages, Mapping, "messages")]):
        value = message.get("content")
        if value is None or isinstance(value, str):
            out.append(message)
            continue
        value = [value] if isinstance(value, Picture) else list(value)
        parts: list[ContentPart] = []
        for part in reversed(value):
            if isinstance(part, Picture):
                if (last is not None and kept >= last) or (dedup and part.key in seen):
                    parts.append(describe_picture(part))
                    continue
                kept += 1
                if dedup:
                    seen.add(part.key)
            parts.append(part)
        parts.reverse()
        out.append(message if parts == value else {**message, "content": tuple(parts)})
    out.reverse()
    return out


def describe_picture(picture: Picture) -> str:
    """Return the text that replaces an omitted picture."""
    check_type(picture, Picture, "picture")
    return f"[picture: {picture.alt}]" if picture.alt else "[picture]"


def _escape_part(part: ContentPart) -> ContentPart:
    return part if isinstance(part, Picture) else escape_placeholders(part)


def _merge_parts(content: Any) -> list[ContentPart]:
    """Return the parts in order, without empty texts and with adjacent texts joined."""
    parts: list[ContentPart] = []
    for part in [content] if isinstance(content, str | Picture) else content or ():
        if isinstance(part, Picture):
            parts.append(part)
        elif not isinstance(part, str):
            raise TypeError(f"content must be made of str and Picture, got {type(part).__name__}")
        elif part:
            text = str(part)  # a plain str even for a Reply
            if not text.isascii():
                text = replace_surrogates(text)
            if parts and isinstance(parts[-1], str):
                parts[-1] = f"{parts[-1]}\n{text}"
            else:
                parts.append(text)
    return parts


def _normalize_messages(messages: ChatInput) -> list[tuple[ChatMessage, list[ContentPart]]]:
    """Return each message with its parts; bare content becomes a user message."""
    if isinstance(messages, str | Picture) or any(isinstance(m, str | Picture) for m in messages):
        return [({"role": "user"}, _merge_parts(messages))]
    out: list[tuple[ChatMessage, list[ContentPart]]] = []
    for message in messages:
        if not isinstance(message, Mapping):
            raise TypeError(f"a message must be a mapping, got {type(message).__name__}")
        if message.get("role") not in MESSAGE_ROLES:
            raise ValueError(
                f"role must be one of {', '.join(MESSAGE_ROLES)}, got {message.get('role')!r}"
            )
        out.append((message, _merge_parts(message.get("content"))))
    return out


def _select_thinking(message: ChatMessage, *kinds: str) -> list[Any]:
    """Return the thinking blocks that a provider accepts: of its kinds, and signed by it."""
    return [
        block
        for block in message.get("thinking_blocks") or ()
        if block.get("type") in kinds
        and any(block.get(name) for name in ("signature", "data", "encrypted_content"))
    ]


def _find_thought_signature(call: Any) -> str | None:
    """Return Google's thought signature of a tool call, or None."""
    found = call
    for name in ("extra_content", "google", "thought_signature"):
        found = found.get(name) if isinstance(found, Mapping) else None
    return found if isinstance(found, str) else None


def _adapt_for_models(
    messages: ChatInput, *, escape: bool = True
) -> list[tuple[ChatMessage, list[ContentPart]]]:
    """Return messages for open models: escaped texts, and tools' pictures in user messages."""
    out: list[tuple[ChatMessage, list[ContentPart]]] = []
    held: list[ContentPart] = []
    for message, parts in _normalize_messages(messages):
        if message["role"] == "tool":
            held += [part for part in parts if isinstance(part, Picture)]
            parts = _merge_parts(
                [describe_picture(p) if isinstance(p, Picture) else p for p in parts]
            )
        elif held:
            # Templates may require that user and assistant alternate, so the pictures join the
            # next user message if there is one.
            if message["role"] == "user":
                parts = held + parts
            else:
                out.append(({"role": "user"}, held))
            held = []
        out.append((message, [_escape_part(part) for part in parts] if escape else parts))
    if held:
        out.append(({"role": "user"}, held))
    return out


def _check_pictures_allowed(
    message: ChatMessage, parts: list[ContentPart], tools: bool = False
) -> list[ContentPart]:
    """Return the parts, or raise ValueError for a picture in a role that APIs refuse."""
    allowed = message["role"] == "user" or (tools and message["role"] == "tool")
    if not allowed and any(isinstance(part, Picture) for part in parts):
        raise ValueError(
            f"a message of role {message['role']!r} cannot hold a picture; put the picture into a "
            "message of role 'user'"
        )
    return parts


def _make_blocks(
    parts: list[ContentPart],
    picture: Callable[[Picture], dict[str, Any]],
    *,
    text: str = "text",
    always: bool = False,
) -> Any:
    """Return the parts as typed blocks, or as one str if all are texts and not `always`."""
    if not always and not any(isinstance(part, Picture) for part in parts):
        return parts[0] if parts else ""
    return [
        picture(part) if isinstance(part, Picture) else {"type": text, "text": part}
        for part in parts
    ]


def _make_message(
    message: ChatMessage, content: Any, arguments: Callable[[Any], Any] | None = None
) -> dict[str, Any]:
    """Return a message in OpenAI's chat format, which templates of open models share."""
    out: dict[str, Any] = {"role": message["role"], "content": content}
    out |= {
        name: message[name] for name in ("name", "tool_call_id") if message.get(name) is not None
    }
    if message.get("tool_calls"):
        out["tool_calls"] = []
        for call_id, name, given in _parse_calls(message):
            safe = json.loads(escape_placeholders(json.dumps(given)))
            function = {"name": name, "arguments": arguments(safe) if arguments else safe}
            identity = {"id": call_id} if call_id else {}
            out["tool_calls"].append({**identity, "type": "function", "function": function})
    return out


def _parse_calls(message: ChatMessage) -> Iterable[tuple[str, str, dict[str, Any]]]:
    """Yield id, name and arguments of each tool call; arguments always become a JSON object."""
    for call in message.get("tool_calls") or ():
        try:
            arguments = parse_call_arguments(call)
        except ValueError:  # broken JSON of a model must not end the conversation
            arguments = find_raw_arguments(call)
        if not isinstance(arguments, dict):
            arguments = {"arguments": arguments}
        yield (
            call.get("id", "") if isinstance(call, Mapping) else "",
            parse_call_name(call),
            arguments,
        )
