"""Backgammon: random games against OpenSpiel's, moves worked out by hand, and search."""

import re
from collections import Counter

import numpy as np
import pytest
from game_contract import compare_encoding, find_numbers, one_hot

from gem_ma import Env, InvalidMove
from gem_ma.agents.search import SearchAgent
from gem_ma.envs.boards.backgammon import AGENTS, BAR, FIRST, Backgammon, State
from gem_ma.rollouts.rollout import rollout
from gem_ma.testing import check_env

GAME = Backgammon()


def men(places):
    """Return a side's men: {point: how many}; those not named are off."""
    return tuple(15 - sum(places.values()) if p == 0 else places.get(p, 0) for p in range(26))


def position(mine, theirs, dice):
    """Return a position in which white is to act."""
    return State((men(mine), men(theirs)), dice, 0)


def men_of(theirs):
    """Return the men of both sides in OpenSpiel's state, each by its own points."""
    white = [theirs.board(0, 24 - p) for p in range(1, 25)] + [theirs.board(0, 100)]
    black = [theirs.board(1, p - 1) for p in range(1, 25)] + [theirs.board(1, 100)]
    return tuple((15 - sum(side), *side) for side in (white, black))


def ends(theirs, player):
    """Return each position in which a turn can end -> the actions that lead there."""
    found = {}
    waiting = [(theirs, ())]
    while waiting:
        at, actions = waiting.pop()
        on_turn = not (at.is_terminal() or at.is_chance_node()) and at.current_player() == player
        if actions and not (len(actions) == 1 and on_turn):
            found.setdefault(men_of(at), actions)
            continue
        seen = set()
        for action in at.legal_actions():
            then = at.child(action)
            if (where := men_of(then)) not in seen:
                seen.add(where)
                waiting.append((then, (*actions, action)))
    return found


def roll(theirs, dice, turn=None):
    """Let the dice fall in OpenSpiel's state."""
    for action in theirs.legal_actions():
        said = theirs.action_to_string(-1, action)
        starts = turn is None or f"{'XO'[turn]} starts" in said
        if starts and sorted(map(int, said[-3:-1])) == sorted(dice):
            theirs.apply_action(action)
            return
    raise AssertionError(f"no such roll: {dice}")


def pass_turn(theirs, turn, dice):
    roll(theirs, dice)
    while not theirs.is_chance_node():
        assert theirs.current_player() == turn
        (action,) = theirs.legal_actions()
        assert "Pass" in theirs.action_to_string(turn, action)
        theirs.apply_action(action)


@pytest.mark.parametrize("games", [1, pytest.param(60, marks=pytest.mark.slow)])
def test_random_games_agree_with_openspiel(games):
    pyspiel = pytest.importorskip("pyspiel", reason="pip install 'gem-ma[oracles]'")
    theirs_game = pyspiel.load_game("backgammon")
    rng, seen = np.random.default_rng(1), Counter()
    for _ in range(games):
        ours, theirs = GAME.start(rng, {}), theirs_game.new_initial_state()
        roll(theirs, ours.dice, ours.turn)
        while True:
            assert theirs.is_terminal() == (not ours.to_act())
            assert men_of(theirs) == ours.men
            assert [ours.returns()[seat] for seat in AGENTS] == theirs.returns()
            if not ours.to_act():
                break
            (seat,) = ours.to_act()
            assert AGENTS.index(seat) == theirs.current_player() == ours.turn
            legal = ours.legal(seat)
            after = {name: GAME.advance(ours, {seat: name}, rng) for name in legal}
            known = ends(theirs, ours.turn)
            assert {state.men for state in after.values()} == set(known)
            assert len(legal) == len(known)
            move = legal[int(rng.integers(len(legal)))]
            mover, seen["turns"] = ours.turn, seen["turns"] + 1
            ours = after[move]
            for action in known[ours.men]:
                theirs.apply_action(action)
            if theirs.is_terminal():
                continue
            if theirs.current_player() == mover:  # the second half of a double
                (action,) = theirs.legal_actions()
                assert "Pass" in theirs.action_to_string(mover, action)
                theirs.apply_action(action)
            for turn, dice in ours.lost:
                pass_turn(theirs, turn, dice)
                seen["lost"] += 1
            roll(theirs, ours.dice)
        seen[ours.returns()["white"]] += 1
        assert ours.past < 500
    assert seen["lost"] > games
    assert seen[1.0] + seen[-1.0] == games
    assert games == 1 or (seen[1.0] and seen[-1.0])


