"""The results of verifiers: a folder with `traces.jsonl`, a line for each episode.

Checked by tests/rollouts/formats/test_verifiers_results.py against verifiers 0.4 (its `v1`). The
library is not needed here: a line is plain JSON, and importing it takes seconds.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from gem_ma.chat.messages import ChatMessage, Picture
from gem_ma.engine.action_parsing import find_raw_arguments, parse_call_arguments, parse_call_name
from gem_ma.envs.registry import Spec
from gem_ma.game import clip_repr
from gem_ma.rollouts.episode import Episode
from gem_ma.rollouts.formats.pictures import decode_picture
from gem_ma.rollouts.formats.record_json import RecordError, open_regular_file
from gem_ma.rollouts.formats.transcripts import (
    NAMESPACE,
    SeatTranscript,
    TranscriptTurn,
    find_rest,
    find_seat_rest,
    find_text,
    join_thoughts,
    join_transcripts,
    list_parts,
    list_turns,
    make_header,
    to_plain_json,
)
from gem_ma.validation.json_types import JSONMapping, JSONObject

TRACES_FILE = "traces.jsonl"
_FINISH_REASONS = ("stop", "length", "tool_calls")


def write_verifiers(episodes: Iterable[Episode], folder: Path) -> None:
    """Write a folder as an evaluation of verifiers does, with a trace for each seat."""
    folder.mkdir()
    with (folder / TRACES_FILE).open("w", encoding="utf-8") as file:
        for episode in episodes:
            file.write(json.dumps(make_result(episode)) + "\n")


def make_result(episode: Episode) -> JSONObject:
    """Return an episode as the JSON of verifiers' `Episode`, with a trace for each seat."""
    header = make_header(episode)
    data = {"seed": episode.seed, "kwargs": header["spec"]["kwargs"], "options": header["options"]}
    task = {"type": "GameTask", "data": {**data, "prompt": None, "name": episode.spec.id}}
    failure = episode.failure
    errors = [{"type": failure.kind, "message": failure.message}] if failure else []
    result: JSONObject = to_plain_json(
        {
            "id": episode.id,
            "env": {"id": episode.spec.id},
            "task": task,
            "group": {"id": str(episode.group)},
            "ok": failure is None,
            "errors": errors,
            "traces": [_make_trace(episode, seat, header, task) for seat in episode.agents],
        }
    )
    return result


def _make_trace(episode: Episode, seat: str, header: JSONObject, task: JSONMapping) -> JSONObject:
    turns = list_turns(episode, seat)
    nodes, calls = _make_nodes(turns, episode.begun, header["agents"][seat])
    pictures = [
        {"picture": part.key, "alt": part.alt}
        for _, turn in turns
        for message in turn.inputs
        for part in list_parts(message)
        if isinstance(part, Picture)
    ]
    tools = [_make_tool(tool) for tool in to_plain_json(episode.tools.get(seat, []))]
    told = SeatTranscript(
        seat, _read_turns(nodes, calls, pictures), [_read_tool(tool) for tool in tools]
    )
    rests = [
        find_rest(episode, index, own) for (index, _), own in zip(turns, told.turns, strict=True)
    ]
    failure = episode.failure
    blamed = failure is not None and failure.seat in (None, seat)
    own = {"seat": seat, "episode": header, "rest": find_seat_rest(episode, told)}
    return {
        "version": 1,
        "id": f"{episode.id}/{seat}",
        "task": task,
        "agent": {
            "config": {"model": header["agents"][seat]},
            "name": seat,
            "trainable": any(any(node.get("mask", ())) for node in nodes),
        },
        "tools": tools,
        "nodes": nodes,
        "calls": calls,
        "rewards": (
            {"return": {"score": episode.returns[seat]}} if seat in episode.returns else {}
        ),
        "metrics": {"forfeit": float(seat in episode.forfeits)},
        "info": {
            "turn_rewards": [episode.steps[index].reward for index, _ in turns],
            NAMESPACE: {**own, "steps": rests, "pictures": pictures},
        },
        "is_completed": failure is None,
        "ok": failure is None,
        "stop_condition": "error" if failure else episode.ended,
        "errors": [{"type": failure.kind, "message": failure.message}]
        if failure and blamed
        else [],
        "timing": {"start": 0.0, "agent": {"start": 0.0, "end": episode.seconds}},
    }


def _make_tool(tool: JSONMapping) -> JSONObject:
    """Return a schema in OpenAI's form as verifiers holds it."""
    function = tool.get("function", tool)
    known = {name: function[name] for name in function if name not in ("type",)}
    return {"type": "function", "description": "", "parameters": {}, **known}


def _read_tool(tool: JSONMapping) -> JSONObject:
    names = ("name", "description", "parameters", "strict")
    return {
        "type": "function",
        "function": {name: tool[name] for name in names if tool.get(name) is not None},
    }


