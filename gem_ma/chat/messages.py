"""Pictures and texts in the shape each consumer wants.

A conversation is a list of messages: {"role": "system" | "user" | "assistant" | "tool", "content":
a text or a sequence of texts and Pictures} and, where there is one, "name", "tool_calls" (in
OpenAI's shape) and "tool_call_id". Every function below takes a conversation, or only the content
of one user message, and leaves it as it is.

A picture is a Picture: no string ever stands for one here. Consumers who run an open model write a
string such as <image> or <|image_pad|> where a picture belongs, so for them the same spelling in a
text (a game's, a player's, a model's) gets one space more before its end: `escape` and `unescape`.

Texts next to each other are joined by a newline and empty ones are left out. Where the consumer
takes no pictures from tools, they follow in a message of the user, after the tools' texts.
"""

from __future__ import annotations

import importlib
import json
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
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
    """What a tool says, with pictures that belong to it; where there are none it is the words."""

    pictures: tuple[Picture, ...]

    def __new__(cls, text: str, pictures: Sequence[Picture] = ()) -> ToolOutput:
        """Return the words with the pictures."""
        shown = super().__new__(cls, text)
        shown.pictures = tuple(pictures)
        return shown


def find_tool_pictures(text: str) -> tuple[Picture, ...]:
    """Return the pictures that belong to what a tool said, mostly none."""
    return text.pictures if isinstance(text, ToolOutput) else ()


MESSAGE_ROLES = ("system", "user", "assistant", "tool")

# What the processors of open models, and verl, read as a place for a picture, video or sound.
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
    """Put one space more before the end of whatever an open model could take for a picture."""
    return _PLACEHOLDER.sub(r"\1\2 \3", text)


def unescape_placeholders(text: str) -> str:
    """Return the text that `escape` was given."""
    return _PLACEHOLDER.sub(lambda found: f"{found[1]}{found[2][1:]}{found[3]}", text)


def make_content(observation: Mapping[str, Any], alt: str = "") -> tuple[ContentPart, ...]:
    """Return the parts of an observation with "text" and/or "image": pictures, then the text.

    Models are trained on pictures before the question, and vendors advise it. The image is an
    array, or a Picture or several already, which keep their own alt text.
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
    """Return the Pictures of an observation: one, none, or where panels are apart, several."""
    check_type(observation, Mapping, "observation")
    image = observation.get("image")
    found = image if isinstance(image, tuple) else (image,)
    return found if all(isinstance(one, Picture) for one in found) else ()


def list_pictures(messages: ChatInput) -> list[Picture]:
    """Return the pictures in the order in which every consumer but the vendors gets them."""
    return [
        part
        for _, parts in _adapt_for_models(messages)
        for part in parts
        if isinstance(part, Picture)
    ]


def to_openai_chat(
    messages: ChatInput, *, detail: str = "auto", uuids: bool = False
) -> list[dict[str, Any]]:
    """Return messages for Chat Completions, OpenAI's or a server's that speaks the same.

    uuids: add the pictures' keys as vLLM wants them, so that it caches what it made of each.
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
    """Return the input items of OpenAI's Responses; they have no place for a "name"."""

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
        if shaped or not message.get("tool_calls"):
            items.append({"role": role, "content": shaped})
        for call_id, name, arguments in _parse_calls(message):
            call = {"type": "function_call", "call_id": call_id, "name": name}
            items.append({**call, "arguments": escape_placeholders(json.dumps(arguments))})
    return items


