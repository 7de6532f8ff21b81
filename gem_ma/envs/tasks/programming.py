"""Programming: a problem whose solution is a program that passes hidden tests."""

from gem_ma.envs.tasks import grading
from gem_ma.envs.tasks.data import DataTask

ABOUT = (
    "Write a Python program. Unless the problem asks for a function, it reads standard input and "
    "prints to standard output. Reply with all of the program in one ```python block; the last "
    "one counts. It is run on hidden tests"
)
EXAMPLES = ("print(input())", "print(0)")


class Code(DataTask):
    """Problems of a data set, whose answer column holds the tests.

    Args:
        max_tests: how many tests to run, those with the longest input; None: all.
        partial: whether the score is the share of passed tests. By default it is 1 if all tests
            pass and else 0.
        seconds: the time limit of each test.
    """

    blocking = True
    examples = EXAMPLES

    def __init__(
        self,
        data: object,
        split: str | None = None,
        question: str = "problem",
        answer: str = "tests",
        images: str | None = None,
        subset: str | None = None,
        streaming: bool = False,
        limit: int | None = None,
        tries: int = 1,
        max_tests: int | None = 12,
        partial: bool = False,
        seconds: float = 5.0,
    ):
        if max_tests is not None and max_tests < 1:
            raise ValueError(f"max_tests={max_tests}: expected 1 or more, or None for all")
        self.max_tests, self.partial, self.seconds = max_tests, partial, seconds
        super().__init__(data, split, question, answer, images, subset, streaming, limit, tries)
        self.about = f"{ABOUT}, each for at most {seconds:g} seconds."

    def keyed(self, answer):
        tests = grading.tests_of(answer)
        if self.max_tests is not None and len(tests) > self.max_tests:
            longest = sorted(tests, key=lambda test: len(str(test.given)), reverse=True)
            tests = tuple(longest[: self.max_tests])
        return "", tests

    def read(self, text, view, agent):
        return grading.program_in(super().read(text, view, agent))

    def grade(self, answer, item):
        return grading.code(answer, item.key, seconds=self.seconds, partial=self.partial)
