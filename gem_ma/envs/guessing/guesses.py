"""Boards of guesses with their marks: in columns from top to bottom, the earliest at the left."""

LEAST = 10  # least number of rows
BELOW = 1.15  # height of a picture relative to its board, because text is below the board


def columns(rows, width, others=0):
    """Return rows of tiles that hold the guesses in columns, with cells as large as possible.

    Args:
        rows: the tiles of each guess.
        width: tiles in a guess.
        others: how many further cells need room beside the board.
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