def to_anthropic(messages: ChatInput) -> tuple[str, list[dict[str, Any]]]:
    """Return the system prompt and the messages for Anthropic's Messages.

    Messages of one side after each other become one, as results of tools have to. There is no place
    for a "name". Texts are as they are: no string stands for a picture there.
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
        role = "assistant" if message["role"] == "assistant" else "user"
        if out and out[-1]["role"] == role:
            out[-1]["content"] += blocks
        elif blocks:
            out.append({"role": role, "content": blocks})
    return "\n\n".join(system), out


def to_hf(messages: ChatInput, *, pixels: bool = True) -> list[dict[str, Any]]:
    """Return messages for processor.apply_chat_template of transformers.

    pixels: False marks the places of pictures only, for whoever wants the text of the template.
    """

    def make_picture_block(part: Picture) -> dict[str, Any]:
        return {"type": "image", "image": part.to_pil()} if pixels else {"type": "image"}

    return [
        _make_message(message, _make_blocks(parts, make_picture_block))
        for message, parts in _adapt_for_models(messages)
    ]


def to_trl_row(messages: ChatInput) -> dict[str, Any]:
    """Return a row of a data set for TRL's trainers: "prompt" and "images".

    Every content is a list, as a column of Arrow has one type.
    """
    prompt = [
        _make_message(message, _make_blocks(parts, lambda _: {"type": "image"}, always=True))
        for message, parts in _adapt_for_models(messages)
    ]
    return {"prompt": prompt, "images": [picture.to_pil() for picture in list_pictures(messages)]}


def to_verl_row(messages: ChatInput) -> dict[str, Any]:
    """Return a row of a data set for verl: a "prompt" with <image> in it, and "images"."""
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
    """Return a prompt for vLLM in this process.

    prompt: what apply_chat_template made of `hf(messages)`, as a text or as the numbers of tokens.
    """
    name = "prompt" if isinstance(prompt, str) else "prompt_token_ids"
    out: dict[str, Any] = {name: prompt if isinstance(prompt, str) else list(prompt)}
    if found := list_pictures(messages):
        out["multi_modal_data"] = {"image": [picture.to_pil() for picture in found]}
        out["multi_modal_uuids"] = {"image": [picture.key for picture in found]}
    return out


def to_mcp(content: MessageContent) -> list[dict[str, Any]]:
    """Return the content of a tool's result for the Model Context Protocol, texts as they are."""

    def make_picture_block(part: Picture) -> dict[str, Any]:
        return {"type": "image", "data": part.base64, "mimeType": "image/png"}

    blocks: list[dict[str, Any]] = _make_blocks(
        _merge_parts(content), make_picture_block, always=True
    )
    return blocks


def make_dataset_features(shape: str = "trl") -> Any:
    """Return datasets.Features for the rows of `trl_row` or of `verl_row`.

    They hold roles, contents and pictures; rows with tool calls need columns of their own.
    """
    try:
        datasets = importlib.import_module("datasets")
    except ImportError as error:
        raise ImportError("data sets need datasets: pip install 'gem-ma[datasets]'") from error
    text = datasets.Value("string")
    contents = {"trl": datasets.List({"type": text, "text": text}), "verl": text}
    if shape not in contents:
        raise ValueError(f"shape is {' or '.join(map(repr, contents))}, and not {shape!r}")
    return datasets.Features(
        {
            "prompt": datasets.List({"role": text, "content": contents[shape]}),
            "images": datasets.List(datasets.Image()),
        }
    )


def keep_images(
    messages: Sequence[ChatMessage], last: int | None = None, *, dedup: bool = False
) -> list[ChatMessage]:
    """Return the conversation with the alt text in place of all pictures but the last few.

    last: how many pictures stay; None for all.
    dedup: of equal pictures only the last one stays, and counts.
    """
    if last is not None and last < 0:
        raise ValueError(f"last is a number of pictures, and not {last}")
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
    """Return what stands for a picture that is left out."""
    check_type(picture, Picture, "picture")
    return f"[picture: {picture.alt}]" if picture.alt else "[picture]"


def _escape_part(part: ContentPart) -> ContentPart:
    return part if isinstance(part, Picture) else escape_placeholders(part)


def _merge_parts(content: Any) -> list[ContentPart]:
    """Return the parts in order, no text empty and no two texts next to each other."""
    parts: list[ContentPart] = []
    for part in [content] if isinstance(content, str | Picture) else content or ():
        if isinstance(part, Picture):
            parts.append(part)
        elif not isinstance(part, str):
            raise TypeError(f"content is made of str and Picture, and not of {type(part).__name__}")
        elif part:
            text = str(part)  # a plain str, also of a Reply
            if not text.isascii():
                text = replace_surrogates(text)
            if parts and isinstance(parts[-1], str):
                parts[-1] = f"{parts[-1]}\n{text}"
            else:
                parts.append(text)
    return parts


def _normalize_messages(messages: ChatInput) -> list[tuple[ChatMessage, list[ContentPart]]]:
    """Return each message with its parts; bare content is a message of the user."""
    if isinstance(messages, str | Picture) or any(isinstance(m, str | Picture) for m in messages):
        return [({"role": "user"}, _merge_parts(messages))]
    out: list[tuple[ChatMessage, list[ContentPart]]] = []
    for message in messages:
        if not isinstance(message, Mapping):
            raise TypeError(f"a message is a mapping, and not a {type(message).__name__}")
        if message.get("role") not in MESSAGE_ROLES:
            raise ValueError(
                f"role is one of {', '.join(MESSAGE_ROLES)}, and not {message.get('role')!r}"
            )
        out.append((message, _merge_parts(message.get("content"))))
    return out


