"""Draw every game after a few random moves into one picture."""

import argparse
import math

import numpy as np
from PIL import Image

import gem_ma
from gem_ma.renderers import THEMES, font

MARGIN, SIDE = 12, 336


def shot(env_id, look, moves=6, title=""):
    """Return the spectator's picture of a game, with its name above."""
    env = gem_ma.make(env_id, render_mode="rgb_array", theme=look, image_size=SIDE)
    env.reset(seed=3)
    for number in range(moves):
        if env.to_act:
            legal = {seat: env.turn(seat).legal for seat in env.to_act}
            env.step_seats(
                {seat: moves_[(number * 5 + 3) % len(moves_)] for seat, moves_ in legal.items()}
            )
    frame = env.render()
    height = font.LETTER_HEIGHTS[1]
    titled = np.full((frame.shape[0] + height + 4, frame.shape[1], 3), 255, np.uint8)
    font.draw_line(titled, 0, 0, title or env_id.removeprefix("game:"), height, (40, 40, 44))
    titled[height + 4 :] = frame
    return titled


def sheet(shots, columns):
    """Return pictures in rows, on white."""
    h, w = shots[0].shape[:2]
    rows = math.ceil(len(shots) / columns)
    page = np.full(
        (rows * (h + MARGIN) + MARGIN, columns * (w + MARGIN) + MARGIN, 3), 255, np.uint8
    )
    for i, picture in enumerate(shots):
        y, x = MARGIN + i // columns * (h + MARGIN), MARGIN + i % columns * (w + MARGIN)
        page[y : y + h, x : x + w] = picture
    return page


def main():
    """Write the picture."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", default="docs/gallery.png")
    parser.add_argument(
        "--themes", action="store_true", help="draw one game in every theme instead"
    )
    args = parser.parse_args()
    if args.themes:
        looks = [*THEMES, 1, 2, "held-out:3"]
        shots = [shot("game:ConnectFour-v0", look, 14, f"theme={look!r}") for look in looks]
    else:
        ids = gem_ma.list_envs("game:*-v0")
        shots = [shot(env_id, "light") for env_id in ids]
    Image.fromarray(sheet(shots, 4 if args.themes else 6)).save(args.out, optimize=True)


if __name__ == "__main__":
    main()
