"""The phone of a user as a picture: what the answers to its own tool calls have shown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from gem_ma.envs.tau.talk import Call
from gem_ma.scene.phone import Phone

Values = dict[str, str | bool | int | None]
LABELS = MappingProxyType({
    "airplane": "Airplane", "sim": "SIM card", "data": "Mobile data", "roaming": "Roaming",
    "saver": "Data saver", "mode": "Network", "wifi": "Wi-Fi", "calling": "Wi-Fi calls",
    "vpn": "VPN", "apn": "APN", "mmsc": "MMSC URL", "sms": "App: sms", "storage": "App: storage",
    "bill": "Bill",
})  # fmt: skip
STATUS_BAR = "Status Bar: "
_LONGEST = 8  # characters of a value that a user may write
_SIGNALS = ("no signal", "poor", "fair", "good", "excellent")
_MODES = {"4g_5g_preferred": "4G/5G", "4g_only": "4G only", "3g_only": "3G only",
          "2g_only": "2G only"}  # fmt: skip
_SIMS = {"active": "active", "missing": "missing", "locked_pin": "PIN lock",
         "locked_puk": "PUK lock"}  # fmt: skip
_SWITCHES = (  # what a tool calls a switch that it turned or looked at
    ("Airplane Mode is now", "airplane"),
    ("Mobile Data is now", "data"),
    ("Data Roaming is now", "roaming"),
    ("Data Saver Mode is now", "saver"),
    ("Data Saver mode is", "saver"),
    ("Wi-Fi is now", "wifi"),
    ("Wi-Fi is turned", "wifi"),
    ("Wi-Fi is", "wifi"),
    ("Wi-Fi Calling is now", "calling"),
    ("Wi-Fi Calling is currently turned", "calling"),
)
_LINES = {  # lines of check_network_status
    "Airplane Mode": "airplane", "Mobile Data Enabled": "data", "Data Roaming Enabled": "roaming",
    "Wi-Fi Radio": "wifi",
}  # fmt: skip
# The beginnings of answers, and what they show.
_ANSWERS: MappingProxyType[str, Values] = MappingProxyType({
    "Your SIM card is active": {"sim": "active"},
    "No SIM card detected": {"sim": "missing"},
    "The SIM card is locked with a PIN": {"sim": "PIN lock"},
    "The SIM card is locked with a PUK": {"sim": "PUK lock"},
    "SIM card re-seated": {"sim": None},  # it may still be locked
    "VPN is ON": {"vpn": True},
    "VPN already connected": {"vpn": True},
    "VPN is turned": {"vpn": False},
    "No active VPN": {"vpn": False},
    "APN settings will reset": {"apn": "to reset"},
    "Resetting APN settings": {"apn": None, "mmsc": None},
    "No payment request": {"bill": "none"},
    "You do not have a payment request": {"bill": "none"},
})  # fmt: skip


def make_phone(calls: Iterable[Call]) -> Phone:
    """Return the phone as the answers to a user's calls have shown it, the newest last."""
    values: Values = {}
    icons: tuple[str, ...] = ()
    for call in calls:
        if call.result.startswith("Error:"):
            continue
        lines = call.result.split("\n")
        if lines[-1].startswith(STATUS_BAR):  # a line before it may be what the user wrote
            icons = tuple(lines[-1].removeprefix(STATUS_BAR).split(" | "))
            values |= _read_status_bar(icons)
            if values.get("vpn") and not values["vpn connected"]:
                values["vpn"] = False
        values |= _read_answer(str(call.name), lines, call.arguments)
    words = []
    if values.get("wifi connected"):
        words.append("Wi-Fi")
    words += [word for word, name in (("data", "data icon"), ("VPN", "vpn connected"))
              if values.get(name)]  # fmt: skip
    signal, battery = values.get("signal"), values.get("battery")
    return Phone(
        tuple([(label, _show(values.get(name))) for name, label in LABELS.items()]),
        signal if isinstance(signal, int) else None,
        str(values.get("network") or ""),
        battery if isinstance(battery, int) else None,
        values.get("airplane") is True,
        tuple(words),
    )


