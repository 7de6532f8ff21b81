"""The tools for credit cards, and for disputes, that an assistant of the bank discovers."""

from __future__ import annotations

from typing import Any

from gem_ma.envs.tau.store import Record
from gem_ma.envs.tau2.banking.query import (
    TODAY,
    account_flag_id,
    add,
    amount_of,
    balance_of,
    closure_reason_id,
    credit_card_order_id,
    dispute_id,
    executed,
    limit_request_id,
    listing_by,
    nothing_in,
    titled,
    transaction_id,
    update,
)
from gem_ma.envs.tau2.banking.texts import DEPOSITS
from gem_ma.envs.tau2.kit import Part, discoverable, tool, writing
from gem_ma.game import Maybe

_MISSING = "Error: Missing required parameters."
_CARD_ACTIONS = ["keep_active", "cancel_and_reissue"]
_DISPUTE_REASONS = [
    "unauthorized_fraudulent_charge",
    "duplicate_charge",
    "incorrect_amount",
    "goods_services_not_received",
    "goods_services_not_as_described",
    "canceled_subscription_still_charging",
    "refund_never_processed",
]
_RESOLUTIONS = ["full_refund", "partial_refund"]
_DISPUTE_CATEGORIES = [
    "unauthorized_transaction",
    "atm_cash_discrepancy",
    "atm_deposit_not_credited",
    "duplicate_charge",
    "incorrect_amount",
    "goods_services_not_received",
    "recurring_charge_after_cancellation",
    "card_present_fraud",
    "card_not_present_fraud",
]
_FRAUD = ["unauthorized_transaction", "card_present_fraud", "card_not_present_fraud"]
_TRANSACTION_TYPES = [
    "pin_purchase",
    "signature_purchase",
    "online_purchase",
    "atm_withdrawal",
    "atm_deposit",
    "recurring_payment",
    "person_to_person",
]
_PIN_STATES = ["yes_shared", "yes_observed", "no", "unknown"]
_DEBIT_CARD_ACTIONS = ["keep_active", "freeze_pending_investigation", "close_and_reissue"]
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


def _invalid(what: str, known: list[str]) -> str:
    return f"Error: Invalid {what}. Must be one of: {known}"


def _refused(*given: tuple[str, Any, list[str]]) -> str:
    """Return what is wrong with the first value that is none of the known ones, or ""."""
    return next((_invalid(name, known) for name, value, known in given if value not in known), "")


def _no_card(account_id: Any) -> str:
    return f"Error: Credit card account '{account_id}' not found."


def _not_theirs(account_id: Any, user_id: Any) -> str:
    return f"Error: Credit card account '{account_id}' does not belong to user '{user_id}'."


def _amount_or_0(value: Any) -> float:
    """Read an amount as it is written, or 0 if it is none."""
    try:
        return amount_of(str(value))
    except ValueError:
        return 0.0


