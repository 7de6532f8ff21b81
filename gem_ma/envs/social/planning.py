"""Scenes of planning: seats find a time, a place or an order that meets the needs of each."""

import itertools

from gem_ma.envs.social.kit import NAMES, Case, Scene, agreed, listed, number, pick, some

TWO, THREE, FOUR = (NAMES[:n] for n in (2, 3, 4))
DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri")
HOURS = range(9, 18)
SLOTS = tuple(itertools.product(DAYS, HOURS))
PLACES = ("Alba", "Borgo", "Ceres", "Delta", "Etna", "Fiori")
KITCHENS = ("Thai", "Greek", "Indian", "French")
FILMS = ("Arrival", "Brazil", "Casablanca", "Dune", "Eraserhead", "Fargo")
CITIES = ("Rome", "Oslo", "Lima", "Cairo")
NIGHTS = range(1, 8)
ORDERS = tuple(["-".join(order) for order in itertools.permutations(FOUR)])
CORNERS = range(10)
CLOCK = range(24)


def _slots(slots):
    times = {day: [hour for d, hour in sorted(slots) if d == day] for day in DAYS}
    return [f"{day} at {listed(hours)}" for day, hours in times.items() if hours]


def _meeting(rng):
    sample = some(rng, SLOTS, 15)
    common, free = sample[0], (sample[:8], [sample[0], *sample[8:]])
    facts = tuple([("You are free on", *_slots(slots)) for slots in free])
    return Case(facts, common, agreed({"day": common[0], "hour": common[1]}, 2))


def _pay_meeting(common, deal, said):
    success = deal is not None and (deal["day"], deal["hour"]) == common
    return (float(success),) * 2


def _suits(place, hour, guest):
    (_, price, kitchen), (budget, dislike, first, last) = place, guest
    return price <= budget and kitchen != dislike and first <= hour <= last


def _dinner(rng):
    while True:
        places = [(p, 10 * number(rng, 1, 5), pick(rng, KITCHENS)) for p in PLACES]
        guests = []
        for _ in THREE:
            first = number(rng, 17, 20)
            guests.append((10 * number(rng, 2, 5), pick(rng, KITCHENS), first, first + 2))
        options = [
            (place[0], hour)
            for place in places
            for hour in range(17, 23)
            if all(_suits(place, hour, guest) for guest in guests)
        ]
        if len(options) == 1:
            break
    menu = [f"{name}: {kitchen}, {price} each" for name, price, kitchen in places]
    facts = tuple(
        [
            (f"You can spend {budget}, eat no {dislike} food, and can come from {first} to {last}.",
             "The places:", *menu)
            for budget, dislike, first, last in guests
        ]
    )  # fmt: skip
    ((place, hour),) = options
    return Case(facts, (place, hour), agreed({"place": place, "hour": hour}, 3))


def _pay_dinner(fit, deal, said):
    return (float(deal is not None and (deal["place"], deal["hour"]) == fit),) * 3


def _film(rng):
    while True:
        rates = [[number(rng, 0, 10) for _ in FILMS] for _ in TWO]
        sums = list(map(sum, zip(*rates, strict=True)))
        best = max(sums)
        both_top = [row.index(max(row)) for row in rates]
        if sums.count(best) == 1 and best >= 10 and both_top[0] != both_top[1]:
            break
    facts = tuple(
        [
            ("How much you would like each film, 0 to 10:",
             listed(f"{film} {n}" for film, n in zip(FILMS, row, strict=True)))
            for row in rates
        ]
    )  # fmt: skip
    return Case(facts, tuple(map(tuple, rates)), agreed({"film": FILMS[sums.index(best)]}, 2))


def _pay_film(rates, deal, said):
    return [row[FILMS.index(deal["film"])] / 10 for row in rates] if deal else (0, 0)


def _trip(rng):
    while True:
        prices = [10 * number(rng, 2, 9) for _ in CITIES]
        joys = [[number(rng, 0, 10) for _ in CITIES] for _ in THREE]
        purses = [50 * number(rng, 3, 8) for _ in THREE]
        truth = tuple(prices), tuple(map(tuple, joys)), tuple(purses)
        payoffs = {
            (city, nights): sum(_pay_trip(truth, {"city": city, "nights": nights}, ()))
            for city in CITIES
            for nights in NIGHTS
        }
        best = max(payoffs, key=payoffs.__getitem__)
        if payoffs[best] > 0.6:
            break
    rates = listed(f"{city} {price}" for city, price in zip(CITIES, prices, strict=True))
    facts = tuple(
        [
            (f"You have {purse} for the nights. A night is worth to you:",
             listed(f"{city} {n}" for city, n in zip(CITIES, row, strict=True)),
             f"A night costs each of you: {rates}")
            for row, purse in zip(joys, purses, strict=True)
        ]
    )  # fmt: skip
    return Case(facts, truth, agreed({"city": best[0], "nights": best[1]}, 3))


