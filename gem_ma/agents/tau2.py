"""Players for tau2-bench's telecom: a user who does as told, and an assistant by the workflow."""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Iterator
from typing import Any, NamedTuple

STOP, TRANSFER = "###STOP###", "###TRANSFER###"
_PHONE = re.compile(r"\b\d{3}-\d{3}-\d{4}\b")
_NAME = re.compile(r"You are ([A-Z][\w'-]+ [A-Z][\w'-]+)")
_PLACE = re.compile(r"You are (?:currently )?((?:abroad|at home)[\w ]*)")


class Doing(NamedTuple):
    """A thing that a user may be asked to do: how it sounds, and the tool."""

    sounds: re.Pattern[str]
    tool: str
    arguments: tuple[tuple[str, str], ...] = ()
    wanted: str = ""  # what the tool says when it came out as it was meant


def _doing(sounds: str, tool: str, wanted: str = "", **arguments: str) -> Doing:
    return Doing(re.compile(sounds, re.I), tool, tuple(arguments.items()), wanted)


_OFF = r"\b(?:turn|switch)(?:ing)?(?: (?:it|your|the))? off|\b(?:disabl|deactivat)\w{1,4}"
_ON = r"\b(?:turn|switch)(?:ing)?(?: (?:it|your|the))? on|\b(?:enabl|activat)(?:e|ing)\b"
_GAP = r"[^.?!]{0,40}?"


def _switch(thing: str, tool: str, name: str) -> tuple[Doing, Doing]:
    """Return how it sounds to have a switch off, and on; the name is what the tool calls it."""
    return tuple(  # type: ignore[return-value]
        _doing(
            rf"(?:{verb}){_GAP}{thing}|\bturn(?: (?:your|the))? {thing} {word}\b",
            tool,
            rf"{name} is now {word.upper()}",
        )
        for verb, word in ((_OFF, "off"), (_ON, "on"))
    )


DOINGS = (
    *_switch("airplane mode", "toggle_airplane_mode", "Airplane Mode"),
    *_switch("(?:data )?roaming", "toggle_roaming", "Data Roaming"),
    *_switch("data saver(?: mode)?", "toggle_data_saver_mode", "Data Saver Mode"),
    *_switch("(?:mobile|cellular) data", "toggle_data", "Mobile Data"),
    *_switch("wi-?fi calling", "toggle_wifi_calling", "Wi-Fi Calling"),
    _doing(rf"(?:{_OFF}|\bdisconnect\w{{0,4}}){_GAP}vpn", "disconnect_vpn"),
    _doing(r"\bre-?(?:seat|insert)\w{0,4}", "reseat_sim_card"),
    _doing(rf"\breset\w{{0,4}}{_GAP}apn", "reset_apn_settings"),
    _doing(r"\b(?:restart|reboot)\w{0,4}", "reboot_device"),
    _doing(
        rf"\b(?:set|chang|switch)\w{{0,4}}{_GAP}(?:network mode|network[\w ]{{0,20}} preference"
        r"|preferred network)",
        "set_network_mode_preference",
        mode="4g_5g_preferred",
    ),
    _doing(
        rf"\b(?:grant|giv|allow)\w{{0,4}}{_GAP}storage",
        "grant_app_permission",
        app_name="messaging",
        permission="storage",
    ),
    _doing(
        rf"\b(?:grant|giv|allow)\w{{0,4}}{_GAP}sms",
        "grant_app_permission",
        app_name="messaging",
        permission="sms",
    ),
    _doing(r"(?:make|making) the payment|pay (?:it|the bill|this bill)", "make_payment"),
    _doing(r"payment request", "check_payment_request"),
    _doing(r"status bar", "check_status_bar"),
    _doing(r"network status|cellular service|data roaming", "check_network_status"),
    _doing(r"network mode|preferred network|network preference", "check_network_mode_preference"),
    _doing(r"\bsim\b", "check_sim_status"),
    _doing(r"\bapn\b|mmsc", "check_apn_settings"),
    _doing(r"data saver|data restriction", "check_data_restriction_status"),
    _doing(r"\bvpn\b", "check_vpn_status"),
    _doing(r"wi-?fi calling", "check_wifi_calling_status"),
    _doing(r"permissions?\b", "check_app_permissions", app_name="messaging"),
    _doing(r"speed test", "run_speed_test"),
    _doing(r"\bmms\b|picture message", "can_send_mms"),
)
_ABOUT = {  # of a wish, by a word of it: how it is told, what to look at, and how that is well
    "MMS": ("I cannot send picture messages (MMS).", "can_send_mms", "can send MMS"),
    "mobile data": (
        "My mobile data is not working properly: it stops or is very slow.",
        "run_speed_test",
        "(Excellent)",
    ),
    "No Service": ("My phone shows 'No Service'.", "check_status_bar", ""),
}
_NO_SIGNAL = re.compile(r"No Signal|Airplane Mode")
_SOLVED = re.compile(r"solved|resolved|anything else|work(?:s|ing)? now|fixed", re.I)
_WHO = re.compile(r"phone number|your name|who (?:are|am)", re.I)
_WHERE = re.compile(r"abroad|travel|where|at home|location", re.I)
_REFUEL = re.compile(r"refuel|top up|\bGB\b", re.I)
_TOOL = re.compile(r"call your tool: (\{.*\})", re.S)
_HANDED = re.compile(r"transferr(?:ed|ing)|human agent", re.I)


