"""Go: two agents surround empty points and each other's stones; the larger area wins."""

import functools
from typing import NamedTuple

import numpy as np

from gem_ma.envs.boards.lettered import rows, touching
from gem_ma.envs.env_functions import make_env_functions
from gem_ma.envs.turn_captions import make_turn_caption
from gem_ma.game import Game, InvalidMove, clip_repr, parse_choice
from gem_ma.scene import Shapes

AGENTS = ("black", "white")
STONES, EMPTY, PASS = ("B", "W"), ".", "pass"
LETTERS = "abcdefghjklmnopqrst"  # without i, as usual in Go
STARS = {9: (2, 4, 6), 13: (3, 6, 9), 19: (3, 9, 15)}  # rows and columns of the dots


@functools.cache
def points(size):
    """Return the names of all points, row by row from the top: a9, b9, ..."""
    return tuple(f"{letter}{row}" for row in range(size, 0, -1) for letter in LETTERS[:size])


@functools.cache
def _touching(size):
    """Return the neighbours of each point."""
    steps = ((-1, 0), (0, -1), (0, 1), (1, 0))
    return touching(size, steps)


def _chain(board, size, point):
    """Return all points of one kind connected to a point, and the points around them."""
    touching, mark = _touching(size), board[point]
    chain, around, pending = {point}, set(), [point]
    while pending:
        for near in touching[pending.pop()]:
            if board[near] != mark:
                around.add(near)
            elif near not in chain:
                chain.add(near)
                pending.append(near)
    return chain, around


@functools.lru_cache(1 << 10)
def _chains(board, size):
    """Return for each point with a stone its chain and the liberties of the chain."""
    chains: list[tuple[set[int], frozenset[int]] | None] = [None] * len(board)
    for point, mark in enumerate(board):
        if mark != EMPTY and chains[point] is None:
            chain, around = _chain(board, size, point)
            liberties = frozenset(near for near in around if board[near] == EMPTY)
            for chain_point in chain:
                chains[chain_point] = chain, liberties
    return chains


def _placed(board, size, point, side):
    """Return the board after a stone and its captures; None if the move is suicide."""
    chains, captures, lives = _chains(board, size), set(), False
    for near in _touching(size)[point]:
        if board[near] == EMPTY:
            lives = True
            continue
        chain, liberties = chains[near]
        if board[near] == STONES[side]:
            lives = lives or len(liberties) > 1
        elif len(liberties) == 1:
            captures |= chain
    if not (lives or captures):
        return None
    if not captures:
        return board[:point] + STONES[side] + board[point + 1 :]
    cells = list(board)
    cells[point] = STONES[side]
    for captured_point in captures:
        cells[captured_point] = EMPTY
    return "".join(cells)


@functools.lru_cache(1 << 10)  # asked several times a turn
def _open(board, size, side, past):
    """Return the board after each legal stone, and the points that would repeat a board."""
    past_boards, after, repeats = frozenset(past), {}, []
    for point, mark in enumerate(board):
        if mark == EMPTY and (new_board := _placed(board, size, point, side)):
            if new_board in past_boards:
                repeats.append(points(size)[point])
            else:
                after[points(size)[point]] = new_board
    return after, tuple(repeats)


@functools.lru_cache(1 << 10)
def _areas(board, size):
    """Return each side's area: its stones and the free points that only it surrounds."""
    counts, seen = [board.count(stone) for stone in STONES], set()
    for point, mark in enumerate(board):
        if mark == EMPTY and point not in seen:
            chain, around = _chain(board, size, point)
            seen |= chain
            sides = {board[near] for near in around}
            if len(sides) == 1:
                counts[STONES.index(*sides)] += len(chain)
    return tuple(counts)


class State(NamedTuple):
    board: str  # row by row, from the top
    size: int
    komi: float
    turn: int = 0  # moves so far
    past: tuple[str, ...] = ()  # all boards so far, including the empty one
    passes: int = 0  # in a row, up to now
    last: int | None = None  # the point of the last stone, if the last move was not a pass

    def to_act(self):
        is_over = self.passes == 2 or self.turn >= 2 * self.size**2
        return () if is_over else (AGENTS[self.turn % 2],)

    def returns(self):
        lead = 0.0
        if not self.to_act():
            black, white = self.score()
            lead = float((black > white) - (black < white))
        return {"black": lead, "white": -lead}

    def score(self):
        black, white = _areas(self.board, self.size)
        return black, white + self.komi

    def seen_by(self, agent):
        return self  # nothing is hidden

    def open(self):
        return _open(self.board, self.size, self.turn % 2, self.past)

    def legal(self, agent):
        return (*self.open()[0], PASS)

    def move(self, name):
        if name == PASS:
            return self._replace(turn=self.turn + 1, passes=self.passes + 1, last=None)
        board = self.open()[0][name]
        return State(
            board,
            self.size,
            self.komi,
            self.turn + 1,
            (*self.past, board),
            last=points(self.size).index(name),
        )