class DisputeTools(Part):
    """Rewards, transfers, and disputes of what cards were charged with."""

    @discoverable
    @writing
    def example_agent_tool_0000(self) -> str:
        """Do nothing."""
        return "Example tool executed successfully."

    @discoverable
    @writing
    def update_transaction_rewards_3847(self, transaction_id: str, new_rewards_earned: str) -> str:
        """Correct what a transaction earned."""
        if not transaction_id or not new_rewards_earned:
            return _MISSING
        changes = {"rewards_earned": new_rewards_earned}
        if update(self.desk, "credit_card_transaction_history", transaction_id, changes) is None:
            return f"Error: Transaction '{transaction_id}' not found."
        arguments = {"transaction_id": transaction_id, "new_rewards_earned": new_rewards_earned}
        return (
            "Transaction rewards updated successfully.\n\n"
            f"{executed('update_transaction_rewards_3847', arguments)}\n"
            "Transaction updated:\n"
            f"  - Transaction ID: {transaction_id}\n"
            f"  - New Rewards: {new_rewards_earned}"
        )

    @discoverable
    @tool
    def initial_transfer_to_human_agent_0218(self) -> str:
        """Begin to hand a user over, where all lines are busy."""
        return (
            "Initial Transfer Initiated, Inform the user that the lines are busy.\n\n"
            f"{executed('initial_transfer_to_human_agent_0218', {})}"
        )

    @discoverable
    @tool
    def initial_transfer_to_human_agent_1822(self) -> str:
        """Begin to hand a user over, before it is time."""
        return (
            "Do not explicitly tell the user, but the conversation has not reached the necessary "
            "stages to transfer to a real human yet. Try to help them by asking them about basic "
            "scenarios that could fulfill their issue.\n\n"
            f"{executed('initial_transfer_to_human_agent_1822', {})}"
        )

    @discoverable
    @tool
    def emergency_credit_bureau_incident_transfer_1114(self) -> str:
        """Note a case of the incident of 11/14."""
        return (
            "Emergency escalation logged. Case has been flagged for priority handling by the "
            "credit bureau correction team. Proceed immediately with transfer_to_human_agents to "
            "complete the transfer.\n\n"
            f"{executed('emergency_credit_bureau_incident_transfer_1114', {})}"
        )

    @discoverable
    @writing
    def file_credit_card_transaction_dispute_4829(
        self,
        transaction_id: str,
        card_action: str,
        card_last_4_digits: str,
        full_name: str,
        user_id: str,
        phone: str,
        email: str,
        address: str,
        contacted_merchant: bool,
        purchase_date: str,
        issue_noticed_date: str,
        dispute_reason: str,
        resolution_requested: str,
        eligible_for_provisional_credit: bool,
        partial_refund_amount: float | None = None,
    ) -> str:
        """Dispute what a credit card was charged with."""
        if not transaction_id or not user_id:
            return _MISSING
        refused = _refused(
            ("card_action", card_action, _CARD_ACTIONS),
            ("dispute_reason", dispute_reason, _DISPUTE_REASONS),
            ("resolution_requested", resolution_requested, _RESOLUTIONS),
        )
        if refused:
            return refused
        if resolution_requested == "partial_refund" and partial_refund_amount is None:
            return (
                "Error: partial_refund_amount is required when resolution_requested is "
                "'partial_refund'."
            )
        id = dispute_id(user_id, transaction_id)
        record = {
            "dispute_id": id,
            "transaction_id": transaction_id,
            "user_id": user_id,
            "card_action": card_action,
            "card_last_4_digits": card_last_4_digits,
            "full_name": full_name,
            "phone": phone,
            "email": email,
            "address": address,
            "contacted_merchant": contacted_merchant,
            "purchase_date": purchase_date,
            "issue_noticed_date": issue_noticed_date,
            "dispute_reason": dispute_reason,
            "resolution_requested": resolution_requested,
            "partial_refund_amount": partial_refund_amount,
            "eligible_for_provisional_credit": eligible_for_provisional_credit,
            "provisional_credit_given": eligible_for_provisional_credit,
            "submitted_at": TODAY,
            "status": "SUBMITTED",
        }
        if not add(self.desk, "transaction_disputes", id, record):
            return "Error: Dispute may have already been filed for this transaction."
        lines = [
            "Credit card transaction dispute filed successfully. A case has been opened and will "
            "be reviewed within 10 business days.",
            "",
            "Executed: file_credit_card_transaction_dispute_4829",
            f"Dispute ID: {id}",
            f"Transaction: {transaction_id}",
            f"Reason: {titled(dispute_reason)}",
            f"Resolution Requested: {titled(resolution_requested)}",
        ]
        if partial_refund_amount:
            lines.append(f"Partial Refund Amount: ${partial_refund_amount:.2f}")
        lines.append(
            "Provisional Credit: ELIGIBLE - Credit will be applied within 2 business days."
            if eligible_for_provisional_credit
            else "Provisional Credit: Not eligible at this time."
        )
        return "\n".join(lines)

    @discoverable
    @writing
    def file_debit_card_transaction_dispute_6281(
        self,
        transaction_id: str,
        account_id: str,
        card_id: str,
        user_id: str,
        dispute_category: str,
        transaction_date: str,
        discovery_date: str,
        disputed_amount: float,
        transaction_type: str,
        card_in_possession: bool,
        pin_compromised: str,
        contacted_merchant: bool,
        police_report_filed: bool,
        written_statement_provided: bool,
        provisional_credit_eligible: bool,
        customer_max_liability_amount: float | None,
        card_action: str,
    ) -> str:
        """Dispute what a debit card was charged with."""
        needed: tuple[Any, ...] = (
            transaction_id,
            account_id,
            card_id,
            user_id,
            dispute_category,
            transaction_date,
            discovery_date,
            disputed_amount,
            transaction_type,
            pin_compromised,
            card_action,
        )
        if not all(needed):
            return _MISSING
        if customer_max_liability_amount is None:
            return "Error: customer_max_liability_amount is required."
        flags: tuple[Any, ...] = (
            card_in_possession,
            contacted_merchant,
            police_report_filed,
            written_statement_provided,
        )
        if any(one is None for one in flags):
            return (
                "Error: card_in_possession, contacted_merchant, police_report_filed, and "
                "written_statement_provided are required boolean fields."
            )
        refused = _refused(
            ("dispute_category", dispute_category, _DISPUTE_CATEGORIES),
            ("transaction_type", transaction_type, _TRANSACTION_TYPES),
            ("pin_compromised", pin_compromised, _PIN_STATES),
            ("card_action", card_action, _DEBIT_CARD_ACTIONS),
        )
        if refused:
            return refused
        if disputed_amount <= 0:
            return "Error: disputed_amount must be a positive number."
        id = dispute_id(user_id, transaction_id)
        fraud = dispute_category in _FRAUD
        shared = pin_compromised == "yes_shared"
        record = {
            "dispute_id": id,
            "transaction_id": transaction_id,
            "account_id": account_id,
            "card_id": card_id,
            "user_id": user_id,
            "dispute_category": dispute_category,
            "transaction_date": transaction_date,
            "discovery_date": discovery_date,
            "disputed_amount": disputed_amount,
            "transaction_type": transaction_type,
            "card_in_possession": card_in_possession,
            "pin_compromised": pin_compromised,
            "contacted_merchant": contacted_merchant,
            "police_report_filed": police_report_filed,
            "written_statement_provided": written_statement_provided,
            "provisional_credit_eligible": provisional_credit_eligible,
            "provisional_credit_issued": provisional_credit_eligible,
            "provisional_credit_amount": disputed_amount if provisional_credit_eligible else None,
            "customer_max_liability_amount": customer_max_liability_amount,
            "card_action": card_action,
            "is_fraud_category": fraud,
            "pin_shared_voluntarily": shared,
            "submitted_at": TODAY,
            "status": "OPEN",
        }
        if not add(self.desk, "debit_card_disputes", id, record):
            return "Error: Dispute may have already been filed for this transaction."
        lines = [
            f"Dispute ID: {id}",
            f"Transaction: {transaction_id}",
            f"Account: {account_id}",
            f"Category: {titled(dispute_category)}",
            f"Disputed Amount: ${disputed_amount:.2f}",
            f"Card Action: {titled(card_action)}",
            f"Provisional Credit: ISSUED - ${disputed_amount:.2f} credited within 10 business "
            "days per Regulation E."
            if provisional_credit_eligible
            else "Provisional Credit: Not eligible - see Debit Card Provisional Credit Guidelines "
            "for details.",
        ]
        if shared:
            lines.append(
                "WARNING: Customer indicated PIN was shared voluntarily. This may affect "
                "liability determination."
            )
        if fraud and not police_report_filed and disputed_amount > 500:
            lines.append(
                "RECOMMENDATION: For fraud disputes over $500, filing a police report is "
                "recommended."
            )
        return "\n".join(lines)

    @discoverable
    @writing
    def set_debit_card_recurring_block_7382(self, card_id: str, block_recurring: bool) -> str:
        """Block or allow the recurring payments of a debit card."""
        if not card_id:
            return "Error: Missing required parameter: card_id"
        card = self.desk.get("debit_cards", card_id)
        if not card:
            return f"Error: Debit card '{card_id}' not found."
        status = card.get("status", "").upper()
        if status != "ACTIVE":
            return (
                "Error: Cannot update recurring block settings for a card with status "
                f"'{status}'. Card must be ACTIVE."
            )
        self.desk.edit("debit_cards", card_id)["recurring_blocked"] = block_recurring
        if block_recurring:
            return (
                f"Recurring payments BLOCKED for debit card {card_id}.\n"
                "All recurring/subscription charges will be declined.\n"
                "One-time purchases are not affected.\n"
                "This change takes effect within 24 hours."
            )
        return (
            f"Recurring payments UNBLOCKED for debit card {card_id}.\n"
            "Recurring/subscription charges will now be allowed.\n"
            "This change takes effect within 24 hours."
        )

    @discoverable
    @tool
    def get_debit_dispute_status_7483(self, user_id: str) -> str:
        """Look up the debit card disputes of a user."""
        if not user_id:
            return "Error: Missing required parameter: user_id"
        found = listing_by(self.desk, "debit_card_disputes", "user_id", user_id)
        return _history(
            "Debit card dispute history retrieved successfully.",
            "get_debit_dispute_status_7483",
            f"Debit card dispute history for user {user_id}:",
            found,
            "No debit card disputes found for this user.",
        )

    @discoverable
    @tool
    def get_atm_deposit_images_8473(self, transaction_id: str) -> str:
        """Look at what was deposited at a machine of the bank."""
        if not transaction_id:
            return "Error: Missing required parameter: transaction_id"
        found = self.desk.get("bank_account_transaction_history", transaction_id)
        if found is None:
            return f"Error: Transaction '{transaction_id}' not found."
        if found.get("type") != "atm_deposit":
            return (
                f"Error: Transaction '{transaction_id}' is not an ATM deposit. This tool only "
                "works for ATM deposit transactions."
            )
        described = found.get("description", "")
        if "RHO-BANK" not in described.upper() and "RHOBANK" not in described.upper():
            return (
                f"Error: Transaction '{transaction_id}' is from a third-party ATM. Deposit images "
                "are only available for Rho-Bank ATM deposits. For third-party ATM disputes, a "
                "chargeback request must be submitted to the ATM network."
            )
        head = (
            "ATM Deposit Image Retrieval Results\n"
            "=====================================\n"
            f"Transaction ID: {transaction_id}\n"
        )
        date = found.get("date", "Unknown")
        if transaction_id in DEPOSITS:
            machine, contents, notes = DEPOSITS[transaction_id]
            return (
                f"{head}ATM: {machine}\n"
                f"Deposit Date: {date}\n\n"
                f"{contents}\n\n"
                f"--- VERIFICATION NOTES ---\n{notes}\n"
            )
        return (
            f"{head}ATM: {described}\n"
            f"Deposit Date: {date}\n"
            f"Amount Recorded: ${abs(found.get('amount', 0)):.2f}\n\n"
            "--- IMAGE STATUS ---\n"
            "Status: IMAGES NOT AVAILABLE\n"
            "Reason: Deposit images for this transaction have either expired (older than 90 days) "
            "or were not captured by the ATM system.\n\n"
            "For deposits without available images, the dispute will proceed based on customer "
            "statement and ATM journal records only. Investigation timeline may be extended.\n"
        )

    @discoverable
    @tool
    def get_user_dispute_history_7291(self, user_id: str) -> str:
        """Look up the credit card disputes of a user."""
        if not user_id:
            return "Error: Missing required parameter: user_id"
        found = listing_by(self.desk, "transaction_disputes", "user_id", user_id)
        return _history(
            "User transaction dispute history retrieved successfully.",
            "get_user_dispute_history_7291",
            f"Transaction dispute history for user {user_id}:",
            found,
            "No transaction disputes found for this user.",
        )


