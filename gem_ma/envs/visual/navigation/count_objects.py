"""Count objects: walk through all rooms of a house, and count the things of a kind and colour."""

from gem_ma.envs import answer_parsing
from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.navigation.house import (
    FIGURES,
    STEPS,
    THING_COLORS,
    add_things,
    build_rooms,
)
from gem_ma.envs.visual.navigation.walks import WALKS, State, Walk, count_replies, lead
from gem_ma.envs.visual.question import numbers, pick
from gem_ma.game import InvalidMove, parse_choice, parse_number

ANSWER, MOST = "answer", 14
MOVES = (*STEPS, *[f"{ANSWER} {number}" for number in numbers(MOST + 1)])


class CountObjects(Walk):
    levels = interpolate_levels(
        {0: (2, 2, 3), 2: (2, 2, 4), 5: (2, 3, 8), 8: (3, 3, 11), 10: (3, 3, MOST)}
    )  # rooms across, cells of a room across, largest count
    moves = MOVES
    about = (
        "You are in a house in which things stand around. Count those of your task in all rooms, "
        f"and reply with answer and the number, such as: answer 3. {WALKS}"
        "The first answer counts: the right one earns 1, any other nothing, as does none."
    )

    def draw(self, rng, across, size, most):
        """Sample the count, and half as many others, each alike in name or in colour."""
        name, color = pick(rng, tuple(FIGURES)), pick(rng, THING_COLORS)
        many = int(rng.integers(most + 1))
        kinds = [(name, color)] * many
        for _ in range(2 + most // 2):
            other = pick(rng, [one for one in FIGURES if one != name])
            shade = pick(rng, [one for one in THING_COLORS if one != color])
            kinds.append(pick(rng, ((other, color), (name, shade))))
        house = add_things(rng, build_rooms(rng, across, size), kinds)
        path = lead(rng, house)
        count = sum((thing.name, thing.color) == (name, color) for thing in house.things)
        left = count_replies(house, len(path))
        task = f"find out how many {color} {tell_plural(name)} are in the house."
        return State(house, path[0], (), f"{ANSWER} {count}", path, left, task, MOVES)

    def read(self, text, view, agent):
        """Parse a move, or a number with or without the word before it."""
        try:
            return parse_choice(text, view.choices)
        except InvalidMove:
            words = text.split()
            bare = " ".join(words[1:] if words[:1] and words[0].casefold() == ANSWER else words)
            return f"{ANSWER} {parse_number(answer_parsing.normalize_integer(bare))}"

    def pay(self, state, reply):
        return float(reply == state.last) if reply.startswith(ANSWER) else None


def tell_plural(name):
    return f"{name}es" if name == "box" else f"{name}s"
