"""Actions of users with a phone: how an assistant asks for them, and what became of requests."""

from __future__ import annotations

import functools
import re
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple


class UserAction(NamedTuple):
    """An action that the assistant may ask for: a pattern of the request, and the tool."""

    sounds: re.Pattern[str]
    tool: str
    arguments: tuple[tuple[str, str], ...] = ()
    wanted: str = ""  # part of the tool's answer that shows success

    @property
    def changes_phone(self) -> bool:
        """Whether the action changes the phone, and does not only look at it."""
        return not self.tool.startswith(("check_", "run_", "can_"))


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
SHOP_ACTIONS = (_make_action(r"\b(?:restart|reboot)\w{0,4}", "restart_phone"),)


@functools.lru_cache(maxsize=1024)
def find_requests(
    text: str, actions: tuple[UserAction, ...] = USER_ACTIONS
) -> tuple[UserAction, ...]:
    """Return the requested actions in text order; the order of `actions` decides overlaps."""
    return tuple(_list_requests(text, actions))


def _list_requests(text: str, actions: Sequence[UserAction]) -> Iterator[UserAction]:
    found: list[tuple[int, int, UserAction]] = []
    for action in actions:
        for one in action.sounds.finditer(text):
            if all(one.end() <= start or one.start() >= end for start, end, _ in found):
                found.append((one.start(), one.end(), action))
    calls = []
    for _, _, action in sorted(found, key=lambda one: one[:2]):
        if (action.tool, action.arguments) not in calls:
            calls.append((action.tool, action.arguments))
            yield action


class RequestHistory(NamedTuple):
    """What became of earlier requests for the same actions."""

    vain: int  # requests since the actions were last done
    done: int  # messages after which the actions were done


def trace_requests(
    requests: tuple[UserAction, ...],
    heard: Sequence[str],
    calls: Sequence[Collection[str]],
    actions: tuple[UserAction, ...] = USER_ACTIONS,
) -> RequestHistory:
    """Return what became of earlier requests for these actions.

    Args:
        heard: the assistant's messages before the present one.
        calls: for each of them the tools that the user called before it answered.
    """
    tools = {one.tool for one in requests}
    vain = done = 0
    for text, names in zip(heard, calls, strict=True):
        if tools & set(names):
            vain, done = 0, done + 1
        elif find_requests(text, actions) == requests:
            vain += 1
    return RequestHistory(vain, done)
