"""OpenAI's files for fine-tuning: a line of JSON for each conversation, with its tools.

Checked by tests/rollouts/formats/test_openai_files.py against the types of openai 2.54.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path

from gem_ma.chat.messages import to_openai_chat
from gem_ma.rollouts.episode import Episode
from gem_ma.rollouts.formats.conversations import dump_line, list_chats, list_tools
from gem_ma.validation.json_types import JSONObject


def write_openai(
    episodes: Iterable[Episode], path: Path, seats: Collection[str] | None = None
) -> None:
    """Write a line for each seat of each episode that did not fail.

    Replies from before the rollout have the weight 0, so that nothing is learned from them.
    """
    with path.open("w", encoding="utf-8") as file:
        for episode, seat in list_chats(episodes, seats):
            file.write(dump_line(_make_line(episode, seat)))


def _make_line(episode: Episode, seat: str) -> JSONObject:
    messages = to_openai_chat(episode.messages(seat))
    own = len(episode.list_own_steps(seat))
    replies = [message for message in messages if message["role"] == "assistant"]
    for message in replies[: len(replies) - own]:
        message["weight"] = 0
    _number_calls(messages)
    line: JSONObject = {"messages": messages}
    if tools := list_tools(episode, seat):
        line["tools"] = tools
    return line


def _number_calls(messages: list[JSONObject]) -> None:
    """Give each call an id of its own where a model gave none, or one twice; results follow."""
    used: set[str] = set()
    for place, message in enumerate(messages):
        calls = message.get("tool_calls", ())
        ids = [call.get("id", "") for call in calls]
        if all(ids) and len({*ids, *used}) == len(ids) + len(used):
            used |= set(ids)
            continue
        for number, call in enumerate(calls):
            call["id"] = f"call_{place}_{number}"
            used.add(call["id"])
        for call, result in zip(calls, messages[place + 1 :], strict=False):
            if result["role"] == "tool":
                result["tool_call_id"] = call["id"]
