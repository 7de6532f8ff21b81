"""Small generated tasks that need no data."""

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np

from gem_ma.envs.tasks import grading
from gem_ma.envs.tasks.mathematics import Math
from gem_ma.envs.tasks.programming import ABOUT, EXAMPLES
from gem_ma.envs.tasks.question import Item, Task

SIZE = 10_000  # questions of each task


class _Mini(Task):
    size = SIZE
    kinds: tuple[Any, ...]  # functions from a generator to the fields of an Item

    def make(self, index):
        rng = np.random.Generator(np.random.PCG64(index))
        return Item(*self.kinds[index % len(self.kinds)](rng))


def _int(rng, low, high):
    """Return a whole number from low to high, both included."""
    return int(rng.integers(low, high + 1))


def _pick(rng, options, many):
    """Return `many` different options in random order."""
    return [options[i] for i in rng.permutation(len(options))[:many].tolist()]


def _number(question, value):
    answer = str(Fraction(value))
    return question, answer, (answer,)


def _expression(rng):
    a, b, c, d = (_int(rng, 2, 40) for _ in range(4))
    return _number(f"Compute {a} * {b} - {c} * {d}.", a * b - c * d)


def _linear(rng):
    x, a, c, b = _int(rng, -12, 12), _int(rng, 5, 9), _int(rng, 1, 4), _int(rng, -30, 30)
    d = a * x + b - c * x
    return _number(f"Solve {a}x {_signed(b)} = {c}x {_signed(d)} for x.", x)


def _signed(n):
    return f"- {-n}" if n < 0 else f"+ {n}"


def _fractions(rng):
    a, b, c, d = _int(rng, 1, 9), _int(rng, 2, 12), _int(rng, 1, 9), _int(rng, 2, 12)
    return _number(f"Compute {a}/{b} + {c}/{d} as a fraction.", Fraction(a, b) + Fraction(c, d))


def _divisor(rng):
    g, a, b = _int(rng, 2, 30), _int(rng, 2, 20), _int(rng, 2, 20)
    return _number(
        f"What is the greatest common divisor of {g * a} and {g * b}?", math.gcd(g * a, g * b)
    )


def _multiple(rng):
    a, b = _int(rng, 4, 60), _int(rng, 4, 60)
    return _number(f"What is the least common multiple of {a} and {b}?", math.lcm(a, b))


def _percentage(rng):
    percent, total = 5 * _int(rng, 1, 19), 20 * _int(rng, 1, 40)
    return _number(f"What is {percent} percent of {total}?", Fraction(percent * total, 100))


def _rectangle(rng):
    a, b = _int(rng, 2, 30), _int(rng, 2, 30)
    return _number(
        f"A rectangle has perimeter {2 * (a + b)} and one side of length {a}. What is its area?",
        a * b,
    )


def _sequence(rng):
    first, step, n = _int(rng, -20, 20), _int(rng, 2, 15), _int(rng, 10, 60)
    return _number(
        f"An arithmetic sequence begins {first}, {first + step}, {first + 2 * step}. "
        f"What is its term number {n}?",
        first + (n - 1) * step,
    )


def _remainder(rng):
    base, power, modulus = _int(rng, 2, 12), _int(rng, 3, 40), _int(rng, 3, 13)
    return _number(
        f"What is the remainder of {base}^{power} divided by {modulus}?",
        pow(base, power, modulus),
    )


def _marbles(rng):
    red, blue = _int(rng, 2, 9), _int(rng, 2, 9)
    total = red + blue
    return _number(
        f"A bag holds {red} red and {blue} blue marbles. Two are drawn without putting the first "
        "back. What is the probability that both are red? Give a fraction.",
        Fraction(red * (red - 1), total * (total - 1)),
    )


def _system(rng):
    x, y = _int(rng, -9, 9), _int(rng, -9, 9)
    a, b = _int(rng, 1, 6), _int(rng, 1, 6)
    return _number(f"If {a}x + {b}y = {a * x + b * y} and x - y = {x - y}, what is x + y?", x + y)


