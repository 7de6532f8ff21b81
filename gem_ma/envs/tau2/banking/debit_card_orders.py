"""The tools for orders and activations of debit cards, which the bank's assistant discovers."""

from __future__ import annotations

from collections.abc import Mapping

from gem_ma.envs.tau.store import Record
from gem_ma.envs.tau2.banking.debit_card_checks import find_pin_fault, is_account_shut
from gem_ma.envs.tau2.banking.query import (
    TODAY,
    add,
    debit_card_id,
    debit_card_order_id,
    digest,
    titled,
)
from gem_ma.envs.tau2.kit import Part, discoverable, writing
from gem_ma.game import Maybe
from gem_ma.validation.json_types import JSONMapping

_DELIVERIES = {
    "STANDARD": "7-10 business days",
    "EXPEDITED": "3-5 business days",
    "RUSH": "1-2 business days",
}
_DESIGNS = ["CLASSIC", "PREMIUM", "CUSTOM"]
_EXPIRES = "11/30/2029"  # expiry date of a card ordered today
_REPLACED = ("lost", "stolen", "fraud")
_REISSUED = ("expired", "damaged", "upgrade", "bank_reissue")
_ACTIVATION = {  # activation tool by reason of issue
    **dict.fromkeys(("new_account", "first_card"), "activate_debit_card_8291"),
    **dict.fromkeys(_REPLACED, "activate_debit_card_8292"),
    **dict.fromkeys(_REISSUED, "activate_debit_card_8293"),
}


class DebitCardOrders(Part):
    """Orders of debit cards, and activations of new cards."""

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
        refused, fees = _read_fees(delivery_fee, design_fee)
        if refused:
            return refused
        excess = _fee_or_0(excess_replacement_fee)
        needed = (account_id, user_id, delivery_option, card_design, shipping_address)
        if not all(needed) or len(fees) < 2:
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
        refused = self._find_order_fault(account, account_id, user_id)
        if account is None or refused:
            return refused
        held = _read_holdings(account)
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
        fee_amounts = {name: amount for name, amount, value in parts if value > 0}
        if fee > 0:
            self._charge(account_id, order_id, held, fee, fee_amounts)
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
            named = ", ".join(f"{name}: {amount}" for name, amount in fee_amounts.items())
            lines.append(f"Total Fees: ${fee:.2f} ({named}) - CHARGED to account {account_id}")
            lines.append(f"New Account Balance: ${held - fee:.2f}")
        else:
            lines.append("Total Fees: $0 (No additional charges)")
        return "\n".join(lines)

    def _find_order_fault(self, account: Maybe[Record], id: str, user_id: str) -> str:
        """Return why no card can be ordered for an account, or ""."""
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
        held = _read_holdings(account)
        if held < 25:
            return (
                f"Error: Account must have a minimum balance of $25. Current balance: ${held:.2f}"
            )
        if self._has_any("debit_card_orders", id, "PENDING"):
            return f"Error: There is already a pending debit card order for account '{id}'."
        if self._has_any("debit_cards", id, "ACTIVE"):
            return (
                f"Error: Account '{id}' already has an active debit card. Maximum 1 active card "
                "per checking account."
            )
        return ""

    def _has_any(self, table: str, account_id: str, status: str) -> bool:
        return any(
            one.get("account_id") == account_id and one.get("status") == status
            for _, one in self.desk.rows(table)
        )

    def _charge(
        self, account_id: str, order_id: str, held: float, fee: float, told: Mapping[str, str]
    ) -> None:
        """Take a fee from an account; `told` lists its parts."""
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
            "issue_reason": self._choose_issue_reason(account_id),
        }
        add(self.desk, "debit_cards", id, record)
        return id

    def _choose_issue_reason(self, account_id: str) -> str:
        """Return the reason for which a card of an account is issued."""
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
        values = (card_id, last_4_digits, expiration_date, cvv, pin)
        refused, card = self._activate("activate_debit_card_8291", *values)
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
        values = (card_id, last_4_digits, expiration_date, cvv, pin)
        refused, card = self._activate("activate_debit_card_8292", *values)
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
        values = (card_id, last_4_digits, expiration_date, cvv, pin)
        refused, card = self._activate("activate_debit_card_8293", *values)
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

    def _activate(
        self, name: str, card_id: str, last_4: str, expires: str, cvv: str, pin: str
    ) -> tuple[str, Record]:
        """Return why a card cannot be activated, or "" and the card, which is then active."""
        if not all((card_id, last_4, expires, cvv, pin)):
            return (
                "Error: Missing required parameters. Required: card_id, last_4_digits, "
                "expiration_date, cvv, pin."
            ), {}
        wrong = find_pin_fault(pin)
        if wrong:
            return wrong, {}
        if not cvv.isdigit() or len(cvv) != 3:
            return "Error: CVV must be exactly 3 digits.", {}
        if not last_4.isdigit() or len(last_4) != 4:
            return "Error: Last 4 digits must be exactly 4 digits.", {}
        card = self.desk.get("debit_cards", card_id)
        if card is None:
            return f"Error: Debit card '{card_id}' not found.", {}
        wrong = self._find_activation_fault(name, card, card_id, last_4)
        if wrong:
            return wrong, {}
        edited = self.desk.edit("debit_cards", card_id)
        edited.update(status="ACTIVE", activated_date=TODAY)
        return "", edited

    def _find_activation_fault(self, name: str, card: Record, card_id: str, last_4: str) -> str:
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
        account_id = card.get("account_id", "")
        if is_account_shut(self.desk.get("accounts", account_id)):
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


def _read_holdings(account: JSONMapping) -> float:
    """Return the balance of an account; as in the original, a text with "$" counts as 0."""
    try:
        return float(str(account.get("current_holdings", "0")).replace(",", ""))
    except ValueError:
        return 0.0


def _read_fees(delivery: float, design: float) -> tuple[str, list[float]]:
    """Return what is wrong with the fees, or "" and the fees as numbers."""
    fees = []
    for name, value in (("delivery_fee", delivery), ("design_fee", design)):
        try:
            if value is not None:
                fees.append(float(value))
        except (TypeError, ValueError):
            return f"Error: {name} must be a number.", []
    return "", fees


def _fee_or_0(value: float | None) -> float:
    try:
        return float(value or 0)
    except (TypeError, ValueError):
        return 0


def _digits(text: str, many: int) -> str:
    return "".join(one for one in text if one.isdigit())[:many].zfill(many)
