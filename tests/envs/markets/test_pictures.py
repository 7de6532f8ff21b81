"""Pictures of these games: what was chosen in figures, nothing cut at the largest arguments."""

import pytest

import gem_ma
from gem_ma.envs.markets.bargaining import Bargaining
from gem_ma.envs.markets.bargaining import State as Table
from gem_ma.envs.markets.prisoners_dilemma import PrisonersDilemma
from gem_ma.envs.markets.rock_paper_scissors import MOVES, RockPaperScissors, State
from gem_ma.renderers import font
from gem_ma.scene import Shapes
from gem_ma.testing import certify

LARGE = [
    ("game:RockPaperScissors-v0", {"rounds": 12}),
    ("game:PrisonersDilemma-v0", {"rounds": 12}),
    ("game:PublicGoods-v0", {"players": 20, "tokens": 999}),
    ("game:ColonelBlotto-v0", {"fields": 26, "troops": 3, "rounds": 12}),
    ("game:ColonelBlotto-v0", {"fields": 2, "troops": 999, "rounds": 12}),
    ("game:Bargaining-v0", {"turns": 99}),
]


@pytest.mark.parametrize(("env_id", "arguments"), LARGE)
def test_the_largest_are_certified(env_id, arguments):
    assert certify(gem_ma.make(env_id, **arguments), views=6).views >= 6


@pytest.mark.parametrize(("env_id", "arguments"), LARGE)
@pytest.mark.parametrize("unit", [200, 900])
def test_no_letters_leave_the_picture(env_id, arguments, unit):
    env = gem_ma.make(env_id, **arguments)
    env.reset(seed=1)
    while env.to_act:
        scene = env.game.picture(env.game_state, None)
        if isinstance(scene, Shapes):
            for letters, _, x, _, high in scene.labels:
                text = max(
                    h
                    for h in font.LETTER_HEIGHTS
                    if h <= high * unit or h == font.LETTER_HEIGHTS[0]
                )
                half = font.measure_advance(text) * len(letters) / 2 / unit
                assert 0 <= x - half <= x + half <= 1, letters
        env.step(env.sample_random_action())


def test_hands_are_shown_large_and_round_by_round():
    state = State(5)
    for left in MOVES:
        state = state.play(left, "rock")
    scene = RockPaperScissors(8).picture(state, None)
    figures = [figure for figure, *_ in scene.items]
    assert figures[:6] == ["rock", "rock", "sheet", "rock", "scissors", "rock"]
    assert figures[6:] == ["scissors", "rock"]  # the last round
    assert [label[0] for label in scene.labels if label[0] in "<>="] == ["<"]
    lost = RockPaperScissors(8).picture(state.play(None, "paper"), None)
    assert [figure for figure, *_ in lost.items][-2:] == ["cross", "sheet"]


def test_the_table_of_payoffs_is_in_the_picture():
    game = PrisonersDilemma()
    scene = game.picture(game.start(None, {}), "left")
    labels = [label[0] for label in scene.labels]
    assert {"3 : 3", "0 : 5", "5 : 0", "1 : 1", "cooperate", "defect"} <= set(labels)
    after = game.picture(game.start(None, {}).play("defect", "cooperate"), "left")
    thumbs = [item[5] for item in after.items if item[0] == "thumb"]
    assert sorted(thumbs) == [0.0] * 3 + [180.0] * 3


def test_things_lie_below_who_would_get_them():
    view = Table((2, 1, 4), ((1, 4, 1), None), 5, 1, (2, 0, 1), 0)
    items = Bargaining().picture(view, "first").items
    assert [item[0] for item in items] == ["book"] * 2 + ["hat"] + ["ball"] * 4
    sides = [x > 0.65 for _, _, x, _, _, _ in items]
    assert sides == [False, False, True, False, True, True, True]
    assert len({(x, y) for _, _, x, y, _, _ in items}) == 7
