"""Follow partner: a leader walks to a goal that it alone knows, and a follower stays near it."""

from __future__ import annotations

from typing import NamedTuple

from gem_ma.envs.difficulty_levels import interpolate_levels, sample_level
from gem_ma.envs.family_seeding import seed_by_name
from gem_ma.envs.visual.navigation.house import (
    BACK,
    FORWARD,
    STEPS,
    House,
    Pose,
    build_rooms,
    poses_in,
)
from gem_ma.envs.visual.navigation.maps import draw_map, tell_map
from gem_ma.envs.visual.navigation.sight import PERSON, Sight, look
from gem_ma.envs.visual.navigation.walks import SEES
from gem_ma.envs.visual.question import pick, select_levels
from gem_ma.game import Game, Maybe, Message, parse_choice

LEADER, FOLLOWER = AGENTS = ("leader", "follower")
WAIT = "wait"
MOVES = (*STEPS, WAIT)
NEAR = 2  # cells between the two at the end
COLORS = ("black", "white")  # of the two on the map
PERSON_COLOR = "red"


class State(NamedTuple):
    house: Maybe[House]  # hidden from the follower, as are the next two
    poses: Maybe[tuple[Pose, Pose]]
    goal: Maybe[tuple[int, int]]
    left: int  # moves left
    sight: Maybe[Sight] = None  # in the view of the follower
    together: bool = False  # in that view: both are in one cell
    over: bool = False
    earned: tuple[float, float] = (0.0, 0.0)

    def to_act(self):
        return () if self.over else AGENTS

    def returns(self):
        return dict(zip(AGENTS, self.earned, strict=True))

    def seen_by(self, agent):
        if agent == LEADER or self.house is None:  # nothing is hidden, or it is a view
            return self
        leader, follower = self.poses
        sight = look(self.house, follower, ((PERSON, PERSON_COLOR, leader.cell),))
        together = leader.cell == follower.cell
        return self._replace(house=None, poses=None, goal=None, sight=sight, together=together)

    def legal(self, agent):
        return MOVES

    def hint(self, agent):
        """Return the next move of the shortest way to the goal, or to the leader."""
        leader, follower = self.poses
        if agent == LEADER:
            return self.house.find_moves(leader, poses_in(self.goal))[0]
        moves = self.house.find_moves(follower, poses_in(leader.cell))
        return moves[0] if moves else WAIT


class FollowPartner(Game[State]):
    agents = AGENTS
    moves = MOVES
    oracle = True
    simultaneous = True
    levels = interpolate_levels(
        {0: (2, 2, 4), 2: (2, 2, 5), 5: (2, 3, 8), 8: (3, 3, 12), 10: (3, 3, 18)}
    )  # rooms across, cells of a room across, least steps to the goal

    def __init__(self, level: str | int | None = "normal"):
        """Take a level: one of LEVELS, a difficulty from 0 to 10, or None to sample one."""
        self.drawn = select_levels(self.levels, level)

    def start(self, rng, options):
        """Sample a house, a goal, and a leader who stands right before the follower."""
        seed_by_name(rng, type(self).__name__)
        across, size, least = sample_level(rng, self.drawn)
        house = build_rooms(rng, across, size)
        cells = house.cells()
        leader = pick(rng, cells)
        behind = [way for way in range(4) if house.is_open(leader, (way + 2) % 4)]
        way = pick(rng, behind)
        follower = house.walk(Pose(leader, way), BACK)
        far = house.measure(leader)
        most = max(far[cell] for cell in cells)
        goal = pick(rng, [cell for cell in cells if far[cell] >= min(least, most)])
        moves = house.find_moves(Pose(leader, way), poses_in(goal))
        return State(house, (Pose(leader, way), follower), goal, 2 * len(moves) + 6)

    def read(self, text, view, agent):
        return parse_choice(text, MOVES)

    def advance(self, state, moves, rng):
        poses = tuple(
            [
                state.house.walk(pose, moves.get(seat))
                for seat, pose in zip(AGENTS, state.poses, strict=True)
            ]
        )
        leader, follower = poses
        after = state._replace(poses=poses, left=state.left - 1)
        has_arrived = leader.cell == state.goal
        if not has_arrived and after.left:
            return after
        is_near = state.house.measure(leader.cell)[follower.cell] <= NEAR
        return after._replace(over=True, earned=(float(has_arrived), float(is_near)))

    def skip(self, view, agent):
        return WAIT

    def tell(self, before, moves, after):
        messages = [
            Message((seat,), "game", f"A wall is in the way; {moves[seat]} does not move you.")
            for seat, old, new in zip(AGENTS, before.poses, after.poses, strict=True)
            if moves.get(seat) in (FORWARD, BACK) and old == new
        ]
        if after.over:
            arrived, near = (["not ", ""][bool(one)] for one in after.earned)
            text = f"The leader is {arrived}at the goal. The follower is {near}near the leader."
            messages.append(Message(None, "game", text))
        return messages

    def rules(self, agent):
        rules = (
            f"You are the {agent} of two in a house of rooms. Both move at the same time: forward "
            "or back goes to the next cell, left or right turns by 90 degrees, wait does nothing. "
            "The leader has the map, and earns 1 if it gets to the cell with the flag. The walk "
            "ends there, or when all moves are used up. The follower earns 1 if it is then at most "
            f"{NEAR} steps away from the leader. "
        )
        if agent == LEADER:
            return (
                f"{rules}On the map, north is up; in words, # is a wall, + a doorway and each "
                "letter a cell of a room. In the picture you are the black arrow, and the follower "
                "is the white one. Reply with one move."
            )
        return (
            f"{rules}{SEES}The leader is the red person; at first it stands right before you. "
            "Reply with one move."
        )

    def status(self, view):
        status = (f"Moves left: {view.left}",)
        return (*status, "The leader is in your cell.") if view.together else status

    def describe(self, view, agent):
        if view.house is None:
            told = view.sight.words()
        else:
            told = tell_map(view.house, zip(AGENTS, view.poses, strict=True), view.goal)
        return "\n".join([told, *self.status(view)])

    def picture(self, view, agent):
        if view.house is None:
            return view.sight.scene(self.status(view))
        people = tuple(zip(COLORS, view.poses, strict=True))
        return draw_map(view.house, people, view.goal, self.status(view))

    def report(self, state):
        return {"arrived": bool(state.earned[0]), "near": bool(state.earned[1])}
