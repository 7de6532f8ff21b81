"""A telecom domain made from a seed: any number of tasks, of adjustable difficulty."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import numpy as np

from gem_ma.envs.tau2.domain import TRANSFER, Action, Assertion, Task
from gem_ma.envs.tau2.telecom.company import Telecom, TelecomTools
from gem_ma.envs.tau2.telecom.device_records import NO, POOR
from gem_ma.envs.tau2.telecom.user_tools import TelecomUserTools
from gem_ma.validation.arguments import check_probability
from gem_ma.validation.json_types import JSONMapping, JSONObject

CUSTOMERS = 12
FIRST = ("Ada", "Bela", "Cleo", "Dario", "Enid", "Falk", "Gita", "Hugo", "Ines", "Jules")
LAST = ("Abel", "Bonnet", "Cerny", "Dahl", "Evans", "Fiore", "Gomes", "Haas", "Ilves", "Jonsson")
PLANS = (  # name, gigabytes, price per month, price per extra gigabyte
    ("Small", 5.0, 30.0, 4.0),
    ("Middle", 12.0, 45.0, 3.0),
    ("Large", 40.0, 70.0, 2.0),
)
COUNTRIES = ("France", "Japan", "Peru", "Kenya", "Norway")
GB = 2.0  # gigabytes that a user has refuelled

POLICY = """# Helping customers of a telephone company

You may look customers, lines, bills, plans and devices up, ask for an overdue bill to be paid, put
a suspended line back into service when its bill is paid, let a line be used abroad (free of
charge), and add up to 2 GB of data at the price of the plan, if the customer wants it. For anything
else, or when nothing below helps, call transfer_to_human_agents and say that you do.

Find out who it is by the phone number, and serve the line with that number. You see nothing of the
phone: ask the user to look and to do things, one at a time, and go by what they say.

## No service
1. The status bar shows whether there is service. What is odd beside that need not be mended.
2. Airplane mode has to be off.
3. A SIM card that is missing is to be re-seated. A locked one is for somebody else.
4. Reset the APN settings and restart the phone.
5. A line that is suspended for an overdue bill: check the bill, send a payment request, have it
   paid, resume the line, and have the phone restarted. If its contract has ended, hand over.

## Mobile data
1. No connection in a speed test: first see that there is service. Abroad, data roaming has to be
   on in the phone, and the line has to be enabled for it. Mobile data has to be on. If the data of
   the plan is used up, offer to add some.
2. Slow: data saver mode has to be off, the preferred network be one with 5G, and no VPN be
   connected. Then a speed test says "Excellent".

