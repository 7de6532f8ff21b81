"""Graders, which turn a model's text into a Grade and never raise because of the text.

Graders that need large libraries run in the sandbox with a hard time limit.
"""

import collections
import functools
import importlib
import json
import math
import os
import re
import string
import sys
import threading
import types
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from typing import NamedTuple

from gem_ma import sandbox
from gem_ma.envs import answer_parsing
from gem_ma.envs.tasks.question import Grade
from gem_ma.validation.untrusted_json import parse_json

RIGHT, WRONG = Grade(1.0), Grade(0.0)
TIMED_OUT = "timed out"
WORKERS = min(8, os.cpu_count() or 1)  # of each pool

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation + "\u2018\u2019\u201c\u201d\u2013\u2014")


def normal(text):
    """Return a text in lower case, without punctuation, articles and extra spaces."""
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split())


def exact(text, golds):
    """Grade an answer 1 if it equals a right answer after normalisation, else 0."""
    answer = normal(text)
    return RIGHT if any(answer == normal(gold) for gold in golds) else WRONG


def f1(text, golds):
    """Grade an answer by its overlap in words (F1) with the closest right answer."""
    return Grade(max((_overlap(normal(text), normal(gold)) for gold in golds), default=0.0))


def _overlap(said, gold):
    if said == gold:
        return 1.0
    words, gold_words = said.split(), gold.split()
    common = sum((collections.Counter(words) & collections.Counter(gold_words)).values())
    return 2 * common / (len(words) + len(gold_words)) if common else 0.0


_SPACES = re.compile(r"\\[,;:! ]|\\quad|\\(?:left|right)(?![a-z])|~|(?<!\d)\s+|\s+(?!\d)")
_TEXT = re.compile(r"\\(?:text|textbf|mathrm|mathbf|mbox)\s*\{([^{}]*)\}")
_ASSIGNED = re.compile(r"^[A-Za-z]=(?=[^=])")
_NUMBER = re.compile(
    r"(?P<sign>[+-]?)\\?\$?"
    r"(?:(?P<whole>\d+|\d{1,3}(?:,\d{3})+)?"
    r"\\[dt]?frac(?:\{(?P<top>-?\d+)\}\{(?P<bottom>\d+)\}|(?P<top1>\d)(?P<bottom1>\d))"
    r"|(?P<a>-?\d+)/(?P<b>\d+)"
    r"|(?P<decimal>(?:\d+|\d{1,3}(?:,\d{3})+)(?:\.\d*)?|\.\d+)(?:[eE](?P<power>[+-]?\d{1,2}))?)"
    r"(?P<percent>\\?%)?"
)


class Number(NamedTuple):
    value: Fraction
    percent: bool


def number(text):
    """Return the Number that a text is, in LaTeX or not, or None if it is no plain number."""
    if len(text) > 200:
        return None
    match = _NUMBER.fullmatch(plain(text))
    if not match:
        return None
    part = match.groupdict()
    if part["decimal"]:
        value = Fraction(part["decimal"].replace(",", "").rstrip("."))
        value *= Fraction(10) ** int(part["power"] or 0)
    else:
        top, bottom = part["a"] or part["top"] or part["top1"], part["b"] or part["bottom"]
        if not int(bottom or part["bottom1"]):
            return None
        value = Fraction(int(top), int(bottom or part["bottom1"]))
        value += int((part["whole"] or "0").replace(",", ""))
    return Number(-value if part["sign"] == "-" else value, bool(part["percent"]))


def plain(text):
    r"""Return a formula without dollar signs, spaces, \text{} and a full stop."""
    text = text.strip().strip("$").rstrip(".,;").rstrip("$")
    text = _ASSIGNED.sub("", _SPACES.sub("", _TEXT.sub(r"\1", text)))
    return text.removeprefix(r"\(").removesuffix(r"\)").strip("$")


def same_number(said, gold):
    """Return whether two numbers are equal to six decimals; a percent sign may be missing."""
    if round(said.value, 6) == round(gold.value, 6):
        return True
    if said.percent == gold.percent:
        return False
    fraction, percentage = (said, gold) if gold.percent else (gold, said)
    return round(fraction.value * 100, 6) == round(percentage.value, 6)


