"""The tools for bank accounts, which the bank's assistant discovers."""

from __future__ import annotations

import datetime
import functools
from collections.abc import Iterable, Mapping

from gem_ma.envs.tau.store import Record
from gem_ma.envs.tau2.banking.query import (
    TODAY,
    add,
    age,
    balance_of,
    digest,
    find,
    listed,
    listing_by,
    nothing_in,
)
from gem_ma.envs.tau2.banking.tool_answers import MISSING_PARAMETERS
from gem_ma.envs.tau2.kit import Part, discoverable, tool, writing
from gem_ma.game import Maybe
from gem_ma.validation.json_types import JSONMapping

_INELIGIBLE = "Error: Account eligibility requirements not met."
_KINDS = ["checking", "savings", "business_checking", "business_savings"]
_LIVE = ("ACTIVE", "OPEN")
_EARLY: Mapping[str, Mapping[str, tuple[int, int]]] = {  # (fee, days in which it is due)
    "checking": {
        "Light Blue Account": (15, 30),
        "Light Green Account": (15, 30),
        "Green Fee-Free Account": (15, 30),
        "Blue Account": (25, 60),
        "Green Account": (25, 60),
        "Evergreen Account": (50, 90),
        "Bluest Account": (100, 180),
    },
    "savings": {
        "Bronze Account": (20, 60),
        "Silver Account": (35, 90),
        "Silver Plus Account": (35, 90),
        "Gold Account": (75, 180),
        "Gold Plus Account": (75, 180),
        "Gold Years Account": (75, 180),
        "Platinum Account": (150, 270),
        "Platinum Plus Account": (150, 270),
        "Diamond Elite Account": (150, 270),
    },
}
_CHECKING_CREDITS = {
    "rebate_credit": "REBATE CREDIT - CUSTOMER SERVICE",
    "fee_refund": "FEE REFUND - CUSTOMER SERVICE",
}
_SAVINGS_CREDITS = {
    "interest_correction": "INTEREST CORRECTION - CUSTOMER SERVICE",
    "fee_refund": "FEE REFUND - CUSTOMER SERVICE",
    "goodwill_credit": "GOODWILL CREDIT - CUSTOMER SERVICE",
}


