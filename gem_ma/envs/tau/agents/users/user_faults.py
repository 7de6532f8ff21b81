"""Faults of a user, found by rule in an episode or in a draft of its next message."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

import numpy as np

from gem_ma.chat.turn import Turn
from gem_ma.engine.action_parsing import strip_thinking
from gem_ma.envs.tau import fidelity
from gem_ma.envs.tau.agents.users.phone_actions import find_requests
from gem_ma.envs.tau.agents.users.shown_traits import (
    Talk,
    claims_falsely,
    list_called_tools,
    list_user_actions,
    remove_stop_marks,
)
from gem_ma.envs.tau.agents.users.telecom_simulator import list_tools_called
from gem_ma.envs.tau.talk import TalkView

_ENDS = "stopped"
_EXCUSES = {  # traits that cause faults, and how these begin
    "mistaken": "said the",
    "overclaiming": "claimed",
    "impatient": _ENDS,
    "leaving": _ENDS,
}


def find_phone_faults(
    talk: Talk, tools: Collection[object], stopped: bool, solved: bool
) -> list[str]:
    """Return what a user said of its phone that is not so, and whether it stopped too early.

    Args:
        tools: names of the tools that the user can call.
        stopped: whether the last message ends the conversation.
        solved: whether the task is solved.
    """
    faults = [
        f"claimed to have done what it had not: {said!r}"
        for place, said in enumerate(talk.said)
        if claims_falsely(talk, place, tools)
    ]
    actions = list_user_actions(tools)
    idle = bool(talk.calls) and not talk.calls[-1]
    if stopped and not solved and idle and actions and find_requests(talk.heard[-1], actions):
        faults.append(f"{_ENDS} instead of doing what it was asked to do")
    return faults


def find_draft_faults(turn: Turn, draft: str, traits: Mapping[str, float]) -> list[str]:
    """Return the faults that a draft adds to the conversation; calls of tools have none.

    Without access to the game, such as over a connection, there are none either.

    Args:
        traits: traits of the user; it may make the mistakes that belong to them.
    """
    position = turn.position
    if position is None or not hasattr(position.state, "talk"):
        return []
    text = strip_thinking(draft)
    if list_called_tools(draft, text) is not None:
        return []
    state, game = position.state, position.game
    view = state.seen_by(turn.seat)
    after = game.advance(state, {turn.seat: text}, np.random.default_rng(0))
    stopped = after.ended == "user"
    solved = stopped and game.report(after)["reward"] == 1.0
    words = remove_stop_marks(text)
    known = "\n".join([get_task_text(state.task), *[one.result for one in view.calls]])
    wants = game.wants(state.task)
    lines = [*state.talk, (turn.seat, words)]
    how = "user" if stopped else ""
    faults = fidelity.find_faults(known, lines, how, float(solved), wants)
    faults += find_phone_faults(
        _make_draft_talk(view, words), list_tool_names(turn.tools), stopped, solved
    )
    old = fidelity.find_faults(known, state.talk, "", 0.0, wants)
    excused = tuple([begin for trait, begin in _EXCUSES.items() if traits.get(trait)])
    return [one for one in faults if one not in old and not one.startswith(excused)]


def get_task_text(task: Any) -> str:
    """Return the text that tells a user its task."""
    return str(getattr(task, "scenario", "") or task.instruction)


def list_tool_names(schemas: Iterable[object]) -> set[object]:
    """Return the names of tools, from their schemas."""
    return {one["function"]["name"] for one in schemas if isinstance(one, Mapping)}


def _make_draft_talk(view: TalkView, draft: str) -> Talk:
    """Return the draft as the last message, with what came before it."""
    heard = view.talk[-1].text if view.talk else ""
    before, now = ([frozenset[str](), *map(frozenset, list_tools_called(view))])[-2:]
    return Talk(("", draft), ("", heard), (before, now), ((), ()))
