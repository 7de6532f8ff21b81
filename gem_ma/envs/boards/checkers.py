"""Checkers: two agents move on the dark squares and jump over each other's pieces."""

import functools
from typing import NamedTuple

import numpy as np

from gem_ma.envs.env_functions import make_env_functions
from gem_ma.envs.turn_captions import make_turn_caption, make_winner_caption
from gem_ma.game import Game, InvalidMove, clip_repr, parse_choice
from gem_ma.scene import Grid, Tile

AGENTS = ("black", "white")
MEN, KINGS, EMPTY = ("b", "w"), ("B", "W"), "."
SIZE, ROWS, QUIET = 8, 3, 40  # rows and columns, rows of men, moves without capture until a draw
FILES, RANKS = tuple("abcdefgh"), tuple("87654321")
NAMES = tuple(f"{file}{rank}" for rank in RANKS for file in FILES)  # from a8, row by row
TILES = (
    *(
        tile
        for color, man, king in zip(AGENTS, MEN, KINGS, strict=True)
        for tile in (
            (man, Tile("disc", color, "dark-square", name=f"{color}'s man ({man})")),
            (
                king,
                Tile(
                    ground="dark-square",
                    name=f"{color}'s king ({king})",
                    parts=(("disc", color), ("crown", "yellow")),
                ),
            ),
        )
    ),
    (EMPTY, Tile(ground="dark-square")),
    (" ", Tile(ground="light-square")),
)
AROUND = str.maketrans("", "", " -x:>")


def dark(square):
    return square // SIZE % 2 != square % SIZE % 2


@functools.cache
def _ways(square, up, down):
    """Return where a piece can go: (next square, the square behind it or None)."""
    row, column = divmod(square, SIZE)
    ways = []
    for step in (*((-1,) if up else ()), *((1,) if down else ())):
        for side in (-1, 1):
            near, far = [
                (row + n * step) * SIZE + column + n * side
                if 0 <= row + n * step < SIZE and 0 <= column + n * side < SIZE
                else None
                for n in (1, 2)
            ]
            if near is not None:
                ways.append((near, far))
    return tuple(ways)


@functools.cache
def _moves():
    """Return all possible moves: text -> (from, to)."""
    return {
        NAMES[square] + NAMES[end]: (square, end)
        for square in range(SIZE**2)
        if dark(square)
        for way in _ways(square, True, True)
        for end in way
        if end is not None
    }


@functools.lru_cache(1 << 10)  # asked several times a turn
def _legal(board, side, jumping):
    """Return the moves of a side as texts; only jumps if there are any."""
    man, king, others = MEN[side], KINGS[side], MEN[1 - side] + KINGS[1 - side]
    steps, jumps = [], []
    for square, mark in enumerate(board):
        if mark in (man, king) and jumping in (None, square):
            for near, far in _ways(square, mark == king or side == 0, mark == king or side == 1):
                if board[near] == EMPTY:
                    steps.append(NAMES[square] + NAMES[near])
                elif far is not None and board[near] in others and board[far] == EMPTY:
                    jumps.append(NAMES[square] + NAMES[far])
    return tuple(jumps or (steps if jumping is None else ()))


