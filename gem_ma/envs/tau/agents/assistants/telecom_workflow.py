"""An assistant of telecom that follows the workflow, by what it hears and looks up."""

from __future__ import annotations

import json
import re
from typing import Any

from gem_ma.envs.tau.agents.assistants.dialogue_flow import (
    HANDOVER,
    TRANSFER,
    DialogueFlow,
    continue_dialogue,
    format_call,
)
from gem_ma.envs.tau.talk import TalkView
from gem_ma.validation.json_types import JSONMapping, JSONObject

_TROUBLE_WORDS = re.compile(r"mms|picture|data|internet|slow|service", re.I)
_NO_SIGNAL = re.compile(r"No Signal|Airplane Mode")
_SCREEN = r"status bar|signal|airplane"  # in what the phone shows, and in no promise to look
_CHANGED = r"status bar|payment|error"  # likewise of what it shows after a change
_SPEED = r"speed test|mbps|connection|excellent|good|fair|poor"
MAX_REQUESTS = 3  # how often the user is asked for the same before the workflow goes on
_PHONE = re.compile(r"\b\d{3}-\d{3}-\d{4}\b")


class WorkflowFailed(Exception):
    """No step of the workflow helps, and somebody else has to take over."""


def continue_workflow(view: TalkView) -> str:
    """Return the next message or call of an assistant that follows the workflow."""
    return continue_dialogue(_run_workflow, view)


def _run_workflow(complaint: str) -> DialogueFlow:
    try:
        yield from _help_caller(complaint)
    except WorkflowFailed as why:
        yield format_call(TRANSFER, summary=str(why))
        while True:
            yield HANDOVER


def _help_caller(complaint: str) -> DialogueFlow:
    phone, customer, complaint = yield from _identify_caller(complaint)
    for _ in range(3):
        if _TROUBLE_WORDS.search(complaint):
            break
        complaint = yield "What exactly is wrong with your phone?"
    line: JSONObject = {}
    for id in customer.get("line_ids", ()):
        line = _parse_result((yield format_call("get_details_by_id", id=id)))
        if line.get("phone_number") == phone:
            break
    if not line:
        raise WorkflowFailed(f"no line of {phone} is known")
    case = _TroubleCase(customer["customer_id"], line)
    if re.search(r"mms|picture", complaint, re.I):
        yield from case.messages()
    elif re.search(r"data|internet|slow", complaint, re.I):
        yield from case.data(fast=True)
    else:
        yield from case.service()
    for _ in range(3):
        yield "Is it solved? Is there anything else that I can do for you?"
    raise WorkflowFailed("all that the workflow knows was tried")


def _ask_user(request: str, answer: str) -> DialogueFlow:
    """Ask for something until the reply has what the phone shows, and return the last reply.

    Args:
        answer: a pattern of what the phone shows.
    """
    reply = ""
    for _ in range(MAX_REQUESTS):
        reply = yield request
        if re.search(answer, reply, re.I):
            break
    return reply


def _identify_caller(complaint: str) -> DialogueFlow:
    """Return the user's phone number, the customer that it belongs to, and the last complaint."""
    answer = complaint
    for _ in range(6):
        for phone in _PHONE.findall(answer):
            customer = _parse_result(
                (yield format_call("get_customer_by_phone", phone_number=phone))
            )
            if customer:
                return phone, customer, complaint
        answer = yield "Could you tell me your name and your phone number, please?"
        if _TROUBLE_WORDS.search(answer):
            complaint = answer  # the user corrects itself
    raise WorkflowFailed("the user does not say their phone number")


