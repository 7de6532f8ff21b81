"""Photos of pictures: decided by a seed, and everything on the board can still be read."""

import itertools
import pickle

import numpy as np
import pytest
from playable import GAMES, TALKS, unless

import gem_ma
from gem_ma.renderers import PhotoCamera, parse_noise, parse_theme
from gem_ma.renderers.scenes import grid

SIZE = 252, 252
WHITE = np.full((*SIZE, 3), 255, np.uint8)
SPLITS = "train", "held-out"
BOARDS = [id for id in GAMES if id.startswith("game:") and not id.startswith(TALKS)]


def random_play(env_id, seed, **options):
    """Yield an environment before each move of a random episode."""
    env = gem_ma.make(env_id, **options)
    env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    while env.to_act:
        yield env
        legal = {seat: env.turn(seat).legal for seat in env.to_act}
        env.step_seats({seat: str(rng.choice(moves or [""])) for seat, moves in legal.items()})


def test_a_seed_decides_the_photo():
    cameras = [PhotoCamera(seed, split) for split in SPLITS for seed in (-1, 0, 1)]
    photos = [camera.take_photo(WHITE) for camera in cameras]
    assert len({photo.tobytes() for photo in photos}) == len(cameras)
    again = [pickle.loads(pickle.dumps(camera)).take_photo(WHITE) for camera in cameras]
    assert all((one == other).all() for one, other in zip(photos, again, strict=True))
    with pytest.raises(ValueError, match="split='test': expected 'train' or 'held-out'"):
        PhotoCamera(0, "test")
    assert parse_noise("photo").camera == parse_noise("photo:train:0").camera == PhotoCamera(0)
    assert parse_noise("photo:held-out:-1").camera == PhotoCamera(-1, "held-out") == cameras[3]


def test_held_out_cameras_mirror_those_for_training():
    """Seen from a camera at the right, the rows of a board rise; from further right, more."""
    slopes = {}
    for split in SPLITS:
        ends = [
            PhotoCamera(n, split).locate_points([(0, 126), (252, 126)], SIZE) for n in range(60)
        ]
        slopes[split] = [float(left[1] - right[1]) for left, right in ends]
        assert 0.3 < np.mean(np.array(slopes[split]) > 0) < 0.7
    assert max(slopes["train"]) < -min(slopes["train"])
    assert max(slopes["held-out"]) > -min(slopes["held-out"])


@pytest.mark.parametrize("size", [(252, 252), (336, 126), (56, 84), (1, 1)])
def test_the_whole_board_is_in_the_photo(size):
    width, height = size
    corners = [(0, 0), (width, 0), (width, height), (0, height)]
    for split in SPLITS:
        for seed in range(10):
            places = PhotoCamera(seed, split).locate_points(corners, size)
            assert (places > 0).all()
            assert (places < size).all()
            x, y = places.T
            assert min(x[1] - x[0], x[2] - x[3]) > 0.6 * (max(x) - min(x))  # neither turned
            assert min(y[2] - y[1], y[3] - y[0]) > 0.5 * (max(y) - min(y))  # nor far away
    photo = PhotoCamera(0).take_photo(np.zeros((height, width, 3), np.uint8))
    assert photo.shape == (height, width, 3)


def test_points_are_where_they_are_said_to_be():
    for split in SPLITS:
        camera = PhotoCamera(3, split)
        for x, y in ((9, 9), (126, 30), (243, 200)):
            dotted = WHITE.copy()
            dotted[y, x] = 0
            changed = np.abs(camera.take_photo(dotted).astype(int) - camera.take_photo(WHITE)).sum(
                2
            )
            rows, columns = np.indices(changed.shape)
            middle = [float((at * changed).sum() / changed.sum()) for at in (columns, rows)]
            assert camera.locate_points([x + 0.5, y + 0.5], SIZE)[0] == pytest.approx(
                np.array(middle) + 0.5, abs=0.3
            )


@pytest.mark.parametrize("split", SPLITS)
def test_connect_four_is_read_from_the_middles_of_its_cells(split):
    names = {"R": "red", "Y": "yellow", ".": "white"}
    colors = np.array([parse_theme("light").color(name) for name in names.values()])
    for seed in range(4):
        *_, env = random_play("game:ConnectFour-v0", seed, noise=f"photo:{split}:{seed}")
        board = env.scene().rows
        layout = grid.compute_grid_layout(env.scene(), SIZE, 28)
        rows, columns = np.indices((layout.rows, layout.columns)).reshape(2, -1) + 0.5
        middles = layout.left + layout.cell * columns, layout.top + layout.cell * rows
        x, y = PhotoCamera(seed, split).locate_points(np.transpose(middles), SIZE).astype(int).T
        seen = env.picture().array[y, x].astype(float)
        likeness = (seen / np.linalg.norm(seen, axis=1, keepdims=True)) @ (
            colors / np.linalg.norm(colors, axis=1, keepdims=True)
        ).T
        assert "".join(list(names)[n] for n in likeness.argmax(1)) == "".join(board)
        assert set("".join(board)) == set(names)


@pytest.mark.parametrize("env_id", [unless(n % 8 == 0, id) for n, id in enumerate(BOARDS)])
def test_what_a_move_changes_is_seen_in_photos(env_id):
    """Where pictures differ, their photos differ by half as much at least."""
    play = itertools.chain(itertools.islice(random_play(env_id, 1), 4), random_play(env_id, 2))
    pictures = [env.picture().array for env in itertools.islice(play, 5)]
    pairs = [pair for pair in itertools.pairwise(pictures) if (pair[0] != pair[1]).any()]
    assert pairs
    for split, (before, after) in itertools.product(SPLITS, pairs):
        camera = PhotoCamera(len(env_id), split)
        changed = (before != after).any(2)
        marks = np.repeat(changed[..., None], 3, 2) * np.uint8(255)
        photos = [camera.take_photo(one).astype(int) for one in (before, after, marks, marks * 0)]
        region = (photos[2] - photos[3]).mean(2) > 100
        drawn = np.abs(before.astype(int) - after)[changed].mean()
        assert np.abs(photos[0] - photos[1])[region].mean() > max(drawn / 2, 8)
