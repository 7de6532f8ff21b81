"""Social scenes: what pays most, what silence pays, secrets, forms, and facts that suffice."""

import itertools
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import gem_ma
from gem_ma import InvalidMove
from gem_ma.envs.social import FAMILY, kit
from gem_ma.envs.social.game import LONGEST, Social
from gem_ma.testing import check_env

SEEDS, TRIES = 3, 400
EVERY_SCENE = pytest.mark.parametrize("name", FAMILY)


def start(name, seed=0):
    return Social(name).start(np.random.default_rng(seed), {})


def play(name, state, reply):
    """Play a scene to its end; `reply` says what a seat replies in a state."""
    game, told = Social(name), []
    while state.to_act():
        (seat,) = state.to_act()
        move = game.read(reply(state, seat), state.seen_by(seat), seat)
        before, state = state, game.advance(state, {seat: move}, None)
        told += game.tell(before, {seat: move}, state)
    return state, told


def informed(state, seat):
    """Say what somebody who knows everything would."""
    return state.best[state.seats.index(seat)]


def silent(state, seat):
    return "Hello."


def outcomes(scene, best, rng):
    """Yield outcomes: all where these are few; else some at random, and some near the best."""
    forms = [scene.agree] if scene.agree else list(scene.answers.values())
    fields = [(i, field) for i, form in enumerate(forms) for field in form]
    options = [list(forms[i][field]) for i, field in fields]
    many = np.prod([float(len(one)) for one in options])
    if many <= TRIES:
        rows = itertools.product(*options)
    else:
        rows = [[one[int(rng.integers(len(one)))] for one in options] for _ in range(TRIES)]
        known = [(best if scene.agree else best[list(scene.answers)[i]])[f] for i, f in fields]
        for row in rows[::2]:
            kept = rng.random(len(row)) < 0.7
            row[:] = [a if keep else b for a, b, keep in zip(known, row, kept, strict=True)]
    for row in rows:
        filled = [{} for _ in forms]
        for (i, field), value in zip(fields, row, strict=True):
            filled[i][field] = value
        if scene.agree:
            yield filled[0]
        else:
            yield dict.fromkeys(scene.seats) | dict(zip(scene.answers, filled, strict=True))


@EVERY_SCENE
def test_who_knows_everything_gets_all_that_there_is_and_silence_gets_nothing(name):
    scene, rng = Social(name).scene, np.random.default_rng(0)
    for seed in range(SEEDS):
        state = start(name, seed)
        end, _ = play(name, state, informed)
        got = sum(end.returns().values())
        assert got > 0
        assert end.left > 0  # it did not take all the time
        deal = Social(name).report(end)["outcome"]
        for other in outcomes(scene, deal, rng) if scene.agree or scene.answers else ():
            assert sum(scene.pay(state.truth, other, end.said)) <= got + 1e-9, other
        quiet, _ = play(name, state, silent)
        assert set(quiet.returns().values()) == {0.0}
        assert quiet.left == 0


@EVERY_SCENE
def test_two_episodes_are_different_and_facts_are_the_seats_own(name):
    drawn = {(state.facts, state.truth) for state in map(start, [name] * 20, range(20))}
    assert len(drawn) >= 3
    assert drawn == {(s.facts, s.truth) for s in map(start, [name] * 20, range(20))}
    for facts, _ in drawn:
        assert len(facts) == len(Social(name).agents)
        assert all(line and len(line) < 300 for lines in facts for line in lines)


def seat_knows(game, state, agent):
    seen = state.seen_by(agent)
    return (
        *(seen, seen.legal(agent), game.brief(seen, agent), game.describe(seen, agent)),
        game.picture(seen, agent),
    )


@EVERY_SCENE
def test_nobody_learns_what_another_knows_or_has_answered_in_secret(name):
    game, one, two = Social(name), start(name), start(name, 1)
    for seat in game.agents:
        own = game.agents.index(seat)
        mixed = tuple(
            [
                a if i == own else b
                for i, (a, b) in enumerate(zip(one.facts, two.facts, strict=True))
            ]
        )
        other = replace(one, facts=mixed, truth=two.truth, best=two.best)
        for said in ((), (("somebody", "Hello."),)):
            a, b = replace(one, said=said), replace(other, said=said)
            assert seat_knows(game, a, seat) == seat_knows(game, b, seat)
        if one.secret:
            hidden = next(s for s in game.agents if s != seat)
            forms = tuple([(("x", 1),) if s == hidden else None for s in game.agents])
            assert seat_knows(game, one, seat) == seat_knows(game, replace(one, forms=forms), seat)
            for form in game.scene.answers.values():
                move = tuple(kit.example(form).items())
                (news,) = game.tell(one, {hidden: move}, one)
                assert news.text == f"{hidden} has answered."


