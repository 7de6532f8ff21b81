"""Inspect's logs: a file NAME.eval with a sample for each episode, as its viewer shows it.

Checked by tests/rollouts/formats/test_inspect_logs.py against inspect-ai 0.3.285.
"""

from __future__ import annotations

import copy
import datetime
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from gem_ma.chat.messages import ChatMessage, Picture, find_observation_pictures
from gem_ma.engine.action_parsing import (
    find_raw_arguments,
    parse_call_arguments,
    parse_call_name,
    replace_surrogates,
)
from gem_ma.rollouts.episode import Episode
from gem_ma.rollouts.formats.pictures import decode_picture
from gem_ma.rollouts.formats.record_json import RecordError, episode_from_json, episode_to_json
from gem_ma.rollouts.formats.transcripts import (
    NAMESPACE,
    find_text,
    join_thoughts,
    list_parts,
    list_turns,
    make_header,
    to_plain_json,
)
from gem_ma.validation.extras import LazyModule
from gem_ma.validation.json_types import JSONObject

_WHAT = "the format inspect"
_log = LazyModule("inspect_ai.log", "inspect", _WHAT)
_model = LazyModule("inspect_ai.model", "inspect", _WHAT)
_event = LazyModule("inspect_ai.event", "inspect", _WHAT)
_tool = LazyModule("inspect_ai.tool", "inspect", _WHAT)
_scorer = LazyModule("inspect_ai.scorer", "inspect", _WHAT)

_STOP_REASONS = {"stop": "stop", "length": "max_tokens", "tool_calls": "tool_calls"}


def write_inspect(episodes: Iterable[Episode], path: Path) -> None:
    """Write a log with a sample for each start; episodes of the same start are its epochs."""
    _log.write_eval_log(make_log(episodes), str(path), format="eval")


def make_log(episodes: Iterable[Episode]) -> Any:
    """Return the log of episodes, an `EvalLog` of Inspect."""
    starts: dict[str, tuple[int, int]] = {}  # the number of each, and its episodes until now
    envs: dict[str, None] = {}
    agents: dict[str, dict[str, None]] = {}
    returns: dict[str, list[float]] = {}
    samples = []
    for episode in episodes:
        header = make_header(episode)
        start = json.dumps([header[name] for name in ("spec", "seed", "options")], sort_keys=True)
        number, epoch = starts.get(start, (len(starts) + 1, 0))
        starts[start] = number, epoch + 1
        envs[episode.spec.id] = None
        for seat, name in header["agents"].items():
            agents.setdefault(seat, {})[name] = None
        for seat, value in episode.returns.items():
            returns.setdefault(seat, []).append(value)
        samples.append(_make_sample(episode, header, number, epoch + 1))
    now = _now().isoformat()
    models = list(dict.fromkeys(name for names in agents.values() for name in names))
    failed = sum(sample.error is not None for sample in samples)
    scores = [
        _log.EvalScore(
            name=seat,
            scorer="returns",
            scored_samples=len(values),
            unscored_samples=len(samples) - len(values),
            metrics={"mean": _log.EvalMetric(name="mean", value=sum(values) / len(values))},
        )
        for seat, values in returns.items()
    ]
    return _log.EvalLog(
        status="success",
        eval=_log.EvalSpec(
            created=now,
            task=", ".join(envs) or "nothing",
            dataset=_log.EvalDataset(
                name=NAMESPACE, samples=len(starts), sample_ids=list(range(1, len(starts) + 1))
            ),
            model=models[0] if len(models) == 1 else "several",
            config=_log.EvalConfig(epochs=max((count for _, count in starts.values()), default=1)),
            metadata={"agents": {seat: list(names) for seat, names in agents.items()}},
        ),
        results=_log.EvalResults(
            total_samples=len(samples), completed_samples=len(samples) - failed, scores=scores
        ),
        stats=_log.EvalStats(started_at=now, completed_at=now),
        samples=samples,
    )


