"""Scenes of negotiation: prices and terms between seats with different interests."""

import itertools

from gem_ma.envs.social.kit import Case, Scene, agreed, listed, number, pick

PRICES = range(5, 101)
OUTCOMES = ("refund", "exchange", "repair", "nothing")
PLEASED = {"refund": 0.9, "exchange": 0.7, "repair": 0.5, "nothing": 0.0}
TERMS = {
    "salary": (30, 35, 40, 45),
    "holidays": (20, 25, 30),
    "home": (0, 2, 4),
    "start": ("May", "June", "July"),
}
DEBT = 40


def _zone(rng, low=10, high=90):
    """Return the seller's lowest price and the buyer's highest price."""
    cost = number(rng, low, high - 20)
    return cost, number(rng, cost + 8, high)


def _car(rng):
    cost, value = _zone(rng)
    facts = (
        (f"The car is worth {value} to you.",),
        (f"You would rather keep it than get less than {cost}.",),
    )
    return Case(facts, (cost, value), agreed({"price": (cost + value) // 2}, 2))


def _pay_car(zone, deal, said):
    cost, value = zone
    if deal is None:
        return (0, 0)
    return (value - deal["price"]) / (value - cost), (deal["price"] - cost) / (value - cost)


def _faulty(rng):
    case = number(rng, 1, 60), pick(rng, (True, False)), pick(rng, ("fault", "dropped"))
    limits = number(rng, 10, 20), number(rng, 30, 50), pick(rng, (True, False))
    days, receipt, cause = case
    facts = (
        (
            f"You bought a lamp {days} days ago; now it does not work.",
            "It stopped by itself." if cause == "fault" else "You dropped it.",
            f"You have {'the' if receipt else 'no'} receipt.",
        ),
        (
            "The rules of your shop:",
            "What the customer broke gets nothing.",
            f"With a receipt, up to {limits[0]} days: refund.",
            f"Otherwise, up to {limits[1]} days: exchange if there is another one, else repair.",
            "After that: nothing.",
            f"There is {'another' if limits[2] else 'no other'} lamp of this kind.",
        ),
    )
    right = _right(case, limits)
    return Case(facts, (case, limits), agreed({"outcome": right}, 2))


def _right(case, limits):
    (days, receipt, cause), (refund, last, stock) = case, limits
    if cause == "dropped" or days > last:
        return "nothing"
    if receipt and days <= refund:
        return "refund"
    return "exchange" if stock else "repair"


def _pay_faulty(truth, deal, said):
    if deal is None:
        return (0, 0)
    return PLEASED[deal["outcome"]], float(deal["outcome"] == _right(*truth))


def _job(rng):
    """Draw points: the candidate likes more of each term, the employer less; start is random."""
    points = []
    for way in (1, -1):
        weights = [number(rng, 1, 6) for _ in TERMS]
        rows = []
        for weight, (term, options) in zip(weights, TERMS.items(), strict=True):
            steps = len(options) - 1
            up = way if term != "start" else pick(rng, (1, -1))
            row = [weight * (k if up > 0 else steps - k) / steps for k in range(len(options))]
            rows.append(tuple([round(100 * n / sum(weights)) for n in row]))
        points.append(tuple(rows))
    truth = tuple(points)
    best = max(_deals(), key=lambda deal: sum(_pay_job(truth, deal, ())))
    facts = tuple(
        [
            ("Points that you get:",
             *(f"{term}: " + listed(f"{option} {n}" for option, n in zip(options, row, strict=True))
               for (term, options), row in zip(TERMS.items(), rows, strict=True)))
            for rows in truth
        ]
    )  # fmt: skip
    return Case(facts, truth, agreed(best, 2))


def _deals():
    return [
        dict(zip(TERMS, options, strict=True)) for options in itertools.product(*TERMS.values())
    ]


def _pay_job(points, deal, said):
    if deal is None:
        return (0, 0)
    return [
        sum(row[TERMS[term].index(deal[term])] for term, row in zip(TERMS, rows, strict=True)) / 100
        for rows in points
    ]


def _flea(rng):
    cost = number(rng, 5, 40)
    first = number(rng, cost + 5, 95)
    second = number(rng, cost + 5, 95)
    while second == first:
        second = number(rng, cost + 5, 95)
    truth = cost, first, second
    buyer, value = max((("ben", first), ("cid", second)), key=lambda one: one[1])
    deal = agreed({"buyer": buyer, "price": (cost + value) // 2}, 1)
    facts = (
        (f"You would rather keep the vase than get less than {cost}.",),
        (f"The vase is worth {first} to you.",),
        (f"The vase is worth {second} to you.",),
    )
    wait = ("What would you give?",)
    best = (*deal, *(deal if buyer == "ben" else wait), *(deal if buyer == "cid" else wait))
    return Case(facts, truth, best)


def _pay_flea(truth, deal, said):
    cost, first, second = truth
    if deal is None:
        return (0, 0, 0)
    values = {"ben": first, "cid": second}
    gain = (values[deal["buyer"]] - deal["price"]) / 100
    return (
        (deal["price"] - cost) / 100,
        gain * (deal["buyer"] == "ben"),
        gain * (deal["buyer"] == "cid"),
    )


def _mediator(rng):
    cost, value = _zone(rng)
    price = (cost + value) // 2
    facts = (
        (f"You pay at most {value} for the harm that you did.",),
        (f"You take at least {cost} for the harm that was done to you.",),
        ("You know of neither what it would pay or take.",),
    )
    return Case(facts, (cost, value), agreed({"pays": price}, 3))


def _pay_mediator(zone, deal, said):
    """Pay both sides by price; the mediator earns 1 in the middle, 0 outside the limits."""
    cost, value = zone
    if deal is None:
        return (0, 0, 0)
    span, price = value - cost, deal["pays"]
    distance = abs(2 * price - cost - value) // 2
    return (
        (value - price) / span,
        (price - cost) / span,
        max(0.0, 1 - distance / span) if cost <= price <= value else 0.0,
    )


def _loan(rng):
    while True:
        shares = number(rng, 3, 10) / 10, number(rng, 3, 10) / 10
        if shares[0] != shares[1]:
            break
    later_amount = DEBT if shares[0] < shares[1] else 0
    facts = (
        (f"A coin that you pay next year hurts you as {shares[0]} of one today.",),
        (f"A coin that you get next year is worth {shares[1]} of one today to you.",),
    )
    return Case(facts, shares, agreed({"now": DEBT - later_amount, "later": later_amount}, 2))


def _pay_loan(shares, deal, said):
    """Pay the debtor for the burden that it avoids, and the lender for the value that it gets."""
    if deal is None or deal["now"] + deal["later"] != DEBT:
        return (0, 0)
    burden = deal["now"] + shares[0] * deal["later"]
    repayment = deal["now"] + shares[1] * deal["later"]
    return 1 - burden / DEBT, repayment / DEBT


SCENES = {
    "Car": Scene(
        "agree on a price between the least the seller takes and the most the buyer pays",
        ("buyer", "seller"),
        "A used car is for sale, at a price from 5 to 100. If you agree on a price, the buyer "
        "earns what the "
        "car is worth to it less the price, and the seller the price less what it is worth to the "
        "seller, both as shares of what there is to share; without an agreement nobody earns "
        "anything.",
        _car, _pay_car, {"price": PRICES},
    ),
    "FaultyThing": Scene(
        "return a lamp: the customer knows the facts, the clerk the rules",
        ("customer", "clerk"),
        "A customer returns a lamp to a shop. The clerk earns 1 if the outcome is that of the "
        "shop's "
        "rules. The customer earns 0.9 for a refund, 0.7 for an exchange, 0.5 for a repair. "
        "Without "
        "an agreement nobody earns anything.",
        _faulty, _pay_faulty, {"outcome": OUTCOMES},
    ),
    "Job": Scene(
        "agree on four terms of a job, which the two value differently",
        ("candidate", "employer"),
        "You negotiate the terms of a job: salary in thousands, days of holiday, days at home in a "
        "week, and the month of its start. Each earns its points divided by 100, and nothing "
        "without "
        "an agreement.",
        _job, _pay_job, TERMS,
    ),
    "FleaMarket": Scene(
        "one vase, two buyers: the seller and one of them have to agree",
        ("seller", "ben", "cid"),
        "The seller has one vase, which ben and cid would like. It is sold when the seller and "
        "one of "
        "them agree on who buys it at which price. Then the seller earns the price less what it is "
        "worth to the seller, and the buyer what it is worth to the buyer less the price, each "
        "divided by 100; the other buyer earns nothing.",
        _flea, _pay_flea, {"buyer": ("ben", "cid"), "price": PRICES},
        needed=lambda deal: ("seller", deal["buyer"]),
    ),
    "Mediator": Scene(
        "two quarrel about a sum, and a mediator is paid for the middle",
        ("ann", "ben", "mediator"),
        "ann did harm to ben, and you three look for the sum that ann pays. ann earns what it "
        "pays less "
        "than it would at most, ben what it gets more than it would take at least, both as "
        "shares of "
        "what lies between; the mediator earns 1 for the middle between the two, and less the "
        "further away the sum is. It takes all three to agree; else nobody earns anything.",
        _mediator, _pay_mediator, {"pays": PRICES},
    ),
    "Installments": Scene(
        "pay a debt now or later; it depends on which of the two is more patient",
        ("debtor", "lender"),
        f"The debtor owes the lender {DEBT} coins, and you agree on how many are paid now and how "
        "many "
        f"next year, {DEBT} together. The debtor earns the share of its pain that it is spared, "
        "against paying all now; the lender earns what it gets is worth to it today. Each is "
        f"divided by {DEBT}; without an agreement nobody earns anything.",
        _loan, _pay_loan, {"now": range(DEBT + 1), "later": range(DEBT + 1)},
    ),
}  # fmt: skip