def _show(value: object) -> str | bool | None:
    return value if isinstance(value, str | bool) else None


def _read_status_bar(icons: tuple[str, ...]) -> Values:
    """Return what the signs of a status bar say."""
    values: Values = {"airplane": False, "wifi connected": False, "vpn connected": False,
                      "network": "", "data icon": False}  # fmt: skip
    for icon in icons:
        sign, _, words = icon.partition(" ")
        if words == "Airplane Mode":
            values |= {"airplane": True, "signal": None}
        elif words.casefold() in _SIGNALS:
            values["signal"] = _SIGNALS.index(words.casefold())
        elif icon in ("2G", "3G", "4G", "5G"):
            values["network"] = icon
        elif words == "Data Enabled":
            values |= {"data": True, "data icon": True, "saver": "🔽 Data Saver" in icons}
        elif words == "VPN Connected":
            values |= {"vpn": True, "vpn connected": True}
        elif sign == "📡":
            values |= {"wifi": True, "wifi connected": True}
        elif sign == "🔋" and words.removesuffix("%").isdecimal():
            values["battery"] = min(100, int(words.removesuffix("%")[:4]))
    return values


def _read_answer(name: str, lines: list[str], arguments: object) -> Values:
    """Return what the answer of a tool says, apart from its status bar."""
    first = lines[0]
    if name in ("check_app_status", "check_app_permissions", "grant_app_permission"):
        return _read_permissions(name, lines, arguments)
    if name == "check_network_status":
        return _read_network({name: value for name, _, value in map(_split, lines)})
    if name in ("check_network_mode_preference", "set_network_mode_preference"):
        mode = _MODES.get(first.partition(": ")[2])
        return {"mode": mode} if mode and not first.startswith("Failed") else {}
    if name in ("check_apn_settings", "set_apn_settings"):
        values: Values = {"apn": first.partition(": ")[2][:_LONGEST]}
        if name == "set_apn_settings":
            return values | {"mmsc": None}
        is_set = "MMSC URL (for picture messages): Not Set" not in lines
        return values | {"mmsc": "set" if is_set else "not set"}
    if name in ("check_payment_request", "make_payment") and " USD" in first:
        amount = first.partition(" USD")[0].rpartition(" ")[2][:_LONGEST]
        return {"bill": f"pay {amount}" if name.startswith("check") else "paid"}
    for begin, field in _SWITCHES:
        for state, is_on in (("ON", True), ("OFF", False)):
            if first.startswith(f"{begin} {state}"):
                return {field: is_on}
    return next((dict(seen) for begin, seen in _ANSWERS.items() if first.startswith(begin)), {})


def _split(line: str) -> tuple[str, str, str]:
    return line.partition(": ")


def _read_network(told: Mapping[str, str]) -> Values:
    values: Values = {
        field: told[line] in ("ON", "Yes") for line, field in _LINES.items() if line in told
    }
    values["sim"] = _SIMS.get(told.get("SIM Card Status", ""))
    signal = told.get("Cellular Signal", "")
    if signal in _SIGNALS or signal == "none":
        values["signal"] = 0 if signal == "none" else _SIGNALS.index(signal)
    network = told.get("Cellular Network Type", "none")
    values["network"] = "" if network == "none" else network
    return values


def _read_permissions(name: str, lines: list[str], arguments: object) -> Values:
    """Return what the messaging app may do."""
    if not isinstance(arguments, Mapping) or arguments.get("app_name") != "messaging":
        return {}
    if name == "grant_app_permission":
        granted = str(arguments.get("permission")).lower()
        is_granted = lines[0].startswith("Success") and granted in ("sms", "storage")
        return {granted: True} if is_granted else {}
    if name == "check_app_status":
        allowed = [line.removeprefix("   - ") for line in lines[1:]]
    else:
        allowed = lines[0].rpartition(": ")[2].removesuffix(".").split(", ")
    return {one: one in allowed for one in ("sms", "storage")}
