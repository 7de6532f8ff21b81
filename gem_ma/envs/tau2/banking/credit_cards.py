"""The tools for credit cards, which the bank's assistant discovers."""

from __future__ import annotations

from gem_ma.envs.tau.store import Record
from gem_ma.envs.tau2.banking.query import (
    TODAY,
    account_flag_id,
    add,
    amount_of,
    balance_of,
    closure_reason_id,
    credit_card_order_id,
    executed,
    limit_request_id,
    listing_by,
    nothing_in,
    titled,
    transaction_id,
    update,
)
from gem_ma.envs.tau2.banking.tool_answers import (
    MISSING_PARAMETERS,
    describe_invalid_choice,
    find_invalid_choice,
    format_history,
)
from gem_ma.envs.tau2.kit import Part, discoverable, tool, writing
from gem_ma.game import Maybe

_REPLACEMENT_REASONS = ["fraud_suspected", "lost", "stolen", "damaged", "expired", "other"]
_CLOSURE_REASONS = [
    "annual_fee",
    "not_using_card",
    "found_better_card",
    "unhappy_with_rewards",
    "simplifying_finances",
    "negative_experience",
    "other",
]
_CREDIT_REASONS = [
    "goodwill_adjustment",
    "promotional_credit",
    "annual_fee_reversal",
    "late_fee_reversal",
    "interest_charge_reversal",
    "dispute_resolution",
    "price_match",
    "retention_offer",
    "error_correction",
    "other",
]
_FLAGS = ["annual_fee_waived", "promotional_apr", "rewards_bonus", "other"]
_FLAG_REASONS = ["retention_offer", "loyalty_benefit", "promotional", "error_correction", "other"]
_DENIAL_REASONS = [
    "insufficient_account_age",
    "cooldown_period_active",
    "pending_disputes",
    "pending_replacement_card",
    "past_due_balance",
    "high_utilization",
    "insufficient_payment_history",
    "requested_amount_exceeds_limit",
    "other",
]


