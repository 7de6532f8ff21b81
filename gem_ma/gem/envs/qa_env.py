"""QaEnv: questions with short answers over a data set, with the names of GEM's arguments."""

from __future__ import annotations

from collections.abc import Iterable

from gem_ma.gem.envs.named_env import NamedEnv
from gem_ma.gem.utils.qa_em import em_check


class QaEnv(NamedEnv):
    """`qa:Data`, over a dataset or one that the Hugging Face Hub has under a name.

    Args:
        extract_boxed: an answer stands in a box, rather than in <answer>...</answer>.
        load_from_cache_file: it says nothing here, where questions are not rewritten.
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
        """Return whether an answer is one of the right ones, however it is written."""
        answers = [gt_answer] if isinstance(gt_answer, str | int | float) else gt_answer
        return em_check(model_answer, [str(one) for one in answers])
