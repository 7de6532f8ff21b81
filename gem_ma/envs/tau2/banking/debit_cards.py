"""The tools for debit cards in use, which the bank's assistant discovers."""

from __future__ import annotations

import json

from gem_ma.envs.tau.store import Record
from gem_ma.envs.tau2.banking.debit_card_checks import find_pin_fault, is_account_shut
from gem_ma.envs.tau2.banking.query import TODAY, age, titled
from gem_ma.envs.tau2.kit import Part, discoverable, tool, writing
from gem_ma.validation.json_types import JSONMapping

_CLOSURES = [
    "lost",
    "stolen",
    "fraud_suspected",
    "damaged",
    "no_longer_needed",
    "account_closing",
]
_CLEARANCES = ["customer_verified", "velocity_clear"]
_ATM_LIMITS = {
    "blue account": 500,
    "green account": 600,
    "light blue account": 400,
    "green fee-free account": 500,
    "evergreen account": 750,
    "bluest account": 1500,
    "dark green account": 300,
    "gold years account": 600,
    "purple account": 1000,
}
_LIMITS = {"atm": "Daily ATM Withdrawal Limit", "purchase": "Daily Purchase Limit"}


class DebitCardTools(Part):
    """Closing, freezing, alerts, PINs and limits of debit cards."""

    @discoverable
    @writing
    def close_debit_card_4721(self, card_id: str, reason: str) -> str:
        """Close a card for good."""
        if not card_id or not reason:
            return "Error: Missing required parameters. Required: card_id, reason."
        reason = reason.lower()
        if reason not in _CLOSURES:
            return f"Error: Invalid reason. Must be one of: {_CLOSURES}"
        card = self.desk.get("debit_cards", card_id)
        if card is None:
            return f"Error: Debit card '{card_id}' not found."
        status = card.get("status")
        if status not in ("ACTIVE", "PENDING"):
            return (
                f"Error: Debit card '{card_id}' cannot be closed. Current status: {status}. Only "
                "ACTIVE or PENDING cards can be closed."
            )
        self.desk.edit("debit_cards", card_id).update(
            status="CLOSED", closed_date=TODAY, closure_reason=reason
        )
        lines = [
            "Debit Card Closed Successfully",
            f"Card ID: {card_id}",
            f"Previous Status: {status}",
            "New Status: CLOSED",
            f"Closure Reason: {titled(reason)}",
            f"Closure Date: {TODAY}",
            "",
        ]
        if reason in ("lost", "stolen", "fraud_suspected"):
            lines += [
                "IMPORTANT: This card has been immediately deactivated for security.",
                "Any pending transactions may still be processed.",
            ]
        if reason == "fraud_suspected":
            lines += [
                "Please advise the customer to review recent transactions and file disputes for "
                "any unauthorized charges.",
                "Also recommend changing their online banking password.",
            ]
        lines += [
            "",
            "Note: This card cannot be reactivated. If the customer needs a new card, they can "
            "order one through the standard ordering process.",
            "Any recurring payments linked to this card will need to be updated with new payment "
            "information.",
        ]
        return "\n".join(lines)

    @discoverable
    @writing
    def freeze_debit_card_3892(self, card_id: str) -> str:
        """Stop a card for a while."""
        if not card_id:
            return "Error: Missing required parameter: card_id."
        card = self.desk.get("debit_cards", card_id)
        if card is None:
            return f"Error: Debit card '{card_id}' not found."
        status = card.get("status")
        if status == "FROZEN":
            return f"Error: Debit card '{card_id}' is already frozen."
        if status != "ACTIVE":
            return (
                f"Error: Debit card '{card_id}' cannot be frozen. Current status: {status}. Only "
                "ACTIVE cards can be frozen."
            )
        self.desk.edit("debit_cards", card_id).update(status="FROZEN", frozen_date=TODAY)
        return (
            "Debit Card Frozen Successfully\n"
            f"Card ID: {card_id}\n"
            "Status: FROZEN\n"
            f"Frozen Date: {TODAY}\n\n"
            "While frozen:\n"
            "- All new purchase transactions will be declined\n"
            "- Recurring payments and subscriptions will be declined\n"
            "- Pending transactions already authorized may still process\n\n"
            "To unfreeze, the customer can call customer service or use the mobile app.\n"
            "If the card is confirmed lost or stolen, recommend closing the card permanently "
            "instead."
        )

    @discoverable
    @writing
    def unfreeze_debit_card_3893(self, card_id: str) -> str:
        """Let a stopped card go on."""
        if not card_id:
            return "Error: Missing required parameter: card_id."
        card = self.desk.get("debit_cards", card_id)
        if card is None:
            return f"Error: Debit card '{card_id}' not found."
        status, account_id = card.get("status"), card.get("account_id", "")
        if status == "ACTIVE":
            return f"Error: Debit card '{card_id}' is already active."
        if status != "FROZEN":
            return (
                f"Error: Debit card '{card_id}' cannot be unfrozen. Current status: {status}. "
                "Only FROZEN cards can be unfrozen."
            )
        if is_account_shut(self.desk.get("accounts", account_id)):
            return (
                f"Error: The linked checking account '{account_id}' is no longer open. Card "
                "cannot be unfrozen."
            )
        self.desk.edit("debit_cards", card_id).update(status="ACTIVE", unfrozen_date=TODAY)
        return (
            "Debit Card Unfrozen Successfully\n"
            f"Card ID: {card_id}\n"
            "Status: ACTIVE\n"
            f"Unfrozen Date: {TODAY}\n\n"
            "The card is now active and ready to use immediately.\n"
            "All transactions will process normally."
        )

    @discoverable
    @writing
    def clear_debit_card_fraud_alert_4892(self, card_id: str, reason: str) -> str:
        """Lift an alert or a block from a card."""
        for name, value in (("card_id", card_id), ("reason", reason)):
            if not value:
                return f"Error: Missing required parameter: {name}."
        if reason not in _CLEARANCES:
            return f"Error: Invalid reason '{reason}'. Must be one of: {', '.join(_CLEARANCES)}"
        card = self.desk.get("debit_cards", card_id)
        if card is None:
            return f"Error: Debit card '{card_id}' not found."
        if reason == "velocity_clear":
            if not card.get("velocity_blocked", False):
                return f"Error: Debit card '{card_id}' does not have an active velocity block."
            self.desk.edit("debit_cards", card_id).update(
                velocity_blocked=False, velocity_cleared_date=TODAY
            )
            return (
                "Velocity Block Cleared Successfully\n"
                f"Card ID: {card_id}\n"
                f"Cleared Date: {TODAY}\n\n"
                "The card is now unblocked and ready for normal use.\n"
                "The velocity monitoring will continue - if the same unusual patterns recur,\n"
                "the card may be blocked again automatically."
            )
        if not card.get("fraud_alert_active", False):
            return f"Error: Debit card '{card_id}' does not have an active fraud alert."
        if card.get("alert_source") == "bank_initiated":
            return (
                "Error: BANK_INITIATED_ALERT - This fraud alert was initiated by the bank's fraud "
                "detection system and cannot be cleared by customer service agents. Please "
                "transfer the customer to the security team using transfer_to_human_agents."
            )
        self.desk.edit("debit_cards", card_id).update(
            fraud_alert_active=False, alert_source=None, fraud_alert_cleared_date=TODAY
        )
        return (
            "Fraud Alert Cleared Successfully\n"
            f"Card ID: {card_id}\n"
            f"Cleared Date: {TODAY}\n\n"
            "The fraud alert has been removed from the card.\n"
            "All transactions will process normally.\n\n"
            "Remind the customer to review recent transactions and report any unauthorized "
            "charges."
        )

    @discoverable
    @writing
    def reset_debit_card_pin_6284(self, card_id: str, last_4_digits: str, new_pin: str) -> str:
        """Give a card another PIN, where the old one was forgotten."""
        if not all((card_id, last_4_digits, new_pin)):
            return "Error: Missing required parameters. Required: card_id, last_4_digits, new_pin."
        if not last_4_digits.isdigit() or len(last_4_digits) != 4:
            return "Error: Last 4 digits must be exactly 4 digits."
        wrong = find_pin_fault(new_pin)
        if wrong:
            return wrong
        card = self.desk.get("debit_cards", card_id)
        if card is None:
            return f"Error: Debit card '{card_id}' not found."
        if card.get("last_4_digits") != last_4_digits:
            return "Error: Card verification failed. The last 4 digits do not match our records."
        if card.get("status") != "ACTIVE":
            return (
                f"Error: Cannot reset PIN. Card status is {card.get('status')}. Only ACTIVE cards "
                "can have their PIN reset."
            )
        self.desk.edit("debit_cards", card_id).update(
            pin_last_changed=TODAY, pin_locked=False, pin_attempts_remaining=3
        )
        return (
            "Debit Card PIN Reset Successfully\n"
            f"Card ID: {card_id}\n"
            f"PIN Changed: {TODAY}\n\n"
            "The new PIN is effective immediately.\n"
            "Your card has been unlocked and is ready to use.\n"
            "Customer can use the new PIN for ATM withdrawals and point-of-sale transactions.\n\n"
            "Security reminder: Never share your PIN with anyone."
        )

    @discoverable
    @writing
    def change_debit_card_pin_6285(self, card_id: str, current_pin: str, new_pin: str) -> str:
        """Give a card another PIN, where the old one is known."""
        if not all((card_id, current_pin, new_pin)):
            return "Error: Missing required parameters. Required: card_id, current_pin, new_pin."
        if not current_pin.isdigit() or len(current_pin) != 4:
            return "Error: Current PIN must be exactly 4 digits."
        wrong = find_pin_fault(new_pin)
        if wrong:
            return wrong
        if current_pin == new_pin:
            return "Error: New PIN must be different from current PIN."
        card = self.desk.get("debit_cards", card_id)
        if card is None:
            return f"Error: Debit card '{card_id}' not found."
        if card.get("status") != "ACTIVE":
            return (
                f"Error: Cannot change PIN. Card status is {card.get('status')}. Only ACTIVE cards "
                "can have their PIN changed."
            )
        self.desk.edit("debit_cards", card_id)["pin_last_changed"] = TODAY
        return (
            "Debit Card PIN Changed Successfully\n"
            f"Card ID: {card_id}\n"
            f"PIN Changed: {TODAY}\n\n"
            "The new PIN is effective immediately.\n"
            "Customer can use the new PIN for ATM withdrawals and point-of-sale transactions.\n\n"
            "Security reminder: Never share your PIN with anyone."
        )

    @discoverable
    @tool
    def get_debit_cards_by_account_id_7823(self, account_id: str) -> str:
        """Look up the cards of a checking account, the latest first."""
        if not account_id:
            return "Error: Missing required parameter 'account_id'."
        account = self.desk.get("accounts", account_id)
        if account is None:
            return f"Error: Account '{account_id}' not found."
        if account.get("class", "").lower() not in ("checking", "business_checking"):
            return (
                f"Error: Account '{account_id}' is not a checking account. Debit cards are only "
                "available for checking accounts."
            )
        cards = [
            _rename_fields({"card_id": id, **one})
            for id, one in self.desk.rows("debit_cards")
            if one.get("account_id") == account_id
        ]
        if not cards:
            return f"No debit cards found for account '{account_id}'."
        cards.sort(key=lambda one: one.get("date_issued") or "", reverse=True)
        return json.dumps(cards, indent=2)

    @discoverable
    @writing
    def request_temporary_debit_card_limit_increase_8374(
        self, card_id: str, limit_type: str, new_limit: int
    ) -> str:
        """Raise a limit of a card for a day."""
        refused, requested_limit = _read_limit(card_id, limit_type, new_limit)
        if refused:
            return refused
        card = self.desk.get("debit_cards", card_id)
        if card is None:
            return f"Error: Debit card '{card_id}' not found."
        if card.get("status") != "ACTIVE":
            return (
                f"Error: Debit card '{card_id}' is not active. Current status: "
                f"{card.get('status')}. Only ACTIVE cards can have limit increases."
            )
        account_id = card.get("account_id", "")
        account = self.desk.get("accounts", account_id) if account_id else None
        if account is None:
            return f"Error: Could not find linked account for debit card '{card_id}'."
        refused = _find_raise_fault(account, account_id)
        if refused:
            return refused
        field, name = f"daily_{limit_type}_limit", _LIMITS[limit_type]
        limit = card.get(field)
        if limit is None:
            refused, limit = _find_default_limit(limit_type, account.get("level", ""), account)
        if refused:
            return refused
        most = int(limit * 1.5)
        if requested_limit > most:
            return (
                f"Error: Requested limit ${requested_limit} exceeds the maximum allowed temporary "
                f"increase. Maximum temporary limit is ${most} (150% of current ${limit} limit)."
            )
        if requested_limit <= limit:
            return (
                f"Error: Requested limit ${requested_limit} is not higher than the current limit "
                f"of ${limit}."
            )
        self.desk.edit("debit_cards", card_id).update(
            {
                field: requested_limit,
                f"temporary_{limit_type}_limit_increase": True,
                f"original_{limit_type}_limit": limit,
                f"temporary_{limit_type}_limit_expires": TODAY,
            }
        )
        return (
            f"Temporary {name} Increase Granted Successfully\n"
            f"Card ID: {card_id}\n"
            f"Previous Limit: ${limit}\n"
            f"New Temporary Limit: ${requested_limit}\n"
            f"Increase Amount: ${requested_limit - limit}\n\n"
            "Important Information:\n"
            "- This temporary increase expires in 24 hours\n"
            f"- After expiration, the limit will revert to ${limit}\n"
            "- Only one temporary increase is allowed per 24-hour period\n\n"
            "Note: If the customer is at a third-party (non-Rho-Bank) ATM, that ATM may have its "
            "own\n"
            "per-transaction or daily limits that Rho-Bank cannot override. The customer may need "
            "to\n"
            "use a Rho-Bank ATM or make multiple smaller withdrawals at third-party ATMs."
        )