def _make_nodes(
    turns: Sequence[tuple[int, TranscriptTurn]], begun: int, model: str
) -> tuple[list[JSONObject], list[JSONObject]]:
    """Return the message graph of a seat, which is one path, and its model calls."""
    nodes: list[JSONObject] = []
    calls: list[JSONObject] = []
    tokens = _list_token_deltas([turn for _, turn in turns])

    def add(message: JSONObject, **fields: Any) -> None:
        parent = len(nodes) - 1 if nodes else None
        nodes.append({"parent": parent, "message": message, "timestamp": 0.0, **fields})

    for place, (index, turn) in enumerate(turns):
        for message in turn.inputs:
            named = {key: message[key] for key in ("tool_call_id", "name") if key in message}
            add({"role": message["role"], "content": _make_content(message), **named})
        if turn.reply is None:
            continue
        fields = turn.reply.get("fields", {})
        sampled = tokens[place] if tokens else {}
        add(_make_reply(turn.reply), sampled=index >= begun, **sampled)
        usage = fields.get("usage", {})
        counts = {
            name: usage[name]
            for name in ("prompt_tokens", "completion_tokens")
            if type(usage.get(name)) is int
        }
        if index >= begun and (len(counts) == 2 or sampled):
            finish = fields.get("finish_reason")
            calls.append(
                {
                    "node": len(nodes) - 1,
                    "model": model,
                    "finish_reason": finish if finish in _FINISH_REASONS else None,
                    "usage": counts if len(counts) == 2 else None,
                    "time": {"start": 0.0, "end": fields.get("latency") or 0.0},
                }
            )
    return nodes, calls


def _list_token_deltas(turns: Sequence[TranscriptTurn]) -> list[JSONObject]:
    """Return the tokens that each reply's node adds, or none if they are no one sequence."""
    found: list[JSONObject] = []
    whole: list[int] = []
    for turn in turns:
        if turn.reply is None:
            break
        fields = turn.reply.get("fields", {})
        prompt, ids = list(fields.get("prompt_ids") or ()), list(fields.get("token_ids") or ())
        logprobs = list(fields.get("logprobs") or ())
        if not ids or prompt[: len(whole)] != whole or len(logprobs) not in (0, len(ids)):
            return []
        new = prompt[len(whole) :]
        mask = [False] * len(new) + [True] * len(ids)
        found.append({"token_ids": [*new, *ids], "mask": mask, "logprobs": logprobs})
        whole = [*prompt, *ids]
    return found


def _make_content(message: ChatMessage) -> str | list[JSONObject]:
    parts = list_parts(message)
    if not any(isinstance(part, Picture) for part in parts):
        return find_text(message)
    return [
        {"type": "image_url", "image_url": {"url": part.data_uri}}
        if isinstance(part, Picture)
        else {"type": "text", "text": str(part)}
        for part in parts
    ]


def _make_reply(reply: ChatMessage) -> JSONObject:
    message: JSONObject = {"role": "assistant", "content": find_text(reply)}
    if thoughts := join_thoughts(reply):
        message["reasoning_content"] = thoughts
    if blocks := reply.get("thinking_blocks"):
        message["provider_state"] = list(blocks)
    if calls := reply.get("tool_calls"):
        message["tool_calls"] = [
            {
                "id": call["id"] if isinstance(call.get("id"), str) else "",
                "type": "function",
                "name": parse_call_name(call),
                "arguments": _format_arguments(call),
            }
            for call in calls
        ]
    return message


def _format_arguments(call: Any) -> str:
    """Return the arguments of a call as the model wrote them."""
    if raw := find_raw_arguments(call):
        return raw
    try:
        return json.dumps(parse_call_arguments(call))
    except ValueError:  # a model's mistake
        return ""


def read_verifiers(path: Path) -> Iterator[Episode]:
    """Yield the episodes of a folder with `traces.jsonl`, or of such a file.

    An episode of another program has a seat for each trace, whose final branch is read. It cannot
    be replayed.
    """
    file = path / TRACES_FILE if path.is_dir() else path
    with open_regular_file(file) as opened:
        for number, line in enumerate(opened, 1):
            if not line.strip():
                continue
            try:
                yield _read_result(json.loads(line), number - 1)
            except RecordError as error:
                raise RecordError(f"{file}, line {number}: {error}") from None
            except (
                ValueError,
                TypeError,
                KeyError,
                IndexError,
                AttributeError,
                RecursionError,
            ) as error:
                raise RecordError(
                    f"{file}, line {number}: no episode of verifiers, which has a task and traces: "
                    f"{type(error).__name__}: {clip_repr(str(error))}"
                ) from None


