"""Resolution of orders by the usual rules: hold, move, support, cut and dislodge.

The success of a move can depend on other moves, and these on the first one. So each move is first
assumed to fail and then to succeed. If both assumptions give the same result, it is final.
Otherwise the moves form a circle, and all of them succeed. The algorithm is Kruijer's, from "The
math of adjudication".
"""

from gem_ma.envs.parlour.diplomacy.board import NEAR
from gem_ma.envs.parlour.diplomacy.orders import Order


class Judge:
    """The orders of a season; `units` maps provinces to powers; armies without orders hold."""

    def __init__(self, units, orders):
        self.units = dict(units)
        self.orders = {at: Order(at) for at in self.units} | {o.at: o for o in orders}
        self.moves = {o.at: o.to for o in self.orders.values() if o.to and not o.of}
        self.known = {}  # origin of a move: whether it succeeds
        self.supposed = {}
        self.hangs = []  # origins of moves whose assumed results were used

    def succeeds(self, at):
        """Return whether the move from a province succeeds."""
        if at in self.known:
            return self.known[at]
        if at in self.supposed:
            if at not in self.hangs:
                self.hangs.append(at)
            return self.supposed[at]
        before = len(self.hangs)
        self.supposed[at] = False
        first = self.would_succeed(at)
        if len(self.hangs) == before:
            return self.settle(at, before, first)
        if self.hangs[before] != at:  # depends on an earlier assumption, which is decided first
            self.hangs.append(at)
            self.supposed[at] = first
            return first
        self.forget(before)
        self.supposed[at] = True
        if self.would_succeed(at) == first:
            return self.settle(at, before, first)
        circle = self.hangs[before:]
        self.forget(before)
        self.known |= dict.fromkeys(circle, True)
        return self.known[at]

    def settle(self, at, before, found):
        self.forget(before)
        self.supposed.pop(at, None)
        self.known[at] = found
        return found

    def forget(self, before):
        """Drop the assumptions made since a point."""
        for at in self.hangs[before:]:
            self.supposed.pop(at, None)
        del self.hangs[before:]

    def would_succeed(self, at):
        to = self.moves[at]
        attack = self.attack(at)
        if self.meet(at):
            against = 1 + len(self.supporters(to))
        else:
            against = self.hold(to)
        if attack <= against:
            return False
        others = [other for other, target in self.moves.items() if target == to and other != at]
        return all(attack > self.prevent(other) for other in others)

    def meet(self, at):
        """Return whether a move meets a move in the opposite direction."""
        return self.moves.get(self.moves[at]) == at

    def attack(self, at):
        """Return the strength of a move against the army in its target."""
        to, power = self.moves[at], self.units[at]
        defender = self.units.get(to)
        if defender and (self.meet(at) or to not in self.moves or not self.succeeds(to)):
            if defender == power:
                return 0  # a power neither dislodges its own army nor helps to
            return 1 + sum(self.units[s] != defender for s in self.supporters(at))
        return 1 + len(self.supporters(at))

    def hold(self, place):
        """Return the strength of the army that stays in a province."""
        if place not in self.units:
            return 0
        if place in self.moves:
            return 0 if self.succeeds(place) else 1
        return 1 + len(self.supporters(place))

    def prevent(self, at):
        """Return the strength with which a move keeps others away from its target."""
        if self.meet(at) and self.succeeds(self.moves[at]):
            return 0
        return 1 + len(self.supporters(at))

    def supporters(self, at):
        """Return the armies whose supports of an army's order are not cut."""
        to = self.moves.get(at, at)
        return [
            o.at
            for o in self.orders.values()
            if o.of == at and o.to == to and not self.cut(o.at, to)
        ]

    def cut(self, at, to):
        """Return whether a support is cut; a failed attack from its target does not cut it."""
        attackers = [
            origin
            for origin, target in self.moves.items()
            if target == at and self.units[origin] != self.units[at]
        ]
        return any(origin != to or self.succeeds(origin) for origin in attackers)


def judge(units, orders):
    """Return where armies are now, which were dislodged, and which moved.

    A dislodged army is given as province, power and possible retreats.
    """
    case = Judge(units, orders)
    completed_moves = {at: to for at, to in case.moves.items() if case.succeeds(at)}
    remaining = {at: power for at, power in case.units.items() if at not in completed_moves}
    origins = {to: at for at, to in completed_moves.items()}
    after = {at: power for at, power in remaining.items() if at not in origins}
    after |= {to: case.units[at] for at, to in completed_moves.items()}
    failed_moves = {at: to for at, to in case.moves.items() if at not in completed_moves}
    contested_provinces = {to for at, to in failed_moves.items() if case.prevent(at)}
    dislodged = [
        (
            at,
            power,
            tuple(
                [
                    to
                    for to in NEAR[at]
                    if to not in after and to not in contested_provinces and to != origins[at]
                ]
            ),
        )
        for at, power in sorted(remaining.items())
        if at in origins
    ]
    return tuple(sorted(after.items())), tuple(dislodged), completed_moves
