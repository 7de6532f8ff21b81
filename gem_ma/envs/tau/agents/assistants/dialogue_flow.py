"""Assistants as straight-line code: what one says or calls is yielded, the answer sent back.

A reply depends on the talk alone: the code runs anew from the user's first words each time.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterator
from typing import Any

from gem_ma.envs.tau.talk import TalkView

DialogueFlow = Generator[str, str, Any]


def format_call(name: str, /, **arguments: object) -> str:
    """Return the reply that calls a tool."""
    return json.dumps({"name": name, "arguments": arguments})


def continue_dialogue(flow: Callable[[str], DialogueFlow], view: TalkView) -> str:
    """Return what comes next in a talk, of which so much has happened as a view shows."""
    run = flow(next((text for who, text in view.talk if who == "user"), ""))
    doing = next(run)
    for answer in _list_answers(view):
        doing = run.send(answer)
    return doing


def _list_answers(view: TalkView) -> Iterator[str]:
    """Yield what came of all that the assistant said and did, in order."""
    calls = list(view.calls)
    spoke = False  # the assistant has, since the user's first words
    for place, (who, text) in enumerate(view.talk):
        if who == "user" and spoke:
            yield text
        if who == "user":
            for one in [it for it in calls if it.after == place + 1]:
                yield one.result
        spoke = spoke or (who == "assistant" and place > 0 and view.talk[place - 1].who == "user")
