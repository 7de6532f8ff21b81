"""A wish of a user of TAU-bench in words of the database, and functions that phrase it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from gem_ma.validation.json_types import JSONMapping

Record = JSONMapping
NOTHING: Mapping[str, str] = MappingProxyType({})


class Wish(NamedTuple):
    """A change that the user wants, and the user's answers to questions about it."""

    tool: str  # makes the change; the user never names it
    about: str  # full description
    brief: str  # description by a vague user
    answers: Mapping[str, str] = NOTHING  # by kind of question, such as "payment"
    choice: tuple[tuple[str, ...], ...] = ()  # flights to choose when they are offered
    records: tuple[str, ...] = ()  # changed records; wishes for the same records keep their order
    marks: tuple[str, ...] = ()  # words by which a question refers to this wish


def listed(parts: Sequence[str]) -> str:
    """Join parts to a list in words."""
    return " and ".join(filter(None, (", ".join(parts[:-1]), *parts[-1:])))


def optioned(options: Mapping[str, str]) -> str:
    return ", ".join(f"{key} {value}" for key, value in options.items())


def paid_with(methods: Mapping[str, Record], id: str, instruction: str) -> str:
    """Describe a payment method so that it differs from the user's other methods."""
    method = methods.get(id)
    if method is None:
        return "another way to pay"
    source = method["source"]
    alike = [one for one in methods.values() if one["source"] == source]
    if len(alike) > 1 and id in instruction:
        return id
    if source == "credit_card":
        brands = [one["brand"] for one in alike]
        if len(alike) == 1:
            return "my credit card"
        if brands.count(method["brand"]) == 1:
            return f"my {method['brand']} credit card"
        return f"my {method['brand']} credit card that ends in {method['last_four']}"
    words = {"paypal": "PayPal", "gift_card": "my gift card", "certificate": "my certificate"}
    words_of_source = words.get(source) or str(source)
    amount = method.get("balance", method.get("amount"))
    return (
        words_of_source if len(alike) == 1 or amount is None else f"{words_of_source} of ${amount}"
    )


def address_of(record: Record) -> tuple[str, ...]:
    """Return the lines of an address."""
    keys = ("address1", "address2", "city", "state", "country", "zip")
    return tuple([str(record.get(key) or "") for key in keys])
