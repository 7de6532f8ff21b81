"""Queries of banking's tables: how tools find, name and print records."""

from __future__ import annotations

import datetime
import hashlib
import json
import operator
from collections.abc import Callable, Mapping
from typing import Any

from gem_ma.envs.tau.store import Desk, Record
from gem_ma.game import Maybe
from gem_ma.validation.json_types import JSONMapping, JSONObject

TODAY = "11/14/2025"  # date of all events
_NOW = datetime.datetime(2025, 11, 14)
_NAME = "tau2.domains.banking_knowledge.db_query.query_db()"  # name in Python's error messages
_COMPARE: Mapping[str, Callable[[Any, Any], object]] = {  # written after "__" in constraints
    "eq": operator.eq,
    "ne": operator.ne,
    "gt": operator.gt,
    "gte": operator.ge,
    "lt": operator.lt,
    "lte": operator.le,
    "contains": lambda has, value: has is not None and value in has,
    "startswith": lambda has, value: has is not None and str(has).startswith(str(value)),
    "endswith": lambda has, value: has is not None and str(has).endswith(str(value)),
    "in": lambda has, value: has in value,
    "nin": lambda has, value: has not in value,
}


def find(
    desk: Desk, table: str, constraints: JSONMapping, limit: int | None = None
) -> list[tuple[str, Record]]:
    """Return the records that meet all constraints, FIELD or FIELD__COMPARISON: value."""
    if limit is None and len(constraints) == 1:
        [(field, value)] = constraints.items()
        if "__" not in field:
            return [(id, one) for id, one in desk.rows(table) if one.get(field) == value]
    records = []
    for id, one in desk.rows(table):
        if all(_meets(one, key, value) for key, value in constraints.items()):
            records.append((id, one))
            if limit is not None and len(records) >= limit:
                break
    return records


def _meets(record: JSONMapping, key: str, value: object) -> bool:
    field, _, name = key.rpartition("__") if "__" in key else (key, "", "eq")
    try:
        return bool(_COMPARE.get(name, operator.eq)(record.get(field), value))
    except (TypeError, ValueError):
        return False


def listing(desk: Desk, table: str, constraints: str = "{}") -> str:
    """Return the records that meet constraints (as JSON), in the form that tools print."""
    try:
        try:
            parsed_constraints = json.loads(constraints) if constraints else {}
        except json.JSONDecodeError as error:
            return f"Error: Invalid JSON: {error}"
        records = find(desk, table, *_asked(parsed_constraints))
    except Exception as error:  # noqa: BLE001 - as in the original; a model writes the constraints
        return f"Error querying database: {error}"
    return listed(table, records) if records else f"No records found in '{table}'."


def listed(table: str, found: list[tuple[str, Record]]) -> str:
    """Return the text of records that tools print."""
    lines = [f"Found {len(found)} record(s) in '{table}':\n"]
    for number, (id, record) in enumerate(found, 1):
        lines.append(f"{number}. Record ID: {id}")
        lines += [f"   {field}: {value}" for field, value in record.items()]
        lines.append("")
    return "\n".join(lines)


def _asked(wanted: JSONObject) -> tuple[JSONObject, int | None]:
    """Return constraints and limit; raise TypeError for names that the original's call uses."""
    for name in wanted:
        if name in ("db", "return_ids"):
            raise TypeError(f"{_NAME} got multiple values for keyword argument '{name}'")
    if "db_name" in wanted:
        raise TypeError("query_db() got multiple values for argument 'db_name'")
    return wanted, wanted.pop("limit", None)


def listing_by(desk: Desk, table: str, field: str, value: str) -> str:
    """Return the records with this value, which is not escaped, as in the original."""
    return listing(desk, table, f'{{"{field}": "{value}"}}')


def nothing_in(found: str) -> bool:
    """Return whether a listing is empty, checked as in the original."""
    return "No records found" in found or "No results found" in found


def add(desk: Desk, table: str, id: str, record: Record) -> bool:
    """Store a new record; return False if its id exists."""
    if desk.get(table, id) is not None:
        return False
    desk.put(table, id, record)
    return True


