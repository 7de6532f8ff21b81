"""How the time of the package's patterns grows: where they are, and what is hostile to each."""

import ast
import builtins
import contextlib
import functools
import gc
import importlib.util
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from re import _constants as codes
from re import _parser as parser
from typing import Any, NamedTuple

import pytest

import gem_ma
from gem_ma import InvalidMove
from gem_ma.tools import ToolError

ROOT = Path(gem_ma.__file__).parent
METHODS = ("match", "fullmatch", "search", "findall", "finditer", "sub", "subn", "split")
SIZES = (20, 128, 512, 2048)
LONG = (20, 128, 512, 2048, 8192)
LONGER = (20, 256, 1024, 4096, 16384)
SLOW = 0.15e-6  # seconds a letter, below which the largest size is quick whatever the growth


class Use(NamedTuple):
    """A pattern, and the methods by which it is applied."""

    where: str
    pattern: re.Pattern[Any]
    methods: tuple[str, ...]


class _Stand(dict[str, Any]):
    """The names of a module; what is known only within a function is the word abc."""

    def __missing__(self, name: str) -> Any:
        return getattr(builtins, name, "abc")


def modules() -> list[str]:
    """Return the names of all modules of the package that use `re`."""
    found = []
    for path in sorted(ROOT.rglob("*.py")):
        if re.search(r"^ *(?:import|from) re\b", path.read_text(encoding="utf-8"), re.M):
            parts = path.relative_to(ROOT.parent).with_suffix("").parts
            found.append(".".join(parts).removesuffix(".__init__"))
    return found


@functools.cache
def uses(module: str) -> list[Use]:
    """Return every pattern of a module, with how it is applied."""
    try:
        names = vars(importlib.import_module(module))
    except ImportError:  # an extra is missing; what stands in the source is looked at all the same
        names = {"re": re}
    spec = importlib.util.find_spec(module)
    tree = ast.parse(Path(spec.origin).read_text(encoding="utf-8"))
    found: dict[tuple[str, int], set[str]] = {}
    where: dict[tuple[str, int], str] = {}

    def add(place: str, pattern: re.Pattern[Any], methods: set[str]) -> None:
        key = pattern.pattern, pattern.flags
        found.setdefault(key, set()).update(methods)
        where.setdefault(key, f"{module}:{place}")

    for name in sorted(_assigned(tree)):
        for pattern in _patterns(names.get(name)):
            add(name, pattern, _applied(tree, name))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "re":
            raise AssertionError(f"{module}:{node.lineno}: say `import re`, for what looks here")
        function = _of_re(node)
        if function in METHODS:
            add(str(node.lineno), _built(node, function, names), {function})
        elif function == "compile":
            pattern = _built(node, function, names)
            if (pattern.pattern, pattern.flags) not in found:  # no global: applied who knows how
                add(str(node.lineno), pattern, {"finditer"})
    return [
        Use(where[key], re.compile(*key), tuple(sorted(methods))) for key, methods in found.items()
    ]


