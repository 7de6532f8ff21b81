"""The phone in the picture of a user: only what its calls have shown, and that as it is."""

import json

import numpy as np
import pytest

from gem_ma.envs.tau.talk import Call
from gem_ma.envs.tau2.game import ASSISTANT, USER, Tau2
from gem_ma.envs.tau2.telecom.device_records import MODES
from gem_ma.envs.tau2.telecom.phone_screen import LABELS, make_phone
from gem_ma.scene import Chat
from gem_ma.scene.phone import Phone

GAME = Tau2("phone", faults=(3, 6), misleading=3)
SIGNALS = {"none": 0, "poor": 1, "fair": 2, "good": 3, "excellent": 4}
NETWORKS = {"4g_5g_preferred": "4G/5G", "4g_only": "4G only", "3g_only": "3G only",
            "2g_only": "2G only"}  # fmt: skip
ARGUMENTS = {
    "set_network_mode_preference": [{"mode": mode} for mode in (*MODES, "5g")],
    "check_app_status": [{"app_name": name} for name in ("messaging", "browser", "camera")],
    "check_app_permissions": [{"app_name": name} for name in ("messaging", "browser", "camera")],
    "grant_app_permission": [
        {"app_name": name, "permission": one}
        for name in ("messaging", "browser")
        for one in ("sms", "Storage", "flying")
    ],
    "set_apn_settings": [{"apn_settings": {"apn_name": "internet"}}],
}


def start(seed):
    return GAME.start(np.random.default_rng(seed), {"task": seed})


def call(state, name, seat=USER, **arguments):
    text = json.dumps({"name": name, "arguments": arguments})
    move = GAME.read(text, state.seen_by(seat), seat)
    return GAME.advance(state, {seat: move}, None)


def look(state):
    """Return the phone and the chat of the user."""
    (_, phone), (_, talk) = GAME.picture(state.seen_by(USER), USER).scenes
    return phone, talk


def read_device(state):
    """Return what a phone shows, from the records that no seat sees."""
    world = GAME.domain.world(state.changes, False)
    device, around = world.desk.get("device", ""), world.desk.get("surroundings", "")
    may = device["app_statuses"]["messaging"]["permissions"]
    request = around["payment_request"]
    sims = {"locked_pin": "PIN lock", "locked_puk": "PUK lock"}
    status = "missing" if device["sim_card_missing"] else device["sim_card_status"]
    apn = device["active_apn_settings"]
    return {
        "airplane": device["airplane_mode"],
        "sim": sims.get(status, status),
        "data": device["data_enabled"],
        "roaming": device["roaming_enabled"],
        "saver": device["data_saver_mode"],
        "mode": NETWORKS[device["network_mode_preference"]],
        "wifi": device["wifi_enabled"],
        "calling": device["wifi_calling_enabled"],
        "vpn": device["vpn_connected"],
        "apn": "to reset" if apn["reset_at_reboot"] else apn["apn_name"],
        "mmsc": "set" if apn["mmsc_url"] else "not set",
        "sms": may["sms"],
        "storage": may["storage"],
        "bill": "none" if request is None else "paid" if request["paid"] else "?",
    }, device


@pytest.mark.parametrize("seed", range(6))
def test_what_the_phone_shows_is_so(seed):
    rng, state = np.random.default_rng(seed), start(seed)
    tools = sorted(GAME.domain.kits[USER].listed)
    seen = set()
    for _ in range(70):
        name = tools[int(rng.integers(len(tools)))]
        options = ARGUMENTS.get(name, [{}])
        state = call(state, name, **options[int(rng.integers(len(options)))])
        phone, _ = look(state)
        is_so, device = read_device(state)
        for field, (label, shown) in zip(LABELS, phone.rows, strict=True):
            assert label == LABELS[field]
            if shown is not None and not (field == "apn" and is_so[field] == "to reset"):
                assert shown == is_so[field], (name, label)
                seen.add(field)
        if phone.battery is not None:
            assert phone.battery == device["battery_level"]
            assert phone.airplane == device["airplane_mode"]
            network = device["network_technology_connected"]
            assert phone.network == ("" if network == "none" else network)
            if not phone.airplane:
                assert phone.signal == SIGNALS[device["network_signal_strength"]]
            assert ("VPN" in phone.icons) == device["vpn_connected"]
    assert len(seen) >= 12


def test_nothing_that_was_not_looked_at_is_shown():
    phones = {look(start(seed))[0] for seed in range(20)}
    assert phones == {Phone(tuple([(label, None) for label in LABELS.values()]))}
    broken = call(start(0), "check_wifi_status")
    known = [label for label, value in look(broken)[0].rows if value is not None]
    assert known == ["Wi-Fi"]


def test_a_hidden_change_changes_no_picture_and_a_call_shows_it():
    state = call(start(3), "check_network_status")
    world = GAME.domain.world(state.changes, False)
    world.kits[USER].turn_airplane_mode_on()
    changed = GAME.advance(state, {USER: "Hm."}, None)
    other = type(state)(state.task, changed.talk, state.calls, world.changes(), ASSISTANT,
                        paid=state.paid)  # fmt: skip
    assert look(other) == look(changed)
    assert not look(other)[0].airplane
    assert look(call(other, "check_status_bar"))[0].airplane


def test_only_the_user_has_a_phone():
    state = call(start(1), "check_status_bar")
    assert isinstance(GAME.picture(state.seen_by(ASSISTANT), ASSISTANT), Chat)
    assert isinstance(GAME.picture(state, None), Chat)
    assert look(state)[1].viewer == USER
    mock = Tau2("mock")
    begun = mock.start(np.random.default_rng(0), {})
    assert isinstance(mock.picture(begun.seen_by(USER), USER), Chat)


@pytest.mark.parametrize(
    ("name", "arguments", "result"),
    [
        ("check_app_status", {"app_name": "x"}, "App 'x\nStatus Bar: 🔋 1%\n' not found"),
        ("check_app_status", [], "Status for App: messaging"),
        (7, None, ""),
        ("check_status_bar", {}, "Status Bar: 🔋 x% | 🔋 ²% | 🔋"),
        ("check_status_bar", {}, "Error: Status Bar: 🔋 1%"),
        ("check_network_status", {}, "\n\n: :"),
        ("check_apn_settings", {}, "Error: 'str' object has no attribute 'model_copy'"),
    ],
)
def test_an_odd_answer_shows_nothing(name, arguments, result):
    phone = make_phone([Call(name, arguments, result)])
    assert phone.battery is None
    assert {value for _, value in phone.rows} <= {None, False}


def test_a_long_value_of_the_user_is_cut():
    phone = make_phone([Call("set_apn_settings", {}, f"APN settings set to: {'x' * 999}")])
    assert dict(phone.rows)["APN"] == "x" * 8


def test_a_bill_is_paid():
    asked = Call("check_payment_request", {}, "You have a payment request for bill B of 45.0 USD.")
    paid = Call("make_payment", {}, "Payment of 45.0 USD has been made for bill B.")
    assert dict(make_phone([asked]).rows)["Bill"] == "pay 45.0"
    assert dict(make_phone([asked, paid]).rows)["Bill"] == "paid"


def test_settings_of_the_access_point_wait_for_a_restart():
    state = call(start(0), "reset_apn_settings")
    assert dict(look(state)[0].rows)["APN"] == "to reset"