def _now() -> datetime.datetime:
    return datetime.datetime.now(datetime.UTC)


def _make_sample(episode: Episode, header: JSONObject, number: int, epoch: int) -> Any:
    chats: dict[str, list[Any]] = {}
    events: dict[int, Any] = {}
    for seat in episode.agents:
        chats[seat], own = _make_chat(episode, seat, header["agents"][seat])
        events |= own
    shown = next((seat for seat, chat in chats.items() if len(chat) > 1), "")
    outputs = [event.output for event in events.values() if event.role == shown]
    failure = header["failure"]
    words = failure and f"{failure['kind']}: {failure['message']}"
    return _log.EvalSample(
        id=number,
        epoch=epoch,
        input=f"{episode.spec.id}, seed {episode.seed}",
        target="",
        messages=chats.get(shown, []),
        output=outputs[-1] if outputs else _model.ModelOutput(),
        scores=None
        if failure
        else {"returns": _scorer.Score(value=dict(header["returns"]), metadata=_describe(header))},
        metadata={**_describe(header), "seat of these messages": shown},
        store={"episode": to_plain_json(episode_to_json(episode))},
        events=[events[index] for index in sorted(events)],
        total_time=episode.seconds,
        error=_log.EvalError(message=words, traceback=words, traceback_ansi=words)
        if failure
        else None,
    )


def _describe(header: JSONObject) -> JSONObject:
    names = ("id", "seed", "options", "agents", "ended", "report")
    return {"env": header["spec"]["id"], **{name: header[name] for name in names}}


def _make_chat(episode: Episode, seat: str, model: str) -> tuple[list[Any], dict[int, Any]]:
    """Return the whole chat of a seat, and an event for each reply by the index of its step."""
    chat, events = [], {}
    conversation = episode.chat(seat)
    tools = [_make_tool(schema) for schema in to_plain_json(episode.tools.get(seat, []))]
    for place, (index, turn) in enumerate(list_turns(episode, seat)):
        chat += [_make_message(message) for message in turn.inputs]
        if turn.reply is None:
            break
        step = episode.steps[index]
        output = _make_output(turn.reply, model)
        read = list(chat)
        if conversation.context is not None:
            read = [_make_message(message) for message in conversation.build_messages(place)]
        told = ("number", "move", "reward", "invalid")
        events[index] = _event.ModelEvent(
            model=model,
            role=seat,
            input=read,
            tools=tools,
            tool_choice="auto",
            config=_model.GenerateConfig(),
            output=output,
            completed=_now(),
            metadata=to_plain_json({name: getattr(step, name) for name in told}),
        )
        chat.append(output.choices[0].message)
    return chat, events


def _make_tool(schema: Mapping[str, Any]) -> Any:
    function = schema.get("function", schema)
    return _tool.ToolInfo(
        name=function.get("name", ""),
        description=function.get("description", ""),
        parameters=_tool.ToolParams.model_validate(function.get("parameters") or {}),
    )


def _make_message(message: ChatMessage) -> Any:
    content: Any = [_make_part(part) for part in list_parts(message)]
    if not any(isinstance(part, Picture) for part in list_parts(message)):
        content = replace_surrogates(find_text(message))
    match message["role"]:
        case "system":
            return _model.ChatMessageSystem(content=content)
        case "user":
            return _model.ChatMessageUser(content=content)
        case "tool":
            name, call = message.get("name"), message.get("tool_call_id")
            return _model.ChatMessageTool(
                content=content, tool_call_id=call and replace_surrogates(str(call)), function=name
            )
    return _make_reply(message)


def _make_part(part: str | Picture) -> Any:
    if isinstance(part, Picture):
        return _model.ContentImage(image=part.data_uri, internal={NAMESPACE: part.key})
    return _model.ContentText(text=replace_surrogates(str(part)))