def told_to_call(view: Any) -> str | None:
    """Return the call that a user was told to make by name, then what came of it, or None."""
    heard = view.talk[-1].text if view.talk else ""
    found = _TOOL.search(heard)
    if not found:
        return None
    here = [one.result for one in view.calls if one.after == len(view.talk)]
    return f"It says: {here[-1]}" if here else found[1]


class Caller:
    """What a user of telecom says or does next: what it is told, one thing after the other."""

    def __init__(self, view: Any):
        self.view = view
        task = view.task.scenario
        named = [(task.index(word), one) for word, one in _ABOUT.items() if word in task]
        self.wish = min(named)[1] if named else None  # the first is why it calls
        self.task = task
        self.heard = view.talk[-1].text if view.talk else ""
        here = [one for one in view.calls if one.after == len(view.talk)]
        self.done = [(one.name, one.result) for one in here]

    def reply(self) -> str:
        if not any(who == "user" for who, _ in self.view.talk) and not self.done:
            return self._complaint()
        if _HANDED.search(self.heard):
            return TRANSFER
        asked = list(self._asked())
        for place, doing in enumerate(asked):
            if place >= len(self.done):
                return _call(doing.tool, **dict(doing.arguments))
        if asked:
            last = asked[-1]
            if last.wanted and last.wanted not in self.done[-1][1] and len(self.done) < 12:
                return _call(last.tool)  # it was as it should be before, and is again
            return "\n".join(result for _, result in self.done)
        return self._answer()

    def _asked(self) -> Iterator[Doing]:
        """Yield what the last message asks for, in its order; of two that fit, the listed first."""
        found: list[tuple[int, int, Doing]] = []
        for doing in DOINGS:
            for one in doing.sounds.finditer(self.heard):
                if all(one.end() <= start or one.start() >= end for start, end, _ in found):
                    found.append((one.start(), one.end(), doing))
        tools = []
        for _, _, doing in sorted(found, key=lambda one: one[:2]):
            if (doing.tool, doing.arguments) not in tools:
                tools.append((doing.tool, doing.arguments))
                yield doing

    def _complaint(self) -> str:
        told = self.wish[0] if self.wish else "Something is wrong with my phone."
        return f"Hello. {told} Can you help me?"

    def _answer(self) -> str:
        name, phone = _NAME.search(self.task), _PHONE.search(self.task)
        place = _PLACE.search(self.task)
        parts = []
        if _WHO.search(self.heard):
            parts.append(f"I am {name[1]}." if name else "")
            parts.append(f"My phone number is {phone[0]}." if phone else "")
        if _WHERE.search(self.heard):
            parts.append(f"I am {place[1].strip()}." if place else "I am at home.")
        if _REFUEL.search(self.heard):
            parts.append("Yes, please refuel 2 GB. I do not want another plan.")
        if any(parts):
            return " ".join(part for part in parts if part)
        if _SOLVED.search(self.heard):
            return self._look()
        return "Yes, please." if "?" in self.heard else "What should I do?"

    def _look(self) -> str:
        """See whether all is well; then that is the end."""
        if self.wish is None:
            return STOP
        _, tool, good = self.wish
        seen = [result for name, result in self.done if name == tool]
        if not seen:
            return _call(tool)
        well = good in seen[-1] if good else not _NO_SIGNAL.search(seen[-1])
        return STOP if well else f"No, it is not. {seen[-1]}"


