"""Fees, limits and rewards, against the bank's own documents and what it paid before."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from datetime import date, timedelta

import pytest
from tau2_references import FOLDER, needed

from gem_ma.envs.tau2.banking.user import KnowledgeUserTools

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


def test_a_payment_earns_what_the_documents_of_its_card_say(documents, bank):
    history = json.loads((BANK / "db.json").read_text())["credit_card_transaction_history"]["data"]
    categories = {row["category"] for row in history.values()} | {"Sustainable"}
    compared = set()
    nothing = dict.fromkeys(("user_id", "credit_card_type", "merchant_name", "category"), "")
    said, _ = bank().call("user", "submit_transaction", {**nothing, "amount": 1.0})
    for card in re.findall(r"'([^']+)'", said.partition("Available types:")[2]):
        own = [text for title, text in documents.items() if re.match(rf"{card}\b", title)]
        lines = [line.lower() for text in own for line in text.splitlines()]
        earning = [line for line in lines if re.search(r"\bearn|cash back|rewards", line)]
        if not any(re.search(r"\d\.\d%", line) for line in earning):
            continue  # its documents count in points
        rates = {}
        for category in ("Anything else", *categories):
            arguments = {
                "user_id": "u",
                "credit_card_type": card,
                "merchant_name": "m",
                "amount": 1000.0,
                "category": category,
            }
            said, _ = bank().call("user", "submit_transaction", arguments)
            points, rate = re.search(r"Earned: (\d+) points \((.*%)", said).groups()
            assert int(points) == 1000 * float(rate.strip("%"))
            rates[category] = rate
            named = category[:6].lower() if rate != rates["Anything else"] else ""
            told = [line for line in earning if rate in line and named in line]
            assert told, (card, category, rate)
        compared.add(card)
    assert len(compared) == 12


DISPUTE = {
    "transaction_id": "t",
    "card_action": "keep_active",
    "card_last_4_digits": "1234",
    "full_name": "Ada",
    "user_id": "u",
    "phone": "1",
    "email": "a@b.c",
    "address": "here",
    "contacted_merchant": True,
    "purchase_date": "11/01/2025",
    "issue_noticed_date": "11/02/2025",
    "dispute_reason": "duplicate_charge",
    "resolution_requested": "full_refund",
    "eligible_for_provisional_credit": True,
}
CARD = {"credit_card_account_id": "c", "user_id": "u"}
FLAG = {
    "flag_type": "rewards_bonus",
    "expiration_date": "12/01/2025",
    "reason": "promotional",
}
APPLICATION = {"card_type": "EcoCard", "customer_name": "Ada", "annual_income": 1.0}


@pytest.mark.parametrize(
    ("table", "tool", "arguments", "when"),
    [
        (
            "credit_limit_increase_requests",
            "approve_credit_limit_increase_5847",
            {**CARD, "new_credit_limit": 1500},
            "approved",
        ),
        (
            "credit_limit_increase_requests",
            "deny_credit_limit_increase_5848",
            {**CARD, "denial_reason": "high_utilization"},
            "denied",
        ),
        ("credit_card_account_flags", "apply_credit_card_account_flag_6147", {**CARD, **FLAG}, ""),
        (
            "credit_card_closure_reasons",
            "log_credit_card_closure_reason_4521",
            {**CARD, "closure_reason": "annual_fee"},
            "",
        ),
        ("transaction_disputes", "file_credit_card_transaction_dispute_4829", DISPUTE, ""),
        ("credit_card_applications", "apply_for_credit_card", APPLICATION, ""),
        ("referrals", "submit_referral", {"user_id": "u", "account_type": "EcoCard"}, ""),
    ],
)
def test_a_record_has_the_fields_that_the_bank_notes_of_its_table(
    bank, table, tool, arguments, when
):
    notes = json.loads((BANK / "db.json").read_text())[table]["notes"]
    fields = dict(re.findall(r"^(\w*[a-z]\w*): (.*)", notes, re.M))
    card = {"account_id": "c", "user_id": "u", "credit_limit": "$1,000.00"}
    world = bank(credit_card_accounts={"c": card})
    seat = "user" if hasattr(KnowledgeUserTools, tool) else "assistant"
    said, failed = world.call(seat, tool, arguments)
    assert not failed, said
    ((_, row),) = world.desk.rows(table)
    assert set(row) <= {name.lower() for name in fields}
    needed_fields = {name.lower() for name, words in fields.items() if when in words.lower()}
    assert needed_fields <= set(row)
    if when == "approved":
        before, after, more = (
            float(row[name].strip("$"))
            for name in ("previous_limit", "new_limit", "increase_amount")
        )
        assert before + more == after == 1500
