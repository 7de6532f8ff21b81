"""Walk to exit: find the green door of a maze, and walk through it."""

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.navigation.house import FORWARD, STEPS, Pose, add_door, build_maze
from gem_ma.envs.visual.navigation.walks import WALKS, State, Walk, count_replies


class WalkToExit(Walk):
    levels = interpolate_levels(
        {0: (3, 0), 2: (4, 1), 5: (6, 2), 8: (8, 3), 10: (10, 4)}
    )  # cells across, walls that are left out
    about = (
        "You are in a maze. Somewhere in its outer wall is one green door: the exit. Walk through "
        f"it, with the move forward when it is right before you, and you earn 1. {WALKS}"
        "If your replies are used up, you earn nothing."
    )

    def draw(self, rng, size, loops):
        house = build_maze(rng, size, loops)
        cell = tuple(rng.integers(size, size=2).tolist())
        house = add_door(rng, house, size, cell)
        pose = Pose(cell, int(rng.integers(4)))
        goals = tuple(house.poses_before_doors())
        left = count_replies(house, len(house.find_moves(pose, goals)))
        return State(house, pose, goals, FORWARD, None, left, "walk to the exit.", STEPS)

    def pay(self, state, reply):
        return 1.0 if reply == FORWARD and state.pose in state.goals else None
