"""Transcripts: what a seat read and wrote, turn by turn, and what a format cannot say natively.

A format of another tool holds messages. A step of an episode holds more: a move, a reward, how the
reply was refused. A writer therefore writes a turn as messages, reads these messages back, and adds
the difference, `find_rest`, where its format has room for data of others. So a reader gets the same
step again, and nothing that the format holds natively is written twice.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gem_ma.chat.conversation import CALL_NOT_RUN, SHARED_RESULT, Step
from gem_ma.chat.messages import ChatMessage, Picture, ToolOutput
from gem_ma.chat.reply import Reply
from gem_ma.engine.action_parsing import replace_surrogates
from gem_ma.game import Message, clip_repr
from gem_ma.rollouts.episode import Episode
from gem_ma.rollouts.formats.record_json import RecordError, episode_from_json, episode_to_json
from gem_ma.validation.json_types import JSONMapping, JSONObject

NAMESPACE = "gem_ma"
"""The key of our own data in the free fields of other formats."""
_BY_SEAT = ("rules", "tools")  # parts of a record that a seat's messages say


@dataclass(frozen=True, slots=True)
class TranscriptTurn:
    """One turn of a seat as messages.

    Attributes:
        inputs: What the seat read since its last reply; of its first turn, its rules too.
        reply: The message of its reply; None: there is none. The key "fields" holds what a format
            can say of a Reply beside its text, calls and thoughts.
        rest: What the messages do not say of the step.
    """

    inputs: list[ChatMessage]
    reply: ChatMessage | None
    rest: JSONMapping = field(default_factory=dict)


@dataclass
class SeatTranscript:
    """The turns of one seat, its tools, and what else a file says of the seat and the episode."""

    seat: str
    turns: list[TranscriptTurn]
    tools: Sequence[JSONMapping] = ()
    rest: JSONMapping = field(default_factory=dict)  # what turns and tools do not say of the seat
    header: JSONMapping = field(default_factory=dict)  # the record without steps, rules and tools


def list_turns(episode: Episode, seat: str) -> list[tuple[int, TranscriptTurn]]:
    """Return a seat's turns, each with the index of its step in the episode."""
    indices = iter([i for i, step in enumerate(episode.steps) if step.agent == seat])
    turns: list[tuple[int, TranscriptTurn]] = []
    inputs: list[ChatMessage] = []
    for message in episode.messages(seat):
        if message["role"] != "assistant":
            inputs.append(message)
            continue
        step = episode.steps[index := next(indices)]
        reply = step.counted_reply
        known = reply.fields() if isinstance(reply, Reply) else {}
        turns.append((index, TranscriptTurn(inputs, {**message, "fields": known})))
        inputs = []
    if (last := next(indices, None)) is not None:
        turns.append((last, TranscriptTurn(inputs, None)))
    return turns


def find_rest(episode: Episode, index: int, turn: TranscriptTurn) -> JSONObject:
    """Return what a turn, as a format says it, does not say of a step of the episode."""
    actual = {**_flatten_step(episode.steps[index]), "index": index}
    told = to_plain_json(_flatten_turn(turn))
    rest: JSONObject = {
        name: value for name, value in actual.items() if name not in told or told[name] != value
    }
    if absent := [name for name in told if name not in actual]:
        rest["absent"] = absent
    return rest


def find_seat_rest(episode: Episode, told: SeatTranscript) -> JSONObject:
    """Return what a seat's transcript, as a format says it, does not say of its rules and tools."""
    record = to_plain_json({"rules": episode.rules, "tools": episode.tools})
    rest: JSONObject = {}
    for name, value in zip(_BY_SEAT, (_find_rules(told.turns), told.tools or None), strict=True):
        if to_plain_json(value) != record[name].get(told.seat):
            rest[name] = record[name].get(told.seat)
    return rest


def make_header(episode: Episode) -> JSONObject:
    """Return the record of an episode without steps, rules and tools."""
    record = episode_to_json(Episode(**{**_list_fields(episode), "steps": []}))
    header: JSONObject = to_plain_json(
        {name: value for name, value in record.items() if name not in (*_BY_SEAT, "steps")}
    )
    return header


