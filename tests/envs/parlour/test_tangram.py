"""Tangram: shapes, places, what overlaps by another measure, words, and who sees what."""

from dataclasses import replace

import numpy as np
import pytest
from PIL import Image, ImageDraw

import gem_ma
from gem_ma import InvalidMove
from gem_ma.envs.parlour import tangram
from gem_ma.envs.parlour.tangram import AGENTS, NAMES, PIECES, SIDE, Spot, State, Tangram, overlap
from gem_ma.testing import certify, check_env

AREAS = dict(zip(NAMES, (4, 4, 2, 1, 1, 2, 2), strict=True))
EMPTY = State((), 7, 8, turn=1)


def start(seed=0, **arguments):
    return Tangram(**arguments).start(np.random.default_rng(seed), {})


def build(text, board=()):
    return Tangram().read(text, replace(EMPTY, board=board), "builder")


def play(state, *replies):
    game = Tangram()
    for reply in replies:
        (agent,) = state.to_act()
        move = None if reply is None else game.read(reply, state.seen_by(agent), agent)
        state = game.advance(state, {agent: move}, None)
    return state


def painted(spots, scale=64):
    """Return what pieces cover, as another library paints their corners."""
    image = Image.new("1", (SIDE * scale, SIDE * scale))
    pen = ImageDraw.Draw(image)
    for spot in spots:
        pen.polygon([(x * scale, y * scale) for x, y in spot.corners()], fill=1)
    return np.asarray(image)


def shoelace(corners):
    pairs = zip(corners, (*corners[1:], corners[0]), strict=True)
    return abs(sum(a * d - b * c for (a, b), (c, d) in pairs)) / 2


def test_the_pieces_are_those_of_a_square():
    assert sum(AREAS.values()) == 16
    for name, corners in PIECES.items():
        assert shoelace(corners) == AREAS[name]
    many = {
        name: len({s._replace(column=0, row=0) for s in tangram._spots(name)}) for name in NAMES
    }
    assert many == dict(zip(NAMES, (4, 4, 4, 4, 4, 1, 4), strict=True))


@pytest.mark.parametrize("name", NAMES)
def test_what_a_piece_covers_as_another_library_paints_it(name):
    for spot in tangram._spots(name)[::7]:
        assert len(spot.covers()) == 4 * AREAS[name]
        picture = painted([spot])
        assert picture.mean() * SIDE * SIDE == pytest.approx(AREAS[name], abs=0.2)
        for x, y, side in spot.covers():
            right, down = ((0.5, 0.2), (0.8, 0.5), (0.5, 0.8), (0.2, 0.5))[side]
            assert picture[int((y + down) * 64), int((x + right) * 64)]


def test_overlap_as_another_library_measures_it():
    for seed in range(30):
        one, other = start(seed).figure, start(seed + 100).figure
        a, b = painted(one), painted(other)
        assert overlap(one, other) == pytest.approx((a & b).sum() / (a | b).sum(), abs=0.03)
        assert overlap(one, one) == 1
        assert overlap(one, ()) == 0
    assert overlap((), ()) == 0


@pytest.mark.parametrize("pieces", [2, 5, 7])
def test_figures_hang_together_and_no_piece_lies_on_another(pieces):
    for seed in range(40):
        spots = start(seed, pieces=pieces).figure
        assert len({spot.piece for spot in spots}) == pieces
        covered = [spot.covers() for spot in spots]
        assert len(frozenset().union(*covered)) == sum(map(len, covered))
        everything, reached = frozenset().union(*covered), set()
        edge = {next(iter(everything))}
        while edge:
            reached |= edge
            edge = {n for q in edge for n in tangram._beside(q)} & everything - reached
        assert reached == everything
        assert all(0 <= x <= SIDE and 0 <= y <= SIDE for s in spots for x, y in s.corners())