def _adapt_for_models(messages: ChatInput) -> list[tuple[ChatMessage, list[ContentPart]]]:
    """Return the messages for open models: texts escaped, pictures of tools moved to the user."""
    out: list[tuple[ChatMessage, list[ContentPart]]] = []
    held: list[ContentPart] = []
    for message, parts in _normalize_messages(messages):
        if message["role"] == "tool":
            held += [part for part in parts if isinstance(part, Picture)]
            parts = _merge_parts(
                [describe_picture(p) if isinstance(p, Picture) else p for p in parts]
            )
        elif held:
            # Templates may want user and assistant to alternate, so no message of its own if there
            # is one to join.
            if message["role"] == "user":
                parts = held + parts
            else:
                out.append(({"role": "user"}, held))
            held = []
        out.append((message, [_escape_part(part) for part in parts]))
    if held:
        out.append(({"role": "user"}, held))
    return out


def _check_pictures_allowed(
    message: ChatMessage, parts: list[ContentPart], tools: bool = False
) -> list[ContentPart]:
    """Return the parts, unless there is a picture where the vendors' APIs refuse one."""
    allowed = message["role"] == "user" or (tools and message["role"] == "tool")
    if not allowed and any(isinstance(part, Picture) for part in parts):
        raise ValueError(f"a picture in a message of role {message['role']!r}: give it to the user")
    return parts


def _make_blocks(
    parts: list[ContentPart],
    picture: Callable[[Picture], dict[str, Any]],
    *,
    text: str = "text",
    always: bool = False,
) -> Any:
    """Return the parts as typed blocks, or as one str if there are texts only and not `always`."""
    if not always and not any(isinstance(part, Picture) for part in parts):
        return parts[0] if parts else ""
    return [
        picture(part) if isinstance(part, Picture) else {"type": text, "text": part}
        for part in parts
    ]


def _make_message(
    message: ChatMessage, content: Any, arguments: Callable[[Any], Any] | None = None
) -> dict[str, Any]:
    """Return a message in the shape that OpenAI's chat began and open models' templates share."""
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
    """Yield id, name and arguments of each tool call; what is no JSON object becomes one."""
    for call in message.get("tool_calls") or ():
        try:
            given = parse_call_arguments(call)
        except ValueError:  # models write broken JSON, and the conversation goes on
            given = find_raw_arguments(call)
        if not isinstance(given, dict):
            given = {"arguments": given}
        yield call.get("id", "") if isinstance(call, Mapping) else "", parse_call_name(call), given


# Side of a square that becomes one token; least and most pixels: the defaults of the processors.
_QWEN_LIMITS = {
    "qwen2-vl": (28, 56 * 56, 28 * 28 * 1280),
    "qwen2.5-vl": (28, 56 * 56, 28 * 28 * 1280),
    "qwen3-vl": (32, 65_536, 16_777_216),
}
_FIXED_SIZES = {"llava-1.5": (336, 576), "gemma-3": (896, 256)}  # side, tokens
_CLAUDE_LIMITS = {"claude": (1568, 1568), "claude-4.7": (2576, 4784)}  # longest side, most tokens
# Tokens of every picture, and of each tile of 512 pixels. OpenAI's guide "Images and vision",
# "Calculating costs": platform.openai.com/docs/guides/images-vision#calculating-costs; the same in
# github.com/srinathmkce/imagetoken, image_token/config.py. Its billing of gpt-4.1 agrees:
# community.openai.com/t/gpt-4-1-vision-price-calculations-incorrect-billing-on-full-model/1230130
_TILE_TOKENS = {"gpt-4o": (85, 170), "gpt-4.1": (85, 170), "gpt-5": (70, 140)}
# Tokens of a patch of 32 pixels, of which there are at most 1536: the same guide. For gpt-5-mini
# users measured 1.2 (OpenAI Developer Community, "GPT-5-mini image input token calculation
# discrepancy", June 2026); the larger number of the guide stands here.
_PATCH_FACTORS = {
    "gpt-4.1-mini": 1.62,
    "gpt-4.1-nano": 2.46,
    "gpt-5-mini": 1.62,
    "gpt-5-nano": 2.46,
    "o4-mini": 1.72,
}
_MAX_PATCHES = 1536
# Gemini 2: 258 tokens up to 384 pixels a side, and for each tile of 768 pixels of what is larger:
# ai.google.dev/gemini-api/docs/tokens, "Multimodal tokens". Gemini 3: by media_resolution and not
# by size: ai.google.dev/gemini-api/docs/gemini-3 and /media-resolution, high unless it is said.
_GEMINI_TILE, _GEMINI_SMALL, _GEMINI_SIDE = 258, 384, 768
_GEMINI_3 = {"low": 280, "medium": 560, "high": 1120}
_GEMINI = "gemini-2", "gemini-3"
MODEL_FAMILIES = (
    *_QWEN_LIMITS,
    *_FIXED_SIZES,
    "internvl",
    *_TILE_TOKENS,
    *_PATCH_FACTORS,
    *_CLAUDE_LIMITS,
    *_GEMINI,
)


