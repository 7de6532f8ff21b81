"""Scenes of sharing: rooms, chores, things, costs and coins are divided."""

import itertools

from gem_ma.envs.social.kit import NAMES, Case, Scene, agreed, answer, listed, number, pick, some

TWO, THREE, FOUR = (NAMES[:n] for n in (2, 3, 4))
ROOMS = ("attic", "garden", "street")
RENT = 30
CHORES = ("cook", "wash", "shop", "sweep", "iron", "weed")
HEIRLOOMS = ("clock", "piano", "ring", "desk", "quilt")
SLICES = 10
MENU = {"soup": 4, "salad": 5, "pasta": 8, "fish": 13, "steak": 16}
POTS = ("park", "school", "bridge", "library")
COINS = 12
THINGS = ("ladder", "drill", "tent", "kayak")
DISHES = ("stew", "bread", "pie", "salad", "soup", "cake")


def _rent(rng):
    values = []
    for _ in THREE:
        cuts = sorted(some(rng, range(4, 36), 2))
        values.append((cuts[0], cuts[1] - cuts[0], 40 - cuts[1]))
    worth = {order: sum(values[i][ROOMS.index(room)] for i, room in enumerate(order))
             for order in itertools.permutations(ROOMS)}  # fmt: skip
    order = max(worth, key=worth.__getitem__)
    each = (worth[order] - RENT) // 3  # each seat's share of the surplus
    rents = [values[i][ROOMS.index(room)] - each for i, room in enumerate(order)]
    rents[2] += RENT - sum(rents)
    low = min(rents)
    if low < 0:  # rents must not be negative: draw again
        return _rent(rng)
    facts = tuple(
        [("What a room is worth to you: "
          + listed(f"{room} {n}" for room, n in zip(ROOMS, row, strict=True)),) for row in values]
    )  # fmt: skip
    form = dict(zip(THREE, order, strict=True)) | {
        f"{seat}_pays": rent for seat, rent in zip(THREE, rents, strict=True)
    }
    return Case(facts, tuple(values), agreed(form, 3))


def _pay_rent(values, deal, said):
    if deal is None or {deal[seat] for seat in THREE} != set(ROOMS):
        return (0, 0, 0)
    rents = [deal[f"{seat}_pays"] for seat in THREE]
    if sum(rents) != RENT:
        return (0, 0, 0)
    return [
        (row[ROOMS.index(deal[seat])] - rent) / RENT
        for seat, row, rent in zip(THREE, values, rents, strict=True)
    ]


def _chores(rng):
    hours = tuple([tuple([number(rng, 1, 9) for _ in CHORES]) for _ in TWO])
    form = {chore: TWO[a > b] for chore, a, b in zip(CHORES, hours[0], hours[1], strict=True)}
    facts = tuple(
        [("Minutes that each chore takes you: "
          + listed(f"{chore} {n}" for chore, n in zip(CHORES, row, strict=True)),) for row in hours]
    )  # fmt: skip
    return Case(facts, hours, agreed(form, 2))


def _pay_chores(hours, deal, said):
    if deal is None:
        return (0, 0)
    return [
        1 - sum(n for chore, n in zip(CHORES, row, strict=True) if deal[chore] == seat) / 54
        for seat, row in zip(TWO, hours, strict=True)
    ]


def _heirlooms(rng):
    worth = []
    for _ in THREE:
        cuts = sorted(some(rng, range(1, 20), 4))
        worth.append(tuple([5 * (b - a) for a, b in zip((0, *cuts), (*cuts, 20), strict=True)]))
    every = itertools.product(range(3), repeat=len(HEIRLOOMS))
    best = max(every, key=lambda owners: _least(worth, owners))
    facts = tuple(
        [("Points out of 100 that a thing is worth to you: "
          + listed(f"{thing} {n}" for thing, n in zip(HEIRLOOMS, row, strict=True)),)
         for row in worth]
    )  # fmt: skip
    form = {thing: THREE[owner] for thing, owner in zip(HEIRLOOMS, best, strict=True)}
    return Case(facts, tuple(worth), agreed(form, 3))


