"""CodeEnv: programs over a data set of problems, with the names of GEM's arguments."""

from __future__ import annotations

from gem_ma.gem.envs.named_env import NamedEnv


class CodeEnv(NamedEnv):
    """`code:Data`, over a dataset or one that the Hugging Face Hub has under a name.

    Args:
        test_key: the column of tests.
        max_tests: how many of them are run, those with the longest input.
        max_workers: it says nothing here, nor do `verbose` and `sandbox_type`: programs run in the
            sandbox, and are counted there.
    """

    def __init__(
        self,
        dataset_name: str | None = "",
        split: str | None = None,
        dataset: object = None,
        question_key: str = "problem",
        test_key: str = "tests",
        seed: int = 0,
        max_workers: int = 5,
        max_tests: int = 12,
        verbose: bool = False,
        sandbox_type: str = "none",
    ):
        super().__init__(
            "code:Data",
            dataset_name=dataset_name,
            split=split,
            dataset=dataset,
            question_key=question_key,
            test_key=test_key,
            seed=seed,
            max_workers=max_workers,
            max_tests=max_tests,
            verbose=verbose,
            sandbox_type=sandbox_type,
            format="bare",
        )

    @property
    def tests(self) -> object:
        """The tests of the problem, as the dataset has them."""
        return self.answer
