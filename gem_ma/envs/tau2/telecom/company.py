"""Telecom: customers, lines and bills on one side, a phone on the other."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Sequence
from typing import ClassVar, NoReturn

from gem_ma.envs.tau.store import Record
from gem_ma.envs.tau.talk import Call
from gem_ma.envs.tau2.domain import Domain
from gem_ma.envs.tau2.kit import LIST, ONE, Kit, Values, World, tool, writing
from gem_ma.envs.tau2.shape import (
    Default,
    Shape,
    choice,
    date,
    flag,
    listed,
    moment,
    number,
    optional,
    text,
)
from gem_ma.envs.tau2.telecom.device_records import DEVICE, SURROUNDINGS
from gem_ma.envs.tau2.telecom.phone_screen import make_phone
from gem_ma.envs.tau2.telecom.user_tools import TelecomUserTools
from gem_ma.game import Maybe
from gem_ma.scene.phone import Phone
from gem_ma.validation.json_types import JSONMapping

TODAY = datetime.date(2025, 2, 25)
NEXT_MONTH = "2025-03-01"  # first day, last day and due date of the next bill
NEXT_MONTH_ENDS, NEXT_DUE = "2025-03-31", "2025-03-15"
LAST_MONTH, LAST_MONTH_ENDS, LAST_DUE = "2025-01-01", "2025-01-31", "2025-01-15"
ACTIVE, SUSPENDED, PENDING = "Active", "Suspended", "Pending Activation"
AWAITING, PAID, OVERDUE, DRAFT = "Awaiting Payment", "Paid", "Overdue", "Draft"

ADDRESS = Shape("Address", closed=True, street=text, city=text, state=text, zip_code=text)
PLAN = Shape(
    "Plan",
    closed=True,
    plan_id=text,
    name=text,
    data_limit_gb=number,
    price_per_month=number,
    data_refueling_price_per_gb=number,
)
ITEM = Shape("LineItem", closed=True, description=text, amount=number, date=date, item_type=text)
DEVICE_OF = Shape(
    "Device",
    closed=True,
    device_id=text,
    device_type=choice("phone", "router", "tablet", "watch", "other", kind="enum"),
    model=text,
    imei=Default(optional(text)),
    is_esim_capable=flag,
    activated=Default(flag, False),
    activation_date=Default(optional(moment)),
    last_esim_transfer_date=Default(optional(moment)),
)
LINE = Shape(
    "Line",
    closed=True,
    line_id=text,
    phone_number=text,
    status=Default(choice(ACTIVE, SUSPENDED, PENDING, "Closed", kind="enum"), PENDING),
    plan_id=text,
    device_id=Default(optional(text)),
    data_used_gb=Default(number, 0.0),
    data_refueling_gb=Default(number, 0.0),
    roaming_enabled=Default(flag, False),
    contract_end_date=Default(optional(date)),
    last_plan_change_date=Default(optional(date)),
    last_sim_replacement_date=Default(optional(date)),
    suspension_start_date=Default(optional(date)),
)
BILL = Shape(
    "Bill",
    closed=True,
    bill_id=text,
    customer_id=text,
    period_start=date,
    period_end=date,
    issue_date=date,
    total_due=number,
    due_date=date,
    line_items=Default(listed(ITEM), list),
    status=Default(
        choice(DRAFT, "Issued", AWAITING, PAID, OVERDUE, "Disputed", kind="enum"), DRAFT
    ),
)
PAYMENT = Shape(
    "PaymentMethod",
    closed=True,
    method_type=choice("Credit Card", "Debit Card", "PayPal", kind="enum"),
    account_number_last_4=text,
    expiration_date=text,
)
CUSTOMER = Shape(
    "Customer",
    closed=True,
    customer_id=text,
    full_name=text,
    date_of_birth=text,
    email=text,
    phone_number=text,
    address=ADDRESS,
    account_status=Default(
        choice(ACTIVE, SUSPENDED, "Pending Verification", "Closed", kind="enum"),
        "Pending Verification",
    ),
    payment_methods=Default(listed(PAYMENT), list),
    line_ids=Default(listed(text), list),
    bill_ids=Default(listed(text), list),
    created_at=Default(moment, "2025-01-01"),
    last_extension_date=Default(optional(date)),
    goodwill_credit_used_this_year=Default(number, 0.0),
)
_KINDS = {  # table and name of records, by first letter of the id
    "L": ("lines", "Line"),
    "D": ("devices", "Device"),
    "B": ("bills", "Bill"),
    "C": ("customers", "Customer"),
    "P": ("plans", "Plan"),
}


class TelecomTools(Kit):
    @tool
    def get_customer_by_phone(self, phone_number: str) -> Record:
        """Find the customer to whom a phone number belongs: their own, or that of a line.

        Args:
            phone_number: the number
        """
        return self._found("customers", self._of_phone(phone_number)) or _none(
            f"Customer with phone number {phone_number} not found"
        )

    @tool
    def get_customer_by_id(self, customer_id: str) -> Record:
        """Look a customer up.

        Args:
            customer_id: whom
        """
        return self._get("C", customer_id)

    @tool
    def get_customer_by_name(self, full_name: str, dob: str) -> list[Record]:
        """Find the customers of a name who were born on a day.

        Args:
            full_name: first and last name
            dob: the day of birth, as YYYY-MM-DD
        """
        return [
            one
            for _, one in self.desk.rows("customers")
            if one["full_name"].lower() == full_name.lower() and one["date_of_birth"] == dob
        ]

    @tool
    def get_details_by_id(self, id: str) -> Record:
        """Look up anything that has an id: a customer, a line, a device, a bill or a plan.

        Args:
            id: its id
        """
        for kind in "LDBCP":
            if id.startswith(kind):
                return self._get(kind, id)
        raise ValueError(f"Unknown ID format or type: {id}")

    @writing
    def suspend_line(self, customer_id: str, line_id: str, reason: str) -> Values:
        """Suspend a line that is active.

        Args:
            customer_id: whose line
            line_id: which line
            reason: why
        """
        if self._line(customer_id, line_id)["status"] != ACTIVE:
            raise ValueError("Line must be active to suspend")
        line = self.desk.edit("lines", line_id)
        line["status"] = SUSPENDED
        line["suspension_start_date"] = str(TODAY)
        message = "Line suspended successfully. $5/month holding fee will apply."
        return Values(message=message, line=line)

    @writing
    def resume_line(self, customer_id: str, line_id: str) -> Values:
        """Put a line back into service that is suspended or waits to be activated.

        Args:
            customer_id: whose line
            line_id: which line
        """
        if self._line(customer_id, line_id)["status"] not in (SUSPENDED, PENDING):
            raise ValueError("Line must be suspended to resume")
        line = self.desk.edit("lines", line_id)
        line["status"] = ACTIVE
        line["suspension_start_date"] = None
        return Values(message="Line resumed successfully", line=line)

    @tool
    def get_bills_for_customer(self, customer_id: str, limit: int = 12) -> list[Record]:
        """List a customer's bills, the newest first.

        Args:
            customer_id: whose bills
            limit: how many at most
        """
        bills = list(self._bills(self._get("C", customer_id)))
        return sorted(bills, key=lambda bill: bill["issue_date"], reverse=True)[:limit]

    @writing
    def send_payment_request(self, customer_id: str, bill_id: str) -> str:
        """Ask a customer to pay a bill; one bill at a time can be asked for.

        Args:
            customer_id: who is to pay
            bill_id: which bill; whether it is due is not looked at
        """
        customer = self._get("C", customer_id)
        if self.awaiting(customer):
            raise ValueError("A bill is already awaiting payment for this customer")
        if bill_id not in customer["bill_ids"]:
            raise ValueError(f"Bill {bill_id} not found for customer {customer_id}")
        self._get("B", bill_id)
        self.desk.edit("bills", bill_id)["status"] = AWAITING
        return f"Payment request sent to the customer for bill {bill_id}"

    @tool
    def get_data_usage(self, customer_id: str, line_id: str) -> Values:
        """Look up how much data a line has used, may use and was refuelled with, and until when.

        Args:
            customer_id: whose line
            line_id: which line
        """
        line = self._line(customer_id, line_id)
        return Values(
            line_id=line_id,
            data_used_gb=line["data_used_gb"],
            data_limit_gb=self._get("P", line["plan_id"])["data_limit_gb"],
            data_refueling_gb=line["data_refueling_gb"],
            cycle_end_date="2025-02-28",
        )

    @writing
    def enable_roaming(self, customer_id: str, line_id: str) -> str:
        """Let a line be used abroad.

        Args:
            customer_id: whose line
            line_id: which line
        """
        if self._line(customer_id, line_id)["roaming_enabled"]:
            return "Roaming was already enabled"
        self.desk.edit("lines", line_id)["roaming_enabled"] = True
        return "Roaming enabled successfully"

    @writing
    def disable_roaming(self, customer_id: str, line_id: str) -> str:
        """Let a line no longer be used abroad.

        Args:
            customer_id: whose line
            line_id: which line
        """
        if not self._line(customer_id, line_id)["roaming_enabled"]:
            return "Roaming was already disabled"
        self.desk.edit("lines", line_id)["roaming_enabled"] = False
        return "Roaming disabled successfully"

    @tool
    def transfer_to_human_agents(self, summary: str) -> str:
        """Hand the user over to a person, where they ask for one or no tool helps.

        Args:
            summary: what the user needs
        """
        return "Transfer successful"

    @writing
    def refuel_data(self, customer_id: str, line_id: str, gb_amount: float) -> Values:
        """Add data to a line for this cycle, at the price of its plan, on the customer's next bill.

        Args:
            customer_id: whose line
            line_id: which line
            gb_amount: how many gigabytes
        """
        line = self._line(customer_id, line_id)
        if gb_amount <= 0:
            raise ValueError("Refuel amount must be positive")
        price = self._get("P", line["plan_id"])["data_refueling_price_per_gb"]
        charge = gb_amount * price
        line = self.desk.edit("lines", line_id)
        line["data_refueling_gb"] += gb_amount
        self._charge(customer_id, charge, f"Data refueling: {gb_amount} GB at ${price}/GB")
        message = f"Successfully added {gb_amount} GB of data for line {line_id} for ${charge:.2f}"
        return Values(
            message=message, new_data_refueling_gb=line["data_refueling_gb"], charge=charge
        )

    def set_data_usage(self, customer_id: str, line_id: str, data_used_gb: float) -> str:
        self._line(customer_id, line_id)
        self.desk.edit("lines", line_id)["data_used_gb"] = data_used_gb
        return f"Data usage set to {data_used_gb} GB for line {line_id}"

    def suspend_line_for_overdue_bill(
        self, customer_id: str, line_id: str, new_bill_id: str, contract_ended: bool
    ) -> str:
        line = self._get("L", line_id)
        if line["status"] != ACTIVE:
            raise ValueError("Line must be active to suspend for unpaid bill")
        amount = self._get("P", line["plan_id"])["price_per_month"]
        customer = self._get("C", customer_id)
        if any(bill["status"] == OVERDUE for bill in self._bills(customer)):
            raise ValueError("Customer already has an overdue bill")
        dates = (LAST_MONTH, LAST_MONTH_ENDS, LAST_DUE)
        bill = self._bill(new_bill_id, customer_id, OVERDUE, *dates)
        _add(bill, amount, f"Charge for line {line_id}", "Charge" if amount > 0 else "Credit")
        line = self.desk.edit("lines", line_id)
        line["status"] = SUSPENDED
        line["suspension_start_date"] = str(TODAY)
        if contract_ended:
            line["contract_end_date"] = LAST_MONTH_ENDS
        return (
            f"Line {line_id} suspended for unpaid bill {new_bill_id}. "
            f"Contract ended: {contract_ended}"
        )

    def assert_data_refueling_amount(
        self, customer_id: str, line_id: str, expected_amount: float
    ) -> bool:
        line = self._line(customer_id, line_id)
        return bool(abs(line["data_refueling_gb"] - expected_amount) < 1e-6)

    def assert_line_status(self, customer_id: str, line_id: str, expected_status: str) -> bool:
        return self._line(customer_id, line_id)["status"] == expected_status

    def assert_overdue_bill_exists(self, customer_id: str, overdue_bill_id: str) -> bool:
        if overdue_bill_id not in self._get("C", customer_id)["bill_ids"]:
            raise ValueError(f"Overdue bill {overdue_bill_id} not found")
        if self._get("B", overdue_bill_id)["status"] != OVERDUE:
            raise ValueError(f"Overdue bill {overdue_bill_id} is not overdue")
        return True

    def assert_no_overdue_bill(self, overdue_bill_id: str) -> bool:
        bill = self._found("bills", overdue_bill_id)
        return bill is None or bill["status"] == PAID

    def _of_phone(self, phone_number: object) -> str | None:
        domain = self.world.domain
        assert isinstance(domain, Telecom)
        known = domain.phones["customers"]
        return known.get(phone_number) if isinstance(phone_number, str) else None

    def _found(self, table: str, id: object) -> Maybe[Record]:
        return self.desk.get(table, id) if isinstance(id, str) else None

    def _get(self, kind: str, id: object) -> Record:
        table, name = _KINDS[kind]
        return self._found(table, id) or _none(f"{name} with ID {id} not found")

    def _line(self, customer_id: object, line_id: object) -> Record:
        if line_id not in self._get("C", customer_id)["line_ids"]:
            raise ValueError(f"Line {line_id} not found for customer {customer_id}")
        return self._get("L", line_id)

    def _bills(self, customer: JSONMapping) -> Iterator[Record]:
        for id in customer["bill_ids"]:
            yield self._get("B", id)

    def awaiting(self, customer: JSONMapping) -> list[Record]:
        """Return the bills that a customer was asked to pay."""
        return [bill for bill in self._bills(customer) if bill["status"] == AWAITING]

    def _bill(self, id: str, customer_id: str, status: str, *dates: str) -> Record:
        """Make a bill; `dates` are its first day, its last day and its due date."""
        start, end, due = dates
        bill: Record = {
            "bill_id": id,
            "customer_id": customer_id,
            "period_start": start,
            "period_end": end,
            "issue_date": start,
            "total_due": 0.0,
            "due_date": due,
            "line_items": [],
            "status": status,
        }
        self.desk.put("bills", id, bill)
        self.desk.edit("customers", customer_id)["bill_ids"].append(id)
        return bill

    def _charge(self, customer_id: str, amount: float, description: str) -> None:
        """Add a charge to the customer's next bill, which is made if needed."""
        customer = self._get("C", customer_id)
        draft = next((one for one in self._bills(customer) if one["status"] == DRAFT), None)
        if draft is None:
            many = sum(1 for _ in self.desk.rows("bills"))  # the original draws a random id
            dates = (NEXT_MONTH, NEXT_MONTH_ENDS, NEXT_DUE)
            bill = self._bill(f"B{many + 1:08x}", customer_id, DRAFT, *dates)
        else:
            bill = self.desk.edit("bills", draft["bill_id"])
        _add(bill, amount, description, "Credit" if amount < 0 else "Charge")


