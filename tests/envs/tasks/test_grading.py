"""The graders against hand-made pairs, and against programs that do not play fair."""

import threading
import time

import pytest
from playable import unless

import gem_ma
from gem_ma import sandbox
from gem_ma.envs.tasks import grading
from gem_ma.envs.tasks.grading import Test

# (the right answer, what is said), by whether that is right
NUMBERS_RIGHT = [
    ("5", "5"),
    ("5", " 5 "),
    ("5", "5."),
    ("5", "$5$"),
    ("5", r"\(5\)"),
    ("5", "+5"),
    ("-5", "-5"),
    ("5", "5.0"),
    ("5", "x=5"),
    ("5", "x = 5"),
    ("1000", "1,000"),
    ("1,000", "1000"),
    ("1234567", "1,234,567"),
    ("10000", r"10\,000"),
    ("10000", "10{,}000"),
    (".5", "0.5"),
    ("0.5", r"\frac{1}{2}"),
    ("1/2", r"\dfrac{1}{2}"),
    ("1/2", r"\tfrac12"),
    ("1/2", r"\frac12"),
    ("1/2", "2/4"),
    ("-1/2", r"-\frac{1}{2}"),
    ("-1/2", r"\frac{-1}{2}"),
    (r"\frac{3}{4}", "0.75"),
    ("3.5", r"3\frac{1}{2}"),
    ("3.5", r"3 \frac{1}{2}"),
    ("7/2", r"3\frac12"),
    ("2", r"\frac{4}{2}"),
    ("1/3", "0.333333"),
    ("2500", "2.5e3"),
    ("0.00012", "1.2e-4"),
    ("0.00012", r"1.2 \times 10^{-4}"),
    ("18.90", r"\$18.90"),
    ("18.9", "$18.90$"),
    ("1024", "2^{10}"),
    ("120", "5!"),
    ("10", r"\binom{5}{2}"),
    ("42", r"\text{42}"),
    ("42", r"\mathbf{42}"),
    ("42", r"{42}"),
    ("7", r"\left(7\right)"),
    ("-3", "\u22123"),
    ("4", r"\boxed{4}"),
]
NUMBERS_WRONG = [
    ("5", "6"),
    ("5", "-5"),
    ("5", "50"),
    ("5", "0.5"),
    ("5", "5 or 6"),
    ("5", "5, 6"),
    ("5", r"\{5, 6\}"),
    ("5", "(5, 6)"),
    ("12", "1 2"),
    ("24", "2x=4"),
    ("1000", "1.000"),
    ("1/2", "1/3"),
    ("1/2", "2"),
    ("1/3", "0.33"),
    ("1/3", "0.3334"),
    (r"\frac{3}{4}", r"\frac{4}{3}"),
    ("3.5", r"3\frac{1}{3}"),
    ("7/2", r"3\frac{2}{1}"),
    ("2500", "2.5e4"),
    ("1/2", "1/0"),
    ("1/2", r"\frac{1}{0}"),
    ("0", "1/0"),
    ("5", "five"),
    ("5", "none"),
    ("5", "5x"),
    ("5", ""),
    ("5", "9" * 5_000),
    ("0", "1e-999999999"),
    ("1", "1e999999999"),
    ("2", r"\sqrt{2}"),
    ("123456789", "123456788"),
    ("10", r"\binom{5}{3} + 1"),
]
UNITS_RIGHT = [
    ("145", r"145^\circ"),
    ("145", r"145^{\circ}"),
    ("145", "145\u00b0"),
    ("145", "145 degrees"),
    ("145", "x = 145.0"),
    ("71", "71 toys"),
    ("71", "71 red toys."),
    ("5", r"5\text{ cm}"),
    ("5", "5 cm"),
    ("5 \\text{ cm}", "5"),
    ("12", r"12 \text{ inches}"),
    ("60", "60 mph"),
    ("60", r"60 \text{ km/h}"),
    ("30", r"30^\circ"),
    (r"30^\circ", "30"),
    (r"30^{\circ}", "30 degrees"),
    ("5.4", r"5.4 \text{ cents}"),
    (r"\$5", "5"),
    ("5", "5 inches"),
    ("3", r"3 \text{ hours}"),
    (r"10 \text{ m}^2", "10"),
]
UNITS_WRONG = [
    ("5", "5 million"),
    ("5", "5 or more"),
    ("5", "5 x"),
    ("71", "not 71 toys"),
    ("71", "71 toys or 72"),
    ("5 \\text{ cm}", "6 \\text{ cm}"),
    ("5", r"50\text{ mm}"),
    (r"30^\circ", "60"),
    (r"30^\circ", r"60^\circ"),
    (r"\$5", r"\$50"),
]
PERCENT_RIGHT = [
    ("50\\%", "50"),
    ("50", r"50\%"),
    ("50\\%", "50%"),
    ("50\\%", "0.5"),
    ("0.5", r"50\%"),
    (r"\frac{3}{4}", r"75\%"),
    ("12.5\\%", "1/8"),
    ("50\\%", r"50 \%"),
    ("50", "50 percent"),
]
PERCENT_WRONG = [
    ("50\\%", "5"),
    ("50\\%", r"5\%"),
    ("50", r"0.5\%"),
    ("0.5", "50"),
    ("0.5", r"0.05\%"),
    ("100\\%", "100.1"),
]
INTERVALS_RIGHT = [
    ("[1,2)", "[1, 2)"),
    ("(1,2)", r"\left(1,2\right)"),
    ("[0,1]", r"\left[0, 1\right]"),
    (r"(-\infty, 3]", r"(-\infty,3]"),
    (r"(-\infty,1)\cup(2,\infty)", r"(2,\infty)\cup(-\infty,1)"),
    (r"[\frac{1}{2}, 1]", "[0.5, 1]"),
    (r"x \leq 3", r"(-\infty, 3]"),
    ("x > 2", "2 < x"),
    ("x>2", "x > 2"),
]
INTERVALS_WRONG = [
    ("(1,2)", "[1,2]"),
    ("[1,2)", "(1,2]"),
    ("[1,2]", "[1,3]"),
    (r"(-\infty, 3]", r"(-\infty, 3)"),
    (r"(-\infty,1)\cup(2,\infty)", r"(-\infty,1)"),
    (r"(-\infty,1)\cup(2,\infty)", r"(-\infty,1]\cup[2,\infty)"),
    ("x > 2", "x < 2"),
    ("x > 2", r"x \geq 2"),
]
SETS_RIGHT = [
    (r"\{1,2,3\}", r"\{3, 2, 1\}"),
    (r"\{1,2,3\}", "1, 2, 3"),
    ("1,2,3", "3,2,1"),
    ("2,3", "2 and 3"),
    (r"\pm 2", "2, -2"),
    ("2, -2", r"\pm 2"),
    (r"\emptyset", r"\{\}"),
    (r"\{\frac12, 1\}", r"\{1, 0.5\}"),
    (r"\left\{1,2\right\}", r"\{2,1\}"),
]
SETS_WRONG = [
    (r"\{1,2,3\}", r"\{1,2\}"),
    (r"\{1,2\}", r"\{1,2,3\}"),
    (r"\{1,2\}", r"\{1,3\}"),
    ("1,2,3", "1,2,4"),
    ("1,2", "1"),
    (r"\pm 2", "2"),
    (r"\emptyset", r"\{0\}"),
]
FORMULAS_RIGHT = [
    (r"\sqrt{8}", r"2\sqrt{2}"),
    (r"2\sqrt{3}", r"\sqrt{12}"),
    (r"\frac{\sqrt{3}}{3}", r"\frac{1}{\sqrt{3}}"),
    ("x^2+2x+1", "(x+1)^2"),
    ("3x", r"3 \cdot x"),
    ("3x", "3*x"),
    ("y=2x+1", "y = 1 + 2x"),
    ("y=2x+1", "2x+1"),
    (r"3\pi", r"\pi \cdot 3"),
    ("3+4i", "4i+3"),
    ("6-5i", "6 - 5i"),
    (r"\frac{\pi}{4}", r"\pi/4"),
    (r"(3, \frac{\pi}{2})", r"(3, \pi/2)"),
    ("(1,2)", "(1, 2)"),
    (r"\begin{pmatrix}1\\2\end{pmatrix}", r"\begin{pmatrix} 1 \\ 2 \end{pmatrix}"),
    (r"\log 2", r"\log(2)"),
    (r"e^{x}", "e^x"),
    (r"\infty", r"\infty"),
    (r"\frac{x}{2}", "0.5x"),
    (r"a^2-b^2", "(a-b)(a+b)"),
    (r"\sin^2 x", r"1-\cos^2 x"),
    (r"x^{1/2}", r"\sqrt{x}"),
    (r"2^{-1}", r"\frac{1}{2}"),
    (r"70\sqrt{2}", r"70 \sqrt 2"),
    ("7:30", "7:30"),
]
FORMULAS_WRONG = [
    (r"\sqrt{8}", r"2\sqrt{3}"),
    (r"\sqrt{2}", "1.41"),
    (r"\pi", "3.14"),
    (r"\pi", "22/7"),
    ("x^2+2x+1", "(x+2)^2"),
    ("x^2+1", "x^2-1"),
    ("3+4i", "3-4i"),
    ("(1,2)", "(2,1)"),
    ("(1,2,3)", "(1,2)"),
    (r"\begin{pmatrix}1\\2\end{pmatrix}", r"\begin{pmatrix}2\\1\end{pmatrix}"),
    (r"e^{x}", "e^{-x}"),
    (r"\infty", r"-\infty"),
    ("y=2x+1", "y=2x-1"),
    (r"\frac{\pi}{4}", r"\frac{\pi}{3}"),
    ("a^2-b^2", "(a-b)^2"),
]
WORDS_RIGHT = [
    (r"\text{Evelyn}", "Evelyn"),
    (r"\text{Evelyn}", r"\text{evelyn}"),
    (r"\text{(A)}", "A"),
    ("A", "(A)"),
    ("C", "c"),
    ("east", "East"),
    (r"\text{Yes}", "yes"),
    ("True", "true"),
]
WORDS_WRONG = [
    ("east", "seat"),  # the product of the same letters
    (r"\text{Evelyn}", "Evelny"),
    (r"\text{(A)}", "B"),
    ("A", "AB"),
    (r"\text{Yes}", "no"),
    ("True", "false"),
    ("monday", "dynamo"),
]
JUNK = [  # said instead of 5
    "\\",
    "}}}}",
    "{{{{",
    r"\frac",
    r"\frac{5}",
    r"\frac{}{}",
    r"\sqrt",
    r"\begin{matrix}",
    "\\" * 500,
    "(" * 500,
    "$$$$",
    "&&&",
    "^^^",
    "__import__('os')",
    "\x00",
    "\ud800".encode("utf-8", "replace").decode(),
    "\U0001f600",
    r"\undefined{5}{6}",
    "I think that it is six",
    r"\text{}",
    r"\left( \right.",
    "5 = 6",
    "nan",
]
RIGHT = [
    *NUMBERS_RIGHT,
    *UNITS_RIGHT,
    *PERCENT_RIGHT,
    *INTERVALS_RIGHT,
    *SETS_RIGHT,
    *FORMULAS_RIGHT,
    *WORDS_RIGHT,
]
WRONG = [
    *NUMBERS_WRONG,
    *UNITS_WRONG,
    *PERCENT_WRONG,
    *INTERVALS_WRONG,
    *SETS_WRONG,
    *FORMULAS_WRONG,
    *WORDS_WRONG,
    *[("5", junk) for junk in JUNK],
]


