"""Map task: a giver describes a route; a follower draws it on a map that lacks some landmarks."""

import functools
from dataclasses import dataclass, replace
from typing import NamedTuple

from gem_ma.envs.env_functions import make_env_functions
from gem_ma.envs.parlour import pictures
from gem_ma.envs.parlour.pictures import EMPTY
from gem_ma.envs.turn_captions import make_turn_caption
from gem_ma.game import Game, InvalidMove, Message, clip_repr
from gem_ma.scene import Panels, Tile

GIVER, FOLLOWER = AGENTS = ("giver", "follower")
STEPS = {"north": (-1, 0), "east": (0, 1), "south": (1, 0), "west": (0, -1)}
DRAW, CLEAR, DONE = "draw", "clear", "done"
ROUTE = "="  # first letter of symbols for cells on the route or on the drawn line
LANDMARKS = {
    "tower": "rook",
    "tree": "club",
    "horse": "knight",
    "church": "bishop",
    "crown": "queen",
    "gate": "door",
    "statue": "person",
    "well": "goal",
    "fountain": "burst",
    "flag": "flag",
    "hut": "pentagon",
    "mill": "cross",
}
TILES = (
    (EMPTY, Tile(ground="floor")),
    (ROUTE, Tile(ground="outside", name="the route")),
    *((name, Tile(figure, "", "floor", name=name)) for name, figure in LANDMARKS.items()),
    *((ROUTE + name, Tile(figure, "", "outside")) for name, figure in LANDMARKS.items()),
)