def _travel(rng):
    hours, speed, faster = _int(rng, 2, 6), 10 * _int(rng, 3, 9), 10 * _int(rng, 1, 4)
    return _number(
        f"A bus travels {hours} hours at {speed} km/h. How many hours does a train need for the "
        f"same way at {speed + faster} km/h? Give a fraction if it is no whole number.",
        Fraction(hours * speed, speed + faster),
    )


def _divisors(rng):
    n = _int(rng, 30, 400)
    return _number(f"How many positive divisors has {n}?", sum(n % d == 0 for d in range(1, n + 1)))


def _triangle(rng):
    a, b, c = _pick(rng, ((3, 4, 5), (5, 12, 13), (8, 15, 17), (7, 24, 25)), 1)[0]
    k = _int(rng, 1, 8)
    return _number(
        f"A right triangle has legs of length {k * a} and {k * b}. How long is its hypotenuse?",
        k * c,
    )


def _committee(rng):
    n, k = _int(rng, 5, 12), _int(rng, 2, 4)
    return _number(f"In how many ways can {k} of {n} people be chosen?", math.comb(n, k))


class MiniMath(_Mini):
    """Problems whose answer is a whole number or a fraction."""

    about = Math.about
    kinds = (
        _expression,
        _linear,
        _fractions,
        _divisor,
        _multiple,
        _percentage,
        _rectangle,
        _sequence,
        _remainder,
        _marbles,
        _system,
        _travel,
        _divisors,
        _triangle,
        _committee,
    )

    def grade(self, answer, item):
        return grading.numeric(answer, item.key)


PEOPLE = ("Ada", "Ben", "Cleo", "Dan", "Eva", "Finn", "Gus", "Ida", "Jon", "Kim", "Leo", "Mia")
PLACES = ("attic", "cellar", "garden", "garage", "kitchen", "library", "office", "stable")
THINGS = ("ball", "book", "coin", "drum", "key", "lamp", "map", "ring", "rope", "vase")
TOWNS = ("Arden", "Brill", "Corfe", "Dunmore", "Elstead", "Farley", "Garth", "Holme")
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
WINDS = ("north", "east", "south", "west")


def _said(sentences, question, *answers):
    return f"{' '.join(sentences)} {question}".strip(), answers[0], answers


def _order(rng):
    people = _pick(rng, PEOPLE, _int(rng, 4, 6))  # the tallest first
    facts = [f"{a} is taller than {b}." for a, b in itertools.pairwise(people)]
    place, word = _pick(rng, ((0, "tallest"), (1, "second tallest"), (-1, "shortest")), 1)[0]
    return _said(_pick(rng, facts, len(facts)), f"Who is the {word}?", people[place])


def _moves(rng):
    thing, places = _pick(rng, THINGS, 1)[0], _pick(rng, PLACES, 5)
    people = _pick(rng, PEOPLE, 4)
    facts = [f"The {thing} is in the {places[0]}."]
    facts += [
        f"{person} takes it to the {where}."
        for person, where in zip(people, places[1:], strict=True)
    ]
    at = _int(rng, 1, 4)
    return _said(
        facts,
        f"Where was the {thing} when {people[at - 1]} took it away?",
        places[at - 1],
        f"in the {places[at - 1]}",
    )


def _owners(rng):
    many = _int(rng, 4, 6)
    people, towns, things = (_pick(rng, names, many) for names in (PEOPLE, TOWNS, THINGS))
    facts = [f"{person} lives in {town}." for person, town in zip(people, towns, strict=True)]
    facts += [f"{person} has the {thing}." for person, thing in zip(people, things, strict=True)]
    at = _int(rng, 0, many - 1)
    facts = _pick(rng, facts, len(facts))
    if rng.random() < 0.5:
        return _said(facts, f"In which town is the {things[at]}?", towns[at], f"in {towns[at]}")
    return _said(
        facts, f"What does the person in {towns[at]} have?", f"the {things[at]}", f"a {things[at]}"
    )


