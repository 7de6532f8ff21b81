"""In how many forms an answer may be said, and in which it may not."""

import packs
import pytest

import gem_ma
from gem_ma.envs import answer_parsing
from gem_ma.game import InvalidMove

TWELVE = [  # what is said where the answer is 12
    *("12", " 12. ", "12.0", "x = 12", "x=12", r"\alpha = 12", "angle: 12", r"$12^\circ$", "012"),
    *(r"12^{\circ}", "12\u00b0", "12 degrees", "12 toys", "12 red toys.", r"12 \text{ cm}", "(12)"),
    *("The answer is 12.", "+12", "**12**", r"\(12\)", "the angle is 12 degrees"),
]
ANOTHER = [
    *("1.2", "12.5", "12 million", "12 or 13", "not 12", "12 x", "1 2", "12 and a half", "twelve"),
    *("12 < 13", "12 times 2", "112", "12 squared", "12 13"),
]
CLOCK = [
    *("9:05", "09:05", "9:05 AM", "9:05 p.m.", "21:05", "9.05", "It is 9:05.", "9:05:00"),
    "the time is 9:05 am",
]
NO_CLOCK = ["9:5", "905", "9:65", "25:05", "9:05 or 3:45", "5 past 9"]
LETTER = [
    *("B", "b", "(B)", "B.", "B) the square", "option B", "The answer is B.", "**B**"),
    r"\text{B}",
]
NO_LETTER = ["A or B", "BC", "not B", "Bee"]


def pairs(right, wrong):
    return [*((text, True) for text in right), *((text, False) for text in wrong)]


def graded(id, answer, text):
    """Return what a task makes of a text where the answer is another: the move, or None."""
    env = gem_ma.make(id)
    for seed in range(400):
        env.reset(seed=seed)
        state = env.match.state
        if answer in state.choices:
            try:
                return env.game.read(text, state.seen_by("player"), "player") == answer
            except InvalidMove:
                return False
    raise AssertionError(f"{id} never has the choice {answer}")


@packs.needs("visual")
@pytest.mark.parametrize("text", TWELVE)
def test_a_number_in_any_form(text):
    assert graded("visual:Angles-v0", "12", text)


@packs.needs("visual")
@pytest.mark.parametrize("text", ANOTHER)
def test_another_number_or_none(text):
    assert not graded("visual:Angles-v0", "12", text)


@packs.needs("visual")
@pytest.mark.parametrize(("text", "right"), pairs(CLOCK, NO_CLOCK))
def test_a_time(text, right):
    assert graded("visual:Clock-v0", "9:05", text) == right


@packs.needs("visual")
@pytest.mark.parametrize(("text", "right"), pairs(LETTER, NO_LETTER))
def test_a_letter(text, right):
    assert graded("visual:MazeExit-v0", "B", text) == right


def test_a_long_text_costs_nothing():
    for text in ("1" * 100_000, "a b " * 50_000, r"\text{" * 20_000, "12 " + "x" * 100_000):
        assert answer_parsing.strip_answer(text) == text
        assert answer_parsing.normalize_time(text) == text
