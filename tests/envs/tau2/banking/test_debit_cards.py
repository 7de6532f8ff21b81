"""What no reference does with debit cards: each state that a card can be in, fees, and limits."""

from __future__ import annotations

import json

import pytest


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
