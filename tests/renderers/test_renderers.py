"""Pictures: complete, the same everywhere, and never shared."""

import contextlib
import io
import pickle
import struct
import subprocess
import sys
import zlib

import numpy as np
import packs
import pytest
from PIL import Image
from playable import EVERY_ID, FEW, GAMES, IDS, TALKS, unless

import gem_ma
from gem_ma.renderers import (
    BadScene,
    UnknownFigure,
    UnknownNoise,
    UnknownTheme,
    draw,
    font,
    make_legend,
    parse_noise,
    parse_theme,
    png,
    save_gif,
)
from gem_ma.renderers.figures import FIGURES, make_mask
from gem_ma.renderers.noises import NOISE_KINDS
from gem_ma.renderers.scenes import grid
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
    Terminal,
    TextTable,
    Tile,
    WebPage,
)
from gem_ma.testing import ContractError, certify

SIZE = 252, 252
TILES = (("x", Tile("cross", "red", name="cross")), ("o", Tile("ring", "blue")), (".", Tile()))
LIGHT = THEMES["light"]


def board(*rows, **more):
    return Grid(rows, TILES, **more)


SCENES = [env_id for env_id in IDS if not env_id.startswith(TALKS)]  # what is said comes as text
DRAWN = [env_id for env_id in SCENES if env_id in GAMES]
THEMED = ("light", "dark", "contrast", "wood", "mono", 1, 2)
# By default some games in one of the themes, which the games take in turn, and half as long.
LOOKS = [
    unless(views == 30 and env_id in FEW, env_id, look, views)
    for number, env_id in enumerate(DRAWN)
    for place, look in enumerate(THEMED)
    for views in ((30, 60) if number % len(THEMED) == place else (60,))
] + [unless(False, env_id, "light", 60) for env_id in SCENES if env_id not in DRAWN]


@pytest.mark.parametrize(("env_id", "look", "views"), LOOKS)
def test_pictures_leave_nothing_out(env_id, look, views):
    found = certify(env_id, theme=look, views=views)
    assert found.views >= 10
    assert found.distance > 0.3  # the digits on free cells of TicTacToe are small
    assert found.contrast >= 3


def test_the_file_of_a_board_with_labels_is_its_picture():
    tiles = (("a", Tile("heart", "black")), ("b", Tile(ground="orange", name="b")))
    for lines in ((), tuple("123"), ("1", "1", "2")):
        scene = Grid(("aab", "bab", "aab"), tiles, columns=tuple("ABC"), lines=lines)
        file = Image.open(io.BytesIO(png.render_png(scene, (252, 252)))).convert("RGB")
        assert (np.asarray(file) == draw(scene, (252, 252))).all()
    assert "an orange cell" in make_legend(scene, parse_theme("light"))


@packs.needs("tau")
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


def test_a_tile_that_cannot_be_seen_is_found_in_panels_too():
    from gem_ma.envs.boards.connect_four import ConnectFour

    class Faint(ConnectFour):
        def picture(self, view, agent):
            small = Grid(("d" * 30,) * 30, (("d", Tile("door", "red")),))
            return Panels((("", small), ("", board("xo"))))

    with pytest.raises(ContractError, match=r"theme light, in cells of 4 pixels, the tile 'd' \("):
        certify(gem_ma.Env(Faint()))


def test_figures_stand_out_in_every_theme_on_every_ground():
    for look in (*THEMES.values(), parse_theme(14), parse_theme("held-out:8")):
        for ground in ("", "black", "yellow"):
            tiles = tuple((n, Tile(n, c, ground)) for n in FIGURES for c in ("orange", "white"))
            assert grid.compute_tile_contrast(tiles, 16, look) >= 3


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


TURNS = (
    *("Backgammon", "Battleship", "Breakthrough", "Checkers", "Chess", "ConnectFour", "Go", "Hex"),
    *("Conquest", "Nim", "Reversi", "TicTacToe"),
    *("KuhnPoker", "LeducPoker", "LiarsDice", "TexasHoldem"),
    *("MapTask", "RadioMaze", "SpotTheDifference"),
    *("Negotiation", "Pictionary", "Taboo", "Tangram"),
)


@pytest.mark.parametrize("name", TURNS)
def test_pictures_say_whose_turn_it_is(name):
    env = gem_ma.make(f"game:{name}-v0")
    for seed in range(3):
        env.reset(seed=seed)
        for _ in range(6):
            for seat in (None, *env.possible_agents):
                view = env.game_state if seat is None else env.match.make_view(seat)
                scene = env.core.observation_builder.build_scene(view, seat)
                parts = [part for _, part in scene.scenes] if hasattr(scene, "scenes") else [scene]
                said = " ".join(line for part in parts for line in part.status)
                for acts in env.to_act:
                    assert f"To act: {acts}" in said or f"{acts} to move" in said
            if env.to_act:
                env.step(env.sample_random_action())


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