def _of_re(node: ast.AST) -> str:
    """Return which function of `re` is called here, if any."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
        return ""
    owner = node.func.value
    return node.func.attr if isinstance(owner, ast.Name) and owner.id == "re" else ""


def _assigned(tree: ast.Module) -> set[str]:
    """Return the globals of a module that it does not import."""
    targets = [
        target
        for node in tree.body
        if isinstance(node, ast.Assign | ast.AnnAssign)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
    ]
    return {node.id for one in targets for node in ast.walk(one) if isinstance(node, ast.Name)}


def _patterns(value: Any, depth: int = 3) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        yield value
    elif depth and isinstance(value, Mapping):
        for one in list(value.values()):
            yield from _patterns(one, depth - 1)
    elif depth and isinstance(value, list | tuple | set | frozenset):
        for one in value:
            yield from _patterns(one, depth - 1)


@functools.lru_cache(maxsize=1)
def _loaded(tree: ast.Module) -> list[tuple[ast.Name, ast.AST]]:
    """Return where names are read, and in what."""
    return [
        (child, node)
        for node in ast.walk(tree)
        for child in ast.iter_child_nodes(node)
        if isinstance(child, ast.Name) and isinstance(child.ctx, ast.Load)
    ]


def _applied(tree: ast.Module, name: str) -> set[str]:
    """Return the methods called of a global; where it is handed on, that may be any."""
    methods = set()
    for node, parent in _loaded(tree):
        if node.id == name:
            attribute = parent.attr if isinstance(parent, ast.Attribute) else ""
            methods.add(attribute if attribute in METHODS else "finditer")
    return methods or {"finditer"}


def _built(call: ast.Call, function: str, names: Mapping[str, Any]) -> re.Pattern[Any]:
    """Return the pattern of a call of `re`, with a word for what only the call knows."""

    def value(node: ast.expr) -> Any:
        return eval(compile(ast.Expression(node), "<pattern>", "eval"), _Stand(names))

    place = {"sub": 4, "subn": 4, "split": 3, "compile": 1}.get(function, 2)
    flags = [keyword.value for keyword in call.keywords if keyword.arg == "flags"]
    flags += call.args[place : place + 1]
    return re.compile(value(call.args[0]), value(flags[0]) if flags else 0)


_TAILS = ("", "\0", "\n", "!x")
_ANYWAY = ("a", "1", " ", "\n", "a ", "a.", "a\n")
_CATEGORIES = {
    codes.CATEGORY_DIGIT: "1",
    codes.CATEGORY_NOT_DIGIT: "a",
    codes.CATEGORY_SPACE: " ",
    codes.CATEGORY_NOT_SPACE: "a",
    codes.CATEGORY_WORD: "a",
    codes.CATEGORY_NOT_WORD: " ",
}


def hostile(pattern: re.Pattern[Any]) -> list[Callable[[int], str]]:
    """Return what makes long texts on which a pattern may take long, from its own parts."""
    whole = parser.parse(pattern.pattern, pattern.flags)
    pumps: dict[tuple[str, str], None] = {}
    for before, body in _repeats(whole, "", {}):
        for pump in _variants(body):
            pumps[before, pump] = None
            pumps["", before + pump] = None
    for text in (*_prefixes(whole), *_letters(whole), *_ANYWAY):
        pumps["", text] = None
        if pattern.flags & re.MULTILINE:
            pumps["", text + "\n"] = None
    tails = (*_TAILS, *_forbidden(whole))
    return [_text(*pump, tail) for pump in pumps if pump[1] for tail in tails]


def _text(before: str, pump: str, tail: str) -> Callable[[int], str]:
    return lambda size: before + pump * max(1, (size - len(before)) // len(pump)) + tail


def _sample(items: Any, groups: dict[int, str]) -> str:  # noqa: C901 - a branch for each kind
    """Return a short text that this part of a pattern matches."""
    out = []
    for op, value in items:
        if op is codes.LITERAL:
            out.append(chr(value))
        elif op is codes.NOT_LITERAL:
            out.append("a" if value != ord("a") else "b")
        elif op is codes.ANY:
            out.append("a")
        elif op is codes.IN:
            out.append(_members(value)[0])
        elif op is codes.BRANCH:
            out.append(_sample(value[1][0], groups))
        elif op is codes.SUBPATTERN:
            inner = _sample(value[3], groups)
            if value[0] is not None:
                groups[value[0]] = inner
            out.append(inner)
        elif op is codes.ATOMIC_GROUP:
            out.append(_sample(value, groups))
        elif op in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT):
            out.append(_sample(value[2], groups) * max(value[0], 0))
        elif op is codes.GROUPREF:
            out.append(groups.get(value, ""))
        elif op is codes.ASSERT and value[0] > 0:
            pass  # what is ahead is read again
        elif op is codes.ASSERT:
            out.append(_sample(value[1], groups))
    return "".join(out)


def _members(items: Any) -> list[str]:
    """Return a letter for each part of a class."""
    negated = items[0][0] is codes.NEGATE
    found = []
    for op, value in items[negated:]:
        if op is codes.LITERAL:
            found.append(chr(value))
        elif op is codes.RANGE:
            found.append(chr(value[0]))
        elif op is codes.CATEGORY:
            found.append(_CATEGORIES[value])
    if not negated:
        return found
    one = re.compile("[^" + "".join(map(re.escape, found)) + "]")
    return [letter for letter in "a 1.\n{[<#-" if one.match(letter)] or ["a"]


def _inner(op: Any, value: Any) -> list[Any]:
    """Return the parts that stand within one of a pattern."""
    if op is codes.BRANCH:
        return list(value[1])
    if op is codes.SUBPATTERN:
        return [value[3]]
    if op is codes.ATOMIC_GROUP:
        return [value]
    if op in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT):
        return [value[2]]
    return [value[1]] if op in (codes.ASSERT, codes.ASSERT_NOT) else []


def _repeats(items: Any, before: str, groups: dict[int, str]) -> Iterator[tuple[str, Any]]:
    """Yield each repeated part, with a text that leads to it."""
    items = list(items)
    for place, (op, value) in enumerate(items):
        lead = before + _sample(items[:place], groups)
        if op in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT) and value[1] > 8:
            yield lead, value[2]
        for inner in _inner(op, value):
            yield from _repeats(inner, lead, groups)


def _forbidden(items: Any) -> list[str]:
    """Return what must not follow or stand before: with it at the end, the search goes on."""
    found = []
    for op, value in items:
        if op is codes.ASSERT_NOT:
            found.append(_sample(value[1], {}))
        for inner in _inner(op, value):
            found += _forbidden(inner)
    return list(dict.fromkeys(filter(None, found)))


def _variants(items: Any) -> list[str]:
    """Return several texts that a repeated part matches."""
    items = list(items)
    if len(items) == 1 and items[0][0] is codes.IN:
        return list(dict.fromkeys(_members(items[0][1])))[:6]
    if len(items) == 1 and items[0][0] is codes.ANY:
        return ["a", " "]
    return [_sample(items, {})]


def _prefixes(items: Any) -> list[str]:
    """Return texts that the first parts of a pattern match, one by one, in each branch."""
    items = list(items)
    found = [_sample(items[:end], {}) for end in range(1, len(items) + 1)]
    for op, value in items[:1]:
        for inner in _inner(op, value)[:8]:
            found += _prefixes(inner)
    return list(dict.fromkeys(filter(None, found)))


def _letters(items: Any) -> list[str]:
    """Return each run of letters in a pattern, and a letter of each class."""
    found, run = [], ""
    for op, value in items:
        if op is codes.LITERAL:
            run += chr(value)
            continue
        found, run = [*found, run], ""
        if op is codes.IN:
            found += _members(value)[:6]
        for inner in _inner(op, value)[:8]:
            found += _letters(inner)
    return list(dict.fromkeys(filter(None, [*found, run])))[:24]


def apply(pattern: re.Pattern[Any], method: str, text: str) -> None:
    """Use a pattern as the package does, to the end."""
    given = text if isinstance(pattern.pattern, str) else text.encode("utf-8", "replace")
    if method in ("sub", "subn"):
        getattr(pattern, method)(given[:0], given)
    elif method == "finditer":
        for _ in pattern.finditer(given):
            pass
    else:
        getattr(pattern, method)(given)


def seconds(work: Callable[[], Any], tries: int) -> float:
    """Return the least CPU time that some work takes in this thread, without the collector's."""
    best = float("inf")
    collecting = gc.isenabled()
    gc.disable()
    try:
        for _ in range(tries):
            begun = time.thread_time()
            work()
            best = min(best, time.thread_time() - begun)
    finally:
        if collecting:
            gc.enable()
    return best


