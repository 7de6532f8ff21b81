"""Episodes as JSON: what a record of an episode says, checked when it is read."""

from __future__ import annotations

import functools
import json
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import IO, Any, TypeAlias

from gem_ma.chat.conversation import Step
from gem_ma.chat.messages import Picture
from gem_ma.chat.reply import Reply
from gem_ma.chat.tokenization import find_common_prefix
from gem_ma.envs.registry import Spec
from gem_ma.rollouts.episode import Episode, EpisodeFailure
from gem_ma.validation.endpoints import redact_secrets
from gem_ma.validation.files import NONBLOCKING, describe_special_file
from gem_ma.validation.json_types import JSONObject

RECORD_FORMAT = 1


class RecordError(ValueError):
    """Raised if a file contains something other than episodes."""


def episode_to_json(episode: Episode) -> JSONObject:
    """Return an episode as JSON values; a picture is written as its key."""
    out: JSONObject = {"gem_ma": RECORD_FORMAT}
    for name in Episode.__slots__:
        out[name] = getattr(episode, name)
    out["spec"] = {name: getattr(episode.spec, name) for name in ("id", "entry_point", "kwargs")}
    out["agents"] = {seat: redact_secrets(name) for seat, name in episode.agents.items()}
    out["failure"] = episode.failure and episode.failure._asdict()
    out["steps"] = [_step_to_json(step) for step in episode.steps]
    _pack_prompt_ids(out["steps"])
    if not episode.begun:
        del out["begun"]
    if not episode.redrawn:
        del out["redrawn"]
    return out


def _pack_prompt_ids(steps: Iterable[JSONObject]) -> None:
    """Replace ids that prompt_ids shares with the seat's last prompt and reply by their number.

    Otherwise, a record would grow with the square of a chat's length.
    """
    before: dict[str, list[int]] = {}
    for step in steps:
        reply, seat = step["reply"], step["agent"]
        if isinstance(reply, dict) and reply.get("prompt_ids"):
            ids = list(reply["prompt_ids"])
            same = len(find_common_prefix([before.get(seat, []), ids]))
            reply["prompt_ids"] = [same, *ids[same:]]
            before[seat] = [*ids, *reply.get("token_ids", ())]


def _unpack_prompt_ids(steps: Iterable[Step]) -> None:
    """Restore the full prompt_ids."""
    before: dict[str, list[int]] = {}
    for step in steps:
        reply, seat = step.reply, step.agent
        if isinstance(reply, Reply) and reply.prompt_ids:
            same, *rest = reply.prompt_ids
            known = before.get(seat, [])
            if type(same) is not int or not 0 <= same <= len(known):
                raise RecordError(
                    f"prompt_ids begins with {_shorten_repr(same)}: expected a whole number from "
                    f"0 to {len(known)}"
                )
            reply.prompt_ids = [*known[:same], *rest]
            before[seat] = [*reply.prompt_ids, *(reply.token_ids or ())]


def _step_to_json(step: Step) -> JSONObject:
    out: JSONObject = {"agent": step.agent, "number": step.number}
    out["observation"] = {
        name: _picture_to_json(value) if isinstance(value, Picture | tuple) else value
        for name, value in step.observation.items()
    }
    if step.text != step.observation.get("text"):
        out["text"] = step.text
    if step.results:
        out["results"] = [str(one) for one in step.results]  # pictures are recorded as their words
    if step.calls is not None:
        out["calls"] = step.calls
    fields = step.reply.fields() if isinstance(step.reply, Reply) else {}
    out["reply"] = {"text": str(step.reply), **fields} if fields else step.reply
    for name in ("move", "reward", "invalid", "seconds"):
        out[name] = getattr(step, name)
    return out


def _picture_to_json(value: Picture | tuple[Picture, ...]) -> Any:
    if isinstance(value, tuple):
        return [_picture_to_json(one) for one in value]
    return {"picture": value.key, "alt": value.alt}


