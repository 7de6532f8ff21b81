"""Scenes of groups: votes, coalitions, trust, and conflicts between private and common gain."""

from gem_ma.envs.social.kit import NAMES, Case, Scene, agreed, answer, listed, number, some

THREE, FOUR = NAMES[:3], NAMES[:4]
PARTIES = ("beach", "forest", "castle", "museum")
WOODS = ("north", "east", "south", "west")
PAIRS = ("ann-ben", "ann-cid", "ben-cid")
STAKE = 10


def _vote(rng):
    while True:
        scores = tuple([tuple(some(rng, range(10), 4)) for _ in FOUR])
        sums = list(map(sum, zip(*scores, strict=True)))
        tops = [row.index(max(row)) for row in scores]
        if sums.count(max(sums)) == 1 and len(set(tops)) > 1:
            break
    facts = tuple(
        [("How much you like each outing, 0 to 9: "
          + listed(f"{name} {n}" for name, n in zip(PARTIES, row, strict=True)),) for row in scores]
    )  # fmt: skip
    best = PARTIES[sums.index(max(sums))]
    return Case(facts, scores, (answer(vote=best),) * 4)


def _pay_vote(likes, answers, said):
    """Pay each seat its liking of the outing with the most votes; a tie pays nobody."""
    votes = [form["vote"] for form in answers.values() if form]
    counts = sorted(((votes.count(party), party) for party in PARTIES), reverse=True)
    if counts[0][0] == counts[1][0]:
        return (0,) * 4
    return [row[PARTIES.index(counts[0][1])] / 9 for row in likes]


