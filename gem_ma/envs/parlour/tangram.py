"""Tangram by instruction: a guide describes a figure, and a builder lays it without seeing it."""

import functools
from dataclasses import dataclass, replace
from typing import NamedTuple

from gem_ma.envs.env_functions import make_env_functions
from gem_ma.envs.parlour import pictures
from gem_ma.envs.turn_captions import make_turn_caption
from gem_ma.game import Game, InvalidMove, Message, clip_repr
from gem_ma.scene import Shapes

GUIDE, BUILDER = AGENTS = ("guide", "builder")
SIDE = 8  # cells in a row and a column of the board
FEWEST = 2  # pieces in a figure
_BIG, _SMALL = ((0, 0), (4, 0), (2, 2)), ((0, 0), (2, 0), (1, 1))
PIECES = {  # corners of each piece as in the tray: x to the right, y down
    "big1": _BIG,
    "big2": _BIG,
    "medium": ((0, 0), (2, 0), (0, 2)),
    "small1": _SMALL,
    "small2": _SMALL,
    "square": ((1, 0), (2, 1), (1, 2), (0, 1)),
    "slant": ((0, 0), (2, 0), (3, 1), (1, 1)),
}
NAMES = tuple(PIECES)
COLORS = dict(
    zip(NAMES, ("red", "orange", "blue", "yellow", "green", "purple", "brown"), strict=True)
)
TURNS = (0, 90, 180, 270)
DONE, CLEAR, PLACE, TAKE = "done", "clear", "place", "take"
_EDGE, _CELL = 0.045, 0.098  # in the picture: the margin of the board, and a cell
_TRAY, _SCALE = 0.852, 0.036  # where the tray begins, and the size of a cell in it
_ABOUT = (
    "big1 and big2 are triangles with the long side of 4 cells above and the corner 2 cells below "
    "its middle; small1 and small2 are the same, half as large; medium is the upper left half of a "
    "square of 2 cells; square stands on a corner, 2 cells wide and high; slant is 3 cells wide "
    "and 1 high, its upper side from 0 to 2 and its lower side from 1 to 3"
)


class Spot(NamedTuple):
    """The place of a piece: its turn, whether it is flipped, and its upper left cell."""

    piece: str
    turn: int
    over: bool
    column: int
    row: int

    def __str__(self):
        suffix = f" turn {self.turn}" * bool(self.turn) + " over" * self.over
        return f"{self.piece} at {pictures.cells(SIDE)[self.row * SIDE + self.column]}{suffix}"

    def corners(self):
        shape = _shape(self.piece, self.turn, self.over)
        return tuple([(x + self.column, y + self.row) for x, y in shape])

    def covers(self):
        """Return the quarters of cells that the piece covers: (column, row, side)."""
        quarters = _quarters(_shape(self.piece, self.turn, self.over))
        return frozenset([(x + self.column, y + self.row, side) for x, y, side in quarters])


@dataclass(frozen=True, slots=True)
class State:
    figure: tuple[Spot, ...]  # (): hidden
    many: int  # pieces in the figure
    turns: int  # of each seat
    board: tuple[Spot, ...] = ()  # hidden from the guide
    turn: int = 0  # replies so far
    done: bool = False
    overlap: float = 0.0  # of figure and board, set at the end

    def to_act(self):
        return () if self.over() else (AGENTS[self.turn % 2],)

    def over(self):
        return self.done or self.turn == 2 * self.turns

    def returns(self):
        return dict.fromkeys(AGENTS, self.overlap)

    def seen_by(self, agent):
        if self.over():
            return self
        return replace(self, board=()) if agent == GUIDE else replace(self, figure=())

    def legal(self, agent):
        """Return example messages, and some places for each piece."""
        if agent == GUIDE:
            return tuple([f"Place {spot}." for spot in self.figure])
        free_spots = [str(spot) for name in NAMES for spot in _spots(name)[::17] if self.fits(spot)]
        take_moves = [f"{TAKE} {spot.piece}" for spot in self.board]
        return (
            *(f"{PLACE} {spot}" for spot in free_spots),
            *take_moves,
            CLEAR,
            DONE,
            "Where next?",
        )

    def fits(self, spot):
        """Return whether a piece can lie there without overlapping another."""
        covers = spot.covers()
        return not any(covers & o.covers() for o in self.board if o.piece != spot.piece)

    def lay(self, board, done=False):
        board = tuple(sorted(board, key=lambda spot: NAMES.index(spot.piece)))
        return replace(self, board=board, done=done)

    def next(self):
        """Pass the turn on, or compare figure and board at the end."""
        state = replace(self, turn=self.turn + 1)
        return replace(state, overlap=overlap(self.figure, self.board)) if state.over() else state


