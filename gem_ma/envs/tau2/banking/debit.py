"""The tools for debit cards that an assistant of the bank discovers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from gem_ma.envs.tau.store import Record
from gem_ma.envs.tau2.banking.query import (
    TODAY,
    add,
    age,
    debit_card_id,
    debit_card_order_id,
    digest,
    titled,
)
from gem_ma.envs.tau2.kit import Part, discoverable, tool, writing
from gem_ma.game import Maybe

_DELIVERIES = {
    "STANDARD": "7-10 business days",
    "EXPEDITED": "3-5 business days",
    "RUSH": "1-2 business days",
}
_DESIGNS = ["CLASSIC", "PREMIUM", "CUSTOM"]
_EXPIRES = "11/30/2029"  # a card that is ordered today
_REPLACED = ("lost", "stolen", "fraud")
_REISSUED = ("expired", "damaged", "upgrade", "bank_reissue")
_ACTIVATION = {  # of each reason why a card was issued: the tool that activates it
    **dict.fromkeys(("new_account", "first_card"), "activate_debit_card_8291"),
    **dict.fromkeys(_REPLACED, "activate_debit_card_8292"),
    **dict.fromkeys(_REISSUED, "activate_debit_card_8293"),
}
_IN_ORDER = [
    digits[at : at + 4] for digits in ("0123456789", "9876543210") for at in range(len(digits) - 3)
]
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


class DebitCardOrders(Part):
    """Orders of debit cards, and what becomes of the cards that come."""

    @discoverable
    @writing
    def order_debit_card_5739(
        self,
        account_id: str,
        user_id: str,
        delivery_option: str,
        delivery_fee: float,
        card_design: str,
        design_fee: float,
        shipping_address: str,
        excess_replacement_fee: float | None = None,
    ) -> str:
        """Order a card for a checking account."""
        refused, fees = _fees(delivery_fee, design_fee)
        if refused:
            return refused
        excess = _fee_or_0(excess_replacement_fee)
        needed = (account_id, user_id, delivery_option, card_design, shipping_address)
        if not all(needed) or None in fees:
            return (
                "Error: Missing required parameters. Required: account_id, user_id, "
                "delivery_option, delivery_fee, card_design, design_fee, shipping_address."
            )
        delivery = delivery_option.upper()
        if delivery not in list(_DELIVERIES):
            return f"Error: Invalid delivery_option. Must be one of: {list(_DELIVERIES)}"
        design = card_design.upper()
        if design not in _DESIGNS:
            return f"Error: Invalid card_design. Must be one of: {_DESIGNS}"
        account = self.desk.get("accounts", account_id)
        refused = self._not_for(account, account_id, user_id)
        if account is None or refused:
            return refused
        held = _held(account)
        fee = fees[0] + fees[1] + excess
        if fee > 0 and held < fee:
            return (
                f"Error: Insufficient funds for fees. Total fees: ${fee:.2f}. Current balance: "
                f"${held:.2f}"
            )
        order_id = debit_card_order_id(account_id, user_id, delivery)
        record = {
            "order_id": order_id,
            "account_id": account_id,
            "user_id": user_id,
            "delivery_option": delivery,
            "card_design": design,
            "shipping_address": shipping_address,
            "delivery_fee": fees[0],
            "design_fee": fees[1],
            "excess_replacement_fee": excess,
            "total_fee": fee,
            "order_date": TODAY,
            "expected_delivery": _DELIVERIES[delivery],
            "status": "PENDING",
        }
        if not add(self.desk, "debit_card_orders", order_id, record):
            return "Error: Failed to create debit card order. Order may already exist."
        parts = [("Delivery", f"${fees[0]}", fees[0]), ("Design", f"${fees[1]}", fees[1])]
        parts.append(("Excess Replacement", f"${excess:.0f}", excess))
        told = {name: amount for name, amount, value in parts if value > 0}
        if fee > 0:
            self._charge(account_id, order_id, held, fee, told)
        card_id = self._issue(account_id, user_id, design)
        lines = [
            "Debit Card Order Confirmed",
            f"Order ID: {order_id}",
            f"Card ID: {card_id}",
            f"Linked Account: {account_id}",
            f"Delivery Option: {delivery}",
            f"Card Design: {design}",
            f"Shipping Address: {shipping_address}",
            f"Expected Delivery: {_DELIVERIES[delivery]}",
            "",
            "Note: Card will arrive with status PENDING. Customer must call to activate after "
            "receiving the card.",
        ]
        if fee > 0:
            named = ", ".join(f"{name}: {amount}" for name, amount in told.items())
            lines.append(f"Total Fees: ${fee:.2f} ({named}) - CHARGED to account {account_id}")
            lines.append(f"New Account Balance: ${held - fee:.2f}")
        else:
            lines.append("Total Fees: $0 (No additional charges)")
        return "\n".join(lines)

    def _not_for(self, account: Maybe[Record], id: Any, user_id: Any) -> str:
        """Return why there can be no other card for an account, or ""."""
        if account is None:
            return f"Error: Account '{id}' not found."
        if account.get("class") != "checking":
            return (
                f"Error: Debit cards can only be ordered for checking accounts. Account '{id}' is "
                f"a {account.get('class')} account."
            )
        if account.get("status") != "OPEN":
            return (
                f"Error: Account must be OPEN. Account '{id}' has status: {account.get('status')}"
            )
        if account.get("user_id") != user_id:
            return f"Error: Account '{id}' does not belong to user '{user_id}'."
        held = _held(account)
        if held < 25:
            return (
                f"Error: Account must have a minimum balance of $25. Current balance: ${held:.2f}"
            )
        if self._any("debit_card_orders", id, "PENDING"):
            return f"Error: There is already a pending debit card order for account '{id}'."
        if self._any("debit_cards", id, "ACTIVE"):
            return (
                f"Error: Account '{id}' already has an active debit card. Maximum 1 active card "
                "per checking account."
            )
        return ""

    def _any(self, table: str, account_id: Any, status: str) -> bool:
        return any(
            one.get("account_id") == account_id and one.get("status") == status
            for _, one in self.desk.rows(table)
        )

    def _charge(
        self, account_id: str, order_id: str, held: float, fee: float, told: Mapping[str, str]
    ) -> None:
        """Take a fee from an account; told: what it is made of."""
        named = ", ".join(f"{name} {amount}" for name, amount in told.items())
        self.desk.edit("accounts", account_id)["current_holdings"] = f"{held - fee:.2f}"
        id = f"btxn_dcfee_{order_id[-8:]}"
        record = {
            "transaction_id": id,
            "account_id": account_id,
            "date": TODAY,
            "description": f"DEBIT CARD ORDER FEE - {named}",
            "amount": -fee,
            "type": "debit_card_fee",
            "status": "posted",
        }
        add(self.desk, "bank_account_transaction_history", id, record)

    def _issue(self, account_id: str, user_id: str, design: str) -> str:
        """Store a new card, and return its id."""
        id = debit_card_id(account_id, user_id, TODAY)
        user = self.desk.get("users", user_id) or {}
        record = {
            "card_id": id,
            "account_id": account_id,
            "user_id": user_id,
            "cardholder_name": user.get("name", "CARDHOLDER").upper(),
            "last_4_digits": _digits(digest(f"card_details:{id}:last4", 8), 4),
            "cvv": _digits(digest(f"card_details:{id}:cvv", 6), 3),
            "status": "PENDING",
            "issue_date": TODAY,
            "expiration_date": _EXPIRES,
            "card_design": design,
            "issue_reason": self._reason(account_id),
        }
        add(self.desk, "debit_cards", id, record)
        return id

    def _reason(self, account_id: str) -> Any:
        """Return why another card is issued for an account."""
        cards = [
            one for _, one in self.desk.rows("debit_cards") if one.get("account_id") == account_id
        ]
        if not cards:
            return "new_account"
        closed = next((one for one in cards if one.get("status") == "CLOSED"), {})
        reason = closed.get("closure_reason", "first_card")
        if reason == "fraud_suspected":
            return "fraud"
        return reason if reason in _REPLACED else "first_card"

    @discoverable
    @writing
    def activate_debit_card_8291(
        self, card_id: str, last_4_digits: str, expiration_date: str, cvv: str, pin: str
    ) -> str:
        """Activate the first card of an account."""
        given = (card_id, last_4_digits, expiration_date, cvv, pin)
        refused, card = self._activated("activate_debit_card_8291", *given)
        if refused:
            return refused
        others = self._reissue(
            card,
            card_id,
            status="DEACTIVATED",
            deactivated_date=TODAY,
            deactivation_reason="New card activated",
        )
        answer = (
            "New Debit Card Activation Successful\n"
            f"Card ID: {card_id}\n"
            "Status: ACTIVE\n"
            f"Activation Date: {TODAY}\n\n"
            "Your card is now ready to use at any ATM or point of sale terminal.\n"
            "For security, please sign the back of your card."
        )
        if others:
            answer += f"\n\nNote: Previous card(s) have been deactivated: {others}"
        return answer

    @discoverable
    @writing
    def activate_debit_card_8292(
        self, card_id: str, last_4_digits: str, expiration_date: str, cvv: str, pin: str
    ) -> str:
        """Activate a card in place of one that was lost, stolen or misused."""
        given = (card_id, last_4_digits, expiration_date, cvv, pin)
        refused, card = self._activated("activate_debit_card_8292", *given)
        if refused:
            return refused
        reason = card.get("issue_reason", "lost")
        others = self._reissue(
            card,
            card_id,
            status="DEACTIVATED",
            deactivated_date=TODAY,
            deactivation_reason=f"Replacement card activated ({reason})",
        )
        lines = [
            "Replacement Debit Card Activation Successful",
            f"Card ID: {card_id}",
            f"Replacement Reason: {titled(reason)}",
            "Status: ACTIVE",
            f"Activation Date: {TODAY}",
            "",
            "Your replacement card is now ready to use.",
            "",
            "IMPORTANT SECURITY REMINDERS:",
            "- Please review your recent transactions for any unauthorized charges",
            "- Report any suspicious activity immediately",
        ]
        if reason == "fraud":
            lines.append(
                "- Since fraud was suspected, we recommend changing your online banking password"
            )
        if others:
            lines.append(f"\nPrevious card(s) have been deactivated for security: {others}")
        return "\n".join(lines)

    @discoverable
    @writing
    def activate_debit_card_8293(
        self, card_id: str, last_4_digits: str, expiration_date: str, cvv: str, pin: str
    ) -> str:
        """Activate a card in place of one that ended, broke, or was exchanged."""
        given = (card_id, last_4_digits, expiration_date, cvv, pin)
        refused, card = self._activated("activate_debit_card_8293", *given)
        if refused:
            return refused
        reason = card.get("issue_reason", "expired")
        others = self._reissue(
            card,
            card_id,
            status="GRACE_PERIOD",
            grace_period_ends=TODAY,
            deactivation_reason=f"Reissued card activated ({reason})",
        )
        lines = [
            "Reissued Debit Card Activation Successful",
            f"Card ID: {card_id}",
            f"Reissue Reason: {titled(reason)}",
            "Status: ACTIVE",
            f"Activation Date: {TODAY}",
            "",
            "Your reissued card is now ready to use.",
        ]
        if others:
            lines.append(
                f"\nNote: Your previous card(s) ({others}) will remain active for 24 hours as a "
                "grace period.\n"
                "After 24 hours, the old card(s) will be automatically deactivated."
            )
        if reason in ("expired", "bank_reissue"):
            lines.append(
                "\nReminder: If your card number changed, please update any recurring payments "
                "with your new card details."
            )
        return "\n".join(lines)

    def _activated(
        self, name: str, card_id: Any, last_4: Any, expires: Any, cvv: Any, pin: Any
    ) -> tuple[str, Record]:
        """Return why a card cannot be activated, or "" and the card, which then is."""
        if not all((card_id, last_4, expires, cvv, pin)):
            return (
                "Error: Missing required parameters. Required: card_id, last_4_digits, "
                "expiration_date, cvv, pin."
            ), {}
        wrong = _bad_pin(pin)
        if wrong:
            return wrong, {}
        if not cvv.isdigit() or len(cvv) != 3:
            return "Error: CVV must be exactly 3 digits.", {}
        if not last_4.isdigit() or len(last_4) != 4:
            return "Error: Last 4 digits must be exactly 4 digits.", {}
        card = self.desk.get("debit_cards", card_id)
        if card is None:
            return f"Error: Debit card '{card_id}' not found.", {}
        wrong = self._not_activable(name, card, card_id, last_4)
        if wrong:
            return wrong, {}
        edited = self.desk.edit("debit_cards", card_id)
        edited.update(status="ACTIVE", activated_date=TODAY)
        return "", edited

    def _not_activable(self, name: str, card: Record, card_id: Any, last_4: Any) -> str:
        reason = card.get("issue_reason", "new_account")
        right = _ACTIVATION.get(reason, "unknown")
        if right != name:
            return (
                f"Error: Wrong activation tool. This card has issue_reason='{reason}'. Please use "
                f"{right} instead of {name}."
            )
        status = card.get("status")
        if status == "ACTIVE":
            return f"Error: Debit card '{card_id}' is already active."
        if status != "PENDING":
            return (
                f"Error: Debit card '{card_id}' cannot be activated. Current status: {status}. "
                "Only PENDING cards can be activated."
            )
        if card.get("last_4_digits") != last_4:
            return "Error: Card verification failed. The last 4 digits do not match our records."
        account_id = card.get("account_id")
        if _shut(self.desk.get("accounts", account_id)):
            return (
                f"Error: The linked checking account '{account_id}' is no longer open. Card "
                "cannot be activated."
            )
        return ""

    def _reissue(self, card: Record, card_id: str, **changes: str) -> str:
        """Change the other active cards of a card's account; return their ids."""
        account_id = card.get("account_id")
        others = [
            id
            for id, one in self.desk.rows("debit_cards")
            if id != card_id
            and one.get("account_id") == account_id
            and one.get("status") == "ACTIVE"
        ]
        for id in others:
            self.desk.edit("debit_cards", id).update(changes)
        return ", ".join(others)


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
        status, account_id = card.get("status"), card.get("account_id")
        if status == "ACTIVE":
            return f"Error: Debit card '{card_id}' is already active."
        if status != "FROZEN":
            return (
                f"Error: Debit card '{card_id}' cannot be unfrozen. Current status: {status}. "
                "Only FROZEN cards can be unfrozen."
            )
        if _shut(self.desk.get("accounts", account_id)):
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
        wrong = _bad_pin(new_pin)
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
        wrong = _bad_pin(new_pin)
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
        found = [
            _shown({"card_id": id, **one})
            for id, one in self.desk.rows("debit_cards")
            if one.get("account_id") == account_id
        ]
        if not found:
            return f"No debit cards found for account '{account_id}'."
        found.sort(key=lambda one: one.get("date_issued") or "", reverse=True)
        return json.dumps(found, indent=2)

    @discoverable
    @writing
    def request_temporary_debit_card_limit_increase_8374(
        self, card_id: str, limit_type: str, new_limit: int
    ) -> str:
        """Raise a limit of a card for a day."""
        refused, asked = _asked_limit(card_id, limit_type, new_limit)
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
        account_id = card.get("account_id")
        account = self.desk.get("accounts", account_id) if account_id else None
        if account is None:
            return f"Error: Could not find linked account for debit card '{card_id}'."
        refused = _not_raised(account, account_id)
        if refused:
            return refused
        field, name = f"daily_{limit_type}_limit", _LIMITS[limit_type]
        limit = card.get(field)
        if limit is None:
            refused, limit = _default_limit(limit_type, account.get("level", ""), account)
        if refused:
            return refused
        most = int(limit * 1.5)
        if asked > most:
            return (
                f"Error: Requested limit ${asked} exceeds the maximum allowed temporary increase. "
                f"Maximum temporary limit is ${most} (150% of current ${limit} limit)."
            )
        if asked <= limit:
            return (
                f"Error: Requested limit ${asked} is not higher than the current limit of ${limit}."
            )
        self.desk.edit("debit_cards", card_id).update(
            {
                field: asked,
                f"temporary_{limit_type}_limit_increase": True,
                f"original_{limit_type}_limit": limit,
                f"temporary_{limit_type}_limit_expires": TODAY,
            }
        )
        return (
            f"Temporary {name} Increase Granted Successfully\n"
            f"Card ID: {card_id}\n"
            f"Previous Limit: ${limit}\n"
            f"New Temporary Limit: ${asked}\n"
            f"Increase Amount: ${asked - limit}\n\n"
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


def _held(account: Mapping[str, Any]) -> float:
    """Return what lies on an account; the original reads no "$" here, and takes it for nothing."""
    try:
        return float(str(account.get("current_holdings", "0")).replace(",", ""))
    except ValueError:
        return 0.0


def _fees(delivery: Any, design: Any) -> tuple[str, list[Any]]:
    """Return what is wrong with fees, or "", and the fees as numbers, None where there is none."""
    fees: list[Any] = []
    for name, value in (("delivery_fee", delivery), ("design_fee", design)):
        try:
            fees.append(None if value is None else float(value))
        except (TypeError, ValueError):
            return f"Error: {name} must be a number.", []
    return "", fees


def _fee_or_0(value: Any) -> float:
    try:
        return float(value or 0)
    except (TypeError, ValueError):
        return 0


def _digits(text: str, many: int) -> str:
    return "".join(one for one in text if one.isdigit())[:many].zfill(many)


def _shut(account: Maybe[Mapping[str, Any]]) -> bool:
    """Return whether an account is there, and not open."""
    return account is not None and account.get("status") != "OPEN"


def _bad_pin(pin: str) -> str:
    """Return why a PIN cannot be taken, or ""."""
    if not pin or not pin.isdigit() or len(pin) != 4:
        return "Error: PIN must be exactly 4 digits."
    if pin in _IN_ORDER:
        return "Error: PIN cannot be sequential (e.g., 1234). Please choose a more secure PIN."
    if len(set(pin)) == 1:
        return (
            "Error: PIN cannot be all the same digit (e.g., 1111). Please choose a more secure PIN."
        )
    return ""


def _shown(card: Record) -> Record:
    """Return a card whose fields have the names by which they are printed."""
    for new, olds in (
        ("card_number_last_4", ("last_4_digits",)),
        ("date_issued", ("issue_date", "created_date")),
    ):
        old = next((one for one in olds if one in card), "")
        if old and new not in card:
            card[new] = card.pop(old)
    return card


def _asked_limit(card_id: Any, kind: Any, limit: Any) -> tuple[str, int]:
    """Return what is wrong with a limit that is asked for, or "", and the limit."""
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


def _not_raised(account: Mapping[str, Any], id: Any) -> str:
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


def _default_limit(kind: str, level: str, account: Mapping[str, Any]) -> tuple[str, Any]:
    """Return why a card has no limit of its own, or "" and that of its kind of account."""
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
