"""A market: trades beside a book written a second time, traders by rule, secrets, the clock."""

import itertools
import re
from dataclasses import replace

import numpy as np
import pytest
from game_contract import compare_encoding, find_numbers, rotate

import gem_ma
from gem_ma import InvalidMove
from gem_ma.chat.reply import Reply
from gem_ma.envs.markets.double_auction import DoubleAuction, State
from gem_ma.testing import check_env

AGENTS = ("buyer_0", "buyer_1", "seller_0", "seller_1")
BEGIN = State(AGENTS, ((80, 60), (70, 50), (20, 40), (30, 90)), 2, 9)


def book(orders, trades, arrivals, limits):
    """Let orders arrive in this order, in a book of two lists; return it and what was traded."""
    bids = [one for one in orders if one[0].startswith("b")]
    asks = [one for one in orders if one[0].startswith("s")]
    trades = list(trades)
    for who, move in arrivals:
        own, others = (bids, asks) if who.startswith("b") else (asks, bids)
        had = sum(who in trade for trade in trades)
        if move == "wait" or (move != "cancel" and had == len(limits[who])):
            continue
        sign = 1 if own is bids else -1
        if move != "cancel" and sign * int(move.split()[1]) > sign * limits[who][had]:
            continue  # a trade a moment ago has changed what the next unit is worth
        own[:] = [one for one in own if one[0] != who]
        if move == "cancel":
            continue
        price = int(move.split()[1])
        best = sorted(others, key=lambda one: sign * one[1])[:1]  # a sort keeps the oldest first
        if best and sign * price >= sign * best[0][1]:
            others.remove(best[0])
            pair = (who, best[0][0]) if own is bids else (best[0][0], who)
            trades.append((*pair, best[0][1]))
        else:
            own.append((who, price))
    return sorted(bids + asks), trades


def plain(state):
    orders = [(state.agents[seat], price) for seat, price in state.orders]
    trades = [(state.agents[b], state.agents[s], price) for b, s, price in state.trades]
    return orders, trades


def test_every_step_is_what_a_book_says_for_some_order_of_arrival():
    game, traded = DoubleAuction(units=2), 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        state = game.start(rng, {})
        limits = dict(zip(state.agents, state.worth, strict=True))
        while state.to_act():
            moves = {}
            for seat in state.to_act():
                legal = state.legal(seat)
                moves[seat] = legal[int(rng.integers(len(legal)))]
            orders, trades = plain(state)
            after = game.advance(state, moves, rng)
            now, paid = plain(after)
            ways = itertools.permutations(moves.items())
            assert (sorted(now), paid) in [book(orders, trades, way, limits) for way in ways]
            state = after
        traded += len(state.trades)
        earned = dict.fromkeys(state.agents, 0)
        left = {agent: list(worth) for agent, worth in limits.items()}
        for buyer, seller, price in plain(state)[1]:
            earned[buyer] += left[buyer].pop(0) - price
            earned[seller] += price - left[seller].pop(0)
        assert state.returns() == earned
    assert traded > 70


def run(state, *steps):
    """Play steps in which orders arrive as they are written."""
    for moves in steps:
        for seat, price in moves:
            state = state.place(seat, price)
    return state


@pytest.mark.parametrize(
    ("orders", "trades", "left"),
    [
        ([(0, 50), (2, 45)], ((0, 2, 50),), ()),  # at the price that was there
        ([(2, 45), (0, 50)], ((0, 2, 45),), ()),
        ([(0, 40), (2, 45)], (), ((0, 40), (2, 45))),
        ([(0, 40), (1, 60), (2, 30)], ((1, 2, 60),), ((0, 40),)),  # the best
        ([(1, 40), (0, 40), (2, 30)], ((1, 2, 40),), ((0, 40),)),  # the oldest
        ([(0, 40), (1, 40), (0, 40), (2, 30)], ((1, 2, 40),), ((0, 40),)),  # who repeats is late
        ([(0, 40), (0, None), (2, 30)], (), ((2, 30),)),
    ],
)
def test_which_orders_meet(orders, trades, left):
    after = run(BEGIN, orders)
    assert after.trades == trades
    assert after.orders == left


def test_what_is_earned_and_how_much_of_all_that_could_be():
    game = DoubleAuction(units=2)
    after = run(BEGIN, [(0, 50), (2, 45), (1, 60), (3, 55)])
    assert after.returns() == {"buyer_0": 30, "buyer_1": 10, "seller_0": 30, "seller_1": 30}
    # Three units are worth more than they cost: 80 - 20, 70 - 30, 60 - 40.
    assert game.report(after) == {"efficiency": 0.8333, "trades": 2, "surplus": 100}


@pytest.mark.parametrize(
    ("text", "agent", "move"),
    [
        *(
            ("bid 80", "buyer_0", "bid 80"),
            ("80", "buyer_0", "bid 80"),
            ("Wait.", "buyer_0", "wait"),
        ),
        *(("Bid: 1", "buyer_1", "bid 1"), ("ask 20", "seller_0", "ask 20")),
        ("ask: 100", "seller_0", "ask 100"),
    ],
)
def test_what_can_be_said(text, agent, move):
    assert DoubleAuction(units=2).read(text, BEGIN.seen_by(agent), agent) == move


@pytest.mark.parametrize(
    ("text", "agent"),
    [
        *(("bid 81", "buyer_0"), ("bid 0", "buyer_0"), ("ask 50", "buyer_0"), ("bid", "buyer_0")),
        *(("ask 19", "seller_0"), ("ask 101", "seller_0"), ("cancel", "buyer_0"), ("", "buyer_0")),
        ("bid 40 now", "buyer_0"),
    ],
)
def test_what_cannot(text, agent):
    with pytest.raises(InvalidMove):
        DoubleAuction(units=2).read(text, BEGIN.seen_by(agent), agent)


