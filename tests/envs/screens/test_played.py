"""Our games as pages: every move can be clicked, and is the move that the reply says."""

import random
import re

import numpy as np
import pytest
from playable import unless
from test_screens import anything

import gem_ma
from gem_ma.envs.registry import list_envs
from gem_ma.envs.screens.played import Clicked
from gem_ma.game import InvalidMove
from gem_ma.testing import certify, check_env

GAMES = [id for id in list_envs("game:*") if id.endswith("-v0")]
FEW = ("game:KuhnPoker-v0", "game:RockPaperScissors-v0")


def moved(game, state, agent, text):
    move = game.read(text, state.seen_by(agent), agent)
    return game.advance(state, {agent: move}, np.random.default_rng(0))


def played(game, state, agent, reply):
    """Return the state in which a seat has sent a reply with nothing but clicks and keys."""
    before = state
    for _ in range(12):
        state = moved(game, state, agent, state.clicks(agent, reply))
        if state.turn != before.turn or agent in state.moves:
            break
    return state


@pytest.mark.parametrize("id", GAMES)
def test_every_move_can_be_clicked(id):
    game = Clicked(id)
    state = game.start(np.random.default_rng(1), {})
    for _ in range(4):
        if not state.to_act() or not hasattr(state.inner, "legal"):
            break
        agent = state.to_act()[0]
        legal = state.inner.legal(agent)
        for reply in legal[:: max(1, len(legal) // 4)]:
            after = played(game, state, agent, reply)
            sent = after.last if after.turn != state.turn else after.moves
            own = game.rules_of
            assert sent.get(agent) == own.read(reply, state.inner.seen_by(agent), agent), reply
        state = played(game, state, agent, legal[len(legal) // 2])


@pytest.mark.parametrize("id", GAMES)
def test_no_square_with_a_figure_is_called_free(id):
    game = Clicked(id)
    state = game.start(np.random.default_rng(1), {})
    for one in game.page(state, state.to_act()[0]):
        if one.id.startswith("square:"):
            tile, _ = one.value
            shown = (tile.figure or tile.parts or tile.text) and tile.name != "free"
            assert not (shown and one.text.endswith("free")), (one.text, tile)


def test_the_pieces_of_chess_are_named_on_both_colours_of_squares():
    game = Clicked("game:Chess-v0")
    state = game.start(np.random.default_rng(1), {})
    named = [one.text for one in game.page(state, "white") if one.id.startswith("square:")]
    for rank, seat in (("8", "black"), ("1", "white")):
        figures = ("rook", "knight", "bishop", "queen", "king", "bishop", "knight", "rook")
        for file, figure in zip("abcdefgh", figures, strict=True):
            assert any(text.startswith(f"{file}{rank} {seat} {figure} (") for text in named)


@pytest.mark.parametrize("id", ["game:Minesweeper-v0", "game:Sudoku-v0"])
def test_buttons_say_what_a_square_leaves_open(id):
    game = Clicked(id)
    state = game.start(np.random.default_rng(1), {})
    (agent,), seen = state.to_act(), set()
    for one in game.page(state, agent):
        if not one.id.startswith("square:"):
            continue
        after = moved(game, state, agent, f"click({one.x + one.w // 2}, {one.y + one.h // 2})")
        buttons = [one.text for one in game.page(after, agent) if one.id.startswith("move:")]
        assert not any(re.search(r"\d+ \d+", text) for text in buttons)  # which is a square's name
        seen |= set(buttons)
    words = [re.sub(r"\d \d", "", reply).strip() for reply in state.inner.legal(agent)]
    assert seen == set(words)


@pytest.mark.parametrize("id", [unless(id == FEW[0], id) for id in GAMES])
def test_the_contract_holds(id):
    check_env(gem_ma.make("screens:game", game=id, max_turns=60), seeds=1, processes=False)


def test_a_seat_that_leaves_keeps_nobody_waiting():
    game = Clicked("game:DoubleAuction-v0")
    state = game.start(np.random.default_rng(1), {})
    *others, last = state.to_act()
    for seat in others:
        state = played(game, state, seat, state.inner.legal(seat)[0])
    assert state.to_act() == (last,)
    assert set(state.moves) == set(others)
    after = game.forfeit(state, last, np.random.default_rng(2))
    assert after.turn == state.turn + 1  # the others' moves count
    assert set(after.to_act()) == set(others)


def test_pictures_say_what_words_say():
    assert certify("screens:game", views=100).views >= 100


@pytest.mark.parametrize("id", FEW)
def test_anything_may_be_done(id):
    game, rng = Clicked(id), random.Random(3)
    state = game.start(np.random.default_rng(1), {})
    for seed in range(80):
        if not state.to_act():
            state = game.start(np.random.default_rng(seed), {})
        for agent in state.to_act():
            text = anything(rng, game.page(state, agent))
            if agent in state.to_act():
                state = moved(game, state, agent, text)
        for agent in game.agents:
            assert game.describe(state.seen_by(agent), agent)
            assert game.picture(state.seen_by(agent), agent)


def test_arrows_move_and_words_may_be_typed():
    game = Clicked("game:Game2048-v0")
    state = game.start(np.random.default_rng(1), {})
    legal = state.inner.legal("player")
    after = moved(game, state, "player", f'key("{legal[0].title()}")')
    assert (after.turn, after.last["player"]) == (1, game.rules_of.read(legal[0], state.inner,
                                                                         "player"))  # fmt: skip
    game = Clicked("game:Wordle-v0")
    state = game.start(np.random.default_rng(1), {})
    field = next(one for one in game.page(state, "player") if one.id == "reply")
    state = moved(game, state, "player", f"click({field.x + 9}, {field.y + 9})")
    wrong = moved(game, state, "player", 'type("xx\\n")')
    assert wrong.turn == 0
    assert wrong.hands["player"].error in game.page(wrong, "player")[0].text.replace("\n", " ")
    right = moved(game, state, "player", 'type("about\\n")')
    assert right.turn == 1


def test_a_seat_sees_nothing_of_the_others_page():
    env = gem_ma.make("screens:game", game="game:RockPaperScissors-v0")
    env.reset(seed=0)
    first, second = env.possible_agents
    before = env.observe(second)
    env.step(env.core.match.state.clicks(first, "rock"))
    assert str(env.observe(second)) == str(before)


def test_games_that_are_not_there():
    with pytest.raises(Exception, match="Ches"):
        gem_ma.make("screens:game", game="game:Ches")
    game = Clicked()
    with pytest.raises(InvalidMove):
        game.read("3", game.start(np.random.default_rng(0), {}), "red")