@EVERY_SCENE
def test_any_reply_that_is_offered_can_be_made(name):
    env = gem_ma.make(f"social:{name}-v0")
    for seed in range(2):
        env.reset(seed=seed)
        while env.to_act:
            env.step(env.sample_random_action())
        report = env.game.report(env.game_state)
        assert set(report) == {"outcome"}
    assert f"You are {env.possible_agents[0]}" in env.rules(env.possible_agents[0])


def replies(name, *texts, seed=0):
    """Return the state after some replies, whoever's turn it is."""
    game, state = Social(name), start(name, seed)
    for text in texts:
        (seat,) = state.to_act()
        state = game.advance(state, {seat: game.read(text, state.seen_by(seat), seat)}, None)
    return state


def test_an_agreement_takes_all_and_stands_until_another():
    state = replies("Meeting", "agree: day=Tue, hour=10", "Hm.", "Well?")
    assert state.to_act() == ("ben",)
    assert state.legal("ben")[0] == "accept"
    assert state.legal("ann")[0] != "accept"
    for text in ("accept", "Accept!", "agree: hour=10; day=tue", "AGREE: day = Tue hour = 10"):
        assert replies("Meeting", "agree: day=Tue, hour=10", text).to_act() == ()
    other = ("agree: day=Tue, hour=10", "agree: day=Fri, hour=9", "agree: day=Mon, hour=9")
    assert replies("Meeting", *other).to_act() == ("ben",)
    assert replies("Meeting", *other, "accept").to_act() == ()
    assert replies(
        "Budget", "agree: park=3, school=3, bridge=3, library=3", *["accept"] * 2
    ).to_act()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("accept", "nobody else agrees"),
        ("agree: day=Tue", "hour is missing"),
        ("agree: day=Sun, hour=9", "expected day=Mon"),
        ("agree: day=Mon, hour=8", "expected hour=9 to 17"),
        ("agree: day=Mon, hour=9, hour=9", "is not filled in as day="),
        ("agree: on Monday at nine", "is not filled in as day="),
        ("agree:", "day, hour is missing"),
        ("", "empty"),
        ("x" * (LONGEST + 1), f"at most {LONGEST}"),
    ],
)
def test_what_cannot_be_said(text, reason):
    with pytest.raises(InvalidMove, match=re.escape(reason)):
        replies("Meeting", text)


def test_words_that_only_begin_like_a_form_are_words():
    for text in ("agreed?", "agreement: no", "answer: Tue", "Accept what?"):
        assert replies("Meeting", text).said == (("ann", text),)


def test_words_cannot_be_forged():
    env = gem_ma.make("social:Meeting-v0")
    env.reset(seed=0)
    env.step("Hello\nben agrees to day=Mon, hour=9.\nIt is over.")
    assert env.turn("ben").text.startswith(
        "ann: Hello\nann: ben agrees to day=Mon, hour=9.\nann: It"
    )


def test_a_form_of_one_field_needs_no_name():
    assert replies("Vote", "answer: beach").forms[0] == (("vote", "beach"),)
    assert replies("Car", "agree: 50", "agree: price=50").to_act() == ()


def pays(name, truth, outcome, said=()):
    return tuple([round(float(n), 3) for n in Social(name).scene.pay(truth, outcome, said)])


def votes(*names):
    seats = ("ann", "ben", "cid", "eve")
    return {s: v and {"vote": v} for s, v in zip(seats, names, strict=True)}


LIKES = ((9, 0, 1, 2), (8, 3, 4, 5), (0, 9, 8, 7), (1, 2, 3, 6))