@pytest.mark.parametrize("which", ["blur:2", "jpeg", "downscale:3", "hue:-40", "blur+jpeg:10", 0])
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
        (True, "noise=True: expected a name or an int"),
    ],
)
def test_unknown_noise(which, words):
    with pytest.raises(UnknownNoise, match=words):
        gem_ma.make("game:TicTacToe-v0", noise=which)


def test_certify_looks_at_the_theme_and_at_noise():
    assert certify("game:TicTacToe-v0", theme=7, views=20).theme == "train:7"
    env = gem_ma.make("game:TicTacToe-v0", noise="blur:1", observe="image")
    found = certify(env, theme="dark", views=20)
    assert (found.theme, found.views, found.exact) == ("dark", 20, 0)
    assert env.observation_builder.config.theme == "light"
    with pytest.raises(ContractError, match="one picture for"):
        certify(gem_ma.make("game:Chess-v0", noise="downscale:64"), views=500)
    with pytest.raises(ContractError, match="one picture for"):
        certify("game:Chess-v0", noise="downscale:64", views=500)
    assert certify(gem_ma.make("game:Chess-v0", noise="downscale:64"), noise="", views=20).exact


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
    place = grid.compute_grid_layout(scene, size, unit)
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
    for look in [*THEMES.values(), parse_theme(3), parse_theme(3, "held-out")]:
        frame = draw(scene, SIZE, look)
        assert frame.shape == (252, 252, 3)
        assert grid.decode_frame(frame, scene, look) == ("xo.", ".xo")
        frame[grid.compute_grid_layout(scene, SIZE, 28).top + 5] ^= 1
        assert "?" in "".join(grid.decode_frame(frame, scene, look))


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
    for look in [*THEMES.values(), *(parse_theme(i) for i in range(5))]:
        figures = tuple((name, Tile(name, "blue")) for name in FIGURES)
        assert grid.compute_tile_distance(figures, 28, look) > 0.5
        colors = tuple((name, Tile("disc", name)) for name in COLORS)
        assert grid.compute_tile_distance(colors, 28, look) > 2


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


@pytest.mark.parametrize(("players", "dice"), [(6, 3), (9, 12), (12, 8), (16, 4)])
def test_dice_of_many_players_fit_at_the_default_size(players, dice):
    env = gem_ma.make("game:LiarsDice-v0", players=players, dice=dice)
    env.reset(seed=0)
    assert env.picture(env.to_act[0]).array.shape == (252, 252, 3)


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
    assert make_legend(scene, LIGHT) == "cross: red cross"


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


@pytest.mark.parametrize("kind", ["bar", "line"])
@pytest.mark.parametrize("look", ["light", "mono", "held-out:25"])
def test_series_are_told_apart_without_colour(kind, look):
    """What stands beside their names differs in its pattern or its outline, in gray too."""
    names = tuple("abcdefg")
    frame = draw(
        Chart(kind, ("one",), tuple((n, (1.0,)) for n in names)), (504, 504), parse_theme(look)
    )
    text = font.choose_height((504, 504))
    gray, found = np.round(frame @ [0.299, 0.587, 0.114]), set()
    for number in range(len(names)):
        x = 4 + number * (text + 2 + 2 * font.measure_advance(text))
        sample = gray[2 : 2 + text, x : x + text]
        if kind == "bar":  # without its edge, and the paper around it
            sample = sample[8 : text - 8, 4 : text - 12]
        found.add((sample > (sample.min() + sample.max()) / 2).tobytes())
    assert len(found) == len(names)


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
        look = [*THEMES.values(), parse_theme(number)][number % 6]
        rows = tuple("".join(rng.choice(list("xo."), 9)) for _ in range(rng.integers(1, 9)))
        marks = ((0, int(rng.integers(9))),) * (number % 2)
        scene = Grid(rows, TILES, marks, columns=tuple("abcdefghi"), status=(f"turn {number}",))
        frame, data = draw(scene, SIZE, look), png.render_png(scene, SIZE, look)
        assert (np.asarray(Image.open(io.BytesIO(data)).convert("RGB")) == frame).all()
        assert (decoded(data) == frame).all()