class Pen(NamedTuple):
    """An action of the follower on its map; messages are plain strings instead."""

    act: str  # DRAW, CLEAR or DONE
    cells: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class State:
    size: int
    turns: int  # of each seat
    landmarks: tuple[str, ...]  # the thing on each cell, as far as the seat knows
    lacking: tuple[int, ...]  # cells without a landmark on the follower's map; (): hidden
    route: tuple[int, ...]  # cells from the start to the end; (): hidden
    drawn: tuple[int, ...] = ()  # the cells of the line, sorted; hidden from the giver
    pen: int | None = None  # the cell where the line ends
    turn: int = 0  # replies so far
    done: bool = False
    overlap: float = 0.0  # of the two routes, set at the end

    def to_act(self):
        return () if self.over() else (AGENTS[self.turn % 2],)

    def over(self):
        return self.done or self.turn == 2 * self.turns

    def returns(self):
        return dict.fromkeys(AGENTS, self.overlap)

    def seen_by(self, agent):
        if agent == GIVER:
            return replace(self, lacking=(), drawn=(), pen=None)
        return replace(self, landmarks=self.known(), lacking=(), route=())

    def known(self):
        """Return the landmarks on the follower's map."""
        return tuple(
            [EMPTY if i in self.lacking else thing for i, thing in enumerate(self.landmarks)]
        )

    def legal(self, agent):
        """Return example messages, and the cells that can be drawn to in one step."""
        names = pictures.cells(self.size)
        if agent == GIVER:
            steps = [f"Then go to {names[cell]}." for cell in self.route[1:]]
            return (f"Start at {names[self.route[0]]}.", *steps)
        if self.pen is None:
            return (*names, DONE, "Where does it start?")
        row, column = divmod(self.pen, self.size)
        reach = [
            name
            for i, name in enumerate(names)
            if (i // self.size == row) != (i % self.size == column)
        ]
        return (*reach, CLEAR, DONE, "Where next?")

    def use(self, pen):
        if pen.act == DRAW:
            drawn_cells = tuple(sorted({*self.drawn, *pen.cells}))
            return replace(self, drawn=drawn_cells, pen=pen.cells[-1])
        if pen.act == CLEAR:
            return replace(self, drawn=(), pen=None)
        return replace(self, done=True)

    def next(self):
        """Pass the turn on, or compare the routes at the end."""
        state = replace(self, turn=self.turn + 1)
        if not state.over():
            return state
        drawn_cells, route = set(self.drawn), set(self.route)
        return replace(state, overlap=len(drawn_cells & route) / len(drawn_cells | route))

    def line(self, words):
        """Return the cells of a new piece of line; raise InvalidMove if it leaves the map."""
        names, pen, line = pictures.cells(self.size), self.pen, []
        for word in words:
            if word in STEPS:
                if pen is None:
                    raise InvalidMove("nothing is drawn yet: begin with a cell, such as A1")
                down, right = STEPS[word]
                row, column = pen // self.size + down, pen % self.size + right
                if not (0 <= row < self.size and 0 <= column < self.size):
                    raise InvalidMove(f"{word} of {names[pen]} the map ends")
                end = row * self.size + column
            elif word.upper() in names:
                end = names.index(word.upper())
            else:
                raise InvalidMove(
                    f"{clip_repr(word)} is neither a cell nor north, east, south or west; a "
                    f"message "
                    "for the giver does not begin with go"
                )
            line += self.straight(pen, end)
            pen = end
        return tuple(line)

    def straight(self, start, end):
        """Return the cells after `start` up to `end`, which must be in one row or column."""
        if start is None or start == end:
            return (end,)
        names, size = pictures.cells(self.size), self.size
        if start // size != end // size and start % size != end % size:
            raise InvalidMove(
                f"{names[end]} is not in one row or column with {names[start]}, where the line ends"
            )
        step = 1 if start // size == end // size else size
        step = step if end > start else -step
        return range(start + step, end + step, step)


class MapTask(Game[State]):
    agents = AGENTS
    unlisted_moves = pictures.FREE_TALK

    def __init__(self, size: int = 6, landmarks: int = 8, lacking: int = 3, turns: int = 12):
        if not 4 <= size <= 9 or turns < 1:
            raise ValueError(f"size={size}, turns={turns}: expected size 4 to 9, turns at least 1")
        if not 0 <= lacking <= landmarks <= len(LANDMARKS):
            raise ValueError(
                f"landmarks={landmarks}, lacking={lacking}: expected landmarks 0 to "
                f"{len(LANDMARKS)}, lacking 0 to landmarks"
            )
        self.size, self.landmarks, self.lacking, self.turns = size, landmarks, lacking, turns

    def start(self, rng, options):
        kinds = [list(LANDMARKS)[i] for i in rng.permutation(len(LANDMARKS))[: self.landmarks]]
        landmarks = pictures.scatter(rng, self.size, kinds)
        lacking = rng.permutation(pictures.taken(landmarks))[: self.lacking].tolist()
        route = None
        while route is None:
            route = _route(rng, self.size)
        return State(self.size, self.turns, landmarks, tuple(lacking), route)

    def read(self, text, view, agent):
        text = pictures.message(text)
        words = [word.strip(".;:!") for word in text.casefold().replace(",", " ").split()]
        words = [word for word in words if word]
        if agent == GIVER or not words:
            return text
        if words in ([DONE], [CLEAR]):
            return Pen(words[0])
        names = pictures.cells(view.size)
        if words[0] == "go":
            words = [word for word in words[1:] if word not in ("to", "then", "and")]
            if not words:
                raise InvalidMove("go where? Say go north, or go to C4")
        elif not all(word in STEPS or word.upper() in names for word in words):
            return text
        return Pen(DRAW, view.line(words))

    def advance(self, state, moves, rng):
        (move,) = moves.values()
        return (state.use(move) if isinstance(move, Pen) else state).next()

    def skip(self, view, agent):
        return None

    def tell(self, before, moves, after):
        ((seat, move),) = moves.items()
        if move is None:
            messages = [Message(None, "game", f"{seat} lost its turn.")]
        elif isinstance(move, str):
            messages = [Message((AGENTS[1 - AGENTS.index(seat)],), seat, move)]
        elif move.act == DONE:
            messages = [Message(None, "game", "The follower is done.")]
        else:
            messages = [Message((GIVER,), "game", "The follower works on its map.")]
        if after.over():
            messages.append(Message(None, "game", f"The routes overlap by {after.overlap:.2f}."))
        return messages

    def rules(self, agent):
        rules = (
            f"You are playing a map task as {agent}, together with the other player. The giver's "
            "map shows landmarks and a route from cell to neighbouring cell; the follower's map "
            f"has no route and lacks {self.lacking} of the {self.landmarks} landmarks. You reply "
            f"in turn, {self.turns} times each; the giver begins, and does not see what the "
            "follower draws. At the end both of you earn the overlap of the two routes: the cells "
            "that are in both, divided by the cells that are in either; 1 for the exact route. "
            f"{pictures.naming(self.size)} North is up. "
        )
        message = f"a message of at most {pictures.LONGEST} characters for the"
        if agent == GIVER:
            return f"{rules}The frame marks where the route starts. Reply with {message} follower."
        return (
            f"{rules}You draw by cells or steps: A1 A2 B2 draws these cells, go to C4 draws a "
            "straight line from where you are (the framed cell) to C4, go north or go north north "
            "east draws steps. Each is one reply. clear wipes out all you drew, done ends the "
            f"game. Any other reply is {message} giver."
        )

    def describe(self, view, agent):
        parts = []
        if agent != FOLLOWER:
            parts += [f"Landmarks: {pictures.words(view.landmarks) or 'none'}."]
            parts += [f"The route: {self.names(view.route)}."]
        if agent != GIVER:
            landmarks = view.known()
            title = "The follower's landmarks" if agent is None else "Landmarks"
            parts += [f"{title}: {pictures.words(landmarks) or 'none'}."]
            parts += [f"Drawn cells: {self.names(view.drawn) or 'none'}."]
            if view.pen is not None:
                parts += [f"The line ends at {self.names([view.pen])}."]
        return "\n".join([*parts, f"{self.status(view).capitalize()}."])

    def names(self, cells):
        return " ".join([pictures.cells(self.size)[cell] for cell in cells])

    def status(self, view):
        if view.over():
            return f"over, overlap {view.overlap:.2f}"
        return f"replies left: {view.turns - view.turn // 2}"

    def picture(self, view, agent):
        if agent == GIVER:
            return self.map(view, view.landmarks, view.route, view.route[0])
        follower_map = self.map(view, view.known(), view.drawn, view.pen)
        if agent == FOLLOWER:
            return follower_map
        return Panels(((GIVER, self.picture(view, GIVER)), (FOLLOWER, follower_map)))

    def map(self, view, landmarks, route, mark):
        cells = [
            thing if i not in route else ROUTE + thing.replace(EMPTY, "")
            for i, thing in enumerate(landmarks)
        ]
        marks = () if mark is None else (mark,)
        return pictures.board(
            tuple(cells), (self.status(view), *make_turn_caption(view)), TILES, marks
        )


def _route(rng, size):
    """Return a random walk that touches no earlier cell, so that the cells determine the route."""
    length = int(rng.integers(size, 2 * size))
    route = [int(rng.integers(size * size))]
    while len(route) < length:
        free_cells = [
            cell
            for cell in _beside(route[-1], size)
            if cell not in route and not set(_beside(cell, size)) & set(route[:-1])
        ]
        if not free_cells:
            return tuple(route) if len(route) >= size else None
        route.append(free_cells[int(rng.integers(len(free_cells)))])
    return tuple(route)


@functools.cache
def _beside(cell, size):
    """Return the neighbours of a cell."""
    row, column = divmod(cell, size)
    near = [(row + down, column + right) for down, right in STEPS.values()]
    return tuple([r * size + c for r, c in near if 0 <= r < size and 0 <= c < size])


env, parallel_env, raw_env = make_env_functions(__name__)
