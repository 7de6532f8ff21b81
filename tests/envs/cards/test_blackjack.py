"""Blackjack: the same cards dealt to it and to Gymnasium's, and the card that nobody may see."""

import numpy as np
import pytest
from gymnasium.envs.toy_text import blackjack as theirs

from gem_ma import Env, InvalidMove
from gem_ma.envs.cards.blackjack import AGENT, DECK, MOVES, RANKS, Blackjack, State, draw, value
from gem_ma.testing import certify, check_env


def rng(seed=0):
    return np.random.default_rng(seed)


class Dealt:
    """Stand in for a generator that deals these cards in order, by their ranks or numbers."""

    def __init__(self, cards):
        numbers = [RANKS.index(card) if card in RANKS else card for card in cards]
        self.cards = iter(numbers)

    def integers(self, high):
        assert high == 52
        return next(self.cards)


def counts(hand):
    return [min(RANKS.index(card[:-1]) + 1, 10) for card in hand]


@pytest.mark.parametrize("arguments", [{}, {"natural": True}, {"sab": True}])
def test_the_same_cards_end_as_in_gymnasium(arguments, monkeypatch):
    game, env, dice, outcomes = Blackjack(**arguments), theirs.BlackjackEnv(**arguments), rng(), []
    for _ in range(3000):
        cards = dice.integers(52, size=40).tolist()
        ours_deck, theirs_deck = Dealt(cards), iter(cards)
        monkeypatch.setattr(
            theirs, "draw_card", lambda _, d=theirs_deck: counts([DECK[next(d)]])[0]
        )
        state, (seen, _) = game.start(ours_deck, {}), env.reset(seed=0)
        while True:
            total, soft = value(state.own)
            assert seen == (total, counts(state.dealer)[0], int(soft))
            move = MOVES[int(dice.integers(2))]
            state = game.advance(state, {AGENT: move}, ours_deck)
            seen, reward, over, _, _ = env.step(int(move == "hit"))
            assert state.returns()[AGENT] == reward
            assert over == (not state.to_act())
            if over:
                break
        outcomes.append(reward)
    assert set(outcomes) == {-1.0, 0.0, 1.0, *([1.5] if game.natural else [])}


@pytest.mark.parametrize(
    ("deck", "moves", "won", "arguments"),
    [
        ("10 7 K 8", "stick", 1.0, {}),
        ("10 7 9 8", "stick", 0.0, {}),
        ("10 6 9 8 10", "stick", 1.0, {}),  # the dealer draws on 16, and too much
        ("10 6 9 8 5", "stick", -1.0, {}),
        ("10 7 10 6 6", "hit", -1.0, {}),
        ("A 6 K 7", "stick", 0.0, {}),  # the dealer stands on a soft 17
        ("10 7 A 5 10", "hit stick", -1.0, {}),  # the ace counts 1 then
        ("10 9 A A 9", "hit stick", 1.0, {}),
        ("10 5 A K 6", "stick", 0.0, {}),
        ("10 5 A K 6", "stick", 0.0, {"natural": True}),
        ("10 5 A K 6", "stick", 1.0, {"sab": True}),
        ("10 7 A K", "stick", 1.5, {"natural": True}),
        ("A Q A K", "stick", 0.0, {"sab": True}),
    ],
)
def test_scripted_decks(deck, moves, won, arguments):
    game, dealt = Blackjack(**arguments), Dealt(deck.split())
    state = game.start(dealt, {})
    for move in moves.split():
        assert state.to_act() == (AGENT,)
        state = game.advance(state, {AGENT: move}, dealt)
    assert state.to_act() == ()
    assert state.returns() == {AGENT: won}


def test_every_card_is_as_likely():
    dice = rng()
    drawn = [draw(dice) for _ in range(52 * 200)]
    assert set(drawn) == set(DECK)
    assert min(drawn.count(card) for card in DECK) > 140


def test_nothing_says_which_card_is_hidden():
    game, said = Blackjack(), set()
    for card in DECK:
        view = State(("Ah", "5c", "2d"), ("9s", card)).seen_by(AGENT)
        words, scene = game.describe(view, AGENT), game.picture(view, AGENT)
        said.add((view, words, scene, game.encode(view, AGENT).tobytes(), view.legal(AGENT)))
    assert len(said) == 1
    assert words == "Dealer: 9s ?\nYou (soft 18): Ah 5c 2d"


def test_the_end_shows_all():
    game = Blackjack()
    state = game.advance(State(("Ah", "9c"), ("9s", "8s")), {AGENT: "stick"}, None)
    assert game.describe(state.seen_by(AGENT), AGENT) == "Dealer (17): 9s 8s\nYou (soft 20): Ah 9c"


def test_words_that_are_no_moves():
    game = Blackjack()
    view = game.start(rng(), {}).seen_by(AGENT)
    assert game.read(" Hit! ", view, AGENT) == "hit"
    for text in ("double", "", "hit stick", "1"):
        with pytest.raises(InvalidMove, match="is not a legal move"):
            game.read(text, view, AGENT)


def test_giving_up_costs_the_stake():
    env = Env(Blackjack(), id="game:Blackjack-v0", invalid="lose")
    env.reset(seed=0)
    env.step("?")
    assert env.rewards[AGENT] == -1.0


def test_two_ways_to_pay_exclude_each_other():
    with pytest.raises(ValueError, match="expected at most one of them"):
        Blackjack(natural=True, sab=True)


def test_the_contract():
    check_env(Env(Blackjack(), id="game:Blackjack-v0"), processes=False)
    assert certify(Env(Blackjack(natural=True), id="game:Blackjack-v0"), views=80).views == 80
