"""A rule-based user with a phone: it follows instructions and reports what the phone shows."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Sequence
from typing import Protocol

from gem_ma.envs.tau.agents.users.message_parsing import AssistantMessage
from gem_ma.envs.tau.agents.users.phone_actions import UserAction, find_requests, trace_requests
from gem_ma.envs.tau.agents.users.phrases import REFUEL, PhraseBook
from gem_ma.envs.tau.agents.users.traits import TraitSampler
from gem_ma.envs.tau.agents.users.user_simulator import (
    DELAYS,
    MAX_MESSAGES,
    STOP_MARK,
    BaseUserSimulator,
)
from gem_ma.envs.tau.talk import TalkView

TRANSFER_MARK = "###TRANSFER###"
_PHONE = re.compile(r"\b\d{3}-\d{3}-\d{4}\b")
_NAME = re.compile(r"You are ([A-Z][\w'-]+ [A-Z][\w'-]+)")
_PLACE = re.compile(r"You are (?:currently )?((?:abroad|at home)[\w ]*)")


_COMPLAINTS = {  # by a word of the scenario: phrase, tool for a check, and its answer if solved
    "MMS": ("no_mms", "can_send_mms", "can send MMS"),
    "mobile data": ("no_data", "run_speed_test", "(Excellent)"),
    "No Service": ("no_service", "check_status_bar", ""),
}
_NO_SIGNAL = re.compile(r"No Signal|Airplane Mode")
_SOLVED = re.compile(r"solved|resolved|anything else|work(?:s|ing)? now|fixed", re.I)
_WHO = re.compile(r"phone number|your name|who (?:are|am)", re.I)
_WHAT = re.compile(r"what (?:exactly )?(?:is|seems)|describe", re.I)
_WHERE = re.compile(r"abroad|travel|where|at home|location", re.I)
_REFUEL = re.compile(r"refuel|top up|\bGB\b", re.I)
_CALL_MARK = "call your tool: {"
_HANDOVER = re.compile(r"transferr(?:ed|ing)|human agent", re.I)


def find_requested_call(view: TalkView) -> str | None:
    """Return the tool call that the assistant spells out, then its result, or None."""
    message = view.talk[-1].text if view.talk else ""
    begin, end = message.find(_CALL_MARK), message.rfind("}")
    if not 0 <= begin < end:
        return None
    here = [one.result for one in view.calls if one.after == len(view.talk)]
    return f"It says: {here[-1]}" if here else message[begin + len(_CALL_MARK) - 1 : end + 1]


def list_tools_called(view: TalkView) -> list[set[str]]:
    """Return the names of the user's calls before each of its messages, and since the last."""
    names: list[set[str]] = [set()]
    for place in range(len(view.talk) + 1):
        names[-1] |= {str(one.name) for one in view.calls if one.after == place}
        if place < len(view.talk) and view.talk[place].who == "user":
            names.append(set())
    return names


def find_identity(scenario: str) -> dict[str, str]:
    """Return the facts of a scenario that identify its user."""
    phone = _PHONE.search(scenario)
    return {"phone": phone[0]} if phone else {}


class ScenarioTask(Protocol):
    """A task with one text that says who the user is and what it wants."""

    @property
    def scenario(self) -> str: ...


class TelecomView(TalkView, Protocol):
    """The view of the user in telecom."""

    @property
    def task(self) -> ScenarioTask: ...