class AccountTools(Part):
    """Opening, closing, transfers and credits of bank accounts."""

    @discoverable
    @writing
    def open_bank_account_4821(self, user_id: str, account_type: str, account_class: str) -> str:
        """Open an account."""
        if not user_id or not account_type or not account_class:
            return MISSING_PARAMETERS
        if account_type not in _KINDS:
            return f"Error: Invalid account_type. Must be one of: {_KINDS}"
        theirs = [one for _, one in self.desk.rows("accounts") if one.get("user_id") == user_id]
        if not _eligible(account_type, theirs):
            return _INELIGIBLE
        id = digest(f"account:{user_id}:{account_type}:{account_class}")
        record = {
            "account_id": id,
            "user_id": user_id,
            "account_type": account_type,
            "account_class": account_class,
            "current_holdings": "0.00",
            "status": "OPEN",
            "date_opened": TODAY,
        }
        if not add(self.desk, "accounts", id, record):
            return f"Failed to open account: Account ID '{id}' may already exist."
        return (
            "Bank account opened successfully!\n"
            f"  - Account ID: {id}\n"
            f"  - User ID: {user_id}\n"
            f"  - Account Type: {account_type}\n"
            f"  - Account Class: {account_class}\n"
            "  - Status: OPEN\n"
            "  - Initial Balance: $0.00\n"
            f"  - Date Opened: {TODAY}"
        )

    @discoverable
    @writing
    def close_bank_account_7392(
        self,
        account_id: str,
        reason: str = "Customer requested closure",
        waive_early_closure_fee: bool = False,
    ) -> str:
        """Close an account on which nothing is left but the fee."""
        if not account_id:
            return "Error: Missing required parameter (account_id)."
        account = self.desk.get("accounts", account_id)
        if account is None:
            return f"Error: Account '{account_id}' not found."
        if account.get("status") == "CLOSED":
            return f"Error: Account '{account_id}' is already closed."
        balance = balance_of(account)
        fee = 0 if waive_early_closure_fee else _early_fee(account)
        if fee and balance < fee:
            return "Error: Account unable to be closed."
        if balance - fee != 0:
            return (
                "Error: Account balance must be $0.00 before closing. Current balance: "
                f"${balance:.2f}"
            )
        self.desk.edit("accounts", account_id).update(
            status="CLOSED",
            date_closed=TODAY,
            closure_reason=reason,
            early_closure_fee_waived=waive_early_closure_fee,
        )
        return (
            "Bank account closed successfully!\n"
            f"  - Account ID: {account_id}\n"
            f"  - Account Type: {account.get('account_type', 'N/A')}\n"
            f"  - Account Class: {account.get('account_class', 'N/A')}\n"
            "  - Status: CLOSED\n"
            f"  - Date Closed: {TODAY}\n"
            f"  - Reason: {reason}\n"
            f"  - Early Closure Fee Waived: {'Yes' if waive_early_closure_fee else 'No'}"
        )

    @discoverable
    @tool
    def get_all_user_accounts_by_user_id_3847(self, user_id: str) -> str:
        """Look up a user's bank accounts and credit cards."""
        if not user_id:
            return "Error: Missing required parameter: user_id"
        accounts = listing_by(self.desk, "accounts", "user_id", user_id)
        cards = listing_by(self.desk, "credit_card_accounts", "user_id", user_id)
        return (
            "User accounts retrieved successfully.\n\n"
            "Executed: get_all_user_accounts_by_user_id_3847\n"
            f"Accounts for user {user_id}:\n\n"
            "Bank Accounts:\n"
            f"{'  No bank accounts found.' if nothing_in(accounts) else accounts}\n\n"
            "Credit Card Accounts:\n"
            f"{'  No credit card accounts found.' if nothing_in(cards) else cards}"
        )

    @discoverable
    @writing
    def transfer_funds_between_bank_accounts_7291(
        self, source_account_id: str, destination_account_id: str, amount: float
    ) -> str:
        """Move an amount from one account to another."""
        if not source_account_id or not destination_account_id or amount is None:
            return (
                "Error: Missing required parameters (source_account_id, destination_account_id, "
                "amount)."
            )
        try:
            amount = float(amount)
        except (ValueError, TypeError):
            return f"Error: Invalid amount '{amount}'. Must be a number."
        if amount <= 0:
            return "Error: Transfer amount must be positive."
        if source_account_id == destination_account_id:
            return "Error: Source and destination accounts cannot be the same."
        ends = {"Source": source_account_id, "Destination": destination_account_id}
        accounts = {end: self.desk.get("accounts", id) for end, id in ends.items()}
        for end, account in accounts.items():
            if account is None:
                return f"Error: {end} account '{ends[end]}' not found."
        for end, account in accounts.items():
            if account is None or account.get("status") not in _LIVE:
                return f"Error: {end} account '{ends[end]}' is not active."
        source, destination = map(balance_of, filter(None, accounts.values()))
        if source < amount:
            return (
                f"Error: Insufficient funds. Source account balance is ${source:.2f}, but "
                f"transfer amount is ${amount:.2f}."
            )
        source, destination = source - amount, destination + amount
        self.desk.edit("accounts", source_account_id)["current_holdings"] = f"${source:.2f}"
        edited = self.desk.edit("accounts", destination_account_id)
        edited["current_holdings"] = f"${destination:.2f}"
        return (
            "Transfer completed successfully!\n"
            f"  - Amount: ${amount:.2f}\n"
            f"  - From: {source_account_id} (new balance: ${source:.2f})\n"
            f"  - To: {destination_account_id} (new balance: ${destination:.2f})"
        )

    @discoverable
    @writing
    def apply_checking_account_credit_5829(
        self, account_id: str, amount: float, credit_type: str
    ) -> str:
        """Credit a checking account with an amount."""
        refused, value = _credit(account_id, amount, credit_type, _CHECKING_CREDITS)
        if refused:
            return refused
        account = self.desk.get("accounts", account_id)
        if account is None:
            return f"Error: Account '{account_id}' not found."
        if account.get("class", "").lower() != "checking":
            return (
                f"Error: Account '{account_id}' is not a checking account. Credits can only be "
                "applied to checking accounts."
            )
        words = _CHECKING_CREDITS[credit_type]
        seed = f"checking_credit:{account_id}:{credit_type}:{value}:{TODAY}"
        return self._credited(account, account_id, value, (credit_type, words, seed), "$")

    @discoverable
    @writing
    def apply_savings_account_credit_6831(
        self, account_id: str, amount: float, credit_type: str
    ) -> str:
        """Credit a savings account with an amount."""
        refused, value = _credit(account_id, amount, credit_type, _SAVINGS_CREDITS)
        if refused:
            return refused
        account = self.desk.get("accounts", account_id)
        if account is None:
            return f"Error: Account '{account_id}' not found."
        if account.get("class", "").lower() not in ("saving", "savings"):
            return (
                f"Error: Account '{account_id}' is not a savings account. This tool only applies "
                "to savings accounts."
            )
        words = _SAVINGS_CREDITS[credit_type]
        seed = f"savings_credit:{account_id}:{credit_type}:{value}:{TODAY}"
        return self._credited(account, account_id, value, (credit_type, words, seed), "")

    def _credited(
        self, account: Record, id: str, amount: float, what: tuple[str, str, str], sign: str
    ) -> str:
        """Credit an account; `sign` is a prefix of the new balance."""
        if account.get("status") not in _LIVE:
            return f"Error: Account '{id}' is not active."
        kind, words, seed = what
        before = balance_of(account)
        after = before + amount
        self.desk.edit("accounts", id)["current_holdings"] = f"{sign}{after:.2f}"
        transaction_id = f"txn_{digest(seed)}"
        record = {
            "transaction_id": transaction_id,
            "account_id": id,
            "date": TODAY,
            "description": words,
            "amount": amount,
            "type": kind,
            "status": "posted",
        }
        self.desk.put("bank_account_transaction_history", transaction_id, record)
        return (
            "\nCredit applied successfully!\n"
            f"  - Transaction ID: {transaction_id}\n"
            f"  - Account: {id}\n"
            f"  - Credit Type: {kind}\n"
            f"  - Amount: ${amount:.2f}\n"
            f"  - Previous Balance: ${before:.2f}\n"
            f"  - New Balance: ${after:.2f}"
        )

    @discoverable
    @writing
    def submit_interest_discrepancy_report_7294(
        self,
        account_id: str,
        user_id: str,
        expected_apy: float,
        actual_apy: float,
        amount_difference: float,
    ) -> str:
        """Report that interest was wrong; the original stores no such reports."""
        numbers = (expected_apy, actual_apy, amount_difference)
        if not account_id or not user_id or any(one is None for one in numbers):
            return MISSING_PARAMETERS
        try:
            expected, actual, difference = map(float, numbers)
        except (ValueError, TypeError):
            return "Error: expected_apy, actual_apy, and amount_difference must be numbers."
        account = self.desk.get("accounts", account_id)
        if account is None:
            return f"Error: Account '{account_id}' not found."
        user = self.desk.get("users", user_id)
        if user is None:
            return f"Error: User '{user_id}' not found."
        id = digest(f"interest_report:{account_id}:{user_id}:{expected}:{actual}:{TODAY}")
        return (
            "\nInterest Discrepancy Report Submitted Successfully!\n"
            f"  - Report ID: IDR_{id}\n"
            f"  - Account: {account_id} ({account.get('level', 'Unknown')})\n"
            f"  - Customer: {user.get('name', 'Unknown')}\n"
            f"  - Expected APY: {expected}%\n"
            f"  - Actual APY: {actual}%\n"
            f"  - APY Difference: {round(expected - actual, 4)}%\n"
            f"  - Amount Difference: ${difference:.2f}\n"
            "  - Status: PENDING_REVIEW\n\n"
            "The backend team will investigate this discrepancy and ensure correct APY "
            "calculations are applied going forward."
        )

    @discoverable
    @tool
    def get_bank_account_transactions_9173(self, account_id: str) -> str:
        """Look up what came and went on an account, the latest first."""
        if not account_id:
            return "Error: Missing required parameter: account_id"
        if self.desk.get("accounts", account_id) is None:
            return f"Error: Account '{account_id}' not found."
        table = "bank_account_transaction_history"
        transactions = find(self.desk, table, {"account_id": account_id})
        transactions.sort(key=lambda one: _moment(str(one[1].get("date", ""))), reverse=True)
        return (
            "Bank account transactions retrieved successfully.\n\n"
            "Executed: get_bank_account_transactions_9173\n"
            f"Transactions for account {account_id}:\n"
        ) + (
            listed(table, transactions)
            if transactions
            else "\nNo transactions found for this account."
        )