def test_other_scenes_and_boards_of_many_colours_become_files_too():
    many = tuple((str(i), Tile("disc", COLORS[i % 10], COLORS[i // 10])) for i in range(100))
    grid_of_many = Grid((tuple(str(i) for i in range(100)),), many)
    for scene in (Terminal("hello"), Cards((("one", ("Kh", "*3")),)), grid_of_many):
        data = png.render_png(scene, (504, 252))
        frame = draw(scene, (504, 252))
        assert (np.asarray(Image.open(io.BytesIO(data)).convert("RGB")) == frame).all()


def test_a_gif_holds_every_frame(tmp_path):
    frames = [draw(board("xo"), SIZE), draw(board("ox"), SIZE)]
    save_gif(frames, str(tmp_path / "match.gif"))
    with Image.open(tmp_path / "match.gif") as file:
        assert file.n_frames == 2
    with pytest.raises(ValueError, match="no frames"):
        save_gif([], str(tmp_path / "match.gif"))


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


@pytest.mark.parametrize("size", [(0, 10), (10, -1)])
def test_sizes_that_make_no_sense(size):
    with pytest.raises(ValueError, match="expected a width and a height of 1 or more"):
        gem_ma.make("game:TicTacToe-v0", image_size=size)
    with pytest.raises(ValueError, match="image_unit=0: expected 1 or more"):
        gem_ma.make("game:TicTacToe-v0", image_unit=0)


def test_figures_have_no_pinholes():
    """What of the ground a figure encloses is meant, and no few pixels between its parts."""
    for name in FIGURES:
        ground = np.pad(make_mask(name, 60) < 128, 1, constant_values=True).astype(int)
        left, areas = {tuple(at) for at in np.argwhere(ground)}, []
        while left:
            rim, area = [left.pop()], 1
            while rim:
                y, x = rim.pop()
                near = {(y + i, x + j) for i in (-1, 0, 1) for j in (-1, 0, 1)} & left
                left -= near
                rim += near
                area += len(near)
            areas.append(area)
        assert min(areas) > 4, name


def test_masks_are_exact_and_cached():
    assert make_mask("disc", 20) is make_mask("disc", 20)
    assert make_mask("square", 8).max() == 255
    assert (make_mask("arrow", 21, 180) == make_mask("arrow", 21)[::-1, ::-1]).mean() > 0.95
    with pytest.raises(ValueError, match="size=0"):
        make_mask("disc", 0)


LONG = "a status that is longer than any line of a small picture can be, and ends with "
WORDED = {
    "grid": lambda end: board("xo", "ox", status=(LONG + end,)),
    "cards": lambda end: Cards((("one", ("Kh", "*3")),), (LONG + end,)),
    "holders": lambda end: Cards(((LONG + end, ("K",)), ("two", ("Q",)))),
    "pegs": lambda end: Pegs(((2, 1), ()), 2, (), (LONG + end,)),
    "panels": lambda end: Panels(((LONG + end, board("xo")), ("two", board("ox")))),
    "shapes": lambda end: Shapes((("disc", "red", 0.5, 0.5, 0.5, 0),), LONG + end),
    "status of shapes": lambda end: Shapes(
        (("disc", "red", 0.5, 0.5, 0.5, 0),), status=(LONG + end,)
    ),
    "title of a chart": lambda end: Chart("bar", ("a", "b"), (("x", (1, 2)),), LONG + end),
    "labels of a chart": lambda end: Chart(
        "bar", ("much alike 1", f"much alike {end}"), (("x", (1, 2)),)
    ),
    "names of series": lambda end: Chart(
        "line", ("a", "b"), (("much alike 1", (1, 2)), (f"much alike {end}", (2, 1)))
    ),
    "slices": lambda end: Chart("pie", ("much alike 1", f"much alike {end}"), (("x", (1, 2)),)),
    "table": lambda end: TextTable((("much alike 1", f"much alike {end}"),), (), LONG + end),
    "page": lambda end: WebPage(LONG + end, (LONG,), ("a link",), (LONG + end,)),
    "terminal": lambda end: Terminal("a line of words\n" * 100 + LONG + end),
}


@pytest.mark.parametrize("side", [112, 168, 252, 504])
@pytest.mark.parametrize("kind", WORDED)
def test_no_end_of_words_is_left_out(kind, side):
    with contextlib.suppress(BadScene):
        frames = [draw(WORDED[kind](end), (side, side)).tobytes() for end in "23"]
        assert frames[0] != frames[1]
    draw(WORDED[kind]("2"), (336, 336))  # there is room


def test_a_cell_of_a_table_has_lines_and_a_share_of_colour():
    def blue(share):
        frame = draw(TextTable((("", ("one\ntwo", "blue", share)),)), SIZE)
        return int((frame == LIGHT.color("blue")).all(-1).sum())

    assert blue(0.0) == 0
    assert blue(0.25) < blue(0.5) < blue(1.0)
    lines = {draw(TextTable(((text,),)), SIZE).tobytes() for text in ("one two", "one\ntwo")}
    assert len(lines) == 2
    with pytest.raises(BadScene, match="expected 0 to 1"):
        blue(1.5)


def test_what_is_drawn_on_plain_ground_is_what_is_drawn_over_anything():
    # A line below makes the ground of the second uneven, where the figure does not cover it.
    item = ("star", "red", 0.5, 0.5, 0.5, 0.0)
    plain = draw(Shapes((item,)), SIZE)
    over = draw(Shapes((("dot", "black", 0.26, 0.74, 0.01, 0.0), item)), SIZE)
    assert 0 < (plain != over).any(-1).sum() < 20
