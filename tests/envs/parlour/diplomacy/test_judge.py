"""Diplomacy: what comes of orders, against an adjudicator that tries all outcomes there may be."""

import itertools

import numpy as np
import pytest

from gem_ma.envs.parlour.diplomacy import orders as language
from gem_ma.envs.parlour.diplomacy.board import CENTRES, HOMES, NEAR, PLACES, POWERS, PROVINCES
from gem_ma.envs.parlour.diplomacy.judge import judge
from gem_ma.envs.parlour.diplomacy.orders import Order


def outcome(units, orders):
    """Try which moves may succeed together; of those that agree, take that with most of them.

    Everything is counted from what is supposed at once: who leaves, who is driven out, which
    supports are cut. Only where moves go around in a circle do several outcomes agree.
    """
    units, order = dict(units), {o.at: o for o in orders}
    moves = {at: o.to for at, o in order.items() if o.to and not o.of}
    for many in range(len(moves), -1, -1):
        found = [
            set(chosen)
            for chosen in itertools.combinations(sorted(moves), many)
            if agrees(units, order, moves, set(chosen))
        ]
        if found:
            assert len(found) == 1
            return found[0]
    raise AssertionError("nothing agrees")


def helped(units, order, moves, go):
    """Return which powers support each army, where nothing cuts them."""
    helps = {at: [] for at in units}
    for at, o in order.items():
        if not o.of or o.of not in units or moves.get(o.of, o.of) != o.to:
            continue
        hits = [x for x, to in moves.items() if to == at and units[x] != units[at]]
        if not [x for x in hits if x != o.to or x in go]:
            helps[o.of].append(units[at])
    return helps


def wins(at, units, moves, go, helps):
    """Return whether a move succeeds, if those in `go` do."""
    to, force = moves[at], 1 + len(helps[at])
    enemy, opposite = units.get(to), moves.get(to) == at
    if enemy and (opposite or to not in go):
        force = 1 + len([power for power in helps[at] if power != enemy])
        stays = to not in moves or opposite
        if enemy == units[at] or force <= 1 + (len(helps[to]) if stays else 0):
            return False
    rivals = [other for other, there in moves.items() if there == to and other != at]
    beaten = moves.get(to) if to in go else None  # by what comes out of there
    return all(other == beaten or force > 1 + len(helps[other]) for other in rivals)


def agrees(units, order, moves, go):
    if len({moves[at] for at in go}) < len(go):
        return False
    helps = helped(units, order, moves, go)
    return all((at in go) == wins(at, units, moves, go, helps) for at in moves)


def random_case(rng):
    many = int(rng.integers(3, 11))
    places = sorted(rng.permutation(PROVINCES)[:many].tolist())
    units = {at: POWERS[int(rng.integers(len(POWERS)))] for at in places}
    found = []
    for at in places:
        options = language.every(at, places)
        moves = [o for o in options if o.to and not o.of]
        some = moves if rng.random() < 0.5 else options
        found.append(some[int(rng.integers(len(some)))])
    for i, o in enumerate(found):  # supports that fit what is ordered, more often than by chance
        fits = [
            Order(o.at, other.to, other.at)
            for other in found
            if other.to in NEAR[o.at] and not other.of and other.at != o.at
        ]
        if fits and rng.random() < 0.5:
            found[i] = fits[int(rng.integers(len(fits)))]
    return units, tuple(found)


@pytest.mark.parametrize("part", range(4))
def test_random_orders_against_all_outcomes(part):
    rng = np.random.default_rng(part)
    seen = dict.fromkeys(("dislodged", "circle", "stood off"), 0)
    for _ in range(400):
        units, found = random_case(rng)
        after, dislodged, moved = judge(units.items(), found)
        go = outcome(units, found)
        assert set(moved) == go, (units, list(map(str, found)))
        stay = {at for at in units if at not in go}
        assert {at for at, _, _ in dislodged} == stay & set(moved.values())
        assert sorted(after) == sorted(
            [(moved.get(at, at), power) for at, power in units.items()
             if at in go or at not in moved.values()]
        )  # fmt: skip
        seen["dislodged"] += len(dislodged)
        seen["circle"] += go == set(moved.values()) and len(go) > 2
        seen["stood off"] += any(not o.of and o.to and o.at not in go for o in found)
    assert seen["dislodged"] > 40
    assert seen["stood off"] > 100