def quick(text, gold):
    """Return whether an answer is right if simple rules decide it, else None."""
    if plain(text) == plain(gold):
        return True
    gold_number = number(gold)
    answer_number = (
        (number(text) or number(answer_parsing.strip_answer(text))) if gold_number else None
    )
    if answer_number:
        return same_number(answer_number, gold_number)
    words = _TEXT.sub(r"\1", gold).strip()
    if words.replace(" ", "").isalpha() and (len(words) > 3 or "\\text" in gold):
        # math-verify would multiply the letters, so that their order would not matter
        return normal(_TEXT.sub(r"\1", text)).strip("()") == normal(words)
    return None


def numeric(text, golds):
    """Grade an answer that has to be a plain number."""
    return RIGHT if any(quick(text, gold) for gold in golds) else WRONG


def mathematics(text, golds):
    """Grade a mathematical answer: it is right if it is equivalent to one of `golds`."""
    verdicts = [quick(text, gold) for gold in golds]
    if any(verdicts):
        return RIGHT
    rest = [gold for gold, answer in zip(golds, verdicts, strict=True) if answer is None]
    if not rest:
        return WRONG
    return isolated(f"{__name__}:equivalent", text, rest, prepare=f"{__name__}:warm")


def equivalent(text, golds):
    """Return 1 if an answer is equivalent to one of `golds` by math-verify; for the sandbox."""
    import logging

    from math_verify import ExprExtractionConfig, LatexExtractionConfig, parse, verify

    logging.disable()  # math-verify logs texts that it cannot parse
    extraction_config = [LatexExtractionConfig(boxed_match_priority=0), ExprExtractionConfig()]

    def read(formula):
        inside = formula.strip().rstrip(".,;")
        return parse(
            "\\boxed{" + inside + "}", extraction_config=extraction_config, parsing_timeout=None
        )

    parsed_answer = read(text)
    return float(any(verify(read(gold), parsed_answer, timeout_seconds=None) for gold in golds))


def warm():
    """Grade some answers, so that later ones find all modules loaded and caches filled."""
    for text, gold in (
        (r"\frac{\sqrt{8}}{2}", r"\sqrt{2}"),
        (r"x^2 - \pi \cdot 3", r"\sin(x) + 10!"),
        (r"(-\infty, 3] \cup \{5\}", r"x \leq 3"),
        (r"\begin{pmatrix} 1 \\ 2 \end{pmatrix}", r"(1, \frac{1}{2})"),
        (r"y = 2x + 1", r"\{1, 2, 3\}"),
    ):
        equivalent(text, [gold, text])


# Sympy and some scorers evaluate a text as Python, in the process that reports the score. Code
# that is run there may use only these names, so that no answer can do more than arithmetic. They
# include names that sympy's own generated code uses.
_FORMULA = frozenset((
    *string.ascii_letters, "pi", "oo", "Integer", "Float", "Rational", "Symbol", "Function", "Add",
    "Mul", "Pow", "Abs", "abs", "sign", "Min", "Max", "min", "max", "root", "sqrt", "cbrt", "exp",
    "log", "ln", "sin", "cos", "tan", "cot", "sec", "csc", "asin", "acos", "atan", "acot", "asec",
    "acsc", "atan2", "sinh", "cosh", "tanh", "coth", "sech", "csch", "asinh", "acosh", "atanh",
    "acoth", "asech", "acsch", "factorial", "factorial2", "binomial", "gamma", "lowergamma",
    "uppergamma", "beta", "zeta", "polylog", "erf", "erfc", "erfi", "Si", "Ci", "Ei", "Shi", "Chi",
    "li", "fresnels", "fresnelc", "hyper", "Integral", "Heaviside", "re", "im", "floor", "ceiling",
    "sympy", "sympy.functions", "sympy.matrices", "nan", "zoo", "math", "mpmath", "numpy", "linalg",
    "numpy.linalg", "scipy", "special", "scipy.special", "_lambdifygenerated", "monomial_mul",
    "monomial_pow", "monomial_mulpow", "monomial_ldiv", "monomial_div", "monomial_lcm",
    "monomial_gcd",
))  # fmt: skip


