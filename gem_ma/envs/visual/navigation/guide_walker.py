"""Guide walker: a guide who has the map and a walker who sees the rooms talk, and find a door."""

from __future__ import annotations

from dataclasses import dataclass, replace

from gem_ma.envs.difficulty_levels import interpolate_levels, sample_level
from gem_ma.envs.family_seeding import seed_by_name
from gem_ma.envs.visual.navigation.house import (
    FORWARD,
    STEPS,
    WAY_NAMES,
    House,
    Pose,
    add_door,
    add_things,
    build_rooms,
)
from gem_ma.envs.visual.navigation.maps import draw_map, tell_cell, tell_map
from gem_ma.envs.visual.navigation.sight import Sight, look
from gem_ma.envs.visual.navigation.walks import SEES
from gem_ma.envs.visual.question import pick, select_levels, some
from gem_ma.game import Game, InvalidMove, Maybe, Message, clip_repr

WALKER, GUIDE = AGENTS = ("walker", "guide")
STRIDE = 8  # moves in one reply
LONGEST = 200  # characters in a message
THINGS = tuple([(name, color) for name in ("ball", "key", "star") for color in ("red", "blue")])


@dataclass(frozen=True, slots=True)
class State:
    house: Maybe[House]  # hidden from the walker
    pose: Maybe[Pose]  # hidden from the guide
    goal: Maybe[Pose]  # before the right door; hidden from the walker
    left: int  # replies left, of both
    turn: int = 0
    through: bool = False  # the walker went through a door; `won` says whether it was right
    won: bool = False
    sight: Maybe[Sight] = None  # in the view of the walker

    def to_act(self):
        return (AGENTS[self.turn],) if self.left and not self.through else ()

    def returns(self):
        return dict.fromkeys(AGENTS, float(self.won))

    def seen_by(self, agent):
        if agent == GUIDE:
            return replace(self, pose=None)
        if self.house is None:  # it is a view
            return self
        return replace(self, house=None, goal=None, sight=look(self.house, self.pose))

    def legal(self, agent):
        """Return replies to choose from; a message may also be any other text."""
        if agent == GUIDE:
            return ("What do you see?", *(f"Walk {move}." for move in STEPS))
        return (*STEPS, "Which way?", "forward forward: I walk on.")

    def walk(self, moves):
        """Make moves one by one, until one is not possible or leads through a door."""
        state = self
        doors = self.house.poses_before_doors()
        for move in moves:
            if move == FORWARD and state.pose in doors:
                return replace(state, through=True, won=state.pose == state.goal)
            after = self.house.walk(state.pose, move)
            if after == state.pose:
                break
            state = replace(state, pose=after)
        return state

    def hint(self, agent):
        """Return the next reply of the shortest way."""
        if agent == GUIDE:
            return f"The right door is at {tell_cell(self.goal.cell)}."
        moves = self.house.find_moves(self.pose, [self.goal])
        return " ".join([*moves, FORWARD][:STRIDE])


class GuideWalker(Game[State]):
    agents = AGENTS
    oracle = True
    unlisted_moves = "a message may be any text, and numbers cannot hold the text of another seat"
    levels = interpolate_levels(
        {0: (2, 2, 2, 8), 2: (2, 2, 3, 10), 5: (2, 3, 4, 12), 8: (3, 2, 5, 16), 10: (3, 3, 6, 20)}
    )  # rooms across, cells of a room across, doors, replies of each

    def __init__(self, level: str | int | None = "normal"):
        """Take a level: one of LEVELS, a difficulty from 0 to 10, or None to sample one."""
        self.drawn = select_levels(self.levels, level)

    def start(self, rng, options):
        seed_by_name(rng, type(self).__name__)
        across, size, doors, turns = sample_level(rng, self.drawn)
        house = build_rooms(rng, across, size)
        pose = Pose(pick(rng, house.cells()), int(rng.integers(4)))
        for _ in range(doors):
            house = add_door(rng, house, 1, pose.cell)
        taken = {pose.cell, *[door.cell for door in house.poses_before_doors()]}
        house = add_things(rng, house, some(rng, THINGS, across * across), taken)
        goal = pick(rng, house.poses_before_doors())
        return State(house, pose, goal, 2 * turns)

    def read(self, text, view, agent):
        """Return the moves of a reply, a tuple, and the message after them or alone."""
        before, _, after = text.partition(":")
        words = [word.strip(".;,!") for word in before.casefold().replace(",", " ").split()]
        words = [word for word in words if word]
        is_walk = agent == WALKER and words and all(word in STEPS for word in words)
        moves, message = (tuple(words), after.strip()) if is_walk else ((), text)
        if len(moves) > STRIDE:
            raise InvalidMove(f"at most {STRIDE} moves at a time, not {len(moves)}")
        if not moves and not message.strip():
            raise InvalidMove("the message is empty")
        if len(message) > LONGEST:
            raise InvalidMove(
                f"a message has at most {LONGEST} characters, this has {len(message)}: "
                f"{clip_repr(message)}"
            )
        return moves, message

    def advance(self, state, moves, rng):
        (move,) = moves.values()
        after = state.walk(move[0]) if move else state
        return replace(after, left=state.left - 1, turn=1 - state.turn)

    def skip(self, view, agent):
        return None

    def tell(self, before, moves, after):
        ((seat, move),) = moves.items()
        other = (AGENTS[1 - before.turn],)
        if move is None:
            return [Message(None, "game", f"{seat} lost its turn.")]
        steps, text = move
        messages = [Message(other, "game", "The walker walks.")] if steps else []
        messages += [Message(other, seat, text)] if text else []
        if after.through:
            description = "the right" if after.won else "a wrong"
            messages.append(Message(None, "game", f"The walker is through {description} door."))
        return messages

    def rules(self, agent):
        rules = (
            f"You are the {agent} of two who hear each other by radio. The walker is in a house of "
            "rooms, each with walls of another colour. In its outer wall are green doors that look "
            "alike; one is right. If the walker goes through it you both earn 1; any other door "
            "ends the game with nothing, as do all replies without a door. You reply in turn; the "
            "walker begins. The guide has the map, north up, with things and with a flag before "
            "the right door, and does not know where the walker is. "
        )
        if agent == GUIDE:
            return (
                f"{rules}In the map in words, # is a wall, + a doorway, E a door and each letter a "
                f"cell of a room. Reply with a message of at most {LONGEST} characters."
            )
        return (
            f"{rules}{SEES}Reply with up to {STRIDE} moves, each one of forward, back, left and "
            "right, such as: forward forward left. You make them until a wall or a thing stops "
            "you; forward leads you through a door right before you. Add a message for the guide "
            "after a colon, such as: left: I see a red ball. Or reply with a message alone, of at "
            f"most {LONGEST} characters."
        )

    def status(self, view):
        status = (f"Replies left: {(view.left + 1 - view.turn) // 2}",)
        return status if view.to_act() else (*status, "The walk is over.")

    def describe(self, view, agent):
        told = view.sight.words() if view.house is None else self.tell_map(view)
        return "\n".join([told, *self.status(view)])

    def tell_map(self, view):
        people = ((WALKER, view.pose),) if view.pose else ()
        goal = f", in its {WAY_NAMES[view.goal.facing]} wall"
        return tell_map(view.house, people, view.goal.cell) + goal

    def picture(self, view, agent):
        if view.house is None:
            return view.sight.scene(self.status(view))
        people = (("black", view.pose),) if view.pose else ()
        return draw_map(view.house, people, view.goal.cell, self.status(view))

    def report(self, state):
        return {"right": state.won}
