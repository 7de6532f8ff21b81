"""Maze exit: which of several exits can be reached."""

from gem_ma.envs import maze_generation
from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.mazes import walls
from gem_ma.envs.visual.question import LETTERS, Question, Task
from gem_ma.scene import Grid


class MazeExit(Task):
    # cells across, exits
    levels = interpolate_levels({0: (3, 2), 2: (5, 3), 5: (7, 4), 8: (10, 5), 10: (14, 5)})
    moves = tuple(LETTERS[:5])
    about = (
        "It shows a maze: # is a wall, . is free, @ is a person, and the letters are exits. The "
        "person walks up, down, left or right, and not through walls. Reply with a letter."
    )

    def draw(self, rng, size, exits):
        """Dig from every exit, and put the person far from the exit that is connected with it.

        The right exit is equally often the nearest, the second nearest, and so on.
        """
        border = [(side, i) for side in range(4) for i in range(size)]
        answer, nearer = rng.integers(exits, size=2).tolist()
        candidates: list[tuple[int, int]] = []
        while not candidates:
            positions = [border[i] for i in sorted(rng.permutation(4 * size)[:exits].tolist())]
            doors = [_door(size, *place) for place in positions]
            if len({cell for cell, _ in doors}) < exits:  # a corner has two sides
                continue
            maze, far = maze_generation.generate_maze(rng, size, [cell for cell, _ in doors])
            if max(far[answer].values()) >= size:
                gaps = [gap for _, gap in doors]
                distant = [cell for cell, steps in far[answer].items() if 2 * steps > size]
                candidates = [cell for cell in distant if _nearer(cell, gaps, answer) == nearer]
        walls.put(maze, candidates[int(rng.integers(len(candidates)))], walls.HERE)
        for letter, (_, (row, column)) in zip(LETTERS, doors, strict=False):
            maze[row][column] = letter
        choices = tuple(LETTERS[:exits])
        text = "Which exit can the person reach?"
        return Question(text, choices[answer], walls.rows(maze), choices)

    def words(self, shown):
        return "\n".join(shown)

    def scene(self, shown):
        return Grid(shown, walls.TILES)


def _nearer(cell, gaps, answer):
    """Return how many exits are nearer to a cell than the right one, in a straight line."""
    away = [(2 * cell[0] + 1 - row) ** 2 + (2 * cell[1] + 1 - column) ** 2 for row, column in gaps]
    return sum(one < away[answer] for one in away)


def _door(size, side, i):
    """Return a border cell, and the row and column of its gap in the rows of symbols."""
    last = size - 1
    cell = [(0, i), (i, last), (last, i), (i, 0)][side]
    gap = [(0, 2 * i + 1), (2 * i + 1, 2 * size), (2 * size, 2 * i + 1), (2 * i + 1, 0)][side]
    return cell, gap
