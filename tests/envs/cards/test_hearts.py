"""Hearts against OpenSpiel's, card by card; what is secret, and who leaves."""

import itertools
import random
import re
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from game_contract import compare_encoding, find_numbers, one_hot

import gem_ma
from gem_ma import InvalidMove
from gem_ma.envs.cards.deck import DECK
from gem_ma.envs.cards.hearts import AGENTS, ORDER, PASSING, Hearts, State, points

GAME = Hearts()
WAYS = ("No Pass", "Left", "Across", "Right")


def named(theirs, player):
    """Return OpenSpiel's actions by our names of the cards."""
    said = {theirs.action_to_string(player, a): a for a in theirs.legal_actions()}
    return {f"{name[:-1].replace('T', '10')}{name[-1].lower()}": a for name, a in said.items()}


def begun(theirs, ours):
    """Deal the same cards in OpenSpiel's state."""
    way = next(
        a for a in theirs.legal_actions() if theirs.action_to_string(-1, a) == WAYS[ours.shift]
    )
    theirs.apply_action(way)
    for card in itertools.chain(*zip(*ours.hands, strict=True)):
        theirs.apply_action(named(theirs, -1)[card])


@pytest.mark.parametrize("games", [12, pytest.param(800, marks=pytest.mark.slow)])
def test_random_games_agree_with_openspiel(games):
    pyspiel = pytest.importorskip("pyspiel", reason="pip install 'gem-ma[oracles]'")
    other, ends = pyspiel.load_game("hearts"), Counter()
    for seed in range(games):
        rng = np.random.default_rng(seed)
        ours, theirs = GAME.start(rng, {}), other.new_initial_state()
        begun(theirs, ours)
        if ours.passing:
            moves = {}
            for seat in AGENTS:
                legal = ours.legal(seat)
                moves[seat] = legal[int(rng.integers(len(legal)))]
                for card in moves[seat].split():
                    assert theirs.current_player() == AGENTS.index(seat)
                    theirs.apply_action(named(theirs, theirs.current_player())[card])
            ours = GAME.advance(ours, moves, rng)
        ends[ours.shift] += 1
        while ours.to_act():
            (seat,) = ours.to_act()
            assert theirs.current_player() == AGENTS.index(seat)
            known, legal = named(theirs, theirs.current_player()), ours.legal(seat)
            assert set(legal) == set(known)
            assert GAME.read(legal[-1].upper(), ours.seen_by(seat), seat) == legal[-1]
            shoots = seed % 4 == 1 and seat == "player_0"  # tries to take all
            card = legal[-1] if shoots else legal[int(rng.integers(len(legal)))]
            ours = GAME.advance(ours, {seat: card}, rng)
            theirs.apply_action(known[card])
        assert theirs.is_terminal()
        assert ours.points() == [26 - n for n in theirs.returns()]
        assert sum(ours.returns().values()) == pytest.approx(0)
        ends["all"] += sum(ours.points()) == 78
    assert {0, 1, 2, 3} <= set(ends)


def test_who_takes_all_has_none():
    cards = tuple(card for card in DECK if points((card,)))
    state = State(((),) * 4, 1, passing=False, left=0, taken=((), cards, (), ()))
    assert state.points() == [26, 0, 26, 26]
    assert state.returns() == {
        "player_0": -0.25,
        "player_1": 0.75,
        "player_2": -0.25,
        "player_3": -0.25,
    }
    most = replace(state, taken=((), cards[:-1], cards[-1:], ()))
    assert most.points() == [0, 26 - points(cards[-1:]), points(cards[-1:]), 0]
    assert replace(most, left=1).returns() == dict.fromkeys(AGENTS, 0.0)


@pytest.mark.parametrize("shift", [0, 1, 2, 3])
def test_cards_are_passed_by_so_many_seats(shift):
    state = GAME.dealt(list(ORDER), shift)
    if not shift:
        assert not state.passing
        return
    moves = {seat: " ".join(hand[-3:]) for seat, hand in zip(AGENTS, state.hands, strict=True)}
    after = GAME.advance(state, moves, None)
    for seat in range(4):
        assert set(state.hands[seat][-3:]) < set(after.hands[(seat + shift) % 4])
        assert len(after.hands[seat]) == 13
    assert after.to_act() == (AGENTS[next(s for s in range(4) if "2c" in after.hands[s])],)
    told = GAME.tell(state, moves, after)
    assert [message.to for message in told] == [(AGENTS[(s + shift) % 4],) for s in range(4)]
    assert str(told[0]) == f"player_0 passes {moves['player_0']} to you."
    assert f"passed to {PASSING[shift]}" in GAME.describe(state.seen_by("player_2"), "player_2")