## Picture messages (MMS)
They need service and mobile data, at least 3G, Wi-Fi calling off, a messaging app that may use
"storage" and "sms", and APN settings with an MMSC URL (reset them and restart).
"""
ALONE = POLICY + (
    "\nHere nobody talks to you: you have the tools of the phone as well, and what is wrong stands "
    "in the ticket.\n"
)


Step = tuple[str, str, JSONMapping]  # seat, name, arguments


class Fault(NamedTuple):
    """Something that is wrong: the steps that cause it, and the steps that mend it."""

    broken: tuple[Step, ...]
    mended: tuple[Step, ...]


_LINE = {"customer_id": "{customer}", "line_id": "{line}"}
_MODE: Step = ("user", "set_network_mode_preference", {"mode": "4g_5g_preferred"})
_APN: tuple[Step, ...] = (("user", "reset_apn_settings", {}), ("user", "reboot_device", {}))


def _own(name: str, mend: str, **arguments: object) -> Fault:
    return Fault((("user", name, arguments),), (("user", mend, {}),))


def _may(permission: str) -> Fault:
    arguments = {"app_name": "messaging", "permission": permission}
    return Fault(
        (("user", "remove_app_permission", arguments),),
        (("user", "grant_app_permission", arguments),),
    )


def _mode(mode: str) -> Fault:
    return Fault((("user", "set_network_mode_preference", {"mode": mode}),), (_MODE,))


FAULTS = {
    "airplane": _own("turn_airplane_mode_on", "toggle_airplane_mode"),
    "sim": _own("unseat_sim_card", "reseat_sim_card"),
    "apn": Fault((("user", "break_apn_settings", {}),), _APN),
    "suspended": Fault(
        (
            (
                "assistant",
                "suspend_line_for_overdue_bill",
                {**_LINE, "new_bill_id": "{bill}", "contract_ended": False},
            ),
        ),
        (
            (
                "assistant",
                "send_payment_request",
                {"customer_id": "{customer}", "bill_id": "{bill}"},
            ),
            ("user", "make_payment", {}),
            ("assistant", "resume_line", _LINE),
            ("user", "reboot_device", {}),
        ),
    ),
    "data": _own("turn_data_off", "toggle_data"),
    "roaming": _own("turn_roaming_off", "toggle_roaming"),
    "abroad": Fault(
        (("assistant", "disable_roaming", _LINE),), (("assistant", "enable_roaming", _LINE),)
    ),
    "used": Fault(
        (("assistant", "set_data_usage", {**_LINE, "data_used_gb": "{used}"}),),
        (("assistant", "refuel_data", {**_LINE, "gb_amount": GB}),),
    ),
    "saver": _own("turn_data_saver_mode_on", "toggle_data_saver_mode"),
    "3g": _mode("3g_only"),
    "2g": _mode("2g_only"),
    "vpn": _own("break_vpn", "disconnect_vpn"),
    "calling": _own("set_wifi_calling", "toggle_wifi_calling", enabled=True, mms_over_wifi=True),
    "sms": _may("sms"),
    "storage": _may("storage"),
    "mms": Fault((("user", "break_apn_mms_setting", {}),), _APN),
}
AWAY = ("roaming", "abroad")  # faults that matter abroad only
ORDER = tuple(FAULTS)  # order of mending
HOPELESS: dict[str, Step] = {  # causes of what neither seat can mend
    "locked": ("user", "lock_sim_card", {"mode": "{lock}"}),
    "ended": (
        "assistant",
        "suspend_line_for_overdue_bill",
        {**_LINE, "new_bill_id": "{bill}", "contract_ended": True},
    ),
    "weak": ("user", "weaken_signal", {}),
}
_HANDOVER = Action("assistant", TRANSFER, {"summary": "Nothing mends it."}, compare=())


class Complaint(NamedTuple):
    """A user's complaint: possible faults, harmless oddities, and assertions of the solution."""

    reason: str
    solved: str
    faults: tuple[str, ...]
    odd: tuple[str, ...]
    asserted: tuple[tuple[str, JSONMapping], ...]
    hopeless: tuple[str, ...] = ("locked", "ended")


COMPLAINTS = (
    Complaint(
        "Your phone shows 'No Service'.",
        "It is solved when the status bar shows a signal. You are willing to pay an overdue bill.",
        ("airplane", "sim", "apn", "suspended"),
        ("battery", "saver", "vpn", "calling", "wifi", "other"),
        (("assert_service_status", {"expected_status": "connected"}),),
    ),
    Complaint(
        "Your mobile data does not work, or is very slow.",
        "It is solved when a speed test says Excellent. You are willing to have 2 GB refuelled, "
        "and do not want another plan.",
        ("airplane", "sim", "data", "roaming", "abroad", "used", "saver", "3g", "2g", "vpn"),
        ("battery", "calling", "wifi", "other"),
        (
            ("assert_mobile_data_status", {"expected_status": True}),
            ("assert_internet_speed", {"expected_speed": 200, "expected_desc": "excellent"}),
        ),
        ("locked", "ended", "weak"),
    ),
    Complaint(
        "You cannot send picture messages (MMS).",
        "It is solved when your messaging app can send one. You are willing to have 2 GB "
        "refuelled, and do not want another plan.",
        (
            *("airplane", "sim", "data", "roaming", "abroad", "used", "2g"),
            *("calling", "sms", "storage", "mms"),
        ),
        ("battery", "saver", "vpn", "wifi", "other"),
        (("assert_can_send_mms", {"expected_status": True}),),
    ),
)
ODD = {  # harmless oddities, which need no mending
    "battery": ("user", "set_battery", {"level": "{battery}"}),
    "wifi": ("user", "toggle_wifi", {}),
    "saver": FAULTS["saver"].broken[0],
    "vpn": FAULTS["vpn"].broken[0],
    "calling": ("user", "set_wifi_calling", {"enabled": True, "mms_over_wifi": False}),
    "other": (
        "assistant",
        "suspend_line",
        {"customer_id": "{customer}", "line_id": "{other}", "reason": "lost"},
    ),
}


class PhoneTools(TelecomUserTools):
    """Telecom's phone, whose battery level and signal tasks may set."""

    def set_battery(self, level: int) -> None:
        self.desk.edit("device", "")["battery_level"] = level

    def weaken_signal(self) -> None:
        weak = {"2G": POOR, "3G": POOR, "4G": POOR, "5G": NO}
        self.desk.edit("surroundings", "")["signal_strength"] = weak