def _call(name: str, **arguments: Any) -> str:
    return json.dumps({"name": name, "arguments": arguments})


# -- the assistant -------------------------------------------------------------------------------

Flow = Generator[str, str, Any]  # yields what it says or calls, and is sent what came of it


class GiveUp(Exception):
    """Nothing that the workflow knows helps: somebody else has to."""


def next_of_workflow(view: Any) -> str:
    """Return what an assistant who follows the workflow says or does next."""
    flow = _workflow(next((text for who, text in view.talk if who == "user"), ""))
    doing = next(flow)
    for answer in _answers(view):
        doing = flow.send(answer)
    return doing


def _answers(view: Any) -> Iterator[str]:
    """Yield what came of all that the assistant said and did, in order."""
    calls = list(view.calls)
    spoke = False  # the assistant has, since the user's first words
    for place, (who, text) in enumerate(view.talk):
        if who == "user" and spoke:
            yield text
        if who == "user":
            for one in [call for call in calls if call.after == place + 1]:
                yield one.result
        spoke = spoke or (who == "assistant" and place > 0 and view.talk[place - 1].who == "user")


def _workflow(complaint: str) -> Flow:
    try:
        yield from _help(complaint)
    except GiveUp as why:
        yield _call("transfer_to_human_agents", summary=str(why))
        while True:
            yield "YOU ARE BEING TRANSFERRED TO A HUMAN AGENT. PLEASE HOLD ON."


def _help(complaint: str) -> Flow:
    heard, phone = complaint, _PHONE.search(complaint)
    for _ in range(3):
        if phone:
            break
        heard = yield "Could you tell me your name and your phone number, please?"
        phone = _PHONE.search(heard)
    if not phone:
        raise GiveUp("the user does not say their phone number")
    found = yield _call("get_customer_by_phone", phone_number=phone[0])
    customer = _read(found)
    line: Any = {}
    for id in customer.get("line_ids", ()):
        line = _read((yield _call("get_details_by_id", id=id)))
        if line.get("phone_number") == phone[0]:
            break
    if not line:
        raise GiveUp(f"no line of {phone[0]} is known")
    case = _Case(customer["customer_id"], line)
    if re.search(r"mms|picture", complaint, re.I):
        yield from case.messages()
    elif re.search(r"data|internet|slow", complaint, re.I):
        yield from case.data(fast=True)
    else:
        yield from case.service()
    for _ in range(3):
        yield "Is it solved? Is there anything else that I can do for you?"
    raise GiveUp("all that the workflow knows was tried")


