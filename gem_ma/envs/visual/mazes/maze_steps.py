"""Maze steps: how long the only way to the goal is."""

from gem_ma.envs import maze_generation
from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.mazes import walls
from gem_ma.envs.visual.question import Question, Task, numbers
from gem_ma.scene import Grid


class MazeSteps(Task):
    levels = interpolate_levels({0: (2,), 2: (4,), 5: (6,), 8: (9,), 10: (13,)})  # cells across
    moves = numbers(80)
    about = (
        "It shows a maze: # is a wall, . is free, @ is a person, * is the goal. The person walks "
        "up, down, left or right, and not through walls. One square of the picture, one symbol of "
        "the map, is one step, and there is only one way. Reply with a number."
    )

    def draw(self, rng, size):
        """Sample a distance, and put the goal that far from the person."""
        start = tuple(rng.integers(size, size=2).tolist())
        maze, (far,) = maze_generation.generate_maze(rng, size, [start])
        most = min(max(far.values()), 4 * size, 40)
        steps = int(rng.integers(2, most + 1))
        candidates = [cell for cell, distance in far.items() if distance == steps]
        walls.put(maze, start, walls.HERE)
        walls.put(maze, candidates[int(rng.integers(len(candidates)))], walls.GOAL)
        text = "How many steps is it from the person to the goal?"
        return Question(text, str(2 * steps), walls.rows(maze), self.moves)

    def words(self, shown):
        return "\n".join(shown)

    def scene(self, shown):
        return Grid(shown, walls.TILES)
