"""Pictures: complete, the same everywhere, and never shared."""

import contextlib
import io
import struct
import subprocess
import sys
import zlib

import numpy as np
import pytest
from PIL import Image
from playable import EVERY_ID, GAMES, IDS, unless

import gem_ma
from gem_ma.renderers import (
    BadScene,
    UnknownFigure,
    UnknownTheme,
    draw,
    grid,
    legend,
    png,
    save_gif,
    theme,
)
from gem_ma.renderers.figures import FIGURES, mask
from gem_ma.renderers.themes import THEMES
from gem_ma.scene import (
    COLORS,
    Cards,
    Chart,
    Grid,
    Panels,
    Pegs,
    Pixels,
    Shapes,
    Table,
    Terminal,
    Tile,
)
from gem_ma.testing import ContractError, certify

SIZE = 252, 252
TILES = (("x", Tile("cross", "red", name="cross")), ("o", Tile("ring", "blue")), (".", Tile()))
LIGHT = THEMES["light"]


def board(*rows, **more):
    return Grid(rows, TILES, **more)


# -- every environment -----------------------------------------------------------------------------


SCENES = [env_id for env_id in IDS if not env_id.startswith("tau:")]  # what is said comes as text
DRAWN = [env_id for env_id in SCENES if env_id in GAMES]
THEMED = ("light", "dark", "contrast", "wood", "mono", 1, 2)
# By default each game in one of the themes, which the games take in turn.
LOOKS = [
    unless(number % len(THEMED) == place, env_id, look)
    for number, env_id in enumerate(DRAWN)
    for place, look in enumerate(THEMED)
] + [unless(False, env_id, "light") for env_id in SCENES if env_id not in DRAWN]


@pytest.mark.parametrize(("env_id", "look"), LOOKS)
def test_pictures_leave_nothing_out(env_id, look):
    found = certify(env_id, theme=look, views=60)
    assert found.views >= 10
    assert found.distance > 0.3  # the digits on free cells of TicTacToe are small


def test_the_file_of_a_board_with_labels_is_its_picture():
    tiles = (("a", Tile("heart", "black")), ("b", Tile(ground="orange", name="b")))
    for lines in ((), tuple("123"), ("1", "1", "2")):
        scene = Grid(("aab", "bab", "aab"), tiles, columns=tuple("ABC"), lines=lines)
        file = Image.open(io.BytesIO(png.png(scene, (252, 252)))).convert("RGB")
        assert (np.asarray(file) == draw(scene, (252, 252))).all()
    assert "an orange cell" in legend(scene, theme("light"))


def test_a_conversation_is_not_certified():
    with pytest.raises(ValueError, match="tau:shop is a conversation"):
        certify("tau:shop")


@pytest.mark.slow  # and sixty by default, above
@pytest.mark.parametrize("env_id", DRAWN)
def test_five_hundred_views_differ_as_their_words_do(env_id):
    assert certify(env_id, views=500).views >= 12  # all there are, where there are fewer


@pytest.mark.parametrize("env_id", ["game:ConnectFour-v0", "game:TicTacToe-v0"])
def test_boards_are_read_back_from_their_pixels(env_id):
    found = certify(env_id, views=300)
    assert found.exact >= 300


def test_a_picture_that_leaves_something_out_is_found():
    from gem_ma.envs.boards.connect_four import ConnectFour

    class Blind(ConnectFour):
        def picture(self, view, agent):
            return board("...")

    with pytest.raises(ContractError, match="one picture for"):
        certify(gem_ma.Env(Blind()))


@pytest.mark.parametrize(
    "env_id", ["game:KuhnPoker-v0", "game:LiarsDice-v0", "game:GuessTheNumber-v0-easy"]
)
def test_what_is_hidden_does_not_change_a_seats_picture(env_id):
    env = gem_ma.make(env_id, observe="image")
    env.reset(seed=0)
    frames = {}
    for seed in range(60):
        env.reset(seed=seed)
        for agent in env.possible_agents:
            view = env.game_state.seen_by(agent)
            frames.setdefault((agent, view), set()).add(env.observe(agent)["image"].tobytes())
    assert len(frames) < 60 * len(env.possible_agents)  # some views came up again
    assert all(len(pictures) == 1 for pictures in frames.values())


