"""Scenes of inquiry: find a culprit, a contradiction, a diagnosis or the best candidate."""

import itertools

from gem_ma.envs.social.kit import NAMES, Case, Scene, agreed, answer, listed, number, pick, some

TWO, THREE, FOUR = (NAMES[:n] for n in (2, 3, 4))
SUSPECTS = NAMES[:3]
ROOMS = ("kitchen", "library", "cellar", "garden")
TIMES = ("nine", "ten", "eleven")
VISITORS = ("baker", "doctor", "farmer", "guard", "poet", "singer")
SYMPTOMS = ("cough", "fever", "rash", "headache", "dizziness", "thirst", "chills", "cramps")
DISEASES = ("alphosis", "betitis", "gammia", "deltosis", "epsilitis", "zetia")
KINDS = {"colour": ("red", "blue", "green"), "size": ("small", "large"),
         "mark": ("star", "stripe", "none")}  # fmt: skip
SHELF = 5
TRAITS = ("careful", "quick", "friendly", "honest", "learned", "calm", "brave", "tidy")
CANDIDATES = ("Kay", "Lou", "Max")
PEOPLE = tuple([f"{hat}-{coat}-{bag}" for hat in ("cap", "hood") for coat in ("long", "short")
                for bag in ("sack", "case")])  # fmt: skip
LINES = tuple(["-".join(order) for order in itertools.permutations(FOUR)])


def _alibi(rng):
    culprit, time = number(rng, 0, 2), number(rng, 0, 2)
    scene, *others = some(rng, ROOMS, 4)
    rooms = [[pick(rng, others) for _ in TIMES] for _ in SUSPECTS]  # no other was at the scene
    rooms[culprit][time] = scene
    facts = []
    for seat, own_rooms in enumerate(rooms):
        suspect = (seat + 1) % 3
        lines = [
            f"At {when} you were in the {room}."
            for when, room in zip(TIMES, own_rooms, strict=True)
        ]
        lines.append(
            f"At {TIMES[time]} you saw {SUSPECTS[suspect]} go to the {rooms[suspect][time]}."
        )
        lines.append("You took the necklace." if seat == culprit else "You did not take it.")
        facts.append(tuple(lines))
    facts.append((f"The necklace was taken at {TIMES[time]} from the {scene}.",))
    name = SUSPECTS[culprit]
    talk = tuple(["I have nothing to hide."] * 3)
    return Case(tuple(facts), culprit, (*talk, answer(name=name)))


def _pay_alibi(culprit, answers, said):
    verdict = answers["detective"]
    if verdict is None:
        return (0,) * 4
    right = verdict["name"] == SUSPECTS[culprit]
    return (*(float(right != (seat == culprit)) for seat in range(3)), float(right))


def _contradiction(rng):
    log = [(guest, pick(rng, ROOMS), pick(rng, TIMES)) for guest in VISITORS]
    false = number(rng, 0, 5)
    claims = list(log)
    guest, room, when = log[false]
    if pick(rng, (True, False)):
        claims[false] = guest, pick(rng, [choice for choice in ROOMS if choice != room]), when
    else:
        claims[false] = guest, room, pick(rng, [choice for choice in TIMES if choice != when])
    order = some(rng, log, 6)
    facts = (
        ("What the witness says:",
         *(f"{i}. The {guest} was in the {room} at {when}."
           for i, (guest, room, when) in enumerate(claims, 1))),
        ("What the cameras saw:", *(f"{when}, {room}: the {guest}" for guest, room, when in order)),
    )  # fmt: skip
    return Case(facts, false + 1, (answer(statement=false + 1),) * 2)


def _pay_contradiction(false, answers, said):
    right = all(answers[seat] and answers[seat]["statement"] == false for seat in TWO)
    return (float(right),) * 2


def _diagnosis(rng):
    """Draw diseases with four symptoms each, at most three in common, and an ill patient."""
    combinations = list(itertools.combinations(SYMPTOMS, 4))
    table = some(rng, combinations, len(DISEASES))
    ill = number(rng, 0, len(DISEASES) - 1)
    facts = (
        (f"You have {listed(some(rng, table[ill], 4))}, and nothing else.",),
        ("What each disease shows:",
         *(f"{name}: {listed(signs)}" for name, signs in zip(DISEASES, table, strict=True))),
    )  # fmt: skip
    name = DISEASES[ill]
    return Case(facts, name, ("I do not feel well.", answer(disease=name)))


def _pay_diagnosis(name, answers, said):
    diagnosis = answers["doctor"]
    return (float(diagnosis is not None and diagnosis["disease"] == name),) * 2


def _lost(rng):
    things = list(itertools.product(*KINDS.values()))
    shelf = some(rng, things, SHELF)
    is_there = pick(rng, (True, True, False))
    mine = pick(rng, shelf) if is_there else pick(rng, [t for t in things if t not in shelf])
    number_of = shelf.index(mine) + 1 if is_there else 0
    facts = (
        (f"You have lost a bag: {_bag(mine)}.",),
        ("The bags on your shelf:", *(f"{i}. {_bag(kinds)}" for i, kinds in enumerate(shelf, 1))),
    )
    return Case(facts, number_of, ("I have lost my bag.", answer(bag=number_of)))