class Tangram(Game[State]):
    """A builder lays a figure of tangram pieces that only the guide sees and describes.

    Args:
        pieces: how many of the seven tangram pieces the figure has, 2 to 7.
        turns: how often each seat replies.
    """

    agents = AGENTS
    unlisted_moves = pictures.FREE_TALK

    def __init__(self, pieces: int = 7, turns: int = 8):
        if not FEWEST <= pieces <= len(PIECES) or turns < 1:
            raise ValueError(
                f"pieces={pieces}, turns={turns}: expected pieces {FEWEST} to {len(PIECES)}, turns "
                "at least 1"
            )
        self.pieces, self.turns = pieces, turns

    def start(self, rng, options):
        return State(figure(rng, self.pieces), self.pieces, self.turns)

    def read(self, text, view, agent):
        """Return the new board, DONE, or a message unchanged."""
        text = pictures.message(text)
        command = text.casefold().strip(" .!")
        if agent == GUIDE or not (command in (DONE, CLEAR) or command.startswith((PLACE, TAKE))):
            return text
        if command in (DONE, CLEAR):
            return DONE if command == DONE else ()
        state = view
        for part in filter(None, (p.strip(" .") for p in command.replace("\n", ";").split(";"))):
            state = _do(state, part)
        return state.board

    def advance(self, state, moves, rng):
        ((agent, move),) = moves.items()
        if agent == BUILDER and move == DONE:
            state = state.lay(state.board, done=True)
        elif isinstance(move, tuple):
            state = state.lay(move)
        return state.next()

    def skip(self, view, agent):
        return None

    def tell(self, before, moves, after):
        ((seat, move),) = moves.items()
        if move is None:
            messages = [Message(None, "game", f"{seat} lost its turn.")]
        elif seat == BUILDER and move == DONE:
            messages = [Message(None, "game", "The builder is done.")]
        elif isinstance(move, tuple):
            messages = [Message((GUIDE,), "game", f"The builder has laid {len(move)} pieces.")]
        else:
            messages = [Message((AGENTS[1 - AGENTS.index(seat)],), seat, move)]
        if after.over():
            messages.append(
                Message(None, "game", f"Figure and board overlap by {after.overlap:.2f}.")
            )
        return messages

    def report(self, state):
        """Report the share of pieces that lie as in the figure; pieces of one shape are equal."""
        right = {spot.covers() for spot in state.figure} & {s.covers() for s in state.board}
        return {"exact": len(right) / state.many}

    def rules(self, agent):
        course = (
            f"You are playing Tangram as {agent}, together with the other player. The guide sees a "
            f"figure of {self.pieces} pieces on a board of {SIDE} x {SIDE} cells; the builder has "
            "an empty board and a tray of seven pieces. You reply in turn, "
            f"{self.turns} times each; the guide begins, and does not see what the builder lays. "
            "At the end both of you earn the overlap: the area that figure and board both cover, "
            "divided by the area that either covers. "
            f"{pictures.naming(SIDE)} The pieces as they lie in the tray: {_ABOUT}. "
            "turn 90, 180 or 270 turns a piece to the right, and over turns it over before that, "
            "left becoming right. A piece is at the cell in the upper left corner of the cells "
            "that it takes up. "
        )
        message = f"a message of at most {pictures.LONGEST} characters for the"
        if agent == GUIDE:
            return f"{course}Reply with {message} builder."
        return (
            f"{course}Reply with one or more of place big1 at C4 turn 90; take big1 (back into the "
            "tray), with ; between them; a piece placed again moves, and none lies on another. Or "
            "with clear, which takes all, or done, which ends the game. Any other reply is "
            f"{message} guide."
        )

    def describe(self, view, agent):
        lines = []
        if agent != BUILDER or view.over():
            lines.append(f"The figure: {_told(view.figure)}.")
        if agent != GUIDE or view.over():
            tray = [name for name in NAMES if name not in {spot.piece for spot in view.board}]
            lines += [f"On the board: {_told(view.board)}.", f"In the tray: {', '.join(tray)}."]
        return "\n".join([*lines, *(f"{line}." for line in self.status(view))])

    def status(self, view):
        if view.over():
            return (f"It is over, overlap {view.overlap:.2f}",)
        return (f"Replies left: {view.turns - view.turn // 2}", *make_turn_caption(view))

    def picture(self, view, agent):
        """Draw the tray and the board; a seat that sees both gets the figure as an outline."""
        areas, lines, labels = [], _grid(), _names()
        shows_both = agent is None or view.over()
        placed_names = {spot.piece for spot in view.board} if agent != GUIDE else set()
        spots = view.board if agent == BUILDER or shows_both else view.figure
        for spot in view.figure if shows_both else ():
            corners = _placed(spot.corners())
            lines += _outline(corners, 0.012)
            if spot not in view.board:
                labels.append(_label(spot.piece, corners, 0.035))
        for spot in spots:
            corners = _placed(spot.corners())
            areas.append((COLORS[spot.piece], corners))
            lines += _outline(corners, 0.004)
            labels.append(_label(spot.piece, corners, 0.045))
        top = 0.03
        for name in NAMES:
            shape = [(_TRAY + _SCALE * x, top + _SCALE * y) for x, y in PIECES[name]]
            areas.append(("gray" if name in placed_names else COLORS[name], tuple(shape)))
            lines += _outline(shape, 0.004)
            high = max(y for _, y in shape)
            labels.append((name, "", _TRAY + 2 * _SCALE, high + 0.028, 0.04))
            top = high + 0.07
        return Shapes((), "", tuple(lines), tuple(labels), self.status(view), areas=tuple(areas))


