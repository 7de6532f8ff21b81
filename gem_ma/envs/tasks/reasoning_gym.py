"""ReasoningGym: every dataset of the package as a task, scored by its own scorer."""

import random  # noqa: TID251 - the package changes its global state, which is put back
import threading
from collections.abc import Mapping
from fractions import Fraction

import numpy as np

from gem_ma.envs import text_boards
from gem_ma.envs.tasks import grading
from gem_ma.envs.tasks.question import Grade, Item, Task
from gem_ma.envs.tasks.reasoning_gym_ids import NAMES
from gem_ma.validation.json_types import JSONMapping

# Their scorers evaluate an answer as Python, or take too long for some answers.
ISOLATED = frozenset((
    "binary_matrix", "boxnet", "codeio", "countdown", "intermediate_integration", "n_queens",
    "polynomial_multiplication", "propositional_logic", "puzzle24", "rubiks_cube", "rush_hour",
    "simple_integration", "spiral_matrix", "string_insertion",
))  # fmt: skip
# The scorers of these datasets have been reviewed: they do not evaluate an answer, and are fast.
# Datasets of later versions of the package have not been reviewed.
QUICK = frozenset((*NAMES, "path_star")) - ISOLATED - {"composite"}
_lock = threading.Lock()


class ReasoningGym(Task):
    """A dataset of ReasoningGym.

    Args:
        name: the name of the dataset.
        size: how many questions the dataset has; `index` in the options of reset chooses one.
        seed: the seed of the dataset's questions.
        curriculum: a level of the dataset's own curriculum, or levels by attribute; None: the
            dataset's defaults.
        config: other settings of the dataset by name; None: none.
        tries: how many replies an agent may give to a question.
    """

    about = "Solve the following problem. Reply with the answer alone, in the form it asks for."

    def __init__(
        self,
        name: str,
        size: int = 500,
        seed: int = 42,
        curriculum: int | Mapping[str, int] | None = None,
        config: JSONMapping | None = None,
        tries: int = 1,
    ):
        super().__init__(tries)
        self.name, self.size = name, size
        self.settings = {**_level(name, curriculum), **(config or {}), "size": size, "seed": seed}
        self.dataset = _dataset(name, self.settings)
        members = [member["name"] for member in self.settings.get("datasets", ())]
        names = set(members or [name])
        self.blocking = self.isolated = not names <= QUICK
        self.seeds_numpy = "pool_matrix" in names  # numpy's global generator

    def make(self, index):
        if self.seeds_numpy:
            with _lock:
                random_state = np.random.get_state()  # noqa: NPY002
                entry = self.dataset[index]
                np.random.set_state(random_state)  # noqa: NPY002
        else:
            entry = self.dataset[index]
        return Item(entry["question"], entry["answer"] or _example(entry["metadata"]), entry)

    def grade(self, answer, item):
        entry = item.key
        if self.isolated:
            function = f"{__name__}:score_alone"
            job = (self.name, self.settings, answer, entry)
            return grading.isolated(function, *job, prepare="reasoning_gym")
        try:
            return grading.graded(score(self.dataset, answer, entry))
        except Exception as error:  # noqa: BLE001 - another library's scorer, fed with any text
            return Grade(0.0, f"failed: {error!r}"[:200])

    def picture(self, view, agent):
        return text_boards.build_text_scene(self.describe(view, agent))

    def report(self, state):
        report = super().report(state)
        report.pop("answer", None)  # may differ between processes if there are several
        return report


def score_alone(name, settings, answer, entry):
    """Return the score of an answer; for the sandbox."""
    return score(_dataset(name, settings), answer, entry)


def score(dataset, answer, entry):
    """Return the dataset's own score of an answer, or 0 if a known fault makes it wrong."""
    source = entry["metadata"].get("source_dataset")
    if source == "rush_hour":
        answer = _renamed(answer, entry)
    reward = float(dataset.score_answer(answer, entry))
    if reward == 1 and source in CORRECTED and not CORRECTED[source](answer, entry):
        return 0.0
    return reward


def _same_word(answer, entry):
    return answer.casefold() == entry["answer"].casefold()


