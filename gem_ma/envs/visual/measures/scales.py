"""Precision of scales with marks."""


def finest(each, parts):
    """Return the smallest step to be read: half the distance of two marks if that is whole.

    Args:
        each: the difference between two numbers of the scale.
        parts: the number of parts into which smaller marks divide `each`.
    """
    return each // parts if each % (2 * parts) or parts == 1 else each // (2 * parts)
