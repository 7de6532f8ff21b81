"""Guesses with their marks, as columns of a board: the earliest on the left, each from the top."""

LEAST = 10  # how deep a column is at least
BELOW = 1.15  # how much higher a frame is than the board: lines of text stand below it


def columns(rows, width, others=0):
    """Return rows of tiles, which are guesses of this width, beside one another in columns.

    Args:
        others: so many more cells are to stand beside the board. Cells are as large as can be.
    """

    def extent(deep):
        across = -(-len(rows) // deep) * (width + 1) - (-others // deep)
        return max(across, BELOW * deep)

    deep = min(range(LEAST, max(LEAST, len(rows)) + 1), key=extent)
    count = max(1, -(-len(rows) // deep))
    rows = [*rows, *[(" ",) * width] * (count * deep - len(rows))]
    lines = []
    for i in range(deep):
        first, *later = rows[i::deep]
        lines.append(sum(((" ", *other) for other in later), first))
    return tuple(lines)