def test_nobody_sees_the_cards_of_others():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        state = GAME.start(rng, {})
        if state.passing:
            state = GAME.advance(state, {seat: state.legal(seat)[0] for seat in AGENTS}, rng)
        for _ in range(9):
            state = GAME.advance(state, {state.to_act()[0]: state.legal(*state.to_act())[0]}, rng)
        rest = list(itertools.chain(*state.hands[1:]))
        random.Random(seed).shuffle(rest)
        hands = [state.hands[0]]
        for hand in state.hands[1:]:
            hands.append(tuple(rest[: len(hand)]))
            del rest[: len(hand)]
        giver = (0 - state.shift) % 4
        given = tuple([c if s in (0, giver) else ("2c",) for s, c in enumerate(state.given)])
        other = replace(state, hands=tuple(hands), given=given)
        assert other.seen_by("player_0") == state.seen_by("player_0")
        assert other.seen_by("player_1") != state.seen_by("player_1")
        said = GAME.describe(state.seen_by("player_0"), "player_0")
        assert said.startswith(f"You hold {' '.join(state.hands[0])}\n")


def test_what_others_hear_is_what_was_played():
    env = gem_ma.make("game:Hearts-v0")
    env.reset(seed=1)
    state = env.match.state
    if state.passing:
        for seat in AGENTS:
            env.step(state.legal(seat)[0])
        for seat in AGENTS:
            heard = env.match.make_view(seat).given
            assert sum(cards is not None for cards in heard) == 2


def test_who_leaves_plays_on_from_its_lowest_cards():
    rng = np.random.default_rng(0)
    state = GAME.forfeit(GAME.start(rng, {}), "player_2", rng)
    assert state.out() == ("player_2",)
    if state.passing:
        assert state.to_act() == ("player_0", "player_1", "player_3")
        moves = {seat: state.legal(seat)[0] for seat in state.to_act()}
        state = GAME.advance(state, moves, rng)
    played = 0
    while state.to_act():
        (seat,) = state.to_act()
        assert seat != "player_2"
        then = GAME.advance(state, {seat: state.legal(seat)[0]}, rng)
        told = GAME.tell(state, {seat: state.legal(seat)[0]}, then)
        played += sum(message.role in AGENTS for message in told)
        state = then
    assert played >= 51  # if the first card is one of player_2's, nobody's move led to it
    assert state.returns()["player_2"] == -0.75
    everybody = GAME.start(rng, {})
    for seat in AGENTS:
        everybody = GAME.forfeit(everybody, seat, rng)
    assert everybody.to_act() == ()


def test_what_is_refused_says_why():
    state = GAME.dealt(list(ORDER), 1)
    own = state.hands[0]
    view = state.seen_by("player_0")
    text = f"pass {own[4].upper()}, {own[1]} {own[0]}."
    assert GAME.read(text, view, "player_0") == f"{own[0]} {own[1]} {own[4]}"
    for text, why in (
        (f"{own[0]} {own[1]}", "name 3 cards"),
        (f"{own[0]} {own[0]} {own[1]}", "three different"),
        (f"{own[0]} {own[1]} {state.hands[1][0]}", "do not have that"),
        (f"{own[0]} {own[1]} apple", "is no card"),
        ("", "name 3 cards"),
    ):
        with pytest.raises(InvalidMove, match=why):
            GAME.read(text, view, "player_0")
    hands = (("3c", "10d", "5h"), ("4c",), ("6h",), ("Qs",))
    play = State(hands, 0, passing=False, trick=("9c",), left=9)
    assert play.legal("player_0") == ("3c",)
    for state, text, why in (
        (play, "TD", "have to follow suit"),
        (replace(play, trick=()), "5h", "hearts may not be led yet"),
        (replace(play, trick=("9s",), left=13), "5h", "not be played in the first trick"),
        (play, "As", "do not have that"),
        (play, "3c 10d", r"name 1 card$"),
    ):
        with pytest.raises(InvalidMove, match=why):
            GAME.read(text, state.seen_by("player_0"), "player_0")
    assert replace(play, trick=(), broken=True).legal("player_0") == hands[0]
    assert GAME.read("play TD", replace(play, trick=()).seen_by("player_0"), "player_0") == "10d"