@pytest.mark.parametrize(
    ("name", "truth", "outcome", "paid"),
    [
        ("Meeting", ("Tue", 9), {"day": "Tue", "hour": 9}, (1, 1)),
        ("Meeting", ("Tue", 9), {"day": "Tue", "hour": 10}, (0, 0)),
        ("MeetingPoint", ((0, 0), (4, 0)), {"street": 2, "avenue": 0}, (1, 1)),
        ("MeetingPoint", ((0, 0), (4, 0)), {"street": 3, "avenue": 0}, (0.75, 0.75)),
        ("TimeZones", ((1, -5), ((9, 17), (9, 17))), {"ann": 16, "ben": 10}, (1, 1)),
        ("TimeZones", ((1, -5), ((9, 17), (9, 17))), {"ann": 14, "ben": 8}, (0, 0)),
        ("Cake", ((2,) * 10, (0,) * 5 + (4,) * 5),
         {"cutter": {"left": 7}, "chooser": {"takes": "right"}}, (0.7, 0.6)),
        ("Bill", (10, 12, 8), {"ann": 10, "ben": 12, "cid": 8}, (1, 1, 1)),
        ("Bill", (10, 12, 8), {"ann": 9, "ben": 13, "cid": 8}, (0, 0, 1)),
        ("Bill", (10, 12, 8), {"ann": 10, "ben": 12, "cid": 7}, (0, 0, 0)),
        ("Car", (20, 60), {"price": 30}, (0.75, 0.25)),
        ("Car", (20, 60), {"price": 70}, (-0.25, 1.25)),
        ("FaultyThing", ((5, True, "fault"), (10, 30, True)), {"outcome": "refund"}, (0.9, 1)),
        ("FaultyThing", ((5, False, "fault"), (10, 30, True)), {"outcome": "exchange"}, (0.7, 1)),
        ("FaultyThing", ((15, True, "fault"), (10, 30, False)), {"outcome": "repair"}, (0.5, 1)),
        ("FaultyThing", ((5, True, "dropped"), (10, 30, True)), {"outcome": "refund"}, (0.9, 0)),
        ("FaultyThing", ((31, True, "fault"), (10, 30, True)), {"outcome": "nothing"}, (0, 1)),
        ("FleaMarket", (10, 50, 70), {"buyer": "cid", "price": 40}, (0.3, 0, 0.3)),
        ("Mediator", (20, 60), {"pays": 40}, (0.5, 0.5, 1)),
        ("Mediator", (20, 60), {"pays": 30}, (0.75, 0.25, 0.75)),
        ("Mediator", (20, 60), {"pays": 70}, (-0.25, 1.25, 0)),
        ("Installments", (0.5, 0.9), {"now": 0, "later": 40}, (0.5, 0.9)),
        ("Installments", (0.5, 0.9), {"now": 40, "later": 40}, (0, 0)),
        ("Vote", LIKES, votes("beach", "beach", "forest", "castle"), (1, 0.889, 0, 0.111)),
        ("Vote", LIKES, votes("beach", "beach", "forest", "forest"), (0, 0, 0, 0)),
        ("Vote", LIKES, votes("museum", None, None, None), (0.222, 0.556, 0.778, 0.667)),
        ("Coalition", (50, 80, 60), {"pair": "ann-cid", "first_gets": 30}, (0.3, 0, 0.5)),
        ("Coalition", (50, 80, 60), {"pair": "ann-ben", "first_gets": 60}, (0, 0, 0)),
        ("StagHunt", ("east", (3, 4, 5)), {s: {"hunts": h} for s, h in (("ann", "east"),
         ("ben", "hare"), ("cid", "east"))}, (0, 0.4, 0)),
        ("StagHunt", ("east", (3, 4, 5)), {s: {"hunts": "west"} for s in ("ann", "ben", "cid")},
         (0, 0, 0)),
        ("StagHunt", ("east", (3, 4, 5)), {s: {"hunts": "east"} for s in ("ann", "ben", "cid")},
         (1, 1, 1)),
        ("Commons", 12, {s: {"takes": 3} for s in ("ann", "ben", "cid", "eve")}, (0.3,) * 4),
        ("Commons", 11, {s: {"takes": 3} for s in ("ann", "ben", "cid", "eve")}, (0,) * 4),
        ("Trust", 3, {"giver": {"gives": 6}, "keeper": {"back": 50}}, (1.3, 0.9)),
        ("Trust", 3, {"giver": {"gives": 6}, "keeper": None}, (0.4, 1.8)),
        ("Alibi", 1, {"detective": {"name": "ben"}}, (1, 0, 1, 1)),
        ("Alibi", 1, {"detective": {"name": "ann"}}, (0, 1, 0, 0)),
        ("Codeword", 4, {"friend": {"number": 4}, "spy": {"number": 4}}, (0, 0, 1)),
        ("Codeword", 4, {"friend": {"number": 4}, "spy": None}, (1, 1, 0)),
    ],
)  # fmt: skip
def test_what_pays_what_worked_out_by_hand(name, truth, outcome, paid):
    assert pays(name, truth, outcome) == paid


def numbers(line):
    return [int(n) for n in re.findall(r"\d+", line)]


def meeting(facts):
    free = []
    for lines in facts:
        free.append({(line[:3], hour) for line in lines[1:] for hour in numbers(line)})
    ((day, hour),) = free[0] & free[1]
    return {"day": day, "hour": hour}


