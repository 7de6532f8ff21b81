"""A bank: cards, accounts and disputes, and tools that are found in its documents."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import ClassVar, Literal, get_args

from gem_ma.envs.tau.store import Record, copied
from gem_ma.envs.tau2.banking.accounts import AccountTools
from gem_ma.envs.tau2.banking.credit_cards import CreditCardTools
from gem_ma.envs.tau2.banking.debit_card_orders import DebitCardOrders
from gem_ma.envs.tau2.banking.debit_cards import DebitCardTools
from gem_ma.envs.tau2.banking.disputes import DisputeTools
from gem_ma.envs.tau2.banking.query import (
    add,
    agent_tool_id,
    listing,
    listing_by,
    update,
    user_tool_id,
    verification_id,
)
from gem_ma.envs.tau2.banking.retrieval import DocumentedDomain
from gem_ma.envs.tau2.banking.texts import TOOLS
from gem_ma.envs.tau2.banking.user import (
    KnowledgeUserTools,
    Unreadable,
    given,
    parameters,
    read_arguments,
)
from gem_ma.envs.tau2.domain import Task, parse
from gem_ma.envs.tau2.kit import NOTED, Kit, World, tool, writing
from gem_ma.envs.tau2.shape import anything, mapped
from gem_ma.validation.json_types import JSONMapping, JSONObject

TABLES = (
    "users",
    "accounts",
    "debit_cards",
    "referrals",
    "credit_card_applications",
    "user_discoverable_tools",
    "user_discoverable_tool_calls",
    "verification_history",
    "credit_card_transaction_history",
    "cash_back_disputes",
    "bank_account_transaction_history",
    "credit_card_accounts",
    "agent_discoverable_tools",
    "task_config",
    "human_transfer_requests",
    "transaction_disputes",
    "credit_card_orders",
    "debit_card_orders",
    "credit_card_closure_reasons",
    "credit_card_account_flags",
    "credit_limit_increase_requests",
    "payment_history",
    "debit_card_disputes",
)
# Tables that the original's databases lack: tools that the assistant may call, and read-only
# tools whose calls are recorded because gold actions contain them.
_UNLOCKED, _LOGGED = "unlocked", "logged"
_CALL = "call_discoverable_agent_tool"

Reason = Literal[
    "fraud_or_security_concern",
    "account_closure_request",
    "deceased_account_holder",
    "legal_or_regulatory_matter",
    "account_ownership_dispute",
    "complex_billing_dispute",
    "abusive_customer_behavior",
    "third_party_inquiry",
    "technical_system_error",
    "unconfirmed_external_communication",
    "customer_demands_after_unavailable_offer_refusal",
    "kb_search_unsuccessful_customer_requests_transfer",
    "specialized_department_required",
    "accessibility_or_special_needs",
    "customer_frustrated_demands_human",
    "supervisor_request_service_complaint",
    "customer_requests_human_no_specific_reason",
    "request_completed_customer_wants_human_followup",
    "other",
]


class KnowledgeTools(
    DisputeTools, CreditCardTools, AccountTools, DebitCardOrders, DebitCardTools, Kit
):
    @tool
    def transfer_to_human_agents(self, summary: str, reason: Reason = "other") -> str:
        """Hand the user over to a person; the documents say for which reason.

        Args:
            summary: what the user needs, and what was tried
            reason: why
        """
        reasons = get_args(Reason)
        if reason not in reasons:
            known = ", ".join(reasons)
            return f"Error: Invalid transfer reason '{reason}'. Must be one of: {known}"
        return f"Transfer successful (reason: {reason}). A human agent will assist you shortly."

    @tool
    def get_current_time(self) -> str:
        """Look at the clock, which verifications are logged by."""
        return "The current time is 2025-11-14 03:40:00 EST."

    @tool
    def get_user_information_by_id(self, user_id: str) -> str:
        """Look up a user's date of birth, email, phone number and address by their id.

        Args:
            user_id: which user
        """
        return listing_by(self.desk, "users", "user_id", user_id)

    @tool
    def get_user_information_by_name(self, customer_name: str) -> str:
        """Look up a user's date of birth, email, phone number and address by their name.

        Args:
            customer_name: their full name, with capitals where they are
        """
        return listing_by(self.desk, "users", "name", customer_name)

    @tool
    def get_user_information_by_email(self, email: str) -> str:
        """Look up a user's date of birth, email, phone number and address by their email.

        Args:
            email: their email address
        """
        return listing_by(self.desk, "users", "email", email)

    @writing
    def change_user_email(self, user_id: str, new_email: str) -> str:
        """Give a user another email address.

        Args:
            user_id: which user
            new_email: the new address
        """
        if update(self.desk, "users", user_id, {"email": new_email}) is None:
            return f"Error: User with ID '{user_id}' not found."
        return f"Email updated successfully.\n  - User ID: {user_id}\n  - New Email: {new_email}"

    @tool
    def get_referrals_by_user(self, user_id: str) -> str:
        """Look up whom a user referred.

        Args:
            user_id: who referred them
        """
        return listing_by(self.desk, "referrals", "referrer_id", user_id)

    @tool
    def get_credit_card_transactions_by_user(self, user_id: str) -> str:
        """Look up all that a user's credit cards were charged with.

        Args:
            user_id: which user
        """
        return listing_by(self.desk, "credit_card_transaction_history", "user_id", user_id)

    @tool
    def get_credit_card_accounts_by_user(self, user_id: str) -> str:
        """Look up a user's credit cards: kind, since when, balance, points.

        Args:
            user_id: which user
        """
        return listing_by(self.desk, "credit_card_accounts", "user_id", user_id)

    @writing
    def log_verification(
        self,
        name: str,
        user_id: str,
        address: str,
        email: str,
        phone_number: str,
        date_of_birth: str,
        time_verified: str,
    ) -> str:
        """Log that a user is who they say, after two of their data but name and id were right.

        Args:
            name: the user's full name
            user_id: the user's id
            address: the user's address
            email: the user's email address
            phone_number: the user's phone number
            date_of_birth: the user's date of birth, as MM/DD/YYYY
            time_verified: when it was, such as "2025-11-14 03:40:00 EST"
        """
        id = verification_id(user_id, time_verified)
        record = {
            "name": name,
            "user_id": user_id,
            "address": address,
            "email": email,
            "phone_number": phone_number,
            "date_of_birth": date_of_birth,
            "time_verified": time_verified,
        }
        if not add(self.desk, "verification_history", id, record):
            return "Failed to log verification: Record may already exist."
        return (
            "Verification logged successfully.\n"
            f"  - User: {name} (ID: {user_id})\n"
            f"  - Verified at: {time_verified}"
        )

    @writing
    def give_discoverable_user_tool(
        self, discoverable_tool_name: str, arguments: str = "{}"
    ) -> str:
        """Give the user a tool, where the documents say that they are to do something themselves.

        Args:
            discoverable_tool_name: which tool, as the documents name it
            arguments: what the user is to call it with, as text of JSON: {"user_id": "abc123"}
        """
        name = discoverable_tool_name
        if not isinstance(name, str):
            raise TypeError(f"attribute name must be string, not '{type(name).__name__}'")
        kit = KnowledgeUserTools
        if name not in kit.tools or name in kit.listed:
            return f"Error: Unknown discoverable tool '{name}'."
        try:
            parsed_arguments = read_arguments(name, arguments)
        except Unreadable as error:
            return str(error)
        takes = parameters(kit.tools[name])
        for one in parsed_arguments:
            if one not in takes and one != "self":
                return f"Error: Unexpected parameter: {one}"
        record = {"tool_name": name, "status": "GIVEN"}
        add(self.desk, "user_discoverable_tools", user_tool_id(name), record)
        arguments_text = (
            json.dumps(parsed_arguments, indent=2) if parsed_arguments else "(no arguments)"
        )
        return (
            f"Tool given to user: {name}\n"
            f"Description: {TOOLS[name][0]}\n"
            f"Arguments: {arguments_text}\n\n"
            "The user can now execute this action by calling `call_discoverable_user_tool` with "
            f"discoverable_tool_name='{name}' and the same arguments."
        )

    @writing
    def unlock_discoverable_agent_tool(self, agent_tool_name: str) -> str:
        """Unlock a tool that the documents name, and see what it needs.

        Args:
            agent_tool_name: which tool, as the documents name it
        """
        name = agent_tool_name
        if name not in self.tools or name in self.listed:
            return f"Error: Unknown agent tool '{name}'. This tool is not available."
        self.desk.put(_UNLOCKED, name, {})
        description, *lines = TOOLS[name]
        needs = "\n".join(f"  - {line}" for line in lines) or "  (no parameters)"
        return (
            f"Tool unlocked: {name}\n"
            f"Description: {description}\n\n"
            f"Tool: {name}\n"
            f"Description: {description}\n"
            f"Parameters:\n{needs}\n\n"
            "You can now use this tool by calling `call_discoverable_agent_tool` with "
            f"agent_tool_name='{name}' and the required arguments."
        )

    @writing
    def call_discoverable_agent_tool(self, agent_tool_name: str, arguments: str = "{}") -> str:
        """Use a tool that was unlocked.

        Args:
            agent_tool_name: which tool
            arguments: what the tool needs, as text of JSON: {"user_id": "abc123"}
        """
        name = agent_tool_name
        method = self.tools.get(name)
        if method is None or name in self.listed:
            return f"Error: Unknown agent tool '{name}'. This tool is not available."
        if self.desk.get(_UNLOCKED, name) is None:
            return (
                f"Error: Tool '{name}' has not been unlocked. You must first use "
                "`unlock_discoverable_agent_tool` to unlock this tool before calling it."
            )
        try:
            parsed_arguments = read_arguments(name, arguments, parse_int=float)
        except Unreadable as error:
            return str(error)
        try:
            answer = method(self, **given(method, parsed_arguments))
        except TypeError as error:
            return f"Error: Invalid arguments: {error}"
        changes = method.changes  # type: ignore[attr-defined]
        if changes or self.desk.get(_LOGGED, name) is not None:
            record = {"tool_name": name, "status": "CALLED"}
            add(self.desk, "agent_discoverable_tools", agent_tool_id(name), record)
        return str(answer)

    @tool
    def list_discoverable_agent_tools(self) -> str:
        """Look up which tools of the documents you used."""
        return f"Your called agent tools:\n{listing(self.desk, 'agent_discoverable_tools')}"


def _record(value: object) -> JSONObject:
    """Return a copy of a record with any fields, so that the task's own record stays unchanged."""
    return copied(mapped(anything)(value))