@pytest.fixture(scope="module")
def verifier():
    pytest.importorskip("math_verify", reason="pip install 'gem-ma[math]'")


def test_there_are_enough_pairs():
    assert len({*RIGHT, *WRONG}) == len(RIGHT) + len(WRONG) >= 200


@pytest.mark.parametrize(("gold", "said"), RIGHT)
def test_right_answers(verifier, gold, said):
    assert grading.mathematics(said, [gold]) == (1.0, "")


@pytest.mark.parametrize(("gold", "said"), WRONG)
def test_wrong_answers(verifier, gold, said):
    assert grading.mathematics(said, [gold]).score == 0


def test_one_of_several_right_answers_is_enough(verifier):
    assert grading.mathematics(r"\sqrt{12}", ["7", r"2\sqrt{3}"]).score == 1
    assert grading.mathematics("7", [r"2\sqrt{3}", "7"]).score == 1
    assert grading.mathematics("8", ["7", r"2\sqrt{3}"]).score == 0
    assert grading.mathematics("8", []).score == 0


@pytest.mark.parametrize("bomb", ["9^{9^{9^{9}}}", unless(False, r"\prod_{n=1}^{99999999} n")])
def test_a_stuck_grader_is_ended_and_the_next_one_is_fine(verifier, bomb):
    begun = time.perf_counter()
    assert grading.mathematics(bomb, [r"\sqrt{2}"]) == (0.0, "timed out")
    assert grading.mathematics(r"\frac{2}{\sqrt{2}}", [r"\sqrt{2}"]) == (1.0, "")
    assert time.perf_counter() - begun < 30


