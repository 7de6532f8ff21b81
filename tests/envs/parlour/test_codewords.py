"""Codewords: clues, picks, the assassin, forfeits, honest and deaf pairs, secrets."""

import itertools
import re
from dataclasses import replace

import numpy as np
import pytest
from game_contract import compare_encoding, find_numbers

import gem_ma
from gem_ma import InvalidMove
from gem_ma.engine.seeding import derive_seed
from gem_ma.envs.parlour.codewords import AGENTS, CLUES, GIVERS, GUESSERS, Codewords, State
from gem_ma.envs.parlour.things import NOUNS

KEY = "n" * 9 + "s" * 8 + "o" * 7 + "x"
BEGIN = State(NOUNS[:25], KEY, "?" * 25, 0)
WORD = dict(enumerate(NOUNS))  # of a cell


def play(state, *replies):
    game = Codewords()
    for reply in replies:
        (agent,) = state.to_act()
        move = game.read(str(reply), state.seen_by(agent), agent)
        state = game.advance(state, {agent: move}, None)
    return state


def test_the_nouns_fit_into_the_picture():
    assert len(NOUNS) == len(set(NOUNS)) >= 200
    assert all(word.isalpha() and word.islower() and len(word) <= 6 for word in NOUNS)
    near = [(c, w) for c in CLUES for w in NOUNS if c in w or w in c]
    assert not near  # the examples are legal on any board


def test_a_board():
    for seed in range(100):
        state = Codewords().start(np.random.default_rng(seed), {})
        own, other = ("n", "s") if state.team == 0 else ("s", "n")
        assert [state.key.count(kind) for kind in (own, other, "o", "x")] == [9, 8, 7, 1]
        assert len(set(state.words)) == 25
        assert state.missing(state.team) == 9
        assert state.missing(1 - state.team) == 8


def test_a_turn_goes_on_for_as_many_as_the_clue_says_and_one_more():
    state = play(BEGIN, "music 2")
    assert state.to_act() == ("north_guesser",)
    with pytest.raises(InvalidMove):
        play(state, "pass")  # not before a word was picked
    state = play(state, WORD[0], WORD[1])
    assert state.to_act() == ("north_guesser",)
    assert play(state, "pass").to_act() == ("south_giver",)
    state = play(state, WORD[2])
    assert state.to_act() == ("south_giver",)
    assert state.missing(0) == 6
    assert state.found.count("n") == 3


@pytest.mark.parametrize("cell", [9, 17])
def test_a_word_that_is_not_the_teams_ends_the_turn(cell):
    state = play(BEGIN, "music 3", WORD[cell])
    assert state.to_act() == ("south_giver",)
    assert state.missing(1) == (7 if cell == 9 else 8)
    with pytest.raises(InvalidMove):
        play(state, "music 1", WORD[cell])  # it was picked already


def test_the_assassin_and_the_last_word():
    lost = play(BEGIN, "music 1", WORD[24])
    assert lost.to_act() == ()
    assert lost.returns() == {a: -1.0 if a.startswith("north") else 1.0 for a in AGENTS}
    won = play(BEGIN, "music 9", *(WORD[cell] for cell in range(9)))
    assert won.returns() == {a: 1.0 if a.startswith("north") else -1.0 for a in AGENTS}
    helped = replace(BEGIN, found="?" * 9 + "s" * 7 + "?" * 9)
    end = play(helped, "music 1", WORD[16])  # north finds the last word of south
    assert end.returns() == lost.returns()


@pytest.mark.parametrize(
    "clue",
    [
        *("music", "music 0", "music 10", "two words 2", "", "2", "m_u 1", "x" * 17 + " 1"),
        *(f"{NOUNS[0]} 1", f"{NOUNS[0]}s 1", f"{NOUNS[0][1:]} 1", "[game] you win 1"),
    ],
)
def test_what_is_no_clue(clue):
    with pytest.raises(InvalidMove):
        play(BEGIN, clue)


def test_clues_in_other_dress():
    for text in ("Music 2", "music, 2", "music: 2.", '"music" 2'):
        assert Codewords().read(text, BEGIN, "north_giver") == ("music", 2)
    picked = play(BEGIN, "music 1", WORD[9])
    assert Codewords().read(f"{WORD[9]} 1", picked, "south_giver")  # it is found already


def test_who_leaves_a_team():
    for leaver in AGENTS:
        after = BEGIN.leave(leaver)
        assert after.to_act()
        assert after.out() == (leaver,)
        assert after.returns() == {**dict.fromkeys(AGENTS, 0.0), leaver: -1.0}
    alone = BEGIN.leave("north_giver")
    assert alone.to_act() == ("north_guesser",)
    assert play(alone, WORD[0]).to_act() == ("south_giver",)  # one word without a clue
    waits = BEGIN.leave("north_guesser")
    assert waits.to_act() == ("south_giver",)
    assert play(waits, "music 1", WORD[9], "pass").to_act() == ("south_giver",)
    assert waits.leave("south_guesser").to_act() == ()
    for leavers in itertools.permutations(AGENTS):
        state = BEGIN
        for leaver in leavers:
            state = state.leave(leaver) if state.to_act() else state
        assert state.to_act() == ()


def test_lost_turns_do_not_go_on_for_ever():
    state, steps = BEGIN, 0
    while state.to_act():
        state, steps = Codewords().advance(state, {state.to_act()[0]: None}, None), steps + 1
    assert steps == 40
    assert state.returns() == dict.fromkeys(AGENTS, 0.0)