def overlap(one, other):
    """Return the area that both figures cover, divided by the area that at least one covers."""
    areas = [set().union(*(spot.covers() for spot in spots)) for spots in (one, other)]
    return len(areas[0] & areas[1]) / (len(areas[0] | areas[1]) or 1)


def figure(rng, many):
    """Return a random figure: each piece after the first shares an edge with an earlier one."""
    while True:
        placements: list[Spot] = []
        area: set[tuple[int, int, int]] = set()
        for i in rng.permutation(len(NAMES))[:many]:
            spots = _spots(NAMES[i])
            for n in rng.permutation(len(spots)):
                quarters = spots[n].covers()
                is_adjacent = any(near in area for quarter in quarters for near in _beside(quarter))
                if not quarters & area and (is_adjacent or not placements):
                    placements.append(spots[n])
                    area |= quarters
                    break
        if len(placements) == many:  # else some piece had no place beside the others
            return tuple(sorted(placements, key=lambda spot: NAMES.index(spot.piece)))


def _do(state, part):
    """Return the view after the builder places or takes one piece."""
    words = part.replace(",", " ").replace(":", " ").split()
    if len(words) < 2 or words[0] not in (PLACE, TAKE) or words[1] not in PIECES:
        raise InvalidMove(
            f"{clip_repr(part)}: expected place or take, and one of {', '.join(NAMES)}"
        )
    name, rest = words[1], [word for word in words[2:] if word not in ("at", "turn", "turned")]
    others = [spot for spot in state.board if spot.piece != name]
    if words[0] == TAKE:
        if rest or len(others) == len(state.board):
            raise InvalidMove(f"{clip_repr(part)}: you have laid {_told(state.board)}")
        return state.lay(others)
    spot = _spot(name, rest, part)
    if not state.fits(spot):
        (obstacle, *_) = [o for o in others if spot.covers() & o.covers()]
        raise InvalidMove(f"{spot} would lie on {obstacle}")
    return state.lay([*others, spot])


def _spot(name, words, part):
    names = [cell.casefold() for cell in pictures.cells(SIDE)]
    is_flipped = "over" in words
    words = [word for word in words if word != "over"]
    turns = [word for word in words if word in map(str, TURNS)]
    places = [word for word in words if word in names]
    if len(places) != 1 or len(turns) > 1 or len(words) > len(places) + len(turns):
        raise InvalidMove(f"{clip_repr(part)}: expected such as place {name} at C4 turn 90")
    row, column = divmod(names.index(places[0]), SIDE)
    spot = _plain(Spot(name, int(turns[0]) if turns else 0, is_flipped, column, row))
    if any(x > SIDE or y > SIDE for x, y in spot.corners()):
        raise InvalidMove(f"{spot} would not lie on the board")
    return spot


