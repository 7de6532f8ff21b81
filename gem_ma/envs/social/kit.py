"""Parts of social scenes: seats with private facts, forms to agree on or to answer, and payoffs.

A form maps each field to its options: words, or a range of whole numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from gem_ma.game import InvalidMove, clip_repr
from gem_ma.validation.json_types import JSONMapping

Form = Mapping[str, Sequence[object]]
Words = Sequence[tuple[str, str]]  # (seat, message) pairs
NAMES = ("ann", "ben", "cid", "eve")


class Case(NamedTuple):
    """One episode of a scene.

    Attributes:
        facts: the lines that each seat alone knows.
        truth: the values that payoffs depend on, as plain tuples.
        best: a reply for each seat; together these replies lead to the best common result.
    """

    facts: tuple[tuple[str, ...], ...]
    truth: Any
    best: tuple[str, ...]


class Scene(NamedTuple):
    """A row of the table of scenes: the seats, their common story, and the payoffs.

    Attributes:
        draw: draws a Case with a random generator.
        pay: returns the payoff of each seat from the truth, the outcome, and the messages as (seat,
            words) pairs. The outcome is the agreed form, or None if there is none. In scenes with
            answers it maps each seat to its form.
        agree: the form that all `needed` seats have to agree on.
        answers: maps each answering seat to its form; with `open`, all seats see the answers.
        needed: returns the seats that have to agree on a form; None means all seats.
        hears: maps a seat to the seats that hear it; everybody hears the other seats.
        over: returns whether the messages end the scene; None means that they never do.
    """

    about: str
    seats: tuple[str, ...]
    story: str
    draw: Callable[[np.random.Generator], Case]
    pay: Callable[[Any, Any, Words], Sequence[float]]
    agree: Form = MappingProxyType({})
    answers: Mapping[str, Form] = MappingProxyType({})
    open: bool = False
    needed: Callable[[JSONMapping], Sequence[str]] | None = None
    hears: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    over: Callable[[Any, Words], bool] | None = None
    rounds: int = 6

    def form(self, seat):
        """Return the form that a seat may fill in, or an empty one."""
        return self.agree or self.answers.get(seat, {})

    def word(self):
        """Return the word that a form begins with."""
        return "agree" if self.agree else "answer"


def pick(rng, options):
    return options[int(rng.integers(len(options)))]


def some(rng, options, many):
    """Return `many` different options in random order."""
    return [options[i] for i in rng.permutation(len(options))[:many].tolist()]


def number(rng, low, high):
    """Return a random whole number from `low` to `high`, both included."""
    return int(rng.integers(low, high + 1))


def listed(things):
    return ", ".join(map(str, things))


def agreed(form, seats):
    """Return the replies with which `seats` seats agree on a form."""
    return (f"agree: {written(form)}",) * seats


def answer(**form):
    return f"answer: {written(form)}"


def written(form):
    return ", ".join(f"{field}={value}" for field, value in form.items())


def told(form):
    """Describe the options of a form in words."""
    parts = []
    for field, options in form.items():
        if isinstance(options, range):
            step = f" in steps of {options.step}" if options.step > 1 else ""
            parts.append(f"{field}={options[0]} to {options[-1]}{step}")
        else:
            parts.append(f"{field}={'|'.join(map(str, options))}")
    return ", ".join(parts)


def example(form, place=0):
    """Return a form in which each field has the option at `place`, counted in a circle."""
    return {field: options[place % len(options)] for field, options in form.items()}


def read(text, form):
    """Read a form such as "day=Tue, hour=10" as a tuple of pairs, or raise InvalidMove."""
    words = text.replace(",", " ").replace(";", " ").replace("=", " = ").split()
    values = {}
    if len(form) == 1 and len(words) == 1:
        words = [*form, "=", *words]
    for i in range(0, len(words), 3):
        field, *rest = words[i : i + 3]
        field = field.casefold()
        if field not in form or len(rest) != 2 or rest[0] != "=" or field in values:
            raise InvalidMove(f"{clip_repr(text)} is not filled in as {told(form)}")
        values[field] = _value(field, rest[1], form)
    if missing := [field for field in form if field not in values]:
        raise InvalidMove(f"{', '.join(missing)} is missing; fill in all of {told(form)}")
    return tuple([(field, values[field]) for field in form])


def _value(field, text, form):
    options = form[field]
    if isinstance(options, range):
        if text.isdecimal() and text.isascii() and len(text) < 8 and int(text) in options:
            return int(text)
    else:
        for option in options:
            if str(option).casefold() == text.casefold().rstrip(".!"):
                return option
    raise InvalidMove(f"{field}={clip_repr(text)}: expected {told({field: options})}")
