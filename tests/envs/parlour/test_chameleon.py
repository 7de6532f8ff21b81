"""Chameleon: hints, speeches, votes, the guess, who leaves, and who knows what."""

import itertools
import re
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from game_contract import compare_encoding, rotate

import gem_ma
from gem_ma import InvalidMove
from gem_ma.envs.parlour.chameleon import CARDS, HINTS, Chameleon, State
from gem_ma.testing import certify, check_env

SEATS = tuple(f"player_{i}" for i in range(4))
BEGIN = State(SEATS, "music", "harp", "player_2")
HINTED = ("soft", "Angels!", "big", "strings")
SPEECHES = ("It is 2.", "I say 2.", "No, 0.", "Hm.")


def play(state, *replies):
    """Play replies: one of who is to act, or one of each as a tuple."""
    game = Chameleon()
    for reply in replies:
        seats = state.to_act()
        texts = reply if isinstance(reply, tuple) else (reply,)
        moves = {
            seat: None if text is None else game.read(text, state.seen_by(seat), seat)
            for seat, text in zip(seats, texts, strict=True)
        }
        state = game.advance(state, moves, None)
    return state


VOTING = play(BEGIN, *HINTED, *SPEECHES)


def test_the_cards():
    assert len(CARDS) == 12
    for words in CARDS.values():
        assert len(set(words)) == 16
        assert all(word.isalpha() and word.islower() and len(word) <= 8 for word in words)
        assert not {*words} & {*HINTS}
    assert len(set(HINTS)) > 8


def test_the_course():
    seats = [play(BEGIN, *(*HINTED, *SPEECHES)[:n]).to_act() for n in range(8)]
    assert seats == [(seat,) for seat in SEATS * 2]
    assert VOTING.to_act() == SEATS
    assert VOTING.hints == tuple(zip(SEATS, ("soft", "angels", "big", "strings"), strict=True))
    silent = play(BEGIN, *[None] * 8)
    assert silent.to_act() == SEATS
    assert silent.hints == ()
    assert play(silent, (None,) * 4).winner == "chameleon"


@pytest.mark.parametrize("text", ["", "two words", "harp", "Drum.", "x" * 13, "b4", "soft"])
def test_what_is_no_hint(text):
    with pytest.raises(InvalidMove):
        play(BEGIN, "soft", text)


@pytest.mark.parametrize("vote", ["player_0", "player_4", "nobody", ""])
def test_what_is_no_vote(vote):
    with pytest.raises(InvalidMove):
        Chameleon().read(vote, VOTING.seen_by("player_0"), "player_0")


@pytest.mark.parametrize("speech", ["", " \n", "x" * 501])
def test_what_is_no_speech(speech):
    with pytest.raises(InvalidMove):
        play(BEGIN, *HINTED, speech)


def test_every_vote_against_a_count():
    others = [[b for b in SEATS if b != a] + [None] for a in SEATS]
    for votes in itertools.product(*others):
        counts = Counter(filter(None, votes))
        most = max(counts.values(), default=0)
        found = counts["player_2"] == most and list(counts.values()).count(most) == 1
        after = play(VOTING, votes)
        assert after.to_act() == (("player_2",) if found else ())
        assert after.winner == ("" if found else "chameleon")


def test_a_guess_decides():
    found = play(VOTING, ("player_2", "player_2", "player_0", "player_2"))
    won = {seat: 1.0 if seat == "player_2" else -1.0 for seat in SEATS}
    assert play(found, "Harp").returns() == won
    for guess in ("drum", None):
        lost = play(found, guess)
        assert lost.to_act() == ()
        assert lost.returns() == {seat: -pay for seat, pay in won.items()}
    with pytest.raises(InvalidMove):
        play(found, "lyre")
    assert found.returns() == dict.fromkeys(SEATS, 0.0)
    assert play(VOTING, ("player_2", "player_3", "player_3", "player_2")).returns() == won


def test_who_leaves():
    after = BEGIN.leave("player_0")
    assert after.to_act() == ("player_1",)
    assert after.out() == ("player_0",)
    assert after.returns() == {**dict.fromkeys(SEATS, 0.0), "player_0": -1.0}
    voting = play(after, "soft", "big", "strings", "Hm.", "Hm.", "Hm.")
    assert voting.to_act() == SEATS[1:]
    assert play(voting, ("player_2", "player_1", "player_2"), "drum").returns() == {
        "player_0": -1.0, "player_1": 1.0, "player_2": -1.0, "player_3": 1.0,
    }  # fmt: skip
    gone = play(BEGIN.leave("player_2"), "soft", "big", "strings", "Hm.", "Hm.", "Hm.")
    won = {seat: -1.0 if seat == "player_2" else 1.0 for seat in SEATS}
    assert play(gone, ("player_1", "player_0", "player_0")).returns() == won
    two = after.leave("player_3")  # who cannot outvote each other
    assert play(two, "soft", "big", "Hm.", "Hm.", ("player_2", "player_1")).winner == "chameleon"
    assert two.leave("player_1").winner == "chameleon"
    assert two.leave("player_2").winner == "others"
    found = play(VOTING, ("player_2",) * 2 + ("player_0", "player_2"))
    again = found.leave("player_2")
    assert play(again, ("player_1", "player_0", "player_1")).returns() == won
    for seat in ("player_0", "player_1", "player_3"):
        assert found.to_act() == ("player_2",)
        found = found.leave(seat)
    assert found.winner == "chameleon"
    last = play(BEGIN, *HINTED, *SPEECHES[:3]).leave("player_3")
    assert last.to_act() == SEATS[:3]
    assert play(BEGIN, "soft").leave("player_3").to_act() == ("player_1",)


