"""Questions with short answers, of which several may be right."""

from gem_ma.envs.tasks import grading
from gem_ma.envs.tasks.data import DataTask
from gem_ma.game import parse_choice

GRADERS = {"exact": grading.exact, "f1": grading.f1}


class QA(DataTask):
    """Questions of a data set, whose answer column holds one answer or a list of aliases.

    Args:
        score: "exact" compares without case, punctuation and articles; "f1" scores the overlap in
            words.
        choices: the possible answers, if all questions have the same few; empty: any text.
    """

    examples: tuple[str, ...] = ("yes", "no")

    def __init__(
        self,
        data: object,
        split: str | None = None,
        question: str = "problem",
        answer: str = "answer",
        images: str | None = None,
        subset: str | None = None,
        streaming: bool = False,
        limit: int | None = None,
        tries: int = 1,
        score: str = "exact",
        choices: tuple[str, ...] = (),
    ):
        super().__init__(data, split, question, answer, images, subset, streaming, limit, tries)
        if score not in GRADERS:
            raise ValueError(f"score={score!r}: expected one of {', '.join(map(repr, GRADERS))}")
        self.score, self.choices = score, tuple(choices)
        self.examples = self.choices or self.examples
        expectation = f"one of: {', '.join(self.choices)}" if choices else "a few words at most"
        self.about = f"Answer a question. Reply with the answer alone, {expectation}."

    def keyed(self, answer):
        if isinstance(answer, dict):  # a value and its aliases
            names = [answer[name] for name in ("value", "answer", "text") if name in answer]
            answer = [*names[:1], *answer.get("aliases", ())]
            answer = [
                item for part in answer for item in (part if isinstance(part, list) else [part])
            ]
        return super().keyed(answer)

    def read(self, text, view, agent):
        text = super().read(text, view, agent)
        return parse_choice(text, self.choices) if self.choices else text

    def grade(self, answer, item):
        return GRADERS[self.score](answer, item.key)
