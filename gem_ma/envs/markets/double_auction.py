"""Double auction: buyers bid and sellers ask at the same time, each with secret values or costs."""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace

import numpy as np

from gem_ma.envs.env_functions import make_env_functions
from gem_ma.game import Game, InvalidMove, Maybe, Message, parse_choice, parse_number
from gem_ma.scene import TextTable

HIGHEST = 100  # highest price, value and cost
SHOWN = 8  # past trades that are shown
WAIT, CANCEL = "wait", "cancel"


@dataclass(frozen=True, slots=True)
class State:
    agents: tuple[str, ...]
    worth: tuple[Maybe[tuple[int, ...]], ...]  # of units: values fall, costs rise; None: hidden
    units: int  # units of each seat
    left: int  # steps left
    orders: tuple[tuple[int, int], ...] = ()  # seat and price, oldest first
    trades: tuple[tuple[int, int, int], ...] = ()  # buyer, seller, price
    gone: tuple[int, ...] = ()

    def to_act(self):
        seats = self.here()
        if not self.left or len({self.buys(seat) for seat in seats}) < 2:
            return ()
        return tuple([self.agents[seat] for seat in seats])

    def here(self):
        return [seat for seat in range(len(self.agents)) if seat not in self.gone]

    def out(self):
        return tuple([self.agents[seat] for seat in self.gone])

    def buys(self, seat):
        return self.agents[seat].startswith("buyer")

    def done(self, seat):
        """Return how many units a seat has traded."""
        return sum(seat in trade[:2] for trade in self.trades)

    def limit(self, seat):
        """Return the value or cost of a seat's next unit; None if it has none left."""
        trade_count = self.done(seat)
        return self.worth[seat][trade_count] if trade_count < self.units else None

    def returns(self):
        return {agent: float(self.earned(seat)) for seat, agent in enumerate(self.agents)}

    def earned(self, seat):
        prices = [trade[2] for trade in self.trades if seat in trade[:2]]
        sign = 1 if self.buys(seat) else -1
        return sum(
            sign * (worth - price)
            for worth, price in zip(self.worth[seat] or (), prices, strict=False)
        )

    def seen_by(self, agent):
        worth = [w if a == agent else None for a, w in zip(self.agents, self.worth, strict=True)]
        return replace(self, worth=tuple(worth))

    def legal(self, agent):
        seat = self.agents.index(agent)
        limit = self.limit(seat)
        actions = (WAIT, CANCEL) if self.order(seat) is not None else (WAIT,)
        if limit is None:
            return actions
        if self.buys(seat):
            return (*actions, *_named("bid")[:limit])
        return (*actions, *_named("ask")[limit - 1 :])

    def order(self, seat):
        """Return the price of a seat's order, or None."""
        return next((price for owner, price in self.orders if owner == seat), None)

    def best(self, buys):
        """Return seat and price of the best order on one side; the oldest among equal ones."""
        side = [order for order in self.orders if self.buys(order[0]) == buys]
        return (max if buys else min)(side, key=lambda order: order[1], default=None)

    def without(self, *seats):
        return replace(
            self, orders=tuple([order for order in self.orders if order[0] not in seats])
        )

    def place(self, seat, price):
        """Replace a seat's order; trade at once with the best matching order, if there is one."""
        state = self.without(seat)
        if price is None:
            return state
        other = state.best(not self.buys(seat))
        if other is None or (price < other[1] if self.buys(seat) else price > other[1]):
            return replace(state, orders=(*state.orders, (seat, price)))
        pair = (seat, other[0]) if self.buys(seat) else (other[0], seat)
        return replace(state.without(other[0]), trades=(*self.trades, (*pair, other[1])))

    def surplus(self):
        """Return what all seats earned together, and the most that they could earn."""
        values: list[int] = []
        costs: list[int] = []
        for seat, worth in enumerate(self.worth):
            (values if self.buys(seat) else costs).extend(worth)
        pairs = zip(sorted(values, reverse=True), sorted(costs), strict=False)
        return sum(self.returns().values()), sum(max(0, value - cost) for value, cost in pairs)