class State(NamedTuple):
    board: str  # row by row, from the top
    turn: int = 0  # an index into AGENTS
    quiet: int = 0  # moves since the last capture
    jumping: int | None = None  # the square of a piece that must continue to jump
    last: tuple[int, ...] = ()  # the squares of the last step or jump: from, to

    def to_act(self):
        is_over = self.quiet >= QUIET or not _legal(self.board, self.turn, self.jumping)
        return () if is_over else (AGENTS[self.turn],)

    def returns(self):
        has_lost = not _legal(self.board, self.turn, self.jumping)
        return {a: 0.0 if not has_lost else -1.0 if i == self.turn else 1.0 for i, a in
                enumerate(AGENTS)}  # fmt: skip

    def seen_by(self, agent):
        return self  # nothing is hidden

    def legal(self, agent):
        return _legal(self.board, self.turn, self.jumping)

    def passed(self):
        return State(self.board, 1 - self.turn, self.quiet + 1, None, self.last)

    def move(self, square, end):
        """Move a piece; a man that reaches the last row becomes a king, which ends its jumps."""
        cells, side = list(self.board), self.turn
        mark, cells[square] = cells[square], EMPTY
        is_crowned = mark == MEN[side] and end // SIZE == (0, SIZE - 1)[side]
        cells[end] = KINGS[side] if is_crowned else mark
        is_jump = abs(end - square) > SIZE + 1
        if is_jump:
            cells[(square + end) // 2] = EMPTY
        board = "".join(cells)
        if is_jump and not is_crowned and _legal(board, side, end):
            return State(board, side, 0, end, (square, end))
        return State(board, 1 - side, 0 if is_jump else self.quiet + 1, None, (square, end))


class Checkers(Game[State]):
    agents = AGENTS
    moves = tuple(_moves())
    zero_sum = True

    def start(self, rng, options):
        rows = [
            "".join(
                EMPTY if not dark(i) else "w" if row < ROWS else "b" if row >= SIZE - ROWS else "."
                for i in range(row * SIZE, (row + 1) * SIZE)
            )
            for row in range(SIZE)
        ]
        return State("".join(rows))

    def read(self, text, view, agent):
        legal = view.legal(agent)
        choice = text.casefold().translate(AROUND)
        try:
            return parse_choice(choice, legal)
        except InvalidMove:
            if choice[:4] in legal:
                raise InvalidMove(
                    f"{clip_repr(text)}: one step or jump at a time, {choice[:4]}"
                ) from None
            if view.jumping is not None:
                reason = f"the piece on {NAMES[view.jumping]} has to jump on"
            elif _is_jump(legal[0]):
                reason = "you can jump, so you have to"
            else:
                reason = "no piece of yours can move so"
            raise InvalidMove(f"{clip_repr(text)} is not a legal move: {reason}") from None

    def advance(self, state, moves, rng):
        (move,) = moves.values()
        return state.passed() if move is None else state.move(*_moves()[move])

    def skip(self, view, agent):
        return None

    def rules(self, agent):
        ways = {"black": "from row 1 at the foot of the board up", "white": "from row 8 down"}
        examples = {"black": ("c3d4", "c3e5"), "white": ("d6c5", "d6b4")}
        step, jump = examples[agent]
        return (
            f"You are playing checkers as {agent}; black begins. Pieces stand on the dark squares. "
            "In turn you move a piece by one square, diagonally, to a free one; or you jump over "
            "a piece of the other's beside yours to the free square right behind it, which takes "
            f"that piece. Men ({MEN[AGENTS.index(agent)]}) move and jump forward only, yours "
            f"{ways[agent]}. A man that comes to the last row becomes a king "
            f"({KINGS[AGENTS.index(agent)]}), which moves and jumps both ways. Who can jump has "
            "to. A piece that has jumped and can jump again has to go on, and it is your turn "
            "again; only becoming a king ends that. Who has no move left loses. After "
            f"{QUIET} moves in a row without a capture it is a draw. Columns are lettered from the "
            "left, rows numbered from the foot of the board. Reply with the square that a piece "
            f"leaves and the one it comes to: {step} for a step, {jump} for a jump. Say one jump "
            "at a time."
        )

    def describe(self, view, agent):
        lines = [f"{rank} {' '.join(row)}" for rank, row in zip(RANKS, _rows(view), strict=True)]
        return "\n".join([*lines, f"  {' '.join(FILES)}", *self.status(view)])

    def status(self, view):
        on = (f"{NAMES[view.jumping]} has to jump on",) if view.jumping is not None else ()
        men = [f"{a} {view.board.count(m) + view.board.count(k)}" for a, m, k in
               zip(AGENTS, MEN, KINGS, strict=True)]  # fmt: skip
        quiet = f"Pieces: {', '.join(men)}. Moves without a capture: {view.quiet} of {QUIET}"
        return quiet, *on, *make_turn_caption(view)

    def picture(self, view, agent):
        rows = tuple(
            "".join(cell if dark(8 * r + c) else " " for c, cell in enumerate(row))
            for r, row in enumerate(_rows(view))
        )
        marks = tuple([divmod(square, SIZE) for square in view.last])
        status = self.status(view) + make_winner_caption(view)
        return Grid(rows, TILES, marks, FILES, RANKS, status)

    def encode(self, view, agent):
        """Return six planes: own men, kings, other men, kings, free squares, jumping piece."""
        side = AGENTS.index(agent)
        cells = np.array(list(view.board)).reshape(SIZE, SIZE)
        kinds = MEN[side], KINGS[side], MEN[1 - side], KINGS[1 - side], EMPTY
        planes = np.stack([*(cells == kind for kind in kinds), cells == "?"])
        if view.jumping is not None:
            planes[5, view.jumping // SIZE, view.jumping % SIZE] = True
        return planes.astype(np.float32)


def _rows(view):
    return [view.board[i : i + SIZE] for i in range(0, SIZE**2, SIZE)]


def _is_jump(text):
    return text in _moves() and abs(ord(text[0]) - ord(text[2])) == 2


env, parallel_env, raw_env = make_env_functions(__name__)
