"""MathEnv: mathematics over a dataset, with the names of GEM's arguments."""

from __future__ import annotations

from typing import Any

from gem_ma.apis import factory
from gem_ma.gem.single_seat_env import SingleSeatEnv
from gem_ma.validation.json_types import JSONObject


class MathEnv(SingleSeatEnv):
    """`math:Data`, over a dataset or one that the Hugging Face Hub has under a name.

    Args:
        use_mp: it says nothing here, where answers are graded in the sandbox.
    """

    def __init__(
        self,
        dataset_name: str | None = "",
        split: str | None = None,
        dataset: object = None,
        question_key: str = "problem",
        answer_key: str = "answer",
        seed: int = 0,
        use_mp: bool = True,
    ):
        data = dataset_name if dataset is None else dataset
        if data is None or (isinstance(data, str) and not data):
            raise ValueError("expected a dataset_name or a dataset")
        columns: JSONObject = {"question": question_key, "answer": answer_key}
        env = factory.make("math:Data", data=data, split=split, **columns)
        arguments = {"question_key": question_key, "answer_key": answer_key, "seed": seed}

        def make_another(**kwargs: Any) -> MathEnv:
            return MathEnv(**{"dataset": self.dataset, **arguments, **kwargs})

        super().__init__(env, seed=seed, again=make_another)
