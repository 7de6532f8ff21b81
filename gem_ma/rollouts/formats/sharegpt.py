"""ShareGPT: a JSON list of conversations, as LLaMA-Factory and others read it.

What a seat reads and what it replies take turns: `human` or `observation`, then `gpt` or
`function_call`. Checked by tests/rollouts/formats/test_sharegpt.py against LLaMA-Factory 0.9.5.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from pathlib import Path

from gem_ma.chat.messages import list_pictures, to_verl_row
from gem_ma.rollouts.episode import Episode
from gem_ma.rollouts.formats.conversations import (
    add_thoughts,
    dump_line,
    list_chats,
    list_tools,
)
from gem_ma.validation.files import write_atomically
from gem_ma.validation.json_types import JSONObject


def write_sharegpt(
    episodes: Iterable[Episode], path: Path, seats: Collection[str] | None = None
) -> None:
    """Write a conversation for each seat of each episode that did not fail.

    Pictures are files in the folder NAME.images beside the file NAME.json, and `<image>` marks
    their places.
    """
    with path.open("w", encoding="utf-8") as file:
        file.write("[\n")
        for place, (episode, seat) in enumerate(list_chats(episodes, seats)):
            file.write(",\n" if place else "")
            file.write(dump_line(_make_conversation(episode, seat, path)).rstrip("\n"))
        file.write("\n]\n")


def _make_conversation(episode: Episode, seat: str, path: Path) -> JSONObject:
    messages = episode.messages(seat)
    shaped = to_verl_row(messages)["prompt"]
    add_thoughts(shaped, messages)
    out: JSONObject = {"conversations": []}
    read: list[JSONObject] = []
    for message in shaped:
        if message["role"] == "system":
            out["system"] = message["content"]
        elif message["role"] == "assistant":
            sender = "observation" if any(one["role"] == "tool" for one in read) else "human"
            text = "\n".join(one["content"] for one in read if one["content"])
            out["conversations"] += [{"from": sender, "value": text}, _make_reply(message)]
            read = []
        else:
            read.append(message)
    if tools := list_tools(episode, seat):
        out["tools"] = json.dumps([tool.get("function", tool) for tool in tools])
    if pictures := list_pictures(messages):
        folder = path.with_suffix(".images")
        folder.mkdir(exist_ok=True)
        out["images"] = []
        for picture in pictures:
            file = folder / f"{picture.key}.png"
            if not file.exists():
                write_atomically(file, picture.png)
            out["images"].append(f"{folder.name}/{file.name}")
    return out


def _make_reply(message: JSONObject) -> JSONObject:
    thoughts = message.get("reasoning_content")
    thought = f"<think>\n{thoughts}\n</think>\n\n" if thoughts else ""
    if not message.get("tool_calls"):
        return {"from": "gpt", "value": thought + message["content"]}
    calls = [call["function"] for call in message["tool_calls"]]
    value = json.dumps(calls[0] if len(calls) == 1 else calls)
    return {"from": "function_call", "value": thought + value}
