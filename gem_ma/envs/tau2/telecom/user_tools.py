"""The tools of telecom's user: displays and settings of the phone."""

from __future__ import annotations

from typing import Literal

from gem_ma.envs.tau.store import Record
from gem_ma.envs.tau2.kit import Kit, tool, writing
from gem_ma.envs.tau2.telecom.device_records import (
    APN,
    EXCELLENT,
    FAIR,
    GOOD,
    MODES,
    NO,
    POOR,
    SEARCHING,
)
from gem_ma.envs.tau2.telecom.device_simulation import PhoneSimulation
from gem_ma.validation.json_types import JSONObject

_BARS = {
    NO: "📵 No Signal",
    POOR: "📶¹ Poor",
    FAIR: "📶² Fair",
    GOOD: "📶³ Good",
    EXCELLENT: "📶⁴ Excellent",
}
_ADVICE = {  # use of each speed level
    "Very Poor": "Connection is very slow. Basic web browsing might be difficult.",
    "Poor": "Connection is slow. Web browsing may be sluggish, streaming difficult.",
    "Fair": "Connection is okay for web browsing and some standard definition streaming.",
    "Good": "Connection is good for most activities, including HD streaming.",
    "Excellent": "Connection is very fast.",
}
_SIM = {
    "active": "Your SIM card is active and working.",
    "missing": "No SIM card detected in the phone.",
    "locked_pin": "The SIM card is locked with a PIN code.",
    "locked_puk": "The SIM card is locked with a PUK code.",
}


def _format_switch(state: object) -> str:
    return "ON" if state else "OFF"


def _format_yes_no(state: object) -> str:
    return "Yes" if state else "No"


def _read_enum(one: object) -> str:
    """Return a text; raise AttributeError, as the original's enumerations do, for other types."""
    if not isinstance(one, str):
        raise AttributeError(f"{type(one).__name__!r} object has no attribute 'value'")
    return one


