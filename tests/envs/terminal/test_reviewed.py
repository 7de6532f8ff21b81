"""A reviewer sees the changes and nothing else, sends them back, and approves them."""

import numpy as np
import pytest

from gem_ma.envs.terminal.file_tree import FileTree, diff_trees
from gem_ma.envs.terminal.reviewed import NONE_YET, Reviewed
from gem_ma.game import InvalidMove
from gem_ma.sandbox.sandbox import check_level


@pytest.fixture(autouse=True, scope="module")
def sandbox():
    if why := check_level("namespaces"):
        pytest.skip(why)


def started(game, seed=0):
    return game.start(np.random.default_rng(seed), {})


def done(game, state, agent, text):
    move = game.read(text, state.seen_by(agent), agent)
    return game.advance(state, {agent: move}, None)


def test_a_review():
    game = Reviewed("LargestFiles", rounds=1)
    state = started(game)
    assert game.describe(state.seen_by("reviewer"), "reviewer") == NONE_YET
    state = done(game, state, "author", "echo wrong > largest.txt; echo hidden")
    state = done(game, state, "author", "done")
    view = state.seen_by("reviewer")
    assert state.to_act() == ("reviewer",)
    assert view.inner is None
    text = game.describe(view, "reviewer")
    assert "+wrong" in text
    assert "hidden" not in text
    before, state = state, done(game, state, "reviewer", "That is wrong.")
    (message,) = game.tell(before, {"reviewer": "That is wrong."}, state)
    assert (message.to, message.text) == (("author",), "That is wrong.")
    state = done(game, state, "author", state.inner.problem.solution[0])
    state = done(game, state, "author", "done")
    state = done(game, state, "reviewer", "Approve.")
    assert state.returns() == {"author": 1.0, "reviewer": 1.0}
    assert game.report(state) == {"done": True, "sent_back": 1}


def test_the_last_review_ends_the_task():
    game = Reviewed("LargestFiles", rounds=0)
    state = done(game, started(game), "author", "done")
    assert "(no file was changed)" in game.describe(state.seen_by("reviewer"), "reviewer")
    state = done(game, state, "reviewer", "No.")
    assert (state.to_act(), state.returns()["reviewer"]) == ((), 0.0)


def test_no_commands_left():
    game = Reviewed("LargestFiles", limit=1)
    state = done(game, started(game), "author", "ls")
    assert state.to_act() == ()


def test_the_author_does_not_see_the_solution():
    state = started(Reviewed())
    view = state.seen_by("author")
    assert view.inner.problem is None
    assert not view.inner.tree.entries


def test_wrong_arguments_and_comments():
    with pytest.raises(ValueError, match="rounds=-1: expected 0 or more"):
        Reviewed(rounds=-1)
    with pytest.raises(InvalidMove, match="1 to 1000 characters, not 0"):
        Reviewed().read(" ", started(Reviewed()).seen_by("reviewer"), "reviewer")


def test_a_long_file_is_compared_by_its_length():
    before = FileTree.of({"long": "a\n" * 3000, "short": "a\n"})
    after = FileTree.of({"long": "b\n" * 4000, "short": "b\n"})
    text = diff_trees(before, after)
    assert "changed long: 3000 -> 4000 lines" in text
    assert "+b" in text
    assert text.count("\n") < 10
