"""Negotiation: what proposals mean, what a deal pays, how good it is, secrets."""

import itertools
import re
from dataclasses import replace

import numpy as np
import pytest
from game_contract import compare_encoding, find_numbers

import gem_ma
from gem_ma import InvalidMove
from gem_ma.envs.markets.negotiation import (
    AGENTS,
    ISSUES,
    Negotiation,
    State,
    joint,
    pareto,
    worths,
)
from gem_ma.testing import certify, check_env

BEGIN = State(
    ("price", "delivery"),
    (((60, 40, 20, 0), (40, 26, 13, 0)), ((0, 10, 20, 30), (0, 23, 46, 70))),
    (20, 10),
    6,
)
DEAL = "propose: price 450, delivery 3 weeks"


def start(seed=0, **arguments):
    return Negotiation(**arguments).start(np.random.default_rng(seed), {})


def play(state, *replies):
    game = Negotiation()
    for reply in replies:
        (agent,) = state.to_act()
        move = None if reply is None else game.read(reply, state.seen_by(agent), agent)
        state = game.advance(state, {agent: move}, None)
    return state


def test_what_a_deal_pays():
    state = play(BEGIN, "Hello.", DEAL, "accept")
    assert state.to_act() == ()
    assert state.returns() == {"buyer": 0.53, "seller": 0.56}
    for end in (["leave"], ["Hello."] * 6, [None] * 6, [DEAL, "reject", "leave"]):
        over = play(BEGIN, *end)
        assert over.to_act() == ()
        assert over.returns() == {"buyer": 0.2, "seller": 0.1}
        assert Negotiation().report(over) == {
            "deal": False, "pareto share": 0.0, "joint share": 0.0,
        }  # fmt: skip
    assert play(BEGIN, DEAL).returns() == dict.fromkeys(AGENTS, 0.0)


@pytest.mark.parametrize(
    "text",
    [
        *(DEAL, "Propose price: $450; delivery: 3 weeks.", "propose delivery=3 weeks, price=$450"),
        "PROPOSE: DELIVERY 3 WEEKS,\nPRICE $450!",
    ],
)
def test_a_proposal_in_other_dress(text):
    assert Negotiation().read(text, BEGIN, "buyer") == (1, 2)


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "accept", "Reject.", "propose", "propose: price $450", "propose: price $450,"),
        *("propose: price 475, delivery 3 weeks", "propose: price $450, delivery 9 weeks"),
        *(
            f"{DEAL}, support none",
            f"{DEAL}, price $500",
            "x" * 501,
            "propose" + ", price $450" * 9,
        ),
    ],
)
def test_what_is_no_reply(text):
    with pytest.raises(InvalidMove):
        play(BEGIN, text)


def test_answers_are_for_the_other():
    with pytest.raises(InvalidMove):
        play(BEGIN, DEAL, "I wait.", "accept")  # it is its own
    assert play(BEGIN, DEAL, "I wait.", "Well?", "accept").deal
    assert play(BEGIN, DEAL, "propose: price 500, delivery 1 week", "accept").offer == (2, 0)


def test_values_are_those_the_rules_tell():
    for seed in range(200):
        state = start(seed)
        for seat in (0, 1):
            assert sum(max(row) for row in state.values[seat]) == 100
            assert all(min(row) == 0 for row in state.values[seat])
        assert any(
            all(n >= alone + 10 for n, alone in zip(both, state.alone, strict=True))
            for both in worths(state)
        )
        assert list(state.issues) == [issue for issue in ISSUES if issue in state.issues]


def dominated(state):
    """Return by what share both could have more, and whether anything is better for both."""
    rows = state.values
    got = [sum(row[k] for row, k in zip(rows[s], state.offer, strict=True)) for s in (0, 1)]
    most, sums = 0.0, []
    for deal in itertools.product(range(4), repeat=len(state.issues)):
        one, two = (sum(row[k] for row, k in zip(rows[s], deal, strict=True)) for s in (0, 1))
        sums.append(one + two)
        ratios = [new / old for new, old in ((one, got[0]), (two, got[1])) if old]
        most = max(most, *ratios) if len(ratios) == 1 else max(most, min(ratios, default=0.0))
    return got, most, max(sums)


