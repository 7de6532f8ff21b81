"""What is kept of pictures: within its bytes, never changed, and the same from many threads."""

import io
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from PIL import Image

import gem_ma
from gem_ma.renderers import draw, png
from gem_ma.renderers.cache import MAX_CACHE_BYTES, RENDER_CACHE, RenderCache, memoize
from gem_ma.scene import COLORS, Chat, Grid, Terminal, Tile

SIZE = 252, 252
TILES = tuple((str(i), Tile("disc", color)) for i, color in enumerate(COLORS))


def row(number):
    return np.full(1000, number % 256, np.uint8)


def test_the_oldest_go_for_the_newest():
    store = RenderCache(10_000)
    for number in range(100):
        assert (store.put(number, row(number)) == number).all()
        assert store.used_bytes <= 10_000
    assert store.get(0) is None
    assert (store.get(99) == 99).all()
    held = store.used_bytes
    store.put(99, row(7))  # in the place of what is there
    assert store.used_bytes == held
    assert (store.get(99) == 7).all()
    store.put("large", np.zeros(20_000, np.uint8))
    assert store.get("large") is None
    store.clear()
    assert store.used_bytes == 0


def test_what_was_asked_for_stays_longer():
    store = RenderCache(10_000)
    for number in range(100):
        store.put(number, row(number))
        if number > 3:
            store.mark_used(3)
            assert (store.get(3) == 3).all()
    assert store.get(4) is None
    assert store.used_bytes <= 10_000


def test_what_is_taken_is_no_longer_there():
    store = RenderCache(10_000)
    store.put("one", row(1))
    assert (store.pop("one") == 1).all()
    assert store.used_bytes == 0
    assert store.pop("one") is None


def test_what_is_kept_cannot_be_changed():
    made = []

    @memoize
    def drawn(number):
        made.append(number)
        return row(number)

    assert drawn(3) is drawn(3)
    assert made == [3]
    with pytest.raises(ValueError, match="read-only"):
        drawn(3)[0] = 1


def test_all_pictures_together_keep_to_the_limit():
    rng = np.random.default_rng(0)
    for number in range(60):
        rows = tuple("".join(map(str, rng.integers(0, 10, 9))) for _ in range(9))
        scene = Grid(rows, TILES, status=(f"turn {number}",))
        png.render_png(scene, (1008, 1008))
        draw(scene, (1008, 1008))
        draw(Terminal(f"line {number}\n" * 30), (504, 504))
        draw(Chat((("one", f"message {number} " * 20),)), (504, 504))
        assert RENDER_CACHE.used_bytes <= MAX_CACHE_BYTES


def test_files_are_right_while_threads_meet_new_colours():
    rng = np.random.default_rng(1)
    boards = [
        Grid(tuple("".join(map(str, rng.integers(0, 10, 4))) for _ in range(4)), TILES)
        for _ in range(40)
    ]
    RENDER_CACHE.clear()
    with ThreadPoolExecutor(8) as pool:
        files = list(pool.map(lambda scene: png.render_png(scene, SIZE), boards))
    for scene, file in zip(boards, files, strict=True):
        shown = np.asarray(Image.open(io.BytesIO(file)).convert("RGB"))
        assert (shown == draw(scene, SIZE)).all()


def test_a_file_has_the_same_bytes_whatever_was_drawn_before_it():
    env = gem_ma.make("game:Chess-v0")
    scenes = []
    for seed in range(3):
        env.reset(seed=seed)
        for _ in range(12):
            seat = env.to_act[0]
            scenes.append(env.observation_builder.build_scene(env.match.make_view(seat), seat))
            env.step(env.sample_random_action())
    found = []
    for order in (scenes, scenes[::-1], scenes[::5] + scenes):
        RENDER_CACHE.clear()
        files = {scene: png.render_png(scene, (252, 252)) for scene in order}
        found.append([files[scene] for scene in scenes])
    assert found[0] == found[1] == found[2]
    assert [png.render_png(scene, (252, 252)) for scene in scenes] == found[0]


def test_equal_tiles_of_other_processes_are_drawn_once():
    scene = Grid(("012", "345"), TILES, status=("one to move",))
    RENDER_CACHE.clear()
    frame, file = draw(scene, SIZE), png.render_png(scene, SIZE)
    held = RENDER_CACHE.used_bytes
    for _ in range(20):
        other = pickle.loads(pickle.dumps(scene))
        assert other.tiles is not scene.tiles
        assert (draw(other, SIZE) == frame).all()
        assert png.render_png(other, SIZE) == file
    assert RENDER_CACHE.used_bytes - held < 100_000  # nothing is drawn again
