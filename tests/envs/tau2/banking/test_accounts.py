"""What no reference does with bank accounts: days and fees at their bounds."""

from __future__ import annotations

import pytest


def test_closing_early_costs_what_the_kind_of_account_says(bank):
    world = bank(accounts={"a": {"level": "Blue Account", "current_holdings": "25.00"}})
    edit = world.desk.edit("accounts", "a")
    for opened, held, answer in (
        ("09/16/2025", "24.00", "Error: Account unable to be closed."),
        ("09/15/2025", "25.00", "Error: Account balance must be $0.00 before closing."),  # 60 days
        ("09/16/2025", "25.00", "Bank account closed successfully!"),
    ):
        edit.update(date_opened=opened, current_holdings=held)
        said, _ = world.call("assistant", "close_bank_account_7392", {"account_id": "a"})
        assert said.startswith(answer)
    assert world.desk.get("accounts", "a")["early_closure_fee_waived"] is False


@pytest.mark.parametrize(
    ("has", "opened", "kind", "may"),
    [
        ("checking", "10/31/2025", "savings", True),
        ("checking", "11/01/2025", "savings", False),
        ("checking", "11/14/2025", "business_checking", True),
        ("business_checking", "10/15/2025", "business_savings", True),
        ("business_checking", "10/16/2025", "business_savings", False),
        ("savings", "not a day", "business_savings", False),
        ("savings", "not a day", "checking", True),
    ],
)
def test_who_may_open_an_account(bank, has, opened, kind, may):
    world = bank(accounts={"a": {"class": has, "date_opened": opened}})
    arguments = {"user_id": "u", "account_type": kind, "account_class": "Gold Account"}
    said = [world.call("assistant", "open_bank_account_4821", arguments)[0] for _ in range(2)]
    if may:
        assert said[0].startswith("Bank account opened successfully!")
        assert "may already exist" in said[1]
    else:
        assert said == ["Error: Account eligibility requirements not met."] * 2


def test_who_owes_or_left_opens_no_account_for_a_business(bank):
    business = {"class": "business_checking", "date_opened": "01/01/2024"}
    for kind, other in (
        ("business_savings", {"current_holdings": "$-0.01"}),
        ("business_checking", {"status": "CLOSED"}),
    ):
        world = bank(accounts={"a": {}, "b": business, "c": other})
        arguments = {"user_id": "u", "account_type": kind, "account_class": "x"}
        said, _ = world.call("assistant", "open_bank_account_4821", arguments)
        assert said == "Error: Account eligibility requirements not met."


def test_transactions_are_listed_the_latest_first_and_the_undated_last(bank):
    dates = {"1": "bad", "2": "11/01/2025", "3": "11/01/2025 10:00:00", "4": "11/01/2025"}
    rows = {id: {"account_id": "a", "date": date} for id, date in dates.items()}
    world = bank(accounts={"a": {}}, bank_account_transaction_history=rows)
    name = "get_bank_account_transactions_9173"
    said, _ = world.call("assistant", name, {"account_id": "a"})
    assert [line[-1] for line in said.splitlines() if "Record ID" in line] == ["3", "2", "4", "1"]