def _none(words: str) -> NoReturn:
    raise ValueError(words)


def _add(bill: Record, amount: float, description: str, kind: str) -> None:
    item = ITEM.make(description=description, amount=amount, date=str(TODAY), item_type=kind)
    bill["line_items"].append(item)
    bill["total_due"] += amount


class Telecom(Domain):
    name = "telecom"
    kits: ClassVar = {"assistant": TelecomTools, "user": TelecomUserTools}
    sides: ClassVar = {
        "assistant": dict.fromkeys(("plans", "customers", "lines", "bills", "devices"), LIST),
        "user": {"device": ONE, "surroundings": ONE},
    }
    shapes: ClassVar = {
        "plans": PLAN,
        "customers": CUSTOMER,
        "lines": LINE,
        "bills": BILL,
        "devices": DEVICE_OF,
        "device": DEVICE,
        "surroundings": SURROUNDINGS,
    }
    keys: ClassVar = {
        "plans": "plan_id",
        "customers": "customer_id",
        "lines": "line_id",
        "bills": "bill_id",
        "devices": "device_id",
    }
    files: ClassVar = {"assistant": "db.toml", "user": "user_db.toml"}
    solo = True

    def __init__(self, policy: str = "manual"):
        """Make the domain; `policy` is the form of technical support, "manual" or "workflow"."""
        if policy not in ("manual", "workflow"):
            raise ValueError(f"policy={policy!r}: expected manual or workflow")
        self.form = policy
        super().__init__()
        tables = self.base.tables
        of_lines = {one["phone_number"]: id for id, one in [*tables["lines"].items()][::-1]}
        of_customers: dict[str, str] = {}
        for id, one in tables["customers"].items():
            for phone in (one["phone_number"], *self._phones(one)):
                of_customers.setdefault(phone, id)
        self.phones = {"lines": of_lines, "customers": of_customers}

    def picture_device(self, calls: Sequence[Call]) -> Phone:
        return make_phone(calls)

    def _phones(self, customer: JSONMapping) -> list[str]:
        lines = self.base.tables["lines"]
        return [lines[id]["phone_number"] for id in customer["line_ids"]]

    def policy(self, solo: bool = False) -> str:
        end = "_solo.md" if solo else ".md"
        # The manual is the same with and without a user.
        support = (
            f"tech_support_workflow{end}" if self.form == "workflow" else "tech_support_manual.md"
        )
        parts = {"main_policy": f"main_policy{end}", "tech_support_policy": support}
        return "\n".join(
            f"<{name}>\n{self.read(file).decode()}\n</{name}>" for name, file in parts.items()
        )

    def sync(self, world: World) -> None:
        """Copy line state, remaining data and payments between the company and the phone."""
        desk = world.desk
        around = desk.get("surroundings", "")
        phone = around["phone_number"]
        if phone is None:
            return
        id = self.phones["lines"].get(phone) if isinstance(phone, str) else None
        line = desk.get("lines", id) if id else None
        if line is None:
            raise ValueError(f"Line with phone number {phone} not found")
        plan = desk.get("plans", line["plan_id"])
        limit = plan["data_limit_gb"] + line["data_refueling_gb"]
        now = {
            "line_active": line["status"] == ACTIVE,
            "roaming_allowed": bool(line["roaming_enabled"]),
            "mobile_data_usage_exceeded": line["data_used_gb"] >= limit,
        }
        request = around["payment_request"]
        if request is not None and request["paid"]:
            desk.edit("bills", request["bill_id"])["status"] = PAID
            request = None
        if request is None:
            kit = world.kits["assistant"]
            assert isinstance(kit, TelecomTools)
            bills = kit.awaiting(kit.get_customer_by_phone(phone))
            if bills:
                bill = bills[0]
                request = {
                    "bill_id": bill["bill_id"],
                    "amount_due": bill["total_due"],
                    "paid": False,
                }
        now["payment_request"] = request
        if any(around[name] != value for name, value in now.items()):
            desk.edit("surroundings", "").update(now)
