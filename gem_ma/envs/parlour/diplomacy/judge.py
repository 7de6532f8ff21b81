"""What comes of orders: the usual rules of holding, moving, supporting, cutting and dislodging.

Whether a move succeeds may hang on another that hangs on it. So each is first supposed to fail; if
what follows from that and what follows from the contrary agree, it is so, and else the moves go
around in a circle, and all of them succeed. (The way is Kruijer's, in "The math of adjudication".)
"""

from gem_ma.envs.parlour.diplomacy.board import NEAR
from gem_ma.envs.parlour.diplomacy.orders import Order


class Judge:
    """The orders of one season; `units` says whose army is where, and who has no order holds."""

    def __init__(self, units, orders):
        self.units = dict(units)
        self.orders = {at: Order(at) for at in self.units} | {o.at: o for o in orders}
        self.moves = {o.at: o.to for o in self.orders.values() if o.to and not o.of}
        self.known = {}  # origin of a move: whether it succeeds
        self.supposed = {}
        self.hangs = []  # origins of the moves on whose suppositions something hangs

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
        if self.hangs[before] != at:  # on one that was supposed earlier, which has to decide
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
        """Drop what hangs on suppositions made since."""
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
        """Return whether a move meets one the other way."""
        return self.moves.get(self.moves[at]) == at

    def attack(self, at):
        """Return the strength of a move against what stands where it goes."""
        to, power = self.moves[at], self.units[at]
        defender = self.units.get(to)
        if defender and (self.meet(at) or to not in self.moves or not self.succeeds(to)):
            if defender == power:
                return 0  # nobody drives out an army of its own, nor helps to
            return 1 + sum(self.units[s] != defender for s in self.supporters(at))
        return 1 + len(self.supporters(at))

    def hold(self, place):
        """Return the strength of what stays in a province."""
        if place not in self.units:
            return 0
        if place in self.moves:
            return 0 if self.succeeds(place) else 1
        return 1 + len(self.supporters(place))

    def prevent(self, at):
        """Return the strength with which a move keeps others away from where it goes."""
        if self.meet(at) and self.succeeds(self.moves[at]):
            return 0
        return 1 + len(self.supporters(at))

    def supporters(self, at):
        """Return who supports what the army in a province does, and is not cut."""
        to = self.moves.get(at, at)
        return [
            o.at
            for o in self.orders.values()
            if o.of == at and o.to == to and not self.cut(o.at, to)
        ]

    def cut(self, at, to):
        """Return whether a support is: by an attack, unless from where it goes and in vain."""
        attackers = [
            origin
            for origin, target in self.moves.items()
            if target == at and self.units[origin] != self.units[at]
        ]
        return any(origin != to or self.succeeds(origin) for origin in attackers)


def judge(units, orders):
    """Return where armies are now, which were dislodged, and who moved.

    Of each that was dislodged: the province, its power, and where it may retreat.
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
