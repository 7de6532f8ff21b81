"""Pictionary: the language of strokes, what drawings look like, guesses, and secrets."""

from dataclasses import replace

import numpy as np
import pytest
from PIL import Image, ImageDraw

import gem_ma
from gem_ma import InvalidMove
from gem_ma.envs.parlour import strokes
from gem_ma.envs.parlour.pictionary import AGENTS, EXAMPLES, Pictionary
from gem_ma.envs.parlour.strokes import Stroke
from gem_ma.envs.parlour.things import THINGS
from gem_ma.renderers import draw
from gem_ma.scene import Shapes
from gem_ma.testing import certify, check_env

CAT = (
    "circle 50 55 22; line 33 42 30 22 44 34; line 67 42 70 22 56 34; white disc 42 50 5; "
    "white disc 58 50 5; disc 42 50 2; disc 58 50 2; thick line 70 60 92 56; box 5 5 95 90"
)


def start(seed=0, **arguments):
    return Pictionary(**arguments).start(np.random.default_rng(seed), {})


def play(state, *replies):
    game = Pictionary()
    for reply in replies:
        (agent,) = state.to_act()
        move = None if reply is None else game.read(reply, state.seen_by(agent), agent)
        state = game.advance(state, {agent: move}, None)
    return state


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("line 0 0 100 100", "black line 0 0 100 100"),
        ("Line (1, 2), (3, 4).", "black line 1 2 3 4"),
        ("thick white curve 1 2 3 4 5 6", "white thick curve 1 2 3 4 5 6"),
        ("White, thick box: 1 2 3 4", "white thick box 1 2 3 4"),
        ("thick disc 50 50 50", "black disc 50 50 50"),  # filled as it is
        ("black circle 50 50 1", "black circle 50 50 1"),
        ("line" + " 7" * 24, "black line" + " 7" * 24),
    ],
)
def test_a_stroke(text, read):
    (stroke,) = strokes.read(text)
    assert str(stroke) == read
    assert strokes.read(str(stroke)) == (stroke,)


def test_several_strokes():
    assert len(strokes.read("disc 9 9 3; disc 8 8 3\ndisc 7 7 3;\n")) == 3
    assert len(strokes.read("; ".join(f"disc 9 9 {i}" for i in range(1, 10)))) == 9
    assert len(strokes.read(";".join(["box 1 1 2 2"] * 12))) == 12


@pytest.mark.parametrize(
    "text",
    [
        *("", ";", "a cat", "line", "line 1 2", "line 1 2 3", "line 1 2 3 4 5", "disc 1 2"),
        *("line" + " 7" * 26, "line 1 2 3 101", "line 1 2 3 -1", "line 1 2 3 1e1", "thick"),
        *("disc 50 50 0", "disc 50 50 51", "circle 3 50 4", "circle 50 97 4", "box 1 2 3 4 5"),
        *(";".join(["box 1 1 2 2"] * 13), "x" * 2001, "disc 9 9 9; a cat", "red line 1 2 3 4"),
        "line 1 2 3 \u0663",
    ],
)
def test_what_is_no_stroke(text):
    with pytest.raises(InvalidMove):
        strokes.read(text)


def test_what_is_drawn_again_lies_on_top_and_is_there_once():
    one, other = strokes.read("disc 50 50 9; white disc 50 50 5")
    assert strokes.add((one, other), (one,)) == (other, one)
    assert strokes.add((), (one, one)) == (one,)


def chalk(drawn, side=400):
    """Draw with another library: 0 where the paper is bare, 1 under black, 2 under white."""
    image = Image.new("L", (4 * side, 4 * side))
    pen, unit = ImageDraw.Draw(image), 4 * side / 100
    for stroke in drawn:
        n, ink = [unit * x for x in stroke.numbers], 1 + strokes.CHALKS.index(stroke.chalk)
        wide = round((strokes.THICK if stroke.thick else strokes.THIN) * 4 * side)
        if len(n) == 3:
            around = n[0] - n[2], n[1] - n[2], n[0] + n[2], n[1] + n[2]
            if stroke.kind == "disc":
                pen.ellipse(around, fill=ink)
            else:
                out = [x + by * wide / 2 for x, by in zip(around, (-1, -1, 1, 1), strict=True)]
                pen.ellipse(out, outline=ink, width=wide)
            continue
        if stroke.kind == "box":
            a, b, c, d = n
            n = [a, b, c, b, c, d, a, d, a, b]
        pen.line(n, fill=ink, width=wide)
        for x, y in zip(n[::2], n[1::2], strict=True):  # chalk is round
            pen.ellipse((x - wide / 2, y - wide / 2, x + wide / 2, y + wide / 2), fill=ink)
    return np.asarray(image)[2::4, 2::4]