def _family(rng):
    people = _pick(rng, PEOPLE, 6)
    pairs = [(people[0], people[1]), (people[1], people[2]), (people[3], people[4])]
    facts = [f"{old} is a parent of {young}." for old, young in [*pairs, (people[4], people[5])]]
    facts = _pick(rng, facts, len(facts))
    if rng.random() < 0.5:
        return _said(facts, f"Who is a grandparent of {people[2]}?", people[0])
    return _said(facts, f"Who is a grandchild of {people[3]}?", people[5])


def _days(rng):
    today, later = _int(rng, 0, 6), _int(rng, 3, 60)
    way = 1 if rng.random() < 0.5 else -1
    words = f"in {later} days" if way == 1 else f"{later} days ago"
    verb = "will it be" if way == 1 else "was it"
    day = DAYS[(today + way * later) % 7]
    return _said([f"Today is {DAYS[today]}."], f"Which day of the week {verb} {words}?", day)


def _turns(rng):
    direction, person = _int(rng, 0, 3), _pick(rng, PEOPLE, 1)[0]
    facts, now = [f"{person} faces {WINDS[direction]}."], direction
    for _ in range(_int(rng, 2, 5)):
        way, turn = _pick(rng, ((1, "right"), (-1, "left"), (2, "around")), 1)[0]
        now += way
        facts.append(f"{person} turns {turn}.")
    wind = WINDS[now % 4]
    return _said(facts, f"Which way does {person} face now?", wind, wind[0])


def _queue(rng):
    people = _pick(rng, PEOPLE, _int(rng, 5, 7))
    at = _int(rng, 1, len(people) - 2)
    facts = [f"In a queue stand, from the front: {', '.join(people)}."]
    facts.append(f"The first one leaves, and {people[at]} changes places with the one behind.")
    queue = people[:]
    queue[at], queue[at + 1] = queue[at + 1], queue[at]
    return _said(facts, "Who is second now?", queue[2])


class MiniQA(_Mini):
    """Questions whose answer follows from a few sentences together."""

    about = "Answer a question. Reply with the answer alone, a word or two."
    examples = ("Ada", "north")
    kinds = (_order, _moves, _owners, _family, _days, _turns, _queue)

    def grade(self, answer, item):
        return grading.exact(answer, item.key)


# The value to compute, and its Python expression in `xs`, `s` or `n`; {k} and {m} are drawn.
OF_NUMBERS = (
    ("the sum of the numbers that are divisible by {k}", "sum(x for x in xs if x % {k} == 0)"),
    ("how many of the numbers are greater than {m}", "sum(x > {m} for x in xs)"),
    ("the sum of the squares of all numbers less {m}", "sum(x * x for x in xs) - {m}"),
    ("the largest remainder that a number leaves divided by {k}", "max(x % {k} for x in xs)"),
    ("the difference of largest and smallest number, times {k}", "(max(xs) - min(xs)) * {k}"),
    ("the sum of every number at a position divisible by {k}, from 0 on", "sum(xs[::{k}])"),
    ("how many different remainders they leave divided by {k}", "len({{x % {k} for x in xs}})"),
    ("the number nearest to {m}, the smaller of two", "min(xs, key=lambda x: (abs(x - {m}), x))"),
    ("the sum of all numbers, where none counts for more than {m}", "sum(min(x, {m}) for x in xs)"),
    (
        "how many neighbouring numbers differ by more than {k}",
        "sum(abs(a - b) > {k} for a, b in zip(xs, xs[1:]))",
    ),
    (
        "the value of the polynomial with these coefficients, the constant first, at {k}",
        "sum(x * {k} ** i for i, x in enumerate(xs))",
    ),
)  # fmt: skip
OF_TEXT = (
    ("the text with every letter moved on by {k} places in the alphabet, z before a",
     "''.join(chr((ord(c) - 97 + {k}) % 26 + 97) for c in s)"),
    ("every letter at a position divisible by {k}, from 0 on", "s[::{k}]"),
    ("the text turned around and repeated {k} times", "s[::-1] * {k}"),
    ("the text with its first {k} letters moved to the end", "s[{k} % len(s):] + s[:{k} % len(s)]"),
    ("how many different runs of {k} letters in a row the text has",
     "len({{s[i : i + {k}] for i in range(len(s) - {k} + 1)}})"),
    ("the sum of the places of the letters in the alphabet, a is 1, times {k}",
     "sum(ord(c) - 96 for c in s) * {k}"),
)  # fmt: skip
OF_ONE = (
    ("n written in base {k}",
     "''.join(str(n // {k} ** i % {k}) for i in range(64)).rstrip('0')[::-1] or '0'"),
    ("the sum of all whole numbers from 1 to n that are divisible by {k}",
     "sum(range({k}, n + 1, {k}))"),
    ("the sum of the digits of n written in base {k}",
     "sum(n // {k} ** i % {k} for i in range(64))"),
    ("the sum of the digits of n times {k}", "sum(map(int, str(n * {k})))"),
    ("the remainder of {k} to the power of n divided by {m}", "pow({k}, n, {m})"),
    ("how many numbers from 1 to n have exactly {k} divisors",
     "sum(sum(i % d == 0 for d in range(1, i + 1)) == {k} for i in range(1, n + 1))"),
)  # fmt: skip