def spelled(text):
    """Return Python without a quote, a blank, a parenthesis or a brace that makes this text."""
    names = (
        "str", "bytes", "print", "open", "exec", "int", "str.format", "str.split", "dict", "range",
        "str.maketrans", "compile", "type", "float.fromhex", "bytes.fromhex", "float.hex",
        "str.zfill", "str.splitlines", "int.to_bytes", "list.sort",
    )  # fmt: skip
    docs = {name: eval(name).__doc__ for name in names}
    found = [next(name for name in names if letter in docs[name]) for letter in text]
    places = zip(found, text, strict=True)
    return "+".join([f"{name}.__doc__[{docs[name].index(letter)}]" for name, letter in places])


FORGE = 'import os;os.write(3,b\'{"exit":0,"value":0.77}\\n\')'
PROGRAM = (  # exec is called as help[...], for which nothing but brackets is needed
    f"[help.__class__[{spelled(FORGE)}]for[help.__class__.__class_getitem__]in[[exec]]]"
)


STRONG, *BETWEEN, WEAK = sandbox.LEVELS


@pytest.fixture(scope="module", params=[STRONG, *(unless(False, one) for one in BETWEEN), WEAK])
def judges(request, verifier):
    """Return a pool of judges at a level of the sandbox; None is the usual one at the strongest."""
    if sandbox.check_levels()[request.param]:
        pytest.skip(sandbox.check_levels()[request.param])
    if request.param == STRONG:
        yield None
        return
    preload = (f"{grading.__name__}:warm", grading.__name__)
    with sandbox.Sandbox(request.param, seconds=10, cpu_seconds=0.9, preload=preload) as box:
        yield box


