"""Gymnasium's environments as games of one seat."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, TypeAlias

import gymnasium

from gem_ma.envs.bridges.describing import ForeignEnv, Live, Teller, Told, teller_for
from gem_ma.envs.bridges.live import Output
from gem_ma.envs.bridges.pack import list_gymnasium_names
from gem_ma.envs.registry import MissingRequirement, Spec
from gem_ma.game import Maybe
from gem_ma.validation.json_types import JSONMapping

GymEnv: TypeAlias = gymnasium.Env[Any, Any]
AGENT = "player"
_ENTRY = "gem_ma.envs.bridges.gymnasium:Gymnasium"
_PAGES = "gem_ma.envs.bridges.miniwob:MiniWob"
_PLUGINS = {"MiniGrid-": "minigrid", "BabyAI-": "minigrid", "miniwob/": "miniwob"}  # by prefix
# Prefixes of ids that have no limit of turns, with a limit that is enough for an episode.
_ENDLESS = {"CliffWalking": 300, "miniwob/": 30}


class FrozenLake(Teller):
    names = ("left", "down", "right", "up")
    shared = True

    def about(self, env):
        slips = len(env.unwrapped.P[0][0]) > 1
        return (
            "Walk over the ice to the goal without falling into a hole. A move takes you to the "
            "next cell, and one off the edge leaves you where you are. "
            + (
                "The ice is slippery: a move often goes a quarter turn to the left or to the right "
                "of where you want. "
                if slips
                else ""
            )
            + "On the map, @ is you, . is ice, O is a hole and G is the goal; once you are there, "
            "X is you in a hole and * is you at the goal."
        )

    def words(self, env, agent, observation):
        lake = [[cell.decode() for cell in row] for row in env.unwrapped.desc.tolist()]
        row, column = divmod(int(env.unwrapped.s), len(lake[0]))
        lake[row][column] = {"H": "X", "G": "*"}.get(lake[row][column], "@")
        signs = {"S": ".", "F": ".", "H": "O"}
        return "\n".join(" ".join(signs.get(cell, cell) for cell in line) for line in lake)


class CliffWalking(Teller):
    names = ("up", "right", "down", "left")
    shared = True

    def about(self, env):
        slippery = " The ground is slippery: you may move aside." * env.unwrapped.is_slippery
        return (
            "Walk to the goal. Each move costs 1; stepping into the cliff costs 100 and puts you "
            f"back to the start.{slippery} On the map, @ is you, . is ground, C is the cliff and "
            "G is the goal."
        )

    def words(self, env, agent, observation):
        rows, columns = env.unwrapped.shape
        cells = ["C" if cliff else "." for cliff in env.unwrapped._cliff.ravel().tolist()]
        cells[-1] = "G"
        cells[int(env.unwrapped.s)] = "@"
        return "\n".join(" ".join(cells[row * columns :][:columns]) for row in range(rows))


class Taxi(Teller):
    names = ("south", "north", "east", "west", "pickup", "dropoff")
    shared = True
    places = ("R", "G", "Y", "B")

    def about(self, env):
        return (
            "Drive the taxi to the passenger, pick it up, drive to the destination and drop it off "
            "there. Each move costs 1, a pickup or dropoff in a wrong place costs 10, and the "
            "delivery pays 20. On the map, T is the taxi, R, G, Y and B are places, | is a wall "
            "and : is none."
        )

    def legal(self, env, agent, mask):
        return self.moves[agent]  # the mask also excludes legal moves without effect

    def words(self, env, agent, observation):
        row, column, passenger, destination = map(int, env.unwrapped.decode(env.unwrapped.s))
        lines = [[cell.decode() for cell in line] for line in env.unwrapped.desc.tolist()]
        lines[1 + row][1 + 2 * column] = "T"
        where = f"at {self.places[passenger]}" if passenger < 4 else "in the taxi"
        at = [
            name
            for name, place in zip(self.places, env.unwrapped.locs, strict=True)
            if tuple(place) == (row, column)
        ]
        return "\n".join(
            [
                *("".join(line) for line in lines),
                f"The taxi is in row {row + 1}, column {column + 1}"
                + (f", at {at[0]}." if at else "."),
                f"The passenger is {where} and wants to go to {self.places[destination]}.",
            ]
        )


class Blackjack(Teller):
    names = ("stick", "hit")
    shared = True

    def about(self, env):
        return (
            "You are playing Blackjack against a dealer who draws to 17. Court cards count 10, an "
            "ace counts 11 where that fits and else 1. More than 21 loses; otherwise the higher "
            "sum wins. Cards are drawn with replacement."
        )

    def words(self, env, agent, observation):
        total, dealer, ace = map(int, observation)
        dealer_card = "an ace" if dealer == 1 else dealer
        return f"Your sum is {total}{', with a usable ace' * ace}. The dealer shows {dealer_card}."


class Quantities(Teller):
    """A Teller for observations whose numbers have names."""

    shared = True
    task_text = ""
    quantities: tuple[str, ...] = ()

    def about(self, env):
        return self.task_text

    def words(self, env, agent, observation):
        return "\n".join(
            f"{name}: {float(value):.4g}"
            for name, value in zip(self.quantities, observation, strict=True)
        )


class CartPole(Quantities):
    names = ("left", "right")
    task_text = (
        "A pole stands on a cart that moves along a track. Push the cart to the left or to the "
        "right at every step, so that the pole does not fall by more than 0.2095 rad (12 degrees) "
        "and the cart stays between -2.4 and 2.4. Every step that you last pays 1."
    )
    quantities = (
        "cart position",
        "cart velocity",
        "pole angle (rad, 0 is upright, positive to the right)",
        "pole angular velocity (rad/s)",
    )


class MountainCar(Quantities):
    names = ("left", "nothing", "right")
    least = ("nothing",)
    task_text = (
        "A car stands in a valley between two hills, too weak to drive straight up. Accelerate to "
        "the left or to the right, or do nothing, and reach the flag on the right-hand hill, at "
        "position 0.5 (0.45 where acceleration is a number). The valley is at -0.5."
    )
    quantities = ("position", "velocity")


class Acrobot(Quantities):
    names = ("left", "nothing", "right")
    least = ("nothing",)
    task_text = (
        "Two links hang from a fixed joint, like an arm. Turn the joint between them to the left "
        "or to the right (torque -1 or 1), or do nothing, and swing the free end above the line "
        "one link's length over the fixed joint. Every step before that costs 1."
    )
    quantities = (
        "cosine of the first angle (1: hanging down)",
        "sine of the first angle",
        "cosine of the second angle (relative to the first link)",
        "sine of the second angle",
        "angular velocity of the first link (rad/s)",
        "angular velocity of the second link (rad/s)",
    )


class Pendulum(Quantities):
    task_text = (
        "A pendulum hangs from a joint. Turn the joint with a torque so that it swings up and "
        "stays upright: every step costs more the farther it is from upright, the faster it moves "
        "and the stronger the torque."
    )
    quantities = ("cosine of the angle (1: upright)", "sine of the angle", "angular velocity")


class MiniGrid(Teller):
    names = ("left", "right", "forward", "pickup", "drop", "toggle", "done")
    arguments = MappingProxyType({"agent_pov": True})  # the picture shows the same as the text
    shared = True
    least = ("done",)
    things = ("unseen", "empty", "wall", "floor", "door", "key", "ball", "box", "goal", "lava")
    signs = "?.#.DKBXG~@"
    colors = ("red", "green", "blue", "purple", "yellow", "grey")
    states = ("open", "closed", "locked")

    def about(self, env):
        return (
            "You move over a grid of cells and see what lies before you; walls and closed doors "
            "hide what is behind them. left and right turn you, forward takes you one cell ahead, "
            "pickup takes the thing in the cell ahead (you can carry one), drop puts it there, "
            "toggle opens or closes a door or opens a box there (a locked door needs the key of "
            "its color, carried), done says that you are through. Lava kills. The sooner the "
            "mission is accomplished, the more it pays. In the view @ is you and what is ahead is "
            "above you; # is a wall, . is free, ? is not seen, D is a door, K a key, B a ball, X a "
            "box, G the goal and ~ lava."
        )

    def task(self, env):
        return f"Mission: {env.unwrapped.mission}. You have {env.unwrapped.max_steps} moves."

    def words(self, env, agent, observation):
        if not isinstance(observation, Mapping) or "image" not in observation:
            return super().words(env, agent, observation)  # a wrapper has changed it
        columns = observation["image"].tolist()  # from the left; in each, the farthest cell first
        if len(columns) < 3 or len(columns[0]) != len(columns):
            return super().words(env, agent, observation)
        middle, last = len(columns) // 2, len(columns) - 1
        rows = [[self.signs[column[row][0]] for column in columns] for row in range(last + 1)]
        rows[last][middle] = "@"
        carried_cell = columns[middle][last]
        visible_cells = sorted(
            (last - row + abs(column - middle), last - row, column - middle, cell)
            for column, cells in enumerate(columns)
            for row, cell in enumerate(cells)
            if cell[0] > 3 and (row, column) != (last, middle)
        )
        carried_thing = self._thing(carried_cell) if carried_cell[0] > 3 else "nothing"
        direction = ("east", "south", "west", "north")[int(observation["direction"])]
        descriptions = [
            f"{self._where(ahead, side)}: {self._thing(cell)}"
            for _, ahead, side, cell in visible_cells
        ]
        return "\n".join(
            [
                f"Mission: {env.unwrapped.mission}",
                f"You face {direction} and carry {carried_thing}.",
                *(" ".join(row) for row in rows),
                f"In view: {'; '.join(descriptions) or 'no thing'}.",
            ]
        )

    def _thing(self, cell):
        thing, color, state = cell
        name = self.things[thing]
        if name == "lava":
            return name
        parts = [self.colors[color], name]
        if name == "door":
            parts.insert(0, self.states[state])
        return f"{'an' if parts[0] == 'open' else 'a'} {' '.join(parts)}"

    def _where(self, ahead, side):
        parts = [f"{ahead} ahead"] if ahead else []
        if side:
            parts.append(f"{abs(side)} {'left' if side < 0 else 'right'}")
        return ", ".join(parts)


_TELLERS: dict[str, type[Teller]] = {
    "gymnasium.envs.toy_text.frozen_lake:FrozenLakeEnv": FrozenLake,
    "gymnasium.envs.toy_text.cliffwalking:CliffWalkingEnv": CliffWalking,
    "gymnasium.envs.toy_text.taxi:TaxiEnv": Taxi,
    "gymnasium.envs.toy_text.blackjack:BlackjackEnv": Blackjack,
    "gymnasium.envs.classic_control.cartpole:CartPoleEnv": CartPole,
    "gymnasium.envs.classic_control.mountain_car:MountainCarEnv": MountainCar,
    "gymnasium.envs.classic_control.continuous_mountain_car:Continuous_MountainCarEnv": MountainCar,
    "gymnasium.envs.classic_control.acrobot:AcrobotEnv": Acrobot,
    "gymnasium.envs.classic_control.pendulum:PendulumEnv": Pendulum,
    "minigrid.minigrid_env:MiniGridEnv": MiniGrid,
}


class Gymnasium(Told):
    """A Gymnasium environment as a game with text observations.

    `reset(options={"seed": n})` passes n and all other options to the environment's own reset.

    Args:
        id: an id for `gymnasium.make`; "module:Id-v0" for an id that the module registers when it
            is imported; or "module:callable" for a function that returns an environment.
        env_kwargs: arguments of the environment; None: none.
    """

    told_by: Maybe[type[Teller]] = None  # None: the Teller of the environment's class

    def __init__(self, id: str, env_kwargs: JSONMapping | None = None):
        super().__init__()
        self.id = id
        self.env_kwargs = dict(env_kwargs or {})
        env = self.make()
        teller_class = self.told_by or teller_for(env, _TELLERS)
        teller = teller_class(env, {AGENT: env.observation_space}, {AGENT: env.action_space})
        limit = env.spec and env.spec.max_episode_steps
        self.settle(
            env,
            teller,
            f"You are in the environment {id.rpartition(':')[2]}.",
            f"You have {limit} moves." if limit else "",
        )
        self.put_away(env)
        teller.shared = True  # there are no other seats with secrets

    def put_away(self, env: ForeignEnv) -> None:
        """Close or keep the environment that was made to read its spaces and rules."""
        env.close()

    def make(self, **kwargs: Any) -> GymEnv:
        module, _, name = self.id.rpartition(":")
        if module:
            imported_module = importlib.import_module(module)
            if name not in gymnasium.registry:
                return getattr(imported_module, name)(**kwargs, **self.env_kwargs)
        _load_plugin(name)
        return gymnasium.make(name, disable_env_checker=True, **{**kwargs, **self.env_kwargs})

    def open(self, seed, options):
        live = Live(self.fresh(), self.agents, self.spare)
        options = dict(options)
        seed = options.pop("seed", seed)
        observation, info = live.env.reset(seed=seed, options=options or None)
        live.last = observation, 0.0, False, False, info
        return live, self._output(live)

    def play(self, live, moves, chance):
        action = self.teller.action(live.env, AGENT, moves[AGENT])
        live.last = live.env.step(action)
        live.returns[AGENT] += float(live.last[1])
        return self._output(live)

    def _output(self, live):
        observation, _, terminated, truncated, info = live.last
        is_over = bool(terminated or truncated)
        legal = None
        if self.listed:
            mask = info.get("action_mask")
            if mask is None and isinstance(observation, Mapping):
                mask = observation.get("action_mask")
            legal = () if is_over else self.teller.legal(live.env, AGENT, mask)
        return Output(
            to_act=() if is_over else self.agents,
            returns=live.returns.copy(),
            seen={AGENT: self.seen(live.env, AGENT, observation, legal or ())},
            legal=None if legal is None else {AGENT: legal},
            report={"truncated": bool(truncated)} if is_over else {},
        )


def _load_plugin(name: str) -> None:
    """Import the package that registers an id, if the id has a known prefix."""
    for prefix, module in _PLUGINS.items():
        if name.startswith(prefix):
            if importlib.util.find_spec(module) is None:
                raise MissingRequirement(f"{name} needs {module}: pip install 'gem-ma[{module}]'")
            importlib.import_module(module)


def specs():
    """Return the listed Specs: toy text, classic control, MiniGrid and BabyAI."""
    return [
        _spec(name, needs=("minigrid",) if name.startswith(("MiniGrid-", "BabyAI-")) else ())
        for name in list_gymnasium_names()
    ]


def find(id):
    """Return the Spec of any other id that Gymnasium can make, or None."""
    name = id.partition(":")[2]
    if ":" in name:
        module = name.rpartition(":")[0]
        return _spec(name) if _exists(module) else None
    if name.startswith("miniwob/") and not _exists("miniwob"):
        return _spec(name, needs=("miniwob",))
    try:
        _load_plugin(name)
        gymnasium.spec(name)
    except gymnasium.error.DeprecatedEnv as error:
        return _spec(name, needs=(f"broken: {error}",))
    except (gymnasium.error.Error, MissingRequirement):
        return None
    return _spec(name)


def _spec(name, needs=()):
    kwargs = {"id": name}
    turns = next((n for start, n in _ENDLESS.items() if name.startswith(start)), None)
    if turns:
        kwargs["max_turns"] = turns
    entry = _PAGES if name.startswith("miniwob/") else _ENTRY
    return Spec(f"gym:{name}", entry, kwargs, tuple(needs))


def _exists(module):
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # a parent package is missing
        return False