def _numbers(rng):
    return rng.integers(-50, 100, size=_int(rng, 3, 12)).tolist()


def _word(rng):
    return "".join([chr(97 + c) for c in rng.integers(0, 26, size=_int(rng, 10, 20)).tolist()])


def _one(rng):
    return _int(rng, 1, 90)


INPUTS = (
    (OF_NUMBERS, _numbers, "xs", "list of whole numbers", "[int(w) for w in input().split()]"),
    (OF_TEXT, _word, "s", "text of small letters", "input()"),
    (OF_ONE, _one, "n", "whole number n of 1 or more", "int(input())"),
)
TESTS = 6


def _program(group, kind):
    """Return the function that makes problems of one kind."""
    kinds, draw, name, input_type, reading = INPUTS[group]
    task, expression = kinds[kind]

    def make(rng):
        constants = {"k": _int(rng, 2, 9), "m": _int(rng, 11, 60)}
        source = expression.format(**constants)
        as_function = bool(rng.random() < 0.5)
        tests = []
        for _ in range(TESTS):
            content = draw(rng)
            expected = eval(source, {name: content})  # an expression from the tables above
            if as_function:
                tests.append(grading.Test([content], expected, "solve"))
            else:
                line = " ".join(map(str, content)) if name == "xs" else str(content)
                tests.append(grading.Test(line, str(expected)))
        if as_function:
            instruction = f"Write a function solve({name}) that takes a {input_type} and returns"
            solution = f"def solve({name}):\n    return {source}\n"
        else:
            content = "the numbers, with blanks between" if name == "xs" else f"the {input_type}"
            instruction = f"The only line of the input has {content}. Print"
            solution = f"{name} = {reading}\nprint({source})\n"
        return f"{instruction} {task.format(**constants)}.", solution, tuple(tests)

    return make


class MiniCode(_Mini):
    """Problems that short programs solve, with generated hidden tests."""

    blocking = True
    about = f"{ABOUT}, each for at most 5 seconds."
    examples = EXAMPLES
    kinds = tuple([_program(g, k) for g, group in enumerate(INPUTS) for k in range(len(group[0]))])

    def __init__(self, partial: bool = False, tries: int = 1):
        """Set whether the score is the share of passed tests, and the number of tries."""
        super().__init__(tries)
        self.partial = partial

    def read(self, text, view, agent):
        return grading.program_in(super().read(text, view, agent))

    def grade(self, answer, item):
        return grading.code(answer, item.key, partial=self.partial)