class TelecomUserTools(PhoneSimulation, Kit):
    def _format_status_bar(self) -> str:
        device = self.device
        network = device["network_technology_connected"]
        if device["airplane_mode"]:
            icons = ["✈️ Airplane Mode"]
        else:
            icons = [_BARS[device["network_signal_strength"]]]
            if network != "none":
                icons.append(network)
            if device["data_enabled"] and network != "none":
                icons.append("📱 Data Enabled")
                if device["data_saver_mode"]:
                    icons.append("🔽 Data Saver")
            else:
                icons.append("📵 Data Disabled")
        if device["wifi_enabled"] and device["wifi_connected"]:
            name = device["wifi_ssid"]
            icons.append(f"📡 Connected to {name}" if name else "📡 Enabled")
        if device["vpn_connected"]:
            icons.append("🔒 VPN Connected")
        icons.append(f"🔋 {device['battery_level']}%")
        return " | ".join(icons)

    def _append_status_bar(self, words: str) -> str:
        return f"{words}\nStatus Bar: {self._format_status_bar()}"

    @tool
    def check_status_bar(self) -> str:
        """Look at the icons at the top of your screen: signal, data, Wi-Fi, battery."""
        return f"Status Bar: {self._format_status_bar()}"

    @tool
    def check_network_status(self) -> str:
        """Look at how your phone is connected: airplane mode, SIM, signal, data, roaming, Wi-Fi."""
        device = self.device
        lines = [
            f"Airplane Mode: {_format_switch(device['airplane_mode'])}",
            f"SIM Card Status: {self.read_sim_status()}",
            f"Cellular Connection: {device['network_connection_status']}",
            f"Cellular Signal: {device['network_signal_strength']}",
            f"Cellular Network Type: {device['network_technology_connected']}",
            f"Mobile Data Enabled: {_format_yes_no(device['data_enabled'])}",
            f"Data Roaming Enabled: {_format_yes_no(device['roaming_enabled'])}",
            f"Wi-Fi Radio: {_format_switch(device['wifi_enabled'])}",
            f"Wi-Fi Connected: {_format_yes_no(device['wifi_connected'])}",
        ]
        if device["wifi_connected"]:
            lines.append(f"Connected Wi-Fi Network: {device['wifi_ssid']}")
        return "\n".join(lines)

    @tool
    def check_network_mode_preference(self) -> str:
        """Look at which kind of network your phone prefers."""
        return f"Network Mode Preference: {_read_enum(self.device['network_mode_preference'])}"

    @writing
    def set_network_mode_preference(self, mode: str) -> str:
        """Choose which kind of network your phone prefers.

        Args:
            mode: "4g_5g_preferred", "4g_only", "3g_only" or "2g_only"
        """
        known = mode in MODES if isinstance(mode, str) else True
        if known:
            self.change_device(network_mode_preference=mode)
            self.simulate_network_search()
        if not known or mode is None:
            return self._append_status_bar(
                f"Failed to set network mode: '{mode}' is not a valid option. Please use one of: "
                f"{', '.join(MODES)}"
            )
        return self._append_status_bar(f"Preferred Network Mode set to: {_read_enum(mode)}")

    @tool
    def run_speed_test(self) -> str:
        """Measure how fast your mobile data is."""
        speed, name = self.measure_speed()
        if speed is None:
            return f"Speed test failed: {name}."
        return f"Speed Test Result: {speed:.2f} Mbps ({name}). {_ADVICE[name]}"

    @writing
    def toggle_airplane_mode(self) -> str:
        """Turn airplane mode on, or off if it is on."""
        state = not self.is_flying()
        self.switch_airplane_mode(state)
        return self._append_status_bar(f"Airplane Mode is now {_format_switch(state)}.")

    @tool
    def check_sim_status(self) -> str:
        """Look whether your SIM card works: it may be missing, or locked."""
        return _SIM[self.read_sim_status()]

    @writing
    def reseat_sim_card(self) -> str:
        """Take your SIM card out and put it in again."""
        self.change_device(sim_card_missing=False)
        self.simulate_network_search()
        return self._append_status_bar("SIM card re-seated successfully.")

    @writing
    def toggle_data(self) -> str:
        """Turn mobile data on, or off if it is on."""
        state = not self.device["data_enabled"]
        self.change_device(data_enabled=state)
        self.simulate_network_search()
        return self._append_status_bar(f"Mobile Data is now {_format_switch(state)}.")

    @writing
    def toggle_roaming(self) -> str:
        """Turn data roaming on, which lets data be used abroad, or off if it is on."""
        state = not self.device["roaming_enabled"]
        self.switch_roaming(state)
        return self._append_status_bar(f"Data Roaming is now {_format_switch(state)}.")

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
        self.change_device(data_saver_mode=state)
        return self._append_status_bar(f"Data Saver Mode is now {_format_switch(state)}.")

    @tool
    def check_apn_settings(self) -> str:
        """Look at the technical settings with which your phone reaches the network for data."""
        self.check_apn_record()
        name, url = (
            _read_enum(self.read_apn("apn_name")) or "Not Set",
            self.read_apn("mmsc_url") or "Not Set",
        )
        return (
            f"Current APN Name: {name}\nMMSC URL (for picture messages): {url}\n"
            "(These are technical settings, usually best left unchanged.)"
        )

    @writing
    def set_apn_settings(self, apn_settings: JSONObject) -> str:
        """Set the technical settings with which your phone reaches the network for data.

        Args:
            apn_settings: apn_name, reset_at_reboot, mms_apn, mmsc_url, mms_proxy, mms_port
        """
        settings = APN.make(**apn_settings) if isinstance(apn_settings, dict) else apn_settings
        self.change_device(active_apn_settings=settings)
        name = self.read_apn("apn_name")
        self.simulate_network_search()
        return self._append_status_bar(f"APN settings set to: {name}")

    @writing
    def reset_apn_settings(self) -> str:
        """Have these settings set back at the next restart."""
        self.read_apn("reset_at_reboot")
        self.desk.edit("device", "")["active_apn_settings"]["reset_at_reboot"] = True
        self.simulate_network_search()
        return self._append_status_bar("APN settings will reset at reboot.")

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
        if self.is_flying():
            return self._append_status_bar(
                "Cannot change Wi-Fi settings while Airplane Mode is ON."
            )
        state = not self.device["wifi_enabled"]
        device = self.change_device(wifi_enabled=state)
        if not state:
            device.update(wifi_connected=False, wifi_ssid=None, wifi_signal_strength=NO)
        return self._append_status_bar(f"Wi-Fi is now {_format_switch(state)}.")

    @tool
    def check_wifi_calling_status(self) -> str:
        """Look whether calls go over Wi-Fi."""
        state = self.device["wifi_calling_enabled"]
        return f"Wi-Fi Calling is currently turned {_format_switch(state)}."

    @writing
    def toggle_wifi_calling(self) -> str:
        """Let calls go over Wi-Fi, or no longer if they do."""
        state = not self.device["wifi_calling_enabled"]
        self.change_device(wifi_calling_enabled=state)
        return self._append_status_bar(f"Wi-Fi Calling is now {_format_switch(state)}.")

    @tool
    def check_vpn_status(self) -> str:
        """Look whether your data goes through a VPN, and how good that is."""
        device = self.device
        if device["vpn_connected"]:
            details = device["vpn_details"]
            if not details:
                return "VPN is ON and connected (no specific details available)."
            level = details["server_performance"]
            details_text = (
                f"{{'server_address': {details['server_address']!r}, "
                f"'protocol': {details['protocol']!r}, "
                f"'server_performance': <PerformanceLevel.{level.upper()}: {level!r}>}}"
            )
            return f"VPN is ON and connected. Details: {details_text}"
        if device["vpn_enabled_setting"]:
            return "VPN is turned ON in settings, but currently not connected."
        return "VPN is turned OFF."

    @writing
    def connect_vpn(self) -> str:
        """Send your data through a VPN."""
        if self.device["vpn_connected"]:
            return "VPN already connected."
        # The original intends a good connection, but its connections share their details. Once one
        # task of a process has broken them (`break_vpn`), all are poor. Here they are always poor.
        details = {
            "server_address": "192.168.1.1",
            "protocol": "OpenVPN",
            "server_performance": POOR,
        }
        self.change_device(vpn_connected=True, vpn_details=details)
        return self._append_status_bar("VPN connected successfully.")

    @writing
    def disconnect_vpn(self) -> str:
        """Send your data no longer through a VPN."""
        left = self.leave_vpn()
        return self._append_status_bar(
            "VPN disconnected successfully." if left else "No active VPN connection to disconnect."
        )

    @tool
    def check_installed_apps(self) -> str:
        """List the apps on your phone."""
        return f"The following apps are installed on the phone: {', '.join(self.read_apps())}"

    @tool
    def check_app_status(self, app_name: str) -> str:
        """Look at an app: what it may do.

        Args:
            app_name: which app, such as "messaging"
        """
        app = self.read_apps().get(app_name)
        if app is None:
            return f"App '{app_name}' not found on this phone."
        allowed = _list_permissions(app)
        lines = [f"Status for App: {app_name}"]
        lines.append(" - Permissions Granted:" if allowed else " - Permissions: None granted.")
        return "\n".join([*lines, *(f"   - {one}" for one in allowed)])

    @tool
    def check_app_permissions(self, app_name: str) -> str:
        """Look at what an app may do.

        Args:
            app_name: which app, such as "messaging"
        """
        app = self.read_apps().get(app_name)
        if app is None:
            return f"App '{app_name}' not found on this phone."
        allowed = _list_permissions(app)
        if not allowed:
            return f"App '{app_name}' currently has no permissions granted."
        return f"App '{app_name}' has permission for: {', '.join(allowed)}."

    @writing
    def grant_app_permission(self, app_name: str, permission: str) -> str:
        """Allow an app something.

        Args:
            app_name: which app, such as "messaging"
            permission: what it may then do: "sms", "storage", "phone" or "network"
        """
        app = self.read_apps().get(app_name)
        permission = permission.lower()
        if app is None:
            words = f"Error. App '{app_name}' not found. Cannot grant permission."
        elif permission not in app["permissions"]:
            words = (
                f"Error. Permission '{permission}' not tracked for app '{app_name}', available "
                f"permissions: {list(app['permissions'])}"
            )
        else:
            self.set_permission(app_name, permission, True)
            words = f"Success. Permission '{permission}' granted to app '{app_name}'."
        return self._append_status_bar(words)

    @tool
    def can_send_mms(self) -> str:
        """Try whether your messaging app can send picture messages (MMS)."""
        can = "can" if self.has_mms_service() else "cannot"
        return f"Your messaging app {can} send MMS messages."

    @writing
    def reboot_device(self) -> str:
        """Restart your phone."""
        lines = ["Restarting network services..."]
        if self.read_apn("reset_at_reboot"):
            lines.insert(0, "Resetting APN settings...")
            self.change_device(active_apn_settings=APN({}))
        self.change_device(network_connection_status=SEARCHING)
        self.simulate_network_search()
        return self._append_status_bar("\n".join(lines))

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

    def set_user_info(self, name: str, phone_number: str) -> None:
        self.desk.edit("surroundings", "").update(name=name, phone_number=phone_number)

    def set_user_location(self, abroad: bool) -> None:
        self.desk.edit("surroundings", "")["is_abroad"] = abroad

    def turn_airplane_mode_on(self) -> None:
        self.switch_airplane_mode(True)

    def turn_airplane_mode_off(self) -> None:
        self.switch_airplane_mode(False)

    def unseat_sim_card(self) -> None:
        self.change_device(sim_card_missing=True)
        self.simulate_network_search()

    def lock_sim_card(self, mode: Literal["pin", "puk"]) -> None:
        self.change_device(sim_card_status=f"locked_{mode}")
        self.simulate_network_search()

    def turn_data_on(self) -> None:
        self.change_device(data_enabled=True)

    def turn_data_off(self) -> None:
        self.change_device(data_enabled=False)
        self.simulate_network_search()

    def turn_roaming_on(self) -> None:
        self.switch_roaming(True)

    def turn_roaming_off(self) -> None:
        self.switch_roaming(False)

    def turn_data_saver_mode_on(self) -> None:
        self.change_device(data_saver_mode=True)

    def turn_data_saver_mode_off(self) -> None:
        self.change_device(data_saver_mode=False)

    def break_apn_settings(self) -> None:
        self.desk.edit("device", "")["active_apn_settings"]["apn_name"] = "broken"
        self.simulate_network_search()

    def break_apn_mms_setting(self) -> None:
        self.desk.edit("device", "")["active_apn_settings"]["mmsc_url"] = None

    def set_wifi_calling(self, enabled: bool, mms_over_wifi: bool | None = None) -> None:
        device = self.change_device(wifi_calling_enabled=enabled)
        if mms_over_wifi is not None:
            device["wifi_calling_mms_over_wifi"] = mms_over_wifi

    def break_vpn(self) -> None:
        self.connect_vpn()

    def remove_app_permission(self, app_name: str, permission: str) -> None:
        self.set_permission(app_name, permission.lower(), False)

    def assert_airplane_mode_status(self, expected_status: bool) -> bool:
        return bool(self.device["airplane_mode"] == expected_status)

    def assert_service_status(self, expected_status: str) -> bool:
        return bool(self.device["network_connection_status"] == expected_status)

    def assert_mobile_data_status(self, expected_status: bool) -> bool:
        return self.has_mobile_data() == expected_status

    def assert_mobile_roaming_status(self, expected_status: bool) -> bool:
        return bool(self.device["roaming_enabled"] == expected_status)

    def assert_mobile_data_saver_mode_status(self, expected_status: bool) -> bool:
        return bool(self.device["data_saver_mode"] == expected_status)

    def assert_internet_speed(
        self, expected_speed: float, expected_desc: str | None = None
    ) -> bool:
        speed, name = self.measure_speed()
        fast = (speed or 0.0) >= expected_speed
        return fast and (expected_desc is None or name.lower() == expected_desc.lower())

    def assert_internet_not_excellent(self) -> bool:
        return self.measure_speed()[1] != "Excellent"

    def assert_can_send_mms(self, expected_status: bool) -> bool:
        return self.has_mms_service() == expected_status

    def assert_mobile_data_usage_exceeded(self, expected_status: bool) -> bool:
        return bool(self.around["mobile_data_usage_exceeded"] == expected_status)


def _list_permissions(app: Record) -> list[str]:
    return [name for name, allowed in app["permissions"].items() if allowed]
