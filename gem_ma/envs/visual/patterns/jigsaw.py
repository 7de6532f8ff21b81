"""Jigsaw: find the piece that fills a hole."""

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.patterns import patterns
from gem_ma.envs.visual.patterns.patterns import EMPTY, FULL
from gem_ma.envs.visual.question import LETTERS, Task

STEPS = ((-1, 0), (1, 0), (0, -1), (0, 1))


class Jigsaw(Task):
    # squares of the piece, its largest width and height, options, whether pieces are turned
    levels = interpolate_levels(
        {
            0: (3, 2, 2, False),
            1: (4, 3, 3, False),
            2: (5, 3, 4, False),
            5: (7, 4, 5, False),
            8: (8, 4, 6, True),
            10: (12, 5, 6, True),
        }
    )
    moves = tuple(LETTERS[:6])
    about = (
        "It shows a board (#) with a hole (.), and pieces (#) to choose from, each with a letter. "
        "One piece fills the whole hole and nothing else. Reply with the letter of the piece."
    )

    def draw(self, rng, squares, box, options, turns):
        """Grow a random piece; each wrong piece is a variant with one square moved."""
        pieces: list[set[tuple[int, int]]] = []
        while len({_images(piece, turns) for piece in pieces}) < options:
            piece = _grow(rng, squares, box)
            pieces, place = patterns.variants(rng, piece, options, lambda p: _vary(rng, p, box))
        pieces.insert(0, pieces.pop(place))
        size = box + 3
        top, left = rng.integers(1, size - box, size=2).tolist()
        hole = {(row + top, column + left) for row, column in piece}
        board = _rows({divmod(i, size) for i in range(size * size)} - hole, size)
        quarters = rng.integers(1, 4, size=options).tolist() if turns else [0] * options
        images = [
            patterns.image(_rows(p, box), (False, n)) for p, n in zip(pieces, quarters, strict=True)
        ]
        condition = "once it is turned" if turns else "without being turned"
        text = f"Which piece fits into the hole, {condition}?"
        return patterns.choose(rng, text, board, images)

    def words(self, shown):
        return patterns.words(shown, "board")

    def scene(self, shown):
        return patterns.scene(shown, "board")


def _near(piece, box):
    """Return the free squares next to a piece, within a box."""
    beside = {(row + down, column + right) for row, column in piece for down, right in STEPS}
    return sorted((r, c) for r, c in beside - piece if 0 <= r < box and 0 <= c < box)


def _grow(rng, squares, box):
    piece = {tuple(rng.integers(box, size=2).tolist())}
    while len(piece) < squares:
        free = _near(piece, box)
        piece.add(free[int(rng.integers(len(free)))])
    return frozenset(piece)


def _vary(rng, piece, box):
    """Return a piece with one square moved that is still connected."""
    while True:
        squares = sorted(piece)
        less = piece - {squares[int(rng.integers(len(squares)))]}
        free = _near(less, box)
        other = less | {free[int(rng.integers(len(free)))]}
        if _whole(other):
            return other


def _whole(piece):
    pending, seen = [min(piece)], {min(piece)}
    while pending:
        row, column = pending.pop()
        near = {(row + down, column + right) for down, right in STEPS} & piece - seen
        seen |= near
        pending += near
    return seen == piece


def _images(piece, turns):
    """Return the shapes of a piece at the top left, in all four turns if `turns`."""
    return frozenset(_moved(_turned(piece, n)) for n in range(4 if turns else 1))


def _turned(piece, quarters):
    for _ in range(quarters):
        piece = frozenset((column, -row) for row, column in piece)
    return piece


def _moved(piece):
    top, left = min(row for row, _ in piece), min(column for _, column in piece)
    return frozenset((row - top, column - left) for row, column in piece)


def _rows(piece, size):
    return tuple(
        "".join(FULL if (row, column) in piece else EMPTY for column in range(size))
        for row in range(size)
    )
