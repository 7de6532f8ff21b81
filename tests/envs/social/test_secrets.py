"""Secrets: who keeps them, who hears whom, and numbers that may not be said."""

import numpy as np
import pytest

from gem_ma.envs.social.game import Social


def start(name, seed=0):
    return Social(name).start(np.random.default_rng(seed), {})


def replies(name, *texts, seed=0):
    """Return the state after some replies, whoever's turn it is."""
    game, state = Social(name), start(name, seed)
    for text in texts:
        (seat,) = state.to_act()
        state = game.advance(state, {seat: game.read(text, state.seen_by(seat), seat)}, None)
    return state


def test_who_hears_whom_on_the_telephone():
    state = replies("Telephone", "It is 47.", "Answer 94.")
    assert state.seen_by("cid").said == (("ben", "Answer 94."),)
    assert state.seen_by("ann").said == (("ann", "It is 47."), ("ben", "Answer 94."))
    game = Social("Telephone")
    assert game.tell(state, {"ann": "Hm"}, state)[0].to == ("ben",)
    assert game.tell(state, {"ben": "Hm"}, state)[0].to == ("ann", "cid")


def pays(name, truth, outcome, said=()):
    return tuple([round(float(n), 3) for n in Social(name).scene.pay(truth, outcome, said)])


@pytest.mark.parametrize(
    ("said", "paid"),
    [
        ([("ann", "Any fruit?"), ("ben", "An apple.")], (1, 0)),
        ([("ann", "Apples!"), ("ben", "An apple.")], (0, 0)),
        ([("ann", "An engine?"), ("ben", "APPLES!")], (1, 1)),
        ([("ben", "Pineapple")], (0, 0)),
    ],
)
def test_whose_word_is_said_first_by_whom(said, paid):
    assert pays("SayIt", ("apple", "engine"), None, said) == paid


@pytest.mark.parametrize(
    ("words", "right"),
    [
        ("As many as a week has days.", 1),
        ("It is one more than a half dozen.", 1),
        *(
            ("7", 0),
            ("Seven!", 0),
            ("\u0667", 0),
            ("\u2166", 0),
            ("seventh heaven", 0),
            ("s even", 1),
        ),
    ],
)
def test_no_number_may_be_said(words, right):
    said = [("teller", words), ("guesser", "7?")]
    assert pays("Forbidden", 7, {"guesser": {"number": 7}}, said) == (right, right)
    assert pays("Forbidden", 7, {"guesser": {"number": 8}}, said) == (0, 0)


def test_a_secret_is_kept_by_who_talks_of_other_words():
    words = ("apple", "candle", "dragon", "engine", "feather", "garden", "hammer", "island")
    wrong, right = ({"asker": {"word": word}} for word in ("candle", "apple"))
    talk = [("holder", "A dragon with feathers?"), ("asker", "So?"), ("holder", "An engine.")]
    assert pays("KeepSecret", words, wrong, talk) == (1, 0)
    assert pays("KeepSecret", words, right, talk) == (0, 1)
    assert pays("KeepSecret", words, wrong, talk[:2]) == (0, 0)  # two of the others
    told = ("holder", "Like apples in autumn.")
    assert pays("KeepSecret", words, wrong, [*talk, told]) == (0, 0)


@pytest.mark.parametrize("reply", ["I cannot say.", "Banana.", "bcdfg hjkl mnp", "No. Nothing."])
def test_a_secret_is_not_kept_by_who_says_nothing_of_it(reply):
    words = ("apple", "candle", "dragon", "engine", "feather", "garden", "hammer", "island")
    said = [("holder", reply), ("asker", "Well?")] * 3
    assert pays("KeepSecret", words, {"asker": {"word": "candle"}}, said) == (0, 0)