def grows(work: Callable[[str], Any], make: Callable[[int], str], sizes: Sequence[int]) -> str:
    """Say how the time of some work outgrows the length of a text, or nothing if it does not."""
    if _is_quick(work, make, sizes):
        return ""
    before, slow = 0.0, SLOW * sizes[-1]
    for size in sizes:
        text = make(size)
        took = seconds(lambda text=text: work(text), 3)
        # A text four times as long: four times the time if linear, 16 times if quadratic.
        if took > max(8 * before, slow):
            return f"{before:.4f} s, then {took:.4f} s for {text[:50]!r}... of {len(text)} letters"
        before = took
    return ""


def _is_quick(work: Callable[[str], Any], make: Callable[[int], str], sizes: Sequence[int]) -> bool:
    """Return whether even the longest text takes next to nothing; stop where one takes long."""
    for size in sizes:
        text = make(size)
        if seconds(lambda text=text: work(text), 1) > SLOW * sizes[-1]:
            return False
    return True


def fault(use: Use, sizes: Sequence[int] = LONG) -> str:
    """Say on which text a pattern takes more than its length allows, or nothing."""
    for method in use.methods:
        for make in hostile(use.pattern):

            def work(text: str, method: str = method) -> None:
                apply(use.pattern, method, text)

            # What another process does to the clock does not come twice.
            if (found := grows(work, make, sizes)) and (found := grows(work, make, sizes)):
                return f"{use.where} {use.pattern.pattern!r}.{method}: {found}"
    return ""


