"""The games of drawing: what a copy earns, and what a describer may say."""

import numpy as np
import pytest

import gem_ma
from gem_ma import InvalidMove
from gem_ma.envs.visual.drawing import figures, svg
from gem_ma.envs.visual.drawing.describe_and_draw import DescribeAndDraw
from gem_ma.testing import certify, check_env

BLIND = [
    '<svg><rect x="20" y="25" width="60" height="60" fill="A"/></svg>',
    '<svg><circle cx="50" cy="50" r="25" fill="B"/></svg>',
    figures.SAMPLES[4],
]


def played(env, seed, *replies):
    env.reset(seed=seed)
    for reply in replies:
        env.step(reply)
    return env


@pytest.mark.parametrize("seeds", [10, pytest.param(200, marks=pytest.mark.slow)])
def test_the_figure_itself_earns_everything_and_a_blind_drawing_little(seeds):
    for difficulty in (0, 5, 10):
        env, blind = gem_ma.make("visual:CopyFigure-v0", difficulty=difficulty), []
        for seed in range(seeds):
            env.reset(seed=seed)
            answer = env.game_state.answer
            blind.append(
                [env.game.grade(answer, env.game.read(one, None, "player")) for one in BLIND]
            )
            env.step(f"Here:\n```svg\n{answer}\n```")
            assert env.rewards["player"] == 1
        assert np.mean(blind, axis=0).max() < 0.15


def test_a_copy_that_is_a_little_off_earns_less():
    env = gem_ma.make("visual:CopyFigure-v0", difficulty=0)
    env.reset(seed=3)
    (one,) = svg.parse_svg(env.game_state.answer)
    x, y, wide, high = one.numbers
    earned = []
    for off in (0, 1, 4, 10):
        text = svg.format_svg((one._replace(numbers=(x + off, y, wide, high)),))
        earned.append(env.game.grade(env.game_state.answer, text))
        overlap = (wide - off) / (wide + off)
        least = wide * high / 9000
        assert earned[-1] == pytest.approx((overlap - least) / (1 - least), abs=0.0101)
    assert earned == sorted(earned, reverse=True)
    assert earned[0] == 1


def test_what_the_drawing_earned_is_told():
    env = gem_ma.make("visual:CopyFigure-v0", difficulty=2, tries=2)
    played(env, 0, figures.SAMPLES[0])
    text = env.observe("player")["text"]
    assert "The drawing earns 0." in text
    assert "Tries left: 1." in text
    env.step("<svg><script/></svg>")
    assert "Invalid: <script> is not one of rect, circle" in env.observe("player")["text"]


def test_both_seats_earn_the_overlap():
    for seed in range(3):
        env = gem_ma.make("visual:DescribeAndDraw-v0", difficulty=4)
        env.reset(seed=seed)
        answer = env.game_state.best[1]
        played(env, seed, "A large disc of colour A, in the middle.", answer)
        assert env.rewards == {"describer": 1, "drawer": 1}
        played(env, seed, "A large disc of colour A, in the middle.", BLIND[0])
        earned = env.rewards["drawer"]
        assert env.rewards["describer"] == earned < 0.5
        copy = gem_ma.make("visual:CopyFigure-v0")
        said = copy.game.read(BLIND[0], None, "player")
        assert earned == copy.game.grade(answer, said)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x" * 361, "361 characters; a description has at most 360"),
        ('<rect x="1"/>', "is in words, without < = >"),
        ("{1, 2}", "is in words, without { }"),
        ("a disc at 10, 20 and a line from 30, 40 to 50", "5 numbers; a description has at most 4"),
        ("\u0661 \u0662 \u0663 \u0664 \u0665", "5 numbers"),
        ("   ", "an empty description"),
    ],
)
def test_what_is_no_description(text, words):
    game = DescribeAndDraw()
    view = game.start(np.random.default_rng(0), {})
    with pytest.raises(InvalidMove, match=words):
        game.read(text, view, "describer")


def test_what_the_drawer_knows():
    env = gem_ma.make("visual:DescribeAndDraw-v0", difficulty=6, observe="both")
    pictures = set()
    for seed in range(4):
        env.reset(seed=seed)
        assert "at most 430 characters" in env.observe("describer")["text"]
        env.step("Discs.")
        view = env.match.make_view("drawer")
        assert view.figure is None
        seen = env.observe("drawer")
        assert "describer: Discs." in seen["text"]
        pictures.add((seen["text"], seen["image"].tobytes()))
    assert len(pictures) == 1  # nothing but the description


def test_a_describer_that_says_nothing_leaves_the_drawer_to_guess():
    env = gem_ma.make("visual:DescribeAndDraw-v0", invalid="skip")
    played(env, 0, "<svg>")
    assert env.to_act == ("drawer",)
    assert "describer lost its turn." in env.observe("drawer")["text"]
    env.step("nothing")
    assert env.rewards == {"describer": 0, "drawer": 0}


def test_the_contract():
    check_env("visual:DescribeAndDraw-v0-easy", seeds=1, processes=False)


@pytest.mark.parametrize(
    "name",
    [
        "CopyFigure",
        *(
            pytest.param(name, marks=pytest.mark.slow)
            for name in (
                *("DescribeAndDraw", "BoxEach", "PointEach", "PointToPart"),
                *("ScreenBox", "ScreenPoint"),
            )
        ),
    ],
)
def test_pictures_show_what_words_say(name):
    assert certify(f"visual:{name}-v0", views=20).views == 20