def test_both_shows_what_text_and_image_show():
    both = gem_ma.make("game:ConnectFour-v0", observe="both", theme="mono")
    image = gem_ma.make("game:ConnectFour-v0", observe="image", theme="mono")
    for env in (both, image):
        env.reset(seed=0)
        env.step("3")
    assert (both.observe("red")["image"] == image.observe("red")["image"]).all()
    rules = both.rules("red")
    assert "In the picture: red (R): dark gray disc on mid gray" in rules
    assert "In the picture" not in gem_ma.make("game:ConnectFour-v0").rules("red")


@pytest.mark.parametrize("env_id", EVERY_ID)
def test_a_picture_holds_pixels_words_and_file(env_id):
    env = gem_ma.make(env_id, theme="dark")
    env.reset(seed=1)
    for agent in (None, *env.possible_agents):
        shown = env.picture(agent)
        assert shown.alt == env.game.describe(
            env.game_state if agent is None else env.match.view(agent), agent
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


@pytest.mark.parametrize("ids", [GAMES, pytest.param(IDS, marks=pytest.mark.slow)], ids=len)
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


# -- grids -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rows", "columns", "unit", "size", "cell"),
    [
        (9, 9, 28, (252, 252), 28),
        (3, 3, 28, (252, 252), 84),
        (4, 4, 28, (252, 252), 56),
        (8, 8, 32, (256, 256), 32),
        (20, 20, 28, (252, 252), 12),
        (6, 7, 28, (252, 252), 36),
        (8, 8, 28, (252, 252), 28),
        (8, 8, 28, (336, 336), 42),
    ],
)
def test_cells_are_multiples_of_the_unit_where_that_pays(rows, columns, unit, size, cell):
    scene = board(*["x" * columns] * rows)
    place = grid.layout(scene, size, unit)
    assert place.cell == cell
    if cell % unit == 0:
        assert place.left % unit == place.top % unit == 0


def test_a_board_is_read_back_with_labels_marks_and_status():
    scene = board(
        "xo.",
        ".xo",
        marks=((1, 1),),
        columns=("a", "b", "c"),
        lines=("1", "2"),
        status=("x to move",),
    )
    for look in [*THEMES.values(), theme(3), theme(3, "held-out")]:
        frame = draw(scene, SIZE, look)
        assert frame.shape == (252, 252, 3)
        assert grid.decode(frame, scene, look) == ("xo.", ".xo")
        frame[grid.layout(scene, SIZE, 28).top + 5] ^= 1
        assert "?" in "".join(grid.decode(frame, scene, look))


def test_everything_on_a_grid_shows():
    plain = board("xo", "..")
    frames = {
        draw(scene, SIZE).tobytes()
        for scene in (
            plain,
            board("ox", ".."),
            board("xo", "..", marks=((0, 0),)),
            board("xo", "..", status=("o to move",)),
            board("xo", "..", columns=("a", "b")),
            board("xo", "..", lines=("1", "2")),
        )
    }
    assert len(frames) == 6


def test_all_figures_and_colours_can_be_told_apart():
    for look in [*THEMES.values(), *(theme(i) for i in range(5))]:
        figures = tuple((name, Tile(name, "blue")) for name in FIGURES)
        assert grid.distance(figures, 28, look) > 0.5
        colors = tuple((name, Tile("disc", name)) for name in COLORS)
        assert grid.distance(colors, 28, look) > 2


