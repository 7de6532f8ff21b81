"""Taboo: what may not be said, guesses, rounds, and who knows the card."""

import itertools
import re

import numpy as np
import pytest

import gem_ma
from gem_ma import InvalidMove
from gem_ma.envs.parlour.taboo import AGENTS, CARDS, EXAMPLES, State, Taboo, spoken_is, words_of
from gem_ma.testing import certify, check_env

BEGIN = State("cactus", ("desert", "plant", "spine", "green", "dry"), 3)


def play(state, *replies):
    game = Taboo()
    for reply in replies:
        (agent,) = state.to_act()
        move = None if reply is None else game.read(reply, state.seen_by(agent), agent)
        state = game.advance(state, {agent: move}, None)
    return state


def test_the_cards():
    assert len(CARDS) == 100
    for word, forbidden in CARDS.items():
        assert len(set(forbidden)) == 5
        assert all(one.isalpha() and one.islower() for one in (word, *forbidden))
        assert word not in forbidden
        legal = State(word, forbidden, 3).legal("giver")
        assert len(legal) >= len(EXAMPLES) - 1
        assert not any(State(word, forbidden, 3).heard(text) for text in legal)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        *(("A cactus!", "cactus"), ("CACTUSES", "cactus"), ("c a c t u s", "cactus")),
        *(("It is d-r-y.", "dry"), ("D.R.Y", "dry"), ("It dries.", "dry"), ("driest", "")),
        *(
            ("dried", "dry"),
            ("a d\u00e9sert", "desert"),
            ("deserted", "desert"),
            ("\uff44ry", "dry"),
        ),
        *(
            ("planting", "plant"),
            ("implants", "plant"),
            ("greenhouse", "green"),
            ("Spiny", "spine"),
        ),
        *(("laundry", ""), ("a dessert", ""), ("It has thorns, and needs no water.", "")),
        *(("the pla net", ""), ("a d r", ""), ("I a m here", ""), ("123", ""), ("spin", "")),
    ],
)
def test_what_may_not_be_said(text, word):
    assert BEGIN.heard(text) == word
    after = play(BEGIN, text)
    assert after.returns() == dict.fromkeys(AGENTS, 0.0)
    assert (after.to_act() == ()) == bool(word)


def form(word):
    """Return a pattern of the forms of a word, and of words that hold it."""
    last, stem = word[-1], word[:-1]
    ends = [f"{word}(?:s|es|ed|ers?|ings?|y|n)?", f"{word}{last}(?:ed|ers?|ing|y)"]
    if last in "ey":
        ends.append(f"{stem}(?:ed|ers?|ings?|ies|ied|ier|y)")
    if len(word) >= 4:
        ends.append(f".*{word}.*")
    return re.compile("|".join(ends))


def test_forms_against_patterns():
    words = sorted({*CARDS, *itertools.chain(*CARDS.values())})
    ends = ("", "s", "es", "er", "ing", "y", "ed", "ies", "est", "land")
    for word in words:
        pattern = form(word)
        others = {one for one in words if one[:2] == word[:2] or word in one}
        stems = {word, word[:-1], word + word[-1], *others}
        for spoken in (stem + end for stem in stems for end in ends):
            assert spoken_is(spoken, word) == bool(pattern.fullmatch(spoken)), (spoken, word)


def test_words_of_a_text():
    assert words_of("I am, a b-c man's") == ["i", "am", "a", "b", "c", "man", "s", "i", "abc", "s"]


def test_a_game():
    state = play(BEGIN, "It has thorns.", "rose", "Hot.", "sun", "It is tall.", "The Cactuses.")
    assert state.returns() == dict.fromkeys(AGENTS, 1.0)
    assert state.guesses == ("rose", "sun", "cactuses")
    lost = play(BEGIN, "It has thorns.", "rose", None, None, "Hm.", "thorns")
    assert lost.to_act() == ()
    assert lost.returns() == dict.fromkeys(AGENTS, 0.0)
    with pytest.raises(InvalidMove):
        play(BEGIN, "Hm.", "rose", "Hm.", "rose")


@pytest.mark.parametrize("text", ["", "two words", "x" * 25, "r0se", "[game] right"])
def test_what_is_no_guess(text):
    with pytest.raises(InvalidMove):
        play(BEGIN, "Hm.", text)


@pytest.mark.parametrize("text", ["", " ", "x" * 501])
def test_what_is_no_message(text):
    with pytest.raises(InvalidMove):
        play(BEGIN, text)


def test_the_guesser_does_not_know_the_card():
    game, seen = Taboo(), set()
    for word in ("cactus", "wolf", "zebra"):
        state, told = State(word, CARDS[word], 3), []
        for reply in ("You are near.", "moon", None, "sun", "You know it well."):
            view, (who,) = state.seen_by("guesser"), state.to_act()
            told += [view, game.describe(view, "guesser"), str(game.picture(view, "guesser"))]
            told.append(view.legal("guesser"))
            before, state = state, play(state, reply)
            move = reply and game.read(reply, before.seen_by(who), who)
            told += [m for m in game.tell(before, {who: move}, state) if m.to != ("giver",)]
        seen.add(tuple(told))
    assert len(seen) == 1


def test_a_forbidden_word_is_not_passed_on():
    env = gem_ma.make("game:Taboo-v0")
    env.reset(seed=0)
    word = env.game_state.word
    env.step(f"It is a secret: {word}s")
    heard = env.match.make_view("guesser")
    assert heard.said == word
    assert not env.to_act
    assert "secret" not in env.observe("guesser")["text"]
    assert f"The giver said {word}, which is forbidden." in env.observe("guesser")["text"]


def test_a_card_is_drawn():
    game = Taboo()
    card = game.picture(BEGIN, "giver")
    assert card.rows[0] == (("CACTUS", "yellow", 1.0),)
    assert [row[0][0] for row in card.rows[1:]] == list(BEGIN.forbidden)
    assert game.picture(BEGIN.seen_by("guesser"), "guesser").rows == (("?",),)
    assert np.unique([len(row) for row in card.rows]).tolist() == [1]


def test_contract_and_pictures():
    check_env(gem_ma.make("game:Taboo-v0"), seeds=1, processes=False)
    certify("game:Taboo-v0", theme=3, views=30)