def _parse_result(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return {}


class _TroubleCase:
    """One line of a customer, and the paths of the workflow for its possible faults."""

    def __init__(self, customer: str, line: JSONMapping):
        self.customer, self.line = customer, line
        self.of = {"customer_id": customer, "line_id": line["line_id"]}
        self.served = False  # whether service was seen to work

    def service(self) -> DialogueFlow:
        """Follow path 1: no service."""
        if self.served:
            return
        bar = yield from _ask_user("Please look at your status bar.", _SCREEN)
        if _NO_SIGNAL.search(bar):
            yield from self._repair_service()
        self.served = True

    def _repair_service(self) -> DialogueFlow:
        seen = yield from _ask_user("Please check the network status of your phone.", _SCREEN)
        if "Airplane Mode: ON" in seen:
            yield from _ask_user("Please turn off airplane mode.", _CHANGED)
        if not (yield from self._has_no_signal()):
            return
        sim = yield from _ask_user("Please check the status of your SIM card.", r"\bsim\b")
        if "locked" in sim:
            raise WorkflowFailed("the SIM card is locked")
        if "No SIM" in sim:
            yield from _ask_user("Please re-seat your SIM card.", _CHANGED)
            if not (yield from self._has_no_signal()):
                return
        yield from _ask_user("Please reset your APN settings.", _CHANGED)
        yield from _ask_user("Please restart your phone.", _CHANGED)
        if not (yield from self._has_no_signal()):
            return
        yield from self._resume_line()
        yield from _ask_user("Please restart your phone.", _CHANGED)
        if (yield from self._has_no_signal()):
            raise WorkflowFailed("there is no service, and nothing of the workflow helps")

    def _has_no_signal(self) -> DialogueFlow:
        """Return whether there is still no service."""
        bar = yield from _ask_user("Please look at your status bar again.", _SCREEN)
        return bool(_NO_SIGNAL.search(bar))

    def _resume_line(self) -> DialogueFlow:
        """Lift a suspension if the policy allows it."""
        if self.line["status"] != "Suspended":
            raise WorkflowFailed("there is no service, and the line is not suspended")
        ended = self.line.get("contract_end_date")
        if ended and ended < "2025-02-25":
            raise WorkflowFailed("the line is suspended, and its contract has ended")
        bills = _parse_result(
            (yield format_call("get_bills_for_customer", customer_id=self.customer))
        )
        for bill in [one for one in bills if one["status"] == "Overdue"]:
            yield format_call(
                "send_payment_request", customer_id=self.customer, bill_id=bill["bill_id"]
            )
            yield from _ask_user(
                "There is an overdue bill. Please check your payment request.", "payment|bill"
            )
            yield from _ask_user("If that is right, please make the payment.", _CHANGED)
            yield format_call("get_details_by_id", id=bill["bill_id"])
        yield format_call("resume_line", **self.of)

    def data(self, fast: bool) -> DialogueFlow:
        """Follow path 2: mobile data that fails, or that is slow if `fast` is required."""
        speed = yield from _ask_user("Please run a speed test.", _SPEED)
        if "failed" in speed or "no connection" in speed.lower():
            yield from self.service()
            speed = yield from self._restore_connection()
        if not fast or "(Excellent)" in speed:
            return
        for question, shows, bad, remedy in (
            (
                "Please check your data restrictions: data saver.",
                "data saver",
                "ON",
                "Please turn off data saver mode.",
            ),
            (
                "Please check your network mode preference.",
                r"\b\dg|mode",
                r"2g|3g|4g_only",
                "Please change your preferred network mode to one with 4G and 5G.",
            ),
            (
                "Please check your VPN status.",
                "vpn",
                "ON and connected",
                "Please disconnect your VPN.",
            ),
        ):
            seen = yield from _ask_user(question, shows)
            if re.search(bad, seen):
                yield from _ask_user(remedy, _CHANGED)
                speed = yield from _ask_user("Please run a speed test again.", _SPEED)
                if "(Excellent)" in speed:
                    return
        if "(Excellent)" not in speed:
            raise WorkflowFailed("mobile data is slow, and nothing of the workflow helps")

    def _restore_connection(self) -> DialogueFlow:
        place = yield "Are you abroad or at home at the moment?"
        seen = yield from _ask_user("Please check the network status of your phone.", _SCREEN)
        if "abroad" in place:
            if "Roaming Enabled: No" in seen:
                yield from _ask_user("Please turn on data roaming.", _CHANGED)
            if not self.line.get("roaming_enabled"):
                yield format_call("enable_roaming", **self.of)
        if "Mobile Data Enabled: No" in seen:
            yield from _ask_user("Please turn on mobile data.", _CHANGED)
        usage = _parse_result((yield format_call("get_data_usage", **self.of)))
        used, limit, more = (
            float(usage.get(name, 0))
            for name in ("data_used_gb", "data_limit_gb", "data_refueling_gb")
        )
        if used >= limit + more:
            answer = yield from _ask_user(
                "Your data is used up. Shall I refuel 2 GB?", r"\b(?:yes|no|refuel)\b"
            )
            if not re.search(r"\b(?:yes|refuel)\b", answer, re.I):
                raise WorkflowFailed("the data is used up, and the user does not want more")
            yield format_call("refuel_data", **self.of, gb_amount=2.0)
        speed = yield from _ask_user("Please run a speed test again.", _SPEED)
        if "failed" in speed or "no connection" in speed.lower():
            raise WorkflowFailed("mobile data does not work, and nothing of the workflow helps")
        return speed

    def messages(self) -> DialogueFlow:
        """Follow path 3: picture messages."""
        if (yield from self._can_send()):
            return
        yield from self.service()
        yield from self.data(fast=False)
        if (yield from self._can_send()):
            return
        mode = yield from _ask_user("Please check your network mode preference.", r"\b\dg|mode")
        if "2g" in mode:
            yield from _ask_user(
                "Please change your preferred network mode to one with 4G and 5G.", _CHANGED
            )
        calling = yield from _ask_user("Please check your Wi-Fi calling.", "wi-?fi")
        if "ON" in calling:
            yield from _ask_user("Please turn off Wi-Fi calling.", _CHANGED)
        allowed = yield from _ask_user(
            "Please check the permissions of your messaging app.", "permission"
        )
        for permission in ("storage", "sms"):
            if permission not in allowed.partition("for:")[2]:
                yield from _ask_user(
                    f"Please grant the messaging app the {permission} permission.", _CHANGED
                )
        settings = yield from _ask_user("Please check your APN settings.", "apn|mmsc")
        if re.search(r"MMSC URL[^:]{0,40}: (?:Not Set|None|not)", settings, re.I):
            yield from _ask_user("Please reset your APN settings.", _CHANGED)
            yield from _ask_user("Please restart your phone.", _CHANGED)
        if not (yield from self._can_send()):
            raise WorkflowFailed(
                "picture messages cannot be sent, and nothing of the workflow helps"
            )

    def _can_send(self) -> DialogueFlow:
        answer = yield from _ask_user(
            "Can you send an MMS with your messaging app?", "can(?:not)? send mms|able|works"
        )
        return "can send" in answer