class CreditCardTools(Part):
    """Replacement, closure, credit, flags, payment and limits of credit cards."""

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
            return _invalid("reason", _REPLACEMENT_REASONS)
        if self._no_card(credit_card_account_id):
            return _no_card(credit_card_account_id)
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
        return _history(
            "Pending replacement orders check completed.",
            "get_pending_replacement_orders_5765",
            f"Replacement orders for credit card account {credit_card_account_id}:",
            self._of_card("credit_card_orders", credit_card_account_id),
            "No pending replacement orders found for this credit card account.",
        )

    @discoverable
    @writing
    def log_credit_card_closure_reason_4521(
        self, credit_card_account_id: str, user_id: str, closure_reason: str
    ) -> str:
        """Note why an account is to be closed."""
        if not credit_card_account_id or not user_id or not closure_reason:
            return _MISSING
        if closure_reason not in _CLOSURE_REASONS:
            return _invalid("closure_reason", _CLOSURE_REASONS)
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
        return _history(
            "Closure reason history retrieved successfully.",
            "get_closure_reason_history_8293",
            f"Closure reason history for credit card account {credit_card_account_id}:",
            self._of_card("credit_card_closure_reasons", credit_card_account_id),
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
            return _invalid("reason", _CREDIT_REASONS)
        if self._no_card(credit_card_account_id):
            return _no_card(credit_card_account_id)
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
        refused = _refused(("flag_type", flag_type, _FLAGS), ("reason", reason, _FLAG_REASONS))
        if refused:
            return refused
        if self._no_card(credit_card_account_id):
            return _no_card(credit_card_account_id)
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
        if self._no_card(credit_card_account_id):
            return _no_card(credit_card_account_id)
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
        refused = _not_payable(checking, checking_account_id, user_id, amount)
        if checking is None or refused:
            return refused
        held = balance_of(checking)
        card = self.desk.get("credit_card_accounts", credit_card_account_id)
        if card is None:
            return _no_card(credit_card_account_id)
        if card.get("user_id") != user_id:
            return _not_theirs(credit_card_account_id, user_id)
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
            return _MISSING
        try:
            asked = float(requested_increase_amount)
        except (TypeError, ValueError):
            return "Error: Invalid requested_increase_amount. Must be a whole number."
        if not asked.is_integer():
            return "Error: Invalid requested_increase_amount. Must be a whole number of dollars."
        amount = int(asked)
        if amount <= 0:
            return "Error: Requested increase amount must be positive."
        card = self.desk.get("credit_card_accounts", credit_card_account_id)
        if card is None:
            return _no_card(credit_card_account_id)
        if card.get("user_id") != user_id:
            return _not_theirs(credit_card_account_id, user_id)
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
        return _history(
            "Credit limit increase history retrieved.",
            "get_credit_limit_increase_history_4829",
            f"Credit limit increase history for account {credit_card_account_id}:",
            self._of_card("credit_limit_increase_requests", credit_card_account_id),
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
            return _MISSING
        card = self.desk.get("credit_card_accounts", credit_card_account_id)
        if card is None:
            return _no_card(credit_card_account_id)
        if card.get("user_id") != user_id:
            return _not_theirs(credit_card_account_id, user_id)
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
            return _MISSING
        if denial_reason not in _DENIAL_REASONS:
            return f"Error: Invalid denial_reason. Must be one of: {', '.join(_DENIAL_REASONS)}"
        if self.desk.get("credit_card_accounts", credit_card_account_id) is None:
            return _no_card(credit_card_account_id)
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

    def _no_card(self, account_id: Any) -> bool:
        """Return whether no account is found; where the search fails, the original goes on."""
        found = listing_by(self.desk, "credit_card_accounts", "account_id", account_id)
        return nothing_in(found)

    def _of_card(self, table: str, account_id: Any) -> str:
        return listing_by(self.desk, table, "credit_card_account_id", account_id)


def _not_payable(account: Maybe[Record], id: Any, user_id: Any, amount: float) -> str:
    """Return why an amount cannot be paid from an account, or ""."""
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


def _history(head: str, name: str, title: str, found: str, nothing: str) -> str:
    return f"{head}\n\nExecuted: {name}\n{title}\n" + (
        f"\n{nothing}" if nothing_in(found) else found
    )