def near(ink):
    """Return where there is ink at most two pixels away."""
    wide = np.pad(ink, 2)
    spots = [wide[i : i + len(ink), j : j + len(ink)] for i in range(5) for j in range(5)]
    return np.any(spots, axis=0)


@pytest.mark.parametrize("text", [CAT, *(e for e in EXAMPLES if "curve" not in e)])
def test_drawings_look_as_another_library_draws_them(text):
    drawn = strokes.read(text)
    ours = draw(Shapes(lines=strokes.lines(drawn), ground="gray"), (400, 400))[..., 0].astype(int)
    bare = ours[0, 0] if "line 5 95" not in text else ours[0, -1]
    ink = np.where(abs(ours - bare) < 40, 0, np.where(ours < bare, 1, 2))
    other = chalk(drawn)
    for kind in (1, 2):
        one, two = ink == kind, other == kind
        assert one.any() == two.any()
        assert not (one & ~near(two)).any()
        assert not (two & ~near(one)).any()


def test_a_curve_goes_through_its_places_and_a_straight_one_is_straight():
    path = strokes.lines(strokes.read("curve 10 50 30 20 50 50 70 80"))
    ends = {tuple(round(100 * x) for x in line[3:5]) for line in path}
    assert {(30, 20), (50, 50), (70, 80)} <= ends
    straight = strokes.lines(strokes.read("curve 10 10 50 50 90 90"))
    assert all(abs(line[1] - line[2]) < 1e-9 for line in straight)
    high = strokes.lines(strokes.read("curve 0 0 100 0 100 100 0 100"))
    assert all(0 <= x <= 1 for line in high for x in line[1:5])


def test_a_game():
    state = start()
    wrong = [word for word in state.words if word != state.word]
    after = play(state, CAT, wrong[0], "disc 9 9 9", wrong[1])
    assert after.to_act() == ("artist",)
    assert len(after.drawn) == 10
    with pytest.raises(InvalidMove):
        play(after, CAT, wrong[0])  # it is known to be wrong
    for end, earned in ((state.word, 1.0), (wrong[2], 0.0), (None, 0.0)):
        over = play(after, CAT, end)
        assert over.to_act() == ()
        assert over.returns() == dict.fromkeys(AGENTS, earned)
    assert play(state, None, state.word.upper()).returns() == dict.fromkeys(AGENTS, 1.0)
    assert len(set(start(words=40).words)) == 40
    assert set(start(words=40).words) <= set(THINGS)


def test_the_artist_does_not_know_the_words_and_the_guesser_not_the_word():
    game, state = Pictionary(), play(start(), CAT)
    other = replace(state, words=(state.word, *start(5).words[1:]))
    assert state.seen_by("artist") == other.seen_by("artist")
    views = {replace(state, word=word).seen_by("guesser") for word in state.words}
    assert len(views) == 1
    (view,) = views
    assert view.legal("guesser") == state.words
    told = [game.tell(start(), {"artist": replace(s, drawn=()).drawn}, s) for s in (state, other)]
    assert told[0] == told[1]
    assert "disc" not in str(told)  # the guesser has to look


def test_the_guesser_sees_the_drawing_and_not_its_strokes():
    env = gem_ma.make("game:Pictionary-v0", observe="image", image_size=252)
    images = []
    for drawing in (CAT, "disc 50 50 9"):
        env.reset(seed=0)
        env.step(drawing)
        turn = env.turn("guesser")
        assert not {"disc", "circle", "50"} & set(turn.text.split())
        images.append(turn.observation["image"].array)
    assert (images[0] != images[1]).any()


def test_strokes_that_differ_look_different():
    frames = {
        draw(Shapes(lines=strokes.lines([s]), ground="gray"), (252, 252)).tobytes()
        for kind in ("line", "box")
        for n in ((20, 20, 80, 40), (20, 20, 80, 41), (21, 20, 80, 40))
        for s in (Stroke(kind, n), Stroke(kind, n, "white"), Stroke(kind, n, "black", True))
    }
    assert len(frames) == 2 * 3 * 3


def test_contract_and_pictures():
    check_env(gem_ma.make("game:Pictionary-v0"), seeds=1, processes=False)
    certify("game:Pictionary-v0", theme=3, views=30)
