"""What is drawn fills the frame: at least 55 percent of its shorter side squared, at four sizes."""

import numpy as np
import packs
import pytest
from playable import FEW, IDS, TALKS, unless

import gem_ma
from gem_ma.renderers import draw, parse_theme

SIZES = (252, 336, 504, 1008)
LEAST = 0.55
PAPER = np.array(parse_theme("light").paper, np.uint8)


def filled(picture):
    """Return the box around all that is not paper, as a share of the shorter side squared."""
    drawn = (picture != PAPER).any(-1)
    rows, columns = np.flatnonzero(drawn.any(1)), np.flatnonzero(drawn.any(0))
    box = (rows[-1] - rows[0] + 1) * (columns[-1] - columns[0] + 1)
    return box / min(picture.shape[:2]) ** 2


def scenes(env_id):
    """Return what the seats of an environment see at its beginning, and a little later."""
    env = gem_ma.make(env_id)
    env.reset(seed=1)
    for seat in env.possible_agents:
        env.action_space(seat).seed(1)
    for _ in range(2):
        if env.to_act:
            seat = env.to_act[0]
            yield env.core.observation_builder.build_scene(env.match.make_view(seat), seat)
        for _ in range(4):
            if env.to_act:
                env.step_seats({seat: env.sample_random_action(seat) for seat in env.to_act})


# A talk begins with an empty chat, and is as long as what was said; a page has room for more.
DRAWN = [env_id for env_id in IDS if not env_id.startswith((*TALKS, "screens:"))]


@pytest.mark.parametrize("env_id", [unless(env_id in FEW, env_id) for env_id in DRAWN])
def test_what_is_drawn_fills_the_frame(env_id):
    for scene in scenes(env_id):
        found = {size: round(float(filled(draw(scene, (size, size)))), 2) for size in SIZES}
        assert min(found.values()) >= LEAST, found


@pytest.mark.parametrize("env_id", packs.present(["visual:Angles-v0", "visual:Lengths-v0"]))
def test_figures_of_geometry_fill_the_frame(env_id):
    env = gem_ma.make(env_id)
    for seed in range(20):
        env.reset(seed=seed)
        picture = env.picture(env.to_act[0]).array
        assert filled(picture) >= LEAST
        for border in (picture[:2], picture[-2:], picture[:, :2], picture[:, -2:]):
            assert (border == PAPER).all()  # and nothing is cut
