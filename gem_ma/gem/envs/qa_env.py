"""QaEnv: questions with short answers over a data set, with the names of GEM's arguments."""

from __future__ import annotations

from collections.abc import Iterable

from gem_ma.gem.envs.named_env import NamedEnv
from gem_ma.gem.utils.qa_em import em_check


class QaEnv(NamedEnv):
    r"""The environment `qa:Data` over a dataset, or over one of the Hugging Face Hub.

    Args:
        extract_boxed: whether the answer is in \boxed{}, and not in `<answer>...</answer>`.
        load_from_cache_file: without effect, since questions are not rewritten.
    """

    def __init__(
        self,
        dataset_name: str | None = "",
        split: str | None = None,
        dataset: object = None,
        question_key: str = "question",
        answer_key: str = "answer",
        seed: int = 0,
        extract_boxed: bool = False,
        load_from_cache_file: bool = True,
    ):
        super().__init__(
            "qa:Data",
            dataset_name=dataset_name,
            split=split,
            dataset=dataset,
            question_key=question_key,
            answer_key=answer_key,
            seed=seed,
            extract_boxed=extract_boxed,
            load_from_cache_file=load_from_cache_file,
        )

    @staticmethod
    def check_correct(model_answer: str, gt_answer: str | float | Iterable[object]) -> bool:
        """Return whether an answer equals one of the right answers after normalisation."""
        answers = [gt_answer] if isinstance(gt_answer, str | int | float) else gt_answer
        return em_check(model_answer, [str(one) for one in answers])