class Phone(Telecom):
    name = "phone"
    kits: ClassVar = {"assistant": TelecomTools, "user": PhoneTools}

    def __init__(
        self,
        world: int = 0,
        faults: int | tuple[int, int] = (1, 3),
        lines: int = 2,
        misleading: int = 1,
        infeasible: float = 0.0,
    ):
        """Make the domain.

        Args:
            world: seed of the customers and tasks.
            faults: how many things are wrong at once: a number, or a pair of least and most.
            lines: number of lines of each customer.
            misleading: how many things look odd but are harmless.
            infeasible: probability that one of these things cannot be mended. Above 0, the reward
                also asks that the user is handed over exactly then.
        """
        check_probability(infeasible, "infeasible")
        least, most = (faults, faults) if isinstance(faults, int) else faults
        names = ("faults", "faults") if isinstance(faults, int) else ("least faults", "most faults")
        for name, value, low, high in (
            ("world", world, 0, (1 << 63) - 1),
            (names[0], least, 1, 6),
            (names[1], most, least, 6),
            ("lines", lines, 1, 9),
            ("misleading", misleading, 0, 4),
        ):
            if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
                raise ValueError(f"{name}={value!r}: expected a whole number from {low} to {high}")
        self.seed, self.least, self.most = world, least, most
        self.many, self.misleading = lines, misleading
        self.infeasible = infeasible
        super().__init__()

    @property
    def version(self) -> str:
        """An empty text, because there are no files."""
        return ""

    def policy(self, solo: bool = False) -> str:
        return ALONE if solo else POLICY

    def ids(self, split: str) -> None:
        """Return None, because any number makes a task."""
        if split != "base":
            raise ValueError(f"phone has no split {split!r}; it has base")

    def database(self, seat: str) -> JSONMapping:
        return _company(self.seed, self.many) if seat == "assistant" else {}

    def task(self, number: int) -> Task:
        if isinstance(number, bool) or not isinstance(number, int) or number < 0:
            raise ValueError(f"task={number!r}: expected a whole number of at least 0")
        rng = np.random.default_rng([self.seed, number])
        complaint = COMPLAINTS[int(rng.integers(len(COMPLAINTS)))]
        many = min(int(rng.integers(self.least, self.most + 1)), len(complaint.faults))
        pool = rng.permutation(len(complaint.faults))
        faults_of_task = {complaint.faults[int(place)] for place in pool[:many]}
        if {"2g", "3g"} <= faults_of_task:  # the phone has one mode preference
            faults_of_task.remove("3g")
        wrong = [name for name in ORDER if name in faults_of_task]
        odd = [complaint.odd[int(one)] for one in rng.permutation(len(complaint.odd))]
        if self.many == 1:
            odd.remove("other")
        customers = list(self.base.tables["customers"].values())
        customer = customers[int(rng.integers(len(customers)))]
        first, *others = (customer["line_ids"][int(one)] for one in rng.permutation(self.many))
        line = self.base.tables["lines"][first]
        limit = self.base.tables["plans"][line["plan_id"]]["data_limit_gb"]
        country = COUNTRIES[int(rng.integers(len(COUNTRIES)))]
        away = bool(faults_of_task & set(AWAY)) or bool(rng.integers(2))
        values = {
            "{customer}": customer["customer_id"],
            "{line}": first,
            "{other}": others[0] if others else "",
            "{bill}": f"B9{number % 10_000_000:07d}",
            "{used}": limit + 0.5 + float(rng.integers(3)) / 2,
            "{battery}": int(rng.integers(3, 10)),
        }
        broken = [step for name in wrong for step in FAULTS[name].broken]
        actions = tuple(
            Action(seat, name, _filled(arguments, values))
            for fault in wrong
            for seat, name, arguments in FAULTS[fault].mended
        )
        assertions = tuple(_asserted(complaint, wrong, values))
        infeasible = bool(self.infeasible) and rng.random() < self.infeasible
        if infeasible:  # drawn last, so that nothing else depends on it
            broken, actions, assertions = _make_hopeless(complaint, wrong, rng), (_HANDOVER,), ()
            values["{lock}"] = ("pin", "puk")[int(rng.integers(2))]
        who = {"name": customer["full_name"], "phone_number": line["phone_number"]}
        setup: list[Step] = [
            ("user", "set_user_info", who),
            ("user", "set_user_location", {"abroad": away}),
        ]
        if away:
            setup += [("user", "turn_roaming_on", {}), ("assistant", "enable_roaming", _LINE)]
        setup += broken
        setup += [ODD[name] for name in odd[: self.misleading]]
        setup.append(("user", "simulate_network_search", {}))
        place = f"abroad in {country}" if away else "at home"
        return Task(
            id=str(number),
            scenario=(
                f"{complaint.reason}\nYou are {who['name']} with phone number "
                f"{who['phone_number']}. You are {place}.\n{complaint.solved}\nYou know nothing "
                "of phones: do what the assistant asks, and tell what your phone shows."
            ),
            ticket=(
                f"{who['name']}, phone number {who['phone_number']}, {place}, says: "
                f"{complaint.reason} {complaint.solved}"
            ),
            actions=actions,
            assertions=assertions,
            basis=("ENV_ASSERTION", "TRANSFER") if self.infeasible else ("ENV_ASSERTION",),
            transfer=infeasible,
            setup=tuple(
                Action(seat, name, _filled(arguments, values)) for seat, name, arguments in setup
            ),
        )


