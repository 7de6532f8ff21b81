"""The tools of a customer of the bank."""

from __future__ import annotations

import functools
import hashlib
import inspect
import json
from collections.abc import Callable, Mapping
from typing import Any

from gem_ma.envs.tau.calling import sane
from gem_ma.envs.tau2.banking.query import (
    TODAY,
    add,
    application_id,
    balance_of,
    dispute_id,
    executed,
    find,
    listing,
    listing_by,
    nothing_in,
    referral_id,
    referral_link_id,
    transaction_id,
    user_call_id,
)
from gem_ma.envs.tau2.kit import Kit, discoverable, tool, writing
from gem_ma.validation.json_types import JSONMapping, JSONObject

_CARDS = [
    "Bronze Rewards Card",
    "Business Bronze Rewards Card",
    "Business Gold Rewards Card",
    "Business Platinum Rewards Card",
    "Business Silver Rewards Card",
    "Crypto-Cash Back",
    "Diamond Elite Card",
    "EcoCard",
    "Gold Rewards Card",
    "Green Rewards Card",
    "Platinum Rewards Card",
    "Silver Rewards Card",
    "Silver Zoom Card",
]
_ELSE = "default"  # category of all purchases without their own rate
_REWARDS: Mapping[str, Mapping[str, float]] = {  # percent, by card and category
    "Bronze Rewards Card": {_ELSE: 1.0},
    "Silver Rewards Card": {"Travel": 4.0, "Software": 4.0, _ELSE: 1.0},
    "Gold Rewards Card": {_ELSE: 2.5},
    "Platinum Rewards Card": {_ELSE: 10.0},
    "Business Bronze Rewards Card": {_ELSE: 1.0},
    "Business Silver Rewards Card": {"Travel": 10.0, "Software": 10.0, _ELSE: 1.0},
    "Green Rewards Card": {"Sustainable": 3.0, _ELSE: 1.0},
    "Business Gold Rewards Card": {"Operations": 2.5, _ELSE: 1.0},
    "Business Platinum Rewards Card": {"Travel": 4.0, "Software": 4.0, "Media": 4.0, _ELSE: 1.5},
    "Silver Zoom Card": {"Transportation": 3.0, _ELSE: 1.0},
    "Diamond Elite Card": {_ELSE: 5.0},
    "EcoCard": {"Green": 5.0, _ELSE: 1.0},
    "Crypto-Cash Back": {_ELSE: 2.0},
}


def read_arguments(
    name: str, arguments: str, parse_int: Callable[[str], object] | None = None
) -> Any:
    """Return the JSON that a model wrote for a tool, or raise ValueError."""
    try:
        data = json.loads(arguments, parse_int=parse_int)
    except json.JSONDecodeError as error:
        raise Unreadable(f"Error: Invalid JSON in arguments: {error}") from None
    if not sane(data):
        raise ValueError(f"the arguments of {name} are nested too deeply, or too large")
    return data


class Unreadable(ValueError):
    """Arguments that are not JSON; the message is the answer."""


@functools.cache
def parameters(method: Callable[..., object]) -> Mapping[str, bool]:
    """Return the parameters of a tool, and whether each is required."""
    parameters = list(inspect.signature(method).parameters.values())[1:]
    return {one.name: one.default is one.empty for one in parameters}


def given(method: Callable[..., object], arguments: object) -> JSONMapping:
    """Return the arguments of a call, or raise Python's TypeError if they are not an object."""
    if isinstance(arguments, Mapping):
        return arguments
    raise TypeError(
        f"tau2.domains.banking_knowledge.tools.{method.__qualname__}() argument after ** must be "
        f"a mapping, not {type(arguments).__name__}"
    )


