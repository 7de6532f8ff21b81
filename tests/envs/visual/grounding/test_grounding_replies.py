"""Points and boxes in replies, and what they earn against all ways to pair them."""

import itertools
import time

import numpy as np
import pytest

import gem_ma
from gem_ma import InvalidMove
from gem_ma.envs.visual.grounding import grounded, replies
from gem_ma.envs.visual.question import AGENT


@pytest.mark.parametrize(
    ("text", "points"),
    [
        ("(40, 60)", [(40, 60)]),
        ("40, 60", [(40, 60)]),
        ("[40.5, 60]", [(40.5, 60)]),
        ("x: 40, y: 60", [(40, 60)]),
        ("The point is at (40, 60).", [(40, 60)]),
        ("<point>40 60</point>", [(40, 60)]),
        ('<point x="40.5" y="60.1" alt="the 2nd button">the 2nd button</point>', [(40.5, 60.1)]),
        ('<points x1="1" y1="2" x2="3" y2="4" alt="it">it</points>', [(1, 2), (3, 4)]),
        ('{"point_2d": [40, 60], "label": "button 3"}', [(40, 60)]),
        ('```json\n[{"point_2d": [40, 60]}, {"point": [1, 2]}]\n```', [(40, 60), (1, 2)]),
        ('{"x": 40, "y": 60}', [(40, 60)]),
        ("[[1, 2], [3, 4], [5, 6]]", [(1, 2), (3, 4), (5, 6)]),
        ("(1, 2), (3, 4)", [(1, 2), (3, 4)]),
        ("1. (1, 2)\n2. (3, 4)", [(1, 2), (3, 4)]),
        ("1, 2\n3, 4\n5, 6", [(1, 2), (3, 4), (5, 6)]),
        ("click(start_box='(40,60)')", [(40, 60)]),
        ("pyautogui.click(x=40, y=60)", [(40, 60)]),
        ("[10, 20, 30, 60]", [(20, 40)]),  # the middle of a box
        ('{"bbox_2d": [10, 20, 30, 60]}', [(20, 40)]),
        ("<|box_start|>(10,20)<|box_end|>", [(10, 20)]),
    ],
)
def test_forms_of_points(text, points):
    assert replies.parse_points(text) == points


@pytest.mark.parametrize(
    ("text", "boxes"),
    [
        ("[10, 20, 30, 60]", [(10, 20, 30, 60)]),
        ("10, 20, 30, 60", [(10, 20, 30, 60)]),
        ("left 10 top 20 right 30 bottom 60", [(10, 20, 30, 60)]),
        ("(10, 20), (30, 60)", [(10, 20, 30, 60)]),  # two corners
        ("[30, 60, 10, 20]", [(10, 20, 30, 60)]),
        ('[{"bbox_2d": [1, 2, 3, 4], "label": "a"}, {"bbox": [5, 6, 7, 8]}]',
         [(1, 2, 3, 4), (5, 6, 7, 8)]),
        ('{"x1": 1, "y1": 2, "x2": 3, "y2": 4}', [(1, 2, 3, 4)]),
        ("[1, 2, 3, 4]; [5, 6, 7, 8]", [(1, 2, 3, 4), (5, 6, 7, 8)]),
        ("<box>1 2 3 4</box>", [(1, 2, 3, 4)]),
    ],
)  # fmt: skip
def test_forms_of_boxes(text, boxes):
    assert replies.parse_boxes(text) == boxes


HOSTILE = [
    "", "a banana", "10, 20 or 30, 40", "3", "1, 2, 3", "(1, 2, 3)", "(1, 2) is not 3", "[[]]",
    "[[1, 2], [3]]", "nan, nan", "[NaN, 1]", "1e999, 2", "(1e5, 2)", "(" * 9000, "[" * 9000,
    '{"a":' * 1500, "9" * 9000, "1." * 4000, "(1, 2)" * 1600, "<point " + 'x="' * 2000,
    "[1, 2], " * 101, "x" * 10**7, "\x00(1, 2)", "(1, 2)\u0660", "[true, false]", "<" * 9000,
    "-1-1-1",
]  # fmt: skip


@pytest.mark.parametrize("parse", [replies.parse_points, replies.parse_boxes])
def test_what_is_none_is_refused_at_once(parse):
    start = time.process_time()
    for text in HOSTILE:
        with pytest.raises(InvalidMove):
            parse(text)
    assert time.process_time() - start < 0.02 * len(HOSTILE)