def _make_hopeless(complaint: Complaint, wrong: list[str], rng: np.random.Generator) -> list[Step]:
    """Return the steps that cause as many faults, of which one cannot be mended."""
    hopeless = complaint.hopeless[int(rng.integers(len(complaint.hopeless)))]
    replaced = wrong[int(rng.integers(len(wrong)))]
    if hopeless == "ended" and "suspended" in wrong:  # a line is suspended once
        replaced = "suspended"
    rest = [step for name in wrong if name != replaced for step in FAULTS[name].broken]
    return [*rest, HOPELESS[hopeless]]


def _filled(arguments: JSONMapping, values: JSONMapping) -> JSONObject:
    return {
        name: values.get(value, value) if isinstance(value, str) else value
        for name, value in arguments.items()
    }


def _asserted(complaint: Complaint, wrong: list[str], values: JSONMapping) -> list[Assertion]:
    assertions = [Assertion("user", name, arguments) for name, arguments in complaint.asserted]
    if "used" in wrong:
        arguments = _filled({**_LINE, "expected_amount": GB}, values)
        assertions.append(Assertion("assistant", "assert_data_refueling_amount", arguments))
    if "suspended" in wrong:
        bill = {"overdue_bill_id": values["{bill}"]}
        assertions.append(Assertion("assistant", "assert_no_overdue_bill", bill))
    return assertions


def _company(seed: int, many: int) -> dict[str, list[JSONObject]]:
    """Return the database of a company, whose customers have `many` lines each."""
    rng = np.random.default_rng([seed])
    plans = [
        {
            "plan_id": f"P{place}",
            "name": name,
            "data_limit_gb": gigabytes,
            "price_per_month": price,
            "data_refueling_price_per_gb": more,
        }
        for place, (name, gigabytes, price, more) in enumerate(PLANS, 1)
    ]
    pairs = rng.permutation(len(FIRST) * len(LAST))[:CUSTOMERS]
    phones = rng.permutation(9000)[: CUSTOMERS * many] + 1000
    customers, lines, devices = [], [], []
    for place, pair in enumerate(pairs):
        first, last = FIRST[int(pair) // len(LAST)], LAST[int(pair) % len(LAST)]
        own = range(place * many, (place + 1) * many)
        for at in own:
            plan = plans[int(rng.integers(len(plans)))]
            used = float(rng.integers(1, 40)) / 10
            devices.append(
                {
                    "device_id": f"D{100 + at}",
                    "device_type": "phone",
                    "model": "Pocket 3",
                    "is_esim_capable": False,
                    "activated": True,
                }
            )
            lines.append(
                {
                    "line_id": f"L{100 + at}",
                    "phone_number": f"555-{100 + place}-{phones[at]}",
                    "status": "Active",
                    "plan_id": plan["plan_id"],
                    "device_id": f"D{100 + at}",
                    "data_used_gb": used,
                }
            )
        customers.append(
            {
                "customer_id": f"C{100 + place}",
                "full_name": f"{first} {last}",
                "date_of_birth": f"{1950 + int(rng.integers(55))}-0{1 + int(rng.integers(9))}-15",
                "email": f"{first}.{last}@example.org".lower(),
                "phone_number": lines[place * many]["phone_number"],
                "address": {
                    "street": f"{1 + int(rng.integers(99))} Mill Lane",
                    "city": "Austin",
                    "state": "TX",
                    "zip_code": "73301",
                },
                "account_status": "Active",
                "line_ids": [f"L{100 + at}" for at in own],
            }
        )
    return {
        "plans": plans,
        "customers": customers,
        "lines": lines,
        "bills": [],
        "devices": devices,
    }
