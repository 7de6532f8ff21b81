"""Kitchen: two cooks share floor, pots and plates, and fill orders of soup, step by step."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from gem_ma.envs.env_functions import make_env_functions
from gem_ma.envs.worlds import layouts
from gem_ma.envs.worlds.layouts import (
    COUNTER,
    FLOOR,
    HATCH,
    ONIONS,
    PLATES,
    POT,
    STEPS,
    TOMATOES,
)
from gem_ma.game import Game, Message, parse_choice
from gem_ma.scene import Shapes

AGENTS = ("first", "second")
USE, WAIT = "use", "wait"
MOVES = (*STEPS, USE, WAIT)
ONION, TOMATO, PLATE = "onion", "tomato", "plate"
SOUPS = ((ONION,) * 3, (ONION, ONION, TOMATO), (ONION, TOMATO, TOMATO), (TOMATO,) * 3)
FULL = 3  # ingredients of a full pot
FOUND = {ONIONS: ONION, TOMATOES: TOMATO, PLATES: PLATE}  # what each unlimited supply gives
COLORS = {ONION: "yellow", TOMATO: "red", PLATE: "white"}
COOKS = ("blue", "purple")
SYMBOLS = FLOOR, COUNTER, ONIONS, TOMATOES, PLATES, POT, HATCH
TURNED = {"up": 0.0, "right": 90.0, "down": 180.0, "left": 270.0}
# A held thing: onion, tomato or plate by name, a soup by its ingredients, or None.
Thing = str | tuple[str, ...] | None


class Cook(NamedTuple):
    at: tuple[int, int]
    faces: str = "up"
    holds: Thing = None

    @property
    def before(self):
        """The cell in front of the cook."""
        down, right = STEPS[self.faces]
        return self.at[0] + down, self.at[1] + right


class Pot(NamedTuple):
    at: tuple[int, int]
    holds: tuple[str, ...] = ()
    left: int = 0  # steps until it is done

    @property
    def done(self):
        return len(self.holds) == FULL and not self.left


@dataclass(frozen=True, slots=True)
class State:
    rows: tuple[str, ...]
    cooks: tuple[Cook, ...]
    pots: tuple[Pot, ...]
    orders: tuple[tuple[str, ...], ...]
    left: int  # steps left
    cooking: int  # steps that a full pot takes
    lying: tuple[tuple[tuple[int, int], Thing], ...] = ()  # things on counters, by cell
    served: int = 0
    wasted: int = 0

    def to_act(self):
        return AGENTS if self.left else ()

    def returns(self):
        return dict.fromkeys(AGENTS, float(self.served))

    def seen_by(self, agent):
        return self

    def legal(self, agent):
        return MOVES

    def step(self, moves):
        """Let pots cook, then let each cook turn or use its hands, then let both walk."""
        pots = tuple([pot._replace(left=max(0, pot.left - 1)) for pot in self.pots])
        state = replace(self, pots=pots, left=self.left - 1)
        for seat, agent in enumerate(AGENTS):
            move = moves.get(agent)
            if move in STEPS:
                state = state.with_cook(seat, faces=move)
            elif move == USE:
                state = state.use(seat)
        return state.walk([moves.get(agent) in STEPS for agent in AGENTS])

    def with_cook(self, seat, **changes):
        cooks = list(self.cooks)
        cooks[seat] = cooks[seat]._replace(**changes)
        return replace(self, cooks=tuple(cooks))

    def walk(self, walking):
        """Let cooks walk onto free floor; both stay if they would meet or swap places."""
        positions = [cook.at for cook in self.cooks]
        goals = [
            cook.before if walks and self.symbol(cook.before) == FLOOR else cook.at
            for cook, walks in zip(self.cooks, walking, strict=True)
        ]
        if goals[0] == goals[1] or goals == positions[::-1]:
            return self
        cooks = [cook._replace(at=at) for cook, at in zip(self.cooks, goals, strict=True)]
        return replace(self, cooks=tuple(cooks))

    def symbol(self, cell):
        return self.rows[cell[0]][cell[1]]

    def use(self, seat):
        """Take the thing in front of a cook, or put down what it holds."""
        cell, item = self.cooks[seat].before, self.cooks[seat].holds
        symbol = self.symbol(cell)
        if symbol in FOUND:
            return self if item else self.with_cook(seat, holds=FOUND[symbol])
        if symbol == POT:
            return self.use_pot(seat, cell, item)
        if symbol == HATCH:
            return self.serve(seat, item) if isinstance(item, tuple) else self
        items = dict(self.lying)
        if symbol == FLOOR or (item is None) == (cell not in items):
            return self  # nothing to take, or no room
        if item is None:
            state = self.with_cook(seat, holds=items.pop(cell))
        else:
            items[cell] = item
            state = self.with_cook(seat, holds=None)
        return replace(state, lying=tuple(sorted(items.items(), key=lambda one: one[0])))

    def use_pot(self, seat, cell, held):
        pot = next(pot for pot in self.pots if pot.at == cell)
        if held in (ONION, TOMATO) and len(pot.holds) < FULL:
            holds = tuple(sorted((*pot.holds, held)))
            after = Pot(cell, holds, self.cooking if len(holds) == FULL else 0)
            state = self.with_cook(seat, holds=None)
        elif held == PLATE and pot.done:
            after, state = Pot(cell), self.with_cook(seat, holds=pot.holds)
        else:
            return self
        pots = [after if one.at == cell else one for one in self.pots]
        return replace(state, pots=tuple(pots))

    def serve(self, seat, soup):
        """Serve a soup: fill the first order of its kind, or waste the soup."""
        state = self.with_cook(seat, holds=None)
        if soup not in self.orders:
            return replace(state, wasted=self.wasted + 1)
        place = self.orders.index(soup)
        orders = self.orders[:place] + self.orders[place + 1 :]
        return replace(state, orders=orders, served=self.served + 1)

    def ordered(self, rng, many):
        """Return the state with new orders added at the end, up to `many` in all."""
        orders = list(self.orders)
        while len(orders) < many:
            orders.append(SOUPS[int(rng.integers(len(SOUPS)))])
        return replace(self, orders=tuple(orders))


class Kitchen(Game[State]):
    agents = AGENTS
    moves = MOVES
    simultaneous = True
    realtime = True

    def __init__(
        self, layout: str = "galley", max_turns: int = 120, cooking: int = 10, orders: int = 2
    ):
        if layout not in layouts.NAMES:
            raise ValueError(f"layout={layout!r}: expected one of {', '.join(layouts.NAMES)}")
        if max_turns < 1 or not 1 <= cooking <= 99 or not 1 <= orders <= 4:
            raise ValueError(
                f"max_turns={max_turns}, cooking={cooking}, orders={orders}: expected max_turns at "
                "least 1, cooking 1 to 99, orders 1 to 4"
            )
        self.layout, self.max_turns = layout, max_turns
        self.cooking, self.orders = cooking, orders

    def start(self, rng, options):
        rows, starts = layouts.floor(self.layout, rng)
        cooks = Cook(starts[0]), Cook(starts[1])
        pots = tuple([Pot(cell) for cell in layouts.find(rows, POT)])
        state = State(rows, cooks, pots, (), self.max_turns, self.cooking)
        return state.ordered(rng, self.orders)

    def read(self, text, view, agent):
        return parse_choice(text, MOVES)

    def advance(self, state, moves, rng):
        return state.step(moves).ordered(rng, self.orders)

    def skip(self, view, agent):
        return WAIT

    def tell(self, before, moves, after):
        if after.served > before.served:
            return [Message(None, "game", "A soup that was ordered is served.")]
        if after.wasted > before.wasted:
            return [Message(None, "game", "A soup that nobody ordered is wasted.")]
        return ()

    def rules(self, agent):
        return (
            f"You are the {agent} of two cooks in a kitchen, who earn 1 each for every soup that "
            f"is served as ordered, within {self.max_turns} steps. On the map . is floor, # a "
            "counter, O the onions, T the tomatoes, D the plates, P a pot, S the hatch where soups "
            "are served, and 1 and 2 are the first and the second cook. Both act at the same time. "
            "up, down, left and right turn a cook that way and move it a cell if there is floor; "
            "two who would get to the same cell or change places stay where they are. use is for "
            "the cell that a cook faces. With empty hands: take an onion, a tomato or a plate, or "
            "what lies on a counter. With something in hand: put it on a free counter, or an onion "
            f"or tomato into a pot. A pot with {FULL} of them cooks by itself for {self.cooking} "
            "steps; then use it with a plate in hand to get its soup, and use the hatch to serve "
            "it. A soup that nobody ordered is wasted. For an order that is filled another "
            "one comes. If both use the same thing, the first cook comes first. In the picture "
            "onions are pointed, and tomatoes are round. Reply with "
            "up, down, left, right, use or wait."
        )

    def describe(self, view, agent):
        rows = [list(row) for row in view.rows]
        for digit, cook in zip("12", view.cooks, strict=True):
            rows[cook.at[0]][cook.at[1]] = digit
        letters = "   " + " ".join(_letter(column) for column in range(len(rows[0])))
        lines = [letters, *(f"{n:2} {' '.join(row)}" for n, row in enumerate(rows, 1))]
        for seat, cook in zip(AGENTS, view.cooks, strict=True):
            lines.append(
                f"{seat}: at {_name(cook.at)}, faces {cook.faces}, holds {_said(cook.holds)}"
            )
        for pot in view.pots:
            state = "done" if pot.done else f"done in {pot.left} steps" if pot.left else "not full"
            things = f"{', '.join(pot.holds)}; {state}" if pot.holds else "empty"
            lines.append(f"Pot {_name(pot.at)}: {things}")
        for cell, thing in view.lying:
            lines.append(f"On counter {_name(cell)}: {_said(thing)}")
        return "\n".join([*lines, *self.status(view)])

    def status(self, view):
        orders = "; ".join(_recipe(soup) for soup in view.orders)
        counts = f"Served {view.served}, wasted {view.wasted}, steps left {view.left}"
        return f"Orders: {orders}", counts

    def picture(self, view, agent):
        """Draw the floor and furniture, things and pots, and the cooks with what they hold."""
        high, wide = len(view.rows), len(view.rows[0])
        side = 1 / (max(high, wide) + 0.7)
        sheet = _Sheet(side, (1 - (wide + 0.7) * side) / 2, (1 - (high + 0.7) * side) / 2)
        for r, row in enumerate(view.rows):
            for c, symbol in enumerate(row):
                sheet.place((r, c), symbol)
        for pot in view.pots:
            sheet.pot(pot)
        for cell, thing in view.lying:
            x, y = sheet.middle(cell)
            sheet.thing(thing, x, y, 0.56)
        for seat, cook in enumerate(view.cooks):
            sheet.cook(seat, cook)
        sheet.edges(high, wide)
        return Shapes(
            tuple(sheet.items), "", tuple(sheet.lines), tuple(sheet.labels), self.status(view)
        )

    def encode(self, view, agent):
        """Return planes of the map, as large as the kitchen, or as the largest random one.

        They are: floor, counters, onions, tomatoes, plates, pots and hatch; the own cook, by the
        way it faces, and the other cook; the onions and tomatoes at each place, in shares of a
        soup; plates; the steps until a pot is done; pots that are done; for each kind of soup, its
        share of the orders; and the steps left.
        """
        high, wide = layouts.largest(self.layout)
        symbols, ways = len(SYMBOLS), list(STEPS)
        planes = np.zeros((symbols + 2 * len(ways) + 5 + len(SOUPS) + 1, high, wide), np.float32)
        for r, row in enumerate(view.rows):
            for c, symbol in enumerate(row):
                planes[SYMBOLS.index(symbol), r, c] = 1
        things = symbols + 2 * len(ways)
        for seat, cook in enumerate(view.cooks):
            side = len(ways) * (AGENTS[seat] != agent)
            planes[(symbols + side + ways.index(cook.faces), *cook.at)] = 1
        lying = [*view.lying, *((cook.at, cook.holds) for cook in view.cooks)]
        for (r, c), thing in (*lying, *((pot.at, pot.holds) for pot in view.pots)):
            parts = thing if isinstance(thing, tuple) else (thing,)
            planes[things, r, c] = parts.count(ONION) / FULL
            planes[things + 1, r, c] = parts.count(TOMATO) / FULL
            on_plate = isinstance(thing, tuple) and view.symbol((r, c)) != POT
            planes[things + 2, r, c] = thing == PLATE or on_plate
        for pot in view.pots:
            planes[(things + 3, *pot.at)] = pot.left / view.cooking
            planes[(things + 4, *pot.at)] = pot.done
        for kind, soup in enumerate(SOUPS):
            planes[things + 5 + kind] = view.orders.count(soup) / self.orders
        planes[-1] = view.left / self.max_turns
        return planes


class _Sheet:
    """Collector of the shapes of a kitchen picture; sizes are shares of a cell."""

    def __init__(self, side, left, top):
        self.side, self.left, self.top = side, left, top
        self.items, self.lines, self.labels = [], [], []

    def middle(self, cell):
        return self.left + (cell[1] + 1.2) * self.side, self.top + (cell[0] + 1.2) * self.side

    def put(self, figure, color, x, y, size, degrees=0.0):
        self.items.append((figure, color, x, y, size * self.side, degrees))

    def place(self, cell, symbol):
        x, y = self.middle(cell)
        if symbol == FLOOR:
            self.put("square", "gray", x, y, 0.14)
            return
        self.put("square", "gray" if symbol == HATCH else "brown", x, y, 1.16)
        if symbol in FOUND:
            for across, down in ((-0.2, 0.16), (0.2, 0.16), (0.0, -0.16)):
                self.thing(FOUND[symbol], x + across * self.side, y + down * self.side, 0.4)
        if symbol == HATCH:
            self.put("arrow", "green", x, y, 0.7)

    def thing(self, thing, x, y, size):
        if isinstance(thing, tuple):
            self.put("disc", "white", x, y, 1.3 * size)
            self.few(thing, x, y, size)
        elif thing == PLATE:
            self.put("disc", "white", x, y, size)
            self.put("ring", "gray", x, y, 0.7 * size)
        elif thing:
            self.put("spade" if thing == ONION else "disc", COLORS[thing], x, y, size)

    def few(self, things, x, y, size):
        """Draw the ingredients in a pot or on a plate."""
        around = ((-0.28, 0.14), (0.28, 0.14), (0.0, -0.28))
        for thing, (across, down) in zip(things, around, strict=False):
            reach = size * self.side
            self.thing(thing, x + across * reach, y + down * reach, 0.44 * size)

    def pot(self, pot):
        x, y = self.middle(pot.at)
        self.put("disc", "black", x, y, 0.88)
        self.few(pot.holds, x, y, 0.8)
        if len(pot.holds) == FULL:
            text = str(pot.left) if pot.left else "!"
            self.labels.append(
                (text, "", x + 0.3 * self.side, y + 0.3 * self.side, 0.4 * self.side)
            )

    def cook(self, seat, cook):
        x, y = self.middle(cook.at)
        down, right = STEPS[cook.faces]
        ahead, below = x + 0.34 * right * self.side, y + 0.34 * down * self.side
        self.put("disc", COOKS[seat], x, y, 0.8)
        self.put("triangle", COOKS[seat], ahead, below, 0.42, TURNED[cook.faces])
        self.labels.append(
            (str(seat + 1), "white", x - 0.16 * right * self.side, y - 0.16 * down * self.side,
             0.42 * self.side)
        )  # fmt: skip
        self.thing(cook.holds, ahead, below, 0.4)

    def edges(self, high, wide):
        for column in range(wide):
            x, _ = self.middle((0, column))
            self.labels.append(
                (_letter(column), "", x, self.top + 0.35 * self.side, 0.5 * self.side)
            )
        for row in range(high):
            _, y = self.middle((row, 0))
            self.labels.append((str(row + 1), "", self.left + 0.35 * self.side, y, 0.5 * self.side))


def _said(thing):
    if isinstance(thing, tuple):
        return f"a soup of {_recipe(thing)}"
    return {None: "nothing", ONION: "an onion"}.get(thing) or f"a {thing}"


def _recipe(soup):
    counts = Counter(soup)
    names = {ONION: ("onion", "onions"), TOMATO: ("tomato", "tomatoes")}
    return " + ".join(f"{n} {names[thing][n > 1]}" for thing, n in sorted(counts.items()))


def _letter(column):
    return chr(65 + column)


def _name(cell):
    return f"{_letter(cell[1])}{cell[0] + 1}"


env, parallel_env, raw_env = make_env_functions(__name__)
