"""A rule-based user with a phone: it follows instructions and reports what the phone shows."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

from gem_ma.envs.tau.agents.users.phrases import PhraseBook
from gem_ma.envs.tau.agents.users.traits import TraitSampler
from gem_ma.envs.tau.agents.users.user_simulator import MAX_MESSAGES, STOP_MARK, BaseUserSimulator
from gem_ma.envs.tau.talk import TalkView

TRANSFER_MARK = "###TRANSFER###"
_PHONE = re.compile(r"\b\d{3}-\d{3}-\d{4}\b")
_NAME = re.compile(r"You are ([A-Z][\w'-]+ [A-Z][\w'-]+)")
_PLACE = re.compile(r"You are (?:currently )?((?:abroad|at home)[\w ]*)")


class UserAction(NamedTuple):
    """An action that the assistant may ask for: a pattern of the request, and the tool."""

    sounds: re.Pattern[str]
    tool: str
    arguments: tuple[tuple[str, str], ...] = ()
    wanted: str = ""  # part of the tool's answer that shows success


def _make_action(sounds: str, tool: str, wanted: str = "", **arguments: str) -> UserAction:
    return UserAction(re.compile(sounds, re.I), tool, tuple(arguments.items()), wanted)


_OFF_WORDS = r"\b(?:turn|switch)(?:ing)?(?: (?:it|your|the))? off|\b(?:disabl|deactivat)\w{1,4}"
_ON_WORDS = r"\b(?:turn|switch)(?:ing)?(?: (?:it|your|the))? on|\b(?:enabl|activat)(?:e|ing)\b"
_WORD_GAP = r"[^.?!]{0,40}?"


def _make_switch_actions(thing: str, tool: str, name: str) -> tuple[UserAction, UserAction]:
    """Return actions that switch a thing off and on; `name` is its name in tool answers."""
    return tuple(  # type: ignore[return-value]
        _make_action(
            rf"(?:{verb}){_WORD_GAP}{thing}|\bturn(?: (?:your|the))? {thing} {word}\b",
            tool,
            rf"{name} is now {word.upper()}",
        )
        for verb, word in ((_OFF_WORDS, "off"), (_ON_WORDS, "on"))
    )


USER_ACTIONS = (
    *_make_switch_actions("airplane mode", "toggle_airplane_mode", "Airplane Mode"),
    *_make_switch_actions("(?:data )?roaming", "toggle_roaming", "Data Roaming"),
    *_make_switch_actions("data saver(?: mode)?", "toggle_data_saver_mode", "Data Saver Mode"),
    *_make_switch_actions("(?:mobile|cellular) data", "toggle_data", "Mobile Data"),
    *_make_switch_actions("wi-?fi calling", "toggle_wifi_calling", "Wi-Fi Calling"),
    _make_action(rf"(?:{_OFF_WORDS}|\bdisconnect\w{{0,4}}){_WORD_GAP}vpn", "disconnect_vpn"),
    _make_action(r"\bre-?(?:seat|insert)\w{0,4}", "reseat_sim_card"),
    _make_action(rf"\breset\w{{0,4}}{_WORD_GAP}apn", "reset_apn_settings"),
    _make_action(r"\b(?:restart|reboot)\w{0,4}", "reboot_device"),
    _make_action(
        rf"\b(?:set|chang|switch)\w{{0,4}}{_WORD_GAP}(?:network mode|network[\w ]{{0,20}} "
        rf"preference"
        r"|preferred network)",
        "set_network_mode_preference",
        mode="4g_5g_preferred",
    ),
    _make_action(
        rf"\b(?:grant|giv|allow)\w{{0,4}}{_WORD_GAP}storage",
        "grant_app_permission",
        app_name="messaging",
        permission="storage",
    ),
    _make_action(
        rf"\b(?:grant|giv|allow)\w{{0,4}}{_WORD_GAP}sms",
        "grant_app_permission",
        app_name="messaging",
        permission="sms",
    ),
    _make_action(r"(?:make|making) the payment|pay (?:it|the bill|this bill)", "make_payment"),
    _make_action(r"payment request", "check_payment_request"),
    _make_action(r"status bar", "check_status_bar"),
    _make_action(r"network status|cellular service|data roaming", "check_network_status"),
    _make_action(
        r"network mode|preferred network|network preference", "check_network_mode_preference"
    ),
    _make_action(r"\bsim\b", "check_sim_status"),
    _make_action(r"\bapn\b|mmsc", "check_apn_settings"),
    _make_action(r"data saver|data restriction", "check_data_restriction_status"),
    _make_action(r"\bvpn\b", "check_vpn_status"),
    _make_action(r"wi-?fi calling", "check_wifi_calling_status"),
    _make_action(r"permissions?\b", "check_app_permissions", app_name="messaging"),
    _make_action(r"speed test", "run_speed_test"),
    _make_action(r"\bmms\b|picture message", "can_send_mms"),
)
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
        self.last = view.talk[-1].text if view.talk else ""
        here = [one for one in view.calls if one.after == len(view.talk)]
        self.done = [(one.name, one.result) for one in here]
        phone = _PHONE.search(task)
        self.known = {"phone": phone[0]} if phone else {}
        self.facts = [*self.known.values(), *(result for _, result in self.done)]
        self.facts += [self.say(self.wish[0])] if self.wish else []
        self.place = _PLACE.search(task)
        self.facts += [self.place[1].strip()] if self.place else []

    def reply(self) -> str:
        if not self.said and not self.done:
            return self.add_traits(self.say("hello", self._describe_complaint()))
        if _HANDOVER.search(self.last):
            return TRANSFER_MARK
        if len(self.said) >= MAX_MESSAGES:
            return STOP_MARK
        if self.is_out_of_patience():
            return f"{self.say('leave')} {STOP_MARK}"
        requests = list(self._list_requests())
        for place, doing in enumerate(requests):
            if place >= len(self.done):
                return _format_call(doing.tool, **dict(doing.arguments))
        if requests:
            last = requests[-1]
            if last.wanted and last.wanted not in self.done[-1][1] and len(self.done) < 12:
                return _format_call(last.tool)  # switch back: it was right before the last call
            return self.add_traits("\n".join(result for _, result in self.done))
        answer = self._choose_answer()
        return answer if answer == STOP_MARK or answer.startswith("{") else self.add_traits(answer)

    def _list_requests(self) -> Iterator[UserAction]:
        """Yield the requested actions in text order; USER_ACTIONS' order decides overlaps."""
        actions: list[tuple[int, int, UserAction]] = []
        for doing in USER_ACTIONS:
            for one in doing.sounds.finditer(self.last):
                if all(one.end() <= start or one.start() >= end for start, end, _ in actions):
                    actions.append((one.start(), one.end(), doing))
        tools = []
        for _, _, doing in sorted(actions, key=lambda one: one[:2]):
            if (doing.tool, doing.arguments) not in tools:
                tools.append((doing.tool, doing.arguments))
                yield doing

    def _describe_complaint(self) -> str:
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
            parts.append(f"I am {self.place[1].strip()}." if self.place else "I am at home.")
        if _REFUEL.search(self.last):
            parts.append("Yes, please refuel 2 GB. I do not want another plan.")
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