def test_the_deal_in_words():
    hands = (("3c", "10d"), ("4c", "5h"), ("6h", "7h"), ("Qs",))
    state = State(
        hands, 1, (("2s",), ("3s",), ("4s",), ("5s",)), False, 0, ("Kc",), ((), ("2h",), (), ()), 2
    )
    assert GAME.describe(state.seen_by("player_0"), "player_0") == (
        "You hold 3c 10d\nplayer_0 passed 2s to player_1\nplayer_3 passed 5s to player_0\n"
        "Trick 12 of 13: p3 Kc\nTaken: p1 2h\nTo act: player_0"
    )
    then = state.play("3c").play("4c").play("6h")
    assert then.turn == 3
    assert then.taken == ((), ("2h",), (), ("6h",))
    assert (then.left, then.broken) == (1, True)


def read_numbers(text, agent):
    """Return what a player reads of the table as numbers."""
    own = int(agent[-1])
    order = [(own + i) % 4 for i in range(4)]
    hand = re.search(r"You hold (.*)", text)[1].split()
    passes = re.findall(r"player_(\d) passed (.*) to player_(\d)", text)
    given = [cards.split() for seat, cards, _ in passes if int(seat) == own]
    got = [cards.split() for _, cards, seat in passes if int(seat) == own]
    trick = re.search(r"Trick (\d+) of 13: (.*)", text)
    lying = dict(re.findall(r"p(\d) (\w+)", trick[2] if trick else ""))
    taken = re.search(r"Taken: (.*)", text)[1]
    taken = {one[1]: one[3:].split() for one in taken.split(", ") if one.startswith("p")}
    passing = re.search(r"Cards are passed to (.*)", text)
    acts = re.search(r"To act: player_(\d)", text)
    gone = re.search(r"Left: (.*)", text)
    sets = [hand, *(given or [[]]), *(got or [[]]), *([lying.get(str(s), "")] for s in order)]
    counting = [card for card in ORDER if card[-1] == "h"] + ["Qs"]
    row = [card in some for some in sets for card in ORDER]
    row += [card in taken.get(str(seat), ()) for seat in order for card in counting]
    row += one_hot(PASSING.index(passing[1]) if passing else None, 4)
    row += [(14 - int(trick[1])) / 13 if trick else 0]
    row += [bool(acts) and int(acts[1]) == seat for seat in order]
    return row + [bool(gone) and f"player_{seat}" in gone[1] for seat in order]


def test_the_numbers_say_what_the_text_says():
    compare_encoding("game:Hearts-v0", read_numbers, seeds=4)


def test_cards_are_passed_by_their_places_as_by_their_names():
    game = Hearts()
    state = next(
        state for seed in range(9) if (state := game.start(np.random.default_rng(seed), {})).passing
    )
    view = state.seen_by("player_1")
    hand, legal = view.hands[1], view.legal("player_1")
    names = game.name_moves(legal)
    assert len(set(names)) == len(legal) == 286
    for text, name in zip(legal, names, strict=True):
        places = find_numbers(name)
        assert text.split() == [hand[place - 1] for place in places]
        assert game.read(name, view, "player_1") == text
    for wrong in ("pass 1 1 2", "pass 1 2", "pass 0 1 2", "pass 1 2 14", "pass 3 2 1"):
        with pytest.raises(InvalidMove):
            game.read(wrong, view, "player_1")
    played = game.start(
        np.random.default_rng(
            next(
                seed for seed in range(9) if not game.start(np.random.default_rng(seed), {}).passing
            )
        ),
        {},
    )
    (leader,) = played.to_act()
    with pytest.raises(InvalidMove, match="name 1 card"):
        game.read("pass 1 2 3", played.seen_by(leader), leader)


def test_numbers_of_moves_play_a_whole_deal():
    env = gem_ma.make("game:Hearts-v0", actions="discrete")
    for seed in range(4):
        env.reset(seed)
        for _agent in env.agent_iter():
            observation, _, terminated, truncated, info = env.last()
            assert not info["invalid"]
            if terminated or truncated:
                env.step(None)
                continue
            (open_moves,) = np.nonzero(observation["action_mask"])
            env.step(int(open_moves[seed % len(open_moves)]))
        assert not env.agents
