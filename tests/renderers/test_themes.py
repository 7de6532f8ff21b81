"""Themes: those drawn from a seed, and what is no theme."""

import pytest

import gem_ma
from gem_ma.renderers import (
    UnknownTheme,
    draw,
    make_legend,
    parse_theme,
)
from gem_ma.renderers.scenes import grid
from gem_ma.scene import (
    Grid,
    Tile,
)

SIZE = 252, 252


def test_drawn_themes_deal_out_figures_and_the_legend_says_so():
    scene = Grid(
        ("xo",), (("x", Tile("disc", "red", name="x")), ("o", Tile("ring", "blue", name="o")))
    )
    said = {make_legend(scene, parse_theme(seed)) for seed in range(20)}
    assert len(said) > 15
    assert len({parse_theme(seed).figure("disc") for seed in range(40)}) == 7
    for seed in range(40):
        look = parse_theme(seed, "held-out")
        assert parse_theme(f"held-out:{seed}") == look
        assert grid.decode_frame(draw(scene, SIZE, look), scene, look) == ("xo",)
        assert look.describe_color("red") in make_legend(scene, look)
    env = gem_ma.make("game:ConnectFour-v0", observe="image", theme="held-out:3")
    assert f"{parse_theme('held-out:3').figure('disc')} on " in env.rules("red")


def test_drawn_themes_are_reproducible_and_the_splits_share_no_hue():
    assert parse_theme(7) == parse_theme(7)
    assert parse_theme(7) != parse_theme(8)
    seen = {"train": set(), "held-out": set()}
    for split, colors in seen.items():
        for seed in range(50):
            colors |= {rgb for rgb, _ in list(parse_theme(seed, split).colors.values())}
    assert len(seen["train"] & seen["held-out"]) <= 4  # black, white, gray and skin


@pytest.mark.parametrize(
    ("which", "words"),
    [
        ("lihgt", "no theme 'lihgt'; did you mean 'light'"),
        ("neon", "there are light, dark"),
        ("train:x", "no theme 'train:x'"),
        ("train:--5", "no theme 'train:--5'"),
        (1.5, "expected a name or an int"),
        (True, "expected a name or an int"),
    ],
)
def test_unknown_themes(which, words):
    with pytest.raises(UnknownTheme, match=words):
        parse_theme(which)
    with pytest.raises(UnknownTheme):
        gem_ma.make("game:TicTacToe-v0", theme=which)
    with pytest.raises(ValueError, match="split='test'"):
        parse_theme(1, "test")
