"""Records of telecom's user: a phone, its surroundings, and a bill to pay."""

from __future__ import annotations

from gem_ma.envs.tau.store import Record
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