ATTACKS = (
    r"\sum_{n=0}^{\infty}(\frac{1+n\text{PROGRAM}}{n!})",
    r"\{1, \sum_{n=0}^{\infty}(\frac{1+n\text{PROGRAM}}{n!})\}",
    r"\sum_{n=0}^{\infty}(\frac{n+\bar{PROGRAM}}{n!})",
    r"\sum_{n=0}^{\infty}(\frac{1+n\mathrm{FORGE}}{n!})",
    r"\operatorname{exec}(\text{PROGRAM})",
    r"\text{PROGRAM}",
    r"x_{PROGRAM}",
    r"\variable{FORGE}",
    r"\lim_{\text{PROGRAM}\to 0} n",
    r"\int_0^1 \text{PROGRAM} dx",
    f"1 + {FORGE.partition(';')[2]}",
    f"__import__('os').write(3,{FORGE.partition(',')[2]}",
    "1+(lambda:0)()",
    "0.5.__class__",
)


def attacked(attack, gold):
    said = attack.replace("PROGRAM", PROGRAM).replace("FORGE", FORGE)
    return grading.mathematics(said, [gold])


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_formula_does_not_pay_itself(verifier, attack):
    assert attacked(attack, r"\sqrt{2}").score == 0


@pytest.mark.parametrize("gold", [r"\sqrt{2}", r"\{1, \sqrt{2}\}", "x"])
def test_a_formula_does_not_pay_itself_at_any_level(judges, monkeypatch, gold):
    if judges is not None:
        monkeypatch.setattr(grading, "_graders", lambda *_: judges)
    assert attacked(ATTACKS[0], gold).score == 0


