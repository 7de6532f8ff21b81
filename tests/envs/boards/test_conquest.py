"""Conquest: random games beside a second set of the rules, positions by hand, and search."""

import re
from collections import Counter

import numpy as np
import pytest
from game_contract import compare_encoding, rotate

from gem_ma import Env, InvalidMove
from gem_ma.agents.search import SearchAgent
from gem_ma.envs.boards.conquest import BESIDE, COLORS, LANDS, PLACES, Conquest, State
from gem_ma.rollouts.rollout import rollout
from gem_ma.testing import check_env

TRIANGLES = ("alder birch cedar", "delta ember fjord", "gorge haven islet", "jetty knoll lagoon")
ROADS = (
    "alder birch,alder cedar,birch cedar,delta ember,delta fjord,ember fjord,gorge haven,"
    "gorge islet,haven islet,jetty knoll,jetty lagoon,knoll lagoon,birch delta,cedar fjord,"
    "cedar gorge,fjord jetty,ember knoll,haven jetty,islet lagoon"
)
ROADS = {frozenset(road.split()) for road in ROADS.split(",")}


class Referee:
    """The rules once more, over dictionaries, with dice that it is told."""

    def __init__(self, owners, seats, rounds):
        self.map = {land: [owner, 2] for land, owner in owners.items()}
        self.seats, self.rounds, self.round, self.at = list(seats), rounds, 1, 0
        self.all, self.purse = list(seats), 0
        self.collect()

    def of(self, seat):
        return {land: n for land, (owner, n) in self.map.items() if owner == seat}

    def collect(self):
        mine = self.of(self.all[self.at])
        self.purse = 3 + sum(2 for three in TRIANGLES if set(three.split()) <= set(mine))

    def over(self):
        return self.round > self.rounds or sum(bool(self.of(seat)) for seat in self.all) == 1

    def moves(self):
        seat = self.all[self.at]
        if self.purse:
            return {f"place {land}" for land in self.of(seat)}
        found = {"done"}
        for one, n in self.of(seat).items():
            for two in self.map:
                if n > 1 and frozenset((one, two)) in ROADS:
                    verb = "move" if self.map[two][0] == seat else "attack"
                    found.add(f"{verb} {one} {two}")
        return found

    def do(self, text, dice):
        verb, *lands = text.split()
        if verb == "place":
            self.map[lands[0]][1] += self.purse
            self.purse = 0
        elif verb == "attack":
            self.fight(*(self.map[land] for land in lands), *dice)
        else:
            if verb == "move":
                one, two = (self.map[land] for land in lands)
                two[1], one[1] = two[1] + one[1] - 1, 1
            self.next()

    def fight(self, one, two, mine, theirs):
        assert len(mine) == min(3, one[1] - 1)
        assert len(theirs) == min(2, two[1])
        assert all(1 <= die <= 6 for die in mine + theirs)
        mine, theirs = sorted(mine), sorted(theirs)
        while mine and theirs:
            if mine.pop() > theirs.pop():
                two[1] -= 1
            else:
                one[1] -= 1
        if two[1] == 0:
            two[:], one[1] = [one[0], one[1] - 1], 1

    def next(self):
        while True:
            self.at += 1
            if self.at == len(self.all):
                self.at, self.round = 0, self.round + 1
            if self.of(self.all[self.at]):
                return self.collect()

    def pay(self):
        if not self.over():
            return {seat: 0 if self.of(seat) else -1 / (len(self.all) - 1) for seat in self.all}
        size = {seat: (len(self.of(seat)), sum(self.of(seat).values())) for seat in self.all}
        best = [seat for seat in self.all if size[seat] == max(size.values())]
        lost = len(self.all) - len(best)
        each = 1 / (len(self.all) - 1)
        return {seat: lost * each / len(best) if seat in best else -each for seat in self.all}