def _pay_trip(truth, deal, said):
    """Pay each seat its joy of the nights, or nobody if one seat cannot afford the trip."""
    prices, joys, purses = truth
    if deal is None:
        return (0, 0, 0)
    city, nights = CITIES.index(deal["city"]), deal["nights"]
    if nights * prices[city] > min(purses):
        return (0, 0, 0)
    return [nights * row[city] / 70 for row in joys]


def _shifts(rng):
    while True:
        can = [sorted(some(rng, range(4), 2)) for _ in FOUR]
        assignments = [p for p in itertools.permutations(range(4))
                       if all(day in can[seat] for seat, day in enumerate(p))]  # fmt: skip
        if assignments:
            break
    facts = tuple([(f"You can work on {DAYS[a]} and on {DAYS[b]}.",) for a, b in can])
    form = {
        DAYS[day].lower(): FOUR[seat]
        for day, seat in sorted((d, s) for s, d in enumerate(assignments[0]))
    }
    return Case(facts, tuple(map(tuple, can)), agreed(form, 4))


def _pay_shifts(can, deal, said):
    """Pay each seat that works exactly once, on a day that suits it."""
    if deal is None:
        return (0,) * 4
    works = [[day for day in range(4) if deal[DAYS[day].lower()] == seat] for seat in FOUR]
    return [float(len(days) == 1 and days[0] in can[i]) for i, days in enumerate(works)]


def _wishes(rng, seat):
    """Draw two wishes of a seat: next to or away from somebody, at an end or in the middle."""
    others = [name for name in FOUR if name != seat]
    near, far = some(rng, others, 2)
    return some(rng, [("near", near), ("far", far), ("end", ""), ("middle", "")], 2)


def _met(seat, wish, order):
    kind, other = wish
    place = order.index(seat)
    if kind in ("near", "far"):
        return (abs(place - order.index(other)) == 1) == (kind == "near")
    return (place in (0, 3)) == (kind == "end")


def _seating(rng):
    while True:
        wishes = []
        for seat in FOUR:
            wish_list = _wishes(rng, seat)
            while {kind for kind, _ in wish_list} == {"end", "middle"}:
                wish_list = _wishes(rng, seat)
            wishes.append(tuple(wish_list))
        sums = {order: sum(_pay_seating(tuple(wishes), {"order": order}, ())) for order in ORDERS}
        best = max(sums.values())
        if best >= 3 and list(sums.values()).count(best) <= 2:
            break
    words = {
        "near": "to sit beside {}", "far": "not to sit beside {}",
        "end": "a place at an end", "middle": "a place that is not at an end",
    }  # fmt: skip
    facts = tuple(
        [("You wish " + " and ".join(words[kind].format(other) for kind, other in wish_list) + ".",)
         for wish_list in wishes]
    )  # fmt: skip
    order = max(sums, key=sums.__getitem__)
    return Case(facts, tuple(wishes), agreed({"order": order}, 4))


def _pay_seating(wishes, deal, said):
    if deal is None:
        return (0,) * 4
    order = deal["order"].split("-")
    return [
        float(all(_met(seat, wish, order) for wish in own_wishes))
        for seat, own_wishes in zip(FOUR, wishes, strict=True)
    ]


def _far(homes, x, y):
    return max(abs(x - a) + abs(y - b) for a, b in homes)


def _corner(rng):
    homes = tuple([(number(rng, 0, 9), number(rng, 0, 9)) for _ in TWO])
    while homes[0] == homes[1]:
        homes = homes[0], (number(rng, 0, 9), number(rng, 0, 9))
    best = min(itertools.product(CORNERS, repeat=2), key=lambda corner: _far(homes, *corner))
    facts = tuple([(f"You live at street {x}, avenue {y}.",) for x, y in homes])
    return Case(facts, homes, agreed({"street": best[0], "avenue": best[1]}, 2))