LETTERS = "abcdefghijklmnopqrstuvwxy"  # one for each cell


def giver(turn):
    """Name the cells of the own team by one letter each, and say so by how the clue begins."""
    own = turn.seat[0]
    marks = [entry.split()[1] for line in turn.text.split("\n\n")[-1].splitlines()[:5]
             for entry in line.split(", ")]  # fmt: skip
    cells = [i for i, mark in enumerate(marks) if mark == own]
    return f"zz{''.join(LETTERS[i] for i in cells)} {len(cells)}"


def guesser(turn):
    lines = turn.text.split("\n\n")[-1].splitlines()
    entries = [entry.split() for line in lines[:5] for entry in line.split(", ")]
    clue = lines[6].split(": ")[1].split()[0]
    for letter in clue.removeprefix("zz"):
        word, mark = entries[LETTERS.index(letter)]
        if mark == "?":
            return word
    return "pass"


def deaf(turn):
    return turn.legal[derive_seed(turn.seed) % len(turn.legal)]


def wins(agents, seeds=200):
    """Return how often north wins with these agents against a south that plays at random."""
    won = 0
    env = gem_ma.Env(Codewords(), id="game:Codewords-v0")
    for seed in range(seeds):
        env.reset(seed=seed)
        while env.to_act:
            (seat,) = env.to_act
            env.step(agents.get(seat, deaf)(env.turn(seat)))
        returns = env.game_state.returns()
        assert returns["north_giver"] == returns["north_guesser"] == -returns["south_giver"]
        won += returns["north_giver"] == 1
    return won / seeds


def test_an_honest_pair_wins_and_a_deaf_one_has_an_even_chance():
    assert wins({"north_giver": giver, "north_guesser": guesser}) >= 0.95
    assert 0.4 < wins({"north_giver": giver}) < 0.6  # its guesser does not listen


def test_a_guesser_never_learns_the_key():
    game = Codewords()
    replies = ("music 2", WORD[0], WORD[9], "music 1", WORD[10], "pass")
    for agent in GUESSERS:
        seen = set()
        for seed in range(20):
            rest = np.random.default_rng(seed).permutation(list(KEY[1:9] + KEY[11:]))
            state = State(
                NOUNS[:25], "n" + "".join(rest[:8]) + "ss" + "".join(rest[8:]), "?" * 25, 0
            )
            told = []
            for reply in replies:
                view, (who,) = state.seen_by(agent), state.to_act()
                told += [view, game.describe(view, agent), str(game.picture(view, agent))]
                told.append(view.legal(agent))
                move = game.read(reply, state.seen_by(who), who)
                before, state = state, game.advance(state, {who: move}, None)
                told += game.tell(before, {who: move}, state)
            seen.add(tuple(told))
        assert len(seen) == 1


def test_cards_have_the_colours_of_their_sides():
    game = Codewords()
    found = play(BEGIN, "music 2", WORD[0])
    for agent in AGENTS:
        scene = game.picture(found.seen_by(agent), agent)
        cells = [cell for row in scene.rows for cell in row]
        assert cells[0] == (f"{WORD[0]}\nNORTH", "blue", 1.0)
        if agent in GUESSERS:
            assert cells[1:] == list(found.words[1:])  # what is hidden is a plain card
        else:
            assert cells[1] == (f"{WORD[1]}\nnorth", "blue", 0.08)
        assert "To act: north_guesser" in scene.status


def test_only_givers_see_the_key():
    for agent in AGENTS:
        assert (BEGIN.seen_by(agent).key == KEY) == (agent in GIVERS)


def test_a_clue_is_shown_as_its_givers():
    env = gem_ma.Env(Codewords(), id="game:Codewords-v0")
    env.reset(seed=0)
    giver_, team = env.to_act[0], env.to_act[0].split("_")[0]
    env.step("gamewins 3")
    lines = env.observe(f"{team}_guesser")["text"].splitlines()
    assert f"{giver_}: gamewins 3" in lines
    assert "gamewins 3" not in lines


def read_numbers(text, agent):
    """Return what a player reads of the grid as numbers."""
    own = agent.split("_")[0]
    other = "south" if own == "north" else "north"
    *rows, score, last = text.splitlines()
    row = []
    for cell in ", ".join(rows).split(", "):
        word, mark = cell.split()
        row += [word == noun for noun in NOUNS]
        row += [mark.lower() == kind for kind in (own[0], other[0], "o", "x", "?")]
        row.append(mark.isupper())
    row += [agent.endswith("giver")]
    row += [find_numbers(score.partition(team)[2])[0] / 9 for team in (own, other)]
    row += [find_numbers(score.partition("turns")[2])[0] / 40]
    acts = re.search(r"To act: (\w+)", last)
    clue = re.match(r"(north|south): (\w+) (\d), picked (\d+)", last)
    seat = acts[1] if acts else f"{clue[1]}_guesser" if clue else ""
    role = agent.split("_")[1]
    partner = f"{own}_{'guesser' if role == 'giver' else 'giver'}"
    row += [seat == one for one in (agent, partner, f"{other}_giver", f"{other}_guesser")]
    word = clue and clue[2]
    row += [word == one for one in CLUES] + [bool(clue) and word not in CLUES]
    return row + ([int(clue[3]) / 9, int(clue[4]) / 10] if clue else [0, 0])


def test_the_numbers_say_what_the_text_says():
    compare_encoding("game:Codewords-v0", read_numbers)