def _make_reply(reply: ChatMessage, model: str | None = None) -> Any:
    content: Any = replace_surrogates(find_text(reply))
    if thoughts := join_thoughts(reply):
        content = [
            _model.ContentReasoning(reasoning=thoughts),
            _model.ContentText(text=content),
        ]
    calls = [_make_call(call) for call in reply.get("tool_calls") or ()]
    return _model.ChatMessageAssistant(
        content=content, tool_calls=calls or None, source="generate", model=model
    )


def _make_call(call: Any) -> Any:
    error = None
    try:
        arguments = parse_call_arguments(call)
    except ValueError as problem:  # a model's mistake
        arguments, error = find_raw_arguments(call), replace_surrogates(str(problem))
    if not isinstance(arguments, dict):
        arguments = {"arguments": arguments}
    return _tool.ToolCall(
        id=replace_surrogates(str(call.get("id", ""))),
        function=parse_call_name(call),
        arguments=to_plain_json(arguments),
        parse_error=error,
    )


def _make_output(reply: ChatMessage, model: str) -> Any:
    fields = reply.get("fields", {})
    usage = {
        theirs: fields.get("usage", {}).get(ours)
        for ours, theirs in (
            ("prompt_tokens", "input_tokens"),
            ("completion_tokens", "output_tokens"),
        )
    }
    counted = all(type(count) is int for count in usage.values())
    return _model.ModelOutput(
        model=model,
        choices=[
            _model.ChatCompletionChoice(
                message=_make_reply(reply, model),
                stop_reason=_STOP_REASONS.get(fields.get("finish_reason"), "unknown"),
            )
        ],
        usage=_model.ModelUsage(**usage, total_tokens=sum(usage.values())) if counted else None,
        time=fields.get("latency"),
    )


def read_log_episodes(log: Any) -> Iterator[Episode]:
    """Yield the episodes of a log, with the pictures that its messages hold.

    Args:
        log: An `EvalLog` of Inspect, or the path of one.

    Raises:
        RecordError: A sample has an episode that is none.
    """
    if not isinstance(log, _log.EvalLog):
        log = _log.read_eval_log(os.fspath(log), resolve_attachments=True)
    for sample in log.samples or ():
        if "episode" in sample.store:
            episode = episode_from_json(copy.deepcopy(sample.store["episode"]))
            _restore_pictures(episode, _find_pictures(sample))
            yield episode


def read_inspect(path: Path) -> Iterator[Episode]:
    """Yield the episodes of a log that gem_ma wrote.

    Raises:
        RecordError: No sample of the log has an episode of gem_ma.
    """
    found = False
    try:
        for episode in read_log_episodes(path):
            found = True
            yield episode
    except (ValueError, KeyError) as error:
        if isinstance(error, RecordError):
            raise
        raise RecordError(f"{path}: no log of Inspect: {error}") from None
    if not found:
        raise RecordError(
            f"{path}: no sample has an episode; expected a log of gem-ma convert or of the task "
            "gem_ma/play"
        )


def _find_pictures(sample: Any) -> dict[str, str]:
    """Return the data URIs of pictures in messages, by their keys."""
    found: dict[str, str] = {}
    inputs: list[Sequence[Any]] = [sample.messages]
    inputs += [event.input for event in sample.events if event.event == "model"]
    for messages in inputs:
        for message in messages:
            for part in message.content if isinstance(message.content, list) else ():
                key = (getattr(part, "internal", None) or {}).get(NAMESPACE)
                if isinstance(key, str) and part.type == "image":
                    found[key] = part.image
    return found


def _restore_pictures(episode: Episode, found: Mapping[str, str]) -> None:
    def restore(picture: Picture) -> Picture:
        made = decode_picture(found.get(picture.key), picture.alt, picture.key)
        return made if isinstance(made, Picture) else picture

    for step in episode.steps:
        if pictures := find_observation_pictures(step.observation):
            image = step.observation["image"]
            several = isinstance(image, tuple)
            step.observation["image"] = tuple(map(restore, pictures)) if several else restore(image)
