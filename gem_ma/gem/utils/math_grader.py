r"""Graders of mathematical answers in a reply's last \boxed{} or in `<answer>` tags.

All use the grader of `math:Data`, which runs in the sandbox; `fast` has no effect.
"""

from __future__ import annotations

from typing import Any, cast

from gem_ma.gem.envs.env_factory import make_env
from gem_ma.gem.utils.parsing import (
    extract_last_boxed_answer,
    last_boxed_only_string,
    remove_boxed,
)
from gem_ma.validation.arguments import check_type

__all__ = [
    "answer_tag_reward_fn",
    "answer_tag_reward_fn_for_orz",
    "boxed_reward_fn",
    "extract_answer",
    "extract_boxed_answer",
    "grade",
    "last_boxed_only_string",
    "r1_distill_qwen_math_reward_fn",
    "remove_boxed",
]

extract_boxed_answer = extract_last_boxed_answer


def extract_answer(passage: str) -> str | None:
    r"""Return the content of the last \boxed{} of a text, or None if there is none."""
    return extract_last_boxed_answer(passage)


def grade(model_answer: str, gt_answer: str, fast: bool = True) -> bool:
    """Return whether an answer is equivalent to the right one, which may be in a box."""
    check_type(model_answer, str, "model_answer")
    right = extract_answer(gt_answer) if "\\boxed" in gt_answer else gt_answer
    if not right:
        return False
    env = make_env("math:Data", {"data": [{"problem": "", "answer": right}]})
    task = cast(Any, env.core.game)
    score: float = task.grade(model_answer, task.item(0)).score
    return score == 1


def boxed_reward_fn(
    model_response: str,
    gt_answer: object,
    fast: bool = False,
    correct_reward: float = 1.0,
    incorrect_reward: float = 0.0,
) -> tuple[dict[str, bool], float]:
    r"""Grade the content of the last \boxed{} of a reply.

    Args:
        model_response: The reply.
        gt_answer: The right answer, a text or a number, or a list of right answers.
        fast: Without effect.
        correct_reward: The reward of a right answer.
        incorrect_reward: The reward of a wrong answer, or of a reply without a box.

    Returns:
        {"formatted": whether there is a box}, and the reward.
    """
    answer = extract_answer(model_response)
    if answer is None:
        return {"formatted": False}, incorrect_reward
    return {"formatted": True}, correct_reward if _is_right(answer, gt_answer) else incorrect_reward


def r1_distill_qwen_math_reward_fn(
    model_response: str,
    gt_answer: object,
    fast: bool = False,
    correct_reward: float = 1.0,
    incorrect_reward: float = 0.0,
) -> tuple[dict[str, bool], float]:
    """Grade the last box after `</think>`, which has to occur exactly once."""
    _, end, reply = model_response.partition("</think>")
    if not end or "</think>" in reply:
        return {"formatted": False}, 0.0
    return boxed_reward_fn(reply, gt_answer, fast, correct_reward, incorrect_reward)


def answer_tag_reward_fn(
    model_response: str,
    gt_answer: object,
    fast: bool = False,
    correct_reward: float = 1.0,
    incorrect_reward: float = 0.0,
) -> tuple[dict[str, bool], float]:
    """Grade the content of `<answer>` tags that follow `</think>` and a space."""
    begin = "</think> <answer>"
    return _grade_tagged_answer(model_response, gt_answer, begin, correct_reward, incorrect_reward)


def answer_tag_reward_fn_for_orz(
    model_response: str,
    gt_answer: object,
    fast: bool = False,
    correct_reward: float = 1.0,
    incorrect_reward: float = 0.0,
) -> tuple[dict[str, bool], float]:
    """Grade the content of `<answer>` tags anywhere in a reply."""
    begin = "<answer>"
    return _grade_tagged_answer(model_response, gt_answer, begin, correct_reward, incorrect_reward)


def _grade_tagged_answer(
    model_response: str,
    gt_answer: object,
    begin: str,
    correct_reward: float,
    incorrect_reward: float,
) -> tuple[dict[str, bool], float]:
    """Grade the content of the last `<answer>` tags, if a reply has `begin` and `</answer>`."""
    if begin not in model_response or "</answer>" not in model_response:
        return {"formatted": False}, incorrect_reward
    text = model_response.rpartition("<answer>")[2].replace("</answer>", "")
    answer = extract_answer(text) if "\\boxed" in text else text
    right = answer is not None and _is_right(answer, gt_answer)
    return {"formatted": True}, correct_reward if right else incorrect_reward


def _is_right(answer: str, gt_answer: object) -> bool:
    right_answers = gt_answer if isinstance(gt_answer, list | tuple) else [gt_answer]
    return any(grade(answer, str(one)) for one in right_answers)