LETTERS = (" ", "\n", "\t", "a", "1", "1 ", "a ", "a\n", "a.", ".", ",", "-", "_", "*", "@", "a@")
MARKS = (
    *("[", "]", "[]", "[a", "(", ")", "{", "}", "{}", '"', "'", "\\", "\\\\", "<", ">", "`"),
    *("<think>", "</think>", "<think></think>", "<answer>", "</answer>", "<answer></answer>"),
    *("<tool_call>", "</tool_call>", "<tool_call>{", "<tool_call></tool_call>", '{"name":"a"}'),
    *("\\boxed{", "\\boxed{}", "\\boxed", "\\text{", "\\text{}", "\\text", "\\frac{1}{2}", "$"),
    *("```", "``` ", "```\n", "```python\n", "```python", "\n```", "\n``` "),
    *("\ud800", "\u00e9", "\u202e", "\x00", "\u4e00", "1,000", "1e9"),
    *("<image", "<|image_1", "<|vision_pad|", "[img ", "<image>"),
    *("a@a.", "a@a.a ", "modify ", "modify #W1234567 ", "name is Aa Aa ", "zip code ", "code is "),
    *(
        "I want ",
        ". I want ",
        "You want ",
        "{a}",
        "#W1234567. ",
        "?",
        "confirm? ",
        "anything else?",
    ),
    *("message:", "message: \n", "thought:", "thought:\n", "bad:", "bad\n", "ok\n", '"name": "a",'),
)
# A beginning, and what is repeated after it.
BEGUN = (
    *(("```", " "), ("```", "a"), ("```\n", "\n "), ("\\boxed{", "{"), ("\\boxed{", "}")),
    *(("\\boxed", " "), ("\\text{", " "), ("[", "]"), ("[", "["), ("a@a.", "."), ('"name"', " ")),
    *(("<image", " "), ("<think>", "</"), ("\\boxed{", "\\text{"), ("<tool_call>", "{")),
    *(("a:", " "), ("a (", " "), (". ", " "), ("modify ", "address "), ("zip code ", "1")),
)


def texts(size, ends=("",)):
    for begin, pump in (*(("", one) for one in (*LETTERS, *MARKS)), *BEGUN):
        for end in ends:
            yield begin + pump * ((size - len(begin)) // len(pump)) + end


def _read(reader, text):
    with contextlib.suppress(InvalidMove, ToolError):
        reader(text)


def slow(reader, size, limit, ends):
    """Return the texts of this size that take longer than allowed, and more than their length says.

    Four times as long, a text takes four times as much if reading is linear, 16 times if quadratic.
    """
    found = []
    for text, part in zip(texts(size, ends), texts(size // 4, ends), strict=True):
        took = seconds(lambda text=text: _read(reader, text), 1)
        if took > limit:
            took = seconds(lambda text=text: _read(reader, text), 2)
        if took > limit and took > 8 * seconds(lambda part=part: _read(reader, part), 3):
            found.append(f"{took:.2f} s for {text[:30]!r}...")
    return found


# How long a text is, what it may take, and what it ends in.
lengths = pytest.mark.parametrize(
    ("size", "limit", "ends"),
    [
        (1 << 12, 0.02, ("",)),  # what is quadratic takes a thirtieth of a second and more
        pytest.param(1 << 14, 0.08, ("",), marks=pytest.mark.slow),  # and here half a second
        pytest.param(1 << 18, 0.5, ("!",), marks=pytest.mark.slow),  # most take far less
    ],
)