def test_a_trader_without_units_waits():
    done = replace(BEGIN, trades=((0, 2, 50), (0, 2, 55)))
    assert done.legal("buyer_0") == ("wait",)
    with pytest.raises(InvalidMove, match="traded all"):
        DoubleAuction(units=2).read("bid 10", done.seen_by("buyer_0"), "buyer_0")


def efficiency(players, choose):
    game, found = DoubleAuction(players), []
    for seed in range(30):
        rng = np.random.default_rng(seed)
        state = game.start(rng, {})
        price = competitive(state)
        while state.to_act():
            moves = {seat: choose(state, seat, price, rng) for seat in state.to_act()}
            state = game.advance(state, moves, rng)
        found.append(game.report(state)["efficiency"])
    return np.mean(found)


def competitive(state):
    """Return a price at which as many units are wanted as are offered."""
    values, costs = [], []
    for agent, worth in zip(state.agents, state.worth, strict=True):
        (values if agent.startswith("buyer") else costs).extend(worth)
    return min(
        range(1, 101),
        key=lambda p: abs(sum(v >= p for v in values) - sum(c <= p for c in costs)),
    )


def informed(state, seat, price, rng):
    """Trade at the competitive price as long as that pays."""
    limit = state.limit(state.agents.index(seat))
    if seat.startswith("buyer"):
        return f"bid {price}" if limit is not None and limit >= price else "wait"
    return f"ask {price}" if limit is not None and limit <= price else "wait"


def at_random(state, seat, price, rng):
    legal = state.legal(seat)
    return legal[int(rng.integers(len(legal)))]


@pytest.mark.parametrize("players", [2, 4, 8])
def test_who_knows_the_price_leaves_little_and_who_bids_at_random_not_much(players):
    """Traders without a thought find most of it too, as Gode and Sunder saw in 1993."""
    assert efficiency(players, informed) >= 0.99
    assert 0.85 < efficiency(players, at_random) < 0.99
    assert efficiency(players, lambda *_: "wait") == 0


def seat_knows(game, state, agent):
    seen = state.seen_by(agent)
    return seen, seen.legal(agent), game.describe(seen, agent), game.picture(seen, agent)


@pytest.mark.parametrize("agent", AGENTS)
def test_nobody_learns_what_a_unit_is_worth_to_another(agent):
    game, own = DoubleAuction(units=2), AGENTS.index(agent)
    others = [(99, 98), (97, 96), (3, 4), (5, 6)]
    others[own] = BEGIN.worth[own]
    one = run(BEGIN, [(0, 50), (2, 45), (1, 40)])
    two = replace(one, worth=tuple(others))
    assert seat_knows(game, one, agent) == seat_knows(game, two, agent)
    assert game.tell(BEGIN, {}, one) == game.tell(replace(BEGIN, worth=tuple(others)), {}, two)


def test_who_leaves_takes_its_order_along_and_keeps_what_it_earned():
    game = DoubleAuction(units=2)
    state = run(BEGIN, [(0, 50), (2, 45), (0, 30)])
    after = game.forfeit(state, "buyer_0", None)
    assert after.orders == ()
    assert after.returns()["buyer_0"] == 30
    assert after.to_act() == AGENTS[1:]
    assert game.forfeit(after, "buyer_1", None).to_act() == ()


def test_the_market_goes_on_while_a_trader_thinks():
    env = gem_ma.make("game:DoubleAuction-v0", clock="tokens:20", players=2, units=1)
    env.reset(seed=0)
    value, cost = (worth[0] for worth in env.game_state.world.worth)
    env.step_seats(
        {"buyer_0": Reply(f"bid {value}", token_ids=[0] * 50), "seller_0": Reply("wait")},
    )
    assert env.to_act == ("seller_0",)
    env.step_seats({"seller_0": Reply(f"ask {cost}", token_ids=[0] * 9)})
    assert env.game_state.world.orders == ((1, cost),)
    env.step_seats({"seller_0": Reply("wait", token_ids=[0] * 500)})
    assert env.game_state.world.trades == ((0, 1, cost),)  # the ask was there when the bid came
    assert env.game_state.time == 3


def test_the_contract_with_a_clock():
    env = gem_ma.make("game:DoubleAuction-v0", clock="tokens:2", players=2, max_turns=4)
    check_env(env, seeds=1, processes=False)


def read_numbers(text, agent):
    """Return what a trader reads of the market as numbers."""
    lines, worth = {}, []
    for line in text.splitlines():
        name, _, told = line.partition(": ")
        if "traded" in told:
            order = re.search(r"(?:bids|asks) (\d+);", told)
            done, units = re.search(r"traded (\d+) of (\d+)", told).groups()
            price = int(order[1]) / 100 if order else 0
            lines[name] = [price, int(done) / int(units), told.startswith("left")]
            if name == agent:
                worth = find_numbers(re.search(r"(?:values|costs) ([\d, ]+);", told)[1])
    side = agent.split("_")[0]
    near = [name for name in lines if name.startswith(side)]
    far = [name for name in lines if not name.startswith(side)]
    order = [*rotate(near, near.index(agent)), *far]
    prices = find_numbers(re.search(r"Prices paid: (.*)", text)[1])
    row = [side == "buyer", *(n / 100 for n in worth)]
    row += [0] * (8 - len(prices)) + [n / 100 for n in prices]
    left = find_numbers(text.rpartition("Steps left:")[2])[0]
    return [*itertools.chain(*(lines[name] for name in order)), *row, left / 20]


def test_the_numbers_say_what_the_text_says():
    compare_encoding("game:DoubleAuction-v0", read_numbers)
    compare_encoding("game:DoubleAuction-v0", read_numbers, players=7, units=5)
