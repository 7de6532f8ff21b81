"""The phone of telecom's user: what it shows, what can be set on it, and what that does."""

from __future__ import annotations

from typing import Any, Literal

from gem_ma.envs.tau.store import Record
from gem_ma.envs.tau2.kit import Kit, tool, writing
from gem_ma.envs.tau2.shape import (
    Default,
    Shape,
    choice,
    flag,
    mapped,
    number,
    optional,
    text,
    whole,
)

NO, POOR, FAIR, GOOD, EXCELLENT = "none", "poor", "fair", "good", "excellent"
MODES = ("4g_5g_preferred", "4g_only", "3g_only", "2g_only")
CONNECTED, SEARCHING, NO_SERVICE = "connected", "searching", "no_service"
_STRENGTH = choice(NO, POOR, FAIR, GOOD, EXCELLENT, kind="enum")
_LEVEL = choice("unknown", POOR, FAIR, GOOD, EXCELLENT, kind="enum")
_NETWORK = choice("none", "2G", "3G", "4G", "5G", kind="enum")

APN = Shape(
    "APNSettings",
    closed=True,
    apn_name=Default(choice("internet", "broken", kind="enum"), "internet"),
    reset_at_reboot=Default(flag, False),
    mms_apn=Default(optional(text), "mms"),
    mmsc_url=Default(optional(text), "http://mms.carrier.com/mms/wapenc"),
    mms_proxy=Default(optional(text)),
    mms_port=Default(optional(whole)),
)
VPN = Shape(
    "VpnDetails",
    closed=True,
    server_address=Default(optional(text)),
    protocol=Default(optional(text)),
    server_performance=Default(_LEVEL, "unknown"),
)
PERMISSIONS = Shape(
    "AppPermissions",
    closed=True,
    **dict.fromkeys(("sms", "storage", "phone", "network"), Default(flag, False)),
)
APP = Shape(
    "AppStatus",
    closed=True,
    app_name=text,
    permissions=Default(PERMISSIONS, lambda: PERMISSIONS({})),
)


def _apps() -> Record:
    return {
        name: {"app_name": name, "permissions": PERMISSIONS(dict.fromkeys(allowed, True))}
        for name, allowed in (
            ("messaging", ("sms", "storage", "phone")),
            ("browser", ("network", "storage")),
        )
    }


DEVICE = Shape(
    "MockPhoneAttributes",
    closed=True,
    sim_card_status=Default(
        choice("active", "missing", "locked_pin", "locked_puk", kind="enum"), "active"
    ),
    sim_card_missing=Default(flag, False),
    airplane_mode=Default(flag, False),
    network_signal_strength=Default(_STRENGTH, GOOD),
    network_technology_connected=Default(_NETWORK, "5G"),
    network_connection_status=Default(
        choice(CONNECTED, SEARCHING, NO_SERVICE, "emergency_only", kind="enum"), CONNECTED
    ),
    battery_level=Default(whole, 80),
    data_enabled=Default(flag, True),
    roaming_enabled=Default(flag, False),
    network_mode_preference=Default(choice(*MODES, kind="enum"), MODES[0]),
    active_apn_settings=Default(APN, lambda: APN({})),
    wifi_enabled=Default(flag, False),
    wifi_connected=Default(flag, False),
    wifi_ssid=Default(optional(text)),
    wifi_signal_strength=Default(_STRENGTH, NO),
    wifi_calling_enabled=Default(flag, False),
    wifi_calling_mms_over_wifi=Default(flag, False),
    data_saver_mode=Default(flag, False),
    vpn_enabled_setting=Default(flag, False),
    vpn_connected=Default(flag, False),
    vpn_details=Default(optional(VPN)),
    app_statuses=Default(mapped(APP), _apps),
)
REQUEST = Shape(
    "PaymentRequest", closed=True, bill_id=text, amount_due=number, paid=Default(flag, False)
)
SURROUNDINGS = Shape(
    "UserSurroundings",
    closed=True,
    name=Default(optional(text)),
    phone_number=Default(optional(text)),
    is_abroad=Default(flag, False),
    roaming_allowed=Default(flag, False),
    signal_strength=Default(
        mapped(_STRENGTH), lambda: {"2G": POOR, "3G": FAIR, "4G": GOOD, "5G": EXCELLENT}
    ),
    mobile_data_usage_exceeded=Default(flag, False),
    line_active=Default(flag, True),
    payment_request=Default(optional(REQUEST)),
)
_BARS = {
    NO: "📵 No Signal",
    POOR: "📶¹ Poor",
    FAIR: "📶² Fair",
    GOOD: "📶³ Good",
    EXCELLENT: "📶⁴ Excellent",
}
_SIM = {
    "active": "Your SIM card is active and working.",
    "missing": "No SIM card detected in the phone.",
    "locked_pin": "The SIM card is locked with a PIN code.",
    "locked_puk": "The SIM card is locked with a PUK code.",
}
_SPEEDS = {"2G": (0.1, 0.4), "3G": (1.0, 5.0), "4G": (10.0, 100.0), "5G": (50.0, 500.0)}
_SHARES = {POOR: 0.2, FAIR: 0.5, GOOD: 0.8, EXCELLENT: 1.0}
_ADVICE = (  # below which speed, what it is called, and what it is good for
    (1, "Very Poor", "Connection is very slow. Basic web browsing might be difficult."),
    (5, "Poor", "Connection is slow. Web browsing may be sluggish, streaming difficult."),
    (
        25,
        "Fair",
        "Connection is okay for web browsing and some standard definition streaming.",
    ),
    (100, "Good", "Connection is good for most activities, including HD streaming."),
    (float("inf"), "Excellent", "Connection is very fast."),
)
_NETWORKS = {"4g_only": "4G", "3g_only": "3G", "2g_only": "2G"}