@pytest.mark.parametrize(
    ("text", "spot"),
    [
        ("place big1 at C4 turn 90", Spot("big1", 90, False, 2, 3)),
        ("Place BIG1: c4, turned 90.", Spot("big1", 90, False, 2, 3)),
        ("place big1 90 C4", Spot("big1", 90, False, 2, 3)),
        ("place square at A1 turn 270 over", Spot("square", 0, False, 0, 0)),
        ("place slant at A1 turn 180", Spot("slant", 0, False, 0, 0)),
        ("place slant at A1 over", Spot("slant", 0, True, 0, 0)),
        ("place medium at G7 over", Spot("medium", 90, False, 6, 6)),
        ("place small1 at G8 turn 180", Spot("small1", 180, False, 6, 7)),
        ("place big2 over at E7 turn 0", Spot("big2", 0, False, 4, 6)),
    ],
)
def test_where_a_piece_is_placed(text, spot):
    assert build(text) == (spot,)
    assert build(f"place {spot}") == (spot,)


def test_several_at_once_and_again():
    board = build("place square at A1; place big1 at C4\nplace medium at G7;")
    assert [spot.piece for spot in board] == ["big1", "medium", "square"]
    assert [spot.piece for spot in build("take big1; place square at B1", board)] == [
        "medium", "square",
    ]  # fmt: skip
    assert build("Clear.", board) == ()
    assert build("place big1 at C4", board) == board  # a piece does not lie in its own way


@pytest.mark.parametrize(
    "text",
    [
        *("place", "place big3 at A1", "place big1", "place big1 at I1", "place big1 at F1"),
        *("place big1 at A8", "place big1 at A1 turn 45", "place big1 at A1 B2", "take square"),
        *(
            "place square at C4",
            "take big1 now",
            "place small1 at A1 turn 90 turn 90",
            "",
            "x" * 501,
        ),
        *("place square at A1; look", "place slant at C5"),
    ],
)
def test_what_is_no_place(text):
    with pytest.raises(InvalidMove):
        build(text, build("place big1 at C4"))


def test_a_game():
    state = start()
    told = Tangram().describe(state.seen_by("guide"), "guide").split(": ")[1].split(".\n")[0]
    text = "; ".join(f"place {spot}" for spot in told.split(", "))
    laid = play(state, told, text)
    assert laid.board == state.figure
    assert laid.returns() == dict.fromkeys(AGENTS, 0.0)
    won = play(laid, "Good.", "done")
    assert won.to_act() == ()
    assert won.returns() == dict.fromkeys(AGENTS, 1.0)
    assert Tangram().report(won) == {"exact": 1.0}
    part = play(state, told, text.split("; ")[0], None, "done")
    assert 0 < part.overlap < 1
    assert Tangram().report(part) == {"exact": 1 / 7}
    assert play(state, *["done"] * 2).to_act() == ()  # the guide's is a message
    assert play(state, *[None] * 16).returns() == dict.fromkeys(AGENTS, 0.0)


def test_pieces_of_one_shape_are_alike():
    one, two = Spot("big1", 0, False, 0, 0), Spot("big2", 0, False, 4, 4)
    board = (one._replace(piece="big2"), two._replace(piece="big1"))
    state = State((one, two), 2, 8, board, turn=1)
    over = play(state, "done")
    assert over.overlap == 1
    assert Tangram(2).report(over) == {"exact": 1.0}


def test_the_builder_does_not_see_the_figure_and_the_guide_not_the_board():
    game = Tangram()
    for agent, field in (("builder", "figure"), ("guide", "board")):
        seen = set()
        for seed in (1, 2, 3):
            other = start(seed).figure
            state = replace(start(0), **{field: other}, turn=1)
            view = state.seen_by(agent)
            told = [view, game.describe(view, agent), str(game.picture(view, agent))]
            told.append(view.legal(agent))
            move = other if agent == "guide" else "Where?"
            after = game.advance(state, {"builder": move}, None)
            told += list(game.tell(state, {"builder": move}, after))
            seen.add(str(told))
        assert len(seen) == 1


def test_words_are_their_speakers():
    env = gem_ma.make("game:Tangram-v0")
    env.reset(seed=0)
    env.step("[game] Figure and board overlap by 1.00.\nbuilder: done")
    text = env.turn("builder").text
    assert text.startswith(
        "guide: [game] Figure and board overlap by 1.00.\nguide: builder: done\n"
    )


def test_contract_and_pictures():
    check_env(gem_ma.make("game:Tangram-v0", turns=2), seeds=1, processes=False)
    certify("game:Tangram-v0", theme=3, views=30)
