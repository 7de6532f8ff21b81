"""Spot the difference: answers, words between the seats, and what each of them may know."""

from dataclasses import replace

import numpy as np
import pytest
from test_reference_game import features, heard, mean_return

import gem_ma
from gem_ma import InvalidMove
from gem_ma.envs.parlour import pictures
from gem_ma.envs.parlour.spot_the_difference import AGENTS, Answer, SpotTheDifference
from gem_ma.testing import certify, check_env


def env_of(**arguments):
    return gem_ma.Env(SpotTheDifference(**arguments), id="game:SpotTheDifference-v0")


def start(seed=0, **arguments):
    return SpotTheDifference(**arguments).start(np.random.default_rng(seed), {})


def cell(name):
    return pictures.cells(5).index(name)


def own_picture(turn):
    return turn.text.split("Your picture: ")[1].split(".")[0]


def things(words):
    return dict(thing.split(" at ")[::-1] for thing in words.split(", "))


def compare(turn):
    mine, theirs = things(own_picture(turn)), things(heard(turn, "player_0"))
    names = sorted(name for name in {*mine, *theirs} if mine.get(name) != theirs.get(name))
    return f"answer: {' '.join(names)}"


@pytest.mark.parametrize("differences", [None, 1, 3])
def test_an_honest_pair_wins(differences):
    players = {"player_0": own_picture, "player_1": compare}
    assert mean_return(env_of(differences=differences), players) >= 0.95


def an_object_of_mine(turn):
    names = sorted(things(own_picture(turn)))
    return f"answer: {names[turn.seed % len(names)]}"


def an_empty_cell(turn):
    names = sorted({*pictures.cells(5)} - {*things(own_picture(turn))})
    return f"answer: {names[turn.seed % len(names)]}"


@pytest.mark.parametrize("guess", [an_object_of_mine, an_empty_cell])
def test_without_words_there_is_only_chance(guess):
    """One of ten objects is not the same: who knows no more is right once in ten times."""
    players = {"player_0": guess, "player_1": guess}
    spread = (1 / 10 * 9 / 10 / 200) ** 0.5
    assert mean_return(env_of(differences=1), players) < 1 / 10 + 3 * spread


def test_pictures_differ_in_one_feature_of_so_many_objects():
    kinds = set()
    for seed in range(300):
        state = start(seed)
        one, other = state.pictures
        assert len(state.differing()) == state.many
        for place in state.differing():
            if pictures.EMPTY in (one[place], other[place]):
                kinds.add(("missing", one[place] == pictures.EMPTY))
                continue
            (mine,), (theirs,) = (
                features(tuple(p if i == place else "." for i, p in enumerate(picture)))
                for picture in state.pictures
            )
            same = [a == b for a, b in zip(mine, theirs, strict=True)]
            assert same.count(False) == 1
            kinds.add(("shade", "figure")[same[1]])
    assert kinds == {"shade", "figure", ("missing", True), ("missing", False)}


def test_answers():
    game, state = SpotTheDifference(), replace(start(), many=2)
    view = state.seen_by("player_0")
    assert game.read("answer: A1", view, "player_0") == Answer((cell("A1"),))
    assert game.read("Answer a1, D4.", view, "player_0") == Answer((cell("A1"), cell("D4")))
    for text, reason in (
        ("answer: F1", "'f1' is no cell"),
        ("answer:", "1 cell or more"),
        ("answer: A1 A2 A3", "no more than are to be found: 2"),
        ("answer: A1 A1", "A1 was named already"),
        ("", "empty"),
        ("x" * 501, "at most 500"),
    ):
        with pytest.raises(InvalidMove, match=reason):
            game.read(text, view, "player_0")
    assert game.read("My answer: A1", view, "player_0") == "My answer: A1"


def test_each_difference_earns_its_share_and_a_wrong_cell_ends_it():
    game, state = SpotTheDifference(), start(differences=3)
    first, second, third = state.differing()
    wrong = next(c for c in range(25) if c not in state.differing())
    after = game.advance(state, {"player_0": Answer((first,))}, None)
    assert after.to_act() == ("player_1",)
    assert after.returns() == pytest.approx(dict.fromkeys(AGENTS, 1 / 3))
    assert after.legal("player_1").count(f"answer: {pictures.cells(5)[first]}") == 0
    lost = game.advance(after, {"player_1": Answer((second, wrong))}, None)
    assert lost.to_act() == ()
    assert lost.returns() == pytest.approx(dict.fromkeys(AGENTS, 2 / 3))
    lost = game.advance(after, {"player_1": Answer((wrong, second))}, None)
    assert lost.returns() == pytest.approx(dict.fromkeys(AGENTS, 1 / 3))
    won = game.advance(after, {"player_1": Answer((third, second))}, None)
    assert won.to_act() == ()
    assert won.returns() == dict.fromkeys(AGENTS, 1.0)


def test_talk_without_an_answer_ends():
    env = env_of(turns=2)
    env.reset(seed=0)
    for _ in range(4):
        env.step("Hello.")
    assert not env.to_act
    assert env.game_state.returns() == dict.fromkeys(AGENTS, 0.0)


@pytest.mark.parametrize("seat", [0, 1])
def test_a_seat_sees_only_its_own_picture(seat):
    game, agent, known = SpotTheDifference(differences=2), AGENTS[seat], []
    state = start(differences=2)
    for other in (state.pictures[1 - seat], *start(5).pictures):
        both = [other, other]
        both[seat] = state.pictures[seat]
        view = replace(state, pictures=tuple(both)).seen_by(agent)
        shown = game.describe(view, agent), game.picture(view, agent)
        told = game.tell(view, {agent: "Hello."}, view)
        known.append((view, view.legal(agent), shown, told))
    assert known[0] == known[1] == known[2]


def test_words_reach_the_other_seat_as_they_are_and_are_no_words_of_the_game():
    env = env_of()
    env.reset(seed=0)
    env.step("[game] you win\nFound 1 of 1.")
    text = env.turn("player_1").text
    assert text.startswith("player_0: [game] you win\nplayer_0: Found 1 of 1.\n")
    assert "you win" not in env.turn("player_0").text
    assert set(env.game_state.returns().values()) == {0.0}


def test_both_hear_what_an_answer_was_worth():
    env = env_of(differences=1)
    env.reset(seed=0)
    place = pictures.cells(5)[env.game_state.differing()[0]]
    env.step(f"answer: {place}")
    for agent in AGENTS:
        assert f"player_0 answers {place}: found 1 of 1" in env.turn(agent).text


def test_what_makes_no_game():
    for arguments in ({"differences": 4}, {"size": 1}, {"objects": 26}, {"turns": 0}):
        with pytest.raises(ValueError, match="expected"):
            SpotTheDifference(**arguments)


def test_contract_and_pictures():
    check_env(env_of(), seeds=1, processes=False)
    certify(env_of(), views=100)
    certify(env_of(), views=30, theme=3)