def episode_from_json(data: Any, pictures: Path | None = None) -> Episode:
    """Return the episode that `episode_to_json` wrote; pictures are read when needed.

    Other data raises RecordError. Nothing that the data names is made or read before that.
    """
    fields = _check_fields(
        {**_OPTIONAL_FIELDS, **data} if isinstance(data, Mapping) else data, _EPISODE_FIELDS
    )
    spec = _check_fields(fields["spec"], _SPEC_FIELDS)
    for name, kind in (
        ("agents", str),
        ("contexts", str),
        ("rules", str),
        ("returns", _NUMBER_TYPES),
    ):
        _check_values(fields[name].values(), kind, f"in {name}")
    _check_values(fields["tools"].values(), list, "in tools")
    _check_values(fields["wrappers"], str, "in wrappers")
    fields["spec"] = Spec(**spec, recorded=True)
    fields["failure"] = (
        EpisodeFailure(**_check_fields(data["failure"], _FAILURE_FIELDS))
        if data["failure"]
        else None
    )
    fields["agents"] = {seat: redact_secrets(name) for seat, name in fields["agents"].items()}
    fields["wrappers"] = tuple(fields["wrappers"])
    fields["steps"] = [_step_from_json(step, pictures) for step in fields["steps"]]
    _unpack_prompt_ids(fields["steps"])
    _check_values(fields["redrawn"], _LIST_TYPES, "in redrawn")
    fields["redrawn"] = [tuple(pair) for pair in fields["redrawn"]]
    for pair in fields["redrawn"]:
        _check_values(pair, int, "in redrawn")
        if len(pair) != 2:
            raise RecordError(f"{_shorten_repr(pair)} in redrawn: expected a step and a seed")
    return Episode(**fields)


_OPTIONAL_FIELDS = {"sandbox": "", "begun": 0, "redrawn": ()}  # a record may lack these fields
FieldTypes: TypeAlias = type | tuple[type, ...]
_NUMBER_TYPES = (int, float)
_LIST_TYPES = (list, tuple)
_SPEC_FIELDS: dict[str, FieldTypes] = {"id": str, "entry_point": str, "kwargs": dict}
_FAILURE_FIELDS: dict[str, FieldTypes] = {"seat": (str, type(None)), "kind": str, "message": str}
_EPISODE_FIELDS: dict[str, FieldTypes] = {
    "id": str,
    "number": int,
    "spec": dict,
    "seed": int,
    "agents": dict,
    "group": int,
    "options": dict,
    "wrappers": _LIST_TYPES,
    "contexts": dict,
    "rules": dict,
    "tools": dict,
    "steps": list,
    "returns": dict,
    "ended": str,
    "report": dict,
    "failure": (dict, type(None)),
    "begun": int,
    "redrawn": _LIST_TYPES,
    "version": str,
    "sandbox": str,
    "seconds": _NUMBER_TYPES,
}
_STEP_FIELDS: dict[str, FieldTypes] = {
    "agent": str,
    "number": int,
    "observation": dict,
    "reply": (str, dict, type(None)),
    "move": (str, type(None)),
    "reward": _NUMBER_TYPES,
    "invalid": (dict, type(None)),
    "seconds": _NUMBER_TYPES,
}
_REPLY_FIELDS: dict[str, FieldTypes] = {
    "text": str,
    **dict.fromkeys(("prompt_ids", "token_ids", "logprobs", "allowed_ids"), _LIST_TYPES),
    "finish_reason": str,
    "tool_calls": _LIST_TYPES,
    "usage": dict,
    "latency": _NUMBER_TYPES,
    "cost": _NUMBER_TYPES,
    "cached": bool,
    "policy_version": int,
    "calls": _LIST_TYPES,
    "thinking_blocks": _LIST_TYPES,
}
# The key becomes the name of a picture's file, so it must not lead out of the folder.
_PICTURE_KEY = re.compile(r"[0-9A-Za-z_-]{1,128}")


def _check_fields(data: Any, kinds: Mapping[str, FieldTypes]) -> JSONObject:
    """Return the known fields of a part of a record, after checking their types; drop others."""
    if not isinstance(data, Mapping):
        raise RecordError(f"expected {{{', '.join(kinds)}}}, got {_shorten_repr(data)}")
    for name, kind in kinds.items():
        if name not in data:
            raise RecordError(f"the field {name} is missing")
        if not isinstance(data[name], kind):
            raise RecordError(
                f"{name} is {_shorten_repr(data[name])}: expected {_format_types(kind)}"
            )
    return {name: data[name] for name in kinds}


def _check_values(values: Iterable[object], kind: FieldTypes, where: str) -> None:
    for value in values:
        if not isinstance(value, kind):
            raise RecordError(f"{_shorten_repr(value)} {where}: expected {_format_types(kind)}")


