"""Where is it: be led through a house, and remember in which room a thing stands."""

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.navigation.house import (
    FIGURES,
    ROOM_COLORS,
    THING_COLORS,
    add_things,
    build_rooms,
)
from gem_ma.envs.visual.navigation.sight import look
from gem_ma.envs.visual.navigation.walks import NEXT, State, Walk, lead
from gem_ma.envs.visual.question import AGENT, pick, some
from gem_ma.game import Message

BEFORE = "previous"
MOVES = (NEXT, BEFORE, *ROOM_COLORS)


class WhereIsIt(Walk):
    levels = interpolate_levels(
        {0: (2, 2, 3), 2: (2, 2, 5), 5: (2, 3, 8), 8: (3, 2, 10), 10: (3, 3, 14)}
    )  # rooms across, cells of a room across, things
    moves = MOVES
    about = (
        "You are led through a house, one step or turn at a time. Reply next to be led on, or "
        "previous to see again what you saw before. The upper halves of walls have a colour, "
        "which is another one in each room. Your task asks for the colour of a room; reply with it "
        "alone, such as: red. The first answer counts: the right one earns 1, any other nothing."
    )

    def draw(self, rng, across, size, many):
        """Sample houses until there are things on the way that stand in the agent's own room."""
        while True:
            names = [(name, color) for name in FIGURES for color in THING_COLORS]
            house = add_things(rng, build_rooms(rng, across, size), some(rng, names, many))
            path = lead(rng, house)
            seen = find_seen(house, path)
            if len({house.color(thing.cell) for thing in seen}) > across:
                break
        rooms = sorted({house.color(thing.cell) for thing in seen})
        room = pick(rng, rooms)  # so that no room is asked for more often
        thing = pick(rng, [one for one in seen if house.color(one.cell) == room])
        choices = (NEXT, BEFORE, *house.colors)
        task = f"which colour have the walls of the room in which the {thing} stands?"
        left = 2 * len(path) + 10
        return State(house, path[0], (), room, path, left, task, choices, views=len(path))

    def move(self, state, reply):
        place = state.place + (1 if reply == NEXT else -1)
        place = min(len(state.path) - 1, max(0, place))
        return state._replace(place=place, pose=state.path[place])

    def tell(self, before, moves, after):
        if not after.over and moves[AGENT] is not None and before.place == after.place:
            end = "end" if moves[AGENT] == NEXT else "beginning"
            return [Message(None, "game", f"This is the {end} of the way.")]
        return super().tell(before, moves, after)

    def status(self, view):
        return (f"View {view.place + 1} of {view.views}", *super().status(view))

    def pay(self, state, reply):
        return None if reply in (NEXT, BEFORE) else float(reply == state.last)


def find_seen(house, path):
    """Return the things that are seen from their own room."""
    seen = set()
    for pose in path:
        for name, color, *_ in look(house, pose).things:
            thing = next(one for one in house.things if (one.name, one.color) == (name, color))
            if house.color(thing.cell) == house.color(pose.cell):
                seen.add(thing)
    return sorted(seen)
