"""The calculator of TAU-bench's assistants."""

import random
import time
import warnings

import pytest

from gem_ma.envs.tau import calculate as module
from gem_ma.envs.tau.calling import call
from gem_ma.envs.tau.store import Base

DESK = Base({"users": {}}).desk({})


def answer(expression):
    return call(
        {"calculate": module.calculate}, "retail", DESK, "calculate", {"expression": expression}
    )


def expected(expression):
    """Return what the original answers, which runs the expression."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            value = eval(expression, {"__builtins__": None}, {})
            return str(round(float(value), 2))
        except Exception as error:  # noqa: BLE001
            return f"Error: {error}"


def formula(rng, depth):
    """Return a well-formed expression, if not one that can be evaluated."""
    if depth == 0 or rng.random() < 0.2:
        return rng.choice(["0", "1", "2", "7", "12", "3.5", ".25", "19.99", "100.", "()", "8"])
    inner = formula(rng, depth - 1)
    shape = rng.random()
    if shape < 0.15:
        return f"({inner})"
    if shape < 0.3:
        return rng.choice("+-") + inner
    if shape < 0.35:
        return f"({inner})**{rng.choice(['2', '3', '.5', '-1'])}"
    if shape < 0.38:
        return f"({inner})({rng.choice(['', '*', '**'])}({formula(rng, depth - 1)}))"
    space = rng.choice(["", " "])
    return f"{inner}{space}{rng.choice(['+', '-', '*', '/', '//'])}{space}{formula(rng, depth - 1)}"


def test_well_formed_expressions_give_what_python_gives():
    rng = random.Random(0)
    for _ in range(6000):
        expression = formula(rng, rng.randint(0, 4))
        assert answer(expression) == expected(expression), expression


def test_any_characters_give_what_python_gives():
    rng = random.Random(1)
    numbers = 0
    for _ in range(20000):
        expression = "".join(rng.choice("0123457+-*/(). ") for _ in range(rng.randint(0, 7)))
        if "**" in expression and len(expression) > 5:
            continue  # which Python might work at for long
        assert answer(expression) == expected(expression), expression
        numbers += not answer(expression).startswith("Error: ")
    assert numbers > 1000


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("2 + 2", "4.0"),
        ("1/3", "0.33"),
        ("-0.001", "-0.0"),
        ("100000000000000000000", "1e+20"),
        ("2**10", "1024.0"),
        ("7//2", "3.0"),
        ("  1", "1.0"),
        ("10**400/10**399", "10.0"),
        ("2.675", "2.67"),
        ("9" * 400 + ".", "inf"),
        ("1/0", "Error: division by zero"),
        ("", "Error: invalid syntax (<string>, line 0)"),
        ("   ", "Error: invalid syntax (<string>, line 0)"),
        ("1 2", "Error: invalid syntax (<string>, line 1)"),
        ("(1", "Error: '(' was never closed (<string>, line 1)"),
        ("1)", "Error: unmatched ')' (<string>, line 1)"),
        (
            "007",
            "Error: leading zeros in decimal integer literals are not permitted; use an 0o prefix "
            "for octal integers (<string>, line 1)",
        ),
        ("(1)(2)", "Error: 'int' object is not callable"),
        ("10**309", "Error: int too large to convert to float"),
        (
            "(-8)**0.5",
            "Error: float() argument must be a string or a real number, not 'complex'",
        ),
        ("()", "Error: float() argument must be a string or a real number, not 'tuple'"),
        ("...", "Error: float() argument must be a string or a real number, not 'ellipsis'"),
        ("2 + x", "Error: invalid characters in expression"),
        ("1\n", "Error: invalid characters in expression"),
        ("1,2", "Error: invalid characters in expression"),
        (["x"], "Error: invalid characters in expression"),
        (["1", "+"], "Error: eval() arg 1 must be a string, bytes or code object"),
        ([], "Error: eval() arg 1 must be a string, bytes or code object"),
        ({}, "Error: eval() arg 1 must be a string, bytes or code object"),
        ([1], "Error: 'in <string>' requires string as left operand, not int"),
        (5, "Error: 'int' object is not iterable"),
        (1.5, "Error: 'float' object is not iterable"),
        (True, "Error: 'bool' object is not iterable"),
        (None, "Error: 'NoneType' object is not iterable"),
    ],
)
def test_answers(expression, text):
    assert answer(expression) == text


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("9**9**9", "int too large to convert to float"),
        ("9**9**9*0", "int too large to convert to float"),
        ("(2**4000)*(2**4000)", "int too large to convert to float"),
        ("-" * 999 + "1", "an expression nests at most 250 operations"),
        ("1" + "+1" * 499, "an expression nests at most 250 operations"),
        ("1 + " * 250 + "1", "an expression has at most 1000 characters"),
        ("1" * 10**6, "an expression has at most 1000 characters"),
        ("x" * 10**6, "invalid characters in expression"),
        ("(" * 201 + "1" + ")" * 201, "too many nested parentheses (<string>, line 1)"),
    ],
)
def test_limits(expression, text):
    assert answer(expression) == f"Error: {text}"


def test_what_stays_within_the_limits_is_evaluated():
    assert answer("1" + "+1" * 248) == "249.0"
    assert answer("19.99 + " * 100 + "0") == "1999.0"
    assert answer("(" * 190 + "1" + ")" * 190) == "1.0"
    assert answer("2**4000/2**3999") == "2.0"
    assert answer("1**9999999999999999999999") == "1.0"


def test_no_expression_takes_long():
    rng = random.Random(2)
    expressions = [
        "9**9**9",
        "9**99999999",
        "7**1400//3**1200*" * 60 + "1",
        "2**4000//3*" * 90 + "1",
    ]
    expressions += [
        "9" * 999,
        "()*9999999999999999",
        "-" * 1000,
        "(" * 200,
        "1(" * 500,
        "x" * 10**6,
    ]
    expressions += [
        "(-" * 199 + "1" + ")" * 199,
        "+()/" * 250,
        "1**-" * 249 + "1",
        "1//" * 249 + "1",
    ]
    for _ in range(300):
        unit = "".join(rng.choice("129+-*/(). ") for _ in range(rng.randint(1, 8)))
        expressions.append((unit * 1000)[: rng.randint(900, 1000)] + rng.choice(["", "1"]))
    for expression in expressions:
        assert min(_seconds(expression) for _ in range(3)) < 0.03, expression[:20]


def _seconds(expression):
    start = time.perf_counter()
    answer(expression)
    return time.perf_counter() - start
