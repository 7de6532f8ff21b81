"""Two at one document: carets, what each wants, and what both must do."""

import numpy as np

from gem_ma.envs.screens.shared import Shared

RNG = np.random.default_rng(0)


def started(game, seed=0):
    return game.start(np.random.default_rng(seed), {})


def done(game, state, **texts):
    moves = {agent: game.read(text, state.seen_by(agent), agent) for agent, text in texts.items()}
    return game.advance(state, moves, RNG)


def test_a_caret_stays_at_its_letters_while_the_other_types():
    game = Shared(difficulty=0)
    state = started(game)
    line = state.now()[0]
    word = line.split()[1]
    at = line.index(word)
    one = next(one for one in state.page(0) if one.id == "line0")
    y, right = one.y + one.h // 2, one.x + one.w - 6
    state = done(game, state, first=f"click({one.x + 20}, {y})", second=f"click({right}, {y})")
    first, second = state.uis
    assert (first.focus, second.focus) == ("line0", "line0")
    assert second.caret == len(line)
    state = done(game, state, first='key("Home")', second="wait()")
    state = done(game, state, first='type("new ")', second='type("!")')
    assert state.now()[0] == f"new {line}!"
    assert at


def test_both_must_be_done_and_right():
    game = Shared(difficulty=0)
    state = started(game)
    button = next(one for one in state.page(0) if one.id == "ready")
    click = f"click({button.x + 5}, {button.y + 5})"
    state = done(game, state, first=click, second="wait()")
    assert state.ready == (True, False)
    assert state.to_act() == ("first", "second")
    state = done(game, state, first="wait()", second=click)
    assert state.to_act() == ()
    assert state.returns() == {"first": 0.0, "second": 0.0}


def test_neither_knows_what_the_other_wants():
    game = Shared(difficulty=10)
    state = started(game)
    for own, other in (("first", 1), ("second", 0)):
        view = state.seen_by(own)
        seen = f"{view} {game.brief(view, own)}".replace('"', "'")
        assert not [new for _, new in state.swaps[other] if f"'{new}'" in seen]