def _on(state: Any) -> str:
    return "ON" if state else "OFF"


def _yes(state: Any) -> str:
    return "Yes" if state else "No"


def _value(one: Any) -> str:
    """Return a word of an enumeration; an argument that was none may stand in its place."""
    if not isinstance(one, str):
        raise AttributeError(f"{type(one).__name__!r} object has no attribute 'value'")
    return one


class TelecomUserTools(Kit):
    @property
    def device(self) -> Any:
        """The phone, to be read."""
        return self.desk.get("device", "")

    @property
    def around(self) -> Any:
        """Where the user is, to be read."""
        return self.desk.get("surroundings", "")

    def _set(self, **values: Any) -> Any:
        device = self.desk.edit("device", "")
        device.update(values)
        return device

    def _with_bar(self, words: str) -> str:
        return f"{words}\nStatus Bar: {self._bar()}"

    def _apn(self, name: str) -> Any:
        """Return a field of the APN settings, in whose place an argument may stand."""
        settings = self.device["active_apn_settings"]
        if not isinstance(settings, dict):
            kind = type(settings).__name__
            raise AttributeError(f"{kind!r} object has no attribute {name!r}")
        return settings[name]

    # -- what it shows ---------------------------------------------------------------------------

    @tool
    def check_status_bar(self) -> str:
        """Look at the icons at the top of your screen: signal, data, Wi-Fi, battery."""
        return f"Status Bar: {self._bar()}"

    def _bar(self) -> str:
        device = self.device
        network = device["network_technology_connected"]
        if device["airplane_mode"]:
            shown = ["✈️ Airplane Mode"]
        else:
            shown = [_BARS[device["network_signal_strength"]]]
            if network != "none":
                shown.append(network)
            if device["data_enabled"] and network != "none":
                shown.append("📱 Data Enabled")
                if device["data_saver_mode"]:
                    shown.append("🔽 Data Saver")
            else:
                shown.append("📵 Data Disabled")
        if device["wifi_enabled"] and device["wifi_connected"]:
            name = device["wifi_ssid"]
            shown.append(f"📡 Connected to {name}" if name else "📡 Enabled")
        if device["vpn_connected"]:
            shown.append("🔒 VPN Connected")
        shown.append(f"🔋 {device['battery_level']}%")
        return " | ".join(shown)

    @tool
    def check_network_status(self) -> str:
        """Look at how your phone is connected: airplane mode, SIM, signal, data, roaming, Wi-Fi."""
        device = self.device
        lines = [
            f"Airplane Mode: {_on(device['airplane_mode'])}",
            f"SIM Card Status: {self._sim()}",
            f"Cellular Connection: {device['network_connection_status']}",
            f"Cellular Signal: {device['network_signal_strength']}",
            f"Cellular Network Type: {device['network_technology_connected']}",
            f"Mobile Data Enabled: {_yes(device['data_enabled'])}",
            f"Data Roaming Enabled: {_yes(device['roaming_enabled'])}",
            f"Wi-Fi Radio: {_on(device['wifi_enabled'])}",
            f"Wi-Fi Connected: {_yes(device['wifi_connected'])}",
        ]
        if device["wifi_connected"]:
            lines.append(f"Connected Wi-Fi Network: {device['wifi_ssid']}")
        return "\n".join(lines)

    @tool
    def check_network_mode_preference(self) -> str:
        """Look at which kind of network your phone prefers."""
        return f"Network Mode Preference: {_value(self.device['network_mode_preference'])}"

    @writing
    def set_network_mode_preference(self, mode: str) -> str:
        """Choose which kind of network your phone prefers.

        mode: "4g_5g_preferred", "4g_only", "3g_only" or "2g_only"
        """
        known = mode in MODES if isinstance(mode, str) else True
        if known:
            self._set(network_mode_preference=mode)
            self.simulate_network_search()
        if not known or mode is None:
            return self._with_bar(
                f"Failed to set network mode: '{mode}' is not a valid option. Please use one of: "
                f"{', '.join(MODES)}"
            )
        return self._with_bar(f"Preferred Network Mode set to: {_value(mode)}")

    @tool
    def run_speed_test(self) -> str:
        """Measure how fast your mobile data is."""
        speed, name = self._speed()
        if speed is None:
            return f"Speed test failed: {name}."
        advice = next(words for _, one, words in _ADVICE if one == name)
        return f"Speed Test Result: {speed:.2f} Mbps ({name}). {advice}"

    def _speed(self) -> tuple[float | None, str]:
        if not self._data_works():
            return None, "No Connection"
        device = self.device
        details = device["vpn_details"]
        slowed = device["vpn_connected"] and details and details["server_performance"] == POOR
        share = 0.1 if slowed else 1.0
        if device["data_saver_mode"]:
            share *= 0.2
        least, most = _SPEEDS.get(device["network_technology_connected"], (0.0, 0.0))
        signal = _SHARES.get(device["network_signal_strength"], 0.0)
        speed = round((least + most) / 2.0 * signal * share, 2)
        return speed, next(name for below, name, _ in _ADVICE if speed < below)

    def _data_works(self) -> bool:
        device, around = self.device, self.around
        if device["airplane_mode"] or device["network_signal_strength"] == NO:
            return False
        if device["network_connection_status"] == NO_SERVICE:
            return False
        if around["is_abroad"] and not (device["roaming_enabled"] and around["roaming_allowed"]):
            return False
        return bool(device["data_enabled"] and not around["mobile_data_usage_exceeded"])

    # -- switches --------------------------------------------------------------------------------

    @writing
    def toggle_airplane_mode(self) -> str:
        """Turn airplane mode on, or off if it is on."""
        return self._with_bar(f"Airplane Mode is now {_on(self._fly(not self._flies()))}.")

    def _flies(self) -> bool:
        return bool(self.device["airplane_mode"])

    def _fly(self, on: bool) -> bool:
        device = self._set(airplane_mode=on)
        if not on:
            device["network_connection_status"] = SEARCHING
        if on or device["wifi_enabled"]:
            device.update(wifi_connected=False, wifi_ssid=None, wifi_signal_strength=NO)
        if on:
            self._leave_vpn()
        self.simulate_network_search()
        return on

    @tool
    def check_sim_status(self) -> str:
        """Look whether your SIM card works: it may be missing, or locked."""
        return _SIM[self._sim()]

    def _sim(self) -> str:
        device = self.device
        return "missing" if device["sim_card_missing"] else str(device["sim_card_status"])

    @writing
    def reseat_sim_card(self) -> str:
        """Take your SIM card out and put it in again."""
        self._set(sim_card_missing=False)
        self.simulate_network_search()
        return self._with_bar("SIM card re-seated successfully.")

    @writing
    def toggle_data(self) -> str:
        """Turn mobile data on, or off if it is on."""
        state = not self.device["data_enabled"]
        self._set(data_enabled=state)
        self.simulate_network_search()
        return self._with_bar(f"Mobile Data is now {_on(state)}.")

    @writing
    def toggle_roaming(self) -> str:
        """Turn data roaming on, which lets data be used abroad, or off if it is on."""
        state = not self.device["roaming_enabled"]
        self._roam(state)
        return self._with_bar(f"Data Roaming is now {_on(state)}.")

    def _roam(self, on: bool) -> None:
        self._set(roaming_enabled=on)
        self.simulate_network_search()

    @tool
    def check_data_restriction_status(self) -> str:
        """Look whether your phone saves data, which makes it slower."""
        if self.device["data_saver_mode"]:
            return "Data Saver mode is ON (limits data usage)."
        return "Data Saver mode is OFF."

    @writing
    def toggle_data_saver_mode(self) -> str:
        """Turn the saving of data on, or off if it is on."""
        state = not self.device["data_saver_mode"]
        self._set(data_saver_mode=state)
        return self._with_bar(f"Data Saver Mode is now {_on(state)}.")

    @tool
    def check_apn_settings(self) -> str:
        """Look at the technical settings with which your phone reaches the network for data."""
        self._copied()
        name, url = _value(self._apn("apn_name")) or "Not Set", self._apn("mmsc_url") or "Not Set"
        return (
            f"Current APN Name: {name}\nMMSC URL (for picture messages): {url}\n"
            "(These are technical settings, usually best left unchanged.)"
        )

    def _copied(self) -> None:
        settings = self.device["active_apn_settings"]
        if not isinstance(settings, dict):
            kind = type(settings).__name__
            raise AttributeError(f"{kind!r} object has no attribute 'model_copy'")

    @writing
    def set_apn_settings(self, apn_settings: dict[str, Any]) -> str:
        """Set the technical settings with which your phone reaches the network for data.

        apn_settings: apn_name, reset_at_reboot, mms_apn, mmsc_url, mms_proxy, mms_port
        """
        given = APN.make(**apn_settings) if isinstance(apn_settings, dict) else apn_settings
        self._set(active_apn_settings=given)
        name = self._apn("apn_name")
        self.simulate_network_search()
        return self._with_bar(f"APN settings set to: {name}")

    @writing
    def reset_apn_settings(self) -> str:
        """Have these settings set back at the next restart."""
        self._apn("reset_at_reboot")
        self.desk.edit("device", "")["active_apn_settings"]["reset_at_reboot"] = True
        self.simulate_network_search()
        return self._with_bar("APN settings will reset at reboot.")

    @tool
    def check_wifi_status(self) -> str:
        """Look whether Wi-Fi is on, and with which network it is connected."""
        device = self.device
        if not device["wifi_enabled"]:
            return "Wi-Fi is turned OFF."
        if device["wifi_connected"]:
            return (
                f"Wi-Fi is ON and connected to '{device['wifi_ssid']}'. Signal strength: "
                f"{device['wifi_signal_strength']}."
            )
        return "Wi-Fi is ON but not connected to any network."

    @writing
    def toggle_wifi(self) -> str:
        """Turn Wi-Fi on, or off if it is on."""
        if self._flies():
            return self._with_bar("Cannot change Wi-Fi settings while Airplane Mode is ON.")
        state = not self.device["wifi_enabled"]
        device = self._set(wifi_enabled=state)
        if not state:
            device.update(wifi_connected=False, wifi_ssid=None, wifi_signal_strength=NO)
        return self._with_bar(f"Wi-Fi is now {_on(state)}.")

    @tool
    def check_wifi_calling_status(self) -> str:
        """Look whether calls go over Wi-Fi."""
        return f"Wi-Fi Calling is currently turned {_on(self.device['wifi_calling_enabled'])}."

    @writing
    def toggle_wifi_calling(self) -> str:
        """Let calls go over Wi-Fi, or no longer if they do."""
        state = not self.device["wifi_calling_enabled"]
        self._set(wifi_calling_enabled=state)
        return self._with_bar(f"Wi-Fi Calling is now {_on(state)}.")

    @tool
    def check_vpn_status(self) -> str:
        """Look whether your data goes through a VPN, and how good that is."""
        device = self.device
        if device["vpn_connected"]:
            details = device["vpn_details"]
            if not details:
                return "VPN is ON and connected (no specific details available)."
            level = details["server_performance"]
            told = (
                f"{{'server_address': {details['server_address']!r}, "
                f"'protocol': {details['protocol']!r}, "
                f"'server_performance': <PerformanceLevel.{level.upper()}: {level!r}>}}"
            )
            return f"VPN is ON and connected. Details: {told}"
        if device["vpn_enabled_setting"]:
            return "VPN is turned ON in settings, but currently not connected."
        return "VPN is turned OFF."

    @writing
    def connect_vpn(self) -> str:
        """Send your data through a VPN."""
        if self.device["vpn_connected"]:
            return "VPN already connected."
        # The original means this to be a good one, but all its connections share their details, and
        # once one task of a process has broken them (`break_vpn`) all are poor, as they are here.
        details = {
            "server_address": "192.168.1.1",
            "protocol": "OpenVPN",
            "server_performance": POOR,
        }
        self._set(vpn_connected=True, vpn_details=details)
        return self._with_bar("VPN connected successfully.")

    @writing
    def disconnect_vpn(self) -> str:
        """Send your data no longer through a VPN."""
        left = self._leave_vpn()
        return self._with_bar(
            "VPN disconnected successfully." if left else "No active VPN connection to disconnect."
        )

    def _leave_vpn(self) -> bool:
        if not self.device["vpn_connected"]:
            return False
        self._set(vpn_connected=False, vpn_details=None)
        return True

    # -- apps ------------------------------------------------------------------------------------

    @tool
    def check_installed_apps(self) -> str:
        """List the apps on your phone."""
        return f"The following apps are installed on the phone: {', '.join(self._apps())}"

    def _apps(self) -> Any:
        return self.device["app_statuses"]

    @tool
    def check_app_status(self, app_name: str) -> str:
        """Look at an app: what it may do.

        app_name: which app, such as "messaging"
        """
        app = self._apps().get(app_name)
        if app is None:
            return f"App '{app_name}' not found on this phone."
        allowed = _allowed(app)
        lines = [f"Status for App: {app_name}"]
        lines.append(" - Permissions Granted:" if allowed else " - Permissions: None granted.")
        return "\n".join([*lines, *(f"   - {one}" for one in allowed)])

    @tool
    def check_app_permissions(self, app_name: str) -> str:
        """Look at what an app may do.

        app_name: which app, such as "messaging"
        """
        app = self._apps().get(app_name)
        if app is None:
            return f"App '{app_name}' not found on this phone."
        allowed = _allowed(app)
        if not allowed:
            return f"App '{app_name}' currently has no permissions granted."
        return f"App '{app_name}' has permission for: {', '.join(allowed)}."

    @writing
    def grant_app_permission(self, app_name: str, permission: str) -> str:
        """Allow an app something.

        app_name: which app, such as "messaging"
        permission: what it may then do: "sms", "storage", "phone" or "network"
        """
        app = self._apps().get(app_name)
        permission = permission.lower()
        if app is None:
            words = f"Error. App '{app_name}' not found. Cannot grant permission."
        elif permission not in app["permissions"]:
            words = (
                f"Error. Permission '{permission}' not tracked for app '{app_name}', available "
                f"permissions: {list(app['permissions'])}"
            )
        else:
            self._allow(app_name, permission, True)
            words = f"Success. Permission '{permission}' granted to app '{app_name}'."
        return self._with_bar(words)

    def _allow(self, app_name: str, permission: str, on: bool) -> None:
        apps = self.desk.edit("device", "")["app_statuses"]
        apps[app_name]["permissions"][permission] = on

    @tool
    def can_send_mms(self) -> str:
        """Try whether your messaging app can send picture messages (MMS)."""
        can = "can" if self._sends() else "cannot"
        return f"Your messaging app {can} send MMS messages."

    def _sends(self) -> bool:
        device = self.device
        if not self._data_works() or device["network_technology_connected"] == "2G":
            return False
        if device["wifi_calling_enabled"] and device["wifi_calling_mms_over_wifi"]:
            return False
        if self._apn("mmsc_url") is None:
            return False
        app = device["app_statuses"].get("messaging")
        return bool(app and app["permissions"]["storage"] and app["permissions"]["sms"])

    # -- the whole phone -------------------------------------------------------------------------

    @writing
    def reboot_device(self) -> str:
        """Restart your phone."""
        lines = ["Restarting network services..."]
        if self._apn("reset_at_reboot"):
            lines.insert(0, "Resetting APN settings...")
            self._set(active_apn_settings=APN({}))
        self._set(network_connection_status=SEARCHING)
        self.simulate_network_search()
        return self._with_bar("\n".join(lines))

    @tool
    def check_payment_request(self) -> str:
        """Look whether you were asked to pay a bill."""
        request = self.around["payment_request"]
        if request is None:
            return "No payment request has been made."
        return (
            f"You have a payment request for bill {request['bill_id']} of "
            f"{request['amount_due']} USD."
        )

    @writing
    def make_payment(self) -> str:
        """Pay the bill that you were asked to pay."""
        if self.around["payment_request"] is None:
            return "You do not have a payment request."
        request = self.desk.edit("surroundings", "")["payment_request"]
        request["paid"] = True
        return (
            f"Payment of {request['amount_due']} USD has been made for bill {request['bill_id']}."
        )

    # -- what tasks prepare ----------------------------------------------------------------------

    def simulate_network_search(self) -> None:
        """Connect the phone with what is there and what its settings let it reach."""
        device, around = self.device, self.around
        status, network, signal = NO_SERVICE, "none", NO
        if self._sim() == "active":
            strengths = around["signal_strength"]
            preferred = device["network_mode_preference"]
            network = _NETWORKS.get(preferred, "4G") if isinstance(preferred, str) else "4G"
            if preferred == MODES[0] and strengths.get("5G", NO) != NO:
                network = "5G"
            status, signal = CONNECTED, strengths.get(network, NO)
        if device["airplane_mode"]:
            status, network, signal = NO_SERVICE, "none", NO
        self._reach(status, network, signal)
        if self._apn("apn_name") == "broken" or not around["line_active"]:
            self._reach(NO_SERVICE, "none", NO)

    def _reach(self, status: str, network: str, signal: str) -> None:
        device = self.device
        found = {
            "network_connection_status": status,
            "network_technology_connected": network,
            "network_signal_strength": signal,
        }
        if any(device[name] != value for name, value in found.items()):
            self._set(**found)

    def set_user_info(self, name: str, phone_number: str) -> None:
        self.desk.edit("surroundings", "").update(name=name, phone_number=phone_number)

    def set_user_location(self, abroad: bool) -> None:
        self.desk.edit("surroundings", "")["is_abroad"] = abroad

    def turn_airplane_mode_on(self) -> None:
        self._fly(True)

    def turn_airplane_mode_off(self) -> None:
        self._fly(False)

    def unseat_sim_card(self) -> None:
        self._set(sim_card_missing=True)
        self.simulate_network_search()

    def lock_sim_card(self, mode: Literal["pin", "puk"]) -> None:
        self._set(sim_card_status=f"locked_{mode}")
        self.simulate_network_search()

    def turn_data_on(self) -> None:
        self._set(data_enabled=True)

    def turn_data_off(self) -> None:
        self._set(data_enabled=False)
        self.simulate_network_search()

    def turn_roaming_on(self) -> None:
        self._roam(True)

    def turn_roaming_off(self) -> None:
        self._roam(False)

    def turn_data_saver_mode_on(self) -> None:
        self._set(data_saver_mode=True)

    def turn_data_saver_mode_off(self) -> None:
        self._set(data_saver_mode=False)

    def break_apn_settings(self) -> None:
        self.desk.edit("device", "")["active_apn_settings"]["apn_name"] = "broken"
        self.simulate_network_search()

    def break_apn_mms_setting(self) -> None:
        self.desk.edit("device", "")["active_apn_settings"]["mmsc_url"] = None

    def set_wifi_calling(self, enabled: bool, mms_over_wifi: bool | None = None) -> None:
        device = self._set(wifi_calling_enabled=enabled)
        if mms_over_wifi is not None:
            device["wifi_calling_mms_over_wifi"] = mms_over_wifi

    def break_vpn(self) -> None:
        self.connect_vpn()

    def remove_app_permission(self, app_name: str, permission: str) -> None:
        self._allow(app_name, permission.lower(), False)

    # -- what tasks assert -----------------------------------------------------------------------

    def assert_airplane_mode_status(self, expected_status: bool) -> bool:
        return bool(self.device["airplane_mode"] == expected_status)

    def assert_service_status(self, expected_status: str) -> bool:
        return bool(self.device["network_connection_status"] == expected_status)

    def assert_mobile_data_status(self, expected_status: bool) -> bool:
        return self._data_works() == expected_status

    def assert_mobile_roaming_status(self, expected_status: bool) -> bool:
        return bool(self.device["roaming_enabled"] == expected_status)

    def assert_mobile_data_saver_mode_status(self, expected_status: bool) -> bool:
        return bool(self.device["data_saver_mode"] == expected_status)

    def assert_internet_speed(
        self, expected_speed: float, expected_desc: str | None = None
    ) -> bool:
        speed, name = self._speed()
        fast = (speed or 0.0) >= expected_speed
        return fast and (expected_desc is None or name.lower() == expected_desc.lower())

    def assert_internet_not_excellent(self) -> bool:
        return self._speed()[1] != "Excellent"

    def assert_can_send_mms(self, expected_status: bool) -> bool:
        return self._sends() == expected_status

    def assert_mobile_data_usage_exceeded(self, expected_status: bool) -> bool:
        return bool(self.around["mobile_data_usage_exceeded"] == expected_status)


def _allowed(app: Record) -> list[str]:
    return [name for name, allowed in app["permissions"].items() if allowed]