def isolated(function, *args, prepare):
    """Grade by a trusted function in the sandbox, in the pool that `prepare` has initialised."""
    box = _graders(prepare, function.partition(":")[0], __name__)
    try:
        return graded(box.call(f"{__name__}:judge", function, *args))
    except sandbox.SandboxTimeout:
        return Grade(0.0, TIMED_OUT)
    except sandbox.SandboxCrash as error:  # too much memory, or an error in the library
        return Grade(0.0, f"died: {str(error).splitlines()[-1]}"[:200])


def graded(value):
    """Return a score as a Grade, with score 0 and a reason if it is no number from 0 to 1."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not -1e-9 < value < 1 + 1e-9:  # sums of shares are rounded
        return Grade(0.0, f"no score: {value!r}"[:200])
    return Grade(min(max(float(value), 0.0), 1.0))


def judge(function, *args):
    """Call a grader in a process in which only formulas can be run; for the sandbox."""
    module, _, name = function.partition(":")
    grader = getattr(importlib.import_module(module), name)
    sys.addaudithook(_refuse_programs)
    return grader(*args)


def _refuse_programs(event, args):
    """Raise ValueError if Python is about to run code other than a formula or an import."""
    if event != "exec":
        return
    codes, names = [args[0]], set()
    for code in codes:  # the list grows in the loop
        names.update(code.co_names)
        codes += [inner for inner in code.co_consts if isinstance(inner, types.CodeType)]
    if not names <= _FORMULA and not _imports(sys._getframe()):
        raise ValueError("an answer is a formula, and no program")


def _imports(frame):
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False


@functools.cache
def _graders(*preload):
    """Return this process's pool, whose limit of CPU time is much lower than that of waiting."""
    # The kernel counts whole seconds of CPU time, rounded up with the time that startup took.
    return sandbox.Sandbox(seconds=10, cpu_seconds=0.9, preload=preload, workers=WORKERS)


_AT_ONCE = 4
_FENCE = re.compile(r"```[ \t]*+([\w+-]*+)[ \t]*+\n(.*?)(?:\n[ \t]*+```|\Z)", re.DOTALL)

# The solution's own output is discarded; only its function's result is sent back.
_CALL = """
import json, os, sys
_job = json.loads(sys.stdin.read())
_out = os.dup(1)
os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
_names = {"__name__": "solution"}
exec(compile(_job["program"], "solution.py", "exec"), _names)
if _job["function"] in _names:
    _function = _names[_job["function"]]
else:
    _function = getattr(_names["Solution"](), _job["function"])
_result = json.dumps(_function(*_job["arguments"]))
os.write(_out, b"\\n")
for _i in range(0, len(_result), 4096):
    os.write(_out, _result[_i : _i + 4096].encode())
"""


class Test(NamedTuple):
    """One hidden test: the input, the expected output, and the function to call, if any."""

    given: object  # the text on stdin, or the function's arguments
    expected: object
    function: str | None = None


Test.__test__ = False  # type: ignore[attr-defined]  # for pytest


def program_in(reply):
    """Return the last fenced block of a reply, Python first, or the whole reply without one."""
    blocks = _FENCE.findall(reply)
    python = [code for language, code in blocks if language.lower() in ("python", "py", "python3")]
    return (python or [code for _, code in blocks] or [reply])[-1]


_SHAPES = 'expected {"inputs": [...], "outputs": [...]} or a list of {"input": ..., "output": ...}'