def test_sums_are_still_evaluated(verifier):
    assert grading.mathematics(r"\sum_{n=0}^{\infty} \frac{1}{n!}", ["e"]) == (1.0, "")
    squares = r"\sum_{n=1}^{\infty} \frac{1}{n^2}"
    assert grading.mathematics(squares, [r"\frac{\pi^2}{7}"]) == (0.0, "")


def test_numbers_need_no_sandbox():
    before = grading._graders.cache_info()
    for gold, said in (("5", "5"), ("5", "6"), ("1/2", "0.5"), ("50", r"50\%"), ("5", "who knows")):
        grading.numeric(said, [gold])
    assert grading._graders.cache_info() == before
    assert grading.numeric("who knows", ["5"]).score == 0


@pytest.mark.parametrize(
    ("said", "golds"),
    [
        ("Paris", ["Paris"]),
        ("  paris. ", ["Paris"]),
        ("the Eiffel Tower", ["Eiffel tower"]),
        ("U.S.A.", ["USA", "United States"]),
        ("an apple", ["The apple"]),
        ("don\u2019t", ["don't"]),
        ("Berlin", ["Paris", "Berlin"]),
        ("42", ["42"]),
    ],
)
def test_exact_match(said, golds):
    assert grading.exact(said, golds).score == 1


@pytest.mark.parametrize(
    ("said", "golds"),
    [("London", ["Paris"]), ("Paris, France", ["Paris"]), ("", ["Paris"]), ("43", ["42"])],
)
def test_no_exact_match(said, golds):
    assert grading.exact(said, golds).score == 0


def test_f1_is_the_overlap_in_words():
    assert grading.f1("the big red dog", ["red dog"]).score == pytest.approx(0.8)
    assert grading.f1("red red dog", ["red dog"]).score == pytest.approx(0.8)
    assert grading.f1("cat", ["red dog", "cat"]).score == 1
    assert grading.f1("cat", ["dog"]).score == grading.f1("", ["dog"]).score == 0
    assert grading.f1("cat", []).score == 0


DOUBLE = [Test("3", "6"), Test("-4", "-8"), Test("10", "20")]
ADD = [Test([1, 2], 3, "add"), Test([-1, 1], 0, "add")]
GOOD = "print(int(input()) * 2)"


@pytest.mark.parametrize(
    "program",
    [
        GOOD,
        "import sys\nprint(int(sys.stdin.read()) * 2)\nsys.exit(0)",
        "import sys\nprint(int(input()) * 2)\nsys.exit()\nraise ValueError",
        "n = int(input())\nprint(n * 2, end='')",
        "import sys\nprint('noise', file=sys.stderr)\n" + GOOD,
        "if __name__ == '__main__':\n    " + GOOD,
        "import os\nprint(int(input()) * 2, flush=True)\nos._exit(0)",
    ],
)
def test_programs_that_are_right(program):
    assert grading.code(program, DOUBLE) == (1.0, "")


@pytest.mark.parametrize(
    "program",
    [
        "print(int(input()) * 3)",
        "print('noise')\n" + GOOD,
        "import sys\nsys.exit(0)\n" + GOOD,
        GOOD + "\nraise SystemExit(1)",
        GOOD + "\n1 / 0",
        "syntax error",
        "",
        "print(6)",
        "import os\nos.fork()\n" + GOOD,
        "import os\nwhile True:\n    os.fork()",
        "x = bytearray(10**11)\n" + GOOD,
        "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)",
        "print(open('tests.json').read())",
        "import glob\nprint(*[open(f).read() for f in glob.glob('*')])",
        "import gc\nprint([o for o in gc.get_objects() if isinstance(o, dict) and 'outputs' in o])",
    ],
)
def test_programs_that_are_wrong(program):
    assert grading.code(program, DOUBLE).score == 0


def test_a_program_that_runs_for_ever_is_said_to():
    assert grading.code("while True: pass", DOUBLE, seconds=1) == (0.0, "timed out")
    assert grading.code("while True: print('x' * 1000)", DOUBLE, seconds=5).score == 0
    assert grading.code(GOOD, DOUBLE).score == 1


