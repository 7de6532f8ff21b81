"""Orders of debit cards and their activation, where no reference goes."""

from __future__ import annotations

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
    assert world.call("assistant", tool, arguments)[0].endswith("'new' is already active.")
    for other in ("FROZEN", "CANCELLED", "EXPIRED", "GRACE_PERIOD"):
        world.desk.edit("debit_cards", "new")["status"] = other
        said, _ = world.call("assistant", tool, arguments)
        assert f"cannot be activated. Current status: {other}." in said
        assert world.desk.get("debit_cards", "new")["status"] == other