def update(desk: Desk, table: str, id: str, updates: JSONMapping) -> Maybe[Record]:
    """Change fields of a record and return it, or return None if there is no such record."""
    if desk.get(table, id) is None:
        return None
    record = desk.edit(table, id)
    record.update(updates)
    return record


def amount_of(value: object) -> float:
    """Read an amount, which may be written as "$2,850.00"."""
    if isinstance(value, int | float):
        return float(value)
    if isinstance(value, str):
        return float(value.replace("$", "").replace(",", ""))
    return 0.0


def balance_of(account: JSONMapping) -> float:
    """Return the balance of a bank account."""
    return amount_of(account.get("current_holdings", account.get("balance", 0)))


def executed(name: str, arguments: JSONMapping) -> str:
    """Return the two lines of an answer that repeat the call."""
    arguments_text = json.dumps(arguments, indent=2) if arguments else "(no arguments)"
    return f"Executed: {name}\nArguments: {arguments_text}"


def age(opened: str) -> int:
    """Return the number of days since a date, or raise ValueError if it is not a date."""
    day = datetime.datetime.strptime(opened, "%m/%d/%Y")
    return (_NOW - day).days


def titled(word: str) -> str:
    """Return a word as answers print it: some_reason as Some Reason."""
    return word.replace("_", " ").title()


def digest(seed: str, length: int = 16) -> str:
    """Return the first `length` hexadecimal digits of a hash."""
    return hashlib.sha256(seed.encode()).digest()[: length // 2].hex()


def transaction_id(user_id: str, card: str, merchant: str, amount: float, category: str) -> str:
    seed = ":".join(["transaction", user_id, card, merchant, f"{amount:.2f}", category])
    return f"txn_{digest(seed, 12)}"


def referral_id(referrer_id: str, account_type: str) -> str:
    return digest(":".join(["referral", referrer_id, account_type]))


def application_id(card: str, name: str, income: float, subscription: bool) -> str:
    return digest(f"credit_card:{card}:{name}:{income}:{subscription}")


def verification_id(user_id: str, time: str) -> str:
    return f"{user_id}_{time.replace(' ', '_').replace(':', '').replace('-', '')}"


def user_tool_id(name: str) -> str:
    return digest(f"user_discoverable_tool:{name}")


def user_call_id(name: str, arguments: JSONMapping) -> str:
    return digest(f"user_discoverable_tool_call:{name}:{json.dumps(arguments, sort_keys=True)}")


def agent_tool_id(name: str) -> str:
    return digest(f"agent_discoverable_tool:{name}")


def dispute_id(user_id: str, transaction_id: str) -> str:
    return f"dsp_{digest(f'dispute:{user_id}:{transaction_id}', 12)}"


def referral_link_id(user_id: str, card: str) -> str:
    return digest(f"referral_link:{user_id}:{card}")


def credit_card_order_id(account_id: str, user_id: str, reason: str) -> str:
    return f"ccord_{digest(f'credit_card_order:{account_id}:{user_id}:{reason}', 12)}"


def closure_reason_id(account_id: str, user_id: str) -> str:
    return f"clsr_{digest(f'closure_reason:{account_id}:{user_id}', 12)}"


def account_flag_id(account_id: str, flag: str, expires: str) -> str:
    return f"ccflag_{digest(f'account_flag:{account_id}:{flag}:{expires}', 12)}"


def limit_request_id(account_id: str, user_id: str, amount: float) -> str:
    return f"cli_{digest(f'cli_request:{account_id}:{user_id}:{amount:.2f}', 12)}"


def debit_card_order_id(account_id: str, user_id: str, delivery: str) -> str:
    return f"dcord_{digest(f'debit_card_order:{account_id}:{user_id}:{delivery}', 12)}"


def debit_card_id(account_id: str, user_id: str, issued: str) -> str:
    return f"dbc_{digest(f'debit_card:{account_id}:{user_id}:{issued}', 12)}"
