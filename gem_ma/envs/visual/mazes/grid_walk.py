"""Grid walk: follow directions over a board of letters, and name the letter at the end."""

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.question import LETTERS, Question, Task
from gem_ma.scene import Grid, Tile

HERE = "@"
TILES = (
    (HERE, Tile("person", "red", "floor", name="the start (@)")),
    *((letter, Tile(ground="floor", text=letter)) for letter in LETTERS),
)
WAYS = (("up", -1, 0), ("right", 0, 1), ("down", 1, 0), ("left", 0, -1))  # clockwise


class GridWalk(Task):
    levels = interpolate_levels(
        {  # cells across, legs, whether directions are turns
            0: (3, 1, False),
            2: (5, 3, False),
            5: (6, 6, False),
            8: (8, 8, True),
            10: (12, 22, True),
        }
    )
    moves = tuple(LETTERS)
    about = (
        "It shows a board of letters and the start, @. Follow the directions from there; one step "
        "leads to the next cell. Reply with the letter at which you end."
    )

    def draw(self, rng, size, legs, turns):
        """Sample the way first; it stays on the board, and changes direction after each leg."""
        start = row, column = tuple(rng.integers(size, size=2).tolist())
        directions: list[str] = []
        facing = -1  # no direction yet
        while len(directions) < legs or (row, column) == start:
            if len(directions) >= legs:  # back at the start: sample another way
                directions, facing, (row, column) = [], -1, start
            room = (row, size - 1 - column, size - 1 - row, column)
            open_ways = [
                way for way in range(4) if room[way] and (facing < 0 or (way - facing) % 2)
            ]
            way = open_ways[int(rng.integers(len(open_ways)))]
            steps = int(rng.integers(1, room[way] + 1))
            name, down, right = WAYS[way]
            if not turns:
                directions.append(f"{steps} {name}")
            else:
                directions.append(f"{_turn(0 if facing < 0 else facing, way)}{steps} forward")
            row, column, facing = row + steps * down, column + steps * right, way
        letters = rng.integers(len(LETTERS), size=(size, size)).tolist()
        board = [[LETTERS[i] for i in line] for line in letters]
        answer = board[row][column]
        board[start[0]][start[1]] = HERE
        facing_up = ", facing up" if turns else ""
        text = (
            f"Begin at the start{facing_up}. Go {', '.join(directions)}. At which letter are you?"
        )
        return Question(text, answer, tuple(map("".join, board)), self.moves)

    def words(self, shown):
        return "\n".join([" ".join(row) for row in shown])

    def scene(self, shown):
        return Grid(shown, TILES)


def _turn(facing, way):
    return ("", "turn right, ", "turn around, ", "turn left, ")[(way - facing) % 4]