@pytest.mark.parametrize(
    ("scene", "words"),
    [
        (Grid((), TILES), "at least one row"),
        (Grid(("",), TILES), "at least one row and one column"),
        (board("xo", "x"), r"different lengths: \[1, 2\]"),
        (board("xz"), "no tile for the symbol 'z'; there are tiles for 'x', 'o', '.'"),
        (board("xo", marks=((2, 0),)), "is not on the board"),
        (board(*["x" * 100] * 100), "do not fit into 252 x 252 pixels; use a larger image_size"),
        (Cards(()), "at least one row"),
        (Cards((("a", ("*7",)),)), "is no die"),
        (Panels(()), "at least one scene"),
        (Pixels(b"abc", 2, 2), "need 12 bytes, got 3"),
        (Pegs(((4,),), 3), "disc 4 is none of 1 to 3"),
        (Pegs(((1,),), 99), "do not fit"),
        (Chart("scatter", ("a",), (("x", (1,)),)), "expected 'bar', 'line' or 'pie'"),
        (Chart("bar", ("a", "b"), (("x", (1,)),)), "1 values for 2 labels"),
        (Chart("bar", ("a",), (("x", (-1,)),)), "0 or more"),
        (Chart("pie", ("a",), (("x", (0,)),)), "not all of it 0"),
        (Shapes((("star", "rde", 0.5, 0.5, 0.1, 0),)), "no colour 'rde'"),
        (Shapes((("star", "red", 1.5, 0.5, 0.1, 0),)), "not in the unit square"),
    ],
)
def test_a_scene_that_makes_no_sense(scene, words):
    with pytest.raises(BadScene, match=words):
        draw(scene, SIZE)


def test_what_is_no_scene():
    with pytest.raises(TypeError, match="no renderer for str; there are some for: Cards"):
        draw("board", SIZE)
    with pytest.raises(UnknownFigure, match="no figure 'dsic'; did you mean 'disc'"):
        draw(Grid(("a",), (("a", Tile("dsic")),)), SIZE)


# -- other scenes ----------------------------------------------------------------------------------


def test_cards_and_dice_differ():
    items = [
        *"JQKA",
        *(r + s for r in ("10", "K") for s in "shdc"),
        "?",
        "*?",
        *(f"*{i}" for i in range(1, 7)),
    ]
    frames = {draw(Cards((("one", (item,)),)), SIZE).tobytes() for item in items}
    assert len(frames) == len(items)


@pytest.mark.parametrize("item", ["K", "10h", "?", "*3", "*?"])
def test_a_row_of_cards_fits_or_is_refused(item):
    def row(count):
        return Cards((("one", (item,) * count), ("two", ("*1",))), ("below",))

    def fits(count):
        with contextlib.suppress(BadScene):
            return draw(row(count), SIZE).any()
        return False

    fitting = [count for count in range(120) if fits(count)]
    assert 8 <= len(fitting) == fitting[-1] + 1
    with pytest.raises(BadScene, match="use a larger image_size"):
        draw(row(len(fitting)), SIZE)


def test_panels_hold_their_scenes():
    scene = Panels((("own", board("xo")), ("other", Terminal("hello"))))
    frame = draw(scene, (504, 252))
    assert frame.shape == (252, 504, 3)
    assert frame.tobytes() != draw(Panels((scene.scenes[1], scene.scenes[0])), (504, 252)).tobytes()
    assert legend(scene, LIGHT) == "cross: red cross"


def test_pegs_show_every_disc():
    tower = Pegs(((3, 2, 1), (), ()), 3, ("A", "B", "C"), ("7 moves left",))
    others = [
        Pegs(((3, 2), (1,), ()), 3, ("A", "B", "C"), ("7 moves left",)),
        Pegs(((3, 2), (), (1,)), 3, ("A", "B", "C"), ("7 moves left",)),
        Pegs(((3, 2, 1), (), ()), 4, ("A", "B", "C"), ("7 moves left",)),
        Pegs(((3, 2, 1), (), ()), 3, ("A", "B", "C"), ("6 moves left",)),
    ]
    assert len({draw(scene, SIZE).tobytes() for scene in (tower, *others)}) == 5
    draw(Pegs((tuple(range(8, 0, -1)), (), ()), 8), SIZE)


