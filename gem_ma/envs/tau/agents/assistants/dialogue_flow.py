"""Assistants as generators, which yield messages and tool calls and receive the answers.

A reply depends on the conversation alone: each time, the generator runs from the start.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterator
from typing import Any

from gem_ma.envs.tau.talk import TalkView

TRANSFER = "transfer_to_human_agents"
HANDOVER = "YOU ARE BEING TRANSFERRED TO A HUMAN AGENT. PLEASE HOLD ON."
DialogueFlow = Generator[str, str, Any]


def format_call(name: str, /, **arguments: object) -> str:
    """Return the reply that calls a tool."""
    return json.dumps({"name": name, "arguments": arguments})


def continue_dialogue(flow: Callable[[str], DialogueFlow], view: TalkView) -> str:
    """Return the next message or call of a flow after the answers in a view."""
    run = flow(next((text for who, text in view.talk if who == "user"), ""))
    doing = next(run)
    for answer in _list_answers(view):
        doing = run.send(answer)
    return doing


def _list_answers(view: TalkView) -> Iterator[str]:
    """Yield the answers to the assistant's messages and calls, in order."""
    calls = list(view.calls)
    spoke = False  # whether the assistant spoke after the user's first message
    for place, (who, text) in enumerate(view.talk):
        if who == "user" and spoke:
            yield text
        if who == "user":
            for one in [it for it in calls if it.after == place + 1]:
                yield one.result
        spoke = spoke or (who == "assistant" and place > 0 and view.talk[place - 1].who == "user")