def _bag(kinds):
    return listed(f"{kind} {value}" for kind, value in zip(KINDS, kinds, strict=True))


def _pay_lost(number_of, answers, said):
    choice = answers["clerk"]
    return (float(choice is not None and choice["bag"] == number_of),) * 2


def _hire(rng):
    """Draw candidates of whom the facts that all seats know favour another than all facts do."""
    while True:
        has_trait = [[pick(rng, (0, 1)) for _ in TRAITS] for _ in CANDIDATES]
        totals = list(map(sum, has_trait))
        best = max(totals)
        shared = [sum(row[:2]) for row in has_trait]
        if totals.count(best) == 1 and shared[totals.index(best)] < max(shared):
            break
    facts = []
    for seat in range(3):
        trait_indices = [0, 1, 2 + 2 * seat, 3 + 2 * seat]
        lines = []
        for name, row in zip(CANDIDATES, has_trait, strict=True):
            traits = (f"{TRAITS[i] if row[i] else 'not ' + TRAITS[i]}" for i in trait_indices)
            lines.append(f"{name}: {listed(traits)}")
        facts.append(("What you know of the three:", *lines))
    truth = tuple(totals)
    return Case(tuple(facts), truth, agreed({"hire": CANDIDATES[totals.index(best)]}, 3))


def _pay_hire(totals, deal, said):
    return (float(deal is not None and totals[CANDIDATES.index(deal["hire"])] == max(totals)),) * 3


def _took(rng):
    thief = pick(rng, PEOPLE)
    hat, coat, bag = thief.split("-")
    clues = [
        f"You saw that the thief wore a {hat}.",
        f"You saw that the thief's coat was {coat}.",
        f"You saw that the thief carried a {bag}.",
    ]
    other = pick(rng, [person for person in PEOPLE if person != thief])
    clues.append(f"You know that {other} was at home.")
    facts = tuple([(clue,) for clue in some(rng, clues, 4)])
    return Case(facts, thief, agreed({"thief": thief}, 4))


def _pay_took(thief, deal, said):
    return (float(deal is not None and deal["thief"] == thief),) * 4


def _line(rng):
    """Draw ages; each seat knows the difference between its age and that of the next seat."""
    ages = some(rng, range(20, 80), 4)
    facts = []
    for seat in range(4):
        gap = ages[seat] - ages[(seat + 1) % 4]
        other = FOUR[(seat + 1) % 4]
        facts.append(
            (f"You are {abs(gap)} years {'older' if gap > 0 else 'younger'} than {other}.",)
        )
    order = "-".join(FOUR[i] for i in sorted(range(4), key=ages.__getitem__))
    return Case(tuple(facts), order, agreed({"order": order}, 4))


def _pay_line(order, deal, said):
    return (float(deal is not None and deal["order"] == order),) * 4


SCENES = {
    "Alibi": Scene(
        "three suspects, one of whom may lie, and a detective who names one",
        (*SUSPECTS, "detective"),
        "One of ann, ben and cid took a necklace, and may lie; the detective answers who. The "
        "two who "
        "did not take it and the detective earn 1 each if the answer is right; if it is wrong, "
        "whoever took it earns 1.",
        _alibi, _pay_alibi, answers={"detective": {"name": SUSPECTS}}, rounds=5,
    ),
    "Contradiction": Scene(
        "find the one statement of a witness that the record contradicts",
        TWO,
        "One of six statements of a witness is false. ann has the statements, ben has what the "
        "cameras saw. Both answer the number of the false one, and earn 1 if both are right.",
        _contradiction, _pay_contradiction,
        answers={seat: {"statement": range(1, 7)} for seat in TWO},
    ),
    "Diagnosis": Scene(
        "a patient who has the signs, and a doctor who knows what they mean",
        ("patient", "doctor"),
        "The patient has one of six diseases, and all four signs of it; the doctor knows the "
        "signs of "
        "each, and answers which it is. Both earn 1 if that is right.",
        _diagnosis, _pay_diagnosis, answers={"doctor": {"disease": DISEASES}},
    ),
    "LostThing": Scene(
        "find a lost bag on a shelf of similar ones; it may not be there",
        ("owner", "clerk"),
        "The owner of a lost bag asks at an office. The clerk answers the number of the bag on its "
        "shelf, or 0 if it is not there. Both earn 1 if that is right.",
        _lost, _pay_lost, answers={"clerk": {"bag": range(SHELF + 1)}},
    ),
    "Hire": Scene(
        "choose the best of three, although the facts that all know favour another",
        THREE,
        "You hire one of Kay, Lou and Max. Each of you knows four things of each, two of which "
        "everybody knows. You all earn 1 if you agree on who has most good traits in all.",
        _hire, _pay_hire, {"hire": CANDIDATES},
    ),
    "WhoTook": Scene(
        "put four clues together, one of which says nothing new",
        FOUR,
        "One of eight people, who are called by hat, coat and bag, took a book. Each of you "
        "knows one "
        "thing. You all earn 1 if you agree on who it was.",
        _took, _pay_took, {"thief": PEOPLE},
    ),
    "LineUp": Scene(
        "line up by age; each knows only the difference to one other",
        FOUR,
        "You line up by age, the youngest first. You all earn 1 if you agree on the right order.",
        _line, _pay_line, {"order": LINES},
    ),
}  # fmt: skip
