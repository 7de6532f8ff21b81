"""Fees, limits and rewards, against the bank's own documents and what it paid before."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from datetime import date, timedelta

import pytest
from tau2_references import FOLDER, needed

TODAY = date(2025, 11, 14)
BANK = FOLDER.parent / "data" / "banking_knowledge"
OWN_LIMIT = r"Your ([\w -]+) Account(?: \(checking\))? debit card has a daily ATM.* of \$([\d,]+)"
LISTED_LIMIT = r"[Dd]aily ATM withdrawal limit(?::| \|) \$([\d,]+)"

pytestmark = needed


@pytest.fixture(scope="module")
def documents():
    found = [json.loads(path.read_text()) for path in (BANK / "documents").glob("*.json")]
    return {document["title"]: document["content"] for document in found}


@pytest.mark.parametrize(
    ("title", "kind", "count"),
    [
        ("Internal: Closing Personal Checking Accounts", "checking", 7),
        ("Internal: Closing Personal Savings Accounts", "savings", 9),
    ],
)
def test_closing_early_costs_what_the_documents_say(documents, bank, title, kind, count):
    tiers = re.findall(
        r"TIER \((.*)\)\n +- Early closure fee: \$(\d+) if closed within (\d+) days",
        documents[title],
    )
    named = [
        (name.removesuffix(" (checking)"), int(fee), int(days))
        for names, fee, days in tiers
        for name in names.split(", ")
    ]
    assert len(named) == count
    for name, fee, days in named:
        for age, held, answer in (
            (days - 1, fee - 1, "Error: Account unable to be closed."),
            (days - 1, fee, "Bank account closed successfully!"),
            (days, fee, "Error: Account balance must be $0.00 before closing."),
            (days, 0, "Bank account closed successfully!"),
        ):
            opened = (TODAY - timedelta(days=age)).strftime("%m/%d/%Y")
            account = {"class": kind, "level": name, "date_opened": opened}
            world = bank(accounts={"a": account | {"current_holdings": f"{held}.00"}})
            said, _ = world.call("assistant", "close_bank_account_7392", {"account_id": "a"})
            assert said.startswith(answer), (name, age, held)


def test_cards_have_the_limits_that_the_documents_say(documents, bank):
    limits = {}
    for title, content in documents.items():
        limits |= re.findall(OWN_LIMIT, content)
        if (name := re.match(r"([\w -]+) Account ", title)) and not title.startswith("Internal"):
            limits |= [(name[1], amount) for amount in re.findall(LISTED_LIMIT, content)]
    assert len(limits) == 10
    assert limits.pop("Light Green") == "150"  # which nobody may raise
    for name, amount in limits.items():
        usual = int(amount.replace(",", ""))
        for limit, answer in (
            (usual, f"Error: Requested limit ${usual} is not higher"),
            (usual * 3 // 2, "Temporary Daily ATM Withdrawal Limit Increase Granted"),
            (usual * 3 // 2 + 1, f"Error: Requested limit ${usual * 3 // 2 + 1} exceeds"),
        ):
            world = bank(accounts={"a": {"level": f"{name} Account"}}, debit_cards={"c": {}})
            arguments = {"card_id": "c", "limit_type": "atm", "new_limit": limit}
            tool = "request_temporary_debit_card_limit_increase_8374"
            said, _ = world.call("assistant", tool, arguments)
            assert said.startswith(answer), (name, limit, said)


def test_a_payment_earns_what_most_such_payments_earned(bank):
    history = json.loads((BANK / "db.json").read_text())["credit_card_transaction_history"]["data"]
    earned = defaultdict(list)
    for row in history.values():
        amount = float(row["transaction_amount"].replace("$", "").replace(",", ""))
        points = int(row["rewards_earned"].split()[0].replace(",", ""))
        earned[row["credit_card_type"], row["category"]].append((amount, points))
    compared = 0
    for (card, category), rows in earned.items():
        if len(rows) < 4:
            continue
        equal = 0
        for amount, points in rows:
            world = bank()
            arguments = {
                "user_id": "u",
                "credit_card_type": card,
                "merchant_name": "m",
                "amount": amount,
                "category": category,
            }
            world.call("user", "submit_transaction", arguments)
            ((_, row),) = world.desk.rows("credit_card_transaction_history")
            equal += row["rewards_earned"] == f"{points} points"
        assert equal >= len(rows) / 2, (card, category)
        compared += 1
    assert compared == 27