def test_both_dice_count_and_the_higher_one_if_only_one_can():
    wall = dict.fromkeys((2, 3, 4, 5, 6, 12, 13), 2)
    assert position({24: 1}, {1: 2}, (5, 3)).legal("white") == ("24/19 19/16",)
    state = position({24: 1}, {9: 2, 2: 2}, (5, 3))  # its 16 is held, on which both would end
    assert state.legal("white") == ("24/19",)
    state = position({BAR: 1, 8: 2}, {**wall, 6: 1}, (6, 5))
    assert all(name.startswith("bar/19") for name in state.legal("white"))


def test_a_double_has_four_steps():
    state = position({24: 1, 5: 1}, {20: 1}, (3, 3))
    assert state.legal("white") == ("24/21 21/18 18/15 15/12", "24/21 21/18 18/15 5/2")
    assert GAME.read("24/12", state, "white") == "24/21 21/18 18/15 15/12"
    assert GAME.read("5/2 24/15", state, "white") == "24/21 21/18 18/15 5/2"
    state = position({8: 3, 6: 2}, {20: 1}, (1, 1))
    assert GAME.read("8/7(2) 6/5(2)", state, "white") == "8/7 8/7 6/5 6/5"


def test_men_go_off_from_home_alone():
    home = position({6: 1, 3: 1, 1: 1}, {20: 1}, (6, 5))
    assert home.legal("white") == ("6/off 3/off", "6/1 3/off")  # from 3, once 6 is empty
    away = position({7: 1, 3: 1}, {20: 1}, (3, 2))
    assert set(away.legal("white")) == {"7/4 4/2", "7/4 3/1", "7/5 5/2", "7/5 3/off"}
    end = GAME.advance(position({2: 1, 1: 1}, {20: 1}, (6, 5)), {"white": "2/off 1/off"}, None)
    assert end.to_act() == ()
    assert end.returns() == {"white": 1.0, "black": -1.0}


def test_a_single_man_is_hit_and_comes_in_first():
    state = position({8: 2}, {20: 1, 19: 2, 1: 2}, (3, 1))  # black's 20 is white's 5
    assert "8/5 8/7" in state.legal("white")
    then = GAME.advance(state, {"white": "8/5 8/7"}, np.random.default_rng(0))
    assert then.men[1][BAR] == 1
    assert all(name.startswith("bar/") for name in then.legal("black"))
    assert GAME.tell(state, {"white": "8/5 8/7"}, then)[0].text == (
        "white rolled 3 and 1 and played 8/5 8/7, which hits 1 man."
    )


def test_a_move_that_hits_on_the_way_is_not_one_that_does_not():
    state = position({8: 1}, {20: 1, 24: 2}, (3, 1))
    assert set(state.legal("white")) == {"8/5 5/4", "8/7 7/4"}
    with pytest.raises(InvalidMove, match="in several ways; say each step"):
        GAME.read("8/4", state, "white")
    assert GAME.read("8/5*/4", state, "white") == "8/5 5/4"
    assert GAME.read("7/4, 8/7", state, "white") == "8/7 7/4"


def test_who_cannot_move_loses_its_turn_by_itself():
    wall = dict.fromkeys(range(1, 7), 2)
    state = State((men({**wall, 8: 3}), men({BAR: 1, 6: 2})), (1, 1), 0)
    then = GAME.advance(state, {"white": state.legal("white")[0]}, np.random.default_rng(0))
    assert then.turn == 0
    assert then.past == 2
    ((turn, dice),) = then.lost
    said = GAME.tell(state, {"white": state.legal("white")[0]}, then)[-1].text
    assert said == f"black rolls {dice[0]} and {dice[1]} and cannot move."
    assert turn == 1
    assert GAME.tell(state, {"white": None}, then)[0].text == "white lost its turn."


def test_five_hundred_turns_are_a_draw():
    state = GAME.start(np.random.default_rng(0), {})._replace(past=499)
    end = GAME.advance(state, {state.to_act()[0]: None}, np.random.default_rng(0))
    assert end.to_act() == ()
    assert end.returns() == {"white": 0.0, "black": 0.0}


def test_what_is_no_move():
    state = State((FIRST, FIRST), (6, 4), 0)
    assert GAME.read(" 24/18 13/9 ", state, "white") == "24/18 13/9"
    for text in ("24/18", "13/8", "8/2 6/3", "1/off", "bar/20"):
        with pytest.raises(InvalidMove, match="cannot be played with 6 and 4: a move here has 2"):
            GAME.read(text, state, "white")
    for text in ("", "26/20", "13-9", "roll", "8/2 " * 30 + "x"):
        with pytest.raises(InvalidMove, match="is no move such as"):
            GAME.read(text, state, "white")


