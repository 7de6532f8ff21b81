"""Leduc poker: hands worked out by hand, every history beside OpenSpiel's, secrets."""

import itertools
from collections import Counter

import numpy as np
import pytest

import gem_ma
from gem_ma.envs.cards.leduc_poker import AGENTS, CARDS, LeducPoker, State
from gem_ma.testing import certify, check_env

GAME = LeducPoker()


class Draw:
    """Numbers that are not drawn but said."""

    def __init__(self, number):
        self.number = number

    def integers(self, n):
        self.below = n
        return self.number


def play(cards, moves, number=0):
    state = State(tuple(cards))
    for move in moves.split():
        seat = state.to_act()[0]
        move = GAME.read(move, state.seen_by(seat), seat)
        state = GAME.advance(state, {seat: move}, Draw(number))
    return state


@pytest.mark.parametrize(
    ("cards", "moves", "number", "won"),
    [
        ("JK", "check check check check", 0, -1),  # the open card is a Q
        ("JK", "check check check check", 1, 1),  # a J: a pair
        ("QQ", "raise call raise call", 0, 0),
        ("KJ", "raise raise call raise raise call", 0, 13),
        ("KJ", "raise fold", 0, 1),
        ("JK", "check raise raise fold", 0, 3),
        ("JK", "check raise call check raise fold", 0, -3),
        ("JK", "raise raise fold", 0, -3),
    ],
)
def test_who_wins_how_much(cards, moves, number, won):
    state = play(cards, moves, number)
    assert state.to_act() == ()
    assert state.returns() == {"first": won, "second": -won}


def test_moves_that_are_legal():
    assert play("JK", "").legal("first") == ("check", "raise")
    assert play("JK", "raise").legal("second") == ("fold", "call", "raise")
    assert play("JK", "raise raise").legal("first") == ("fold", "call")
    assert play("JK", "check check").to_act() == ("first",)
    assert play("JK", "raise raise call").paid() == (5, 5)


def test_a_forfeit_costs_what_was_paid():
    state = GAME.forfeit(play("JK", "raise"), "first", None)
    assert state.returns() == {"first": -3.0, "second": 3.0}
    assert state.seen_by("second").cards == (None, "K")
    assert GAME.forfeit(play("JK", "raise"), "second", None).returns()["first"] == 1.0


HISTORIES = ["", "check", "raise raise", "check check", "raise call check raise", "raise fold"]


def test_a_seat_sees_nothing_of_the_others_card_before_the_showdown():
    for own, history, seat in itertools.product(CARDS, HISTORIES, AGENTS):
        seen = set()
        for other in CARDS:
            before = State((own, other) if seat == "first" else (other, own))
            heard = []
            for move in history.split():
                actor = before.to_act()[0]
                after = GAME.advance(before, {actor: move}, Draw(0))
                if after.board:
                    after = State(after.cards, "Q", after.rounds)
                heard += GAME.tell(before, {actor: move}, after)
                before = after
            view = before.seen_by(seat)
            words, scene = GAME.describe(view, seat), GAME.picture(view, seat)
            numbers = GAME.encode(view, seat).tobytes()
            seen.add((view, words, scene, numbers, view.legal(seat), *heard))
        assert len(seen) == 1


def test_a_showdown_shows_both_cards():
    assert play("JK", "check check check check").seen_by("first").cards == ("J", "K")


def test_every_deal_comes_up():
    env, deals, boards = gem_ma.Env(GAME), Counter(), Counter()
    for seed in range(900):
        env.reset(seed=seed)
        env.step("check")
        env.step("check")
        state = env.game_state
        deals[state.cards] += 1
        boards[state.board] += 1
        assert Counter((*state.cards, state.board))[state.board] < 3
    assert len(deals) == 9
    assert 30 <= min(deals.values()) < max(deals.values()) <= 160  # 60 expected, or 120
    assert min(boards.values()) > 250


def test_the_contract_and_the_pictures():
    check_env(gem_ma.Env(GAME), seeds=1, processes=False)
    certify(gem_ma.Env(GAME), views=100)


THEIRS = {"fold": 0, "check": 1, "call": 1, "raise": 2}


def walk(ours, theirs, views, sets):
    """Compare a node and all below it, and count the ends."""
    assert theirs.is_terminal() == (not ours.to_act())
    if theirs.is_terminal():
        assert [ours.returns()[seat] for seat in AGENTS] == theirs.returns()
        return 1
    assert not any(ours.returns().values())
    player = theirs.current_player()
    seat = AGENTS[player]
    assert ours.to_act() == (seat,)
    view = ours.seen_by(seat)
    views.add(view)
    sets.add(theirs.information_state_string(player))
    legal = {THEIRS[text]: text for text in view.legal(seat)}
    assert sorted(legal) == theirs.legal_actions()
    ends = 0
    for action, text in legal.items():
        child, moves = theirs.child(action), {seat: GAME.read(text, view, seat)}
        if not child.is_chance_node():
            ends += walk(GAME.advance(ours, moves, None), child, views, sets)
            continue
        cards = child.legal_actions()
        opened = [GAME.advance(ours, moves, Draw(i)) for i in range(len(cards))]
        for card, after in zip(
            cards, sorted(opened, key=lambda s: CARDS.index(s.board)), strict=True
        ):
            assert after.board == CARDS[card // 2]
            ends += walk(after, child.child(card), views, sets)
    return ends


def test_the_whole_tree_agrees_with_openspiel():
    pyspiel = pytest.importorskip("pyspiel", reason="pip install 'gem-ma[oracles]'")
    root = pyspiel.load_game("leduc_poker").new_initial_state()
    views, sets, ends = set(), set(), 0
    for deal in itertools.permutations(range(6), 2):
        ours = State(tuple(CARDS[card // 2] for card in deal))
        ends += walk(ours, root.child(deal[0]).child(deal[1]), views, sets)
    assert ends == 5520
    assert (len(views), len(sets)) == (288, 936)  # theirs tells apart the two cards of a rank


def test_the_deck_is_drawn_from_evenly():
    state, after = play("JK", "check"), Counter()
    for number in range(4):
        draw = Draw(number)
        after[GAME.advance(state, {"second": "check"}, draw).board] += 1
        assert draw.below == 4
    assert after == {"J": 1, "Q": 2, "K": 1}
    assert GAME.start(np.random.default_rng(0), {}).board is None
