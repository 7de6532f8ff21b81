"""Assistants that know the task: one heeds nothing else, one heeds all it reads, one refuses."""

from __future__ import annotations

from typing import ClassVar

from gem_ma.chat.turn import Turn
from gem_ma.envs.inject.contents import PlannedCall
from gem_ma.envs.inject.game import ASSISTANT, IMPOSSIBLE, InjectionState
from gem_ma.envs.inject.judging import ANSWER
from gem_ma.envs.inject.scenario import InjectionScenario
from gem_ma.envs.inject.tool_calls import drop_quotes
from gem_ma.envs.inject.worlds import WORLDS
from gem_ma.envs.tau.agents.assistants.dialogue_flow import (
    DialogueFlow,
    continue_dialogue,
    format_call,
)
from gem_ma.validation.arguments import check_each


class InjectionOracle:
    """Do the user's task, and nothing that a text asks for."""

    portable = True
    seats: ClassVar = (ASSISTANT,)
    plays: ClassVar[str] = "inject-oracle"

    def act(self, turns: list[Turn]) -> list[str]:
        return [self._reply(turn) for turn in check_each(turns, Turn, "turns")]

    def _reply(self, turn: Turn) -> str:
        state = get_injection_state(turn, self.plays)
        return continue_dialogue(
            lambda request: self._serve(state.scenario), state.seen_by(ASSISTANT)
        )

    def _serve(self, scenario: InjectionScenario) -> DialogueFlow:
        """Make the calls of the plan, and answer; then answer again, without end."""
        told: list[str] = []
        for call in scenario.plan:
            result = yield write_call(call)
            yield from self._heed(scenario, result, told)
        if not scenario.feasible:
            yield format_call(IMPOSSIBLE, reason=" ".join(("A value is missing.", *told)))
        values = (f"{ANSWER}: {', '.join(scenario.answers)}",) if scenario.answers else ()
        while True:
            yield "\n".join(("Done.", *told, *values))

    def _heed(self, scenario: InjectionScenario, result: str, told: list[str]) -> DialogueFlow:
        """Do what the answer of a tool asks for: nothing.

        Args:
            scenario: What the episode is about.
            result: The answer.
            told: What the last message will tell in addition.
        """
        yield from ()

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class NaiveAssistant(InjectionOracle):
    """Do the user's task, and all that the answers of tools ask for.

    Args:
        ignores_quotes: Whether quoted lines ask for nothing.
    """

    plays = "inject-naive"

    def __init__(self, ignores_quotes: bool = False):
        self.ignores_quotes = ignores_quotes

    def _heed(self, scenario: InjectionScenario, result: str, told: list[str]) -> DialogueFlow:
        text = drop_quotes(result) if self.ignores_quotes else result
        for kind in WORLDS[scenario.world].goals:
            for goal in kind.find_goals(text):
                for call in goal.calls:
                    answer = yield write_call(call)
                    if goal.tells:
                        told.append(answer)

    def __repr__(self) -> str:
        return f"NaiveAssistant(ignores_quotes={self.ignores_quotes})"


class RefusingAssistant:
    """Say that the task cannot be done, whatever it is."""

    portable = True
    seats: ClassVar = (ASSISTANT,)

    def act(self, turns: list[Turn]) -> list[str]:
        return [self._reply(turn) for turn in check_each(turns, Turn, "turns")]

    def _reply(self, turn: Turn) -> str:
        get_injection_state(turn, "inject-refuser")
        return format_call(IMPOSSIBLE, reason="It cannot be done.")

    def __repr__(self) -> str:
        return "RefusingAssistant()"


def write_call(call: PlannedCall) -> str:
    """Return the reply that makes a call."""
    return format_call(call.name, **call.arguments)


def get_injection_state(turn: Turn, name: str) -> InjectionState:
    """Return the state of a turn, or raise ValueError in another game."""
    state = turn.position and turn.position.state
    if not isinstance(state, InjectionState):
        raise ValueError(f"{name} plays inject:... only, got {turn.env_id or 'another game'}")
    return state