def _read(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return {}


class _Case:
    """One line of one customer, and the paths of the workflow through what may be wrong with it."""

    def __init__(self, customer: str, line: Any):
        self.customer, self.line = customer, line
        self.of = {"customer_id": customer, "line_id": line["line_id"]}
        self.served = False  # service was seen to be there

    def service(self) -> Flow:
        """Path 1: no service."""
        if self.served:
            return
        bar = yield "Please look at your status bar."
        if _NO_SIGNAL.search(bar):
            yield from self._serve()
        self.served = True

    def _serve(self) -> Flow:
        seen = yield "Please check the network status of your phone."
        if "Airplane Mode: ON" in seen:
            yield "Please turn off airplane mode."
        if not (yield from self._silent()):
            return
        sim = yield "Please check the status of your SIM card."
        if "locked" in sim:
            raise GiveUp("the SIM card is locked")
        if "No SIM" in sim:
            yield "Please re-seat your SIM card."
            if not (yield from self._silent()):
                return
        yield "Please reset your APN settings."
        yield "Please restart your phone."
        if not (yield from self._silent()):
            return
        yield from self._resume()
        yield "Please restart your phone."
        if (yield from self._silent()):
            raise GiveUp("there is no service, and nothing of the workflow helps")

    def _silent(self) -> Flow:
        """Return whether there still is no service."""
        bar = yield "Please look at your status bar again."
        return bool(_NO_SIGNAL.search(bar))

    def _resume(self) -> Flow:
        """Lift a suspension, where the policy lets it be lifted."""
        if self.line["status"] != "Suspended":
            raise GiveUp("there is no service, and the line is not suspended")
        ended = self.line.get("contract_end_date")
        if ended and ended < "2025-02-25":
            raise GiveUp("the line is suspended, and its contract has ended")
        bills = _read((yield _call("get_bills_for_customer", customer_id=self.customer)))
        for bill in [one for one in bills if one["status"] == "Overdue"]:
            yield _call("send_payment_request", customer_id=self.customer, bill_id=bill["bill_id"])
            yield "There is an overdue bill. Please check your payment request."
            yield "If that is right, please make the payment."
            yield _call("get_details_by_id", id=bill["bill_id"])
        yield _call("resume_line", **self.of)

    def data(self, fast: bool) -> Flow:
        """Path 2: mobile data that does not work or, where it should be fast, is slow."""
        speed = yield "Please run a speed test."
        if "failed" in speed or "no connection" in speed.lower():
            yield from self.service()
            speed = yield from self._connect()
        if not fast or "(Excellent)" in speed:
            return
        for question, bad, remedy in (
            (
                "Please check your data restrictions: data saver.",
                "ON",
                "Please turn off data saver mode.",
            ),
            (
                "Please check your network mode preference.",
                r"2g|3g|4g_only",
                "Please change your preferred network mode to one with 4G and 5G.",
            ),
            ("Please check your VPN status.", "ON and connected", "Please disconnect your VPN."),
        ):
            seen = yield question
            if re.search(bad, seen):
                yield remedy
                speed = yield "Please run a speed test again."
                if "(Excellent)" in speed:
                    return
        if "(Excellent)" not in speed:
            raise GiveUp("mobile data is slow, and nothing of the workflow helps")

    def _connect(self) -> Flow:
        place = yield "Are you abroad or at home at the moment?"
        seen = yield "Please check the network status of your phone."
        if "abroad" in place:
            if "Roaming Enabled: No" in seen:
                yield "Please turn on data roaming."
            if not self.line.get("roaming_enabled"):
                yield _call("enable_roaming", **self.of)
        if "Mobile Data Enabled: No" in seen:
            yield "Please turn on mobile data."
        usage = _read((yield _call("get_data_usage", **self.of)))
        used, limit, more = (
            float(usage.get(name, 0))
            for name in ("data_used_gb", "data_limit_gb", "data_refueling_gb")
        )
        if used >= limit + more:
            answer = yield "Your data is used up. Shall I refuel 2 GB?"
            if not re.search(r"\b(?:yes|refuel)\b", answer, re.I):
                raise GiveUp("the data is used up, and the user does not want more")
            yield _call("refuel_data", **self.of, gb_amount=2.0)
        speed = yield "Please run a speed test again."
        if "failed" in speed or "no connection" in speed.lower():
            raise GiveUp("mobile data does not work, and nothing of the workflow helps")
        return speed

    def messages(self) -> Flow:
        """Path 3: picture messages."""
        if (yield from self._sent()):
            return
        yield from self.service()
        yield from self.data(fast=False)
        if (yield from self._sent()):
            return
        mode = yield "Please check your network mode preference."
        if "2g" in mode:
            yield "Please change your preferred network mode to one with 4G and 5G."
        calling = yield "Please check your Wi-Fi calling."
        if "ON" in calling:
            yield "Please turn off Wi-Fi calling."
        allowed = yield "Please check the permissions of your messaging app."
        for permission in ("storage", "sms"):
            if permission not in allowed.partition("for:")[2]:
                yield f"Please grant the messaging app the {permission} permission."
        settings = yield "Please check your APN settings."
        if re.search(r"MMSC URL[^:]{0,40}: (?:Not Set|None|not)", settings, re.I):
            yield "Please reset your APN settings."
            yield "Please restart your phone."
        if not (yield from self._sent()):
            raise GiveUp("picture messages cannot be sent, and nothing of the workflow helps")

    def _sent(self) -> Flow:
        answer = yield "Can you send an MMS with your messaging app?"
        return "can send" in answer
