"""What a social scene is: seats with private facts, a form to agree on or to answer, and what pays.

A form is a mapping from fields to what may stand there: words, or a range of whole numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from gem_ma.engine.action_parsing import clip_repr
from gem_ma.game import InvalidMove
from gem_ma.validation.json_types import JSONMapping

Form = Mapping[str, Sequence[object]]
Words = Sequence[tuple[str, str]]  # what was said, and by which seat before it
NAMES = ("ann", "ben", "cid", "eve")


class Case(NamedTuple):
    """One episode of a scene.

    Attributes:
        facts: what each seat knows, line by line.
        truth: what pays depends on, as plain tuples.
        best: a reply for each seat with which it does its part of what is best for all together.
    """

    facts: tuple[tuple[str, ...], ...]
    truth: Any
    best: tuple[str, ...]


class Scene(NamedTuple):
    """A row of the table: who takes part, what all are told, and what pays.

    Attributes:
        draw: makes a Case of a random generator.
        pay: what each seat earns, by the truth, the outcome and what was said, as pairs of seat and
            words. The outcome is the agreed form, or None; or of answers, a mapping from seat to
            form.
        agree: the form that all who are `needed` have to agree on.
        answers: the form that a seat answers by itself, by seat; `open` ones are told to all.
        needed: who has to agree on a form, where it is not everybody.
        hears: who hears what a seat says, where it is not everybody.
        over: whether what was said ends the scene.
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
    """Return so many of the options, all different, in any order."""
    return [options[i] for i in rng.permutation(len(options))[:many].tolist()]


def number(rng, low, high):
    """Return a whole number, both ends included."""
    return int(rng.integers(low, high + 1))


def listed(things):
    return ", ".join(map(str, things))


def agreed(form, seats):
    """Return the replies of seats that agree on a form."""
    return (f"agree: {written(form)}",) * seats


def answer(**form):
    return f"answer: {written(form)}"


def written(form):
    return ", ".join(f"{field}={value}" for field, value in form.items())


def told(form):
    """Return in words what a form may be filled with."""
    parts = []
    for field, options in form.items():
        if isinstance(options, range):
            step = f" in steps of {options.step}" if options.step > 1 else ""
            parts.append(f"{field}={options[0]} to {options[-1]}{step}")
        else:
            parts.append(f"{field}={'|'.join(map(str, options))}")
    return ", ".join(parts)


def example(form, place=0):
    """Return the form filled with the options at some place."""
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