@pytest.mark.parametrize("name", ["PointEach", "BoxEach", "ScreenPoint", "PointToPart"])
def test_what_is_outside_of_the_picture_is_a_notice(name):
    env = gem_ma.make(f"visual:{name}-v0", image_size=(252, 252), coordinates="pixels")
    env.reset(seed=0)
    view = env.match.make_view(AGENT)
    for text in ("(253, 1)", "(1, -1)", "[1, 1, 300, 300]", "[600, 600, 700, 700]"):
        if name != "BoxEach" and text.startswith("[1,"):
            continue  # its middle is on the picture
        with pytest.raises(InvalidMove):
            env.game.read(text, view, AGENT)
    if name in ("ScreenPoint", "PointToPart"):
        with pytest.raises(InvalidMove, match="2 answers; reply with one"):
            env.game.read("(1, 1), (2, 2)", view, AGENT)
    if name == "BoxEach":
        with pytest.raises(InvalidMove, match="is empty"):
            env.game.read("[5, 5, 5, 9]", view, AGENT)


def pair_best(weights):
    """Return the largest sum of weights over all ways to pair rows with columns."""
    rows, columns = weights.shape
    if rows > columns:
        return pair_best(weights.T)
    ways = itertools.permutations(range(columns), rows)
    return max(sum(weights[row, column] for row, column in enumerate(way)) for way in ways)


def overlap(one, other):
    """Return the share of fine cells in both boxes, of those in either."""
    at = np.arange(0, 250) + 0.5

    def cells(box):
        return ((at >= box[1]) & (at < box[3]))[:, None] & ((at >= box[0]) & (at < box[2]))

    return (cells(one) & cells(other)).sum() / (cells(one) | cells(other)).sum()


def sample_boxes(rng):
    """Return boxes that do not overlap, and others of which some are near to them."""
    places = rng.permutation(9)[: rng.integers(1, 5)]
    rights = []
    for place in places.tolist():
        left, top = 80 * (place % 3) + rng.integers(5, 15), 80 * (place // 3) + rng.integers(5, 15)
        rights.append((left, top, left + rng.integers(20, 60), top + rng.integers(20, 60)))
    said = []
    for _ in range(rng.integers(1, 6)):
        a, b, c, d = rights[rng.integers(len(rights))]
        i, j, k, m = rng.integers(-8, 9, size=4)
        said.append((max(0, a + i), max(0, b + j), c + k, d + m))
    return [tuple(map(int, box)) for box in rights], [tuple(map(int, box)) for box in said]


def test_boxes_are_paid_as_the_best_of_all_pairings():
    env = gem_ma.make("visual:BoxEach-v0", image_size=(250, 250))
    rng, seen = np.random.default_rng(3), set()
    for _ in range(30):
        rights, said = sample_boxes(rng)
        weights = np.array([[overlap(a, b) for b in said] for a in rights])
        weights[weights <= 0.5] = 0
        expected = 2 * pair_best(weights) / (len(rights) + len(said))
        texts = [grounded.format_groups(one) for one in (rights, said)]
        earned = env.game.grade(texts[0], env.game.read(texts[1], None, AGENT))
        assert expected - 0.0101 < earned <= expected + 1e-5
        seen.add(earned)
    assert len(seen) > 10


def test_points_are_paid_as_the_best_of_all_pairings():
    env = gem_ma.make("visual:PointEach-v0", image_size=(250, 250))
    rng, seen = np.random.default_rng(4), set()
    for _ in range(60):
        rights, said = sample_boxes(rng)
        points = [((a + c) // 2, b) for a, b, c, d in said]
        inside = np.array(
            [[a <= x < c and b <= y < d for x, y in points] for a, b, c, d in rights], int
        )
        expected = 2 * pair_best(inside) / (len(rights) + len(points))
        texts = [grounded.format_groups(one) for one in (rights, points)]
        earned = env.game.grade(texts[0], env.game.read(texts[1], None, AGENT))
        assert expected - 0.0101 < earned <= expected
        seen.add(earned)
    assert len(seen) > 5


def test_a_point_near_a_part_earns_less_the_farther_it_is():
    env = gem_ma.make("visual:PointToPart-v0", image_size=(1000, 1000))
    for away, earned in ((0, 1), (29, 1), (60, 0.5), (75, 0.25), (90, 0), (400, 0)):
        assert env.game.grade("(500, 500)", f"({500 + away}, 500)") == earned