def _least(worth, owners):
    return min(
        sum(n for n, owner in zip(row, owners, strict=True) if owner == seat)
        for seat, row in enumerate(worth)
    )


def _pay_heirlooms(worth, deal, said):
    if deal is None:
        return (0, 0, 0)
    return (_least(worth, [THREE.index(deal[thing]) for thing in HEIRLOOMS]) / 100,) * 3


def _cake(rng):
    worth = []
    for _ in range(2):
        cuts = sorted(number(rng, 0, 20) for _ in range(SLICES - 1))
        worth.append(tuple([b - a for a, b in zip((0, *cuts), (*cuts, 20), strict=True)]))
    plans = itertools.product(range(1, SLICES), ("left", "right"))
    cut, side = max(plans, key=lambda plan: sum(_pieces(worth, *plan)))
    facts = tuple([(f"What the ten slices are worth to you, from the left: {listed(row)}.",)
                   for row in worth])  # fmt: skip
    return Case(facts, tuple(worth), (answer(left=cut), answer(takes=side)))


def _pieces(worth, cut, side):
    """Return the values of the cutter's and the chooser's piece, as shares of the cake."""
    cutter, chooser = worth
    left_values = sum(cutter[:cut]), sum(chooser[:cut])
    if side == "left":
        return (20 - left_values[0]) / 20, left_values[1] / 20
    return left_values[0] / 20, (20 - left_values[1]) / 20


def _pay_cake(worth, answers, said):
    cut, side = answers["cutter"], answers["chooser"]
    return _pieces(worth, cut["left"], side["takes"]) if cut and side else (0, 0)


