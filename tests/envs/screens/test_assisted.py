"""A user and an assistant at one screen: what is told, asked, and given up."""

import numpy as np
import pytest

from gem_ma.envs.screens.assisted import Assisted, spoken
from gem_ma.game import InvalidMove

RNG = np.random.default_rng(0)


def started(game, seed=0):
    return game.start(np.random.default_rng(seed), {})


def done(game, state, **texts):
    moves = {agent: game.read(text, state.seen_by(agent), agent) for agent, text in texts.items()}
    return game.advance(state, moves, RNG)


def test_the_assistant_knows_only_what_it_is_told():
    game = Assisted(family="login")
    state = started(game)
    seen = state.seen_by("assistant")
    words = " ".join(map(str, (seen, game.brief(seen, "assistant"), seen.legal("assistant"))))
    secret = [word for word in state.goal.split() if f'"{word}' in state.goal or '"' in word]
    assert secret
    assert not [word for word in secret if word in words]
    assert state.seen_by("user").inner is None
    state = done(game, state, user="my word is xylophone")
    seen = state.seen_by("assistant")
    assert "xylophone" in game.describe(seen, "assistant")
    assert any("xylophone" in one.text for one in seen.inner.page)  # on the screen too


def test_who_was_told_nothing_asks():
    game = Assisted(family="buttons")
    state = done(game, started(game), user="Hello.")
    assert spoken(state.hint("assistant"))
    state = done(game, state, assistant=state.hint("assistant"))
    assert state.to_act() == ("user",)
    assert state.hint("user") == state.goal


def test_a_user_may_give_up():
    game = Assisted()
    state = done(game, started(game), user="###STOP###")
    assert (state.to_act(), state.returns()) == ((), {"user": 0.0, "assistant": 0.0})


@pytest.mark.parametrize(
    "text",
    ['say("Which one?")', '{"name": "say", "arguments": {"text": "Which one?"}}',
     '{"action": "say", "text": "Which one?"}', "Thought: hm\nAction: say(Which one?)"],
)  # fmt: skip
def test_ways_to_say_something(text):
    assert spoken(text) == "Which one?"


def test_a_long_message_leaves_room_for_the_screen():
    game = Assisted(family="buttons")
    state = done(game, started(game), user="long " * 190)
    assert state.inner.page[0].h < 70
    with pytest.raises(InvalidMove, match="1 to 1000 characters, and not 1200"):
        done(game, state, assistant=f'say("{"x" * 1200}")')


def test_an_episode_may_have_a_difficulty_of_its_own():
    game = Assisted(family="buttons", difficulty=2)
    for difficulty in (0, 7):
        state = game.start(np.random.default_rng(0), {"difficulty": difficulty})
        assert state.inner.left == 24 + 8 * difficulty
    assert started(game).inner.left == 24 + 8 * 2
