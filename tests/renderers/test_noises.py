"""Noise in pictures: alike wherever it is seen, stronger where that is said, from a seed."""

import io
import pickle

import numpy as np
import pytest
from PIL import Image

import gem_ma
from gem_ma.renderers import (
    UnknownNoise,
    draw,
    parse_noise,
)
from gem_ma.renderers.noises import NOISE_KINDS
from gem_ma.scene import (
    Grid,
    Tile,
)

SIZE = 252, 252
TILES = (("x", Tile("cross", "red", name="cross")), ("o", Tile("ring", "blue")), (".", Tile()))


def board(*rows, **more):
    return Grid(rows, TILES, **more)


@pytest.mark.parametrize(
    "which",
    [
        "blur:2",
        "jpeg",
        "downscale:3",
        "hue:-40",
        "blur+jpeg:10",
        0,
        "photo",
        "photo:held-out:3+blur",
    ],
)
@pytest.mark.parametrize("env_id", ["game:ConnectFour-v0", "game:KuhnPoker-v0"])
def test_noise_changes_pictures_alike_wherever_they_are_seen(env_id, which):
    plain, noisy = (gem_ma.make(env_id, observe="image", noise=one) for one in ("", which))
    for env in (plain, noisy):
        env.reset(seed=1)
    agent = noisy.agents[0]
    frame = noisy.observe(agent)["image"]
    assert (frame == parse_noise(which).apply(plain.observe(agent)["image"])).all()
    assert not (frame == plain.observe(agent)["image"]).all()
    shown = pickle.loads(pickle.dumps(noisy.picture(agent)))
    assert (shown.array == frame).all()
    assert (np.asarray(Image.open(io.BytesIO(shown.png)).convert("RGB")) == frame).all()
    again = gem_ma.make(noisy.spec)
    again.reset(seed=1)
    assert (again.observe(agent)["image"] == frame).all()
    assert again.spec.kwargs["noise"] == which
    assert "noise" not in plain.spec.kwargs


def test_stronger_noise_changes_more():
    frame = draw(board("xo.", ".xo"), SIZE).astype(int)
    for kind, strengths in (
        ("blur", (0.5, 1, 2, 8)),
        ("downscale", (1.5, 2, 4)),
        ("jpeg", (90, 40, 5)),
        ("hue", (5, 20, -60, 180)),
    ):
        parts = [f"{kind}:{strength}" for strength in strengths]
        gaps = [
            np.abs(parse_noise(one).apply(frame.astype(np.uint8)) - frame).mean() for one in parts
        ]
        assert sorted(gaps) == gaps != [gaps[0]] * len(gaps)
        assert list(strengths) == sorted(strengths, key=NOISE_KINDS[kind].compute_effect)
    assert (parse_noise("").apply(frame.astype(np.uint8)) == frame).all()
    gray = np.repeat(np.arange(256, dtype=np.uint8)[:, None, None], 3, 2)
    assert (parse_noise("hue:77").apply(gray) == gray).all()


def test_a_seed_draws_noise():
    drawn = [parse_noise(seed).parts for seed in range(-20, 40)]
    assert {kind for ((kind, _),) in drawn} == set(NOISE_KINDS)
    assert len(set(drawn)) > 30
    assert parse_noise(5) == parse_noise(5) != parse_noise(-5)


@pytest.mark.parametrize(
    ("which", "words"),
    [
        ("blurr", "no noise 'blurr' in noise='blurr'; did you mean 'blur'"),
        ("blur+", r"no noise '' in noise='blur\+'; there are blur, jpeg"),
        ("blur:x", "expected blur:N, N from 0.1 to 64"),
        ("jpeg:0", "N from 1 to 95"),
        ("downscale:1e9", "expected downscale:N"),
        ("photos:1", "did you mean 'photo'"),
        ("photo:", "expected photo:N or photo:held-out:N"),
        ("photo:test:1", "expected photo:N or photo:held-out:N"),
        ("blur+photo:1", "a photo comes first, as in photo:5"),
        ("photo+photo:1", "a photo comes first"),
        (True, "noise=True: expected a name or an int"),
    ],
)
def test_unknown_noise(which, words):
    with pytest.raises(UnknownNoise, match=words):
        gem_ma.make("game:TicTacToe-v0", noise=which)
