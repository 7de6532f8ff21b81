"""The tools for rewards, transfers and disputes, which the bank's assistant discovers."""

from __future__ import annotations

from gem_ma.envs.tau2.banking.query import (
    TODAY,
    add,
    dispute_id,
    executed,
    listing_by,
    titled,
    update,
)
from gem_ma.envs.tau2.banking.texts import DEPOSITS
from gem_ma.envs.tau2.banking.tool_answers import (
    MISSING_PARAMETERS,
    find_invalid_choice,
    format_history,
)
from gem_ma.envs.tau2.kit import Part, discoverable, tool, writing

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


class DisputeTools(Part):
    """Rewards, transfers, and disputes of card charges."""

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
            return MISSING_PARAMETERS
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
            return MISSING_PARAMETERS
        refused = find_invalid_choice(
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
        needed: tuple[object, ...] = (
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
            return MISSING_PARAMETERS
        if customer_max_liability_amount is None:
            return "Error: customer_max_liability_amount is required."
        flags: tuple[object, ...] = (
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
        refused = find_invalid_choice(
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
        records_text = listing_by(self.desk, "debit_card_disputes", "user_id", user_id)
        return format_history(
            "Debit card dispute history retrieved successfully.",
            "get_debit_dispute_status_7483",
            f"Debit card dispute history for user {user_id}:",
            records_text,
            "No debit card disputes found for this user.",
        )

    @discoverable
    @tool
    def get_atm_deposit_images_8473(self, transaction_id: str) -> str:
        """Look at what was deposited at a machine of the bank."""
        if not transaction_id:
            return "Error: Missing required parameter: transaction_id"
        transaction = self.desk.get("bank_account_transaction_history", transaction_id)
        if transaction is None:
            return f"Error: Transaction '{transaction_id}' not found."
        if transaction.get("type") != "atm_deposit":
            return (
                f"Error: Transaction '{transaction_id}' is not an ATM deposit. This tool only "
                "works for ATM deposit transactions."
            )
        described = transaction.get("description", "")
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
        date = transaction.get("date", "Unknown")
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
            f"Amount Recorded: ${abs(transaction.get('amount', 0)):.2f}\n\n"
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
        records_text = listing_by(self.desk, "transaction_disputes", "user_id", user_id)
        return format_history(
            "User transaction dispute history retrieved successfully.",
            "get_user_dispute_history_7291",
            f"Transaction dispute history for user {user_id}:",
            records_text,
            "No transaction disputes found for this user.",
        )