@pytest.mark.parametrize(
    ("program", "score"),
    [
        ("def add(a, b):\n    return a + b", 1),
        ("def add(a, b):\n    print('noise')\n    return a + b\nprint('[3]')", 1),
        ("class Solution:\n    def add(self, a, b):\n        return a + b", 1),
        ("def add(a, b):\n    return a - b", 0),
        ("def add(a, b):\n    return str(a + b)", 0),
        ("def add(a, b):\n    return True", 0),
        ("def sub(a, b):\n    return a + b", 0),
        ("import sys\nsys.exit(0)", 0),
        ("import os\nos._exit(0)", 0),
        ("def add(a, b):\n    raise SystemExit(0)", 0),
        ("def add(a, b):\n    return object()", 0),
        ("def add(a, b):\n    return (a + b,)", 0),
        ("import sys\nprint(_job)\ndef add(a, b):\n    return _job['expected']", 0),
    ],
)
def test_functions(program, score):
    assert grading.code(program, ADD).score == score


HOSTILE = ("Infinity", "NaN", "1e999", "9" * 400, "-" + "9" * 5000, "[" * 100_000, "null", "true")


@pytest.mark.parametrize("wrote", HOSTILE, ids=lambda wrote: wrote[:10])
def test_what_a_program_returns_is_data(wrote):
    program = (
        "import os, sys\ndef add(a, b):\n    out = sys._getframe(1).f_globals['_out']\n"
        f"    os.write(out, {wrote!r}.encode())\n    os._exit(0)"
    )
    assert grading.code(program, ADD) == (0.0, "")
    assert grading.code(program, [Test([1, 2], 3.5, "add")]) == (0.0, "")
    assert grading.code(f"print({wrote!r})", [Test("3", "6.5")]) == (0.0, "")


def test_large_numbers_are_compared():
    large = "def add(a, b):\n    return 10**400 + a"
    assert grading.code(large, [Test([1, 2], 10**400 + 1, "add")]).score == 1
    assert grading.code(large, [Test([1, 2], 10**400, "add")]).score == 0
    assert grading.code(large, [Test([1, 2], 1.0, "add")]).score == 0
    assert grading.code("def add(a, b):\n    return [[[a]]] * b", [Test([1, 1], [[[1]]], "add")])[0]


@pytest.mark.parametrize(
    "program",
    [
        'import os\nos.write(3, b\'{"exit": 0, "value": 1}\\n\')\nos._exit(0)',
        "import os\nfor fd in range(3, 64):\n    try: os.write(fd, b'{\"exit\": 0}\\n3\\n6\\n')\n"
        "    except OSError: pass",
        "import atexit, os\natexit.register(os._exit, 0)",
        "import sys\nfor name, each in list(sys.modules.items()):\n"
        "    for one in ('same_value', 'same_output', 'code', 'loads', 'dumps'):\n"
        "        try: setattr(each, one, lambda *a, **k: True)\n        except Exception: pass",
        "class Same(int):\n    def __eq__(self, other): return True\n    __hash__ = int.__hash__\n"
        "def add(a, b): return Same(9)\nprint(Same(9))",
        "class Same(str):\n    def __eq__(self, other): return True\n    __hash__ = str.__hash__\n"
        "def add(a, b): return Same('x')\nprint(Same('x'))",
        "class Same(dict):\n    def keys(self): return _job\ndef add(a, b): return Same(x=1)",
        "import builtins, json\njson.dumps = lambda value: 'true'\ndef add(a, b): return 0",
        "def add(a, b): raise SystemExit(0)\nraise SystemExit(0)",
        "import sys\ndef add(a, b): return sys._getframe(1).f_globals['_job'].get('expected', [])",
        "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)",
    ],
)
def test_a_program_cannot_pass_its_own_tests(program):
    assert grading.code(program, DOUBLE).score == 0
    assert grading.code(program, ADD).score == 0
    assert grading.code(program, [*DOUBLE, *ADD], partial=True).score == 0
    assert grading.code(GOOD, DOUBLE).score == 1


def test_partial_credit_is_the_share_of_tests_and_else_the_first_failure_ends_it():
    program = "n = int(input())\nprint(n * 2 if n > 0 else 0)"
    assert grading.code(program, DOUBLE, partial=True).score == pytest.approx(2 / 3)
    assert grading.code(program, DOUBLE).score == 0
    begun = time.perf_counter()
    slow = "import time\nn = int(input())\ntime.sleep(1.5)\nprint(0)"
    assert grading.code(slow, [Test(str(n), str(n)) for n in range(1, 60)]).score == 0
    assert time.perf_counter() - begun < 15