class Banking(DocumentedDomain):
    """The domain that tau2-bench names banking_knowledge.

    Args:
        retrieval: how the assistant reaches the documents, of `retrieval.VARIANTS`.
    """

    name = "banking"
    folder = "banking_knowledge"
    kits: ClassVar = {"assistant": KnowledgeTools, "user": KnowledgeUserTools}
    sides: ClassVar = {"assistant": dict.fromkeys(TABLES, NOTED)}  # shared by both seats
    shapes: ClassVar = dict.fromkeys(TABLES, _record)

    def _tables(self) -> dict[str, dict[str, Record]]:
        return {**super()._tables(), _UNLOCKED: {}, _LOGGED: {}}

    def prepare(self, world: World, task: Task) -> None:
        for action in task.actions or ():
            name = action.arguments.get("agent_tool_name")
            if action.name == _CALL and name:
                world.desk.put(_LOGGED, name, {})

    def raw_tasks(self) -> Iterable[JSONMapping]:
        # The file tasks.json next to the folder is older; the original does not use it.
        paths = sorted(self.path().glob("tasks/task_*.json"))
        if not paths:
            self.read("tasks")  # raises DataMissing
        for path in paths:
            yield parse(self.read(f"tasks/{path.name}"), path.name)

    def raw_splits(self) -> Mapping[str, Iterable[str]]:
        return {"base": self.tasks}
