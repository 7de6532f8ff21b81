"""What no reference does with debit cards: each state that a card can be in, fees, and limits."""

from __future__ import annotations

import json

import pytest

ORDER = {
    "account_id": "a",
    "user_id": "u",
    "delivery_option": "rush",
    "delivery_fee": 15.0,
    "card_design": "custom",
    "design_fee": 0.125,
    "shipping_address": "here",
}
ACTIVATION = {"card_id": "new", "last_4_digits": "4821", "expiration_date": "03/28", "cvv": "739"}


def test_an_order_is_charged_and_its_card_says_why_it_came(bank):
    lost = {"status": "CLOSED", "closure_reason": "fraud_suspected"}
    world = bank(accounts={"a": {"current_holdings": "1,000.00"}}, debit_cards={"old": lost})
    said, _ = world.call("assistant", "order_debit_card_5739", ORDER)
    assert "Total Fees: $15.12 (Delivery: $15.0, Design: $0.125) - CHARGED to account a" in said
    assert world.desk.get("accounts", "a")["current_holdings"] == "984.88"
    [(_, fee)] = world.desk.rows("bank_account_transaction_history")
    assert fee["description"] == "DEBIT CARD ORDER FEE - Delivery $15.0, Design $0.125"
    assert fee["amount"] == -15.125
    (_, card) = list(world.desk.rows("debit_cards"))[-1]
    assert (card["issue_reason"], card["cardholder_name"]) == ("fraud", "ADA")
    said, _ = world.call("assistant", "order_debit_card_5739", ORDER)
    assert said == "Error: There is already a pending debit card order for account 'a'."


@pytest.mark.parametrize(
    ("reason", "tool", "state"),
    [
        ("first_card", "activate_debit_card_8291", "DEACTIVATED"),
        ("stolen", "activate_debit_card_8292", "DEACTIVATED"),
        ("damaged", "activate_debit_card_8293", "GRACE_PERIOD"),
    ],
)
def test_a_card_is_activated_by_its_own_tool_and_replaces_the_others(bank, reason, tool, state):
    new = {"status": "PENDING", "issue_reason": reason, "last_4_digits": "4821"}
    away = {"status": "ACTIVE", "account_id": "b"}
    cards = {"old": {"status": "ACTIVE"}, "away": away, "new": new}
    world = bank(accounts={"a": {"status": "CLOSED"}}, debit_cards=cards)
    arguments = {**ACTIVATION, "pin": "1357"}
    for name in (f"activate_debit_card_829{digit}" for digit in "123"):
        said, _ = world.call("assistant", name, arguments)
        known = "is no longer open" if name == tool else f"Please use {tool} instead of {name}."
        assert known in said
    world.desk.edit("accounts", "a")["status"] = "OPEN"
    for pin, wrong in (("0123", "sequential"), ("7777", "all the same digit"), ("12", "4 digits")):
        assert wrong in world.call("assistant", tool, {**arguments, "pin": pin})[0]
    assert "Activation Successful" in world.call("assistant", tool, arguments)[0]
    states = {id: card["status"] for id, card in world.desk.rows("debit_cards")}
    assert states == {"old": state, "away": "ACTIVE", "new": "ACTIVE"}


def test_alerts_of_the_bank_itself_stay(bank):
    alert = {"fraud_alert_active": True, "alert_source": "bank_initiated", "velocity_blocked": True}
    world = bank(debit_cards={"c": alert})
    name, arguments = "clear_debit_card_fraud_alert_4892", {"card_id": "c"}
    fraud, speed = ({**arguments, "reason": it} for it in ("customer_verified", "velocity_clear"))
    assert "BANK_INITIATED_ALERT" in world.call("assistant", name, fraud)[0]
    assert "Velocity Block Cleared" in world.call("assistant", name, speed)[0]
    assert "not have an active velocity block" in world.call("assistant", name, speed)[0]
    world.desk.edit("debit_cards", "c")["alert_source"] = "customer"
    assert "Fraud Alert Cleared" in world.call("assistant", name, fraud)[0]
    assert world.desk.get("debit_cards", "c")["fraud_alert_active"] is False


@pytest.mark.parametrize(
    ("account", "kind", "limit", "answer"),
    [
        ({}, "atm", 750, "Temporary Daily ATM Withdrawal Limit Increase Granted"),
        ({}, "atm", 751, "Error: Requested limit $751 exceeds"),
        ({}, "atm", 500, "Error: Requested limit $500 is not higher"),
        ({}, "atm", 600.5, "Error: new_limit must be an integer, got '600.5'"),
        ({}, "purchase", 900, "Error: The card does not have a daily purchase limit configured"),
        ({"level": "Light Green Account"}, "atm", 200, "Error: Light Green Account (teen"),
        ({"level": "Gold Account"}, "atm", 200, "Error: Could not determine the default ATM limit"),
        ({"date_opened": "09/16/2025"}, "atm", 600, "Error: Account must be at least 60 days old"),
        ({"status": "CLOSED"}, "atm", 600, "Error: The linked account 'a' is not in good standing"),
    ],
)
def test_a_limit_is_raised_by_half_at_most(bank, account, kind, limit, answer):
    world = bank(accounts={"a": account}, debit_cards={"c": {}})
    name = "request_temporary_debit_card_limit_increase_8374"
    arguments = {"card_id": "c", "limit_type": kind, "new_limit": limit}
    said, _ = world.call("assistant", name, arguments)
    assert said.startswith(answer)
    granted = "daily_atm_limit" in world.desk.get("debit_cards", "c")
    assert granted is not said.startswith("Error")


def test_cards_are_listed_the_latest_first_under_the_names_that_are_printed(bank):
    dates = {"1": "01/02/2025", "2": "", "3": "03/01/2025"}
    cards = {id: {"issue_date": date, "last_4_digits": id} for id, date in dates.items()}
    world = bank(accounts={"a": {}}, debit_cards=cards)
    name = "get_debit_cards_by_account_id_7823"
    found = json.loads(world.call("assistant", name, {"account_id": "a"})[0])
    assert [(one["card_number_last_4"], one["date_issued"]) for one in found] == [
        ("3", "03/01/2025"),
        ("1", "01/02/2025"),
        ("2", ""),
    ]