class CreditCardTools(Part):
    """Replacement, closure, credits, flags, payments and limits of credit cards."""

    @discoverable
    @writing
    def order_replacement_credit_card_7291(
        self,
        credit_card_account_id: str,
        user_id: str,
        shipping_address: str,
        reason: str,
        expedited_shipping: bool = False,
    ) -> str:
        """Order another card in place of one, which ends."""
        if not credit_card_account_id or not user_id or not shipping_address or not reason:
            return (
                "Error: Missing required parameters (credit_card_account_id, user_id, "
                "shipping_address, reason)."
            )
        if reason not in _REPLACEMENT_REASONS:
            return describe_invalid_choice("reason", _REPLACEMENT_REASONS)
        if self._lacks_card(credit_card_account_id):
            return _describe_missing_card(credit_card_account_id)
        id = credit_card_order_id(credit_card_account_id, user_id, reason)
        record = {
            "order_id": id,
            "credit_card_account_id": credit_card_account_id,
            "user_id": user_id,
            "shipping_address": shipping_address,
            "reason": reason,
            "expedited_shipping": expedited_shipping,
            "order_date": TODAY,
            "status": "ORDERED",
            "old_card_cancelled": True,
        }
        if not add(self.desk, "credit_card_orders", id, record):
            return "Error: Order may have already been placed for this card replacement."
        closed = {"status": "CLOSED", "closed_date": TODAY}
        update(self.desk, "credit_card_accounts", credit_card_account_id, closed)
        return (
            f"Order ID: {id}\n"
            f"Card Account: {credit_card_account_id}\n"
            f"Reason: {titled(reason)}\n"
            f"Shipping Address: {shipping_address}\n"
            f"Shipping Method: {'Expedited' if expedited_shipping else 'Standard'}\n"
            f"Expected Delivery: {'2-3' if expedited_shipping else '7-10'} business days\n\n"
            "The old card has been cancelled for security. The new card will have the same "
            "account number but a new card number and CVV."
        )

    @discoverable
    @tool
    def get_pending_replacement_orders_5765(self, credit_card_account_id: str) -> str:
        """Look up the replacements that are on their way."""
        if not credit_card_account_id:
            return "Error: Missing required parameter: credit_card_account_id"
        return format_history(
            "Pending replacement orders check completed.",
            "get_pending_replacement_orders_5765",
            f"Replacement orders for credit card account {credit_card_account_id}:",
            self._list_for_card("credit_card_orders", credit_card_account_id),
            "No pending replacement orders found for this credit card account.",
        )

    @discoverable
    @writing
    def log_credit_card_closure_reason_4521(
        self, credit_card_account_id: str, user_id: str, closure_reason: str
    ) -> str:
        """Note why an account is to be closed."""
        if not credit_card_account_id or not user_id or not closure_reason:
            return MISSING_PARAMETERS
        if closure_reason not in _CLOSURE_REASONS:
            return describe_invalid_choice("closure_reason", _CLOSURE_REASONS)
        id = closure_reason_id(credit_card_account_id, user_id)
        arguments = {
            "credit_card_account_id": credit_card_account_id,
            "user_id": user_id,
            "closure_reason": closure_reason,
        }
        record = {"record_id": id, **arguments, "logged_at": TODAY, "status": "LOGGED"}
        add(self.desk, "credit_card_closure_reasons", id, record)
        return (
            "Closure reason logged successfully.\n\n"
            f"{executed('log_credit_card_closure_reason_4521', arguments)}\n"
            f"Closure reason '{closure_reason}' logged for account {credit_card_account_id}."
        )

    @discoverable
    @tool
    def get_closure_reason_history_8293(self, credit_card_account_id: str) -> str:
        """Look up why an account was to be closed before."""
        if not credit_card_account_id:
            return "Error: Missing required parameter: credit_card_account_id"
        return format_history(
            "Closure reason history retrieved successfully.",
            "get_closure_reason_history_8293",
            f"Closure reason history for credit card account {credit_card_account_id}:",
            self._list_for_card("credit_card_closure_reasons", credit_card_account_id),
            "No closure reason records found for this credit card account.",
        )

    @discoverable
    @writing
    def apply_statement_credit_8472(
        self, user_id: str, credit_card_account_id: str, amount: float, reason: str
    ) -> str:
        """Credit an account with an amount."""
        if not user_id or not credit_card_account_id or amount is None or not reason:
            return (
                "Error: Missing required parameters (user_id, credit_card_account_id, amount, "
                "reason)."
            )
        if amount <= 0:
            return "Error: Credit amount must be positive."
        if reason not in _CREDIT_REASONS:
            return describe_invalid_choice("reason", _CREDIT_REASONS)
        if self._lacks_card(credit_card_account_id):
            return _describe_missing_card(credit_card_account_id)
        id = transaction_id(user_id, "STATEMENT_CREDIT", reason, amount, "Statement Credit")
        record = {
            "transaction_id": id,
            "user_id": user_id,
            "credit_card_account_id": credit_card_account_id,
            "credit_card_type": "N/A",
            "merchant_name": "Rho-Bank Statement Credit",
            "transaction_amount": f"-${amount:.2f}",
            "transaction_date": TODAY,
            "category": "Statement Credit",
            "status": "COMPLETED",
            "rewards_earned": "0 points",
            "credit_reason": reason,
        }
        if not add(self.desk, "credit_card_transaction_history", id, record):
            return (
                f"Error: Failed to apply statement credit. Transaction ID '{id}' may already exist."
            )
        return (
            "Statement credit applied successfully.\n\n"
            "Executed: apply_statement_credit_8472\n"
            f"  - Transaction ID: {id}\n"
            f"  - User ID: {user_id}\n"
            f"  - Account: {credit_card_account_id}\n"
            f"  - Credit Amount: ${amount:.2f}\n"
            f"  - Reason: {titled(reason)}\n"
            f"  - Date: {TODAY}"
        )

    @discoverable
    @writing
    def apply_credit_card_account_flag_6147(
        self,
        credit_card_account_id: str,
        user_id: str,
        flag_type: str,
        expiration_date: str,
        reason: str,
    ) -> str:
        """Flag an account, until a date."""
        if not all((credit_card_account_id, user_id, flag_type, expiration_date, reason)):
            return (
                "Error: Missing required parameters (credit_card_account_id, user_id, flag_type, "
                "expiration_date, reason)."
            )
        refused = find_invalid_choice(
            ("flag_type", flag_type, _FLAGS), ("reason", reason, _FLAG_REASONS)
        )
        if refused:
            return refused
        if self._lacks_card(credit_card_account_id):
            return _describe_missing_card(credit_card_account_id)
        id = account_flag_id(credit_card_account_id, flag_type, expiration_date)
        record = {
            "flag_id": id,
            "credit_card_account_id": credit_card_account_id,
            "user_id": user_id,
            "flag_type": flag_type,
            "effective_date": TODAY,
            "expiration_date": expiration_date,
            "reason": reason,
            "applied_at": TODAY,
            "status": "ACTIVE",
        }
        if not add(self.desk, "credit_card_account_flags", id, record):
            return f"Error: Failed to apply account flag. Flag ID '{id}' may already exist."
        return (
            "Account flag applied successfully!\n"
            f"  - Flag ID: {id}\n"
            f"  - Account: {credit_card_account_id}\n"
            f"  - User ID: {user_id}\n"
            f"  - Flag Type: {titled(flag_type)}\n"
            f"  - Effective Date: {TODAY}\n"
            f"  - Expiration Date: {expiration_date}\n"
            f"  - Reason: {titled(reason)}"
        )

    @discoverable
    @writing
    def close_credit_card_account_7834(self, credit_card_account_id: str, user_id: str) -> str:
        """Close an account for good."""
        if not credit_card_account_id or not user_id:
            return "Error: Missing required parameters (credit_card_account_id, user_id)."
        if self._lacks_card(credit_card_account_id):
            return _describe_missing_card(credit_card_account_id)
        changes = {"status": "CLOSED", "closed_date": TODAY, "closed_by": user_id}
        if update(self.desk, "credit_card_accounts", credit_card_account_id, changes) is None:
            return f"Error: Failed to close credit card account '{credit_card_account_id}'."
        arguments = {"credit_card_account_id": credit_card_account_id, "user_id": user_id}
        return (
            "Credit card account closed successfully.\n\n"
            f"{executed('close_credit_card_account_7834', arguments)}\n"
            f"Account {credit_card_account_id} has been closed."
        )

    @discoverable
    @writing
    def pay_credit_card_from_checking_9182(
        self, user_id: str, checking_account_id: str, credit_card_account_id: str, amount: float
    ) -> str:
        """Pay a card's balance from a checking account."""
        if not user_id or not checking_account_id or not credit_card_account_id or amount is None:
            return (
                "Error: Missing required parameters (user_id, checking_account_id, "
                "credit_card_account_id, amount)."
            )
        try:
            amount = float(amount)
        except (ValueError, TypeError):
            return "Error: Invalid payment amount. Must be a positive number."
        if amount <= 0:
            return "Error: Payment amount must be a positive number."
        checking = self.desk.get("accounts", checking_account_id)
        refused = _find_payment_fault(checking, checking_account_id, user_id, amount)
        if checking is None or refused:
            return refused
        held = balance_of(checking)
        card = self.desk.get("credit_card_accounts", credit_card_account_id)
        if card is None:
            return _describe_missing_card(credit_card_account_id)
        if card.get("user_id") != user_id:
            return _describe_foreign_card(credit_card_account_id, user_id)
        owed = _amount_or_0(card.get("current_balance", "$0.00"))
        if amount > owed:
            return (
                f"Error: Payment amount (${amount:.2f}) exceeds credit card balance "
                f"(${owed:.2f}). Please specify an amount up to the outstanding balance."
            )
        self.desk.edit("accounts", checking_account_id)["current_holdings"] = f"{held - amount:.2f}"
        edited = self.desk.edit("credit_card_accounts", credit_card_account_id)
        edited["current_balance"] = f"${owed - amount:.2f}"
        return (
            "Payment processed successfully!\n"
            f"  - Payment Amount: ${amount:.2f}\n"
            f"  - From Checking Account: {checking_account_id}\n"
            f"  - To Credit Card Account: {credit_card_account_id}\n"
            f"  - New Checking Balance: ${held - amount:.2f}\n"
            f"  - New Credit Card Balance: ${owed - amount:.2f}\n"
            "The payment has been applied immediately."
        )

    @discoverable
    @writing
    def submit_credit_limit_increase_request_7392(
        self, credit_card_account_id: str, user_id: str, requested_increase_amount: int
    ) -> str:
        """Ask for a higher limit."""
        if not credit_card_account_id or not user_id or requested_increase_amount is None:
            return MISSING_PARAMETERS
        try:
            requested_amount = float(requested_increase_amount)
        except (TypeError, ValueError):
            return "Error: Invalid requested_increase_amount. Must be a whole number."
        if not requested_amount.is_integer():
            return "Error: Invalid requested_increase_amount. Must be a whole number of dollars."
        amount = int(requested_amount)
        if amount <= 0:
            return "Error: Requested increase amount must be positive."
        card = self.desk.get("credit_card_accounts", credit_card_account_id)
        if card is None:
            return _describe_missing_card(credit_card_account_id)
        if card.get("user_id") != user_id:
            return _describe_foreign_card(credit_card_account_id, user_id)
        id = limit_request_id(credit_card_account_id, user_id, amount)
        record = {
            "request_id": id,
            "credit_card_account_id": credit_card_account_id,
            "user_id": user_id,
            "requested_increase_amount": amount,
            "submitted_at": TODAY,
            "status": "PENDING",
        }
        if not add(self.desk, "credit_limit_increase_requests", id, record):
            return "Error: A similar request may already exist."
        return (
            "Credit limit increase request submitted successfully.\n\n"
            "Executed: submit_credit_limit_increase_request_7392\n"
            f"  - Request ID: {id}\n"
            f"  - Account: {credit_card_account_id}\n"
            f"  - Requested Increase: ${amount:,}\n"
            "  - Status: PENDING"
        )

    @discoverable
    @tool
    def get_credit_limit_increase_history_4829(self, credit_card_account_id: str) -> str:
        """Look up the requests for a higher limit."""
        if not credit_card_account_id:
            return "Error: Missing required parameter: credit_card_account_id"
        return format_history(
            "Credit limit increase history retrieved.",
            "get_credit_limit_increase_history_4829",
            f"Credit limit increase history for account {credit_card_account_id}:",
            self._list_for_card("credit_limit_increase_requests", credit_card_account_id),
            "No credit limit increase requests found for this account.",
        )

    @discoverable
    @tool
    def get_payment_history_6183(self, credit_card_account_id: str, months: int) -> str:
        """Look up the last payments, and how many came in time."""
        if not credit_card_account_id or months is None:
            return "Error: Missing required parameters (credit_card_account_id, months)."
        try:
            months = int(months)
        except (ValueError, TypeError):
            return "Error: Invalid months value. Must be a positive integer."
        if months <= 0:
            return "Error: months must be a positive integer."
        payments = [
            one
            for _, one in self.desk.rows("payment_history")
            if one.get("credit_card_account_id") == credit_card_account_id
        ]
        if not payments:
            return f"No payment history found for account '{credit_card_account_id}'."
        payments.sort(key=lambda one: one.get("payment_date") or "", reverse=True)
        payments = payments[:months]
        late = [number for number, one in enumerate(payments) if one.get("status") != "ON_TIME"]
        lines = [
            f"Payment history for account '{credit_card_account_id}' (last {months} months):",
            f"Consecutive on-time payments: {late[0] if late else len(payments)}",
        ]
        for one in payments:
            lines += [
                f"\n  - Payment Date: {one.get('payment_date')}",
                f"    Amount: {one.get('amount')}",
                f"    Status: {one.get('status')}",
            ]
        return "\n".join(lines)

    @discoverable
    @writing
    def approve_credit_limit_increase_5847(
        self, credit_card_account_id: str, user_id: str, new_credit_limit: int
    ) -> str:
        """Give a card a higher limit."""
        if not credit_card_account_id or not user_id or new_credit_limit is None:
            return MISSING_PARAMETERS
        card = self.desk.get("credit_card_accounts", credit_card_account_id)
        if card is None:
            return _describe_missing_card(credit_card_account_id)
        if card.get("user_id") != user_id:
            return _describe_foreign_card(credit_card_account_id, user_id)
        if (
            any(
                one.get("user_id") == user_id
                and one.get("status") in ("SUBMITTED", "UNDER_REVIEW", "PENDING")
                for _, one in self.desk.rows("transaction_disputes")
            )
            or any(
                one.get("credit_card_account_id") == credit_card_account_id
                and one.get("status") in ("PENDING", "PROCESSING", "SHIPPED")
                for _, one in self.desk.rows("credit_card_orders")
            )
            or card.get("account_status", "").upper()
            in ("PAST_DUE", "DELINQUENT", "COLLECTIONS", "CLOSED")
        ):
            return "Error: Credit limit increase request cannot be approved at this time."
        before = _amount_or_0(card.get("credit_limit", "$0.00"))
        after = float(new_credit_limit)
        edited = self.desk.edit("credit_card_accounts", credit_card_account_id)
        edited["credit_limit"] = f"${after:.2f}"
        id = limit_request_id(credit_card_account_id, user_id, after - before)
        record = {
            "request_id": id,
            "credit_card_account_id": credit_card_account_id,
            "user_id": user_id,
            "previous_limit": f"${before:.2f}",
            "new_limit": f"${after:.2f}",
            "increase_amount": f"${after - before:.2f}",
            "decision_date": TODAY,
            "status": "APPROVED",
        }
        add(self.desk, "credit_limit_increase_requests", id, record)
        return (
            "Credit limit increase approved!\n"
            f"  - Account: {credit_card_account_id}\n"
            f"  - Previous Limit: ${before:.2f}\n"
            f"  - New Limit: ${after:.2f}\n"
            f"  - Increase: ${after - before:.2f}\n"
            f"  - Effective Date: {TODAY}\n"
            "The customer will receive a confirmation email."
        )

    @discoverable
    @writing
    def deny_credit_limit_increase_5848(
        self, credit_card_account_id: str, user_id: str, denial_reason: str
    ) -> str:
        """Refuse a card a higher limit."""
        if not credit_card_account_id or not user_id or not denial_reason:
            return MISSING_PARAMETERS
        if denial_reason not in _DENIAL_REASONS:
            return f"Error: Invalid denial_reason. Must be one of: {', '.join(_DENIAL_REASONS)}"
        if self.desk.get("credit_card_accounts", credit_card_account_id) is None:
            return _describe_missing_card(credit_card_account_id)
        id = limit_request_id(credit_card_account_id, user_id, 0.0)
        record = {
            "request_id": id,
            "credit_card_account_id": credit_card_account_id,
            "user_id": user_id,
            "denial_reason": denial_reason,
            "decision_date": TODAY,
            "status": "DENIED",
        }
        add(self.desk, "credit_limit_increase_requests", id, record)
        return (
            "Credit limit increase request denied.\n"
            f"  - Account: {credit_card_account_id}\n"
            f"  - Denial Reason: {denial_reason}\n"
            f"  - Date: {TODAY}\n"
            "The customer will receive a notification explaining the denial."
        )

    def _lacks_card(self, account_id: str) -> bool:
        """Return whether a search finds no account; if the search fails, the tool continues."""
        records_text = listing_by(self.desk, "credit_card_accounts", "account_id", account_id)
        return nothing_in(records_text)

    def _list_for_card(self, table: str, account_id: str) -> str:
        return listing_by(self.desk, table, "credit_card_account_id", account_id)


def _find_payment_fault(account: Maybe[Record], id: str, user_id: str, amount: float) -> str:
    """Return why an account cannot pay an amount, or ""."""
    if account is None:
        return f"Error: Checking account '{id}' not found."
    if account.get("user_id") != user_id:
        return f"Error: Checking account '{id}' does not belong to user '{user_id}'."
    if account.get("class") != "checking":
        return f"Error: Account '{id}' is not a checking account."
    held = balance_of(account)
    if amount > held:
        return (
            f"Error: Insufficient funds in checking account. Available balance: ${held:.2f}, "
            f"requested payment: ${amount:.2f}."
        )
    return ""


def _describe_missing_card(account_id: str) -> str:
    return f"Error: Credit card account '{account_id}' not found."


def _describe_foreign_card(account_id: str, user_id: str) -> str:
    return f"Error: Credit card account '{account_id}' does not belong to user '{user_id}'."


def _amount_or_0(value: object) -> float:
    """Read an amount, or return 0 if it is not an amount."""
    try:
        return amount_of(str(value))
    except ValueError:
        return 0.0