def count_image_tokens(
    width: int,
    height: int,
    family: str,
    *,
    min_pixels: int | None = None,
    max_pixels: int | None = None,
    detail: str = "high",
) -> int:
    """Return how many tokens a picture becomes, without those around it such as its start and end.

    family: one of FAMILIES. The Qwen, LLaVA, Gemma and InternVL families follow their processors to
        the token. Those of OpenAI, Anthropic and Google follow what the vendors publish: exact for
        pictures within the limits, and approximate for larger ones, where the vendors' rounding
        counts. "claude" is the standard resolution, "claude-4.7" the high one since then.
    min_pixels, max_pixels: of the Qwen families, if the checkpoint's preprocessor_config.json says
        something else than the defaults of transformers: Qwen2-VL's own has 12,845,056 at most.
    detail: "low" for OpenAI's low detail; "low", "medium" or "high" for the media resolution of
        "gemini-3".
    """
    width, height = _compute_seen_size(width, height, family, min_pixels, max_pixels, detail)
    if family in _QWEN_LIMITS:
        return (width // _QWEN_LIMITS[family][0]) * (height // _QWEN_LIMITS[family][0])
    if family in _FIXED_SIZES:
        return _FIXED_SIZES[family][1]
    if family == "internvl":
        tiles = (width // 448) * (height // 448)
        return 256 * (tiles + (tiles > 1))  # several tiles come with the whole picture as one more
    return _count_vendor_tokens(width, height, family, detail)


def _count_vendor_tokens(width: int, height: int, family: str, detail: str) -> int:
    """Return the tokens of a picture of the size that is seen, as the vendors publish them."""
    if family in _TILE_TOKENS:
        base, tile = _TILE_TOKENS[family]
        tiles = math.ceil(width / 512) * math.ceil(height / 512)
        return base if detail == "low" else base + tile * tiles
    if family in _PATCH_FACTORS:
        return math.ceil(_PATCH_FACTORS[family] * _count_patches(width, height, 32))
    if family == "gemini-2":
        tiles = math.ceil(width / _GEMINI_SIDE) * math.ceil(height / _GEMINI_SIDE)
        return _GEMINI_TILE * tiles
    if family == "gemini-3":
        if detail not in _GEMINI_3:
            raise ValueError(f"detail={detail!r}: expected {', '.join(_GEMINI_3)} for {family}")
        return _GEMINI_3[detail]
    return _count_patches(width, height)


def snap_image_size(
    width: int,
    height: int,
    family: str,
    *,
    min_pixels: int | None = None,
    max_pixels: int | None = None,
) -> tuple[int, int]:
    """Return the size nearest to this one that the family takes pixel by pixel, not resampled.

    InternVL takes it so in its tiles; the thumbnail beside them is smaller always.
    """
    return _compute_seen_size(width, height, family, min_pixels, max_pixels)


def _compute_seen_size(
    width: int,
    height: int,
    family: str,
    min_pixels: int | None = None,
    max_pixels: int | None = None,
    detail: str = "high",
) -> tuple[int, int]:
    """Return the size that a model of the family sees; a size that comes out stays when put in."""
    if width < 1 or height < 1:
        raise ValueError(f"a picture has at least one pixel, and not {width} x {height}")
    if family not in MODEL_FAMILIES:
        near = get_close_matches(str(family).lower(), MODEL_FAMILIES, 1, 0.3)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise ValueError(f"unknown family {family!r}; {hint}known: {', '.join(MODEL_FAMILIES)}")
    if family in _QWEN_LIMITS:
        unit, least, most = _QWEN_LIMITS[family]
        least = least if min_pixels is None else min_pixels
        most = most if max_pixels is None else max_pixels
        if not (least >= 0 and most >= 1):
            raise ValueError(f"min_pixels={least}, max_pixels={most}: expected 0 and 1, or more")
        return _round_to_units(width, height, unit, least, most)
    if min_pixels is not None or max_pixels is not None:
        raise ValueError(
            f"min_pixels and max_pixels are for {', '.join(_QWEN_LIMITS)}, not {family!r}"
        )
    if family in _FIXED_SIZES:
        return _FIXED_SIZES[family][0], _FIXED_SIZES[family][0]
    if family == "internvl":
        columns, rows = _choose_tiles(width, height)
        return 448 * columns, 448 * rows
    return _compute_vendor_size(width, height, family, detail)


def _compute_vendor_size(width: int, height: int, family: str, detail: str) -> tuple[int, int]:
    if family in _TILE_TOKENS:
        if detail == "low":
            return min(width, 512), min(height, 512)
        width, height = _shrink_size(width, height, 2048 / max(width, height))
        return _shrink_size(width, height, 768 / min(width, height))
    if family in _PATCH_FACTORS:
        return _fit_patches(width, height)
    if family in _GEMINI:
        if family == "gemini-3" or max(width, height) <= _GEMINI_SMALL:
            return width, height
        across, down = (math.ceil(side / _GEMINI_SIDE) for side in (width, height))
        return _GEMINI_SIDE * across, _GEMINI_SIDE * down
    return _fit_limits(width, height, *_CLAUDE_LIMITS[family])


def _fit_patches(width: int, height: int) -> tuple[int, int]:
    """Return the size at which OpenAI's patches cover a picture: one side in whole patches."""
    if _count_patches(width, height, 32) <= _MAX_PATCHES:
        return width, height
    scale = math.sqrt(_MAX_PATCHES * 32 * 32 / (width * height))
    scale = min(scale, 32 * _MAX_PATCHES / max(width, height))  # of what is one patch narrow
    sides = [side * scale / 32 for side in (width, height)]
    scale *= min(math.floor(side) / side for side in sides if side >= 1)
    return max(1, round(width * scale)), max(1, round(height * scale))


def _round_to_units(width: int, height: int, unit: int, least: int, most: int) -> tuple[int, int]:
    """Round both sides to whole units, and scale if that is too few or too many pixels."""
    if max(width, height) > 200 * min(width, height):
        raise ValueError(f"{width} x {height}: one side is more than 200 times the other")
    # The same floating point operations as in transformers, which decide at the edges.
    across, down = round(width / unit) * unit, round(height / unit) * unit
    if across * down > most:
        beta = math.sqrt((height * width) / most)
        across = max(unit, math.floor(width / beta / unit) * unit)
        down = max(unit, math.floor(height / beta / unit) * unit)
    elif across * down < least:
        beta = math.sqrt(least / (height * width))
        across = math.ceil(width * beta / unit) * unit
        down = math.ceil(height * beta / unit) * unit
    return across, down


def _choose_tiles(width: int, height: int) -> tuple[int, int]:
    """Return InternVL's grid of at most 12 tiles of 448 pixels: the nearest ratio of sides."""
    grids = [(i, j) for i in range(1, 13) for j in range(1, 13) if i * j <= 12]
    best, nearest = (1, 1), math.inf
    for columns, rows in sorted(grids, key=lambda grid: grid[0] * grid[1]):
        distance = abs(width / height - columns / rows)
        # Of grids with the same ratio the larger one, if the picture fills half of it.
        if distance < nearest or (
            distance == nearest and width * height > 0.5 * 448 * 448 * columns * rows
        ):
            best, nearest = (columns, rows), distance
    return best


def _shrink_size(width: int, height: int, scale: float) -> tuple[int, int]:
    scale = min(1.0, scale)
    return max(1, round(width * scale)), max(1, round(height * scale))


def _count_patches(width: int, height: int, side: int = 28) -> int:
    return math.ceil(width / side) * math.ceil(height / side)


def _fit_limits(width: int, height: int, side: int, most: int) -> tuple[int, int]:
    """Return the largest size of the same shape within Claude's limits: side and tokens."""
    across, down = width, height
    for longest in range(min(side, max(width, height)), 0, -1):
        if max(across, down) <= side and _count_patches(across, down) <= most:
            break
        across, down = _shrink_size(width, height, longest / max(width, height))
    return across, down
