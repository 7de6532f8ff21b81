"""Assistants that know a task: its gold actions, or the tools that it needs."""

from __future__ import annotations

import json
from typing import Any

from gem_ma.chat.turn import Turn
from gem_ma.envs.tau.agents.assistants.airline_dialogue import serve_passenger
from gem_ma.envs.tau.agents.assistants.dialogue_flow import (
    HANDOVER,
    TRANSFER,
    continue_dialogue,
    format_call,
)
from gem_ma.envs.tau.agents.assistants.service_dialogue import TaskKnowledge
from gem_ma.envs.tau.agents.assistants.shop_dialogue import serve_customer
from gem_ma.envs.tau.agents.assistants.telecom_workflow import continue_workflow
from gem_ma.envs.tau.agents.users.user_faults import list_tool_names
from gem_ma.validation.arguments import check_each

USER_REQUESTS = {
    "restart_phone": "Could you restart your phone, please?"
}  # requests for actions of the user


class OracleAssistant:
    """Play the gold actions of the task, and say the required outputs."""

    portable = True
    seats = ("assistant",)

    def act(self, turns: list[Turn]) -> list[str]:
        return [self._reply(turn) for turn in check_each(turns, Turn, "turns")]

    def _reply(self, turn: Turn) -> str:
        state = _get_state(turn)
        task = state.task
        if _is_tau2(state):
            return _choose_gold_action(state)
        done = [(one.by, one.name) for one in state.calls if one.name not in ("read_inbox",)]
        if len(done) < len(task.actions):
            name, arguments = task.actions[len(done)]
            if name in USER_REQUESTS:
                return USER_REQUESTS[name]
            return json.dumps({"name": name, "arguments": dict(arguments)})
        has_ended = any(text.startswith("All is done") for who, text in state.talk if who != "user")
        outputs = f" ({', '.join(task.outputs)})" if task.outputs and not has_ended else ""
        return f"All is done{outputs}. Is there anything else?"

    def __repr__(self) -> str:
        return "OracleAssistant()"


class InformedAssistant:
    """Know the required tools and outputs of a task, and learn all else by asking.

    The assistant hears the details of a change from the user and looks them up with its tools. It
    tells the required outputs once the user has asked a question.
    """

    portable = True
    seats = ("assistant",)

    def act(self, turns: list[Turn]) -> list[str]:
        return [self._reply(turn) for turn in check_each(turns, Turn, "turns")]

    def _reply(self, turn: Turn) -> str:
        state = _get_state(turn)
        game: Any = turn.position.game  # type: ignore[union-attr]
        names = list_tool_names(game.tools(turn.seat))  # a turn's may be in its text
        view = state.seen_by(turn.seat)
        if "get_customer_by_phone" in names:
            return continue_workflow(view)
        owed = getattr(state.task, "outputs", getattr(state.task, "communicate", ()))
        wishes = game.wants(state.task).wishes
        if not names & {"get_order_details", "get_reservation_details"}:
            raise ValueError(
                "informed-assistant plays domains of shops, airlines and telecom only, got "
                f"{turn.env_id or 'another'}"
            )
        task = TaskKnowledge(tuple([wish.tool for wish in wishes]), tuple(owed))
        serve = serve_passenger if "get_reservation_details" in names else serve_customer
        return continue_dialogue(lambda first: serve(task, first), view)

    def __repr__(self) -> str:
        return "InformedAssistant()"


class TransferAssistant:
    """Hand every user over to a human agent at once."""

    portable = True
    seats = ("assistant",)

    def act(self, turns: list[Turn]) -> list[str]:
        return [self._reply(turn) for turn in check_each(turns, Turn, "turns")]

    def _reply(self, turn: Turn) -> str:
        state = _get_state(turn)
        if not any(call.name == TRANSFER for call in state.calls):
            return format_call(TRANSFER, summary="I hand everybody over.")
        return HANDOVER if state.talk else format_call("done")

    def __repr__(self) -> str:
        return "TransferAssistant()"


def _is_tau2(state: object) -> bool:
    return hasattr(getattr(state, "task", None), "scenario")


def _choose_gold_action(state: Any) -> str:
    """Return the next gold action; for a user's action, ask the user to call the tool."""
    calls = list(state.calls)
    for one in state.task.actions or ():
        matching_calls = [
            it for it in calls if it.by == one.seat and one.matches(it.name, it.arguments)
        ]
        if matching_calls:
            calls.remove(matching_calls[0])
            continue
        doing = format_call(one.name, **one.arguments)
        if one.seat == "assistant" or not state.talk:
            return doing
        return f"Please call your tool: {doing}"
    if not state.talk:  # without a user
        return format_call("done")
    if state.task.transfer:
        return HANDOVER
    text_so_far = " ".join(text for who, text in state.talk if who == "assistant")
    left = [one for one in state.task.communicate if one not in text_so_far]
    return f"All is done{': ' if left else ''}{', '.join(left)}. Is there anything else?"


def _get_state(turn: Turn) -> Any:
    if turn.position is None or not hasattr(turn.position.state, "task"):
        raise ValueError(
            f"{turn.env_id or 'this game'} has no tasks; this agent plays tau:... and tau2:... only"
        )
    return turn.position.state