class KnowledgeUserTools(Kit):
    @discoverable
    @writing
    def submit_cash_back_dispute_0589(self, user_id: str, transaction_id: str) -> str:
        """Dispute what a transaction earned."""
        arguments = {"user_id": user_id, "transaction_id": transaction_id}
        refused = self._begun("submit_cash_back_dispute_0589", arguments)
        if refused:
            return refused
        id = dispute_id(user_id, transaction_id)
        record = {"dispute_id": id, **arguments, "submitted_at": TODAY, "status": "SUBMITTED"}
        status = "SUBMITTED - Your dispute has been queued for review."
        settings = self.desk.get("task_config", "dispute_settings") or {}
        if settings.get("auto_resolve_disputes", False):
            record |= {"status": "RESOLVED", "resolution": "APPROVED"}
            status = (
                "RESOLVED - The dispute has been reviewed and approved. The transaction rewards "
                "need to be updated."
            )
        new = add(self.desk, "cash_back_disputes", id, record)
        return (
            "Cash back dispute submitted successfully. Your case has been queued for review.\n\n"
            f"{executed('submit_cash_back_dispute_0589', arguments)}\n"
        ) + (
            f"Dispute ID: {id}\nStatus: {status}"
            if new
            else "Note: Dispute may have already been submitted for this transaction."
        )

    @discoverable
    @writing
    def get_referral_link(self, user_id: str, card_name: str) -> str:
        """Make a link by which others apply for a card."""
        arguments = {"user_id": user_id, "card_name": card_name}
        refused = self._begun("get_referral_link", arguments)
        if refused:
            return refused
        id = referral_link_id(user_id, card_name)
        new = add(self.desk, "referrals", id, _referral(id, user_id, card_name))
        return (
            "Referral link generated successfully. Share this link with the person you want to "
            f"refer.\n\n{executed('get_referral_link', arguments)}\n"
        ) + (
            f"Referral ID: {id}\nReferral link: https://rhobank.com/refer/{id}"
            if new
            else "Note: A referral link for this card may have already been generated."
        )

    @discoverable
    @tool
    def get_card_last_4_digits(self, credit_card_account_id: str) -> str:
        """Look at the end of a card's number."""
        arguments = {"credit_card_account_id": credit_card_account_id}
        refused = self._begun("get_card_last_4_digits", arguments)
        if refused:
            return refused
        account_id = credit_card_account_id
        if nothing_in(listing_by(self.desk, "credit_card_accounts", "account_id", account_id)):
            return f"Error: Credit card account '{account_id}' not found."
        hashed = hashlib.sha256(f"card_last4:{account_id}".encode()).hexdigest()
        digits = "".join(one for one in hashed if one.isdigit())[:4].ljust(4, "0")
        return (
            "Card information retrieved successfully.\n\n"
            f"{executed('get_card_last_4_digits', arguments)}\n"
            f"Last 4 digits of card: {digits}"
        )

    @discoverable
    @writing
    def deposit_check_3847(self, account_id: str, check_amount: float) -> str:
        """Pay a check into an account."""
        arguments = {"account_id": account_id, "check_amount": check_amount}
        refused = self._begun("deposit_check_3847", arguments)
        if refused:
            return refused
        try:
            amount = float(check_amount)
        except (ValueError, TypeError):
            return f"Error: Invalid check amount '{check_amount}'. Must be a number."
        if amount <= 0:
            return "Error: Check amount must be positive."
        account = self.desk.get("accounts", account_id)
        if account is None:
            return f"Error: Account '{account_id}' not found."
        if account.get("status") not in ("ACTIVE", "OPEN"):
            return f"Error: Account '{account_id}' is not active."
        before = balance_of(account)
        after = before + amount
        self.desk.edit("accounts", account_id)["current_holdings"] = f"${after:.2f}"
        return (
            "Check deposited successfully. Funds will be available according to your account's "
            f"deposit policy.\n\n{executed('deposit_check_3847', arguments)}\n"
            "Check deposit processed!\n"
            f"  - Account: {account_id}\n"
            f"  - Check Amount: ${amount:.2f}\n"
            f"  - Previous Balance: ${before:.2f}\n"
            f"  - New Balance: ${after:.2f}"
        )

    @writing
    def apply_for_credit_card(
        self,
        card_type: str,
        customer_name: str,
        annual_income: float,
        rho_bank_subscription: bool = False,
    ) -> str:
        """Ask the bank for a credit card.

        Args:
            card_type: which card
            customer_name: your full name, as the law has it
            annual_income: what you earn in a year, in dollars
            rho_bank_subscription: whether you subscribe to Rho-Bank+
        """
        if card_type not in _CARDS:
            return f"Error: Invalid card_type '{card_type}'. Must be one of: {_CARDS}"
        try:
            annual_income = float(annual_income)
        except (TypeError, ValueError):
            return "Error: Invalid annual_income. Must be a number."
        id = application_id(card_type, customer_name, annual_income, rho_bank_subscription)
        record = {
            "application_id": id,
            "card_type": card_type,
            "customer_name": customer_name,
            "annual_income": annual_income,
            "rho_bank_subscription": rho_bank_subscription,
            "status": "PENDING",
            "date": TODAY,
        }
        if not add(self.desk, "credit_card_applications", id, record):
            return f"Failed to submit application: Record ID '{id}' may already exist."
        return (
            "Credit card application submitted:\n"
            "Your application has been successfully submitted. "
            "You will receive a decision within 5-7 business days via email."
        )

    @writing
    def submit_referral(self, user_id: str, account_type: str) -> str:
        """Refer somebody to the bank, who is to open an account.

        Args:
            user_id: your own id
            account_type: the account that they are to open
        """
        id = referral_id(user_id, account_type)
        if not add(self.desk, "referrals", id, _referral(id, user_id, account_type)):
            return f"Failed to submit referral: Record ID '{id}' may already exist."
        return (
            "Referral request submitted successfully!\n"
            f"  - Referral ID: {id}\n"
            f"  - Referrer ID: {user_id}\n"
            f"  - Account Type: {account_type}\n"
            "  - Status: NO_PROGRESS\n"
            f"  - Date: {TODAY}\n\n"
            "Share your referral ID with the person you're referring. They will need to use this "
            "when applying for their account."
        )

    @writing
    def call_discoverable_user_tool(
        self, discoverable_tool_name: str, arguments: str = "{}"
    ) -> str:
        """Use a tool that the assistant gave you, as if you did it yourself.

        Args:
            discoverable_tool_name: which tool, as the assistant named it
            arguments: what the tool needs, as text of JSON: {"user_id": "abc123"}
        """
        method = self.tools.get(discoverable_tool_name)
        if method is None or discoverable_tool_name in self.listed:
            return f"Error: Unknown discoverable tool '{discoverable_tool_name}'."
        try:
            parsed_arguments = read_arguments(discoverable_tool_name, arguments, parse_int=float)
        except Unreadable as error:
            return str(error)
        takes = parameters(method)
        for name, needed in takes.items():
            if needed and name not in parsed_arguments:
                return f"Error: Missing required parameter: {name}"
        for name in parsed_arguments:
            if name not in takes:
                return f"Error: Unexpected parameter: {name}"
        try:
            return str(method(self, **given(method, parsed_arguments)))
        except TypeError as error:
            return f"Error: Invalid arguments for tool '{discoverable_tool_name}': {error}"

    @tool
    def list_discoverable_user_tools(self) -> str:
        """Look up the tools that the assistant gave you."""
        tools_text = listing(self.desk, "user_discoverable_tools")
        return f"Tools given to you by the agent:\n{tools_text}"

    @writing
    def request_human_agent_transfer(self) -> str:
        """Ask to talk with a person; each time that you ask is counted."""
        number = sum(1 for _ in self.desk.rows("human_transfer_requests")) + 1
        id = f"transfer_request_{number}"
        record = {
            "request_id": id,
            "request_number": number,
            "requested_at": TODAY,
            "status": "PENDING",
        }
        add(self.desk, "human_transfer_requests", id, record)
        return f"Transfer request #{number} submitted.\nThe agent will process your request."

    @writing
    def submit_transaction(
        self,
        user_id: str,
        credit_card_type: str,
        merchant_name: str,
        amount: float,
        category: str,
    ) -> str:
        """Pay with a credit card.

        Args:
            user_id: your own id
            credit_card_type: the card, such as "Gold Rewards Card"
            merchant_name: whom you pay
            amount: how much, in dollars
            category: what for, such as "Groceries", "Travel" or "Software"
        """
        if credit_card_type not in _REWARDS:
            return (
                f"Error: Unknown credit card type '{credit_card_type}'. Available types: "
                f"{list(_REWARDS)}"
            )
        id = transaction_id(user_id, credit_card_type, merchant_name, amount, category)
        rates = _REWARDS[credit_card_type]
        rate = rates.get(category, rates[_ELSE])
        points = int(amount * rate)
        record = {
            "transaction_id": id,
            "user_id": user_id,
            "credit_card_type": credit_card_type,
            "merchant_name": merchant_name,
            "transaction_amount": f"${amount:.2f}",
            "transaction_date": TODAY,
            "category": category,
            "status": "COMPLETED",
            "rewards_earned": f"{points} points",
        }
        if not add(self.desk, "credit_card_transaction_history", id, record):
            return f"Failed to submit transaction: Record ID '{id}' may already exist."
        return (
            "Transaction submitted successfully!\n"
            f"  - Transaction ID: {id}\n"
            f"  - User ID: {user_id}\n"
            f"  - Card Type: {credit_card_type}\n"
            f"  - Merchant: {merchant_name}\n"
            f"  - Amount: ${amount:.2f}\n"
            f"  - Category: {category}\n"
            f"  - Date: {TODAY}\n"
            f"  - Rewards Earned: {points} points ({rate}% cashback rate)\n"
        )

    def _begun(self, name: str, arguments: JSONMapping) -> str:
        """Record a call of a tool that the user was given, or return why it cannot be called."""
        if not find(self.desk, "user_discoverable_tools", {"tool_name": name}):
            return (
                f"Error: Tool '{name}' has not been given to you by the agent. The agent must "
                "first use `give_discoverable_user_tool` to give this tool to you."
            )
        record = {
            "tool_name": name,
            "arguments": dict(arguments),
            "called_at": TODAY,
            "status": "CALLED",
        }
        id = user_call_id(name, arguments)
        add(self.desk, "user_discoverable_tool_calls", id, record)
        return ""


def _referral(id: str, user_id: str, what: str) -> JSONObject:
    return {
        "referral_id": id,
        "referrer_id": user_id,
        "referred_account_type": what,
        "referral_status": "NO_PROGRESS",
        "date": TODAY,
    }
