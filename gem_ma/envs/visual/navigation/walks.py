"""Walks: one agent walks through a house in the first person, until it has done its task."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from gem_ma.envs import difficulty_levels
from gem_ma.envs.family_seeding import seed_by_name
from gem_ma.envs.visual.navigation.house import (
    BACK,
    FORWARD,
    RIGHT,
    STEPS,
    House,
    Pose,
    poses_in,
)
from gem_ma.envs.visual.navigation.maps import draw_map, tell_map
from gem_ma.envs.visual.navigation.sight import Sight, look
from gem_ma.envs.visual.question import AGENT, pick, select_levels
from gem_ma.game import Game, Maybe, Message, parse_choice

NEXT = "next"  # the reply of an agent that is led
SEES = (
    "You see what is before you, as a picture or as words. All rooms consist of square cells, and "
    "walls have a line, and the floor another tile, for each cell. You look along rows or columns. "
)
WALKS = (
    "Reply with one move: forward or back takes you to the next cell, left or right turns you by "
    "90 degrees. A wall or a thing in the next cell stops you, and the move is lost. "
)


class State(NamedTuple):
    house: Maybe[House]  # hidden from the agent, as are the next four
    pose: Maybe[Pose]
    goals: Maybe[tuple[Pose, ...]]  # poses in which `last` does the task; (): all
    last: Maybe[str]  # the reply that does the task
    path: Maybe[tuple[Pose, ...]]  # of who is led, or as a hint; None: the shortest one to `goals`
    left: int  # replies left
    task: str
    choices: tuple[str, ...]
    sight: Maybe[Sight] = None  # in views
    place: int = 0  # in `path`
    views: int = 0  # the length of `path`, if the agent is led
    over: bool = False
    earned: float = 0.0

    def to_act(self):
        return (AGENT,) if self.left and not self.over else ()

    def returns(self):
        return {AGENT: self.earned}

    def seen_by(self, agent):
        if self.house is None:  # it is a view
            return self
        seen = look(self.house, self.pose)
        place = self.place if self.views else 0
        hidden = self._replace(house=None, pose=None, goals=None, last=None, path=None)
        return hidden._replace(sight=seen, place=place)

    def legal(self, agent):
        return self.choices

    def hint(self, agent):
        """Return the next reply of the shortest way, or of `path`."""
        if self.path and self.place + 1 < len(self.path):
            if self.views:
                return NEXT
            return self.house.find_moves(self.pose, [self.path[self.place + 1]])[0]
        moves = self.house.find_moves(self.pose, self.goals) if self.goals else ()
        return moves[0] if moves else self.last


class Walk(Game[State]):
    """A walk that is drawn by `draw`, and ended by a reply or by its last step.

    Attributes:
        levels: the arguments of `draw` at each difficulty from 0 to 10.
        moves: the replies.
        about: the rules, after what the agent sees.
    """

    agents = (AGENT,)
    oracle = True
    levels: tuple[Any, ...]
    about: str
    moves: Sequence[str] = STEPS

    def __init__(self, level: str | int | None = "normal"):
        """Take a level: one of LEVELS, a difficulty from 0 to 10, or None to sample one."""
        self.drawn = select_levels(self.levels, level)

    def draw(self, rng, *level) -> State:
        """Sample a house, a pose and a task."""
        raise NotImplementedError

    def pay(self, state, reply) -> float | None:
        """Return what a reply earns that ends the walk, or None if it goes on."""
        raise NotImplementedError

    def start(self, rng, options):
        seed_by_name(rng, type(self).__name__)
        return self.draw(rng, *difficulty_levels.sample_level(rng, self.drawn))

    def read(self, text, view, agent):
        return parse_choice(text, view.choices)

    def advance(self, state, moves, rng):
        reply = moves[AGENT]
        after = state._replace(left=state.left - 1)
        if reply is None:
            return after
        earned = self.pay(state, reply)
        if earned is not None:
            return after._replace(over=True, earned=earned)
        return self.move(after, reply)

    def move(self, state, reply) -> State:
        """Return the state after a reply that does not end the walk."""
        pose, path, place = state.house.walk(state.pose, reply), state.path, state.place
        if path and place + 1 < len(path) and pose == path[place + 1]:
            place += 1
        return state._replace(pose=pose, place=place)

    def skip(self, view, agent):
        return None

    def tell(self, before, moves, after):
        reply = moves[AGENT]
        if reply is None:
            return [Message(None, "game", "No reply.")]
        if after.over:
            return [Message(None, "game", "Right." if after.earned else "Wrong.")]
        if reply in (FORWARD, BACK) and after.pose == before.pose:
            return [Message(None, "game", f"Something is in the way; {reply} does not move you.")]
        return ()

    def rules(self, agent):
        return f"{SEES}{self.about}"

    def brief(self, view, agent):
        return f"Your task: {view.task}"

    def status(self, view):
        return (f"Replies left: {view.left}",)

    def describe(self, view, agent):
        status = "\n".join(self.status(view))
        if view.sight is None:  # a spectator sees the map
            return f"{tell_map(view.house, ((AGENT, view.pose),))}\n{status}"
        return f"{view.sight.words()}\n{status}"

    def picture(self, view, agent):
        if view.sight is None:
            return draw_map(view.house, (("black", view.pose),), status=self.status(view))
        return view.sight.scene(self.status(view))

    def report(self, state):
        return {"right": bool(state.earned)}


def lead(rng, house):
    """Return the poses of a way through all rooms that looks around in each."""
    free = [cell for cell in house.cells() if house.thing(cell) is None]
    path = [Pose(pick(rng, free), int(rng.integers(4)))]
    rooms = {house.color(cell) for cell in free}
    while True:
        for _ in range(3):
            path.append(house.walk(path[-1], RIGHT))
        rooms.discard(house.color(path[-1].cell))
        if not rooms:
            return tuple(path)
        far = house.measure(path[-1].cell)
        _, cell = min((far[cell], cell) for cell in free if house.color(cell) in rooms)
        for move in house.find_moves(path[-1], poses_in(cell)):
            path.append(house.walk(path[-1], move))


def count_replies(house, moves):
    """Return how many replies a walk may take: enough to look around everywhere."""
    return 2 * len(house.cells()) + 2 * moves + 10