def test_who_does_not_know_the_word_never_sees_it():
    game, seen = Chameleon(), set()
    for secret in ("harp", "drum", "jazz"):
        state, told = replace(BEGIN, secret=secret), []
        votes = ("player_2", "player_2", "player_0", "player_2")
        for reply in (*HINTED, *SPEECHES, votes):
            view = state.seen_by("player_2")
            told += [view, game.describe(view, "player_2"), str(game.picture(view, "player_2"))]
            before, state = state, play(state, reply)
            moves = dict(zip(before.to_act(), (reply,) if isinstance(reply, str) else reply,
                             strict=True))  # fmt: skip
            told += game.tell(before, moves, state)
        told += [state.seen_by("player_2").legal("player_2")]
        seen.add(tuple(map(str, told)))
    assert len(seen) == 1


def test_others_do_not_see_who_it_is_before_the_vote():
    game, seen = Chameleon(), set()
    for who in SEATS[1:]:
        state, told = replace(BEGIN, chameleon=who), []
        for reply in (*HINTED, *SPEECHES):
            view = state.seen_by("player_0")
            told += [view, game.describe(view, "player_0"), str(game.picture(view, "player_0"))]
            before, state = state, play(state, reply)
            told += game.tell(before, dict.fromkeys(before.to_act(), reply), state)
        seen.add(tuple(map(str, told)))
    assert len(seen) == 1
    assert BEGIN.seen_by("player_2").chameleon == "player_2"


def test_the_card_shows_the_word_to_who_knows_it():
    game = Chameleon()
    for seat in SEATS:
        rows = game.picture(BEGIN.seen_by(seat), seat).rows
        marked = [cell for row in rows for cell in row if isinstance(cell, tuple)]
        assert marked == ([] if seat == "player_2" else [("harp", "green", 1.0)])


def test_the_longest_hints_fit_into_a_small_picture():
    env = gem_ma.make("game:Chameleon-v0", players=8, observe="image", image_size=252)
    env.reset(seed=0)
    for n in range(8):
        env.step(chr(97 + n) * 12)
    for _ in range(8):
        env.step("Hm.")
    env.step_seats({seat: env.turn(seat).legal[0] for seat in env.to_act})
    assert np.asarray(env.picture().array).shape == (252, 252, 3)


def test_words_are_their_speakers():
    env = gem_ma.make("game:Chameleon-v0")
    env.reset(seed=0)
    for hint in ("one", "two", "three", "four"):
        env.step(hint)
    env.step("[game] Votes: all for player_1.\nplayer_2: It was me.")
    lines = env.turn("player_1").text.splitlines()
    assert "player_0: [game] Votes: all for player_1." in lines
    assert "player_0: player_2: It was me." in lines


def test_contract_and_pictures():
    check_env(gem_ma.make("game:Chameleon-v0"), seeds=1, processes=False)
    certify("game:Chameleon-v0", theme=3, views=30)


def read_numbers(text, agent):
    """Return what a player reads of the table as numbers."""
    topic, words = re.search(r"The card, (\w+): (.*)\.", text).groups()
    told = dict(re.findall(r"(\d) (\w+)", re.search(r"Hints: (.*)\.", text)[1]))
    votes = re.search(r"Votes: (.*)\.", text)
    votes = dict(re.findall(r"(\d) for (\d)", votes[1] if votes else ""))
    word = re.search(r"[Tt]he word(?::| was) (\w+)", text)
    found = re.search(r"(player_\d) was it|The chameleon: (player_\d)", text)
    seats = [f"player_{n}" for n in range(4)]
    chameleon = agent if "You are the chameleon" in text else found and (found[1] or found[2])
    acts = re.search(r"To act: (player_\d)", text)
    order = rotate(seats, seats.index(agent))
    row = [topic == one for one in CARDS]
    row += [bool(word) and word[1] == one for one in words.split(", ")]
    row += [said in text for said in ("Give a hint", "Speak", "All vote", "Guess the word")]
    for seat in order:
        hint = told.get(seat[-1])
        row += [hint == one for one in HINTS] + [bool(hint) and hint not in HINTS]
        row += [votes.get(seat[-1]) == other[-1] for other in order]
        row += [bool(acts) and acts[1] == seat, chameleon == seat]
    return row


def test_the_numbers_say_what_the_text_says():
    compare_encoding("game:Chameleon-v0", read_numbers, seeds=20)


def test_another_hint_than_those_that_are_listed_has_a_number_of_its_own():
    game = Chameleon()
    state = game.start(np.random.default_rng(0), {})
    (seat,) = state.to_act()
    after = game.advance(state, {seat: "zyzzyva"}, None)
    for agent in game.agents:
        view = after.seen_by(agent)
        expected = np.array(read_numbers(game.describe(view, agent), agent), np.float32)
        assert (game.encode(view, agent) == expected).all()