def _format_types(kind: FieldTypes) -> str:
    kinds = kind if isinstance(kind, tuple) else (kind,)
    return " or ".join("null" if one is type(None) else one.__name__ for one in kinds)


def _shorten_repr(value: object) -> str:
    try:
        text = repr(value)
    except (RecursionError, ValueError):  # nested too deeply, or a number with too many digits
        text = type(value).__name__
    return text if len(text) <= 60 else text[:60] + "..."


def check_picture_key(key: object) -> str:
    """Return the key of a picture, or raise RecordError if it is no safe file name."""
    if not isinstance(key, str) or not _PICTURE_KEY.fullmatch(key):
        raise RecordError(
            f"{_shorten_repr(key)} is no key of a picture: expected 1 to 128 letters, digits, _ "
            "and -"
        )
    return key


def _step_from_json(data: Any, pictures: Path | None) -> Step:
    fields = _check_fields(data, _STEP_FIELDS)
    observation = {
        name: _pictures_from_json(value, pictures) if isinstance(value, dict | list) else value
        for name, value in fields["observation"].items()
    }
    text = data.get("text", observation.get("text", ""))
    results = data.get("results", ())
    _check_values((text,), str, "for a text")
    _check_values((results,), _LIST_TYPES, "for results")
    _check_values(results, str, "in results")
    reply = fields["reply"]
    if isinstance(reply, dict):
        reply_fields = _check_fields(
            reply, {name: _REPLY_FIELDS[name] for name in ("text", *reply) if name in _REPLY_FIELDS}
        )
        reply = Reply(reply_fields.pop("text"), **reply_fields)
    calls = data.get("calls")
    _check_values((calls,), (int, type(None)), "for calls")
    fields |= {"observation": observation, "reply": reply}
    return Step(**fields, text=text, results=tuple(results), calls=calls)


def _pictures_from_json(value: JSONObject | list[Any], folder: Path | None) -> Any:
    if isinstance(value, dict):
        return _picture_from_json(value, folder)
    _check_values(value, dict, "among pictures")
    return tuple([_picture_from_json(one, folder) for one in value])


def _picture_from_json(data: JSONObject, folder: Path | None) -> Picture:
    fields = _check_fields(data, {"picture": str, "alt": str})
    key = check_picture_key(fields["picture"])
    return make_saved_picture(str(folder / f"{key}.png") if folder else "", fields["alt"], key)


def make_saved_picture(path: str, alt: str, key: str) -> Picture:
    """Return a picture whose file is read when it is needed; "": there is no file."""
    pixels, png = functools.partial(_read_pixels, path), functools.partial(_read_png, path)
    return Picture(pixels, alt, key=key, png=png)


def _read_pixels(path: str) -> Any:
    import io

    import numpy as np
    from PIL import Image

    return np.array(Image.open(io.BytesIO(_read_png(path))).convert("RGB"))


def _read_png(path: str) -> bytes:
    try:
        with open_regular_file(path) as file:
            return file.read()
    except FileNotFoundError:
        raise FileNotFoundError(
            f"the picture {path or 'of this step'} was not saved; episode.replay() draws it again"
        ) from None


def parse_record_line(line: bytes, pictures: Path | None = None) -> Episode:
    """Return the episode in one line of a file."""
    try:
        data = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise RecordError(f"not an episode: not JSON ({error})") from None
    if not isinstance(data, dict) or "gem_ma" not in data:
        raise RecordError(
            f"not an episode: expected an object with 'gem_ma', got {_shorten_repr(data)}"
        )
    if data["gem_ma"] != RECORD_FORMAT:
        raise RecordError(
            f"the episode has format {_shorten_repr(data['gem_ma'])}, and this release of gem_ma "
            f"reads format {RECORD_FORMAT}; read it with the release that wrote it"
        )
    try:
        return episode_from_json(data, pictures)
    except RecordError as error:
        raise RecordError(f"not an episode: {error}") from None


def open_regular_file(path: str | os.PathLike[str]) -> IO[bytes]:
    """Open a regular file for reading; refuse others, because reading a pipe may block for ever."""
    file = os.open(path, os.O_RDONLY | NONBLOCKING)
    try:
        check_file_kind(file, path)
        return os.fdopen(file, "rb")
    except BaseException:
        os.close(file)
        raise


def check_file_kind(file: int, path: object) -> None:
    if kind := describe_special_file(file):
        raise RecordError(f"{path} is {kind}: expected a file of episodes")
