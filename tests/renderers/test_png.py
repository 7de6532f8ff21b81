"""Pictures as files: a PNG is its frame, a GIF its frames."""

import io
import struct
import zlib

import numpy as np
import pytest
from PIL import Image

from gem_ma.renderers import (
    draw,
    make_legend,
    parse_theme,
    png,
    save_gif,
)
from gem_ma.renderers.themes import THEMES
from gem_ma.scene import (
    COLORS,
    Cards,
    Grid,
    Terminal,
    Tile,
)

SIZE = 252, 252
TILES = (("x", Tile("cross", "red", name="cross")), ("o", Tile("ring", "blue")), (".", Tile()))


def board(*rows, **more):
    return Grid(rows, TILES, **more)


def test_the_file_of_a_board_with_labels_is_its_picture():
    tiles = (("a", Tile("heart", "black")), ("b", Tile(ground="orange", name="b")))
    for lines in ((), tuple("123"), ("1", "1", "2")):
        scene = Grid(("aab", "bab", "aab"), tiles, columns=tuple("ABC"), lines=lines)
        file = Image.open(io.BytesIO(png.render_png(scene, (252, 252)))).convert("RGB")
        assert (np.asarray(file) == draw(scene, (252, 252))).all()
    assert "an orange cell" in make_legend(scene, parse_theme("light"))


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