@pytest.mark.parametrize(
    ("printed", "expected", "same"),
    [
        ("1 2\n3", "1 2\n3\n", True),
        ("1   2", "1 2", True),
        ("0.3333333", "0.33333333", True),
        ("0.34", "0.33", False),
        ("1.0", "1", False),  # a whole number was asked for
        ("1", "1.0", True),
        ("1 2", "1 2 3", False),
        ("Yes", "YES", False),
        ("nan", "1.0", False),
        ("", "", True),
    ],
)
def test_outputs_are_compared_by_words(printed, expected, same):
    assert grading.same_output(printed, expected) is same


def test_tests_come_in_several_shapes():
    pairs = (Test("3", "6"), Test("4", "8"))
    assert grading.tests_of({"inputs": ["3", "4"], "outputs": ["6", "8"]}) == pairs
    assert grading.tests_of('{"inputs": ["3", "4"], "outputs": ["6", "8"]}') == pairs
    listed = [{"input": "3", "output": "6", "type": "stdin"}, {"input": "4", "output": "8"}]
    assert grading.tests_of(listed) == grading.tests_of({"test_cases": listed}) == pairs
    assert grading.tests_of({"inputs": [["3", "4"]], "outputs": [["7"]]}) == (Test("3\n4", "7"),)
    called = {"fn_name": "add", "inputs": [[1, 2]], "outputs": [[3]]}
    assert grading.tests_of(called) == (Test([1, 2], [3], "add"),)
    lines = {"fn_name": "add", "inputs": ["1\n2"], "outputs": ["3"]}
    assert grading.tests_of(lines) == (Test([1, 2], 3, "add"),)
    assert grading.code("def add(a, b): return a + b", grading.tests_of(called)).score == 1


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ({"questions": []}, "got a dict with questions"),
        (["assert add(1, 2) == 3"], r"got \['assert add"),
        ("assert add(1, 2) == 3", "or JSON of these; got 'assert add"),
        (None, "got None"),
        ({"inputs": ["1", "2"], "outputs": ["1"]}, "2 inputs and 1 outputs"),
        ([{"input": "1"}], "got .*input"),
        ([], "the cell is empty"),
    ],
)
def test_tests_of_another_shape_are_named_with_their_row(data, told):
    row = {"problem": "p", "tests": data}
    with pytest.raises(ValueError, match=f"row 0: tests: .*{told}"):
        gem_ma.make("code:Data", data=[row])
    good = {"problem": "p", "tests": [{"input": "1", "output": "1"}]}
    env = gem_ma.make("code:Data", data=[good, row])
    with pytest.raises(ValueError, match="row 1: tests: "):
        env.reset(options={"index": 1})


@pytest.mark.parametrize("id", ["math:Data", "qa:Data"])
def test_a_row_without_an_answer_is_named(id):
    with pytest.raises(ValueError, match="row 0: answer: the cell is empty"):
        gem_ma.make(id, data=[{"problem": "p", "answer": None}])


@pytest.mark.parametrize(
    ("reply", "program"),
    [
        ("```python\nx = 1\n```", "x = 1"),
        ("first\n```python\nx = 1\n```\nbetter\n```py\nx = 2\n```\nbye", "x = 2"),
        ("```python\nx = 1\n```\nIt prints\n```\n1\n```", "x = 1"),
        ("```\nx = 1\n```", "x = 1"),
        ("```python\nx = 1", "x = 1"),
        ("x = 1", "x = 1"),
    ],
)
def test_the_last_block_is_the_program(reply, program):
    assert grading.program_in(reply) == program


def test_one_pool_serves_all_environments_and_threads(verifier):
    envs = [gem_ma.make("code:Mini") for _ in range(16)]

    def play(env, seed):
        env.reset(seed=seed)
        env.submit({"player": env.game_state.answer})

    threads = [threading.Thread(target=play, args=job) for job in zip(envs, range(16), strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [env.game_state.score for env in envs] == [1.0] * 16
    assert grading._programs.cache_info().currsize == 1