@pytest.mark.parametrize("games", [8, pytest.param(300, marks=pytest.mark.slow)])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_random_games_agree_with_the_second_rules(players, games):
    seen = Counter()
    for seed in range(games):
        rng, game = np.random.default_rng(seed), Conquest(players, rounds=5 + 20 * (seed % 2))
        state = game.start(rng, {})
        owners = {land: COLORS[o] for land, o in zip(LANDS, state.owners, strict=True)}
        assert Counter(owners.values()) == dict.fromkeys(game.agents, 12 // players)
        second = Referee(owners, game.agents, game.rounds)
        while state.to_act():
            assert not second.over()
            (seat,) = state.to_act()
            assert second.all[second.at] == seat
            assert (second.round, second.purse) == (state.round, state.new)
            legal = state.legal(seat)
            assert len(legal) == len(set(legal))
            assert set(legal) == second.moves()
            eager = [move for move in legal if move.startswith("attack")] if seed % 2 else []
            pool = eager or legal
            move = pool[int(rng.integers(len(pool)))]
            state = game.advance(state, {seat: game.read(move.upper(), state, seat)}, rng)
            second.do(move, state.rolled)
            shown = zip(LANDS, state.owners, state.armies, strict=True)
            assert {land: [COLORS[o], n] for land, o, n in shown} == second.map
            assert state.returns() == pytest.approx(second.pay())
            assert set(state.out()) == {one for one in game.agents if not second.of(one)}
        assert second.over()
        assert sum(state.returns().values()) == pytest.approx(0)
        seen["rounds" if state.round > state.rounds else "all"] += 1
    assert seen["rounds"]
    assert seen["all"]


def test_the_map_is_what_the_rules_and_the_picture_say():
    pairs = {frozenset((LANDS[a], LANDS[b])) for a, near in enumerate(BESIDE) for b in near}
    assert pairs == ROADS
    assert len(set(PLACES)) == 12
    scene = Conquest().picture(Conquest().start(np.random.default_rng(0), {}), None)
    assert len(scene.lines) == len(ROADS)
    for road, (_, x1, y1, x2, y2, _) in zip(sorted(ROADS, key=_order), scene.lines, strict=True):
        ends = [PLACES[LANDS.index(land)] for land in sorted(road)]
        for x, y in ends:
            assert min(abs(x - x1) + abs(y - y1), abs(x - x2) + abs(y - y2)) < 0.12


def _order(road):
    return sorted(LANDS.index(land) for land in road)


def position(held, turn=0, seats=3, new=0, **others):
    """Return a position: {land: (seat, armies)}; the rest is seat 2's with one army."""
    owners = tuple(held.get(land, (2, 1))[0] for land in LANDS)
    return State(
        seats, 8, owners, tuple(held.get(land, (2, 1))[1] for land in LANDS), new, turn, **others
    )


def test_who_loses_its_last_land_is_out_and_the_winner_may_go_on():
    game, rng = Conquest(), np.random.default_rng(1)
    state = position({"alder": (0, 30), "birch": (1, 1)})
    while state.owners[1] == 1:
        state = game.advance(state, {"red": "attack alder birch"}, rng)
    assert state.out() == ("blue",)
    assert state.to_act() == ("red",)
    assert state.returns() == {"red": 0.0, "blue": -0.5, "white": 0.0}
    assert state.armies[0] == 1
    assert "move birch alder" in state.legal("red")
    assert state.ended().to_act() == ("white",)


def test_a_whole_region_brings_more_armies():
    state = position(dict.fromkeys(("alder", "birch", "cedar", "delta"), (0, 1)), turn=2)
    assert state.ended()._replace(turn=0).income() == 5
    assert state.ended().new == 5
    assert state.ended().round == 2
    state = Conquest().advance(state.ended(), {"red": "place delta"}, None)
    assert state.armies[3] == 6
    assert state.new == 0


def test_who_leaves_is_out_and_its_armies_stay():
    game = Conquest()
    state = game.start(np.random.default_rng(0), {})
    left = game.forfeit(state, "red", None)
    assert left.to_act() == ("blue",)
    assert left.out() == ("red",)
    assert left.owners == state.owners
    assert "Left: red" in game.describe(left, None)
    assert left._replace(turn=2).ended().turn == 1
    end = game.forfeit(left, "white", None)
    assert end.to_act() == ()
    assert end.returns() == {"red": -0.5, "blue": 1.0, "white": -0.5}
    two = Conquest(2)
    begun = two.start(np.random.default_rng(0), {})
    assert two.forfeit(begun, "blue", None).returns() == {"red": 1.0, "blue": -1.0}


def test_what_others_hear_is_the_dice():
    game, rng = Conquest(), np.random.default_rng(3)
    state = position({"alder": (0, 4), "birch": (1, 2), "lagoon": (1, 2)})
    after = game.advance(state, {"red": "attack alder birch"}, rng)
    mine, theirs = (" ".join(map(str, dice)) for dice in after.rolled)
    said = [str(m) for m in game.tell(state, {"red": "attack alder birch"}, after)]
    assert said == ["red: attack alder birch", f"red rolls {mine} against {theirs}."]
    assert f"Rolled: {mine} against {theirs}" in game.describe(after, "white")


def test_what_is_refused_says_why():
    game = Conquest()
    state = position({"alder": (0, 4), "birch": (1, 2), "cedar": (0, 1)}, new=3)
    placed = state._replace(new=0)
    for view, text, why in (
        (state, "attack alder birch", "place your 3 armies first"),
        (placed, "place alder", "your armies are placed"),
        (placed, "attack birch delta", "birch is not yours"),
        (placed, "attack cedar birch", "cedar has one army"),
        (placed, "attack alder cedar", "cedar is yours already"),
        (placed, "move alder birch", "birch is not yours"),
        (placed, "attack alder delta", r"is not a legal move$"),
        (placed, "", r"is not a legal move$"),
    ):
        with pytest.raises(InvalidMove, match=why):
            game.read(text, view, "red")
    assert game.read("Attack from Alder to Birch.", placed, "red") == "attack alder birch"
    assert game.skip(state, "red") == "place alder"
    assert game.skip(placed, "red") == "done"


@pytest.mark.slow
def test_the_contract():
    check_env(Env(Conquest(3, rounds=2), id="game:Conquest-v0"), seeds=1, processes=False)


@pytest.mark.parametrize("games", [1, pytest.param(12, marks=pytest.mark.slow)])
def test_search_beats_chance(games):
    env, agent = Env(Conquest(2, rounds=3)), SearchAgent(simulations=40, nodes=0)
    episodes = rollout(env, [agent, "random"], episodes=games, seed=2, shuffle=True)
    returns = [e.returns[s] for e in episodes for s, a in e.agents.items() if a != "random"]
    assert sum(returns) > 0.5 * games


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_numbers_say_what_the_text_says(players):
    def read(text, agent):
        own, row = COLORS.index(agent), []
        seats = rotate(COLORS[:players], own)
        for _, color, armies in re.findall(r"(\w+) (red|blue|white|black) (\d+)", text):
            row += [*(seat == color for seat in seats), int(armies) / (int(armies) + 5)]
        acts = re.search(r"To act: (\w+)", text)
        gone = re.search(r"Left: (.*)", text)
        row += [bool(acts) and seat == acts[1] for seat in seats]
        row += [bool(gone) and seat in gone[1].split(", ") for seat in seats]
        new = re.search(r"(\d+) armies to place", text)
        rounds = re.search(r"Round (\d+) of (\d+)", text)
        share = int(rounds[1]) / int(rounds[2]) if rounds else 0
        return [*row, int(new[1]) / 11 if new else 0, share]

    compare_encoding("game:Conquest-v0", read, steps=120, players=players)
