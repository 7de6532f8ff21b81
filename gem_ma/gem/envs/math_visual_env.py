"""MathVisualEnv: mathematics over a data set with pictures, with the names of GEM's arguments."""

from __future__ import annotations

from gem_ma.gem.envs.named_env import NamedEnv


class MathVisualEnv(NamedEnv):
    """The environment `math:Data` with a column of pictures and observations of text and image."""

    def __init__(
        self,
        dataset_name: str | None = "",
        split: str | None = None,
        dataset: object = None,
        image_key: str = "images",
        question_key: str = "problem",
        answer_key: str = "answer",
        seed: int = 0,
        use_mp: bool = True,
    ):
        super().__init__(
            "math:Data",
            dataset_name=dataset_name,
            split=split,
            dataset=dataset,
            image_key=image_key,
            question_key=question_key,
            answer_key=answer_key,
            seed=seed,
            use_mp=use_mp,
            observe="both",
        )