def test_each_seat_counts_the_points_its_own_way():
    state = State((FIRST, FIRST), (6, 4), 1)
    for agent, other in (AGENTS, AGENTS[::-1]):
        lines = GAME.describe(state, agent).splitlines()
        assert lines[1] == f"{agent}: 24:2 13:5 8:3 6:5, bar 0, off 0"
        assert lines[2] == f"{other}: 19:5 17:3 12:5 1:2, bar 0, off 0"
    assert GAME.describe(state, None) == GAME.describe(state, "white")
    assert GAME.describe(state, None).endswith(
        "Turn 2 of 500. To go: white 167, black 167\nDice: 6 and 4\nTo act: black"
    ) is (state.past == 1)
    discs = Counter(c for f, c, _, _, size, _ in GAME.picture(state, "black").items
                    if f == "disc" and size > 0.05)  # fmt: skip
    assert discs == {"white": 15, "black": 15}


class Race(Backgammon):
    """All men of both sides are nearly home: random games are short."""

    def start(self, rng, options):
        few = men({8: 1, 5: 1, 3: 1})
        return super().start(rng, options)._replace(men=(few, few))


def test_the_contract():
    check_env(Env(Race(), id="game:Backgammon-v0"), seeds=1, processes=False)


class Ending(Backgammon):
    """White can win at once, or leave that to black."""

    def start(self, rng, options):
        return position({2: 1, 1: 1}, {1: 1}, (2, 1))


def test_search_sees_a_win():
    assert set(Ending().start(None, {}).legal("white")) == {"2/off 1/off", "2/1 1/off"}
    agent, env = SearchAgent(simulations=40), Env(Ending())
    for episode in rollout(env, {"white": agent, "black": "random"}, episodes=4, seed=5):
        assert episode.returns["white"] == 1


def read_numbers(text, agent):
    """Return what a player reads of the board as numbers."""
    other = "black" if agent == "white" else "white"
    row = []
    for seat in (agent, other):
        line = re.search(rf"^{seat}: (.*)", text, re.MULTILINE)[1]
        men = {int(point): int(n) for point, n in re.findall(r"(\d+):(\d+)", line)}
        row += [men.get(point, 0) / 15 for point in range(1, 25)]
        row += [n / 15 for n in find_numbers(line.partition("bar")[2])]
    dice = re.search(r"Dice: (\d) and (\d)", text)
    for die in dice.groups() if dice else (0, 0):
        row += one_hot(int(die) - 1, 6)
    acts = re.search(r"To act: (\w+)", text)
    turn = int(re.search(r"Turn (\d+) of 500", text)[1]) - 1
    return [*row, bool(acts) and acts[1] == agent, turn / 500]


def read_numbers_of_steps(text, agent):
    """Return the same where a step is a move."""
    rest = re.search(r"To play: (.*)", text)
    rest = rest[1].split() if rest else []
    return [*read_numbers(text, agent), *(rest.count(die) / 4 for die in "123456")]


def test_the_numbers_say_what_the_text_says():
    compare_encoding("game:Backgammon-v0", read_numbers, seeds=2, steps=150)
    compare_encoding("game:Backgammon-v0", read_numbers_of_steps, seeds=2, steps=150, stepwise=True)


def positions(seeds):
    """Yield positions of random games, at the beginning of turns."""
    game = Backgammon()
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        state = game.start(rng, {})
        while state.to_act():
            yield state
            legal = state.legal(None)
            state = state.play(legal[int(rng.integers(len(legal)))], rng)


def ends_of_steps(state):
    """Return the men after each way to play a turn step by step."""
    ends, open_states = set(), [state]
    seen = set()
    while open_states:
        now = open_states.pop()
        for name in now.legal(None):
            after = now.play(name, np.random.default_rng(0))
            if after.past > state.past:
                ends.add(after.men)
            elif (after.men, after.rest) not in seen:
                seen.add((after.men, after.rest))
                open_states.append(after)
    return ends


def test_steps_lead_to_the_ends_of_whole_moves():
    compared, doubles, singles = 0, 0, 0
    for number, state in enumerate(positions(4)):
        first, second = state.dice
        if number % (3 if first == second else 11):
            continue
        whole = {state.play(name, np.random.default_rng(0)).men for name in state.legal(None)}
        steps = state._replace(rest=()).rolled()
        assert ends_of_steps(steps) == whole
        compared, doubles = compared + 1, doubles + (first == second)
        singles += len(steps.rest) == 1
    assert compared > 20
    assert doubles > 5
    assert singles


def test_steps_have_numbers_and_whole_moves_say_that():
    env = Env(Backgammon(stepwise=True), actions="discrete", invalid="lose")
    assert env.action_space("white").n == 150
    env.reset(seed=3)
    while env.to_act:
        (seat,) = env.to_act
        (open_steps,) = np.nonzero(env.observe(seat)["action_mask"])
        env.step(int(open_steps[env.turns % len(open_steps)]))
    assert not env.match.invalid_replies
    with pytest.raises(ValueError, match="150,000 ways; stepwise=True has a list of 150 moves"):
        Env(Backgammon(), actions="discrete")