class TelecomUserSimulator(BaseUserSimulator):
    """A rule-based user of telecom, which follows instructions one after the other."""

    def __init__(
        self,
        view: TelecomView,
        said: Sequence[str],
        heard: Sequence[str],
        chance: TraitSampler,
        ways: PhraseBook,
    ):
        super().__init__(said, heard, chance, ways)
        task = view.task.scenario
        named = [(task.index(word), one) for word, one in _COMPLAINTS.items() if word in task]
        self.wish = min(named)[1] if named else None  # the first one is the reason for the call
        self.task = task
        self.view = view
        self.last = self.find_request()
        here = [one for one in view.calls if one.after == len(view.talk)]
        self.done = [(one.name, one.result) for one in here]
        self.known = find_identity(task)
        self.facts = [*self.known.values(), *(result for _, result in self.done)]
        self.facts += [self.describe_problem()] if self.wish else []
        self.place = _PLACE.search(task)
        self.facts += [self.place[1].strip()] if self.place else []

    def reply(self) -> str:
        if not self.said and not self.done:
            return self.add_traits(self.say("hello", self._describe_complaint()))
        if _HANDOVER.search(self.last):
            return TRANSFER_MARK
        if len(self.said) >= MAX_MESSAGES:
            return STOP_MARK
        leave = self.take_leave()
        if leave:
            return leave
        requests = self._choose_actions()
        if requests:
            return self._perform_actions(requests)
        answer = self._choose_answer()
        return answer if answer == STOP_MARK or answer.startswith("{") else self.add_traits(answer)

    def _perform_actions(self, requests: tuple[UserAction, ...]) -> str:
        """Return the call for the next of the requested actions, or what the phone showed."""
        delay = "" if self.done else self._delay()
        if delay:
            return self.add_traits(delay)
        if len(self.done) < len(requests):
            action = requests[len(self.done)]
            return _format_call(action.tool, **dict(action.arguments))
        last = requests[-1]
        if last.wanted and last.wanted not in self.done[-1][1] and len(self.done) < 12:
            return _format_call(last.tool)  # switch back: it was right before the last call
        return self.add_traits("\n".join(result for _, result in self.done))

    def asks_something(self, text: str) -> bool:
        return super().asks_something(text) or bool(find_requests(text))

    def _choose_actions(self) -> tuple[UserAction, ...]:
        """Return the requested actions that the user does now: all, or one half after the other."""
        requests = find_requests(self.last)
        if not self.does_half(*[one.tool for one in requests]):
            return requests
        half = (len(requests) + 1) // 2
        calls = list_tools_called(self.view)[:-1]
        earlier = zip(self.heard[:-1], calls, strict=True)
        times = sum(bool(names) and text == self.last for text, names in earlier)
        return requests[half:] if times % 2 else requests[:half]

    def _delay(self) -> str:
        """Return a reply that first delays the requested actions, or ""."""
        if not self.sampler.has_any_trait(DELAYS):
            return ""
        requests = find_requests(self.last)
        calls = list_tools_called(self.view)[:-1]
        return self.delay_actions(requests, trace_requests(requests, self.heard[:-1], calls))

    def find_other_fact(self, asked: Collection[str]) -> str:
        return "" if _WHAT.search(self.last) else self.describe_problem()

    def describe_problem(self) -> str:
        return self.say(self.wish[0] if self.wish else "trouble")

    def _describe_complaint(self) -> str:
        if self.wish is not None and self.starts_wrong():
            others = [phrase for phrase, _, _ in _COMPLAINTS.values() if phrase != self.wish[0]]
            return self.say(self.sampler.pick_phrase(tuple(others), "misled"))
        if self.wish is None or self.sampler.shows_trait("vague", "complaint"):
            return self.say("trouble")
        return self.say(self.wish[0])

    def _choose_answer(self) -> str:
        parts = []
        if _WHO.search(self.last):
            name, phone = _NAME.search(self.task), self.known.get("phone", "")
            fact = self.choose_fact("phone", phone)
            held = self.withhold_facts({"phone": fact}) if phone else ""
            if held:
                return held
            erred = self.has_erred(self.known)
            parts.append(self.say("name", name[1]) if name else "")
            sentence = self.say("phone", fact) if phone else ""
            parts.append(self.say("corrected", sentence) if erred else self.recall_fact(sentence))
        if _WHAT.search(self.last) and self.wish is not None and not parts:
            parts.append(self.say(self.wish[0]))
        if _WHERE.search(self.last):
            place = self.place[1].strip() if self.place else "at home"
            parts.append(f"{place}." if self.is_terse else f"I am {place}.")
        if _REFUEL.search(self.last):
            message = AssistantMessage(self.last)
            wavers = message.confirms and not self.has_wavered()
            if wavers and self.sampler.shows_trait("fickle", len(self.said)):
                return self.say("waver")
            parts.append(REFUEL)
        if any(parts):
            return " ".join(part for part in parts if part)
        if _SOLVED.search(self.last):
            return self._check_result()
        return self.say("yes") if "?" in self.last else self.say("what")

    def _check_result(self) -> str:
        """Check whether the complaint is solved, and end the conversation if so."""
        if self.wish is None:
            return STOP_MARK
        _, tool, good = self.wish
        seen = [result for name, result in self.done if name == tool]
        if not seen:
            return _format_call(tool)
        well = good in seen[-1] if good else not _NO_SIGNAL.search(seen[-1])
        return STOP_MARK if well else f"No, it is not. {seen[-1]}"


def _format_call(name: str, **arguments: object) -> str:
    return json.dumps({"name": name, "arguments": arguments})