def _read_result(data: JSONObject, number: int) -> Episode:
    seats: list[SeatTranscript] = []
    traces = data["traces"]
    foreign = _make_foreign_header(data, number)
    for name, trace in zip(foreign["agents"], traces, strict=True):
        own = (trace.get("info") or {}).get(NAMESPACE)
        if not isinstance(own, dict):
            own = {"seat": name, "episode": foreign}
        path = _find_path(trace.get("nodes") or [])
        turns = _read_turns(path, trace.get("calls") or [], own.get("pictures") or [])
        for place, rest in enumerate(own.get("steps") or []):
            turns[place] = TranscriptTurn(turns[place].inputs, turns[place].reply, rest)
        tools = [_read_tool(tool) for tool in trace.get("tools") or []]
        seats.append(SeatTranscript(own["seat"], turns, tools, own.get("rest", {}), own["episode"]))
    if not seats:
        raise RecordError("it has no traces, so that there is nothing to read")
    return join_transcripts(seats)


def _make_foreign_header(data: JSONObject, number: int) -> JSONObject:
    agents: dict[str, str] = {}
    returns: dict[str, float] = {}
    for trace in data["traces"]:
        name = base = str(trace["agent"].get("name", "agent"))
        while name in agents:
            name = f"{base}-{len(agents)}"
        agents[name] = str((trace["agent"].get("config") or {}).get("model") or base)
        rewards = [one for one in (trace.get("rewards") or {}).values() if one is not None]
        returns[name] = sum(one["score"] * one.get("weight", 1.0) for one in rewards)
    env = (data.get("env") or {}).get("id") or "unknown"
    task = data["task"].get("data") or {}
    episode = Episode(
        str(data.get("id", number)),
        number,
        Spec(f"verifiers:{env}", ""),
        0,
        agents,
        number,
        returns=returns,
        ended="truncated" if data.get("is_timeout") else "terminated",
        report={"task": task, "errors": data.get("errors") or []},
    )
    return make_header(episode)


def _find_path(nodes: list[JSONObject]) -> list[JSONObject]:
    """Return the nodes from a root to the last one, with the places that calls name."""
    path: list[JSONObject] = []
    place = len(nodes) - 1 if nodes else None
    while place is not None and len(path) <= len(nodes):
        path.append({**nodes[place], "place": place})
        place = nodes[place].get("parent")
    return path[::-1]


def _read_turns(
    path: Sequence[JSONObject], calls: Sequence[JSONObject], pictures: Sequence[JSONObject]
) -> list[TranscriptTurn]:
    known = iter(pictures)
    by_node = {call.get("node"): call for call in calls}
    turns: list[TranscriptTurn] = []
    inputs: list[ChatMessage] = []
    whole: list[int] = []
    for place, node in enumerate(path):
        message = node["message"]
        if message["role"] != "assistant":
            inputs.append(_read_input(message, known))
            continue
        ids, mask = node.get("token_ids") or [], node.get("mask") or []
        fields: JSONObject = {}
        if any(mask):
            start = mask.index(True)
            fields = {"prompt_ids": [*whole, *ids[:start]], "token_ids": ids[start:]}
            if node.get("logprobs"):
                fields["logprobs"] = node["logprobs"]
        whole += ids
        call = by_node.get(node.get("place", place)) or {}
        usage, time = call.get("usage"), call.get("time") or {}
        fields |= {"usage": usage} if usage else {}
        fields |= {"finish_reason": call["finish_reason"]} if call.get("finish_reason") else {}
        fields |= {"latency": time["end"] - time.get("start", 0.0)} if time.get("end") else {}
        turns.append(TranscriptTurn(inputs, _read_reply(message, fields)))
        inputs = []
    if inputs:
        turns.append(TranscriptTurn(inputs, None))
    return turns


def _read_input(message: JSONObject, known: Iterator[JSONObject]) -> ChatMessage:
    content = message.get("content") or ""
    if isinstance(content, list):
        parts: list[str | Picture] = []
        for part in content:
            if part["type"] == "text":
                parts.append(part["text"])
            else:
                about = next(known, {})
                url = part["image_url"]["url"]
                parts.append(decode_picture(url, about.get("alt", ""), about.get("picture")))
        content = parts
    return {**message, "content": content}


def _read_reply(message: JSONObject, fields: JSONObject) -> ChatMessage:
    reply: JSONObject = {"role": "assistant", "content": message.get("content") or ""}
    reply["fields"] = fields
    thoughts = message.get("reasoning_content")
    if blocks := message.get("provider_state"):
        reply["thinking_blocks"] = blocks
    elif thoughts:
        reply["thinking_blocks"] = [{"type": "thinking", "thinking": thoughts}]
    if calls := message.get("tool_calls"):
        reply["tool_calls"] = [
            {
                "id": call.get("id", ""),
                "type": "function",
                "function": {"name": call["name"], "arguments": call["arguments"]},
            }
            for call in calls
        ]
    return reply
