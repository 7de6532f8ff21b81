"""Answers that several tools of the bank give: invalid arguments, and histories."""

from __future__ import annotations

from gem_ma.envs.tau2.banking.query import nothing_in

MISSING_PARAMETERS = "Error: Missing required parameters."


def describe_invalid_choice(name: str, choices: list[str]) -> str:
    """Return the answer to an argument that is not one of the choices."""
    return f"Error: Invalid {name}. Must be one of: {choices}"


def find_invalid_choice(*arguments: tuple[str, str, list[str]]) -> str:
    """Return what is wrong with the first argument that is not one of its choices, or "".

    Args:
        *arguments: name, value and choices of each argument.
    """
    return next(
        (
            describe_invalid_choice(name, choices)
            for name, value, choices in arguments
            if value not in choices
        ),
        "",
    )


def format_history(head: str, tool: str, title: str, found: str, nothing: str) -> str:
    """Return the answer of a tool that looks up a history.

    Args:
        head: first sentence.
        tool: name of the tool.
        title: line above the records.
        found: listing of the records.
        nothing: text in place of an empty listing.
    """
    return f"{head}\n\nExecuted: {tool}\n{title}\n" + (
        f"\n{nothing}" if nothing_in(found) else found
    )