def _bill(rng):
    orders = [tuple(some(rng, list(MENU), number(rng, 1, 3))) for _ in THREE]
    wine = 3 * number(rng, 2, 6)
    debts = tuple([sum(MENU[dish] for dish in own) + wine // 3 for own in orders])
    prices = listed(f"{dish} {price}" for dish, price in MENU.items())
    facts = tuple(
        [(f"You had {listed(own)}. The menu: {prices}.",
          f"The wine, {wine} in all, is shared by all three.") for own in orders]
    )  # fmt: skip
    return Case(facts, debts, agreed(dict(zip(THREE, debts, strict=True)), 3))


def _pay_bill(owes, deal, said):
    """Pay each seat that pays exactly for its order and its wine, if the bill is paid in full."""
    if deal is None or sum(deal.values()) != sum(owes):
        return (0, 0, 0)
    return [float(deal[seat] == debt) for seat, debt in zip(THREE, owes, strict=True)]


def _budget(rng):
    cuts = sorted(some(rng, range(1, COINS), 3))
    needs = tuple([b - a for a, b in zip((0, *cuts), (*cuts, COINS), strict=True)])
    facts = tuple([(f"The {pot} is yours to see to: it needs {n} coins.",)
                   for pot, n in zip(POTS, needs, strict=True)])  # fmt: skip
    return Case(facts, needs, agreed(dict(zip(POTS, needs, strict=True)), 4))


def _pay_budget(needs, deal, said):
    if deal is None or sum(deal.values()) > COINS:
        return (0,) * 4
    return [float(deal[pot] >= n) for pot, n in zip(POTS, needs, strict=True)]


def _swap(rng):
    items = some(rng, THINGS, 3)
    permutation = pick(rng, ([1, 2, 0], [2, 0, 1], [1, 0, 2], [0, 2, 1], [2, 1, 0]))
    targets = [items[i] for i in permutation]
    facts = tuple(
        [(f"You own a {own}, and need " + (f"a {want}." if own != want else "it yourself."),)
         for own, want in zip(items, targets, strict=True)]
    )  # fmt: skip
    return Case(
        facts, (tuple(items), tuple(targets)), agreed(dict(zip(THREE, targets, strict=True)), 3)
    )


def _pay_swap(truth, deal, said):
    items, targets = truth
    if deal is None or sorted(deal.values()) != sorted(items):
        return (0, 0, 0)
    return [float(deal[seat] == want) for seat, want in zip(THREE, targets, strict=True)]


def _potluck(rng):
    while True:
        can = [some(rng, DISHES, 2) for _ in FOUR]
        fits = [p for p in itertools.product(range(2), repeat=4)
                if len({own[i] for own, i in zip(can, p, strict=True)}) == 4]  # fmt: skip
        if 1 <= len(fits) <= 4:
            break
    dishes = [own[i] for own, i in zip(can, fits[0], strict=True)]
    facts = tuple([(f"You can make {own[0]} or {own[1]}.",) for own in can])
    return Case(facts, tuple(map(tuple, can)), tuple([answer(dish=dish) for dish in dishes]))


def _pay_potluck(can, answers, said):
    dishes = [answers[seat] and answers[seat]["dish"] for seat in FOUR]
    fine = [dish in own and dishes.count(dish) == 1 for dish, own in zip(dishes, can, strict=True)]
    return (float(all(fine)),) * 4


SCENES = {
    "Rent": Scene(
        "rent three rooms of one flat: who gets which, and pays how much",
        THREE,
        f"You rent a flat of three rooms for {RENT} in all: each gets one room, and your rents "
        "add up "
        f"to {RENT}. A seat earns what its room is worth to it less its rent, divided by {RENT}; "
        "without such an agreement nobody earns anything.",
        _rent, _pay_rent,
        {**dict.fromkeys(THREE, ROOMS), **{f"{seat}_pays": range(RENT + 1) for seat in THREE}},
        rounds=8,
    ),
    "Chores": Scene(
        "split six chores between two who are good at different ones",
        TWO,
        "You share six chores. A seat earns 1 less its own minutes divided by 54; both earn "
        "nothing "
        "without an agreement.",
        _chores, _pay_chores, dict.fromkeys(CHORES, TWO),
    ),
    "Heirlooms": Scene(
        "share five things; each seat earns the value of the seat that got the least",
        THREE,
        "You share five things that your aunt left to you. All of you earn the same: the points of "
        "whoever gets things that are worth least to it, divided by 100.",
        _heirlooms, _pay_heirlooms, dict.fromkeys(HEIRLOOMS, THREE), rounds=8,
    ),
    "Cake": Scene(
        "one cuts, the other chooses",
        ("cutter", "chooser"),
        "A cake has ten slices. The cutter answers how many of them are the left piece, then the "
        "chooser answers which piece it takes; the cutter gets the other. Each earns what its "
        "piece "
        "is worth to it, as a share of the whole cake.",
        _cake, _pay_cake,
        answers={"cutter": {"left": range(1, SLICES)}, "chooser": {"takes": ("left", "right")}},
        open=True,
    ),
    "Bill": Scene(
        "split a bill: each pays what it had, and its share of the wine",
        THREE,
        "You pay the bill of a restaurant. If your amounts add up to the bill, a seat earns 1 if "
        "it "
        "pays exactly for what it had, and a third of the wine.",
        _bill, _pay_bill, {seat: range(61) for seat in THREE},
    ),
    "Budget": Scene(
        "divide 12 coins among four projects; each seat knows the need of one",
        FOUR,
        f"You divide {COINS} coins among four projects, each of which one of you sees to. A seat "
        "earns "
        f"1 if its project gets what it needs; if you give more than {COINS}, nobody earns "
        "anything.",
        _budget, _pay_budget, {pot: range(COINS + 1) for pot in POTS}, rounds=8,
    ),
    "Swap": Scene(
        "each owns one thing and needs another; they swap in pairs or all three in a circle",
        THREE,
        "Each of you owns a thing, and needs one. Agree on who gets which; nothing is given "
        "twice. A "
        "seat earns 1 if it gets the one that it needs.",
        _swap, _pay_swap, dict.fromkeys(THREE, THINGS),
    ),
    "Potluck": Scene(
        "bring four different dishes, each one that its cook can make",
        FOUR,
        "Each of you brings a dish to a party, which it answers for itself. All earn 1 if "
        "everybody "
        "brings a dish that it can make, and no two bring the same; else nobody earns anything.",
        _potluck, _pay_potluck, answers={seat: {"dish": DISHES} for seat in FOUR},
    ),
}  # fmt: skip