def _pay_corner(homes, deal, said):
    if deal is None:
        return (0, 0)
    least = min(_far(homes, x, y) for x, y in itertools.product(CORNERS, repeat=2))
    return (max(0.0, 1 - (_far(homes, deal["street"], deal["avenue"]) - least) / 4),) * 2


def _zones(rng):
    while True:
        ahead = number(rng, -8, 8), number(rng, -8, 8)
        works = tuple([(first, first + 8) for first in (number(rng, 6, 14), number(rng, 6, 14))])
        truth = ahead, works
        fits = [
            (a, b)
            for a in range(works[0][0], works[0][1] + 1)
            if _pay_zones(truth, {"ann": a, "ben": (b := (a - ahead[0] + ahead[1]) % 24)}, ())[0]
        ]
        if ahead[0] != ahead[1] and 1 <= len(fits) <= 3:
            break
    facts = tuple(
        [
            (f"Your clock is {abs(hours)} hours {'ahead of' if hours > 0 else 'behind'} Greenwich.",
             f"You can talk from {first} to {last} o'clock of yours, both included.")
            for hours, (first, last) in zip(ahead, works, strict=True)
        ]
    )  # fmt: skip
    return Case(facts, truth, agreed({"ann": fits[0][0], "ben": fits[0][1]}, 2))


def _pay_zones(truth, deal, said):
    ahead, works = truth
    if deal is None:
        return (0, 0)
    hours = deal["ann"], deal["ben"]
    is_simultaneous = (hours[0] - ahead[0] - hours[1] + ahead[1]) % 24 == 0
    all_awake = all(first <= h <= last for h, (first, last) in zip(hours, works, strict=True))
    return (float(is_simultaneous and all_awake),) * 2


SCENES = {
    "Meeting": Scene(
        "find the one hour that is free for both",
        TWO,
        "You want to meet for an hour in this week. You both earn 1 if you agree on a time at "
        "which "
        "both are free, and nothing otherwise.",
        _meeting, _pay_meeting, {"day": DAYS, "hour": HOURS},
    ),
    "Dinner": Scene(
        "find the one place and hour that suit three budgets, tastes and calendars",
        THREE,
        "You want to have dinner together. You all earn 1 if you agree on a place and an hour that "
        "suit everybody: what each can spend, does not eat, and when each can come.",
        _dinner, _pay_dinner, {"place": PLACES, "hour": range(17, 23)},
    ),
    "FilmNight": Scene(
        "choose one of six films that each likes differently",
        TWO,
        "You choose a film for tonight. Each of you earns a tenth of how much it likes the film "
        "that "
        "you agree on, and nothing if you agree on none.",
        _film, _pay_film, {"film": FILMS},
    ),
    "Trip": Scene(
        "choose a city, and as many nights as the smallest budget allows",
        THREE,
        "You plan a trip together. Each of you earns what the nights are worth to it, divided by "
        "70; "
        "but all earn nothing if anybody cannot pay for its nights, or if you do not agree.",
        _trip, _pay_trip, {"city": CITIES, "nights": NIGHTS},
    ),
    "Shifts": Scene(
        "fill four shifts with four people, each of whom can work on two days",
        FOUR,
        "Each of you is to work on one of the days Mon to Thu, one on each. A seat earns 1 if it "
        "works exactly once, on a day on which it can.",
        _shifts, _pay_shifts, {day.lower(): FOUR for day in DAYS[:4]},
    ),
    "Seating": Scene(
        "seat four on a bench so that most wishes come true",
        FOUR,
        "You are to sit on a bench, from left to right in an order that you agree on. A seat earns "
        "1 if both of its wishes come true.",
        _seating, _pay_seating, {"order": ORDERS},
    ),
    "MeetingPoint": Scene(
        "meet at the corner for which the longer of the two ways is shortest",
        TWO,
        "You want to meet at a corner of a town with streets 0 to 9 and avenues 0 to 9; a way from "
        "street to street or from avenue to avenue is a block. You both earn 1 if the further of "
        "your two ways is as short as it can be, and a quarter less for each block more.",
        _corner, _pay_corner, {"street": CORNERS, "avenue": CORNERS},
    ),
    "TimeZones": Scene(
        "find a moment at which both can talk, in two time zones",
        TWO,
        "You want to telephone and live in different time zones. Say the hour on each of your "
        "clocks, "
        "0 to 23. You both earn 1 if they are the same moment and both of you can talk then.",
        _zones, _pay_zones, {"ann": CLOCK, "ben": CLOCK},
    ),
}  # fmt: skip