def _rename_fields(card: Record) -> Record:
    """Return a card with its fields renamed as they are printed."""
    for new, olds in (
        ("card_number_last_4", ("last_4_digits",)),
        ("date_issued", ("issue_date", "created_date")),
    ):
        old = next((one for one in olds if one in card), "")
        if old and new not in card:
            card[new] = card.pop(old)
    return card


def _read_limit(card_id: str, kind: str, limit: float | None) -> tuple[str, int]:
    """Return what is wrong with a requested limit, or "", and the limit."""
    if not card_id:
        return "Error: Missing required parameter: card_id.", 0
    if not kind:
        return "Error: Missing required parameter: limit_type.", 0
    if kind not in list(_LIMITS):
        return f"Error: Invalid limit_type '{kind}'. Must be 'atm' or 'purchase'.", 0
    if limit is None:
        return "Error: Missing required parameter: new_limit.", 0
    try:
        limit = float(limit)
    except (ValueError, TypeError):
        return f"Error: new_limit must be an integer, got '{limit}'.", 0
    if not limit.is_integer():
        return f"Error: new_limit must be an integer, got '{limit}'.", 0
    if limit <= 0:
        return "Error: new_limit must be a positive amount.", 0
    return "", int(limit)


def _find_raise_fault(account: JSONMapping, id: str) -> str:
    """Return why the limits of an account's cards cannot be raised, or ""."""
    if account.get("status") != "OPEN":
        return (
            f"Error: The linked account '{id}' is not in good standing. Account status: "
            f"{account.get('status')}."
        )
    try:
        days = age(account.get("date_opened") or "")
    except ValueError:
        return ""
    if days < 60:
        return (
            "Error: Account must be at least 60 days old for a temporary limit increase. Account "
            f"age: {days} days."
        )
    return ""


def _find_default_limit(kind: str, level: str, account: JSONMapping) -> tuple[str, int]:
    """Return why there is no default limit, or "" and the default of the kind of account."""
    if kind != "atm":
        return (
            f"Error: The card does not have a {_LIMITS[kind].lower()} configured. This may be a "
            "restricted account type where limits are set by account policy and cannot be "
            "modified."
        ), 0
    level = level.lower()
    if "light green" in level:
        return (
            "Error: Light Green Account (teen checking) cards have policy-based limits that "
            "cannot be modified. The daily ATM withdrawal limit of $150 is fixed by account "
            "policy for safety reasons. The customer may request the parent/guardian to withdraw "
            "cash from their own account if needed."
        ), 0
    if level not in _ATM_LIMITS:
        return (
            "Error: Could not determine the default ATM limit for account type "
            f"'{account.get('level')}'. Please verify the account type."
        ), 0
    return "", _ATM_LIMITS[level]