@functools.cache
def _shape(piece, turn, over):
    """Return the corners of a turned and flipped piece, shifted to start at (0, 0)."""
    corners = [(-x, y) if over else (x, y) for x, y in PIECES[piece]]
    for _ in range(turn // 90):
        corners = [(-y, x) for x, y in corners]
    left, top = min(x for x, _ in corners), min(y for _, y in corners)
    return tuple([(x - left, y - top) for x, y in corners])


def _plain(spot):
    """Return the spot that looks the same with the fewest turns."""
    look = frozenset(_shape(spot.piece, spot.turn, spot.over))
    return next(
        spot._replace(turn=turn, over=over)
        for over in (False, True)
        for turn in TURNS
        if frozenset(_shape(spot.piece, turn, over)) == look
    )


@functools.cache
def _spots(piece):
    """Return all places for a piece on the board."""
    all_spots = [
        Spot(piece, turn, over, column, row)
        for over in (False, True)
        for turn in TURNS
        for column in range(SIDE)
        for row in range(SIDE)
    ]
    fitting = [s for s in all_spots if all(x <= SIDE and y <= SIDE for x, y in s.corners())]
    return tuple([spot for spot in fitting if spot == _plain(spot)])


_MIDDLES = ((0.5, 0.2), (0.8, 0.5), (0.5, 0.8), (0.2, 0.5))  # a point in each quarter of a cell


@functools.cache
def _quarters(shape):
    """Return the quarters of cells, cut by both diagonals, within a shape."""
    wide, high = max(x for x, _ in shape), max(y for _, y in shape)
    return tuple(
        [
            (x, y, side)
            for x in range(wide)
            for y in range(high)
            for side, (right, down) in enumerate(_MIDDLES)
            if _inside(x + right, y + down, shape)
        ]
    )


def _inside(x, y, shape):
    """Return whether a point lies inside a convex shape."""
    edges = zip(shape, (*shape[1:], shape[0]), strict=True)
    sides = [(c - a) * (y - b) - (d - b) * (x - a) > 0 for (a, b), (c, d) in edges]
    return all(sides) or not any(sides)


def _beside(quarter):
    """Return the three quarters that share a side with a quarter."""
    x, y, side = quarter
    right, down = ((0, -1), (1, 0), (0, 1), (-1, 0))[side]
    inner = [(x, y, (side + 1) % 4), (x, y, (side + 3) % 4)]
    return (*inner, (x + right, y + down, (side + 2) % 4))


def _told(spots):
    return ", ".join(map(str, spots)) or "nothing"


def _placed(corners):
    return tuple([(_EDGE + _CELL * x, _EDGE + _CELL * y) for x, y in corners])


def _outline(corners, width):
    ends = zip(corners, (*corners[1:], corners[0]), strict=True)
    return [("", *one, *other, width) for one, other in ends]


def _grid():
    """Return the lines between the cells."""
    end = _EDGE + SIDE * _CELL
    places = [_EDGE + _CELL * i for i in range(SIDE + 1)]
    return [
        line
        for at in places
        for line in (("gray", at, _EDGE, at, end, 0.003), ("gray", _EDGE, at, end, at, 0.003))
    ]


def _names():
    """Return the letters above the columns and the numbers beside the rows."""
    at = [_EDGE + _CELL * (i + 0.5) for i in range(SIDE)]
    columns = [(chr(65 + i), "", x, _EDGE / 2, 0.04) for i, x in enumerate(at)]
    return columns + [(str(i + 1), "", _EDGE / 2, y, 0.04) for i, y in enumerate(at)]


def _label(piece, corners, high):
    """Return a label with the short name of a piece in its centre."""
    short = piece[0] + piece[-1] if piece[-1].isdecimal() else piece[:2]
    x, y = (sum(values) / len(corners) for values in zip(*corners, strict=True))
    return short, "", x, y, high


env, parallel_env, raw_env = make_env_functions(__name__)
