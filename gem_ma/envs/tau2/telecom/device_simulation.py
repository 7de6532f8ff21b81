"""The phone of telecom's user: its state, and the effects of settings."""

from __future__ import annotations

from gem_ma.envs.tau.store import Record
from gem_ma.envs.tau2.kit import Part
from gem_ma.envs.tau2.telecom.device_records import (
    CONNECTED,
    EXCELLENT,
    FAIR,
    GOOD,
    MODES,
    NO,
    NO_SERVICE,
    POOR,
    SEARCHING,
)

_SPEEDS = {"2G": (0.1, 0.4), "3G": (1.0, 5.0), "4G": (10.0, 100.0), "5G": (50.0, 500.0)}
_SHARES = {POOR: 0.2, FAIR: 0.5, GOOD: 0.8, EXCELLENT: 1.0}
_SPEED_LEVELS = (  # upper limit and name of each level
    (1, "Very Poor"),
    (5, "Poor"),
    (25, "Fair"),
    (100, "Good"),
    (float("inf"), "Excellent"),
)
_NETWORKS = {"4g_only": "4G", "3g_only": "3G", "2g_only": "2G"}


class PhoneSimulation(Part):
    """The phone, its surroundings, and the network that it finds."""

    @property
    def device(self) -> Record:
        """The phone, for reading."""
        return self.desk.get("device", "")

    @property
    def around(self) -> Record:
        """The surroundings of the user, for reading."""
        return self.desk.get("surroundings", "")

    def change_device(self, **values: object) -> Record:
        """Set fields of the phone, and return its record for further changes."""
        device = self.desk.edit("device", "")
        device.update(values)
        return device

    def read_apn(self, name: str) -> object:
        """Return a field of the APN settings; raise AttributeError if they are not a record."""
        settings = self.device["active_apn_settings"]
        if not isinstance(settings, dict):
            kind = type(settings).__name__
            raise AttributeError(f"{kind!r} object has no attribute {name!r}")
        return settings[name]

    def check_apn_record(self) -> None:
        """Raise AttributeError if a tool's argument replaced the APN settings by another type."""
        settings = self.device["active_apn_settings"]
        if not isinstance(settings, dict):
            kind = type(settings).__name__
            raise AttributeError(f"{kind!r} object has no attribute 'model_copy'")

    def read_sim_status(self) -> str:
        """Return the status of the SIM card, "missing" if there is none."""
        device = self.device
        return "missing" if device["sim_card_missing"] else str(device["sim_card_status"])

    def measure_speed(self) -> tuple[float | None, str]:
        """Return the speed of mobile data in Mbps and its name; None if mobile data fails."""
        if not self.has_mobile_data():
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
        return speed, next(name for below, name in _SPEED_LEVELS if speed < below)

    def has_mobile_data(self) -> bool:
        """Return whether mobile data works."""
        device, around = self.device, self.around
        if device["airplane_mode"] or device["network_signal_strength"] == NO:
            return False
        if device["network_connection_status"] == NO_SERVICE:
            return False
        if around["is_abroad"] and not (device["roaming_enabled"] and around["roaming_allowed"]):
            return False
        return bool(device["data_enabled"] and not around["mobile_data_usage_exceeded"])

    def is_flying(self) -> bool:
        """Return whether airplane mode is on."""
        return bool(self.device["airplane_mode"])

    def switch_airplane_mode(self, on: bool) -> None:
        """Turn airplane mode on or off."""
        device = self.change_device(airplane_mode=on)
        if not on:
            device["network_connection_status"] = SEARCHING
        if on or device["wifi_enabled"]:
            device.update(wifi_connected=False, wifi_ssid=None, wifi_signal_strength=NO)
        if on:
            self.leave_vpn()
        self.simulate_network_search()

    def switch_roaming(self, on: bool) -> None:
        """Turn data roaming on or off."""
        self.change_device(roaming_enabled=on)
        self.simulate_network_search()

    def leave_vpn(self) -> bool:
        """Disconnect the VPN; return whether it was connected."""
        if not self.device["vpn_connected"]:
            return False
        self.change_device(vpn_connected=False, vpn_details=None)
        return True

    def read_apps(self) -> Record:
        """Return the apps, for reading."""
        apps: Record = self.device["app_statuses"]
        return apps

    def set_permission(self, app_name: str, permission: str, on: bool) -> None:
        """Grant a permission to an app, or remove it."""
        apps = self.desk.edit("device", "")["app_statuses"]
        apps[app_name]["permissions"][permission] = on

    def has_mms_service(self) -> bool:
        """Return whether picture messages can be sent."""
        device = self.device
        if not self.has_mobile_data() or device["network_technology_connected"] == "2G":
            return False
        if device["wifi_calling_enabled"] and device["wifi_calling_mms_over_wifi"]:
            return False
        if self.read_apn("mmsc_url") is None:
            return False
        app = device["app_statuses"].get("messaging")
        return bool(app and app["permissions"]["storage"] and app["permissions"]["sms"])

    def simulate_network_search(self) -> None:
        """Connect the phone to the network that its settings and surroundings allow."""
        device, around = self.device, self.around
        status, network, signal = NO_SERVICE, "none", NO
        if self.read_sim_status() == "active":
            strengths = around["signal_strength"]
            preferred = device["network_mode_preference"]
            network = _NETWORKS.get(preferred, "4G") if isinstance(preferred, str) else "4G"
            if preferred == MODES[0] and strengths.get("5G", NO) != NO:
                network = "5G"
            status, signal = CONNECTED, strengths.get(network, NO)
        if device["airplane_mode"]:
            status, network, signal = NO_SERVICE, "none", NO
        self._connect(status, network, signal)
        if self.read_apn("apn_name") == "broken" or not around["line_active"]:
            self._connect(NO_SERVICE, "none", NO)

    def _connect(self, status: str, network: str, signal: str) -> None:
        device = self.device
        connection = {
            "network_connection_status": status,
            "network_technology_connected": network,
            "network_signal_strength": signal,
        }
        if any(device[name] != value for name, value in connection.items()):
            self.change_device(**connection)