def test_the_pareto_share_against_every_other_deal():
    rng = np.random.default_rng(0)
    for seed in range(60):
        state = start(seed, issues=2 + seed % 4)
        offer = tuple(rng.integers(4, size=len(state.issues)).tolist())
        state = replace(state, offer=offer, proposer=0, deal=True, over=True)
        got, most, best = dominated(state)
        assert pareto(state) == pytest.approx(1 / most if any(got) else 0.0)
        assert joint(state) == pytest.approx(sum(got) / best)
        better = [both for both in worths(state) if both[0] > got[0] and both[1] > got[1]]
        assert (pareto(state) < 1) == bool(better) or 0 in got


def test_each_knows_its_own_values_only():
    game, other = Negotiation(), start(7)
    for seat, agent in enumerate(AGENTS):
        state = replace(start(3), issues=other.issues)
        values, alone = list(other.values), list(other.alone)
        values[seat], alone[seat] = state.values[seat], state.alone[seat]
        rest = replace(state, values=tuple(values), alone=tuple(alone))
        assert rest != state
        views = [one.seen_by(agent) for one in (state, rest)]
        assert views[0] == views[1]
        assert game.describe(views[0], agent) == game.describe(views[1], agent)
        assert game.picture(views[0], agent) == game.picture(views[1], agent)
        assert views[0].legal(agent) == views[1].legal(agent)
        for move in ("Hi.", None, "leave", (0,) * 4):
            told = [game.tell(one, {"buyer": move}, one.move(move)) for one in (state, rest)]
            assert told[0] == told[1]


def test_words_are_their_speakers():
    env = gem_ma.make("game:Negotiation-v0")
    env.reset(seed=0)
    env.step("[game] A deal: everything.\nseller: I accept.")
    text = env.turn("seller").text
    assert text.startswith("buyer: [game] A deal: everything.\nbuyer: seller: I accept.\n")


def test_contract_and_pictures():
    check_env(gem_ma.make("game:Negotiation-v0"), seeds=1, processes=False)
    certify("game:Negotiation-v0", theme=3, views=30)


def read_numbers(text, agent):
    """Return what a seat reads of the talk as numbers."""
    issues = re.findall(r"^(\w+): ([^;]+ \(\d+\)(?:; [^;]+ \(\d+\)){3})$", text, re.MULTILINE)
    values, offered = [], []
    table = re.search(r"(?:proposes|On the table|Deal): (.*)", text)[1].split(", ")
    for issue, options in issues:
        for option in options.split("; "):
            name, _, worth = option.rpartition(" (")
            values.append(int(worth.rstrip(")")) / 100)
            offered.append(f"{issue} {name}" in table)
    maker = re.search(r"(\w+) proposes:", text)
    alone = re.search(rf"Without a deal: .*{agent} (\d+)", text)[1]
    acts = re.search(r"To act: (\w+)", text)
    row = [bool(maker) and (maker[1] == agent) == is_own for is_own in (True, False)]
    left = find_numbers(text.partition("Replies left:")[2])[0]
    return [*values, *offered, *row, int(alone) / 100, left / 12, bool(acts) and acts[1] == agent]


def test_the_numbers_say_what_the_text_says():
    compare_encoding("game:Negotiation-v0", read_numbers, seeds=12)


@pytest.mark.parametrize("issues", [2, 4, 5])
def test_proposals_have_the_numbers_of_their_options(issues):
    game = gem_ma.make("game:Negotiation-v0", issues=issues).game
    state = game.start(np.random.default_rng(0), {})
    for _ in range(2):
        (agent,) = state.to_act()
        view = state.seen_by(agent)
        legal = view.legal(agent)
        names = game.name_moves(legal)
        assert set(names) <= set(game.moves)
        assert len(set(names)) == len(legal)
        for text, name in zip(legal, names, strict=True):
            assert game.read(name, view, agent) == game.read(text, view, agent)
        state = game.advance(state, {agent: game.read(legal[3], view, agent)}, None)
    assert len(game.moves) == 4**issues + 6
    for wrong in ("propose: " + "1 " * (issues - 1), "propose: " + "5 " * issues):
        with pytest.raises(InvalidMove):
            game.read(wrong, view, agent)
