"""A picture: its pixels, its words and its file, and frames that nobody shares."""

import io
import subprocess
import sys

import numpy as np
import pytest
from PIL import Image
from playable import EVERY_ID, FEW, IDS

import gem_ma


@pytest.mark.parametrize("env_id", EVERY_ID)
def test_a_picture_holds_pixels_words_and_file(env_id):
    env = gem_ma.make(env_id, theme="dark")
    env.reset(seed=1)
    for agent in (None, *env.possible_agents):
        shown = env.picture(agent)
        assert shown.alt == env.game.describe(
            env.game_state if agent is None else env.match.make_view(agent), agent
        )
        assert (np.asarray(Image.open(io.BytesIO(shown.png)).convert("RGB")) == shown.array).all()
    assert env.picture().key == env.picture().key


def test_frames_are_not_shared():
    env = gem_ma.make("game:TicTacToe-v0", observe="image")
    env.reset()
    first = env.observe("x")["image"]
    kept = first.copy()
    first[:] = 0
    assert (env.observe("x")["image"] == kept).all()


@pytest.mark.parametrize("ids", [FEW, pytest.param(IDS, marks=pytest.mark.slow)], ids=len)
def test_the_same_bytes_in_every_process(ids):
    code = (
        "import hashlib, gem_ma; h = hashlib.sha256()\n"
        f"for id in {ids}:\n"
        "    env = gem_ma.make(id, observe='image', theme=5); env.reset(seed=1)\n"
        "    h.update(env.observe(env.agents[0])['image'].tobytes())\n"
        "found = h.hexdigest()\n"
    )
    exec(code, here := {})
    there = subprocess.run(
        [sys.executable, "-c", f"{code}print(found)"], capture_output=True, text=True, check=True
    )
    assert there.stdout.strip() == here["found"]