def _list_fields(episode: Episode) -> JSONObject:
    return {name: getattr(episode, name) for name in Episode.__slots__}


def join_transcripts(seats: Sequence[SeatTranscript]) -> Episode:
    """Return the episode that the transcripts of all its seats came from.

    Raises:
        RecordError: A seat is missing, or what a file says is no part of a record.
    """
    header = seats[0].header
    agents = header.get("agents")
    expected = list(agents) if isinstance(agents, dict) else []
    if missing := [seat for seat in expected if seat not in [one.seat for one in seats]]:
        raise RecordError(
            f"episode {header.get('id')}: the seats {', '.join(missing)} are missing; expected one "
            "transcript for each seat"
        )
    steps: dict[int, JSONObject] = {}
    inputs: dict[int, list[ChatMessage]] = {}
    record: JSONObject = {**header, "rules": {}, "tools": {}}
    by_name = {one.seat: one for one in seats}
    for one in [by_name[seat] for seat in expected]:
        told = {"rules": _find_rules(one.turns), "tools": list(one.tools) or None}
        for name, value in {**told, **_check_object(one.rest)}.items():
            if name in _BY_SEAT and value is not None:
                record[name][one.seat] = value
        for turn in one.turns:
            flat = {**_flatten_turn(turn), **_check_object(turn.rest)}
            for name in _check_names(flat.pop("absent", [])):
                flat.pop(name, None)
            index = flat.pop("index", len(steps))
            if type(index) is not int or index in steps:
                raise RecordError(f"episode {header.get('id')}: two steps have the index {index!r}")
            flat.setdefault("number", index)
            steps[index], inputs[index] = _restore_step(one.seat, flat), turn.inputs
    order = sorted(steps)
    episode = episode_from_json({**record, "steps": [steps[index] for index in order]})
    for index, step in zip(order, episode.steps, strict=True):
        _restore_pictures(step, inputs[index])
    return episode


def _check_object(value: Any) -> JSONObject:
    if not isinstance(value, Mapping):
        raise RecordError(f"{clip_repr(str(value))}: expected an object")
    return dict(value)


def _check_names(value: Any) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise RecordError(f"absent is {clip_repr(str(value))}: expected a list of names")
    return value


def _restore_pictures(step: Step, inputs: Iterable[ChatMessage]) -> None:
    """Put the pictures of messages into the observation and the tool results of a step."""
    pictures: dict[str, Picture] = {}
    outputs: list[ToolOutput] = []
    for message in inputs:
        found = [part for part in list_parts(message) if isinstance(part, Picture)]
        if message["role"] == "tool":
            outputs.append(ToolOutput(find_text(message), found))
        else:
            pictures |= {picture.key: picture for picture in found}
    if "image" in step.observation:
        image = step.observation["image"]
        step.observation["image"] = (
            tuple([pictures.get(one.key, one) for one in image])
            if isinstance(image, tuple)
            else pictures.get(getattr(image, "key", ""), image)
        )
    if any(one.pictures for one in outputs) and tuple(outputs[: len(step.results)]) == step.results:
        step.results = tuple(outputs[: len(step.results)])


def list_parts(message: ChatMessage) -> list[str | Picture]:
    """Return the texts and pictures of a message."""
    content = message.get("content") or ()
    return [content] if isinstance(content, str | Picture) else list(content)


def find_text(message: ChatMessage) -> str:
    """Return the texts of a message, one below the other."""
    return "\n".join(str(part) for part in list_parts(message) if isinstance(part, str))


def _find_rules(turns: Sequence[TranscriptTurn]) -> str | None:
    for message in turns[0].inputs[:1] if turns else ():
        if message["role"] == "system":
            return find_text(message)
    return None