def test_charts_show_their_values():
    labels = ("a", "b", "c")
    charts = [
        Chart(kind, labels, (("x", values),), "Title")
        for kind in ("bar", "line", "pie")
        for values in ((1, 2, 3), (1, 2, 4), (3, 2, 1))
    ]
    charts.append(Chart("bar", labels, (("x", (0, 0, 0)), ("y", (0, 0, 0.5)))))
    assert len({draw(scene, SIZE).tobytes() for scene in charts}) == 10
    # A bar ends where its value stands: twice the value, twice the height.
    frame = draw(Chart("bar", ("a", "b"), (("x", (5.0, 10.0)),)), SIZE)
    bars = (frame == LIGHT.color("blue")).all(-1)
    heights = sorted(set(bars.sum(0).tolist()) - {0})
    assert heights[1] / heights[0] == pytest.approx(2, abs=0.05)


def test_turned_shapes_are_whole():
    upright = draw(Shapes((("square", "green", 0.5, 0.5, 0.4, 0),)), SIZE)
    turned = draw(Shapes((("square", "green", 0.5, 0.5, 0.4, 30),)), SIZE)
    areas = [int((frame == LIGHT.color("green")).all(-1).sum()) for frame in (upright, turned)]
    assert areas[0] == pytest.approx(areas[1], rel=0.06)  # edges are blended


def test_pixels_are_shown_as_they_are():
    picture = np.arange(4 * 4 * 3, dtype=np.uint8).reshape(4, 4, 3)
    frame = draw(Pixels(picture.tobytes(), 4, 4), (8, 8))
    assert (frame[::2, ::2] == picture).all()
    big = np.zeros((100, 300, 3), np.uint8)
    assert draw(Pixels(big.tobytes(), 100, 300), (150, 150)).shape == (150, 150, 3)


# -- files -----------------------------------------------------------------------------------------