def tests_of(data):
    """Return the tests in a cell of a data set, in any of the usual shapes.

    The shapes are {"inputs": [...], "outputs": [...]} with or without "fn_name", a list of
    {"input": ..., "output": ...}, and JSON of these.
    """
    if isinstance(data, str | bytes):
        try:
            data = json.loads(data)
        except ValueError:
            raise ValueError(f"{_SHAPES}, or JSON of these; got {data[:80]!r}") from None
    if isinstance(data, dict) and "test_cases" in data:
        data = data["test_cases"]
    if isinstance(data, dict):
        ins, outs = data.get("inputs"), data.get("outputs")
        if not isinstance(ins, list | tuple) or not isinstance(outs, list | tuple):
            raise ValueError(f"{_SHAPES}; got a dict with {', '.join(data) or 'nothing'}")
        if len(ins) != len(outs):
            raise ValueError(f"{len(ins)} inputs and {len(outs)} outputs; expected as many of both")
        return tuple([_test(a, b, data.get("fn_name")) for a, b in zip(ins, outs, strict=True)])
    if not isinstance(data, list | tuple) or not all(
        isinstance(test, dict) and {"input", "output"} <= test.keys() for test in data
    ):
        raise ValueError(f"{_SHAPES}; got {str(data)[:80]}")
    return tuple([_test(test["input"], test["output"], test.get("fn_name")) for test in data])


def _test(given, expected, name):
    if name:
        if isinstance(given, str):  # one argument per line
            given = [json.loads(line) for line in given.splitlines() if line.strip()]
        if isinstance(expected, str):
            expected = _value(expected)
        return Test(given, expected, name)
    return Test(_lines(given), _lines(expected))


def _value(text):
    try:
        return json.loads(text)
    except ValueError:
        return text


def _lines(data):
    return "\n".join(map(str, data)) if isinstance(data, list | tuple) else str(data)


def code(program, tests, *, seconds=5.0, partial=False):
    """Grade a program on hidden tests: 1 if it passes all, or with `partial` the passed share.

    Expected outputs never enter the sandbox. Without `partial` the first failure skips later tests.
    """
    failed = threading.Event()
    troubles = []

    def passes(test):
        if failed.is_set() and not partial:
            return False
        passed, trouble = _passes(program, test, seconds)
        if not passed:
            failed.set()
        if trouble:
            troubles.append(trouble)
        return passed

    with ThreadPoolExecutor(min(_AT_ONCE, len(tests))) as threads:
        passed = sum(threads.map(passes, tests))
    score = passed / len(tests) if partial else float(passed == len(tests))
    return Grade(score, troubles[0] if troubles else "")


@functools.cache
def _programs():
    """Return the pool in which programs run, with a high limit of output."""
    return sandbox.Sandbox(output=2**22, workers=WORKERS)


def _passes(program, test, seconds):
    source, stdin = program, test.given
    if test.function:
        job = {"program": program, "function": test.function, "arguments": test.given}
        source, stdin = _CALL, json.dumps(job)
    result = _programs().run(source, stdin=stdin, seconds=seconds)
    if not result.ok:
        return False, TIMED_OUT if result.reason == "timeout" else result.reason
    if test.function:
        last = result.stdout.strip().rpartition("\n")[2]
        try:
            value = parse_json(last, size=None, depth=100, digits=4300)
        except ValueError:
            return False, ""
        is_same = same_value(value, test.expected) or same_value([value], test.expected)
        return is_same, ""
    return same_output(result.stdout, test.expected), ""


def same_output(printed, expected):
    """Return whether two outputs have the same words; decimals are compared to six digits."""
    printed_words, expected_words = printed.split(), expected.split()
    if len(printed_words) != len(expected_words):
        return False
    return all(a == b or _near(a, b) for a, b in zip(printed_words, expected_words, strict=True))


def _near(text, wanted):
    if "." not in wanted:
        return False
    try:
        return same_value(float(text), float(wanted))
    except ValueError:
        return False


def same_value(value, wanted):
    """Return whether two JSON values are equal; decimals are compared to six digits."""
    if isinstance(wanted, float) and isinstance(value, int | float):
        try:
            return math.isclose(value, wanted, rel_tol=1e-6, abs_tol=1e-9)
        except OverflowError:  # an integer too large for a float
            return False
    if isinstance(value, list) and isinstance(wanted, list | tuple):
        return len(value) == len(wanted) and all(map(same_value, value, wanted))
    if isinstance(value, dict) and isinstance(wanted, dict):
        return value.keys() == wanted.keys() and all(same_value(value[k], wanted[k]) for k in value)
    return type(value) is type(wanted) and value == wanted