def _coalition(rng):
    worth = tuple([10 * n for n in some(rng, range(3, 11), 3)])
    facts = tuple([(f"What {pair} would earn together: {n}.",)
                   for pair, n in zip(reversed(PAIRS), reversed(worth), strict=True)])  # fmt: skip
    best = max(range(3), key=worth.__getitem__)
    form = {"pair": PAIRS[best], "first_gets": worth[best] // 2}
    deal = agreed(form, 1)
    best_replies = [*(deal if seat in PAIRS[best] else ("Well.",) for seat in THREE)]
    return Case(facts, worth, tuple([reply[0] if isinstance(reply, tuple) else reply
                                     for reply in best_replies]))  # fmt: skip


def _pay_coalition(worth, deal, said):
    if deal is None:
        return (0, 0, 0)
    total, pair = worth[PAIRS.index(deal["pair"])], deal["pair"].split("-")
    if deal["first_gets"] > total:
        return (0, 0, 0)
    shares = {pair[0]: deal["first_gets"], pair[1]: total - deal["first_gets"]}
    return [shares.get(seat, 0) / 100 for seat in THREE]


def _stag(rng):
    hares = tuple([number(rng, 2, 5) for _ in THREE])
    woods = some(rng, WOODS, 4)
    facts = tuple(
        [(f"A hare is worth {n} tenths of a share in the stag to you.",
          f"You have been in the {wood}: the stag is not there.")
         for n, wood in zip(hares, woods[1:], strict=True)]
    )  # fmt: skip
    return Case(facts, (woods[0], hares), (answer(hunts=woods[0]),) * 3)


def _pay_stag(truth, answers, said):
    wood, hares = truth
    hunts = [answers[seat] and answers[seat]["hunts"] for seat in THREE]
    catch = float(all(hunt == wood for hunt in hunts))
    return [n / 10 if hunt == "hare" else catch for n, hunt in zip(hares, hunts, strict=True)]


def _volunteer(rng):
    costs = tuple(some(rng, range(1, 10), 4))
    facts = tuple(
        [(f"To stay late costs you {n} tenths of what it brings to each.",) for n in costs]
    )
    cheap = costs.index(min(costs))
    return Case(facts, costs, tuple([answer(stays=("no", "yes")[i == cheap]) for i in range(4)]))


def _pay_volunteer(costs, answers, said):
    stays = [bool(answers[seat]) and answers[seat]["stays"] == "yes" for seat in FOUR]
    return [float(any(stays)) - n / 10 * stay for n, stay in zip(costs, stays, strict=True)]


def _commons(rng):
    parts = tuple([number(rng, 2, 9) for _ in FOUR])
    facts = tuple([(f"Your part of the lake has {n} fish.",) for n in parts])
    share, remainder = divmod(sum(parts), 4)
    best = tuple([answer(takes=min(10, share + (i < remainder))) for i in range(4)])
    return Case(facts, sum(parts), best)


def _pay_commons(stock, answers, said):
    harvests = [answers[seat]["takes"] if answers[seat] else 0 for seat in FOUR]
    return [n / 10 * (sum(harvests) <= stock) for n in harvests]


def _trust(rng):
    factor = number(rng, 2, 4)
    facts = (
        ("You do not know how much it grows.",),
        (f"What you are given grows to {factor} times.",),
    )
    best = (answer(gives=STAKE), answer(back=50))
    return Case(facts, factor, best)


def _pay_trust(grows, answers, said):
    gift = answers["giver"]["gives"] if answers["giver"] else 0
    back = answers["keeper"]["back"] if answers["keeper"] else 0
    if not answers["giver"]:
        return (0, 0)
    grown_gift = gift * grows
    return (STAKE - gift + grown_gift * back / 100) / STAKE, grown_gift * (100 - back) / 100 / STAKE


SCENES = {
    "Vote": Scene(
        "talk, then vote in secret for one of four outings",
        FOUR,
        "You vote on an outing: beach, forest, castle or museum; each answers its vote. The one "
        "with "
        "most votes is made, and each earns how much it likes it, divided by 9; if two have as "
        "many "
        "votes none is made, and nobody earns anything.",
        _vote, _pay_vote, answers={seat: {"vote": PARTIES} for seat in FOUR}, rounds=5,
    ),
    "Coalition": Scene(
        "two of three earn together, and the third is left out",
        THREE,
        "Two of you will work together. What a pair earns is known only to the third: each of you "
        "knows what the other two would earn together. It takes the two to agree on the pair, and "
        "on how much of it the first of the two gets; the other gets the rest. Each earns what it "
        "gets divided by 100, and a pair that gives more than it has earns nothing.",
        _coalition, _pay_coalition, {"pair": PAIRS, "first_gets": range(0, 101, 5)},
        needed=lambda deal: deal["pair"].split("-"),
    ),
    "StagHunt": Scene(
        "find out together where the stag is, or each hunt a hare",
        THREE,
        "You go hunting. A stag is in one of four woods, north, east, south and west, and each of "
        "you knows one of them in which it is not. Each answers a wood, or hare. The stag is "
        "caught if all go to its wood, and then each earns 1; who goes into a wood earns nothing "
        "otherwise. A hare is sure, and worth something else to each.",
        _stag, _pay_stag, answers={seat: {"hunts": (*WOODS, "hare")} for seat in THREE},
    ),
    "Volunteer": Scene(
        "one volunteer is enough, best the one with the lowest cost",
        FOUR,
        "Somebody has to stay late; each answers whether it stays. If anybody does, all earn 1, "
        "and "
        "who stays pays what that costs it. If nobody does, nobody earns anything.",
        _volunteer, _pay_volunteer, answers={seat: {"stays": ("no", "yes")} for seat in FOUR},
    ),
    "Commons": Scene(
        "fish a lake without taking too much; each seat knows one of its four parts",
        FOUR,
        "Each of you answers how many fish it takes out of one lake, 0 to 10. If that is more than "
        "there are in the four parts of the lake together, nobody gets any; else each earns its "
        "fish divided by 10.",
        _commons, _pay_commons, answers={seat: {"takes": range(11)} for seat in FOUR},
    ),
    "Trust": Scene(
        "give coins that grow in the other's hands, and trust it to give some back",
        ("giver", "keeper"),
        f"The giver has {STAKE} coins, and answers how many it gives to the keeper; there they "
        "grow to two, "
        "three or four times as many. Then the keeper answers how many percent of that it gives "
        f"back. Each earns what it has in the end, divided by {STAKE}; if the giver does not "
        "answer, nobody earns anything.",
        _trust, _pay_trust,
        answers={"giver": {"gives": range(STAKE + 1)}, "keeper": {"back": range(0, 101, 10)}},
        open=True,
    ),
}  # fmt: skip
