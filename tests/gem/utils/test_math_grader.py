"""Graders of mathematics by GEM's names: where an answer has to stand, and what is right."""

import packs
import pytest

from gem_ma.gem.utils import math_grader
from gem_ma.gem.utils.math_grader import (
    answer_tag_reward_fn,
    answer_tag_reward_fn_for_orz,
    boxed_reward_fn,
    grade,
    r1_distill_qwen_math_reward_fn,
)

RIGHT, WRONG, NONE = (
    ({"formatted": True}, 1.0),
    ({"formatted": True}, 0.0),
    ({"formatted": False}, 0.0),
)
pytestmark = packs.needs("tasks")


@pytest.fixture(autouse=True)
def _library():
    pytest.importorskip("math_verify", reason="pip install 'gem-ma[math]'")


def test_an_answer_is_right_if_it_is_equivalent():
    assert grade(r"\frac{1}{2}", "0.5")
    assert grade("1,000", r"so \boxed{1000}")
    assert grade(r"\sqrt{8}", r"2\sqrt{2}", fast=False)
    assert not grade("3", "4")
    assert not grade("", "4")
    assert not grade("4", r"\boxed{}")
    with pytest.raises(TypeError, match="model_answer=4: expected str"):
        grade(4, "4")


@pytest.mark.parametrize(
    ("reply", "gold", "result"),
    [
        (r"it is \boxed{2}", "2", RIGHT),
        (r"\boxed{2} or \boxed{3}", "2", WRONG),
        (r"\boxed{2.0}", 2, RIGHT),
        (r"\boxed{3}", ["4", 3], RIGHT),
        (r"\boxed{3}", ["4", "5"], WRONG),
        ("2", "2", NONE),
        (r"\boxed{2", "2", NONE),
    ],
)
def test_an_answer_in_a_box(reply, gold, result):
    assert boxed_reward_fn(reply, gold) == result


def test_what_is_paid_may_be_said():
    assert boxed_reward_fn(r"\boxed{2}", "2", False, 5.0, -1.0)[1] == 5.0
    assert boxed_reward_fn("2", "2", correct_reward=5.0, incorrect_reward=-1.0)[1] == -1.0


def test_a_box_behind_one_end_of_thought():
    fn = r1_distill_qwen_math_reward_fn
    assert fn(r"\boxed{3}</think> \boxed{2}", "2") == RIGHT
    assert fn(r"\boxed{2}", "2") == NONE
    assert fn(r"</think></think>\boxed{2}", "2", incorrect_reward=-1.0) == NONE


def test_an_answer_in_tags():
    tagged = "<think>x</think> <answer>{}</answer>"
    for text, result in (("2", RIGHT), (r"\boxed{2}", RIGHT), (r"\boxed{2", WRONG), ("3", WRONG)):
        assert answer_tag_reward_fn(tagged.format(text), "2") == result
        assert answer_tag_reward_fn_for_orz(f"<answer>{text}</answer>", "2") == result
    for bare in ("<answer>2</answer>", "</think> <answer>2"):
        assert answer_tag_reward_fn(bare, "2") == NONE
    assert answer_tag_reward_fn_for_orz("<answer>2", "2") == NONE


def test_what_stands_in_a_box():
    for name in ("extract_answer", "extract_boxed_answer"):
        assert getattr(math_grader, name)(r"\boxed{1} \boxed{\frac{1}{2}}") == r"\frac{1}{2}"
        assert getattr(math_grader, name)("none") is None
    assert math_grader.last_boxed_only_string(r"so \boxed{1}.") == r"\boxed{1}"
    assert math_grader.remove_boxed(r"\boxed{1}") == "1"