def _same_numbers(answer, entry):
    if not set(answer) <= _ARITHMETIC:
        return False
    numerals = "".join([c if c.isdecimal() else " " for c in answer]).split()
    return sorted(map(int, numerals)) == sorted(entry["metadata"]["numbers"])


def _solved(answer, entry):
    return "Integral" not in answer or "Integral" in entry["answer"]


def _numbers(answer, entry):
    return "nan" not in answer.casefold()


def _same_chance(answer, entry):
    return abs(Fraction(answer.replace(",", "")) - Fraction(entry["answer"])) <= 1e-4


def _renamed(answer, entry):
    """Rename the cars in an answer as the scorer expects: without gaps in the alphabet."""
    cars = sorted(set(entry["metadata"]["board_config"]) - set("ox"))
    return answer.translate({ord(car): chr(ord("A") + i) for i, car in enumerate(cars)})


_ARITHMETIC = frozenset("0123456789+-*/%!() \t\r\n")
# Additional conditions for answers that the package's scorers accept by mistake:
# - game_of_life_halting: every text counts as True.
# - puzzle24, countdown: numbers that are not in the question (any four, or 0x10 and 1e2 as none).
# - integrals: the question itself with "Integral" around it.
# - complex_arithmetic, number_sorting: NaN, which no comparison rejects.
# - coin_flip: 0 for every probability, since all begin with 0.
CORRECTED = {
    "game_of_life_halting": _same_word,
    "puzzle24": _same_numbers,
    "countdown": _same_numbers,
    "simple_integration": _solved,
    "intermediate_integration": _solved,
    "complex_arithmetic": _numbers,
    "number_sorting": _numbers,
    "coin_flip": _same_chance,
}


def _library():
    """Import the package without changing the state of Python's random generator."""
    state = random.getstate()
    try:
        import reasoning_gym
    except ImportError:
        raise ImportError("rg: needs reasoning-gym: pip install 'gem-ma[reasoning-gym]'") from None
    finally:
        random.setstate(state)
    return reasoning_gym


def _dataset(name, settings):
    gym = _library()
    settings = dict(settings)
    if name == "composite":
        from reasoning_gym.composite import DatasetSpec

        if not settings.get("datasets"):
            raise ValueError(
                "rg:composite needs the datasets that it mixes: "
                "config={'datasets': [{'name': 'chain_sum', 'weight': 1, 'config': {}}, ...]}"
            )
        settings["datasets"] = [DatasetSpec(**member) for member in settings["datasets"]]
    try:
        dataset = gym.create_dataset(name, **settings)
    except (TypeError, AssertionError) as error:
        raise ValueError(f"rg:{name} cannot be made with {settings}: {error}") from error
    for part in getattr(dataset, "datasets", {name: dataset}).values():
        _put_in_order(part)
    return dataset


class _Letters(frozenset[str]):
    """A set of letters whose order does not depend on PYTHONHASHSEED."""

    def __iter__(self):
        return iter(sorted(super().__iter__()))

    def __sub__(self, other):
        return sorted(super().__sub__(other))


def _put_in_order(dataset):
    """Sort the sets of a dataset, so that it has the same questions in every process."""
    if hasattr(dataset, "letters"):
        dataset.letters = _Letters(dataset.letters)
    monomials = getattr(dataset, "_get_monomials", None)
    if monomials is not None:
        dataset._get_monomials = lambda rng: sorted(monomials(rng), key=str)


def _level(name, curriculum):
    """Return the settings of a level of a dataset's curriculum."""
    if curriculum is None:
        return {}
    gym = _library()
    if not gym.factory.has_curriculum(name):
        raise ValueError(f"curriculum={curriculum!r}: rg:{name} has no curriculum; expected None")
    course = gym.factory.create_curriculum(name)
    if isinstance(curriculum, Mapping):
        for attribute, level in curriculum.items():
            course.set_attr_level(attribute, level)
    else:
        course.set_global_level(curriculum)
    return {
        key: value
        for key, value in vars(course.generate_configuration({})).items()
        if key not in ("size", "seed")
    }


def _example(metadata):
    """Return the right answer that a question's metadata name, if several are right."""
    import json

    if "possible_answer" in metadata:
        return json.dumps(metadata["possible_answer"])
    return metadata.get("example_answer") or metadata.get("example_correct_answer") or ""
