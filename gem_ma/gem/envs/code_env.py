"""CodeEnv: programs over a data set of problems, with the names of GEM's arguments."""

from __future__ import annotations

from gem_ma.gem.envs.named_env import NamedEnv


class CodeEnv(NamedEnv):
    """The environment `code:Data` over a dataset, or over one of the Hugging Face Hub.

    Args:
        dataset_name: the name of a dataset on the Hub, or a file or folder.
        split: the split of the dataset; None: the only one.
        dataset: the rows themselves; they take precedence over `dataset_name`.
        question_key: the column of questions.
        test_key: the column of tests.
        seed: the seed of the first episode.
        max_workers: without effect: the sandbox limits how many programs run at a time.
        max_tests: how many tests are run, those with the longest input.
        verbose: without effect.
        sandbox_type: "none" or "bwrap", without effect: programs run in gem_ma's sandbox.
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
        """The tests of the current problem, as the dataset has them."""
        return self.answer
