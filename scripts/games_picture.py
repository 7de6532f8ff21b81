"""Draw the pictures of games in the docs: `python scripts/games_picture.py`, and `--photos`."""

import argparse

from PIL import Image, ImageDraw, ImageFont

import gem_ma
from gem_ma.agents import load_agent
from gem_ma.chat.agent import ask_agent

SIDE, GAP, TITLE = 364, 20, 30
# Each game with its seed and the number of random moves before it is drawn.
GAMES = (
    ("game:Chess-v0", 3, 24),
    ("game:Backgammon-v0", 4, 9),
    ("game:GuessWho-v0", 2, 0),
    ("game:Wordle-v0", 5, 4),
    ("game:Kitchen-v0", 3, 12),
    ("game:Tangram-v0", 3, 2),
    ("game:LeducPoker-v0", 8, 3),
    ("game:Sokoban-v0", 0, 6),
)
# The same, photographed: the first row by cameras for training, the second by held-out ones.
PHOTOS = (
    ("game:Chess-v0", 3, 24, "photo:3"),
    ("game:Go-v0", 3, 40, "photo:0"),
    ("game:ConnectFour-v0", 3, 22, "photo:21"),
    ("game:Wordle-v0", 5, 4, "photo:2"),
    ("game:Backgammon-v0", 4, 9, "photo:held-out:4"),
    ("game:Checkers-v0", 3, 24, "photo:held-out:9"),
    ("game:TexasHoldem-v0", 8, 7, "photo:held-out:2"),
    ("game:Sudoku-v0", 4, 8, "photo:held-out:7"),
)


def drawn(id, seed, moves, noise=""):
    """Return a game after some random moves, as spectators see it."""
    env = gem_ma.make(id, render_mode="rgb_array", image_size=SIDE, noise=noise)
    env.reset(seed=seed)
    player = load_agent("random")
    for _ in range(moves):
        if env.to_act:
            env.step_seats({seat: ask_agent(player, [env.turn(seat)])[0] for seat in env.to_act})
    return Image.fromarray(env.render())


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--photos", action="store_true", help="photos, for docs/vision.md")
    parser.add_argument("--out", help="default: docs/figures/games.png, or photos.jpg")
    args = parser.parse_args()
    out = args.out or f"docs/figures/{'photos.jpg' if args.photos else 'games.png'}"
    wide, high = SIDE + GAP, SIDE + TITLE + GAP
    page = Image.new("RGB", (4 * wide + GAP, 2 * high + GAP), "white")
    pen, font = ImageDraw.Draw(page), ImageFont.load_default(20)
    for place, (id, seed, moves, *noise) in enumerate(PHOTOS if args.photos else GAMES):
        left, top = GAP + place % 4 * wide, GAP + place // 4 * high
        name = id.removeprefix("game:").removesuffix("-v0")
        pen.text((left, top), ", ".join((name, *noise)), fill="black", font=font)
        page.paste(drawn(id, seed, moves, *noise), (left, top + TITLE))
    if args.photos:
        page.save(out, quality=88)
    else:
        page.quantize(128).save(out, optimize=True)


if __name__ == "__main__":
    main()