class Go(Game[State]):
    agents = AGENTS
    zero_sum = True

    def __init__(self, size: int = 9, komi: float = 7.5):
        if not 3 <= size <= 19:
            raise ValueError(f"size={size}: expected 3 to 19")
        if not 0 <= komi <= size**2:
            raise ValueError(f"komi={komi}: expected 0 to {size**2}, the points of the board")
        self.size, self.komi = size, komi
        self.moves = (*points(size), PASS)

    def start(self, rng, options):
        board = EMPTY * self.size**2
        return State(board, self.size, self.komi, past=(board,))

    def read(self, text, view, agent):
        try:
            return parse_choice(text.replace(" ", ""), view.legal(agent))
        except InvalidMove:
            raise InvalidMove(
                f"{clip_repr(text)} is not a legal move{self._why(text, view)}"
            ) from None

    def _why(self, text, view):
        """Return why a stone is not allowed on a point; "" if the text names no point."""
        try:
            name = parse_choice(text.replace(" ", ""), points(view.size))
        except InvalidMove:
            return ""
        if view.board[points(view.size).index(name)] != EMPTY:
            return ": there is a stone"
        if name in view.open()[1]:
            return ": the board would be as it was before"
        return ": your stone would have no free point left beside it"

    def advance(self, state, moves, rng):
        return state.move(*moves.values())

    def skip(self, view, agent):
        return PASS

    def rules(self, agent):
        size = self.size
        return (
            f"You are playing Go as {agent} ({agent[0].upper()}) on {size} x {size} points; black "
            "begins. In turn you place a stone on a free point, or pass. Stones of a colour that "
            "touch, flat or upright, are a chain. A chain of the other's that your stone leaves "
            "without a free point beside it is taken off the board. Your own stone may not leave "
            "your chain without a free point, unless it takes something. The whole board may never "
            "be again as it was after an earlier move. The game ends when both pass in a row, or "
            f"after {2 * size**2} moves. Then each side has a point for each of its stones, and "
            "for each free point from which one comes to its stones alone; all stones on the board "
            f"count as alive. White has {self.komi:g} more. More points win. Columns are lettered "
            f"from the left, without i; rows are numbered from the foot: a1 is bottom left, "
            f"{points(size)[size - 1]} top right. Reply with a point such as c3, or with pass."
        )

    def describe(self, view, agent):
        size = view.size
        lines = [f"{size - i:>2} {' '.join(row)}" for i, row in enumerate(rows(view.board, size))]
        return "\n".join([*lines, f"   {' '.join(LETTERS[:size])}", *self.status(view)])

    def status(self, view):
        black, white = view.score()
        last = "none" if not view.turn else PASS if view.last is None else _name(view)
        repeats = view.open()[1] if view.to_act() else ()
        return (
            f"Move {view.turn} of {2 * view.size**2}, last: {last}",
            f"Points: black {black}, white {white:g}",
            *(f"Would repeat the board: {', '.join(repeats)}" for _ in (1,) if repeats),
            *make_turn_caption(view),
        )

    def picture(self, view, agent):
        size = view.size
        step = 1 / (size + 1.1)  # room for labels at the left and below
        across = [step * (1.3 + i) for i in range(size)]
        down = [step * (0.7 + i) for i in range(size)]
        stars = STARS.get(size, ())
        items, lines = [], []
        for point, mark in enumerate(view.board):
            row, column = divmod(point, size)
            at = across[column], down[row]
            if mark != EMPTY:
                items.append(("disc", AGENTS[STONES.index(mark)], *at, 0.86 * step, 0.0))
            elif row in stars and column in stars:
                items.append(("disc", "black", *at, 0.24 * step, 0.0))
        if view.last is not None:
            row, column = divmod(view.last, size)
            items.append(("disc", "red", across[column], down[row], 0.34 * step, 0.0))
        board = rows(view.board, size)
        for i, (row, column) in enumerate(zip(board, zip(*board, strict=True), strict=True)):
            lines += [("black", x, down[i], y, down[i], 0.04 * step) for x, y in _runs(row, across)]
            lines += [
                ("black", across[i], x, across[i], y, 0.04 * step) for x, y in _runs(column, down)
            ]
        labels = [
            (LETTERS[i], "", x, step * (size + 0.5), 0.65 * step) for i, x in enumerate(across)
        ]
        labels += [(str(size - i), "", step * 0.45, y, 0.65 * step) for i, y in enumerate(down)]
        return Shapes(tuple(items), "", tuple(lines), tuple(labels), self.status(view), "board")

    def encode(self, view, agent):
        """Return three planes: own stones, the other's, free points."""
        own_mark = STONES[AGENTS.index(agent)]
        cells = np.array(list(view.board)).reshape(view.size, view.size)
        planes = [cells == own_mark, (cells != own_mark) & (cells != EMPTY), cells == EMPTY]
        return np.stack(planes).astype(np.float32)


def _name(view):
    return points(view.size)[view.last]


def _runs(marks, places):
    """Yield the ends of the grid line between stones, as (start, end) in the picture."""
    half, first = (places[1] - places[0]) / 2, None
    for mark, place in zip((*marks, "B"), (*places, places[-1]), strict=True):
        if mark == EMPTY and first is None:
            first = max(places[0], place - half)
        if mark == EMPTY:
            end = min(places[-1], place + half)
        elif first is not None:
            yield first, end
            first = None


env, parallel_env, raw_env = make_env_functions(__name__)
