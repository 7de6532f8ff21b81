"""MathEnv: mathematics over a data set, with the names of GEM's arguments."""

from __future__ import annotations

from gem_ma.gem.envs.named_env import NamedEnv
from gem_ma.gem.utils.math_grader import boxed_reward_fn


class MathEnv(NamedEnv):
    """The environment `math:Data` over a dataset, or over one of the Hugging Face Hub.

    Args:
        use_format_error_reward: whether a reply without a box ends the episode with reward -0.1.
        use_mp: without effect, since answers are graded in the sandbox.
    """

    def __init__(
        self,
        dataset_name: str | None = "",
        split: str | None = None,
        dataset: object = None,
        question_key: str = "problem",
        answer_key: str = "answer",
        use_format_error_reward: bool = False,
        seed: int = 0,
        use_mp: bool = True,
    ):
        super().__init__(
            "math:Data",
            dataset_name=dataset_name,
            split=split,
            dataset=dataset,
            question_key=question_key,
            answer_key=answer_key,
            use_format_error_reward=use_format_error_reward,
            seed=seed,
            use_mp=use_mp,
        )

    @staticmethod
    def check_correct(model_answer: str, gt_answer: object) -> bool:
        """Return whether the last box of a reply has one of the right answers."""
        return boxed_reward_fn(model_answer, gt_answer)[1] == 1
