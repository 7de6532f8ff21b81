"""Radio maze: a walker who sees only nearby cells and a guide with the map talk by radio."""

from __future__ import annotations

from dataclasses import dataclass, replace

from gem_ma.envs.env_functions import make_env_functions
from gem_ma.envs.maze_generation import FREE, WALL, generate_maze
from gem_ma.envs.parlour.pictures import FREE_TALK, message
from gem_ma.envs.turn_captions import make_turn_caption
from gem_ma.game import Game, InvalidMove, Maybe, Message
from gem_ma.scene import Grid, Panels, Tile

WALKER, GUIDE = AGENTS = ("walker", "guide")
STEPS = {"north": (-1, 0), "east": (0, 1), "south": (1, 0), "west": (0, -1)}
STRIDE = 6  # steps in one reply
LONGEST = 200  # characters in a message
SIGHT = 2  # how far the walker sees, in symbols of the map
LOOPS = 3  # walls that are removed, so that there are several ways
DOORS = 4
DOOR, RIGHT, HERE, OUTSIDE = "D!@?"
THINGS = {
    "F": ("flag", "a flag"),
    "H": ("heart", "a heart"),
    "K": ("key", "a key"),
    "M": ("moon", "a moon"),
    "Q": ("queen", "a crown"),
    "T": ("rook", "a tower"),
}
TILES = (
    (WALL, Tile(ground="wall", name="a wall")),
    (FREE, Tile(ground="floor", name="free")),
    (DOOR, Tile("door", "", "outside", name="a door")),
    (RIGHT, Tile("door", "", "green", name="the right door")),
    (HERE, Tile("person", "red", "floor", name="the walker")),
    (OUTSIDE, Tile(ground="outside", name="outside the maze")),
    *((symbol, Tile(figure, "", "floor", name=name))
      for symbol, (figure, name) in THINGS.items()),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class State:
    rows: tuple[str, ...]  # the map, or the part that the walker sees, with itself in the middle
    at: Maybe[tuple[int, int]]  # the walker in `rows`; hidden from the guide
    right: Maybe[tuple[int, int]]  # the right door; hidden from the walker
    left: int  # replies left
    turn: int = 0
    through: bool = False  # the walker went through a door; `won` says if it was right
    won: bool = False

    def to_act(self):
        return (AGENTS[self.turn],) if self.left and not self.through else ()

    def returns(self):
        return dict.fromkeys(AGENTS, float(self.won))

    def seen_by(self, agent):
        if agent == GUIDE:
            return replace(self, at=None)
        (row, column), far = self.at, SIGHT
        wide = len(self.rows) + 2 * far
        padded_rows = [OUTSIDE * far + line + OUTSIDE * far for line in self.rows]
        padded_rows = [OUTSIDE * wide] * far + padded_rows + [OUTSIDE * wide] * far
        near = [
            line[column : column + 2 * far + 1] for line in padded_rows[row : row + 2 * far + 1]
        ]
        return replace(self, rows=tuple(near), at=(far, far), right=None)

    def symbol(self, down, right):
        return self.rows[self.at[0] + down][self.at[1] + right]

    def legal(self, agent):
        """Return example messages, and single steps that are possible now."""
        if agent == GUIDE:
            return ("What do you see?", *(f"Walk {step}." for step in STEPS))
        open_ways = [step for step, way in STEPS.items() if self.symbol(*way) != WALL]
        return (*open_ways, "Which way?", f"I see {'/'.join(self.rows)}.")

    def walk(self, steps):
        """Walk cell by cell, up to the first wall, or through the first door."""
        state = self
        for step in steps:
            down, right = STEPS[step]
            cell = state.symbol(down, right)
            if cell == WALL:
                break
            if cell == DOOR:
                at = state.at[0] + down, state.at[1] + right
                return replace(state, at=at, through=True, won=at == state.right)
            state = replace(state, at=(state.at[0] + 2 * down, state.at[1] + 2 * right))
        return state

    def map(self):
        """Return the rows with the walker and the right door, if this view knows them."""
        rows = [list(row) for row in self.rows]
        for place, symbol in ((self.right, RIGHT), (self.at, HERE)):
            if place is not None:
                rows[place[0]][place[1]] = symbol
        return tuple(["".join(row) for row in rows])


class RadioMaze(Game[State]):
    agents = AGENTS
    unlisted_moves = FREE_TALK

    def __init__(self, size: int = 5, turns: int = 15):
        if not 3 <= size <= 10 or turns < 1:
            raise ValueError(f"size={size}, turns={turns}: expected size 3 to 10, turns at least 1")
        self.size, self.turns = size, turns

    def start(self, rng, options):
        maze, _ = generate_maze(rng, self.size)
        odd_numbers = range(1, 2 * self.size, 2)
        gaps = [(r, c) for r in range(1, 2 * self.size) for c in range(1, 2 * self.size)
                if r % 2 != c % 2 and maze[r][c] == WALL]  # fmt: skip
        for i in rng.permutation(len(gaps))[:LOOPS].tolist():
            maze[gaps[i][0]][gaps[i][1]] = FREE
        last = 2 * self.size
        border = [*((0, c) for c in odd_numbers), *((last, c) for c in odd_numbers)]
        border += [*((r, 0) for r in odd_numbers), *((r, last) for r in odd_numbers)]
        doors = [border[i] for i in rng.permutation(len(border))[:DOORS].tolist()]
        for row, column in doors:
            maze[row][column] = DOOR
        cells = [(r, c) for r in odd_numbers for c in odd_numbers]
        start_cell, *places = (cells[i] for i in rng.permutation(len(cells)).tolist())
        for symbol, (row, column) in zip(THINGS, places, strict=False):
            maze[row][column] = symbol
        rows = tuple(["".join(row) for row in maze])
        return State(rows, start_cell, doors[int(rng.integers(DOORS))], 2 * self.turns)

    def read(self, text, view, agent):
        """Return the walker's steps as a tuple, or a message unchanged."""
        words = [word.strip(".;:!") for word in text.casefold().replace(",", " ").split()]
        words = [word for word in words if word]
        if agent == WALKER and words and all(word in STEPS for word in words):
            if len(words) > STRIDE:
                raise InvalidMove(f"at most {STRIDE} steps at a time, not {len(words)}")
            return tuple(words)
        return message(text, LONGEST)

    def advance(self, state, moves, rng):
        (move,) = moves.values()
        after = state.walk(move) if isinstance(move, tuple) else state
        return replace(after, left=state.left - 1, turn=1 - state.turn)

    def skip(self, view, agent):
        return None

    def tell(self, before, moves, after):
        ((seat, move),) = moves.items()
        if move is None:
            messages = [Message(None, "game", f"{seat} lost its turn.")]
        elif isinstance(move, str):
            messages = [Message((AGENTS[1 - before.turn],), seat, move)]
        else:
            messages = [Message((GUIDE,), "game", "The walker walks.")]
        if after.through:
            description = "the right" if after.won else "a wrong"
            messages.append(Message(None, "game", f"The walker is through {description} door."))
        return messages

    def rules(self, agent):
        things = ", ".join(f"{symbol} {name}" for symbol, (_, name) in THINGS.items())
        rules = (
            f"You are the {agent} of two in a maze of {self.size} x {self.size} cells, who hear "
            f"each other by radio. In its border are {DOORS} doors that look alike; one is right. "
            "If the walker goes through it you both earn 1; any other door ends the game with "
            "nothing. The guide has the map with the right door, and does not know where the "
            f"walker is. The walker sees only what is at most {SIGHT} symbols away, north up. You "
            f"reply in turn, {self.turns} times each; the walker begins. # is a wall, . is free, "
            f"D a door, ? outside the maze; things that both may see are {things}. "
        )
        message = f"a message of at most {LONGEST} characters for the"
        if agent == GUIDE:
            return f"{rules}! is the right door. Reply with {message} walker."
        return (
            f"{rules}@ is you. Reply with up to {STRIDE} steps, such as north north east, which "
            "you walk from cell to cell (two symbols) until a wall is in the way, or through a "
            f"door; or with {message} guide."
        )

    def describe(self, view, agent):
        return "\n".join([*view.map(), *self.status(view)])

    def status(self, view):
        status_lines = (f"Replies left: {(view.left + 1 - view.turn) // 2}",)
        if view.at is None:
            return status_lines
        cell = view.rows[view.at[0]][view.at[1]]
        feet = f"The walker stands at {THINGS[cell][1]}" if cell in THINGS else ""
        return tuple(filter(None, (feet, *status_lines)))

    def picture(self, view, agent):
        status = (*self.status(view), *make_turn_caption(view))
        if agent is not None:
            return Grid(view.map(), TILES, status=status)
        near = Grid(view.seen_by(WALKER).map(), TILES, status=status)
        return Panels((("", Grid(view.map(), TILES, status=status)), (WALKER, near)))


env, parallel_env, raw_env = make_env_functions(__name__)