def _flatten_step(step: Step) -> JSONObject:
    """Return the fields of a step, with those of its observation and reply beside them."""
    flat: JSONObject = {
        name: getattr(step, name)
        for name in ("number", "text", "results", "calls", "move", "reward", "invalid", "seconds")
    }
    for name, value in step.observation.items():
        flat[f"observation.{name}"] = _describe_pictures(value)
    plain: JSONObject = to_plain_json({**flat, **_flatten_reply(step.reply)})
    return plain


def _flatten_reply(reply: str | None) -> JSONObject:
    fields = reply.fields() if isinstance(reply, Reply) else {}
    return {
        "reply": None if reply is None else str(reply),
        **{f"reply.{name}": value for name, value in fields.items()},
    }


def _describe_pictures(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_describe_pictures(one) for one in value]
    return {"picture": value.key, "alt": value.alt} if isinstance(value, Picture) else value


def _flatten_turn(turn: TranscriptTurn) -> JSONObject:
    """Return the fields of a step as far as messages say them."""
    results, texts, pictures = [], [], []
    for message in turn.inputs:
        if message["role"] == "tool":
            results.append(find_text(message))
        elif message["role"] == "user":
            pictures += [part for part in list_parts(message) if isinstance(part, Picture)]
            texts.append(find_text(message))
    results = [text for text in results if text not in (CALL_NOT_RUN, SHARED_RESULT)]
    text = "\n".join([*(str(Message(None, "tool", one)) for one in results), *filter(None, texts)])
    flat: JSONObject = {"text": text, "results": results, "calls": None, "move": None}
    flat |= {"reward": 0.0, "invalid": None, "seconds": 0.0, "observation.text": text}
    if pictures:
        images = [_describe_pictures(one) for one in pictures]
        flat["observation.image"] = images if len(images) > 1 else images[0]
    if turn.reply is None:
        return {**flat, "reply": None}
    known = dict(turn.reply.get("fields", {}))
    for name in ("tool_calls", "thinking_blocks"):
        if value := turn.reply.get(name):
            known[name] = value
    return {
        **flat,
        "reply": find_text(turn.reply),
        **{f"reply.{name}": value for name, value in known.items()},
    }


def _restore_step(seat: str, flat: JSONObject) -> JSONObject:
    """Return a step as in a record from its fields beside each other."""
    step: JSONObject = {"agent": seat, "observation": {}, "reply": flat.pop("reply")}
    reply: JSONObject = {}
    for name, value in flat.items():
        part, _, inner = name.partition(".")
        if not inner:
            step[name] = value
        elif part == "reply":
            # In a record, the first number says how much is as in the prompt before.
            packs = inner == "prompt_ids" and isinstance(value, list) and value
            reply[inner] = [0, *value] if packs else value
        else:
            step["observation"][inner] = value
    if reply:
        step["reply"] = {"text": step["reply"], **reply}
    return step


def to_plain_json(value: Any) -> Any:
    """Return a value as it is after a round trip through JSON, without lone surrogates."""
    text = json.dumps(value)
    if "\\ud" in text:
        return replace_all_surrogates(json.loads(text))
    return json.loads(text)


def replace_all_surrogates(value: Any) -> Any:
    """Replace the lone surrogates in all texts of a JSON value."""
    if isinstance(value, str):
        return replace_surrogates(value)
    if isinstance(value, list):
        return [replace_all_surrogates(one) for one in value]
    if isinstance(value, dict):
        return {
            replace_surrogates(name): replace_all_surrogates(one) for name, one in value.items()
        }
    return value


def join_thoughts(message: ChatMessage) -> str:
    """Return the thoughts of a reply's message as text, whichever provider it came from."""
    texts: list[str] = []
    for block in message.get("thinking_blocks") or ():
        if not isinstance(block, Mapping):
            continue
        summary = block.get("summary")
        parts = summary if isinstance(summary, list) else ()
        found = [one.get("text") for one in parts if isinstance(one, Mapping)]
        found += [block.get(name) for name in ("thinking", "text")]
        texts += [one for one in found if isinstance(one, str) and one]
    return replace_surrogates("\n\n".join(texts))