CASES = {  # armies, orders, who moves, who is dislodged: as the usual rules have it
    "two into one": ("n ARD, e DOR", "ARD - CAL; DOR - FEN", "ARD DOR", ""),
    "stand-off": ("n BIR, e DOR", "BIR - MOR; DOR - MOR", "", ""),
    "supported": ("n BIR, n CAL, e DOR", "BIR - MOR; CAL S BIR - MOR; DOR - MOR", "BIR", ""),
    "no exchange": ("n ARD, e CAL", "ARD - CAL; CAL - ARD", "", ""),
    "stronger head on": ("n ARD, n PER, e CAL", "ARD - CAL; PER S ARD - CAL; CAL - ARD", "ARD",
                         "CAL"),
    "held": ("n ARD, n PER, e CAL, e BIR", "ARD - CAL; PER S ARD - CAL; BIR S CAL", "", ""),
    "cut": ("n ARD, n PER, e CAL, w KEL", "ARD - CAL; PER S ARD - CAL; KEL - PER", "", ""),
    "not cut by its target": ("n ARD, n PER, e CAL", "ARD - CAL; PER S ARD - CAL; CAL - PER",
                              "ARD", "CAL"),
    "not cut by a friend": ("n ARD, n PER, e CAL, n KEL", "ARD - CAL; PER S ARD - CAL; KEL - PER",
                            "ARD", "CAL"),
    "cut when dislodged by its target": (
        "n ARD, n PER, e CAL, e LUN", "ARD - CAL; PER S ARD - CAL; CAL - PER; LUN S CAL - PER",
        "ARD CAL", "PER"),
    "circle of three": ("n ARD, e CAL, s BIR", "ARD - CAL; CAL - BIR; BIR - ARD", "ARD CAL BIR",
                        ""),
    "circle broken": ("n ARD, e CAL, s BIR, w PER, w LUN",
                      "ARD - CAL; CAL - BIR; BIR - ARD; PER - CAL; LUN H", "", ""),
    "not its own": ("n ARD, n PER, n CAL", "ARD - CAL; PER S ARD - CAL; CAL H", "", ""),
    "not with the own power's help": ("n ARD, e PER, e CAL", "ARD - CAL; PER S ARD - CAL", "", ""),
    "chain": ("n ARD, n CAL, n FEN", "ARD - CAL; CAL - FEN; FEN - DOR", "ARD CAL FEN", ""),
    "chain stopped": ("n ARD, n CAL, n FEN, e DOR", "ARD - CAL; CAL - FEN; FEN - DOR", "", ""),
    "a mover is not held by support": (
        "n ARD, n PER, e CAL, e FEN, s LUN",
        "ARD - CAL; PER S ARD - CAL; CAL - LUN; FEN S CAL", "ARD", "CAL"),
    "beleaguered": ("n ARD, n PER, e CAL, s FEN, s MOR",
                    "ARD - CAL; PER S ARD - CAL; FEN - CAL; MOR S FEN - CAL", "", ""),
    "a dislodged army does not stop who follows its attacker": (
        "n ARD, n PER, e CAL, n BIR", "ARD - CAL; PER S ARD - CAL; CAL - ARD; BIR - ARD",
        "ARD BIR", "CAL"),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_known_cases(name):
    armies, text, going, gone = CASES[name]
    long = {power[0]: power for power in POWERS}
    units = {at: long[p] for p, at in (one.split() for one in armies.split(", "))}
    found = language.read(text, tuple(units), tuple(units))
    _, dislodged, moved = judge(units.items(), found)
    assert set(moved) == set(going.split())
    assert {at for at, _, _ in dislodged} == set(gone.split())
    held = [o for o in found if o.at not in units]
    assert not held
    full = [*found, *(Order(at) for at in units if at not in {o.at for o in found})]
    assert outcome(units, full) == set(moved)


def test_where_an_army_may_retreat():
    units = {"ARD": "north", "PER": "north", "CAL": "east", "FEN": "south", "QUA": "west",
             "ISE": "south"}  # fmt: skip
    found = language.read(
        "ARD - CAL; PER S ARD - CAL; FEN - MOR; QUA - LUN; ISE - LUN", tuple(units), tuple(units)
    )
    ((at, power, free),) = judge(units.items(), found)[1]
    assert (at, power) == ("CAL", "east")
    # Not to ARD, where it was driven from; PER is held, QUA too, and LUN was fought for.
    assert free == ("BIR", "FEN")


def test_the_map_is_the_same_from_four_sides():
    assert len(PROVINCES) == 17
    assert len(CENTRES) == 13
    assert all(at in NEAR[to] for at in NEAR for to in NEAR[at])
    turned = {}
    for name, (x, y) in PLACES.items():
        (there,) = [n for n, (u, v) in PLACES.items() if abs(u - (1 - y)) + abs(v - x) < 1e-6]
        turned[name] = there
    assert all({turned[to] for to in NEAR[at]} == set(NEAR[turned[at]]) for at in NEAR)
    sides = list(HOMES.values())
    for side, following in zip(sides, sides[1:] + sides[:1], strict=True):
        assert tuple(turned[at] for at in side) == following
    crossing = [
        (a, b, c, d)
        for a, b in itertools.combinations(PROVINCES, 2)
        for c, d in itertools.combinations(PROVINCES, 2)
        if b in NEAR[a] and d in NEAR[c] and len({a, b, c, d}) == 4 and cross(a, b, c, d)
    ]
    assert crossing == []


def cross(a, b, c, d):
    def side(p, q, r):
        (px, py), (qx, qy), (rx, ry) = PLACES[p], PLACES[q], PLACES[r]
        return (qx - px) * (ry - py) - (qy - py) * (rx - px) > 0

    return side(a, b, c) != side(a, b, d) and side(c, d, a) != side(c, d, b)