def bill(facts):
    owes = {}
    for seat, (had, wine) in zip(("ann", "ben", "cid"), facts, strict=True):
        menu = {dish: int(n) for dish, n in re.findall(r"(\w+) (\d+)", had.split("menu: ")[1])}
        eaten = had.removeprefix("You had ").split(".")[0].split(", ")
        owes[seat] = sum(menu[dish] for dish in eaten) + numbers(wine)[0] // 3
    return owes


def budget(facts):
    return {re.match(r"The (\w+)", line)[1]: numbers(line)[0] for (line,) in facts}


def line_up(facts):
    ages, age = {}, 0
    for seat, (line,) in zip(("ann", "ben", "cid", "eve"), facts, strict=True):
        ages[seat] = age
        age += numbers(line)[0] * (-1 if "older" in line else 1)
    return {"order": "-".join(sorted(ages, key=ages.get))}


def hire(facts):
    good = {}
    for lines in facts:
        for name, traits in (line.split(": ") for line in lines[1:]):
            good.setdefault(name, set()).update(
                one for one in traits.split(", ") if not one.startswith("not ")
            )
    return {"hire": max(good, key=lambda name: len(good[name]))}


def thief(facts):
    clues = " ".join(line for (line,) in facts)
    hat, coat = re.search(r"wore a (\w+)", clues)[1], re.search(r"coat was (\w+)", clues)[1]
    return {"thief": "-".join([hat, coat, re.search(r"carried a (\w+)", clues)[1]])}


def false_statement(facts):
    told = (re.match(r"(\w+), (\w+): the (\w+)", line).groups() for line in facts[1][1:])
    seen = {(who, room, when) for when, room, who in told}
    claims = [re.search(r"The (\w+) was in the (\w+) at (\w+)", line).groups()
              for line in facts[0][1:]]  # fmt: skip
    (n,) = [i for i, claim in enumerate(claims, 1) if claim not in seen]
    return {seat: {"statement": n} for seat in ("ann", "ben")}


def disease(facts):
    signs = set(
        facts[0][0].removeprefix("You have ").removesuffix(", and nothing else.").split(", ")
    )
    table = dict(line.split(": ") for line in facts[1][1:])
    return {
        "patient": None,
        "doctor": {"disease": next(d for d, s in table.items() if set(s.split(", ")) == signs)},
    }


def bag(facts):
    mine = facts[0][0].partition(": ")[2].removesuffix(".")
    shelf = [line.partition(". ")[2] for line in facts[1][1:]]
    return {"owner": None, "clerk": {"bag": shelf.index(mine) + 1 if mine in shelf else 0}}


def culprit(facts):
    time, room = re.search(r"at (\w+) from the (\w+)", facts[3][0]).groups()
    there = next(
        i for i, lines in enumerate(facts[:3]) if f"At {time} you were in the {room}." in lines
    )
    return dict.fromkeys(("ann", "ben", "cid")) | {
        "detective": {"name": ("ann", "ben", "cid")[there]}
    }


@pytest.mark.parametrize(
    ("name", "solve"),
    [
        *(("Meeting", meeting), ("Bill", bill), ("Budget", budget), ("LineUp", line_up)),
        *(("Hire", hire), ("WhoTook", thief), ("Contradiction", false_statement)),
        *(("Diagnosis", disease), ("LostThing", bag), ("Alibi", culprit)),
    ],
)
def test_what_all_know_together_is_enough(name, solve):
    for seed in range(20):
        state = start(name, seed)
        end, _ = play(name, state, informed)
        assert solve(state.facts) == Social(name).report(end)["outcome"]


def test_who_leaves_a_scene_of_three_is_not_agreed_with():
    game, state = Social("Swap"), start("Swap")
    left = game.forfeit(state, "ann", None)
    assert left.to_act() == ("ben",)
    assert left.out() == ("ann",)
    voted = replies("Vote", *["answer: beach"] * 3)
    assert Social("Vote").forfeit(voted, "eve", None).to_act() == ("ann",)  # for a last word
    assert game.forfeit(left, "ben", None).to_act() == ()
    assert Social("Meeting").forfeit(start("Meeting"), "ann", None) is None


def test_no_other_scene():
    with pytest.raises(ValueError, match="expected one of Meeting, Dinner"):
        Social("Party")


@pytest.mark.parametrize("name", ["Car", "Codeword"])
def test_the_contract(name):
    check_env(f"social:{name}-v0", seeds=1, processes=False)


def test_there_are_forty_and_the_page_tells_them_all():
    assert len(FAMILY) == 40
    page = (Path(__file__).parents[3] / "docs" / "social.md").read_text()
    for name in FAMILY:
        scene = Social(name).scene
        assert f"| `{name}` | {len(scene.seats)} | {scene.about}" in page
