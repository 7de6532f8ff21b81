"""Snake for two: every step beside rules written a second time, crashes, growth, the clock."""

from collections import deque

import numpy as np
import pytest

import gem_ma
from gem_ma import InvalidMove
from gem_ma.chat.reply import Reply
from gem_ma.envs.worlds.snake import AGENTS, MOVES, Snake, State
from gem_ma.testing import check_env

WAYS = {"up": -1j, "down": 1j, "left": -1, "right": 1}


def cells(text):
    """Return names of cells as complex numbers: across, and down times i."""
    return [complex(ord(name[0]) - 65, int(name[1:]) - 1) for name in text.split()]


def read(text):
    """Return the bodies and the food that a seat reads of."""
    lines = text.splitlines()
    bodies = [cells(line.split(": ")[1]) for line in lines if ", from its head: " in line]
    rows = [line[3:].split() for line in lines[1:] if line[:2].strip().isdigit()]
    food = {complex(c, r) for r, row in enumerate(rows) for c, x in enumerate(row) if x == "*"}
    return bodies, food, len(rows)


def expected(text, moves):
    """Return bodies, food that is left, and who crashed, by the rules as they are told."""
    bodies, food, size = read(text)
    heads, later = [], []
    for body, move in zip(bodies, moves, strict=True):
        head = body[0] + WAYS[move]
        if head == body[1]:
            head = 2 * body[0] - body[1]
        heads.append(head)
        later.append(body if head in food else body[:-1])
    crashed = []
    for seat, head in enumerate(heads):
        out = not (0 <= head.real < size and 0 <= head.imag < size)
        bitten = any(head in body for body in later)
        crashed.append(out or bitten or head == heads[1 - seat])
    after = [
        old if gone else [head, *body]
        for old, head, body, gone in zip(bodies, heads, later, crashed, strict=True)
    ]
    return after, food - set(heads), crashed


def careful(turn):
    """Go to the nearest food on a way that is free now, else to any free cell, else straight."""
    bodies, food, size = read(turn.text)
    own = AGENTS.index(turn.seat)
    taken = {cell for body in bodies for cell in body[:-1]}
    taken |= {bodies[1 - own][0] + way for way in WAYS.values()}  # where the other may get to
    board = {complex(c, r) for r in range(size) for c in range(size)}
    head = bodies[own][0]
    seen, queue, safe = {head}, deque([(head, None)]), []
    while queue:
        cell, first = queue.popleft()
        if cell in food and first:
            return first
        for move, way in WAYS.items():
            there = cell + way
            if there in board - taken - seen:
                seen.add(there)
                queue.append((there, first or move))
                if cell == head:
                    safe.append(move)
    return safe[0] if safe else MOVES[turn.seed % 4]


def test_every_step_is_what_the_rules_say():
    env, ends = gem_ma.make("game:Snake-v0", size=6, food=3, max_turns=15), set()
    rng = np.random.default_rng(0)
    for seed in range(150):
        env.reset(seed=seed)
        while env.to_act:
            moves = [
                careful(env.turn(seat)) if rng.random() < 0.8 else str(rng.choice(MOVES))
                for seat in AGENTS
            ]
            before = env.game.describe(env.game_state, None)
            bodies, food, crashed = expected(before, moves)
            env.step_seats(dict(zip(AGENTS, moves, strict=True)))
            now, food_now, _ = read(env.game.describe(env.game_state, None))
            assert now == bodies
            assert food <= food_now
            assert len(food_now) == 3
            assert not food_now & {cell for body in now for cell in body}
            assert list(env.game_state.crashed) == crashed
            assert (not env.to_act) == (any(crashed) or env.game_state.left == 0)
        returns, lengths = env.game_state.returns(), [len(body) for body in bodies]
        ranks = [(not gone, long) for gone, long in zip(crashed, lengths, strict=True)]
        won = (ranks[0] > ranks[1]) - (ranks[0] < ranks[1])
        assert returns == {"left": won, "right": -won}
        ends.add((tuple(crashed), won))
    assert len(ends) >= 7


def position(left, right, food="F6"):
    def tuples(text):
        return tuple([(int(cell.imag), int(cell.real)) for cell in cells(text)])

    return State(6, 50, (tuples(left), tuples(right)), tuples(food))


@pytest.mark.parametrize(
    ("state", "moves", "crashed"),
    [
        (position("A1 B1 C1", "F5 E5 D5"), ("up", "up"), (True, False)),  # out of the board
        (position("C3 B3 A3", "D3 E3 F3"), ("right", "left"), (True, True)),  # through each other
        (position("C3 B3 A3", "E3 F3 F4"), ("right", "left"), (True, True)),  # both get to D3
        (position("C3 B3 A3", "D2 D3 D4"), ("right", "up"), (True, False)),  # into a neck
        (position("C3 B3 A3", "D1 D2 D3"), ("right", "left"), (False, False)),  # a tail moves on
        (position("C3 B3 A3", "D1 D2 D3", "C1"), ("right", "left"), (True, False)),  # it ate
        (position("C3 B3 A3", "F1 F2 F3"), ("left", "left"), (False, False)),  # no way back
    ],
)
def test_who_crashes(state, moves, crashed):
    after = state.step(dict(zip(AGENTS, moves, strict=True)))
    assert after.crashed == crashed
    assert sum(after.returns().values()) == 0


def test_food_comes_back_until_the_board_is_full():
    full = tuple([(r, c) for r in range(6) for c in range(6)])
    state = State(6, 9, (full[:18], full[18:35]), ())
    assert state.fed(np.random.default_rng(0), 3).food == (full[35],)


def test_who_looks_where_it_goes_wins():
    env = gem_ma.make("game:Snake-v0")
    episodes = gem_ma.rollout(env, {"left": careful, "right": "random"}, 30, seed=0, progress=False)
    assert np.mean([episode.returns["left"] for episode in episodes]) >= 0.9


def test_snakes_move_on_while_their_seats_think():
    env = gem_ma.make("game:Snake-v0", clock="tokens:20")
    env.reset(seed=0)
    before = env.game_state.world
    straight = before.step({}).step({}).step({})
    env.step_seats(
        {"left": Reply("up", token_ids=[0] * 61), "right": Reply("down", token_ids=[0] * 5)}
    )
    assert env.to_act == ("right",)
    assert env.game_state.world.snakes[1] == before.step({"right": "down"}).snakes[1]
    env.step_seats({"right": Reply("down", token_ids=[0] * 40)})
    assert env.game_state.world.snakes[0] == straight.snakes[0]  # up is not made before tick 4
    env.step_seats({"right": Reply("down", token_ids=[0] * 5)})
    assert env.game_state.time == 4
    assert env.game_state.world.heading(0) == "up"
    assert "a tick goes by for every 20 tokens" in env.rules("left")
    check_env(gem_ma.make("game:Snake-v0", clock="tokens:2", max_turns=8), seeds=1, processes=False)


def test_what_is_no_move():
    for text in ("north", "", "up up"):
        with pytest.raises(InvalidMove):
            Snake().read(text, position("A1 B1 C1", "F5 E5 D5"), "left")
