"""Two cooks by rule, who plan together from what they see of a kitchen."""

from collections import Counter
from itertools import product

from gem_ma.envs.worlds.kitchen import AGENTS, ONION, PLATE, TOMATO
from gem_ma.envs.worlds.layouts import FLOOR, STEPS, beside, find, reached

SOURCES = {ONION: "O", TOMATO: "T", PLATE: "D"}


class Pair:
    """What both cooks do next: one pot at a time, and hands over counters where walls are."""

    def __init__(self, state):
        self.state, self.rows = state, state.rows
        self.lies = dict(state.lying)
        self.reach = [set(reached(state.rows, cook.at)) for cook in state.cooks]
        self.pot = max(
            (pot for pot in state.pots if self.who(pot.at)),
            key=lambda pot: (pot.done, len(pot.holds), pot.at),
        )
        self.claimed = []

    def who(self, cell):
        """Return which cooks can use a cell."""
        return [seat for seat in (0, 1) if self.reach[seat] & set(beside(cell))]

    def moves(self):
        """Return the two moves that bring both nearest to their goals; the busier comes first."""
        goals = [self.goals(seat, cook.holds) for seat, cook in enumerate(self.state.cooks)]
        far = [self.far(cells) for cells in goals]
        weights = [1 + 3 * self.haste(cook.holds) for cook in self.state.cooks]
        weights[0] += 1
        best = None
        for number, pair in enumerate(product((*STEPS, "wait"), repeat=2)):
            moves = [
                "use" if cook.before in cells else move
                for cook, cells, move in zip(self.state.cooks, goals, pair, strict=True)
            ]
            after = self.state.step(dict(zip(AGENTS, moves, strict=True)))
            cost = sum(
                weight
                * (-1 if move == "use" else ways.get(cook.at, 0) - (cook.before in cells) / 2)
                for weight, move, ways, cook, cells in zip(
                    weights, moves, far, after.cooks, goals, strict=True
                )
            )
            found = cost, (number * 7 + self.state.left) % 25, moves
            best = min(best or found, found)
        return dict(zip(AGENTS, best[2], strict=True))

    def haste(self, held):
        return 3 if isinstance(held, tuple) else 2 if held == PLATE else int(held is not None)

    def far(self, cells):
        """Return how many steps each floor is from where one of the cells can be used."""
        near = [n for cell in cells for n in beside(cell) if n in self.reach[0] | self.reach[1]]
        steps = dict.fromkeys(near, 0)
        for cell in near:  # which grows meanwhile
            for other in beside(cell):
                if other in self.reach[0] | self.reach[1] and other not in steps:
                    steps[other] = steps[cell] + 1
                    near.append(other)
        return steps

    def lacking(self):
        """Return what the pot still needs for one of the orders, or for any soup."""
        have = Counter(self.pot.holds)
        for order in self.state.orders:
            if not have - Counter(order):
                return Counter(order) - have
        return Counter({ONION: 3 - len(self.pot.holds)})

    def goals(self, seat, held):
        """Return the cells that a cook may use next."""
        mine = self.usable(seat)
        if held is None:
            return self.fetching(seat)
        if isinstance(held, tuple):
            return self.bring(seat, find(self.rows, "S"))
        if held == PLATE:
            if seat in self.who(self.pot.at):
                return [self.pot.at] if len(self.pot.holds) == 3 else self.free(mine)
            return self.bring(seat, [self.pot.at])
        if self.lacking()[held] and len(self.pot.holds) < 3:
            return self.bring(seat, [self.pot.at])
        return self.free(mine)

    def usable(self, seat):
        return [
            (r, c)
            for r, row in enumerate(self.rows)
            for c, symbol in enumerate(row)
            if symbol != FLOOR and seat in self.who((r, c))
        ]

    def free(self, cells):
        return [c for c in cells if self.rows[c[0]][c[1]] == "#" and c not in self.lies]

    def bring(self, seat, cells):
        """Return the cells if the cook gets there, or counters that the other reaches too."""
        own = [cell for cell in cells if seat in self.who(cell)]
        return own or self.free([c for c in self.usable(seat) if self.who(c) == [0, 1]])

    def fetching(self, seat):
        wanted = self.lacking() if len(self.pot.holds) < 3 else Counter()
        for cook in self.state.cooks:
            wanted[cook.holds] -= 1
        for thing in self.claimed:
            wanted[thing] -= 1
        plates = [c for c in self.state.cooks if c.holds == PLATE]
        if len(self.pot.holds) == 3 and not plates and PLATE not in self.claimed:
            wanted[PLATE] = 1
        near_pot, near_hatch = (
            seat in self.who(self.pot.at),
            any(seat in self.who(cell) for cell in find(self.rows, "S")),
        )
        for cell, thing in self.lies.items():  # what was handed over comes first
            useful = near_hatch if isinstance(thing, tuple) else near_pot and wanted[thing] > 0
            if useful and seat in self.who(cell):
                self.claimed.append(thing)
                return [cell]
        on_the_way = Counter(
            thing for cell, thing in self.lies.items() if set(self.who(cell)) - {seat}
        )
        for thing in (ONION, TOMATO, PLATE):
            cells = [cell for cell in find(self.rows, SOURCES[thing]) if seat in self.who(cell)]
            if cells and wanted[thing] > (0 if near_pot else on_the_way[thing]):
                self.claimed.append(thing)
                return cells
        return []