class DoubleAuction(Game[State]):
    realtime = True

    def __init__(self, players: int = 4, units: int = 3, max_turns: int = 20):
        if not 2 <= players <= 8 or not 1 <= units <= 5 or max_turns < 1:
            raise ValueError(
                f"players={players}, units={units}, max_turns={max_turns}: expected players 2 to "
                "8, units 1 to 5, max_turns at least 1"
            )
        sellers = players // 2
        self.agents = (
            *(f"buyer_{i}" for i in range(players - sellers)),
            *(f"seller_{i}" for i in range(sellers)),
        )
        self.units, self.max_turns = units, max_turns
        self.moves = (WAIT, CANCEL, *_named("bid"), *_named("ask"))

    def start(self, rng, options):
        """Draw values and costs until at least one trade is possible."""
        while True:
            draws = rng.integers(1, HIGHEST + 1, size=(len(self.agents), self.units)).tolist()
            worth = tuple(
                [
                    tuple(sorted(units, reverse=agent.startswith("buyer")))
                    for agent, units in zip(self.agents, draws, strict=True)
                ]
            )
            state = State(self.agents, worth, self.units, self.max_turns)
            if state.surplus()[1] > 0:
                return state

    def read(self, text, view, agent):
        seat = view.agents.index(agent)
        kind = "bid" if view.buys(seat) else "ask"
        words = text.casefold().replace(":", " ").split()
        if not any(word.isdecimal() for word in words):
            return parse_choice(
                text, [word for word in view.legal(agent) if word in (WAIT, CANCEL)]
            )
        if words[0] in ("bid", "ask") and words[0] != kind:
            raise InvalidMove(f"you {kind[:3]}: reply with {kind} and a price, or wait")
        price = parse_number(" ".join(words[words[0] == kind :]))
        limit = view.limit(seat)
        if limit is None:
            raise InvalidMove("you have traded all your units: wait")
        low, high = (1, limit) if kind == "bid" else (limit, HIGHEST)
        if not low <= price <= high:
            raise InvalidMove(f"{kind} {price} would lose; {kind} {low} to {high}")
        return f"{kind} {price}"

    def advance(self, state, moves, rng):
        """Process the orders one after the other, in random order."""
        seats = [state.agents.index(agent) for agent in moves]
        for i in rng.permutation(len(seats)).tolist():
            seat, move = seats[i], moves[state.agents[seats[i]]]
            if move == CANCEL:
                state = state.place(seat, None)
            elif move != WAIT:
                price = int(move.split()[1])
                limit = state.limit(seat)  # the seat may just have traded
                if limit is not None and (price <= limit if state.buys(seat) else price >= limit):
                    state = state.place(seat, price)
        return replace(state, left=state.left - 1)

    def skip(self, view, agent):
        return WAIT

    def forfeit(self, state, agent, rng):
        """Leave and keep the earnings; the market ends without buyers or without sellers."""
        seat = state.agents.index(agent)
        return replace(state.without(seat), gone=(*state.gone, seat))

    def report(self, state):
        surplus, maximum = state.surplus()
        return {
            "efficiency": round(surplus / maximum, 4),
            "trades": len(state.trades),
            "surplus": surplus,
        }

    def tell(self, before, moves, after):
        new = after.trades[len(before.trades) :]
        return [
            Message(
                None, "game", f"{self.agents[buyer]} buys from {self.agents[seller]} at {price}."
            )
            for buyer, seller, price in new
        ]

    def rules(self, agent):
        buys = agent.startswith("buyer")
        kind, verb = ("bid", "is worth to you") if buys else ("ask", "costs you")
        less = "what it is worth less the price" if buys else "the price less what it costs"
        between = "at most what it is worth" if buys else "at least what it costs"
        return (
            f"You are {agent} in a market of {len(self.agents)}. Each may trade {self.units} units "
            f"of a good, one by one. You know what each unit {verb}, and nobody else does. For a "
            f"unit you earn {less}; your aim is to earn as much as you can. There are "
            f"{self.max_turns} steps, in which all act at the same time. Reply with {kind} 40 to "
            f"put an order at a price from 1 to {HIGHEST}, {between}, in place of the one you "
            "have; with cancel to take it back; or with wait, which leaves it there. Orders of a "
            "step arrive one after the other by chance. One that meets an order of the other side "
            "(a bid as high as an ask) trades a unit at once, at the price of the order that was "
            "there; of several the best, then the oldest. Any other stays until it is met, "
            "replaced or cancelled."
        )

    def describe(self, view, agent):
        lines = []
        for seat, name in enumerate(view.agents):
            order = view.order(seat)
            kind = "bids" if view.buys(seat) else "asks"
            order_text = f"{kind} {order}" if order is not None else "no order"
            if seat in view.gone:
                order_text = "left"
            worth = view.worth[seat]
            worth_text = ""
            if worth is not None:
                word = "values" if view.buys(seat) else "costs"
                worth_text = f"; {word} {', '.join(map(str, worth))}; earned {view.earned(seat)}"
            lines.append(
                f"{name}: {order_text}; traded {view.done(seat)} of {view.units}{worth_text}"
            )
        return "\n".join([*lines, *self.status(view)])

    def status(self, view):
        prices = [str(price) for *_, price in view.trades[-SHOWN:]]
        ellipsis = "... " if len(view.trades) > SHOWN else ""
        return f"Prices paid: {ellipsis}{' '.join(prices) or 'none'}", f"Steps left: {view.left}"

    def picture(self, view, agent):
        """Draw a row for each seat: its trades, a bar for its order's price, and its values."""
        rows = []
        for seat, name in enumerate(view.agents):
            order, worth = view.order(seat), view.worth[seat]
            color = "yellow" if view.buys(seat) else "orange"
            cell = " " * 5 if order is None else (f"{order:^5}", color, order / HIGHEST)
            if seat in view.gone:
                cell = "left"
            worth_text = "?" if worth is None else " ".join(map(str, worth))
            profit = "?" if worth is None else str(view.earned(seat))
            short = name.replace("uyer_", "").replace("eller_", "")
            rows.append((short, f"{view.done(seat)}/{view.units}", cell, worth_text, profit))
        head = "", "had", "order", "worth", "won"
        return TextTable(tuple(rows), head, "", self.status(view))

    def encode(self, view, agent):
        """Return a row for each seat: own seat, then its side, then the other side.

        A row has the price of the seat's order, the share of its units that were traded, and
        whether it has left. Then come the own side (1: buyer), the value of each own unit, the last
        prices paid (newest last), and the steps left. Prices are shares of the highest price.
        """
        own, buys = view.agents.index(agent), agent.startswith("buyer")
        sides = [seat for seat in range(len(view.agents)) if view.buys(seat) == buys]
        others = [seat for seat in range(len(view.agents)) if view.buys(seat) != buys]
        first = sides.index(own)
        rows = [
            ((view.order(seat) or 0) / HIGHEST, view.done(seat) / view.units, seat in view.gone)
            for seat in (*sides[first:], *sides[:first], *others)
        ]
        prices = [price / HIGHEST for *_, price in view.trades[-SHOWN:]]
        row = [float(buys), *(worth / HIGHEST for worth in view.worth[own])]
        row += [0.0] * (SHOWN - len(prices)) + prices + [view.left / self.max_turns]
        return np.concatenate([np.ravel(rows), row]).astype(np.float32)


@functools.cache
def _named(kind):
    return tuple([f"{kind} {price}" for price in range(1, HIGHEST + 1)])


env, parallel_env, raw_env = make_env_functions(__name__)
