"""Checks of several tools for debit cards: a new PIN, and the account of a card."""

from __future__ import annotations

from gem_ma.game import Maybe
from gem_ma.validation.json_types import JSONMapping

_SEQUENTIAL_PINS = [
    digits[at : at + 4] for digits in ("0123456789", "9876543210") for at in range(len(digits) - 3)
]


def is_account_shut(account: Maybe[JSONMapping]) -> bool:
    """Return whether an account exists and is not open."""
    return account is not None and account.get("status") != "OPEN"


def find_pin_fault(pin: str) -> str:
    """Return why a PIN is not allowed, or ""."""
    if not pin or not pin.isdigit() or len(pin) != 4:
        return "Error: PIN must be exactly 4 digits."
    if pin in _SEQUENTIAL_PINS:
        return "Error: PIN cannot be sequential (e.g., 1234). Please choose a more secure PIN."
    if len(set(pin)) == 1:
        return (
            "Error: PIN cannot be all the same digit (e.g., 1111). Please choose a more secure PIN."
        )
    return ""
