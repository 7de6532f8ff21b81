"""Fetch object: walk through rooms to one of many things, and take it."""

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.navigation.house import (
    FIGURES,
    STEPS,
    THING_COLORS,
    Pose,
    add_things,
    build_rooms,
)
from gem_ma.envs.visual.navigation.walks import WALKS, State, Walk, count_replies
from gem_ma.envs.visual.question import AGENT, pick, some
from gem_ma.game import Message

TAKE = "take"
MOVES = (*STEPS, TAKE)
LEAST = 3  # moves to the thing


class FetchObject(Walk):
    levels = interpolate_levels(
        {0: (2, 2, 3), 2: (2, 2, 5), 5: (2, 3, 8), 8: (3, 3, 13), 10: (3, 3, 18)}
    )  # rooms across, cells of a room across, things
    moves = MOVES
    about = (
        "You are in a house in which things stand around. Take the one of your task: the reply "
        f"take takes the thing in the cell before you. {WALKS}"
        "The first thing that you take counts: the right one earns 1, any other nothing, as does "
        "no thing in all your replies."
    )

    def draw(self, rng, across, size, many):
        """Sample things, of which many have the name or the colour of the wanted one."""
        wanted = pick(rng, tuple(FIGURES)), pick(rng, THING_COLORS)
        kinds = [(name, color) for name in FIGURES for color in THING_COLORS]
        alike = [one for one in kinds if (one[0] == wanted[0]) != (one[1] == wanted[1])]
        rest = [one for one in kinds if one != wanted and one not in alike]
        others = [*some(rng, alike, len(alike)), *some(rng, rest, len(rest))][: many - 1]
        house = build_rooms(rng, across, size)
        house = add_things(rng, house, (wanted, *others))
        free = [cell for cell in house.cells() if house.thing(cell) is None]
        goals = house.poses_before(house.things[0].cell)
        moves: list[str] = []
        while len(moves) < LEAST:
            pose = Pose(pick(rng, free), int(rng.integers(4)))
            moves = house.find_moves(pose, goals)
        left = count_replies(house, len(moves))
        task = f"take the {house.things[0]}."
        return State(house, pose, tuple(goals), TAKE, None, left, task, MOVES)

    def pay(self, state, reply):
        if reply != TAKE or state.house.thing_ahead(state.pose) is None:
            return None
        return float(state.pose in state.goals)

    def tell(self, before, moves, after):
        if moves[AGENT] == TAKE and not after.over:
            return [Message(None, "game", "There is nothing to take in the cell before you.")]
        return super().tell(before, moves, after)