def decoded(data):
    """Read a PNG file of palette pixels without filters: a second decoder, beside Pillow."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    position, chunks = 8, {}
    while position < len(data):
        length = int.from_bytes(data[position : position + 4], "big")
        name, body = data[position + 4 : position + 8], data[position + 8 : position + 8 + length]
        checksum = int.from_bytes(data[position + 8 + length : position + 12 + length], "big")
        assert zlib.crc32(name + body) == checksum
        chunks[name] = body
        position += 12 + length
    width, height, depth, kind, *rest = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
    assert (depth, kind, rest) == (8, 3, [0, 0, 0])
    rows = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8).reshape(height, width + 1)
    assert not rows[:, 0].any()
    return np.frombuffer(chunks[b"PLTE"], np.uint8).reshape(-1, 3)[rows[:, 1:]]


def test_a_png_of_a_board_is_the_frame_bit_by_bit():
    rng = np.random.default_rng(0)
    for number in range(60):
        look = [*THEMES.values(), theme(number)][number % 6]
        rows = tuple("".join(rng.choice(list("xo."), 9)) for _ in range(rng.integers(1, 9)))
        marks = ((0, int(rng.integers(9))),) * (number % 2)
        scene = Grid(rows, TILES, marks, columns=tuple("abcdefghi"), status=(f"turn {number}",))
        frame, data = draw(scene, SIZE, look), png.png(scene, SIZE, look)
        assert (np.asarray(Image.open(io.BytesIO(data)).convert("RGB")) == frame).all()
        assert (decoded(data) == frame).all()


def test_other_scenes_and_boards_of_many_colours_become_files_too():
    many = tuple((str(i), Tile("disc", COLORS[i % 10], COLORS[i // 10])) for i in range(100))
    grid_of_many = Grid((tuple(str(i) for i in range(100)),), many)
    for scene in (Terminal("hello"), Cards((("one", ("Kh", "*3")),)), grid_of_many):
        data = png.png(scene, (504, 252))
        frame = draw(scene, (504, 252))
        assert (np.asarray(Image.open(io.BytesIO(data)).convert("RGB")) == frame).all()


def test_a_gif_holds_every_frame(tmp_path):
    frames = [draw(board("xo"), SIZE), draw(board("ox"), SIZE)]
    save_gif(frames, str(tmp_path / "match.gif"))
    with Image.open(tmp_path / "match.gif") as file:
        assert file.n_frames == 2
    with pytest.raises(ValueError, match="no frames"):
        save_gif([], str(tmp_path / "match.gif"))


# -- themes ----------------------------------------------------------------------------------------


def test_drawn_themes_deal_out_figures_and_the_legend_says_so():
    scene = Grid(
        ("xo",), (("x", Tile("disc", "red", name="x")), ("o", Tile("ring", "blue", name="o")))
    )
    said = {legend(scene, theme(seed)) for seed in range(20)}
    assert len(said) > 15
    assert len({theme(seed).figure("disc") for seed in range(40)}) == 7
    for seed in range(40):
        look = theme(seed, "held-out")
        assert theme(f"held-out:{seed}") == look
        assert grid.decode(draw(scene, SIZE, look), scene, look) == ("xo",)
        assert look.called("red") in legend(scene, look)
    env = gem_ma.make("game:ConnectFour-v0", observe="image", theme="held-out:3")
    assert f"{theme('held-out:3').figure('disc')} on " in env.rules("red")


def test_drawn_themes_are_reproducible_and_the_splits_share_no_hue():
    assert theme(7) == theme(7)
    assert theme(7) != theme(8)
    seen = {"train": set(), "held-out": set()}
    for split, colors in seen.items():
        for seed in range(50):
            colors |= {rgb for rgb, _ in list(theme(seed, split).colors.values())}
    assert len(seen["train"] & seen["held-out"]) <= 3  # black, white and gray


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
        theme(which)
    with pytest.raises(UnknownTheme):
        gem_ma.make("game:TicTacToe-v0", theme=which)
    with pytest.raises(ValueError, match="split='test'"):
        theme(1, "test")


@pytest.mark.parametrize("size", [(0, 10), (10, -1)])
def test_sizes_that_make_no_sense(size):
    with pytest.raises(ValueError, match="expected a width and a height of 1 or more"):
        gem_ma.make("game:TicTacToe-v0", image_size=size)
    with pytest.raises(ValueError, match="image_unit=0: expected 1 or more"):
        gem_ma.make("game:TicTacToe-v0", image_unit=0)


def test_masks_are_exact_and_cached():
    assert mask("disc", 20) is mask("disc", 20)
    assert mask("square", 8).max() == 255
    assert (mask("arrow", 21, 180) == mask("arrow", 21)[::-1, ::-1]).mean() > 0.95
    with pytest.raises(ValueError, match="size=0"):
        mask("disc", 0)


def test_a_cell_of_a_table_has_lines_and_a_share_of_colour():
    def blue(share):
        frame = draw(Table((("", ("one\ntwo", "blue", share)),)), SIZE)
        return int((frame == LIGHT.color("blue")).all(-1).sum())

    assert blue(0.0) == 0
    assert blue(0.25) < blue(0.5) < blue(1.0)
    lines = {draw(Table(((text,),)), SIZE).tobytes() for text in ("one two", "one\ntwo")}
    assert len(lines) == 2
    with pytest.raises(BadScene, match="expected 0 to 1"):
        blue(1.5)


def test_what_is_drawn_on_plain_ground_is_what_is_drawn_over_anything():
    # A line below makes the ground of the second uneven, where the figure does not cover it.
    item = ("star", "red", 0.5, 0.5, 0.5, 0.0)
    plain = draw(Shapes((item,)), SIZE)
    over = draw(Shapes((("dot", "black", 0.26, 0.74, 0.01, 0.0), item)), SIZE)
    assert 0 < (plain != over).any(-1).sum() < 20