@functools.lru_cache(4096)
def _moment(text: str) -> datetime.datetime:
    for form in ("%m/%d/%Y %H:%M:%S", "%m/%d/%Y"):
        try:
            return datetime.datetime.strptime(text, form)
        except ValueError:
            continue
    return datetime.datetime.min


def _kind(account: JSONMapping) -> str:
    return account.get("account_type", account.get("class", ""))


def _has(accounts: Iterable[JSONMapping], kinds: tuple[str, ...], days: Maybe[int]) -> bool:
    """Return whether an account of these kinds is open for `days` or more; None: any time."""
    return any(
        _kind(one) in kinds
        and one.get("status", "") in _LIVE
        and (days is None or _days_open(one) >= days)
        for one in accounts
    )


def _days_open(account: JSONMapping) -> int:
    try:
        return age(account.get("date_opened", ""))
    except ValueError:
        return 0


def _eligible(kind: str, theirs: list[Record]) -> bool:
    """Return whether the owner of these accounts may open an account of this kind."""
    personal = ("checking", "personal_checking")
    if kind == "savings":
        return _has(theirs, personal, 14)
    if kind == "business_checking":
        closed = any(one.get("status") == "CLOSED" for one in theirs)
        return not closed and _has(theirs, personal, None)
    if kind == "business_savings":
        owing = any(balance_of(one) < 0 for one in theirs)
        return not owing and _has(theirs, ("business_checking",), 30)
    return True


def _early_fee(account: JSONMapping) -> int:
    """Return the fee for closing an account early."""
    kind, opened = account.get("class", ""), account.get("date_opened", "")
    fee, days = _EARLY.get(kind, {}).get(account.get("level", ""), (0, 0))
    if not fee or not opened:
        return 0
    try:
        return fee if age(opened) < days else 0
    except ValueError:
        return 0


def _credit(id: str, amount: float, kind: str, known: Mapping[str, str]) -> tuple[str, float]:
    """Return what is wrong with a credit, or "", and the amount."""
    if not id or amount is None or not kind:
        return MISSING_PARAMETERS, 0.0
    try:
        amount = float(amount)
    except (TypeError, ValueError):
        return "Error: Invalid credit amount. Must be a number.", 0.0
    if amount <= 0:
        return "Error: Credit amount must be positive.", 0.0
    if kind not in list(known):
        return f"Error: Invalid credit_type. Must be one of: {list(known)}", 0.0
    return "", amount
