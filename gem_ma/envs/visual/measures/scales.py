"""Scales with marks: how finely they can be read."""


def finest(each, parts):
    """Return the least that is read: half of what is between two marks, where that is whole.

    Args:
        each: what is between two numbers.
        parts: into how many parts smaller marks divide it.
    """
    return each // parts if each % (2 * parts) or parts == 1 else each // (2 * parts)
