"""ATIF, the agent trajectory format of Harbor: a folder for each episode, a file for each seat.

Checked by tests/rollouts/formats/test_atif.py against atif 1.8.0, whose models validate each file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from gem_ma.chat.messages import ChatMessage, Picture
from gem_ma.engine.action_parsing import (
    find_raw_arguments,
    parse_call_arguments,
    parse_call_name,
    replace_surrogates,
)
from gem_ma.envs.registry import Spec
from gem_ma.game import clip_repr
from gem_ma.rollouts.episode import Episode
from gem_ma.rollouts.formats.record_json import RecordError, make_saved_picture, open_regular_file
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
from gem_ma.validation.extras import LazyModule
from gem_ma.validation.files import write_atomically
from gem_ma.validation.json_types import JSONObject

SCHEMA_VERSION = "ATIF-v1.8"
_PICTURES = "images"
_NATIVE_USAGE = ("prompt_tokens", "completion_tokens", "cached_tokens")
_NATIVE_TOKENS = {
    "prompt_ids": "prompt_token_ids",
    "token_ids": "completion_token_ids",
    "logprobs": "logprobs",
}
_PICTURE_SUFFIXES = {".png", ".jpg", ".jpeg", ".gif", ".webp"}
_atif = LazyModule("atif", "atif", "the format atif")


def write_atif(episodes: Iterable[Episode], folder: Path) -> None:
    """Write a folder for each episode, with one trajectory for each seat and its pictures."""
    folder.mkdir()
    for number, episode in enumerate(episodes):
        own = folder / f"{number:06d}"
        own.mkdir()
        names = {
            seat: f"{place}-{re.sub(r'[^0-9A-Za-z_-]', '_', seat)[:64]}.json"
            for place, seat in enumerate(episode.agents)
        }
        for seat in episode.agents:
            trajectory = make_trajectory(episode, seat, names)
            (own / names[seat]).write_text(json.dumps(trajectory, indent=1), encoding="utf-8")
        for picture in _list_all_pictures(episode):
            (own / _PICTURES).mkdir(exist_ok=True)
            write_atomically(own / _PICTURES / f"{picture.key}.png", picture.png)


def make_trajectory(episode: Episode, seat: str, names: dict[str, str]) -> JSONObject:
    """Return the trajectory of one seat as JSON, validated by the models of atif.

    Args:
        names: The file of each seat, to which the trajectory refers.
    """
    turns = list_turns(episode, seat)
    steps: list[JSONObject] = []
    pending: JSONObject = {}
    for index, turn in turns:
        for message in turn.inputs:
            _add_input(steps, message)
        if turn.reply is not None:
            steps.append(_make_agent_step(turn.reply))
            if index < episode.begun:
                steps[-1]["is_copied_context"] = True
    for number, step in enumerate(steps, 1):
        step["step_id"] = number
    tools = to_plain_json(episode.tools.get(seat, []))
    told = SeatTranscript(seat, _read_turns(steps, Path()), tools)
    replied = [step for step in steps if step["source"] == "agent"]
    for place, ((index, turn), own) in enumerate(zip(turns, told.turns, strict=True)):
        rest = find_rest(episode, index, own)
        if turn.reply is None:
            pending = {"pending": rest}
        else:
            replied[place].setdefault("extra", {}).setdefault(NAMESPACE, {})["step"] = rest
    _link_seats(steps, episode, {name: file for name, file in names.items() if name != seat})
    agent = {"name": NAMESPACE, "version": episode.version or "unknown"}
    header = make_header(episode)
    trajectory = {
        "schema_version": SCHEMA_VERSION,
        "session_id": episode.id,
        "trajectory_id": f"{episode.id}/{seat}",
        "agent": {
            **agent,
            "model_name": header["agents"][seat],
            **({"tool_definitions": tools} if tools else {}),
        },
        "steps": steps,
        "final_metrics": _sum_metrics(steps, episode, seat),
        "extra": {
            NAMESPACE: {
                "seat": seat,
                "episode": header,
                "rest": find_seat_rest(episode, told),
                **pending,
            }
        },
    }
    plain: JSONObject = to_plain_json(trajectory)
    _atif.Trajectory.model_validate(plain)
    return plain


def _list_all_pictures(episode: Episode) -> Iterator[Picture]:
    seen: set[str] = set()
    for seat in episode.agents:
        for message in episode.messages(seat):
            for part in list_parts(message):
                if isinstance(part, Picture) and part.key not in seen:
                    seen.add(part.key)
                    yield part


def _add_input(steps: list[JSONObject], message: ChatMessage) -> None:
    """Add a message that the seat read; the result of a tool goes into the step of its call."""
    content, alts = _make_content(message)
    extra = {"extra": {NAMESPACE: {"alts": alts}}} if alts else {}
    if message["role"] != "tool":
        steps.append({"source": message["role"], "message": content, **extra})
        return
    step = steps[-1]
    results = step.setdefault("observation", {"results": []})["results"]
    call = step["tool_calls"][len(results)]["tool_call_id"]
    results.append({"source_call_id": call, "content": content, **extra})


def _make_content(message: ChatMessage) -> tuple[str | list[JSONObject], list[str]]:
    """Return the content of a message, and the words of its pictures, which ATIF cannot hold."""
    parts = list_parts(message)
    pictures = [part for part in parts if isinstance(part, Picture)]
    if not pictures:
        return replace_surrogates(find_text(message)), []
    return [
        {
            "type": "image",
            "source": {"media_type": "image/png", "path": f"{_PICTURES}/{part.key}.png"},
        }
        if isinstance(part, Picture)
        else {"type": "text", "text": replace_surrogates(str(part))}
        for part in parts
    ], [picture.alt for picture in pictures]


def _make_agent_step(reply: ChatMessage) -> JSONObject:
    step: JSONObject = {"source": "agent", "message": replace_surrogates(find_text(reply))}
    if thoughts := join_thoughts(reply):
        step["reasoning_content"] = thoughts
    else:  # open models write their thoughts into the text
        opening = "<think>" if step["message"].startswith("<think>") else ""
        head, closing, tail = step["message"][len(opening) :].partition("</think>")
        if closing and "<think>" not in head:
            step |= {"message": tail, "reasoning_content": head}
            step["extra"] = {NAMESPACE: {"think": opening}}
    calls = reply.get("tool_calls") or ()
    ids = [call.get("id") for call in calls]
    usable = all(isinstance(id, str) and id for id in ids) and len(set(ids)) == len(ids)
    if calls:
        step["tool_calls"] = [
            {
                "tool_call_id": ids[place] if usable else f"call_{place}",
                "function_name": parse_call_name(call),
                "arguments": _parse_arguments(call),
            }
            for place, call in enumerate(calls)
        ]
    if metrics := _make_metrics(reply.get("fields", {})):
        step["metrics"] = metrics
    return step


def _parse_arguments(call: Any) -> JSONObject:
    try:
        arguments = parse_call_arguments(call)
    except ValueError:  # a model's mistake
        arguments = find_raw_arguments(call)
    return arguments if isinstance(arguments, dict) else {"arguments": arguments}


def _make_metrics(fields: JSONObject) -> JSONObject:
    usage = fields.get("usage", {})
    metrics: JSONObject = {
        name: usage[name] for name in _NATIVE_USAGE if type(usage.get(name)) is int
    }
    for ours, theirs in _NATIVE_TOKENS.items():
        if ours in fields:
            metrics[theirs] = list(fields[ours])
    if others := {name: usage[name] for name in usage if name not in metrics}:
        metrics["extra"] = others
    return metrics


def _sum_metrics(steps: list[JSONObject], episode: Episode, seat: str) -> JSONObject:
    totals: JSONObject = {"total_steps": len(steps)}
    for name in _NATIVE_USAGE:
        known = [step["metrics"][name] for step in steps if name in step.get("metrics", {})]
        if known:
            totals[f"total_{name}"] = sum(known)
    if seat in episode.returns:
        totals["extra"] = {"return": episode.returns[seat]}
    return totals


def _link_seats(steps: list[JSONObject], episode: Episode, others: dict[str, str]) -> None:
    """Let the first step refer to the trajectories of the other seats."""
    if steps and others:
        links = [
            {
                "trajectory_id": f"{episode.id}/{seat}",
                "trajectory_path": path,
                "session_id": episode.id,
                "extra": {"seat": seat},
            }
            for seat, path in others.items()
        ]
        results = steps[0].setdefault("observation", {"results": []})["results"]
        results.append({"subagent_trajectory_ref": links})


def read_atif(path: Path) -> Iterator[Episode]:
    """Yield the episodes of a folder of trajectories, or of one file.

    A trajectory of another program becomes an episode of one seat, `agent`, which cannot be
    replayed. Trajectories of its subagents follow as episodes of their own.
    """
    found = (one for file in _list_files(path) for one in _read_file(file))
    waiting: list[SeatTranscript] = []
    last: tuple[Path, object] | None = None
    count = 0
    for folder, trajectory in found:
        own = (trajectory.get("extra") or {}).get(NAMESPACE)
        group = (folder, trajectory.get("session_id")) if isinstance(own, dict) else None
        if waiting and group != last:
            yield join_transcripts(waiting)
            waiting, count = [], count + 1
        last = group
        if isinstance(own, dict):
            waiting.append(_read_own(trajectory, own, folder))
        else:
            yield join_transcripts([_read_foreign(trajectory, folder, count)])
            count += 1
    if waiting:
        yield join_transcripts(waiting)


def _list_files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    files = sorted(path.rglob("*.json"))
    if not files:
        raise RecordError(f"{path}: expected trajectories, which are files NAME.json; got none")
    return files


def _read_file(file: Path) -> Iterator[tuple[Path, JSONObject]]:
    """Yield the folder and the JSON of a trajectory, and of its subagents."""
    try:
        with open_regular_file(file) as opened:
            data = json.loads(opened.read())
    except (ValueError, RecursionError) as error:
        raise RecordError(f"{file}: no trajectory: not JSON ({error})") from None
    version = data.get("schema_version") if isinstance(data, dict) else None
    if not str(version).startswith("ATIF-"):
        raise RecordError(
            f"{file}: no trajectory: expected an object with the schema_version {SCHEMA_VERSION}, "
            f"got {clip_repr(json.dumps(data))}"
        )
    try:
        _atif.Trajectory.model_validate(data)
    except (ValueError, RecursionError) as error:
        raise RecordError(f"{file}: no trajectory: {error}") from None
    left = [data]
    while left:
        yield file.parent, (one := left.pop(0))
        left += one.get("subagent_trajectories") or ()


def _read_own(trajectory: JSONObject, own: JSONObject, folder: Path) -> SeatTranscript:
    turns = _read_turns(trajectory["steps"], folder)
    if turns and turns[-1].reply is None:
        turns[-1] = replace(turns[-1], rest=own.get("pending", {}))
    return SeatTranscript(
        str(own.get("seat")),
        turns,
        trajectory["agent"].get("tool_definitions") or [],
        own.get("rest", {}),
        own["episode"] if isinstance(own.get("episode"), dict) else {},
    )


def _read_foreign(trajectory: JSONObject, folder: Path, number: int) -> SeatTranscript:
    agent = trajectory["agent"]
    known = ("notes", "final_metrics", "extra")
    id = trajectory.get("trajectory_id") or trajectory.get("session_id") or str(number)
    played = Episode(
        id,
        number,
        Spec(f"atif:{agent['name']}", ""),
        0,
        {"agent": agent.get("model_name") or agent["name"]},
        number,
        report={name: trajectory[name] for name in known if trajectory.get(name)},
    )
    header = make_header(played)
    tools = agent.get("tool_definitions") or []
    return SeatTranscript("agent", _read_turns(trajectory["steps"], folder), tools, {}, header)


def _read_turns(steps: list[JSONObject], folder: Path) -> list[TranscriptTurn]:
    turns: list[TranscriptTurn] = []
    inputs: list[ChatMessage] = []
    for step in steps:
        if step["source"] != "agent":
            role = "system" if step["source"] == "system" and not turns and not inputs else "user"
            inputs.append({"role": role, "content": _read_content(step, "message", folder)})
        else:
            reply, rest = _read_agent_step(step)
            turns.append(TranscriptTurn(inputs, reply, rest))
            inputs = []
        for result in (step.get("observation") or {}).get("results", ()):
            if result.get("content") is None:
                continue
            content = _read_content(result, "content", folder)
            if result.get("source_call_id") is None:
                inputs.append({"role": "user", "content": content})
            else:
                call = result["source_call_id"]
                inputs.append({"role": "tool", "tool_call_id": call, "content": content})
    if inputs:
        turns.append(TranscriptTurn(inputs, None))
    return turns


def _find_own(part: JSONObject) -> JSONObject:
    own = (part.get("extra") or {}).get(NAMESPACE)
    return own if isinstance(own, dict) else {}


def _read_content(part: JSONObject, name: str, folder: Path) -> str | list[str | Picture]:
    content = part[name]
    if isinstance(content, str):
        return content
    alts = iter(_find_own(part).get("alts") or ())
    return [
        one["text"] if one["type"] == "text" else _read_picture(one, next(alts, ""), folder)
        for one in content
    ]


def _read_picture(part: JSONObject, alt: object, folder: Path) -> str | Picture:
    """Return the picture of a file beside the trajectory; of what lies elsewhere, its address."""
    path = Path(part["source"]["path"])
    inside = (folder / path).resolve().is_relative_to(folder.resolve())
    key = re.sub(r"[^0-9A-Za-z_-]", "_", path.stem)[:128]
    if not inside or not key or path.suffix.lower() not in _PICTURE_SUFFIXES:
        return f"[{part['type']}: {part['source']['path']}]"
    return make_saved_picture(str(folder / path), str(alt), key)


def _read_agent_step(step: JSONObject) -> tuple[ChatMessage, JSONObject]:
    """Return the message of a reply, and what the step says of it in our own field."""
    own = _find_own(step)
    text = find_text({"content": _read_content(step, "message", Path())})
    reply: JSONObject = {"role": "assistant", "content": text, "fields": _read_metrics(step)}
    thoughts = step.get("reasoning_content")
    if thoughts is not None and isinstance(own.get("think"), str):
        reply["content"] = f"{own['think']}{thoughts}</think>{text}"
    elif thoughts:
        reply["thinking_blocks"] = [{"type": "thinking", "thinking": thoughts}]
    if calls := step.get("tool_calls"):
        reply["tool_calls"] = [
            {
                "id": call["tool_call_id"],
                "type": "function",
                "function": {
                    "name": call["function_name"],
                    "arguments": json.dumps(call["arguments"]),
                },
            }
            for call in calls
        ]
    return reply, own.get("step", {})


def _read_metrics(step: JSONObject) -> JSONObject:
    metrics = step.get("metrics") or {}
    usage = {name: metrics[name] for name in _NATIVE_USAGE if metrics.get(name) is not None}
    usage |= metrics.get("extra") or {}
    fields = {
        ours: metrics[theirs]
        for ours, theirs in _NATIVE_TOKENS.items()
        if metrics.get(theirs) is not None
    }
    return {**fields, **({"usage": usage} if usage else {})}
